//! The pages about what `steadfast run` has found: the accesses in their threads, their lines, and their stacks.

use super::findings::diagnostic;
use super::run::Tally;
use crate::report::Files;
use crate::status::Status;
use std::collections::BTreeMap;
use steadfast_report::{Edge, EdgeKind, Listing, Node, Page, Part, Step, Told, Tone, World, html_page};
use steadfast_sanitize::collection::Collected;
use steadfast_sanitize::finding::{Finding, Seen, Stack, own_frame};
use steadfast_sanitize::record::{Kind, Role};
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::text;
use steadfast_span::SourceFile;

/// Writes a page per finding, or one that says that there is none.
pub(super) fn write(program: &str, tally: &Tally, files: &mut Files) -> Status {
    let pages: Vec<String> = tally.collection.all().map(|collected| page(program, tally, collected)).collect();
    if pages.is_empty() {
        return files.write(&nothing(program, tally));
    }
    pages.iter().map(|page| files.write(page)).max().unwrap_or(Status::Holds)
}

fn nothing(program: &str, tally: &Tally) -> String {
    let watched = tally.watched > 0 && tally.failed == 0;
    let remark = if watched {
        "These runs show nothing. That is not a proof: other runs may."
    } else {
        "Nothing can be said: no run was watched to its end."
    };
    html_page(&Page {
        subject: program.to_owned(),
        verdict: "nothing was reported".to_owned(),
        tone: if watched { Tone::Good } else { Tone::Unsure },
        facts: vec![("runs".to_owned(), tally.runs.to_string()), ("watched".to_owned(), tally.watched.to_string())],
        sources: Vec::new(),
        diagnostics: Vec::new(),
        told: None,
        worlds: Default::default(),
        repair: None,
        lists: Vec::new(),
        remarks: vec![remark.to_owned()],
    })
}

fn page(program: &str, tally: &Tally, collected: &Collected) -> String {
    let finding = &collected.finding;
    let (file, diagnostic) = diagnostic(collected, &mut BTreeMap::new());
    let sources = sources(finding, file);
    html_page(&Page {
        subject: program.to_owned(),
        verdict: finding.kind.title().to_owned(),
        tone: Tone::Bad,
        facts: vec![
            ("reported in".to_owned(), format!("{} of {} runs", collected.runs, tally.runs)),
            ("first with seed".to_owned(), collected.seed.to_string()),
        ],
        diagnostics: vec![(0, &diagnostic)],
        told: told(finding, &sources),
        sources: sources.iter().collect(),
        worlds: ["when threads take turns".to_owned(), "what weak memory allows".to_owned()],
        repair: None,
        lists: lists(finding),
        remarks: Vec::new(),
    })
}

/// The file of the judged access, and those of the others.
fn sources(finding: &Finding, first: SourceFile) -> Vec<SourceFile> {
    let mut sources = vec![first];
    for seen in &finding.events {
        let Some(name) = own_frame(&seen.stack).and_then(|frame| frame.file.clone()) else { continue };
        if sources.iter().all(|file| file.name() != name)
            && let Ok(text) = std::fs::read_to_string(&name)
        {
            sources.push(SourceFile::new(name, text));
        }
    }
    sources
}

/// The events in the order in which they happened.
const ORDER: [Role; 5] = [Role::Stale, Role::Previous, Role::Missed, Role::Known, Role::Access];

fn told(finding: &Finding, sources: &[SourceFile]) -> Option<Told> {
    finding.seen(Role::Access)?;
    let mut told = Told::default();
    let mut boxes = Vec::new();
    for (role, seen) in ORDER.iter().filter_map(|&role| Some((role, finding.seen(role)?))) {
        boxes.push((role, told.picture.nodes.len()));
        add(&mut told, finding, role, seen, sources);
    }
    told.picture.edges = edges(finding.kind, &boxes);
    let weak = !matches!(finding.kind, Kind::Race | Kind::Deadlock | Kind::Spin);
    told.offending = weak.then_some(told.steps.len());
    told.picture.summary = text::summary(finding);
    Some(told)
}

