//! The pages about the findings of `steadfast run`: the accesses by thread, their lines, and their stacks.

use super::drawing;
use super::findings::diagnostic;
use crate::reporter::Files;
use crate::status::Status;
use std::collections::BTreeMap;
use steadfast_report::{Listing, Page, VerdictClass, html_page};
use steadfast_sanitize::collection::Collected;
use steadfast_sanitize::finding::{Finding, Stack, own_frame};
use steadfast_sanitize::record::Role;
use steadfast_sanitize::session::Session;
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::text;
use steadfast_span::SourceFile;

/// Writes a page per finding, or a page without a finding if there is none.
pub(super) fn write(program: &str, session: &Session, files: &mut Files) -> Status {
    let pages: Vec<String> = session.collection.all().map(|collected| page(program, session, collected)).collect();
    if pages.is_empty() {
        return files.write(&nothing(program, session));
    }
    pages.iter().map(|page| files.write(page)).max().unwrap_or(Status::Holds)
}

fn nothing(program: &str, session: &Session) -> String {
    let watched = session.watched > 0 && session.failed + session.diverged == 0;
    let remark = if watched {
        "These runs reported nothing. That is not a proof: other runs may."
    } else {
        "Inconclusive: the runtime was not in the program, or some runs failed or diverged from the log."
    };
    html_page(&Page {
        subject: program.to_owned(),
        verdict: "nothing was reported".to_owned(),
        verdict_class: if watched { VerdictClass::Good } else { VerdictClass::Unsure },
        facts: vec![("runs".to_owned(), session.runs.to_string()), ("watched".to_owned(), session.watched.to_string())],
        sources: Vec::new(),
        diagnostics: Vec::new(),
        run: None,
        endings: Default::default(),
        repair: None,
        lists: Vec::new(),
        remarks: vec![remark.to_owned()],
    })
}

fn page(program: &str, session: &Session, collected: &Collected) -> String {
    let finding = &collected.finding;
    let (file, diagnostic) = diagnostic(collected, &mut BTreeMap::new());
    let sources = sources(finding, file);
    html_page(&Page {
        subject: program.to_owned(),
        verdict: finding.kind.title().to_owned(),
        verdict_class: VerdictClass::Bad,
        facts: vec![
            ("reported in".to_owned(), format!("{} of {} runs", collected.runs, session.runs)),
            ("first with seed".to_owned(), collected.first.seed.to_string()),
        ],
        diagnostics: vec![(0, &diagnostic)],
        run: drawing::run_view(finding, &sources),
        sources: sources.iter().collect(),
        endings: ["when threads take turns".to_owned(), "what weak memory allows".to_owned()],
        repair: None,
        lists: lists(finding),
        remarks: Vec::new(),
    })
}

/// The file of the judged access, and the files of the other accesses.
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
        title: match &thread.name {
            Some(name) => format!("Where {} ({name}) was started", text::who(Some(thread.number))),
            None => format!("Where {} was started", text::who(Some(thread.number))),
        },
        entries: frames(&thread.stack),
    });
    events.chain(threads).collect()
}

fn frames(stack: &Stack) -> Vec<String> {
    let shown = |frame: &Frame| format!("{} at {}", frame.function.as_deref().unwrap_or("?"), text::place_of(frame));
    stack.iter().map(shown).collect()
}
