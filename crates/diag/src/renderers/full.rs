//! For people: the source lines with labels under them, as rustc shows them.

use super::{Item, place::Place};
use crate::{Diagnostic, Severity, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle};
use std::ops::Range;
use steadfast_span::SourceFile;

/// All diagnostics in full, with an empty line between two.
pub(crate) fn full(items: &[Item<'_>], style: Style) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    // The minimum width: a line number and the dots must fit.
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(style.width.max(40));
    let texts: Vec<_> = items.iter().map(|&(file, diagnostic)| one(&renderer, file, diagnostic, around)).collect();
    texts.join("\n")
}

fn one(renderer: &Renderer, file: &SourceFile, diagnostic: &Diagnostic, window: Window) -> String {
    let title = level(diagnostic.severity).primary_title(diagnostic.message.as_str()).id(diagnostic.code.0);
    let group = if diagnostic.labels.is_empty() {
        title.element(Origin::path(printable(file.name())))
    } else {
        title.element(snippet(file, diagnostic, window))
    };
    let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(printable(note)));
    let helps = diagnostic.helps.iter().map(|help| Level::HELP.message(printable(help)));
    let group: Group<'_> = group.elements(notes).elements(helps);
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

fn snippet<'a>(
    file: &'a SourceFile,
    diagnostic: &'a Diagnostic,
    window: Window,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let places: Vec<_> = diagnostic.labels.iter().map(|label| Place::of(file, label.span)).collect();
    let window = window(file.text(), &places);
    let line = file.line_column(window.start as u32).line;
    let annotations = diagnostic.labels.iter().zip(places).map(|(label, place)| {
        let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let text = Some(printable(&label.text)).filter(|text| !text.is_empty());
        kind.span(place.bytes.start - window.start..place.bytes.end - window.start).label(text)
    });
    let annotations: Vec<_> = annotations.collect();
    Snippet::source(&file.text()[window])
        .line_start(line as usize)
        .path(printable(file.name()))
        .annotations(annotations)
}

/// The part of a text to draw, for labels at these places.
type Window = fn(&str, &[Place]) -> Range<usize>;

