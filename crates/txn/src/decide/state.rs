//! The states of the reduction: serial runs, with the information about delayed transactions.

use crate::program::Value;
use crate::run::{Local, Runner};
use crate::varset::VarSet;

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// Everything so far was serial.
    Serial,
    /// Some transaction has not been delivered, and those that have seen it are delayed with it. Under snapshot isolation: a transaction is split.
    Delayed,
    /// Transactions on the path from a delayed one back to the first.
    Path,
}

/// A state. The sets in `bits` only help to find violations: a state with larger sets covers one with smaller sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) locals: Vec<Local>,
    /// The store that all processes see that are not delayed.
    pub(super) store: Vec<Value>,
    /// The store that the delayed processes see; empty when it is not needed.
    pub(super) delayed_store: Vec<Value>,
    /// The delayed processes; under snapshot isolation, the process whose transaction is split.
    pub(super) delayed: VarSet,
    /// Whether some delayed transaction runs serializably. Another serializable transaction would have to see it.
    pub(super) held: bool,
    /// Under snapshot isolation: the writes of the split transaction, which no other transaction may write.
    pub(super) locked: VarSet,
    pub(super) bits: Bits,
}

/// The sets of §8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    /// The variables that differ in the delayed store.
    pub(super) dirty: VarSet,
    /// The variables that delayed transactions have read.
    pub(super) delayed_reads: VarSet,
    /// The variables that delayed transactions have written.
    pub(super) delayed_writes: VarSet,
    /// The variables that the first delayed transaction has written and that have not been overwritten.
    pub(super) first_writes: VarSet,
    /// The processes on the path.
    pub(super) joined: VarSet,
    /// The variables that transactions on the path, and delayed ones, have read or otherwise leave open to be overwritten.
    pub(super) path_reads: VarSet,
    /// The variables that transactions on the path have written.
    pub(super) path_writes: VarSet,
    /// The delayed processes from which a path can start: dependencies from the first delayed transaction lead there. The others only wait, because they run serializably.
    pub(super) linked: VarSet,
    /// The variables that such processes have written last in the delayed store.
    pub(super) linked_dirty: VarSet,
}

impl Bits {
    /// How many words the sets take.
    pub(super) const WIDTH: usize = 9;

    pub(super) fn words(&self) -> [u64; Self::WIDTH] {
        [
            self.dirty.0,
            self.delayed_reads.0,
            self.delayed_writes.0,
            self.first_writes.0,
            self.joined.0,
            self.path_reads.0,
            self.path_writes.0,
            self.linked.0,
            self.linked_dirty.0,
        ]
    }

    fn from_words(words: &[u64]) -> Self {
        let set = |at: usize| VarSet(words[at]);
        Self {
            dirty: set(0),
            delayed_reads: set(1),
            delayed_writes: set(2),
            first_writes: set(3),
            joined: set(4),
            path_reads: set(5),
            path_writes: set(6),
            linked: set(7),
            linked_dirty: set(8),
        }
    }
}

/// Converts states to words and back. Registers that are never live take no room.
pub(super) struct Codec<'a> {
    runner: &'a Runner<'a>,
    value_bits: u32,
    pc_bits: Vec<u32>,
    /// By process, the registers that are live in some resting position.
    kept: Vec<Vec<usize>>,
    words: usize,
}

impl<'a> Codec<'a> {
    pub(super) fn new(runner: &'a Runner<'a>) -> Self {
        let program = runner.program();
        let value_bits = bits_for(usize::from(program.modulus) - 1);
        let pc_bits: Vec<u32> = program.processes.iter().map(|process| bits_for(process.code.len())).collect();
        let kept: Vec<Vec<usize>> = (0..program.processes.len()).map(|process| kept(runner, process)).collect();
        let local_bits: u32 =
            pc_bits.iter().sum::<u32>() + kept.iter().map(Vec::len).sum::<usize>() as u32 * value_bits;
        let variables = program.variables.len() as u32;
        let bits = 3 + local_bits + 2 * variables * value_bits + program.processes.len() as u32 + variables;
        Self { runner, value_bits, pc_bits, kept, words: bits.div_ceil(64) as usize }
    }

