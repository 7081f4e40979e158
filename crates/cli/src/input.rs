//! Reading programs from files and from standard input.

use crate::codes;
use crate::guard::guarded;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use steadfast_diag::Diagnostic;
use steadfast_lang::{Dialect, MAX_INPUT_BYTES, Parsed};
use steadfast_span::SourceFile;

/// The name that stands for standard input on the command line.
pub(crate) const STDIN: &str = "-";

/// A file with what it means. A file that cannot be read is empty and has a diagnostic that says why.
pub(crate) struct Input {
    /// The text, under the name that messages show.
    pub(crate) file: SourceFile,
    /// The program, the expectations and everything that is wrong.
    pub(crate) parsed: Parsed,
    /// The language.
    pub(crate) dialect: Dialect,
}

impl Input {
    /// Reads and parses.
    pub(crate) fn read(path: &Path) -> Self {
        let (name, text) = text(path);
        match text {
            Ok(text) => {
                let dialect = Dialect::detect(&name, &text);
                let file = SourceFile::new(name, text);
                let parsed = guarded("reading the program", file.name(), || steadfast_lang::parse(&file, dialect));
                let parsed = parsed.unwrap_or_else(unusable);
                Self { file, parsed, dialect }
            }
            Err(problem) => {
                Self { file: SourceFile::new(name, ""), parsed: unusable(problem), dialect: Dialect::Steadfast }
            }
        }
    }
}

fn unusable(problem: Diagnostic) -> Parsed {
    Parsed { program: None, expectations: Vec::new(), diagnostics: vec![problem] }
}

/// The name that messages show, and the text or what is wrong with it.
pub(crate) fn text(path: &Path) -> (String, Result<String, Diagnostic>) {
    let name = if path.as_os_str() == STDIN { "<stdin>".to_owned() } else { path.display().to_string() };
    (name, text_of(path))
}

fn text_of(path: &Path) -> Result<String, Diagnostic> {
    let bytes = bytes_of(path)?;
    if bytes.len() > MAX_INPUT_BYTES {
        let message = format!("the file is too large: at most {} MiB are read", MAX_INPUT_BYTES >> 20);
        return Err(Diagnostic::error(steadfast_lang::codes::TOO_LARGE, message));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// The first bytes of a file: one more than is allowed tells that there are too many.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let limit = MAX_INPUT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == STDIN {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else if path.is_dir() {
        let problem = Diagnostic::error(codes::DIRECTORY, "this is a directory, not a file");
        return Err(problem.help("name the files in it, or use `steadfast test`, which looks through directories"));
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Diagnostic::error(codes::UNREADABLE, format!("cannot read the file: {error}"))),
    }
}

fn not_utf8(bytes: &[u8], at: usize) -> Diagnostic {
    let line = bytes[..at].split(|&byte| byte == b'\n').count();
    let message = format!("not UTF-8 text: byte 0x{:02x} in line {line}", bytes[at]);
    let help =
        if bytes.contains(&0) { "is this a program text, and not a binary file?" } else { "save the text as UTF-8" };
    Diagnostic::error(codes::NOT_UTF8, message).help(help)
}
