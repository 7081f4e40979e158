//! The spelling of orderings.

/// The ordering with this name, spelt like `old`: `acquire`, `memory_order_acquire`, `std::memory_order_acquire`, `Ordering::Acquire`.
pub(crate) fn spelled(old: &str, name: &str) -> String {
    let start = old.rfind("::").map_or(0, |at| at + 2);
    let (path, word) = old.split_at(start);
    let word = word.trim_start();
    if word.starts_with("memory_order_") {
        return format!("{path}memory_order_{name}");
    }
    if word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return format!("{path}{}", camel(name));
    }
    format!("{path}{name}")
}

fn camel(name: &str) -> String {
    name.split('_').map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn as_it_was_spelt_before() {
        assert_eq!(spelled("relaxed", "acq_rel"), "acq_rel");
        assert_eq!(spelled("memory_order_relaxed", "acquire"), "memory_order_acquire");
        assert_eq!(spelled("std::memory_order_relaxed", "acquire"), "std::memory_order_acquire");
        assert_eq!(spelled("Ordering::Relaxed", "seq_cst"), "Ordering::SeqCst");
    }
}
