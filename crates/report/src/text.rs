//! A picture as text, for a terminal: a column per thread, a line per step, and the arrows of the cycle beside it.

use crate::escape::{cells, shortened};
use crate::picture::{EdgeKind, Ending, Node, Picture};
use std::fmt::Write;

/// The widest column.
const WIDEST: usize = 34;

/// The picture with the ending under the weak model. Program order goes down. Of the other arrows, only those on the cycle are written.
pub fn text(picture: &Picture) -> String {
    let widths: Vec<usize> = (0..picture.columns.len()).map(|column| width(picture, column)).collect();
    let mut text = String::new();
    let titles: Vec<String> = picture.columns.iter().map(|title| shortened(title, WIDEST)).collect();
    line(&mut text, &widths, &titles, "");
    line(&mut text, &widths, &widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>(), "");
    for (at, node) in picture.nodes.iter().enumerate() {
        let cells: Vec<String> =
            (0..widths.len()).map(|column| if column == node.column { cell(node) } else { String::new() }).collect();
        line(&mut text, &widths, &cells, &arrows(picture, at));
    }
    text
}

fn width(picture: &Picture, column: usize) -> usize {
    let own = picture.nodes.iter().filter(|node| node.column == column).map(|node| cells(&cell(node)));
    own.chain([cells(&shortened(&picture.columns[column], WIDEST))]).max().unwrap_or(0)
}

fn cell(node: &Node) -> String {
    shortened(&node.title, WIDEST)
}

/// The arrows on the cycle that leave a box, except those that only go down to the next box.
fn arrows(picture: &Picture, from: usize) -> String {
    let leaving =
        picture.edges.iter().filter(|edge| edge.from == from && edge.on_cycle && edge.ending != Ending::Strong);
    let shown = leaving.filter(|edge| edge.kind != EdgeKind::Order);
    let shown: Vec<String> = shown
        .map(|edge| {
            let title = shortened(&picture.nodes[edge.to].title, WIDEST);
            // If the box has a number, that is enough.
            let end =
                title.split_once(") ").filter(|(mark, _)| mark.starts_with('(')).map(|(mark, _)| format!("{mark})"));
            format!("--{}--> {}", edge.label, end.unwrap_or(title))
        })
        .collect();
    shown.join(", ")
}

fn line(text: &mut String, widths: &[usize], cells_of_line: &[String], arrows: &str) {
    let padded: Vec<String> = cells_of_line
        .iter()
        .zip(widths)
        .map(|(cell, &width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cells(cell)))))
        .collect();
    let _ = writeln!(text, "{}", format!("{} | {arrows}", padded.join(" | ")).trim_end_matches([' ', '|']));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{STORE_BUFFERING, Sample};
    use steadfast_robust::Supported;

    #[test]
    fn store_buffering_is_a_small_table() {
        let drawn = text(&Sample::of(STORE_BUFFERING, Supported::Ra).run_view().picture);
        assert!(drawn.starts_with("at first"), "{drawn}");
        // Two titles, one initial value, four steps.
        assert_eq!((drawn.lines().count(), drawn.matches("--fr--> (").count()), (7, 2), "{drawn}");
        assert!(drawn.lines().all(|line| !line.ends_with(' ') && !line.ends_with('|')), "{drawn}");
    }
}
