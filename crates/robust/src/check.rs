//! One check from start to end.

use crate::automaton::{Access, Reading};
use crate::awareness;
use crate::column::ColumnLayout;
use crate::futures;
use crate::hunt::{Hunt, HuntResult, Ops};
use crate::machine::{Layout, Machine, MachineOptions};
use crate::models::{MemoryModel, Ra, Rc11, Rc20, Shape};
use crate::options::{Model, Options, Outcome, Statistics, Verdict};
use crate::prey::all_prey;
use steadfast_explore::{Bound, Budget, StateGraph, reach};
use steadfast_ir::values::ValueAnalysis;
use steadfast_ir::{FenceOrder, Instr, Program};

/// How wide a local state's number is at first. Wider ones are tried when it does not suffice.
const LOCAL_BITS: [u32; 4] = [8, 12, 18, 24];

/// Decides a question about a program.
pub fn check(program: &Program, options: &Options<'_>) -> Outcome {
    let budget = Budget::new(options.limits.clone(), options.interrupt);
    let analysis = ValueAnalysis::of(program);
    let mut statistics = Statistics::default();
    let mut verdict = None;
    for bits in LOCAL_BITS {
        let layout = Layout::new(program, &analysis, bits);
        verdict = match layout.words {
            1 => with_words::<1>(program, &analysis, layout, options, &budget, &mut statistics),
            2 => with_words::<2>(program, &analysis, layout, options, &budget, &mut statistics),
            3 => with_words::<3>(program, &analysis, layout, options, &budget, &mut statistics),
            4 => with_words::<4>(program, &analysis, layout, options, &budget, &mut statistics),
            5..=8 => with_words::<8>(program, &analysis, layout, options, &budget, &mut statistics),
            _ => with_words::<64>(program, &analysis, layout, options, &budget, &mut statistics),
        };
        if verdict.is_some() {
            break;
        }
    }
    statistics.peak_bytes = budget.peak_bytes();
    statistics.seconds = budget.elapsed().as_secs_f64();
    Outcome { verdict: verdict.unwrap_or(Verdict::Inconclusive(Bound::States(1 << 24))), statistics }
}

/// The ghost location of `seq_cst` fences: the number behind the last real one, if the model encodes them and the program has any.
pub(crate) fn reading(program: &Program, options: &Options<'_>) -> Reading {
    let has_fence = program
        .threads
        .iter()
        .any(|thread| thread.code.iter().any(|instruction| instruction.op == Instr::Fence(FenceOrder::SeqCst)));
    let ghost = (has_fence && options.model != Model::Rc11).then_some(program.locations.len() as u16);
    Reading { strengthen: matches!(options.model, Model::Ra | Model::Sra), ghost, spin: options.spin }
}

fn with_words<const W: usize>(
    program: &Program,
    analysis: &ValueAnalysis,
    layout: Layout,
    options: &Options<'_>,
    budget: &Budget<'_>,
    statistics: &mut Statistics,
) -> Option<Verdict> {
    let reading = reading(program, options);
    let machine_options = MachineOptions { reading, symmetry: options.reductions.symmetry };
    let machine = Machine::new(program, analysis, layout, machine_options);
    let (graph, bound) = reach::<W, _>(&machine, options.jobs, budget);
    if machine.overflowed() {
        return None;
    }
    statistics.program_states = graph.len() as u64;
    statistics.program_transitions = graph.edge_count() as u64;
    statistics.local_states = machine.automata.iter().map(|automaton| automaton.len() as u64).sum();
    statistics.program_seconds = budget.elapsed().as_secs_f64();
    if machine.failed() {
        return Some(Verdict::Failed);
    }
    if let Some(bound) = bound {
        return Some(Verdict::Inconclusive(bound));
    }
    if racy(&machine, &graph) {
        return Some(Verdict::Race);
    }
    let result = match options.model {
        Model::Ra => hunt(&machine, &graph, &Ra { strong: false }, options, budget),
        Model::Sra => hunt(&machine, &graph, &Ra { strong: true }, options, budget),
        Model::Rc20 => hunt(&machine, &graph, &Rc20 { seq_cst: has_seq_cst(&machine) }, options, budget),
        Model::Rc11 => hunt(&machine, &graph, &Rc11, options, budget),
    };
    Some(match result {
        Err(bound) => Verdict::Inconclusive(bound),
        Ok((race, found)) => {
            statistics.monitor_states = found.states;
            statistics.monitor_transitions = found.transitions;
            match (race, found.violation) {
                (true, true) => Verdict::Race,
                (false, true) => Verdict::NotRobust,
                _ => Verdict::Robust,
            }
        }
    })
}

