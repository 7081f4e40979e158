//! A record of the log: one step and the choice that came with it.

use crate::Operation;
use core::fmt;

/// A place in code that is the same in every run: the number of its module, in the order in which the system has loaded them, and the distance from the beginning of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The executable is 0. [`NOWHERE`] if it is not known.
    pub module: u16,
    /// As in the module's file, or if the module is not known, the part of the address that is the same in every run.
    pub offset: u32,
}

/// A module that is not known.
pub const NOWHERE: u16 = u16::MAX;
/// No thread, or no object.
pub const NOBODY: u32 = u32::MAX;

impl Place {
    /// It is not known.
    pub const NONE: Self = Self { module: NOWHERE, offset: 0 };
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Who makes it, in the order in which threads were created; or [`NOBODY`].
    pub thread: u32,
    /// What it does,
    pub operation: Operation,
    /// to which object, in the order of first use; for some operations a thread; or [`NOBODY`].
    pub object: u32,
    /// In which code.
    pub place: Place,
    /// How many threads there were to choose from.
    pub ready: u32,
    /// Who was chosen. [`NOBODY`] if nobody can go on.
    pub chosen: u32,
}

/// How long a record is.
pub const CHOICE_BYTES: usize = 24;

impl Choice {
    /// Nothing at all, to begin with.
    pub const NONE: Self = Self {
        thread: NOBODY,
        operation: Operation::Other,
        object: NOBODY,
        place: Place::NONE,
        ready: 0,
        chosen: NOBODY,
    };

    /// As it is in the file.
    pub fn to_bytes(self) -> [u8; CHOICE_BYTES] {
        let mut bytes = [0; CHOICE_BYTES];
        bytes[0..4].copy_from_slice(&self.thread.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.chosen.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.object.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.place.offset.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.place.module.to_le_bytes());
        bytes[18] = self.operation as u8;
        bytes[20..24].copy_from_slice(&self.ready.to_le_bytes());
        bytes
    }

    /// Nothing if there is no such operation.
    pub fn from_bytes(bytes: &[u8; CHOICE_BYTES]) -> Option<Self> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let module = u16::from_le_bytes([bytes[16], bytes[17]]);
        Some(Self {
            thread: number(0),
            chosen: number(4),
            object: number(8),
            place: Place { module, offset: number(12) },
            operation: Operation::from_number(bytes[18])?,
            ready: number(20),
        })
    }

    /// Whether it is the same step, whoever goes on after it.
    pub fn is_same_step(&self, other: &Self) -> bool {
        (self.thread, self.operation, self.object, self.place)
            == (other.thread, other.operation, other.object, other.place)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.thread != NOBODY {
            write!(formatter, "thread {}: ", self.thread)?;
        }
        write!(formatter, "{}", self.operation.text())?;
        if self.object != NOBODY {
            let what = if self.operation.is_about_thread() { "thread" } else { "object" };
            write!(formatter, " of {what} {}", self.object)?;
        }
        if self.place.module != NOWHERE {
            write!(formatter, " at {:#x} in module {}", self.place.offset, self.place.module)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let place = Place { module: 2, offset: 0x1234 };
        let choice = Choice { thread: 1, operation: Operation::Lock, object: 5, place, ready: 3, chosen: 2 };
        assert_eq!(Choice::from_bytes(&choice.to_bytes()), Some(choice));
        assert_eq!(choice.to_string(), "thread 1: lock of object 5 at 0x1234 in module 2");
        let mut bytes = choice.to_bytes();
        bytes[18] = 200;
        assert_eq!(Choice::from_bytes(&bytes), None);
        assert!(choice.is_same_step(&Choice { chosen: 0, ready: 1, ..choice }));
        assert!(!choice.is_same_step(&Choice { object: 6, ..choice }));
    }
}
