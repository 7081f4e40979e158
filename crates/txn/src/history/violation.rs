//! Why a history does not satisfy a criterion.

use super::{History, Id};

/// Why a history does not satisfy a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two writes of a key have the same value, so that nobody can tell where a read comes from. This says nothing about the database.
    WrittenTwice {
        /// The key.
        key: u32,
        /// The value.
        value: i64,
        /// Both writers.
        writers: [Id; 2],
    },
    /// A transaction reads a value that nobody wrote, or that was not committed, or not its own last write, or one that was overwritten in the transaction that wrote it.
    WrongValue {
        /// Who reads it.
        reader: Id,
        /// The key.
        key: u32,
        /// The value; nothing is the initial one.
        value: Option<i64>,
    },
    /// A transaction reads a value although it knows of a newer one.
    StaleRead {
        /// Who reads it.
        reader: Id,
        /// The key.
        key: u32,
        /// Who wrote the value; nobody wrote the initial one.
        source: Option<Id>,
        /// Who overwrote it, before the reader.
        newer: Id,
    },
    /// These transactions would have to come before each other. If a session is given, it is only this session that contradicts itself.
    Cycle {
        /// Why each has to come before the next one; the last link leads back to the first.
        links: Vec<Link>,
        /// The session that needs these orders.
        session: Option<u32>,
    },
    /// Every order was tried, and none explains all reads. The cycle is that of one order of the writes, which gets far.
    NoOrder {
        /// The cycle.
        links: Vec<Link>,
    },
}

/// One transaction has to come before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The earlier one.
    pub from: Id,
    /// The later one.
    pub to: Id,
    /// Why.
    pub why: Reason,
}

/// Why one transaction has to come before another one. The keys are those that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They are of the same session.
    Session,
    /// The later one reads what the earlier one wrote.
    Reads(u32),
    /// Both write the key, in this order.
    Overwrites(u32),
    /// The earlier one reads what the later one overwrites.
    ReadsBefore(u32),
}

impl Violation {
    /// The violation in sentences, the first one without its subject: "violated: …".
    pub fn sentences(&self, history: &History) -> Vec<String> {
        let key = |key: u32| history.keys[key as usize].escape_debug().to_string();
        match self {
            Self::WrittenTwice { key: which, value, writers: [one, other] } => {
                let (which, one, other) = (key(*which), history.name(*one), history.name(*other));
                vec![format!("cannot tell: `{which}` = {value} is written by {one} and by {other}")]
            }
            Self::WrongValue { reader, key: which, value } => {
                let value = value.map_or_else(|| "the initial value".to_owned(), |value| value.to_string());
                let (reader, which) = (history.name(*reader), key(*which));
                vec![format!("{reader} reads `{which}` = {value}, which it cannot have from anybody")]
            }
            Self::StaleRead { reader, key: which, source, newer } => {
                let source = source.map_or_else(|| "the start".to_owned(), |source| history.name(source));
                let (reader, which, newer) = (history.name(*reader), key(*which), history.name(*newer));
                vec![format!(
                    "{reader} reads `{which}` from {source}, although it knows of {newer}, which overwrote it"
                )]
            }
            Self::Cycle { links, session } => {
                let title = match session {
                    None => "these orders contradict each other".to_owned(),
                    Some(session) => {
                        let name = &history.sessions[*session as usize].name;
                        format!("session {name} contradicts itself: it needs all of these orders")
                    }
                };
                [title].into_iter().chain(links.iter().map(|link| link.sentence(history))).collect()
            }
            Self::NoOrder { links } => {
                let title = "every order was tried, and none explains all reads; the one that gets furthest has this contradiction";
                [title.to_owned()].into_iter().chain(links.iter().map(|link| link.sentence(history))).collect()
            }
        }
    }
}

impl Link {
    fn sentence(&self, history: &History) -> String {
        let key = |key: u32| history.keys[key as usize].escape_debug().to_string();
        let why = match self.why {
            Reason::Session => "they are of one session".to_owned(),
            Reason::Reads(which) => format!("the latter reads `{}` from it", key(which)),
            Reason::Overwrites(which) => format!("the latter overwrites its `{}`", key(which)),
            Reason::ReadsBefore(which) => format!("it reads `{}`, which the latter overwrites", key(which)),
        };
        format!("{} comes before {}: {why}", history.name(self.from), history.name(self.to))
    }
}
