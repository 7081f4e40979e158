//! Makes a witness of a report: the part of the execution graph that it is about.
//!
//! The runtime knows the judged access, the write that it could read from, the first write that it would miss and the newest write before it under SC, with their places in
//! the modification order. It does not know the path from that write to the access; this is one edge ([`EdgeKind::Before`]). It does not know the other accesses; the witness leaves them out.
//!
//! [`EdgeKind::Before`]: steadfast_graph::EdgeKind::Before

use crate::finding::{Finding, Memory, SymbolizedEvent, own_frame};
use crate::record::{Kind, Role};
use crate::symbols::Frame;
use crate::text;
use steadfast_graph::{Event, EventId, EventKind, Execution, Legend, Names, Order, RunStep, Witness};
use steadfast_ir::{LocId, ThreadId, Value};
use steadfast_model::ViolationKind;
use steadfast_span::Index;

/// The place of a step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The thread.
    pub thread: ThreadId,
    /// The innermost line of the program itself, if that is known.
    pub frame: Option<Frame>,
}

/// The execution of a report, with its names. Reports of deadlocks have none, nor have reports that were cut off.
pub fn witness(finding: &Finding) -> Option<(Witness<Spot>, Legend)> {
    let access = finding.seen(Role::Access)?;
    let kind = finding.kind.violation()?;
    let builder = Builder::new(finding, access);
    if kind == ViolationKind::Race {
        builder.race(finding.seen(Role::Previous)?, access)
    } else {
        builder.violation(kind, finding, access)
    }
}

/// No value, or an unknown one.
const UNKNOWN: Value = Value::MAX;

struct Builder {
    /// The runtime's numbers of the threads, in the order of the graph's threads.
    threads: Vec<u64>,
    values: Vec<u128>,
    execution: Execution,
    location: LocId,
    legend: Legend,
    run: Vec<RunStep<Spot>>,
}

