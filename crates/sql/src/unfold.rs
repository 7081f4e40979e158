//! Unfolds branches and loops into linear templates.

use crate::accesses::{KeyPart, Lowered, NEW, RowAccess};
use crate::blocks::Item;
use crate::places::Places;
use crate::statements::{lower, lower_test};
use crate::{Application, Body, Prepared, Read, codes};
use sqlparser::ast::Statement;
use std::rc::Rc;
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};
use steadfast_txn::VarSet;
use steadfast_txn::template::{Dependency, Kind, Operation, Part, Template};

/// The maximum number of ways through a transaction.
pub const MOST_WAYS: usize = 256;
/// The maximum number of different literals in keys.
const MOST_CONSTANTS: usize = 100;

/// A step of one way through a transaction.
#[derive(Clone)]
enum WayStep {
    /// Runs a statement.
    Run(Rc<Lowered>),
    /// Starts a round of a loop: these variables have new values.
    Fresh(Vec<String>),
}

/// One way through a transaction.
#[derive(Clone, Default)]
struct Way {
    steps: Vec<WayStep>,
    end: Option<End>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Commit,
    Rollback,
}

/// Adds the templates of all transactions.
pub(crate) fn unfold(files: &[SourceFile], bodies: &[Body], application: &mut Application) {
    let mut all: Vec<(usize, Vec<Way>)> = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let places = Places::new(&files[body.file]);
        let unfolder = Unfolder { application, places: &places };
        match unfolder.ways(&body.items) {
            Ok(ways) => all.push((number, ways)),
            Err(problem) => application.problems.push((body.file, *problem)),
        }
    }
    let changing = changing(application.schema.tables.len(), &all);
    for (number, ways) in all {
        for way in ways {
            if way.end != Some(End::Rollback) {
                add(application, &bodies[number], &way, &changing);
            }
        }
    }
}

/// By table, the columns that some transaction changes in an existing row.
fn changing(tables: usize, all: &[(usize, Vec<Way>)]) -> Vec<VarSet> {
    let mut changing = vec![VarSet::EMPTY; tables];
    let steps = all.iter().flat_map(|(_, ways)| ways).flat_map(|way| &way.steps);
    for step in steps {
        let WayStep::Run(lowered) = step else { continue };
        for access in lowered.accesses.iter().filter(|access| !access.insert && access.kind != Kind::Lock) {
            changing[access.table] = changing[access.table].union(access.writes);
        }
    }
    changing
}

struct Unfolder<'a> {
    application: &'a Application,
    places: &'a Places<'a>,
}

