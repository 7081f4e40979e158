//! What automata mean: the program that comes out, as text.

use steadfast_ir::{Instr, Place, Program};
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

fn lower(text: &str) -> Program {
    let parsed = parse(&SourceFile::new("t.aut", text), Dialect::Automata);
    parsed.program.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics))
}

fn thread(transitions: &str) -> Program {
    lower(&format!("thread t\ninitial q\n{transitions}\nend"))
}

/// The instructions of the only thread, without jumps.
fn code(program: &Program) -> Vec<String> {
    let thread = &program.threads.as_slice()[0];
    let visible = thread.code.iter().filter(|i| !matches!(i.op, Instr::Jump(_) | Instr::Halt));
    visible.map(|instruction| program.instr_text(thread, &instruction.op)).collect()
}

fn has(program: &Program, wanted: impl Fn(&Instr) -> bool) -> bool {
    program.threads.iter().flat_map(|thread| &thread.code).any(|instruction| wanted(&instruction.op))
}

#[test]
fn locations_are_the_addresses_that_can_occur() {
    let program = thread("transition q r write 7 100\ntransition r s read a -3\ntransition s t write a + a 5");
    let names: Vec<&str> = program.locations.iter().map(|location| location.name.as_str()).collect();
    assert_eq!(names, ["mem[-3]", "mem[5]", "mem[100]"]);
    assert_eq!(code(&program)[..2], ["mem[100].store(7, release)", "a := mem[-3].load(acquire)"]);
}

#[test]
fn far_numbers_are_kept_in_a_table() {
    let program = thread("transition q r write 666000 0\ntransition r s read a 0\ntransition s t check == a 666000");
    assert_eq!(program.locations.as_slice()[0].modulus, 2);
    assert_eq!(code(&program)[0], "mem[0].store(1, release)");
}

#[test]
fn negative_numbers_share_the_bytes() {
    let program = thread("transition q r local a - 0 1\ntransition r s write a 0\ntransition s t check < a 0");
    assert_eq!(program.locations.as_slice()[0].modulus, 2, "0 and -1");
    assert!(!has(&program, |op| matches!(op, Instr::Bound { .. })));
}

#[test]
fn a_read_and_a_write_in_a_locked_section_are_an_update() {
    let program = thread(
        "transition q a lock\ntransition a b read r 0\ntransition b c local r + r 1\ntransition c d write & r 1 0\ntransition d q unlock",
    );
    let code = code(&program);
    assert_eq!(code[0], "fence(seq_cst)");
    assert!(code[1].starts_with("r := mem[0].update("), "{code:?}");
    assert_eq!(code.last().unwrap(), "fence(seq_cst)");
    assert!(!has(&program, |op| matches!(op, Instr::Exclusive(_))));
}

#[test]
fn other_locked_sections_run_alone() {
    let program =
        thread("transition q a lock\ntransition a b write 1 0\ntransition b c write 1 1\ntransition c d unlock");
    let expected = [
        "fence(seq_cst)",
        "mem[0].store(1, release)",
        "exclusive",
        "mem[1].store(1, release)",
        "shared",
        "fence(seq_cst)",
    ];
    assert_eq!(code(&program), expected);
    assert_eq!(program.locations.len(), 2);
}

#[test]
fn a_section_in_which_a_thread_can_wait_at_once_has_a_location_of_its_own() {
    let program =
        thread("transition q a lock\ntransition a b check r\ntransition b c read r 0\ntransition c q write r 1");
    assert_eq!(program.locations.iter().last().unwrap().name, "lock");
}

#[test]
fn a_counter_has_bounds() {
    let program = thread("transition q r local n + n 1\ntransition r q write n 0");
    assert!(has(&program, |op| matches!(op, Instr::Bound { bound, .. } if bound.contains("leaves 0 to 17"))));
    let bounded = thread("transition q r local n & + n 1 3\ntransition r q write n 0");
    assert!(!has(&bounded, |op| matches!(op, Instr::Bound { .. })));
}

#[test]
fn addresses_that_grow_have_bounds() {
    let program = thread("transition q r local n + n 1\ntransition r q write 1 n");
    assert!(program.locations.len() <= 48);
    assert!(has(&program, |op| matches!(op, Instr::Bound { .. })));
    assert!(has(&program, |op| matches!(op, Instr::Store { place: Place::Element { .. }, .. })));
}

#[test]
fn checks_decide_before_anything_is_chosen() {
    let program = thread("transition q r read a 0\ntransition r q check a\ntransition r s check == a 0");
    assert!(has(&program, |op| matches!(op, Instr::Branch { .. })));
    assert!(!has(&program, |op| matches!(op, Instr::Assume(_))));
}

#[test]
fn what_can_never_happen_needs_no_memory() {
    let program = thread("transition q r check 0\ntransition r s write 1 5");
    assert_eq!(program.locations.len(), 0);
}
