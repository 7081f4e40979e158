//! A template as roles, points and steps.
//!
//! A *role* is code that one thread runs, or any number of threads. A *point* is a place in that code right before an access of shared memory (or the start, or the
//! head of a local loop). A *step* is one access together with the local instructions behind it, up to the next point: nobody can see a thread in between.

use crate::term::Term;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use steadfast_ir::{
    Expr, FenceOrder, Instr, Instruction, LocId, Pc, Place, Program, RegId, RegSet, Register, Thread, UNBOUNDED,
    liveness,
};
use steadfast_lang::Template;
use steadfast_span::{Index, Span};

/// More local paths than this behind one access are too many to follow.
const MOST_PATHS: usize = 200;

/// A whole template.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The shared locations and arrays.
    pub(crate) globals: Vec<Global>,
    /// The roles.
    pub(crate) roles: Vec<Role>,
}

/// A shared location or array.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    /// Its name in the text.
    pub(crate) name: String,
    /// What it holds at the start: one value, or those of the cells that are not 0 or not like the first.
    pub(crate) init: Vec<u8>,
    /// Whether it is an array.
    pub(crate) array: bool,
    /// Its values are below this.
    pub(crate) modulus: u16,
}

/// Code that threads run.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    /// What it is called.
    pub(crate) name: String,
    /// Whether any number of threads run it.
    pub(crate) many: bool,
    /// Its registers.
    pub(crate) registers: Vec<Register>,
    /// The register that holds the number of the thread.
    pub(crate) id: Option<RegId>,
    /// The ways from the start of the code to the first points. They run before anything else does.
    pub(crate) starts: Vec<Step>,
    /// Its points.
    pub(crate) points: Vec<Point>,
    /// Its steps.
    pub(crate) steps: Vec<Step>,
    /// What the text says about it.
    pub(crate) stated: Vec<Stated>,
}

/// An invariant in the text.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    /// Where it is to hold; nothing: wherever it does.
    pub(crate) point: Option<usize>,
    /// What.
    pub(crate) term: Term,
    /// Its text.
    pub(crate) span: Span,
}

/// An assertion on the way of a step.
#[derive(Clone, Debug)]
pub(crate) struct Asserted {
    /// The way up to it.
    pub(crate) guard: Vec<Term>,
    /// What must hold.
    pub(crate) cond: Term,
    /// Its text.
    pub(crate) span: Span,
}

/// A place in the code of a role.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Where.
    pub(crate) pc: Pc,
    /// The text that is about to run.
    pub(crate) span: Span,
    /// The registers that matter here.
    pub(crate) live: RegSet,
}

/// One access and the local instructions behind it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The point before.
    pub(crate) from: usize,
    /// The point after.
    pub(crate) to: usize,
    /// The access.
    pub(crate) action: Action,
    /// What must hold for the local instructions to go this way.
    pub(crate) guard: Vec<Term>,
    /// The registers that change, with their new values.
    pub(crate) updates: Vec<(RegId, Term)>,
    /// The assertions on the way.
    pub(crate) asserts: Vec<Asserted>,
    /// The text of the access.
    pub(crate) span: Span,
}

/// A cell of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// Which location or array.
    pub(crate) global: usize,
    /// Which cell of an array.
    pub(crate) index: Option<Term>,
}

/// What a step does to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Nothing.
    Local,
    /// Nothing, but it yields any integer.
    Any,
    /// Empties the buffer.
    Fence,
    /// Reads a cell.
    Read(Cell),
    /// An abstraction of a read: yields what the cell holds or something else.
    Guess(Cell, Guess),
    /// Reads a cell as soon as it holds one of these values.
    Await(Cell, Vec<Term>),
    /// Writes a cell.
    Write(Cell, Term),
    /// Finds the expected value in a cell and replaces it.
    CasSuccess(Cell, Term, Term),
    /// Finds another value. A weak one can also fail without a reason.
    CasFailure(Cell, Term, bool),
    /// Replaces the value of a cell by one that may depend on it.
    Update(Cell, Term),
}

