//! What is found out about transactions, as diagnostics.

use super::check::{Decided, TemplateResult, TxnOutcome, TxnQuestion};
use super::input::Input;
use steadfast_diag::{Code, Diagnostic, codes as builtin};
use steadfast_explore::Bound;
use steadfast_model::list;
use steadfast_txn::decide::{Closing, Verdict, Witness};
use steadfast_txn::template::split_text::{call, step_name};
use steadfast_txn::template::{Split, Template, TemplateVerdict, Undecided, is_conditional};
use steadfast_txn::witness_text::{self, Anomaly};
use steadfast_txn::{Model, Program, ProgramModel, Subject};

/// Not serializable under the model.
pub(crate) const NOT_SERIALIZABLE: Code = Code("V0601");
/// Replicas may disagree for ever.
pub(crate) const DIVERGENCE: Code = Code("V0602");
/// The program itself goes wrong.
pub(crate) const RUN_ERROR: Code = Code("V0603");
/// Two writes that know nothing of each other.
pub(crate) const WRITE_RACE: Code = Code("N0601");
/// Perhaps not serializable.
pub(crate) const PERHAPS: Code = Code("W0601");
/// The model does not fit the input.
pub(crate) const UNFIT_MODEL: Code = Code("E0620");

pub(crate) static CODES: &[(Code, &str, &str)] = &[
    (
        NOT_SERIALIZABLE,
        "transactions are not serializable under this model",
        "The transactions have a behaviour under the consistency model that no serial order of them explains. The table shows a run, one column per \
         session, with the values that are read; the notes say which orders contradict each other. What to do: put transactions that belong together \
         into one, make reads part of an update (`SELECT … FOR UPDATE`), or run the transactions of the cycle at a stronger level.",
    ),
    (
        DIVERGENCE,
        "replicas may order two writes differently for ever",
        "Two transactions write the same variable, and neither knows of the other. Under causal memory and weak causal consistency two replicas may \
         apply them in different orders and never agree again, which no serial order explains, whether or not somebody reads the variable. Under causal \
         convergence all replicas end with the same value. What to do: use a convergent store, let one session own the variable, or run the two \
         transactions at a stronger level.",
    ),
    (
        RUN_ERROR,
        "a transaction divides by zero or leaves an array",
        "In some run an index is out of bounds or something is divided by zero. What a program does then is not defined, so it is not decided. What to \
         do: guard the statement with `assume` or `if`, or make the array larger.",
    ),
    (
        WRITE_RACE,
        "a write-write race",
        "Two concurrent transactions write the same variable. Without such races the models cc, ccv and cm allow the same behaviours; \
         with them they differ, and only ccv may call the program robust.",
    ),
    (
        PERHAPS,
        "transactions are perhaps not serializable",
        "Some statements choose rows by a condition and not by their keys, or by keys that were read from rows which may change. Which rows these are is not known, so each is taken for all of them. With that there is a \
         schedule that no serial order explains, but it may be that the rows that make it possible are never chosen. \"Robust\" is never said wrongly. What to do: \
         access rows by their primary keys where that is meant.",
    ),
    (
        UNFIT_MODEL,
        "the model does not fit the input",
        "Programs with processes are decided against cc, ccv, cm and si. Templates, of which any number of instances may run, are decided against rc, si and \
         ssi.",
    ),
];

/// Everything there is to say about an outcome, with the numbers of the files that it is about.
pub(super) fn of(input: &Input, outcome: &TxnOutcome<'_>) -> Vec<(usize, Diagnostic)> {
    match outcome {
        TxnOutcome::Decided(decided) => of_program(decided).into_iter().map(|diagnostic| (0, diagnostic)).collect(),
        TxnOutcome::Templates(result) => of_templates(input, result),
        TxnOutcome::Rejected | TxnOutcome::Broken(_) => Vec::new(),
    }
}

fn of_program(decided: &Decided<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    match &decided.verdict {
        Verdict::Robust => {}
        Verdict::NotRobust(witness) => found.push(violation(decided.program, decided.model, witness)),
        Verdict::Failed(error) => {
            found.push(Diagnostic::error(RUN_ERROR, error.message.clone()).at(error.span, "in this access"));
        }
        Verdict::Inconclusive(bound) => found.push(inconclusive(*bound)),
    }
    found.extend(decided.race.as_ref().map(|race| write_race(decided.program, race)));
    found
}

fn of_templates(input: &Input, result: &TemplateResult<'_>) -> Vec<(usize, Diagnostic)> {
    let (split, is_certain) = match &result.verdict {
        Ok(TemplateVerdict::Robust) => return Vec::new(),
        Ok(TemplateVerdict::NotRobust(split)) => (split, true),
        Ok(TemplateVerdict::Perhaps(split)) => (split, false),
        Err(Undecided::Bound(bound)) => return vec![(0, inconclusive(*bound))],
        Err(Undecided::TooMany) => {
            let message = "some template has too many parameters for the test";
            return vec![(0, Diagnostic::warning(builtin::inconclusive::STATE_BOUND, message))];
        }
    };
    vec![(result.templates[split.first.template].file, split_schedule(input, result, split, is_certain))]
}

