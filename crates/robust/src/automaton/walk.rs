//! Runs local instructions and fences from one access to the next.
//!
//! One walk answers three questions: where a step leads, which fences it passes, and what happens to tainted registers. The questions differ in the data that the walk carries along.

use super::{Automaton, Effect, Failure, FailureKind, LocalState};
use crate::event::{EventKind, Fences, Transition};
use rustc_hash::FxHashSet;
use std::hash::Hash;
use steadfast_ir::{Expr, FenceOrder, Instr, Pc, RegId, RegSet, Value, dataflow};
use steadfast_span::Index;

/// How many positions a walk may pass. A walk cannot be interrupted, so it must be short.
const MOST_STEPS: usize = 1 << 18;

/// The result of running local instructions from some position.
#[derive(Default)]
pub(super) struct LocalRun {
    /// The accesses that are reached, with the fences before them.
    pub(super) states: Vec<(LocalState, Fences)>,
    pub(super) failures: Vec<Failure>,
    /// The positions where a run leaves the bounds of the representation.
    pub(super) beyond: Vec<Pc>,
}

/// The result of following a transition with tainted registers.
#[derive(Debug)]
pub(crate) enum TaintedStep {
    /// Some instruction on the way depends on a tainted register.
    Noticed,
    /// The live tainted registers in the next local state, once per way to it.
    Reached(Vec<RegSet>),
}

/// Data that a walk carries along.
trait Carried: Clone {
    /// The part that matters: two walks that meet with equal keys become one.
    type Key: Eq + Hash;
    /// The part that matters.
    fn key(&self) -> Self::Key;
    /// Passes a local instruction or fence. Returns false if the walk must end here.
    fn pass(&mut self, pc: Pc, op: &Instr) -> bool;
    /// Arrives at a position where only these registers are live.
    fn arrive(&mut self, _live: &RegSet) {}
}

impl Carried for () {
    type Key = ();
    fn key(&self) {}
    fn pass(&mut self, _: Pc, _: &Instr) -> bool {
        true
    }
}

/// The fences that were passed. One of several ways to the same place is enough, and a loop with a fence has infinitely many.
impl Carried for Vec<(Pc, FenceOrder)> {
    type Key = ();
    fn key(&self) {}
    fn pass(&mut self, pc: Pc, op: &Instr) -> bool {
        if let Instr::Fence(order) = op {
            self.push((pc, *order));
        }
        true
    }
}

/// The registers that may hold a wrong value.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Tainted(Vec<RegId>);

impl Carried for Tainted {
    type Key = Self;
    fn key(&self) -> Self {
        self.clone()
    }
    fn pass(&mut self, _: Pc, op: &Instr) -> bool {
        let tainted: RegSet = self.0.iter().copied().collect();
        if let Instr::Assign { dst, .. } = op {
            self.0.retain(|reg| reg != dst);
            if dataflow::used(op).intersects(&tainted) {
                self.0.push(*dst);
                self.0.sort_unstable();
            }
        }
        !dataflow::observed(op).intersects(&tainted)
    }
    fn arrive(&mut self, live: &RegSet) {
        self.0.retain(|&reg| live.contains(reg));
    }
}

/// How a walk ends.
enum End<'a> {
    /// It reaches an access.
    Access(&'a LocalState, Fences),
    /// An instruction fails.
    Failure(Failure),
    /// It leaves the bounds of the representation.
    Beyond(Pc),
    /// The carried data ends it.
    Stopped,
}

