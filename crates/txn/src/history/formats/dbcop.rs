//! The text format of dbcop: `[x:=1 y==2]` is a transaction, `[…]!` one that was not committed, `x==?` reads the initial value, and a line of dashes begins the next session.

use super::super::{History, Operation, TransactionStatus};
use super::Builder;
use crate::text::codes;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::{SourceFile, Span};

/// Reads a history.
pub(super) fn parse(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let mut reader = Reader {
        builder: Builder::default(),
        problems: Diagnostics::new(crate::text::codes::TOO_MANY_ERRORS),
        sessions: 1,
    };
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        reader.line(line, start);
        start += line.len();
        if reader.problems.is_full() {
            break;
        }
    }
    if reader.problems.has_errors() { Err(reader.problems.finish()) } else { Ok(reader.builder.history) }
}

struct Reader {
    builder: Builder,
    problems: Diagnostics,
    sessions: usize,
}

impl Reader {
    fn line(&mut self, line: &str, start: usize) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            return;
        }
        if trimmed.bytes().all(|byte| byte == b'-') {
            self.sessions += 1;
            return;
        }
        let mut at = line.len() - line.trim_start().len();
        while at < line.trim_end().len() {
            match self.transaction(line, at, start) {
                Some(next) => at = next + line[next..].len() - line[next..].trim_start().len(),
                None => return,
            }
        }
    }

    /// Reads the transaction that begins here, and says where it ends.
    fn transaction(&mut self, line: &str, at: usize, start: usize) -> Option<usize> {
        let text = &line[at..];
        let end = text.find(']').filter(|_| text.starts_with('['));
        let Some(end) = end else {
            let what = if text.starts_with('[') { "this transaction does not end" } else { "expected a transaction" };
            let span = Span::new((start + at) as u32, (start + line.trim_end().len()) as u32);
            self.problem(what, span);
            return None;
        };
        let mut operations = Vec::new();
        let mut position = at + 1;
        for word in text[1..end].split_inclusive(char::is_whitespace) {
            let trimmed = word.trim();
            if !trimmed.is_empty() {
                let from = start + position;
                match self.event(trimmed) {
                    Some(operation) => operations.push(operation),
                    None => {
                        self.problem("this is not an operation", Span::new(from as u32, (from + trimmed.len()) as u32));
                    }
                }
            }
            position += word.len();
        }
        let aborted = text[end + 1..].starts_with('!');
        let session = self.builder.session(&self.sessions.to_string());
        self.builder.transaction(
            session,
            if aborted { TransactionStatus::Aborted } else { TransactionStatus::Committed },
            operations,
        );
        Some(at + end + 1 + usize::from(aborted))
    }

    fn event(&mut self, word: &str) -> Option<Operation> {
        if let Some((name, value)) = word.split_once(":=") {
            let value = value.parse().ok()?;
            return is_name(name).then(|| Operation::Write { key: self.builder.key(name), value });
        }
        let (name, value) = word.split_once("==")?;
        let value = if value == "?" { None } else { Some(value.parse().ok()?) };
        is_name(name).then(|| Operation::Read { key: self.builder.key(name), value })
    }

    fn problem(&mut self, what: &str, span: Span) {
        let problem = Diagnostic::error(codes::UNEXPECTED, what).at(span, "here");
        self.problems
            .push(problem.help("a transaction is written `[x:=1 y==2 z==?]`, and `[…]!` if it was not committed"));
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_transactions_and_statuses() {
        let text = "// one\n[x:=1 y:=1] [z==2 z:=3]\n[y==?]!\n---\n\n[a==1]\n";
        let history = parse(&SourceFile::new("h", text)).unwrap();
        let shape: Vec<Vec<usize>> = history
            .sessions
            .iter()
            .map(|session| session.transactions.iter().map(|one| one.operations.len()).collect())
            .collect();
        assert_eq!(shape, [vec![2, 2, 1], vec![1]]);
        assert_eq!(history.sessions[0].transactions[2].status, TransactionStatus::Aborted);
        assert_eq!(history.sessions[0].transactions[2].operations, [Operation::Read { key: 1, value: None }]);
    }

    #[test]
    fn mistakes_have_places() {
        let places = |text: &str| {
            let problems = parse(&SourceFile::new("h", text)).unwrap_err();
            problems.iter().map(|problem| problem.span().map(|span| (span.start, span.end))).collect::<Vec<_>>()
        };
        assert_eq!(places("[x:=1 y=2]\n"), [Some((6, 9))]);
        assert_eq!(places("[x:=1\n"), [Some((0, 5))]);
        assert_eq!(places("[x:=1] oops\n[x:=99999999999999999999]"), [Some((7, 11)), Some((13, 36))]);
    }
}
