//! A report with names and lines.

use crate::names;
use crate::record::{Event, Kind, Part, Record, Role};
use crate::symbols::{Frame, Global, Symbols};

/// A stack, innermost first.
pub type Stack = Vec<Frame>;

/// An event with its stack as names and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolizedEvent {
    /// The event as the runtime reports it.
    pub event: Event,
    /// Its stack.
    pub stack: Stack,
}

/// A thread with the stack of its creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolizedThread {
    /// The runtime's number.
    pub number: u64,
    /// The system's number.
    pub system: u64,
    /// The thread that started it.
    pub parent: u64,
    /// Its name in the program.
    pub name: Option<String>,
    /// Where it was started.
    pub stack: Stack,
}

/// What the accessed memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// A global variable.
    Global(Global),
    /// A part of a heap block.
    Heap {
        /// Where the block begins.
        address: u64,
        /// Its size.
        bytes: u64,
        /// The thread that allocated it.
        thread: u64,
        /// Where it was allocated.
        stack: Stack,
    },
    /// A private part of the thread with this number.
    Of(Part, u64),
}

/// A report with names and lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub kind: Kind,
    /// The process.
    pub process: u64,
    /// The events, the judged access first.
    pub events: Vec<SymbolizedEvent>,
    /// The accessed memory, if it is known.
    pub memory: Option<Memory>,
    /// The threads.
    pub threads: Vec<SymbolizedThread>,
    /// `acquire` or `release-or-seq-cst`.
    pub missing: Option<String>,
}

impl Finding {
    /// Looks up all names and lines.
    pub fn resolve(record: &Record, symbols: &mut Symbols) -> Self {
        let mut stack = |addresses: &[u64]| stack(record, addresses, symbols);
        let events = record
            .events
            .iter()
            .map(|event| SymbolizedEvent { event: event.clone(), stack: stack(&event.stack) })
            .collect();
        let threads = record.threads.iter().map(|thread| SymbolizedThread {
            number: thread.number,
            system: thread.system,
            parent: thread.parent,
            name: thread.name.clone(),
            stack: stack(&thread.stack),
        });
        let threads = threads.collect();
        let heap = record.block.as_ref().map(|block| Memory::Heap {
            address: block.address,
            bytes: block.bytes,
            thread: block.thread,
            stack: stack(&block.stack),
        });
        let address = record.event(Role::Access).and_then(|access| access.address);
        let global = || address.and_then(|address| symbols.global(record, address)).map(Memory::Global);
        let memory = heap.or_else(global).or(record.part.map(|(part, thread)| Memory::Of(part, thread)));
        Self { kind: record.kind, process: record.process, events, memory, threads, missing: record.missing.clone() }
    }

    /// The event with this role.
    pub fn seen(&self, role: Role) -> Option<&SymbolizedEvent> {
        self.events.iter().find(|seen| seen.event.role == role)
    }

    /// The innermost frame of the judged access.
    pub fn innermost(&self) -> Option<&Frame> {
        self.seen(Role::Access)?.stack.first()
    }

    /// Whether the read value equals the stale one, or one of them is not known.
    pub fn leaves_with_stale_value(&self) -> bool {
        let value = |role| self.seen(role).and_then(|seen| seen.event.value);
        value(Role::Stale).zip(value(Role::Access)).is_none_or(|(stale, read)| stale == read)
    }

    /// Where the judged access is: its innermost frame with a line in the program itself, or else just the innermost one.
    pub fn place(&self) -> Option<&Frame> {
        own_frame(&self.seen(Role::Access)?.stack)
    }

    /// The code of the judged access, with as many callers as are needed to distinguish loops.
    pub fn waits_at(&self) -> Option<Site> {
        Site::of(&self.seen(Role::Access)?.stack, 3)
    }

    /// The code that waits in a loop. A compiler may have made two copies of the load, one for the first round and one for all others; then the record has both,
    /// and it is a loop only if both are the same code.
    pub fn loops_at(&self) -> Option<Site> {
        let site = self.waits_at()?;
        let first = self.seen(Role::Previous).and_then(|seen| Site::of(&seen.stack, 3));
        first.is_none_or(|first| first == site && site.has_lines()).then_some(site)
    }

    /// Findings with the same key need the same repair.
    pub fn key(&self) -> (Kind, [Option<Site>; 2]) {
        let other = self.seen(Role::Missed).or(self.seen(Role::Previous));
        let site = |seen: Option<&SymbolizedEvent>| seen.and_then(|seen| Site::of(&seen.stack, 2));
        (self.kind, [site(self.seen(Role::Access)), site(other)])
    }

    /// Whether the judged access is in a lock, a channel or a similar object of Rust's or C++'s standard library. These are trusted: they order the program's threads, and their implementation is not
    /// checked.
    pub fn is_inside_library(&self) -> bool {
        let Some(access) = self.seen(Role::Access) else { return false };
        access.stack.iter().find_map(trust).unwrap_or(false)
    }
}

/// Whether the code of a frame is trusted. `None` for functions of standard libraries that make an access for their caller, because it depends on the caller.
fn trust(frame: &Frame) -> Option<bool> {
    match (&frame.file, &frame.function) {
        (Some(file), _) => (!is_atomic(file)).then(|| TRUSTED.iter().any(|part| file.contains(part))),
        // Without debug information only the name is known.
        (None, Some(function)) => names::trust(function),
        (None, None) => Some(false),
    }
}

