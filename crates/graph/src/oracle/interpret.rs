//! One thread of a program, interpreted directly: a program counter, registers, and what each register depends on.
//!
//! Local instructions run on to the next visible one, so between two steps a thread always stands at a visible instruction, has
//! ended, or has failed.

use crate::oracle::Limit;
use crate::{Event, EventKind, Order};
use steadfast_ir::{
    EvalError, Expr, FenceOrder, Instr, Instruction, LocId, Pc, Place, Program, RegId, RegSet, ThreadId, Value,
    dataflow,
};
use steadfast_model::ScFences;
use steadfast_span::{Index, Span};

/// A set of events of one thread, by serial number.
pub(crate) type Serials = u128;

/// How many events a thread can have.
pub(crate) const MAX_SERIAL: u32 = Serials::BITS;

/// How many local steps a thread may take in a row before it counts as looping.
const LOCAL_STEPS: usize = 20_000;

/// An error of the program, found while it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// The thread that failed.
    pub thread: ThreadId,
    /// The instruction that failed.
    pub pc: Pc,
    /// Its source text.
    pub span: Span,
    /// What went wrong: an assertion if `None`, else an expression without a value.
    pub error: Option<EvalError>,
}

/// What a thread can do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// It stands at a visible instruction.
    Running,
    /// It halted, or an assumption did not hold.
    Ended,
    /// It failed.
    Failed(Failure),
}

/// The state of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local {
    pub(crate) pc: Pc,
    pub(crate) status: Status,
    registers: Vec<Value>,
    /// The reads that each register's value depends on.
    depends: Vec<Serials>,
    /// The reads that something noticeable depends on.
    pub(crate) observed: Serials,
}

/// One way in which an access can turn out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessOutcome {
    /// The event it leaves.
    pub(crate) event: Event,
    /// The register that receives the value read.
    pub(crate) receiver: Option<RegId>,
    /// What went wrong because of the value read.
    pub(crate) error: Option<EvalError>,
}

/// A thread of a program, as the oracle runs it.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'p> {
    program: &'p Program,
    thread: ThreadId,
    fences: ScFences,
}

impl<'p> Interpreter<'p> {
    pub(crate) fn new(program: &'p Program, thread: ThreadId, fences: ScFences) -> Self {
        Self { program, thread, fences }
    }

    /// The states from which the thread can start: several if it begins with a choice.
    pub(crate) fn start(self) -> Result<Vec<Local>, Limit> {
        let registers = self.program.threads[self.thread].registers.len();
        self.settle(Local {
            pc: Pc::new(0),
            status: Status::Running,
            registers: vec![0; registers],
            depends: vec![0; registers],
            observed: 0,
        })
    }