    /// How many words the key of a state takes.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Everything except the sets.
    pub(super) fn key<const W: usize>(&self, state: &State) -> [u64; W] {
        let mut writer = Writer { words: [0; W], at: 0 };
        writer.put(state.phase as u64, 2);
        writer.put(u64::from(state.held), 1);
        for (process, local) in state.locals.iter().enumerate() {
            writer.put(local.pc as u64, self.pc_bits[process]);
            for &register in &self.kept[process] {
                writer.put(u64::from(local.registers[register]), self.value_bits);
            }
        }
        for &value in state.store.iter().chain(&state.delayed_store) {
            writer.put(u64::from(value), self.value_bits);
        }
        writer.put(state.delayed.0, state.locals.len() as u32);
        if state.locked != VarSet::EMPTY {
            writer.put(state.locked.0, state.store.len() as u32);
        }
        writer.words
    }

    pub(super) fn state<const W: usize>(&self, key: &[u64; W], bits: &[u64], causal: bool) -> State {
        let mut reader = Reader { words: key, at: 0 };
        let phase = match reader.take(2) {
            0 => Phase::Serial,
            1 => Phase::Delayed,
            _ => Phase::Path,
        };
        let held = reader.take(1) == 1;
        let program = self.runner.program();
        let mut locals = Vec::with_capacity(program.processes.len());
        for (process, code) in program.processes.iter().enumerate() {
            let mut local =
                Local { pc: reader.take(self.pc_bits[process]) as usize, registers: vec![0; code.registers.len()] };
            for &register in &self.kept[process] {
                local.registers[register] = reader.take(self.value_bits) as Value;
            }
            locals.push(local);
        }
        let variables = program.variables.len();
        let mut values = |count: usize| (0..count).map(|_| reader.take(self.value_bits) as Value).collect::<Vec<_>>();
        let store = values(variables);
        let delayed_store = values(if causal && phase == Phase::Delayed { variables } else { 0 });
        let delayed = VarSet(reader.take(locals.len() as u32));
        let locked =
            if !causal && phase == Phase::Delayed { VarSet(reader.take(variables as u32)) } else { VarSet::EMPTY };
        State { phase, locals, store, delayed_store, delayed, held, locked, bits: Bits::from_words(bits) }
    }
}

fn kept(runner: &Runner<'_>, process: usize) -> Vec<usize> {
    let code = &runner.program().processes[process];
    let rests = |pc: usize| pc > 0 && matches!(code.code[pc - 1], crate::program::Instr::End);
    let live = |register: usize| (0..code.code.len()).any(|pc| rests(pc) && runner.live_at(process, pc)[register]);
    (0..code.registers.len()).filter(|&register| live(register)).collect()
}

fn bits_for(largest: usize) -> u32 {
    (usize::BITS - largest.leading_zeros()).max(1)
}

struct Writer<const W: usize> {
    words: [u64; W],
    at: u32,
}

impl<const W: usize> Writer<W> {
    fn put(&mut self, value: u64, bits: u32) {
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        self.words[word] |= value << shift;
        if shift + bits > 64 {
            self.words[word + 1] |= value >> (64 - shift);
        }
        self.at += bits;
    }
}

struct Reader<'a, const W: usize> {
    words: &'a [u64; W],
    at: u32,
}

impl<const W: usize> Reader<'_, W> {
    fn take(&mut self, bits: u32) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (word, shift) = ((self.at / 64) as usize, self.at % 64);
        let mut value = self.words[word] >> shift;
        if shift + bits > 64 {
            value |= self.words[word + 1] << (64 - shift);
        }
        self.at += bits;
        if bits == 64 { value } else { value & ((1 << bits) - 1) }
    }
}
