//! Integer terms over the registers of one thread, and their form in SMT-LIB.

use crate::system::Cell;
use std::fmt::Write;
use steadfast_ir::{BinaryOp, Expr, RegId, UNBOUNDED, UnaryOp};

/// A term. Comparisons and logical operators yield 0 or 1, as in the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// A number.
    Const(i64),
    /// The value of a register before the step.
    Reg(RegId),
    /// The value that the step reads.
    Got,
    /// The content of a cell of shared memory. Only invariants use it.
    Content(Box<Cell>),
    /// A unary operation.
    Unary(UnaryOp, Box<Term>),
    /// A binary operation.
    Binary(BinaryOp, Box<Term>, Box<Term>),
    /// The remainder of a value, where only values below the modulus can be stored.
    Reduced(Box<Term>, u16),
}

impl Term {
    /// The term of an expression, with registers replaced by their values. `old` is the value that the step reads.
    pub(crate) fn of(expr: &Expr, registers: &dyn Fn(RegId) -> Self) -> Self {
        match expr {
            Expr::Const(value) => Self::Const(i64::from(*value)),
            Expr::Reg(reg) => registers(*reg),
            Expr::Old => Self::Got,
            Expr::Unary(op, operand) => Self::Unary(*op, Box::new(Self::of(operand, registers))),
            Expr::Binary(op, left, right) => {
                Self::Binary(*op, Box::new(Self::of(left, registers)), Box::new(Self::of(right, registers)))
            }
        }
    }

    /// The value as it is stored, reduced unless it fits.
    pub(crate) fn reduced(self, modulus: u16, fits: impl Fn(&Self, u16) -> bool) -> Self {
        if modulus == UNBOUNDED || fits(&self, modulus) { self } else { Self::Reduced(Box::new(self), modulus) }
    }

    /// The value of the term if the step reads `got` and no register matters.
    pub(crate) fn with(&self, got: i64) -> Option<i64> {
        match self {
            Self::Const(value) => Some(*value),
            Self::Reg(_) | Self::Content(_) => None,
            Self::Got => Some(got),
            Self::Reduced(operand, modulus) => Some(operand.with(got)?.rem_euclid(i64::from(*modulus))),
            Self::Unary(op, operand) => Some(i64::from(op.apply(i32::try_from(operand.with(got)?).ok()?))),
            Self::Binary(op, left, right) => {
                let (left, right) = (i32::try_from(left.with(got)?).ok()?, i32::try_from(right.with(got)?).ok()?);
                op.apply(left, right).ok().map(i64::from)
            }
        }
    }

    /// Calls `see` for every register.
    pub(crate) fn registers(&self, see: &mut dyn FnMut(RegId)) {
        match self {
            Self::Const(_) | Self::Got => {}
            Self::Reg(reg) => see(*reg),
            Self::Content(cell) => cell.index.iter().for_each(|index| index.registers(see)),
            Self::Unary(_, operand) | Self::Reduced(operand, _) => operand.registers(see),
            Self::Binary(_, left, right) => {
                left.registers(see);
                right.registers(see);
            }
        }
    }

    /// Calls `see` for every number.
    pub(crate) fn constants(&self, see: &mut dyn FnMut(i64)) {
        match self {
            Self::Const(value) => see(*value),
            Self::Reg(_) | Self::Got => {}
            Self::Content(cell) => cell.index.iter().for_each(|index| index.constants(see)),
            Self::Unary(_, operand) | Self::Reduced(operand, _) => operand.constants(see),
            Self::Binary(_, left, right) => {
                left.constants(see);
                right.constants(see);
            }
        }
    }
}

/// The names of values in SMT-LIB.
pub(crate) trait Naming {
    /// A register.
    fn register(&self, reg: RegId) -> String;

    /// The value that the step reads.
    fn got(&self) -> String;

    /// A shared location or array.
    fn global(&self, global: usize) -> String;

    /// The content of a cell.
    fn content(&self, cell: &Cell) -> String {
        match &cell.index {
            None => self.global(cell.global),
            Some(index) => format!("(select {} {})", self.global(cell.global), self.integer(index)),
        }
    }

