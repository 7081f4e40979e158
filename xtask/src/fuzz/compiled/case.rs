//! One program of the campaign: from its seed to the reports that the compiled program should make.

use super::adapt::{self, Forms};
use super::chance;
use super::source::Memory;
use super::thread::Names;
use steadfast_clocks::Supported as Runtime;
use steadfast_ir::{LocId, Program};
use steadfast_model::Notion;
use steadfast_random::Rng;
use steadfast_robust::{Options, Supported, Verdict, check};
use steadfast_span::IndexVec;
use steadfast_twin::{Subject, sample};

/// The compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiler {
    Gcc,
    Clang,
}

impl Compiler {
    /// The command.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Clang => "clang",
        }
    }

    fn forms(self) -> Forms {
        Forms { weak: self == Self::Gcc, any_failure: self == Self::Clang }
    }
}

/// How programs are compiled. Neighbouring programs share a file, so they share this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Build {
    pub(super) compiler: Compiler,
    /// `-O0` or `-O2`.
    pub(super) level: &'static str,
}

/// The expected result, by the verdict of the checker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Expected {
    /// Robust and without races: no run reports anything.
    Silence,
    /// Not robust. One run under a random schedule shows it with at least this probability.
    Violation(f64),
    /// A race, with the same meaning.
    Race(f64),
}

impl Expected {
    /// A text for the user.
    pub(super) fn text(self) -> String {
        match self {
            Self::Silence => "robust".into(),
            Self::Violation(chance) => format!("not robust, seen in a run with a chance of at least {chance:.1e}"),
            Self::Race(chance) => format!("a race, seen in a run with a chance of at least {chance:.1e}"),
        }
    }
}

/// A program, how it is compiled and run, and what is expected.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) seed: u64,
    pub(super) model: Runtime,
    /// The program as it is printed in C.
    pub(super) program: Program,
    /// The width of each location, in bits.
    pub(super) widths: IndexVec<LocId, u32>,
    pub(super) memory: Memory,
    /// Whether locations can share the same eight bytes. Shadow memory has room for four accesses to them, so it may then miss some races.
    pub(super) dense: bool,
    pub(super) expected: Expected,
}

/// How many programs are in one file.
pub(super) const TOGETHER: u64 = 64;

/// How the program of a seed is compiled.
pub(super) fn build_of(seed: u64) -> Build {
    const BUILDS: [(Compiler, &str); 4] =
        [(Compiler::Gcc, "-O0"), (Compiler::Clang, "-O2"), (Compiler::Gcc, "-O2"), (Compiler::Clang, "-O0")];
    let (compiler, level) = BUILDS[(seed / TOGETHER % 4) as usize];
    Build { compiler, level }
}

impl Case {
    /// The case of a seed, unless the program fails under SC (an index can lie outside of its array).
    pub(super) fn of(seed: u64) -> Option<Self> {
        // Not the random numbers of the program's generator, so that these choices do not depend on it.
        let mut rng = Rng::new(!seed);
        let subject = rng.pick(&[Subject::Graph, Subject::Graph, Subject::Graph, Subject::Races]);
        let model =
            rng.pick(&[Runtime::Rc11, Runtime::Rc11, Runtime::Rc11, Runtime::Rc20, Runtime::Rc20, Runtime::AcqRel]);
        let mut program = sample(seed, subject);
        adapt::to_c(&mut program, build_of(seed).compiler.forms());
        if can_wait_for_ever(&program) {
            adapt::look_once(&mut program);
        }
        let width = rng.pick(&[0, 8, 16, 32, 64]);
        let one = Names::of(&program) == Names::Cells || width != 0;
        let first = if width == 0 { 32 } else { width };
        let widths = program.locations.iter().map(|_| if one { first } else { rng.pick(&[8, 16, 32, 64]) }).collect();
        let memory = rng.pick(&[Memory::Fresh, Memory::Initialised, Memory::Stored]);
        let dense = rng.chance(50);
        let expected = expected(&program, model)?;
        Some(Self { seed, model, program, widths, memory, dense, expected })
    }

    /// The same case with another program, if the checker can decide it.
    pub(super) fn with(&self, program: &Program) -> Option<Self> {
        if can_wait_for_ever(program) {
            return None;
        }
        Some(Self { program: program.clone(), expected: expected(program, self.model)?, ..self.clone() })
    }
}

/// Asks the checker the same question that the runtime answers: each model of the runtime has its twin in the checker (`crates/twin/src/traces/definition.rs`).
fn expected(program: &Program, model: Runtime) -> Option<Expected> {
    let mut asked = adapt::for_checker(program);
    let checked = match model {
        Runtime::Rc20 => Supported::Rc20,
        Runtime::Rc11 => Supported::Rc11,
        Runtime::AcqRel => {
            adapt::without_seq_cst(&mut asked);
            Supported::Rc11
        }
    };
    // The programs have no loops, so none is recognised as a spin loop.
    match check(&asked, &Options::new(checked, Notion::Graph)).verdict {
        Verdict::Robust => Some(Expected::Silence),
        Verdict::NotRobust(witness) => Some(Expected::Violation(chance::of(&asked, &witness))),
        Verdict::Race(witness) => Some(Expected::Race(chance::of(&asked, &witness))),
        Verdict::Failed(_) | Verdict::Inconclusive(_) | Verdict::Unsupported(_) => None,
    }
}

/// Whether some run under SC ends with a thread that waits. The observational check explores all runs; the usual one stops at the first violation.
fn can_wait_for_ever(program: &Program) -> bool {
    let options = Options::new(Supported::Rc20, Notion::Observational);
    adapt::waits(program) && !check(&adapt::for_checker(program), &options).deadlock.is_empty()
}
