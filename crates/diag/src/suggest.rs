//! Suggestions for misspelt names.

use crate::Diagnostic;

/// Names longer than this are not compared; nobody misspells them by one letter and the comparison is quadratic.
const LONGEST_COMPARED: usize = 64;

/// How many declared names are compared with an unknown one.
const MOST_COMPARED: usize = 2_000;

/// Adds `did you mean …?` if a candidate is close to the name.
#[must_use]
pub fn suggest<'a>(problem: Diagnostic, name: &str, among: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    match closest(name, among) {
        Some(candidate) => problem.help(format!("did you mean `{candidate}`?")),
        None => problem,
    }
}

/// The first of the candidates with the fewest differences from `name`, if that is about one letter in three or a matter of case. A difference is an
/// insertion, a deletion, a replacement or a swap of neighbours.
pub fn closest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().take(LONGEST_COMPARED + 1).count();
    if length > LONGEST_COMPARED {
        return None;
    }
    let distance = |candidate: &str| {
        if candidate.eq_ignore_ascii_case(name) { 0 } else { strsim::osa_distance(name, candidate) }
    };
    let scored = among.into_iter().take(MOST_COMPARED).filter(|candidate| candidate.len() <= LONGEST_COMPARED);
    let best = scored.map(|candidate| (distance(candidate), candidate)).min_by_key(|&(distance, _)| distance)?;
    // A name of one letter is one change away from every other such name: that is no hint.
    (best.0 <= length.div_ceil(3) && best.0 < length).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn suggestions_are_close_or_absent() {
        assert_eq!(closest("conter", ["x", "counter", "center"]), Some("counter"));
        assert_eq!(closest("fadd", ["FADD", "CAS"]), Some("FADD"));
        assert_eq!(closest("laod", ["load", "store"]), Some("load"));
        assert_eq!(closest("z", ["x", "y"]), None);
        assert_eq!(closest("X", ["x", "y"]), Some("x"));
        assert_eq!(closest("banana", ["x", "counter"]), None);
        assert_eq!(closest(&"a".repeat(1_000), ["a"]), None);
    }

    #[test]
    fn a_suggestion_is_help() {
        let problem = || Diagnostic::error(Code("E0602"), "?");
        assert_eq!(suggest(problem(), "conter", ["x", "counter"]).helps, ["did you mean `counter`?"]);
        assert!(suggest(problem(), "z", ["x", "y"]).helps.is_empty());
    }
}
