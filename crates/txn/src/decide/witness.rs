//! A violation that people can follow: the run, the values that were read, and the cycle of dependencies that contradicts every serial order.

use super::rules::{Closing, Role};
use crate::model::ProgramModel;
use crate::program::{Program, Value};
use crate::run::{Access, Local, Runner, TransactionRun};
use crate::varset::VarSet;
use std::collections::VecDeque;

/// A run under the weak model that no serial order explains.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The model under which it is possible. For `cc` this is `cm`, whose runs weak causal consistency allows, too.
    pub model: ProgramModel,
    /// The transactions in the order in which they ran.
    pub runs: Vec<RanTransaction>,
    /// The contradiction at its end.
    pub closing: Closing,
    /// The dependencies that contradict each other; the last one leads back to the first transaction.
    pub cycle: Vec<Edge>,
}

/// A transaction of the run.
#[derive(Clone, Debug)]
pub struct RanTransaction {
    /// Its process.
    pub process: usize,
    /// The number of its transaction in the text.
    pub transaction: usize,
    /// Its role.
    pub role: Role,
    /// Its reads and writes, with values.
    pub accesses: Vec<Access>,
    /// The sources of its external reads, one for each.
    pub sources: Vec<(usize, Source)>,
    /// The variables that it wrote.
    pub writes: VarSet,
}

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The initial value.
    Initial,
    /// This transaction of the run.
    Run(usize),
}

/// A reason why one transaction must come before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The transaction that must come first.
    pub from: usize,
    /// The transaction that must come later.
    pub to: usize,
    /// The kind of the dependency.
    pub kind: EdgeKind,
}

/// The kinds of dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// Both run in the same session, in this order.
    Session,
    /// The later one reads this variable from the earlier one.
    Reads(usize),
    /// The later one overwrites this variable.
    Overwrites(usize),
    /// The earlier one reads a value of this variable that the later one overwrites.
    ReadsBefore(usize),
}

impl EdgeKind {
    /// The name in the literature.
    pub fn short(self) -> &'static str {
        match self {
            Self::Session => "PO",
            Self::Reads(_) => "WR",
            Self::Overwrites(_) => "WW",
            Self::ReadsBefore(_) => "RW",
        }
    }

    /// The variable, if there is one.
    pub fn variable(self) -> Option<usize> {
        match self {
            Self::Session => None,
            Self::Reads(variable) | Self::Overwrites(variable) | Self::ReadsBefore(variable) => Some(variable),
        }
    }
}

/// The stores while a run is replayed, with the last writer of each variable.
struct Replay<'a> {
    runner: &'a Runner<'a>,
    locals: Vec<Local>,
    store: Vec<(Value, Source)>,
    delayed: Vec<(Value, Source)>,
    runs: Vec<RanTransaction>,
}

impl Witness {
    /// Replays a run that the search has found.
    pub(super) fn replay(
        runner: &Runner<'_>,
        model: ProgramModel,
        path: &[(usize, usize, Role)],
        closing: Closing,
    ) -> Self {
        let program = runner.program();
        let store: Vec<_> = program.initial_store().into_iter().map(|value| (value, Source::Initial)).collect();
        let mut replay = Replay {
            runner,
            locals: (0..program.processes.len()).map(|process| runner.start(process)).collect(),
            delayed: store.clone(),
            store,
            runs: Vec::new(),
        };
        for &(process, number, role) in path {
            replay.step(process, number, role);
        }
        let mut witness = Self { model, runs: replay.runs, closing, cycle: Vec::new() };
        witness.cycle = match closing {
            Closing::WriteRace => witness.race(),
            Closing::StaleRead => witness.shortest_cycle(),
        };
        witness
    }

    /// The place of each transaction in the order of commits: the split one of snapshot isolation commits last.
    fn position(&self, run: usize) -> usize {
        if self.model == ProgramModel::Si && self.runs[run].role == Role::First { self.runs.len() } else { run }
    }

    /// All dependencies between two transactions.
    pub fn edges_between(&self, from: usize, to: usize) -> Vec<EdgeKind> {
        let (one, other) = (&self.runs[from], &self.runs[to]);
        let mut edges = Vec::new();
        if from == to {
            return edges;
        }
        if one.process == other.process && from < to {
            edges.push(EdgeKind::Session);
        }
        let reads = other.sources.iter().filter(|(_, source)| *source == Source::Run(from));
        edges.extend(reads.map(|&(variable, _)| EdgeKind::Reads(variable)));
        for &(variable, source) in &one.sources {
            let newer = match source {
                Source::Initial => true,
                Source::Run(writer) => writer != to && self.position(writer) < self.position(to),
            };
            if other.writes.contains(variable) && newer {
                edges.push(EdgeKind::ReadsBefore(variable));
            }
        }
        if self.position(from) < self.position(to) {
            edges.extend(one.writes.meet(other.writes).iter().map(EdgeKind::Overwrites));
        }
        edges
    }

