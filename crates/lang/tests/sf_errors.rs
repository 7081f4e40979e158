//! What the language says about wrong programs. Expected messages are in the text, so that a changed message is a changed line here.

use std::fmt::Write;
use steadfast_diag::Diagnostic;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

/// One line per fact: the message, then places with the text under them, then notes and advice.
fn render(file: &SourceFile, problem: &Diagnostic) -> String {
    let mut text = format!("{}: {}\n", problem.code.0, problem.message);
    for label in &problem.labels {
        let at = file.line_column(label.span.start);
        let arrow = if label.primary { "-->" } else { "..." };
        let _ = writeln!(text, "  {arrow} {}:{} `{}` {}", at.line, at.column, file.snippet(label.span), label.text);
    }
    for note in &problem.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    for help in &problem.helps {
        let _ = writeln!(text, "  help: {help}");
    }
    text
}

#[track_caller]
fn check(input: &str, expected: &str) {
    let file = SourceFile::new("input.sf", input);
    let parsed = parse(&file, Dialect::Steadfast);
    let actual: String = parsed.diagnostics.iter().map(|problem| render(&file, problem)).collect();
    assert_eq!(actual.trim_end(), expected.trim(), "\nfor the input\n{input}\nthe messages are\n{actual}");
}

/// An empty file is a file without threads.
#[test]
fn empty_files() {
    check(
        "",
        "
E0230: the program has no threads
  --> 1:1 `` nothing runs
  help: add one: `thread main { … }`
",
    );
}

/// Unknown names come with the closest known one, or with advice.
#[test]
fn names() {
    check(
        "atomic<u8> ready;
thread t { redy.store(1, release); let count = 1; count = cuont + zzz; }",
        "
E0210: `redy` is not declared
  --> 2:12 `redy` unknown name
  help: did you mean `ready`?
E0210: `cuont` is not declared
  --> 2:59 `cuont` unknown name
  help: did you mean `count`?
E0210: `zzz` is not declared
  --> 2:67 `zzz` unknown name
  help: declare it, `let zzz = …;` for the thread or `atomic<u8> zzz;` for all
",
    );
    check(
        "thread t { again: goto agian; }",
        "
E0210: there is no label `agian` here
  --> 1:24 `agian` unknown label
  note: labels are local to a thread or function
  help: did you mean `again`?
",
    );
    check(
        "fn publish() {} thread t { publsh(); }",
        "
E0210: there is no function `publsh`
  --> 1:28 `publsh` unknown function
  help: did you mean `publish`?
",
    );
    check(
        "thread t { { let inner = 1; } inner = 2; }",
        "
E0210: `inner` is not declared
  --> 1:31 `inner` unknown name
  help: declare it, `let inner = …;` for the thread or `atomic<u8> inner;` for all
",
    );
    check(
        "thread t { r = 1; let r = 2; }",
        "
E0210: `r` is not declared
  --> 1:12 `r` unknown name
  help: declare it, `let r = …;` for the thread or `atomic<u8> r;` for all
",
    );
}

/// Every name is declared once; variables hide only variables.
#[test]
fn duplicates() {
    check(
        "atomic<u8> x; plain<u8> x; thread t { let x = 1; } thread t {}",
        "
E0211: `x` is declared twice
  --> 1:25 `x` declared again here
  ... 1:12 `x` declared first here
E0211: `x` is declared twice
  --> 1:43 `x` declared again here
  ... 1:12 `x` declared first here
  help: choose another name, or assign without `let`
E0211: `t` is declared twice
  --> 1:59 `t` declared again here
  ... 1:35 `t` declared first here
",
    );
    check(
        "const N = 1; fn N() {} fn f(a, a) {} thread t { let r = 1; let r = 2; l: skip; l: skip; }",
        "
E0211: `N` is declared twice
  --> 1:17 `N` declared again here
  ... 1:7 `N` declared first here
E0211: `a` is declared twice
  --> 1:32 `a` declared again here
  ... 1:29 `a` declared first here
  help: choose another name, or assign without `let`
E0211: `r` is declared twice
  --> 1:64 `r` declared again here
  ... 1:53 `r` declared first here
  help: choose another name, or assign without `let`
E0211: `l` is declared twice
  --> 1:80 `l` declared again here
  ... 1:71 `l` declared first here
",
    );
    check(
        "thread t { let id = 1; let relaxed = 2; let u8 = 3; }",
        "
E0212: `id` cannot be declared
  --> 1:16 `id` this word belongs to the language
E0212: `relaxed` cannot be declared
  --> 1:28 `relaxed` this is a memory ordering
E0212: `u8` cannot be declared
  --> 1:45 `u8` this word belongs to the language
",
    );
}

