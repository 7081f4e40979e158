//! What each construct becomes, as a listing of the program.

use steadfast_diag::Severity;
use steadfast_ir::{Program, liveness};
use steadfast_lang::{Dialect, ExpectedVerdict, parse};
use steadfast_span::SourceFile;

/// Declarations for all tests.
const SHARED: &str = "atomic<u8> x, y; atomic<bool> flag; atomic<u8> a[3]; plain<u8> d; plain<u8> buf[2]; mutex m;";

fn program(text: &str) -> Program {
    let parsed = parse(&SourceFile::new("input.sf", text), Dialect::Steadfast);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|problem| problem.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.program.expect("there are no errors")
}

/// Checks the threads of a program; what they share is the same everywhere.
#[track_caller]
fn check_threads(text: &str, expected: &str) {
    let listing = program(&format!("{SHARED} {text}")).to_string();
    let threads = &listing[listing.find("thread").unwrap_or(0)..];
    assert_eq!(threads.trim_end(), expected.trim(), "\nfor the input\n{text}\nthe program is\n{threads}");
}

/// Checks the body of a thread.
#[track_caller]
fn check(body: &str, expected: &str) {
    check_threads(&format!("thread t {{ {body} }}"), &format!("thread t\n{}", expected.trim_start_matches('\n')));
}

#[test]
fn declarations() {
    let text = "atomic<u8> x = 3, y; atomic<bool> b = true; plain<0..=9> d; atomic<u4> a[2] = 7, c[2] = {1, 2}; mutex m; thread t {}";
    let expected = "
Atomic x = 3 mod 256
Atomic y = 0 mod 256
Atomic b = 1 mod 2
Plain d = 0 mod 10
Atomic a[0] = 7 mod 16
Atomic a[1] = 7 mod 16
Atomic c[0] = 1 mod 16
Atomic c[1] = 2 mod 16
Atomic m = 0 mod 2
thread t
    0: halt
";
    assert_eq!(program(text).to_string(), expected.trim_start());
}

/// The load is reached again with nothing live: that is how a checker recognises waiting.
#[test]
fn waiting_loops_are_two_instructions() {
    check(
        "while (x.load(acquire) != 1) {}",
        "
    0: tmp := x.load(acquire)
    1: if (tmp != 1) goto 0 else 2
    2: halt
",
    );
    check(
        "while (x.compare_exchange(0, 1, acquire, relaxed) != 0) {}",
        "
    0: tmp := x.cas(0, 1, acquire, relaxed)
    1: if (tmp != 0) goto 0 else 2
    2: halt
",
    );
    check(
        "let old = 0; do { old = x.compare_exchange(0, 1, acquire, relaxed); } while (old != 0); observe(old);",
        "
    0: old := 0
    1: old := x.cas(0, 1, acquire, relaxed)
    2: if (old != 0) goto 1 else 3
    3: observe old
    4: halt
",
    );
    check(
        "while (!flag.load(acquire)) {}",
        "
    0: tmp := flag.load(acquire)
    1: if tmp goto 2 else 0
    2: halt
",
    );
    check(
        "while (flag.swap(true, acquire)) { while (flag.load(relaxed)) {} }",
        "
    0: tmp := flag.update(1, acquire)
    1: if tmp goto 2 else 4
    2: tmp := flag.load(relaxed)
    3: if tmp goto 2 else 0
    4: halt
",
    );
    check(
        "loop { if (x.load(acquire) == 1) { break; } }",
        "
    0: tmp := x.load(acquire)
    1: if (tmp == 1) goto 2 else 0
    2: halt
",
    );
    check(
        "while (x.load(relaxed) == 0 && y.load(relaxed) == 0) {}",
        "
    0: tmp := x.load(relaxed)
    1: if (tmp == 0) goto 2 else 4
    2: tmp_2 := y.load(relaxed)
    3: if (tmp_2 == 0) goto 0 else 4
    4: halt
",
    );
}

