//! No text makes the reader of automata panic, hang, or point outside of the file.

#[path = "support/hostile.rs"]
mod hostile;

use proptest::prelude::*;
use std::time::Duration;
use steadfast_lang::{Dialect, Parsed};

/// Uses every construct once.
const EXAMPLE: &str = "#![expect(robust, model = tso)]
memory_size 200
# IS robust.
thread first
initial q0
transition q0 q1 write + 1 * 2 r 0
transition q1 q2 read r & r 1
transition q2 q0 check && == r 1 || ! r < r 3
transition q2 q3 check >= r - 0 1
transition q2 q2 noop
transition q3 q4 lock
transition q4 q5 read r 1
transition q5 q6 local r | ^ r 1 4
transition q6 q7 write r 1
transition q7 q8 unlock
transition q8 q9 lock
transition q9 q9 check > r 5
transition q9 q10 write 1000 100
transition q10 q11 check <= r != r 0
transition q11 q0 unlock
end
thread second
initial a
transition a b mfence
transition b a local n + n 1
end
";

fn parse_anything(text: &str) -> Parsed {
    hostile::parse_anything(text, Dialect::Automata)
}

fn parse_in_time(text: &str) {
    hostile::parse_within(text, Dialect::Automata, Duration::from_secs(20));
}

#[test]
fn the_example_is_a_program() {
    let parsed = parse_anything(EXAMPLE);
    assert!(parsed.program.is_some(), "{:#?}", parsed.diagnostics);
}

#[test]
fn every_prefix_is_answered() {
    for end in (0..=EXAMPLE.len()).filter(|&end| EXAMPLE.is_char_boundary(end)) {
        parse_anything(&EXAMPLE[..end]);
    }
}

#[test]
fn large_and_deep_texts_are_answered_in_time() {
    let thread = |lines: String| format!("thread t\ninitial q\n{lines}end\n");
    parse_in_time(&thread("transition q r write 1 0\n".repeat(100_000)));
    parse_in_time(&thread("x\n".repeat(500_000)));
    parse_in_time(&thread(format!("transition q r check {} a\n", "! ".repeat(100_000))));
    parse_in_time(&thread(format!("transition q r write {} a 0\n", "+ a ".repeat(150))));
    let sum =
        (0..2_000).map(|n| format!("transition q q write + a{n} + 1000000 b{n} c{n}\n")).collect::<Vec<_>>().concat();
    parse_in_time(&thread(sum));
    let chain = (0..4_900)
        .map(|n| format!("transition {n} {} local r{} + r{} {n}\n", n + 1, n % 50, n % 49))
        .collect::<Vec<_>>()
        .concat();
    parse_in_time(&format!("thread t\ninitial 0\n{chain}end\n"));
    parse_in_time(&"thread t\ninitial q\nend\n".repeat(50_000));
    let terms = format!("transition q r write {}a 0\n", "+ a * a & a ^ a ".repeat(45));
    parse_in_time(&thread(terms.repeat(1_000)));
}

proptest! {
    #[test]
    fn any_text_is_answered(text in ".{0,200}") {
        parse_anything(&text);
    }

    #[test]
    fn shuffled_words_are_answered(picks in prop::collection::vec((0..200_usize, prop::bool::ANY), 0..80)) {
        let words: Vec<&str> = EXAMPLE.split_whitespace().collect();
        let word = |&(at, line): &(usize, bool)| [words[at % words.len()], if line { "\n" } else { " " }].concat();
        let text = picks.iter().map(word).collect::<Vec<_>>().concat();
        parse_anything(&text);
    }

    #[test]
    fn examples_with_lines_left_out_repeated_and_changed_are_answered(
        edits in prop::collection::vec((0..60_usize, 0..4_usize, 0..200_usize), 0..6),
    ) {
        let words: Vec<&str> = EXAMPLE.split_whitespace().collect();
        let mut lines: Vec<String> = EXAMPLE.lines().map(str::to_owned).collect();
        for (at, kind, pick) in edits {
            let at = at % lines.len();
            match kind {
                0 => _ = lines.remove(at),
                1 => lines.insert(at, lines[pick % lines.len()].clone()),
                2 => lines.swap(at, 0),
                _ => {
                    let mut parts: Vec<&str> = lines[at].split(' ').collect();
                    let place = pick % parts.len();
                    parts[place] = words[pick % words.len()];
                    lines[at] = parts.join(" ");
                }
            }
            if lines.is_empty() {
                lines.push(String::new());
            }
        }
        parse_anything(&lines.join("\n"));
    }
}
