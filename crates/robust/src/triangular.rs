//! Triangular-race freedom: a simple sufficient condition for robustness against TSO.
//!
//! Owens, *Reasoning about the implementation of concurrency abstractions on x86-TSO*, ECOOP'10. A *triangular race* is an SC run with these properties: at its end, one thread can load a
//! location and another thread can write it; the first thread has stored to another location before, and has executed no locked instruction and no `seq_cst` fence since, so the store may
//! still be in its buffer. Under TSO the load may then come before any other thread sees the store. A program without triangular races is robust against TSO; a program with one may be
//! robust nevertheless.
//!
//! Guarantee: exact, for this definition, after an exhaustive search. Spin loops do not block here, because every iteration is a load that may race.

use crate::automaton::Reading;
use crate::check::{Question, too_large, widths};
use crate::machine::{Layout, Machine, MachineOptions};
use crate::options::{Options, Outcome, Statistics, Verdict};
use crate::witness::triangular::TriangularSearch;
use steadfast_explore::Budget;
use steadfast_ir::Program;
use steadfast_ir::values::ValueAnalysis;

/// Decides whether a program has a triangular race. The verdict is [`Verdict::Robust`] if it has none, and [`Verdict::Race`] if it has one. Only the limits, the interrupt and the observer of the
/// options matter. A program that fails under SC gets [`Verdict::Failed`] or [`Verdict::Race`].
pub fn triangular_race(program: &Program, options: &Options<'_>) -> Outcome {
    let budget = Budget::new(options.limits.clone(), options.interrupt, options.observer);
    let mut statistics = Statistics::default();
    let verdict = match too_large(program, options) {
        Some(problem) => Verdict::Unsupported(problem),
        None => decide(program, options, &budget, &mut statistics),
    };
    statistics.peak_bytes = budget.peak_bytes();
    statistics.seconds = budget.elapsed().as_secs_f64();
    Outcome { verdict, statistics, spins: Vec::new(), deadlock: Vec::new(), translated: Vec::new() }
}

fn decide(program: &Program, options: &Options<'_>, budget: &Budget<'_>, statistics: &mut Statistics) -> Verdict {
    let analysis = ValueAnalysis::of(program);
    let reading = Reading { strengthen: false, buffered: true, ghost: None, spin: false };
    let machine_options = MachineOptions { reading, symmetry: false, translation: None };
    let question = Question { program, analysis: &analysis, options, budget, coarse: false };
    for bits in widths(options) {
        let layout = Layout::new(program, &analysis, bits);
        let words = layout.words;
        let machine = Machine::new(program, &analysis, layout, machine_options);
        let verdict = match words {
            1 => answer::<1>(&question, &machine, statistics),
            2..=4 => answer::<4>(&question, &machine, statistics),
            5..=32 => answer::<32>(&question, &machine, statistics),
            _ => Some(Verdict::Unsupported(format!("a state of the program needs {} bits", words * 64))),
        };
        if let Some(verdict) = verdict {
            return verdict;
        }
    }
    Verdict::Unsupported("a thread has more than 2^24 local states".into())
}

