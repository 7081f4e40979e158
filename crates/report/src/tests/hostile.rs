//! Names that contain markup.

use super::{STORE_BUFFERING, Sample, page};
use crate::{Listing, Repair, html_page, svg};
use steadfast_diag::{Code, Diagnostic};
use steadfast_robust::Supported;
use steadfast_span::{SourceFile, Span};

const NAMES: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onload='alert(1)",
    "]]></style></script><!--",
    "\u{202e}txet desrever\u{2066}",
    "שלום عالم",
];

/// The tags and attributes of a text, without the text between them.
fn markup(text: &str) -> Vec<&str> {
    text.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag)).collect()
}

#[test]
fn names_are_shown_as_text() {
    let mut run = Sample::of(STORE_BUFFERING, Supported::Ra).run_view();
    let harmless = {
        let file = SourceFile::new("a.sf", "x\n");
        let diagnostic = Diagnostic::error(Code("V0001"), "m").at(Span::new(0, 1), "l").note("n").help("h");
        html_page(&page(&file, &diagnostic, Some(run.clone())))
    };
    for name in NAMES {
        for column in &mut run.picture.columns {
            name.clone_into(column);
        }
        for node in &mut run.picture.nodes {
            name.clone_into(&mut node.title);
            node.details = vec![name.to_owned()];
        }
        for edge in &mut run.picture.edges {
            name.clone_into(&mut edge.label);
        }
        for step in &mut run.steps {
            name.clone_into(&mut step.actor);
            name.clone_into(&mut step.code);
            name.clone_into(&mut step.effect);
        }
        if let Some(views) = &mut run.readable {
            views.locations.iter_mut().chain(&mut views.threads).for_each(|text| name.clone_into(text));
        }
        let file = SourceFile::new(name, format!("{name}\n"));
        let diagnostic = Diagnostic::error(Code("V0001"), name).at(Span::new(0, 1), name).note(name).help(name);
        let mut page = page(&file, &diagnostic, Some(run.clone()));
        page.remarks = vec![name.to_owned()];
        page.repair = Some(Repair {
            summary: name.to_owned(),
            changes: vec![name.to_owned()],
            patch: format!("@@\n-{name}\n+{name}\n"),
        });
        page.lists = vec![Listing { title: name.to_owned(), entries: vec![name.to_owned()] }];
        page.facts = vec![(name.to_owned(), name.to_owned())];
        let text = html_page(&page);
        assert_eq!(markup(&text).iter().filter(|tag| tag.starts_with("script")).count(), 2, "{name}");
        assert!(!markup(&text).iter().any(|tag| tag.starts_with("img")), "{name}");
        assert_eq!(
            markup(&text).iter().filter(|tag| tag.contains("onerror=") || tag.contains("onload=")).count(),
            0,
            "{name}"
        );
        assert!(!text.contains('\u{202e}') && !text.contains('\u{2066}'));
        assert!(!svg(&run.picture).contains("<script"), "{name}");
        assert!(!text.contains("style=\"") && text.len() > harmless.len() / 2);
    }
}

#[test]
fn a_very_long_name_does_not_make_the_picture_wide() {
    let mut run = Sample::of(STORE_BUFFERING, Supported::Ra).run_view();
    let name = "a_name_without_an_end".repeat(500);
    run.picture.columns[0].clone_from(&name);
    run.picture.nodes.iter_mut().for_each(|node| node.title.clone_from(&name));
    assert!(crate::layout::layout(&run.picture).width < 1200.0);
}
