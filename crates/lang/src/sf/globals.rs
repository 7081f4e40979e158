//! The declarations at the top level: constants, shared locations, functions.

use super::ast::{self, Count, Expr, Init, Name, Shared, SharedKind, StmtKind, Type};
use super::constant::constant;
use super::orders::Order;
use super::parametric::{Array, Reading, not_finite};
use super::types::Ty;
use super::{codes, limits};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_ir::{LocId, LocKind, Location};
use steadfast_span::{Index, IndexVec, Span};

/// Names of the language, which cannot be declared.
const RESERVED: [&str; 9] =
    ["id", "any", "assume", "assert", "observe", "invariant", "fence", "atomic_thread_fence", "bool"];

/// The location from which `any()` reads in a template. No declaration can have this name.
const ANYTHING: &str = "any";

/// The meaning of a name at the top level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    /// Its value. None if the declaration has an error, which was reported.
    Constant(Option<i32>),
    Shared(Place),
    /// An index into [`Globals::functions`].
    Function(usize),
}

/// One location, an array of them, or a mutex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) kind: SharedKind,
    pub(super) ty: Ty,
    pub(super) base: LocId,
    /// How many cells an array has; none if this is no array.
    pub(super) cells: Option<u32>,
}

/// A function, with what is known before it is inlined.
#[derive(Debug)]
pub(super) struct Function<'a> {
    pub(super) ast: &'a ast::Function,
    pub(super) parameters: Vec<(&'a Name, Ty)>,
    /// The type of its result; none if it has no result.
    pub(super) result: Option<Ty>,
    /// The names that are assigned in it. A parameter that is never assigned can be replaced by its argument.
    pub(super) assigned: HashSet<Rc<str>>,
    /// Its labels, in order.
    pub(super) labels: Vec<&'a Name>,
}

/// All declarations.
#[derive(Debug, Default)]
pub(super) struct Globals<'a> {
    /// The meaning of words without a bound.
    pub(super) reading: Reading,
    /// Whether annotations for proofs have a meaning.
    pub(super) proving: bool,
    /// The arrays.
    pub(super) arrays: Vec<Array>,
    /// The location that `any()` reads in a template.
    pub(super) anything: Option<LocId>,
    names: HashMap<Rc<str>, (Global, Span)>,
    /// The names in the order of their declarations, for suggestions.
    pub(super) order: Vec<Rc<str>>,
    pub(super) locations: IndexVec<LocId, Location>,
    pub(super) functions: Vec<Function<'a>>,
}

impl<'a> Globals<'a> {
    /// Collects the declarations of a file.
    pub(super) fn of(file: &'a ast::File, reading: Reading, problems: &mut Diagnostics) -> Self {
        let mut globals = Self { reading, ..Self::default() };
        for item in &file.constants {
            let value = globals.constant_value(item, problems);
            globals.declare(&item.name, Global::Constant(value), problems);
        }
        for item in &file.shared {
            globals.declare_shared(item, problems);
        }
        globals.declare_anything();
        for item in &file.functions {
            let function = globals.function(item, problems);
            globals.functions.push(function);
            globals.declare(&item.name, Global::Function(globals.functions.len() - 1), problems);
        }
        globals
    }

    /// The meaning of a name, and the place of its declaration.
    pub(super) fn get(&self, name: &str) -> Option<(Global, Span)> {
        self.names.get(name).copied()
    }

    fn declare(&mut self, name: &Name, global: Global, problems: &mut Diagnostics) {
        if let Some(problem) = reserved(name) {
            problems.push(problem);
        } else if let Some(&(_, first)) = self.names.get(&name.text) {
            problems.push(duplicate(name, first));
        } else {
            self.names.insert(name.text.clone(), (global, name.span));
            self.order.push(name.text.clone());
        }
    }

    fn constant_value(&self, item: &ast::Constant, problems: &mut Diagnostics) -> Option<i32> {
        let value = constant(&item.value, self, problems)?;
        let ty = item.ty.as_ref().map(|ty| self.ty(ty, problems));
        if let Some(ty) = ty.filter(|ty| !ty.contains(value)) {
            let problem = Diagnostic::error(codes::OUT_OF_RANGE, format!("the constant {value} is out of range"));
            problems.push(problem.at(item.value.span, format!("must be from 0 to {}", ty.modulus - 1)));
        }
        Some(value)
    }

