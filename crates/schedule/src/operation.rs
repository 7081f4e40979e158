//! What a thread does in a step.

macro_rules! operations {
    ($($(#[$meta:meta])* $operation:ident = $number:literal, $text:literal;)*) => {
        /// What a thread does in a step, before it is known how it turns out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Operation {
            $($(#[$meta])* $operation = $number,)*
        }

        impl Operation {
            const ALL: &[Self] = &[$(Self::$operation),*];

            /// For people.
            pub fn text(self) -> &'static str {
                match self { $(Self::$operation => $text,)* }
            }
        }
    };
}

operations! {
    /// Something that has no name here.
    Other = 0, "a step";
    /// An atomic load.
    Load = 1, "load";
    /// An atomic store.
    Store = 2, "store";
    /// An atomic read-modify-write that always writes.
    Update = 3, "read-modify-write";
    /// A compare-exchange.
    Compare = 4, "compare-exchange";
    /// A fence.
    Fence = 5, "fence";
    /// Takes a mutex, or a lock for writing; waits for it if necessary.
    Lock = 6, "lock";
    /// Takes a lock for reading.
    LockShared = 7, "shared lock";
    /// Takes a lock if it is free.
    TryLock = 8, "try-lock";
    /// Takes a lock for reading if that is possible.
    TryLockShared = 9, "shared try-lock";
    /// Gives a lock back. Nothing is chosen: the thread goes on.
    Unlock = 10, "unlock";
    /// Cannot go on, and waits until something changes.
    Wait = 11, "wait";
    /// Waits until it is chosen by a signal: a condition, a futex or a barrier.
    WaitForSignal = 12, "wait for a signal";
    /// Signals a condition.
    Signal = 13, "signal";
    /// Wakes all who wait for a condition.
    Broadcast = 14, "broadcast";
    /// Arrives at a barrier.
    Barrier = 15, "barrier";
    /// Takes from a semaphore.
    Take = 16, "semaphore wait";
    /// Takes from a semaphore if that is possible.
    TryTake = 17, "semaphore try-wait";
    /// Gives to a semaphore. Nothing is chosen: the thread goes on.
    Post = 18, "semaphore post";
    /// Runs an initialisation once, or waits until somebody has.
    Once = 19, "once";
    /// Starts a thread, which is the object.
    Create = 20, "create";
    /// Waits for the end of a thread, which is the object.
    Join = 21, "join";
    /// Cancels a thread.
    Cancel = 22, "cancel";
    /// Lets others go first.
    Yield = 23, "yield";
    /// Lets others go first, and time passes.
    Sleep = 24, "sleep";
    /// The thread ends.
    End = 25, "end";
    /// No step of a thread: the turn goes to somebody or to nobody because of something outside of the schedule, a system call that is not known, a signal or real time.
    Resume = 26, "resume";
    /// No step of a thread: whom of those who wait a signal wakes.
    Wake = 27, "choice of whom to wake";
    /// No step of a thread: which of several waits times out.
    TimeOut = 28, "choice of a time-out";
    /// Cannot go on before the end of a thread, which is the object.
    WaitForEnd = 30, "wait for the end";
    /// Has initialised something, or failed to. Nothing is chosen: the thread goes on.
    Initialised = 29, "end of an initialisation";
}

impl Operation {
    /// The one with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|&operation| operation as u8 == number)
    }

    /// Whether the object is a thread, by its number.
    pub fn is_about_thread(self) -> bool {
        matches!(self, Self::Create | Self::Join | Self::WaitForEnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for &operation in Operation::ALL {
            assert_eq!(Operation::from_number(operation as u8), Some(operation));
        }
        assert_eq!(Operation::from_number(255), None);
    }
}
