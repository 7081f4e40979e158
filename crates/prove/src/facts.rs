//! Candidates for invariants: simple facts about memory and the registers of a thread at a point of the code.

use crate::encode::SymbolicThread;
use crate::system::{Role, Stated, Step, System};
use crate::term::{Naming, number};
use serde::{Deserialize, Serialize};
use steadfast_ir::RegId;
use steadfast_span::Index;

/// A value that facts are about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Value {
    /// A number.
    Number(i64),
    /// A register plus a number.
    Register(usize, i64),
    /// A shared location.
    Global(usize),
    /// The cell of an array whose index is in a register.
    Cell(usize, usize),
    /// The cell of an array whose index is in a shared location.
    CellAt(usize, usize),
    /// The first cell of an array.
    First(usize),
}

/// Which candidates to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Richness {
    /// Facts about one thread. They suffice for most programs.
    Plain,
    /// Also facts about registers of two threads, and about cells whose index is shared.
    Rich,
}

/// A fact about one thread and memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fact {
    /// They are equal.
    Equal(Value, Value),
    /// They differ.
    Differ(Value, Value),
    /// The first is at most the second.
    AtMost(Value, Value),
    /// At most one of them is more than 0.
    NotBoth(Value, Value),
    /// No thread is ever at the point.
    Never,
    /// An invariant in the program text.
    Stated(usize),
}

/// The names of values in a formula, before or after a step.
pub(crate) struct ValueNames<'a> {
    /// The name of a register.
    pub(crate) register: &'a dyn Fn(RegId) -> String,
    /// The name of a global.
    pub(crate) global: &'a dyn Fn(usize) -> String,
    /// The invariants in the program text.
    pub(crate) stated: &'a [Stated],
}

impl Naming for ValueNames<'_> {
    fn register(&self, reg: RegId) -> String {
        (self.register)(reg)
    }

    fn got(&self) -> String {
        // Between two steps nothing is being read.
        "0".into()
    }

    fn global(&self, global: usize) -> String {
        (self.global)(global)
    }
}

impl Value {
    fn text(&self, view: &ValueNames<'_>) -> String {
        match self {
            Self::Number(value) => number(*value),
            Self::Register(reg, 0) => (view.register)(RegId::new(*reg)),
            Self::Register(reg, more) => format!("(+ {} {})", (view.register)(RegId::new(*reg)), number(*more)),
            Self::Global(global) => (view.global)(*global),
            Self::Cell(array, reg) => {
                format!("(select {} {})", (view.global)(*array), (view.register)(RegId::new(*reg)))
            }
            Self::CellAt(array, at) => format!("(select {} {})", (view.global)(*array), (view.global)(*at)),
            Self::First(array) => format!("(select {} 0)", (view.global)(*array)),
        }
    }

    fn shown(&self, system: &System, role: &Role) -> String {
        let register = |reg: usize| role.registers.get(reg).map_or("?", |register| &register.name);
        let global = |at: usize| system.globals.get(at).map_or("?", |global| &global.name);
        match self {
            Self::Number(value) => value.to_string(),
            Self::Register(reg, 0) => register(*reg).to_owned(),
            Self::Register(reg, more) => format!("{} + {more}", register(*reg)),
            Self::Global(at) => global(*at).to_owned(),
            Self::Cell(array, reg) => format!("{}[{}]", global(*array), register(*reg)),
            Self::CellAt(array, at) => format!("{}[{}]", global(*array), global(*at)),
            Self::First(array) => format!("{}[0]", global(*array)),
        }
    }
}

impl Fact {
    /// The fact in SMT-LIB.
    pub(crate) fn text(&self, view: &ValueNames<'_>) -> String {
        match self {
            Self::Equal(a, b) => format!("(= {} {})", a.text(view), b.text(view)),
            Self::Differ(a, b) => format!("(not (= {} {}))", a.text(view), b.text(view)),
            Self::AtMost(a, b) => format!("(<= {} {})", a.text(view), b.text(view)),
            Self::NotBoth(a, b) => format!("(or (<= {} 0) (<= {} 0))", a.text(view), b.text(view)),
            Self::Never => "false".into(),
            Self::Stated(number) => view.stated.get(*number).map_or("true".into(), |stated| view.truth(&stated.term)),
        }
    }

    /// Whether a step can change its truth. `own` says that the thread of the fact takes the step.
    pub(crate) fn is_touched(&self, step: &Step, own: bool) -> bool {
        let written = step.action.written().and(step.action.cell()).map(|cell| cell.global);
        let register = |reg: usize| own && step.changes(RegId::new(reg));
        let global = |at: usize| written == Some(at);
        let value = |value: &Value| match value {
            Value::Number(_) => false,
            Value::Register(reg, _) => register(*reg),
            Value::Global(at) | Value::First(at) => global(*at),
            Value::Cell(array, reg) => global(*array) || register(*reg),
            Value::CellAt(array, at) => global(*array) || global(*at),
        };
        match self {
            Self::Equal(a, b) | Self::Differ(a, b) | Self::AtMost(a, b) | Self::NotBoth(a, b) => value(a) || value(b),
            Self::Never => false,
            Self::Stated(_) => true,
        }
    }

