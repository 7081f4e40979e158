//! A report as data: lines of words, which `steadfast` reads, and people can read.
//!
//! ```text
//! steadfast-report 1
//! kind stale-read
//! access load acquire 4 0x5581d2c04040 0x1 thread 2
//! stack 0x5581d2c01234 0x5581d2c01300
//! missed store release 0x1 number 1 thread 1
//! stack 0x5581d2c01250
//! stale initial 0x0
//! missing release-or-seq-cst
//! thread 1 system 4243 parent 0 name worker
//! stack 0x5581d2c01400
//! module 0x5581d2c00000 0x5581d2c00000 0x5581d2c05000 /home/me/program
//! end
//! ```
//! `number` is the place of a write in the modification order of its location. A `stack` belongs to the line before it; its first address is that of the access itself. All addresses are return addresses.

use super::modules;
use crate::abi::atomics::Strength;
use crate::access::{Accessed, Step};
use crate::engine::{self, Violation};
use crate::frames::{self, Call};
use crate::order::{Order, Strictness};
use crate::stacks::{self, Part};
use crate::{options, origins, sys, thread};
use core::fmt::Write;
use std::string::String;
use std::vec::Vec;
use steadfast_clocks::{Missing, WriteRecord};
use steadfast_model::ViolationKind;

/// The maximum size: what fits into a pipe at once.
const MOST_BYTES: usize = 60_000;
/// The maximum number of frames per stack.
const MOST_FRAMES: usize = 64;

/// A report.
pub(super) struct Record {
    text: String,
    addresses: Vec<usize>,
    threads: Vec<u32>,
}

/// The access of a race that found it.
pub(crate) struct Plain {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) read: bool,
    /// The order, if it is atomic.
    pub(crate) order: Option<Order>,
    pub(crate) caller: usize,
}

/// The other access of a race.
pub(crate) struct Previous {
    pub(crate) thread: u32,
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) read: bool,
    pub(crate) atomic: bool,
    /// Its stack, if the thread's ring still has it.
    pub(crate) place: Option<Call>,
}

impl Record {
    fn new(kind: &str) -> Self {
        let mut record = Self { text: String::new(), addresses: Vec::new(), threads: Vec::new() };
        record.line(format_args!("steadfast-report 1"));
        record.line(format_args!("kind {kind}"));
        record.line(format_args!("process {}", sys::process_number()));
        if let Some(path) = options::SUPPRESSIONS.get() {
            record.line(format_args!("suppressions {}", String::from_utf8_lossy(&path)));
        }
        record
    }

    fn line(&mut self, words: core::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(words);
        self.text.push('\n');
    }