/// Types say what they can be.
#[test]
fn types() {
    check(
        "atomic<int> x; plain<boolean> y; atomic<1..=3> z; atomic<0..=256> w; thread t { let r: u9 = 1; }",
        "
E0213: there is no type `int`
  --> 1:8 `int` not a type
  help: `check` explores all values: use `u8`. Programs with unbounded integers are for `steadfast prove`
E0213: there is no type `boolean`
  --> 1:22 `boolean` not a type
  help: types are `bool`, `u1` to `u8`, and ranges such as `0..=9`
E0213: this range cannot be a type
  --> 1:41 `1..=3` not a type
  help: a range begins at 0 and ends at 255 at most
E0213: this range cannot be a type
  --> 1:58 `0..=256` not a type
  help: a range begins at 0 and ends at 255 at most
E0213: there is no type `u9`
  --> 1:88 `u9` not a type
  help: types are `bool`, `u1` to `u8`, and ranges such as `0..=9`
",
    );
    check(
        "atomic x; thread t { x.store(1); }",
        "
E0202: expected `<` and a type, found `x`
  --> 1:8 `x` expected `<` and a type
  help: write `atomic<u8> x`
",
    );
}

/// Constants have to fit where they are declared, and warn where they wrap.
#[test]
fn ranges() {
    check(
        "atomic<u8> x = 256; atomic<bool> b = 2; atomic<u4> a[2] = {1, 16}; atomic<u4> c[3] = {1}; mutex m = 1; thread t {}",
        "
E0215: the initial value 256 is out of range
  --> 1:16 `256` must be from 0 to 255
E0215: the initial value 2 is out of range
  --> 1:38 `2` must be from 0 to 1
E0215: the initial value 16 is out of range
  --> 1:63 `16` must be from 0 to 15
E0215: 1 value for 3 cells
  --> 1:86 `{1}` does not fit the declaration
E0215: a mutex has no initial value
  --> 1:97 `m` it starts unlocked
  help: remove the `= …`
",
    );
    check(
        "atomic<u8> a[0]; thread t[0] {} thread u[65] {}",
        "
E0215: an array cannot have 0 cells
  --> 1:14 `0` not a size
  help: write a number from 1 to 4096
E0215: there cannot be 0 copies of a thread
  --> 1:27 `0` must be from 1 to 64
E0215: there cannot be 65 copies of a thread
  --> 1:42 `65` must be from 1 to 64
",
    );
    check(
        "atomic<u4> x; thread t { x.store(16); x.store(0 - 1); let r: u2 = 4; let b: bool = 2; x.compare_exchange(99, 3); }",
        "
W0201: 16 is out of range and wraps around
  --> 1:34 `16` stored as 0
  note: the values here are from 0 to 15
W0201: -1 is out of range and wraps around
  --> 1:47 `0 - 1` stored as 15
  note: the values here are from 0 to 15
W0201: 4 is out of range and wraps around
  --> 1:67 `4` stored as 0
  note: the values here are from 0 to 3
W0201: 99 is out of range and wraps around
  --> 1:106 `99` stored as 3
  note: the values here are from 0 to 15
",
    );
    check(
        "thread t { let a = any(3, 1); let b = any(0, 256); let c = any(a, 3); }",
        "
E0215: there are no values from 3 to 1
  --> 1:20 `any(3, 1)` not a range
  help: the bounds are from 0 to 255, the smaller one first
E0215: there are no values from 0 to 256
  --> 1:39 `any(0, 256)` not a range
  help: the bounds are from 0 to 255, the smaller one first
E0210: there is no constant `a`
  --> 1:64 `a` no constant with this name is declared above
",
    );
    check(
        "const A: u4 = 16; const B: nibble = 1; const C: u8 = 255; thread t {}",
        "
E0215: the constant 16 is out of range
  --> 1:15 `16` must be from 0 to 15
E0213: there is no type `nibble`
  --> 1:28 `nibble` not a type
  help: types are `bool`, `u1` to `u8`, and ranges such as `0..=9`
",
    );
    check(
        "const A = 1 / 0; const B = A + C; atomic<u8> x = x; thread t { let r = 99999999999 + 12ab; }",
        "
E0214: this is not a constant
  --> 1:11 `1 / 0` divides by zero
E0210: there is no constant `C`
  --> 1:32 `C` no constant with this name is declared above
E0214: this is not a constant
  --> 1:50 `x` its value is known only when the program runs
E0215: this number is too large
  --> 1:72 `99999999999` does not fit 32 bits
E0202: this is not a number
  --> 1:86 `12ab` not a number
  note: numbers are written `42`, `0x2a` or `0b101010`
",
    );
}

