//! Random loop-free programs, small enough for the oracle and shaped so that about a third of them are not robust.
//!
//! More than half are variations of classic litmus tests; the others are free-form. The same seed and configuration always give
//! the same program.

mod access;
mod free;
mod template;

use access::Emitter;
use steadfast_ir::{Instr, Program};
use steadfast_random::Rng;

/// What kind of programs are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// A bit of everything.
    #[default]
    Mixed,
    /// Two longer threads that mostly fight for one location with few values.
    Contention,
    /// Litmus shapes with many fences.
    Fences,
    /// Litmus shapes in which most accesses are `seq_cst`.
    SeqCst,
}

/// How often each kind of access appears.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Loads.
    pub load: u32,
    /// Stores.
    pub store: u32,
    /// Fetch-and-add and exchange.
    pub rmw: u32,
    /// Compare-and-swap.
    pub cas: u32,
    /// Waiting for a value.
    pub wait: u32,
    /// Blocking compare-and-swap.
    pub blocking_cas: u32,
    /// Fences.
    pub fence: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { load: 35, store: 35, rmw: 8, cas: 7, wait: 6, blocking_cas: 5, fence: 8 }
    }
}

/// What the programs may contain. Chances are in percent.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub struct Config {
    /// How often each kind of access appears.
    pub weights: Weights,
    /// What kind of programs are wanted.
    pub focus: Focus,
    /// Allow `seq_cst` accesses.
    pub seq_cst: bool,
    /// Make every access `seq_cst`.
    pub only_seq_cst: bool,
    /// Allow acquire and release fences.
    pub fences: bool,
    /// Allow SC fences.
    pub sc_fences: bool,
    /// Allow weak compare-and-swap.
    pub weak_cas: bool,
    /// Prefer fewer and shorter threads.
    pub small: bool,
    /// Add assignments, assertions that always hold, and observations.
    pub observational: bool,
    /// Make one location plain in half of the programs.
    pub plain: bool,
    /// The chance of a branch after a read.
    pub branches: u32,
    /// The chance of a nondeterministic choice after an access.
    pub choices: u32,
    /// The chance of an assertion after a read that may fail. A thread stops there.
    pub assertions: u32,
    /// The chance that a stored or expected value comes from a register.
    pub registers: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            focus: Focus::Mixed,
            seq_cst: false,
            only_seq_cst: false,
            fences: true,
            sc_fences: true,
            weak_cas: true,
            small: false,
            observational: false,
            plain: false,
            branches: 12,
            choices: 2,
            assertions: 0,
            registers: 12,
        }
    }
}

/// How many events a thread may leave. An SC fence counts three times, since some models encode it with three.
const MAX_EVENTS: usize = 9;

/// A random program.
pub fn program(rng: &mut Rng, config: &Config) -> Program {
    loop {
        let mut emitter = Emitter::new(rng, config);
        let threads = match config.focus {
            Focus::Contention => free::contention(&mut emitter),
            Focus::Fences | Focus::SeqCst => template::threads(&mut emitter),
            Focus::Mixed if emitter.rng.chance(55) => template::threads(&mut emitter),
            Focus::Mixed => free::threads(&mut emitter),
        };
        if threads.iter().all(|code| events(code) <= MAX_EVENTS) {
            return emitter.finish(threads);
        }
    }
}

/// The random program of a seed.
pub fn program_of_seed(seed: u64, config: &Config) -> Program {
    program(&mut Rng::new(seed), config)
}

fn events(code: &[Instr]) -> usize {
    let events_of = |op: &Instr| match op {
        Instr::Fence(steadfast_ir::FenceOrder::SeqCst) => 3,
        other => usize::from(steadfast_ir::dataflow::is_visible(other)),
    };
    code.iter().map(events_of).sum()
}
