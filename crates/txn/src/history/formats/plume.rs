//! The text format of Plume: one operation per line, `r(key,value,session,transaction)` or `w(…)`.

use super::super::{History, Operation, Transaction, TransactionStatus};
use super::Builder;
use crate::text::codes;
use rustc_hash::FxHashMap;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::{SourceFile, Span};

/// Reads a history. The transactions of a session are ordered by their first operations.
pub(super) fn parse(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    let mut problems = Diagnostics::new(crate::text::codes::TOO_MANY_ERRORS);
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() && reader.line(trimmed).is_none() {
            let at = start + line.len() - line.trim_start().len();
            let span = Span::new(at as u32, (at + trimmed.len()) as u32);
            let problem = Diagnostic::error(codes::UNEXPECTED, "this is not an operation").at(span, "in this line");
            problems
                .push(problem.help("write `r(key,value,session,transaction)` or `w(key,value,session,transaction)`"));
        }
        start += line.len();
        if problems.is_full() {
            break;
        }
    }
    if problems.has_errors() { Err(problems.finish()) } else { Ok(reader.builder.history) }
}

#[derive(Default)]
struct Reader<'a> {
    builder: Builder,
    transactions: FxHashMap<(usize, &'a str), usize>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Option<()> {
        let (kind, rest) = line.split_once('(')?;
        let mut fields = rest.strip_suffix(')')?.split(',').map(str::trim);
        let (key, value, session, transaction) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if fields.next().is_some() || key.is_empty() {
            return None;
        }
        let value: i64 = value.parse().ok()?;
        let operation = match kind.trim() {
            "w" => Operation::Write { key: self.builder.key(key), value },
            "r" => Operation::Read { key: self.builder.key(key), value: Some(value) },
            _ => return None,
        };
        let session = self.builder.session(session);
        let transactions = &mut self.builder.history.sessions[session].transactions;
        let at = *self.transactions.entry((session, transaction)).or_insert_with(|| {
            let name = transaction.to_owned();
            transactions.push(Transaction { name, status: TransactionStatus::Committed, operations: Vec::new() });
            transactions.len() - 1
        });
        transactions[at].operations.push(operation);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_sorted_into_sessions() {
        let text = "w(x,1,0,0)\nr(y,0,0,1)\n\n w(y,1,1,2)\nw(x,2,0,1)\n";
        let history = parse(&SourceFile::new("h", text)).unwrap();
        assert_eq!((history.keys.len(), history.sessions.len(), history.operations()), (2, 2, 4));
        assert_eq!(history.sessions[0].transactions[1].operations.len(), 2);
    }

    #[test]
    fn other_lines_are_named() {
        let problems = parse(&SourceFile::new("h", "w(x,1,0,0)\n  hello\nr(x,one,0,0)\nr(x,1,0)\n")).unwrap_err();
        assert_eq!(problems.len(), 3);
        assert_eq!(problems[0].span(), Some(Span::new(13, 18)));
    }
}
