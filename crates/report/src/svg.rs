//! A picture as SVG.

use crate::escape::{html, shortened};
use crate::layout::{Layout, Rect, layout};
use crate::picture::{Edge, EdgeKind, Ending, Node, Part, Picture};
use crate::route::Path;
use std::fmt::Write;

/// The style sheet of a picture, in a page and on its own.
pub(crate) const STYLE: &str = include_str!("../assets/graph.css");

/// The picture as a file, with the ending under the weak model.
pub fn svg(picture: &Picture) -> String {
    let style = format!("<style>\n{STYLE}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    let mut picture = picture.clone();
    picture.edges.retain(|edge| edge.ending != Ending::Strong);
    picture.nodes.iter_mut().for_each(|node| node.strong_title = None);
    let (text, height) = element(&picture, &style);
    text.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1)
        .replace("</svg>", &(legend(&picture, height) + "</svg>"))
}

/// The picture as an element of a page.
pub(crate) fn inline(picture: &Picture) -> String {
    element(picture, "").0
}

/// The SVG element with `first` at its beginning, and the height of its content.
fn element(picture: &Picture, first: &str) -> (String, f64) {
    let layout = layout(picture);
    let room = if first.is_empty() { 0.0 } else { 8.0 + kinds(picture).count() as f64 * KEY };
    let (width, height) =
        (layout.width.max(if first.is_empty() { 0.0 } else { 300.0 }).ceil(), (layout.height + room).ceil());
    let mut text = format!(
        "<svg class=\"graph\" id=\"graph\" role=\"img\" aria-labelledby=\"graph-title\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title id=\"graph-title\">{}</title>\n{first}",
        html(&picture.summary)
    );
    columns(&mut text, &layout);
    for (at, edge) in picture.edges.iter().enumerate() {
        arrow(&mut text, picture, edge, &layout.paths[at]);
    }
    for (at, node) in picture.nodes.iter().enumerate() {
        boxed(&mut text, at, node, layout.boxes[at], &layout.lines[at]);
    }
    for (at, edge) in picture.edges.iter().enumerate() {
        if let Some(rect) = layout.labels[at] {
            label(&mut text, picture, edge, rect);
        }
    }
    headers(&mut text, picture, &layout);
    text.push_str("</svg>");
    (text, layout.height)
}

/// The background of the columns.
fn columns(text: &mut String, layout: &Layout) {
    let y = layout.header_y + 8.0;
    for &(left, right) in &layout.columns {
        let (x, width, height) = (left - 6.0, right - left + 12.0, layout.height - y - 4.0);
        let _ = writeln!(
            text,
            "<rect class=\"column\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>"
        );
    }
}

/// The titles of the columns. They come last, so that a page can keep them visible above everything else.
fn headers(text: &mut String, picture: &Picture, layout: &Layout) {
    let _ = write!(
        text,
        "<g class=\"headers\" id=\"headers\"><rect width=\"{:.1}\" height=\"{:.1}\"/>",
        layout.width,
        layout.header_y + 7.0
    );
    for (title, (center, shown)) in picture.columns.iter().zip(&layout.headers) {
        let _ = write!(
            text,
            "<text x=\"{center:.1}\" y=\"{:.1}\" text-anchor=\"middle\"><title>{}</title>{}</text>",
            layout.header_y,
            html(title),
            html(shown)
        );
    }
    text.push_str("</g>\n");
}

/// The class for the ending in which something exists.
fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Both => "",
        Ending::Strong => " only-strong",
        Ending::Weak => " only-weak",
    }
}

/// The step at which an arrow appears.
fn since(picture: &Picture, edge: &Edge) -> usize {
    picture.nodes[edge.from].step.max(picture.nodes[edge.to].step)
}

