//! A page with many results: a sortable table with links.

use crate::escape::html;
use crate::html::{THEME, foot, head};
use crate::page::VerdictClass;
use std::fmt::Write;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = concat!(include_str!("../assets/theme.js"), include_str!("../assets/index.js"));

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// A file or a program.
    pub subject: String,
    /// The question: model and command.
    pub question: String,
    /// The verdict in a few words.
    pub verdict: String,
    /// The class of the verdict.
    pub verdict_class: VerdictClass,
    /// Further details.
    pub detail: String,
    /// The time in seconds, if it is known.
    pub seconds: Option<f64>,
    /// The relative address of a page about the result.
    pub link: Option<String>,
}

/// The page.
pub fn index_page(title: &str, rows: &[Row]) -> String {
    let mut text = head(title, STYLE, SCRIPT);
    let _ = writeln!(
        text,
        "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n<div class=\"headline\">\n<h1>{}</h1>\n<ul class=\"facts\">{}</ul>\n</div>\n{THEME}\n</header>\n<main id=\"main\">",
        html(title),
        tally(rows)
    );
    text.push_str("<section class=\"run\" aria-label=\"Results\">\n<table id=\"results\"><caption class=\"unseen\">All results; the buttons in the first row sort them</caption>\n<thead><tr>");
    for (at, name) in ["Subject", "Question", "Verdict", "Time", "What"].iter().enumerate() {
        let _ = write!(
            text,
            "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\" data-column=\"{at}\">{name}</button></th>"
        );
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        line(&mut text, row);
    }
    text.push_str("</tbody></table>\n<p id=\"sorted\" role=\"status\"></p>\n</section>\n</main>\n");
    text.push_str(&foot(SCRIPT));
    text
}

/// How many results there are with each verdict.
fn tally(rows: &[Row]) -> String {
    let mut verdicts: Vec<&str> = rows.iter().map(|row| row.verdict.as_str()).collect();
    verdicts.sort_unstable();
    let groups = verdicts.chunk_by(|one, other| one == other);
    let shown: Vec<String> =
        groups.map(|group| format!("<li>{} <b>{}</b></li>", html(group[0]), group.len())).collect();
    format!("<li>results <b>{}</b></li>{}", rows.len(), shown.join(""))
}

fn line(text: &mut String, row: &Row) {
    let verdict_class = match row.verdict_class {
        VerdictClass::Good => "good",
        VerdictClass::Bad => "bad",
        VerdictClass::Unsure => "unsure",
    };
    let subject = match &row.link {
        Some(link) => format!("<a href=\"{}\">{}</a>", html(link), html(&row.subject)),
        None => html(&row.subject),
    };
    let seconds = row.seconds.unwrap_or(-1.0);
    let time = row.seconds.map_or_else(String::new, |seconds| format!("{seconds:.2} s"));
    let _ = writeln!(
        text,
        "<tr><td>{subject}</td><td>{}</td><td class=\"{verdict_class}\"><b>{}</b></td><td data-key=\"{seconds}\">{time}</td><td>{}</td></tr>",
        html(&row.question),
        html(&row.verdict),
        html(&row.detail)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_text_and_links_are_relative() {
        let row = Row {
            subject: "<b>.sf".to_owned(),
            question: "RC20".to_owned(),
            verdict: "not robust".to_owned(),
            verdict_class: VerdictClass::Bad,
            detail: "\"quoted\"".to_owned(),
            seconds: Some(0.5),
            link: Some("a b.html".to_owned()),
        };
        let page = index_page("All", &[row.clone(), Row { link: None, ..row }]);
        assert!(
            page.contains("<a href=\"a b.html\">&lt;b&gt;.sf</a>") && page.contains("not robust <b>2</b>"),
            "{page}"
        );
    }
}
