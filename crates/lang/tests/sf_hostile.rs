//! No text makes the parser panic, hang, or point outside of the file.

#[path = "support/hostile.rs"]
mod hostile;

use hostile::{parse_within, pieces};
use proptest::prelude::*;
use std::time::Duration;
use steadfast_lang::{Dialect, Parsed};

/// Uses every construct once.
const EXAMPLE: &str = "#![name = \"all\"] #![expect(robust, model = ra, notion = graph)]
const N = 2 + 1; atomic<u8> x = N, y; atomic<bool> flag; atomic<0..=N> a[N] = {1, 2, 3}; plain<u4> d; plain<u8> buf[2] = 1; mutex m;
fn add(v: u8, w) -> u8 { if (v == 0) { return w; } return v + w; }
fn set(i) { a[i].store(1, release); }
thread first { // comment
    let r = x.load(acquire); let s: u4; r += 1; r++; --r; s = ~r ^ !s | -1 & 3 << 1 >> 1 % 2;
    if (r == 1 && y.load() != 0 || flag.load(relaxed)) { d = 1; } else if (r < 2) { buf[r] = d; } else { skip; }
    while (x.compare_exchange(0, 1, acquire, relaxed) != 0) {}
    do { r = x.fetch_add(1, acq_rel); if (r > 3) { break; } } while (r <= 3);
    loop { if (x.swap(2) >= 1) { continue; } break; }
    for (let i = 0; i < N; i++) { set(i); }
    choose { m.lock(); m.unlock(); } or { y.wait(1, 2, acquire); } or { y.await_cas(0, 1, release); goto end; }
    let q = add(any(0, 3), d) * 2 / 3; assume(q); assert(q == q); observe(q); fence(seq_cst);
    end: return;
}
thread second[N] { /* another */ x.store(id, memory_order_release); a[id].fetch_or(0x1f, Ordering::AcqRel); }
";

fn parse_anything(text: &str) -> Parsed {
    hostile::parse_anything(text, Dialect::Steadfast)
}

#[test]
fn the_example_is_right() {
    let parsed = parse_anything(EXAMPLE);
    assert_eq!(parsed.diagnostics, []);
    assert_eq!(parsed.program.map(|program| program.threads.len()), Some(4));
}

#[test]
fn every_prefix_and_every_suffix_is_survived() {
    for cut in (0..=EXAMPLE.len()).filter(|&cut| EXAMPLE.is_char_boundary(cut)) {
        parse_anything(&EXAMPLE[..cut]);
        parse_anything(&EXAMPLE[cut..]);
    }
}

#[test]
fn every_missing_word_is_survived() {
    let words = pieces(EXAMPLE);
    for left_out in 0..words.len() {
        let text: String = words.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, word)| *word).collect();
        parse_anything(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_characters(text in "\\PC{0,200}") {
        parse_anything(&text);
    }

    #[test]
    fn any_words(picks in proptest::collection::vec(0..10_000_usize, 0..300), body in any::<bool>()) {
        let words = pieces(EXAMPLE);
        let soup: Vec<&str> = picks.iter().map(|&pick| words[pick % words.len()]).collect();
        let soup = soup.join(" ");
        // Inside of a thread, and with things declared, the soup gets further.
        let text = if body { format!("{} {soup} }}", &EXAMPLE[..EXAMPLE.len() - 2]) } else { soup };
        parse_anything(&text);
    }

    #[test]
    fn any_mutation(edits in proptest::collection::vec((0..10_000_usize, 0..10_000_usize, 0..4_u8), 1..12)) {
        let known = pieces(EXAMPLE);
        let mut words = known.clone();
        for (at, other, how) in edits {
            let at = at % words.len();
            match how {
                0 => drop(words.remove(at)),
                1 => words.insert(at, known[other % known.len()]),
                2 => words[at] = known[other % known.len()],
                _ => { let with = other % words.len(); words.swap(at, with); }
            }
        }
        parse_anything(&words.concat());
    }
}

/// Long and deep texts end quickly, on a small stack.
#[test]
fn large_texts() {
    let deep = |open: &str, middle: &str, close: &str| {
        format!(
            "atomic<u8> x; plain<u8> d; thread t {{ let r = 1; {}{middle}{} }}",
            open.repeat(50_000),
            close.repeat(50_000)
        )
    };
    let texts = [
        deep("(", "1", ")"),
        deep("{", "", "}"),
        deep("if (r) {", "", "}"),
        deep("r = !", "1", ";"),
        deep("r = 1 + ", "1", ";"),
        deep("x.store(", "1", ");"),
        deep("x.store(1, release);\n", "", ""),
        deep("y.store(1, release);\n", "", ""),
        deep("if (r) {} else ", "", ""),
        deep("l: goto l;", "", ""),
        "@ ".repeat(50_000),
        "}".repeat(50_000),
        "#![expect(".repeat(50_000),
        "thread t {}".repeat(50_000),
        "fn f() { f(); }".repeat(50_000),
        "// nothing\n".repeat(100_000),
        format!("atomic<u8> x; thread t {{\n{}}}", "    x.store(1, release); // one\n".repeat(99_000)),
    ];
    for text in texts {
        parse_within(&text, Dialect::Steadfast, Duration::from_secs(10));
    }
}

/// The deepest nesting that is allowed, of everything at once, fits a small stack, also when functions are inlined into each other.
#[test]
fn the_deepest_programs() {
    let blocks = |inner: &str| format!("{}{inner}{}", "if (v) {".repeat(150), "}".repeat(150));
    let sum = vec!["d"; 150].join(" + ");
    let conditions = vec!["d"; 150].join(" && ");
    let inner = format!("d = {sum}; if ({conditions}) {{ d = 1; }}");
    let text = format!(
        "plain<u8> d; fn a(v) {{ {} }} fn b(v) {{ {} }} fn c(v) {{ {} }} thread t {{ let v = d; a(v); b(v); c(v); }}",
        blocks(&inner),
        blocks("a(v);"),
        blocks("b(v);"),
    );
    parse_anything(&text);
}