impl Unfolder<'_> {
    fn ways(&self, items: &[Item]) -> Read<Vec<Way>> {
        let mut ways = vec![Way::default()];
        for item in items {
            let next = self.item(item)?;
            let mut longer = Vec::new();
            for way in &ways {
                if way.end.is_some() {
                    longer.push(way.clone());
                    continue;
                }
                for tail in &next {
                    let steps = way.steps.iter().chain(&tail.steps).cloned().collect();
                    longer.push(Way { steps, end: tail.end });
                }
            }
            if longer.len() > MOST_WAYS {
                let problem = Diagnostic::error(
                    codes::WAYS,
                    format!("there are more than {MOST_WAYS} ways through this transaction"),
                );
                return Err(Box::new(problem.at(first_span(item), "the ways multiply here")));
            }
            ways = longer;
        }
        Ok(ways)
    }

    fn item(&self, item: &Item) -> Read<Vec<Way>> {
        match item {
            Item::Statement(simple) => match &simple.statement {
                Statement::StartTransaction { modes, .. } if modes.is_empty() => Ok(vec![Way::default()]),
                Statement::Commit { chain: false, .. } => Ok(vec![Way { steps: Vec::new(), end: Some(End::Commit) }]),
                Statement::Rollback { chain: false, savepoint: None, .. } => {
                    Ok(vec![Way { steps: Vec::new(), end: Some(End::Rollback) }])
                }
                _ => {
                    let lowered = lower(&self.application.schema, self.places, simple)?;
                    Ok(vec![Way { steps: vec![WayStep::Run(Rc::new(lowered))], end: None }])
                }
            },
            Item::Choice(tests, branches) => {
                let tests = self.tests(tests)?;
                let mut ways = Vec::new();
                for branch in branches {
                    for way in self.ways(branch)? {
                        ways.push(Way { steps: tests.iter().cloned().chain(way.steps).collect(), end: way.end });
                    }
                }
                Ok(ways)
            }
            Item::Loop(names, tests, body) => self.rounds(names, tests, body),
        }
    }

    /// No round, one round, or two rounds.
    fn rounds(&self, names: &[String], tests: &[crate::blocks::Test], body: &[Item]) -> Read<Vec<Way>> {
        let tests = self.tests(tests)?;
        let mut fresh: Vec<String> = names.to_vec();
        let mut once = Vec::new();
        for way in self.ways(body)? {
            for step in &way.steps {
                if let WayStep::Run(lowered) = step {
                    fresh.extend(lowered.into.iter().cloned());
                }
            }
            once.push(way);
        }
        let mut ways = vec![Way { steps: tests.clone(), end: None }];
        let mut longest = ways.clone();
        for _ in 0..2 {
            let mut longer = Vec::new();
            for before in longest.iter().filter(|way| way.end.is_none()) {
                for round in &once {
                    let mut steps = before.steps.clone();
                    steps.push(WayStep::Fresh(fresh.clone()));
                    steps.extend(round.steps.iter().cloned());
                    steps.extend(tests.iter().cloned());
                    longer.push(Way { steps, end: round.end });
                }
            }
            ways.extend(longer.iter().cloned());
            longest = longer;
            if ways.len() > MOST_WAYS {
                let problem = Diagnostic::error(
                    codes::WAYS,
                    format!("there are more than {MOST_WAYS} ways through this transaction"),
                );
                return Err(Box::new(problem.at(body.first().map_or_else(Span::default, first_span), "in this loop")));
            }
        }
        Ok(ways)
    }

    fn tests(&self, tests: &[crate::blocks::Test]) -> Read<Vec<WayStep>> {
        let lowered = tests.iter().map(|test| lower_test(&self.application.schema, self.places, test));
        let lowered: Vec<Lowered> = lowered.collect::<Read<_>>()?;
        Ok(lowered.into_iter().map(|lowered| WayStep::Run(Rc::new(lowered))).collect())
    }
}

fn first_span(item: &Item) -> Span {
    match item {
        Item::Statement(simple) => simple.span,
        Item::Choice(tests, _) | Item::Loop(_, tests, _) => match tests.first() {
            Some(crate::blocks::Test::Condition(_, span)) => *span,
            Some(crate::blocks::Test::Query(simple)) => simple.span,
            None => Span::default(),
        },
    }
}

/// The parameters of a template that is being made.
struct Names<'a> {
    constants: &'a mut Vec<String>,
    /// By parameter, the text of its expression, with the versions of the variables in it.
    known: Vec<String>,
    shown: Vec<String>,
    /// How often each variable was assigned.
    versions: Vec<(String, usize)>,
    statement: usize,
    /// The variables that statements have assigned.
    assigned: Vec<String>,
    /// The parameters whose values come from rows.
    fetched: Vec<usize>,
}

impl Names<'_> {
    fn version(&self, name: &str) -> usize {
        self.versions.iter().find(|(known, _)| known == name).map_or(0, |(_, version)| *version)
    }

    fn assign(&mut self, names: &[String]) {
        for name in names {
            match self.versions.iter_mut().find(|(known, _)| known == name) {
                Some((_, version)) => *version += 1,
                None => self.versions.push((name.clone(), 1)),
            }
        }
    }

    fn part(&mut self, part: &KeyPart) -> Part {
        match part {
            KeyPart::Any => Part::Any,
            KeyPart::Constant(text) => self.constant(text),
            KeyPart::Value(text, names) => {
                let versions: Vec<String> = names.iter().map(|name| self.version(name).to_string()).collect();
                let shown = text.replace(':', "");
                let part = self.parameter(format!("{text}#{}", versions.join(",")), shown);
                let assigned = names.iter().any(|name| self.assigned.contains(name));
                self.note_fetched(part, assigned)
            }
            KeyPart::Fetched(text) => {
                let part = self.parameter(format!("{text}@{}", self.statement), text.clone());
                self.note_fetched(part, text != NEW)
            }
        }
    }

    fn note_fetched(&mut self, part: Part, fetched: bool) -> Part {
        if let Part::Parameter(at) = part
            && fetched
            && !self.fetched.contains(&at)
        {
            self.fetched.push(at);
        }
        part
    }

    fn parameter(&mut self, identity: String, shown: String) -> Part {
        let at = self.known.iter().position(|known| *known == identity).unwrap_or_else(|| {
            let alike = self.shown.iter().filter(|other| other.trim_end_matches('\'') == shown).count();
            self.known.push(identity);
            self.shown.push(shown + &"'".repeat(alike));
            self.known.len() - 1
        });
        Part::Parameter(at)
    }

    /// A literal. When there are too many different ones, it becomes a parameter, which is sound.
    fn constant(&mut self, text: &str) -> Part {
        if let Some(at) = self.constants.iter().position(|known| known == text) {
            return Part::Constant(at as u8);
        }
        if self.constants.len() >= MOST_CONSTANTS {
            return self.parameter(format!("literal {text}"), text.to_owned());
        }
        self.constants.push(text.to_owned());
        Part::Constant(self.constants.len() as u8 - 1)
    }
}

