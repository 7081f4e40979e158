//! One line per diagnostic, in the form that compilers use and editors understand.

use super::{Item, main_place, severity_name};
use std::fmt::Write;

/// `file:line:column: error[CODE]: message`, one line per diagnostic.
pub(crate) fn concise(items: &[Item<'_>]) -> String {
    let mut text = String::new();
    for &(file, diagnostic) in items {
        text.push_str(file.name());
        if let Some(place) = main_place((file, diagnostic)) {
            let _ = write!(text, ":{}:{}", place.start.line, place.start.column);
        }
        let message = one_line(&diagnostic.message);
        let _ = writeln!(text, ": {}[{}]: {message}", severity_name(diagnostic.severity), diagnostic.code.0);
    }
    text
}

/// The text with every control character, including line breaks, replaced by a space.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn one_line_each() {
        let file = sample::file();
        let text = concise(&[(&file, &sample::stale_read()), (&file, &sample::without_place())]);
        insta::assert_snapshot!(text, @r#"
        litmus/sb.sf:6:13: error[V0001]: not robust: this load can read an overwritten value
        litmus/sb.sf: warning[W0001]: no thread at all
        "#);
    }
}
