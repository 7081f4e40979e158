//! The places where a Steadfast program could be changed; see [`crate::sites`].

use super::ast::{self, Block, Expr, ExprKind, File, Name, Stmt, StmtKind};
use super::orders::Order;
use crate::sites::{
    self, Braces, Edit, Form, Item, READ_ORDERS, RMW_ORDERS, Site, Variant, WRITE_ORDERS, gap_sites, spelled,
};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// All sites of a file, in any order.
pub(super) fn sites(text: &str, file: &File) -> Vec<Site> {
    let braces = Braces::of(text);
    let shared: Vec<&str> = file.shared.iter().map(|shared| &*shared.name.text).collect();
    let mut finder = Finder { text, braces, shared, found: Vec::new() };
    for function in &file.functions {
        finder.block(&function.body, false);
    }
    for thread in &file.threads {
        finder.block(&thread.body, true);
    }
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    braces: Braces,
    shared: Vec<&'a str>,
    found: Vec<Site>,
}

impl<'a> Finder<'a> {
    fn block(&mut self, block: &'a Block, is_thread: bool) {
        let items = block.statements.iter().map(|statement| self.item(statement)).collect();
        let block_sites = gap_sites(self.text, &self.braces, &sites::Block { items, is_thread }, &fence_name);
        self.found.extend(block_sites);
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn item(&self, statement: &Stmt) -> Item {
        let local = match &statement.kind {
            StmtKind::Let { value, .. } => value.as_ref().is_none_or(|value| !self.touches(value)),
            StmtKind::Assign { target, value, .. } => !self.touches(target) && !self.touches(value),
            StmtKind::Expr(value) => !self.touches(value),
            StmtKind::Skip => true,
            _ => false,
        };
        let simple = matches!(
            statement.kind,
            StmtKind::Let { .. } | StmtKind::Assign { .. } | StmtKind::Expr(_) | StmtKind::Skip
        );
        let jumps =
            matches!(statement.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Return(_));
        Item { span: statement.span, simple, local, jumps, fence: fence_of(statement) }
    }

    /// Whether evaluating an expression may access memory.
    fn touches(&self, expr: &Expr) -> bool {
        let here = match &expr.kind {
            ExprKind::Method { .. } | ExprKind::Wrong => true,
            ExprKind::Call { function, .. } => {
                !matches!(&*function.text, "any" | "assume" | "assert" | "observe" | "invariant")
            }
            ExprKind::Name(name) | ExprKind::Index { array: name, .. } => self.shared.contains(&&*name.text),
            _ => false,
        };
        here || expr.children().into_iter().any(|child| self.touches(child))
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match &statement.kind {
            StmtKind::Let { value, .. } | StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expression(value, true);
                }
            }
            StmtKind::Assign { target, value, .. } => {
                self.expression(target, true);
                self.expression(value, true);
            }
            StmtKind::Expr(value) => self.expression(value, false),
            StmtKind::If { arms, otherwise } => {
                for (cond, body) in arms {
                    self.expression(cond, true);
                    self.block(body, false);
                }
                if let Some(body) = otherwise {
                    self.block(body, false);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expression(cond, true);
                self.block(body, false);
            }
            StmtKind::For { init, cond, step, body } => {
                if let Some(cond) = cond {
                    self.expression(cond, true);
                }
                init.iter().chain(step).for_each(|statement| self.statement(statement));
                self.block(body, false);
            }
            StmtKind::Loop { body } | StmtKind::Block(body) => self.block(body, false),
            StmtKind::Choose(blocks) => blocks.iter().for_each(|block| self.block(block, false)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Skip => {}
        }
    }

    /// The accesses in an expression. `used` says whether its value is used.
    fn expression(&mut self, expr: &Expr, used: bool) {
        if let ExprKind::Method { method, arguments, .. } = &expr.kind {
            let access = MethodCall { text: self.text, expr, method, arguments };
            self.found.extend(access.site(used));
        }
        for child in expr.children() {
            self.expression(child, true);
        }
    }
}

/// `place.method(values, orderings)`
struct MethodCall<'a> {
    text: &'a str,
    expr: &'a Expr,
    method: &'a Name,
    arguments: &'a [Expr],
}

