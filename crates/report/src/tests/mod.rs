//! Tests of whole pictures and pages.

mod hostile;
mod large;
mod placement;
mod reading;

use crate::{Page, ProgramText, RunView, Subject, VerdictClass};
use steadfast_diag::Diagnostic;
use steadfast_ir::Program;
use steadfast_lang::Dialect;
use steadfast_model::Notion;
use steadfast_robust::{Options, Supported, Verdict, Witness, check};
use steadfast_span::SourceFile;

/// A program with its witness.
pub(crate) struct Sample {
    pub(crate) file: SourceFile,
    pub(crate) program: Program,
    pub(crate) model: Supported,
    pub(crate) witness: Box<Witness>,
}

impl Sample {
    /// Checks a program that is not robust.
    pub(crate) fn of(text: &str, model: Supported) -> Self {
        let file = SourceFile::new("sample.sf", text);
        let program = steadfast_lang::parse(&file, Dialect::Steadfast).program.expect("it is a program");
        let outcome = check(&program, &Options::new(model, Notion::Graph));
        let (Verdict::NotRobust(witness) | Verdict::Race(witness) | Verdict::Failed(witness)) = outcome.verdict else {
            panic!("{:?}", outcome.verdict)
        };
        Self { file, program, model, witness }
    }

    pub(crate) fn run_view(&self) -> RunView {
        let Self { file, program, model, witness } = self;
        let numbered: Vec<_> = witness.cycle.iter().map(|&(event, _)| event).collect();
        let places = &ProgramText { file };
        RunView::of(&Subject {
            witness,
            names: program,
            places,
            whole: Some((program, model.model())),
            numbered: &numbered,
        })
    }
}

/// A page about a run, with nothing else that is optional.
pub(crate) fn page<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic, run: Option<RunView>) -> Page<'a> {
    Page {
        subject: file.name().to_owned(),
        verdict: "not robust".to_owned(),
        verdict_class: VerdictClass::Bad,
        facts: vec![("model".to_owned(), "RA".to_owned())],
        sources: vec![file],
        diagnostics: vec![(0, diagnostic)],
        run,
        endings: ["under SC".to_owned(), "what RA allows".to_owned()],
        repair: None,
        lists: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Store buffering.
pub(crate) const STORE_BUFFERING: &str = "\
atomic<u1> x;
atomic<u1> y;
thread left { x.store(1, release); let a = y.load(acquire); }
thread right { y.store(1, release); let b = x.load(acquire); }
";
