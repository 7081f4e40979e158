//! Running local instructions and fences from one access to the next.
//!
//! One walk serves three questions: where does a step lead; which fences does it pass; what becomes of tainted registers. What differs is the luggage that is
//! carried along.

use super::{Automaton, Effect, Failure, FailureKind, LocalState};
use crate::event::{EventKind, Fences, Transition};
use rustc_hash::FxHashSet;
use std::hash::Hash;
use steadfast_ir::{Expr, FenceOrder, Instr, Pc, RegId, RegSet, Value, dataflow};
use steadfast_span::Index;

/// How many positions a walk may pass. Nobody can end it early, so it has to end soon.
const MOST_STEPS: usize = 1 << 18;

/// What running local instructions from somewhere leads to.
#[derive(Default)]
pub(super) struct Landing {
    /// Accesses that are reached, with the fences on the way.
    pub(super) states: Vec<(LocalState, Fences)>,
    pub(super) failures: Vec<Failure>,
    /// Where a way leaves the bounds within which the program is represented.
    pub(super) beyond: Vec<Pc>,
}

/// What following a transition with tainted registers leads to.
#[derive(Debug)]
pub(crate) enum Stray {
    /// Some instruction on the way observes a tainted register.
    Noticed,
    /// The tainted registers that are live when the next local state is reached, once per way there.
    Landed(Vec<RegSet>),
}

/// Something that is carried along a walk.
trait Luggage: Clone {
    /// What of it matters: two walks that meet with the same are one.
    type Mark: Eq + Hash;
    /// What of it matters now.
    fn mark(&self) -> Self::Mark;
    /// Passes a local instruction or fence. False: the walk ends here.
    fn pass(&mut self, pc: Pc, op: &Instr) -> bool;
    /// Arrives at a position where only these registers are live.
    fn arrive(&mut self, _live: &RegSet) {}
}

impl Luggage for () {
    type Mark = ();
    fn mark(&self) {}
    fn pass(&mut self, _: Pc, _: &Instr) -> bool {
        true
    }
}