/// What an abstraction of a read may yield besides what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// Anything less.
    AtMost,
    /// Anything more.
    AtLeast,
    /// This number.
    Or(i64),
}

impl From<steadfast_lang::Guess> for Guess {
    fn from(guess: steadfast_lang::Guess) -> Self {
        match guess {
            steadfast_lang::Guess::AtMost => Self::AtMost,
            steadfast_lang::Guess::AtLeast => Self::AtLeast,
            steadfast_lang::Guess::Or(other) => Self::Or(other.into()),
        }
    }
}

impl Action {
    /// What it accesses.
    pub(crate) fn cell(&self) -> Option<&Cell> {
        match self {
            Self::Local | Self::Any | Self::Fence => None,
            Self::Read(cell)
            | Self::Guess(cell, _)
            | Self::Await(cell, _)
            | Self::Write(cell, _)
            | Self::CasSuccess(cell, ..)
            | Self::CasFailure(cell, ..)
            | Self::Update(cell, _) => Some(cell),
        }
    }

    /// What it leaves in the cell, if it writes.
    pub(crate) fn written(&self) -> Option<&Term> {
        match self {
            Self::Write(_, value) | Self::CasSuccess(_, _, value) | Self::Update(_, value) => Some(value),
            _ => None,
        }
    }

    /// Whether it waits until the buffer of its thread is empty.
    pub(crate) fn drains(&self) -> bool {
        matches!(self, Self::Fence | Self::CasSuccess(..) | Self::CasFailure(..) | Self::Update(..))
    }
}

impl Role {
    /// Whether the content of a register at a point is part of the state: variables are, and temporaries that will be read.
    pub(crate) fn remembers(&self, reg: RegId, point: usize) -> bool {
        self.points[point].live.contains(reg) || !self.registers[reg.index()].temporary
    }
}

impl Step {
    /// Whether it leaves its thread as it is, and nothing can fail on the way: a failed round of a spin loop.
    pub(crate) fn is_idle(&self, role: &Role) -> bool {
        let live = &role.points[self.to].live;
        let same = |(reg, term): &(RegId, Term)| !live.contains(*reg) || *term == Term::Reg(*reg);
        self.from == self.to && self.asserts.is_empty() && self.action.cell().is_some() && self.updates.iter().all(same)
    }
}

/// Why a program is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// What is the matter.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl Model {
    /// The roles of a template.
    pub(crate) fn of(program: &Program, template: &Template) -> Result<Self, Unsupported> {
        let (globals, places) = globals(program, template);
        let mut roles: Vec<Role> = program
            .threads
            .iter()
            .zip(&template.many)
            .map(|(thread, &many)| RoleBuilder::new(template, thread, &places, &globals).build(many))
            .collect::<Result<_, _>>()?;
        share_stated(&mut roles);
        Ok(Self { globals, roles })
    }

    /// Whether something is asserted.
    pub(crate) fn has_assertions(&self) -> bool {
        let mut steps = self.roles.iter().flat_map(|role| role.starts.iter().chain(&role.steps));
        steps.any(|step| !step.asserts.is_empty())
    }

    /// Whether the text says what holds somewhere.
    pub(crate) fn has_stated(&self) -> bool {
        self.roles.iter().any(|role| !role.stated.is_empty())
    }

    /// Whether a thread of one role and another thread of the other can exist together.
    pub(crate) fn coexist(&self, one: usize, other: usize) -> bool {
        one != other || self.roles[one].many
    }
}

