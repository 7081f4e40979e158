//! What is said about wrong programs, and where.
//!
//! Each line of the expected text is `line:column-column code message | label | help: …`.

use steadfast_diag::{Diagnostic, Severity};
use steadfast_lang::{Dialect, parse};
use steadfast_span::{SourceFile, Span};

fn place(file: &SourceFile, span: Span) -> String {
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    if span.start == span.end {
        format!("{}:{}", start.line, start.column)
    } else if start.line == end.line {
        format!("{}:{}-{}", start.line, start.column, end.column)
    } else {
        format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
    }
}

fn describe(file: &SourceFile, diagnostic: &Diagnostic) -> String {
    let mut parts = Vec::new();
    for label in diagnostic.labels.iter().filter(|label| label.primary) {
        parts.push(label.text.clone());
    }
    for label in diagnostic.labels.iter().filter(|label| !label.primary) {
        parts.push(format!("{} {}", place(file, label.span), label.text));
    }
    parts.extend(diagnostic.notes.iter().map(|note| format!("note: {note}")));
    parts.extend(diagnostic.helps.iter().map(|help| format!("help: {help}")));
    let span = diagnostic.span().expect("every diagnostic has a place");
    format!("{} {} {} | {}", place(file, span), diagnostic.code.0, diagnostic.message, parts.join(" | "))
}

#[track_caller]
fn check(input: &str, expected: &str) {
    let file = SourceFile::new("test.tpl", input);
    let parsed = parse(&file, Dialect::Tpl);
    let failed = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(parsed.program.is_none(), failed, "a program is present iff there is no error");
    let actual: Vec<String> = parsed.diagnostics.iter().map(|diagnostic| describe(&file, diagnostic)).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(actual, expected, "\n{}\n", actual.join("\n"));
}

#[test]
fn nothing_at_all() {
    check(
        "",
        r"
            1:1 E0105 the file is empty | expected a thread | help: a thread is written `fn name { … }`
        ",
    );
}

#[test]
fn only_comments() {
    check(
        r"// nothing here
/* nor here */",
        r"
            2:15 E0105 the program has no thread | expected a thread | help: a thread is written `fn name { … }`
        ",
    );
}

#[test]
fn declarations_without_a_thread() {
    check(
        "global x;",
        r"
            1:10 E0105 the program has no thread | expected a thread | help: a thread is written `fn name { … }`
        ",
    );
}

#[test]
fn an_unknown_location_with_a_suggestion() {
    check(
        r"global counter, y;
fn t { conter.store(1, rel); }",
        r"
            2:8-14 E0130 unknown location `conter` | not declared with `global` or `na` | help: did you mean `counter`?
        ",
    );
}

#[test]
fn an_unknown_local_variable() {
    check(
        r"global x;
fn t { local value; valeu = x.load(); x.store(vlaue + 1); }",
        r"
            2:21-26 E0131 unknown local variable `valeu` | not declared with `local` before | help: did you mean `value`?
            2:47-52 E0131 unknown local variable `vlaue` | not declared with `local` before | help: did you mean `value`?
        ",
    );
}

#[test]
fn a_variable_is_declared_before_its_use() {
    check(
        "fn t { r = 1; local r; }",
        r"
            1:8-9 E0131 unknown local variable `r` | not declared with `local` before
        ",
    );
}

#[test]
fn a_location_is_no_value() {
    check(
        r"global x;
fn t { local r; r = x + 1; x = 2; }",
        r"
            2:21-22 E0134 `x` is a shared location, not a local variable | expected a local variable | 1:8-9 declared as a location here | help: load it first: `r = x.load(acq);`
            2:28-29 E0134 `x` is a shared location, not a local variable | expected a local variable | 1:8-9 declared as a location here | help: to write to it, use `x.store(…)`
        ",
    );
}

#[test]
fn a_local_variable_is_no_location() {
    check(
        r"global x;
fn t { local r; r.store(1); }",
        r"
            2:17-18 E0134 `r` is a local variable, not a shared location | expected a location
        ",
    );
}

#[test]
fn unknown_labels() {
    check(
        "fn t { again: goto agian; goto nowhere; }",
        r"
            1:20-25 E0132 unknown label `agian` | no `agian:` stands in this thread | help: did you mean `again`?
            1:32-39 E0132 unknown label `nowhere` | no `nowhere:` stands in this thread
        ",
    );
}

#[test]
fn labels_belong_to_their_thread() {
    check(
        r"fn a { l: goto l; }
fn b { goto l; }",
        r"
            2:13-14 E0132 unknown label `l` | no `l:` stands in this thread
        ",
    );
}

