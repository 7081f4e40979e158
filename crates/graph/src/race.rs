//! Races on plain locations (POPL'21, Definition 6.1).

use crate::{Axioms, EventId, Execution};
use steadfast_model::Model;

impl Execution {
    /// The first two conflicting accesses, at least one of them plain, that the model's happens-before leaves unordered.
    pub fn race(&self, model: Model) -> Option<(EventId, EventId)> {
        if !self.events().any(|(_, event)| event.kind.is_plain()) {
            return None;
        }
        let hb = model.happens_before(self);
        for (second, b) in self.events() {
            for (first, a) in self.events().take_while(|&(first, _)| first < second) {
                let conflict = a.same_location(b) && (a.kind.writes() || b.kind.writes());
                let plain = a.kind.is_plain() || b.kind.is_plain();
                if conflict && plain && !hb.contains(first, second) && !hb.contains(second, first) {
                    return Some((first, second));
                }
            }
        }
        None
    }
}
