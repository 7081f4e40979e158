//! Parses a command for a compiler, as far as Steadfast needs it: its arguments, and the files with more arguments (`@FILE`) that build systems write.

use std::ffi::OsString;

/// What a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Nothing to instrument: it only asks the compiler for information, or is incomplete, which the compiler will report.
    Information,
    /// An object, an assembly text or a preprocessed file.
    Part,
    /// A shared library. It uses the runtime in the executable.
    Library,
    /// An executable.
    Executable,
}

/// What a command says about debug information. The last option counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Debug {
    /// Nothing.
    Unsaid,
    /// It asks for none.
    None,
    /// It asks for some.
    Some,
}

/// A command for a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) goal: Goal,
    /// Whether it sets the language of all following files.
    pub(crate) says_language: bool,
    /// What it says about debug information.
    pub(crate) debug: Debug,
    /// Whether it asks for an executable without shared libraries.
    pub(crate) is_static: bool,
}

impl Request {
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let mut words = Vec::new();
        expand(arguments.iter().map(|argument| argument.to_string_lossy().into_owned()), NESTED, &mut words);
        let says = |prefix: &str| words.iter().any(|word| word.starts_with(prefix));
        Self {
            goal: goal(&words),
            says_language: says("-x"),
            debug: words.iter().filter_map(|word| debug(word)).next_back().unwrap_or(Debug::Unsaid),
            is_static: words.iter().any(|word| matches!(&**word, "-static" | "--static" | "-static-pie")),
        }
    }
}

/// Whether an option turns debug information on or off. Most options that begin with `-g` only choose its form. `-gsplit-dwarf` only chooses the form in clang, but not in gcc, where another `-g`
/// changes nothing.
fn debug(option: &str) -> Option<Debug> {
    const ASKING: [&str; 10] =
        ["", "1", "2", "3", "dwarf", "line-tables-only", "line-directives-only", "mlt", "full", "used"];
    const FAMILIES: [&str; 9] = ["gdb", "lldb", "sce", "dbx", "dwarf-", "stabs", "xcoff", "vms", "codeview"];
    let form = option.strip_prefix("-g")?;
    match form {
        "0" | "gdb0" => Some(Debug::None),
        // With the `-g` that Steadfast adds, it would turn debug information off.
        "toggle" => Some(Debug::Some),
        _ if ASKING.contains(&form) || FAMILIES.iter().any(|family| form.starts_with(family)) => Some(Debug::Some),
        _ => None,
    }
}

/// Whether an option removes the names that reports need.
pub(crate) fn strips(option: &str) -> bool {
    matches!(option, "-s" | "-Wl,-s" | "-Wl,--strip-all" | "-Wl,-S" | "-Wl,--strip-debug")
}

/// How deeply such files may name others. Compilers have a limit, too.
const NESTED: u32 = 16;

/// Adds the words, and for `@FILE` the words of the file. If the file cannot be read, the argument stands for itself.
fn expand(arguments: impl Iterator<Item = String>, nested: u32, words: &mut Vec<String>) {
    for argument in arguments {
        let text = argument.strip_prefix('@').filter(|_| nested > 0).and_then(|file| std::fs::read(file).ok());
        match text {
            Some(text) => expand(split(&String::from_utf8_lossy(&text)).into_iter(), nested - 1, words),
            None => words.push(argument),
        }
    }
}

/// The words of such a file, by the rules of gcc and clang: separated by blanks, with quotes of both kinds and backslash escapes.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => word.get_or_insert_default().extend(rest.next()),
            _ if quote == Some(next) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(next),
            '\'' | '"' => (quote, word) = (Some(next), Some(word.unwrap_or_default())),
            _ if next.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(next),
        }
    }
    words.extend(word);
    words
}

fn goal(words: &[String]) -> Goal {
    let (mut inputs, mut part, mut only_headers, mut only_assembly) = (false, false, true, true);
    let mut library = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if is_part(word) {
            part = true;
        } else if matches!(&**word, "-shared" | "--shared") {
            library = true;
        } else if takes_a_value(word) {
            // The first added argument would become the value: with `-o` the compiler would overwrite the runtime.
            if rest.next().is_none() {
                return Goal::Information;
            }
        } else if !word.starts_with('-') || word == "-" || word.starts_with("-l") {
            inputs = true;
            only_headers &= is_header(word);
            only_assembly &= ending(word) == Some("s");
        }
    }
    if part && only_assembly {
        // There is nothing to instrument, and clang warns of options that it does not need.
        return Goal::Information;
    }
    match (inputs, part || only_headers) {
        (false, _) => Goal::Information,
        (true, true) => Goal::Part,
        (true, false) if library => Goal::Library,
        (true, false) => Goal::Executable,
    }
}