/// An ordering that does not fit says which do.
#[test]
fn orderings() {
    check(
        "atomic<u8> x; thread t { x.load(release); x.store(1, acquire); x.store(1, acq_rel); fence(relaxed); }",
        "
E0216: a load cannot be `release`
  --> 1:33 `release` this ordering does not fit
  help: a load can be `relaxed`, `acquire` or `seq_cst`
E0216: a store cannot be `acquire`
  --> 1:54 `acquire` this ordering does not fit
  help: a store can be `relaxed`, `release` or `seq_cst`
E0216: a store cannot be `acq_rel`
  --> 1:75 `acq_rel` this ordering does not fit
  help: a store can be `relaxed`, `release` or `seq_cst`
E0216: a fence cannot be `relaxed`
  --> 1:91 `relaxed` this ordering does not fit
  help: a fence can be `acquire`, `release`, `acq_rel` or `seq_cst`
",
    );
    check(
        "atomic<u8> x; thread t { x.compare_exchange(0, 1, acquire, release); x.wait(1, release); x.load(acquire, relaxed); }",
        "
E0216: a failed compare_exchange cannot be `release`
  --> 1:60 `release` this ordering does not fit
  help: a failed compare_exchange can be `relaxed`, `acquire` or `seq_cst`
E0216: a wait cannot be `release`
  --> 1:80 `release` this ordering does not fit
  help: a wait can be `relaxed`, `acquire` or `seq_cst`
E0220: `load` takes 1 ordering
  --> 1:106 `relaxed` one too many
  help: write `x.load(acquire)`
",
    );
    check(
        "atomic<u8> x; thread t { x.load(aquire); x.load(memory_order_consume); fence(sc); fence(1); let r = relaxed; }",
        "
E0216: there is no ordering `aquire`
  --> 1:33 `aquire` not an ordering
  note: orderings are `relaxed`, `acquire`, `release`, `acq_rel` and `seq_cst`
  help: did you mean `acquire`?
E0216: there is no ordering `memory_order_consume`
  --> 1:49 `memory_order_consume` not an ordering
  help: use `acquire`, which is at least as strong
E0216: there is no ordering `sc`
  --> 1:78 `sc` not an ordering
  note: orderings are `relaxed`, `acquire`, `release`, `acq_rel` and `seq_cst`
E0216: this is not an ordering
  --> 1:89 `1` not an ordering
  help: write `fence(seq_cst);`
E0228: `relaxed` is a memory ordering
  --> 1:101 `relaxed` not a value
  note: orderings come last among the arguments of an access
",
    );
}