    fn instruction(self, pc: Pc) -> &'p Instruction {
        &self.program.threads[self.thread].code[pc]
    }

    /// The visible instruction that a running thread stands at.
    pub(crate) fn next(self, local: &Local) -> Option<&'p Instr> {
        (local.status == Status::Running).then(|| &self.instruction(local.pc).op)
    }

    /// Runs local instructions until the thread reaches a visible one, in every possible way.
    pub(crate) fn settle(self, start: Local) -> Result<Vec<Local>, Limit> {
        let mut settled = Vec::new();
        let mut pending = vec![start];
        let mut steps = 0;
        while let Some(local) = pending.pop() {
            steps += 1;
            if steps > LOCAL_STEPS {
                return Err(Limit::LocalLoop);
            }
            if self.is_beyond(&local) {
                return Err(Limit::Representation);
            }
            if local.status != Status::Running || self.is_visible(local.pc) {
                settled.push(local);
            } else {
                pending.extend(self.local_step(local));
            }
        }
        Ok(settled)
    }

    /// Whether nothing is known about what the next instruction does.
    fn is_beyond(self, local: &Local) -> bool {
        match &self.instruction(local.pc).op {
            _ if local.status != Status::Running => false,
            Instr::Exclusive(_) => true,
            Instr::Bound { within, .. } => within.eval(&local.registers, 0) == Ok(0),
            _ => false,
        }
    }

    fn is_visible(self, pc: Pc) -> bool {
        match &self.instruction(pc).op {
            Instr::Halt => false,
            // Under RA every access is acquire and release already.
            Instr::Fence(order) => self.fences != ScFences::Update || *order == FenceOrder::SeqCst,
            other => dataflow::is_visible(other),
        }
    }

    /// One local instruction. The order of the results is the order in which a choice lists its targets, reversed.
    fn local_step(self, mut local: Local) -> Vec<Local> {
        let op = &self.instruction(local.pc).op;
        local.observed |= local.dependencies(&dataflow::observed(op));
        let next = Pc::new(local.pc.index() + 1);
        match op {
            Instr::Halt => local.status = Status::Ended,
            Instr::Jump(target) => local.pc = *target,
            Instr::Choose(targets) => return targets.iter().rev().map(|&pc| Local { pc, ..local.clone() }).collect(),
            Instr::Assign { dst, value } => match value.eval(&local.registers, 0) {
                Ok(result) => {
                    local.depends[dst.index()] = local.dependencies(&dataflow::used(op));
                    local.registers[dst.index()] = self.program.reduce(result, self.register_modulus(*dst));
                    local.pc = next;
                }
                Err(error) => local.status = self.failure(local.pc, Some(error)),
            },
            Instr::Branch { cond, .. } | Instr::Assume(cond) | Instr::Assert(cond) => {
                match cond.eval(&local.registers, 0) {
                    Ok(result) => self.decide(op, result != 0, &mut local),
                    Err(error) => local.status = self.failure(local.pc, Some(error)),
                }
            }
            _ => local.pc = next,
        }
        vec![local]
    }

    /// Follows an instruction whose condition has been evaluated.
    fn decide(self, op: &Instr, holds: bool, local: &mut Local) {
        match op {
            Instr::Branch { then, otherwise, .. } => local.pc = if holds { *then } else { *otherwise },
            _ if holds => local.pc = Pc::new(local.pc.index() + 1),
            Instr::Assert(_) => local.status = self.failure(local.pc, None),
            _ => local.status = Status::Ended,
        }
    }

    fn failure(self, pc: Pc, error: Option<EvalError>) -> Status {
        Status::Failed(Failure { thread: self.thread, pc, span: self.instruction(pc).span, error })
    }

    fn register_modulus(self, register: RegId) -> u16 {
        self.program.threads[self.thread].registers[register].modulus
    }

    /// The same thread after its next instruction turned out to have no value.
    pub(crate) fn fail(self, local: &Local, error: EvalError) -> Local {
        Local { status: self.failure(local.pc, Some(error)), ..local.clone() }
    }

    /// The thread after a visible step, in every way in which it can reach the next one. `serial` is the number of the event that
    /// the step left, `outcome` says what was read.
    pub(crate) fn after(
        self,
        local: &Local,
        serial: u32,
        outcome: Option<&AccessOutcome>,
    ) -> Result<Vec<Local>, Limit> {
        let op = &self.instruction(local.pc).op;
        let mut next = local.clone();
        next.observed |= local.dependencies(&dataflow::observed(op));
        if let Some(AccessOutcome { event, receiver: Some(register), .. }) = outcome {
            next.registers[register.index()] = self.program.receive(event.value_read, self.register_modulus(*register));
            next.depends[register.index()] = 1 << serial;
        }
        next.pc = Pc::new(local.pc.index() + 1);
        self.settle(next)
    }

    /// The location that the next instruction accesses, if it accesses memory.
    pub(crate) fn location(self, local: &Local) -> Result<Option<LocId>, EvalError> {
        match dataflow::place(&self.instruction(local.pc).op) {
            None => Ok(None),
            Some(Place::Fixed(location)) => Ok(Some(*location)),
            Some(Place::Element { base, len, index }) => {
                let index = index.eval(&local.registers, 0)?;
                let index = u32::try_from(index).ok().filter(|index| index < len).ok_or(EvalError::IndexOutOfBounds)?;
                Ok(Some(LocId::new(base.index() + index as usize)))
            }
        }
    }

    /// How the next access turns out if the location holds `value`. A blocked instruction has no outcome.
    pub(crate) fn outcomes(
        self,
        local: &Local,
        location: LocId,
        value: Value,
    ) -> Result<Vec<AccessOutcome>, EvalError> {
        let modulus = self.program.locations[location].modulus;
        let eval = |expr: &Expr| Ok(self.program.reduce(expr.eval(&local.registers, value)?, modulus));
        let read = |kind, order: Order| Event::read(self.thread, kind, location, value, order);
        let store = |written, order: Order| Event::store(self.thread, location, written, order);
        let update = |written, order: Order| Event::update(self.thread, location, value, written, order);
        let Instruction { op, span } = self.instruction(local.pc);
        let mut events = Vec::new();
        let mut error = None;
        match op {
            Instr::Load { order, .. } => events.push(read(EventKind::Read, (*order).into())),
            Instr::PlainLoad { .. } => events.push(read(EventKind::PlainRead, Order::RELAXED)),
            Instr::Store { value, order, .. } => events.push(store(eval(value)?, (*order).into())),
            Instr::PlainStore { value, .. } => events.push(Event::plain_store(self.thread, location, eval(value)?)),
            Instr::Unlock(_) => events.push(store(0, Order::RELEASE)),
            Instr::Rmw { update: new, order, .. } => match eval(new) {
                Ok(written) => events.push(update(written, (*order).into())),
                // The program fails because of the value, so the graph has to allow reading it.
                Err(problem) => {
                    error = Some(problem);
                    events.push(read(EventKind::WaitRead, order.read().into()));
                }
            },
            Instr::Cas { expected, new, success, failure, spurious, .. } => {
                let (matches, new) = (eval(expected)? == value && !spurious, eval(new)?);
                events.extend(matches.then(|| update(new, (*success).into())));
                events.extend((!matches).then(|| read(EventKind::FailedCas, (*failure).into())));
            }
            Instr::BlockingCas { expected, new, order, .. } => {
                let (matches, new) = (eval(expected)? == value, eval(new)?);
                events.extend(matches.then(|| update(new, (*order).into())));
            }
            Instr::Lock(_) => events.extend((value == 0).then(|| update(1, Order::ACQUIRE))),
            Instr::Wait { values, order, .. } => {
                let awaited = values.iter().map(eval).collect::<Result<Vec<_>, EvalError>>()?;
                events.extend(awaited.contains(&value).then(|| read(EventKind::WaitRead, (*order).into())));
            }
            _ => {}
        }
        let receiver = dataflow::defined(op);
        Ok(events
            .into_iter()
            .map(|event| AccessOutcome { event: event.at(local.pc, *span), receiver, error })
            .collect())
    }

    /// The source text of the next instruction.
    pub(crate) fn span(self, local: &Local) -> Span {
        self.instruction(local.pc).span
    }
}

impl Local {
    fn dependencies(&self, registers: &RegSet) -> Serials {
        registers.iter().fold(0, |all, register| all | self.depends[register.index()])
    }

    /// A description for recognising a state that was seen before.
    pub(crate) fn describe(&self, into: &mut Vec<u32>) {
        into.push(self.pc.index() as u32);
        into.push(match self.status {
            Status::Running => 0,
            Status::Ended => 1,
            Status::Failed(Failure { error: None, .. }) => 2,
            Status::Failed(Failure { error: Some(_), .. }) => 3,
        });
        into.extend(self.registers.iter().map(|&value| u32::from(value)));
        for set in self.depends.iter().chain([&self.observed]) {
            into.extend((0..4).map(|word| (set >> (32 * word)) as u32));
        }
    }
}