    /// A term as an integer.
    fn integer(&self, term: &Term) -> String {
        match term {
            Term::Const(value) => number(*value),
            Term::Reg(reg) => self.register(*reg),
            Term::Got => self.got(),
            Term::Content(cell) => self.content(cell),
            Term::Unary(UnaryOp::Neg, operand) => format!("(- {})", self.integer(operand)),
            Term::Unary(UnaryOp::BitNot, operand) => format!("(- (- {}) 1)", self.integer(operand)),
            Term::Unary(UnaryOp::Not, _) => format!("(ite {} 1 0)", self.truth(term)),
            Term::Reduced(operand, modulus) => format!("(mod {} {modulus})", self.integer(operand)),
            Term::Binary(op, left, right) => self.binary(*op, left, right),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Term, right: &Term) -> String {
        let (a, b) = (self.integer(left), self.integer(right));
        match op {
            BinaryOp::Add => format!("(+ {a} {b})"),
            BinaryOp::Sub => format!("(- {a} {b})"),
            BinaryOp::Mul if matches!((left, right), (Term::Const(_), _) | (_, Term::Const(_))) => {
                format!("(* {a} {b})")
            }
            BinaryOp::BitAnd if *right == Term::Const(1) => format!("(mod {a} 2)"),
            BinaryOp::Mul => format!("(op.mul {a} {b})"),
            BinaryOp::Div => format!("(op.div {a} {b})"),
            BinaryOp::Rem => format!("(op.rem {a} {b})"),
            BinaryOp::BitAnd => format!("(op.and {a} {b})"),
            BinaryOp::BitOr => format!("(op.or {a} {b})"),
            BinaryOp::BitXor => format!("(op.xor {a} {b})"),
            BinaryOp::Shl => format!("(op.shl {a} {b})"),
            BinaryOp::Shr => format!("(op.shr {a} {b})"),
            _ => {
                let truth = self.comparison(op, left, right);
                format!("(ite {truth} 1 0)")
            }
        }
    }

    fn comparison(&self, op: BinaryOp, left: &Term, right: &Term) -> String {
        let (a, b) = match op {
            BinaryOp::And | BinaryOp::Or => (self.truth(left), self.truth(right)),
            _ => (self.integer(left), self.integer(right)),
        };
        match op {
            BinaryOp::Eq => format!("(= {a} {b})"),
            BinaryOp::Lt => format!("(< {a} {b})"),
            BinaryOp::Le => format!("(<= {a} {b})"),
            BinaryOp::Gt => format!("(> {a} {b})"),
            BinaryOp::Ge => format!("(>= {a} {b})"),
            BinaryOp::And => format!("(and {a} {b})"),
            BinaryOp::Or => format!("(or {a} {b})"),
            _ => format!("(not (= {a} {b}))"),
        }
    }

    /// A term as a condition: whether it is not 0.
    fn truth(&self, term: &Term) -> String {
        match term {
            Term::Const(value) => (*value != 0).to_string(),
            Term::Unary(UnaryOp::Not, operand) => format!("(not {})", self.truth(operand)),
            Term::Binary(op, left, right) if op.is_truth() => self.comparison(*op, left, right),
            _ => format!("(not (= {} 0))", self.integer(term)),
        }
    }
}

/// The names of a thread's registers, and of the value that its step reads, before the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    /// The letter of the thread: `A` or `B`.
    pub(crate) thread: char,
    /// The value that the step reads, in SMT-LIB.
    pub(crate) got: &'a str,
}

impl Naming for Names<'_> {
    fn register(&self, reg: RegId) -> String {
        format!("{}.{}", self.thread, steadfast_span::Index::index(reg))
    }

    fn got(&self) -> String {
        self.got.to_owned()
    }

    fn global(&self, global: usize) -> String {
        format!("g{global}")
    }
}

/// A number as SMT-LIB writes it.
pub(crate) fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Operators without a definition for the solver: the proof must hold for all their results.
pub(crate) fn opaque_operators() -> String {
    let mut text = String::new();
    for name in ["mul", "div", "rem", "and", "or", "xor", "shl", "shr"] {
        let _ = writeln!(text, "(declare-fun op.{name} (Int Int) Int)");
    }
    text
}

/// The conjunction of formulas.
pub(crate) fn conjunction(parts: &[String]) -> String {
    match parts {
        [] => "true".into(),
        [one] => one.clone(),
        more => format!("(and {})", more.join(" ")),
    }
}
