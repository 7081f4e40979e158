//! The schedulers, with their names and what they do. The options of the runtime, the command line with its help, and the documentation come from this list.

/// Declares [`Kind`]: for each scheduler its name in options, and what `--help` and the documentation say about it.
macro_rules! schedulers {
    ($($kind:ident $name:literal: $about:literal;)*) => {
        /// A scheduler.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = $about] $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name in options.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// What it does, for people.
            pub fn about(self) -> &'static str {
                match self { $(Self::$kind => $about,)* }
            }
        }
    };
}

schedulers! {
    Random "random": "one thread at a time; who goes on is chosen anew at every atomic access, lock, and beginning or end of a thread";
    Pct "pct": "one thread at a time, by random priorities that change at a few random steps. Finds what needs few preemptions, with a known probability";
}

impl Kind {
    /// Whether it has to know how many steps a run makes.
    pub fn uses_length(self) -> bool {
        self == Self::Pct
    }
}

/// Who decides which thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The operating system.
    Os,
    /// A scheduler of ours.
    By(Kind),
}

impl Schedule {
    /// All of them, the operating system first.
    pub fn all() -> impl Iterator<Item = Self> {
        core::iter::once(Self::Os).chain(Kind::ALL.iter().copied().map(Self::By))
    }

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Os => "os",
            Self::By(kind) => kind.name(),
        }
    }

    /// What it does, for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Os => "the operating system decides who runs, at full speed",
            Self::By(kind) => kind.about(),
        }
    }

    /// The one with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|schedule| schedule.name() == name)
    }

    /// The scheduler, if it is one of ours.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Os => None,
            Self::By(kind) => Some(kind),
        }
    }
}

/// What a scheduler begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Where chance begins.
    pub seed: u64,
    /// PCT: how many changes of priorities there are, plus one.
    pub depth: u64,
    /// PCT: how many steps are expected.
    pub length: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { seed: 0, depth: 3, length: 200 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_found() {
        for schedule in Schedule::all() {
            assert_eq!(Schedule::from_name(schedule.name()), Some(schedule));
            assert!(schedule.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        }
        assert_eq!(Schedule::from_name("none"), None);
    }
}
