//! A witness with numbered events, and its parts as text: labels, the run, the cycle.

use super::CheckedProgram;
use std::fmt::Write;
use steadfast_graph::{EdgeKind, Event, EventId, EventKind};
use steadfast_ir::{LocId, Pc, Program, ThreadId};
use steadfast_robust::{Place, RunStep, Witness};
use steadfast_span::{SourceFile, Span};

/// How many steps of a run are shown. Of a longer run, the beginning and the end are shown.
const SHOWN_STEPS: usize = 40;
/// How many of them belong to the beginning.
const FIRST_STEPS: usize = 8;
/// Longer pieces of source are shown as listed instructions.
const SHOWN_SOURCE: usize = 60;
/// The maximum width of a line of the cycle.
const CYCLE_WIDTH: usize = 100;

/// A witness, its program, and its numbered events.
pub(crate) struct NumberedWitness<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) program: &'a Program,
    pub(crate) witness: &'a Witness,
    /// The events with a number, in the order in which they happen; the offending one is last.
    pub(crate) numbered_events: Vec<EventId>,
}

impl<'a> NumberedWitness<'a> {
    /// Chooses and numbers the events that matter.
    pub(crate) fn new(checked: &CheckedProgram<'a>, witness: &'a Witness) -> Self {
        let on_cycle = witness.cycle.iter().map(|&(event, _)| event);
        let mut numbered_events: Vec<_> = on_cycle.chain(witness.stale).chain(witness.newest).collect();
        numbered_events.retain(|&event| Some(event) != witness.step.event);
        // Events are numbered in the order in which they happened.
        numbered_events.sort_unstable();
        numbered_events.dedup();
        numbered_events.extend(witness.step.event);
        Self { file: checked.file, program: checked.program, witness, numbered_events }
    }

