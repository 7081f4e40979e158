//! The checker as its own twin: settings that must change neither the answer nor the witness.

use crate::edit::has_loop;
use crate::judgement::{Difference, ask};
use crate::question::Answer;
use steadfast_ir::Program;
use steadfast_model::Notion;
use steadfast_robust::{Options, Outcome, Reductions, RunStep, Verdict};

/// How many of the settings that must not matter are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// No reduction at all, no symmetry, all writes together, two workers.
    Quick,
    /// Every set of reductions, and everything else.
    #[default]
    Thorough,
}

/// Compares an outcome with those of other settings.
pub(crate) fn agree(
    program: &Program,
    options: &Options<'_>,
    depth: Depth,
    outcome: &Outcome,
) -> Result<(), Difference> {
    for (name, variant) in variants(program, options, depth) {
        let other = ask(program, &variant)?;
        let robust = matches!(outcome.verdict, Verdict::Robust);
        // Where the search ends with a violation, it need not have come across every deadlock.
        // Nor does translation look for them.
        let translated = !other.translated.is_empty() || !outcome.translated.is_empty();
        let deadlocks_differ = robust && !translated && other.deadlock.is_empty() != outcome.deadlock.is_empty();
        if Answer::of(&other.verdict) != Answer::of(&outcome.verdict) || deadlocks_differ {
            return Err(Difference::Variant(name));
        }
        if options.notion == Notion::Graph && !same_witness(&outcome.verdict, &other.verdict) {
            return Err(Difference::OtherWitness(name));
        }
    }
    Ok(())
}

fn variants<'a>(program: &Program, options: &Options<'a>, depth: Depth) -> Vec<(String, Options<'a>)> {
    let sets = match depth {
        Depth::Quick => vec![Reductions::NONE, Reductions { symmetry: false, ..Reductions::ALL }],
        Depth::Thorough => proper_subsets().collect(),
    };
    let mut variants: Vec<(String, Options<'a>)> =
        sets.into_iter().map(|set| (without(set), Options { reductions: set, ..options.clone() })).collect();
    if options.notion == Notion::Graph {
        let joint = Options { joint: true, ..options.clone() };
        variants.push(("jointly".into(), joint.clone()));
        let plain = Options { reductions: Reductions::NONE, ..joint };
        variants.extend((depth == Depth::Thorough).then(|| (format!("jointly, {}", without(Reductions::NONE)), plain)));
    }
    if options.translate_from == 0 {
        let exactly = Reductions { translation: false, ..Reductions::ALL };
        variants.push(("without translation".into(), Options { reductions: exactly, ..options.clone() }));
    }
    // The first do not fit into their fields, and the second make states of several words.
    for local_bits in [1, 31] {
        let packed = Options { local_bits, ..options.clone() };
        variants.push((format!("with local states of {local_bits} bits at first"), packed));
    }
    for jobs in [2, 3] {
        // However small the program is.
        let workers = Options { jobs, parallel_from: 0, ..options.clone() };
        variants.push((format!("with {jobs} workers"), workers));
    }
    // Treating a loop as blocking leaves out reads that somebody may care about; without loops there is nothing to leave out.
    if depth == Depth::Thorough && !program.threads.iter().any(has_loop) {
        variants.push(("without spin detection".into(), Options { spin: false, ..options.clone() }));
    }
    variants
}

/// Every set of reductions but the full one.
fn proper_subsets() -> impl Iterator<Item = Reductions> {
    (0..15_u32).map(|set| {
        let on = |at: u32| set >> at & 1 == 1;
        let mut reductions = Reductions::ALL;
        (reductions.symmetry, reductions.classes) = (on(0), on(1));
        (reductions.relevance, reductions.covering) = (on(2), on(3));
        reductions
    })
}

fn without(set: Reductions) -> String {
    let all = [
        ("symmetry", set.symmetry),
        ("classes", set.classes),
        ("relevance", set.relevance),
        ("covering", set.covering),
    ];
    let off: Vec<&str> = all.into_iter().filter(|&(_, on)| !on).map(|(name, _)| name).collect();
    format!("without {}", off.join(", "))
}

fn same_witness(one: &Verdict, other: &Verdict) -> bool {
    match (one.witness(), other.witness()) {
        (Some(one), Some(other)) => {
            let runs = one.run.iter().zip(&other.run);
            one.run.len() == other.run.len()
                && same_step(&one.step, &other.step)
                && runs.into_iter().all(|(one, other)| same_step(one, other))
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn same_step(one: &RunStep, other: &RunStep) -> bool {
    one.place == other.place && one.event == other.event && one.text == other.text
}
