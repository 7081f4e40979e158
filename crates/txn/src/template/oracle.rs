//! The twin of the test: every schedule of a few transactions, by brute force.
//!
//! A statement whose rows a condition chooses is a step for every row that there is; these steps happen at once.

use super::concrete::{Instance, Level, TemplateStep};
use crate::varset::VarSet;
use rustc_hash::FxHashSet;

/// Who had written an attribute when it was read.
type Read = (usize, usize, Option<usize>);

/// A transaction of statements, each of which accesses some rows at once.
#[derive(Clone, Debug)]
pub struct Concrete {
    /// The statements.
    pub statements: Vec<Vec<TemplateStep>>,
    /// The level.
    pub level: Level,
}

impl Concrete {
    fn steps(&self, statements: usize) -> impl Iterator<Item = &TemplateStep> {
        self.statements[..statements].iter().flatten()
    }

    fn all(&self) -> impl Iterator<Item = &TemplateStep> {
        self.steps(self.statements.len())
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// Per transaction, how many statements it has run.
    at: Vec<usize>,
    /// Per transaction, how many had committed when it began; set with its first step.
    began: Vec<usize>,
    /// The order of commits.
    committed: Vec<usize>,
    /// Per transaction: step, attribute, and where the value came from.
    reads: Vec<Vec<Read>>,
}

/// Whether every schedule that the levels allow is serializable, if every step is a statement.
pub fn robust(transactions: &[Instance]) -> bool {
    let concrete = |one: &Instance| Concrete {
        statements: one.steps.iter().map(|step| vec![step.clone()]).collect(),
        level: one.level,
    };
    robust_statements(&transactions.iter().map(concrete).collect::<Vec<_>>())
}

/// Whether every schedule that the levels allow is serializable.
pub fn robust_statements(transactions: &[Concrete]) -> bool {
    let count = transactions.len();
    let mut pending = vec![State {
        at: vec![0; count],
        began: vec![0; count],
        committed: Vec::new(),
        reads: vec![Vec::new(); count],
    }];
    let mut seen = FxHashSet::default();
    while let Some(state) = pending.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if state.committed.len() == count {
            if violates(transactions, &state) {
                return false;
            }
            continue;
        }
        (0..count)
            .filter(|one| !state.committed.contains(one))
            .for_each(|one| advance(transactions, &state, one, &mut pending));
    }
    true
}

fn advance(transactions: &[Concrete], state: &State, one: usize, pending: &mut Vec<State>) {
    let mut next = state.clone();
    let Some(statement) = transactions[one].statements.get(state.at[one]) else {
        next.committed.push(one);
        pending.push(next);
        return;
    };
    if state.at[one] == 0 {
        next.began[one] = state.committed.len();
    }
    let level = transactions[one].level;
    let clashes = |other: &Concrete, statements: usize, what: fn(&TemplateStep) -> VarSet| {
        other.steps(statements).any(|theirs| {
            statement.iter().any(|step| theirs.object == step.object && what(theirs).meets(step.claims()))
        })
    };
    // Rows that are written or locked are taken, at any level; and above READ COMMITTED, the first one who commits a write wins.
    let open = (0..transactions.len()).filter(|other| *other != one && !state.committed.contains(other));
    if open.into_iter().any(|other| clashes(&transactions[other], state.at[other], TemplateStep::claims)) {
        return;
    }
    let late = &state.committed[next.began[one]..];
    if level != Level::Rc
        && late
            .iter()
            .any(|&other| clashes(&transactions[other], transactions[other].statements.len(), |step| step.writes))
    {
        return;
    }
    let visible = if level == Level::Rc { state.committed.len() } else { next.began[one] };
    let before = transactions[one].steps(state.at[one]).count();
    for (at, step) in statement.iter().enumerate() {
        for attribute in step.reads.iter() {
            let wrote = |other: &&usize| writes(&transactions[**other], step, attribute);
            let source = state.committed[..visible].iter().rev().find(wrote).copied();
            next.reads[one].push((before + at, attribute, source));
        }
    }
    next.at[one] += 1;
    pending.push(next);
}

fn writes(other: &Concrete, step: &TemplateStep, attribute: usize) -> bool {
    other.all().any(|theirs| theirs.object == step.object && theirs.writes.contains(attribute))
}