impl Automaton<'_> {
    /// Runs from the start of the thread to its first accesses.
    pub(super) fn run_from_start(&self) -> LocalRun {
        self.local_run(Pc::new(0), vec![0; self.thread.registers.len()])
    }

    /// Carries out an access and the local instructions behind it.
    pub(super) fn run_local(&self, state: &LocalState, old: Value, effect: &Effect) -> LocalRun {
        let registers = self.after_access(state, old, effect.received).0;
        self.local_run(Pc::new(state.pc.index() + 1), registers)
    }

    fn local_run(&self, pc: Pc, registers: Vec<Value>) -> LocalRun {
        let mut local_run = LocalRun::default();
        self.walk(pc, registers, (), &mut |end, ()| match end {
            End::Access(state, fences) => local_run.states.push((state.clone(), fences)),
            End::Failure(failure) => local_run.failures.push(failure),
            End::Beyond(pc) => local_run.beyond.push(pc),
            End::Stopped => {}
        });
        if local_run.states.is_empty() && local_run.failures.is_empty() && local_run.beyond.is_empty() {
            local_run.states.push((self.halted(), Fences::None));
        }
        local_run
    }

    /// Follows a transition with tainted registers. With `wrong`, the value that the transition reads may be wrong.
    pub(crate) fn follow_taint(&self, transition: &Transition, mut taint: RegSet, wrong: bool) -> TaintedStep {
        let state = self.state(transition.source);
        let (registers, dst) = self.after_access(&state, transition.old, receives(transition));
        if let Some(dst) = dst {
            if wrong { taint.insert(dst) } else { taint.remove(dst) }
        }
        let goal = self.state(transition.next);
        let (mut reached, mut noticed, mut beyond) = (Vec::new(), false, Vec::new());
        self.walk(Pc::new(state.pc.index() + 1), registers, Tainted(taint.iter().collect()), &mut |end, tainted| {
            match end {
                End::Access(state, fences) if *state == goal && fences == transition.fences => {
                    reached.push(tainted.0.iter().copied().collect());
                }
                End::Stopped => noticed = true,
                // With data to carry, a walk can be longer than without.
                End::Beyond(pc) => beyond.push(pc),
                End::Access(..) | End::Failure(_) => {}
            }
        });
        self.note_beyond(&beyond);
        if noticed {
            return TaintedStep::Noticed;
        }
        if reached.is_empty() {
            // From here only a loop without accesses continues: the thread counts as halted.
            reached.push(RegSet::new());
        }
        TaintedStep::Reached(reached)
    }

    /// The fences that a transition passes before the next access, with their positions.
    pub(crate) fn fences_of(&self, transition: &Transition) -> Vec<(Pc, FenceOrder)> {
        let state = self.state(transition.source);
        let registers = self.after_access(&state, transition.old, receives(transition)).0;
        let goal = self.state(transition.next);
        let mut passed = None;
        self.walk(Pc::new(state.pc.index() + 1), registers, Vec::new(), &mut |end, fences: &Vec<(Pc, FenceOrder)>| {
            if let End::Access(state, normal) = end
                && *state == goal
                && normal == transition.fences
                && passed.is_none()
            {
                passed = Some(fences.clone());
            }
        });
        passed.unwrap_or_default()
    }

    /// The registers after an access, and the register that received its value.
    fn after_access(&self, state: &LocalState, old: Value, received: bool) -> (Vec<Value>, Option<RegId>) {
        let mut registers = state.registers.to_vec();
        let dst = dataflow::defined(&self.thread.code[state.pc].op).filter(|_| received);
        if let Some(dst) = dst {
            registers[dst.index()] = self.program.receive(old, self.thread.registers[dst].modulus);
        }
        (registers, dst)
    }

    /// Runs local instructions and fences along all ways to the next accesses. A way that comes back to where it was ends.
    fn walk<L: Carried>(&self, pc: Pc, registers: Vec<Value>, carried: L, end: &mut dyn FnMut(End<'_>, &L)) {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(pc, registers, Fences::None, carried)];
        while let Some((pc, mut registers, fences, mut carried)) = stack.pop() {
            self.clear_dead(pc, &mut registers);
            carried.arrive(&self.live[pc]);
            if !seen.insert((pc, registers.clone(), fences, carried.key())) {
                continue;
            }
            if seen.len() > MOST_STEPS {
                return end(End::Beyond(pc), &carried);
            }
            let op = &self.thread.code[pc].op;
            let fused = match op {
                Instr::Fence(order) => self.fuse(fences, *order),
                _ => None,
            };
            if fused.is_none() && dataflow::is_visible(op) {
                end(End::Access(&LocalState { pc, registers: registers.into() }, fences), &carried);
                continue;
            }
            if !carried.pass(pc, op) {
                end(End::Stopped, &carried);
                continue;
            }
            if let Instr::Bound { within, .. } = op
                && within.eval(&registers, 0) == Ok(0)
            {
                end(End::Beyond(pc), &carried);
                continue;
            }
            if let Some(fences) = fused {
                stack.push((Pc::new(pc.index() + 1), registers, fences, carried));
                continue;
            }
            match self.local_step(pc, op, &registers) {
                Ok(next) => {
                    let next = next.into_iter().rev();
                    stack.extend(next.map(|(pc, registers)| (pc, registers, fences, carried.clone())));
                }
                Err(kind) => end(End::Failure(Failure { pc, kind }), &carried),
            }
        }
    }

    /// The sequence with one more fence, or nothing if that fence is a step of its own.
    fn fuse(&self, fences: Fences, order: FenceOrder) -> Option<Fences> {
        match order {
            FenceOrder::SeqCst if self.reading.ghost.is_some() => None,
            // Every access already acquires or releases.
            _ if self.reading.strengthen && order != FenceOrder::SeqCst => Some(fences),
            _ => Some(fences.then(order)),
        }
    }

    fn halted(&self) -> LocalState {
        let pc = Pc::new(self.thread.code.len() - 1);
        LocalState { pc, registers: vec![0; self.thread.registers.len()].into() }
    }

    fn clear_dead(&self, pc: Pc, registers: &mut [Value]) {
        for (position, value) in registers.iter_mut().enumerate() {
            if *value != 0 && !self.live[pc].contains(steadfast_ir::RegId::new(position)) {
                *value = 0;
            }
        }
    }

    fn local_step(&self, pc: Pc, op: &Instr, registers: &[Value]) -> Result<Vec<(Pc, Vec<Value>)>, FailureKind> {
        let next = Pc::new(pc.index() + 1);
        if let Some((translation, thread)) = self.translation {
            if translation.is_guard(thread, pc) {
                return Ok(vec![(next, registers.to_vec())]);
            }
            if let Instr::Branch { cond, .. } | Instr::Assume(cond) | Instr::Assert(cond) = op {
                self.require(translation.is_certain(thread, cond, registers));
            }
        }
        let holds = |cond: &Expr| cond.eval(registers, 0).map(|value| value != 0).map_err(FailureKind::Evaluation);
        Ok(match op {
            Instr::Assign { dst, value } => {
                let mut registers = registers.to_vec();
                let result = value.eval(&registers, 0).map_err(FailureKind::Evaluation)?;
                if let Some((translation, thread)) =
                    self.translation.filter(|(translation, thread)| translation.is_index(*thread, *dst))
                {
                    self.require(translation.is_copy(thread, pc) || translation.is_exact(value, &registers, 0));
                    self.least.fetch_min(result, std::sync::atomic::Ordering::Relaxed);
                }
                registers[dst.index()] = self.program.reduce(result, self.thread.registers[*dst].modulus);
                vec![(next, registers)]
            }
            Instr::Jump(target) => vec![(*target, registers.to_vec())],
            Instr::Branch { cond, then, otherwise } => {
                vec![(if holds(cond)? { *then } else { *otherwise }, registers.to_vec())]
            }
            Instr::Choose(targets) => targets.iter().map(|&target| (target, registers.to_vec())).collect(),
            Instr::Assume(cond) if !holds(cond)? => vec![(self.halted().pc, registers.to_vec())],
            Instr::Assert(cond) if !holds(cond)? => return Err(FailureKind::Assertion),
            _ => vec![(next, registers.to_vec())],
        })
    }
}

fn receives(transition: &Transition) -> bool {
    transition.event.reads() || transition.event.kind == EventKind::PlainRead
}
