//! Runs one transaction to its end on one store: the step of all machines.
//!
//! A process rests between transactions. A step consists of local instructions, one whole transaction, and local instructions up to the next resting position.
//! Choices lead to several runs; a false `assume` leads to none.

use crate::program::{Instr, Program, Value};
use crate::varset::VarSet;
use rustc_hash::FxHashSet;
use steadfast_span::Span;

/// A resting position of a process, with its live registers. The other registers are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Local {
    /// The next instruction.
    pub pc: usize,
    /// The registers.
    pub registers: Vec<Value>,
}

/// A possible run of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionRun {
    /// The number of the transaction in the text.
    pub transaction: usize,
    /// The variables that were read before the transaction wrote them itself.
    pub reads: VarSet,
    /// The variables that were written.
    pub writes: VarSet,
    /// The values that were read and written, in order.
    pub accesses: Vec<Access>,
    /// The resting position after it.
    pub local: Local,
}

/// A read or a write with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it is a write.
    pub write: bool,
    /// Whether it is a read of a value that the transaction itself has written.
    pub internal: bool,
    /// The variable.
    pub variable: usize,
    /// The value.
    pub value: Value,
    /// Its place in the text.
    pub span: Span,
}

/// An error of the program at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// The error.
    pub message: String,
    /// Its place.
    pub span: Span,
}

impl TransactionRun {
    /// Applies the writes to a store.
    pub fn apply(&self, store: &mut [Value]) {
        for access in self.accesses.iter().filter(|access| access.write) {
            store[access.variable] = access.value;
        }
    }

    /// The values that were read from the store.
    pub fn external_reads(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|access| !access.write && !access.internal)
    }
}

/// Runs transactions of a program, and knows the live registers of resting processes.
#[derive(Debug)]
pub struct Runner<'a> {
    program: &'a Program,
    /// By process and instruction, the registers that are read before they are written again.
    live: Vec<Vec<Vec<bool>>>,
    /// The variables whose values are used.
    used: VarSet,
}

/// A state in the middle of a step.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    pc: usize,
    registers: Vec<Value>,
    /// The open transaction.
    transaction: Option<usize>,
    /// The variables that it has written.
    own: Vec<(usize, Value)>,
}