/// Whether a complete schedule is allowed by SSI, and has a cycle.
fn violates(transactions: &[Concrete], state: &State) -> bool {
    let count = transactions.len();
    let position = |one: usize| state.committed.iter().position(|&other| other == one).unwrap_or(0);
    let mut before = vec![vec![false; count]; count];
    let mut anti = vec![vec![false; count]; count];
    for one in 0..count {
        for other in (0..count).filter(|&other| other != one) {
            let meets = |mine: &TemplateStep, theirs: &TemplateStep| {
                mine.object == theirs.object && mine.writes.meets(theirs.writes)
            };
            let both = transactions[one].all().any(|mine| transactions[other].all().any(|theirs| meets(mine, theirs)));
            before[one][other] |= both && position(one) < position(other);
        }
        for &(at, attribute, source) in &state.reads[one] {
            if let Some(source) = source {
                before[source][one] = true;
            }
            let newer = source.map_or(0, |source| position(source) + 1);
            for &other in &state.committed[newer..] {
                let Some(step) = transactions[one].all().nth(at) else { continue };
                if other != one && writes(&transactions[other], step, attribute) {
                    before[one][other] = true;
                    anti[one][other] = true;
                }
            }
        }
    }
    let concurrent = |a: usize, b: usize| state.began[a] <= position(b) && state.began[b] <= position(a);
    let ssi = |one: usize| transactions[one].level == Level::Ssi;
    let pivot = |a: usize, b: usize| ssi(a) && ssi(b) && anti[a][b] && concurrent(a, b);
    let dangerous = (0..count).any(|a| {
        (0..count).any(|b| {
            b != a && pivot(a, b) && {
                let ends = |c: usize| c != b && pivot(b, c) && position(c) <= position(a) && position(c) < position(b);
                (0..count).any(ends)
            }
        })
    });
    !dangerous && cyclic(before)
}

fn cyclic(mut before: Vec<Vec<bool>>) -> bool {
    let count = before.len();
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                before[from][to] |= before[from][via] && before[via][to];
            }
        }
    }
    (0..count).any(|one| before[one][one])
}

#[cfg(test)]
mod tests {
    use super::super::concrete::Object;
    use super::*;
    use crate::template::robust_instances;
    use steadfast_random::Rng;

    fn step(rng: &mut Rng) -> TemplateStep {
        let attributes = VarSet(1 + rng.below(3) as u64);
        let none = VarSet::EMPTY;
        let (reads, writes, locks) = match rng.below(7) {
            0 | 1 => (attributes, none, none),
            2 | 3 => (none, attributes, none),
            4 => (attributes, none, attributes),
            _ => (attributes, attributes, none),
        };
        TemplateStep {
            object: Object { table: 0, key: vec![Some(rng.below(3) as u8)] },
            reads,
            writes,
            locks,
            sure: true,
        }
    }

    fn set(rng: &mut Rng) -> Vec<Instance> {
        let levels = [Level::Rc, Level::Si, Level::Ssi];
        let count = 2 + rng.below(2);
        let transaction = |rng: &mut Rng| {
            let length = 1 + rng.below(3);
            let steps = (0..length).map(|_| step(rng)).collect();
            Instance::new(0, Vec::new(), steps, levels[rng.below(3)])
        };
        (0..count).map(|_| transaction(rng)).collect()
    }

    #[test]
    fn the_test_agrees_with_all_schedules() {
        let mut rng = Rng::new(143);
        let mut not_robust = 0;
        for _ in 0..10_000 {
            let transactions = set(&mut rng);
            let expected = robust(&transactions);
            not_robust += usize::from(!expected);
            assert_eq!(robust_instances(&transactions), expected, "{transactions:#?}");
        }
        assert!(not_robust > 150, "{not_robust}");
    }

    const ROWS: u8 = 2;

    /// A transaction in which some statements have a condition in place of a key.
    fn with_conditions(rng: &mut Rng) -> Instance {
        let levels = [Level::Rc, Level::Si, Level::Ssi];
        let length = 1 + rng.below(3);
        let steps = (0..length).map(|_| {
            let mut step = step(rng);
            step.object.key = vec![Some(rng.below(usize::from(ROWS)) as u8)];
            if rng.chance(35) {
                step.object.key = vec![None];
                step.sure = false;
            }
            step
        });
        let steps: Vec<TemplateStep> = steps.collect();
        Instance::new(0, Vec::new(), steps, levels[rng.below(3)])
    }

