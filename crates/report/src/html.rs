//! A page as one self-contained HTML file.
//!
//! The content security policy in its head allows only the style sheet and the script of the page, by their hashes. So even a mistake in escaping could not run anything.

use crate::data::data;
use crate::escape::{html, visible};
use crate::page::{Page, Repair, VerdictClass};
use crate::picture::EdgeKind;
use crate::source::source;
use crate::{run_view::RunView, svg};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use steadfast_diag::Label;

const PAGE_STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = concat!(include_str!("../assets/theme.js"), include_str!("../assets/page.js"));

/// The page.
pub fn html_page(page: &Page<'_>) -> String {
    let mut text = head(&format!("{}: {}", page.subject, page.verdict), &style(), SCRIPT);
    header(&mut text, page);
    text.push_str("<main id=\"main\">\n");
    if let Some(run) = &page.run {
        player(&mut text, page, run);
    }
    panes(&mut text, page);
    if let Some(run) = &page.run {
        state(&mut text, run);
        steps(&mut text, run);
    }
    notes(&mut text, page);
    if let Some(repair) = &page.repair {
        repaired(&mut text, repair);
    }
    lists(&mut text, page);
    text.push_str("</main>\n");
    if let Some(run) = &page.run {
        let _ = writeln!(text, "<script type=\"application/json\" id=\"data\">{}</script>", data(run));
    }
    text.push_str(&foot(SCRIPT));
    text
}

fn style() -> String {
    format!("{}{PAGE_STYLE}", svg::STYLE)
}

fn hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// The beginning, up to the body.
pub(crate) fn head(title: &str, style: &str, script: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-world=\"weak\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        hash(style),
        hash(script),
        html(title)
    )
}

/// The end, from the script on.
pub(crate) fn foot(script: &str) -> String {
    format!("<script>{script}</script>\n</body>\n</html>\n")
}

/// The button that switches between dark and light.
pub(crate) const THEME: &str = "<button type=\"button\" id=\"theme\" aria-pressed=\"false\">Dark</button>";

fn header(text: &mut String, page: &Page<'_>) {
    let verdict_class = match page.verdict_class {
        VerdictClass::Good => "good",
        VerdictClass::Bad => "bad",
        VerdictClass::Unsure => "unsure",
    };
    let headline = page.diagnostics.first().map_or("", |(_, diagnostic)| diagnostic.message.as_str());
    // The headline does not repeat the verdict.
    let headline = headline.strip_prefix(page.verdict.as_str()).unwrap_or(headline).trim_start_matches([':', ',', ' ']);
    let facts: Vec<String> =
        page.facts.iter().map(|(name, value)| format!("<li>{} <b>{}</b></li>", html(name), html(value))).collect();
    let _ = writeln!(
        text,
        "<a class=\"skip\" href=\"#main\">Skip to the result</a>\n<header>\n<div class=\"headline\">\n<p class=\"subject\">{}</p>\n\
         <h1><span class=\"verdict {verdict_class}\">{}</span> <span>{}</span></h1>\n<ul class=\"facts\">{}</ul>\n</div>\n{THEME}\n</header>",
        html(&page.subject),
        html(&page.verdict),
        html(headline),
        facts.join("")
    );
}

fn player(text: &mut String, page: &Page<'_>, run: &RunView) {
    let count = run.steps.len();
    let _ = write!(
        text,
        "<section class=\"player\" aria-label=\"Steps of the run\">\n<div class=\"controls\">\n\
         <button type=\"button\" id=\"first\" aria-label=\"To the start\">|◀</button>\n<button type=\"button\" id=\"back\" aria-label=\"One step back\">◀</button>\n\
         <input type=\"range\" id=\"step\" min=\"0\" max=\"{count}\" value=\"{count}\" aria-label=\"Step\">\n\
         <button type=\"button\" id=\"next\" aria-label=\"One step forward\">▶</button>\n<button type=\"button\" id=\"last\" aria-label=\"To the end\">▶|</button>\n"
    );
    if run.offending.is_some() {
        let [strong, weak] = &page.endings;
        let _ = write!(
            text,
            "<fieldset id=\"worlds\"><legend>The last step</legend>\n\
             <label><input type=\"radio\" name=\"world\" value=\"strong\"> {}</label>\n\
             <label><input type=\"radio\" name=\"world\" value=\"weak\" checked> {}</label></fieldset>\n",
            html(strong),
            html(weak)
        );
    }
    text.push_str("</div>\n<p id=\"status\" role=\"status\"></p>\n</section>\n");
}

