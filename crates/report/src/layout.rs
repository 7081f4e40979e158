//! Places the boxes.
//!
//! A box is below all earlier boxes with an arrow to it. So under SC all arrows point down, and an arrow that points up does not exist under SC. A column is as wide as its widest box,
//! and gaps between columns and rows are as wide as their arrows need.

use crate::escape::{cells, shortened};
use crate::picture::{Node, Picture};
use crate::route::{Lanes, Path, lanes, route};

/// The width of a character.
const CHARACTER: f64 = 7.3;
/// The height of a line of text in a box.
const LINE: f64 = 16.0;
/// The space around the text of a box.
const PADDING: f64 = 9.0;
/// The space around everything.
pub(crate) const MARGIN: f64 = 14.0;
/// The height of the titles of columns.
const HEADER: f64 = 26.0;
/// The least space between two rows.
const ROW_GAP: f64 = 34.0;
/// How many characters of a line are shown; the rest is in the tooltip.
const SHOWN: usize = 34;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rect {
    /// The left edge.
    pub(crate) x: f64,
    /// The upper edge.
    pub(crate) y: f64,
    /// The width.
    pub(crate) width: f64,
    /// The height.
    pub(crate) height: f64,
}

impl Rect {
    /// The right edge.
    pub(crate) fn right(self) -> f64 {
        self.x + self.width
    }

    /// The lower edge.
    pub(crate) fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// The middle, from left to right.
    pub(crate) fn center(self) -> f64 {
        self.x + self.width / 2.0
    }

    /// Whether two rectangles have more than an edge in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// The places of everything in a picture.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The width of the picture.
    pub(crate) width: f64,
    /// The height of the picture.
    pub(crate) height: f64,
    /// The titles of the columns, each with the position of its middle.
    pub(crate) headers: Vec<(f64, String)>,
    /// The height at which the titles are.
    pub(crate) header_y: f64,
    /// The left and right edges of the columns.
    pub(crate) columns: Vec<(f64, f64)>,
    /// The boxes.
    pub(crate) boxes: Vec<Rect>,
    /// The lines in each box, shortened.
    pub(crate) lines: Vec<Vec<String>>,
    /// The arrows.
    pub(crate) paths: Vec<Path>,
    /// The places of the labels. An arrow without a place for its label has none.
    pub(crate) labels: Vec<Option<Rect>>,
}

/// Computes the layout of a picture.
pub(crate) fn layout(picture: &Picture) -> Layout {
    let ranks = ranks(picture);
    let lines: Vec<Vec<String>> = picture.nodes.iter().map(lines).collect();
    let lanes = lanes(picture, &ranks);
    let columns = columns(picture, &lines, &lanes);
    let rows = rows(picture, &ranks, &lines, &lanes);
    let boxes: Vec<Rect> = picture
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| {
            let (left, right) = columns[node.column];
            let (y, height) = rows[ranks[at]];
            let own = box_height(&lines[at]);
            Rect { x: left, y: y + (height - own) / 2.0, width: right - left, height: own }
        })
        .collect();
    let paths = route(picture, &ranks, &boxes, &rows, &columns, &lanes);
    let labels = crate::labels::place(picture, &boxes, &paths);
    let bottom = rows.last().map_or(MARGIN + HEADER, |(y, height)| y + height);
    let below = lanes.below(ranks.iter().max().copied().unwrap_or(0)) as f64 * LANE;
    Layout {
        width: columns.last().map_or(0.0, |(_, right)| *right) + lanes.margin() + MARGIN,
        height: bottom + below + MARGIN + 6.0,
        headers: headers(picture, &columns),
        header_y: MARGIN + LINE,
        columns,
        boxes,
        lines,
        paths,
        labels,
    }
}

/// The distance between two lanes.
pub(crate) const LANE: f64 = 13.0;

/// The row of each box: below the previous box in its column, and below all earlier boxes with an arrow to it.
fn ranks(picture: &Picture) -> Vec<usize> {
    let mut ranks = vec![0; picture.nodes.len()];
    let mut next = vec![0; picture.columns.len()];
    for (at, node) in picture.nodes.iter().enumerate() {
        let before = picture.edges.iter().filter(|edge| edge.to == at && edge.from < at);
        // Initial values need no row of their own.
        let before = before.filter(|edge| picture.nodes[edge.from].step > 0).map(|edge| ranks[edge.from] + 1).max();
        ranks[at] = next[node.column].max(before.unwrap_or(0));
        next[node.column] = ranks[at] + 1;
    }
    ranks
}

fn lines(node: &Node) -> Vec<String> {
    let title = shortened(&node.title, SHOWN);
    std::iter::once(title).chain(node.details.iter().map(|line| shortened(line, SHOWN))).collect()
}

fn box_height(lines: &[String]) -> f64 {
    lines.len() as f64 * LINE + PADDING
}

fn headers(picture: &Picture, columns: &[(f64, f64)]) -> Vec<(f64, String)> {
    let titles = picture.columns.iter().zip(columns);
    titles
        .map(|(title, &(left, right))| {
            let fitting = (1..60).take_while(|&count| count as f64 * CHARACTER < right - left + 24.0).count();
            (f64::midpoint(left, right), shortened(title, fitting))
        })
        .collect()
}

/// The left and right edges of the columns.
fn columns(picture: &Picture, lines: &[Vec<String>], lanes: &Lanes) -> Vec<(f64, f64)> {
    let mut x = MARGIN;
    let mut columns = Vec::new();
    for (at, title) in picture.columns.iter().enumerate() {
        let own = picture.nodes.iter().zip(lines).filter(|(node, _)| node.column == at);
        let strong =
            own.clone().filter_map(|(node, _)| node.strong_title.as_deref()).map(|text| cells(&shortened(text, SHOWN)));
        let widest = own.flat_map(|(_, lines)| lines).map(|line| cells(line)).chain(strong).max().unwrap_or(0);
        let widest = widest.max(cells(&shortened(title, SHOWN)).min(18)).max(8);
        let width = widest as f64 * CHARACTER + 2.0 * PADDING;
        columns.push((x, x + width));
        x += width + lanes.gap(at);
    }
    columns
}

/// The upper edge and the height of each row.
fn rows(picture: &Picture, ranks: &[usize], lines: &[Vec<String>], lanes: &Lanes) -> Vec<(f64, f64)> {
    let count = ranks.iter().max().map_or(0, |most| most + 1);
    let mut y = MARGIN + HEADER + 8.0;
    let mut rows = Vec::new();
    for rank in 0..count {
        let own = (0..picture.nodes.len()).filter(|&at| ranks[at] == rank).map(|at| box_height(&lines[at]));
        let height = own.fold(LINE + PADDING, f64::max);
        rows.push((y, height));
        y += height + ROW_GAP.max(14.0 + lanes.below(rank) as f64 * LANE);
    }
    rows
}