/// The fences that were passed. Of several ways to the same place any will do, and a loop with a fence in it has ways without end.
impl Luggage for Vec<(Pc, FenceOrder)> {
    type Mark = ();
    fn mark(&self) {}
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

impl Luggage for Tainted {
    type Mark = Self;
    fn mark(&self) -> Self {
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
    /// At an access.
    Access(&'a LocalState, Fences),
    /// At an instruction that fails.
    Failure(Failure),
    /// At the bounds of the representation.
    Beyond(Pc),
    /// Where the luggage did not let it pass.
    Stopped,
}

impl Automaton<'_> {
    /// Where a thread is when it starts.
    pub(super) fn land_from_start(&self) -> Landing {
        self.landing(Pc::new(0), vec![0; self.thread.registers.len()])
    }

    /// Carries out an access and the local instructions behind it.
    pub(super) fn land(&self, state: &LocalState, old: Value, effect: &Effect) -> Landing {
        let registers = self.after_access(state, old, effect.received).0;
        self.landing(Pc::new(state.pc.index() + 1), registers)
    }

    fn landing(&self, pc: Pc, registers: Vec<Value>) -> Landing {
        let mut landing = Landing::default();
        self.walk(pc, registers, (), &mut |end, ()| match end {
            End::Access(state, fences) => landing.states.push((state.clone(), fences)),
            End::Failure(failure) => landing.failures.push(failure),
            End::Beyond(pc) => landing.beyond.push(pc),
            End::Stopped => {}
        });
        if landing.states.is_empty() && landing.failures.is_empty() && landing.beyond.is_empty() {
            landing.states.push((self.halted(), Fences::None));
        }
        landing
    }

    /// Follows a transition with tainted registers; `wrong` if the value that it reads is not to be trusted.
    pub(crate) fn stray(&self, transition: &Transition, mut taint: RegSet, wrong: bool) -> Stray {
        let state = self.state(transition.source);
        let (registers, dst) = self.after_access(&state, transition.old, receives(transition));
        if let Some(dst) = dst {
            if wrong { taint.insert(dst) } else { taint.remove(dst) }
        }
        let goal = self.state(transition.next);
        let (mut landed, mut noticed, mut beyond) = (Vec::new(), false, Vec::new());
        self.walk(Pc::new(state.pc.index() + 1), registers, Tainted(taint.iter().collect()), &mut |end, tainted| {
            match end {
                End::Access(state, fences) if *state == goal && fences == transition.fences => {
                    landed.push(tainted.0.iter().copied().collect());
                }
                End::Stopped => noticed = true,
                // A walk with luggage can be longer than the one without.
                End::Beyond(pc) => beyond.push(pc),
                End::Access(..) | End::Failure(_) => {}
            }
        });
        self.note_beyond(&beyond);
        if noticed {
            return Stray::Noticed;
        }
        if landed.is_empty() {
            // Only a loop without any access leads on: the thread counts as halted.
            landed.push(RegSet::new());
        }
        Stray::Landed(landed)
    }

    /// The fences that a transition passes on its way to the next access, where they stand in the code.
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

    /// Runs local instructions and fences along all ways until the next accesses. A walk in a circle goes on nowhere.
    fn walk<L: Luggage>(&self, pc: Pc, registers: Vec<Value>, luggage: L, end: &mut dyn FnMut(End<'_>, &L)) {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(pc, registers, Fences::None, luggage)];
        while let Some((pc, mut registers, fences, mut luggage)) = stack.pop() {
            self.clear_dead(pc, &mut registers);
            luggage.arrive(&self.live[pc]);
            if !seen.insert((pc, registers.clone(), fences, luggage.mark())) {
                continue;
            }
            if seen.len() > MOST_STEPS {
                return end(End::Beyond(pc), &luggage);
            }
            let op = &self.thread.code[pc].op;
            let fused = match op {
                Instr::Fence(order) => self.fuse(fences, *order),
                _ => None,
            };
            if fused.is_none() && dataflow::is_visible(op) {
                end(End::Access(&LocalState { pc, registers: registers.into() }, fences), &luggage);
                continue;
            }
            if !luggage.pass(pc, op) {
                end(End::Stopped, &luggage);
                continue;
            }
            if let Instr::Bound { within, .. } = op
                && within.eval(&registers, 0) == Ok(0)
            {
                end(End::Beyond(pc), &luggage);
                continue;
            }
            if let Some(fences) = fused {
                stack.push((Pc::new(pc.index() + 1), registers, fences, luggage));
                continue;
            }
            match self.local_step(pc, op, &registers) {
                Ok(next) => {
                    let next = next.into_iter().rev();
                    stack.extend(next.map(|(pc, registers)| (pc, registers, fences, luggage.clone())));
                }
                Err(kind) => end(End::Failure(Failure { pc, kind }), &luggage),
            }
        }
    }

    /// The fence sequence after one more fence, or nothing if that fence is a step of its own.
    fn fuse(&self, fences: Fences, order: FenceOrder) -> Option<Fences> {
        match order {
            FenceOrder::SeqCst if self.reading.ghost.is_some() => None,
            // Every access acquires or releases already.
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
        if let Some((shift, thread)) = self.shift {
            if shift.is_guard(thread, pc) {
                return Ok(vec![(next, registers.to_vec())]);
            }
            if let Instr::Branch { cond, .. } | Instr::Assume(cond) | Instr::Assert(cond) = op {
                self.require(shift.is_certain(thread, cond, registers));
            }
        }
        let holds = |cond: &Expr| cond.eval(registers, 0).map(|value| value != 0).map_err(FailureKind::Evaluation);
        Ok(match op {
            Instr::Assign { dst, value } => {
                let mut registers = registers.to_vec();
                let result = value.eval(&registers, 0).map_err(FailureKind::Evaluation)?;
                if let Some((shift, thread)) = self.shift.filter(|(shift, thread)| shift.is_index(*thread, *dst)) {
                    self.require(shift.is_copy(thread, pc) || shift.is_exact(value, &registers, 0));
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
