//! One check from start to end.

use crate::automaton::{NextAccess, Reading};
use crate::awareness;
use crate::by_translation;
use crate::chunks;
use crate::decision::{Decision, Finding};
use crate::early_search::{self, Benefit, EarlySearch};
use crate::explored::{Explored, MachineGraph};
use crate::flow::Flow;
use crate::joint::{self, MOST_LANES, Trace};
use crate::machine::{self, Layout, Machine, MachineOptions};
use crate::models::{MemoryModel, Shape, WithRules};
use crate::monitor_layout::{MonitorLayout, WIDEST};
use crate::ops::Ops;
use crate::options::{Options, Outcome, Place, Statistics, Verdict};
use crate::remaining::{self, Sites};
use crate::stale_writes::ValueClasses;
use crate::sweep::SweepResult;
use crate::tracker::Tracker;
use crate::witness::{self, Found, Goal, Witness};
use steadfast_explore::{Bound, Budget, StateGraph, StateId, parallel_map, reach};
use steadfast_ir::values::ValueAnalysis;
use steadfast_ir::{FenceOrder, Instr, Program, ThreadId};
use steadfast_model::{Notion, Orderings, ViolationKind};
use steadfast_span::Index;

/// How wide a local state's number can be, if it does not fit into what was tried first.
const LOCAL_BITS: [u32; 4] = [8, 12, 18, 24];
/// More threads or locations than this do not fit the words that the monitors use.
pub(crate) const LARGEST: usize = 63;

/// Decides a question about a program.
pub fn check(program: &Program, options: &Options<'_>) -> Outcome {
    let budget = Budget::new(options.limits.clone(), options.interrupt, options.observer);
    let mut outcome = Outcome {
        verdict: Verdict::Unsupported(String::new()),
        statistics: Statistics::default(),
        spins: Vec::new(),
        deadlock: Vec::new(),
        translated: Vec::new(),
    };
    if let Some(problem) = too_large(program, options).or_else(|| meaningless(program, options)) {
        outcome.verdict = Verdict::Unsupported(problem);
        return outcome;
    }
    let analysis = ValueAnalysis::of(program);
    if options.reductions.translation
        && !has_bounds(program)
        && by_translation::decides(program, options, &budget, &mut outcome)
    {
        outcome.verdict = Verdict::Robust;
        outcome.statistics.peak_bytes = budget.peak_bytes();
        outcome.statistics.seconds = budget.elapsed().as_secs_f64();
        return outcome;
    }
    for bits in widths(options) {
        let layout = Layout::new(program, &analysis, bits);
        let question = Question { program, analysis: &analysis, options, budget: &budget, coarse: false };
        let verdict = match layout.words {
            1 => question.answer::<1>(layout, &mut outcome),
            2 => question.answer::<2>(layout, &mut outcome),
            3 | 4 => question.answer::<4>(layout, &mut outcome),
            5..=8 => question.answer::<8>(layout, &mut outcome),
            9..=32 => question.answer::<32>(layout, &mut outcome),
            words => Some(Verdict::Unsupported(format!("a state of the program needs {} bits", words * 64))),
        };
        if let Some(verdict) = verdict {
            outcome.verdict = verdict;
            break;
        }
        outcome.verdict = Verdict::Unsupported("a thread has more than 2^24 local states".into());
    }
    outcome.statistics.peak_bytes = budget.peak_bytes();
    outcome.statistics.seconds = budget.elapsed().as_secs_f64();
    outcome
}

/// How wide a local state's number may be: each is tried when those before it did not suffice.
pub(crate) fn widths(options: &Options<'_>) -> impl Iterator<Item = u32> {
    let first = options.local_bits.min(31);
    std::iter::once(first).chain(LOCAL_BITS.into_iter().filter(move |&wider| wider > first))
}

pub(crate) fn too_large(program: &Program, options: &Options<'_>) -> Option<String> {
    let (threads, locations) = (program.threads.len(), program.locations.len());
    if threads > LARGEST {
        return Some(format!("{threads} threads; the limit is {LARGEST}"));
    }
    if locations > LARGEST {
        return Some(format!("{locations} shared locations (array cells count singly); the limit is {LARGEST}"));
    }
    let shape = Shape { threads, locations };
    (options.model.with_rules(program, shape, MonitorWords(shape)) > WIDEST).then(|| {
        format!(
            "{threads} threads with {locations} shared locations (array cells count singly); {} cannot follow so many pairs",
            options.model
        )
    })
}

