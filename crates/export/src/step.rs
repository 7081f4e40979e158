//! What a thread can do at a place where steps end: its choices under SC, and the ways in which its next access is wrong.

use crate::Supported;
use crate::cells::CellId;
use crate::monitor::{Awaited, CellAccess, NextAction, Operation};
use crate::thread::{Target, ThreadWriter};
use steadfast_ir::{Expr, FenceOrder, Instr, LocId, Pc, Place, ReadOrder, RegId, RmwOrder, WriteOrder, dataflow};
use steadfast_span::Index;

/// A choice of a thread.
pub(crate) struct Choice {
    guards: Vec<String>,
    /// Its effects, which happen at once.
    pub(crate) effects: Vec<String>,
    /// Where the thread continues.
    pub(crate) next: Target,
}

impl Choice {
    /// The condition of the choice; nothing if it is always possible.
    pub(crate) fn guard(&self) -> Option<String> {
        (!self.guards.is_empty()).then(|| self.guards.join(" && "))
    }
}

/// A state in which the next access is wrong.
pub(crate) struct Failure {
    pub(crate) condition: String,
    pub(crate) assertion: &'static str,
}

/// All choices and failures at a place.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) choices: Vec<Choice>,
    pub(crate) failures: Vec<Failure>,
}

impl Block {
    fn fails(&mut self, guard: &[String], condition: Option<String>, assertion: &'static str) {
        let Some(condition) = condition else { return };
        let condition = guard.iter().cloned().chain([condition]).collect::<Vec<_>>().join(" && ");
        self.failures.push(Failure { condition, assertion });
    }
}

/// A location that an access may go to, with the condition for that.
struct Candidate {
    loc: LocId,
    guard: Vec<String>,
}

impl ThreadWriter<'_, '_> {
    /// The block of a place.
    pub(crate) fn block(&mut self, pc: Pc) -> Block {
        let op = &self.thread.code[pc].op;
        let mut block = Block::default();
        block.fails(&[], self.expressions.divides_by_zero(&dataflow::expressions(op)), "defined");
        block.fails(&[], self.any_tainted(&dataflow::observed(op)), "robust");
        if let Some(place) = dataflow::place(op) {
            let next = self.target(Pc::new(pc.index() + 1));
            block.fails(&[], self.out_of_bounds(place), "defined");
            for candidate in self.candidates(place) {
                self.access(op, &candidate, next, &mut block);
            }
        } else if let Instr::Fence(FenceOrder::SeqCst) = op {
            let next = self.target(Pc::new(pc.index() + 1));
            block.choices.push(Choice { guards: Vec::new(), effects: self.sc_fence(), next });
        } else {
            // A local instruction that interrupts a loop: the step from there on only continues the loop.
            block.choices.push(Choice { guards: Vec::new(), effects: Vec::new(), next: Target::Local(pc) });
        }
        block
    }

    fn access(&mut self, op: &Instr, candidate: &Candidate, next: Target, block: &mut Block) {
        match op {
            Instr::Load { dst, order, .. } => self.load(candidate, *dst, *order, next, block),
            Instr::Store { value, order, .. } => self.store(candidate, value, *order, next, block),
            Instr::Unlock(_) => self.store(candidate, &Expr::Const(0), WriteOrder::Release, next, block),
            Instr::Rmw { dst, update, order, .. } => {
                self.overwrite(
                    candidate,
                    *dst,
                    update,
                    CellAccess::from_rmw(*order),
                    &NextAction::Overwrite,
                    next,
                    block,
                );
            }
            Instr::BlockingCas { expected, new, order, .. } => {
                self.blocking_cas(candidate, expected, new, *order, next, block);
            }
            Instr::Lock(_) => {
                self.blocking_cas(candidate, &Expr::Const(0), &Expr::Const(1), RmwOrder::Acquire, next, block);
            }
            Instr::Cas { .. } => self.cas(op, candidate, next, block),
            Instr::Wait { dst, values, order, .. } => self.wait(candidate, *dst, values, *order, next, block),
            Instr::PlainLoad { dst, .. } => self.plain_load(candidate, *dst, next, block),
            Instr::PlainStore { value, .. } => self.plain_store(candidate, value, next, block),
            _ => {}
        }
    }

    fn load(&mut self, candidate: &Candidate, dst: RegId, order: ReadOrder, next: Target, block: &mut Block) {
        let access = CellAccess::from_read(order);
        let violation = self.violation(candidate.loc, &NextAction::Read);
        if !self.is_observational() {
            block.fails(&candidate.guard, violation, "robust");
            let effects = self.perform(candidate.loc, access, None, Some(dst));
            block.choices.push(Choice { guards: candidate.guard.clone(), effects, next });
            return;
        }
        let mut clean = candidate.guard.clone();
        if let Some(violation) = violation {
            clean.push(format!("!{violation}"));
            let guards = candidate.guard.iter().cloned().chain([violation]).collect();
            block.choices.push(Choice { guards, effects: self.tainted_load(candidate.loc, dst), next });
        }
        let effects = self.perform(candidate.loc, access, None, Some(dst));
        block.choices.push(Choice { guards: clean, effects, next });
    }

