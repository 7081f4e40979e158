//! A lower bound for the probability that one run under a random schedule shows the checker's violation.
//!
//! The checker's witness is a run under SC. The runtime's answer about an access depends only on what comes before that access in the execution graph. So the violation shows in every run with
//! the same steps, as far as the access depends on them, if steps of the same thread and conflicting steps keep their order. The random schedule gives the turn to each of `k` threads with a probability of at
//! least 1/k; so the number of such orders, divided by k to the power of their length, is a lower bound. It is small: other runs show the violation, too.
//!
//! Steps are those of the runtime's scheduler: atomic accesses and fences, and one at the beginning, after the barrier. Plain accesses belong to the step before them.

use std::collections::BTreeMap;
use steadfast_ir::{FenceOrder, Instr, Pc, Program};
use steadfast_robust::{RunStep, Witness};
use steadfast_span::Index;

/// A step of the witness.
struct WitnessStep {
    thread: usize,
    /// Its number among the steps of its thread; 0 is the beginning.
    number: usize,
    pc: Pc,
    /// The location, and whether it writes. `seq_cst` fences conflict with each other, for the models in which they do.
    touches: Option<(usize, bool)>,
}

/// A lower bound for the probability. Zero if the witness has a spurious failure, which never happens on x86.
pub(super) fn of(program: &Program, witness: &Witness) -> f64 {
    let steps = steps(program, witness);
    let needed = needed(&steps, witness);
    let last = steps.len() - 1;
    let instruction = |step: &WitnessStep| &program.threads.as_slice()[step.thread].code[step.pc].op;
    let is_spurious = |at: &usize| *at != last && matches!(instruction(&steps[*at]), Instr::Cas { spurious: true, .. });
    if needed.iter().any(is_spurious) {
        return 0.0;
    }
    let threads = program.threads.len();
    // For each thread, how many steps are needed, and for each of these the steps of other threads that must come first.
    let mut lengths = vec![0; threads];
    let mut first: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (position, &at) in needed.iter().enumerate() {
        let step = &steps[at];
        lengths[step.thread] = lengths[step.thread].max(step.number + 1);
        let before = needed[..position].iter().map(|&earlier| &steps[earlier]);
        let before = before.filter(|earlier| earlier.thread != step.thread && conflict(earlier, step));
        let before = before.map(|earlier| (earlier.thread, earlier.number));
        first.entry((step.thread, step.number)).or_default().extend(before);
    }
    orders(&lengths, &first) * choices(program, &steps, &needed)
}

fn steps(program: &Program, witness: &Witness) -> Vec<WitnessStep> {
    let mut numbers = vec![0; program.threads.len()];
    let fences = program.locations.len();
    let step = |step: &RunStep| {
        let (thread, pc) = (step.place.thread.index(), step.place.pc);
        let event = step.event.map(|event| witness.execution.event(event));
        let is_plain = event.is_some_and(|event| event.kind.is_plain());
        numbers[thread] += usize::from(!is_plain);
        let is_fence = program.threads.as_slice()[thread].code[pc].op == Instr::Fence(FenceOrder::SeqCst);
        let access = event.and_then(|event| Some((event.location?.index(), event.kind.writes())));
        let touches = if is_fence { Some((fences, true)) } else { access };
        WitnessStep { thread, number: numbers[thread], pc, touches }
    };
    witness.run.iter().chain([&witness.step]).map(step).collect()
}

fn conflict(one: &WitnessStep, other: &WitnessStep) -> bool {
    matches!((one.touches, other.touches), (Some((x, writes)), Some((y, also_writes))) if x == y && (writes || also_writes))
}

/// The steps that the last one depends on, in their order; for a race, also the steps that the first access depends on.
fn needed(steps: &[WitnessStep], witness: &Witness) -> Vec<usize> {
    let is_first = |at: usize| {
        witness.race().is_some_and(|(first, _)| witness.run.get(at).is_some_and(|step| step.event == Some(first)))
    };
    let mut needed: Vec<usize> = Vec::new();
    for at in (0..steps.len()).rev() {
        let depends = |&later: &usize| steps[later].thread == steps[at].thread || conflict(&steps[at], &steps[later]);
        if at == steps.len() - 1 || is_first(at) || needed.iter().any(depends) {
            needed.push(at);
        }
    }
    needed.reverse();
    needed
}

/// The probability of all orders together: step by step, the probability that each thread has come this far.
fn orders(lengths: &[usize], first: &BTreeMap<(usize, usize), Vec<(usize, usize)>>) -> f64 {
    let share = one_of(lengths.len());
    let mut reached = BTreeMap::from([(vec![0; lengths.len()], 1.0)]);
    for _ in 0..lengths.iter().sum() {
        let mut next: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for (progress, probability) in reached {
            for thread in 0..lengths.len() {
                let number = progress[thread];
                let before = first.get(&(thread, number)).map_or(&[][..], Vec::as_slice);
                if number < lengths[thread] && before.iter().all(|&(other, at)| progress[other] > at) {
                    let mut further = progress.clone();
                    further[thread] += 1;
                    *next.entry(further).or_default() += probability * share;
                }
            }
        }
        reached = next;
    }
    reached.values().sum()
}

/// The probability that threads choose as in the witness. The checker's own choices, for weak compare-exchanges, do not count.
fn choices(program: &Program, steps: &[WitnessStep], needed: &[usize]) -> f64 {
    let mut probability = 1.0;
    for (thread, code) in program.threads.iter().map(|thread| &thread.code).enumerate() {
        let own = needed.iter().map(|&at| &steps[at]).filter(|step| step.thread == thread);
        let Some(last) = own.map(|step| step.pc).max() else { continue };
        for (pc, instruction) in code.enumerated().filter(|&(pc, _)| pc < last) {
            let next = code.get(Pc::new(pc.index() + 1)).map(|next| &next.op);
            if let (Instr::Choose(targets), false) =
                (&instruction.op, matches!(next, Some(Instr::Cas { spurious: true, .. })))
            {
                probability *= one_of(targets.len());
            }
        }
    }
    probability
}

/// The probability of one of `count` equal choices. There are only a few threads and jump targets.
fn one_of(count: usize) -> f64 {
    1.0 / f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