/// A schedule in which one transaction is paused while others run.
fn split_schedule(input: &Input, result: &TemplateResult<'_>, split: &Split, is_certain: bool) -> Diagnostic {
    let (templates, model) = (result.templates, result.model);
    let names: Vec<String> = split.instances().map(|one| call(templates, one, input.constants())).collect();
    let template = &templates[split.first.template];
    let title = format!("not serializable under {} ({model}): {}", model.title(), split.pattern().name());
    let problem = if is_certain {
        Diagnostic::error(NOT_SERIALIZABLE, title)
    } else {
        Diagnostic::warning(PERHAPS, format!("perhaps {title}"))
    };
    let mut order: Vec<&str> = names.iter().map(String::as_str).collect();
    order.push(&names[0]);
    let problem = problem
        .at(template.operations[split.pause].span, format!("{} is paused after this", names[0]))
        .note(schedule(input, templates, split).trim_end().to_owned())
        .note(format!("in a serial order {}, which is impossible", order.join(" would come before ")));
    let problem = if split.instances().any(|one| is_conditional(templates, one.template)) {
        problem.note(
            "some steps stand under conditions of IF, which are not evaluated: look whether they can hold like this",
        )
    } else {
        problem
    };
    if is_certain {
        return problem.help("`steadfast txn fix` shows which level each transaction needs, and which reads to lock");
    }
    problem.help(
        "rows that a condition chooses, and keys that were read before, are taken to be any: this may be a false alarm",
    )
}

/// The schedule as a table: one column per transaction, time goes down.
pub(super) fn schedule(input: &Input, templates: &[Template], split: &Split) -> String {
    let instances: Vec<_> = split.instances().collect();
    let names: Vec<String> = instances.iter().map(|one| call(templates, one, input.constants())).collect();
    let sessions: Vec<(usize, &str)> = names.iter().map(String::as_str).enumerate().collect();
    let row = |(session, step): (usize, Option<usize>)| {
        let Some(step) = step else { return (session, "commit".to_owned()) };
        let instance = instances[session];
        let table = input.table(&templates[instance.template], step);
        (session, step_name(templates, instance, step, table, input.constants()))
    };
    let rows: Vec<(usize, String)> = split.order().into_iter().map(row).collect();
    witness_text::table(&sessions, &rows)
}

/// A model that does not fit.
pub(super) fn unfit(model: Model, subject: &Subject) -> Diagnostic {
    let what = match subject {
        Subject::Program(_) => "programs",
        Subject::Templates(_) => "templates",
    };
    let fitting: Vec<&str> = TxnQuestion::models(subject).into_iter().map(Model::name).collect();
    let message = format!("{what} are not decided against {model}");
    Diagnostic::error(UNFIT_MODEL, message).help(format!("the models for {what} are {}", list(&fitting)))
}

fn violation(program: &Program, model: ProgramModel, witness: &Witness) -> Diagnostic {
    let anomaly = Anomaly::of(witness);
    let code = if witness.closing == Closing::WriteRace { DIVERGENCE } else { NOT_SERIALIZABLE };
    let message = format!("not serializable under {} ({}): {}", model.title(), model, anomaly.name());
    let mut diagnostic = Diagnostic::error(code, message);
    let mut labelled = Vec::new();
    for edge in &witness.cycle {
        let transaction = witness.runs[edge.from].transaction;
        if labelled.contains(&transaction) {
            continue;
        }
        let span = opening(program, transaction);
        diagnostic = if labelled.is_empty() {
            diagnostic.at(span, "this transaction is part of the contradiction")
        } else {
            diagnostic.context(span, "and this one")
        };
        labelled.push(transaction);
    }
    diagnostic = diagnostic.note(anomaly.meaning());
    diagnostic = diagnostic.note(witness_text::columns(program, witness).trim_end().to_owned());
    let reasons: Vec<String> = witness.cycle.iter().map(|edge| witness_text::reason(program, witness, edge)).collect();
    diagnostic = diagnostic.note(reasons.join("\n"));
    diagnostic.note(witness_text::contradiction(program, witness))
}

fn write_race(program: &Program, race: &Witness) -> Diagnostic {
    let variable = race.cycle.first().and_then(|edge| edge.kind.variable());
    let name = variable.map_or("?", |variable| &*program.variables[variable].name);
    let names: Vec<String> = race.cycle.iter().map(|edge| witness_text::title(program, race, edge.from)).collect();
    let message = format!("{} both write `{name}` without knowing of each other", names.join(" and "));
    let mut diagnostic = Diagnostic::new(WRITE_RACE, steadfast_diag::Severity::Note, message);
    if let Some(edge) = race.cycle.first() {
        diagnostic = diagnostic.at(opening(program, race.runs[edge.from].transaction), "one of them");
    }
    diagnostic
        .note("this is why `cc` and `cm` can differ from `ccv`: they let replicas keep the writes in different orders")
}

/// The first line of a transaction is enough to know it.
fn opening(program: &Program, transaction: usize) -> steadfast_span::Span {
    let span = program.transactions[transaction].span;
    let name = &program.transactions[transaction].name;
    steadfast_span::Span::new(span.start, span.end.min(span.start + 4 + name.len() as u32))
}

fn inconclusive(bound: Bound) -> Diagnostic {
    let code = match bound {
        Bound::States(_) => builtin::inconclusive::STATE_BOUND,
        Bound::Memory(_) => builtin::inconclusive::MEMORY_BOUND,
        Bound::Time(_) => builtin::inconclusive::TIME_BOUND,
        Bound::Interrupted => builtin::inconclusive::INTERRUPTED,
    };
    Diagnostic::warning(code, format!("nothing was found before {bound}"))
}