    /// An event of the execution.
    pub(crate) fn event(&self, id: EventId) -> &'a Event {
        self.witness.execution.event(id)
    }

    /// `(2)`, or nothing for an event that has no number.
    pub(crate) fn mark(&self, id: EventId) -> Option<String> {
        self.numbered_events.iter().position(|&other| other == id).map(|at| format!("({})", at + 1))
    }

    /// The place of an event in the source: its instruction, or for an initial value the declaration.
    pub(crate) fn span(&self, id: EventId) -> Span {
        let event = self.event(id);
        let declared = || event.location.and_then(|location| self.program.locations.get(location));
        match event.thread {
            Some(_) => event.span,
            None => declared().map_or(event.span, |location| location.span),
        }
    }

    /// The line of an event.
    pub(crate) fn line(&self, id: EventId) -> u32 {
        self.file.line_column(self.span(id).start).line
    }

    /// The name of a thread.
    pub(crate) fn thread(&self, thread: ThreadId) -> &'a str {
        self.program.threads.get(thread).map_or("?", |thread| thread.name.as_str())
    }

    /// The name of a location. The ghost location of the fences has none.
    pub(crate) fn location(&self, location: Option<LocId>) -> &'a str {
        location
            .and_then(|location| self.program.locations.get(location))
            .map_or("?", |location| location.name.as_str())
    }

    /// The source of an event on one line.
    pub(crate) fn code(&self, id: EventId) -> String {
        source_text(self.file, self.program, self.event(id))
    }

    /// What an event does, for a label.
    pub(crate) fn description(&self, id: EventId) -> String {
        let event = self.event(id);
        let location = self.location(event.location);
        let (read, written) = (self.program.shown(event.value_read), self.program.shown(event.value_written));
        let Some(thread) = event.thread.map(|thread| self.thread(thread)) else {
            return format!("`{location}` is {written} at first");
        };
        match event.kind {
            EventKind::Fence => format!("`{thread}` has a fence"),
            EventKind::Update => format!("`{thread}` replaces {read} in `{location}` by {written}"),
            EventKind::Write | EventKind::PlainWrite => format!("`{thread}` writes {written} to `{location}`"),
            EventKind::Read | EventKind::WaitRead | EventKind::FailedCas | EventKind::PlainRead => {
                format!("`{thread}` reads {read} from `{location}`")
            }
        }
    }

    /// The cycle, from its earliest event: `(2) x.store(1) —po→ (3) y.load() —fr→ (2)`.
    pub(crate) fn cycle(&self) -> String {
        let cycle = &self.witness.cycle;
        let first =
            (0..cycle.len()).min_by_key(|&at| self.numbered_events.iter().position(|&event| event == cycle[at].0));
        let Some(first) = first else { return String::new() };
        let mut text = String::new();
        let mut column = 0;
        for step in 0..cycle.len() {
            let (event, edge) = cycle[(first + step) % cycle.len()];
            let part = format!("{} {} —{}→", self.mark(event).unwrap_or_default(), self.code(event), edge.name());
            let width = part.chars().count() + 1;
            let separator = match column {
                0 => "",
                _ if column + width > CYCLE_WIDTH => "\n  ",
                _ => " ",
            };
            column = if separator.starts_with('\n') { width } else { column + width };
            text.push_str(separator);
            text.push_str(&part);
        }
        format!("{text} {}", self.mark(cycle[first].0).unwrap_or_default())
    }

    /// The meanings of the edges of the cycle.
    pub(crate) fn legend(&self) -> String {
        let all = [
            (EdgeKind::Po, "po: then, in the same thread"),
            (EdgeKind::Rf, "rf: is read by"),
            (EdgeKind::Mo, "mo: is overwritten by"),
            (EdgeKind::Fr, "fr: reads what is overwritten by"),
        ];
        let used = all.iter().filter(|(kind, _)| self.witness.cycle.iter().any(|(_, edge)| edge == kind));
        used.map(|(_, meaning)| *meaning).collect::<Vec<_>>().join("; ")
    }

    /// The run, a line per step.
    pub(crate) fn run(&self) -> String {
        let run = &self.witness.run;
        let hidden = run.len().saturating_sub(SHOWN_STEPS);
        let shown = |at: usize| at < FIRST_STEPS || at >= FIRST_STEPS + hidden;
        let lines: Vec<_> =
            run.iter().enumerate().filter(|&(at, _)| shown(at)).map(|(at, step)| self.row(at, step)).collect();
        let width = |column: usize| lines.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 5] = std::array::from_fn(width);
        let mut text = String::new();
        for (at, row) in lines.iter().enumerate() {
            if hidden > 0 && at == FIRST_STEPS {
                let _ = writeln!(text, "  … {hidden} steps, which --format json shows …");
            }
            let line: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            let _ = writeln!(text, "  {}", line.join("  ").trim_end());
        }
        text.trim_end().to_owned()
    }

    /// A step of the run as a row of a table: number, thread, line, source, effect with the number of its event.
    fn row(&self, at: usize, step: &RunStep) -> [String; 5] {
        let Place { thread, pc, span } = step.place;
        let mark = step.event.and_then(|event| self.mark(event)).map_or(String::new(), |mark| format!("  {mark}"));
        [
            format!("{}.", at + 1),
            format!("thread {}", self.thread(thread)),
            format!("line {}", self.file.line_column(span.start).line),
            instruction_text(self.file, self.program, thread, Some(pc), span),
            format!("{}{mark}", step.text),
        ]
    }
}

/// The source of an event on one line, or its listed instruction if the source is longer.
pub(crate) fn source_text(file: &SourceFile, program: &Program, event: &Event) -> String {
    let Some(thread) = event.thread else {
        let location = event.location.and_then(|location| program.locations.get(location));
        return format!(
            "{} = {}",
            location.map_or("?", |location| location.name.as_str()),
            program.shown(event.value_written)
        );
    };
    instruction_text(file, program, thread, event.pc, event.span)
}

fn instruction_text(file: &SourceFile, program: &Program, thread: ThreadId, pc: Option<Pc>, span: Span) -> String {
    let snippet = file.snippet(span).trim().trim_end_matches(';');
    if !snippet.is_empty() && !snippet.contains('\n') && snippet.chars().count() <= SHOWN_SOURCE {
        return snippet.to_owned();
    }
    let listed = program.threads.get(thread).and_then(|thread| Some((thread, thread.code.get(pc?)?)));
    listed.map_or(String::new(), |(thread, instruction)| program.instr_text(thread, &instruction.op))
}
