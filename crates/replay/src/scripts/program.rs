//! Scripts for programs: every shared variable is a row.

use super::begin;
use crate::causal::{Mode, Site, Store, StoreAccess};
use crate::variables::quoted;
use crate::{Event, Failure, Script, Session};
use std::sync::atomic::AtomicBool;
use steadfast_txn::decide::{Closing, RanTransaction, Role, Witness};
use steadfast_txn::run::Access;
use steadfast_txn::template::Level;
use steadfast_txn::{Program, ProgramModel};

/// The script for a violation of snapshot isolation: the split transaction reads, the others run, and then it writes.
pub fn of_program(program: &Program, witness: &Witness, level: Level) -> Script {
    let mut script = Script::default();
    script.setup.push("CREATE TABLE store (name text PRIMARY KEY, value int NOT NULL)".to_owned());
    for variable in &program.variables {
        let name = quoted(Some(&variable.name));
        script.setup.push(format!("INSERT INTO store VALUES ({name}, {})", variable.initial));
    }
    let named =
        |process: &steadfast_txn::program::Process| Session { name: process.name.clone(), ..Session::default() };
    script.sessions = program.processes.iter().map(named).collect();
    let split = |ran: &RanTransaction| witness.model == ProgramModel::Si && ran.role == Role::First;
    for ran in &witness.runs {
        script.events.push(Event::plain(ran.process, begin(level)));
        let now = ran.accesses.iter().filter(|access| !(split(ran) && access.write));
        script.events.extend(now.map(|access| event(program, ran.process, access)));
        if !split(ran) {
            script.events.push(Event::plain(ran.process, "COMMIT"));
        }
    }
    for ran in witness.runs.iter().filter(|ran| split(ran)) {
        let writes = ran.accesses.iter().filter(|access| access.write);
        script.events.extend(writes.map(|access| event(program, ran.process, access)));
        script.events.push(Event::plain(ran.process, "COMMIT"));
    }
    script
}

fn event(program: &Program, session: usize, access: &Access) -> Event {
    let name = quoted(Some(&program.variables[access.variable].name));
    if access.write {
        return Event::plain(session, format!("UPDATE store SET value = {} WHERE name = {name}", access.value));
    }
    let mut event = Event::plain(session, format!("SELECT value FROM store WHERE name = {name}"));
    // When the split transaction reads its own write, the read comes after the write here; other transactions do not matter.
    event.expected = (!access.internal).then(|| access.value.to_string());
    event
}

/// The values that the causal store returned.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// By transaction of the witness: the site where it ran, and the values of its reads, in order.
    pub values: Vec<(Site, Vec<i64>)>,
    /// Whether all reads returned what the witness says.
    pub as_predicted: bool,
    /// The final variables at both sites, after everything was delivered.
    pub ends: [Vec<(String, i64)>; 2],
}

/// What a causal store says about a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CausalVerdict {
    /// It happened: the reads are those of the violation, and if that is about diverging replicas, they diverge.
    Observed,
    /// The reads are those of the violation, but the replicas agree in the end.
    Converged,
    /// A read returned something else.
    Different,
}

/// A variable that the two sites do not agree about in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement<'a> {
    /// Its name.
    pub variable: &'a str,
    /// Its value at site A.
    pub at_a: i64,
    /// Its value at site B.
    pub at_b: i64,
}

impl Replayed {
    /// The variables that the two sites do not agree about in the end.
    pub fn disagreements(&self) -> Vec<Disagreement<'_>> {
        let [a, b] = &self.ends;
        let differ = a.iter().zip(b).filter(|(one, other)| one != other);
        differ.map(|(one, other)| Disagreement { variable: &one.0, at_a: one.1, at_b: other.1 }).collect()
    }

    /// Whether the violation was observed.
    pub fn verdict(&self, witness: &Witness) -> CausalVerdict {
        if !self.as_predicted {
            CausalVerdict::Different
        } else if witness.closing == Closing::StaleRead || !self.disagreements().is_empty() {
            CausalVerdict::Observed
        } else {
            CausalVerdict::Converged
        }
    }
}

/// Runs a violation of causal consistency on two servers. Delayed sessions are at site B, all others at A.
pub fn on_causal_store(
    program: &Program,
    witness: &Witness,
    mode: Mode,
    interrupt: &AtomicBool,
) -> Result<Replayed, Failure> {
    let variables: Vec<(String, i64)> =
        program.variables.iter().map(|variable| (variable.name.clone(), i64::from(variable.initial))).collect();
    let mut store = Store::start(mode, &variables, interrupt)?;
    let delayed = |process: usize| {
        witness.runs.iter().any(|run| run.process == process && matches!(run.role, Role::First | Role::Delayed))
    };
    let (mut values, mut as_predicted) = (Vec::new(), true);
    for ran in &witness.runs {
        if ran.role == Role::First {
            store.hold()?;
        }
        let site = if delayed(ran.process) { Site::B } else { Site::A };
        let name = |access: &Access| program.variables[access.variable].name.clone();
        let accesses: Vec<StoreAccess> = ran
            .accesses
            .iter()
            .map(|access| {
                if access.write {
                    StoreAccess::Write(name(access), i64::from(access.value))
                } else {
                    StoreAccess::Read(name(access))
                }
            })
            .collect();
        let read = store.transaction(site, &accesses, interrupt)?;
        let predicted = ran.accesses.iter().filter(|access| !access.write).map(|access| i64::from(access.value));
        as_predicted &= predicted.eq(read.iter().copied());
        values.push((site, read));
    }
    store.release(interrupt)?;
    Ok(Replayed { values, as_predicted, ends: [store.values(Site::A)?, store.values(Site::B)?] })
}