    /// The shortest cycle through the first delayed transaction.
    fn shortest_cycle(&self) -> Vec<Edge> {
        let start = self.runs.iter().position(|run| run.role == Role::First).unwrap_or_default();
        let mut before: Vec<Option<Edge>> = vec![None; self.runs.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(from) = queue.pop_front() {
            for to in 0..self.runs.len() {
                let Some(&kind) = self.edges_between(from, to).first() else { continue };
                if before[to].is_some() {
                    continue;
                }
                before[to] = Some(Edge { from, to, kind });
                if to == start {
                    return unwind(&before, start);
                }
                queue.push_back(to);
            }
        }
        Vec::new()
    }

    /// The last transaction and a delayed one overwrite each other: each is the later one in some store.
    fn race(&self) -> Vec<Edge> {
        let last = self.runs.len() - 1;
        let delayed = |run: &RanTransaction| matches!(run.role, Role::First | Role::Delayed);
        let common = |run: &RanTransaction| run.writes.meet(self.runs[last].writes).iter().next();
        let found = (0..last).rev().find_map(|at| {
            let run = &self.runs[at];
            common(run).filter(|_| delayed(run)).map(|variable| (at, variable))
        });
        let Some((first, variable)) = found else { return Vec::new() };
        let kind = EdgeKind::Overwrites(variable);
        vec![Edge { from: first, to: last, kind }, Edge { from: last, to: first, kind }]
    }

    /// The transactions that a transaction had seen when it ran.
    pub fn visible(&self, run: usize) -> Vec<usize> {
        let hidden = |role: Role| matches!(role, Role::First | Role::Delayed);
        let aware = hidden(self.runs[run].role);
        (0..run).filter(|&before| aware || !hidden(self.runs[before].role)).collect()
    }

    /// Checks the witness against the definitions, without the search: every transaction sees its session and everything that the transactions that it sees have seen;
    /// every read returns the newest value that it sees; and the cycle is a cycle. Returns whether all of that holds.
    pub fn confirm(&self, program: &Program) -> bool {
        let seen: Vec<Vec<usize>> = (0..self.runs.len()).map(|run| self.visible(run)).collect();
        let closed = (0..self.runs.len()).all(|run| {
            let session = (0..run).filter(|&before| self.runs[before].process == self.runs[run].process);
            session
                .chain(seen[run].iter().flat_map(|&other| seen[other].iter().copied()))
                .all(|other| seen[run].contains(&other))
        });
        let reads = (0..self.runs.len()).all(|run| self.reads_newest(program, run, &seen[run]));
        let joined = self.cycle.iter().zip(self.cycle.iter().cycle().skip(1)).all(|(edge, next)| edge.to == next.from);
        let real = self.closing == Closing::WriteRace
            || self.cycle.iter().all(|edge| self.edges_between(edge.from, edge.to).contains(&edge.kind));
        closed && reads && joined && real && !self.cycle.is_empty() && self.commits_apart()
    }

    /// Under snapshot isolation, no transaction that writes to what the split transaction writes commits while that is running.
    fn commits_apart(&self) -> bool {
        if self.model != ProgramModel::Si {
            return true;
        }
        let split = self.runs.iter().position(|run| run.role == Role::First);
        split.is_some_and(|at| self.runs[at + 1..].iter().all(|run| !run.writes.meets(self.runs[at].writes)))
    }

    fn reads_newest(&self, program: &Program, run: usize, seen: &[usize]) -> bool {
        let mut sources = self.runs[run].sources.iter();
        let external = self.runs[run].accesses.iter().filter(|access| !access.write && !access.internal);
        external.into_iter().all(|access| {
            let writer = seen.iter().rev().find(|&&other| self.runs[other].writes.contains(access.variable));
            let (source, value) = match writer {
                None => (Source::Initial, program.variables[access.variable].initial),
                Some(&writer) => (Source::Run(writer), self.written(writer, access.variable)),
            };
            sources.next() == Some(&(access.variable, source)) && access.value == value
        })
    }

    fn written(&self, run: usize, variable: usize) -> Value {
        let last = self.runs[run].accesses.iter().rev().find(|access| access.write && access.variable == variable);
        last.map_or(0, |access| access.value)
    }
}

impl Replay<'_> {
    fn step(&mut self, process: usize, number: usize, role: Role) {
        let delayed = role == Role::Delayed;
        let store = if delayed { &self.delayed } else { &self.store };
        let values: Vec<Value> = store.iter().map(|(value, _)| *value).collect();
        // The search has run the same transaction on the same store, so this cannot fail.
        let outcomes = self.runner.outcomes(process, &self.locals[process], &values).unwrap_or_default();
        let Some(outcome) = outcomes.into_iter().nth(number) else { return };
        let sources = outcome.external_reads().map(|access| (access.variable, store[access.variable].1)).collect();
        let run = Source::Run(self.runs.len());
        if role != Role::First && !delayed {
            write(&mut self.store, &outcome, run);
        }
        // As long as no process is delayed, both stores are the same.
        write(&mut self.delayed, &outcome, run);
        self.locals[process] = outcome.local.clone();
        let TransactionRun { transaction, writes, accesses, .. } = outcome;
        self.runs.push(RanTransaction { process, transaction, role, accesses, sources, writes });
    }
}

fn write(store: &mut [(Value, Source)], outcome: &TransactionRun, run: Source) {
    for access in outcome.accesses.iter().filter(|access| access.write) {
        store[access.variable] = (access.value, run);
    }
}

/// The edges that lead back to `start`.
fn unwind(before: &[Option<Edge>], start: usize) -> Vec<Edge> {
    let mut cycle = Vec::new();
    let mut at = start;
    while let Some(edge) = before[at] {
        cycle.push(edge);
        at = edge.from;
        if at == start {
            break;
        }
    }
    cycle.reverse();
    cycle
}
