//! A growing order on chains: events of sessions, with reasons why some come before others.
//!
//! The events of a chain are ordered anyway, so what comes before an event is a prefix of every chain, and a vector of lengths describes it.

use super::clocks::Clocks;
use super::violation::Reason;
use steadfast_explore::{Bound, Budget};

/// One event comes before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) why: Reason,
}

/// Events in chains, with an order that is still being found out.
pub(super) struct Order {
    /// The chain of each event, and its place there.
    places: Vec<(u32, u32)>,
    chains: usize,
    arcs: Vec<Arc>,
}

/// Why there are no clocks.
pub(super) enum Unordered {
    /// These arcs form a cycle, together with the chains.
    Cycle(Vec<Arc>),
    /// A bound was hit.
    Bound(Bound),
}

impl Order {
    /// Events of which neighbours in the same chain follow each other.
    pub(super) fn new(places: Vec<(u32, u32)>, chains: usize) -> Self {
        Self { places, chains, arcs: Vec::new() }
    }

    /// Adds a reason.
    pub(super) fn add(&mut self, from: usize, to: usize, why: Reason) {
        self.arcs.push(Arc { from: from as u32, to: to as u32, why });
    }

    pub(super) fn places(&self) -> &[(u32, u32)] {
        &self.places
    }

    /// Whether the event has one before it in its chain.
    fn follows(&self, event: usize) -> bool {
        self.places[event].1 > 0
    }

    /// What comes before every event.
    pub(super) fn clocks(&self, budget: &Budget<'_>) -> Result<Clocks, Unordered> {
        let outgoing = Outgoing::new(self.places.len(), &self.arcs);
        let mut waiting = self.degrees();
        let mut ready: Vec<usize> = (0..self.places.len()).filter(|&event| waiting[event] == 0).collect();
        let mut clocks = Clocks::new(&self.places, self.chains, budget).map_err(Unordered::Bound)?;
        let mut next = 0;
        while let Some(&event) = ready.get(next) {
            next += 1;
            let in_chain = Some(event + 1).filter(|&after| after < self.places.len() && self.follows(after));
            for to in outgoing.of(event).map(|arc| arc.to as usize).chain(in_chain) {
                clocks.pass(event, to);
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    ready.push(to);
                }
            }
        }
        if ready.len() == self.places.len() {
            return Ok(clocks);
        }
        Err(Unordered::Cycle(self.cycle(&waiting, &outgoing)))
    }

    fn degrees(&self) -> Vec<u32> {
        let mut degrees: Vec<u32> = (0..self.places.len()).map(|event| u32::from(self.follows(event))).collect();
        self.arcs.iter().for_each(|arc| degrees[arc.to as usize] += 1);
        degrees
    }

    /// A shortest cycle through some event that waits for ever.
    fn cycle(&self, waiting: &[u32], outgoing: &Outgoing<'_>) -> Vec<Arc> {
        let Some(start) = self.on_a_cycle(waiting) else { return Vec::new() };
        let mut before: Vec<Option<Arc>> = vec![None; self.places.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(event) = queue.pop_front() {
            let in_chain = Some(event + 1).filter(|&after| after < self.places.len() && self.follows(after));
            let chain = in_chain.map(|to| Arc { from: event as u32, to: to as u32, why: Reason::Session });
            for arc in outgoing.of(event).copied().chain(chain) {
                let to = arc.to as usize;
                if waiting[to] == 0 || before[to].is_some() {
                    continue;
                }
                before[to] = Some(arc);
                if to == start {
                    return unwound(&before, start);
                }
                queue.push_back(to);
            }
        }
        Vec::new()
    }

    /// Everything that waits for ever waits for something that does: going back leads into a cycle.
    fn on_a_cycle(&self, waiting: &[u32]) -> Option<usize> {
        let mut earlier: Vec<Option<u32>> = vec![None; self.places.len()];
        for arc in self.arcs.iter().filter(|arc| waiting[arc.from as usize] > 0) {
            earlier[arc.to as usize] = Some(arc.from);
        }
        for event in (1..self.places.len()).filter(|&event| self.follows(event) && waiting[event - 1] > 0) {
            earlier[event].get_or_insert(event as u32 - 1);
        }
        let mut seen = vec![false; self.places.len()];
        let mut at = waiting.iter().position(|&count| count > 0)?;
        while !std::mem::replace(&mut seen[at], true) {
            at = earlier[at]? as usize;
        }
        Some(at)
    }
}

/// The arcs that lead to the start, from the start on.
fn unwound(before: &[Option<Arc>], start: usize) -> Vec<Arc> {
    let (mut arcs, mut at) = (Vec::new(), start);
    while let Some(arc) = before[at] {
        arcs.push(arc);
        at = arc.from as usize;
        if at == start {
            break;
        }
    }
    arcs.reverse();
    arcs
}

/// Arcs sorted by where they begin.
struct Outgoing<'a> {
    arcs: &'a [Arc],
    sorted: Vec<u32>,
    starts: Vec<u32>,
}

impl<'a> Outgoing<'a> {
    fn new(count: usize, arcs: &'a [Arc]) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for arc in arcs {
            starts[arc.from as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0_u32; arcs.len()];
        for (number, arc) in arcs.iter().enumerate() {
            let slot = &mut next[arc.from as usize];
            sorted[*slot as usize] = number as u32;
            *slot += 1;
        }
        Self { arcs, sorted, starts }
    }

    fn of(&self, event: usize) -> impl Iterator<Item = &'a Arc> {
        let range = self.starts[event] as usize..self.starts[event + 1] as usize;
        self.sorted[range].iter().map(|&number| &self.arcs[number as usize])
    }
}
