//! Routes the arrows.
//!
//! Arrows never cross boxes. Between neighbouring columns, an arrow is a curve in the gap; over a longer distance, it takes a lane between two rows. Arrows at the same side of a box have
//! different end points there.

use crate::layout::{LANE, Rect};
use crate::picture::{EdgeKind, Picture};
use std::collections::BTreeMap;

/// A point.
pub(crate) type Point = (f64, f64);

/// An arrow: its start, and curves, each with two control points and an end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    /// The start.
    pub(crate) start: Point,
    /// The curves.
    pub(crate) curves: Vec<[Point; 3]>,
}

impl Path {
    /// Points along the arrow.
    pub(crate) fn points(&self, per_curve: usize) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut from = self.start;
        for &[one, two, to] in &self.curves {
            for step in 1..=per_curve {
                let t = step as f64 / per_curve as f64;
                let u = 1.0 - t;
                let mix = |a: f64, b: f64, c: f64, d: f64| {
                    u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
                };
                points.push((mix(from.0, one.0, two.0, to.0), mix(from.1, one.1, two.1, to.1)));
            }
            from = to;
        }
        points
    }

    /// The end, and a point shortly before it.
    pub(crate) fn head(&self) -> (Point, Point) {
        let end = self.curves.last().map_or(self.start, |curve| curve[2]);
        let points = self.points(16);
        let before = points.iter().rev().nth(1).copied().unwrap_or(self.start);
        (end, before)
    }
}

/// The route of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Straight down to the next box of the column.
    Straight,
    /// Out and in again at the right side of the column.
    Aside,
    /// Through the gap between two neighbouring columns.
    Across,
    /// Along the lane with this number below a row.
    Lane(usize, usize),
}

/// The routes of all arrows, and the room that they need.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    ways: Vec<Way>,
    /// By row, how many lanes are below it.
    below: BTreeMap<usize, usize>,
    /// The width of the gap behind each column.
    gaps: Vec<f64>,
    /// By arrow, its number among those at the side of a column.
    aside: Vec<usize>,
}

impl Lanes {
    /// How many lanes there are below a row.
    pub(crate) fn below(&self, rank: usize) -> usize {
        self.below.get(&rank).copied().unwrap_or(0)
    }

    /// The width of the gap behind a column.
    pub(crate) fn gap(&self, column: usize) -> f64 {
        self.gaps.get(column).copied().unwrap_or(0.0)
    }

    /// The room behind the last column.
    pub(crate) fn margin(&self) -> f64 {
        let last = self.gaps.len().saturating_sub(1);
        if self.gap(last) > NARROW { self.gap(last) } else { 0.0 }
    }
}

/// The width of a gap without arrows.
const NARROW: f64 = 30.0;

/// Chooses the routes.
pub(crate) fn lanes(picture: &Picture, ranks: &[usize]) -> Lanes {
    let mut lanes = Lanes {
        ways: Vec::new(),
        below: BTreeMap::new(),
        gaps: vec![NARROW; picture.columns.len()],
        aside: Vec::new(),
    };
    let mut used: BTreeMap<usize, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
    let mut in_gap = vec![0_usize; picture.columns.len()];
    let mut beside: Vec<Vec<Vec<(usize, usize)>>> = vec![Vec::new(); picture.columns.len()];
    for edge in &picture.edges {
        let (from, to) = (&picture.nodes[edge.from], &picture.nodes[edge.to]);
        let (left, right) = (from.column.min(to.column), from.column.max(to.column));
        let (top, bottom) = (ranks[edge.from].min(ranks[edge.to]), ranks[edge.from].max(ranks[edge.to]));
        let mut slot = 0;
        let way = if left == right {
            let between = |at: usize| {
                picture.nodes[at].column == left && ranks[at] > ranks[edge.from] && ranks[at] < ranks[edge.to]
            };
            let next = ranks[edge.from] < ranks[edge.to] && !(0..picture.nodes.len()).any(between);
            if next && edge.kind == EdgeKind::Order {
                Way::Straight
            } else {
                slot = free(&mut beside[left], (top, bottom));
                Way::Aside
            }
        } else if right - left == 1 {
            Way::Across
        } else {
            let row = if ranks[edge.to] > ranks[edge.from] { ranks[edge.to] - 1 } else { ranks[edge.to] };
            Way::Lane(row, free(used.entry(row).or_default(), (left, right)))
        };
        if way != Way::Straight {
            in_gap[left] += 1;
            in_gap[right.saturating_sub(1).max(left)] += usize::from(right > left + 1);
        }
        lanes.ways.push(way);
        lanes.aside.push(slot);
    }
    lanes.below = used.iter().map(|(&row, slots)| (row, slots.len())).collect();
    for (column, gap) in lanes.gaps.iter_mut().enumerate() {
        if in_gap[column] > 0 {
            let aside = beside[column].len() as f64 * 22.0;
            *gap = (58.0 + 8.0 * in_gap[column] as f64).min(104.0).max(40.0 + aside);
        }
    }
    lanes
}