/// Adds the template of one way, unless there is an equal one.
fn add(application: &mut Application, body: &Body, way: &Way, changing: &[VarSet]) {
    let mut names = Names {
        constants: &mut application.constants,
        known: Vec::new(),
        shown: Vec::new(),
        versions: Vec::new(),
        statement: 0,
        assigned: Vec::new(),
        fetched: Vec::new(),
    };
    let (mut operations, mut origins, mut statements) = (Vec::new(), Vec::new(), Vec::new());
    let mut given: Vec<(RowAccess, Vec<Part>, usize, Part)> = Vec::new();
    for step in &way.steps {
        let lowered = match step {
            WayStep::Fresh(fresh) => {
                names.assign(fresh);
                continue;
            }
            WayStep::Run(lowered) => lowered,
        };
        names.statement += 1;
        let mut keys = Vec::new();
        for access in &lowered.accesses {
            let key: Vec<Part> = access.key.iter().map(|part| names.part(part)).collect();
            for (part, known) in access.key.iter().zip(&key) {
                if let (KeyPart::Value(text, variables), Part::Parameter(at)) = (part, known)
                    && variables.len() == 1
                    && text.trim_start_matches(':') == variables[0]
                {
                    keys.push((variables[0].clone(), *at));
                }
            }
            let RowAccess { kind, table, reads, writes, sure, .. } = *access;
            let locks = if kind == Kind::Lock { reads } else { VarSet::EMPTY };
            operations.push(Operation { kind, table, key, reads, writes, locks, sure, span: lowered.span });
            origins.push(statements.len());
        }
        // Keys have their values from before the statement, and variables have their new values after it.
        let before: Vec<Vec<Part>> =
            lowered.accesses.iter().map(|access| access.key.iter().map(|part| names.part(part)).collect()).collect();
        names.assign(&lowered.into);
        names.assigned.extend(lowered.into.iter().cloned());
        for (access, key) in lowered.accesses.iter().zip(before) {
            for (column, target) in access.gives.iter().filter(|_| access.is_by_key()) {
                if !changing[access.table].contains(*column) {
                    given.push((access.clone(), key.clone(), *column, names.part(target)));
                }
            }
        }
        if let Some(text) = &lowered.text {
            statements.push(Prepared { text: text.clone(), into: lowered.into.clone(), span: lowered.span, keys });
        }
    }
    let dependencies = given.into_iter().filter_map(|(access, arguments, column, result)| match result {
        Part::Parameter(result) => {
            Some(Dependency { function: access.table * VarSet::CAPACITY + column, arguments, result })
        }
        _ => None,
    });
    let dependencies: Vec<Dependency> = dependencies.collect();
    let follows = |parameter: usize| dependencies.iter().any(|dependency| dependency.result == parameter);
    let fetched = names.fetched.iter().any(|&parameter| !follows(parameter));
    let template = Template {
        name: body.name.clone(),
        parameters: names.shown,
        operations,
        dependencies,
        fetched,
        file: body.file,
        span: way
            .steps
            .iter()
            .find_map(|step| if let WayStep::Run(lowered) = step { Some(lowered.span) } else { None })
            .unwrap_or_default(),
    };
    let twin = |other: &Template| other.name == template.name && same(&other.operations, &template.operations);
    if !template.operations.is_empty() && !application.templates.iter().any(twin) {
        application.templates.push(template);
        application.origins.push(origins);
        application.statements.push(statements);
    }
}

/// Whether two ways do the same. The places of writes in the text do not matter.
fn same(one: &[Operation], other: &[Operation]) -> bool {
    let alike = |(one, other): (&Operation, &Operation)| {
        let place = one.kind != Kind::Read || one.span == other.span;
        place && Operation { span: other.span, ..one.clone() } == *other
    };
    one.len() == other.len() && one.iter().zip(other).all(alike)
}
