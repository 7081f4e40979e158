//! States and steps in SMT-LIB.
//!
//! Shared memory is `g0`, `g1`, …; the registers of the two threads of a question are `A.0`, …, `B.0`, …; the value that a step of `A` reads is `A.got`.

use crate::system::{Action, Cell, Guess, Step, System};
use crate::term::{Names, Naming, Term, conjunction, number, opaque_operators};
use std::fmt::Write;
use steadfast_ir::{RegId, Register, UNBOUNDED};
use steadfast_span::Index;

/// A thread in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolicThread {
    /// Its letter, `A` or `B`.
    pub(crate) letter: char,
    /// Its role.
    pub(crate) role: usize,
}

impl SymbolicThread {
    /// The name of the value that its step reads.
    pub(crate) fn got(self) -> String {
        format!("{}.got", self.letter)
    }

    /// Its names, with `got` for the value that its step reads.
    pub(crate) fn names(self, got: &str) -> Names<'_> {
        Names { thread: self.letter, got }
    }
}

/// The beginning of every script.
pub(crate) fn prelude(system: &System) -> String {
    let mut text = String::from("(set-option :produce-models true)\n(set-logic ALL)\n");
    text.push_str(&opaque_operators());
    for (number, global) in system.globals.iter().enumerate() {
        let sort = if global.array { "(Array Int Int)" } else { "Int" };
        let _ = writeln!(text, "(declare-const g{number} {sort}) ; {}", clean(&global.name));
    }
    text
}

/// A name in a form that is safe in a comment.
fn clean(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "_[]".contains(letter) { letter } else { '?' })
        .collect()
}

/// Declarations of the registers of a thread, and of the value that its step reads.
pub(crate) fn declarations(system: &System, thread: SymbolicThread) -> String {
    let mut text = String::new();
    for (number, Register { name, .. }) in system.roles[thread.role].registers.iter().enumerate() {
        let _ = writeln!(text, "(declare-const {}.{number} Int) ; {}", thread.letter, clean(name));
    }
    let _ = writeln!(text, "(declare-const {}.got Int)", thread.letter);
    text
}

/// Formulas: the registers of a thread and memory have values of their types.
pub(crate) fn types(system: &System, thread: SymbolicThread) -> Vec<String> {
    let role = &system.roles[thread.role];
    let names = thread.names("?");
    let mut parts = Vec::new();
    for (number, Register { modulus, .. }) in role.registers.iter().enumerate() {
        if *modulus != UNBOUNDED {
            parts.push(below(&names.register(RegId::new(number)), *modulus));
        }
    }
    if let Some(id) = role.id {
        parts.push(format!("(>= {} 0)", names.register(id)));
    }
    for (number, global) in system.globals.iter().enumerate() {
        if global.modulus != UNBOUNDED && !global.array {
            parts.push(below(&format!("g{number}"), global.modulus));
        }
    }
    parts
}

fn below(what: &str, modulus: u16) -> String {
    format!("(<= 0 {what} {})", modulus - 1)
}

/// A formula: two threads are different threads.
pub(crate) fn distinct(system: &System, one: SymbolicThread, other: SymbolicThread) -> Option<String> {
    let id = system.roles[one.role].id.filter(|_| one.role == other.role)?;
    Some(format!("(not (= {} {}))", one.names("?").register(id), other.names("?").register(id)))
}

/// A term: the content of a cell.
pub(crate) fn content(cell: &Cell, names: Names<'_>) -> String {
    names.content(cell)
}

/// A formula: the content of a cell has a value of its type.
pub(crate) fn content_typed(system: &System, cell: &Cell, names: Names<'_>) -> Option<String> {
    let modulus = system.globals[cell.global].modulus;
    (cell.index.is_some() && modulus != UNBOUNDED).then(|| below(&content(cell, names), modulus))
}

/// A formula: two cells of one global are the same cell.
pub(crate) fn same_cell(one: (&Cell, Names<'_>), other: (&Cell, Names<'_>)) -> Option<String> {
    match (&one.0.index, &other.0.index) {
        (Some(a), Some(b)) => Some(format!("(= {} {})", one.1.integer(a), other.1.integer(b))),
        _ => None,
    }
}

/// A formula: an access can happen if its cell holds `memory` and the access yields `got`.
pub(crate) fn allowed(action: &Action, names: Names<'_>, memory: &str) -> String {
    let got = names.got;
    match action {
        Action::Local | Action::Any | Action::Fence | Action::Write(..) => "true".into(),
        Action::Guess(_, Guess::AtMost) => format!("(<= {got} {memory})"),
        Action::Guess(_, Guess::AtLeast) => format!("(>= {got} {memory})"),
        Action::Guess(_, Guess::Or(other)) => format!("(or (= {got} {memory}) (= {got} {}))", number(*other)),
        Action::Read(_) | Action::Update(..) | Action::CasFailure(_, _, true) => format!("(= {got} {memory})"),
        Action::Await(_, values) => {
            let any: Vec<String> = values.iter().map(|value| format!("(= {got} {})", names.integer(value))).collect();
            format!("(and (= {got} {memory}) (or {} false))", any.join(" "))
        }
        Action::CasSuccess(_, expected, _) => format!("(= {got} {memory} {})", names.integer(expected)),
        Action::CasFailure(_, expected, false) => {
            format!("(and (= {got} {memory}) (not (= {memory} {})))", names.integer(expected))
        }
    }
}

/// A formula: an access happens, and its thread continues on the way of the guard.
pub(crate) fn happens(action: &Action, guard: &[Term], names: Names<'_>) -> String {
    let mut parts = vec![match action.cell() {
        Some(cell) => allowed(action, names, &content(cell, names)),
        None => "true".into(),
    }];
    parts.extend(guard.iter().map(|term| names.truth(term)));
    conjunction(&parts)
}

/// Memory after a step: the global that changes, and a term for its new content.
pub(crate) fn memory_after(step: &Step, names: Names<'_>) -> Option<(usize, String)> {
    let cell = step.action.cell()?;
    let value = names.integer(step.action.written()?);
    Some((
        cell.global,
        match &cell.index {
            None => value,
            Some(index) => format!("(store g{} {} {value})", cell.global, names.integer(index)),
        },
    ))
}

/// A term: the value of a register after a step.
pub(crate) fn register_after(step: &Step, names: Names<'_>, reg: RegId) -> String {
    step.updates
        .iter()
        .find(|(changed, _)| *changed == reg)
        .map_or_else(|| names.register(reg), |(_, term): &(RegId, Term)| names.integer(term))
}

/// Formulas: the initial values of memory.
pub(crate) fn initial_memory(system: &System) -> Vec<String> {
    let mut parts = Vec::new();
    for (at, global) in system.globals.iter().enumerate() {
        let first = i64::from(global.init.first().copied().unwrap_or_default());
        if !global.array {
            parts.push(format!("(= g{at} {})", number(first)));
            continue;
        }
        let mut array = format!("((as const (Array Int Int)) {})", number(first));
        for (cell, value) in global.exceptions() {
            array = format!("(store {array} {cell} {value})");
        }
        parts.push(format!("(= g{at} {array})"));
    }
    parts
}