/// How many words the monitor states of a program of this shape have.
struct MonitorWords(Shape);

impl WithRules for MonitorWords {
    type Result = usize;

    fn with(self, rules: &impl MemoryModel) -> usize {
        layout(rules, self.0).words
    }
}

fn layout(model: &impl MemoryModel, shape: Shape) -> MonitorLayout {
    MonitorLayout::new(awareness::FIELDS.into_iter().chain(model.fields().iter().copied()), shape)
}

/// Sections in which no other thread runs are a matter of machines with a bus; the other models have no idea of them.
fn meaningless(program: &Program, options: &Options<'_>) -> Option<String> {
    (machine::has_sections(program) && options.model.orderings() != Orderings::Buffered)
        .then(|| "locked sections with several accesses have a meaning under TSO only".into())
}

/// Whether the program has bounds of its own, which a translation would move.
fn has_bounds(program: &Program) -> bool {
    let is_bound = |op: &Instr| matches!(op, Instr::Bound { .. } | Instr::Exclusive(_));
    program.threads.iter().any(|thread| thread.code.iter().any(|instruction| is_bound(&instruction.op)))
}

/// What is asked, with what every step of the answer needs.
pub(crate) struct Question<'a> {
    pub(crate) program: &'a Program,
    pub(crate) analysis: &'a ValueAnalysis,
    pub(crate) options: &'a Options<'a>,
    pub(crate) budget: &'a Budget<'a>,
    /// Whether values must not be told apart at all, because they are relative.
    pub(crate) coarse: bool,
}

impl<'a> Question<'a> {
    /// How the model reads accesses. The ghost location of `seq_cst` fences has the number behind the last real one.
    pub(crate) fn reading(&self) -> Reading {
        let is_fence = |op: &Instr| *op == Instr::Fence(FenceOrder::SeqCst);
        let has_fence = self.program.threads.iter().any(|thread| thread.code.iter().any(|i| is_fence(&i.op)));
        let model = self.options.model;
        let has_ghost = has_fence && model.fences_are_updates();
        Reading {
            strengthen: model.orderings() == Orderings::Uniform,
            buffered: model.orderings() == Orderings::Buffered,
            ghost: has_ghost.then_some(self.program.locations.len() as u16),
            spin: self.options.spin,
        }
    }

