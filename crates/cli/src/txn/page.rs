//! The page about a result of `steadfast txn check`: a column per session, and the cycle of dependencies.

use super::check::{Checked, Decided, TemplateResult, TxnOutcome};
use super::input::Input;
use crate::report::verdict_class;
use crate::reporter::Report;
use steadfast_report::{Edge, EdgeKind, Ending, Node, Page, Picture, RunView, StepView, html_page};
use steadfast_txn::decide::{Edge as Dependency, EdgeKind as Kind, Role, Verdict, Witness};
use steadfast_txn::template::split_text::{call, step_name};
use steadfast_txn::template::{ConflictKind, Split, TemplateVerdict};
use steadfast_txn::witness_text;
use steadfast_txn::{Program, ProgramModel};

/// The page.
pub(super) fn page(checked: &Checked<'_>) -> String {
    let (verdict, run, facts) = match &checked.outcome {
        TxnOutcome::Rejected => ("cannot be checked", None, Vec::new()),
        TxnOutcome::Broken(_) => ("internal error", None, Vec::new()),
        TxnOutcome::Decided(decided) => of_program(checked.input, decided),
        TxnOutcome::Templates(result) => of_templates(checked.input, result),
    };
    let remarks = match verdict {
        "robust" => vec![
            "Everything that the transactions can do under the model they can also do one after the other.".to_owned(),
        ],
        _ => Vec::new(),
    };
    html_page(&Page {
        subject: checked.input.name.clone(),
        verdict: verdict.to_owned(),
        verdict_class: verdict_class(checked.status()),
        facts,
        sources: checked.input.files.iter().collect(),
        diagnostics: checked.diagnostics.iter().map(|(file, diagnostic)| (*file, diagnostic)).collect(),
        run,
        endings: Default::default(),
        repair: None,
        lists: Vec::new(),
        remarks,
    })
}

type Facts = Vec<(String, String)>;

fn of_program(input: &Input, decided: &Decided<'_>) -> (&'static str, Option<RunView>, Facts) {
    let facts = vec![
        ("model".to_owned(), format!("{} ({})", decided.model.title(), decided.model)),
        ("states".to_owned(), crate::numbers::grouped(decided.statistics.states)),
        ("time".to_owned(), format!("{:.2} s", decided.seconds)),
    ];
    let (verdict, run) = match &decided.verdict {
        Verdict::Robust => ("robust", None),
        Verdict::NotRobust(witness) => ("not serializable", Some(run_view(input, decided.program, witness))),
        Verdict::Failed(_) => ("wrong", None),
        Verdict::Inconclusive(_) => ("inconclusive", None),
    };
    (verdict, run, facts)
}

fn of_templates(input: &Input, result: &TemplateResult<'_>) -> (&'static str, Option<RunView>, Facts) {
    let facts = vec![
        ("model".to_owned(), format!("{} ({})", result.model.title(), result.model)),
        ("instances".to_owned(), "any number".to_owned()),
        ("time".to_owned(), format!("{:.2} s", result.seconds)),
    ];
    let verdict = match &result.verdict {
        Ok(TemplateVerdict::Robust) => "robust",
        Ok(TemplateVerdict::NotRobust(_)) => "not serializable",
        Ok(TemplateVerdict::Perhaps(_)) => "perhaps not serializable",
        Err(_) => "inconclusive",
    };
    let split = result.verdict.as_ref().ok().and_then(TemplateVerdict::split);
    (verdict, split.map(|split| schedule(input, result, split)), facts)
}

/// The run of a witness.
fn run_view(input: &Input, program: &Program, witness: &Witness) -> RunView {
    let mut builder =
        RunViewBuilder { input, program, witness, view: RunView::default(), begins: Vec::new(), commits: Vec::new() };
    builder.transactions();
    builder.session_order();
    for edge in &witness.cycle {
        builder.dependency(edge);
    }
    let names: Vec<String> =
        witness.cycle.iter().map(|edge| witness_text::title(program, witness, edge.from)).collect();
    builder.view.picture.summary = format!(
        "Transactions of {} sessions. The cycle: {}.",
        builder.view.picture.columns.len(),
        names.join(", then ")
    );
    builder.view.picture.drop_empty_columns();
    builder.view
}

struct RunViewBuilder<'a> {
    input: &'a Input,
    program: &'a Program,
    witness: &'a Witness,
    view: RunView,
    /// The box in which each transaction reads.
    begins: Vec<usize>,
    /// The box in which it writes.
    commits: Vec<usize>,
}

