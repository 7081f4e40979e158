//! One JSON object per line, for incremental readers.

use super::{Item, record::Record};

/// The objects of the `json` format, one per line.
pub(crate) fn jsonl(items: &[Item<'_>]) -> String {
    let mut text = String::new();
    for &(file, diagnostic) in items {
        let record = Record::new(file, diagnostic);
        text.push_str(&serde_json::to_string(&record).expect("strings, numbers and lists always serialise"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn a_line_each() {
        let file = sample::file();
        let text = jsonl(&[(&file, &sample::stale_read()), (&file, &sample::without_place())]);
        insta::assert_snapshot!(text, @r#"
        {"file":"litmus/sb.sf","code":"V0001","severity":"error","message":"not robust: this load can read an overwritten value","line":6,"column":13,"labels":[{"primary":true,"text":"may read 0, although `y` is 1","line":6,"column":13,"end_line":6,"end_column":28,"start":80,"end":95},{"primary":false,"text":"still on its way","line":5,"column":5,"end_line":5,"end_column":24,"start":47,"end":66}],"notes":["model: ra, notion: graph"],"helps":["make both accesses `seq_cst`"]}
        {"file":"litmus/sb.sf","code":"W0001","severity":"warning","message":"no thread\nat all","labels":[],"notes":[],"helps":[]}
        "#);
    }
}
