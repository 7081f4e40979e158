//! No text makes the parser panic, hang, or point outside of the file.

#[path = "support/hostile.rs"]
mod hostile;

use hostile::pieces;
use proptest::prelude::*;
use std::time::Duration;
use steadfast_lang::{Dialect, MAX_INPUT_BYTES, Parsed};

/// Uses every construct once.
const EXAMPLE: &str = "// ROBUSTNESS egr: robust: ra. not: rlx.
max_value 7;
global x, y = 1, l;
na d = 2;
track x: 0, 1;
track y: all;
/* two */
fn first {
    local r, s;
    again:
    r = x.load(acq);
    x.store(r + 1 * -s, rel);
    if (r == 1 && !s) goto again;
    while (r < 3) { r = FADD(x, 2 * r + 1, acq, rel); }
    if (r) { s = CAS(y, 0, 1, acq, rlx); } else { s = exchange(y, r, rlx, rel); }
    oneof({ wait(x, 1, s, acq); } { BCAS(x, 0, 1); skip; });
    r = wait(x, 1);
    lock(l); unlock(l);
}
fn second {
    local r;
    r = d.naload();
    d.nastore(3);
    fence; fence(acq); fence(seq_cst);
    assert(r % 2 != 1 || r / 2 >= 1); assume(r ^ 1 | 2 & 3); verify(r);
}
";

fn parse_anything(text: &str) -> Parsed {
    hostile::parse_anything(text, Dialect::Tpl)
}

fn parse_in_time(text: &str) -> Parsed {
    hostile::parse_within(text, Dialect::Tpl, Duration::from_secs(5))
}

#[test]
fn the_example_is_a_program() {
    let parsed = parse_anything(EXAMPLE);
    assert!(parsed.program.is_some(), "{:#?}", parsed.diagnostics);
}

#[test]
fn every_truncation() {
    for end in 0..EXAMPLE.len() {
        let text = &EXAMPLE[..end];
        let ends_with_a_thread = text.trim_end().ends_with("\n}");
        assert_eq!(parse_anything(text).program.is_some(), ends_with_a_thread, "{text}");
    }
}

