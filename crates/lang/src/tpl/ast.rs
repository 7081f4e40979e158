//! The syntax tree, in which names are not resolved yet.

use steadfast_ir::{BinaryOp, FenceOrder, LocKind, ReadOrder, RmwOrder, UnaryOp, WriteOrder};
use steadfast_span::Span;

/// A name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'s> {
    pub(super) text: &'s str,
    pub(super) span: Span,
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) value: i32,
    pub(super) span: Span,
}

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File<'s> {
    pub(super) max_value: Option<Number>,
    pub(super) locations: Vec<Declared<'s>>,
    /// The locations of `track`; their values have no effect.
    pub(super) tracked: Vec<Name<'s>>,
    pub(super) threads: Vec<Function<'s>>,
    /// Whether a declaration was left out because of an error in it.
    pub(super) incomplete: bool,
}

/// One location of `global` or `na`.
#[derive(Debug)]
pub(super) struct Declared<'s> {
    pub(super) name: Name<'s>,
    pub(super) kind: LocKind,
    pub(super) init: Option<Number>,
}

/// One thread.
#[derive(Debug)]
pub(super) struct Function<'s> {
    pub(super) name: Name<'s>,
    /// `fn name`
    pub(super) head: Span,
    pub(super) body: Vec<Statement<'s>>,
    /// The closing brace.
    pub(super) end: Span,
}

/// A statement. Its span does not include its `;`; for a statement with blocks, it ends at the first block.
#[derive(Debug)]
pub(super) struct Statement<'s> {
    pub(super) kind: StatementKind<'s>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum StatementKind<'s> {
    Local(Vec<Name<'s>>),
    Label(Name<'s>),
    Goto(Name<'s>),
    If { cond: Expr<'s>, then: Vec<Statement<'s>>, otherwise: Vec<Statement<'s>> },
    While { cond: Expr<'s>, body: Vec<Statement<'s>> },
    OneOf(Vec<Vec<Statement<'s>>>),
    Skip,
    Assert(Expr<'s>),
    Assume(Expr<'s>),
    Verify(Name<'s>),
    Fence(FenceOrder),
    Assign { dst: Name<'s>, value: Expr<'s> },
    Access { dst: Option<Name<'s>>, location: Name<'s>, access: AccessKind<'s> },
}

/// The operation on a location.
#[derive(Debug)]
pub(super) enum AccessKind<'s> {
    Load(ReadOrder),
    Store(Expr<'s>, WriteOrder),
    PlainLoad,
    PlainStore(Expr<'s>),
    FetchAdd(Expr<'s>, RmwOrder),
    Exchange(Expr<'s>, RmwOrder),
    Cas(Expr<'s>, Expr<'s>, RmwOrder),
    BlockingCas(Expr<'s>, Expr<'s>, RmwOrder),
    Wait(Vec<Expr<'s>>, ReadOrder),
    Lock,
    Unlock,
}

/// An expression and its place.
#[derive(Debug)]
pub(super) struct Expr<'s> {
    pub(super) kind: ExprKind<'s>,
    pub(super) span: Span,
    /// The height of its tree. It is bounded, so that later passes may recurse.
    pub(super) height: usize,
}

#[derive(Debug)]
pub(super) enum ExprKind<'s> {
    Number(i32),
    Name(&'s str),
    Unary(UnaryOp, Box<Expr<'s>>),
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
}
