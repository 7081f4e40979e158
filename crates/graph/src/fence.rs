//! SC fences in graphs: as they are, or encoded with a ghost location for the models that have none of their own.

use crate::{Event, EventId, EventKind, Execution, Order};
use steadfast_ir::LocId;
use steadfast_model::ScFences;
use steadfast_span::Index;

impl Execution {
    /// The location that stands for the order of SC fences, if the graph has one.
    pub fn ghost_location(&self) -> Option<LocId> {
        (0..self.location_count()).map(LocId::new).find(|&location| self.is_ghost(location))
    }

    /// Whether a location stands for the order of SC fences.
    pub fn is_ghost(&self, location: LocId) -> bool {
        self.mo(location).first().is_some_and(|&write| self.event(write).ghost)
    }

    /// Adds a fence as sequential consistency would, encoded as the model wants it: after all earlier SC fences. Adds the ghost
    /// location if that is needed. Returns the event that stands for the fence, if the model sees it at all.
    pub fn add_fence(&mut self, fences: ScFences, fence: Event) -> Option<EventId> {
        if fences == ScFences::Primitive || !fence.is_sc_fence() {
            return self.add_fence_after(fences, fence, EventId::new(0));
        }
        let ghost = self.ghost_location().unwrap_or_else(|| self.add_ghost_location());
        let last = self.last_write(ghost)?;
        self.add_fence_after(fences, fence, last)
    }

    /// Adds a fence; if it is an encoded SC fence, its update comes directly after `source`, an event of the ghost location.
    ///
    /// All events of the encoding come at once: its fences do not branch, and a fence at the end of a thread orders nothing.
    pub fn add_fence_after(&mut self, fences: ScFences, fence: Event, source: EventId) -> Option<EventId> {
        match (fences, fence.is_sc_fence()) {
            (ScFences::Primitive, _) | (ScFences::FencedUpdate, false) => Some(self.push(fence)),
            (ScFences::Update, false) => None,
            (ScFences::Update, true) => Some(self.add(self.ghost_update(fence, source), source)),
            (ScFences::FencedUpdate, true) => {
                self.push(Event { order: Order::ACQUIRE, ghost: true, ..fence });
                let update = self.add(self.ghost_update(fence, source), source);
                self.push(Event { order: Order::RELEASE, ghost: true, ..fence });
                Some(update)
            }
        }
    }

    fn ghost_update(&self, fence: Event, source: EventId) -> Event {
        let location = self.event(source).location;
        Event { kind: EventKind::Update, location, order: Order::ACQ_REL, ghost: true, ..fence }
    }
}