/// The first slot in which nothing overlaps an interval.
fn free(slots: &mut Vec<Vec<(usize, usize)>>, (start, end): (usize, usize)) -> usize {
    let fits = |taken: &Vec<(usize, usize)>| taken.iter().all(|&(from, to)| end < from || to < start);
    let at = slots.iter().position(fits).unwrap_or(slots.len());
    if at == slots.len() {
        slots.push(Vec::new());
    }
    slots[at].push((start, end));
    at
}

/// A side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

/// An end of an arrow at a box: the row of the other end, the number of the arrow, and whether it starts here.
type End = (usize, usize, bool);

/// Draws all arrows.
pub(crate) fn route(
    picture: &Picture,
    ranks: &[usize],
    boxes: &[Rect],
    rows: &[(f64, f64)],
    columns: &[(f64, f64)],
    lanes: &Lanes,
) -> Vec<Path> {
    let ports = Ports::of(picture, ranks, lanes);
    let edges = picture.edges.iter().enumerate();
    edges
        .map(|(at, edge)| {
            let (from, to) = (boxes[edge.from], boxes[edge.to]);
            let (start, end) = (ports.point(at, true, from), ports.point(at, false, to));
            match lanes.ways[at] {
                Way::Straight => {
                    let (start, end) = ((from.center(), from.bottom()), (to.center(), to.y));
                    Path { start, curves: vec![line(start, end)] }
                }
                Way::Aside => {
                    let out = from.right().max(to.right()) + 26.0 + lanes.aside[at] as f64 * 20.0;
                    Path { start, curves: vec![[(out, start.1), (out, end.1), end]] }
                }
                Way::Across => {
                    let middle = f64::midpoint(start.0, end.0);
                    Path { start, curves: vec![[(middle, start.1), (middle, end.1), end]] }
                }
                Way::Lane(row, slot) => {
                    let (y, height) = rows[row];
                    let lane = y + height + 8.0 + slot as f64 * LANE;
                    let (from, to) = (picture.nodes[edge.from].column, picture.nodes[edge.to].column);
                    along(start, end, lane, columns, (from, to))
                }
            }
        })
        .collect()
}

/// A path into a lane in the first gap, along it, and out of it in the last gap.
fn along(start: Point, end: Point, lane: f64, columns: &[(f64, f64)], (from, to): (usize, usize)) -> Path {
    let (enter, leave) =
        if from < to { (columns[from + 1].0, columns[to - 1].1) } else { (columns[from - 1].1, columns[to + 1].0) };
    let bend = |one: Point, other: Point| {
        let middle = f64::midpoint(one.0, other.0);
        [(middle, one.1), (middle, other.1), other]
    };
    let (enter, leave) = ((enter, lane), (leave, lane));
    Path { start, curves: vec![bend(start, enter), line(enter, leave), bend(leave, end)] }
}

fn line(from: Point, to: Point) -> [Point; 3] {
    let part = |t: f64| (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
    [part(1.0 / 3.0), part(2.0 / 3.0), to]
}

/// The points at boxes where arrows start and end.
struct Ports {
    /// By arrow, for its start and its end: the side of the box, the number at that side, and how many arrows are there.
    places: Vec<[(Side, usize, usize); 2]>,
}

impl Ports {
    fn of(picture: &Picture, ranks: &[usize], lanes: &Lanes) -> Self {
        // By box and side, the ends of arrows, sorted by the row of the other end.
        let mut ends: BTreeMap<(usize, Side), Vec<End>> = BTreeMap::new();
        let mut sides = Vec::new();
        for (at, edge) in picture.edges.iter().enumerate() {
            let (from, to) = (picture.nodes[edge.from].column, picture.nodes[edge.to].column);
            let side = match from.cmp(&to) {
                std::cmp::Ordering::Less => [Side::Right, Side::Left],
                std::cmp::Ordering::Greater => [Side::Left, Side::Right],
                std::cmp::Ordering::Equal => [Side::Right, Side::Right],
            };
            sides.push(side);
            if lanes.ways[at] == Way::Straight {
                continue;
            }
            ends.entry((edge.from, side[0])).or_default().push((ranks[edge.to], at, true));
            ends.entry((edge.to, side[1])).or_default().push((ranks[edge.from], at, false));
        }
        let mut places: Vec<_> = sides.iter().map(|side| [(side[0], 0, 1), (side[1], 0, 1)]).collect();
        for ((_, side), mut list) in ends {
            list.sort_unstable();
            for (number, &(_, at, starts)) in list.iter().enumerate() {
                places[at][usize::from(!starts)] = (side, number, list.len());
            }
        }
        Self { places }
    }

    fn point(&self, edge: usize, starts: bool, rect: Rect) -> Point {
        let (side, number, count) = self.places[edge][usize::from(!starts)];
        let y = rect.y + rect.height * (number + 1) as f64 / (count + 1) as f64;
        (if side == Side::Left { rect.x } else { rect.right() }, y)
    }
}
