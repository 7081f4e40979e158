//! Small finite instances of a template, decided exactly: is the program at fault, or only the proof? Does what is asserted hold at least there?

use crate::{Claim, Guess, ProofResult, Property};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use steadfast_ir::Program;
use steadfast_lang::{Instance, LEAVES_INSTANCE, Template, parse_instance};
use steadfast_model::Notion;
use steadfast_robust::{Limits, Options, Outcome, Supported, Verdict, check};
use steadfast_span::{SourceFile, Span};

/// An instance may take so many states.
const STATES: u64 = 2_000_000;
/// And so long.
const TIME: Duration = Duration::from_secs(20);

/// How to check instances.
#[derive(Clone, Copy)]
pub struct InstanceOptions<'a> {
    /// The number of worker threads.
    pub jobs: usize,
    /// Ends it when it becomes true.
    pub interrupt: &'a AtomicBool,
}

/// An instance with what `check --model tso` says of it.
#[derive(Clone, Debug)]
pub struct DecidedInstance {
    /// Its size.
    pub instance: Instance,
    /// The program.
    pub program: Program,
    /// The verdict.
    pub outcome: Outcome,
}

/// What small instances showed about robustness.
#[derive(Clone, Debug, Default)]
pub struct SmallInstances {
    /// The first that is not robust.
    pub broken: Option<DecidedInstance>,
    /// Those that are robust.
    pub robust: Vec<Instance>,
}

/// What small instances showed about assertions.
#[derive(Clone, Debug, Default)]
pub struct SmallAssertions {
    /// One in which an assertion fails.
    pub failing: Option<DecidedInstance>,
    /// One whose abstraction fails although it does not fail itself.
    pub coarse: Option<Instance>,
    /// Those in which none fails.
    pub holding: Vec<Instance>,
}

/// What small instances add to an attempt to prove.
#[derive(Clone, Debug, Default)]
pub struct InstanceResults {
    /// About robustness, if there is no proof of it.
    pub robustness: Option<SmallInstances>,
    /// About assertions, if there is a proof, but not of those.
    pub assertions: Option<SmallAssertions>,
}

impl InstanceResults {
    /// Checks what an attempt to prove has left open.
    pub fn of(file: &SourceFile, template: &Template, outcome: &ProofResult, options: InstanceOptions<'_>) -> Self {
        let search = Search { file, template, options };
        let proof = match outcome {
            ProofResult::Proved(proof) => Some(proof),
            ProofResult::NotProved(_) => None,
            ProofResult::Inconclusive(_) | ProofResult::Unsupported(_) => return Self::default(),
        };
        let is_robust = proof.is_some_and(|proof| proof.claim != Claim::SafeByAbstraction);
        let open = proof.filter(|proof| matches!(proof.property, Property::Unknown(_)));
        Self {
            robustness: (!is_robust).then(|| search.robustness()),
            assertions: open.map(|proof| search.assertions(&proof.guesses)),
        }
    }
}

struct Search<'a> {
    file: &'a SourceFile,
    template: &'a Template,
    options: InstanceOptions<'a>,
}

impl Search<'_> {
    fn robustness(&self) -> SmallInstances {
        let mut found = SmallInstances::default();
        for instance in self.growing() {
            let Some(decided) = self.decided(self.file, instance) else { break };
            match &decided.outcome.verdict {
                Verdict::NotRobust(_) => {
                    found.broken = Some(decided);
                    break;
                }
                verdict if holds(verdict) => found.robust.push(instance),
                _ => break,
            }
        }
        found
    }

    /// Checks the assertions in instances of the abstraction, under SC.
    fn assertions(&self, guesses: &[(Span, Guess)]) -> SmallAssertions {
        let mut found = SmallAssertions::default();
        let abstraction = SourceFile::new(self.file.name(), abstracted(self.file, guesses));
        for instance in self.growing() {
            let Some(decided) = self.decided(&abstraction, instance) else { break };
            match &decided.outcome.verdict {
                Verdict::Failed(_) => {
                    let own = self.decided(self.file, instance);
                    found.failing = own.filter(|own| matches!(own.outcome.verdict, Verdict::Failed(_)));
                    found.coarse = found.failing.is_none().then_some(instance);
                    break;
                }
                Verdict::NotRobust(_) => found.holding.push(instance),
                verdict if holds(verdict) => found.holding.push(instance),
                _ => break,
            }
        }
        found
    }

    /// Instances of growing size.
    fn growing(&self) -> impl Iterator<Item = Instance> {
        let copies = if self.template.many.contains(&true) { &[2, 3][..] } else { &[1] };
        let sizes = copies.iter().flat_map(|&copies| [4, 8].map(|values| (copies, values)));
        sizes
            .map(|(copies, values)| Instance { copies, values, cells: u32::from(values) })
            .take_while(|_| !self.options.interrupt.load(Ordering::Relaxed))
    }

    fn decided(&self, file: &SourceFile, instance: Instance) -> Option<DecidedInstance> {
        let program = parse_instance(file, instance).program?;
        let options = Options {
            // As the proof does: a failed round of a spin loop is a read like any other.
            spin: false,
            limits: Limits { states: Some(STATES), memory: None, time: Some(TIME) },
            jobs: self.options.jobs,
            interrupt: Some(self.options.interrupt),
            ..Options::new(Supported::Tso, Notion::Graph)
        };
        let outcome = check(&program, &options);
        Some(DecidedInstance { instance, program, outcome })
    }
}