/// What is stated of shared memory alone may hold elsewhere, too.
fn share_stated(roles: &mut [Role]) {
    let is_shared = |stated: &&Stated| {
        let mut registers = 0;
        stated.term.registers(&mut |_| registers += 1);
        registers == 0
    };
    let mut shared: Vec<Stated> = Vec::new();
    for stated in roles.iter().flat_map(|role| &role.stated).filter(is_shared) {
        if !shared.iter().any(|known| known.term == stated.term) {
            shared.push(Stated { point: None, ..stated.clone() });
        }
    }
    for role in roles {
        role.stated.extend(shared.iter().cloned());
    }
}

/// For every location, its global and its number in it.
type Places = Vec<(usize, Option<u32>)>;

fn globals(program: &Program, template: &Template) -> (Vec<Global>, Places) {
    let mut globals: Vec<Global> = Vec::new();
    let mut places = Vec::new();
    let array_at = |at: usize| {
        template
            .arrays
            .iter()
            .find(|array| (array.base.index()..array.base.index() + array.count as usize).contains(&at))
    };
    for (loc, location) in program.locations.enumerated() {
        if Some(loc) == template.anything {
            places.push((usize::MAX, None));
            continue;
        }
        let Some(array) = array_at(loc.index()) else {
            places.push((globals.len(), None));
            let (name, init, modulus) = (location.name.clone(), vec![location.init], location.modulus);
            globals.push(Global { name, init, array: false, modulus });
            continue;
        };
        if array.base == loc {
            let name = location.name.split('[').next().unwrap_or_default().to_owned();
            globals.push(Global { name, init: Vec::new(), array: true, modulus: location.modulus });
        }
        let last = globals.len() - 1;
        globals[last].init.push(location.init);
        places.push((last, Some((loc.index() - array.base.index()) as u32)));
    }
    (globals, places)
}

struct RoleBuilder<'a> {
    template: &'a Template,
    thread: &'a Thread,
    places: &'a Places,
    globals: &'a [Global],
    points: Vec<Point>,
    at: HashMap<Pc, usize>,
}

/// What is known on a local path.
#[derive(Clone)]
struct Path {
    pc: Pc,
    guard: Vec<Term>,
    registers: HashMap<RegId, Term>,
    asserts: Vec<Asserted>,
}

impl Path {
    fn at(pc: Pc, registers: HashMap<RegId, Term>) -> Self {
        Self { pc, guard: Vec::new(), registers, asserts: Vec::new() }
    }
}

impl<'a> RoleBuilder<'a> {
    fn new(template: &'a Template, thread: &'a Thread, places: &'a Places, globals: &'a [Global]) -> Self {
        let live = liveness::live_before(thread);
        let mut points = Vec::new();
        let mut at = HashMap::new();
        let mut add = |pc: Pc| {
            at.entry(pc).or_insert_with(|| {
                points.push(Point { pc, span: thread.code[pc].span, live: live[pc].clone() });
                points.len() - 1
            });
        };
        for (pc, instruction) in thread.code.enumerated() {
            let stated = is_stated(template, instruction);
            let inside = pc.index() > 0 && begins_with(&thread.code[Pc::new(pc.index() - 1)], instruction);
            if (stated && !inside) || (!stated && !is_local(&instruction.op)) {
                add(pc);
            }
            for next in steadfast_ir::cfg::successors(pc, &instruction.op) {
                if next <= pc && is_local(&thread.code[next].op) {
                    add(next);
                }
            }
        }
        Self { template, thread, places, globals, points, at }
    }

    fn build(self, many: bool) -> Result<Role, Unsupported> {
        let mut steps = Vec::new();
        for from in 0..self.points.len() {
            self.steps_from(from, &mut steps)?;
        }
        let mut starts = Vec::new();
        let path = Path::at(Pc::new(0), HashMap::new());
        self.follow(0, &Action::Local, path, self.thread.span, &mut starts)?;
        let registers: Vec<Register> = self.thread.registers.iter().cloned().collect();
        let id = registers.iter().position(|register| many && register.name == "id").map(RegId::new);
        let stated = self.stated();
        Ok(Role { name: self.thread.name.clone(), many, registers, id, starts, points: self.points, steps, stated })
    }