impl MethodCall<'_> {
    fn site(&self, used: bool) -> Option<Site> {
        let orders: Vec<Order> = self.orders().iter().filter_map(Order::of).collect();
        let first = orders.first().copied().unwrap_or(Order::SeqCst);
        let now = match &*self.method.text {
            "load" | "wait" | "load_at_most" | "load_at_least" | "load_or" => Form::Load(read(first)),
            "store" => Form::Store(write(first)),
            "swap" | "exchange" if !used => Form::Exchange(rmw(first)),
            name if name.starts_with("compare_exchange") => {
                Form::Cas(rmw(first), read(orders.get(1).copied().unwrap_or(first.after_failure())))
            }
            "lock" | "unlock" => return None,
            _ => Form::Rmw(rmw(first)),
        };
        let others = forms(now).into_iter().filter(|&form| form != now);
        let variants = others.map(|form| Variant { form, edits: self.edits(now, form) }).collect();
        Some(Site { span: self.expr.span, now, variants })
    }

    /// The orderings at the end of the arguments.
    fn orders(&self) -> &[Expr] {
        let values = self.arguments.iter().rposition(|argument| Order::of(argument).is_none()).map_or(0, |at| at + 1);
        &self.arguments[values..]
    }

    fn edits(&self, now: Form, form: Form) -> Vec<Edit> {
        let mut edits = vec![self.ordering(form)];
        match (now, form) {
            (Form::Store(_), Form::Exchange(_)) => edits.push(Edit::replace(self.method.span, "exchange")),
            (Form::Exchange(_), Form::Store(_)) => edits.push(Edit::replace(self.method.span, "store")),
            _ => {}
        }
        edits
    }

    /// The edit for the orderings of a form.
    fn ordering(&self, form: Form) -> Edit {
        let orders = self.orders();
        let old = orders.first().map_or("", |order| &self.text[order.span.range()]);
        let words: Vec<String> = names(form).into_iter().map(|name| spelled(old, &name)).collect();
        let words = words.join(", ");
        match orders {
            [first, .., last] => Edit::replace(first.span.to(last.span), words),
            [only] => Edit::replace(only.span, words),
            [] => {
                let end = Span::new(self.expr.span.end - 1, self.expr.span.end - 1);
                let comma = if self.arguments.is_empty() { "" } else { ", " };
                Edit::replace(end, format!("{comma}{words}"))
            }
        }
    }
}

/// The other possible forms of an access.
fn forms(now: Form) -> Vec<Form> {
    match now {
        Form::Load(_) => READ_ORDERS.map(Form::Load).to_vec(),
        Form::Store(_) | Form::Exchange(_) => {
            WRITE_ORDERS.map(Form::Store).into_iter().chain(RMW_ORDERS.map(Form::Exchange)).collect()
        }
        Form::Rmw(_) => RMW_ORDERS.map(Form::Rmw).to_vec(),
        Form::Cas(..) => RMW_ORDERS
            .into_iter()
            .flat_map(|success| READ_ORDERS.map(|failure| Form::Cas(success, failure)))
            .filter(|form| matches!(form, Form::Cas(success, failure) if *failure <= success.read()))
            .collect(),
        Form::Nothing | Form::Fence(_) => Vec::new(),
    }
}

fn names(form: Form) -> Vec<String> {
    match form {
        Form::Load(order) => vec![order.to_string()],
        Form::Store(order) => vec![order.to_string()],
        Form::Exchange(order) | Form::Rmw(order) => vec![order.to_string()],
        Form::Cas(success, failure) => vec![success.to_string(), failure.to_string()],
        Form::Fence(order) => vec![order.to_string()],
        Form::Nothing => Vec::new(),
    }
}

fn fence_name(order: FenceOrder) -> &'static str {
    match order {
        FenceOrder::Acquire => "acquire",
        FenceOrder::Release => "release",
        FenceOrder::AcqRel => "acq_rel",
        FenceOrder::SeqCst => "seq_cst",
    }
}

fn fence_of(statement: &Stmt) -> Option<FenceOrder> {
    let StmtKind::Expr(ast::Expr { kind: ExprKind::Call { function, arguments }, .. }) = &statement.kind else {
        return None;
    };
    let is_fence = matches!(&*function.text, "fence" | "atomic_thread_fence");
    is_fence.then(|| match arguments.first().and_then(Order::of) {
        Some(Order::Acquire) => FenceOrder::Acquire,
        Some(Order::Release) => FenceOrder::Release,
        Some(Order::AcqRel) => FenceOrder::AcqRel,
        _ => FenceOrder::SeqCst,
    })
}

fn read(order: Order) -> ReadOrder {
    match order {
        Order::Relaxed | Order::Release => ReadOrder::Relaxed,
        Order::Acquire | Order::AcqRel => ReadOrder::Acquire,
        Order::SeqCst => ReadOrder::SeqCst,
    }
}

fn write(order: Order) -> WriteOrder {
    match order {
        Order::Relaxed | Order::Acquire => WriteOrder::Relaxed,
        Order::Release | Order::AcqRel => WriteOrder::Release,
        Order::SeqCst => WriteOrder::SeqCst,
    }
}

fn rmw(order: Order) -> RmwOrder {
    RmwOrder::from_halves(read(order), write(order))
}
