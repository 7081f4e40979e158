//! The explanations of the codes: the texts of `steadfast explain CODE`.
//!
//! Each family of codes has its own file with its own table. Other crates have tables for their codes, and [`Registry::add`]
//! them; a table contains [`CodeInfo`]s or plain tuples.
//!
//! Every example in an explanation is a complete program in a `c` block. If it states expectations, they hold; a test
//! checks that.

pub mod inconclusive;
pub mod note;
pub mod verdict;

use crate::Code;
use std::collections::BTreeMap;

/// A code, a short title, and a text with its meaning, an example, and advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// A few words, without a full stop.
    pub title: &'static str,
    /// The explanation, in Markdown that also reads well as plain text.
    pub explanation: &'static str,
}

impl CodeInfo {
    /// The example programs in the explanation: the contents of its `c` blocks.
    pub fn examples(&self) -> impl Iterator<Item = &'static str> {
        let blocks = self.explanation.split("```c\n").skip(1);
        blocks.filter_map(|rest| rest.split_once("```")).map(|(program, _)| program)
    }
}

impl From<(Code, &'static str, &'static str)> for CodeInfo {
    fn from((code, title, explanation): (Code, &'static str, &'static str)) -> Self {
        Self { code, title, explanation }
    }
}

/// Declares codes as constants, and a table `CODES` of all of them for [`Registry::add`]. The visibility comes first; each code is documented by its title:
///
/// ```
/// mod codes {
///     steadfast_diag::code_table! {
///         pub table;
///         UNCLOSED = "E9900", "bracket never closed", "A bracket has no partner.";
///     }
/// }
/// assert_eq!(codes::CODES[0], (codes::UNCLOSED, "bracket never closed", "A bracket has no partner."));
/// ```
#[macro_export]
macro_rules! code_table {
    ($visibility:vis table; $($(#[$doc:meta])* $name:ident = $code:literal, $title:literal, $explanation:literal;)*) => {
        $(
            #[doc = $title]
            $(#[doc = ""] #[$doc])*
            $visibility const $name: $crate::Code = $crate::Code($code);
        )*

        /// Every code of this file: the code, a title, and a paragraph.
        $visibility static CODES: &[($crate::Code, &str, &str)] = &[$(($name, $title, $explanation)),*];
    };
}

/// The known codes, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    by_name: BTreeMap<&'static str, CodeInfo>,
}

impl Registry {
    /// A registry without codes.
    pub const fn empty() -> Self {
        Self { by_name: BTreeMap::new() }
    }

    /// The codes of this crate: verdicts, notes, and reasons why a result is inconclusive.
    pub fn builtin() -> Self {
        Self::of(&[verdict::CODES, note::CODES, inconclusive::CODES])
    }

    /// The codes of several tables.
    pub fn of<T: Copy + Into<CodeInfo>>(tables: &[&[T]]) -> Self {
        let mut registry = Self::empty();
        for table in tables {
            registry.add(table);
        }
        registry
    }

    /// Adds a table. A code that is already known keeps its first text: no code has two meanings.
    pub fn add<T: Copy + Into<CodeInfo>>(&mut self, table: &[T]) {
        for &entry in table {
            let info: CodeInfo = entry.into();
            self.by_name.entry(info.code.0).or_insert(info);
        }
    }

    /// Finds a code as a user may type it: in either case, and with spaces around it.
    pub fn find(&self, code: &str) -> Option<&CodeInfo> {
        self.by_name.get(code.trim().to_ascii_uppercase().as_str())
    }

    /// All codes, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &CodeInfo> {
        self.by_name.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: [&[CodeInfo]; 3] = [verdict::CODES, note::CODES, inconclusive::CODES];

    #[test]
    fn codes_are_found_however_they_are_typed() {
        let registry = Registry::builtin();
        assert_eq!(registry.find(" v0001 ").map(|info| info.code), Some(verdict::STALE_READ));
        assert!(registry.find("V9999").is_none());
    }

    #[test]
    fn tuples_can_be_added_and_do_not_replace_anything() {
        let mut registry = Registry::builtin();
        registry.add(&[(Code("E0001"), "bad", "Worse."), (verdict::STALE_READ, "other", "Other.")]);
        assert_eq!(registry.find("E0001").map(|info| info.title), Some("bad"));
        assert_ne!(registry.find("V0001").map(|info| info.title), Some("other"));
    }

    #[test]
    fn every_verdict_has_an_example() {
        for info in verdict::CODES {
            assert_eq!(info.examples().filter(|program| program.contains("thread ")).count(), 1, "{}", info.code.0);
        }
    }

    #[test]
    fn no_code_is_used_twice_and_all_are_in_order() {
        let names: Vec<_> = FAMILIES.iter().flat_map(|family| family.iter()).map(|info| info.code.0).collect();
        assert_eq!(names.len(), Registry::builtin().iter().count());
        assert!(FAMILIES.iter().all(|family| family.is_sorted_by_key(|info| info.code)));
    }

    #[test]
    fn texts_fit_a_terminal_and_are_whole() {
        for info in Registry::builtin().iter() {
            let name = info.code.0;
            assert!(!info.title.ends_with('.') && !info.title.is_empty(), "{name}");
            assert!(info.explanation.ends_with('\n') && !info.explanation.starts_with('\n'), "{name}");
            assert!(info.explanation.lines().all(|line| line.chars().count() <= 80), "{name}");
            assert_eq!(info.explanation.matches("```").count() % 2, 0, "{name}");
            assert!(info.explanation.contains("What to do"), "{name}");
        }
    }
}