#[test]
fn names_declared_twice() {
    check(
        r"global x, y = 1, x;
na y;
fn t { local r, r; l: l: skip; }
fn t { skip; }",
        r"
            1:18-19 E0133 the location `x` is declared twice | declared again here | 1:8-9 first declared here
            2:4-5 E0133 the location `y` is declared twice | declared again here | 1:11-12 first declared here
            3:17-18 E0133 the local variable `r` is declared twice | declared again here | 3:14-15 first declared here
            3:23-24 E0133 the label `l` is declared twice | declared again here | 3:20-21 first declared here
            4:4-5 E0133 the thread `t` is declared twice | declared again here | 3:4-5 first declared here
        ",
    );
}

#[test]
fn atomic_and_plain_accesses() {
    check(
        r"global x;
na d;
fn t { local r; r = d.load(acq); r = x.naload(); d.store(1); x.nastore(1); lock(d); }",
        r"
            3:21-22 E0135 atomic access to the plain location `d` | this access is atomic | 2:4-5 declared plain here | help: use `naload` and `nastore`, or declare it with `global`
            3:38-39 E0135 plain access to the atomic location `x` | this access is plain | 1:8-9 declared atomic here | help: use `load` and `store`, or declare it with `na`
            3:50-51 E0135 atomic access to the plain location `d` | this access is atomic | 2:4-5 declared plain here | help: use `naload` and `nastore`, or declare it with `global`
            3:62-63 E0135 plain access to the atomic location `x` | this access is plain | 1:8-9 declared atomic here | help: use `load` and `store`, or declare it with `na`
            3:81-82 E0135 atomic access to the plain location `d` | this access is atomic | 2:4-5 declared plain here | help: use `naload` and `nastore`, or declare it with `global`
        ",
    );
}

#[test]
fn modes_that_do_not_fit() {
    check(
        r"global x;
fn t {
    local r;
    r = x.load(rel);
    x.store(1, acq);
    wait(x, 1, rel);
    r = FADD(x, 1, rel, acq);
    x.store(1, seq_cst);
}",
        r"
            4:16-19 E0140 `load` cannot be `rel` here | reading is `rlx` or `acq`
            5:16-19 E0140 `store` cannot be `acq` here | writing is `rlx` or `rel`
            6:16-19 E0140 `wait` cannot be `rel` here | reading is `rlx` or `acq`
            7:20-23 E0140 `FADD` cannot be `rel` here | reading is `rlx` or `acq` | help: first comes the mode of the read, then the mode of the write: `acq, rel`
            7:25-28 E0140 `FADD` cannot be `acq` here | writing is `rlx` or `rel` | help: first comes the mode of the read, then the mode of the write: `acq, rel`
            8:16-23 E0140 `store` cannot be `seq_cst` here | writing is `rlx` or `rel` | help: TPL has no `seq_cst` accesses; use `fence(seq_cst);`, or the Steadfast language
        ",
    );
}

#[test]
fn unknown_modes() {
    check(
        r"global x;
fn t {
    local r;
    r = x.load(acquire);
    x.store(1, memory_order_release);
    fence(sc);
    fence(realaxed);
    r = x.load(ack);
}",
        r"
            4:16-23 E0141 unknown mode `acquire` | the modes are `rlx`, `acq` and `rel` | help: did you mean `acq`?
            5:16-36 E0141 unknown mode `memory_order_release` | the modes are `rlx`, `acq` and `rel` | help: did you mean `rel`?
            6:11-13 E0141 unknown mode `sc` | a fence can be `acq`, `rel`, `acq_rel` or `seq_cst` | help: did you mean `seq_cst`?
            7:11-19 E0141 unknown mode `realaxed` | a fence can be `acq`, `rel`, `acq_rel` or `seq_cst`
            8:16-19 E0141 unknown mode `ack` | the modes are `rlx`, `acq` and `rel` | help: did you mean `acq`?
        ",
    );
}

