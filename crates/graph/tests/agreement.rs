//! The strategies of the oracle agree on random programs: the borderline theorem, tested.
#![allow(missing_docs)]

use steadfast_graph::oracle::{Options, OracleVerdict, Strategy, robust};
use steadfast_graph::random::{Config, Rng, program};
use steadfast_graph::{Axioms, GhostEdges, shrink};
use steadfast_ir::Program;

const WEAK: [Axioms; 6] = [Axioms::Tso, Axioms::Ra, Axioms::Sra, Axioms::Rc20, Axioms::Rc11, Axioms::Rc11Full];

fn verdict(
    program: &Program,
    axioms: Axioms,
    strategy: Strategy,
    ghosts: GhostEdges,
    max_graphs: usize,
) -> OracleVerdict {
    robust(program, axioms, &Options { strategy, ghosts, max_graphs, ..Options::default() })
}

fn compare(strategy: Strategy, ghosts: GhostEdges, config: &Config, seed: u64, programs: usize, max_graphs: usize) {
    let mut rng = Rng::new(seed);
    let (mut decided, mut violated) = (0, 0);
    for _ in 0..programs {
        let program = program(&mut rng, config);
        for axioms in WEAK {
            let disagree = |program: &Program| {
                let one = verdict(program, axioms, strategy, ghosts, max_graphs).holds()?;
                let other = verdict(program, axioms, Strategy::Borderline, ghosts, max_graphs).holds()?;
                Some((one != other, other))
            };
            let Some((differs, robust)) = disagree(&program) else { continue };
            if differs {
                let small = shrink(&program, &|p| disagree(p).is_some_and(|(differs, _)| differs));
                panic!("{strategy:?} and borderline disagree under {} on\n{small}", axioms.name());
            }
            decided += 1;
            violated += usize::from(!robust);
        }
    }
    assert!(decided * 2 > programs * WEAK.len(), "only {decided} were small enough");
    assert!(violated * 10 > decided, "only {violated} of {decided} were not robust");
}

#[test]
fn all_consistent_graphs() {
    let config = Config { seq_cst: true, ..Config::default() };
    compare(Strategy::Consistent, GhostEdges::Ignored, &config, 1, 300, 2_000);
}
