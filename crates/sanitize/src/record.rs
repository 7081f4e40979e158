//! Reports as the runtime writes them: lines of words. `crates/rt/src/report/record.rs` describes them.

use steadfast_model::ViolationKind;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An access could read a value that was overwritten.
    StaleRead,
    /// A write could be ordered before an earlier one.
    OvertakingWrite,
    /// A read-modify-write could take a value that was overwritten.
    StaleUpdate,
    /// Two plain accesses, or a plain and an atomic one, are not ordered.
    Race,
    /// All threads wait.
    Deadlock,
    /// Not a report: code that waits in a loop.
    Spin,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::StaleRead, Self::OvertakingWrite, Self::StaleUpdate, Self::Race, Self::Deadlock, Self::Spin];

    /// The kind of violation. A spin loop has none.
    pub fn violation(self) -> Option<ViolationKind> {
        match self {
            Self::StaleRead => Some(ViolationKind::StaleRead),
            Self::OvertakingWrite => Some(ViolationKind::OvertakingWrite),
            Self::StaleUpdate => Some(ViolationKind::StaleUpdate),
            Self::Race => Some(ViolationKind::Race),
            Self::Deadlock => Some(ViolationKind::Deadlock),
            Self::Spin => None,
        }
    }

    /// The name in records and in JSON.
    pub fn name(self) -> &'static str {
        self.violation().map_or("spin", ViolationKind::name)
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The title in the first line of a report and in its summary.
    pub fn title(self) -> &'static str {
        match self {
            Self::StaleRead | Self::OvertakingWrite | Self::StaleUpdate => "robustness violation",
            Self::Race => "data race",
            Self::Deadlock => "deadlock",
            Self::Spin => "spin loop",
        }
    }
}

/// The role of an event in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The access that was judged.
    Access,
    /// The first write that it can miss.
    Missed,
    /// The newest write before it under SC.
    Known,
    /// The write that it could take instead.
    Stale,
    /// The earlier access of a race.
    Previous,
}

impl Role {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "access" => Self::Access,
            "missed" => Self::Missed,
            "known" => Self::Known,
            "stale" => Self::Stale,
            "previous" => Self::Previous,
            _ => return None,
        })
    }
}

/// An event of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its role.
    pub role: Role,
    /// `load`, `store`, `update`, `read`, `write`, …; `initial` for a value that was there from the beginning.
    pub operation: String,
    /// Its order, if it is atomic.
    pub order: Option<String>,
    /// Its size, if that is known.
    pub bytes: Option<u64>,
    /// Its address, if that differs from the access.
    pub address: Option<u64>,
    /// The value that was read or written.
    pub value: Option<u128>,
    /// Its number among the writes of the location, for those that the runtime remembers; the initial value has 0.
    pub number: Option<u64>,
    /// Its thread.
    pub thread: Option<u64>,
    /// Return addresses, innermost first.
    pub stack: Vec<u64>,
}

/// A thread that a report mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The runtime's number; the first thread is 0.
    pub number: u64,
    /// The system's number.
    pub system: u64,
    /// The thread that started it.
    pub parent: u64,
    /// Its name in the program.
    pub name: Option<String>,
    /// Where it was started; empty for the first thread.
    pub stack: Vec<u64>,
}

/// An executable or library in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The difference between an address in memory and in the file.
    pub base: u64,
    /// Its first address.
    pub start: u64,
    /// The address after its last one.
    pub end: u64,
    /// The file.
    pub path: String,
}

/// A heap block that a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// The thread that allocated it.
    pub thread: u64,
    /// Where it was allocated.
    pub stack: Vec<u64>,
}

/// The private memory of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its stack.
    Stack,
    /// Its thread-local variables.
    ThreadLocal,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was found.
    pub kind: Kind,
    /// The process.
    pub process: u64,
    /// The events, the judged access first.
    pub events: Vec<Event>,
    /// `acquire` or `release-or-seq-cst`.
    pub missing: Option<String>,
    /// The heap block.
    pub block: Option<Block>,
    /// The private part of a thread that the memory belongs to.
    pub part: Option<(Part, u64)>,
    /// The program's file of suppressions.
    pub suppressions: Option<String>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The modules.
    pub modules: Vec<Module>,
}

impl Record {
    /// The event with this role.
    pub fn event(&self, role: Role) -> Option<&Event> {
        self.events.iter().find(|event| event.role == role)
    }

    /// The module of an address.
    pub fn module(&self, address: u64) -> Option<&Module> {
        self.modules.iter().find(|module| (module.start..module.end).contains(&address))
    }
}

/// All complete reports in a text. Text between them, and reports that were cut off, are skipped.
pub fn parse(text: &str) -> Vec<Record> {
    let mut records = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == "steadfast-report 1" {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "end").collect();
            records.extend(one(&body));
        }
    }
    records
}

