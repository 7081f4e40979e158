//! Reports as text, in the format of `ThreadSanitizer`, which tools and users know.

use crate::finding::{Finding, Memory, Stack, SymbolizedEvent};
use crate::record::{Kind, Part, Role};
use crate::symbols::Frame;
use std::fmt::Write;

const RULE: &str = "==================\n";

/// The whole report.
pub fn full(finding: &Finding) -> String {
    let mut text = String::from(RULE);
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "WARNING: Steadfast: {} (pid={})", finding.kind.title(), finding.process);
    text.push_str(&run_text(finding));
    text.push_str(&memory(finding));
    text.push_str(&threads(finding));
    text.push_str(&advice(finding));
    let _ = writeln!(text, "SUMMARY: Steadfast: {}", summary(finding));
    text.push_str(RULE);
    text
}

/// The kind of finding and its function, for callers that show the place themselves.
pub fn headline(finding: &Finding) -> String {
    let function = finding.place().and_then(|frame| frame.function.as_ref());
    let what = match finding.kind {
        Kind::StaleRead => "robustness violation: this can read an overwritten value",
        Kind::OvertakingWrite => "robustness violation: this can take effect before an earlier write",
        Kind::StaleUpdate => "robustness violation: this can update an overwritten value",
        Kind::Race => "data race",
        Kind::Deadlock => "deadlock: every thread waits",
        Kind::Spin => "spin loop",
    };
    function.map_or_else(|| what.to_owned(), |name| format!("{what}, in {name}"))
}

/// One line: the kind of finding, and its place.
pub fn summary(finding: &Finding) -> String {
    let place = finding.place().map(|frame| format!(" {}", place_of(frame))).unwrap_or_default();
    let function =
        finding.place().and_then(|frame| frame.function.as_ref()).map(|name| format!(" in {name}")).unwrap_or_default();
    format!("{}{place}{function}", finding.kind.title())
}

/// `file:line:column`, or the module and an address in it.
pub fn place_of(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => {
            let column = frame.column.map(|column| format!(":{column}")).unwrap_or_default();
            format!("{file}:{line}{column}")
        }
        _ => module_of(frame),
    }
}

fn module_of(frame: &Frame) -> String {
    let module = frame.module.as_deref().unwrap_or("?");
    let name = module.rsplit('/').next().unwrap_or(module);
    format!("({name}+{:#x})", frame.offset)
}

fn run_text(finding: &Finding) -> String {
    let mut text = String::new();
    let Some(access) = finding.seen(Role::Access) else {
        text.push_str("  Every thread waits for another one.\n\n");
        return text;
    };
    let size = access.event.bytes.map(|bytes| format!(" of size {bytes}")).unwrap_or_default();
    let address = access.event.address.map(|address| format!(" at {address:#x}")).unwrap_or_default();
    let _ = writeln!(text, "  {}{size}{address} by {}:", sentence(&what(access)), who(access.event.thread));
    text.push_str(&frames(&access.stack));
    if let Some(previous) = finding.seen(Role::Previous) {
        let _ = writeln!(text, "  Previous {} by {}:", what(previous), who(previous.event.thread));
        text.push_str(&frames(&previous.stack));
        return text;
    }
    if let Some(missed) = finding.seen(Role::Missed) {
        let _ = writeln!(
            text,
            "  {} the {} by {}:",
            consequence(finding.kind),
            with_value(missed),
            who(missed.event.thread)
        );
        text.push_str(&frames(&missed.stack));
    }
    if let Some(known) = finding.seen(Role::Known) {
        let _ = writeln!(
            text,
            "  When threads take turns it comes even after the {} by {}:",
            with_value(known),
            who(known.event.thread)
        );
        text.push_str(&frames(&known.stack));
    }
    if let Some(stale) = finding.seen(Role::Stale) {
        text.push_str(&stale_write(finding.kind, stale));
    }
    text
}

fn consequence(kind: Kind) -> &'static str {
    match kind {
        Kind::StaleRead => "When threads take turns it comes after this, but it need not see",
        Kind::StaleUpdate => "When threads take turns it comes after this, but it could update what was there before",
        _ => "When threads take turns it comes after this, but it could take effect before",
    }
}

fn stale_write(kind: Kind, stale: &SymbolizedEvent) -> String {
    let verb = match kind {
        Kind::StaleRead => "read",
        Kind::StaleUpdate => "update",
        _ => "come right after",
    };
    if stale.event.operation == "initial" {
        return format!("  It could {verb} the initial value {:#x} instead.\n\n", stale.event.value.unwrap_or(0));
    }
    format!(
        "  It could {verb} what came before, the {} by {}:\n{}",
        with_value(stale),
        who(stale.event.thread),
        frames(&stale.stack)
    )
}

