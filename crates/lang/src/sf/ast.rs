//! The syntax tree. Incorrect programs have one, too; parts that could not be parsed are missing.

use std::rc::Rc;
use steadfast_ir::{BinaryOp, UnaryOp};
use steadfast_span::Span;

/// A name and its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Rc<str>,
    pub(super) span: Span,
}

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) attributes: Vec<Attribute>,
    pub(super) constants: Vec<Constant>,
    pub(super) shared: Vec<Shared>,
    pub(super) functions: Vec<Function>,
    pub(super) threads: Vec<Thread>,
}

impl File {
    /// Whether some declaration has no bound.
    pub(super) fn is_template(&self) -> bool {
        let endless = |shared: &Shared| {
            let integer = matches!(shared.ty.as_deref(), Some(Type::Named(name)) if &*name.text == "int");
            integer || matches!(shared.count, Some(Count::Endless(_)))
        };
        self.threads.iter().any(|thread| thread.many.is_some()) || self.shared.iter().any(endless)
    }
}

/// `#![name = "…"]` or `#![name(word, key = value, …)]`.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: Name,
    /// The text after `=`, without quotes.
    pub(super) text: Option<String>,
    /// The arguments in parentheses, each with its value if it has one.
    pub(super) arguments: Vec<(Name, Option<Name>)>,
    pub(super) span: Span,
}

/// `const NAME: type = value;`
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) name: Name,
    /// Only a promise about the value.
    pub(super) ty: Option<Type>,
    pub(super) value: Expr,
}

/// The kind of shared object in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedKind {
    Atomic,
    Plain,
    Mutex,
}

/// `atomic<T> name[count] = init;`, or `name[]` for an unbounded array.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) kind: SharedKind,
    /// None for a mutex.
    pub(super) ty: Option<Rc<Type>>,
    pub(super) name: Name,
    pub(super) count: Option<Count>,
    pub(super) init: Init,
}

/// The number of cells of an array.
#[derive(Debug)]
pub(super) enum Count {
    Cells(Expr),
    /// `[]`
    Endless(Span),
}

/// The initial value of a location.
#[derive(Debug)]
pub(super) enum Init {
    Zero,
    /// The same value for every cell.
    All(Expr),
    /// One value per cell.
    Each(Vec<Expr>, Span),
}

/// A type.
#[derive(Debug)]
pub(super) enum Type {
    /// `u8`, `bool`
    Named(Name),
    /// `0..=N`
    Range { low: Expr, high: Expr, span: Span },
}

/// `fn name(parameters) -> result { … }`
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) parameters: Vec<(Name, Option<Type>)>,
    pub(super) result: Option<Type>,
    pub(super) body: Block,
}

/// `thread name[copies] { … }`, or `threads name { … }`
#[derive(Debug)]
pub(super) struct Thread {
    /// If there is any number of these threads: the place of the word that says so.
    pub(super) many: Option<Span>,
    pub(super) name: Name,
    pub(super) copies: Option<Expr>,
    pub(super) body: Block,
}

/// `{ … }`
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) statements: Vec<Stmt>,
}

/// A statement and its place, without its semicolon; for a statement with blocks, the place of its head.
#[derive(Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub(super) enum StmtKind {
    Let {
        name: Name,
        ty: Option<Type>,
        value: Option<Expr>,
    },
    /// `target = value`, or `target op= value`.
    Assign {
        target: Expr,
        op: AssignOp,
        value: Expr,
    },
    /// An expression that is evaluated for its effect.
    Expr(Expr),
    If {
        arms: Vec<(Expr, Block)>,
        otherwise: Option<Block>,
    },
    While {
        cond: Expr,
        body: Block,
    },
    DoWhile {
        body: Block,
        cond: Expr,
    },
    Loop {
        body: Block,
    },
    For {
        init: Option<Box<Stmt>>,
        cond: Option<Expr>,
        step: Option<Box<Stmt>>,
        body: Block,
    },
    Break,
    Continue,
    Choose(Vec<Block>),
    Block(Block),
    Label(Name),
    Goto(Name),
    Return(Option<Expr>),
    Skip,
}

/// The kind of an assignment.
#[derive(Clone, Copy, Debug)]
pub(super) enum AssignOp {
    /// `=`
    Set,
    /// `+=` and similar operators.
    Update(BinaryOp),
}

/// An expression and its place.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// The height of this tree. It is bounded, so that later passes may recurse.
    pub(super) height: u16,
}

/// The kinds of expressions.
#[derive(Debug)]
pub(super) enum ExprKind {
    Number(i32),
    /// A name; for a path such as `Ordering::Relaxed`, its last part.
    Name(Name),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `array[index]`
    Index {
        array: Name,
        index: Box<Expr>,
    },
    /// `name(arguments)`
    Call {
        function: Name,
        arguments: Vec<Expr>,
    },
    /// `place.method(arguments)`
    Method {
        place: Box<Expr>,
        method: Name,
        arguments: Vec<Expr>,
    },
    /// An error that was reported.
    Wrong,
}

impl Expr {
    /// An expression in place of one that could not be parsed.
    pub(super) fn wrong(span: Span) -> Self {
        Self { kind: ExprKind::Wrong, span, height: 1 }
    }

    /// The name, if this is just a name.
    pub(super) fn as_name(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The expressions directly below this one.
    pub(super) fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Wrong => Vec::new(),
            ExprKind::Unary(_, operand) => vec![operand],
            ExprKind::Binary(_, left, right) => vec![left, right],
            ExprKind::Index { index, .. } => vec![index],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
            ExprKind::Method { place, arguments, .. } => std::iter::once(&**place).chain(arguments).collect(),
        }
    }
}

impl Type {
    /// Its place.
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Named(name) => name.span,
            Self::Range { span, .. } => *span,
        }
    }
}
