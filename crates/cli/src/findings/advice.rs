//! Advice in words.

use super::numbered_witness::NumberedWitness;
use crate::numbers::listed;
use std::fmt::Write;
use steadfast_graph::EventId;
use steadfast_repair::{Advice, Gap};

/// The help lines of a diagnostic.
pub(crate) fn helps(advice: &Advice, numbered: &NumberedWitness<'_>) -> Vec<String> {
    match advice {
        Advice::Orderings { enough, releases, acquires } => vec![orderings(numbered, *enough, releases, acquires)],
        Advice::Fences(gaps) => {
            placed(numbered, "release and acquire are not enough; put `fence(seq_cst)`", gaps).into_iter().collect()
        }
        Advice::Drains(gaps) => {
            let introduction =
                "let the store leave the buffer first: make it a read-modify-write, or put `fence(seq_cst)`";
            placed(numbered, introduction, gaps).into_iter().collect()
        }
        Advice::Protect => vec!["protect both accesses by the same `mutex`, or make the location `atomic`".to_owned()],
    }
}

fn orderings(numbered: &NumberedWitness<'_>, enough: bool, releases: &[EventId], acquires: &[EventId]) -> String {
    let introduction = if enough { "release and acquire are enough" } else { "stronger orderings may help" };
    let mut parts = Vec::new();
    for (events, ordering) in [(releases, "release"), (acquires, "acquire")] {
        if !events.is_empty() {
            parts.push(format!("make {} `{ordering}`", listed(&described(numbered, events))));
        }
    }
    match (parts.is_empty(), enough) {
        (false, _) => format!("{introduction}: {}", parts.join(", and ")),
        (true, true) => format!("{introduction}: with them on all accesses, the program is robust (`--model ra`)"),
        (true, false) => introduction.to_owned(),
    }
}

/// Accesses as a text speaks of them, each place once.
fn described(numbered: &NumberedWitness<'_>, events: &[EventId]) -> Vec<String> {
    let mut described = Vec::new();
    for &event in events {
        let mark = numbered.mark(event).map_or(String::new(), |mark| mark + " ");
        let text = format!("{mark}`{}` in line {}", numbered.code(event), numbered.line(event));
        if !described.contains(&text) {
            described.push(text);
        }
    }
    described
}

/// Advice to put something between two accesses of a thread.
fn placed(numbered: &NumberedWitness<'_>, introduction: &str, gaps: &[Gap]) -> Option<String> {
    let mut help = introduction.to_owned();
    for &(from, to) in gaps {
        let thread = numbered.event(from).thread.map_or("?", |thread| numbered.thread(thread));
        let marks = [from, to].map(|event| numbered.mark(event).unwrap_or_default());
        let lines = (numbered.line(from), numbered.line(to));
        let _ =
            write!(help, "\n  between {} and {} in `{thread}`, lines {} and {}", marks[0], marks[1], lines.0, lines.1);
    }
    (!gaps.is_empty()).then_some(help)
}
