//! The JSON of dbcop: sessions of transactions of events, perhaps wrapped into an object whose `data` they are.
//!
//! An event is `{"write": true, "variable": 0, "value": 1, "success": true}` (OOPSLA 2019), or `{"Write": {"variable": 0, "version": 1}}`, or `["w", 0, 1]`.

use super::super::{History, Operation, TransactionStatus};
use super::Builder;
use crate::text::codes;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};

/// Reads a history.
pub(super) fn parse(file: &SourceFile) -> Result<History, Vec<Diagnostic>> {
    let text = file.text().trim_start_matches('\u{feff}');
    let wrapped = text.trim_start().starts_with('{');
    let sessions =
        if wrapped { serde_json::from_str(text).map(|file: Wrapped| file.data) } else { serde_json::from_str(text) };
    let sessions: Vec<Vec<Item>> = sessions.map_err(|error| vec![problem(file, &error)])?;
    let mut builder = Builder::default();
    for (number, items) in sessions.into_iter().enumerate() {
        let session = builder.session(&(number + 1).to_string());
        for item in items {
            let committed = item.committed.or(item.success).unwrap_or(true);
            let status = if committed { TransactionStatus::Committed } else { TransactionStatus::Aborted };
            let operations = item.events.into_iter().filter_map(|event| event.operation(&mut builder)).collect();
            builder.transaction(session, status, operations);
        }
    }
    Ok(builder.history)
}

/// Where JSON could not be read. Columns count bytes.
fn problem(file: &SourceFile, error: &serde_json::Error) -> Diagnostic {
    let lines = file.text().split_inclusive('\n');
    let start: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (start + error.column().saturating_sub(1)).min(file.text().len().saturating_sub(1));
    while !file.text().is_char_boundary(at) {
        at -= 1;
    }
    let length = file.text()[at..].chars().next().map_or(0, char::len_utf8);
    // The message ends with the place, which is shown anyway.
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    Diagnostic::error(codes::UNEXPECTED, "this is not a history of dbcop")
        .at(Span::new(at as u32, (at + length) as u32), message)
        .help("sessions are lists of transactions `{\"events\": [{\"Write\": {\"variable\": 0, \"version\": 1}}], \"committed\": true}`")
}

#[derive(Deserialize)]
struct Wrapped {
    data: Vec<Vec<Item>>,
}

#[derive(Deserialize)]
struct Item {
    events: Vec<Event>,
    committed: Option<bool>,
    success: Option<bool>,
}

/// One event; those of the older format that failed are nothing.
struct Event(Option<(bool, String, Option<i64>)>);

impl Event {
    fn operation(self, builder: &mut Builder) -> Option<Operation> {
        let (write, key, value) = self.0?;
        let key = builder.key(&key);
        match value {
            Some(value) if write => Some(Operation::Write { key, value }),
            _ => Some(Operation::Read { key, value }),
        }
    }
}

#[derive(Deserialize)]
struct Versioned {
    variable: serde_json::Value,
    version: Option<i64>,
}

/// All spellings of an event.
#[derive(Deserialize)]
#[serde(untagged)]
enum Spelling {
    Tagged(Tagged),
    Short(String, serde_json::Value, Option<i64>),
    Old { write: bool, variable: serde_json::Value, value: i64, success: Option<bool> },
}

#[derive(Deserialize)]
enum Tagged {
    Read(Versioned),
    Write(Versioned),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "expected an event, such as `{\"Read\": {\"variable\": 0, \"version\": 1}}`";
        let spelling = Spelling::deserialize(deserializer).map_err(|_| D::Error::custom(expected))?;
        let (write, variable, value) = match spelling {
            Spelling::Tagged(Tagged::Read(one)) => (false, one.variable, one.version),
            Spelling::Tagged(Tagged::Write(one)) => (true, one.variable, one.version),
            Spelling::Short(kind, variable, value) if kind == "r" || kind == "w" => (kind == "w", variable, value),
            Spelling::Short(..) => return Err(D::Error::custom(expected)),
            Spelling::Old { success: Some(false), .. } => return Ok(Self(None)),
            Spelling::Old { write, variable, value, .. } => (write, variable, Some(value)),
        };
        if write && value.is_none() {
            return Err(D::Error::custom("a write has a version"));
        }
        let name = match variable {
            serde_json::Value::String(name) => name,
            serde_json::Value::Number(number) => number.to_string(),
            _ => return Err(D::Error::custom("a variable is a number or a name")),
        };
        Ok(Self(Some((write, name, value))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<History, Vec<Diagnostic>> {
        super::parse(&SourceFile::new("h", text))
    }

    #[test]
    fn all_spellings_mean_the_same() {
        let new = r#"[[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true}],[]]"#;
        let short = r#"[[{"events":[["w",0,1],["r",1,null]],"committed":true}],[]]"#;
        let old = r#"{"params":{"id":0},"info":"x","start":"a","end":"b","data":[[{"events":[
            {"write":true,"variable":0,"value":1,"success":true},{"write":false,"variable":1,"value":0,"success":true}],"success":true}],[]]}"#;
        assert_eq!(parse(new), parse(short));
        let old = parse(old).unwrap();
        assert_eq!((old.sessions.len(), old.operations(), old.keys.len()), (2, 2, 2));
        assert_eq!(old.sessions[0].transactions[0].operations[1], Operation::Read { key: 1, value: Some(0) });
    }

    #[test]
    fn mistakes_have_places() {
        for (text, start) in
            [("[[{\"events\":[{\"Wrote\":1}]}]]", 24), ("[[", 1), ("[[{\"events\":3}]]", 12), ("{\"a\":1}", 6)]
        {
            let problems = parse(text).unwrap_err();
            assert_eq!(problems[0].span().map(|span| span.start), Some(start), "{text} {problems:?}");
        }
    }
}
