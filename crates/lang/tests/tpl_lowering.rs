//! What right programs become: the listing of the program, and the text that each instruction points to.

use steadfast_ir::{Program, Wrap};
use steadfast_lang::{Dialect, Expectation, ExpectedVerdict, parse};
use steadfast_span::SourceFile;

#[track_caller]
fn program(input: &str) -> Program {
    let parsed = parse(&SourceFile::new("dir/test.tpl", input), Dialect::Tpl);
    parsed.program.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics))
}

#[track_caller]
fn check(input: &str, expected: &str) {
    let actual = program(input).to_string();
    let trimmed =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&actual), trimmed(expected), "\n{actual}");
}

#[test]
fn programs_are_named_after_their_file_and_compute_like_rocker() {
    let program = program("max_value 10; fn t { local r; }");
    assert_eq!(program.name, "test");
    assert_eq!(program.wrap, Wrap::TruncatedByte);
    assert_eq!(program.reduce(-1, 11), 255);
    let modulus: Vec<u16> = program.threads.iter().flat_map(|t| t.registers.iter().map(|r| r.modulus)).collect();
    assert_eq!(modulus, [11]);
}

#[test]
fn every_instruction_points_to_its_statement() {
    let text = "global x, l;
        fn worker {
            local r;
            x.store(1 , rel) ;
            r = FADD(x, 1);
            if (r == 1) { r = r + 1; } else { fence(acq); }
            while (r) { lock(l); }
            again: if (r) goto again;
            oneof({ wait(x, 1); });
            verify(r);
        }";
    let program = program(text);
    let file = SourceFile::new("", text);
    let thread = program.threads.iter().next().expect("there is a thread");
    assert_eq!(file.snippet(thread.span), "fn worker");
    let spans: Vec<&str> = thread.code.iter().map(|instruction| file.snippet(instruction.span)).collect();
    let expected = [
        "x.store(1 , rel)",
        "r = FADD(x, 1)",
        "if (r == 1)",
        "r = r + 1",
        "if (r == 1)",
        "fence(acq)",
        "while (r)",
        "lock(l)",
        "while (r)",
        "if (r) goto again",
        "oneof",
        "wait(x, 1)",
        "oneof",
        "verify(r)",
        "}",
    ];
    assert_eq!(spans, expected);
    let locations: Vec<&str> = program.locations.iter().map(|location| file.snippet(location.span)).collect();
    assert_eq!(locations, ["x", "l"]);
}

/// Expectations as `model notion verdict`.
fn expectations(input: &str) -> Vec<String> {
    let parsed = parse(&SourceFile::new("test.tpl", input), Dialect::Tpl);
    let describe = |Expectation { verdict, model, notion, .. }: &Expectation| {
        let verdict = if *verdict == ExpectedVerdict::Robust { "robust" } else { "not robust" };
        format!("{model} {notion} {verdict}")
    };
    parsed.expectations.iter().map(describe).collect()
}

#[test]
fn expectations_imply_weaker_ones() {
    let all = |verdict| {
        ["ra observational", "ra graph", "rc20 observational", "rc20 graph"].map(|what| format!("{what} {verdict}"))
    };
    let mut robust = expectations("// ROBUSTNESS egr: robust: rlx.");
    robust.sort();
    let mut expected = all("robust").to_vec();
    expected.sort();
    assert_eq!(robust, expected);
    let mut broken = expectations("\t//ROBUSTNESS wegr: not: ra");
    broken.sort();
    let mut expected = all("not robust").to_vec();
    expected.sort();
    assert_eq!(broken, expected);
}

#[test]
fn expectations_do_not_contradict_what_is_written() {
    let text = "// ROBUSTNESS egr: robust: ra. not: rlx.\n// ROBUSTNESS wegr: robust: ra,rlx.\nfn t { skip; }";
    let stated = ["ra graph robust", "rc20 graph not robust", "ra observational robust", "rc20 observational robust"];
    assert_eq!(expectations(text), stated);
    let text = "// ROBUSTNESS wegr: not: ra.\n// ROBUSTNESS egr: robust: ra.";
    let stated =
        ["ra observational not robust", "ra graph robust", "rc20 observational not robust", "rc20 graph not robust"];
    assert_eq!(expectations(text), stated);
}