#[test]
fn numbers_of_arguments() {
    check(
        r"global x;
fn t {
    local r;
    r = x.load(1);
    x.store();
    x.store(1, 2);
    x.store(1, rel, rel);
    r = FADD(x, 1, acq);
    r = CAS(x, 1);
    wait(x);
    lock();
    lock(x, 1);
    lock(x, acq);
    d.naload(acq);
}",
        r"
            4:15-18 E0142 wrong arguments of `load` | it takes no value here
            5:12-14 E0142 wrong arguments of `store` | it takes one value, and then modes
            6:12-18 E0142 wrong arguments of `store` | it takes one value, and then modes
            7:12-25 E0142 wrong arguments of `store` | it takes one mode
            8:13-24 E0142 wrong arguments of `FADD` | it takes two modes, of its read and of its write: `acq, rel`
            9:12-18 E0142 wrong arguments of `CAS` | it takes a location, an expected value and a new value, and then modes
            10:9-12 E0142 wrong arguments of `wait` | after the location come the values to wait for
            11:9-11 E0142 wrong arguments of `lock` | the location that it accesses comes first
            12:9-15 E0142 wrong arguments of `lock` | it takes no value here
            13:13-16 E0140 `lock` takes no mode | to be left out
            14:7-13 E0125 the result of `naload` is not used | this does nothing but read | help: assign it to a local variable: `r = x.naload(…);`
        ",
    );
}

#[test]
fn values_after_modes() {
    check(
        r"global x;
fn t { local r; r = CAS(x, acq, 1, 2); }",
        r"
            2:33-34 E0120 expected a mode, as modes come last, found `1` | expected a mode, as modes come last
        ",
    );
}

#[test]
fn results() {
    check(
        r"global x;
fn t { local r; x.load(acq); r = x.store(1); r = BCAS(x, 0, 1); }",
        r"
            2:19-23 E0125 the result of `load` is not used | this does nothing but read | help: assign it to a local variable: `r = x.load(…);`
            2:36-41 E0125 `store` has no result that could be assigned | this gives no value
            2:50-54 E0125 `BCAS` has no result that could be assigned | this gives no value | help: `CAS` gives the old value
        ",
    );
}

#[test]
fn unknown_operations() {
    check(
        r"global x;
fn t {
    local r;
    r = x.laod(acq);
    r = x.fetch_add(1);
    r = x.exchange(1);
    r = fadd(x, 1);
    store(x, 1);
    whlie (r) { skip; }
    retrun;
    x.frobnicate();
}",
        r"
            4:11-15 E0123 unknown operation `laod` | locations have no such operation | help: did you mean `load`?
            5:11-20 E0123 unknown operation `fetch_add` | locations have no such operation | help: write `FADD(x, …)`
            6:11-19 E0123 unknown operation `exchange` | locations have no such operation | help: write `exchange(x, …)`
            7:9-13 E0123 unknown operation `fadd` | there is no such operation | help: did you mean `FADD`?
            8:5-10 E0123 unknown operation `store` | there is no such operation | help: write `x.store(…)` with the location in front
            9:5-10 E0120 expected a statement, found `whlie` | expected a statement | help: did you mean `while`?
            10:5-11 E0120 expected a statement, found `retrun` | expected a statement
            11:7-17 E0123 unknown operation `frobnicate` | locations have no such operation
        ",
    );
}

#[test]
fn accesses_inside_expressions() {
    check(
        r"global x;
fn t { local r; if (x.load(acq) == 1) { skip; } r = 1 + FADD(x, 1); assert(x.load() == 0); }",
        r"
            2:21-22 E0124 memory is accessed inside an expression | each access is a statement of its own | help: first write `r = x.load(…);` with a local variable `r`, then use `r` here
            2:57-61 E0124 memory is accessed inside an expression | each access is a statement of its own | help: first write `r = FADD(…);` with a local variable `r`, then use `r` here
            2:76-77 E0124 memory is accessed inside an expression | each access is a statement of its own | help: first write `r = x.load(…);` with a local variable `r`, then use `r` here
        ",
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        r"max_value 3;
global x = 4, y = 3;
fn t { local r; r = 99999999999; r = 0x10; r = 3; x.store(4); x.store(0 - 1); wait(x, 5); }",
        r"
            2:12-13 E0150 the initial value 4 is too large | at most 3 fits | help: `max_value N;` sets the range of all values, up to 255
            3:21-32 E0112 `99999999999` is no number | this does not fit 32 bits
            3:38-42 E0112 `0x10` is no number | numbers are decimal, and names do not begin with a digit
            3:59-60 W0161 the constant 4 becomes 0 here | values lie between 0 and 3
            3:71-76 W0161 the constant -1 becomes 255 here | values lie between 0 and 3
            3:87-88 W0161 the constant 5 becomes 1 here | values lie between 0 and 3
        ",
    );
}

#[test]
fn max_value_is_a_byte() {
    check(
        r"max_value 256;
fn t { skip; }",
        r"
            1:11-14 E0150 `max_value` is 256 | at most 255, as values are bytes
        ",
    );
}

