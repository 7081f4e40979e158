//! Sizes of memory as people write them: `512MiB`, `4G`, `1.5 GB`.

const UNITS: [(&str, u64); 13] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
    ("tib", 1 << 40),
    ("tb", 1_000_000_000_000),
];

/// The number of bytes that a text means.
#[allow(clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "the product is positive and bounded first")]
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let hint = "expected a size such as `512MiB` or `4GiB`";
    let factor = UNITS.iter().find(|(name, _)| *name == unit).ok_or(hint)?.1;
    let bytes = number.parse::<f64>().map_err(|_| hint)? * factor as f64;
    if !(1.0..=1e18).contains(&bytes) {
        return Err(format!("{text} is not a usable amount of memory"));
    }
    Ok(bytes as u64)
}

/// A number of bytes for people.
#[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn show(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, show};

    #[test]
    fn sizes_are_read_with_any_usual_unit() {
        assert_eq!(parse("4GiB"), Ok(4 << 30));
        assert_eq!(parse(" 512 mib"), Ok(512 << 20));
        assert_eq!(parse("1.5k"), Ok(1536));
        assert_eq!(parse("2GB"), Ok(2_000_000_000));
        assert_eq!(parse("100"), Ok(100));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "GiB", "-1", "1.2.3", "4 parsecs", "0", "99999999999999TiB", "1e3"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_in_the_unit_that_fits() {
        assert_eq!([show(12), show(2048), show(3 << 20), show(5 << 30)], ["12 B", "2.0 KiB", "3.0 MiB", "5.00 GiB"]);
    }
}
