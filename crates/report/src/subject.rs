//! The subject of a view: a witness, the names of its threads and locations, and the places of its steps.

use steadfast_graph::{EventId, Names, Witness};
use steadfast_ir::{Pc, Program, ThreadId};
use steadfast_model::Model;
use steadfast_robust::Place;
use steadfast_span::SourceFile;

/// The places of the steps of a witness.
pub trait Places<P> {
    /// The thread of a step.
    fn thread(&self, place: &P) -> ThreadId;

    /// The instruction, if the step comes from a program.
    fn instruction(&self, _place: &P) -> Option<Pc> {
        None
    }

    /// The number of the file, and the line in it.
    fn line(&self, place: &P) -> Option<(usize, u32)>;

    /// The source text at the place.
    fn code(&self, place: &P) -> String;

    /// Further lines in the box of a step. Accesses have an ordering.
    fn details(&self, place: &P, ordering: Option<&str>) -> Vec<String>;
}

/// A witness, with its names and places.
pub struct Subject<'a, P> {
    /// The witness.
    pub witness: &'a Witness<P>,
    /// The names.
    pub names: &'a dyn Names,
    /// The places.
    pub places: &'a dyn Places<P>,
    /// The program and the model, if the whole execution is known. Only then is it possible to say what threads may still read.
    pub whole: Option<(&'a Program, Model)>,
    /// The events to which the text around the picture gives numbers, from 1.
    pub numbered: &'a [EventId],
}

/// The places of a program with one source text.
#[derive(Clone, Copy)]
pub struct ProgramText<'a> {
    /// The source text.
    pub file: &'a SourceFile,
}

impl ProgramText<'_> {
    fn line_of(self, place: &Place) -> u32 {
        self.file.line_column(place.span.start).line
    }
}

impl Places<Place> for ProgramText<'_> {
    fn thread(&self, place: &Place) -> ThreadId {
        place.thread
    }

    fn instruction(&self, place: &Place) -> Option<Pc> {
        Some(place.pc)
    }

    fn line(&self, place: &Place) -> Option<(usize, u32)> {
        Some((0, self.line_of(place)))
    }

    fn code(&self, place: &Place) -> String {
        let first = self.file.snippet(place.span).lines().next().unwrap_or_default();
        first.trim().trim_end_matches(';').to_owned()
    }

    fn details(&self, place: &Place, ordering: Option<&str>) -> Vec<String> {
        let line = format!("line {}", self.line_of(place));
        vec![ordering.map_or_else(|| line.clone(), |ordering| format!("{ordering} · {line}"))]
    }
}