/// Atomic, plain and mutex are told apart, with what to write.
#[test]
fn accesses() {
    check(
        "atomic<u8> x; thread t { let r = x; x = 1; x += 1; x *= 2; }",
        "
E0217: `x` is an atomic location and cannot be read by its name
  --> 1:34 `x` a method is needed here
  help: write `x.load(acquire)`, or another ordering
E0217: `x` is an atomic location and cannot be assigned
  --> 1:37 `x` a method is needed here
  help: write `x.store(…, release);`, or another ordering
E0217: `x` is an atomic location and cannot be assigned
  --> 1:44 `x` a method is needed here
  help: write `x.fetch_add(…, acq_rel);`, or another ordering
E0217: `x` is an atomic location and cannot be assigned
  --> 1:52 `x` a method is needed here
  help: write a loop around `x.compare_exchange(…)`
",
    );
    check(
        "plain<u8> d; thread t { let r = d.load(relaxed); d.store(1, relaxed); d.fetch_add(1); }",
        "
E0218: `d` is a plain location and has no `load`
  --> 1:35 `load` only atomic locations have methods
  help: write just `d`, or declare it as `atomic<…> d`
E0218: `d` is a plain location and has no `store`
  --> 1:52 `store` only atomic locations have methods
  help: write `d = …;`, or declare it as `atomic<…> d`
E0218: `d` is a plain location and has no `fetch_add`
  --> 1:73 `fetch_add` only atomic locations have methods
  help: atomic accesses need an atomic location: declare it as `atomic<…> d`
",
    );
    check(
        "mutex m; atomic<u8> x; thread t { m.lok(); m.load(); m = 1; x.lock(); m.lock(1); }",
        "
E0219: a mutex has no `lok`
  --> 1:37 `lok` unknown access
  note: there are `lock`, `unlock`
  help: did you mean `lock`?
E0219: a mutex has no `load`
  --> 1:46 `load` unknown access
  note: there are `lock`, `unlock`
  help: did you mean `lock`?
E0217: `m` is a mutex and cannot be assigned
  --> 1:54 `m` a method is needed here
  help: write `m.lock();` and `m.unlock();`
E0228: `x` is not a mutex
  --> 1:63 `lock` only a mutex can be locked
  help: declare it as `mutex x;`
E0220: `lock` takes no arguments, but 1 is given
  --> 1:71 `m.lock(1)` wrong number of arguments
  help: write `m.lock();`
",
    );
    check(
        "atomic<u8> x; atomic<bool> b; thread t { x.laod(); x.store(); x.compare_exchange(1); b.fetch_add(1); }",
        "
E0219: an atomic location has no `laod`
  --> 1:44 `laod` unknown access
  note: there are `load`, `store`, `fetch_add`, `fetch_sub`, `fetch_and`, `fetch_or`, `fetch_xor`, `swap`, `exchange`, `compare_exchange`, `compare_exchange_weak`, `await_cas`, `wait`, `load_at_most`, `load_at_least`, `load_or`
  help: did you mean `load`?
E0220: `store` takes 1 value, but none is given
  --> 1:52 `x.store()` wrong number of arguments
  help: write `x.store(value, release)`
E0220: `compare_exchange` takes 2 values, but 1 is given
  --> 1:63 `x.compare_exchange(1)` wrong number of arguments
  help: write `x.compare_exchange(expected, new, acq_rel, acquire)`
E0228: `fetch_add` on a `bool`
  --> 1:86 `b.fetch_add(1)` a `bool` cannot count
  help: use `swap` or `fetch_xor`, or declare it as `u1` or larger
",
    );
    check(
        "fn f() {} thread t { let r = 1; r.store(1); f.load(); (r + 1).load(); let q = f; r(); }",
        "
E0228: `r` is a variable of the thread
  --> 1:33 `r` not a shared location
  help: use its value: `r`
E0228: `f` is not a location
  --> 1:45 `f` not a location
E0228: this is not a location
  --> 1:55 `(r + 1)` not a location
  help: accesses look like `x.load(acquire)`, where `x` is declared with `atomic<u8> x;`
E0228: `f` is a function
  --> 1:79 `f` not a value
  help: call it: `f(…)`
E0210: there is no function `r`
  --> 1:82 `r` unknown function
",
    );
}

