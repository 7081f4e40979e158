//! Builds the roles and steps of a system from the code of the threads.

use crate::system::{Action, Asserted, Cell, Global, Point, Role, Stated, Step, System, Unsupported};
use crate::term::Term;
use std::collections::HashMap;
use steadfast_ir::{
    Expr, FenceOrder, Instr, Instruction, LocId, Pc, Place, Program, RegId, Register, Thread, UNBOUNDED, dataflow,
    liveness,
};
use steadfast_lang::Template;
use steadfast_span::{Index, Span};

/// The largest number of local paths behind one access.
const MOST_PATHS: usize = 200;

impl System {
    /// The system of a template.
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
}

/// An invariant that is about shared memory alone may hold at all points of all roles.
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

/// By location: its global and its index in it.
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

/// The effects of the instructions on a local path so far.
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

    /// The invariants in the program text, each at the point before its first instruction.
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
            Instr::Cas { dst, place, expected, new, spurious, .. } => {
                let cell = self.cell(place);
                let read = self.globals[cell.global].modulus;
                let (expected, new) = (self.stored(&cell, term(expected)), self.stored(&cell, term(new)));
                add(Action::CasFailure(cell.clone(), expected.clone(), *spurious), *dst, read)?;
                if *spurious { Ok(()) } else { add(Action::CasSuccess(cell, expected, new), *dst, read) }
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

    /// Adds a step for each local path from here to the next point.
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

    /// A cell, with registers replaced by terms.
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

/// Whether an instruction is part of an invariant in the program text.
fn is_stated(template: &Template, instruction: &Instruction) -> bool {
    let kind = matches!(instruction.op, Instr::PlainLoad { .. } | Instr::Assert(_));
    kind && template.invariants.contains(&instruction.span)
}

/// Whether an instruction continues the invariant that the instruction before is part of.
fn begins_with(before: &Instruction, instruction: &Instruction) -> bool {
    before.span == instruction.span && matches!(before.op, Instr::PlainLoad { .. })
}

/// Whether an instruction affects only its own thread. Under TSO, only SC fences have an effect.
fn is_local(op: &Instr) -> bool {
    dataflow::place(op).is_none() && !matches!(op, Instr::Fence(FenceOrder::SeqCst) | Instr::Halt)
}
