//! The base relations of a graph: po, rf, mo and the derived fr.

use crate::{EventId, Execution, GhostEdges, Relation};
use steadfast_ir::LocId;
use steadfast_span::Index;

/// The name of a base relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Program order; initial writes come before everything else.
    Po,
    /// Reads-from.
    Rf,
    /// Modification order.
    Mo,
    /// From-read: the read came before a write that overwrites what it read.
    Fr,
    /// A path of the others through events that are not in the graph, of which only a part is known.
    Before,
}

impl EdgeKind {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Po => "po",
            Self::Rf => "rf",
            Self::Mo => "mo",
            Self::Fr => "fr",
            Self::Before => "before",
        }
    }
}

/// The base relations as bit matrices.
#[derive(Clone, Debug)]
pub struct Base {
    /// Program order, transitive.
    pub po: Relation,
    /// Reads-from.
    pub rf: Relation,
    /// Modification order, transitive.
    pub mo: Relation,
    /// `rf⁻¹ ; mo`, without the identity.
    pub fr: Relation,
    /// What is connected through events that are not in the graph.
    pub before: Relation,
}

impl Base {
    /// The base relations of a graph.
    pub fn of(graph: &Execution) -> Self {
        let size = graph.len();
        let mut base = Self {
            po: program_order(graph),
            rf: Relation::empty(size),
            mo: Relation::empty(size),
            fr: Relation::empty(size),
            before: Relation::empty(size),
        };
        graph.before().iter().for_each(|&(from, to)| base.before.insert(from, to));
        for location in (0..graph.location_count()).map(LocId::new) {
            insert_total_order(&mut base.mo, graph.mo(location));
        }
        for (read, _) in graph.events() {
            let Some(write) = graph.rf(read) else { continue };
            base.rf.insert(write, read);
            base.mo.successors(write).filter(|&later| later != read).for_each(|later| base.fr.insert(read, later));
        }
        base
    }

    /// The base relations, without the rf, mo and fr edges of ghost events unless they count.
    pub fn with_ghosts(graph: &Execution, ghosts: GhostEdges) -> Self {
        let mut base = Self::of(graph);
        if ghosts == GhostEdges::Ignored && graph.events().any(|(_, event)| event.ghost) {
            for relation in [&mut base.rf, &mut base.mo, &mut base.fr] {
                *relation = relation.filter(|from, _| !graph.event(from).ghost);
            }
        }
        base
    }

    /// po ∪ rf ∪ mo ∪ fr, whose closure is hbSC, with what is known to be in that closure.
    pub fn all(&self) -> Relation {
        self.po.union(&self.rf).union(&self.mo).union(&self.fr).union(&self.before)
    }

    /// rf ∪ mo ∪ fr, the communication edges.
    pub fn communication(&self) -> Relation {
        self.rf.union(&self.mo).union(&self.fr)
    }

    /// Which base relation relates the two, program order first.
    pub fn edge(&self, from: EventId, to: EventId) -> Option<EdgeKind> {
        let candidates = [
            (EdgeKind::Po, &self.po),
            (EdgeKind::Rf, &self.rf),
            (EdgeKind::Mo, &self.mo),
            (EdgeKind::Fr, &self.fr),
            (EdgeKind::Before, &self.before),
        ];
        candidates.into_iter().find(|(_, relation)| relation.contains(from, to)).map(|(kind, _)| kind)
    }
}

fn program_order(graph: &Execution) -> Relation {
    let mut po = Relation::empty(graph.len());
    let initial = graph.events().filter(|(_, event)| event.thread.is_none());
    for (from, _) in initial {
        graph.threads().iter().flatten().for_each(|&to| po.insert(from, to));
    }
    graph.threads().iter().for_each(|thread| insert_total_order(&mut po, thread));
    po
}

fn insert_total_order(relation: &mut Relation, events: &[EventId]) {
    for (at, &from) in events.iter().enumerate() {
        events[at + 1..].iter().for_each(|&to| relation.insert(from, to));
    }
}
