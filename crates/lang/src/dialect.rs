//! The input languages, and how they are recognised.

use std::path::Path;

/// Declares the languages with the extensions of their files.
macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident = $extension:literal;)*) => {
        /// An input language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Dialect {
            $($(#[$doc])* $variant,)*
        }

        impl Dialect {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The extension of its files.
            pub const fn extension(self) -> &'static str {
                match self { $(Self::$variant => $extension),* }
            }
        }
    };
}

dialects! {
    /// Steadfast's own language.
    Steadfast = "sf";
    /// Rocker's TPL.
    Tpl = "tpl";
    /// The automata of Trencher and Persist.
    Automata = "aut";
}

impl Dialect {
    /// The language of a file: by its extension if that is known, otherwise by the beginning of the text.
    pub fn detect(path: &str, text: &str) -> Self {
        match Self::of_extension(Path::new(path)) {
            Some(known) => known,
            None if looks_like_automata(text) => Self::Automata,
            None if looks_like_tpl(text) => Self::Tpl,
            None => Self::Steadfast,
        }
    }

    /// The language whose files have the extension of this path.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.iter().copied().find(|dialect| extension == dialect.extension())
    }
}

/// Whether the first line, after comments, can only begin a program of automata: `thread NAME` without a block.
fn looks_like_automata(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut code = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = code.next().map(words).unwrap_or_default();
    let second = code.next().map(words).unwrap_or_default();
    match first.first().map(String::as_str) {
        Some("memory_size") => true,
        Some("thread") => {
            let begins = |word: &&str| second.first().is_some_and(|second| second == word);
            first.get(2).is_some_and(|word| word == "initial")
                || first.len() <= 2 && ["initial", "transition", "end"].iter().any(begins)
        }
        _ => false,
    }
}

/// Whether the first words of the text, after comments, can only begin a TPL program.
///
/// Both languages have `fn`, but in TPL a block follows at once, and in Steadfast's language parameters follow.
fn looks_like_tpl(text: &str) -> bool {
    let code = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    for line in code.take(20) {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        match words.take(1).next() {
            Some("max_value" | "global" | "na" | "track" | "local") => return true,
            Some("fn") => return line.split('{').next().is_some_and(|head| !head.contains('(')),
            Some(_) => return false,
            None if line.starts_with('#') => return false,
            None => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::Dialect::{self, Automata, Steadfast, Tpl};

    #[test]
    fn the_extension_decides() {
        assert_eq!(Dialect::detect("a/b.tpl", "thread t {}"), Tpl);
        assert_eq!(Dialect::detect("b.sf", "global x;"), Steadfast);
        assert_eq!(Dialect::detect("b.aut", "global x;"), Automata);
    }

    #[test]
    fn without_a_known_extension_the_text_decides() {
        assert_eq!(Dialect::detect("-", "// max\n\n max_value 3;"), Tpl);
        assert_eq!(Dialect::detect("-", "fn t { skip; }"), Tpl);
        assert_eq!(Dialect::detect("-", "fn f(v: u8) { }"), Steadfast);
        assert_eq!(Dialect::detect("-", "#![name = \"global\"]"), Steadfast);
        assert_eq!(Dialect::detect("-", "atomic<u8> x;"), Steadfast);
        assert_eq!(Dialect::detect("-", ""), Steadfast);
        assert_eq!(Dialect::detect("a.txt", "#![x]\n # y\nthread t\ninitial q\nend"), Automata);
        assert_eq!(Dialect::detect("a.txt", "memory_size 3\nthread t"), Automata);
        assert_eq!(Dialect::detect("-", "thread t\n{ }"), Steadfast);
        assert_eq!(Dialect::detect("-", "thread t {\n}"), Steadfast);
    }
}
