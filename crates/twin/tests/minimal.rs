//! No witness is longer than the shortest that the oracle finds: for the programs of the corpus that it can enumerate.
#![allow(missing_docs)]

#[path = "support/corpus.rs"]
mod corpus;

use steadfast_graph::Execution;
use steadfast_graph::oracle::{Options as Bounds, Strategy, robust};
use steadfast_ir::Program;
use steadfast_model::Notion;
use steadfast_robust::{Options, Supported, Verdict, check};

/// How many accesses a graph has. Fences are no steps of their own: they are carried out with the access before them.
fn accesses(graph: &Execution) -> usize {
    graph.events().filter(|(_, event)| event.thread.is_some() && event.location.is_some() && !event.ghost).count()
}

/// The length of the checker's witness and of the oracle's, if both have one.
fn lengths(program: &Program, model: Supported, graphs: usize) -> Option<(usize, usize)> {
    let Verdict::NotRobust(witness) = check(program, &Options::new(model, Notion::Graph)).verdict else { return None };
    // An enumeration that was not completed may not know the shortest, but none of its witnesses may be shorter, either.
    let bounds = Bounds { strategy: Strategy::Consistent, max_graphs: graphs, ..Bounds::default() };
    let found = robust(program, model.model(), &bounds);
    Some((accesses(&witness.execution), accesses(found.counterexample()?)))
}

fn compare(folder: &str, graphs: usize, least: usize) {
    let (mut compared, mut longer) = (0, Vec::new());
    for (name, program) in corpus::programs(folder) {
        let Some(program) = program else { continue };
        for &model in Supported::ALL {
            let Some((ours, shortest)) = lengths(&program, model, graphs) else { continue };
            compared += 1;
            if ours > shortest {
                longer.push(format!("{name} ({}): {ours}, not {shortest}", model.name()));
            }
        }
    }
    assert!(longer.is_empty(), "{}", longer.join("\n"));
    assert!(compared >= least, "only {compared}");
}

#[test]
fn litmus_tests_have_shortest_witnesses() {
    compare("litmus", 60_000, 80);
}

#[test]
fn algorithms_have_shortest_witnesses() {
    compare("programs", 3_000, 10);
}