fn is_part(option: &str) -> bool {
    const OPTIONS: [&str; 12] = [
        "-c",
        "--compile",
        "-S",
        "--assemble",
        "-E",
        "--preprocess",
        "-M",
        "-MM",
        "-fsyntax-only",
        "-r",
        "-nostdlib",
        "--precompile",
    ];
    OPTIONS.contains(&option)
}

/// Whether a file is a header: compiling one makes a precompiled header.
fn is_header(file: &str) -> bool {
    const ENDINGS: [&str; 7] = ["h", "hh", "hp", "hxx", "hpp", "h++", "tcc"];
    ending(file).is_some_and(|ending| ENDINGS.contains(&ending))
}

fn ending(file: &str) -> Option<&str> {
    file.rsplit_once('.').map(|(_, ending)| ending)
}

/// Options whose value is the next argument.
fn takes_a_value(option: &str) -> bool {
    const OPTIONS: [&str; 29] = [
        "-o",
        "-x",
        "-I",
        "-L",
        "-B",
        "-D",
        "-U",
        "-MF",
        "-MT",
        "-MQ",
        "-include",
        "-include-pch",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-isysroot",
        "-Xlinker",
        "-Xclang",
        "-Xassembler",
        "-Xpreprocessor",
        "-mllvm",
        "-T",
        "-u",
        "-z",
        "-l",
        "-arch",
        "-target",
        "--param",
    ];
    OPTIONS.contains(&option)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(command: &str) -> Request {
        Request::of(&command.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn goal(command: &str) -> Goal {
        request(command).goal
    }

    #[test]
    fn what_a_command_makes() {
        assert_eq!(goal("--version"), Goal::Information);
        assert_eq!(goal("-v -dumpmachine"), Goal::Information);
        assert_eq!(goal("-c a.c -o a.o"), Goal::Part);
        assert_eq!(goal("-shared -fPIC a.c -o a.so"), Goal::Library);
        assert_eq!(goal("--shared a.o -o a.so"), Goal::Library);
        assert_eq!(goal("-shared -fPIC -c a.c -o a.o"), Goal::Part);
        assert_eq!(goal("-c fast.s -o fast.o"), Goal::Information);
        assert_eq!(goal("-c fast.s a.c"), Goal::Part);
        assert_eq!(goal("all.h -o all.h.gch"), Goal::Part);
        assert_eq!(goal("a.h.c"), Goal::Executable);
        assert_eq!(goal("a.o b.o -o program"), Goal::Executable);
        assert_eq!(goal("-O2 -x c - -o program"), Goal::Executable);
        assert_eq!(goal("-o program"), Goal::Information);
    }

    #[test]
    fn only_some_options_ask_for_debug_information() {
        let debug = |command: &str| request(command).debug;
        for form in ["-gz", "-gz=zlib", "-gcolumn-info", "-gno-column-info", "-gsplit-dwarf", "-gdwarf64", "-gpubnames"]
        {
            assert_eq!(debug(&format!("-c a.c {form}")), Debug::Unsaid, "{form}");
        }
        for asking in ["-g", "-g1", "-g3", "-ggdb3", "-gdwarf", "-gdwarf-4", "-gline-tables-only", "-gmlt", "-gstabs+"]
        {
            assert_eq!(debug(&format!("-c a.c {asking} -gz")), Debug::Some, "{asking}");
        }
        assert_eq!(debug("-c a.c -g -g0 -gz"), Debug::None);
        assert_eq!(debug("-c a.c -g0 -ggdb"), Debug::Some);
    }

    #[test]
    fn a_missing_value_is_not_taken_from_us() {
        for incomplete in ["a.c -o", "a.c -x", "a.c -Xlinker", "a.c -l"] {
            assert_eq!(goal(incomplete), Goal::Information, "{incomplete}");
        }
        assert_eq!(goal("-o -c a.c"), Goal::Executable);
    }

    #[test]
    fn files_with_arguments_are_read() {
        let folder = std::env::temp_dir().join(format!("steadfast-arguments-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [outer, inner] = ["outer", "inner"].map(|name| folder.join(name));
        std::fs::write(&inner, "-g3 \"a b.c\"\n-xc").unwrap();
        std::fs::write(&outer, format!("-c\n@{}", inner.display())).unwrap();
        let found = request(&format!("@{} -static", outer.display()));
        // A file that names itself does not loop for ever.
        std::fs::write(&inner, format!("a.c @{}", inner.display())).unwrap();
        let again = request(&format!("@{}", inner.display()));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, Request { goal: Goal::Part, says_language: true, debug: Debug::Some, is_static: true });
        assert_eq!(again.goal, Goal::Executable);
        assert_eq!(goal("@/there/is/no/such/file"), Goal::Executable);
    }

    #[test]
    fn words_are_split_like_those_of_compilers() {
        assert_eq!(
            split(" -DA='x y'  \"b \\\" c\" d\\ e\n'' \\"),
            ["-DA=x y", "b \" c", "d e", "", ""].map(str::to_owned)
        );
    }
}
