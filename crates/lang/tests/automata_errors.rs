//! What is said about automata that are wrong: code, message and the text that is pointed at.

use steadfast_diag::Severity;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

/// Every diagnostic as `code: message @ text`.
fn problems(text: &str) -> Vec<String> {
    let parsed = parse(&SourceFile::new("t.aut", text), Dialect::Automata);
    let shown = |d: &steadfast_diag::Diagnostic| {
        let span = d.span().expect("every problem has a place");
        let helps = if d.helps.is_empty() { String::new() } else { format!(" ({})", d.helps.join("; ")) };
        format!("{}: {} @ `{}`{helps}", d.code.0, d.message, &text[span.range()])
    };
    let fails = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(parsed.program.is_none(), fails);
    parsed.diagnostics.iter().map(shown).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(problems(text), expected, "{text}");
}

#[test]
fn several_errors_in_one_run() {
    check(
        "thread t\ninitial q\ntransition q r raed a 0\ntransition r s write 1\ntransition s t check == a\nend",
        &[
            "E0303: unknown operation `raed` @ `raed` (did you mean `read`?)",
            "E0300: expected the address to write to, found `transition` @ ``",
            "E0300: expected the second operand of `==`, found `end` @ ``",
        ],
    );
}

#[test]
fn threads_need_a_beginning_and_an_end() {
    check(
        "thread t\ntransition q r noop\nend",
        &["E0302: thread `t` has no initial state @ `t` (add a line `initial q`)"],
    );
    check("thread t\ninitial q\n", &["E0301: thread `t` has no end @ ``"]);
    check("thread t\ninitial q\nthread u\ninitial q\nend", &["E0301: thread `t` has no end @ `thread`"]);
    check(
        "",
        &[
            "E0105: the program has no thread @ `` (a thread is written `thread NAME`, `initial STATE`, transitions, `end`)",
        ],
    );
}

#[test]
fn words_out_of_place() {
    check("thred t\ninitial q\nend", &["E0300: expected `thread`, found `thred` @ `thred` (did you mean `thread`?)"]);
    check("thread t\ninitial q\ntransition q r read 1 a\nend", &["E0300: `1` is not the name of a register @ `1`"]);
    check("thread t\ninitial q\ntransition q r noop 1\nend", &["E0300: expected the end of the line, found `1` @ `1`"]);
    check(
        "thread t\ninitial q\ntransition q r check a==1\nend",
        &[
            "E0300: `a==1` is neither a number nor a register nor an operator @ `a==1` (operators stand before their operands and are separated by blanks: `== r 1`)",
        ],
    );
}

#[test]
fn numbers_that_are_too_large() {
    check(
        "thread t\ninitial q\ntransition q r write 99999999999 0\nend",
        &["E0304: the number `99999999999` is too large @ `99999999999`"],
    );
    check(
        "thread t\ninitial q\ntransition q r check * 2000000000 2000000000\nend",
        &["E0304: this expression may need more than 32 bits @ `transition q r check * 2000000000 2000000000`"],
    );
}

#[test]
fn warnings() {
    check(
        "thread t\ninitial q\ntransition q r read flag 0\ntransition r s check lag\nend",
        &["W0306: nothing is ever assigned to `lag` @ `lag` (did you mean `flag`?)"],
    );
    check(
        "thread t\ninitial q1\ntransition q0 q2 noop\nend",
        &["W0307: no transition leaves the initial state `q1` @ `q1` (did you mean `q0`?)"],
    );
    check(
        "memory_size 2\nthread t\ninitial q\ntransition q r write 1 2\nend",
        &["W0308: address 2 lies outside of the memory @ `transition q r write 1 2`"],
    );
    check(
        "#![expect(robust)]\nthread t\ninitial q\nend",
        &[
            "W0309: this expectation has no model @ `#![expect(robust)]` (write it like `#![expect(robust, model = tso)]`)",
        ],
    );
}
