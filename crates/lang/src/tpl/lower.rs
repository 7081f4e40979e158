//! Lowers the syntax tree to the program: declarations, and the names that all threads share.

use super::ast::{Declared, File, Name, Number};
use super::thread;
use crate::codes;
use std::collections::HashMap;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_ir::{LocId, LocKind, Location, Program, ProgramBuilder, Value, Wrap};
use steadfast_span::{IndexVec, Span};

/// The value range if `max_value` is not given.
const DEFAULT_MAX_VALUE: Value = Value::MAX;

/// The shared locations by name.
pub(super) struct Locations<'s> {
    ids: HashMap<&'s str, LocId>,
    declared: IndexVec<LocId, (Name<'s>, LocKind)>,
    /// Whether a declaration has an error, so that an unknown name may be declared there.
    incomplete: bool,
}

impl<'s> Locations<'s> {
    /// The location with this name.
    pub(super) fn get(&self, name: &str) -> Option<LocId> {
        self.ids.get(name).copied()
    }

    /// The place and kind of a location's declaration.
    pub(super) fn declaration(&self, loc: LocId) -> (Span, LocKind) {
        let (name, kind) = self.declared[loc];
        (name.span, kind)
    }

    /// All names in the order of their declaration.
    fn names(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.declared.iter().map(|(name, _)| name.text)
    }

    /// Reports a location without a declaration.
    pub(super) fn report_unknown(&self, name: &Name, diagnostics: &mut Diagnostics) {
        if self.incomplete {
            return;
        }
        let problem = Diagnostic::error(codes::UNKNOWN_LOCATION, format!("unknown location `{}`", name.text));
        let problem = problem.at(name.span, "not declared with `global` or `na`");
        diagnostics.push(suggest(problem, name.text, self.names()));
    }
}

/// Makes a program from a syntax tree. After errors the program is incomplete.
pub(super) fn lower(file: &File, name: String, diagnostics: &mut Diagnostics) -> Program {
    let max_value = file.max_value.map_or(DEFAULT_MAX_VALUE, |number| max_value(number, diagnostics));
    let modulus = u16::from(max_value) + 1;
    let mut program = ProgramBuilder::new(name);
    program.modulus(modulus).wrap(Wrap::TruncatedByte);
    let locations = locations(file, max_value, &mut program, diagnostics);
    for tracked in &file.tracked {
        if locations.get(tracked.text).is_none() {
            locations.report_unknown(tracked, diagnostics);
        }
    }
    let mut thread_names: HashMap<&str, Span> = HashMap::new();
    for function in &file.threads {
        let name = &function.name;
        if let Some(first) = thread_names.insert(name.text, name.span) {
            diagnostics.push(duplicate("thread", name, first));
        }
        program.add_thread(thread::lower(function, &locations, modulus, diagnostics));
    }
    program.finish()
}

fn max_value(number: Number, diagnostics: &mut Diagnostics) -> Value {
    Value::try_from(number.value).unwrap_or_else(|_| {
        let problem = Diagnostic::error(codes::OUT_OF_RANGE, format!("`max_value` is {}", number.value));
        diagnostics.push(problem.at(number.span, "at most 255, as values are bytes"));
        DEFAULT_MAX_VALUE
    })
}

fn locations<'s>(
    file: &File<'s>,
    max_value: Value,
    program: &mut ProgramBuilder,
    diagnostics: &mut Diagnostics,
) -> Locations<'s> {
    let mut locations = Locations { ids: HashMap::new(), declared: IndexVec::new(), incomplete: file.incomplete };
    for &Declared { name, kind, init } in &file.locations {
        if let Some(&first) = locations.ids.get(name.text) {
            diagnostics.push(duplicate("location", &name, locations.declaration(first).0));
            continue;
        }
        let init = init.map_or(0, |number| initial_value(number, max_value, diagnostics));
        let modulus = u16::from(max_value) + 1;
        program.location(Location { name: name.text.into(), kind, init, modulus, span: name.span });
        let id = locations.declared.push((name, kind));
        locations.ids.insert(name.text, id);
    }
    locations
}

fn initial_value(number: Number, max_value: Value, diagnostics: &mut Diagnostics) -> Value {
    match Value::try_from(number.value) {
        Ok(value) if value <= max_value => value,
        _ => {
            let problem =
                Diagnostic::error(codes::OUT_OF_RANGE, format!("the initial value {} is too large", number.value));
            let problem = problem.at(number.span, format!("at most {max_value} fits"));
            diagnostics.push(problem.help("`max_value N;` sets the range of all values, up to 255"));
            0
        }
    }
}

/// The error for a second declaration.
pub(super) fn duplicate(what: &str, name: &Name, first: Span) -> Diagnostic {
    let problem = Diagnostic::error(codes::DUPLICATE_NAME, format!("the {what} `{}` is declared twice", name.text));
    problem.at(name.span, "declared again here").context(first, "first declared here")
}