impl Builder {
    fn new(finding: &Finding, access: &SymbolizedEvent) -> Self {
        let mut threads: Vec<u64> = finding.events.iter().filter_map(|seen| seen.event.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let mut execution = Execution::new([]);
        let legend = Legend {
            threads: threads.iter().map(|&thread| text::who(Some(thread))).collect(),
            locations: vec![place_in_memory(finding, access)],
            ..Legend::default()
        };
        let location = match finding.seen(Role::Stale) {
            Some(stale) if stale.event.operation != "initial" => execution.add_location_in_between(),
            None if finding.kind == Kind::Race => execution.add_location_in_between(),
            _ => execution.add_location(UNKNOWN),
        };
        Self { threads, values: Vec::new(), execution, location, legend, run: Vec::new() }
    }

    fn violation(
        mut self,
        kind: ViolationKind,
        finding: &Finding,
        access: &SymbolizedEvent,
    ) -> Option<(Witness<Spot>, Legend)> {
        let missed = finding.seen(Role::Missed)?;
        let stale = match finding.seen(Role::Stale) {
            Some(stale) if stale.event.operation == "initial" => Some(self.begin(stale)),
            Some(stale) => Some(self.write(stale, None)?),
            // There was a write, but the log was too short to keep it.
            None => {
                self.legend.forgotten = true;
                self.execution.last_write(self.location)
            }
        }?;
        let first = self.write(missed, finding.seen(Role::Stale))?;
        let newest = match finding.seen(Role::Known) {
            Some(known) => self.write(known, Some(missed))?,
            None => first,
        };
        let taken = self.execution.event(stale).value_written;
        let event = self.access(finding.kind, access, taken)?;
        let id = self.execution.add(event, stale);
        self.execution.add_before(newest, id);
        let step = self.step(access, id)?;
        let cycle = self.execution.labelled_cycle_through(id).unwrap_or_default();
        Some(self.finish(Witness {
            kind,
            run: Vec::new(),
            step,
            stale: Some(stale),
            newest: Some(newest),
            execution: Execution::new([]),
            cycle,
            noticed: None,
            confirmed: false,
        }))
    }

    fn race(mut self, previous: &SymbolizedEvent, access: &SymbolizedEvent) -> Option<(Witness<Spot>, Legend)> {
        let first = self.plain(previous)?;
        let step = self.step(previous, first)?;
        self.run.push(step);
        let second = self.plain(access)?;
        let step = self.step(access, second)?;
        Some(self.finish(Witness {
            kind: ViolationKind::Race,
            run: Vec::new(),
            step,
            stale: Some(first),
            newest: None,
            execution: Execution::new([]),
            cycle: Vec::new(),
            noticed: None,
            confirmed: false,
        }))
    }

    fn finish(mut self, witness: Witness<Spot>) -> (Witness<Spot>, Legend) {
        self.legend.values = self.shown_values();
        (Witness { run: self.run, execution: self.execution, ..witness }, self.legend)
    }

    fn shown_values(&self) -> Vec<String> {
        self.values.iter().map(|value| format!("{value:#x}")).collect()
    }

    /// The number of a value in this graph.
    fn value(&mut self, value: Option<u128>) -> Value {
        let Some(value) = value else { return UNKNOWN };
        let known = self.values.iter().position(|&other| other == value);
        let at = known.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        Value::try_from(at).unwrap_or(UNKNOWN)
    }

    fn thread(&self, seen: &SymbolizedEvent) -> Option<ThreadId> {
        let number = seen.event.thread?;
        self.threads.iter().position(|&other| other == number).map(ThreadId::new)
    }

    /// Sets the initial value.
    fn begin(&mut self, initial: &SymbolizedEvent) -> EventId {
        let value = self.value(initial.event.value);
        self.execution = Execution::new([value]);
        self.execution.initial_write(self.location)
    }

    /// Adds a write from the runtime's log as the newest one so far. An update has read from the write before it, if that is the one that is shown.
    fn write(&mut self, seen: &SymbolizedEvent, before: Option<&SymbolizedEvent>) -> Option<EventId> {
        let (thread, order) = (self.thread(seen)?, order(seen));
        let value = self.value(seen.event.value);
        let next = before.and_then(|before| before.event.number).map(|number| number + 1);
        let source = self.execution.last_write(self.location).filter(|_| next.is_some() && next == seen.event.number);
        let id = if seen.event.operation == "update" {
            let read = source.map_or(UNKNOWN, |source| self.execution.event(source).value_written);
            let id = self.execution.add_newest(Event::update(thread, self.location, read, value, order));
            if let Some(source) = source {
                self.execution.set_rf(id, source);
            }
            id
        } else {
            self.execution.add_newest(Event::store(thread, self.location, value, order))
        };
        let step = self.step(seen, id)?;
        self.run.push(step);
        Some(id)
    }

    /// The judged access, which reads a value that was overwritten.
    fn access(&mut self, kind: Kind, seen: &SymbolizedEvent, taken: Value) -> Option<Event> {
        let (thread, order, location) = (self.thread(seen)?, order(seen), self.location);
        Some(match (kind, seen.event.operation.as_str()) {
            (Kind::StaleRead, "load") => Event::load(thread, location, taken, order),
            (Kind::StaleRead, _) => Event::read(thread, EventKind::FailedCas, location, taken, order),
            (_, "store") => Event::store(thread, location, self.value(seen.event.value), order),
            // The value that it writes depends on the value that it reads, which is not the one of this run.
            _ => Event::update(thread, location, taken, UNKNOWN, order),
        })
    }

    /// An access of a race.
    fn plain(&mut self, seen: &SymbolizedEvent) -> Option<EventId> {
        let (thread, location, order) = (self.thread(seen)?, self.location, order(seen));
        let (reads, atomic) = (seen.event.operation == "read", seen.event.order.is_some());
        Some(match (reads, atomic) {
            (true, false) => {
                self.execution.push(Event::read(thread, EventKind::PlainRead, location, UNKNOWN, Order::RELAXED))
            }
            (true, true) => self.execution.push(Event::load(thread, location, UNKNOWN, order)),
            (false, false) => self.execution.add_newest(Event::plain_store(thread, location, UNKNOWN)),
            (false, true) => self.execution.add_newest(Event::store(thread, location, UNKNOWN, order)),
        })
    }

    fn step(&self, seen: &SymbolizedEvent, id: EventId) -> Option<RunStep<Spot>> {
        let event = self.execution.event(id);
        let legend = Legend { values: self.shown_values(), ..self.legend.clone() };
        let name = legend.location(self.location);
        let (read, written) = (legend.value(event.value_read), legend.value(event.value_written));
        let text = match event.kind {
            EventKind::Update => format!("{name} read as {read}, replaced by {written}"),
            kind if kind.writes() => format!("{name} := {written}"),
            _ => format!("{name} read as {read}"),
        };
        let place = Spot { thread: self.thread(seen)?, frame: own_frame(&seen.stack).cloned() };
        Some(RunStep { place, event: Some(id), text })
    }
}

/// The name of the accessed memory.
fn place_in_memory(finding: &Finding, access: &SymbolizedEvent) -> String {
    let distance = |name: &str, distance: u64| match distance {
        0 => name.to_owned(),
        distance => format!("{name}+{distance}"),
    };
    let address = access.event.address.unwrap_or(0);
    match &finding.memory {
        Some(Memory::Global(global)) => distance(&global.name, global.distance),
        Some(Memory::Heap { address: start, .. }) => distance("block", address.saturating_sub(*start)),
        Some(Memory::Of(..)) | None => format!("{address:#x}"),
    }
}

/// The ordering of an access, if it is known. For the earlier access of a race it is not.
fn order(seen: &SymbolizedEvent) -> Order {
    match seen.event.order.as_deref() {
        Some("acquire" | "consume") => Order::ACQUIRE,
        Some("release") => Order::RELEASE,
        Some("acq_rel") => Order::ACQ_REL,
        Some("seq_cst") => Order { seq_cst: true, ..Order::ACQ_REL },
        _ => Order::RELAXED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, tests::SAMPLE};
    use crate::symbols::Symbols;
    use steadfast_graph::EdgeKind;

    fn of(text: &str) -> (Witness<Spot>, Legend) {
        witness(&Finding::resolve(&parse(text)[0], &mut Symbols::new())).expect("a witness")
    }

    fn edges(witness: &Witness<Spot>) -> Vec<&'static str> {
        witness.cycle.iter().map(|&(_, edge)| edge.name()).collect()
    }