fn arrow(text: &mut String, picture: &Picture, edge: &Edge, path: &Path) {
    let mut line = format!("M{:.1} {:.1}", path.start.0, path.start.1);
    for [one, two, to] in &path.curves {
        let _ = write!(line, "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", one.0, one.1, two.0, two.1, to.0, to.1);
    }
    let on_cycle = if edge.on_cycle { " cycle" } else { "" };
    let _ = write!(
        text,
        "<g class=\"edge {}{on_cycle}{}\" data-step=\"{}\">",
        edge.kind.class(),
        ending(edge.ending),
        since(picture, edge)
    );
    if edge.on_cycle {
        let _ = write!(text, "<path class=\"halo\" d=\"{line}\"/>");
    }
    let _ = writeln!(
        text,
        "<path class=\"line\" d=\"{line}\"/><path class=\"head\" d=\"{}\"/></g>",
        head(path, edge.on_cycle)
    );
}

/// The triangle at the end of an arrow.
fn head(path: &Path, large: bool) -> String {
    let (end, before) = path.head();
    let (dx, dy) = (end.0 - before.0, end.1 - before.1);
    let length = dx.hypot(dy).max(0.001);
    let (dx, dy) = (dx / length, dy / length);
    let (long, wide) = if large { (12.0, 5.5) } else { (9.0, 4.0) };
    let back = (end.0 - dx * long, end.1 - dy * long);
    format!(
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
        end.0,
        end.1,
        back.0 - dy * wide,
        back.1 + dx * wide,
        back.0 + dy * wide,
        back.1 - dx * wide
    )
}

fn label(text: &mut String, picture: &Picture, edge: &Edge, rect: Rect) {
    let on_cycle = if edge.on_cycle { " cycle" } else { "" };
    let _ = writeln!(
        text,
        "<g class=\"label {}{on_cycle}{}\" data-step=\"{}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
        edge.kind.class(),
        ending(edge.ending),
        since(picture, edge),
        rect.x,
        rect.y,
        rect.width,
        rect.height,
        rect.center(),
        rect.y + 11.0,
        html(&edge.label)
    );
}

fn boxed(text: &mut String, at: usize, node: &Node, rect: Rect, lines: &[String]) {
    let part = match node.part {
        Part::Ordinary => "",
        Part::Offending => " offending",
        Part::Stale => " stale",
        Part::Newest => " newest",
    };
    let on_cycle = if node.on_cycle { " cycle" } else { "" };
    let whole = std::iter::once(&node.title).chain(&node.details).map(String::as_str).collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "<g class=\"node{part}{on_cycle}\" id=\"node-{at}\" data-step=\"{}\"><title>{}</title>",
        node.step,
        html(&whole)
    );
    let Rect { x, y, width, height } = rect;
    let _ = write!(text, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\"/>");
    for (number, line) in lines.iter().enumerate() {
        let y = rect.y + 17.0 + number as f64 * 16.0;
        let mut written = |class: &str, line: &str| {
            let _ = write!(
                text,
                "<text class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
                rect.center(),
                html(line)
            );
        };
        match (number, &node.strong_title) {
            (0, Some(strong)) => {
                written("title only-weak", line);
                written("title only-strong", &shortened(strong, 34));
            }
            (0, None) => written("title", line),
            _ => written("detail", line),
        }
    }
    text.push_str("</g>\n");
}

/// The height of a line of the legend.
const KEY: f64 = 17.0;

/// The kinds of arrows in a picture.
fn kinds(picture: &Picture) -> impl Iterator<Item = EdgeKind> + '_ {
    EdgeKind::ALL.into_iter().filter(|kind| picture.edges.iter().any(|edge| edge.kind == *kind))
}

/// The meanings of the arrows, at the bottom of a picture without a page.
fn legend(picture: &Picture, height: f64) -> String {
    let mut text = String::new();
    for (at, kind) in kinds(picture).enumerate() {
        let y = height + 8.0 + at as f64 * KEY;
        let _ = writeln!(
            text,
            "<g class=\"edge {}\"><path class=\"line\" d=\"M16 {y:.1}h30\"/></g><text class=\"key\" x=\"54\" y=\"{:.1}\">{}: {}</text>",
            kind.class(),
            y + 4.0,
            kind.name(),
            kind.meaning()
        );
    }
    text
}
