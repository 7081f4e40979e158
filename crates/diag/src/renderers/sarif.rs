//! A log in the Static Analysis Results Interchange Format 2.1.0 (OASIS), for code scanning services.
//!
//! Columns count characters, as the log states (`columnKind`), and regions end after their last character, as SARIF requires.

use super::{Item, json::to_text, main_place, place::Place, severity_name, whole_message};
use crate::{Diagnostic, Label, Registry};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use steadfast_span::SourceFile;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log with one run, a rule for every code that occurs, and a result per diagnostic.
///
/// `registry` describes the rules; an unknown code gets a rule with an id only.
pub fn sarif(diagnostics: &[(&SourceFile, &Diagnostic)], registry: &Registry) -> String {
    // An ordered set, so that the index of a rule does not depend on the order of the diagnostics.
    let codes: BTreeSet<&'static str> = diagnostics.iter().map(|(_, diagnostic)| diagnostic.code.0).collect();
    let codes: Vec<_> = codes.into_iter().collect();
    let driver = Driver {
        name: "Steadfast",
        version: env!("CARGO_PKG_VERSION"),
        rules: codes.iter().map(|code| Rule::new(code, registry)).collect(),
    };
    let run = Run {
        tool: Tool { driver },
        column_kind: "unicodeCodePoints",
        results: diagnostics.iter().map(|&item| SarifResult::new(item, &codes)).collect(),
    };
    to_text(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

// The part of the format that we use, with its own names. These are structures instead of `json!`, so that fields keep their order.

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Text<'static>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help>,
}

#[derive(Serialize)]
struct Text<'a> {
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct Help {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Text<'a>,
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
}

#[derive(Serialize)]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'a>>,
    #[serde(rename = "physicalLocation")]
    physical: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

impl Rule {
    fn new(code: &'static str, registry: &Registry) -> Self {
        let info = registry.find(code);
        Self {
            id: code,
            short_description: info.map(|info| Text { text: info.title.into() }),
            help: info.map(|info| Help { text: info.explanation, markdown: info.explanation }),
        }
    }
}

impl<'a> SarifResult<'a> {
    fn new(item: Item<'a>, codes: &[&str]) -> Self {
        let (file, diagnostic) = item;
        // The main label occurs twice, because viewers do not show a message at the location of a result.
        let labels = diagnostic.labels.iter().filter(|label| !label.text.is_empty()).enumerate();
        Self {
            rule_id: diagnostic.code.0,
            rule_index: codes.binary_search(&diagnostic.code.0).ok(),
            level: severity_name(diagnostic.severity),
            message: Text { text: whole_message(diagnostic).into() },
            locations: [Location { id: None, message: None, physical: physical(file, main_place(item)) }],
            related_locations: labels.map(|(id, label)| related(file, id, label)).collect(),
        }
    }
}

fn related<'a>(file: &SourceFile, id: usize, label: &'a Label) -> Location<'a> {
    Location {
        id: Some(id),
        message: Some(Text { text: label.text.as_str().into() }),
        physical: physical(file, Some(Place::of(file, label.span))),
    }
}

fn physical(file: &SourceFile, place: Option<Place>) -> PhysicalLocation {
    let region = place.map(|Place { start, end, .. }| Region {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
    });
    PhysicalLocation { artifact_location: ArtifactLocation { uri: uri(file.name()) }, region }
}

/// A file name as a URI reference: with forward slashes, unusual characters as `%XX`, and a scheme if the path is absolute.
fn uri(name: &str) -> String {
    let mut uri = String::from(if name.starts_with('/') { "file://" } else { "" });
    for byte in name.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte as char),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte as char),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn a_log_with_rules() {
        let file = sample::file();
        let mut registry = Registry::empty();
        registry.add(&[(crate::Code("V0001"), "not robust", "A longer text.")]);
        let items = [(&file, &sample::without_place()), (&file, &sample::stale_read())];
        let log = sarif(&items, &registry).replace(env!("CARGO_PKG_VERSION"), "VERSION");
        insta::assert_snapshot!(log, @r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "Steadfast",
                  "version": "VERSION",
                  "rules": [
                    {
                      "id": "V0001",
                      "shortDescription": {
                        "text": "not robust"
                      },
                      "help": {
                        "text": "A longer text.",
                        "markdown": "A longer text."
                      }
                    },
                    {
                      "id": "W0001"
                    }
                  ]
                }
              },
              "columnKind": "unicodeCodePoints",
              "results": [
                {
                  "ruleId": "W0001",
                  "ruleIndex": 1,
                  "level": "warning",
                  "message": {
                    "text": "no thread\nat all"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "litmus/sb.sf"
                        }
                      }
                    }
                  ]
                },
                {
                  "ruleId": "V0001",
                  "ruleIndex": 0,
                  "level": "error",
                  "message": {
                    "text": "not robust: this load can read an overwritten value\nnote: model: ra, notion: graph\nhelp: make both accesses `seq_cst`"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "litmus/sb.sf"
                        },
                        "region": {
                          "startLine": 6,
                          "startColumn": 13,
                          "endLine": 6,
                          "endColumn": 28
                        }
                      }
                    }
                  ],
                  "relatedLocations": [
                    {
                      "id": 0,
                      "message": {
                        "text": "may read 0, although `y` is 1"
                      },
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "litmus/sb.sf"
                        },
                        "region": {
                          "startLine": 6,
                          "startColumn": 13,
                          "endLine": 6,
                          "endColumn": 28
                        }
                      }
                    },
                    {
                      "id": 1,
                      "message": {
                        "text": "still on its way"
                      },
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "litmus/sb.sf"
                        },
                        "region": {
                          "startLine": 5,
                          "startColumn": 5,
                          "endLine": 5,
                          "endColumn": 24
                        }
                      }
                    }
                  ]
                }
              ]
            }
          ]
        }
        "#);
    }

    #[test]
    fn names_become_uris() {
        assert_eq!(uri("a b/c:d.sf"), "a%20b/c%3Ad.sf");
        assert_eq!(uri("/a/ä.sf"), "file:///a/%C3%A4.sf");
        assert_eq!(uri(r"dir\f.sf"), "dir/f.sf");
    }
}
