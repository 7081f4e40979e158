//! The check itself: for every read, only the last writer of each session in the reader's causal past has to be looked at.

use super::clocks::{Resolved, topological};
use super::{History, Id};
use crate::model::Model;

/// Why a history does not satisfy a model.
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
    /// A transaction reads a value that nobody wrote, or not its own last write, or one that was overwritten in the transaction that wrote it.
    WrongValue {
        /// Who reads it.
        reader: Id,
        /// The key.
        key: u32,
        /// The value.
        value: i64,
    },
    /// Session order and reads-from contradict each other.
    CausalCycle,
    /// A transaction reads a value although it knows of a newer one.
    StaleRead {
        /// Who reads it.
        reader: Id,
        /// The key.
        key: u32,
        /// Who wrote the value; nobody wrote the initial one.
        source: Option<Id>,
        /// Who overwrote it, in the causal past of the reader.
        newer: Id,
    },
    /// No single order of the writes explains all reads.
    NoOrder,
}

/// Decides whether a history satisfies `cc` or `ccv`. Other models are checked as `ccv`.
pub fn check(history: &History, model: Model) -> Result<(), Violation> {
    let resolved = Resolved::new(history)?;
    let mut order: Vec<(usize, usize)> = Vec::new();
    for read in &resolved.reads {
        for (session, places) in &resolved.writers[read.key as usize] {
            let known = resolved.past(read.reader, *session);
            let Some(last) = places.partition_point(|&place| place < known).checked_sub(1) else { continue };
            let newer = resolved.number(*session, places[last]);
            if Some(newer) == read.source || newer == read.reader {
                continue;
            }
            let stale = read.source.is_none_or(|source| resolved.before(source, newer));
            if stale {
                let id = |number: usize| resolved.ids[number];
                let (reader, source) = (id(read.reader), read.source.map(id));
                return Err(Violation::StaleRead { reader, key: read.key, source, newer: id(newer) });
            }
            // Both are known to the reader, which takes the other one: that one must count as newer.
            if let Some(source) = read.source.filter(|&source| model != Model::Cc && !resolved.before(newer, source)) {
                order.push((newer, source));
            }
        }
    }
    if model == Model::Cc {
        return Ok(());
    }
    let sessions = (1..resolved.ids.len()).filter(|&at| resolved.ids[at].place > 0).map(|at| (at - 1, at));
    order.extend(sessions);
    order.extend(resolved.reads.iter().filter_map(|read| Some((read.source?, read.reader))));
    topological(resolved.ids.len(), &order).map(drop).ok_or(Violation::NoOrder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::parse_plume;
    use steadfast_span::SourceFile;

    fn verdicts(text: &str) -> [bool; 2] {
        let history = parse_plume(&SourceFile::new("h", text)).unwrap();
        [Model::Cc, Model::Ccv].map(|model| check(&history, model).is_ok())
    }

    #[test]
    fn figure_1() {
        let a = "w(z,1,l,1)\nw(x,1,l,1)\nw(y,1,l,2)\nw(x,2,r,3)\nr(z,0,r,3)\nr(y,1,r,4)\nr(x,2,r,4)\n";
        let b = "w(x,1,l,1)\nr(x,2,l,2)\nw(x,2,r,3)\nr(x,1,r,4)\n";
        let c = "w(x,1,l,1)\nw(y,1,l,1)\nw(x,2,r,2)\nr(x,2,r,3)\nr(y,1,r,3)\nr(x,1,r,4)\n";
        assert_eq!([a, b, c].map(verdicts), [[true, true], [true, false], [true, false]]);
    }

    #[test]
    fn causality_is_respected() {
        assert_eq!(verdicts("w(x,1,a,1)\nw(x,2,a,2)\nr(x,1,b,3)\n"), [true; 2]);
        assert_eq!(verdicts("w(x,1,a,1)\nw(x,2,a,2)\nr(x,2,b,3)\nr(x,1,b,4)\n"), [false; 2]);
        assert_eq!(verdicts("w(x,1,a,1)\nr(x,1,b,3)\nr(x,0,b,4)\n"), [false; 2]);
        assert_eq!(verdicts("r(x,7,a,1)\n"), [false; 2]);
    }
}
