//! The formats in which tools record histories.

mod dbcop;
mod edn;
mod elle;
mod json;
mod plume;

use super::{History, Operation, Session, Transaction, TransactionStatus};
use crate::text::codes;
use rustc_hash::FxHashMap;
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};

/// Who writes such histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Plume: one operation per line, `r(key,value,session,transaction)` or `w(…)`.
    Plume,
    /// dbcop's text: `[x:=1 y==2]`, with `---` between sessions.
    Dbcop,
    /// dbcop's JSON, the older one with `write` and `value`, and the newer one with `Read` and `Write`.
    Json,
    /// Elle's EDN: `{:type :ok, :process 0, :value [[:append 1 2] [:r 1 [2]]]}`.
    Elle,
}

impl Dialect {
    /// Recognises a format by how the text begins; comments do not count.
    pub fn detect(text: &str) -> Option<Self> {
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        while rest.starts_with("//") || rest.starts_with(';') {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        let compact: String = rest.chars().filter(|c| !c.is_whitespace()).take(3).collect();
        let starts = |with: &str| compact.starts_with(with);
        match () {
            () if starts("r(") || starts("w(") => Some(Self::Plume),
            () if starts("{:") || starts("[{:") || starts("#") || starts("({:") => Some(Self::Elle),
            () if starts("{\"") || starts("[[") || starts("[]") || starts("{}") => Some(Self::Json),
            () if starts("[") || starts("---") => Some(Self::Dbcop),
            () => None,
        }
    }
}

/// Reads a history, whatever format it has.
pub fn parse(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let history = match Dialect::detect(file.text()) {
        Some(Dialect::Plume) => plume::parse(file),
        Some(Dialect::Dbcop) => dbcop::parse(file),
        Some(Dialect::Json) => json::parse(file),
        Some(Dialect::Elle) => elle::parse(file),
        None => Err(vec![unknown(file)]),
    }?;
    if history.operations() == 0 {
        return Err(vec![Diagnostic::error(codes::EMPTY, "the history has no operations")]);
    }
    Ok(history)
}

fn unknown(file: &SourceFile) -> Diagnostic {
    let text = file.text();
    let problem = match text.find(|c: char| !c.is_whitespace()) {
        None => return Diagnostic::error(codes::EMPTY, "the history is empty"),
        Some(start) => {
            let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
            let span = Span::new(start as u32, text[..end].trim_end().len() as u32);
            Diagnostic::error(codes::UNEXPECTED, "this is not a history")
                .at(span, "this begins none of the known formats")
        }
    };
    problem.help(
        "the formats are Plume's `w(key,value,session,transaction)`, dbcop's `[x:=1 y==2]` and JSON, and Elle's EDN",
    )
}

/// Numbers of keys and sessions, as they come up.
#[derive(Default)]
struct Builder {
    history: History,
    keys: FxHashMap<String, u32>,
    sessions: FxHashMap<String, usize>,
}

impl Builder {
    fn key(&mut self, name: &str) -> u32 {
        if let Some(&key) = self.keys.get(name) {
            return key;
        }
        let key = self.history.keys.len() as u32;
        self.history.keys.push(name.to_owned());
        self.keys.insert(name.to_owned(), key);
        key
    }

    fn session(&mut self, name: &str) -> usize {
        if let Some(&session) = self.sessions.get(name) {
            return session;
        }
        let session = self.history.sessions.len();
        self.history.sessions.push(Session { name: name.to_owned(), transactions: Vec::new() });
        self.sessions.insert(name.to_owned(), session);
        session
    }

    /// Adds a transaction, which is called by its place in the session.
    fn transaction(&mut self, session: usize, status: TransactionStatus, operations: Vec<Operation>) {
        let transactions = &mut self.history.sessions[session].transactions;
        let name = (transactions.len() + 1).to_string();
        transactions.push(Transaction { name, status, operations });
    }
}
