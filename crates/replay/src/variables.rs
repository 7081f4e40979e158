//! Variables of prepared statements, `:name`, replaced by values.

/// The text with every `:name` replaced by the value that `value` returns. Quotes, comments and casts (`::`) stay unchanged.
pub fn filled(text: &str, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            ':' => {
                let name: String =
                    rest[1..].chars().take_while(|&letter| letter.is_alphanumeric() || letter == '_').collect();
                if let Some(value) = value(&name).filter(|_| !name.is_empty()) {
                    result.push_str(&value);
                    rest = &rest[1 + name.len()..];
                    continue;
                }
                1
            }
            other => other.len_utf8(),
        };
        result.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    result
}

/// A value as SQL: numbers unchanged, everything else in quotes.
pub fn quoted(value: Option<&str>) -> String {
    let Some(value) = value else { return "NULL".to_owned() };
    let digits = value.strip_prefix('-').unwrap_or(value);
    let numeric = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.matches('.').count() <= 1;
    if numeric && digits != "." {
        // A negative number behind a minus would start a comment.
        return if digits.len() < value.len() { format!("({value})") } else { value.to_owned() };
    }
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_are_replaced() {
        let value = |name: &str| (name == "x").then(|| "7".to_owned());
        assert_eq!(
            filled("a = :x AND b = ':x' AND c::int = :y -- :x", value),
            "a = 7 AND b = ':x' AND c::int = :y -- :x"
        );
        assert_eq!(filled("'ö", value), "'ö");
    }

    #[test]
    fn values_are_quoted() {
        assert_eq!(
            [Some("1.5"), Some("-2"), Some("it's"), Some("."), None].map(quoted),
            ["1.5", "(-2)", "'it''s'", "'.'", "NULL"]
        );
    }
}