#[test]
fn every_missing_and_every_doubled_piece() {
    let pieces = pieces(EXAMPLE);
    for at in 0..pieces.len() {
        let without: String = pieces[..at].iter().chain(&pieces[at + 1..]).copied().collect();
        let doubled: String = pieces[..=at].iter().chain(&pieces[at..]).copied().collect();
        parse_anything(&without);
        parse_anything(&doubled);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let n = 100_000;
    let inside = |body: String| format!("global x; fn t {{ local r; {body} }}");
    let texts = [
        inside(format!("r = {}1{};", "(".repeat(n), ")".repeat(n))),
        inside(format!("r = {}", "(".repeat(n))),
        inside(format!("r = {}1;", "- ".repeat(n))),
        inside(format!("r = {}1;", "!".repeat(n))),
        inside(format!("r = 1{};", " + 1".repeat(n))),
        inside(format!("r = 1{};", " || 1 && 1".repeat(n))),
        inside(format!("{}{}", "if (r) { ".repeat(n), "}".repeat(n))),
        inside("if (r) ".repeat(n)),
        inside("if (r) skip; else ".repeat(n)),
        inside("if (r) { } else ".repeat(n)),
        inside("while (r) ".repeat(n)),
        inside("oneof({ ".repeat(n)),
        inside("x.store(".repeat(n)),
    ];
    for text in &texts {
        let parsed = parse_anything(text);
        assert!(parsed.program.is_none() && parsed.diagnostics.len() <= 3, "{:?}", parsed.diagnostics);
    }
    assert!(texts[..12].iter().all(|text| parse_anything(text).diagnostics.iter().any(|d| d.code.0 == "E0103")));
}

#[test]
fn nesting_below_the_limit_is_accepted() {
    let n = 150;
    let text = format!(
        "fn t {{ local r; {} r = {}r{}; {} }}",
        "if (r) { ".repeat(n / 2),
        "(".repeat(n / 2),
        ")".repeat(n / 2),
        "}".repeat(n / 2)
    );
    assert!(parse_anything(&text).program.is_some());
    let chain = format!("fn t {{ local r; r = r{}; }}", " + 1".repeat(n));
    assert!(parse_anything(&chain).program.is_some());
}

/// Everything that recurses over accepted programs, and what refuses the others, fits a small stack.
#[test]
fn the_stack_is_bounded() {
    let all_operators = "1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * (";
    let texts = [
        format!("fn t {{ local r; r = {}1;", all_operators.repeat(190)),
        format!("fn t {{ local r; r = 1{}; }}", " + (1 * 2 - r)".repeat(190)),
        format!("fn t {{ local r; r = {}1; }}", "-".repeat(190)),
        format!("fn t {{ local r; {} skip; {} }}", "if (r) { ".repeat(190), "}".repeat(190)),
        format!("fn t {{ local r; {} skip; }}", "if (r) skip; else ".repeat(190)),
        format!("fn t {{ {} skip; {} }}", "oneof({ ".repeat(190), "});".repeat(190)),
    ];
    let run = move || texts.iter().map(|text| parse_anything(text).program.is_some()).collect::<Vec<_>>();
    let small = std::thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread starts");
    assert_eq!(small.join().expect("no overflow"), [false, true, true, true, true, true]);
}

/// A hundred thousand lines.
fn many(line: &dyn Fn(usize) -> String) -> String {
    (0..100_000).map(line).collect()
}

#[test]
fn long_programs_take_linear_time() {
    let lines = many(&|i| format!("    x.store(r + {}, rel); l{i}: r = x.load(acq);\n", i % 200));
    assert!(parse_in_time(&format!("global x; fn t {{\n local r;\n{lines} }}")).program.is_some());
}

#[test]
fn long_nonsense_takes_linear_time() {
    let declared = many(&|i| format!("global location{i};\n"));
    let texts = [
        format!("{declared} fn t {{ {} }}", many(&|i| format!("locatoin{i}.store(1);\n"))),
        format!("fn t {{ {} }}", many(&|i| format!("goto label{i};\n"))),
        format!("fn t {{ {} }}", many(&|i| format!("local r; r = {i}\n"))),
        many(&|_| "fn t { ".into()),
        many(&|_| "} ".into()),
        many(&|_| "@ ".into()),
        many(&|_| "/* ".into()),
        many(&|_| "// ROBUSTNESS\n".into()),
        many(&|_| "x ".into()),
        format!("global {};", "a".repeat(1 << 20)),
        format!("fn t {{ {} }}", "a".repeat(1 << 20)),
    ];
    for text in &texts {
        assert!(parse_in_time(text).program.is_none());
    }
}

#[test]
fn too_large_files_are_refused() {
    let parsed = parse_anything(&" ".repeat(MAX_INPUT_BYTES + 1));
    assert_eq!(parsed.diagnostics[0].code.0, "E0100");
    assert_eq!(parse_anything(&" ".repeat(MAX_INPUT_BYTES)).diagnostics[0].code.0, "E0105");
}

/// Something that a program could contain, or nearly.
fn word() -> impl Strategy<Value = String> {
    let known: Vec<String> = pieces(EXAMPLE).into_iter().map(String::from).collect();
    prop_oneof![8 => prop::sample::select(known), 1 => "[a-z]{1,3}", 1 => "[0-9]{1,12}", 1 => "\\PC"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        parse_anything(&text);
    }

    #[test]
    fn any_bytes_that_are_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse_anything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_soup_of_words(words in prop::collection::vec(word(), 0..200), glue in prop::sample::select(vec!["", " ", "\n"])) {
        parse_anything(&words.join(glue));
        parse_anything(&format!("global x, y; na d; fn t {{ local r, s; {} }}", words.join(glue)));
    }

    #[test]
    fn any_few_changes_to_a_program(changes in prop::collection::vec((any::<prop::sample::Index>(), word(), 0..3_u8), 1..6)) {
        let mut pieces: Vec<String> = pieces(EXAMPLE).into_iter().map(String::from).collect();
        for (at, word, how) in changes {
            let at = at.index(pieces.len());
            match how {
                0 => pieces[at] = word,
                1 => pieces.insert(at, word),
                _ => drop(pieces.remove(at)),
            }
        }
        parse_anything(&pieces.concat());
    }

    #[test]
    fn any_exchange_of_two_pieces(first in any::<prop::sample::Index>(), second in any::<prop::sample::Index>()) {
        let mut pieces = pieces(EXAMPLE);
        let (first, second) = (first.index(pieces.len()), second.index(pieces.len()));
        pieces.swap(first, second);
        parse_anything(&pieces.concat());
    }
}
