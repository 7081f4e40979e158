use super::*;
use crate::program::Instr;
use steadfast_random::Rng;

fn read(text: &str) -> Parsed {
    parse(&SourceFile::new("test.txn", text))
}

fn program(text: &str) -> Program {
    match read(text) {
        Parsed { subject: Some(Subject::Program(program)), .. } => program,
        other => panic!("{:?}", other.diagnostics),
    }
}

/// The only error, with the text that it points to.
#[track_caller]
fn error(text: &str) -> (&'static str, String, Vec<String>) {
    let parsed = read(text);
    assert!(parsed.subject.is_none() && parsed.diagnostics.len() == 1, "{:?}", parsed.diagnostics);
    let problem = &parsed.diagnostics[0];
    let span = problem.span().expect("every error has a place");
    (problem.code.0, text[span.range()].to_owned(), problem.helps.clone())
}

#[test]
fn arrays_copies_and_unrolled_loops() {
    let program = program(
        "shared seat[2][3] = 1, total;
         process client[2] { txn book { for i in 0..3 { seat[self][i] := total + i; } } }",
    );
    assert_eq!((program.variables.len(), program.processes.len(), program.transactions.len()), (7, 2, 1));
    assert_eq!((&*program.variables[5].name, program.variables[5].initial), ("seat[1][2]", 1));
    let writes = program.processes[1].code.iter().filter(|instr| matches!(instr, Instr::Write { .. })).count();
    assert_eq!((writes, &*program.processes[1].name), (3, "client[1]"));
}

#[test]
fn expectations_are_read() {
    let parsed = read("#![expect(not_robust, model = ccv)] shared x; process p { txn { x := 1; } }");
    assert_eq!(parsed.expectations.len(), 1);
    assert_eq!((parsed.expectations[0].robust, parsed.expectations[0].model), (false, Model::Ccv));
}

#[test]
fn templates_have_tables_keys_and_attributes() {
    let parsed = read("template T(a, b) { read Account[a](name); update Account[b]; lock Account[a](balance); }");
    let Some(Subject::Templates(templates)) = parsed.subject else { panic!("{:?}", parsed.diagnostics) };
    assert_eq!(templates[0].parameters.len(), 2);
    let [read, update, lock] = &templates[0].operations[..] else { panic!() };
    assert!(!read.reads.meets(lock.writes) && update.writes.meets(lock.reads) && update.writes.meets(read.reads));
}

#[test]
fn mistakes_are_named_and_placed() {
    assert_eq!(
        error("shared total; process p { txn { totl := 1; r := totel; } }"),
        ("E0602", "totel".into(), vec!["did you mean `total`?".into()])
    );
    assert_eq!(error("shared x; process p { x := 1; }").0, "E0604");
    assert_eq!(error("shared x; process p { txn { txn { x := 1; } } }").0, "E0604");
    assert_eq!(error("shared x; process p { txn { loop { x := 1; } } }").0, "E0604");
    assert_eq!(error("shared x, x; process p { txn { x := 1; } }").0, "E0603");
    assert_eq!(error("shared x[2]; process p { txn { x := 1; } }").0, "E0606");
    assert_eq!(error("shared x[65]; process p { txn { r := 1; } }").0, "E0607");
    assert_eq!(error("shared x; process p[33] { txn { x := 1; } }").0, "E0607");
    assert_eq!(error("shared x; process p { txn { pick r in 3..3; } }").0, "E0605");
    assert_eq!(error("shared x; process p { txn { x = 1; } }").2, ["an assignment is written `:=`"]);
    assert_eq!(error("").0, "E0610");
    assert_eq!(error("template T() {} process p {}").0, "E0611");
    assert_eq!(error("#![expect(robust)] shared x; process p { txn { x := 1; } }").0, "E0609");
    assert_eq!(error("#![expect(robust, model = ra)] shared x; process p { txn { x := 1; } }").0, "E0609");
}

#[test]
fn reading_goes_on_after_a_mistake() {
    let parsed = read("shared x; process p { txn { x := ; x := 1 } } shared ; process q { txn { y := z; } }");
    let lines: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.code.0).collect();
    assert_eq!(lines, ["E0601", "E0601", "E0601", "E0602"], "{:?}", parsed.diagnostics);
}

#[test]
fn deep_and_large_texts_are_refused_in_time() {
    let deep = |open: &str, close: &str| {
        let body = format!("{}{}", open.repeat(50_000), close.repeat(50_000));
        format!("shared x; process p {{ txn {{ x := {body}; }} }}")
    };
    assert!(read(&deep("(", ")")).subject.is_none());
    assert!(read(&deep("!", "")).subject.is_none());
    assert!(read(&deep("1 + ", "1")).subject.is_none());
    assert!(read(&format!("shared x; process p {{ {} }}", "if * {".repeat(50_000))).subject.is_none());
    let nested = "for i in 0..900 { ".repeat(6) + "x := 1;" + &"}".repeat(6);
    assert!(read(&format!("shared x; process p {{ txn {{ {nested} }} }}")).subject.is_none());
    let empty = "for i in 0..900 { ".repeat(20) + &"}".repeat(20);
    assert!(read(&format!("shared x; process p {{ txn {{ {empty} }} }}")).subject.is_none());
    assert!(read(&"€".repeat(10_000)).diagnostics.len() <= steadfast_diag::MAX_DIAGNOSTICS + 1);
}

/// Pieces of the language in any order never make the reader panic.
#[test]
fn any_text_gives_a_program_or_errors() {
    let pieces = [
        "shared",
        "x",
        "y[2]",
        "process",
        "p",
        "{",
        "}",
        "txn",
        "serializable",
        "loop",
        "choose",
        "or",
        "if",
        "*",
        "else",
        "pick",
        "in",
        "0..2",
        "for",
        "assume",
        ":=",
        "1",
        ";",
        ",",
        "(",
        ")",
        "self",
        "&&",
        "==",
        "-",
        "!",
        "/",
        "0",
        "template",
        "read",
        "[x]",
        "#![",
        "expect",
        "model",
        "=",
        "ccv",
        "]",
        "ä",
        "\0",
        "999999999999",
        "values",
    ];
    let mut rng = Rng::new(5);
    for _ in 0..5_000 {
        let length = 1 + rng.below(40);
        let words: Vec<&str> = (0..length).map(|_| pieces[rng.below(pieces.len())]).collect();
        let prefix = if rng.chance(50) { "shared x, y[2]; process p { txn { " } else { "" };
        let parsed = read(&format!("{prefix}{}", words.join(" ")));
        assert_eq!(parsed.subject.is_some(), parsed.diagnostics.is_empty());
    }
}