    fn machine(&self, layout: Layout, symmetry: bool) -> Machine<'a> {
        let options = MachineOptions { reading: self.reading(), symmetry, translation: None };
        Machine::new(self.program, self.analysis, layout, options)
    }

    /// None: the layout was too narrow.
    fn answer<const W: usize>(&self, layout: Layout, outcome: &mut Outcome) -> Option<Verdict> {
        let local_bits = layout.local_bits;
        let machine = self.machine(layout, self.options.reductions.symmetry);
        let search = |most| self.witness::<W>(&machine, Goal::Stale, most);
        let benefit =
            if self.options.notion == Notion::Graph { early_search::benefit(self.program) } else { Benefit::None };
        let early_search = EarlySearch::new(&machine, self.budget, benefit, &search);
        let (graph, bound) = reach::<W, _>(&early_search, self.options.jobs, self.budget);
        if machine.overflowed() {
            return None;
        }
        self.describe_program(&machine, &graph, outcome);
        if machine.failed() {
            return Some(self.failure::<W>(&machine));
        }
        let found = early_search.found();
        // States that were not explored yet have no edges, and look like final ones.
        let whole = bound.is_none() && !(found.is_some() && benefit == Benefit::Ends);
        let states = graph.len() as u64;
        let explored = Box::new(MachineGraph { machine: &machine, graph });
        if whole {
            outcome.deadlock = deadlock(&machine, &*explored, self.options.jobs);
        }
        if let Some(found) = found {
            outcome.statistics.program_states = found.states.max(states);
            outcome.statistics.monitor_states = found.monitor_states;
            return Some(self.shown(found.witness, Verdict::NotRobust));
        }
        if let Some(bound) = bound {
            return Some(Verdict::Inconclusive(bound));
        }
        if racy(&machine, &*explored) {
            return Some(self.shown(self.nearest::<W>(&machine, Goal::Race), Verdict::Race));
        }
        let remaining = if self.options.reductions.relevance {
            remaining::remaining_accesses(&machine, self.reading().ghost)
        } else {
            remaining::anything(&machine)
        };
        let sites = Sites::new(
            &machine,
            &*explored,
            &remaining,
            self.options.notion == Notion::Observational || self.options.joint,
            self.options.jobs,
        );
        let finding = match self.search(&machine, explored, &sites, &mut outcome.statistics) {
            Err(bound) => return Some(Verdict::Inconclusive(bound)),
            Ok(finding) => finding,
        };
        Some(match finding {
            Finding::Nothing => match machine.exceeded() {
                Some(bound) => Verdict::Unsupported(bound.into()),
                None => Verdict::Robust,
            },
            Finding::Race => self.shown(self.nearest::<W>(&machine, Goal::Race), Verdict::Race),
            Finding::Stale => self.shown(self.nearest::<W>(&machine, Goal::Stale), Verdict::NotRobust),
            Finding::TooWide => Verdict::Unsupported(format!(
                "its values and plain locations make more than {MOST_LANES} things to follow together"
            )),
            Finding::Observed => self.shown(self.observed_witness::<W>(local_bits), |witness| match witness.kind {
                ViolationKind::Race => Verdict::Race(witness),
                _ => Verdict::NotRobust(witness),
            }),
        })
    }

    /// The verdict on a machine that was seen to fail.
    pub(crate) fn failure<const W: usize>(&self, machine: &Machine<'_>) -> Verdict {
        self.shown(self.nearest::<W>(machine, Goal::Failure), Verdict::Failed)
    }

    /// The verdict with its witness. A violation that cannot be shown is not claimed: if no bound ended the search for the witness, two searches contradict each other.
    fn shown(&self, witness: Option<Witness>, verdict: impl FnOnce(Box<Witness>) -> Verdict) -> Verdict {
        let Some(witness) = witness else {
            return match self.budget.check() {
                Err(bound) => Verdict::Inconclusive(bound),
                Ok(()) => {
                    Verdict::Unsupported("a violation was found, but no run that shows it; please report this".into())
                }
            };
        };
        let verdict = verdict(Box::new(witness));
        if self.options.notion == Notion::Graph
            && let Verdict::NotRobust(witness) = &verdict
        {
            self.insist_on_confirmation(witness);
        }
        verdict
    }

    /// The search and the axioms share nothing but the program. If they disagree about a graph, one of them is wrong, and so is every verdict.
    fn insist_on_confirmation(&self, witness: &Witness) {
        let (model, program) = (self.options.model, &self.program.name);
        assert!(
            witness.confirmed,
            "the axioms of {model} do not confirm the witness for `{program}`; please report this"
        );
    }

    fn describe_program<const W: usize>(&self, machine: &Machine<'_>, graph: &StateGraph<W>, outcome: &mut Outcome) {
        let statistics = &mut outcome.statistics;
        statistics.program_states = graph.len() as u64;
        statistics.program_transitions = graph.edge_count() as u64;
        statistics.local_states = machine.automata.iter().map(|automaton| automaton.len() as u64).sum();
        statistics.program_seconds = self.budget.elapsed().as_secs_f64();
        let mut spins: Vec<Place> = (0..machine.threads())
            .flat_map(|thread| {
                let automaton = &machine.automata[machine.class_of[thread]];
                let spinning =
                    (0..automaton.len() as u32).map(|id| automaton.access(id)).filter(|a| !a.spins.is_empty());
                spinning.map(move |access| place(machine, thread, access.pc)).collect::<Vec<_>>()
            })
            .collect();
        spins.sort_unstable();
        spins.dedup();
        outcome.spins = spins;
    }

    /// Searches the graph, which is given up as soon as it is not needed any more.
    pub(crate) fn search<'g>(
        &'g self,
        machine: &'g Machine<'g>,
        graph: Box<dyn Explored + 'g>,
        sites: &'g Sites,
        statistics: &mut Statistics,
    ) -> Result<Finding, Bound> {
        let (finding, found) = self.with_rules(Search { question: self, machine, graph, sites })?;
        statistics.monitor_states = found.states;
        statistics.monitor_transitions = found.transitions;
        Ok(finding)
    }

    fn with_rules<W: WithRules>(&self, work: W) -> W::Result {
        self.options.model.with_rules(self.program, self.shape(), work)
    }

    fn shape(&self) -> Shape {
        let ghost = usize::from(self.reading().ghost.is_some());
        Shape { threads: self.program.threads.len(), locations: self.program.locations.len() + ghost }
    }

    fn layout(&self, model: &impl MemoryModel) -> MonitorLayout {
        layout(model, self.shape())
    }

    fn tracker<'t, M: MemoryModel>(&self, model: &'t M, layout: &'t MonitorLayout) -> Tracker<'t, M> {
        let unobserved_ghost = self.reading().ghost.filter(|_| !self.options.fences_by_the_letter);
        Tracker { model, layout, unobserved_ghost }
    }

    fn decision<'d, M: MemoryModel>(
        &'d self,
        (machine, graph, sites): (&'d Machine<'d>, Box<dyn Explored + 'd>, &'d Sites),
        tracker: Tracker<'d, M>,
        budget: &'d Budget<'d>,
    ) -> Decision<'d, M> {
        let accesses = accesses(machine);
        let values = ValueClasses::new(&accesses, self.options.reductions.classes);
        let ops = Ops::new(machine, &values);
        let together = self.options.notion == Notion::Observational || self.options.joint;
        let workers = if graph.order().len() < self.options.parallel_from { 1 } else { self.options.jobs };
        let flow = if together {
            joint::flow(machine, &*graph, (&ops, sites), &accesses, workers)
        } else {
            Flow::new(&*graph, &ops, sites, None, workers)
        };
        budget.add(0, flow.bytes() as u64);
        let graph = if together {
            Some(graph)
        } else {
            budget.release(graph.bytes() as u64);
            None
        };
        Decision {
            machine,
            graph,
            sites,
            tracker,
            ops,
            flow,
            accesses,
            permutations: permutations(machine),
            coarse: self.coarse,
            options: self.options,
            budget,
        }
    }

    /// A shortest witness of something that is known to exist.
    fn nearest<const W: usize>(&self, machine: &Machine<'_>, goal: Goal) -> Option<Witness> {
        self.witness::<W>(machine, goal, usize::MAX).witness
    }

    /// Searches for a shortest witness, in which threads keep their names.
    fn witness<const W: usize>(&self, machine: &Machine<'_>, goal: Goal, most: usize) -> Found {
        let machine = machine.without_symmetry();
        self.with_rules(WitnessSearch::<W> { question: self, machine: &machine, goal, most })
    }

    /// The same for the observational notion: the joint search once more, breadth first.
    fn observed_witness<const W: usize>(&self, local_bits: u32) -> Option<Witness> {
        let machine = self.machine(Layout::new(self.program, self.analysis, local_bits), false);
        self.with_rules(ObservedWitness::<W> { question: self, machine: &machine })
    }
}

