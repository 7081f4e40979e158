//! Parameters that are never compared with each other need no common values: numbers of customers are not numbers of articles.

use super::concrete::CONSTANTS;
use super::{Part, Template, Undecided};
use rustc_hash::FxHashMap;

/// The value that stands for all values which the paused transaction does not have.
pub(super) const OTHER: u8 = CONSTANTS - 1;

/// What a parameter can be compared through.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Column(usize, usize),
    Parameter(usize, usize),
    Argument(usize, usize),
    Result(usize),
}

/// The sort of every parameter, and the constants of every sort.
pub(super) struct Sorts {
    /// Per template and parameter.
    pub(super) of: Vec<Vec<usize>>,
    /// Per sort, as values.
    pub(super) constants: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Classes {
    numbers: FxHashMap<Node, usize>,
    parents: Vec<usize>,
}

impl Classes {
    fn root(&mut self, node: Node) -> usize {
        let fresh = self.parents.len();
        let mut at = *self.numbers.entry(node).or_insert(fresh);
        if at == fresh {
            self.parents.push(fresh);
        }
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, one: Node, other: Node) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one] = other;
    }
}

impl Sorts {
    pub(super) fn new(templates: &[Template]) -> Self {
        let mut classes = Classes::default();
        let mut constants: Vec<(Node, u8)> = Vec::new();
        for (number, template) in templates.iter().enumerate() {
            let mut part = |classes: &mut Classes, node: Node, part: Part| match part {
                Part::Parameter(parameter) => classes.join(node, Node::Parameter(number, parameter)),
                Part::Constant(constant) => constants.push((node, CONSTANTS + constant)),
                Part::Any => {}
            };
            for operation in &template.operations {
                for (at, &one) in operation.key.iter().enumerate() {
                    part(&mut classes, Node::Column(operation.table, at), one);
                }
            }
            for dependency in &template.dependencies {
                for (at, &one) in dependency.arguments.iter().enumerate() {
                    part(&mut classes, Node::Argument(dependency.function, at), one);
                }
                part(&mut classes, Node::Result(dependency.function), Part::Parameter(dependency.result));
            }
        }
        let mut of = Vec::new();
        for (number, template) in templates.iter().enumerate() {
            of.push((0..template.parameters.len()).map(|at| classes.root(Node::Parameter(number, at))).collect());
        }
        let placed: Vec<(usize, u8)> = constants.into_iter().map(|(node, value)| (classes.root(node), value)).collect();
        let mut constants = vec![Vec::new(); classes.parents.len()];
        for (sort, value) in placed {
            if !constants[sort].contains(&value) {
                constants[sort].push(value);
            }
        }
        Self { of, constants }
    }

    /// All ways in which the parameters of a template can be equal to each other and to constants: values of each sort in the order of their first use.
    pub(super) fn patterns(&self, template: usize, most: usize) -> Result<Vec<Vec<u8>>, Undecided> {
        let sorts = &self.of[template];
        let mut all = vec![Vec::new()];
        for (at, &sort) in sorts.iter().enumerate() {
            let longer = all.iter().flat_map(|pattern: &Vec<u8>| {
                let used = (0..at).filter(|&other| sorts[other] == sort && pattern[other] < OTHER);
                let fresh = used.map(|other| pattern[other] + 1).max().unwrap_or(0);
                let values = (0..=fresh).chain(self.constants[sort].iter().copied());
                values.map(|value| pattern.iter().copied().chain([value]).collect())
            });
            all = longer.collect();
            if all.len() > most {
                return Err(Undecided::TooMany);
            }
        }
        Ok(all)
    }

    /// For each parameter of a template, the values that matter if the paused transaction has these arguments: its own ones, constants, and one more.
    pub(super) fn values(&self, template: usize, paused: usize, arguments: &[u8]) -> Vec<Vec<u8>> {
        let of_sort = |&sort: &usize| {
            let own = self.of[paused].iter().zip(arguments).filter(|(other, _)| **other == sort);
            let mut values: Vec<u8> = own.map(|(_, &value)| value).collect();
            values.extend(&self.constants[sort]);
            values.sort_unstable();
            values.dedup();
            values.push(OTHER);
            values
        };
        self.of[template].iter().map(of_sort).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Subject, parse};
    use steadfast_span::SourceFile;

    #[test]
    fn what_is_never_compared_has_sorts_of_its_own() {
        let text = "template a(x, y, z) { read T[x][y]; write T[z][y]; } template b(u) { read U[u]; }";
        let Some(Subject::Templates(templates)) = parse(&SourceFile::new("t", text)).subject else { panic!() };
        let sorts = Sorts::new(&templates);
        let of = &sorts.of[0];
        assert!(of[0] == of[2] && of[0] != of[1] && sorts.of[1][0] != of[0]);
        assert_eq!(sorts.patterns(0, 100), Ok(vec![vec![0, 0, 0], vec![0, 0, 1]]));
        assert_eq!(sorts.values(0, 0, &[0, 0, 1]), [vec![0, 1, OTHER], vec![0, OTHER], vec![0, 1, OTHER]]);
        assert_eq!(sorts.values(1, 0, &[0, 0, 1]), [vec![OTHER]]);
    }
}
