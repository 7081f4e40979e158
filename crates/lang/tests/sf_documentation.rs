//! Every program in the description of the language is right, and every wrong one is wrong in the way that is promised.

use steadfast_diag::Severity;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

const LANGUAGE: &str = include_str!("../../../docs/language.md");

/// The code blocks: what stands behind the opening fence, and the code.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut lines = LANGUAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((kind, code.join("\n")));
        }
    }
    blocks
}

/// Parts of programs (`c part`) are statements about the declarations of the page's own running example.
fn whole(kind: &str, code: &str) -> String {
    if !kind.contains("part") {
        return code.to_string();
    }
    let declarations =
        "atomic<u8> x, y, head; atomic<bool> flag; atomic<u8> slots[4]; plain<u8> data; plain<u8> buf[4]; mutex m;";
    format!(
        "{declarations} fn swap_in(v: u8) -> u8 {{ return x.swap(v, acq_rel); }} thread t {{ let r = 0;\n{code}\n}}"
    )
}

#[test]
fn every_example_means_what_the_page_says() {
    let blocks = blocks();
    let mut programs = 0;
    for (kind, code) in &blocks {
        if !kind.starts_with('c') {
            continue;
        }
        programs += 1;
        let parsed = parse(&SourceFile::new("language.md", whole(kind, code)), Dialect::Steadfast);
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.code.0).collect();
        match kind.split_whitespace().find(|word| word.starts_with('E') || word.starts_with('W')) {
            Some(promised) => assert_eq!(codes, [promised], "{code}\n{:#?}", parsed.diagnostics),
            None => assert!(parsed.diagnostics.is_empty(), "{code}\n{:#?}", parsed.diagnostics),
        }
        let failed = parsed.diagnostics.iter().any(|problem| problem.severity == Severity::Error);
        assert_eq!(parsed.program.is_none(), failed);
    }
    assert!(programs >= 10, "the page has examples, and they are found");
}

/// Every word of the language stands on the page.
#[test]
fn nothing_is_undocumented() {
    let words = "thread fn const let if else while do loop for break continue choose or goto return skip true false id any assume \
        assert observe fence atomic plain mutex bool load store fetch_add fetch_sub fetch_and fetch_or fetch_xor swap exchange \
        compare_exchange compare_exchange_weak wait await_cas lock unlock relaxed acquire release acq_rel seq_cst expect name doc";
    for word in words.split_whitespace() {
        assert!(LANGUAGE.contains(word), "`{word}` is missing in docs/language.md");
    }
}
