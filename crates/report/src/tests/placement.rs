//! In no picture does anything overlap anything else.

use super::{STORE_BUFFERING, Sample};
use crate::layout::{Layout, Rect, layout};
use crate::{Edge, EdgeKind, Ending, Node, Picture};
use proptest::prelude::*;
use steadfast_robust::Supported;

fn pictures() -> impl Strategy<Value = Picture> {
    let kinds = prop::sample::select(EdgeKind::ALL[1..].to_vec());
    (1_usize..6, 1_usize..24).prop_flat_map(move |(columns, nodes)| {
        let boxes = prop::collection::vec((0..columns, 0_usize..40, 0_usize..3), nodes);
        let edges = prop::collection::vec((0..nodes, 0..nodes, kinds.clone(), any::<bool>()), 0..30);
        (boxes, edges).prop_map(move |(boxes, edges)| picture(columns, &boxes, &edges))
    })
}

fn picture(columns: usize, boxes: &[(usize, usize, usize)], edges: &[(usize, usize, EdgeKind, bool)]) -> Picture {
    let node = |(at, &(column, length, lines)): (usize, &(usize, usize, usize))| Node {
        column,
        title: "x".repeat(length),
        details: vec!["detail".to_owned(); lines],
        step: at + 1,
        ..Node::default()
    };
    let edge = |&(from, to, kind, on_cycle): &(usize, usize, EdgeKind, bool)| Edge {
        from,
        to,
        kind,
        label: kind.name().to_owned(),
        on_cycle,
        ending: Ending::Both,
    };
    Picture {
        columns: (0..columns).map(|at| format!("thread {at}")).collect(),
        nodes: boxes.iter().enumerate().map(node).collect(),
        edges: edges.iter().filter(|edge| edge.0 != edge.1).map(edge).collect(),
        summary: String::new(),
    }
}

/// The overlaps in a picture, in words.
fn faults(layout: &Layout) -> Vec<String> {
    let mut faults = Vec::new();
    let boxes = &layout.boxes;
    for (at, one) in boxes.iter().enumerate() {
        let whole = Rect { x: 0.0, y: 0.0, width: layout.width, height: layout.height };
        if one.x < 0.0 || one.right() > whole.right() || one.bottom() > whole.bottom() {
            faults.push(format!("box {at} is outside"));
        }
        faults
            .extend((0..at).filter(|&other| one.overlaps(boxes[other])).map(|other| format!("boxes {at} and {other}")));
    }
    let labels: Vec<Rect> = layout.labels.iter().flatten().copied().collect();
    for (at, label) in labels.iter().enumerate() {
        faults.extend(
            (0..at).filter(|&other| label.overlaps(labels[other])).map(|other| format!("labels {at} and {other}")),
        );
        faults.extend(boxes.iter().filter(|rect| label.overlaps(**rect)).map(|_| format!("label {at} and a box")));
    }
    for (at, path) in layout.paths.iter().enumerate() {
        let inside = |(x, y): (f64, f64), rect: &Rect| {
            x > rect.x + 0.5 && x < rect.right() - 0.5 && y > rect.y + 0.5 && y < rect.bottom() - 0.5
        };
        for point in path.points(40) {
            if boxes.iter().any(|rect| inside(point, rect)) {
                faults.push(format!("arrow {at} crosses a box at {point:?}"));
                break;
            }
            if point.0 < 0.0 || point.0 > layout.width || point.1 > layout.height {
                faults.push(format!("arrow {at} is outside at {point:?} of {}x{}", layout.width, layout.height));
                break;
            }
        }
    }
    faults
}

proptest! {
    #[test]
    fn nothing_lies_on_anything_else(picture in pictures()) {
        let faults = faults(&layout(&picture));
        prop_assert!(faults.is_empty(), "{faults:?}");
    }
}

#[test]
fn all_arrows_of_a_run_under_sc_point_down_and_one_arrow_of_the_cycle_up() {
    let mut picture = Sample::of(STORE_BUFFERING, Supported::Ra).run_view().picture;
    // The two endings are never visible at the same time.
    picture.edges.retain(|edge| edge.ending != Ending::Strong);
    let layout = layout(&picture);
    let up = |edge: &&Edge| layout.boxes[edge.to].y < layout.boxes[edge.from].y;
    let upwards: Vec<&Edge> = picture.edges.iter().filter(up).collect();
    assert_eq!(upwards.len(), 1, "{upwards:?}");
    assert!(upwards[0].on_cycle && upwards[0].ending == Ending::Weak && upwards[0].kind == EdgeKind::ReadsBefore);
    assert_eq!(picture.edges.iter().filter(|edge| edge.on_cycle).count(), 4);
    assert!(faults(&layout).is_empty());
}

#[test]
fn every_arrow_of_a_cycle_has_its_label() {
    let picture = Sample::of(STORE_BUFFERING, Supported::Ra).run_view().picture;
    let layout = layout(&picture);
    for (edge, label) in picture.edges.iter().zip(&layout.labels) {
        assert!(!edge.on_cycle || label.is_some(), "{edge:?}");
    }
}