    #[test]
    fn a_stale_read_is_on_a_cycle_with_the_write_that_it_misses() {
        let (witness, legend) = of(SAMPLE);
        assert_eq!(witness.execution.well_formed(), Ok(()));
        assert!(witness.execution.is_partial() && !witness.confirmed);
        assert_eq!(legend.threads, ["thread T1", "thread T2"]);
        let mut cycle = witness.cycle.clone();
        cycle.sort_unstable();
        let expected = vec![(witness.newest.unwrap(), EdgeKind::Before), (witness.step.event.unwrap(), EdgeKind::Fr)];
        assert_eq!(cycle, expected);
        let text = witness.dot(&legend);
        for part in ["init 0x5040 = 0x0", "W(rel) 0x5040 = 0x1", "R(acq) 0x5040 = 0x0", "style=dashed"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// A report with these lines about writes.
    fn report(kind: &str, access: &str, writes: &str) -> String {
        format!("steadfast-report 1\nkind {kind}\naccess {access} 4 0x5040 0x7 thread 1\n{writes}\nend\n")
    }

    #[test]
    fn a_write_that_nobody_remembers_is_not_called_the_initial_value() {
        let writes = "missed store relaxed 0x5 number 40 thread 2\nknown store relaxed 0x6 number 42 thread 3";
        let (witness, legend) = of(&report("stale-read", "load relaxed", writes));
        assert!(legend.forgotten);
        assert!(witness.dot(&legend).contains("older 0x5040"), "{}", witness.dot(&legend));
        assert_eq!(witness.run.len(), 2);
    }

    #[test]
    fn an_update_reads_from_the_write_before_it_only_if_that_is_known() {
        let writes = |number: u64| {
            format!(
                "missed store relaxed 0x5 number 2 thread 2\nknown update release 0x6 number {number} thread 2\n\
                 stale store relaxed 0x4 number 1 thread 2"
            )
        };
        for (number, known) in [(3, true), (4, false)] {
            let (witness, _) = of(&report("overtaking-write", "store release", &writes(number)));
            let update = witness.newest.unwrap();
            assert_eq!(witness.execution.rf(update).is_some(), known);
            assert_eq!(witness.execution.thread(ThreadId::new(1)).len(), 3);
            assert_eq!(edges(&witness).len(), 2);
            assert!(edges(&witness).contains(&"mo") && edges(&witness).contains(&"before"));
        }
    }

    #[test]
    fn races_have_two_accesses_and_deadlocks_no_graph() {
        let text = "steadfast-report 1\nkind race\naccess write plain 4 0x5040 thread 1\nprevious read plain 4 0x5040 thread 0\nend\n";
        let (witness, legend) = of(text);
        assert!(witness.race().is_some() && witness.cycle.is_empty() && witness.execution.is_partial());
        assert!(witness.dot(&legend).contains("label=\"race\""));
        let deadlock = &parse("steadfast-report 1\nkind deadlock\nend\n")[0];
        assert!(super::witness(&Finding::resolve(deadlock, &mut Symbols::new())).is_none());
    }
}
