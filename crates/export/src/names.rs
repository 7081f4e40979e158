//! Identifiers. Promela has neither names like `a[3]` nor our scopes. So every name is cleaned, gets a prefix for its kind (which also
//! distinguishes it from keywords and from the monitor's variables), and is made unique.

use std::collections::BTreeSet;
use steadfast_ir::{LocId, Program, RegId, ThreadId};
use steadfast_span::IndexVec;

/// The identifiers of one exported program.
pub(crate) struct Names {
    /// The variable of each location.
    pub(crate) locations: IndexVec<LocId, String>,
    /// The process of each thread.
    pub(crate) threads: IndexVec<ThreadId, String>,
    /// The variable of each register, which is local to its process.
    pub(crate) registers: IndexVec<ThreadId, IndexVec<RegId, String>>,
}

impl Names {
    /// Names everything in a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut global = Scope::default();
        let locations = program.locations.iter().map(|loc| global.name("m", &loc.name)).collect();
        let threads = program.threads.iter().map(|thread| global.name("t", &thread.name)).collect();
        let registers = program.threads.iter().map(|thread| {
            let mut local = Scope::default();
            thread.registers.iter().map(|reg| local.name("r", &reg.name)).collect()
        });
        Self { locations, threads, registers: registers.collect() }
    }
}

/// The names in use.
#[derive(Default)]
struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
    fn name(&mut self, prefix: &str, wanted: &str) -> String {
        let clean: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain = format!("{prefix}_{}", clean.trim_end_matches('_'));
        // Few cleaned names end in a double underscore and a number, so the loop ends soon.
        let mut candidate = plain.clone();
        let mut copies = 1;
        while !self.taken.insert(candidate.clone()) {
            copies += 1;
            candidate = format!("{plain}__{copies}");
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn names_are_clean_and_unique() {
        let mut scope = Scope::default();
        assert_eq!(scope.name("m", "a[3]"), "m_a_3");
        assert_eq!(scope.name("m", "a_3"), "m_a_3__2");
        assert_eq!(scope.name("m", "a.3"), "m_a_3__3");
    }
}