    /// The fact before a step.
    pub(crate) fn now(&self, system: &System, thread: SymbolicThread) -> String {
        let names = thread.names("?");
        let stated = &system.roles[thread.role].stated;
        self.text(&ValueNames { register: &|reg| names.register(reg), global: &|at| names.global(at), stated })
    }

    /// The fact in the language of programs.
    pub(crate) fn shown(&self, system: &System, role: usize) -> String {
        let role = &system.roles[role];
        match self {
            Self::Equal(a, b) => format!("{} == {}", a.shown(system, role), b.shown(system, role)),
            Self::Differ(a, b) => format!("{} != {}", a.shown(system, role), b.shown(system, role)),
            Self::AtMost(a, b) => format!("{} <= {}", a.shown(system, role), b.shown(system, role)),
            Self::NotBoth(a, b) => format!("({} <= 0 || {} <= 0)", a.shown(system, role), b.shown(system, role)),
            Self::Never => "false".into(),
            // The user wrote it.
            Self::Stated(_) => "…".into(),
        }
    }

    /// Whether the fact makes sense for this role. One that was read from a file may not.
    pub(crate) fn is_sensible(&self, system: &System, role: &Role) -> bool {
        let global = |at: usize, array: bool| system.globals.get(at).is_some_and(|global| global.array == array);
        let value = |value: &Value| match value {
            Value::Number(_) => true,
            Value::Register(reg, _) => *reg < role.registers.len(),
            Value::Global(at) => global(*at, false),
            Value::Cell(array, reg) => *reg < role.registers.len() && global(*array, true),
            Value::CellAt(array, at) => global(*array, true) && global(*at, false),
            Value::First(array) => global(*array, true),
        };
        match self {
            Self::Equal(a, b) | Self::Differ(a, b) | Self::AtMost(a, b) | Self::NotBoth(a, b) => value(a) && value(b),
            Self::Never => true,
            Self::Stated(number) => *number < role.stated.len(),
        }
    }
}

/// All candidates for a point.
pub(crate) fn candidates(system: &System, role: usize, point: usize, richness: Richness) -> Vec<Fact> {
    let registers = registers(system, role, point);
    let numbers = system.numbers();
    let (arrays, scalars): (Vec<usize>, Vec<usize>) =
        (0..system.globals.len()).partition(|&at| system.globals[at].array);
    let stated =
        system.roles[role].stated.iter().enumerate().filter(|(_, stated)| stated.point.is_none_or(|at| at == point));
    let mut facts: Vec<Fact> = stated.map(|(number, _)| Fact::Stated(number)).collect();
    facts.push(Fact::Never);
    let local = |reg: usize| Value::Register(reg, 0);
    let simple = scalars.iter().map(|&at| Value::Global(at)).chain(registers.iter().map(|&reg| local(reg)));
    for value in simple {
        against_numbers(&value, &numbers, &mut facts);
        facts.push(Fact::AtMost(Value::Number(0), value.clone()));
        facts.push(Fact::AtMost(value, Value::Number(1)));
    }
    for &array in &arrays {
        for &reg in &registers {
            against_numbers(&Value::Cell(array, reg), &numbers, &mut facts);
            facts.extend(registers.iter().map(|&other| Fact::Equal(Value::Cell(array, reg), local(other))));
        }
        if richness == Richness::Rich {
            let cells = scalars.iter().map(|&at| Value::CellAt(array, at)).chain([Value::First(array)]);
            facts.extend(cells.map(|cell| Fact::Equal(cell, Value::Number(0))));
        }
    }
    for (at, &one) in scalars.iter().enumerate() {
        let one = Value::Global(one);
        for &reg in &registers {
            compare(&one, reg, &mut facts);
        }
        for other in scalars[at + 1..].iter().map(|&at| Value::Global(at)) {
            facts.push(Fact::Equal(one.clone(), other.clone()));
            facts.push(Fact::AtMost(one.clone(), other.clone()));
            facts.push(Fact::AtMost(other.clone(), one.clone()));
            facts.push(Fact::NotBoth(one.clone(), other));
        }
    }
    for (at, &one) in registers.iter().enumerate() {
        for &reg in &registers[at + 1..] {
            compare(&local(one), reg, &mut facts);
        }
    }
    facts
}

fn against_numbers(value: &Value, numbers: &[i64], facts: &mut Vec<Fact>) {
    for &number in numbers {
        facts.push(Fact::Equal(value.clone(), Value::Number(number)));
        facts.push(Fact::Differ(value.clone(), Value::Number(number)));
    }
}

/// Compares a value with a register: equal, a little more or less, different, ordered.
fn compare(value: &Value, reg: usize, facts: &mut Vec<Fact>) {
    let other = || Value::Register(reg, 0);
    facts.extend([-1, 0, 1, 2].map(|more| Fact::Equal(value.clone(), Value::Register(reg, more))));
    facts.push(Fact::Differ(value.clone(), other()));
    facts.push(Fact::AtMost(value.clone(), other()));
    facts.push(Fact::AtMost(other(), value.clone()));
}

/// The registers that are live at a point, and the one with the number of the thread.
pub(crate) fn registers(system: &System, role: usize, point: usize) -> Vec<usize> {
    let role = &system.roles[role];
    let live = &role.points[point].live;
    let matters = |&reg: &usize| live.contains(RegId::new(reg)) || role.id == Some(RegId::new(reg));
    (0..role.registers.len()).filter(matters).collect()
}