/// `atomic load (acquire)`, `write`.
pub fn what(seen: &SymbolizedEvent) -> String {
    let name = match seen.event.operation.as_str() {
        "update" => "read-modify-write",
        "compare-exchange" => "compare-exchange",
        "weak-compare-exchange" => "weak compare-exchange",
        "blocking-compare-exchange" => "compare-exchange that waits",
        other => other,
    };
    match &seen.event.order {
        Some(order) if order == "unknown" => format!("atomic {name}"),
        Some(order) => format!("atomic {name} ({order})"),
        None => name.to_owned(),
    }
}

fn with_value(seen: &SymbolizedEvent) -> String {
    if seen.event.operation == "initial" {
        return format!("initial value {:#x}", seen.event.value.unwrap_or(0));
    }
    match seen.event.value {
        Some(value) => format!("{} of {value:#x}", what(seen)),
        None => what(seen),
    }
}

/// The name of a thread in reports.
pub fn who(thread: Option<u64>) -> String {
    match thread {
        Some(0) => "main thread".to_owned(),
        Some(number) => format!("thread T{number}"),
        None => "nobody".to_owned(),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn frames(stack: &Stack) -> String {
    let mut text = String::new();
    for (number, frame) in stack.iter().enumerate() {
        let function = frame.function.as_deref().unwrap_or("<null>");
        let place = if frame.line.is_some() { format!("{} ", place_of(frame)) } else { String::new() };
        let _ = writeln!(text, "    #{number} {function} {place}{}", module_of(frame));
    }
    if stack.is_empty() {
        text.push_str("    [failed to restore the stack]\n");
    }
    text.push('\n');
    text
}

fn memory(finding: &Finding) -> String {
    match &finding.memory {
        None => String::new(),
        Some(Memory::Global(global)) => {
            let distance = if global.distance == 0 { String::new() } else { format!(" + {}", global.distance) };
            format!("  Location is global '{}'{distance} of size {}\n\n", global.name, global.bytes)
        }
        Some(Memory::Heap { address, bytes, thread, stack }) => {
            format!(
                "  Location is heap block of size {bytes} at {address:#x} allocated by {}:\n{}",
                who(Some(*thread)),
                frames(stack)
            )
        }
        Some(Memory::Of(part, thread)) => format!("  Location is {}\n\n", part_of(*part, *thread)),
    }
}

/// `stack of thread T1`.
pub fn part_of(part: Part, thread: u64) -> String {
    let part = match part {
        Part::Stack => "stack",
        Part::ThreadLocal => "thread-local storage",
    };
    format!("{part} of {}", who(Some(thread)))
}

fn threads(finding: &Finding) -> String {
    let mut text = String::new();
    for thread in finding.threads.iter().filter(|thread| thread.number != 0) {
        let name = thread.name.as_ref().map(|name| format!(" '{name}'")).unwrap_or_default();
        let (number, system, parent) = (thread.number, thread.system, who(Some(thread.parent)));
        let _ = writeln!(text, "  Thread T{number}{name} (tid={system}) created by {parent} at:");
        text.push_str(&frames(&thread.stack));
    }
    text
}

fn advice(finding: &Finding) -> String {
    let advice = match (finding.kind, finding.missing.as_deref()) {
        (Kind::Race, _) => "make both accesses atomic, or let a lock or an acquire/release pair order them",
        (Kind::Deadlock | Kind::Spin, _) => return String::new(),
        (_, Some("acquire")) => {
            "the thread read what would have told it of the write, but without acquire: make that load acquire, or put an acquire fence after it"
        }
        _ => {
            "make the accesses seq_cst on both sides, or put a seq_cst fence between the write and the later read in each thread; \
             if the write should have been published by another access, make that one release and its reader acquire"
        }
    };
    format!("  Suggestion: {advice}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, tests::SAMPLE};
    use crate::symbols::Symbols;

    #[test]
    fn a_report_without_debug_information_is_still_readable() {
        let finding = Finding::resolve(&parse(SAMPLE)[0], &mut Symbols::new());
        let text = full(&finding);
        assert!(text.contains("WARNING: Steadfast: robustness violation (pid=42)"), "{text}");
        assert!(
            text.contains("Atomic load (acquire) of size 4 at 0x5040 by thread T1:\n    #0 <null> (my program+0x302)"),
            "{text}"
        );
        assert!(text.contains("it need not see the atomic store (release) of 0x1 by thread T2:"), "{text}");
        assert!(text.contains("It could read the initial value 0x0 instead."), "{text}");
        assert!(
            text.contains("Location is stack of thread T1\n\n  Thread T1 'my worker' (tid=43) created by"),
            "{text}"
        );
        assert!(text.contains("SUMMARY: Steadfast: robustness violation (my program+0x302)"), "{text}");
    }
}
