//! The registers of a thread: variables and temporaries, which are reused when they are dead.
//!
//! Fewer registers mean fewer bytes in every state of an exploration. When the scope of a variable ends, the next
//! variable with the same name and range gets its register, so two inlined copies of a function share registers.

use std::collections::HashMap;
use std::rc::Rc;
use steadfast_ir::{RegId, RegSet, Register, ThreadBuilder};
use steadfast_span::Index;

/// The name of temporaries. A variable with this name is distinguished like any other duplicate.
const TEMPORARY: &str = "tmp";

/// Gives out registers.
#[derive(Debug, Default)]
pub(super) struct Registers {
    declared: Vec<Register>,
    /// By name, how many registers have it.
    taken: HashMap<Rc<str>, usize>,
    free: HashMap<(Rc<str>, u16), Vec<RegId>>,
    /// By modulus.
    free_temporaries: HashMap<u16, Vec<RegId>>,
    /// The temporaries of the statements that are being lowered, oldest first.
    temporaries: Vec<RegId>,
}

impl Registers {
    /// A register for a variable.
    pub(super) fn variable(&mut self, name: &Rc<str>, modulus: u16) -> RegId {
        if let Some(reg) = self.free.get_mut(&(name.clone(), modulus)).and_then(Vec::pop) {
            return reg;
        }
        self.fresh(name, modulus)
    }

    /// A register that no other variable had.
    pub(super) fn fresh(&mut self, name: &Rc<str>, modulus: u16) -> RegId {
        self.declare(name, modulus, false)
    }

    fn declare(&mut self, name: &Rc<str>, modulus: u16, temporary: bool) -> RegId {
        let name = self.unique(name);
        self.declared.push(Register { name, modulus, temporary });
        RegId::new(self.declared.len() - 1)
    }

    /// Frees the register of a variable.
    pub(super) fn release(&mut self, name: &Rc<str>, reg: RegId) {
        self.free.entry((name.clone(), self.modulus(reg))).or_default().push(reg);
    }

    /// A register until [`Registers::release_temporaries`].
    pub(super) fn temporary(&mut self, modulus: u16) -> RegId {
        let free = self.free_temporaries.get_mut(&modulus).and_then(Vec::pop);
        let reg = free.unwrap_or_else(|| self.declare(&TEMPORARY.into(), modulus, true));
        self.temporaries.push(reg);
        reg
    }

    /// A mark for [`Registers::release_temporaries`].
    pub(super) fn mark(&self) -> usize {
        self.temporaries.len()
    }

    /// Frees the temporaries that were made since the mark.
    pub(super) fn release_temporaries(&mut self, mark: usize) {
        while self.temporaries.len() > mark {
            let Some(reg) = self.temporaries.pop() else { return };
            self.free_temporaries.entry(self.modulus(reg)).or_default().push(reg);
        }
    }

    /// How many registers there are.
    pub(super) fn len(&self) -> usize {
        self.declared.len()
    }

    /// One more than the largest value that a register holds.
    pub(super) fn modulus(&self, reg: RegId) -> u16 {
        self.declared.get(reg.index()).map_or(256, |declared| declared.modulus)
    }

    /// Declares the registers that are used. Returns the final number of each; the number of an unused register has no meaning.
    pub(super) fn emit(self, used: &RegSet, builder: &mut ThreadBuilder) -> Vec<RegId> {
        let mut next = 0;
        let mut numbers = Vec::with_capacity(self.declared.len());
        for (at, register) in self.declared.into_iter().enumerate() {
            numbers.push(RegId::new(next));
            if used.contains(RegId::new(at)) {
                builder.declare(register);
                next += 1;
            }
        }
        numbers
    }

    /// The name, or the name with the first number that makes it unique.
    fn unique(&mut self, name: &Rc<str>) -> String {
        let mut candidate = name.to_string();
        loop {
            if !self.taken.contains_key(candidate.as_str()) {
                self.taken.insert(candidate.as_str().into(), 1);
                return candidate;
            }
            let times = self.taken.entry(name.clone()).or_insert(1);
            *times += 1;
            candidate = format!("{name}_{times}");
        }
    }
}