#[test]
fn loops() {
    check(
        "while (true) { x.store(1); }",
        "
    0: x.store(1, seq_cst)
    1: goto 0
    2: halt
",
    );
    check(
        "while (false) { x.store(1); }",
        "
    0: halt
",
    );
    check(
        "loop {}",
        "
    0: goto 0
    1: halt
",
    );
    check(
        "for (let i = 0; i < 3; i++) { if (i == 1) { continue; } a[i].store(i, relaxed); }",
        "
    0: i := 0
    1: if (i < 3) goto 2 else 6
    2: if (i == 1) goto 4 else 3
    3: a[i].store(i, relaxed)
    4: i := (i + 1)
    5: goto 1
    6: halt
",
    );
    check(
        "do { if (d == 1) { continue; } break; } while (d != 2);",
        "
    0: tmp := d
    1: if (tmp == 1) goto 2 else 4
    2: tmp := d
    3: if (tmp != 2) goto 0 else 4
    4: halt
",
    );
    check(
        "for (;;) { x.store(1); }",
        "
    0: x.store(1, seq_cst)
    1: goto 0
    2: halt
",
    );
}

#[test]
fn branches() {
    check(
        "let r = 1; if (r == 1) { x.store(1); } else if (r == 2) { x.store(2); } else { x.store(3); }",
        "
    0: r := 1
    1: if (r == 1) goto 2 else 4
    2: x.store(1, seq_cst)
    3: goto 8
    4: if (r == 2) goto 5 else 7
    5: x.store(2, seq_cst)
    6: goto 8
    7: x.store(3, seq_cst)
    8: halt
",
    );
    check(
        "if (id == 0) { x.store(1); } else { y.store(1); }",
        "
    0: x.store(1, seq_cst)
    1: halt
",
    );
    check(
        "choose { x.store(1); } or { x.store(2); } or {}",
        "
    0: choose [1, 3, 4]
    1: x.store(1, seq_cst)
    2: goto 4
    3: x.store(2, seq_cst)
    4: halt
",
    );
    check(
        "let r = any(2, 4); x.store(r + any(0, 1));",
        "
    0: choose [1, 3, 5]
    1: r := 2
    2: goto 6
    3: r := 3
    4: goto 6
    5: r := 4
    6: choose [7, 9]
    7: tmp := 0
    8: goto 10
    9: tmp := 1
   10: x.store((r + tmp), seq_cst)
   11: halt
",
    );
    check(
        "again: x.store(1); goto again;",
        "
    0: x.store(1, seq_cst)
    1: goto 0
    2: halt
",
    );
    check(
        "let r = 1; if (r) { goto end; } x.store(1); end: return; x.store(2);",
        "
    0: r := 1
    1: if r goto 3 else 2
    2: x.store(1, seq_cst)
    3: halt
",
    );
}

#[test]
fn accesses_in_expressions_go_from_left_to_right() {
    check(
        "let r = x.load(acquire) + y.load(relaxed) * d;",
        "
    0: tmp := x.load(acquire)
    1: tmp_2 := y.load(relaxed)
    2: tmp_3 := d
    3: r := (tmp + (tmp_2 * tmp_3))
    4: halt
",
    );
    check(
        "x.store(a[y.load(relaxed)].load(acquire) + 1, release);",
        "
    0: tmp := y.load(relaxed)
    1: tmp_2 := a[tmp].load(acquire)
    2: x.store((tmp_2 + 1), release)
    3: halt
",
    );
    check(
        "a[x.fetch_add(1, relaxed)].store(d, release);",
        "
    0: tmp := x.update((old + 1), relaxed)
    1: tmp_2 := d
    2: a[tmp].store(tmp_2, release)
    3: halt
",
    );
    check(
        "buf[d] = buf[0] + 1;",
        "
    0: tmp := d
    1: tmp_2 := buf[0]
    2: buf[tmp] = (tmp_2 + 1)
    3: halt
",
    );
    check(
        "assert(x.load(relaxed) == 1 || y.load(relaxed) == 1);",
        "
    0: tmp := x.load(relaxed)
    1: if (tmp == 1) goto 5 else 2
    2: tmp_2 := y.load(relaxed)
    3: if (tmp_2 == 1) goto 5 else 4
    4: assert 0
    5: halt
",
    );
    check(
        "let r = 1; let s = r && x.load(relaxed);",
        "
    0: r := 1
    1: if r goto 2 else 6
    2: tmp := x.load(relaxed)
    3: if tmp goto 4 else 6
    4: s := 1
    5: goto 7
    6: s := 0
    7: halt
",
    );
    check(
        "let i = 0; assert(i == 0 || 4 / i > 1); assert(i == 0 || i > 1);",
        "
    0: i := 0
    1: if (i == 0) goto 4 else 2
    2: if ((4 / i) > 1) goto 4 else 3
    3: assert 0
    4: assert ((i == 0) || (i > 1))
    5: halt
",
    );
    check(
        "x.load(relaxed); observe(x.load(relaxed) + 1); observe(3);",
        "
    0: tmp := x.load(relaxed)
    1: tmp := x.load(relaxed)
    2: tmp_2 := (tmp + 1)
    3: observe tmp_2
    4: tmp := 3
    5: observe tmp
    6: halt
",
    );
}