impl<'a> Runner<'a> {
    /// Prepares a program.
    pub fn new(program: &'a Program) -> Self {
        let live: Vec<_> = (0..program.processes.len()).map(|process| liveness(program, process)).collect();
        let used = used_variables(program, &live);
        Self { program, live, used }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The resting position where a process starts.
    pub fn start(&self, process: usize) -> Local {
        Local { pc: 0, registers: vec![0; self.program.processes[process].registers.len()] }
    }

    /// The variables whose values are used after they were read. The values of the others do not change what a program can do.
    pub fn used_variables(&self) -> VarSet {
        self.used
    }

    /// The live registers of a process that rests at `pc`.
    pub fn live_at(&self, process: usize, pc: usize) -> &[bool] {
        &self.live[process][pc]
    }

    /// All possible runs of the next transaction of a process on this store.
    pub fn outcomes(&self, process: usize, local: &Local, store: &[Value]) -> Result<Vec<TransactionRun>, RunError> {
        let mut found = Vec::new();
        let frame = Frame { pc: local.pc, registers: local.registers.clone(), transaction: None, own: Vec::new() };
        let mut pending = vec![(frame, VarSet::EMPTY, Vec::new())];
        // Only loops between transactions return to the same state; a transaction contains no loops.
        let mut seen = FxHashSet::default();
        while let Some((frame, reads, accesses)) = pending.pop() {
            if frame.transaction.is_none() && !seen.insert((frame.pc, frame.registers.clone())) {
                continue;
            }
            self.step(process, frame, reads, accesses, store, &mut pending, &mut found)?;
        }
        Ok(found)
    }

    #[allow(clippy::too_many_arguments, reason = "the pieces of one frame, taken apart")]
    fn step(
        &self,
        process: usize,
        mut frame: Frame,
        mut reads: VarSet,
        mut accesses: Vec<Access>,
        store: &[Value],
        pending: &mut Vec<(Frame, VarSet, Vec<Access>)>,
        found: &mut Vec<TransactionRun>,
    ) -> Result<(), RunError> {
        let code = &self.program.processes[process];
        loop {
            let span = code.spans[frame.pc];
            let next = frame.pc + 1;
            match &code.code[frame.pc] {
                Instr::Begin(transaction) => frame.transaction = Some(*transaction),
                Instr::End => {
                    frame.pc = next;
                    found.push(self.outcome(process, frame, reads, accesses));
                    return Ok(());
                }
                Instr::Read { register, place } => {
                    let variable = place.variable(&frame.registers).map_err(|index| bad_index(index, span))?;
                    let own = frame.own.iter().rev().find(|(written, _)| *written == variable);
                    let (value, internal) = own.map_or((store[variable], false), |&(_, value)| (value, true));
                    if !internal {
                        reads.insert(variable);
                    }
                    frame.registers[*register] = value;
                    accesses.push(Access { write: false, internal, variable, value, span });
                }
                Instr::Write { place, value } => {
                    let variable = place.variable(&frame.registers).map_err(|index| bad_index(index, span))?;
                    let value = self.program.wrap(value.value(&frame.registers).ok_or_else(|| division(span))?);
                    frame.own.push((variable, value));
                    accesses.push(Access { write: true, internal: false, variable, value, span });
                }
                Instr::Set { register, value } => {
                    let value = value.value(&frame.registers).ok_or_else(|| division(span))?;
                    frame.registers[*register] = self.program.wrap(value);
                }
                Instr::Pick { register, low, high } => {
                    for value in (u16::from(*low)..*high).rev() {
                        let mut other = frame.clone();
                        other.pc = next;
                        other.registers[*register] = value as Value;
                        pending.push((other, reads, accesses.clone()));
                    }
                    return Ok(());
                }
                Instr::Assume(condition) => {
                    if condition.value(&frame.registers).ok_or_else(|| division(span))? == 0 {
                        return Ok(());
                    }
                }
                Instr::Branch { condition, otherwise } => {
                    if condition.value(&frame.registers).ok_or_else(|| division(span))? == 0 {
                        frame.pc = *otherwise;
                        continue;
                    }
                }
                Instr::Choose(targets) => {
                    for &target in targets.iter().rev() {
                        pending.push((Frame { pc: target, ..frame.clone() }, reads, accesses.clone()));
                    }
                    return Ok(());
                }
                Instr::Jump(target) => {
                    frame.pc = *target;
                    // Every loop has a jump back, so a loop without transactions is detected here.
                    if frame.transaction.is_none() {
                        pending.push((frame, reads, accesses));
                        return Ok(());
                    }
                    continue;
                }
                Instr::Halt => return Ok(()),
            }
            frame.pc = next;
        }
    }

    fn outcome(&self, process: usize, frame: Frame, reads: VarSet, accesses: Vec<Access>) -> TransactionRun {
        let mut registers = frame.registers;
        for (register, live) in registers.iter_mut().zip(self.live_at(process, frame.pc)) {
            if !live {
                *register = 0;
            }
        }
        TransactionRun {
            transaction: frame.transaction.unwrap_or_default(),
            reads,
            writes: frame.own.iter().map(|&(variable, _)| variable).collect(),
            accesses,
            local: Local { pc: frame.pc, registers },
        }
    }
}

fn bad_index(index: Option<i64>, span: Span) -> RunError {
    match index {
        Some(index) => RunError { message: format!("the index {index} is out of bounds"), span },
        None => division(span),
    }
}

fn division(span: Span) -> RunError {
    RunError { message: "division by zero".to_owned(), span }
}

/// By instruction, the registers that may be read before they are written.
fn liveness(program: &Program, process: usize) -> Vec<Vec<bool>> {
    let code = &program.processes[process].code;
    let count = program.processes[process].registers.len();
    let mut live = vec![vec![false; count]; code.len() + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..code.len()).rev() {
            let mut now = vec![false; count];
            for target in successors(code, pc) {
                now.iter_mut().zip(&live[target]).for_each(|(mine, theirs)| *mine |= theirs);
            }
            transfer(&code[pc], &mut now);
            changed |= now != live[pc];
            live[pc] = now;
        }
    }
    live
}

/// The variables that are read into a register which is used afterwards.
fn used_variables(program: &Program, live: &[Vec<Vec<bool>>]) -> VarSet {
    let mut used = VarSet::EMPTY;
    for (process, live) in program.processes.iter().zip(live) {
        for (pc, instr) in process.code.iter().enumerate() {
            if let Instr::Read { register, place } = instr
                && live[pc + 1][*register]
            {
                used = used.union(place.cells().collect());
            }
        }
    }
    used
}

fn successors(code: &[Instr], pc: usize) -> Vec<usize> {
    match &code[pc] {
        Instr::Halt => Vec::new(),
        Instr::Jump(target) => vec![*target],
        Instr::Choose(targets) => targets.clone(),
        Instr::Branch { otherwise, .. } => vec![pc + 1, *otherwise],
        _ => vec![pc + 1],
    }
}

fn transfer(instr: &Instr, live: &mut [bool]) {
    // A value that goes into an unused register is not used.
    if let Instr::Set { register, value } = instr
        && !live[*register]
        && !value.may_fail()
    {
        return;
    }
    if let Instr::Read { register, .. } | Instr::Set { register, .. } | Instr::Pick { register, .. } = instr {
        live[*register] = false;
    }
    let mut used = |register: usize| live[register] = true;
    match instr {
        Instr::Write { value, .. } | Instr::Set { value, .. } => value.registers(&mut used),
        Instr::Assume(condition) | Instr::Branch { condition, .. } => condition.registers(&mut used),
        _ => {}
    }
    if let Instr::Read { place, .. } | Instr::Write { place, .. } = instr {
        place.indices.iter().for_each(|(index, _)| index.registers(&mut used));
    }
}