    fn declare_shared(&mut self, item: &Shared, problems: &mut Diagnostics) {
        let ty = item.ty.as_ref().map_or(Ty::below(2), |ty| self.ty(ty, problems));
        let cells = item.count.as_ref().map(|count| self.cells(count, problems));
        let base = LocId::new(self.locations.len());
        self.declare(&item.name, Global::Shared(Place { kind: item.kind, ty, base, cells }), problems);
        // An unbounded array is one location, which stands for all its cells.
        let count = if cells == Some(u32::MAX) { 1 } else { cells.unwrap_or(1) as usize };
        if cells.is_some() {
            self.arrays.push(Array { base, count: count as u32, endless: cells == Some(u32::MAX) });
        }
        if self.locations.len() + count > usize::from(limits::LOCATIONS) {
            let message = format!("the program has more than {} locations", limits::LOCATIONS);
            problems.push(Diagnostic::error(codes::TOO_LARGE, message).at(item.name.span, "one location too many"));
            return;
        }
        let values = self.initial_values(item, ty, count, problems);
        let kind = if item.kind == SharedKind::Plain { LocKind::Plain } else { LocKind::Atomic };
        for (cell, init) in values.into_iter().enumerate() {
            let name = if cells.is_some() { format!("{}[{cell}]", item.name.text) } else { item.name.text.to_string() };
            self.locations.push(Location { name, kind, init, modulus: ty.modulus, span: item.name.span });
        }
    }

    /// The number of cells of an array; 1 after an error.
    fn cells(&self, count: &Count, problems: &mut Diagnostics) -> u32 {
        let count = match count {
            Count::Cells(count) => count,
            Count::Endless(span) => {
                return self.reading.endless().unwrap_or_else(|| {
                    problems.push(not_finite("this array has no end", *span));
                    1
                });
            }
        };
        match constant(count, self, problems) {
            Some(cells) if (1..=i32::from(limits::LOCATIONS)).contains(&cells) => cells.unsigned_abs(),
            Some(cells) => {
                let message = format!("an array cannot have {cells} cells");
                let problem = Diagnostic::error(codes::OUT_OF_RANGE, message).at(count.span, "not a size");
                problems.push(problem.help(format!("write a number from 1 to {}", limits::LOCATIONS)));
                1
            }
            None => 1,
        }
    }

    fn initial_values(&self, item: &Shared, ty: Ty, count: usize, problems: &mut Diagnostics) -> Vec<u8> {
        if item.kind == SharedKind::Mutex && !matches!(item.init, Init::Zero) {
            let problem = Diagnostic::error(codes::OUT_OF_RANGE, "a mutex has no initial value");
            problems.push(problem.at(item.name.span, "it starts unlocked").help("remove the `= …`"));
            return vec![0; count];
        }
        match &item.init {
            Init::Zero => vec![0; count],
            Init::All(value) => vec![self.initial_value(value, ty, problems); count],
            Init::Each(values, span) => {
                if values.len() != count || item.count.is_none() {
                    let given = if values.len() == 1 { "1 value".into() } else { format!("{} values", values.len()) };
                    let problem =
                        Diagnostic::error(codes::OUT_OF_RANGE, format!("{given} for {}", cells_text(item, count)));
                    problems.push(problem.at(*span, "does not fit the declaration"));
                }
                let mut values: Vec<u8> = values.iter().map(|value| self.initial_value(value, ty, problems)).collect();
                values.resize(count, 0);
                values
            }
        }
    }

    fn initial_value(&self, value: &Expr, ty: Ty, problems: &mut Diagnostics) -> u8 {
        match constant(value, self, problems) {
            Some(init) if ty.contains(init) && (0..=255).contains(&init) => init.unsigned_abs() as u8,
            Some(init) => {
                let message = format!("the initial value {init} is out of range");
                let label = format!("must be from 0 to {}", ty.modulus.min(256) - 1);
                problems.push(Diagnostic::error(codes::OUT_OF_RANGE, message).at(value.span, label));
                0
            }
            None => 0,
        }
    }

    /// The type; `u8` after an error.
    pub(super) fn ty(&self, ty: &Type, problems: &mut Diagnostics) -> Ty {
        match ty {
            Type::Named(name) => Ty::named(&name.text).or_else(|| self.integer(&name.text)).unwrap_or_else(|| {
                problems.push(unknown_type(name));
                Ty::U8
            }),
            Type::Range { low, high, span } => {
                let (low, high) = (constant(low, self, problems), constant(high, self, problems));
                match (low, high) {
                    (Some(0), Some(high @ 0..=255)) => Ty::up_to(high),
                    (Some(_), Some(_)) => {
                        let problem = Diagnostic::error(codes::UNKNOWN_TYPE, "this range cannot be a type");
                        problems
                            .push(problem.at(*span, "not a type").help("a range begins at 0 and ends at 255 at most"));
                        Ty::U8
                    }
                    _ => Ty::U8,
                }
            }
        }
    }