fn panes(text: &mut String, page: &Page<'_>) {
    let alone = match &page.run {
        None => " alone",
        Some(run) if run.picture.columns.len() > 4 => " wide",
        Some(_) => "",
    };
    let _ = writeln!(text, "<div class=\"panes{alone}\">\n<section class=\"pane texts\" aria-label=\"Source\">");
    for (number, file) in page.sources.iter().enumerate() {
        let own = page.diagnostics.iter().filter(|(of, _)| *of == number);
        let labels: Vec<&Label> = own.flat_map(|(_, diagnostic)| &diagnostic.labels).collect();
        let places = page.run.iter().flat_map(|run| &run.steps).filter_map(|step| step.place);
        let lines: Vec<u32> = places.filter(|&(of, _)| of == number).map(|(_, line)| line).collect();
        // Of several texts, only those with labels or steps are shown.
        if page.sources.len() > 1 && labels.is_empty() && lines.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "<h2>{}</h2>\n<section class=\"scroll\" tabindex=\"0\" aria-label=\"Source text {}\">",
            html(file.name()),
            number + 1
        );
        text.push_str(&source(number, file, &labels, &lines));
        text.push_str("</section>\n");
    }
    text.push_str("</section>\n");
    if let Some(run) = &page.run {
        drawing(text, run);
    }
    text.push_str("</div>\n");
}

fn drawing(text: &mut String, run: &RunView) {
    text.push_str("<section class=\"pane drawing\" aria-label=\"Execution graph\">\n<h2>Execution graph</h2>\n<div class=\"tools\" role=\"group\" aria-label=\"Arrows that are shown\">\n");
    let used = EdgeKind::ALL.into_iter().filter(|kind| run.picture.edges.iter().any(|edge| edge.kind == *kind));
    for kind in used {
        // The names are those at the arrows, because edges between transactions have names of their own.
        let labels =
            run.picture.edges.iter().filter(|edge| edge.kind == kind).filter_map(|edge| edge.label.split(' ').next());
        let name = labels.into_iter().find(|label| !label.is_empty()).unwrap_or(kind.name());
        let (class, name) = (kind.class(), html(name));
        let _ = writeln!(
            text,
            "<label class=\"key\"><input type=\"checkbox\" checked data-hides=\"{class}\"><svg class=\"graph sample\" width=\"34\" height=\"12\" aria-hidden=\"true\">\
             <g class=\"edge {class}\"><path class=\"line\" d=\"M1 6h24\"/><path class=\"head\" d=\"M33 6l-9 -4v8z\"/></g></svg><b>{name}</b> {}</label>",
            kind.meaning()
        );
    }
    text.push_str("<button type=\"button\" id=\"fit\" aria-pressed=\"false\">Fit to width</button>\n</div>\n");
    text.push_str(
        "<section class=\"scroll\" id=\"canvas\" tabindex=\"0\" aria-label=\"The graph, which can be scrolled\">\n",
    );
    text.push_str(&svg::inline(&run.picture));
    text.push_str("\n</section>\n</section>\n");
}

fn state(text: &mut String, run: &RunView) {
    if run.readable.is_none() {
        return;
    }
    text.push_str(
        "<section class=\"state\" aria-labelledby=\"state-title\">\n<h2 id=\"state-title\">After this step</h2>\n\
         <p>Each row is a location. A thread that <em>knows</em> the newest value can read nothing else; otherwise the cell says what it may still read.</p>\n\
         <section class=\"scroll\" tabindex=\"0\" aria-label=\"Memory and what threads know\"><table id=\"memory\"><caption class=\"unseen\">Memory and what each thread knows</caption></table></section>\n</section>\n",
    );
}

