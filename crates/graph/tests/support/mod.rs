//! A tiny notation for litmus tests, as papers write them: threads are separated by `||`, statements by `;`.
//!
//! `x:=1.rel` stores, `a=x.acq` loads, `wait(x=1).acq` waits, `fadd(x,1).ar` and `bcas(x,0->1).ar` update, `cas(x,0->1).ar`
//! compares and swaps (with a relaxed failure), `F.sc` is a fence, `observe(a)` observes a register, `assert(a)` asserts that it is
//! not 0. The location `d` is plain: `d:=1`, `a=d`. Locations start at 0.

use steadfast_ir::{
    Expr, FenceOrder, Instr, LocId, Place, Program, ProgramBuilder, ReadOrder, RegId, RmwOrder, ThreadBuilder,
    WriteOrder,
};
use steadfast_span::Index;

const LOCATIONS: [&str; 4] = ["x", "y", "z", "d"];
const REGISTERS: [&str; 3] = ["a", "b", "c"];

/// The program that the text describes. Panics on anything it does not understand.
pub(crate) fn litmus(text: &str) -> Program {
    let mut builder = ProgramBuilder::new(text);
    builder.modulus(4);
    for name in LOCATIONS {
        if name == "d" {
            builder.plain(name, 0)
        } else {
            builder.atomic(name, 0)
        };
    }
    for (at, code) in text.split("||").enumerate() {
        builder.thread(&format!("t{at}"), |thread| {
            for name in REGISTERS {
                thread.register(name);
            }
            code.split(';').map(str::trim).filter(|s| !s.is_empty()).for_each(|s| statement(thread, s));
        });
    }
    let program = builder.finish();
    program.validate().expect("litmus tests are well formed");
    program
}

fn statement(thread: &mut ThreadBuilder, text: &str) {
    let (body, order) = text.rsplit_once('.').unwrap_or((text, ""));
    if let Some(arguments) = body.strip_suffix(')') {
        let (function, arguments) = arguments.split_once('(').expect("a call");
        return call(thread, function, arguments, order);
    }
    if body == "F" {
        return thread.fence(match order {
            "sc" => FenceOrder::SeqCst,
            "acq" => FenceOrder::Acquire,
            "rel" => FenceOrder::Release,
            _ => FenceOrder::AcqRel,
        });
    }
    if let Some((place, value)) = body.split_once(":=") {
        let (place, value) = (location(place), expr(value));
        let op = if order.is_empty() {
            Instr::PlainStore { place, value }
        } else {
            Instr::Store { place, value, order: rmw_order(order).write() }
        };
        return thread.emit(op);
    }
    let (dst, place) = body.split_once('=').expect("a statement");
    let (dst, place) = (register(dst), location(place));
    thread.emit(if order.is_empty() {
        Instr::PlainLoad { dst, place }
    } else {
        Instr::Load { dst, place, order: read_order(order) }
    });
}

fn call(thread: &mut ThreadBuilder, function: &str, arguments: &str, order: &str) {
    let swap = || {
        let (place, values) = arguments.split_once(',').expect("a location and values");
        let (expected, new) = values.split_once("->").expect("two values");
        (location(place), expr(expected), expr(new))
    };
    match function {
        "wait" => {
            let (place, values) = arguments.split_once('=').expect("a location and values");
            let values = values.split('|').map(expr).collect();
            thread.emit(Instr::Wait { dst: None, place: location(place), values, order: read_order(order) });
        }
        "fadd" => {
            let (place, amount) = arguments.split_once(',').expect("a location and an amount");
            thread.fetch_add(None, location(place), expr(amount), rmw_order(order));
        }
        "bcas" => {
            let (place, expected, new) = swap();
            thread.emit(Instr::BlockingCas { place, expected, new, order: rmw_order(order) });
        }
        "cas" => {
            let (place, expected, new) = swap();
            let (success, failure) = (rmw_order(order), ReadOrder::Relaxed);
            thread.emit(Instr::Cas { dst: None, place, expected, new, success, failure, spurious: false });
        }
        "observe" => thread.emit(Instr::Observe(register(arguments))),
        "assert" => thread.emit(Instr::Assert(expr(arguments))),
        _ => panic!("unknown function {function}"),
    }
}

fn location(name: &str) -> Place {
    Place::Fixed(LocId::new(LOCATIONS.iter().position(|&known| known == name).expect("a location")))
}

fn register(name: &str) -> RegId {
    RegId::new(REGISTERS.iter().position(|&known| known == name).expect("a register"))
}

fn expr(text: &str) -> Expr {
    text.parse().map_or_else(|_| Expr::Reg(register(text)), Expr::Const)
}

fn read_order(text: &str) -> ReadOrder {
    rmw_order(text).read()
}

fn rmw_order(text: &str) -> RmwOrder {
    match text {
        "sc" => RmwOrder::SeqCst,
        "acq" => RmwOrder::from_halves(ReadOrder::Acquire, WriteOrder::Relaxed),
        "rel" => RmwOrder::from_halves(ReadOrder::Relaxed, WriteOrder::Release),
        "ar" => RmwOrder::AcqRel,
        "rlx" => RmwOrder::Relaxed,
        _ => panic!("unknown ordering {text}"),
    }
}