fn one(lines: &[&str]) -> Option<Record> {
    let mut record = Record {
        kind: Kind::Deadlock,
        process: 0,
        events: Vec::new(),
        missing: None,
        block: None,
        part: None,
        suppressions: None,
        threads: Vec::new(),
        modules: Vec::new(),
    };
    let mut kind = None;
    let mut owner = Owner::Nobody;
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["kind", name] => kind = Kind::from_name(name),
            ["process", number] => record.process = number.parse().unwrap_or(0),
            ["suppressions", ..] => record.suppressions = Some(words[1..].join(" ")),
            ["missing", what] => record.missing = Some(what.to_owned()),
            ["stack", ..] => record.give(owner, words[1..].iter().filter_map(|word| hexadecimal(word)).collect()),
            ["thread", number, "system", system, "parent", parent, ref rest @ ..] => {
                let [number, system, parent] = [number, system, parent].map(|word| word.parse().unwrap_or(0));
                let name = rest.split_first().filter(|(word, _)| **word == "name").map(|(_, name)| name.join(" "));
                record.threads.push(Thread { number, system, parent, name, stack: Vec::new() });
                owner = Owner::Thread;
            }
            ["part", part, "thread", thread] => {
                let part = if part == "stack" { Part::Stack } else { Part::ThreadLocal };
                record.part = thread.parse().ok().map(|thread| (part, thread));
            }
            ["block", address, bytes, "thread", thread] => {
                let (address, bytes) = (hexadecimal(address).unwrap_or(0), bytes.parse().unwrap_or(0));
                record.block = Some(Block { address, bytes, thread: thread.parse().unwrap_or(0), stack: Vec::new() });
                owner = Owner::Block;
            }
            ["module", base, start, end, ..] => {
                record.modules.extend(module([base, start, end], &words[4..].join(" ")));
            }
            [role, ..] => {
                if let Some(event) = Role::from_name(role).and_then(|role| event(role, &words[1..])) {
                    record.events.push(event);
                    owner = Owner::Event;
                }
            }
            [] => {}
        }
    }
    record.kind = kind?;
    Some(record)
}

/// What the next stack belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Nobody,
    Event,
    Thread,
    Block,
}

impl Record {
    fn give(&mut self, owner: Owner, stack: Vec<u64>) {
        let place = match owner {
            Owner::Nobody => None,
            Owner::Event => self.events.last_mut().map(|event| &mut event.stack),
            Owner::Thread => self.threads.last_mut().map(|thread| &mut thread.stack),
            Owner::Block => self.block.as_mut().map(|block| &mut block.stack),
        };
        if let Some(place) = place {
            *place = stack;
        }
    }
}

fn event(role: Role, words: &[&str]) -> Option<Event> {
    let mut event = Event {
        role,
        operation: String::new(),
        order: None,
        bytes: None,
        address: None,
        value: None,
        number: None,
        thread: None,
        stack: Vec::new(),
    };
    let (words, thread) = match words {
        [rest @ .., "thread", number] => (rest, number.parse().ok()),
        rest => (rest, None),
    };
    event.thread = thread;
    let (words, number) = match words {
        [rest @ .., "number", number] => (rest, number.parse().ok()),
        rest => (rest, None),
    };
    event.number = number;
    match words {
        ["initial", value] => {
            (event.operation, event.value, event.number) = ("initial".to_owned(), wide(value), Some(0));
        }
        // An access has its address and the value that it saw; a write from the log has the value that it wrote.
        [operation, order, bytes, address, value] => {
            (event.operation, event.order) =
                ((*operation).to_owned(), Some((*order).to_owned()).filter(|order| order != "plain"));
            (event.bytes, event.address, event.value) = (bytes.parse().ok(), hexadecimal(address), wide(value));
        }
        [operation, order, bytes, address] => {
            (event.operation, event.order) =
                ((*operation).to_owned(), Some((*order).to_owned()).filter(|order| order != "plain"));
            (event.bytes, event.address) = (bytes.parse().ok(), hexadecimal(address));
        }
        [operation, order, value] => {
            (event.operation, event.order, event.value) =
                ((*operation).to_owned(), Some((*order).to_owned()), wide(value));
        }
        _ => return None,
    }
    Some(event)
}

fn module([base, start, end]: [&str; 3], path: &str) -> Option<Module> {
    Some(Module { base: hexadecimal(base)?, start: hexadecimal(start)?, end: hexadecimal(end)?, path: path.to_owned() })
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

fn wide(word: &str) -> Option<u128> {
    u128::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const SAMPLE: &str = "\
noise
steadfast-report 1
kind stale-read
process 42
access load acquire 4 0x5040 thread 1
stack 0x1302 0x108c
missed store release 0x1 number 1 thread 2
stack 0x1351
stale initial 0x0
missing release-or-seq-cst
part stack thread 1
thread 1 system 43 parent 0 name my worker
stack 0x13b9
thread 0 system 42 parent 0
module 0x1000 0x1000 0x9000 /home/me/my program
end
steadfast-report 1
kind race
";

    #[test]
    fn a_report_is_read_and_half_a_report_is_not() {
        let records = parse(SAMPLE);
        assert_eq!(records.len(), 1 + 1, "a record that was cut off still says what it can");
        let record = &records[0];
        assert_eq!((record.kind, record.process), (Kind::StaleRead, 42));
        let access = record.event(Role::Access).unwrap();
        assert_eq!((access.operation.as_str(), access.order.as_deref()), ("load", Some("acquire")));
        assert_eq!((access.bytes, access.address, access.thread), (Some(4), Some(0x5040), Some(1)));
        assert_eq!(access.stack, [0x1302, 0x108c]);
        assert_eq!(record.event(Role::Stale).unwrap().value, Some(0));
        let missed = record.event(Role::Missed).unwrap();
        assert_eq!((&missed.stack[..], missed.number, missed.thread), (&[0x1351][..], Some(1), Some(2)));
        assert_eq!(record.threads.len(), 2);
        assert_eq!(record.threads[0].stack, [0x13b9]);
        assert!(record.threads[1].stack.is_empty() && record.threads[1].name.is_none());
        assert_eq!((record.part, record.threads[0].name.as_deref()), (Some((Part::Stack, 1)), Some("my worker")));
        assert_eq!(record.module(0x1302).unwrap().path, "/home/me/my program");
    }

    #[test]
    fn nonsense_is_survived() {
        assert!(parse("steadfast-report 1\nkind what\nend\n").is_empty());
        assert!(parse("steadfast-report 1\nkind race\nstack 0x1\naccess\nmodule\nthread x\nblock\nend").len() == 1);
    }
}