/// Searches the state graph of the program for a violation.
struct Search<'g> {
    question: &'g Question<'g>,
    machine: &'g Machine<'g>,
    graph: Box<dyn Explored + 'g>,
    sites: &'g Sites,
}

impl WithRules for Search<'_> {
    type Result = Result<(Finding, SweepResult), Bound>;

    fn with(self, rules: &impl MemoryModel) -> Self::Result {
        let layout = self.question.layout(rules);
        let tracker = self.question.tracker(rules, &layout);
        self.question.decision((self.machine, self.graph, self.sites), tracker, self.question.budget).decide()
    }
}

/// Searches for a shortest witness. `W` is the number of words of a state.
struct WitnessSearch<'g, const W: usize> {
    question: &'g Question<'g>,
    machine: &'g Machine<'g>,
    goal: Goal,
    most: usize,
}

impl<const W: usize> WithRules for WitnessSearch<'_, W> {
    type Result = Found;

    fn with(self, rules: &impl MemoryModel) -> Found {
        let Self { question, machine, goal, most } = self;
        let layout = question.layout(rules);
        let tracker = question.tracker(rules, &layout);
        witness::search::<_, W>(machine, &tracker, (question.options, question.budget), goal, most)
    }
}

/// Searches for a witness of a violation that the program can observe.
struct ObservedWitness<'g, const W: usize> {
    question: &'g Question<'g>,
    machine: &'g Machine<'g>,
}

impl<const W: usize> WithRules for ObservedWitness<'_, W> {
    type Result = Option<Witness>;

    fn with(self, rules: &impl MemoryModel) -> Option<Witness> {
        let Self { question, machine } = self;
        let (graph, bound) = reach::<W, _>(machine, 1, question.budget);
        if bound.is_some() || machine.overflowed() {
            return None;
        }
        let graph = Box::new(MachineGraph { machine, graph });
        let remaining = remaining::remaining_accesses(machine, question.reading().ghost);
        let sites = Sites::new(machine, &*graph, &remaining, true, 1);
        let layout = question.layout(rules);
        let tracker = question.tracker(rules, &layout);
        let decision = question.decision((machine, graph, &sites), tracker, question.budget);
        let trace = decision.trace()?;
        let graph = decision.graph.as_deref()?;
        let start = graph.initial().iter().find_map(|&id| {
            let mut locals = vec![0; machine.threads()];
            graph.locals(id, &mut locals);
            leads_along(machine, &locals, &trace).then_some(locals)
        })?;
        witness::observed(machine, &decision.tracker, question.options, &start, &trace)
    }
}

