//! Races on plain locations as in PLDI'19 §6: a state is racy if two threads can both access a plain location next
//! and one of them writes. Each thread announces its next plain access. RC20 finds races with its views instead.

use crate::text::Text;
use crate::{PromelaOptions, Supported};
use steadfast_ir::{LocId, LocKind, Program};
use steadfast_span::IndexVec;

/// The announcements of plain accesses: 0 for none, otherwise `1 + 2 * location + (1 if it writes)`.
pub(crate) struct Pending {
    /// The number of each plain location. Those of an array are consecutive.
    numbers: Option<IndexVec<LocId, usize>>,
    threads: usize,
    locations: usize,
}

impl Pending {
    /// Announcements are needed if there are plain locations, except under RC20.
    pub(crate) fn of(program: &Program, options: PromelaOptions) -> Self {
        let is_plain = |kind: LocKind| kind == LocKind::Plain;
        let locations = program.locations.iter().filter(|loc| is_plain(loc.kind)).count();
        let needed = locations > 0 && options.model != Supported::Rc20;
        let mut next = 0;
        let number = |kind: LocKind| {
            let number = next;
            next += usize::from(is_plain(kind));
            number
        };
        let numbers = needed.then(|| program.locations.iter().map(|loc| loc.kind).map(number).collect());
        Self { numbers, threads: program.threads.len(), locations }
    }

    /// The statement with which a thread announces an access to the location `offset` after `base`.
    pub(crate) fn announce(&self, thread: usize, base: LocId, offset: Option<&str>, writes: bool) -> Option<String> {
        let first = 1 + 2 * self.numbers.as_ref()?[base] + usize::from(writes);
        let place = offset.map_or(String::new(), |offset| format!(" + 2 * {offset}"));
        Some(format!("about[{thread}] = {first}{place}"))
    }

    /// The statement with which a thread announces that its next access is not plain.
    pub(crate) fn withdraw(&self, thread: usize) -> Option<String> {
        self.numbers.as_ref().map(|_| format!("about[{thread}] = 0"))
    }

    /// The condition that another thread has announced an access that conflicts with the one of this thread.
    pub(crate) fn races(&self, thread: usize, writes: bool) -> Option<String> {
        self.numbers.as_ref()?;
        let conflict = |other: usize| {
            if writes {
                format!("about[{other}] == about[{thread}] || about[{other}] == about[{thread}] - 1")
            } else {
                format!("about[{other}] == about[{thread}] + 1")
            }
        };
        let conflicts: Vec<String> = (0..self.threads).filter(|&other| other != thread).map(conflict).collect();
        if conflicts.is_empty() { None } else { Some(format!("({})", conflicts.join(" || "))) }
    }

    /// Declares the announcements.
    pub(crate) fn declare(&self, text: &mut Text) {
        if self.numbers.is_none() {
            return;
        }
        let kind = if self.locations < 127 { "byte" } else { "int" };
        text.line("");
        text.line("/* the plain access that a thread is about to make: 0, or 1 + 2 * location, plus 1 if it writes */");
        text.line(format!("{kind} about[{}];", self.threads));
    }
}