fn steps(text: &mut String, run: &RunView) {
    text.push_str("<section class=\"run\" aria-labelledby=\"run-title\">\n<h2 id=\"run-title\">The run, one step at a time</h2>\n<section class=\"scroll\" tabindex=\"0\" aria-label=\"The steps\"><table><thead><tr><th scope=\"col\">Step</th><th scope=\"col\">Who</th><th scope=\"col\">Line</th><th scope=\"col\">Text</th><th scope=\"col\">What happens</th></tr></thead>\n<tbody>\n");
    for (at, step) in run.steps.iter().enumerate() {
        let number = at + 1;
        let line = step.place.map_or_else(String::new, |(_, line)| line.to_string());
        let leaves = if run.offending == Some(number) { " class=\"offending\"" } else { "" };
        let effect = match &step.strong_effect {
            Some(strong) => format!(
                "<span class=\"only-weak\">{}</span><span class=\"only-strong\">{}</span>",
                html(&step.effect),
                html(strong)
            ),
            None => html(&step.effect),
        };
        let _ = writeln!(
            text,
            "<tr id=\"row-{number}\"{leaves}><td><button type=\"button\" class=\"jump\" data-jump=\"{number}\">{number}</button></td><td>{}</td><td>{line}</td><td><code>{}</code></td><td>{effect}</td></tr>",
            html(&step.actor),
            html(&step.code)
        );
    }
    text.push_str("</tbody></table></section>\n</section>\n");
}

fn notes(text: &mut String, page: &Page<'_>) {
    let run = page.run.is_some();
    for (at, (_, diagnostic)) in page.diagnostics.iter().enumerate() {
        let title = if at == 0 { "Why" } else { diagnostic.message.as_str() };
        // The page shows the steps of the run already.
        let notes = diagnostic.notes.iter().filter(|note| !(run && note.starts_with("the threads take these steps")));
        let notes: Vec<String> = notes.map(|note| paragraph(note)).collect();
        let helps: Vec<String> = diagnostic.helps.iter().map(|help| paragraph(help)).collect();
        let _ = writeln!(
            text,
            "<section class=\"notes\">\n<h2>{} <small>{}</small></h2>\n{}",
            html(title),
            html(diagnostic.code.0),
            notes.join("\n")
        );
        if !helps.is_empty() {
            let _ = writeln!(text, "<h3>What to do</h3>\n{}", helps.join("\n"));
        }
        text.push_str("</section>\n");
    }
    if !page.remarks.is_empty() {
        let remarks: Vec<String> = page.remarks.iter().map(|remark| paragraph(remark)).collect();
        let _ = writeln!(text, "<section class=\"notes\">\n<h2>To know</h2>\n{}\n</section>", remarks.join("\n"));
    }
}

/// A text with one line is a paragraph. A text with several lines is preformatted, so that its columns stay aligned.
fn paragraph(note: &str) -> String {
    if note.contains('\n') { format!("<pre>{}</pre>", html(note)) } else { format!("<p>{}</p>", html(note)) }
}

/// The changes, and the texts before and after them side by side.
fn repaired(text: &mut String, repair: &Repair) {
    let changes: Vec<String> = repair.changes.iter().map(|change| format!("<li>{}</li>", html(change))).collect();
    let _ = write!(
        text,
        "<section class=\"repair\" aria-labelledby=\"repair-title\">\n<h2 id=\"repair-title\">A repair</h2>\n<p>{}</p>\n<ul>{}</ul>\n\
         <section class=\"scroll\" tabindex=\"0\" aria-label=\"Before and after\"><table class=\"diff\"><thead><tr><th scope=\"col\">Before</th><th scope=\"col\">After</th></tr></thead>\n<tbody>\n",
        html(&repair.summary),
        changes.join("")
    );
    for line in repair.patch.lines().skip_while(|line| !line.starts_with("@@")) {
        let rest = line.get(1..).unwrap_or_default();
        let (class, before, after) = match line.chars().next() {
            Some('@') => ("gap", "…", "…"),
            Some('-') => ("gone", rest, ""),
            Some('+') => ("new", "", rest),
            _ => ("same", rest, rest),
        };
        let sign = |side: &str, mark: &str| {
            if side.is_empty() || class == "same" || class == "gap" {
                html(side)
            } else {
                format!("<b>{mark}</b>{}", visible(&html(side)))
            }
        };
        let _ = writeln!(
            text,
            "<tr class=\"{class}\"><td><code>{}</code></td><td><code>{}</code></td></tr>",
            sign(before, "−"),
            sign(after, "+")
        );
    }
    text.push_str("</tbody></table></section>\n</section>\n");
}

fn lists(text: &mut String, page: &Page<'_>) {
    for list in &page.lists {
        let entries: Vec<String> =
            list.entries.iter().map(|entry| format!("<li><code>{}</code></li>", html(entry))).collect();
        let _ = writeln!(
            text,
            "<section class=\"listing\">\n<h2>{}</h2>\n<ol>{}</ol>\n</section>",
            html(&list.title),
            entries.join("\n")
        );
    }
}