fn has_seq_cst(machine: &Machine<'_>) -> bool {
    machine.transitions().iter().any(|(_, transition)| transition.event.seq_cst)
}

/// Whether two threads are somewhere both about to access a plain location, and one of them to write it.
fn racy<const W: usize>(machine: &Machine<'_>, graph: &StateGraph<W>) -> bool {
    let accesses = accesses(machine);
    if !accesses.iter().flatten().any(|access| access.plain.is_some()) {
        return false;
    }
    graph.ids().any(|id| {
        let state = graph.state(id);
        let next: Vec<&Access> = (0..machine.threads())
            .map(|thread| &accesses[machine.class_of[thread]][machine.local(state, thread) as usize])
            .filter(|access| access.plain.is_some())
            .collect();
        next.iter().enumerate().any(|(at, one)| {
            next[at + 1..].iter().any(|other| one.loc == other.loc && (one.plain == Some(true) || other.plain == Some(true)))
        })
    })
}

fn accesses(machine: &Machine<'_>) -> Vec<Vec<Access>> {
    machine.automata.iter().map(|automaton| (0..automaton.len() as u32).map(|id| automaton.access(id)).collect()).collect()
}

/// Hunts over the graph. The first component says whether what was found is a race.
fn hunt<M: MemoryModel, const W: usize>(
    machine: &Machine<'_>,
    graph: &StateGraph<W>,
    model: &M,
    options: &Options<'_>,
    budget: &Budget<'_>,
) -> Result<(bool, HuntResult), Bound> {
    let ghost = reading(machine.program, options).ghost;
    let shape = Shape {
        threads: machine.threads(),
        locations: machine.program.locations.len() + usize::from(ghost.is_some()),
    };
    let fields = awareness::FIELDS.into_iter().chain(model.fields().iter().copied());
    let layout = ColumnLayout::new(fields, shape);
    let ops = Ops::new(machine);
    let accesses = accesses(machine);
    let futures = if options.reductions.relevance { futures::futures(machine, ghost) } else { futures::no_knowledge(machine) };
    let outlooks = futures::Outlooks::new(machine, graph, &futures);
    let permutations = permutations(machine);
    let hunt = Hunt {
        machine,
        graph,
        model,
        layout: &layout,
        ops: &ops,
        outlooks: &outlooks,
        accesses: &accesses,
        blind: ghost.filter(|_| !options.fences_by_the_letter),
        covering: options.reductions.covering,
        permutations: &permutations,
        budget,
    };
    let races = matches!(options.model, Model::Rc20 | Model::Rc11);
    let prey = all_prey(machine, graph, &ops, &accesses, (options.reductions.classes, races));
    let (races, stale): (Vec<_>, Vec<_>) = prey.into_iter().partition(|prey| prey.race);
    let run = |prey: &[_]| match layout.words {
        1 => hunt.run::<1>(prey, options.jobs),
        2 => hunt.run::<2>(prey, options.jobs),
        3 => hunt.run::<3>(prey, options.jobs),
        4 => hunt.run::<4>(prey, options.jobs),
        _ => hunt.run::<20>(prey, options.jobs),
    };
    let raced = run(&races)?;
    if raced.violation {
        return Ok((true, raced));
    }
    let found = run(&stale)?;
    Ok((
        false,
        HuntResult {
            states: raced.states + found.states,
            transitions: raced.transitions + found.transitions,
            violation: found.violation,
        },
    ))
}

/// Permutations by thread and place; empty where a thread cannot get there.
fn permutations(machine: &Machine<'_>) -> Vec<Vec<Vec<usize>>> {
    let threads = machine.threads();
    (0..threads)
        .map(|thread| {
            (0..threads)
                .map(|place| {
                    let same = machine.class_of[thread] == machine.class_of[place];
                    if same { machine.permutation(thread, place) } else { Vec::new() }
                })
                .collect()
        })
        .collect()
}