#[test]
fn max_value_is_given_once() {
    check(
        r"max_value 2;
max_value 3;
fn t { skip; }",
        r"
            2:11-12 E0136 `max_value` is given twice | given again here | 1:11-12 first given here
        ",
    );
}

#[test]
fn reserved_words() {
    check(
        r"global fence, x, rel;
fn while { local if; }
fn t { goto else; x.store(1); }
global na, y; fn u { y.store(1); }",
        r"
            1:8-13 E0122 `fence` is a reserved word and no name | expected the name of a location
            1:18-21 E0122 `rel` is a reserved word and no name | expected the name of a location
            2:4-9 E0122 `while` is a reserved word and no name | expected the name of a thread
            3:13-17 E0122 `else` is a reserved word and no name | expected a label
            4:8-10 E0122 `na` is a reserved word and no name | expected the name of a location
        ",
    );
}

#[test]
fn a_missing_semicolon_at_the_end_of_a_line() {
    check(
        r"global x
fn t {
    local r
    r = x.load(acq)
    x.store(r)
}",
        r"
            1:9 E0120 expected `;`, found `fn` | expected `;`
            3:12 E0120 expected `;`, found `r` | expected `;`
            4:20 E0120 expected `;`, found `x` | expected `;`
            5:15 E0120 expected `;`, found `}` | expected `;`
        ",
    );
}

#[test]
fn a_missing_semicolon_inside_a_line() {
    check(
        r"global x;
fn t { local r; r = 1 x.store(1); x.store(q); }",
        r"
            2:22 E0120 expected `;`, found `x` | expected `;`
            2:43-44 E0131 unknown local variable `q` | not declared with `local` before
        ",
    );
}

