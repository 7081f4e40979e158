//! Boxes in columns, and arrows between them. Their places are not part of a picture; the layout computes them.

/// A picture of an execution: a column per thread or session, time goes down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The titles of the columns, from left to right.
    pub columns: Vec<String>,
    /// The boxes, in the order of the run.
    pub nodes: Vec<Node>,
    /// The arrows.
    pub edges: Vec<Edge>,
    /// One sentence that describes the picture, for screen readers.
    pub summary: String,
}

impl Picture {
    /// Leaves out the columns in which nothing happens.
    pub fn drop_empty_columns(&mut self) {
        for column in (0..self.columns.len()).rev() {
            if self.nodes.iter().all(|node| node.column != column) {
                self.columns.remove(column);
                self.nodes.iter_mut().filter(|node| node.column > column).for_each(|node| node.column -= 1);
            }
        }
    }
}

/// A box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its column.
    pub column: usize,
    /// The first line in the ending [`Ending::Strong`], if it differs.
    pub title: String,
    /// The first line in the ending of [`Ending::Strong`], if it differs.
    pub strong_title: Option<String>,
    /// Further lines.
    pub details: Vec<String>,
    /// The step at which it appears; 0 is the start.
    pub step: usize,
    /// Whether it is on the cycle.
    pub on_cycle: bool,
    /// Its part in the violation.
    pub part: Part,
}

/// The part of a box in a violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// None.
    #[default]
    Ordinary,
    /// The step that goes wrong.
    Offending,
    /// The stale write that it reads or overtakes.
    Stale,
    /// The newest write, which it should have respected.
    Newest,
}

/// An arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the box at its start.
    pub from: usize,
    /// The number of the box at its end.
    pub to: usize,
    /// Its kind.
    pub kind: EdgeKind,
    /// Its label.
    pub label: String,
    /// Whether it is on the cycle.
    pub on_cycle: bool,
    /// The ending in which it exists.
    pub ending: Ending,
}

/// The kinds of arrows. Each has its own stroke, so that they can be distinguished without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Program order.
    Order,
    /// Reads-from.
    Reads,
    /// Reads-from with synchronisation.
    Synchronises,
    /// Modification order.
    Overwrites,
    /// From-read.
    ReadsBefore,
    /// A race: happens-before does not order the two.
    Races,
    /// Comes earlier in the run, by accesses that are not shown.
    Before,
}

impl EdgeKind {
    /// Every kind, in the order of the legend.
    pub const ALL: [Self; 7] =
        [Self::Order, Self::Reads, Self::Synchronises, Self::Overwrites, Self::ReadsBefore, Self::Races, Self::Before];

    /// Its CSS class.
    pub fn class(self) -> &'static str {
        match self {
            Self::Order => "po",
            Self::Reads => "rf",
            Self::Synchronises => "sw",
            Self::Overwrites => "mo",
            Self::ReadsBefore => "fr",
            Self::Races => "race",
            Self::Before => "before",
        }
    }

    /// Its usual label.
    pub fn name(self) -> &'static str {
        if self == Self::Synchronises { "rf+sw" } else { self.class() }
    }

    /// Its meaning in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Order => "then, in the same thread or session",
            Self::Reads => "is read by",
            Self::Synchronises => "is read by, and synchronises with",
            Self::Overwrites => "is overwritten by",
            Self::ReadsBefore => "reads what is overwritten by",
            Self::Races => "nothing orders the two",
            Self::Before => "comes first when threads take turns",
        }
    }
}

/// The ending of the run that a part of a picture belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Both.
    #[default]
    Both,
    /// The ending under sequential consistency.
    Strong,
    /// The ending under the weak model.
    Weak,
}