/// Whether a trace can start with these local states.
fn leads_along(machine: &Machine<'_>, locals: &[u32], trace: &Trace) -> bool {
    let mut moved = vec![false; locals.len()];
    trace.steps.iter().all(|&(label, _)| {
        let label = machine.label(label);
        let first = !std::mem::replace(&mut moved[label.thread], true);
        !first || machine.transition(label.transition).source == locals[label.thread]
    })
}

fn place(machine: &Machine<'_>, thread: usize, pc: steadfast_ir::Pc) -> Place {
    let thread = ThreadId::new(thread);
    Place { thread, pc, span: machine.program.threads[thread].code[pc].span }
}

/// Whether two threads are somewhere both about to access a plain location, and one of them to write it.
fn racy(machine: &Machine<'_>, graph: &dyn Explored) -> bool {
    let accesses = accesses(machine);
    if !accesses.iter().flatten().any(|access| access.plain.is_some()) {
        return false;
    }
    graph.ids().any(|id| {
        let next: Vec<&NextAccess> = (0..machine.threads())
            .map(|thread| &accesses[machine.class_of[thread]][graph.local(id, thread) as usize])
            .filter(|access| access.plain.is_some())
            .collect();
        next.iter().enumerate().any(|(at, one)| {
            let writes = |access: &NextAccess| access.plain == Some(true);
            next[at + 1..].iter().any(|other| one.loc == other.loc && (writes(one) || writes(other)))
        })
    })
}

/// The threads that are blocked for good in some final state; of all such states the least, so that the answer is always the same.
fn deadlock(machine: &Machine<'_>, graph: &dyn Explored, jobs: usize) -> Vec<Place> {
    let accesses = accesses(machine);
    let blocked = |id: StateId| -> Vec<Place> {
        let next = |thread: usize| &accesses[machine.class_of[thread]][graph.local(id, thread) as usize];
        let blocked = (0..machine.threads()).filter(|&thread| !next(thread).halted);
        blocked.map(|thread| place(machine, thread, next(thread).pc)).collect()
    };
    let order = graph.order();
    let first = parallel_map(chunks::ranges(order.len(), jobs), |range| {
        let ends = order[range].iter().filter(|&&id| graph.edges(id).is_empty());
        ends.map(|&id| blocked(id)).filter(|places| !places.is_empty()).min()
    });
    first.into_iter().flatten().min().unwrap_or_default()
}

fn accesses(machine: &Machine<'_>) -> Vec<Vec<NextAccess>> {
    machine
        .automata
        .iter()
        .map(|automaton| (0..automaton.len() as u32).map(|id| automaton.access(id)).collect())
        .collect()
}

/// Permutations by thread and place; empty where a thread cannot get there.
fn permutations(machine: &Machine<'_>) -> Vec<Vec<Vec<usize>>> {
    let threads = 0..machine.threads();
    let same = |thread: usize, place: usize| machine.class_of[thread] == machine.class_of[place];
    let entry = |thread, place| if same(thread, place) { machine.permutation(thread, place) } else { Vec::new() };
    threads.clone().map(|thread| threads.clone().map(|place| entry(thread, place)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Supported;
    use steadfast_lang::Dialect;
    use steadfast_span::SourceFile;

    #[test]
    #[should_panic(expected = "the axioms of rc20 do not confirm the witness")]
    fn a_violation_that_the_axioms_do_not_confirm_is_an_internal_error() {
        let text = include_str!("../../../corpus/litmus/sb.sf");
        let file = SourceFile::new("sb.sf", text.to_owned());
        let program = steadfast_lang::parse(&file, Dialect::Steadfast).program.expect("it is a program");
        let options = Options::new(Supported::Rc20, Notion::Graph);
        let Verdict::NotRobust(mut witness) = check(&program, &options).verdict else { return };
        witness.confirmed = false;
        let (analysis, budget) = (ValueAnalysis::of(&program), Budget::new(options.limits.clone(), None, None));
        let question =
            Question { program: &program, analysis: &analysis, options: &options, budget: &budget, coarse: false };
        question.shown(Some(*witness), Verdict::NotRobust);
    }
}
