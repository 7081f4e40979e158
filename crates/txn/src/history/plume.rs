//! The text format of Plume: one operation per line, `r(key,value,session,transaction)` or `w(…)`.

use super::{History, Operation, Session, Transaction};
use crate::text::codes;
use crate::text::problems::Problems;
use rustc_hash::FxHashMap;
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};

/// Reads a history. The transactions of a session are ordered by their first operations.
pub fn parse_plume(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    let mut problems = Problems::default();
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
    if problems.is_empty() { Ok(reader.history) } else { Err(problems.finish()) }
}

#[derive(Default)]
struct Reader<'a> {
    history: History,
    keys: FxHashMap<&'a str, u32>,
    sessions: FxHashMap<&'a str, usize>,
    transactions: FxHashMap<(usize, &'a str), usize>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Option<()> {
        let (kind, rest) = line.split_once('(')?;
        let write = match kind.trim() {
            "w" => true,
            "r" => false,
            _ => return None,
        };
        let mut fields = rest.strip_suffix(')')?.split(',').map(str::trim);
        let (key, value, session, transaction) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if fields.next().is_some() || key.is_empty() {
            return None;
        }
        let operation = Operation { write, key: self.key(key), value: value.parse().ok()? };
        let session = self.session(session);
        let transactions = &mut self.history.sessions[session].transactions;
        let at = *self.transactions.entry((session, transaction)).or_insert_with(|| {
            transactions.push(Transaction { name: transaction.to_owned(), operations: Vec::new() });
            transactions.len() - 1
        });
        transactions[at].operations.push(operation);
        Some(())
    }

    fn key(&mut self, name: &'a str) -> u32 {
        let keys = &mut self.history.keys;
        *self.keys.entry(name).or_insert_with(|| {
            keys.push(name.to_owned());
            keys.len() as u32 - 1
        })
    }

    fn session(&mut self, name: &'a str) -> usize {
        let sessions = &mut self.history.sessions;
        *self.sessions.entry(name).or_insert_with(|| {
            sessions.push(Session { name: name.to_owned(), transactions: Vec::new() });
            sessions.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_sorted_into_sessions() {
        let text = "w(x,1,0,0)\nr(y,0,0,1)\n\n w(y,1,1,2)\nw(x,2,0,1)\n";
        let history = parse_plume(&SourceFile::new("h", text)).unwrap();
        assert_eq!((history.keys.len(), history.sessions.len(), history.operations()), (2, 2, 4));
        assert_eq!(history.sessions[0].transactions[1].operations.len(), 2);
    }

    #[test]
    fn other_lines_are_named() {
        let problems = parse_plume(&SourceFile::new("h", "w(x,1,0,0)\n  hello\nr(x,one,0,0)\nr(x,1,0)\n")).unwrap_err();
        assert_eq!(problems.len(), 3);
        assert_eq!(problems[0].span(), Some(Span::new(13, 18)));
    }
}
