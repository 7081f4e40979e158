//! Enums whose variants have names for users.

use crate::list;
use std::error::Error;
use std::fmt;

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was named: one, and several.
    what: [&'static str; 2],
    asked: String,
    known: Vec<&'static str>,
}

impl UnknownName {
    /// The name is not among the known ones. `what` says what it should name: one, and several.
    pub fn new(what: [&'static str; 2], asked: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        Self { what, asked: asked.to_owned(), known: known.into_iter().collect() }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, several] = self.what;
        write!(f, "unknown {one} `{}`; the {several} are {}", self.asked.escape_debug(), list(&self.known))
    }
}

impl Error for UnknownName {}

/// Declares an enum whose variants have names: with the list of all variants, printed by name, and parsed from it. What one is called, and what several are, is for messages.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $visibility:vis enum $enum:ident [$one:literal, $several:literal] { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility enum $enum {
            $($(#[$doc])* $variant,)*
        }

        impl $enum {
            /// All of them, in the order in which messages list them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in commands, files and messages.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The one with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl ::core::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::core::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> ::core::result::Result<Self, $crate::UnknownName> {
                Self::named(name).ok_or_else(|| $crate::UnknownName::new([$one, $several], name, [$($name),*]))
            }
        }
    };
}
