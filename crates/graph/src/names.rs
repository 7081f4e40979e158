//! What the things in a graph are called.

use steadfast_ir::{LocId, Program, ThreadId, Value};
use steadfast_span::Index;

/// Names for threads, locations and values.
pub trait Names {
    /// A thread.
    fn thread(&self, thread: ThreadId) -> String {
        format!("thread {}", thread.index())
    }

    /// A location.
    fn location(&self, location: LocId) -> String {
        format!("x{}", location.index())
    }

    /// A value.
    fn value(&self, value: Value) -> String {
        value.to_string()
    }

    /// Whether the write without a thread is the initial value of the location, and not just one of which nothing more is known.
    fn begins(&self, _location: LocId) -> bool {
        true
    }
}

/// For graphs that nobody has given names to.
pub(crate) struct Numbers;

impl Names for Numbers {}

impl Names for Program {
    fn thread(&self, thread: ThreadId) -> String {
        self.threads.get(thread).map_or_else(|| Numbers.thread(thread), |thread| thread.name.clone())
    }

    fn location(&self, location: LocId) -> String {
        self.locations.get(location).map_or_else(|| Numbers.location(location), |location| location.name.clone())
    }

    fn value(&self, value: Value) -> String {
        self.shown(value).to_string()
    }
}

/// The names in an execution that does not come from a program that we know. Its values are numbers of entries in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// The threads.
    pub threads: Vec<String>,
    /// The locations.
    pub locations: Vec<String>,
    /// The values, which may be larger than those of a graph.
    pub values: Vec<String>,
    /// Whether the writes without a thread are only what is left of writes of which nothing more is known.
    pub forgotten: bool,
}

impl Names for Legend {
    fn thread(&self, thread: ThreadId) -> String {
        self.threads.get(thread.index()).cloned().unwrap_or_else(|| Numbers.thread(thread))
    }

    fn location(&self, location: LocId) -> String {
        self.locations.get(location.index()).cloned().unwrap_or_else(|| Numbers.location(location))
    }

    fn value(&self, value: Value) -> String {
        self.values.get(usize::from(value)).cloned().unwrap_or_else(|| "?".to_owned())
    }

    fn begins(&self, _location: LocId) -> bool {
        !self.forgotten
    }
}