#[test]
fn expectations_point_to_their_comment() {
    let file = SourceFile::new("test.tpl", "// one\n  //  ROBUSTNESS egr: robust: ra.  \r\nfn t { }");
    let parsed = parse(&file, Dialect::Tpl);
    assert_eq!(file.snippet(parsed.expectations[0].span), "ROBUSTNESS egr: robust: ra.");
    assert!(parsed.diagnostics.is_empty());
}

#[test]
fn locations_have_kinds_initial_values_and_one_modulus() {
    check(
        "fn t { skip; }
global x, y = 3;
na d = 1;
max_value 10;",
        "
            Atomic x = 0 mod 11
            Atomic y = 3 mod 11
            Plain d = 1 mod 11
            thread t
                0: halt
        ",
    );
}

#[test]
fn the_modulus_is_256_by_default() {
    check(
        "global x;
fn t { skip; }",
        "
            Atomic x = 0 mod 256
            thread t
                0: halt
        ",
    );
}

#[test]
fn accesses_with_and_without_modes() {
    check(
        "global x; na d;
fn t {
    local r;
    r = x.load();
    r = x.load(rlx);
    r = x.load(acq);
    x.store(r);
    x.store(1, rlx);
    x.store(r + 1, rel);
    r = d.naload();
    d.nastore(r);
}",
        "
            Atomic x = 0 mod 256
            Plain d = 0 mod 256
            thread t
                0: r := x.load(relaxed)
                1: r := x.load(relaxed)
                2: r := x.load(acquire)
                3: x.store(r, relaxed)
                4: x.store(1, relaxed)
                5: x.store((r + 1), release)
                6: r := d
                7: d = r
                8: halt
        ",
    );
}

#[test]
fn read_modify_writes_take_the_mode_of_the_read_and_of_the_write() {
    check(
        "global x;
fn t {
    local r;
    FADD(x, 1);
    r = FADD(x, 1, acq, rlx);
    r = exchange(x, 2, rlx, rel);
    exchange(x, 2);
    r = CAS(x, 0, 1, acq, rel);
    CAS(x, 0, 1);
    BCAS(x, 0, 1, rlx, rel);
}",
        "
            Atomic x = 0 mod 256
            thread t
                0: x.update((old + 1), relaxed)
                1: r := x.update((old + 1), acquire)
                2: r := x.update(2, release)
                3: x.update(2, relaxed)
                4: r := x.cas(0, 1, acq_rel, acquire)
                5: x.cas(0, 1, relaxed, relaxed)
                6: x.blocking_cas(0, 1, release)
                7: halt
        ",
    );
}

#[test]
fn the_amount_of_an_addition_sees_the_old_value() {
    check(
        "global x;
fn t { local r, s; r = FADD(x, 2 * r + s); FADD(x, r); r = exchange(x, r); r = CAS(x, r, r + 1); }",
        "
            Atomic x = 0 mod 256
            thread t
                0: r := x.update((old + ((2 * old) + s)), relaxed)
                1: x.update((old + r), relaxed)
                2: r := x.update(r, relaxed)
                3: r := x.cas(r, (r + 1), relaxed, relaxed)
                4: halt
        ",
    );
}

#[test]
fn waits_and_locks() {
    check(
        "global x, l;
fn t {
    local r;
    wait(x, 1);
    wait(x, r, 0, acq);
    r = wait(x, 1);
    r = wait(x, 1, 2, 3, acq);
    lock(l);
    unlock(l);
}",
        "
            Atomic x = 0 mod 256
            Atomic l = 0 mod 256
            thread t
                0: x.wait(1, relaxed)
                1: x.wait(r | 0, acquire)
                2: r := x.wait(1, relaxed)
                3: r := x.wait(2 | 3, acquire)
                4: l.lock()
                5: l.unlock()
                6: halt
        ",
    );
}

#[test]
fn fences() {
    check(
        "fn t { fence; fence(); fence(upd); fence(seq_cst); fence(acq); fence(rel); fence(acq_rel); }",
        "
            thread t
                0: fence(seq_cst)
                1: fence(seq_cst)
                2: fence(seq_cst)
                3: fence(seq_cst)
                4: fence(acquire)
                5: fence(release)
                6: fence(acq_rel)
                7: halt
        ",
    );
}