fn add(told: &mut Told, finding: &Finding, role: Role, seen: &Seen, sources: &[SourceFile]) {
    let initial = seen.event.operation == "initial";
    let who = if initial { "at first".to_owned() } else { text::who(seen.event.thread) };
    let known = told.picture.columns.iter().position(|column| *column == who);
    let column = known.unwrap_or_else(|| {
        told.picture.columns.push(who.clone());
        told.picture.columns.len() - 1
    });
    let value = |seen: &Seen| seen.event.value.map_or_else(String::new, |value| format!(" {value:#x}"));
    let what = if initial { "initial value".to_owned() } else { text::what(seen) };
    // What the access itself reads is the value that it takes: in the weak world, that of the stale write.
    let reads = role == Role::Access && matches!(finding.kind, Kind::StaleRead | Kind::StaleUpdate);
    let weak = finding.seen(Role::Stale).filter(|_| reads).map_or_else(|| value(seen), value);
    let strong = reads.then(|| {
        format!("{what}{}", finding.seen(Role::Known).or(finding.seen(Role::Missed)).map_or_else(String::new, value))
    });
    let frame = own_frame(&seen.stack);
    let place = frame.and_then(|frame| {
        let file = frame.file.as_deref()?;
        Some((sources.iter().position(|source| source.name() == file)?, frame.line?))
    });
    let details = frame
        .map(short_place)
        .into_iter()
        .chain(frame.and_then(|frame| frame.function.as_deref()).map(short_function))
        .collect();
    let part = match role {
        Role::Access => Part::Offending,
        Role::Stale => Part::Stale,
        Role::Missed => Part::Newest,
        Role::Known | Role::Previous => Part::Ordinary,
    };
    told.steps.push(Step {
        actor: who,
        place,
        code: String::new(),
        effect: format!("{what}{weak}"),
        strong_effect: strong.clone(),
        node: Some(told.picture.nodes.len()),
    });
    told.picture.nodes.push(Node {
        column,
        title: format!("{what}{weak}"),
        strong_title: strong,
        details,
        step: if initial { 0 } else { told.steps.len() },
        on_cycle: matches!(role, Role::Access | Role::Missed | Role::Known | Role::Previous),
        part,
    });
}

/// `Producer::dequeue` of `bool queue<int>::Producer::dequeue<int>(int&)`.
fn short_function(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    let plain = plain.rsplit(' ').next().unwrap_or_default();
    let parts: Vec<&str> = plain.rsplit("::").take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("::")
}

/// `queue.h:120`.
fn short_place(frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or("?");
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("{name}:{}", frame.line.unwrap_or(0))
}

fn edges(kind: Kind, boxes: &[(Role, usize)]) -> Vec<Edge> {
    let at = |role: Role| boxes.iter().find(|(other, _)| *other == role).map(|&(_, at)| at);
    let mut edges = Vec::new();
    let mut add =
        |from: Option<usize>, to: Option<usize>, kind: EdgeKind, label: &str, on_cycle: bool, world: World| {
            if let (Some(from), Some(to)) = (from, to) {
                edges.push(Edge { from, to, kind, label: label.to_owned(), on_cycle, world });
            }
        };
    let (access, missed, known, stale) = (at(Role::Access), at(Role::Missed), at(Role::Known), at(Role::Stale));
    add(at(Role::Previous), access, EdgeKind::Races, "race", true, World::Both);
    add(stale, missed, EdgeKind::Overwrites, "mo", false, World::Both);
    add(missed, known, EdgeKind::Overwrites, "mo", true, World::Both);
    add(known.or(missed), access, EdgeKind::Before, "before", true, World::Both);
    match kind {
        Kind::StaleRead => {
            add(stale, access, EdgeKind::Reads, "rf", false, World::Weak);
            add(access, missed, EdgeKind::ReadsBefore, "fr", true, World::Weak);
        }
        Kind::StaleUpdate | Kind::OvertakenWrite => add(access, missed, EdgeKind::Overwrites, "mo", true, World::Weak),
        Kind::Race | Kind::Deadlock | Kind::Spin => {}
    }
    edges
}

fn lists(finding: &Finding) -> Vec<Listing> {
    let title = |role: Role| match role {
        Role::Access => "The access",
        Role::Missed => "The write that it need not see",
        Role::Known => "The newest write when threads take turns",
        Role::Stale => "The write that it could take instead",
        Role::Previous => "The earlier access",
    };
    let events = finding.events.iter().filter(|seen| !seen.stack.is_empty());
    let events = events.map(|seen| Listing {
        title: format!("{}: {} by {}", title(seen.event.role), text::what(seen), text::who(seen.event.thread)),
        entries: frames(&seen.stack),
    });
    let threads = finding.threads.iter().filter(|thread| !thread.stack.is_empty());
    let threads = threads.map(|thread| Listing {
        title: format!("Where {} was started", text::who(Some(thread.number))),
        entries: frames(&thread.stack),
    });
    events.chain(threads).collect()
}

fn frames(stack: &Stack) -> Vec<String> {
    let shown = |frame: &Frame| format!("{} at {}", frame.function.as_deref().unwrap_or("?"), text::place_of(frame));
    stack.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_last_names() {
        assert_eq!(short_function("bool a::queue<int, b<c>>::Producer::dequeue<int>(int&)"), "Producer::dequeue");
        assert_eq!(short_function("main"), "main");
    }

    #[test]
    fn deadlocks_have_no_picture() {
        let finding = Finding {
            kind: Kind::Deadlock,
            process: 1,
            events: Vec::new(),
            memory: None,
            threads: Vec::new(),
            missing: None,
        };
        assert!(told(&finding, &[]).is_none());
    }
}
