//! What is drawn: boxes in columns, and arrows between them. Nothing here knows where anything is; that is the layout's concern.

/// A picture of an execution: a column per thread or session, time goes down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The titles of the columns, from left to right.
    pub columns: Vec<String>,
    /// The boxes, in the order in which they happen.
    pub nodes: Vec<Node>,
    /// The arrows.
    pub edges: Vec<Edge>,
    /// What the picture shows, in a sentence, for those who cannot see it.
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
    /// The first line, in bold.
    pub title: String,
    /// The first line in the ending of [`Ending::Strong`], if it differs.
    pub strong_title: Option<String>,
    /// Further lines.
    pub details: Vec<String>,
    /// From which step on it is there; 0 is the start.
    pub step: usize,
    /// Whether it is on the cycle.
    pub on_cycle: bool,
    /// What it has to do with the violation.
    pub part: Part,
}

/// What a box has to do with the violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Nothing in particular.
    #[default]
    Ordinary,
    /// It is the step that goes wrong.
    Offending,
    /// It is the write that is taken although it is overwritten.
    Stale,
    /// It is the write that should have been respected.
    Newest,
}

/// An arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the box where it starts.
    pub from: usize,
    /// The number of the box where it ends.
    pub to: usize,
    /// How it is drawn.
    pub kind: EdgeKind,
    /// What is written at it.
    pub label: String,
    /// Whether it is on the cycle.
    pub on_cycle: bool,
    /// In which ending it exists.
    pub ending: Ending,
}

/// The kinds of arrows. Each has a stroke of its own, so that they can be told apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Then, in the same thread.
    Order,
    /// Is read by.
    Reads,
    /// Is read by, and everything before is known there.
    Synchronises,
    /// Is overwritten by.
    Overwrites,
    /// Reads what is overwritten by.
    ReadsBefore,
    /// Is not ordered with.
    Races,
    /// Comes before, in the run, for reasons that are not shown.
    Before,
}

impl EdgeKind {
    /// Every kind, in the order of the legend.
    pub const ALL: [Self; 7] =
        [Self::Order, Self::Reads, Self::Synchronises, Self::Overwrites, Self::ReadsBefore, Self::Races, Self::Before];

    /// The class of its elements.
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

    /// What is written at it, if there is nothing better.
    pub fn name(self) -> &'static str {
        if self == Self::Synchronises { "rf+sw" } else { self.class() }
    }

    /// What it means.
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

/// Which of two endings a part of the picture belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Both.
    #[default]
    Both,
    /// What sequential consistency would do.
    Strong,
    /// What the weak model allows.
    Weak,
}