#[test]
fn local_steps() {
    check(
        "fn t { local r; r = -1 + true; assert(r == 255); assume(!r); verify(r); skip; ; }",
        "
            thread t
                0: r := (-1 + 1)
                1: assert (r == 255)
                2: assume !r
                3: observe r
                4: halt
        ",
    );
}

#[test]
fn precedences_are_those_of_c() {
    check(
        "fn t {
    local a, b, c;
    a = a & 1 == 1;
    a = a || b && c | a ^ b & c;
    a = a < b == c >= a;
    a = a - b - c * a % b / c;
    a = -(a + b) * ~c + !a << 1 >> 2;
    a = ((a));
    a = +a != - -b;
}",
        "
            thread t
                0: a := (a & (1 == 1))
                1: a := (a || (b && (c | (a ^ (b & c)))))
                2: a := ((a < b) == (c >= a))
                3: a := ((a - b) - (((c * a) % b) / c))
                4: a := ((((-(a + b) * ~c) + !a) << 1) >> 2)
                5: a := a
                6: a := (a != --b)
                7: halt
        ",
    );
}

#[test]
fn if_with_and_without_else() {
    check(
        "global x;
fn t {
    local r;
    if (r) { x.store(1); }
    if (r) { x.store(2); } else { x.store(3); }
    if (r) { x.store(4); } else if (r == 1) { x.store(5); } else { x.store(6); }
    if (r) { }
    if (r) x.store(7); else x.store(8);
}",
        "
            Atomic x = 0 mod 256
            thread t
                0: if r goto 1 else 2
                1: x.store(1, relaxed)
                2: if r goto 3 else 5
                3: x.store(2, relaxed)
                4: goto 6
                5: x.store(3, relaxed)
                6: if r goto 7 else 9
                7: x.store(4, relaxed)
                8: goto 13
                9: if (r == 1) goto 10 else 12
               10: x.store(5, relaxed)
               11: goto 13
               12: x.store(6, relaxed)
               13: if r goto 14 else 14
               14: if r goto 15 else 17
               15: x.store(7, relaxed)
               16: goto 18
               17: x.store(8, relaxed)
               18: halt
        ",
    );
}

#[test]
fn jumps_to_labels_in_both_directions() {
    check(
        "global x;
fn t {
    local r;
    again: r = x.load();
    if (r == 0) goto again;
    if (r == 1) { goto end; }
    if (r == 2) goto end; else goto again;
    goto again;
    end:
}",
        "
            Atomic x = 0 mod 256
            thread t
                0: r := x.load(relaxed)
                1: if (r == 0) goto 0 else 2
                2: if (r == 1) goto 8 else 3
                3: if (r == 2) goto 4 else 6
                4: goto 8
                5: goto 7
                6: goto 0
                7: goto 0
                8: halt
        ",
    );
}

#[test]
fn loops() {
    check(
        "global x;
fn t {
    local r;
    while (r != 1) { r = x.load(); }
    while (true) { }
}",
        "
            Atomic x = 0 mod 256
            thread t
                0: if (r != 1) goto 1 else 3
                1: r := x.load(relaxed)
                2: goto 0
                3: if 1 goto 4 else 5
                4: goto 3
                5: halt
        ",
    );
}

#[test]
fn choices() {
    check(
        "global x;
fn t { oneof({ x.store(1); } { x.store(2); x.store(3); } { }); x.store(4); }",
        "
            Atomic x = 0 mod 256
            thread t
                0: choose [1, 3, 6]
                1: x.store(1, relaxed)
                2: goto 7
                3: x.store(2, relaxed)
                4: x.store(3, relaxed)
                5: goto 7
                6: goto 7
                7: x.store(4, relaxed)
                8: halt
        ",
    );
}

#[test]
fn labels_and_variables_belong_to_their_thread_and_may_be_called_like_a_location() {
    check(
        "global x;
fn a { local x; x: x = x.load(); goto x; }
fn b { local x; x: x = x.load(); goto x; }",
        "
            Atomic x = 0 mod 256
            thread a
                0: x := x.load(relaxed)
                1: goto 0
                2: halt
            thread b
                0: x := x.load(relaxed)
                1: goto 0
                2: halt
        ",
    );
}

#[test]
fn comments_of_both_kinds() {
    check(
        "/* one
 * two */ fn t { skip; // three
} /**/ // four",
        "
            thread t
                0: halt
        ",
    );
}
