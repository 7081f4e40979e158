//! Changes in words.

use steadfast_lang::Form;
use steadfast_repair::Change;
use steadfast_span::SourceFile;

/// What a form is called: the ordering of an access, or the whole fence.
pub(super) fn form(form: Form) -> String {
    match form {
        Form::Nothing => "nothing".to_owned(),
        Form::Fence(order) => format!("fence({order})"),
        Form::Load(order) => order.to_string(),
        Form::Store(order) => order.to_string(),
        Form::Rmw(order) => order.to_string(),
        Form::Exchange(order) => format!("exchange, {order}"),
        Form::Cas(success, failure) => format!("{success}, {failure}"),
    }
}

/// Where a change is made: its line, from 1.
pub(super) fn line(file: &SourceFile, change: &Change) -> u32 {
    file.line_column(change.span.start).line
}

/// A change as a sentence without a full stop.
pub(super) fn change(file: &SourceFile, change: &Change) -> String {
    let line = line(file, change);
    let code = shortened(file.snippet(change.span));
    match (change.from, change.to) {
        (Form::Nothing, to) => {
            let below = change.edits.first().is_some_and(|edit| edit.text.starts_with(['\n', '\r']));
            let place = if below { "after" } else { "before" };
            format!("{place} line {line}: add `{}`", form(to))
        }
        (from, Form::Nothing) => format!("line {line}: remove `{}`", form(from)),
        (Form::Store(_), Form::Exchange(order)) => format!("line {line}: make `{code}` an `{order}` exchange"),
        (Form::Exchange(_), Form::Store(order)) => format!("line {line}: make `{code}` a `{order}` store"),
        (_, to) => format!("line {line}: make `{code}` `{}`", form(to)),
    }
}

fn shortened(code: &str) -> String {
    let code: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let printable = code.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    if code.chars().count() <= 60 { printable.collect() } else { printable.take(59).chain(['…']).collect() }
}
