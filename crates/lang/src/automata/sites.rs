//! The places where a program of automata could be changed; see [`crate::sites`].
//!
//! A fence can be put into a state: all transitions from the state then leave a new state, to which an `mfence` leads. So every way through the state passes the fence.
//! If several ways lead to a state, a fence can also be put on one of them, behind an access.

use super::ast::{Automaton, File, Op, Transition};
use crate::sites::{Edit, Form, Site, Variant};
use steadfast_ir::FenceOrder;
use steadfast_span::Span;

/// All sites of a file, in any order.
pub(super) fn sites(text: &str, file: &File<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    for thread in &file.threads {
        for state in 0..thread.states.len() {
            found.extend(state_site(text, thread, state));
        }
        let accesses = thread.transitions.iter().filter(|transition| transition.op.is_access());
        found.extend(accesses.filter_map(|transition| way_site(text, thread, transition)));
        let fences = thread.transitions.iter().filter(|transition| matches!(transition.op, Op::Fence));
        found.extend(fences.filter_map(|transition| fence_site(text, transition)));
    }
    found
}

/// A fence in a state that an access leaves.
fn state_site(text: &str, thread: &Automaton<'_>, state: usize) -> Option<Site> {
    let leaving: Vec<&Transition> = thread.transitions.iter().filter(|transition| transition.from == state).collect();
    let first = leaving.first()?;
    let fenced = |transition: &&Transition| matches!(transition.op, Op::Fence | Op::Lock | Op::Unlock);
    if leaving.iter().any(fenced) || in_section(thread, state) {
        return None;
    }
    let old = thread.states[state].text;
    let new = fresh(thread, old);
    let indent = indentation(text, first.span.start);
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut edits = vec![Edit::insert(first.span.start, format!("transition {old} {new} mfence{ending}{indent}"))];
    for transition in &leaving {
        edits.push(Edit::replace(word(text, transition.span, 1)?, new.clone()));
    }
    let variant = Variant { form: Form::Fence(FenceOrder::SeqCst), edits };
    Some(Site { span: Span::new(first.span.start, first.span.start), now: Form::Nothing, variants: vec![variant] })
}

/// A fence behind an access, if there are other ways to the state to which the access leads.
fn way_site(text: &str, thread: &Automaton<'_>, access: &Transition) -> Option<Site> {
    let ways = thread.transitions.iter().filter(|transition| transition.to == access.to).count();
    if ways < 2 && thread.initial != access.to || in_section(thread, access.to) || in_section(thread, access.from) {
        return None;
    }
    let old = thread.states[access.to].text;
    let new = fresh(thread, &format!("{}_to_{old}", thread.states[access.from].text));
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let indent = indentation(text, access.span.start);
    let inserted = format!("{ending}{indent}transition {new} {old} mfence");
    let edits = vec![Edit::insert(access.span.end, inserted), Edit::replace(word(text, access.span, 2)?, new)];
    let variant = Variant { form: Form::Fence(FenceOrder::SeqCst), edits };
    Some(Site { span: Span::new(access.span.end, access.span.end), now: Form::Nothing, variants: vec![variant] })
}

/// The indentation of the line with an offset.
fn indentation(text: &str, offset: u32) -> String {
    let line = text[..offset as usize].rfind('\n').map_or(0, |at| at + 1);
    text[line..offset as usize].chars().take_while(|c| c.is_whitespace()).collect()
}

/// Whether the state is inside a locked section, where fences are not useful.
fn in_section(thread: &Automaton<'_>, state: usize) -> bool {
    let mut inside: Vec<usize> =
        thread.transitions.iter().filter(|step| matches!(step.op, Op::Lock)).map(|step| step.to).collect();
    let mut at = 0;
    while at < inside.len() {
        let steps = thread.transitions.iter().filter(|step| step.from == inside[at]);
        let next: Vec<usize> = steps.filter(|step| !matches!(step.op, Op::Unlock)).map(|step| step.to).collect();
        for to in next {
            if !inside.contains(&to) {
                inside.push(to);
            }
        }
        at += 1;
    }
    inside.contains(&state)
}

/// A name that is not the name of a state.
fn fresh(thread: &Automaton<'_>, old: &str) -> String {
    let mut name = format!("{old}_fenced");
    while thread.states.iter().any(|state| state.text == name) {
        name.push('_');
    }
    name
}

/// The word with this number (from 0) of `transition FROM TO …`.
fn word(text: &str, span: Span, number: usize) -> Option<Span> {
    let snippet = &text[span.range()];
    let word = snippet.split_whitespace().nth(number)?;
    let start = span.start + (word.as_ptr() as usize - snippet.as_ptr() as usize) as u32;
    Some(Span::new(start, start + word.len() as u32))
}

/// An existing fence, which could become a step without effect.
fn fence_site(text: &str, transition: &Transition) -> Option<Site> {
    let at = transition.span.start + text[transition.span.range()].rfind("mfence")? as u32;
    let span = Span::new(at, at + "mfence".len() as u32);
    let variant = Variant { form: Form::Nothing, edits: vec![Edit::replace(span, "noop")] };
    Some(Site { span, now: Form::Fence(FenceOrder::SeqCst), variants: vec![variant] })
}