#[test]
fn a_missing_brace_at_the_end() {
    check(
        r"global x;
fn t { while (true) { x.store(1);",
        r"
            2:34 E0121 expected `}`, found the end of the file | expected `}` | 2:21-22 to close this
        ",
    );
}

#[test]
fn a_missing_brace_before_the_next_thread() {
    check(
        r"global x;
fn t { while (true) { x.store(1); }
fn u { y.store(1); }",
        r"
            3:1-3 E0121 expected `}`, found `fn` | expected `}` | 2:6-7 to close this
            3:8-9 E0130 unknown location `y` | not declared with `global` or `na`
        ",
    );
}

#[test]
fn a_brace_too_many() {
    check(
        r"fn t { skip; } }
fn u { goto l; }",
        r"
            1:16-17 E0120 expected a declaration, found `}` | expected a declaration | help: every block is closed already; is this `}` one too many?
            2:13-14 E0132 unknown label `l` | no `l:` stands in this thread
        ",
    );
}

#[test]
fn a_missing_parenthesis() {
    check(
        r"global x;
fn t { local r; r = CAS(x, (0, 1); x.store(1; if (r == 1 { skip; } }",
        r"
            2:30-31 E0121 expected `)`, found `,` | expected `)` | 2:28-29 to close this
            2:45-46 E0121 expected `,` or `)`, found `;` | expected `,` or `)` | 2:43-44 to close this
            2:58-59 E0121 expected `)`, found `{` | expected `)` | 2:50-51 to close this
        ",
    );
}

#[test]
fn a_condition_without_parentheses() {
    check(
        r"global x;
fn t { local r; if r == 1 { z.store(1); } while { z.store(1); } }",
        r"
            2:20-21 E0120 expected `(`, found `r` | expected `(`
            2:29-30 E0130 unknown location `z` | not declared with `global` or `na`
            2:49-50 E0120 expected `(`, found `{` | expected `(`
            2:51-52 E0130 unknown location `z` | not declared with `global` or `na`
        ",
    );
}

#[test]
fn an_assignment_as_a_condition() {
    check(
        "fn t { local r; if (r = 1) { skip; } }",
        r"
            1:23-24 E0120 expected `)`, found `=` | expected `)` | help: `==` compares; `=` assigns and is a statement of its own
        ",
    );
}

#[test]
fn blocks_are_checked_after_a_broken_statement() {
    check(
        r"global x;
fn t { local r; r = = 1; if (r) { x.stroe(1); } x.store(); }",
        r"
            2:21-22 E0120 expected a value, found `=` | expected a value
            2:37-42 E0123 unknown operation `stroe` | locations have no such operation | help: did you mean `store`?
            2:56-58 E0142 wrong arguments of `store` | it takes one value, and then modes
        ",
    );
}

#[test]
fn threads_have_no_parameters() {
    check(
        r"fn t() { skip; }
fn u { skip; }",
        r"
            1:5-6 E0120 expected `{`, found `(` | expected `{` | help: threads have no parameters: write `fn name { … }`
        ",
    );
}

#[test]
fn misspelt_declarations() {
    check(
        r"gloabl x;
fn t { skip; }",
        r"
            1:1-7 E0120 expected a declaration, found `gloabl` | expected a declaration | help: did you mean `global`?
        ",
    );
}

#[test]
fn unknown_characters() {
    check(
        r#"global x@@@, y;
fn t { x.store(1); " ä [ }"#,
        r#"
            1:9-12 E0110 unknown text `@@@` | nothing in TPL begins like this
            2:20-21 E0110 unknown text `"` | nothing in TPL begins like this | help: TPL has no strings and no characters, only numbers
            2:22-23 E0110 unknown text `ä` | nothing in TPL begins like this
            2:24-25 E0110 unknown text `[` | nothing in TPL begins like this | help: TPL has no arrays; the Steadfast language has
        "#,
    );
}

#[test]
fn an_unclosed_comment() {
    check(
        r"fn t { skip; }
/* and so on",
        r"
            2:1-3 E0111 this comment is never closed | no `*/` follows
        ",
    );
}

#[test]
fn verify_takes_a_name() {
    check(
        "fn t { local r; verify(r + 1); verify(q); }",
        r"
            1:24-29 E0134 `verify` takes a local variable | this is an expression
            1:39-40 E0131 unknown local variable `q` | not declared with `local` before
        ",
    );
}

#[test]
fn track_names_a_location() {
    check(
        r"global counter;
track conter: 0, 1;
track counter: all;
track counter: some;
fn t { skip; }",
        r"
            4:16-20 E0120 expected `all` or a value, found `some` | expected `all` or a value
        ",
    );
}

#[test]
fn oneof_needs_its_blocks() {
    check(
        r"fn t { oneof(); oneof({ skip; } { skip; }) }
fn u { oneof { skip; } }",
        r"
            1:14-15 E0120 expected `{`, found `)` | expected `{`
            1:43 E0120 expected `;`, found `}` | expected `;`
            2:14-15 E0120 expected `(`, found `{` | expected `(`
        ",
    );
}

#[test]
fn a_wait_with_a_result_drops_a_value() {
    check(
        r"global x;
fn t { local r; r = wait(x, 1, 2, acq); r = wait(x, 3); wait(x, 1, 2); }",
        r"
            2:29-30 W0160 the first value of this `wait` is ignored | as in Rocker, this value is not waited for | 2:17-39 because the result is assigned | help: to wait for it too, write it twice
        ",
    );
}

#[test]
fn expectations_that_make_no_sense() {
    check(
        r"// ROBUSTNESS foo: robust: ra.
// ROBUSTNESS egr: maybe: ra.
// ROBUSTNESS egr: robust: power.
// ROBUSTNESS egr
// ROBUSTNESS egr: robust: ra.
// ROBUSTNESS egr: not: ra.
fn t { skip; }",
        r"
            1:4-31 W0162 unknown notion of robustness `foo` | this comment is ignored | help: write it like `// ROBUSTNESS egr: robust: ra. not: rlx.`
            2:4-30 W0162 unknown verdict `maybe` | this comment is ignored | help: write it like `// ROBUSTNESS egr: robust: ra. not: rlx.`
            3:4-34 W0162 unknown model `power` | this comment is ignored | help: write it like `// ROBUSTNESS egr: robust: ra. not: rlx.`
            4:4-18 W0162 this expectation says nothing | this comment is ignored | help: write it like `// ROBUSTNESS egr: robust: ra. not: rlx.`
            6:4-28 W0163 two comments disagree about graph robustness under ra | this one is ignored | 5:4-31 this one counts
        ",
    );
}

#[test]
fn nonsense() {
    check(
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        r"
            1:1-6 E0120 expected a declaration, found `Lorem` | expected a declaration | note: declarations begin with `max_value`, `global`, `na`, `track` or `fn`
        ",
    );
}

#[test]
fn another_language() {
    check(
        r"#include <stdatomic.h>
int main(void) { return 0; }",
        r"
            1:1-2 E0110 unknown text `#` | nothing in TPL begins like this | help: comments begin with `//`
            1:2-9 E0120 expected a declaration, found `include` | expected a declaration | note: declarations begin with `max_value`, `global`, `na`, `track` or `fn`
        ",
    );
}

#[test]
fn a_nul_byte_is_no_text() {
    check(
        "fn t { \0 }",
        r"
            1:8-9 E0101 the file contains a NUL byte | here | help: is this a program text, and not a binary file?
        ",
    );
}