/// The standard libraries. The waiting operations of C++ are in headers.
const TRUSTED: [&str; 3] = ["/library/std/src/", "/library/alloc/src/", "/include/c++/"];

/// Whether a file has the functions of standard libraries that make an access for their caller.
fn is_atomic(file: &str) -> bool {
    let in_headers = ["/atomic", "/bits/atomic_base.h"].iter().any(|name| file.ends_with(name));
    file.contains("/library/core/src/") || file.contains("/include/c++/") && in_headers
}

/// A piece of code, the same for all copies that the compiler makes: the innermost lines of the program itself. One line is not always enough, because many programs have their own functions for
/// loads and stores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site(Vec<Line>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    /// A file, a line and a column.
    Known(String, u32, Option<u32>),
    /// An address in a module, if the line is not known.
    Address(Option<String>, u64),
}

impl Site {
    fn of(stack: &[Frame], depth: usize) -> Option<Self> {
        let own = own_frame(stack)?;
        let start = stack.iter().position(|frame| frame == own)?;
        Some(Self(stack[start..].iter().take(depth).map(Line::of).collect()))
    }

    fn has_lines(&self) -> bool {
        matches!(self.0.first(), Some(Line::Known(..)))
    }
}

impl Line {
    fn of(frame: &Frame) -> Self {
        match (&frame.file, frame.line) {
            (Some(file), Some(line)) => Self::Known(file.clone(), line, frame.column),
            _ => Self::Address(frame.module.clone(), frame.offset),
        }
    }
}

/// The innermost frame that is not in a header of the standard library.
pub fn own_frame(stack: &[Frame]) -> Option<&Frame> {
    stack.iter().find(|frame| frame.line.is_some() && !is_library(frame)).or(stack.first())
}

/// Whether a frame is in a header of the standard library, which is rarely the line that the user needs.
fn is_library(frame: &Frame) -> bool {
    frame
        .file
        .as_deref()
        .is_some_and(|file| ["/include/c++/", "/rustc/", "/library/core/src/"].iter().any(|part| file.contains(part)))
}

fn stack(record: &Record, addresses: &[u64], symbols: &mut Symbols) -> Stack {
    let mut frames: Vec<_> = addresses.iter().flat_map(|&address| symbols.frames(record, address)).collect();
    // The frames outside of the program's first function are left out, and so is the runtime.
    if let Some(first) = frames.iter().position(|frame| frame.function.as_deref() == Some("main")) {
        frames.truncate(first + 1);
    }
    // The outermost frames are functions of libc or libstdc++ that have called the thread's function.
    let known = frames.iter().rposition(|frame| frame.file.is_some());
    frames.truncate(known.map_or(frames.len(), |last| last + 1));
    frames.retain(|frame| !is_in_runtime(frame));
    frames
}

/// Whether a frame belongs to the runtime. The runtime has no line numbers: with line numbers, it is the runtime's own code under test.
fn is_in_runtime(frame: &Frame) -> bool {
    frame.file.is_none() && frame.function.as_deref().is_some_and(|name| name.starts_with("steadfast_rt::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, tests::SAMPLE};

    /// A finding whose access was made in these files, innermost first.
    fn made_in(files: &[&str]) -> Finding {
        let mut finding = Finding::resolve(&parse(SAMPLE)[0], &mut Symbols::new());
        let frame = |file: &&str| Frame { file: Some((*file).to_owned()), line: Some(1), ..Frame::default() };
        finding.events[0].stack = files.iter().map(frame).collect();
        finding
    }

    #[test]
    fn the_runtime_is_left_out_unless_it_is_tested() {
        let frame = |file: Option<&str>| Frame {
            function: Some("steadfast_rt::lock::Latch::acquire".to_owned()),
            file: file.map(str::to_owned),
            ..Frame::default()
        };
        assert!(is_in_runtime(&frame(None)) && !is_in_runtime(&frame(Some("crates/rt/src/lock.rs"))));
    }

    #[test]
    fn without_files_names_are_trusted() {
        let called = |functions: &[&str]| {
            let mut finding = made_in(&[]);
            let frame = |name: &&str| Frame { function: Some((*name).to_owned()), ..Frame::default() };
            finding.events[0].stack = functions.iter().map(frame).collect();
            finding.is_inside_library()
        };
        assert!(called(&["std::__atomic_base<long>::load(std::memory_order) const", "std::latch::try_wait() const"]));
        assert!(!called(&["std::__atomic_base<long>::load(std::memory_order) const", "main"]));
        assert!(!called(&[]));
    }

    #[test]
    fn standard_libraries_are_trusted_and_their_callers_are_not() {
        let (atomic, base) = ("/usr/include/c++/12/atomic", "/usr/include/c++/12/bits/atomic_base.h");
        let (wait, invoke) = ("/usr/include/c++/12/bits/atomic_wait.h", "/usr/include/c++/12/bits/invoke.h");
        let core = "/rustc/1/library/core/src/sync/atomic.rs";
        assert!(!made_in(&[base, "lock.cpp", invoke]).is_inside_library());
        assert!(!made_in(&[atomic, base, "lock.cpp"]).is_inside_library());
        assert!(made_in(&[base, wait, "lock.cpp"]).is_inside_library());
        assert!(!made_in(&[core, "src/main.rs"]).is_inside_library());
        assert!(made_in(&[core, "/rustc/1/library/std/src/sync/mpsc/mod.rs", "src/main.rs"]).is_inside_library());
        assert!(!made_in(&["lock.c"]).is_inside_library());
    }
}
