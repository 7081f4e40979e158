//! Makes the program from the tree: checks everything once, then builds every thread.

use super::ast;
use super::code::Code;
use super::constant::constant;
use super::globals::{BodyScan, Globals, duplicate, reserved};
use super::lower::{Budget, CallSite, Exit, Identity, Lowering, Purpose};
use super::lower_annotations::Annotations;
use super::parametric::{Reading, Template, not_finite};
use super::registers::Registers;
use super::types::Ty;
use super::{codes, limits, recursion};
use std::collections::HashMap;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_ir::{Program, ProgramBuilder, ThreadBuilder, Wrap};
use steadfast_span::Span;

/// Checks a file, and makes a program of it if there are no errors.
pub(super) fn build(
    file: &ast::File,
    name: String,
    (reading, proving): (Reading, bool),
    problems: &mut Diagnostics,
) -> Option<(Program, Template)> {
    let mut globals = Globals::of(file, reading, problems);
    globals.proving = proving;
    let copies = count_threads(file, &globals, problems);
    check(file, &globals, problems);
    if problems.has_errors() {
        return None;
    }
    let (arrays, anything) = (globals.arrays.clone(), globals.anything);
    let mut template = Template { arrays, anything, ..Template::default() };
    let mut builder = ProgramBuilder::new(name);
    builder.wrap(Wrap::Euclidean);
    for location in &globals.locations {
        builder.location(location.clone());
    }
    let mut budget = Budget::default();
    for (thread, copies) in file.threads.iter().zip(copies) {
        for id in 0..copies {
            let built = build_thread(thread, id, &globals, (problems, &mut template), &mut budget);
            if budget.exhausted {
                return None;
            }
            builder.add_thread(built);
            template.many.push(thread.many.is_some());
        }
    }
    Some((builder.finish(), template))
}

/// The number of copies of each thread.
fn count_threads(file: &ast::File, globals: &Globals<'_>, problems: &mut Diagnostics) -> Vec<u16> {
    // If there are other errors, the threads may only not have been parsed.
    if file.threads.is_empty() && !problems.has_errors() {
        let problem =
            Diagnostic::error(codes::NO_THREADS, "the program has no threads").at(Span::default(), "nothing runs");
        problems.push(problem.help("add one: `thread main { … }`"));
    }
    let reading = globals.reading;
    let mut names = HashMap::new();
    let mut total = 0_usize;
    let mut counts = Vec::with_capacity(file.threads.len());
    for thread in &file.threads {
        if let Some(problem) = reserved(&thread.name) {
            problems.push(problem);
        }
        if let Some(first) = names.insert(thread.name.text.clone(), thread.name.span) {
            problems.push(duplicate(&thread.name, first));
        }
        let copies = match (thread.many, &thread.copies) {
            (Some(span), _) => reading.copies().unwrap_or_else(|| {
                problems.push(not_finite("there are any number of these threads", span));
                1
            }),
            (None, Some(copies)) => copies_of(copies, globals, problems),
            (None, None) => 1,
        };
        let before = total;
        total += usize::from(copies);
        if (before..total).contains(&usize::from(limits::THREADS)) {
            let message = format!("the program has more than {} threads", limits::THREADS);
            problems.push(Diagnostic::error(codes::TOO_LARGE, message).at(thread.name.span, "one thread too many"));
        }
        counts.push(copies);
    }
    counts
}

/// The number of copies in a declaration; 1 after an error.
fn copies_of(copies: &ast::Expr, globals: &Globals<'_>, problems: &mut Diagnostics) -> u16 {
    let allowed = 1..=i32::from(limits::THREADS);
    match constant(copies, globals, problems) {
        Some(count) if allowed.contains(&count) => count.unsigned_abs() as u16,
        Some(count) => {
            let problem = Diagnostic::error(codes::OUT_OF_RANGE, format!("there cannot be {count} copies of a thread"));
            problems.push(problem.at(copies.span, format!("must be from 1 to {}", limits::THREADS)));
            1
        }
        None => 1,
    }
}

/// Checks the bodies of all functions and threads, each once.
fn check(file: &ast::File, globals: &Globals<'_>, problems: &mut Diagnostics) {
    let mut calls: Vec<CallSite> = Vec::new();
    let mut budget = Budget::default();
    for (index, function) in globals.functions.iter().enumerate() {
        let mut lowering = lowering(globals, problems, &mut budget, &mut calls, Purpose::Check, Some(0));
        let label = lowering.code.label();
        lowering.enter_frame(&function.labels, Exit { label, function: Some(index), result: None });
        for (name, ty) in &function.parameters {
            lowering.declare(name, *ty);
        }
        lowering.block(&function.ast.body);
        lowering.leave_frame();
    }
    for thread in &file.threads {
        lower_body(thread, lowering(globals, problems, &mut budget, &mut calls, Purpose::Check, Some(0)));
    }
    recursion::find(&calls, globals, problems);
}

fn build_thread(
    thread: &ast::Thread,
    id: u16,
    globals: &Globals<'_>,
    (problems, template): (&mut Diagnostics, &mut Template),
    budget: &mut Budget,
) -> ThreadBuilder {
    let name = match thread.copies {
        Some(_) => format!("{}[{id}]", thread.name.text),
        None if thread.many.is_some() && globals.reading != Reading::Template => format!("{}[{id}]", thread.name.text),
        None => thread.name.text.to_string(),
    };
    let id = (thread.many.is_none() || globals.reading != Reading::Template).then_some(i32::from(id));
    let mut builder = ThreadBuilder::new(&name, 256);
    builder.declared_at(thread.name.span);
    let mut calls = Vec::new();
    let lowered = lower_body(thread, lowering(globals, problems, budget, &mut calls, Purpose::Build, id));
    let Lowering { code, registers, annotations, .. } = lowered;
    budget.instructions += code.len();
    code.emit(registers, &mut builder);
    template.guesses.extend(annotations.guesses);
    template.invariants.extend(annotations.invariants);
    builder.at(thread.name.span);
    builder
}

/// Lowers the body of a thread.
fn lower_body<'a, 'g>(thread: &'a ast::Thread, mut lowering: Lowering<'a, 'g>) -> Lowering<'a, 'g> {
    let mut scan = BodyScan::default();
    scan.block(&thread.body);
    let label = lowering.code.label();
    lowering.enter_frame(&scan.labels, Exit { label, function: None, result: None });
    lowering.block(&thread.body);
    lowering.code.bind(label);
    lowering.leave_frame();
    lowering
}

fn lowering<'a, 'g>(
    globals: &'g Globals<'a>,
    problems: &'g mut Diagnostics,
    budget: &'g mut Budget,
    calls: &'g mut Vec<CallSite>,
    purpose: Purpose,
    id: Option<i32>,
) -> Lowering<'a, 'g> {
    let mut registers = Registers::default();
    let id = match id {
        Some(id) => Identity::Known(id),
        None => Identity::In(registers.fresh(&"id".into(), Ty::INT.modulus)),
    };
    Lowering {
        globals,
        problems,
        budget,
        calls,
        purpose,
        id,
        code: Code::default(),
        registers,
        annotations: Annotations::default(),
        frames: Vec::new(),
        span: Span::default(),
        depth: 0,
    }
}
