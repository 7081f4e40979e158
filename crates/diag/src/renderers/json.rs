//! One JSON array with an object per diagnostic.

use super::{Item, record::Record};

/// The array, indented.
pub(crate) fn json(items: &[Item<'_>]) -> String {
    let records: Vec<_> = items.iter().map(|&(file, diagnostic)| Record::new(file, diagnostic)).collect();
    to_text(&records)
}

/// Indented JSON with a final line break.
pub(super) fn to_text(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("strings, numbers and lists always serialise");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn an_array_of_records() {
        let file = sample::file();
        insta::assert_snapshot!(json(&[(&file, &sample::stale_read())]), @r#"
        [
          {
            "file": "litmus/sb.sf",
            "code": "V0001",
            "severity": "error",
            "message": "not robust: this load can read an overwritten value",
            "line": 6,
            "column": 13,
            "labels": [
              {
                "primary": true,
                "text": "may read 0, although `y` is 1",
                "line": 6,
                "column": 13,
                "end_line": 6,
                "end_column": 28,
                "start": 80,
                "end": 95
              },
              {
                "primary": false,
                "text": "still on its way",
                "line": 5,
                "column": 5,
                "end_line": 5,
                "end_column": 24,
                "start": 47,
                "end": 66
              }
            ],
            "notes": [
              "model: ra, notion: graph"
            ],
            "helps": [
              "make both accesses `seq_cst`"
            ]
          }
        ]
        "#);
    }

    #[test]
    fn nothing_is_an_empty_array() {
        assert_eq!(json(&[]), "[]\n");
    }
}
