//! Decides a large program by [translation](crate::translation), if that works.

use crate::automaton::Reading;
use crate::check::Question;
use crate::decision::Finding;
use crate::explored::MachineGraph;
use crate::machine::{Layout, Machine, MachineOptions};
use crate::options::{Options, Outcome};
use crate::remaining::{self, Sites};
use crate::translation::Translation;
use steadfast_explore::{Budget, Limits, reach};
use steadfast_ir::values::{ValueAnalysis, ValueSet};
use steadfast_ir::{LocId, LocKind, Program};
use steadfast_model::Notion;
use steadfast_span::Index;

/// A translated program with more states is not worth exploring.
const LARGE: u64 = 20_000_000;
/// How far behind the base values are told apart, in the order in which this is tried. Small lags can matter; larger ones hardly ever do.
const LAGS: [i32; 2] = [2, 5];
/// How many words a state may have.
const WIDEST: usize = 8;
/// Enough for the local states of a translated thread.
const LOCAL_BITS: u32 = 20;

/// Whether translation proves the program robust. If not, nothing is known.
pub(crate) fn decides(program: &Program, options: &Options<'_>, budget: &Budget<'_>, outcome: &mut Outcome) -> bool {
    let candidates = Translation::candidates(program);
    if candidates.is_empty() || program.locations.iter().any(|location| location.kind == LocKind::Plain) {
        return false;
    }
    let mut analysis = ValueAnalysis::of(program);
    if is_small(program, &analysis, options) {
        return false;
    }
    for translation in candidates {
        for (loc, _) in translation.locations.iter().enumerate().filter(|(_, index)| **index) {
            analysis.locations[LocId::new(loc)] = ValueSet::below(256);
        }
        let proves = |lag| proves(program, &analysis, &translation.with_lag(lag), options, budget, outcome);
        if LAGS.into_iter().any(proves) {
            let others = (0..translation.locations.len()).filter(|&loc| translation.locations[loc]).map(LocId::new);
            outcome.translated =
                [translation.base].into_iter().chain(others.filter(|&loc| loc != translation.base)).collect();
            return true;
        }
    }
    false
}

/// Whether exact exploration ends soon, or is the only way.
fn is_small(program: &Program, analysis: &ValueAnalysis, options: &Options<'_>) -> bool {
    let limits = Limits { states: Some(options.translate_from), ..Limits::default() };
    let budget = Budget::new(limits, options.interrupt, None);
    let question = Question { program, analysis, options, budget: &budget, coarse: true };
    let layout = Layout::new(program, analysis, LOCAL_BITS);
    if layout.words > WIDEST {
        return true;
    }
    let translation = None;
    let options = MachineOptions { reading: question.reading(), symmetry: true, translation };
    let words = layout.words;
    let machine = Machine::new(program, analysis, layout, options);
    let bound = match words {
        1 | 2 => reach::<2, _>(&machine, 1, &budget).1,
        _ => reach::<WIDEST, _>(&machine, 1, &budget).1,
    };
    bound.is_none()
}

/// Whether one translation proves the program robust.
fn proves(
    program: &Program,
    analysis: &ValueAnalysis,
    translation: &Translation,
    options: &Options<'_>,
    budget: &Budget<'_>,
    outcome: &mut Outcome,
) -> bool {
    let layout = Layout::new(program, analysis, LOCAL_BITS);
    match layout.words {
        1 | 2 => proves_with::<2>((program, analysis, layout), translation, options, budget, outcome),
        3..=WIDEST => proves_with::<WIDEST>((program, analysis, layout), translation, options, budget, outcome),
        _ => false,
    }
}