    /// `TAINT-READ`: the register may be wrong from now on, awareness grows, and the views stay the same.
    fn tainted_load(&mut self, loc: LocId, dst: RegId) -> Vec<String> {
        let mut effects = Vec::new();
        if let Some(cell) = self.monitor.cells.atomic(loc) {
            effects.push(self.monitor.aware(CellAccess::Read { acquire: false }, cell, self.id.index()));
        }
        effects.push(self.receive(dst, &self.names.locations[loc], loc));
        effects.push(format!("{} = 1", self.taint(dst)));
        effects
    }

    fn store(&mut self, candidate: &Candidate, value: &Expr, order: WriteOrder, next: Target, block: &mut Block) {
        self.overwrite(candidate, None, value, CellAccess::from_write(order), &NextAction::Overwrite, next, block);
    }

    #[allow(clippy::too_many_arguments, reason = "these are the parts of an instruction")]
    fn overwrite(
        &mut self,
        candidate: &Candidate,
        dst: Option<RegId>,
        value: &Expr,
        access: CellAccess,
        step: &NextAction,
        next: Target,
        block: &mut Block,
    ) {
        block.fails(&candidate.guard, self.violation(candidate.loc, step), "robust");
        let effects = self.perform(candidate.loc, access, Some(value), dst);
        block.choices.push(Choice { guards: candidate.guard.clone(), effects, next });
    }

    fn blocking_cas(
        &mut self,
        candidate: &Candidate,
        expected: &Expr,
        new: &Expr,
        order: RmwOrder,
        next: Target,
        block: &mut Block,
    ) {
        let expected = self.awaited(candidate.loc, expected);
        let holds = format!("{} == {}", self.names.locations[candidate.loc], expected.text);
        block.fails(&candidate.guard, self.violation(candidate.loc, &NextAction::Replace(expected)), "robust");
        let effects = self.perform(candidate.loc, CellAccess::from_rmw(order), Some(new), None);
        block.choices.push(Choice { guards: with(&candidate.guard, holds), effects, next });
    }

    fn cas(&mut self, op: &Instr, candidate: &Candidate, next: Target, block: &mut Block) {
        let Instr::Cas { dst, expected, new, success, failure, spurious, .. } = op else { return };
        let expected = self.awaited(candidate.loc, expected);
        let variable = &self.names.locations[candidate.loc];
        let (holds, differs) = (format!("{variable} == {}", expected.text), format!("{variable} != {}", expected.text));
        if *spurious {
            block.fails(&candidate.guard, self.violation(candidate.loc, &NextAction::Read), "robust");
        } else {
            for step in [NextAction::Replace(expected.clone()), NextAction::ReadAllBut(expected)] {
                block.fails(&candidate.guard, self.violation(candidate.loc, &step), "robust");
            }
            let effects = self.perform(candidate.loc, CellAccess::from_rmw(*success), Some(new), *dst);
            block.choices.push(Choice { guards: with(&candidate.guard, holds), effects, next });
        }
        let guards = if *spurious { candidate.guard.clone() } else { with(&candidate.guard, differs) };
        let effects = self.perform(candidate.loc, CellAccess::from_read(*failure), None, *dst);
        block.choices.push(Choice { guards, effects, next });
    }

    fn wait(
        &mut self,
        candidate: &Candidate,
        dst: Option<RegId>,
        values: &[Expr],
        order: ReadOrder,
        next: Target,
        block: &mut Block,
    ) {
        let values: Vec<Awaited> = values.iter().map(|value| self.awaited(candidate.loc, value)).collect();
        let variable = &self.names.locations[candidate.loc];
        let holds: Vec<String> = values.iter().map(|value| format!("{variable} == {}", value.text)).collect();
        let holds = if holds.is_empty() { "false".into() } else { format!("({})", holds.join(" || ")) };
        let violation =
            if values.is_empty() { None } else { self.violation(candidate.loc, &NextAction::ReadOneOf(values)) };
        block.fails(&candidate.guard, violation, "robust");
        let effects = self.perform(candidate.loc, CellAccess::from_read(order), None, dst);
        block.choices.push(Choice { guards: with(&candidate.guard, holds), effects, next });
    }

    fn plain_load(&mut self, candidate: &Candidate, dst: RegId, next: Target, block: &mut Block) {
        block.fails(&candidate.guard, self.pending.races(self.id.index(), false), "race_free");
        let mut effects = Vec::new();
        if let Some(&copy) = self.monitor.cells.copies(candidate.loc).get(self.id.index()) {
            self.plain_copy_checked(candidate, copy, block);
            let thread = self.id.index();
            effects.extend(self.monitor.access(CellAccess::Read { acquire: false }, copy, thread));
            effects.extend(self.monitor.access(CellAccess::Write { release: false }, copy, thread));
        }
        effects.push(self.receive(dst, &self.names.locations[candidate.loc], candidate.loc));
        effects.extend(self.clean(dst));
        block.choices.push(Choice { guards: candidate.guard.clone(), effects, next });
    }

