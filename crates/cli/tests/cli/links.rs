//! Every relative link in the documentation leads to a file that exists, and to a heading that exists in it.

use crate::documentation::pages;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text).filter(|link| !link.contains("://")) {
            if !resolves(&page, &text, link) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links without a target:\n{}", broken.join("\n"));
}

/// Every page can be reached from the first page of the documentation or from the README.
#[test]
fn every_page_is_linked() {
    let pages = pages();
    let mut linked = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let folder = page.parent().unwrap();
        linked.extend(links(&text).filter_map(|link| folder.join(file_of(link)).canonicalize().ok()));
    }
    for page in pages.iter().filter(|page| !page.ends_with("../../README.md")) {
        assert!(linked.contains(&page.canonicalize().unwrap()), "no page links to {}", page.display());
    }
}

fn resolves(page: &Path, text: &str, link: &str) -> bool {
    let Some((file, heading)) = link.split_once('#') else {
        return page.parent().unwrap().join(link).exists();
    };
    if file.is_empty() {
        return anchors(text).any(|anchor| anchor == heading);
    }
    fs::read_to_string(page.parent().unwrap().join(file))
        .is_ok_and(|target| anchors(&target).any(|anchor| anchor == heading))
}

fn file_of(link: &str) -> &str {
    link.split('#').next().unwrap_or_default()
}

/// The targets of `[text](target)` and `![text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    prose(text).flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next()))
}

/// The names by which links reach the headings of a page, as GitHub makes them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let mut seen = BTreeMap::new();
    prose(text).filter(|line| line.starts_with('#')).map(move |line| {
        let anchor = anchor(line.trim_start_matches('#').trim());
        let count = seen.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
        if *count == 0 { anchor } else { format!("{anchor}-{count}") }
    })
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

#[test]
fn headings_have_the_names_that_links_use() {
    let text = "# `steadfast check`\n## I have C or C++ code\n```sh\n# not a heading\n```\n## JSON\n## JSON\n";
    let names: Vec<_> = anchors(text).collect();
    assert_eq!(names, ["steadfast-check", "i-have-c-or-c-code", "json", "json-1"]);
}

#[test]
fn links_in_code_do_not_count() {
    let text = "[a](b.md) and ![c](d.png)\n```c\nf[i](x)\n```\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["b.md", "d.png"]);
}