    /// The invariants in the text, each at the point before its first instruction.
    fn stated(&self) -> Vec<Stated> {
        let mut stated = Vec::new();
        for (point, at) in self.points.iter().enumerate() {
            let mut contents = HashMap::new();
            for instruction in self.thread.code.iter().skip(at.pc.index()).take_while(|i| is_stated(self.template, i)) {
                let register = |reg: RegId| contents.get(&reg).cloned().unwrap_or(Term::Reg(reg));
                match &instruction.op {
                    Instr::PlainLoad { dst, place } => {
                        let content = Term::Content(Box::new(self.cell_with(place, &register)));
                        contents.insert(*dst, content);
                    }
                    Instr::Assert(cond) => {
                        let (term, span) = (Term::of(cond, &register), instruction.span);
                        stated.push(Stated { point: Some(point), term, span });
                        break;
                    }
                    _ => break,
                }
            }
        }
        stated
    }

    fn steps_from(&self, from: usize, steps: &mut Vec<Step>) -> Result<(), Unsupported> {
        let pc = self.points[from].pc;
        let instruction = &self.thread.code[pc];
        if is_stated(self.template, instruction) {
            let path = Path::at(pc, HashMap::new());
            return self.follow_at(from, &Action::Local, path, true, instruction.span, steps);
        }
        let next = Pc::new(pc.index() + 1);
        let fixed = |reg| Term::Reg(reg);
        let term = |expr: &Expr| Term::of(expr, &fixed);
        let mut add = |action: Action, dst: Option<RegId>, read: u16| {
            let mut registers = HashMap::new();
            if let Some(dst) = dst {
                let fits = |_: &Term, modulus: u16| read <= modulus;
                registers.insert(dst, Term::Got.reduced(self.modulus(dst), fits));
            }
            let path = Path::at(next, registers);
            self.follow(from, &action, path, instruction.span, steps)
        };
        match &instruction.op {
            Instr::Load { dst, place, .. } | Instr::PlainLoad { dst, place } => {
                if self.is_anything(place) {
                    return add(Action::Any, Some(*dst), UNBOUNDED);
                }
                let cell = self.cell(place);
                let read = self.globals[cell.global].modulus;
                let guess = self.template.guesses.iter().find(|(span, _)| *span == instruction.span);
                let action = match guess {
                    None => Action::Read(cell),
                    Some((_, guess)) => Action::Guess(cell, (*guess).into()),
                };
                add(action, Some(*dst), read)
            }
            Instr::Wait { dst, place, values, .. } => {
                let cell = self.cell(place);
                let read = self.globals[cell.global].modulus;
                let values = values.iter().map(|value| self.stored(&cell, term(value))).collect();
                add(Action::Await(cell, values), *dst, read)
            }
            Instr::Store { place, value, .. } | Instr::PlainStore { place, value } => {
                let cell = self.cell(place);
                let value = self.stored(&cell, term(value));
                add(Action::Write(cell, value), None, 0)
            }
            Instr::Unlock(place) => add(Action::Write(self.cell(place), Term::Const(0)), None, 0),
            Instr::Lock(place) => add(Action::CasSuccess(self.cell(place), Term::Const(0), Term::Const(1)), None, 0),
            Instr::BlockingCas { place, expected, new, .. } => {
                let cell = self.cell(place);
                let (expected, new) = (self.stored(&cell, term(expected)), self.stored(&cell, term(new)));
                add(Action::CasSuccess(cell, expected, new), None, 0)
            }
            Instr::Cas { dst, place, expected, new, weak, .. } => {
                let cell = self.cell(place);
                let read = self.globals[cell.global].modulus;
                let (expected, new) = (self.stored(&cell, term(expected)), self.stored(&cell, term(new)));
                add(Action::CasFailure(cell.clone(), expected.clone(), *weak), *dst, read)?;
                add(Action::CasSuccess(cell, expected, new), *dst, read)
            }
            Instr::Rmw { dst, place, update, .. } => {
                let cell = self.cell(place);
                let read = self.globals[cell.global].modulus;
                let update = self.stored(&cell, term(update));
                add(Action::Update(cell, update), *dst, read)
            }
            Instr::Fence(FenceOrder::SeqCst) => add(Action::Fence, None, 0),
            Instr::Halt => Ok(()),
            _ => {
                let path = Path::at(pc, HashMap::new());
                self.follow_at(from, &Action::Local, path, true, instruction.span, steps)
            }
        }
    }

