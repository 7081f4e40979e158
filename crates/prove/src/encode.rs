//! States and steps in the words of a solver.
//!
//! Shared memory is `g0`, `g1`, …; the registers of the two threads that are looked at are `A.0`, …, `B.0`, …; what a step of `A` has read is `A.got`.

use crate::model::{Action, Cell, Guess, Model, Step};
use crate::term::{Names, Naming, Term, conjunction, number, opaque_operators};
use std::fmt::Write;
use steadfast_ir::{RegId, Register, UNBOUNDED};
use steadfast_span::Index;

/// A thread in a formula: its letter and its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    /// `A` or `B`.
    pub(crate) letter: char,
    /// Its role.
    pub(crate) role: usize,
}

impl Who {
    /// What its step has read.
    pub(crate) fn got(self) -> String {
        format!("{}.got", self.letter)
    }

    /// Its names, where what was read is called `got`.
    pub(crate) fn names(self, got: &str) -> Names<'_> {
        Names { thread: self.letter, got }
    }
}

/// What every question begins with.
pub(crate) fn prelude(model: &Model) -> String {
    let mut text = String::from("(set-option :produce-models true)\n(set-logic ALL)\n");
    text.push_str(&opaque_operators());
    for (number, global) in model.globals.iter().enumerate() {
        let sort = if global.array { "(Array Int Int)" } else { "Int" };
        let _ = writeln!(text, "(declare-const g{number} {sort}) ; {}", clean(&global.name));
    }
    text
}

/// A name that is safe in a comment.
fn clean(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "_[]".contains(letter) { letter } else { '?' })
        .collect()
}

/// The registers of a thread and what its step reads.
pub(crate) fn declarations(model: &Model, who: Who) -> String {
    let mut text = String::new();
    for (number, Register { name, .. }) in model.roles[who.role].registers.iter().enumerate() {
        let _ = writeln!(text, "(declare-const {}.{number} Int) ; {}", who.letter, clean(name));
    }
    let _ = writeln!(text, "(declare-const {}.got Int)", who.letter);
    text
}

/// What holds of a thread by the types of its registers, and of memory.
pub(crate) fn types(model: &Model, who: Who) -> Vec<String> {
    let role = &model.roles[who.role];
    let names = who.names("?");
    let mut parts = Vec::new();
    for (number, Register { modulus, .. }) in role.registers.iter().enumerate() {
        if *modulus != UNBOUNDED {
            parts.push(below(&names.register(RegId::new(number)), *modulus));
        }
    }
    if let Some(id) = role.id {
        parts.push(format!("(>= {} 0)", names.register(id)));
    }
    for (number, global) in model.globals.iter().enumerate() {
        if global.modulus != UNBOUNDED && !global.array {
            parts.push(below(&format!("g{number}"), global.modulus));
        }
    }
    parts
}

fn below(what: &str, modulus: u16) -> String {
    format!("(<= 0 {what} {})", modulus - 1)
}

/// That two threads are different ones.
pub(crate) fn distinct(model: &Model, one: Who, other: Who) -> Option<String> {
    let id = model.roles[one.role].id.filter(|_| one.role == other.role)?;
    Some(format!("(not (= {} {}))", one.names("?").register(id), other.names("?").register(id)))
}

/// What a cell holds.
pub(crate) fn content(cell: &Cell, names: Names<'_>) -> String {
    names.content(cell)
}

/// That a cell holds what its type allows.
pub(crate) fn content_typed(model: &Model, cell: &Cell, names: Names<'_>) -> Option<String> {
    let modulus = model.globals[cell.global].modulus;
    (cell.index.is_some() && modulus != UNBOUNDED).then(|| below(&content(cell, names), modulus))
}

/// That two cells of the same global are the same cell.
pub(crate) fn same_cell(one: (&Cell, Names<'_>), other: (&Cell, Names<'_>)) -> Option<String> {
    match (&one.0.index, &other.0.index) {
        (Some(a), Some(b)) => Some(format!("(= {} {})", one.1.integer(a), other.1.integer(b))),
        _ => None,
    }
}

/// Whether an access can happen if its cell holds `memory` and it yields `got`.
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

/// That an access happens and its thread goes on where the guard holds.
pub(crate) fn happens(action: &Action, guard: &[Term], names: Names<'_>) -> String {
    let mut parts = vec![match action.cell() {
        Some(cell) => allowed(action, names, &content(cell, names)),
        None => "true".into(),
    }];
    parts.extend(guard.iter().map(|term| names.truth(term)));
    conjunction(&parts)
}

/// Memory after a step: the global that changes, and what it is then.
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

/// The value of a register after a step.
pub(crate) fn register_after(step: &Step, names: Names<'_>, reg: RegId) -> String {
    step.updates
        .iter()
        .find(|(changed, _)| *changed == reg)
        .map_or_else(|| names.register(reg), |(_, term): &(RegId, Term)| names.integer(term))
}

/// Memory at the start.
pub(crate) fn initial_memory(model: &Model) -> Vec<String> {
    let mut parts = Vec::new();
    for (at, global) in model.globals.iter().enumerate() {
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
