//! Places the labels of arrows: on their arrow, and on nothing else.

use crate::escape::cells;
use crate::layout::Rect;
use crate::picture::{EdgeKind, Ending, Picture};
use crate::route::{Path, Point};

/// The width of a character in a label.
const CHARACTER: f64 = 6.7;
/// The height of a label.
const HEIGHT: f64 = 14.0;
/// The distances from its arrow that are tried for a label, in this order.
const ASIDE: [f64; 7] = [0.0, 10.0, -10.0, 18.0, -18.0, 26.0, -26.0];

/// Places the labels, those on the cycle first. Program order outside of the cycle has no labels.
pub(crate) fn place(picture: &Picture, boxes: &[Rect], paths: &[Path]) -> Vec<Option<Rect>> {
    let mut placed: Vec<Option<Rect>> = vec![None; picture.edges.len()];
    let mut order: Vec<usize> = (0..picture.edges.len()).collect();
    order.sort_by_key(|&at| !picture.edges[at].on_cycle);
    let mut taken: Vec<(Rect, Ending)> = boxes.iter().map(|&rect| (rect, Ending::Both)).collect();
    for at in order {
        let edge = &picture.edges[at];
        if edge.label.is_empty() || (edge.kind == EdgeKind::Order && !edge.on_cycle) {
            continue;
        }
        let width = cells(&edge.label) as f64 * CHARACTER + 8.0;
        let meets = |rect: Rect| {
            taken.iter().any(|&(other, ending)| exist_together(ending, edge.ending) && rect.overlaps(other))
        };
        let found = candidates(&paths[at], width).into_iter().find(|&rect| !meets(rect));
        if let Some(rect) = found {
            taken.push((rect, edge.ending));
            placed[at] = Some(rect);
        }
    }
    placed
}

/// Whether both are ever visible at the same time.
fn exist_together(one: Ending, other: Ending) -> bool {
    one == Ending::Both || other == Ending::Both || one == other
}

/// Possible places for a label, the best first: near the middle of the arrow, and on it.
fn candidates(path: &Path, width: f64) -> Vec<Rect> {
    let points = path.points(24);
    let middle = points.len() / 2;
    let mut order: Vec<usize> = (1..points.len().saturating_sub(1)).collect();
    order.sort_by_key(|&at| at.abs_diff(middle));
    let around =
        |(x, y): Point, aside: f64| Rect { x: x - width / 2.0, y: y + aside - HEIGHT / 2.0, width, height: HEIGHT };
    ASIDE
        .iter()
        .flat_map(|&aside| order.iter().map(move |&at| (at, aside)))
        .map(|(at, aside)| around(points[at], aside))
        .collect()
}
