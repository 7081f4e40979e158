//! A compact way to write litmus tests: one line per thread.
//!
//! `x=1` stores, `r=x` loads, `r=x+1` is a fetch-and-add, `x?1` waits for a value, `x:0>1` is a blocking CAS, `r=x~0>1` a CAS,
//! `r=x~~0>1` one that fails; `use r` observes a register. Accesses are relaxed; a `!` anywhere makes one acquire, release or both.
//! Fences are `F` (SC), `Facq`, `Frel`. A location whose name begins with `n` is plain.

use std::collections::BTreeMap;
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, LocId, Program, ProgramBuilder, ReadOrder, RegId, RmwOrder, ThreadBuilder,
    WriteOrder,
};

/// Builds a program from the text of its threads.
pub(crate) fn parse(threads: &[&str]) -> Program {
    let mut builder = ProgramBuilder::new("litmus");
    builder.modulus(4);
    let mut locations = BTreeMap::new();
    for name in threads.iter().flat_map(|text| text.split(';')).filter_map(location_name) {
        if !locations.contains_key(name) {
            let loc = if name.starts_with('n') { builder.plain(name, 0) } else { builder.atomic(name, 0) };
            locations.insert(name.to_owned(), loc);
        }
    }
    for (at, text) in threads.iter().enumerate() {
        builder.thread(&format!("t{at}"), |thread| {
            let mut registers = BTreeMap::new();
            text.split(';').for_each(|statement| emit(thread, statement.trim(), &locations, &mut registers));
        });
    }
    builder.finish()
}

/// The location that a statement mentions: the only name in it that is not a register, called `r` and a number or letter.
fn location_name(statement: &str) -> Option<&str> {
    let statement = statement.trim();
    if statement.starts_with('F') || statement.starts_with("use ") {
        return None;
    }
    let names =
        statement.split(|c: char| !c.is_ascii_alphanumeric()).filter(|name| name.starts_with(char::is_alphabetic));
    names.into_iter().find(|name| !name.starts_with('r'))
}

fn emit(
    thread: &mut ThreadBuilder,
    statement: &str,
    locations: &BTreeMap<String, LocId>,
    registers: &mut BTreeMap<String, RegId>,
) {
    let fence = match statement {
        "" => return,
        "F" => Some(FenceOrder::SeqCst),
        "Facq" => Some(FenceOrder::Acquire),
        "Frel" => Some(FenceOrder::Release),
        _ => None,
    };
    if let Some(order) = fence {
        return thread.fence(order);
    }
    let mut register = |thread: &mut ThreadBuilder, name: &str| {
        *registers.entry(name.to_owned()).or_insert_with(|| thread.register(name))
    };
    if let Some(name) = statement.strip_prefix("use ") {
        let reg = register(thread, name);
        return thread.emit(Instr::Observe(reg));
    }
    let strong = statement.contains('!');
    let (read, write, rmw) = if strong {
        (ReadOrder::Acquire, WriteOrder::Release, RmwOrder::AcqRel)
    } else {
        (ReadOrder::Relaxed, WriteOrder::Relaxed, RmwOrder::Relaxed)
    };
    let statement = statement.replace('!', "");
    let statement = statement.as_str();
    let loc = locations[location_name(statement).expect("a location")];
    let place = loc.into();
    let plain = location_name(statement).is_some_and(|name| name.starts_with('n'));
    if let Some((_, value)) = statement.split_once('?') {
        return thread.emit(Instr::Wait { dst: None, place, values: vec![number(value)], order: read });
    }
    if let Some((expected, new)) = statement.split_once(':').and_then(|(_, rest)| rest.split_once('>')) {
        return thread.emit(Instr::BlockingCas { place, expected: number(expected), new: number(new), order: rmw });
    }
    let (left, right) = statement.split_once('=').expect("an assignment");
    if !left.starts_with('r') {
        let value = if right.starts_with('r') { Expr::Reg(register(thread, right)) } else { number(right) };
        let op = if plain { Instr::PlainStore { place, value } } else { Instr::Store { place, value, order: write } };
        return thread.emit(op);
    }
    let dst = register(thread, left);
    if let Some((_, values)) = right.split_once('~') {
        let spurious = values.starts_with('~');
        let (expected, new) = values.trim_start_matches('~').split_once('>').expect("two values");
        let (expected, new) = (number(expected), number(new));
        thread.emit(Instr::Cas { dst: Some(dst), place, expected, new, success: rmw, failure: read, spurious });
    } else if let Some((_, amount)) = right.split_once('+') {
        let update = Expr::binary(BinaryOp::Add, Expr::Old, number(amount));
        thread.emit(Instr::Rmw { dst: Some(dst), place, update, order: rmw });
    } else if plain {
        thread.emit(Instr::PlainLoad { dst, place });
    } else {
        thread.emit(Instr::Load { dst, place, order: read });
    }
}

fn number(text: &str) -> Expr {
    Expr::Const(text.trim().parse().expect("a number"))
}
