//! Results for other programs. `docs/schema/txn.json` describes the objects; fields are only ever added.

use super::check::{Checked, Decided, TemplateResult, TxnOutcome};
use super::input::Input;
use serde_json::{Value, json};
use steadfast_diag::Record;
use steadfast_txn::Program;
use steadfast_txn::decide::{RanTransaction, Role, Source, Verdict, Witness};
use steadfast_txn::template::split_text::{call, step_name, value_name};
use steadfast_txn::template::{Split, TemplateVerdict};
use steadfast_txn::witness_text::{self, Anomaly};

/// A result as an object.
pub(super) fn value(checked: &Checked<'_>) -> Value {
    let diagnostics: Vec<Value> = checked
        .diagnostics
        .iter()
        .map(|(file, diagnostic)| {
            serde_json::to_value(Record::new(&checked.input.files[*file], diagnostic)).unwrap_or_default()
        })
        .collect();
    let mut object = match &checked.outcome {
        TxnOutcome::Rejected => json!({ "model": null, "verdict": "error", "exhaustive": false, "witness": null }),
        TxnOutcome::Broken(model) => {
            let reason = "internal error";
            json!({ "model": model.name(), "verdict": "error", "exhaustive": false, "reason": reason, "witness": null })
        }
        TxnOutcome::Decided(decided) => result(decided),
        TxnOutcome::Templates(result) => of_templates(checked.input, result),
    };
    object["file"] = checked.input.name.clone().into();
    object["diagnostics"] = diagnostics.into();
    object
}

fn of_templates(input: &Input, result: &TemplateResult<'_>) -> Value {
    let (verdict, reason) = match &result.verdict {
        Ok(TemplateVerdict::Robust) => ("robust", None),
        Ok(TemplateVerdict::NotRobust(_)) => ("not-robust", None),
        Ok(TemplateVerdict::Perhaps(_)) => ("inconclusive", Some("the rows that are chosen are not known".to_owned())),
        Err(undecided) => ("inconclusive", Some(undecided.to_string())),
    };
    let split = result.verdict.as_ref().ok().and_then(TemplateVerdict::split);
    let schedule = split.map(|split| schedule(input, result, split));
    json!({
        "model": result.model.name(),
        "verdict": verdict,
        "seconds": result.seconds,
        "exhaustive": verdict == "robust",
        "reason": reason,
        "witness": null,
        "schedule": schedule,
    })
}

/// A split schedule.
fn schedule(input: &Input, result: &TemplateResult<'_>, split: &Split) -> Value {
    let templates = result.templates;
    let transactions = split.instances().map(|instance| {
        let template = &templates[instance.template];
        let values = instance.arguments.iter().map(|&value| value_name(value, input.constants()));
        let arguments: serde_json::Map<String, Value> =
            template.parameters.iter().cloned().zip(values.map(Value::from)).collect();
        let steps = (0..template.operations.len()).map(|step| {
            let table = input.table(template, step);
            let line = input.files[template.file].line_column(template.operations[step].span.start).line;
            json!({ "text": step_name(templates, instance, step, table, input.constants()), "line": line })
        });
        json!({
            "name": call(templates, instance, input.constants()),
            "template": template.name,
            "file": input.files[template.file].name(),
            "arguments": arguments,
            "steps": steps.collect::<Vec<_>>(),
        })
    });
    let order =
        split.order().into_iter().map(|(transaction, step)| json!({ "transaction": transaction, "step": step }));
    json!({
        "anomaly": split.pattern().name(),
        "certain": matches!(result.verdict, Ok(TemplateVerdict::NotRobust(_))),
        "transactions": transactions.collect::<Vec<_>>(),
        "order": order.collect::<Vec<_>>(),
    })
}

fn result(decided: &Decided<'_>) -> Value {
    let (verdict, reason, found) = match &decided.verdict {
        Verdict::Robust => ("robust", None, None),
        Verdict::NotRobust(found) => ("not-robust", None, Some(&**found)),
        Verdict::Failed(error) => ("error", Some(error.message.clone()), None),
        Verdict::Inconclusive(bound) => ("inconclusive", Some(bound.to_string()), None),
    };
    json!({
        "model": decided.model.name(),
        "verdict": verdict,
        "states": decided.statistics.states,
        "transitions": decided.statistics.transitions,
        "seconds": decided.seconds,
        "peak_bytes": decided.peak_bytes,
        "exhaustive": matches!(decided.verdict, Verdict::Robust),
        "reason": reason,
        "witness": found.map(|found| witness(decided.program, found)),
        "race": decided.race.as_ref().map(|race| witness(decided.program, race)),
    })
}

fn witness(program: &Program, witness: &Witness) -> Value {
    let runs: Vec<Value> = (0..witness.runs.len()).map(|at| run(program, witness, at)).collect();
    let cycle: Vec<Value> = witness
        .cycle
        .iter()
        .map(|edge| {
            json!({
                "from": edge.from,
                "to": edge.to,
                "edge": edge.kind.short(),
                "variable": edge.kind.variable().map(|variable| &program.variables[variable].name),
                "reason": witness_text::reason(program, witness, edge),
            })
        })
        .collect();
    json!({
        "anomaly": Anomaly::of(witness).name(),
        "runs": runs,
        "cycle": cycle,
        "confirmed": witness.confirm(program),
    })
}

fn run(program: &Program, witness: &Witness, at: usize) -> Value {
    let ran = &witness.runs[at];
    json!({
        "name": witness_text::title(program, witness, at),
        "session": program.processes[ran.process].name,
        "transaction": program.transactions[ran.transaction].name,
        "role": role(ran.role),
        "accesses": accesses(program, ran),
    })
}

fn accesses(program: &Program, ran: &RanTransaction) -> Vec<Value> {
    let mut sources = ran.sources.iter();
    let accesses = ran.accesses.iter().map(|access| {
        let external = !access.write && !access.internal;
        let from = if external { sources.next().and_then(|(_, source)| from(*source)) } else { None };
        json!({
            "kind": if access.write { "write" } else { "read" },
            "variable": program.variables[access.variable].name,
            "value": access.value,
            "from": from,
        })
    });
    accesses.collect()
}

fn from(source: Source) -> Option<usize> {
    match source {
        Source::Initial => None,
        Source::Run(run) => Some(run),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Serial => "serial",
        Role::First => "first-delayed",
        Role::Delayed => "delayed",
        Role::Unaware => "unaware",
        Role::Path => "path",
    }
}