/// Whether nothing was found, at least as far as integers stay within the instance.
fn holds(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Robust => true,
        Verdict::Unsupported(why) => *why == LEAVES_INSTANCE,
        _ => false,
    }
}

/// The text with the loads abstracted.
fn abstracted(file: &SourceFile, guesses: &[(Span, Guess)]) -> String {
    let mut text = file.text().to_owned();
    let mut guesses = guesses.to_vec();
    guesses.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, guess) in guesses {
        text.replace_range(span.start as usize..span.end as usize, &abstracted_load(guess, file.snippet(span)));
    }
    text
}

/// An abstracted load in the syntax of the language, from how the load is written.
pub fn abstracted_load(guess: Guess, load: &str) -> String {
    let Some((place, _)) = load.rsplit_once(".load") else { return load.to_owned() };
    match guess {
        Guess::AtMost => format!("{place}.load_at_most()"),
        Guess::AtLeast => format!("{place}.load_at_least()"),
        Guess::Or(number) => format!("{place}.load_or({number})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_lang::parse_template;

    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn searched<A>(text: &str, interrupt: &AtomicBool, ask: impl FnOnce(&Search<'_>) -> A) -> A {
        let file = SourceFile::new("test.sf", text);
        let template = parse_template(&file).1.unwrap();
        ask(&Search { file: &file, template: &template, options: InstanceOptions { jobs: 1, interrupt } })
    }

    const SB: &str = "atomic<int> x; atomic<int> y;
threads a { x.store(1); let r = y.load(); }
threads b { y.store(1); let s = x.load(); }
";

    fn robustness(search: &Search<'_>) -> SmallInstances {
        search.robustness()
    }

    #[test]
    fn an_instance_shows_that_the_program_is_at_fault() {
        let found = searched(SB, &GO_ON, robustness);
        let broken = found.broken.unwrap();
        assert_eq!((broken.instance.copies, broken.instance.values), (2, 4));
        assert!(matches!(broken.outcome.verdict, Verdict::NotRobust(_)) && found.robust.is_empty());
    }

    #[test]
    fn instances_grow_as_long_as_they_are_robust() {
        let alone = "atomic<int> x; threads a { x.store(1); }";
        let sizes: Vec<_> = searched(alone, &GO_ON, robustness).robust;
        assert_eq!(
            sizes.iter().map(|one| (one.copies, one.values)).collect::<Vec<_>>(),
            [(2, 4), (2, 8), (3, 4), (3, 8)]
        );
        assert!(searched(alone, &AtomicBool::new(true), robustness).robust.is_empty());
    }

    #[test]
    fn assertions_fail_in_the_program_or_only_in_its_abstraction() {
        let fails = "atomic<int> x; thread a { x.store(1); assert(x.load() == 2); }";
        assert!(searched(fails, &GO_ON, |search| search.assertions(&[])).failing.is_some());
        let load = "x.load()";
        let holds = "atomic<int> x; thread a { x.store(1); let r = x.load(); assert(r == 1); }";
        let start = holds.find(load).unwrap() as u32;
        let guess = (Span::new(start, start + load.len() as u32), Guess::AtMost);
        let found = searched(holds, &GO_ON, |search| search.assertions(&[guess]));
        assert!(found.failing.is_none() && found.coarse.is_some(), "{found:?}");
        assert!(searched(holds, &GO_ON, |search| search.assertions(&[])).coarse.is_none());
    }

    #[test]
    fn abstracted_loads_are_loads_of_the_language() {
        assert_eq!(abstracted_load(Guess::AtMost, "a[i].load(acquire)"), "a[i].load_at_most()");
        assert_eq!(abstracted_load(Guess::Or(3), "x.load()"), "x.load_or(3)");
        assert_eq!(abstracted_load(Guess::AtLeast, "x.load_at_least()"), "x.load_at_least()");
    }
}