    /// The whole text.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[..self.text.len().min(MOST_BYTES)]
    }

    /// An atomic access that could behave differently.
    pub(super) fn of_violation(thread: u32, access: &Accessed, place: Call, finding: &Violation) -> Self {
        let mut record = Self::new(finding.kind.name());
        let (operation, order) = operation(access);
        record.threads.push(thread);
        record.line(format_args!(
            "access {operation} {order} {} {:#x} {:#x} thread {}",
            access.bytes,
            access.address,
            access.step.seen(),
            thread
        ));
        record.stack(place);
        record.addresses.push(access.address);
        record.block(access.address);
        record.write("missed", &finding.missed);
        if finding.known.number != finding.missed.number {
            record.write("known", &finding.known);
        }
        if let Some(stale) = &finding.stale {
            record.write("stale", stale);
        }
        record.line(format_args!(
            "missing {}",
            match finding.missing {
                Missing::Acquire => "acquire",
                Missing::ReleaseOrSeqCst => "release-or-seq-cst",
            }
        ));
        record.finish()
    }

    /// Two accesses that happens-before does not order.
    pub(super) fn of_race(thread: &mut thread::Thread, access: &Plain, previous: &Previous) -> Self {
        let mut record = Self::new(ViolationKind::Race.name());
        let word = |read: bool| if read { "read" } else { "write" };
        let order = access.order.map_or("plain", |order| order.success.name());
        record.threads.push(thread.number);
        let (operation, bytes, address) = (word(access.read), access.bytes, access.address);
        record.line(format_args!("access {operation} {order} {bytes} {address:#x} thread {}", thread.number));
        record.stack(thread.frames.place(access.caller));
        record.addresses.push(address);
        record.block(address);
        let order = if previous.atomic { "unknown" } else { "plain" };
        let (operation, bytes, address) = (word(previous.read), previous.bytes, previous.address);
        record.line(format_args!("previous {operation} {order} {bytes} {address:#x} thread {}", previous.thread));
        if let Some(place) = previous.place {
            record.stack(place);
        }
        if !record.threads.contains(&previous.thread) {
            record.threads.push(previous.thread);
        }
        record.finish()
    }

    /// Code that waits in a loop.
    pub(super) fn of_spin(place: Call, first_turn: Option<Call>) -> Self {
        let mut record = Self::new("spin");
        record.line(format_args!("access load plain 0 0x0 thread 0"));
        record.stack(place);
        if let Some(first) = first_turn {
            record.line(format_args!("previous load plain 0 0x0 thread 0"));
            record.stack(first);
        }
        record.finish()
    }

    /// All threads wait.
    pub(super) fn of_deadlock() -> Self {
        Self::new(ViolationKind::Deadlock.name()).finish()
    }

    fn write(&mut self, role: &str, write: &WriteRecord) {
        let Some(slot) = write.slot else {
            self.line(format_args!("{role} initial {:#x}", write.value));
            return;
        };
        let number = engine::owner(slot);
        let what = if write.update { "update" } else { "store" };
        let order = Strictness::of_write(write.acquire, write.release, write.seq_cst).name();
        let (value, place) = (write.value, write.number);
        self.line(format_args!("{role} {what} {order} {value:#x} number {place} thread {number}"));
        self.stack(Call(write.place.0));
        if !self.threads.contains(&number) {
            self.threads.push(number);
        }
    }

    /// Adds the heap block that contains the address, or else the thread on whose stack it is.
    fn block(&mut self, address: usize) {
        let Some(block) = origins::find(address) else { return self.part_of_thread(address) };
        self.line(format_args!("block {:#x} {} thread {}", block.address, block.bytes, block.thread));
        self.stack(Call(block.place));
        if !self.threads.contains(&block.thread) {
            self.threads.push(block.thread);
        }
    }

    fn part_of_thread(&mut self, address: usize) {
        let Some((number, part)) = stacks::owner(address) else { return };
        let part = match part {
            Part::Stack => "stack",
            Part::ThreadLocal => "thread-local",
        };
        self.line(format_args!("part {part} thread {number}"));
        if !self.threads.contains(&number) {
            self.threads.push(number);
        }
    }

    fn stack(&mut self, place: Call) {
        let mut addresses = Vec::new();
        frames::walk(place, |pc| addresses.push(pc));
        addresses.truncate(MOST_FRAMES);
        self.text.push_str("stack");
        for address in &addresses {
            let _ = write!(self.text, " {address:#x}");
        }
        self.text.push('\n');
        self.addresses.extend(addresses);
    }

    /// Adds what is known about the threads, and the modules that addresses belong to.
    fn finish(mut self) -> Self {
        for number in core::mem::take(&mut self.threads) {
            let system = thread::entry(number).system.load(core::sync::atomic::Ordering::Relaxed);
            let (call, caller, parent) = thread::origin(number);
            let name = *thread::entry(number).name.lock();
            let name = String::from_utf8_lossy(&name);
            let name = name.trim_end_matches('\0').replace(char::is_control, "?");
            let named = if name.is_empty() { "" } else { " name " };
            self.line(format_args!("thread {number} system {system} parent {parent}{named}{name}"));
            if number != 0 && caller != 0 {
                let place = frames::child(call, caller);
                self.stack(place);
            }
        }
        for module in modules::containing(&self.addresses) {
            self.line(format_args!("module {:#x} {:#x} {:#x} {}", module.base, module.start, module.end, module.path));
        }
        self.line(format_args!("end"));
        self
    }
}

/// The words for what the access does, and for its order.
fn operation(access: &Accessed) -> (&'static str, &'static str) {
    let name = match access.step {
        Step::Load { .. } => "load",
        Step::Store { .. } => "store",
        Step::Update { .. } => "update",
        Step::Compare { strength: Strength::Weak, .. } => "weak-compare-exchange",
        Step::Compare { strength: Strength::Strong, .. } => "compare-exchange",
        Step::Compare { strength: Strength::Blocking, .. } => "blocking-compare-exchange",
    };
    let failed = matches!(access.step, Step::Compare { changed: false, .. });
    (name, if failed { access.order.failure } else { access.order.success }.name())
}