/// Arrays are accessed cell by cell, and constant indices are checked.
#[test]
fn arrays() {
    check(
        "atomic<u8> a[3]; plain<u8> d; const N = 3; thread t { a[N].load(); a[0 - 1].load(); a.load(); d[0] = 1; let r = d[1]; }",
        "
E0223: there is no cell 3 in `a`
  --> 1:57 `N` must be from 0 to 2
E0223: there is no cell -1 in `a`
  --> 1:70 `0 - 1` must be from 0 to 2
E0223: `a` is an array
  --> 1:85 `a` which cell is meant?
  help: choose a cell, from `a[0]` to `a[2]`
E0223: `d` is not an array
  --> 1:95 `d[0]` cannot be indexed
  help: write `d`, or declare an array with `d[4]`
E0223: `d` is not an array
  --> 1:113 `d[1]` cannot be indexed
  help: write `d`, or declare an array with `d[4]`
",
    );
}

/// Statements that make no sense.
#[test]
fn statements() {
    check(
        "thread t { break; continue; let r = 1; r == 2; return r; id = 1; 3 = 4; }",
        "
E0222: `break` outside of a loop
  --> 1:12 `break` there is no loop around this
E0222: `continue` outside of a loop
  --> 1:19 `continue` there is no loop around this
E0226: this statement does nothing
  --> 1:40 `r == 2` its value is not used
  help: `==` compares; to assign, write `=`
E0224: a thread returns no value
  --> 1:55 `r` nobody can receive this
  help: write `return;` to end the thread
E0227: `id` cannot be assigned
  --> 1:58 `id` not a variable or a plain location
E0227: this cannot be assigned
  --> 1:66 `3` not a variable or a plain location
",
    );
    check(
        "fn f() -> u8 {} fn g() { return 1; return; } fn h() {} thread t { let r = h(); let s = assume(1); }",
        "
E0224: `f` never returns a value
  --> 1:11 `u8` although it says so here
  help: add `return e;`, or remove the `-> …`
E0224: this `return` lacks a value
  --> 1:36 `return` no value here
  note: the function returns a value elsewhere
E0225: `h` gives no value
  --> 1:75 `h()` used as a value here
  help: make it a statement of its own
E0225: `assume` gives no value
  --> 1:88 `assume(1)` used as a value here
  help: make it a statement of its own
",
    );
    check(
        "fn f(a, b) { return a + b; } thread t { f(1); let r = f(1, 2, 3) + f(); assert(); observe(1, 2); }",
        "
E0220: `f` takes 2 arguments, but 1 is given
  --> 1:41 `f(1)` wrong number of arguments
  help: write `f(a, b)`
E0220: `f` takes 2 arguments, but 3 are given
  --> 1:55 `f(1, 2, 3)` wrong number of arguments
  help: write `f(a, b)`
E0220: `f` takes 2 arguments, but none is given
  --> 1:68 `f()` wrong number of arguments
  help: write `f(a, b)`
E0220: `assert` takes 1 argument, but none is given
  --> 1:73 `assert()` wrong number of arguments
  help: write `assert(e);`
E0220: `observe` takes 1 argument, but 2 are given
  --> 1:83 `observe(1, 2)` wrong number of arguments
  help: write `observe(e);`
",
    );
}

/// Functions that call themselves, directly or not.
#[test]
fn recursion() {
    check(
        "fn f(n) { if (n) { f(n - 1); } } thread t { f(3); }",
        "
E0221: `f` calls itself
  --> 1:20 `f(n - 1)` this call would never end
  ... 1:4 `f` the function
  note: functions are inlined, so none can be active twice
  help: use a loop
",
    );
    check(
        "fn a() { b(); } fn b() { c(); } fn c() { a(); } thread t { a(); }",
        "
E0221: `a` calls itself
  --> 1:42 `a()` this call would never end
  ... 1:4 `a` the function
  note: the calls go round through `a`, `b`, `c`
  note: functions are inlined, so none can be active twice
  help: use a loop
",
    );
}