    /// All local ways on from here.
    fn follow(
        &self,
        from: usize,
        action: &Action,
        path: Path,
        span: Span,
        steps: &mut Vec<Step>,
    ) -> Result<(), Unsupported> {
        self.follow_at(from, action, path, false, span, steps)
    }

    fn follow_at(
        &self,
        from: usize,
        action: &Action,
        start: Path,
        mut first: bool,
        span: Span,
        steps: &mut Vec<Step>,
    ) -> Result<(), Unsupported> {
        let before = steps.len();
        let mut pending = vec![start];
        while let Some(path) = pending.pop() {
            if steps.len() - before > MOST_PATHS {
                let message = format!("more than {MOST_PATHS} local paths follow this access");
                return Err(Unsupported { message, span });
            }
            let stop = self.at.get(&path.pc).filter(|_| !first);
            first = false;
            if let Some(&to) = stop {
                let mut updates: Vec<(RegId, Term)> = path.registers.into_iter().collect();
                updates.sort_by_key(|(reg, _)| *reg);
                let (guard, asserts) = (path.guard, path.asserts);
                steps.push(Step { from, to, action: action.clone(), guard, updates, asserts, span });
                continue;
            }
            self.local_step(path, &mut pending)?;
        }
        Ok(())
    }

    fn local_step(&self, mut path: Path, pending: &mut Vec<Path>) -> Result<(), Unsupported> {
        let instruction = &self.thread.code[path.pc];
        let next = Pc::new(path.pc.index() + 1);
        if is_stated(self.template, instruction) {
            path.pc = next;
            pending.push(path);
            return Ok(());
        }
        let term = |expr: &Expr| Term::of(expr, &|reg| path.registers.get(&reg).cloned().unwrap_or(Term::Reg(reg)));
        match &instruction.op {
            Instr::Assign { dst, value } => {
                let value = term(value).reduced(self.modulus(*dst), |term, modulus| self.fits(term, modulus));
                path.registers.insert(*dst, value);
                path.pc = next;
                pending.push(path);
            }
            Instr::Jump(to) => {
                path.pc = *to;
                pending.push(path);
            }
            Instr::Branch { cond, then, otherwise } => {
                let cond = term(cond);
                for (to, holds) in [(*then, true), (*otherwise, false)] {
                    let mut way = path.clone();
                    let cond = cond.clone();
                    match (&cond, holds) {
                        (Term::Const(value), _) if (*value != 0) != holds => continue,
                        (Term::Const(_), _) => {}
                        (_, true) => way.guard.push(cond),
                        (_, false) => way.guard.push(Term::Unary(steadfast_ir::UnaryOp::Not, Box::new(cond))),
                    }
                    way.pc = to;
                    pending.push(way);
                }
            }
            Instr::Choose(ways) => {
                for &to in ways {
                    pending.push(Path { pc: to, ..path.clone() });
                }
            }
            Instr::Assume(cond) => {
                let cond = term(cond);
                path.guard.push(cond);
                path.pc = next;
                pending.push(path);
            }
            Instr::Assert(cond) => {
                let (guard, cond) = (path.guard.clone(), term(cond));
                path.asserts.push(Asserted { guard, cond, span: instruction.span });
                path.pc = next;
                pending.push(path);
            }
            Instr::Observe(_) | Instr::Fence(_) => {
                path.pc = next;
                pending.push(path);
            }
            _ => {
                let message = "this instruction has no meaning in a template".to_owned();
                return Err(Unsupported { message, span: instruction.span });
            }
        }
        Ok(())
    }