    fn plain_store(&mut self, candidate: &Candidate, value: &Expr, next: Target, block: &mut Block) {
        block.fails(&candidate.guard, self.pending.races(self.id.index(), true), "race_free");
        let mut effects = Vec::new();
        for copy in self.monitor.cells.copies(candidate.loc).to_vec() {
            self.plain_copy_checked(candidate, copy, block);
            effects.extend(self.monitor.access(CellAccess::Write { release: false }, copy, self.id.index()));
        }
        let modulus = self.program.locations[candidate.loc].modulus;
        let value = self.expressions.reduced(value, modulus);
        effects.push(format!("{} = {value}", self.names.locations[candidate.loc]));
        block.choices.push(Choice { guards: candidate.guard.clone(), effects, next });
    }

    fn plain_copy_checked(&self, candidate: &Candidate, copy: CellId, block: &mut Block) {
        block.fails(&candidate.guard, self.monitor.violation(self.id.index(), copy, &NextAction::Plain), "race_free");
    }

    /// An atomic access: its effects on memory, on the monitor and on its register.
    fn perform(&mut self, loc: LocId, access: CellAccess, new: Option<&Expr>, dst: Option<RegId>) -> Vec<String> {
        let variable = self.names.locations[loc].clone();
        let mut effects = vec![format!("{} = {variable}", crate::expr::OLD)];
        if let Some(new) = new {
            effects
                .push(format!("{variable} = {}", self.expressions.reduced(new, self.program.locations[loc].modulus)));
        }
        if let Some(cell) = self.monitor.cells.atomic(loc) {
            let access = if self.options.model == Supported::Rc20 { access } else { access.strengthened() };
            effects.extend(self.monitor.access(access, cell, self.id.index()));
        }
        if let Some(dst) = dst {
            effects.push(self.receive(dst, crate::expr::OLD, loc));
            effects.extend(self.clean(dst));
        }
        effects
    }

    fn receive(&self, dst: RegId, value: &str, loc: LocId) -> String {
        let (below, modulus) = (self.program.locations[loc].modulus, self.thread.registers[dst].modulus);
        format!("{} = {}", self.register(dst), self.expressions.received(value, below, modulus))
    }

    fn clean(&self, dst: RegId) -> Option<String> {
        self.is_observational().then(|| format!("{} = 0", self.taint(dst)))
    }

    /// An SC fence is `fence(acq); FADD(f, 0, acqrel); fence(rel)` for an otherwise unused location `f`.
    fn sc_fence(&mut self) -> Vec<String> {
        if !self.monitor.cells.has_fence_row {
            return Vec::new();
        }
        let operations: &[Operation] = match self.options.model {
            Supported::Rc20 => &[Operation::FenceAcquire, Operation::FenceAccess, Operation::FenceRelease],
            _ => &[Operation::FenceAccess],
        };
        operations.iter().map(|&operation| self.monitor.call(operation, self.id.index())).collect()
    }

    fn violation(&self, loc: LocId, step: &NextAction) -> Option<String> {
        self.monitor.cells.atomic(loc).and_then(|cell| self.monitor.violation(self.id.index(), cell, step))
    }

    fn awaited(&self, loc: LocId, value: &Expr) -> Awaited {
        let modulus = self.program.locations[loc].modulus;
        Awaited { text: self.expressions.reduced(value, modulus), constant: self.expressions.constant(value, modulus) }
    }

    fn candidates(&self, place: &Place) -> Vec<Candidate> {
        match place {
            Place::Fixed(loc) => vec![Candidate { loc: *loc, guard: Vec::new() }],
            Place::Element { base, len, index } => {
                let index = self.expressions.text(index);
                let cell = |offset: u32| {
                    let loc = LocId::new(base.index() + offset as usize);
                    Candidate { loc, guard: vec![format!("{index} == {offset}")] }
                };
                (0..*len).map(cell).collect()
            }
        }
    }

    fn out_of_bounds(&self, place: &Place) -> Option<String> {
        let Place::Element { len, index, .. } = place else { return None };
        let index = self.expressions.text(index);
        Some(format!("({index} < 0 || {index} >= {len})"))
    }
}

impl CellAccess {
    fn from_read(order: ReadOrder) -> Self {
        Self::Read { acquire: order.is_acquire() }
    }

    fn from_write(order: WriteOrder) -> Self {
        Self::Write { release: order.is_release() }
    }

    fn from_rmw(order: RmwOrder) -> Self {
        Self::Rmw { acquire: order.read().is_acquire(), release: order.write().is_release() }
    }

    /// The same access under RA.
    fn strengthened(self) -> Self {
        match self {
            Self::Read { .. } => Self::Read { acquire: true },
            Self::Write { .. } => Self::Write { release: true },
            Self::Rmw { .. } => Self::Rmw { acquire: true, release: true },
        }
    }
}

fn with(guards: &[String], guard: String) -> Vec<String> {
    guards.iter().cloned().chain([guard]).collect()
}
