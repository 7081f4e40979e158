//! Building a witness by hand: replay an SC run, let the last event read a stale write, and ask the models.
#![allow(missing_docs)]

use steadfast_graph::axioms::sc;
use steadfast_graph::{Axioms, EdgeKind, Event, Execution, GhostEdges, IllFormed, Order, dot};
use steadfast_ir::{FenceOrder, LocId, ReadOrder, ThreadId, WriteOrder};
use steadfast_model::Model;
use steadfast_span::Index;

#[test]
fn a_stale_read_after_an_sc_run() {
    let (t, u, x, y) = (ThreadId::new(0), ThreadId::new(1), LocId::new(0), LocId::new(1));
    let mut run = Execution::new([0, 0]);
    run.add_sc(Event::store(t, x, 1, WriteOrder::Relaxed));
    run.add_sc(Event::store(t, y, 1, WriteOrder::Relaxed));
    run.add_sc(Event::load(u, y, 1, ReadOrder::Acquire));
    assert!(sc::consistent_with(&run, GhostEdges::Ignored));
    let stale = run.add(Event::load(u, x, 0, ReadOrder::Relaxed), run.initial_write(x));
    assert_eq!(run.well_formed(), Ok(()));
    assert!(Model::Rc20.consistent(&run) && !Model::Ra.consistent(&run) && !Model::Sc.consistent(&run));
    let cycle = run.labelled_cycle_through(stale).unwrap();
    let kinds: Vec<_> = cycle.iter().map(|&(_, kind)| kind).collect();
    assert_eq!(kinds, [EdgeKind::Fr, EdgeKind::Po, EdgeKind::Rf, EdgeKind::Po]);
    assert!(dot(&run, None, Some(&cycle)).contains("fr"));
}

#[test]
fn a_write_in_the_middle_of_the_modification_order() {
    let (t, u, x, y) = (ThreadId::new(0), ThreadId::new(1), LocId::new(0), LocId::new(1));
    let mut run = Execution::new([0, 0]);
    let first = run.add_sc(Event::store(t, x, 1, WriteOrder::Release));
    run.add_sc(Event::store(t, y, 2, WriteOrder::Release));
    run.add_sc(Event::store(u, y, 1, WriteOrder::Release));
    let late = run.push(Event::store(u, x, 2, WriteOrder::Release));
    assert_eq!(run.well_formed(), Err(IllFormed::NotInModificationOrder(late)));
    run.insert_mo_after(late, run.initial_write(x));
    assert_eq!(run.mo(x), [run.initial_write(x), late, first]);
    assert!(Model::Ra.consistent(&run) && !Model::Sra.consistent(&run) && !Model::Tso.consistent(&run));
    assert_eq!(run.labelled_cycle().map(|cycle| cycle.len()), Some(4));
}

#[test]
fn fences_are_encoded_as_the_model_wants_them() {
    let (t, u, x, y) = (ThreadId::new(0), ThreadId::new(1), LocId::new(0), LocId::new(1));
    for model in [Model::Ra, Model::Rc20, Model::Rc11, Model::Tso] {
        let mut run = Execution::new([0, 0]);
        run.add_sc(Event::store(t, x, 1, Order::RELAXED));
        run.add_fence(model.sc_fences(), Event::fence(t, FenceOrder::SeqCst));
        run.add_sc(Event::load(t, y, 0, Order::RELAXED));
        run.add_sc(Event::store(u, y, 1, Order::RELAXED));
        let unfenced = {
            let mut run = run.clone();
            run.add(Event::load(u, x, 0, Order::RELAXED), run.initial_write(x));
            run
        };
        assert!(model.consistent(&unfenced), "{}", model.name());
        run.add_fence(model.sc_fences(), Event::fence(u, FenceOrder::SeqCst));
        run.add(Event::load(u, x, 0, Order::RELAXED), run.initial_write(x));
        assert!(!model.consistent(&run), "{}", model.name());
        assert_eq!(run.well_formed(), Ok(()));
    }
}

#[test]
fn long_runs_are_no_problem() {
    let (x, y) = (LocId::new(0), LocId::new(1));
    let mut run = Execution::new([0, 0]);
    for round in 0..600u32 {
        let thread = ThreadId::new(round as usize % 3);
        run.add_sc(Event::store(thread, if round % 2 == 0 { x } else { y }, (round % 200) as u8, Order::RELAXED));
    }
    assert_eq!(run.labelled_cycle(), None);
    let early = run.mo(x)[250];
    let value = run.event(early).value_written;
    let stale = run.add(Event::load(ThreadId::new(0), x, value, Order::RELAXED), early);
    let cycle = run.labelled_cycle().unwrap();
    assert_eq!(cycle.len(), 2, "the thread has written x later itself");
    assert!(run.labelled_cycle_through(stale).is_some());
}