#[test]
fn every_access() {
    check(
        "x.store(1, relaxed); x.store(1, release); x.store(1); a[2].store(2, memory_order_release); x.store(1, Ordering::SeqCst);",
        "
    0: x.store(1, relaxed)
    1: x.store(1, release)
    2: x.store(1, seq_cst)
    3: a[2].store(2, release)
    4: x.store(1, seq_cst)
    5: halt
",
    );
    check(
        "x.fetch_add(1, acq_rel); let r = x.fetch_sub(2, acquire); r = x.fetch_and(3); r = x.fetch_or(4); r = x.fetch_xor(5); r = x.swap(6); x.exchange(7, release);",
        "
    0: x.update((old + 1), acq_rel)
    1: r := x.update((old - 2), acquire)
    2: r := x.update((old & 3), seq_cst)
    3: r := x.update((old | 4), seq_cst)
    4: r := x.update((old ^ 5), seq_cst)
    5: r := x.update(6, seq_cst)
    6: x.update(7, release)
    7: halt
",
    );
    check(
        "x.compare_exchange(0, 1); x.compare_exchange(0, 1, acq_rel); x.compare_exchange(0, 1, release); x.compare_exchange_strong(0, 1, relaxed, acquire);",
        "
    0: x.cas(0, 1, seq_cst, seq_cst)
    1: x.cas(0, 1, acq_rel, acquire)
    2: x.cas(0, 1, release, relaxed)
    3: x.cas(0, 1, relaxed, acquire)
    4: halt
",
    );
    check(
        "let r: bool = x.compare_exchange_weak(0, 1, acquire, relaxed); let s = x.compare_exchange_weak(r + 7, 1);",
        "
    0: choose [1, 4]
    1: tmp := x.cas(0, 1, acquire, relaxed)
    2: r := (tmp == 0)
    3: goto 6
    4: x.cas_that_fails(0, 1, acquire, relaxed)
    5: r := 0
    6: tmp_2 := (r + 7)
    7: choose [8, 11]
    8: tmp := x.cas(tmp_2, 1, seq_cst, seq_cst)
    9: s := (tmp == tmp_2)
   10: goto 13
   11: x.cas_that_fails(tmp_2, 1, seq_cst, seq_cst)
   12: s := 0
   13: halt
",
    );
    check(
        "x.wait(1, acquire); let r = x.wait(1, 2, 3); x.await_cas(0, 1, acquire); m.lock(); m.unlock();",
        "
    0: x.wait(1, acquire)
    1: r := x.wait(1 | 2 | 3, seq_cst)
    2: x.blocking_cas(0, 1, acquire)
    3: m.lock()
    4: m.unlock()
    5: halt
",
    );
    check(
        "fence(acquire); fence(release); fence(acq_rel); fence(seq_cst); fence(); atomic_thread_fence(memory_order_acquire);",
        "
    0: fence(acquire)
    1: fence(release)
    2: fence(acq_rel)
    3: fence(seq_cst)
    4: fence(seq_cst)
    5: fence(acquire)
    6: halt
",
    );
    check(
        "d = 1; d += 2; d++; buf[1] <<= 1; let r = d; r -= 1; ++r; r ^= d;",
        "
    0: d = 1
    1: tmp := d
    2: d = (tmp + 2)
    3: tmp := d
    4: d = (tmp + 1)
    5: tmp := buf[1]
    6: buf[1] = (tmp << 1)
    7: r := d
    8: r := (r - 1)
    9: r := (r + 1)
   10: tmp := d
   11: r := (r ^ tmp)
   12: halt
",
    );
    check(
        "assume(x.load() == 1); assert(true); assert(false); skip; ;",
        "
    0: tmp := x.load(seq_cst)
    1: assume (tmp == 1)
    2: assert 0
    3: halt
",
    );
}