/// Expectations are checked word by word.
#[test]
fn expectations() {
    check(
        "#![expect(robst, model = ra)] #![expect(robust)] #![expect(model = ra)] thread t {}",
        "
E0229: there is no verdict `robst`
  --> 1:11 `robst` unknown verdict
  note: there are `robust`, `not_robust`, `race`, `assertion_failed`
  help: did you mean `robust`?
E0229: this expectation has no model
  --> 1:31 `#![expect(robust)]` in this attribute
  help: add `model = ra`, or another model
E0229: this expectation has no verdict
  --> 1:50 `#![expect(model = ra)]` in this attribute
  help: write `#![expect(robust, model = ra)]`
",
    );
    let models: Vec<String> = steadfast_model::Model::ALL.iter().map(|model| format!("`{model}`")).collect();
    check(
        "#![expect(robust, model = rc2, notion = graf)] #![expect(robust, race, model = ra)] #![expect(robust, modle = ra)] thread t {}",
        &format!(
            "
E0229: there is no model `rc2`
  --> 1:27 `rc2` unknown model
  note: there are {}
  help: did you mean `rc20`?
E0229: there is no notion `graf`
  --> 1:41 `graf` unknown notion
  note: there are `graph`, `observational`
  help: did you mean `graph`?
E0229: this is given twice
  --> 1:66 `race` given again here
  help: write one `#![expect(…)]` for each expectation
E0229: this expectation has no model
  --> 1:85 `#![expect(robust, modle = ra)]` in this attribute
  help: add `model = ra`, or another model
E0229: an expectation has no `modle`
  --> 1:103 `modle` unknown key
  help: did you mean `model`?
",
            models.join(", ")
        ),
    );
    check(
        r#"#![expct(robust)] #![name] #![expect = "robust"] thread t {}"#,
        r#"
E0229: there is no attribute `expct`
  --> 1:4 `expct` unknown attribute
  help: did you mean `expect`?
E0229: this attribute lacks its text
  --> 1:19 `#![name]` in this attribute
  help: write `#![name = "…"]`
E0229: an expectation stands in parentheses
  --> 1:28 `#![expect = "robust"]` in this attribute
  help: write `#![expect(robust, model = ra)]`
"#,
    );
}

