//! Lowers one thread to instructions.

use super::ast::{self, AccessKind, ExprKind, Function, Name, Statement, StatementKind};
use super::lower::Locations;
use super::names::{Labels, Registers, Role};
use crate::codes;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_ir::{BinaryOp, Expr, Instr, LocId, LocKind, Place, RegId, ThreadBuilder};
use steadfast_span::Span;

/// The code of a thread. Statements with errors are left out.
pub(super) fn lower(
    function: &Function,
    locations: &Locations,
    modulus: u16,
    diagnostics: &mut Diagnostics,
) -> ThreadBuilder {
    let mut code = ThreadBuilder::new(function.name.text, modulus);
    code.declared_at(function.head);
    let (registers, labels) = (Registers::default(), Labels::default());
    let mut thread = Thread { code, registers, labels, locations, modulus, diagnostics };
    thread.block(&function.body);
    thread.code.at(function.end);
    thread.labels.check(thread.diagnostics);
    thread.code
}

struct Thread<'a, 's> {
    code: ThreadBuilder,
    registers: Registers<'s>,
    labels: Labels<'s>,
    locations: &'a Locations<'s>,
    modulus: u16,
    diagnostics: &'a mut Diagnostics,
}

impl<'s> Thread<'_, 's> {
    fn block(&mut self, statements: &[Statement<'s>]) {
        for statement in statements {
            if self.diagnostics.is_full() {
                return;
            }
            self.code.at(statement.span);
            // After an error in a statement, the others are still checked.
            let _ = self.statement(statement);
        }
    }

    /// Emits one statement; `None` after an error.
    fn statement(&mut self, statement: &Statement<'s>) -> Option<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Local(names) => {
                for &name in names {
                    self.registers.declare(name, &mut self.code, self.diagnostics);
                }
            }
            StatementKind::Label(name) => self.labels.place(*name, &mut self.code, self.diagnostics),
            StatementKind::Goto(name) => {
                let target = self.labels.target(*name, &mut self.code);
                self.code.jump(target);
            }
            StatementKind::If { cond, then, otherwise } => self.if_statement(span, cond, then, otherwise),
            StatementKind::While { cond, body } => self.while_statement(span, cond, body),
            StatementKind::OneOf(branches) => self.one_of(span, branches),
            StatementKind::Skip => {}
            StatementKind::Assert(cond) => {
                let cond = self.expr(cond)?;
                self.code.emit(Instr::Assert(cond));
            }
            StatementKind::Assume(cond) => {
                let cond = self.expr(cond)?;
                self.code.emit(Instr::Assume(cond));
            }
            StatementKind::Verify(name) => {
                let register = self.register(name)?;
                self.code.emit(Instr::Observe(register));
            }
            StatementKind::Fence(order) => self.code.fence(*order),
            StatementKind::Assign { dst, value } => {
                let (dst, value) = (self.destination(dst), self.stored(value));
                self.code.emit(Instr::Assign { dst: dst?, value: value? });
            }
            StatementKind::Access { dst, location, access } => self.access(span, dst.as_ref(), location, access)?,
        }
        Some(())
    }

    /// A branch into the first block or around it. For `if (c) goto l;`, a branch to the label.
    fn if_statement(&mut self, span: Span, cond: &ast::Expr<'s>, then: &[Statement<'s>], otherwise: &[Statement<'s>]) {
        // If the condition has an error, the blocks are still checked.
        let cond = self.expr(cond).unwrap_or(Expr::Const(0));
        let end = self.code.label();
        if let ([Statement { kind: StatementKind::Goto(name), span: goto }], []) = (then, otherwise) {
            let target = self.labels.target(*name, &mut self.code);
            self.code.at(span.to(*goto));
            self.code.branch(cond, target, end);
            self.code.bind(end);
            return;
        }
        let (first, second) = (self.code.label(), self.code.label());
        self.code.branch(cond, first, if otherwise.is_empty() { end } else { second });
        self.code.bind(first);
        self.block(then);
        if !otherwise.is_empty() {
            self.code.at(span);
            self.code.jump(end);
            self.code.bind(second);
            self.block(otherwise);
        }
        self.code.bind(end);
    }

    fn while_statement(&mut self, span: Span, cond: &ast::Expr<'s>, body: &[Statement<'s>]) {
        let cond = self.expr(cond).unwrap_or(Expr::Const(0));
        let (head, inside, end) = (self.code.label(), self.code.label(), self.code.label());
        self.code.bind(head);
        self.code.branch(cond, inside, end);
        self.code.bind(inside);
        self.block(body);
        self.code.at(span);
        self.code.jump(head);
        self.code.bind(end);
    }

    fn one_of(&mut self, span: Span, branches: &[Vec<Statement<'s>>]) {
        let end = self.code.label();
        let starts: Vec<_> = branches.iter().map(|_| self.code.label()).collect();
        self.code.choose(&starts);
        for (branch, start) in branches.iter().zip(starts) {
            self.code.bind(start);
            self.block(branch);
            self.code.at(span);
            self.code.jump(end);
        }
        self.code.bind(end);
    }

    fn access(
        &mut self,
        span: Span,
        dst: Option<&Name<'s>>,
        location: &Name<'s>,
        access: &AccessKind<'s>,
    ) -> Option<()> {
        let plain = matches!(access, AccessKind::PlainLoad | AccessKind::PlainStore(_));
        let loc = self.location(location, if plain { LocKind::Plain } else { LocKind::Atomic });
        let dst = match dst {
            Some(name) => Some(self.destination(name)?),
            None => None,
        };
        let op = self.instruction(span, dst, loc, access)?;
        self.code.emit(op);
        Some(())
    }

    /// The instruction of an access. All operands are resolved, with their errors, before any of them ends this.
    fn instruction(
        &mut self,
        span: Span,
        dst: Option<RegId>,
        loc: Option<LocId>,
        access: &AccessKind<'s>,
    ) -> Option<Instr> {
        let place = || Some(Place::Fixed(loc?));
        Some(match access {
            AccessKind::Load(order) => Instr::Load { dst: dst?, place: place()?, order: *order },
            AccessKind::PlainLoad => Instr::PlainLoad { dst: dst?, place: place()? },
            AccessKind::Store(value, order) => {
                let value = self.stored(value)?;
                Instr::Store { place: place()?, value, order: *order }
            }
            AccessKind::PlainStore(value) => {
                let value = self.stored(value)?;
                Instr::PlainStore { place: place()?, value }
            }
            AccessKind::FetchAdd(amount, order) => {
                // Rocker assigns the old value before it evaluates the amount, which may contain the register.
                let amount = self.expr(amount)?;
                let amount = amount.substitute(&|reg| if Some(reg) == dst { Expr::Old } else { Expr::Reg(reg) });
                let update = Expr::binary(BinaryOp::Add, Expr::Old, amount);
                Instr::Rmw { dst, place: place()?, update, order: *order }
            }
            AccessKind::Exchange(value, order) => {
                let update = self.stored(value)?;
                Instr::Rmw { dst, place: place()?, update, order: *order }
            }
            AccessKind::Cas(expected, new, success) => {
                let (expected, new) = (self.stored(expected), self.stored(new));
                let (expected, new, failure) = (expected?, new?, success.read());
                Instr::Cas { dst, place: place()?, expected, new, success: *success, failure, spurious: false }
            }
            AccessKind::BlockingCas(expected, new, order) => {
                let (expected, new) = (self.stored(expected), self.stored(new));
                Instr::BlockingCas { place: place()?, expected: expected?, new: new?, order: *order }
            }
            AccessKind::Wait(values, order) => {
                let used = if dst.is_some() { self.assigned_wait(span, values) } else { values };
                let values: Vec<_> = used.iter().map(|value| self.stored(value)).collect();
                Instr::Wait { dst, place: place()?, values: values.into_iter().collect::<Option<_>>()?, order: *order }
            }
            AccessKind::Lock => Instr::Lock(place()?),
            AccessKind::Unlock => Instr::Unlock(place()?),
        })
    }

    /// The values for which a wait with a result really waits: Rocker drops the first of several.
    fn assigned_wait<'v>(&mut self, span: Span, values: &'v [ast::Expr<'s>]) -> &'v [ast::Expr<'s>] {
        let [first, rest @ ..] = values else { return values };
        if rest.is_empty() {
            return values;
        }
        let problem = Diagnostic::warning(codes::WAIT_DROPS_VALUE, "the first value of this `wait` is ignored");
        let problem = problem.at(first.span, "as in Rocker, this value is not waited for");
        let problem = problem.context(span, "because the result is assigned");
        self.diagnostics.push(problem.help("to wait for it too, write it twice"));
        rest
    }

    /// A variable that is read.
    fn register(&mut self, name: &Name<'s>) -> Option<RegId> {
        self.registers.find(name, Role::Used, self.locations, self.diagnostics)
    }

    /// A variable that is assigned.
    fn destination(&mut self, name: &Name<'s>) -> Option<RegId> {
        self.registers.find(name, Role::Assigned, self.locations, self.diagnostics)
    }

    /// The location with this name, if it has the kind that the access needs.
    fn location(&mut self, name: &Name<'s>, wanted: LocKind) -> Option<LocId> {
        let Some(loc) = self.locations.get(name.text) else {
            if self.registers.contains(name.text) {
                let message = format!("`{}` is a local variable, not a shared location", name.text);
                self.diagnostics
                    .push(Diagnostic::error(codes::NOT_A_VALUE, message).at(name.span, "expected a location"));
            } else {
                self.locations.report_unknown(name, self.diagnostics);
            }
            return None;
        };
        let (declared, kind) = self.locations.declaration(loc);
        if kind == wanted {
            return Some(loc);
        }
        let (is, access, help) = match kind {
            LocKind::Atomic => ("atomic", "plain", "use `load` and `store`, or declare it with `na`"),
            LocKind::Plain => ("plain", "atomic", "use `naload` and `nastore`, or declare it with `global`"),
        };
        let problem =
            Diagnostic::error(codes::WRONG_KIND, format!("{access} access to the {is} location `{}`", name.text));
        let problem = problem.at(name.span, format!("this access is {access}"));
        self.diagnostics.push(problem.context(declared, format!("declared {is} here")).help(help));
        None
    }

    /// An expression whose value is reduced to the value range. Warns about constants outside it.
    fn stored(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        let value = self.expr(expr)?;
        let modulus = i32::from(self.modulus);
        if let Some(constant) = value.as_const().filter(|constant| !(0..modulus).contains(constant)) {
            let reduced = (constant % modulus).rem_euclid(256);
            let message = format!("the constant {constant} becomes {reduced} here");
            let problem = Diagnostic::warning(codes::CONSTANT_WRAPS, message);
            self.diagnostics.push(problem.at(expr.span, format!("values lie between 0 and {}", modulus - 1)));
        }
        Some(value)
    }

    fn expr(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        Some(match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Name(text) => Expr::Reg(self.register(&Name { text, span: expr.span })?),
            ExprKind::Unary(op, operand) => Expr::unary(*op, self.expr(operand)?),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                Expr::binary(*op, left?, right?)
            }
        })
    }
}