/// A `bool` is 1 for anything but 0; other types take the remainder.
#[test]
fn values_fit_their_types() {
    check(
        "flag.store(2); flag.store(d); let b: bool = x.load(); let c: bool = flag.load(); let u: u1 = d; flag.compare_exchange(d, 2);",
        "
    0: flag.store(1, seq_cst)
    1: tmp := d
    2: flag.store((tmp != 0), seq_cst)
    3: tmp := x.load(seq_cst)
    4: b := (tmp != 0)
    5: c := flag.load(seq_cst)
    6: u := d
    7: tmp := d
    8: flag.cas((tmp != 0), 1, seq_cst, seq_cst)
    9: halt
",
    );
    check(
        "let r: u4 = x.load(relaxed); let s: 0..=9 = r + 9; let t: u4;",
        "
    0: r := x.load(relaxed)
    1: s := (r + 9)
    2: t := 0
    3: halt
",
    );
}

/// Scopes that have ended give their registers back.
#[test]
fn registers_are_reused() {
    check(
        "{ let r = x.load(); y.store(r); } { let r = y.load(); x.store(r); } { let r: u4 = 1; x.store(r); }",
        "
    0: r := x.load(seq_cst)
    1: y.store(r, seq_cst)
    2: r := y.load(seq_cst)
    3: x.store(r, seq_cst)
    4: r_2 := 1
    5: x.store(r_2, seq_cst)
    6: halt
",
    );
    check(
        "let r = 1; { let r = r + 1; x.store(r); } x.store(r);",
        "
    0: r := 1
    1: r_2 := (r + 1)
    2: x.store(r_2, seq_cst)
    3: x.store(r, seq_cst)
    4: halt
",
    );
}

#[test]
fn functions_are_inlined() {
    check_threads(
        "fn publish(v: u8) { d = v; x.store(1, release); } thread t { publish(41 + 1); }",
        "
thread t
    0: d = 42
    1: x.store(1, release)
    2: halt
",
    );
    check_threads(
        "fn twice(v) { v = v * 2; return v; } thread t { let r = 3; let s = twice(r) + twice(id + 1); x.store(s); }",
        "
thread t
    0: r := 3
    1: v := r
    2: v := (v * 2)
    3: tmp := v
    4: v := 1
    5: v := (v * 2)
    6: tmp_2 := v
    7: s := (tmp + tmp_2)
    8: x.store(s, seq_cst)
    9: halt
",
    );
    check_threads(
        "fn try_lock() -> bool { return x.compare_exchange(0, 1, acquire, relaxed) == 0; } thread t { while (!try_lock()) {} }",
        "
thread t
    0: tmp_2 := x.cas(0, 1, acquire, relaxed)
    1: tmp := (tmp_2 == 0)
    2: if tmp goto 3 else 0
    3: halt
",
    );
    check_threads(
        "fn get(i) { if (i == 0) { return x.load(); } if (i == 1) { return y.load(); } } thread t { let r = get(0); let s = get(1); let q = get(2); }",
        "
thread t
    0: r := x.load(seq_cst)
    1: s := y.load(seq_cst)
    2: q := 0
    3: halt
",
    );
    check_threads(
        "fn lock() { loop { if (x.swap(1) == 0) { return; } } } fn unlock() { x.store(0, release); } thread t { lock(); d = 1; unlock(); }",
        "
thread t
    0: tmp := x.update(1, seq_cst)
    1: if (tmp == 0) goto 2 else 0
    2: d = 1
    3: x.store(0, release)
    4: halt
",
    );
    check_threads(
        "fn spin(v) { again: if (x.load() != v) { goto again; } } thread t { spin(1); spin(2); }",
        "
thread t
    0: tmp := x.load(seq_cst)
    1: if (tmp != 1) goto 0 else 2
    2: tmp := x.load(seq_cst)
    3: if (tmp != 2) goto 2 else 4
    4: halt
",
    );
    check_threads(
        "fn f(v) { return v; } thread t { f(d); let r = f(f(1)) + f(x.load()); }",
        "
thread t
    0: v := d
    1: v := 1
    2: tmp := v
    3: v := x.load(seq_cst)
    4: tmp_2 := v
    5: r := (tmp + tmp_2)
    6: halt
",
    );
}

