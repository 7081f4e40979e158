//! Which models an engine supports, and the error about another one.

use crate::UnknownName;
use std::error::Error;
use std::fmt;

/// A model that cannot be asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// There is no such model.
    Unknown(UnknownName),
    /// The engine supports other models.
    By {
        /// The engine.
        engine: &'static str,
        /// The model.
        asked: &'static str,
        /// Those that it supports.
        supported: Vec<&'static str>,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => name.fmt(f),
            Self::By { engine, asked, supported } => {
                write!(f, "{engine} does not support {asked}; it supports {}", list(supported))
            }
        }
    }
}

impl Error for Unsupported {}

/// Names in a sentence: `a, b and c`.
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Declares the models that an engine supports: an enum of some variants of a base type, which has a `name` and is parsed from it.
///
/// The enum can be asked whatever a model can be asked, because it dereferences to the model. Other models are refused with [`Unsupported`].
#[macro_export]
macro_rules! supported {
    ($(#[$meta:meta])* $visibility:vis enum $name:ident: $base:ident in $engine:literal { $($(#[$of:meta])* $model:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility enum $name {
            $(#[doc = concat!("[`", stringify!($base), "::", stringify!($model), "`]")] $(#[$of])* $model,)*
        }

        impl $name {
            /// All of them, in the order in which help texts list them.
            $visibility const ALL: &'static [Self] = &[$(Self::$model),*];

            /// The model.
            $visibility const fn model(self) -> $base {
                match self { $(Self::$model => $base::$model),* }
            }

            /// Their names in a sentence.
            $visibility fn names() -> String {
                $crate::list(&[$($base::$model.name()),*])
            }
        }

        impl ::core::ops::Deref for $name {
            type Target = $base;

            #[inline]
            fn deref(&self) -> &$base {
                match self { $(Self::$model => &$base::$model),* }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::core::convert::From<$name> for $base {
            fn from(model: $name) -> Self {
                model.model()
            }
        }

        impl ::core::convert::TryFrom<$base> for $name {
            type Error = $crate::Unsupported;

            fn try_from(model: $base) -> ::core::result::Result<Self, $crate::Unsupported> {
                let found = Self::ALL.iter().find(|supported| supported.model() == model);
                found.copied().ok_or_else(|| $crate::Unsupported::By {
                    engine: $engine,
                    asked: model.name(),
                    supported: ::std::vec![$($base::$model.name()),*],
                })
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::Unsupported;

            fn from_str(name: &str) -> ::core::result::Result<Self, $crate::Unsupported> {
                let supported = [$($base::$model.name()),*];
                let unknown = || $crate::Unsupported::Unknown($crate::UnknownName::new(["model", "models"], name, supported));
                Self::try_from($base::named(name).ok_or_else(unknown)?)
            }
        }
    };
}
