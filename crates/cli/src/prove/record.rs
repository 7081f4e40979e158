//! Proofs for other programs. `docs/schema/prove.json` describes the objects; fields are only ever added.

use super::report::ProofReport;
use super::words::{claimed, yielded};
use crate::codes;
use serde_json::{Value, json};
use steadfast_prove::{DecidedInstance, ProofResult, Property, Reason, abstracted_load};
use steadfast_span::Span;

/// One result.
pub(super) fn record(report: &ProofReport) -> Value {
    let mut record = json!({
        "file": report.file.name(),
        "model": "tso",
        "seconds": report.seconds,
        "verdict": "error",
    });
    let place = |span: Span| place(report, span);
    let broken = report.broken();
    if let Some(DecidedInstance { instance, .. }) = broken {
        record["instance"] = json!({"threads": instance.copies, "values": instance.values, "cells": instance.cells});
    }
    match &report.outcome {
        None => {
            let messages: Vec<&str> = report.messages.iter().map(|problem| problem.message.as_str()).collect();
            record["errors"] = json!(messages);
        }
        Some(ProofResult::Unsupported(problem)) => {
            record["errors"] = json!([problem.message]);
        }
        Some(ProofResult::Inconclusive(error)) => {
            record["verdict"] = json!("inconclusive");
            record["reason"] = json!(error.to_string());
        }
        Some(ProofResult::Proved(proof)) => {
            record["verdict"] = json!(if broken.is_some() { "not-robust" } else { "proved" });
            record["claim"] = json!(proof.claim);
            record["claimed"] = json!(claimed(proof.claim));
            record["moves"] = json!(proof.movers);
            record["questions"] = json!(proof.questions);
            let writes = proof.writes.iter().map(|write| {
                let reason = match write.reason {
                    Reason::Nothing => "nothing-overtakes",
                    Reason::Moves => "left-mover",
                    Reason::Reads => "right-movers",
                };
                let reads: Vec<Value> = write.reads.iter().map(|span| place(*span)).collect();
                json!({"write": place(write.span), "reason": reason, "claim": write.claim, "reads": reads})
            });
            record["writes"] = writes.collect();
            let guesses = proof.guesses.iter();
            record["abstractions"] = guesses
                .map(|(span, guess)| {
                    let read = report.snippet(*span);
                    json!({"read": place(*span), "yields": yielded(*guess, read), "instead": abstracted_load(*guess, read)})
                })
                .collect();
            let invariants = proof.invariants.iter();
            record["invariants"] = invariants
                .map(|(role, span, facts)| json!({"thread": role, "before": place(*span), "facts": facts}))
                .collect();
            record["assertions"] = json!(match &proof.property {
                Property::Nothing => "none",
                Property::Invariants => "hold",
                Property::HornClauses => "hold-by-horn-clauses",
                Property::Unknown(_) => match &report.small.assertions {
                    Some(asserted) if asserted.failing.is_some() => "fail",
                    Some(asserted) if !asserted.holding.is_empty() && asserted.coarse.is_none() => "hold-in-instances",
                    _ => "unknown",
                },
            });
            if let Some((folder, _)) = &report.certificate {
                record["certificate"] = json!(folder.display().to_string());
            }
        }
        Some(ProofResult::NotProved(failure)) => {
            record["verdict"] = json!(if broken.is_some() { "not-robust" } else { "inconclusive" });
            record["reason"] = json!("no proof was found");
            record["write"] = place(failure.write);
            record["read"] = failure.read.map_or(Value::Null, place);
        }
    }
    if let Some(problem) = report.messages.iter().find(|message| message.code == codes::INTERNAL) {
        record["errors"] = json!([problem.message]);
    }
    record
}

fn place(report: &ProofReport, span: Span) -> Value {
    let at = report.file.line_column(span.start);
    json!({"line": at.line, "column": at.column, "text": report.snippet(span)})
}
