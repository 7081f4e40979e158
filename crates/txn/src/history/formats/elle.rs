//! Histories of Jepsen and Elle: maps with `:type`, `:process` and `:value`, one after the other or in one list.
//!
//! A value is a list of `[:append key element]` and `[:r key list]`, or of `[:w key value]` and `[:r key value]`. What `:invoke` announces is not needed; `:fail` did not commit; of `:info`
//! nobody knows. Operations without `:process` are sessions of their own.

use super::super::{History, Operation, TransactionStatus};
use super::Builder;
use super::edn::{Form, Reader, Value};
use crate::text::codes;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::SourceFile;

/// Reads a history.
pub(super) fn parse(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let mut elle = Elle {
        builder: Builder::default(),
        problems: Diagnostics::new(crate::text::codes::TOO_MANY_ERRORS),
        lonely: 0,
    };
    let mut reader = Reader::new(file.text());
    loop {
        match reader.next() {
            Ok(Some(value)) => elle.top(&value),
            Ok(None) => break,
            Err(problem) => {
                elle.problems.push(problem);
                break;
            }
        }
        if elle.problems.is_full() {
            break;
        }
    }
    if elle.problems.has_errors() { Err(elle.problems.finish()) } else { Ok(elle.builder.history) }
}

struct Elle {
    builder: Builder,
    problems: Diagnostics,
    /// How many operations had no process.
    lonely: usize,
}

impl Elle {
    fn top(&mut self, value: &Value<'_>) {
        match &value.form {
            Form::List(items) => items.iter().for_each(|item| self.operation(item)),
            _ => self.operation(value),
        }
    }

    fn operation(&mut self, value: &Value<'_>) {
        if !matches!(value.form, Form::Map(_)) {
            return self.problem(
                value,
                "expected an operation",
                "such as `{:type :ok, :process 0, :value [[:append 1 2]]}`",
            );
        }
        let status = match value.get("type").and_then(Value::keyword) {
            Some("ok") => TransactionStatus::Committed,
            Some("fail") => TransactionStatus::Aborted,
            Some("info") => TransactionStatus::Unknown,
            Some("invoke") => return,
            _ => {
                return self.problem(
                    value,
                    "an operation has a type",
                    "`:type` is `:ok`, `:fail`, `:info` or `:invoke`",
                );
            }
        };
        let process = match value.get("process").map(|process| &process.form) {
            None | Some(Form::Nil) => {
                self.lonely += 1;
                format!("#{}", self.lonely)
            }
            Some(Form::Number(number)) => number.to_string(),
            // The nemesis is no client, and its operations are no transactions.
            Some(Form::Keyword("nemesis")) => return,
            Some(Form::Keyword(name) | Form::Text(name) | Form::Other(name)) => (*name).to_owned(),
            Some(_) => return self.problem(value, "a process has a number or a name", "in this operation"),
        };
        let items = match value.get("value").map(|items| &items.form) {
            Some(Form::List(items)) => items,
            // What crashed may have returned nothing.
            None | Some(Form::Nil) => &Vec::new(),
            Some(_) => return self.problem(value, "the value of a transaction is a list", "in this operation"),
        };
        let operations: Vec<Operation> = items.iter().filter_map(|item| self.access(item, status)).collect();
        let session = self.builder.session(&process);
        self.builder.transaction(session, status, operations);
    }

    /// One read, write or append. What a transaction has read that did not end well is not known.
    fn access(&mut self, item: &Value<'_>, status: TransactionStatus) -> Option<Operation> {
        let Some((kind, key, value)) = parts(item) else {
            self.problem(
                item,
                "expected `[:append key element]`, `[:w key value]` or `[:r key value]`",
                "this is something else",
            );
            return None;
        };
        let key = self.builder.key(&key);
        match (kind, &value.form) {
            ("append" | "w", Form::Number(value)) => Some(Operation::Write { key, value: *value }),
            ("r", _) if status != TransactionStatus::Committed => None,
            ("r", Form::Number(value)) => Some(Operation::Read { key, value: Some(*value) }),
            ("r", Form::Nil) => Some(Operation::Read { key, value: None }),
            ("r", Form::List(items)) => {
                let values =
                    items.iter().map(|item| if let Form::Number(value) = item.form { Some(value) } else { None });
                let values: Option<Vec<i64>> = values.collect();
                if values.is_none() {
                    self.problem(value, "the elements of a list are whole numbers", "in this list");
                }
                Some(Operation::List { key, values: values? })
            }
            _ => {
                self.problem(item, "values are whole numbers, and lists of them", "this is something else");
                None
            }
        }
    }

    fn problem(&mut self, value: &Value<'_>, what: &str, label: &str) {
        self.problems.push(Diagnostic::error(codes::UNEXPECTED, what).at(value.span, label));
    }
}

/// The kind, the key and the value of an access.
fn parts<'a, 'b>(item: &'b Value<'a>) -> Option<(&'a str, String, &'b Value<'a>)> {
    let Form::List(items) = &item.form else { return None };
    let [kind, key, value] = &items[..] else { return None };
    let kind = kind.keyword().filter(|kind| ["append", "w", "r"].contains(kind))?;
    let key = match key.form {
        Form::Number(number) => number.to_string(),
        Form::Keyword(name) | Form::Text(name) | Form::Other(name) => name.to_owned(),
        Form::Nil | Form::List(_) | Form::Map(_) => return None,
    };
    Some((kind, key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_become_transactions() {
        let text = "{:type :invoke, :process 0, :value [[:append 1 2] [:r 1 nil]]}
            {:type :ok, :process 0, :value [[:append 1 2] [:r 1 [2]]], :index 1}
            {:type :info, :process 1, :value [[:append 1 3] [:r 1 nil]]}
            {:type :ok, :value [[:r :k nil] [:w :k 7]]} {:type :info, :process :nemesis, :value :kill}";
        let history = parse(&SourceFile::new("h", text)).unwrap();
        assert_eq!(history.sessions.len(), 3);
        assert_eq!(history.sessions[0].transactions[0].operations[1], Operation::List { key: 0, values: vec![2] });
        assert_eq!(history.sessions[1].transactions[0].status, TransactionStatus::Unknown);
        assert_eq!(history.sessions[1].transactions[0].operations.len(), 1);
        assert_eq!(history.sessions[2].transactions[0].operations[0], Operation::Read { key: 1, value: None });
    }

    #[test]
    fn mistakes_have_places() {
        for text in [
            "{:type :ok, :value 3}",
            "{:type :late}",
            "{:type :ok :value [[:cas 1 2]]}",
            "{:type :ok :value [[:r 1 [x]]]}",
            "[[1]]",
        ] {
            let problems = parse(&SourceFile::new("h", text)).unwrap_err();
            assert!(problems[0].span().is_some(), "{text}");
        }
    }
}