fn proves_with<const W: usize>(
    (program, analysis, layout): (&Program, &ValueAnalysis, Layout),
    translation: &Translation,
    options: &Options<'_>,
    budget: &Budget<'_>,
    outcome: &mut Outcome,
) -> bool {
    let mut coarse = options.clone();
    coarse.notion = Notion::Graph;
    coarse.joint = false;
    // The attempt has its own budget: if it fails, the exact search must still have all of its own.
    coarse.limits.states = Some(options.limits.states.unwrap_or(LARGE).min(LARGE));
    coarse.limits.time = options.limits.time.map(|limit| limit.saturating_sub(budget.elapsed()));
    let attempt = Budget::new(coarse.limits.clone(), options.interrupt, options.observer);
    let question = Question { program, analysis, options: &coarse, budget: &attempt, coarse: true };
    // Spin loops do not block here. That can only add behaviour.
    let reading = Reading { spin: false, ..question.reading() };
    let machine = Machine::new(
        program,
        analysis,
        layout,
        MachineOptions { reading, symmetry: options.reductions.symmetry, translation: Some(translation) },
    );
    let (graph, bound) = reach::<W, _>(&machine, options.jobs, &attempt);
    if bound.is_some() || machine.failed() || machine.overflowed() || !machine.translates() {
        return false;
    }
    let remaining = remaining::remaining_accesses(&machine, reading.ghost);
    let statistics = &mut outcome.statistics;
    statistics.program_states = graph.len() as u64;
    statistics.program_transitions = graph.edge_count() as u64;
    let explored = Box::new(MachineGraph { machine: &machine, graph });
    let sites = Sites::new(&machine, &*explored, &remaining, false, options.jobs);
    statistics.local_states = machine.automata.iter().map(|automaton| automaton.len() as u64).sum();
    statistics.program_seconds = budget.elapsed().as_secs_f64();
    let found = question.search(&machine, explored, &sites, statistics);
    // Steps are also computed during the search, so the side conditions are checked again.
    let proved = matches!(found, Ok(Finding::Nothing)) && machine.translates() && machine.exceeded().is_none();
    if proved {
        budget.add(attempt.progress().states, attempt.peak_bytes());
    }
    proved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Supported, Verdict, check};
    use steadfast_random::Rng;
    use steadfast_span::SourceFile;

    /// A work-stealing deque with one thief. `FENCE` stands between two accesses, `LIMIT` is the bound of the indices.
    const DEQUE: &str = "
        atomic<u8> top = 1;
        atomic<u8> bottom = 1;
        thread owner {
            loop {
                choose {
                    let b = bottom.load(acquire) - 1;
                    bottom.store(b, release);
                    FENCE
                    let t = top.load(acquire);
                    if (b < t) {
                        bottom.store(t, release);
                    } else if (b == t) {
                        let old = top.compare_exchange(t, t + 1, acq_rel, acquire);
                        bottom.store(t + 1, release);
                    }
                } or {
                    let b = bottom.load(acquire);
                    FENCE
                    let t = top.load(acquire);
                    assume(b < LIMIT);
                    if (b <= t + 2) { bottom.store(b + 1, release); }
                }
            }
        }
        thread thief {
            loop {
                FENCE
                let t = top.load(acquire);
                FENCE
                let b = bottom.load(acquire);
                if (b > t) { top.await_cas(t, t + 1, acq_rel); }
            }
        }";

    fn deque(fence: &str, limit: &str) -> Program {
        parsed(&DEQUE.replace("FENCE", fence).replace("LIMIT", limit))
    }

    /// Translates whatever can be translated, however small it is.
    fn translated(program: &Program, options: &Options<'_>) -> bool {
        let budget = Budget::new(Limits { states: Some(300_000), ..Limits::default() }, None, None);
        let mut outcome = check(&deque("", "2"), options);
        Translation::candidates(program).into_iter().any(|translation| {
            let mut analysis = ValueAnalysis::of(program);
            for loc in (0..translation.locations.len()).filter(|&loc| translation.locations[loc]) {
                analysis.locations[LocId::new(loc)] = ValueSet::below(256);
            }
            LAGS.into_iter()
                .any(|lag| proves(program, &analysis, &translation.with_lag(lag), options, &budget, &mut outcome))
        })
    }

    #[test]
    fn translation_proves_a_fenced_deque_whatever_its_bound() {
        for model in [Supported::Ra, Supported::Rc20] {
            let options = Options::new(model, Notion::Graph);
            assert!(translated(&deque("fence(seq_cst);", "200"), &options), "{}", model.name());
            assert!(matches!(check(&deque("fence(seq_cst);", "6"), &options).verdict, Verdict::Robust));
        }
    }

    #[test]
    fn translation_proves_nothing_about_a_deque_without_fences() {
        for model in [Supported::Ra, Supported::Rc20] {
            let options = Options::new(model, Notion::Graph);
            assert!(!translated(&deque("", "200"), &options), "{}", model.name());
            assert!(matches!(check(&deque("", "6"), &options).verdict, Verdict::NotRobust(_)));
        }
    }

    #[test]
    fn an_index_without_an_upper_bound_may_wrap_and_is_not_translated() {
        let source = DEQUE.replace("FENCE", "fence(seq_cst);").replace("assume(b < LIMIT);", "");
        assert!(!translated(&parsed(&source), &Options::new(Supported::Ra, Notion::Graph)));
    }

    /// The deque with fences at some of its places, with weaker orderings, and with another guard: what translation proves must hold for small bounds.
    #[test]
    fn what_translation_proves_holds_at_small_bounds() {
        let (mut proved, mut refuted) = (0, 0);
        for variant in 0..2_u32.pow(6) {
            let mut source = DEQUE.to_owned();
            for place in 0..4 {
                let fence = if variant >> place & 1 == 1 { "fence(seq_cst);" } else { "" };
                source = source.replacen("FENCE", fence, 1);
            }
            if variant >> 4 & 1 == 1 {
                source = source.replace("release", "relaxed");
            }
            if variant >> 5 & 1 == 1 {
                source = source.replace("b <= t + 2", "b <= t");
            }
            let at = |limit: &str| parsed(&source.replace("LIMIT", limit));
            for model in [Supported::Ra, Supported::Rc20, Supported::Tso] {
                let options = Options::new(model, Notion::Graph);
                let robust = |limit| matches!(check(&at(limit), &options).verdict, Verdict::Robust);
                if translated(&at("200"), &options) {
                    proved += 1;
                    assert!(["2", "4", "6"].into_iter().all(robust), "{} {source}", model.name());
                } else if !robust("6") {
                    refuted += 1;
                }
            }
        }
        assert!(proved > 10 && refuted > 10, "{proved} {refuted}");
    }

    fn parsed(source: &str) -> Program {
        let file = SourceFile::new("indices.sf", source);
        let parsed = steadfast_lang::parse(&file, steadfast_lang::Dialect::Steadfast);
        parsed.program.unwrap_or_else(|| panic!("{:?}\n{source}", parsed.diagnostics))
    }

    /// One half of store buffering, which runs where an index is not as expected.
    const HALF: &str = "y.store(1, relaxed); let q = z.load(relaxed); observe(q);";
    const OTHER_HALF: &str = "thread other { z.store(1, relaxed); let q = y.load(relaxed); observe(q); }";

    #[track_caller]
    fn is_not_translated(source: &str) {
        let program = parsed(&format!("atomic<bool> y, z; {} {OTHER_HALF}", source.replace("HALF", HALF)));
        let options = Options::new(Supported::Ra, Notion::Graph);
        assert!(!translated(&program, &options));
        assert!(matches!(check(&program, &options).verdict, Verdict::NotRobust(_)));
    }

    #[test]
    fn an_index_in_a_register_does_not_leave_the_window() {
        is_not_translated(
            "atomic<u8> top = 1, bottom = 1;
             thread owner { loop { let b = bottom.load(acquire); let t = top.load(acquire); assume(b < 200); if (b <= t + 149) { bottom.store(b + 1, release); } } }
             thread bad { let b = bottom.load(acquire); assume(b < 200); let r = b + 10; let t = top.load(acquire); if (r > t + 159) { HALF } }",
        );
    }

    #[test]
    fn an_index_does_not_start_outside_of_the_window() {
        is_not_translated(
            "atomic<u8> top = 1, mid = 1, far = 190;
             thread owner { loop { let b = mid.load(acquire); let t = top.load(acquire); assume(b < 200); if (b <= t + 149) { mid.store(b + 1, release); } } }
             thread bad { let b = mid.load(acquire); let t = top.load(acquire); let f = far.load(acquire); if (b >= t) { if (f > t + 180) { HALF } } }",
        );
    }

    #[test]
    fn nothing_is_computed_from_an_index_that_has_fallen_far_behind() {
        is_not_translated(
            "atomic<u8> top = 1, bottom = 1; atomic<bool> phase, go;
             thread pusher { loop { choose { let t = top.load(acquire); assume(t < 200); top.store(t + 1, release); } or { break; } } phase.store(1, release); }
             thread lagging { let b = top.load(acquire); phase.wait(1, acquire); assume(b < 200); bottom.store(b + 3, release); go.store(1, release); }
             thread bad { go.wait(1, acquire); let x = bottom.load(acquire); let t = top.load(acquire); if (x < t) { HALF } }",
        );
    }

    /// The sum of 2147483395 and 253 exceeds 32 bits.
    #[test]
    fn a_comparison_that_overflows_depends_on_where_the_indices_are() {
        is_not_translated(
            "atomic<u8> top = 240;
             thread owner { loop { let t = top.load(acquire); assume(t < 255); top.store(t + 1, release); } }
             thread bad { let u = top.load(acquire); let t = top.load(acquire); if (t + 2147483395 < u) { HALF } }",
        );
    }

    #[test]
    fn offsets_beyond_32_bits_are_no_offsets() {
        let sum = "2147483647 + 2147483647";
        let source = format!(
            "atomic<u8> top = 1;
             thread a {{ loop {{ let t = top.load(acquire); assume(t + {sum} < 3); top.store(t + {sum} + 3, release); }} }}
             thread b {{ let t = top.load(acquire); assume(t < 0 - 2147483647 - 1); assume(t - 2147483647 - 2 < 5); }}"
        );
        assert!(Translation::candidates(&parsed(&source)).is_empty());
    }

    #[test]
    fn a_program_with_a_wide_state_is_explored_exactly() {
        let wide = DEQUE.replace("FENCE", "").replace("LIMIT", "200").replace("thread thief", "thread thief[30]");
        let limits = Limits { states: Some(50_000), ..Limits::default() };
        let outcome = check(&parsed(&wide), &Options { limits, ..Options::new(Supported::Ra, Notion::Graph) });
        assert!(matches!(outcome.verdict, Verdict::NotRobust(_) | Verdict::Inconclusive(_)), "{:?}", outcome.verdict);
    }

    /// Generates programs with loops, which the oracle of `steadfast-twin` cannot decide. One index increases, another one is computed from what was read of it, and store buffering runs if the two
    /// compare in some way.
    struct Drawn(Rng);

    impl Drawn {
        fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
            self.0.pick(choices)
        }

        fn offset(&mut self) -> &'static str {
            self.of(&[
                "",
                "",
                " + 1",
                " + 2",
                " + 3",
                " + 5",
                " + 10",
                " + 149",
                " - 1",
                " - 2",
                " - 4",
                " - 60",
                " + 2147483395",
            ])
        }

        fn program(&mut self) -> String {
            let (top, bottom) = (self.of(&["1", "4", "70", "190"]), self.of(&["1", "4", "70", "190"]));
            let advance = self.of(&["1", "1", "2", "7"]);
            let window = self.of(&["", "if (t <= b + 3)", "if (t <= b + 120)", "if (t < b)"]);
            let limit = self.of(&["9", "80", "200", "250"]);
            let (phase, go) = (self.of(&["", "phase.wait(1, acquire);"]), self.of(&["", "go.wait(1, acquire);"]));
            let source = self.of(&["top", "bottom"]);
            let (first, second, third, fourth) = (self.offset(), self.offset(), self.offset(), self.offset());
            let compared = self.of(&["<", "<=", ">", ">=", "==", "!="]);
            let guard = self.of(&["", "if (r <= t)", "if (t < r)"]);
            format!(
                "atomic<bool> y, z, phase, go; atomic<u8> top = {top}, bottom = {bottom};
                 thread pusher {{ loop {{ choose {{ let t = top.load(acquire); let b = bottom.load(acquire); assume(t < {limit}); {window} {{ top.store(t + {advance}, release); }} }} or {{ break; }} }} phase.store(1, release); }}
                 thread second {{ let b = {source}.load(acquire); {phase} let t = top.load(acquire); assume(b < {limit}); let r = b{first}; {guard} {{ bottom.store(r{second}, release); }} go.store(1, release); }}
                 thread bad {{ {go} let x = bottom.load(acquire); let t = top.load(acquire); assume(x < {limit}); let w = x{third}; if (w {compared} t{fourth}) {{ {HALF} }} }}
                 {OTHER_HALF}"
            )
        }
    }

    #[test]
    fn what_translation_proves_of_loops_holds() {
        let (mut drawn, mut proved, mut checked) = (Drawn(Rng::new(12)), 0, 0);
        for _ in 0..400 {
            let source = drawn.program();
            let program = parsed(&source);
            let mut options = Options::new(Supported::Ra, Notion::Graph);
            if !translated(&program, &options) {
                continue;
            }
            proved += 1;
            options.reductions.translation = false;
            options.limits.states = Some(100_000);
            let verdict = check(&program, &options).verdict;
            assert!(matches!(verdict, Verdict::Robust | Verdict::Inconclusive(_)), "{verdict:?}\n{source}");
            checked += u64::from(matches!(verdict, Verdict::Robust));
        }
        assert!(proved > 10 && checked > 10, "{proved} {checked}");
    }
}