impl RunViewBuilder<'_> {
    /// A box per transaction, in the order of the run; the one that snapshot isolation splits has two.
    fn transactions(&mut self) {
        let (program, witness) = (self.program, self.witness);
        self.view.picture.columns = program.processes.iter().map(|process| process.name.clone()).collect();
        let is_split = |run: usize| witness.model == ProgramModel::Si && witness.runs[run].role == Role::First;
        for run in 0..witness.runs.len() {
            let at = self.add(run, if is_split(run) { " begins" } else { "" }, |write| !(is_split(run) && write));
            self.begins.push(at);
            self.commits.push(at);
        }
        for run in (0..witness.runs.len()).filter(|&run| is_split(run)) {
            self.commits[run] = self.add(run, " commits", |write| write);
        }
    }

    fn add(&mut self, run: usize, suffix: &str, wanted: impl Fn(bool) -> bool) -> usize {
        let (program, witness) = (self.program, self.witness);
        let ran = &witness.runs[run];
        let name = format!("{}{suffix}", program.transactions[ran.transaction].name);
        let accesses = ran.accesses.iter().filter(|access| wanted(access.write));
        let details: Vec<String> = accesses
            .map(|access| {
                let (verb, sign) = if access.write { ("write", ":=") } else { ("read", "=") };
                format!("{verb} {} {sign} {}", program.variables[access.variable].name, access.value)
            })
            .collect();
        let late = matches!(ran.role, Role::First | Role::Delayed) && witness.model != ProgramModel::Si;
        let line = self.input.files[0].line_column(program.transactions[ran.transaction].span.start).line;
        let at = self.view.picture.nodes.len();
        let mut effect = details.join("; ");
        if late {
            effect.push_str("; others do not see it yet");
        }
        self.view.steps.push(StepView {
            actor: program.processes[ran.process].name.clone(),
            place: Some((0, line)),
            code: name.clone(),
            effect,
            strong_effect: None,
            node: Some(at),
        });
        let step = self.view.steps.len();
        let on_cycle = witness.cycle.iter().any(|edge| edge.from == run);
        self.view.picture.nodes.push(Node {
            column: ran.process,
            title: name,
            details,
            step,
            on_cycle,
            ..Node::default()
        });
        at
    }

    fn session_order(&mut self) {
        let edges = session_order(&self.view.picture);
        self.view.picture.edges.extend(edges);
    }

    fn dependency(&mut self, dependency: &Dependency) {
        let (begins, commits) = (&self.begins, &self.commits);
        let (from, to, kind) = match dependency.kind {
            Kind::Session => (commits[dependency.from], begins[dependency.to], EdgeKind::Order),
            Kind::Reads(_) => (commits[dependency.from], begins[dependency.to], EdgeKind::Reads),
            Kind::Overwrites(_) => (commits[dependency.from], commits[dependency.to], EdgeKind::Overwrites),
            Kind::ReadsBefore(_) => (begins[dependency.from], commits[dependency.to], EdgeKind::ReadsBefore),
        };
        let variable =
            dependency.kind.variable().map_or_else(String::new, |at| format!(" {}", self.program.variables[at].name));
        let label = format!("{}{variable}", dependency.kind.short());
        let edges = &mut self.view.picture.edges;
        // The arrow of session order exists already, and is only emphasised.
        if let Some(edge) = edges
            .iter_mut()
            .find(|edge| (edge.from, edge.to, edge.kind) == (from, to, EdgeKind::Order) && kind == EdgeKind::Order)
        {
            edge.on_cycle = true;
            edge.label = label;
            return;
        }
        edges.push(Edge { from, to, kind, label, on_cycle: true, ending: Ending::Both });
    }
}

/// Arrows from each box to the next one of its column.
fn session_order(picture: &Picture) -> Vec<Edge> {
    let nodes = &picture.nodes;
    let next = |from: usize| (from + 1..nodes.len()).find(|&to| nodes[to].column == nodes[from].column);
    let pairs = (0..nodes.len()).filter_map(|from| next(from).map(|to| (from, to)));
    pairs
        .map(|(from, to)| Edge {
            from,
            to,
            kind: EdgeKind::Order,
            label: "PO".to_owned(),
            on_cycle: false,
            ending: Ending::Both,
        })
        .collect()
}

/// A split schedule of templates: a column per transaction, and a box per step.
fn schedule(input: &Input, result: &TemplateResult<'_>, split: &Split) -> RunView {
    let templates = result.templates;
    let instances: Vec<_> = split.instances().collect();
    let names: Vec<String> = instances.iter().map(|one| call(templates, one, input.constants())).collect();
    let mut run = RunView::default();
    let mut boxes = Vec::new();
    for (transaction, step) in split.order() {
        let instance = instances[transaction];
        let template = &templates[instance.template];
        let at = run.picture.nodes.len();
        let (title, place) = match step {
            Some(step) => {
                let table = input.table(template, step);
                let line = input.files[template.file].line_column(template.operations[step].span.start).line;
                (step_name(templates, instance, step, table, input.constants()), Some((template.file, line)))
            }
            None => ("commit".to_owned(), None),
        };
        run.steps.push(StepView {
            actor: names[transaction].clone(),
            place,
            code: title.clone(),
            effect: if step == Some(split.pause) && transaction == 0 {
                "then it is paused".to_owned()
            } else {
                String::new()
            },
            strong_effect: None,
            node: Some(at),
        });
        let details = place.map(|(_, line)| format!("line {line}")).into_iter().collect();
        run.picture.nodes.push(Node { column: transaction, title, details, step: at + 1, ..Node::default() });
        boxes.push((transaction, step));
    }
    run.picture.columns = names;
    run.picture.edges = session_order(&run.picture);
    conflicts(&mut run.picture, split, &boxes);
    run.picture.summary = format!("A schedule of {}, which no serial order explains.", run.picture.columns.join(", "));
    run
}

/// The conflicts that close the cycle.
fn conflicts(picture: &mut Picture, split: &Split, boxes: &[(usize, Option<usize>)]) {
    let at = |(transaction, step): (usize, usize)| boxes.iter().position(|&one| one == (transaction, Some(step)));
    for conflict in split.conflicts() {
        let (Some(from), Some(to)) = (at(conflict.from), at(conflict.to)) else { continue };
        let (kind, label) = match conflict.kind {
            ConflictKind::ReadsBefore => (EdgeKind::ReadsBefore, "RW"),
            ConflictKind::Reads => (EdgeKind::Reads, "WR"),
            ConflictKind::Overwrites => (EdgeKind::Overwrites, "WW"),
        };
        picture.nodes[from].on_cycle = true;
        picture.nodes[to].on_cycle = true;
        picture.edges.push(Edge { from, to, kind, label: label.to_owned(), on_cycle: true, ending: Ending::Both });
    }
}