/// The lines of all these places, and one more. Drawing scans all of the given text, once per diagnostic; with a large file and many diagnostics, that would take longer than everything else.
fn around(text: &str, places: &[Place]) -> Range<usize> {
    let first = places.iter().map(|place| place.bytes.start).min().unwrap_or(0);
    let last = places.iter().map(|place| place.bytes.end).max().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
    let mut ends = text[last..].match_indices('\n').map(|(newline, _)| last + newline + 1);
    start..ends.nth(1).unwrap_or(text.len())
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// Replaces control characters, which may come from the program's text, but not line breaks.
fn printable(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(annotate_snippets::normalize_untrusted_str).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, renderers::sample};
    use steadfast_span::Span;

    fn show(text: &str, span: Span) -> String {
        let file = SourceFile::new("f.sf", text);
        full(&[(&file, &Diagnostic::error(Code("E0001"), "oops").at(span, "here"))], Style::default())
    }

    #[test]
    fn everything_about_a_verdict() {
        let file = sample::file();
        let items = [(&file, &sample::stale_read()), (&file, &sample::without_place())];
        insta::assert_snapshot!(full(&items, Style::default()), @r#"
        error[V0001]: not robust: this load can read an overwritten value
         --> litmus/sb.sf:6:13
          |
        5 |     x.store(1, release);
          |     ------------------- still on its way
        6 |     let r = y.load(acquire);
          |             ^^^^^^^^^^^^^^^ may read 0, although `y` is 1
          |
          = note: model: ra, notion: graph
          = help: make both accesses `seq_cst`

        warning[W0001]: no thread
                        at all
        --> litmus/sb.sf
        "#);
    }

    #[test]
    fn colours_only_if_asked() {
        let (file, diagnostic) = (sample::file(), sample::stale_read());
        let items = [(&file, &diagnostic)];
        assert!(!full(&items, Style::default()).contains('\u{1b}'));
        assert!(full(&items, Style { color: true, ..Style::default() }).contains('\u{1b}'));
    }

    #[test]
    fn an_empty_file() {
        insta::assert_snapshot!(show("", Span::new(0, 0)), @r#"
        error[E0001]: oops
         --> f.sf:1:1
          |
        1 |
          | ^ here
        "#);
    }

    #[test]
    fn the_end_of_a_file() {
        insta::assert_snapshot!(show("thread a {\n", Span::new(11, 11)), @r#"
        error[E0001]: oops
         --> f.sf:1:11
          |
        1 | thread a {
          |           ^ here
        "#);
        insta::assert_snapshot!(show("thread a {", Span::new(10, 10)), @r#"
        error[E0001]: oops
         --> f.sf:1:11
          |
        1 | thread a {
          |           ^ here
        "#);
    }

    #[test]
    fn a_zero_width_span() {
        insta::assert_snapshot!(show("let r = 1\n", Span::new(4, 4)), @r#"
        error[E0001]: oops
         --> f.sf:1:5
          |
        1 | let r = 1
          |     ^ here
        "#);
    }

    #[test]
    fn tabs_and_carriage_returns() {
        insta::assert_snapshot!(show("a {\r\n\tlet\tr;\r\n}\r\n", Span::new(10, 11)), @r#"
        error[E0001]: oops
         --> f.sf:2:6
          |
        2 |     let    r;
          |            ^ here
        "#);
        insta::assert_snapshot!(show("a {\r\n}\r\n", Span::new(3, 5)), @r#"
        error[E0001]: oops
         --> f.sf:1:4
          |
        1 |   a {
          |  ____^
        2 | | }
          | |_^ here
        "#);
    }

    #[test]
    fn a_span_over_several_lines() {
        insta::assert_snapshot!(show("thread a {\n  skip;\n}\n", Span::new(9, 20)), @r#"
        error[E0001]: oops
         --> f.sf:1:10
          |
        1 |   thread a {
          |  __________^
        2 | |   skip;
        3 | | }
          | |_^ here
        "#);
    }

    #[test]
    fn a_very_long_line_is_cut() {
        let line = format!("{}x = 1;{}", "a; ".repeat(10_000), " b;".repeat(10_000));
        let text = show(&line, Span::new(30_000, 30_001));
        insta::assert_snapshot!(text, @r#"
        error[E0001]: oops
         --> f.sf:1:30001
          |
        1 | ... a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; a; x = 1; b; b; b; b; b; b; b; b; b; b; b; b; b; b; b; b; b; ...
          |                                                        ^ here
        "#);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let file = SourceFile::new("f.sf", "\u{1b}[2J");
        let diagnostic = Diagnostic::error(Code("E0001"), "bad `\u{1b}[2J`")
            .at(Span::new(0, 1), "\u{1b}[2J")
            .note("\u{1b}[2J")
            .help("\u{1b}[2J\nand so on");
        assert!(!full(&[(&file, &diagnostic)], Style::default()).contains('\u{1b}'));
    }

    /// Any span can be rendered, whatever the file contains.
    #[test]
    fn rendering_is_total() {
        for text in
            ["", "\n", "\r\n", "\r", "\t", "a", "ä\n", "a\r\n\r\nb", "\u{feff}x\n\n", "日本\n\t語", "\0\u{200d}\n"]
        {
            let past = text.len() as u32 + 2;
            for (start, end) in (0..past).flat_map(|start| (0..past).map(move |end| (start, end))) {
                let span = Span::new(start, end);
                let at = Place::of(&SourceFile::new("f.sf", text), span).start;
                let shown = show(text, span);
                assert!(shown.contains(&format!("f.sf:{}:{}\n", at.line, at.column)), "{text:?} {span:?}\n{shown}");
            }
        }
    }

    #[test]
    fn what_is_left_out_is_not_missed() {
        let text = "\n\na\t{\r\nb\n\nc\n\td;\n}\n";
        let file = SourceFile::new("f.sf", text);
        let spans: Vec<_> = (0..=text.len() as u32)
            .flat_map(|start| [0, 1, 4].map(|length| Span::new(start, (start + length).min(text.len() as u32))))
            .collect();
        for &first in &spans {
            for &second in &spans {
                let both = Diagnostic::error(Code("E0001"), "oops").at(first, "here").context(second, "and here");
                let [part, all] = [around, |text: &str, _: &[Place]| 0..text.len()]
                    .map(|window: Window| one(&Renderer::plain(), &file, &both, window));
                assert_eq!(part, all);
            }
        }
    }

    /// Any two spans can be rendered together.
    #[test]
    fn two_labels_never_collide() {
        let text = "a\t{\r\n\tä;\n}";
        let file = SourceFile::new("f.sf", text);
        let spans: Vec<_> = (0..=text.len() as u32)
            .flat_map(|start| (start..=text.len() as u32).map(move |end| Span::new(start, end)))
            .collect();
        for &first in &spans {
            for &second in &spans {
                let both = Diagnostic::error(Code("E0001"), "oops").at(first, "here").context(second, "and here");
                for width in [0, 120] {
                    assert!(full(&[(&file, &both)], Style { color: false, width }).contains("oops"));
                }
            }
        }
    }
}
