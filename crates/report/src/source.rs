//! A source text with line numbers and with remarks below its lines.

use crate::escape::html;
use std::collections::BTreeSet;
use std::fmt::Write;
use steadfast_diag::Label;
use steadfast_span::{SourceFile, Span};

/// Of a text with more lines, only parts are shown.
const WHOLE: usize = 300;
/// How many lines are shown before and after one that matters.
const AROUND: usize = 12;

/// The text as a list of lines.
pub(crate) fn source(number: usize, file: &SourceFile, labels: &[&Label], steps: &[u32]) -> String {
    let lines: Vec<&str> = file.text().lines().collect();
    let matter: BTreeSet<u32> = labels.iter().map(|label| line(file, label)).chain(steps.iter().copied()).collect();
    let mut text = format!("<ol class=\"code\" id=\"source-{number}\">\n");
    let mut hidden = 0;
    let mut offset = 0_u32;
    for (at, content) in lines.iter().enumerate() {
        let own = at as u32 + 1;
        let near = |&other: &u32| own.abs_diff(other) as usize <= AROUND;
        let start = offset;
        offset += content.len() as u32 + ending(file.text(), offset as usize + content.len());
        if lines.len() > WHOLE && !matter.iter().any(near) {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            let _ = writeln!(text, "<li class=\"gap\">… {hidden} lines …</li>");
            hidden = 0;
        }
        let here: Vec<&&Label> = labels.iter().filter(|label| line(file, label) == own).collect();
        let spans: Vec<(Span, bool)> = here.iter().map(|label| (label.span, label.primary)).collect();
        let _ = write!(
            text,
            "<li class=\"line\" id=\"line-{number}-{own}\" value=\"{own}\"><code>{}</code>",
            marked(content, start, &spans)
        );
        for label in here {
            let class = if label.primary { "remark primary" } else { "remark" };
            let _ = write!(text, "<p class=\"{class}\">{}</p>", html(&label.text));
        }
        text.push_str("</li>\n");
    }
    if hidden > 0 {
        let _ = writeln!(text, "<li class=\"gap\">… {hidden} lines …</li>");
    }
    text.push_str("</ol>\n");
    text
}

/// The length of the line ending at a place.
fn ending(text: &str, at: usize) -> u32 {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

fn line(file: &SourceFile, label: &Label) -> u32 {
    file.line_column(label.span.start).line
}

/// A line with its spans marked. Of overlapping spans, the first one is marked.
fn marked(content: &str, start: u32, spans: &[(Span, bool)]) -> String {
    let mut spans: Vec<(usize, usize, bool)> = spans
        .iter()
        .map(|&(span, primary)| {
            let inside = |offset: u32| (offset.saturating_sub(start) as usize).min(content.len());
            (inside(span.start), inside(span.end), primary)
        })
        .filter(|&(from, to, _)| from < to && content.is_char_boundary(from) && content.is_char_boundary(to))
        .collect();
    spans.sort_unstable();
    let mut text = String::new();
    let mut at = 0;
    for (from, to, primary) in spans {
        if from < at {
            continue;
        }
        let class = if primary { " class=\"primary\"" } else { "" };
        let _ = write!(text, "{}<mark{class}>{}</mark>", html(&content[at..from]), html(&content[from..to]));
        at = to;
    }
    text + &html(&content[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_marked_in_their_lines() {
        let file = SourceFile::new("a.sf", "one\r\nx < y;\nthree\n");
        let label = Label { span: Span::new(5, 10), text: "<here>".to_owned(), primary: true };
        let text = source(0, &file, &[&label], &[]);
        assert!(
            text.contains(
                "<li class=\"line\" id=\"line-0-2\" value=\"2\"><code><mark class=\"primary\">x &lt; y</mark>;</code>"
            ),
            "{text}"
        );
        assert!(text.contains("<p class=\"remark primary\">&lt;here&gt;</p>"), "{text}");
    }

    #[test]
    fn of_long_texts_only_parts_are_shown() {
        let file = SourceFile::new("long.c", "line\n".repeat(1000));
        let text = source(0, &file, &[], &[500]);
        assert!(text.contains("line-0-488") && text.contains("line-0-512") && !text.contains("line-0-513"));
        assert!(text.contains("… 487 lines …"), "{text}");
    }
}
