//! The text as a tree.

use crate::program::{BinaryOp, UnaryOp};
use steadfast_span::Span;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) values: Option<(i64, Span)>,
    pub(super) shared: Vec<Shared>,
    pub(super) processes: Vec<ProcessItem>,
    pub(super) templates: Vec<TemplateItem>,
    pub(super) expectations: Vec<ExpectItem>,
}

/// `shared name[2][3] = 1`
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) name: Name,
    pub(super) sizes: Vec<(i64, Span)>,
    pub(super) initial: Option<(i64, Span)>,
}

/// `process name[2] { … }`
#[derive(Clone, Debug)]
pub(super) struct ProcessItem {
    pub(super) name: Name,
    pub(super) copies: Option<(i64, Span)>,
    pub(super) body: Vec<Stmt>,
}

/// `template name(a, b) { … }`
#[derive(Clone, Debug)]
pub(super) struct TemplateItem {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) operations: Vec<Operation>,
}

/// `read T[a](balance);`
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) kind: Name,
    pub(super) table: Name,
    pub(super) key: Vec<Name>,
    pub(super) attributes: Option<Vec<Name>>,
}

/// `#![expect(robust, model = ccv)]`
#[derive(Clone, Debug)]
pub(super) struct ExpectItem {
    pub(super) verdict: Name,
    pub(super) model: Name,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    /// Perhaps with a name, and whether it runs serializably.
    Txn(Option<Name>, bool, Vec<Stmt>),
    Loop(Vec<Stmt>),
    Choose(Vec<Vec<Stmt>>),
    /// Without a condition, either way.
    If(Option<Tree>, Vec<Stmt>, Vec<Stmt>),
    Pick(Name, Tree, Tree),
    For(Name, Tree, Tree, Vec<Stmt>),
    Assume(Tree),
    Assign(Target, Tree),
    Skip,
}

/// What is assigned to.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) name: Name,
    pub(super) indices: Vec<Tree>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) kind: TreeKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TreeKind {
    Number(i64),
    SelfWord,
    Name(Target),
    Unary(UnaryOp, Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
}