    fn integer(&self, name: &str) -> Option<Ty> {
        (name == "int" && self.reading != Reading::Finite).then(|| self.reading.usual())
    }

    fn declare_anything(&mut self) {
        if self.reading == Reading::Template {
            let (name, kind, modulus) = (ANYTHING.to_owned(), LocKind::Plain, Ty::INT.modulus);
            self.anything = Some(self.locations.push(Location { name, kind, init: 0, modulus, span: Span::default() }));
        }
    }

    fn function(&self, item: &'a ast::Function, problems: &mut Diagnostics) -> Function<'a> {
        let mut parameters: Vec<(&Name, Ty)> = Vec::new();
        for (name, ty) in &item.parameters {
            let ty = ty.as_ref().map_or(self.reading.usual(), |ty| self.ty(ty, problems));
            parameters.push((name, ty));
        }
        let mut scan = BodyScan::default();
        scan.block(&item.body);
        let declared = item.result.as_ref().map(|ty| self.ty(ty, problems));
        if let (Some(ty), false) = (&item.result, scan.returns_value) {
            let message = format!("`{}` never returns a value", item.name.text);
            let problem = Diagnostic::error(codes::RETURN, message).at(ty.span(), "although it says so here");
            problems.push(problem.help("add `return e;`, or remove the `-> …`"));
        }
        let result = declared.or(scan.returns_value.then_some(self.reading.usual()));
        Function { ast: item, parameters, result, assigned: scan.assigned, labels: scan.labels }
    }
}

fn cells_text(item: &Shared, count: usize) -> String {
    match (&item.count, count) {
        (None, _) => format!("`{}`, which is no array", item.name.text),
        (_, 1) => "1 cell".into(),
        _ => format!("{count} cells"),
    }
}

fn unknown_type(name: &Name) -> Diagnostic {
    let problem =
        Diagnostic::error(codes::UNKNOWN_TYPE, format!("there is no type `{}`", name.text)).at(name.span, "not a type");
    let wide = ["int", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "unsigned", "usize", "uint8_t", "char", "long"];
    if &*name.text == "int" {
        return problem
            .help("`check` explores all values: use `u8`. Programs with unbounded integers are for `steadfast prove`");
    }
    if wide.contains(&&*name.text) {
        return problem.help("values are bytes at most: use `u8`");
    }
    problem.help("types are `bool`, `u1` to `u8`, and ranges such as `0..=9`")
}

/// The error for declaring a name of the language.
pub(super) fn reserved(name: &Name) -> Option<Diagnostic> {
    let why = if Order::named(&name.text).is_some() {
        "this is a memory ordering"
    } else if RESERVED.contains(&&*name.text) || Ty::named(&name.text).is_some() {
        "this word belongs to the language"
    } else {
        return None;
    };
    Some(Diagnostic::error(codes::RESERVED, format!("`{}` cannot be declared", name.text)).at(name.span, why))
}

/// The error for declaring a name twice.
pub(super) fn duplicate(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(codes::DUPLICATE, format!("`{}` is declared twice", name.text))
        .at(name.span, "declared again here")
        .context(first, "declared first here")
}

/// What must be known about a body before its first statement is lowered.
#[derive(Debug, Default)]
pub(super) struct BodyScan<'a> {
    pub(super) assigned: HashSet<Rc<str>>,
    pub(super) labels: Vec<&'a Name>,
    pub(super) returns_value: bool,
}

impl<'a> BodyScan<'a> {
    pub(super) fn block(&mut self, block: &'a ast::Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a ast::Stmt) {
        match &statement.kind {
            StmtKind::Assign { target, .. } => self.assigned.extend(target.as_name().map(|name| name.text.clone())),
            StmtKind::Label(name) => self.labels.push(name),
            StmtKind::Return(value) => self.returns_value |= value.is_some(),
            StmtKind::If { arms, otherwise } => {
                for block in arms.iter().map(|arm| &arm.1).chain(otherwise) {
                    self.block(block);
                }
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::Loop { body } => self.block(body),
            StmtKind::For { init, step, body, .. } => {
                init.iter().chain(step).for_each(|part| self.statement(part));
                self.block(body);
            }
            StmtKind::Choose(branches) => branches.iter().for_each(|branch| self.block(branch)),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Let { .. }
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Skip => {}
        }
    }
}
