//! No witness is longer than the shortest that the oracle finds: for the programs of the corpus that it can enumerate.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use steadfast_graph::Execution;
use steadfast_graph::oracle::{Options as Bounds, Strategy, robust};
use steadfast_ir::Program;
use steadfast_lang::{Dialect, parse};
use steadfast_model::Notion;
use steadfast_robust::{Options, Supported, Verdict, check};
use steadfast_span::SourceFile;

fn sources(folder: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(directory).expect("the corpus is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable directory").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sf"));
    paths.sort();
    paths
}

fn program(path: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    parse(&SourceFile::new(path.display().to_string(), text), Dialect::Steadfast).program
}

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
    for path in sources(folder) {
        let Some(program) = program(&path) else { continue };
        for &model in Supported::ALL {
            let Some((ours, shortest)) = lengths(&program, model, graphs) else { continue };
            compared += 1;
            if ours > shortest {
                longer.push(format!("{} ({}): {ours}, not {shortest}", path.display(), model.name()));
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
