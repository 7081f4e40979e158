//! Lowers the syntax tree to a program.

use super::ast::{File, Op, Term, Transition};
use super::codes;
use super::encoding::Encoding;
use super::threads::{Lowering, LoweringContext, Memory};
use super::values::{self, Analysis};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_ir::{LocKind, Location, Program, ProgramBuilder};
use steadfast_span::Span;

/// The maximum number of transitions. Larger programs could not be decided anyway.
const MOST_TRANSITIONS: usize = 5_000;
/// The maximum size of all expressions together.
const LARGEST_CODE: usize = 1_000_000;

/// Makes a program. Nothing if an error was reported.
pub(super) fn lower(file: &File<'_>, name: String, diagnostics: &mut Diagnostics) -> Option<Program> {
    let Some(analysis) = analyse(file) else {
        diagnostics.push(too_complex(file));
        return None;
    };
    let encoding = Encoding::of(&analysis.values);
    let cost = transitions(file).flat_map(|transition| values::terms(&transition.op)).map(|term| encoding.cost(term));
    if cost.fold(0_usize, usize::saturating_add) > LARGEST_CODE {
        diagnostics.push(too_complex(file));
        return None;
    }
    report_large(file, &encoding, diagnostics);
    warn_outside(file, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let addresses = analysis.addresses.iter().filter_map(|address| i32::try_from(address).ok()).collect();
    let memory = Memory { addresses };
    let around = LoweringContext { encoding: &encoding, memory: &memory };
    let mut program = ProgramBuilder::new(name);
    let modulus = encoding.modulus();
    program.modulus(modulus);
    // A run with an address that is not represented ends before the address is used.
    program.numbers(encoding.values()).indices_checked();
    for address in &memory.addresses {
        program.location(location(format!("mem[{address}]"), modulus));
    }
    let mut takes_lock = false;
    for (thread, exceeds) in file.threads.iter().zip(&analysis.exceeds) {
        let (code, takes) = Lowering::new(&around, thread, exceeds).finish();
        program.add_thread(code);
        takes_lock |= takes;
    }
    if takes_lock {
        program.location(location("lock".into(), modulus));
    }
    Some(program.finish())
}

fn transitions<'a>(file: &'a File<'_>) -> impl Iterator<Item = &'a Transition> {
    file.threads.iter().flat_map(|thread| &thread.transitions)
}

fn too_complex(file: &File<'_>) -> Diagnostic {
    let span = file.threads.first().map_or(Span::default(), |thread| thread.name.span);
    let problem = Diagnostic::error(codes::TOO_COMPLEX, "the automata are too complex to be analysed");
    problem.at(span, "the first of them")
}

fn analyse(file: &File<'_>) -> Option<Analysis> {
    if transitions(file).count() > MOST_TRANSITIONS {
        return None;
    }
    values::analyse(file).ok()
}

fn location(name: String, modulus: u16) -> Location {
    Location { name, kind: LocKind::Atomic, init: 0, modulus, span: Span::default() }
}

/// Reports expressions that might exceed 32 bits.
fn report_large(file: &File<'_>, encoding: &Encoding, diagnostics: &mut Diagnostics) {
    for transition in transitions(file) {
        if !values::terms(&transition.op).into_iter().all(|term| encoding.fits(term)) {
            let problem = Diagnostic::error(codes::LARGE_NUMBER, "this expression may need more than 32 bits");
            diagnostics.push(problem.at(transition.span, "here"));
        }
    }
}

/// Warns of constant addresses beyond `memory_size`.
fn warn_outside(file: &File<'_>, diagnostics: &mut Diagnostics) {
    let Some(size) = file.memory_size else { return };
    for transition in transitions(file) {
        if let Op::Read { address: Term::Number(address), .. } | Op::Write { address: Term::Number(address), .. } =
            &transition.op
            && !(0..size.value).contains(address)
        {
            let message = format!("address {address} lies outside of the memory");
            let problem = Diagnostic::warning(codes::OUTSIDE_MEMORY, message).at(transition.span, "here");
            diagnostics.push(problem.context(size.span, format!("addresses are 0 to {}", size.value - 1)));
        }
    }
}
