//! The names of one thread: local variables and labels.

use super::ast::Name;
use super::lower::{Locations, duplicate};
use super::operations::mode_for;
use crate::codes;
use std::collections::HashMap;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_ir::{Label, RegId, ThreadBuilder};
use steadfast_span::Span;

/// The use of a local variable, for advice.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Used,
    Assigned,
}

/// The local variables of a thread, in the order of their declaration.
#[derive(Default)]
pub(super) struct Registers<'s> {
    ids: HashMap<&'s str, (RegId, Span)>,
    names: Vec<&'s str>,
}

impl<'s> Registers<'s> {
    /// Declares a variable.
    pub(super) fn declare(&mut self, name: Name<'s>, code: &mut ThreadBuilder, diagnostics: &mut Diagnostics) {
        if let Some(&(_, first)) = self.ids.get(name.text) {
            diagnostics.push(duplicate("local variable", &name, first));
            return;
        }
        self.ids.insert(name.text, (code.register(name.text), name.span));
        self.names.push(name.text);
    }

    /// The variable with this name; an error if there is none.
    pub(super) fn find(
        &self,
        name: &Name,
        role: Role,
        locations: &Locations,
        diagnostics: &mut Diagnostics,
    ) -> Option<RegId> {
        let found = self.ids.get(name.text).map(|&(id, _)| id);
        if found.is_none() {
            diagnostics.push(self.unknown(name, role, locations));
        }
        found
    }

    /// Whether a variable has this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    fn unknown(&self, name: &Name, role: Role, locations: &Locations) -> Diagnostic {
        if let Some(location) = locations.get(name.text) {
            let message = format!("`{}` is a shared location, not a local variable", name.text);
            let problem = Diagnostic::error(codes::NOT_A_VALUE, message).at(name.span, "expected a local variable");
            let problem = problem.context(locations.declaration(location).0, "declared as a location here");
            return problem.help(match role {
                Role::Used => format!("load it first: `r = {}.load(acq);`", name.text),
                Role::Assigned => format!("to write to it, use `{}.store(…)`", name.text),
            });
        }
        let problem = Diagnostic::error(codes::UNKNOWN_REGISTER, format!("unknown local variable `{}`", name.text));
        let problem = problem.at(name.span, "not declared with `local` before");
        match mode_for(name.text) {
            Some(mode) => problem.help(format!("the mode is written `{mode}`")),
            None => suggest(problem, name.text, self.names.iter().copied()),
        }
    }
}

/// A label, with its first use and its position.
struct LabelUse {
    label: Label,
    wanted: Option<Span>,
    bound: Option<Span>,
}

/// The labels of a thread, in the order of their first mention.
#[derive(Default)]
pub(super) struct Labels<'s> {
    indices: HashMap<&'s str, usize>,
    uses: Vec<(&'s str, LabelUse)>,
}

impl<'s> Labels<'s> {
    fn entry(&mut self, name: &'s str, code: &mut ThreadBuilder) -> &mut LabelUse {
        let index = *self.indices.entry(name).or_insert_with(|| {
            self.uses.push((name, LabelUse { label: code.label(), wanted: None, bound: None }));
            self.uses.len() - 1
        });
        &mut self.uses[index].1
    }

    /// The label of a `goto`, which may be defined later.
    pub(super) fn target(&mut self, name: Name<'s>, code: &mut ThreadBuilder) -> Label {
        let entry = self.entry(name.text, code);
        entry.wanted.get_or_insert(name.span);
        entry.label
    }

    /// Binds a label to the next instruction.
    pub(super) fn place(&mut self, name: Name<'s>, code: &mut ThreadBuilder, diagnostics: &mut Diagnostics) {
        let entry = self.entry(name.text, code);
        if let Some(first) = entry.bound {
            diagnostics.push(duplicate("label", &name, first));
            return;
        }
        entry.bound = Some(name.span);
        code.bind(entry.label);
    }

    /// Reports every undefined label, at the first jump to it.
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) {
        let placed = || self.uses.iter().filter(|(_, entry)| entry.bound.is_some()).map(|&(name, _)| name);
        for (name, entry) in &self.uses {
            if let (None, Some(wanted)) = (entry.bound, entry.wanted) {
                let problem = Diagnostic::error(codes::UNKNOWN_LABEL, format!("unknown label `{name}`"));
                let problem = problem.at(wanted, format!("no `{name}:` stands in this thread"));
                diagnostics.push(suggest(problem, name, placed()));
            }
            if diagnostics.is_full() {
                return;
            }
        }
    }
}