#[test]
fn copies_have_an_id() {
    check_threads(
        "thread t[2] { a[id].store(id + 1); if (id == 0) { x.store(1); } else { y.store(1); } }",
        "
thread t[0]
    0: a[0].store(1, seq_cst)
    1: x.store(1, seq_cst)
    2: halt
thread t[1]
    0: a[1].store(2, seq_cst)
    1: y.store(1, seq_cst)
    2: halt
",
    );
}

/// Registers of code that a copy does not have are not declared in it.
#[test]
fn unused_registers_disappear() {
    let program = program(
        "atomic<u8> x; thread t[2] { if (id == 0) { let a = x.load(); x.store(a); } else { let b = x.load(); x.store(b); } }",
    );
    let names: Vec<Vec<&str>> =
        program.threads.iter().map(|thread| thread.registers.iter().map(|reg| &*reg.name).collect()).collect();
    assert_eq!(names, [["a"], ["b"]]);
}

/// In a waiting loop, nothing is live where the load is.
#[test]
fn temporaries_are_dead_at_the_head_of_a_loop() {
    for text in [
        "while (x.load(acquire) != 1) {}",
        "while (x.compare_exchange(0, 1, acquire, relaxed) != 0) {}",
        "let old = 0; do { old = x.compare_exchange(0, 1, acquire, relaxed); } while (old != 0); observe(old);",
    ] {
        let program = program(&format!("{SHARED} thread t {{ {text} }}"));
        let thread = program.threads.iter().next().expect("there is a thread");
        let live = liveness::live_before(thread);
        assert!(live.iter().take(2).next().is_some_and(steadfast_ir::RegSet::is_empty), "{text}");
    }
}

/// Accesses point at themselves, everything else at its statement.
#[test]
fn spans_cover_what_they_came_from() {
    let text = "atomic<u8> x; plain<u8> d; thread t { let r = 1 + x.load(acquire); d = r; if (r == d) { x.store(r, release); } }";
    let file = SourceFile::new("input.sf", text);
    let parsed = parse(&file, Dialect::Steadfast);
    let program = parsed.program.expect("the program is right");
    let thread = program.threads.iter().next().expect("there is a thread");
    let spans: Vec<&str> = thread.code.iter().map(|instruction| file.snippet(instruction.span)).collect();
    let expected =
        ["x.load(acquire)", "let r = 1 + x.load(acquire)", "d = r", "d", "r == d", "x.store(r, release)", "t"];
    assert_eq!(spans, expected);
}

#[test]
fn attributes() {
    let text = "#![name = \"my \\\"program\\\"\"]\n#![doc = \"about it\"]
        #![expect(robust, model = ra)]
        #![expect(assertion_failed, model = tso, notion = observational)]
        thread t {}";
    let parsed = parse(&SourceFile::new("dir/file.sf", text), Dialect::Steadfast);
    assert_eq!(parsed.program.map(|program| program.name).as_deref(), Some("my \"program\""));
    let found: Vec<_> = parsed.expectations.iter().map(|e| (e.verdict, e.model.name(), e.notion.name())).collect();
    let expected =
        [(ExpectedVerdict::Robust, "ra", "graph"), (ExpectedVerdict::AssertionFailed, "tso", "observational")];
    assert_eq!(found, expected);
    assert_eq!(program("thread t {}").name, "input");
}