    fn modulus(&self, reg: RegId) -> u16 {
        self.thread.registers[reg].modulus
    }

    fn stored(&self, cell: &Cell, value: Term) -> Term {
        value.reduced(self.globals[cell.global].modulus, |term, modulus| self.fits(term, modulus))
    }

    fn fits(&self, term: &Term, modulus: u16) -> bool {
        match term {
            Term::Const(value) => (0..i64::from(modulus)).contains(value),
            Term::Reg(reg) => self.modulus(*reg) <= modulus,
            Term::Reduced(_, own) => *own <= modulus,
            Term::Unary(steadfast_ir::UnaryOp::Not, _) => modulus >= 2,
            _ => false,
        }
    }

    fn is_anything(&self, place: &Place) -> bool {
        matches!(place, Place::Fixed(loc) if Some(*loc) == self.template.anything)
    }

    fn cell(&self, place: &Place) -> Cell {
        self.cell_with(place, &Term::Reg)
    }

    /// A cell, where registers stand for these terms.
    fn cell_with(&self, place: &Place, registers: &dyn Fn(RegId) -> Term) -> Cell {
        let at = |loc: LocId| self.places[loc.index()];
        match place {
            Place::Fixed(loc) => {
                let (global, index) = at(*loc);
                Cell { global, index: index.map(|index| Term::Const(i64::from(index))) }
            }
            Place::Element { base, index, .. } => Cell { global: at(*base).0, index: Some(Term::of(index, registers)) },
        }
    }
}

/// Whether an instruction is part of an invariant in the text.
fn is_stated(template: &Template, instruction: &Instruction) -> bool {
    let kind = matches!(instruction.op, Instr::PlainLoad { .. } | Instr::Assert(_));
    kind && template.invariants.contains(&instruction.span)
}

/// Whether an instruction of an invariant goes on with another one.
fn begins_with(before: &Instruction, instruction: &Instruction) -> bool {
    before.span == instruction.span && matches!(before.op, Instr::PlainLoad { .. })
}

/// Whether an instruction concerns its thread alone.
fn is_local(op: &Instr) -> bool {
    match op {
        Instr::Assign { .. }
        | Instr::Jump(_)
        | Instr::Branch { .. }
        | Instr::Choose(_)
        | Instr::Assume(_)
        | Instr::Assert(_)
        | Instr::Observe(_)
        | Instr::Bound { .. }
        | Instr::Exclusive(_) => true,
        // Under TSO other fences do nothing.
        Instr::Fence(order) => *order != FenceOrder::SeqCst,
        _ => false,
    }
}

impl Model {
    /// The numbers that the program mentions, and 0 and 1: what facts and guesses compare with.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        let mut numbers = vec![0, 1];
        for global in &self.globals {
            numbers.extend(global.init.iter().map(|&value| i64::from(value)));
        }
        for step in self.roles.iter().flat_map(|role| &role.steps) {
            let mut see = |value: i64| numbers.push(value);
            step.guard.iter().for_each(|term| term.constants(&mut see));
            step.updates.iter().for_each(|(_, term)| term.constants(&mut see));
            match &step.action {
                Action::Write(_, a) | Action::Update(_, a) | Action::CasFailure(_, a, _) => a.constants(&mut see),
                Action::CasSuccess(_, a, b) => {
                    a.constants(&mut see);
                    b.constants(&mut see);
                }
                Action::Await(_, values) => values.iter().for_each(|value| value.constants(&mut see)),
                _ => {}
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl Global {
    /// The cells with another initial value than the first.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let first = self.init.first().copied().unwrap_or_default();
        self.init.iter().copied().enumerate().filter(move |&(_, value)| value != first)
    }
}