/// Nothing if the layout was too narrow. The search does not see races with a step that fails, but then the program is wrong anyway.
fn answer<const W: usize>(
    question: &Question<'_>,
    machine: &Machine<'_>,
    statistics: &mut Statistics,
) -> Option<Verdict> {
    let found = TriangularSearch::<W>::new(machine, question.options, question.budget).run(statistics);
    if machine.overflowed() {
        return None;
    }
    Some(match (found, machine.exceeded()) {
        (Err(bound), _) => Verdict::Inconclusive(bound),
        (Ok(Some(witness)), _) => Verdict::Race(Box::new(witness)),
        (Ok(None), _) if machine.failed() => question.failure::<W>(machine),
        (Ok(None), Some(bound)) => Verdict::Unsupported(bound.into()),
        (Ok(None), None) => Verdict::Robust,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Supported, check};
    use steadfast_explore::Bound;
    use steadfast_ir::{BinaryOp, Expr, FenceOrder, Instr, ProgramBuilder, ReadOrder, ThreadBuilder, WriteOrder};
    use steadfast_model::{Notion, ViolationKind};

    /// One thread stores to x and loads y, perhaps with something in between; the other stores to y.
    fn program(between: Option<Instr>, same: bool) -> Program {
        let mut b = ProgramBuilder::new("triangle");
        let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
        b.thread("t", |t| {
            let r = t.register("r");
            t.store(if same { y } else { x }, Expr::Const(1), WriteOrder::Relaxed);
            if let Some(op) = between {
                t.emit(op);
            }
            t.load(r, y, ReadOrder::Relaxed);
        });
        b.thread("u", |t| t.store(y, Expr::Const(1), WriteOrder::Relaxed));
        b.finish()
    }

    fn verdict_of(program: &Program) -> Verdict {
        triangular_race(program, &Options::new(Supported::Tso, Notion::Graph)).verdict
    }

    #[test]
    fn a_robust_program_may_have_a_triangular_race() {
        let program = program(None, false);
        let Verdict::Race(witness) = verdict_of(&program) else { panic!("there is a triangular race") };
        assert_eq!(witness.kind, ViolationKind::TriangularRace);
        assert!(witness.confirmed && witness.stale.is_some() && witness.newest.is_some());
        assert_eq!((witness.run.len(), witness.step.text.as_str()), (2, "y read as 0"));
        assert!(matches!(check(&program, &Options::new(Supported::Tso, Notion::Graph)).verdict, Verdict::Robust));
    }

    #[test]
    fn what_drains_the_buffer_helps() {
        assert!(matches!(verdict_of(&program(Some(Instr::Fence(FenceOrder::SeqCst)), false)), Verdict::Robust));
        assert!(matches!(verdict_of(&program(Some(Instr::Fence(FenceOrder::AcqRel)), false)), Verdict::Race(_)));
    }

    #[test]
    fn a_store_to_the_same_location_does_not_count() {
        assert!(matches!(verdict_of(&program(None, true)), Verdict::Robust));
    }

    /// An assertion fails right behind the load or the write that would race.
    #[test]
    fn a_step_that_fails_is_not_overlooked() {
        for first_fails in [true, false] {
            let fail = |t: &mut ThreadBuilder, fails: bool| {
                if fails {
                    t.emit(Instr::Assert(Expr::Const(0)));
                }
            };
            let mut b = ProgramBuilder::new("failing");
            let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
            b.thread("t", |t| {
                let r = t.register("r");
                t.store(x, Expr::Const(1), WriteOrder::Relaxed);
                t.load(r, y, ReadOrder::Relaxed);
                fail(t, first_fails);
            });
            b.thread("u", |t| {
                t.store(y, Expr::Const(1), WriteOrder::Relaxed);
                fail(t, !first_fails);
            });
            assert!(matches!(verdict_of(&b.finish()), Verdict::Failed(_)));
        }
    }

    #[test]
    fn a_bound_is_kept() {
        let mut options = Options::new(Supported::Tso, Notion::Graph);
        options.limits.states = Some(1);
        let fenced = program(Some(Instr::Fence(FenceOrder::SeqCst)), false);
        assert!(matches!(triangular_race(&fenced, &options).verdict, Verdict::Inconclusive(Bound::States(_))));
    }

    #[test]
    fn steps_that_were_left_out_are_not_taken_for_explored() {
        let mut b = ProgramBuilder::new("crowded");
        let x = b.atomic("x", 0);
        b.thread("t", |t| {
            let registers = ["p", "q", "r"].map(|name| t.register(name));
            for dst in registers {
                let (starts, end) = ([(); 256].map(|()| t.label()), t.label());
                t.choose(&starts);
                for (start, value) in starts.into_iter().zip(0..) {
                    t.bind(start);
                    t.emit(Instr::Assign { dst, value: Expr::Const(value) });
                    t.jump(end);
                }
                t.bind(end);
            }
            let sum = registers.into_iter().map(Expr::Reg).reduce(|sum, next| Expr::binary(BinaryOp::Add, sum, next));
            t.store(x, sum.expect("there are registers"), WriteOrder::Relaxed);
        });
        assert!(matches!(verdict_of(&b.finish()), Verdict::Unsupported(bound) if bound.contains("local steps")));
    }
}