    /// The transaction if its conditions choose these rows to write; all rows are read. A bit for every row and statement.
    fn chosen(one: &Instance, rows: u32) -> Concrete {
        let mut written: Vec<(Object, VarSet)> = Vec::new();
        let mut statements = Vec::new();
        for (at, step) in one.steps.iter().enumerate() {
            let row = |row: u8| TemplateStep {
                object: Object { table: 0, key: vec![Some(row)] },
                sure: true,
                ..step.clone()
            };
            let mut steps: Vec<TemplateStep> = match step.object.key[0] {
                Some(key) => vec![row(key)],
                None => (0..ROWS).map(row).collect(),
            };
            for (number, concrete) in steps.iter_mut().enumerate() {
                if !step.sure && rows >> (at * usize::from(ROWS) + number) & 1 == 0 {
                    (concrete.writes, concrete.locks) = (VarSet::EMPTY, VarSet::EMPTY);
                }
                for (object, attributes) in &written {
                    if *object == concrete.object {
                        concrete.reads = concrete.reads.without(*attributes);
                    }
                }
            }
            written.extend(steps.iter().map(|step| (step.object.clone(), step.writes)));
            statements.push(steps);
        }
        Concrete { statements, level: one.level }
    }

    /// Conditions in place of keys: "robust" holds whatever rows they choose, and what is not robust although they write nothing is real.
    #[test]
    fn conditions_are_treated_soundly() {
        let mut rng = Rng::new(145);
        let (mut proved, mut refuted) = (0, 0);
        for _ in 0..3_000 {
            let cautious: Vec<Instance> = (0..2 + rng.below(2)).map(|_| with_conditions(&mut rng)).collect();
            let mut harmless = cautious.clone();
            for step in harmless.iter_mut().flat_map(|one| &mut one.steps).filter(|step| !step.sure) {
                (step.writes, step.locks) = (VarSet::EMPTY, VarSet::EMPTY);
            }
            let nothing: Vec<Concrete> = cautious.iter().map(|one| chosen(one, 0)).collect();
            if !robust_instances(&harmless) {
                refuted += 1;
                assert!(!robust_statements(&nothing), "{cautious:#?}");
            }
            if robust_instances(&cautious) {
                proved += usize::from(cautious.iter().any(|one| one.steps.iter().any(|step| !step.sure)));
                for _ in 0..8 {
                    let rows = |rng: &mut Rng| rng.below(1 << 6) as u32;
                    let concrete: Vec<Concrete> = cautious.iter().map(|one| chosen(one, rows(&mut rng))).collect();
                    assert!(robust_statements(&concrete), "{cautious:#?}\n{concrete:#?}");
                }
            }
        }
        assert!(proved > 300 && refuted > 100, "{proved} {refuted}");
    }

    /// Steps that perhaps do nothing: "robust" holds whichever of them write, and if even their absence is not robust, that is real.
    #[test]
    fn unsure_steps_are_treated_soundly() {
        let mut rng = Rng::new(144);
        let mut robust_sets = 0;
        for _ in 0..1_500 {
            let mut cautious = set(&mut rng);
            let steps = cautious.iter_mut().flat_map(|one| &mut one.steps);
            steps.filter(|step| !step.claims().is_empty()).for_each(|step| step.sure = rng.chance(50));
            let unsure: Vec<(usize, usize)> = (0..cautious.len())
                .flat_map(|one| (0..cautious[one].steps.len()).map(move |at| (one, at)))
                .filter(|&(one, at)| !cautious[one].steps[at].sure)
                .collect();
            let proved = robust_instances(&cautious);
            robust_sets += usize::from(proved && !unsure.is_empty());
            for chosen in 0..1_u32 << unsure.len().min(5) {
                let mut concrete = cautious.clone();
                for (bit, &(one, at)) in unsure.iter().enumerate() {
                    let step = &mut concrete[one].steps[at];
                    step.sure = true;
                    if chosen >> bit & 1 == 0 {
                        (step.writes, step.locks) = (VarSet::EMPTY, VarSet::EMPTY);
                    }
                }
                // Reads of own writes are left out only if the writes happen; those of the set were left out for all.
                assert!(!proved || robust(&concrete), "{chosen:b} {cautious:#?}");
            }
        }
        assert!(robust_sets > 100, "{robust_sets}");
    }
}
