//! Reads the programs in a directory, with their expected verdicts.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use steadfast_ir::Program;
use steadfast_lang::{Dialect, Expectation, ExpectedVerdict, parse};
use steadfast_model::Notion;
use steadfast_robust::Supported;
use steadfast_span::SourceFile;

/// A program from a file.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path below the directory that was searched.
    pub(crate) name: String,
    /// The program.
    pub(crate) program: Arc<Program>,
    /// Its expected verdicts.
    pub(crate) expectations: Vec<Expectation>,
}

/// A question about a program, with the answer that is expected.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The name of the file in tables.
    pub(crate) file: String,
    /// The program.
    pub(crate) program: Arc<Program>,
    /// The model.
    pub(crate) model: Supported,
    /// The notion of robustness.
    pub(crate) notion: Notion,
    /// `None` if the file does not say.
    pub(crate) expected: Option<ExpectedVerdict>,
}

impl Source {
    /// Reads one program; `name` is its name in tables.
    pub(crate) fn read(path: &Path, name: String) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = SourceFile::new(&*name, &*text);
        let parsed = parse(&file, Dialect::detect(&name, &text));
        let problems =
            || parsed.diagnostics.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ");
        let program = parsed.program.clone().with_context(|| format!("{name} cannot be used: {}", problems()))?;
        Ok(Self { name, program: Arc::new(program), expectations: parsed.expectations })
    }

    /// The questions with expected answers in the file, and how many of them are about models that the checker does not support.
    pub(crate) fn promised(&self) -> (Vec<Case>, usize) {
        let known =
            |expectation: &Expectation| Some((Supported::try_from(expectation.model).ok()?, expectation.notion));
        let cases: Vec<_> = self
            .expectations
            .iter()
            .filter_map(|expectation| known(expectation).map(|question| self.case(question, Some(expectation.verdict))))
            .collect();
        let unknown = self.expectations.len() - cases.len();
        (cases, unknown)
    }

    /// All questions about models and notions that Rocker knows, with or without an expected answer.
    pub(crate) fn asked_by_rocker(&self) -> Vec<Case> {
        let questions =
            [Supported::Ra, Supported::Rc20].map(|model| [Notion::Graph, Notion::Observational].map(|n| (model, n)));
        let cases = questions.into_iter().flatten().map(|(model, notion)| {
            let same = |promise: &&Expectation| promise.model == model.model() && promise.notion == notion;
            self.case((model, notion), self.expectations.iter().find(same).map(|promise| promise.verdict))
        });
        cases.collect()
    }

    fn case(&self, (model, notion): (Supported, Notion), expected: Option<ExpectedVerdict>) -> Case {
        Case { file: self.name.clone(), program: Arc::clone(&self.program), model, notion, expected }
    }
}

/// Reads every program with one of the extensions in a directory, in a fixed order. Names are relative to `base`.
pub(crate) fn read_directory(base: &Path, directory: &Path, extensions: &[&str]) -> Result<Vec<Source>> {
    let mut paths = files(directory).with_context(|| format!("cannot look into {}", directory.display()))?;
    paths.retain(|path| path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known)));
    paths.sort();
    ensure!(!paths.is_empty(), "there is no .{} file in {}", extensions.join(" or ."), directory.display());
    let name = |path: &Path| {
        let parts = path.strip_prefix(base).unwrap_or(path).iter().map(|part| part.to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    };
    paths.iter().map(|path| Source::read(path, name(path))).collect()
}

/// All files in a directory and one level below it.
fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            for inner in std::fs::read_dir(&path)? {
                found.push(inner?.path());
            }
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