/// Each syntax error is reported where it is, and the rest is still read.
#[test]
fn syntax() {
    check(
        "plain<u8> d;
thread t {
    d = 1
    let r = 2
}
thread u { unknown1 = 1; }",
        "
E0203: missing `;`
  --> 3:10 `` `;` is missing here
E0203: missing `;`
  --> 4:14 `` `;` is missing here
E0210: `unknown1` is not declared
  --> 6:12 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
",
    );
    check(
        "thread t { let r = 1 let s = 2; r = s r; unknown1 = 1; }",
        "
E0203: missing `;`
  --> 1:21 `` `;` is missing here
E0203: expected `;`, found `r`
  --> 1:38 `` `;` is missing here
E0210: `unknown1` is not declared
  --> 1:42 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
",
    );
    check(
        "thread t { let r = 1; if r == 1 { unknown1 = 1; } if (r = 1) { unknown2 = 2; } while (r) unknown3 = 1; }",
        "
E0202: expected `(`, found `r`
  --> 1:26 `r` expected `(`
  help: conditions stand in parentheses
E0210: `unknown1` is not declared
  --> 1:35 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
E0202: expected `)`, found `=`
  --> 1:57 `=` expected `)`
  help: `=` assigns; to compare, write `==`
E0210: `unknown2` is not declared
  --> 1:64 `unknown2` unknown name
  help: declare it, `let unknown2 = …;` for the thread or `atomic<u8> unknown2;` for all
E0202: expected `{`, found `unknown3`
  --> 1:90 `unknown3` expected `{`
  help: bodies are always blocks: write `{ … }`, or `{}` for an empty one
",
    );
    check(
        "thread t { for (let i = 0, i < 3; i++) { unknown1 = 1; } let = 3; let if = 4; unknown2 = 2; }",
        "
E0202: expected `;`, found `,`
  --> 1:26 `,` expected `;`
E0210: `unknown1` is not declared
  --> 1:42 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
E0202: expected the name of a variable, found `=`
  --> 1:62 `=` expected the name of a variable
E0202: expected the name of a variable, but `if` is a keyword
  --> 1:71 `if` not usable as a name
E0210: `unknown2` is not declared
  --> 1:79 `unknown2` unknown name
  help: declare it, `let unknown2 = …;` for the thread or `atomic<u8> unknown2;` for all
",
    );
    check(
        "thread t { x.load; let r = (1 + ; unknown1 = 2; }
thrad u {}
thread v { unknown2 = 3; }",
        "
E0202: expected `(`, found `;`
  --> 1:18 `;` expected `(`
E0202: expected an expression, found `;`
  --> 1:33 `;` expected an expression
E0210: `unknown1` is not declared
  --> 1:35 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
E0202: expected a declaration, found `thrad`
  --> 2:1 `thrad` expected `thread`, `fn`, `const`, `atomic`, `plain` or `mutex`
  help: did you mean `thread`?
E0210: `unknown2` is not declared
  --> 3:12 `unknown2` unknown name
  help: declare it, `let unknown2 = …;` for the thread or `atomic<u8> unknown2;` for all
",
    );
    check(
        "const N = (1; atomic<u8> x = ); thread t { let r = 1 + ; x.store(r + N); }",
        "
E0202: expected `)`, found `;`
  --> 1:13 `;` expected `)`
E0202: expected an expression, found `)`
  --> 1:30 `)` expected an expression
E0202: expected an expression, found `;`
  --> 1:56 `;` expected an expression
",
    );
    check(
        "thread t { if (1) {
thread u { unknown1 = 1; }",
        "
E0201: this block is not closed
  --> 1:10 `{` it begins here
  ... 1:20 `` `}` is missing, at the latest here
E0201: this block is not closed
  --> 1:19 `{` it begins here
  ... 1:20 `` `}` is missing, at the latest here
E0210: `unknown1` is not declared
  --> 2:12 `unknown1` unknown name
  help: declare it, `let unknown1 = …;` for the thread or `atomic<u8> unknown1;` for all
",
    );
    check(
        "thread t { /* never closed }",
        "
E0201: this block is not closed
  --> 1:10 `{` it begins here
  ... 1:11 `` `}` is missing, at the latest here
E0201: this comment is not closed
  --> 1:12 `/*` it begins here
  help: close it with `*/`
",
    );
    check(
        r#"thread t { let r = 1 @ 2; let € = 3; } #![name = "open]"#,
        r#"
E0200: `@` means nothing in this language
  --> 1:22 `@` not expected anywhere
E0200: `€` means nothing in this language
  --> 1:31 `€` not expected anywhere
E0201: this text is not closed
  --> 1:50 `"open]` it begins here
  help: close it with `"`
"#,
    );
}

/// Programs that would become too large are refused quickly.
#[test]
fn sizes() {
    check(
        "atomic<u8> a[4096]; atomic<u8> b; thread t {}",
        "
E0231: the program has more than 4096 locations
  --> 1:32 `b` one location too many
",
    );
    check(
        "thread t[40] {} thread u[40] {}",
        "
E0231: the program has more than 64 threads
  --> 1:24 `u` one thread too many
",
    );
}

/// Inlining multiplies; the limit is reached before memory or time run out.
#[test]
fn inlining_explosions() {
    let tower = |bottom: &str| {
        let mut text = format!("atomic<u8> x; fn f0() {{ {bottom} }}\n");
        for level in 1..60 {
            let below = level - 1;
            let _ = writeln!(text, "fn f{level}() {{ f{below}(); f{below}(); }}");
        }
        text + "thread t { f59(); }"
    };
    for text in [tower(""), tower("x.store(1);")] {
        let parsed = parse(&SourceFile::new("tower.sf", text), Dialect::Steadfast);
        let messages: Vec<&str> = parsed.diagnostics.iter().map(|problem| &*problem.message).collect();
        assert_eq!(messages, ["the program has more than 100000 instructions after inlining"]);
    }
}
