//! The syntax tree of the automata format.

use steadfast_span::Span;

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File<'s> {
    pub(super) threads: Vec<Automaton<'s>>,
    /// Persist's `memory_size N`: addresses are below it.
    pub(super) memory_size: Option<Number>,
}

/// A word of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'s> {
    pub(super) text: &'s str,
    pub(super) span: Span,
}

/// A number of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) span: Span,
}

/// A thread.
#[derive(Debug)]
pub(super) struct Automaton<'s> {
    pub(super) name: Word<'s>,
    pub(super) initial: usize,
    /// The names of the states.
    pub(super) states: Vec<Word<'s>>,
    /// The names of the registers.
    pub(super) registers: Vec<Word<'s>>,
    /// The transitions, in the order of the text.
    pub(super) transitions: Vec<Transition>,
}

/// A step of a thread.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) op: Op,
    pub(super) span: Span,
}

/// The operation of a step. The registers of each thread have numbers.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// `read REGISTER ADDRESS`
    Read { register: usize, address: Term },
    /// `write VALUE ADDRESS`
    Write { value: Term, address: Term },
    /// `local REGISTER VALUE`
    Local { register: usize, value: Term },
    /// `check CONDITION`
    Check(Term),
    /// `mfence`
    Fence,
    /// `noop`
    Noop,
    /// `lock`: from here on, only this thread runs.
    Lock,
    /// `unlock`
    Unlock,
}

impl Op {
    /// Whether it accesses memory.
    pub(super) fn is_access(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::Write { .. })
    }
}

/// An expression over registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Number(i64),
    Register(usize),
    /// The value that a locked update has just read. Only [`super::sections`] makes this.
    Old,
    Not(Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operator(pub(super) steadfast_ir::BinaryOp);

impl Operator {
    /// The operator with this symbol.
    pub(super) fn of(word: &str) -> Option<Self> {
        use steadfast_ir::BinaryOp as B;
        B::of_symbol(word).filter(|op| !matches!(op, B::Div | B::Rem | B::Shl | B::Shr)).map(Self)
    }

    /// The result on unbounded numbers. Nothing if it exceeds 64 bits.
    pub(super) fn apply(self, left: i64, right: i64) -> Option<i64> {
        use steadfast_ir::BinaryOp as B;
        let truth = |holds: bool| Some(i64::from(holds));
        match self.0 {
            B::Add => left.checked_add(right),
            B::Sub => left.checked_sub(right),
            B::Mul => left.checked_mul(right),
            B::BitAnd => Some(left & right),
            B::BitOr => Some(left | right),
            B::BitXor => Some(left ^ right),
            B::Eq => truth(left == right),
            B::Ne => truth(left != right),
            B::Lt => truth(left < right),
            B::Le => truth(left <= right),
            B::Gt => truth(left > right),
            B::Ge => truth(left >= right),
            B::And => truth(left != 0 && right != 0),
            B::Or => truth(left != 0 || right != 0),
            B::Div | B::Rem | B::Shl | B::Shr => None,
        }
    }
}

impl Term {
    /// Calls a function for every part, inner parts first.
    pub(super) fn visit(&self, f: &mut dyn FnMut(&Self)) {
        match self {
            Self::Number(_) | Self::Register(_) | Self::Old => {}
            Self::Not(operand) => operand.visit(f),
            Self::Binary(_, left, right) => {
                left.visit(f);
                right.visit(f);
            }
        }
        f(self);
    }

    /// The number of parts.
    pub(super) fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }

    /// The registers in it.
    pub(super) fn registers(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.visit(&mut |part| {
            if let Self::Register(register) = part
                && !found.contains(register)
            {
                found.push(*register);
            }
        });
        found
    }

    /// The same term with every register replaced.
    pub(super) fn substitute(&self, replace: &dyn Fn(usize) -> Self) -> Self {
        match self {
            Self::Number(_) | Self::Old => self.clone(),
            Self::Register(register) => replace(*register),
            Self::Not(operand) => Self::Not(Box::new(operand.substitute(replace))),
            Self::Binary(op, left, right) => {
                Self::Binary(*op, Box::new(left.substitute(replace)), Box::new(right.substitute(replace)))
            }
        }
    }
}
