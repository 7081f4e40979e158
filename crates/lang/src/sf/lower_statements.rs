//! Lowering of statements.

use super::ast::{AssignOp, Block, Expr as Ast, ExprKind, Name, Stmt, StmtKind, Type};
use super::code::Label;
use super::codes;
use super::globals::Place;
use super::lower::{Local, Loop, Lowering};
use super::lower_values::Want;
use steadfast_diag::{Diagnostic, suggest};
use steadfast_ir::{BinaryOp, Expr, Instr};

impl<'a> Lowering<'a, '_> {
    /// A block with its own scope.
    pub(super) fn block(&mut self, block: &'a Block) {
        self.enter_scope();
        for statement in &block.statements {
            self.statement(statement);
        }
        self.leave_scope();
    }

    /// One statement. Temporaries never live longer than it.
    pub(super) fn statement(&mut self, statement: &'a Stmt) {
        let (mark, outer) = (self.registers.mark(), self.span);
        self.span = statement.span;
        self.deeper(statement.span, (), |this| this.statement_kind(statement));
        self.span = outer;
        self.registers.release_temporaries(mark);
    }

    fn statement_kind(&mut self, statement: &'a Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Let { name, ty, value } => self.let_statement(name, ty.as_ref(), value.as_ref()),
            StmtKind::Assign { target, op, value } => self.assignment(target, *op, value),
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If { arms, otherwise } => self.if_statement(arms, otherwise.as_ref()),
            StmtKind::While { cond, body } => self.while_loop(cond, body),
            StmtKind::DoWhile { body, cond } => self.do_while(body, cond),
            StmtKind::Loop { body } => self.endless_loop(body),
            StmtKind::For { init, cond, step, body } => {
                self.for_loop(init.as_deref(), cond.as_ref(), step.as_deref(), body);
            }
            StmtKind::Break => self.leave_loop("break", |found| found.break_to),
            StmtKind::Continue => self.leave_loop("continue", |found| found.continue_to),
            StmtKind::Choose(branches) => self.choose(branches),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Label(name) => {
                if let Some(&(label, _)) = self.frame().labels.get(&name.text) {
                    self.code.bind(label);
                }
            }
            StmtKind::Goto(name) => match self.frame().labels.get(&name.text) {
                Some(&(label, _)) => self.code.jump(label, span),
                None => self.unknown_label(name),
            },
            StmtKind::Return(value) => self.return_statement(value.as_ref()),
            StmtKind::Skip => {}
        }
    }

    fn unknown_label(&mut self, name: &Name) {
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no label `{}` here", name.text))
            .at(name.span, "unknown label")
            .note("labels are local to a thread or function");
        let names = self.frame().label_names.clone();
        self.report(suggest(problem, &name.text, names.iter().map(|name| &**name)));
    }

    fn let_statement(&mut self, name: &'a Name, ty: Option<&'a Type>, value: Option<&'a Ast>) {
        let ty = ty.map_or(self.globals.reading.usual(), |ty| self.ty(ty));
        // The variable is not visible in its own initial value. So the value is computed first, into a register that is made visible later.
        // A `goto` can skip this statement and still reach the variable, which then must not contain the value of another variable.
        let reg = if self.frame().labels.is_empty() {
            self.registers.variable(&name.text, ty.modulus)
        } else {
            self.registers.fresh(&name.text, ty.modulus)
        };
        match value {
            Some(value) => {
                self.warn_if_changed(value, ty);
                self.value_into(value, reg, ty);
            }
            None => self.run(Instr::Assign { dst: reg, value: Expr::Const(0) }, self.span),
        }
        self.declare_with(name, reg, ty);
    }

    fn assignment(&mut self, target: &'a Ast, op: AssignOp, value: &'a Ast) {
        if let Some(Local::Register(reg, ty)) = target.as_name().and_then(|name| self.local(&name.text)) {
            return match op {
                AssignOp::Set => {
                    self.warn_if_changed(value, ty);
                    self.value_into(value, reg, ty);
                }
                AssignOp::Update(op) => {
                    let value = self.value(value);
                    self.assign(reg, ty, fold(op, Expr::Reg(reg), value));
                }
            };
        }
        let Some((place, global)) = self.assignable(target, op) else {
            // The right side may also have errors.
            self.value(value);
            return;
        };
        let value = match op {
            AssignOp::Set => {
                self.warn_if_changed(value, global.ty);
                self.value(value)
            }
            AssignOp::Update(op) => {
                let dst = self.registers.temporary(global.ty.modulus);
                self.run(Instr::PlainLoad { dst, place: place.clone() }, target.span);
                let value = self.value(value);
                fold(op, Expr::Reg(dst), value)
            }
        };
        let value = self.fitted(value, global.ty);
        self.run(Instr::PlainStore { place, value }, self.span);
    }

    /// The plain location that an assignment writes; none after an error, which was reported.
    fn assignable(&mut self, target: &'a Ast, op: AssignOp) -> Option<(steadfast_ir::Place, Place)> {
        match &target.kind {
            ExprKind::Name(_) | ExprKind::Index { .. } => self.plain_place(target, Some(op)),
            ExprKind::Wrong => None,
            _ => {
                let problem = Diagnostic::error(codes::NOT_ASSIGNABLE, "this cannot be assigned");
                self.report(problem.at(target.span, "not a variable or a plain location"));
                None
            }
        }
    }

    /// An expression as a statement.
    fn effect(&mut self, expr: &'a Ast) {
        match &expr.kind {
            ExprKind::Method { .. } | ExprKind::Call { .. } | ExprKind::Wrong => {
                self.evaluate(expr, Want::Nothing);
            }
            kind => {
                let problem = Diagnostic::error(codes::NO_EFFECT, "this statement does nothing")
                    .at(expr.span, "its value is not used");
                let problem = match kind {
                    ExprKind::Binary(BinaryOp::Eq, ..) => problem.help("`==` compares; to assign, write `=`"),
                    _ => problem,
                };
                self.report(problem);
                self.value(expr);
            }
        }
    }

    /// A condition. Its temporaries are dead when it is decided.
    fn decide(&mut self, cond: &'a Ast, then: Label, otherwise: Label) {
        let mark = self.registers.mark();
        let outer = std::mem::replace(&mut self.span, cond.span);
        self.condition(cond, then, otherwise);
        self.span = outer;
        self.registers.release_temporaries(mark);
    }

    fn if_statement(&mut self, arms: &'a [(Ast, Block)], otherwise: Option<&'a Block>) {
        let end = self.code.label();
        for (cond, block) in arms {
            let (then, next) = (self.code.label(), self.code.label());
            self.decide(cond, then, next);
            self.code.bind(then);
            self.block(block);
            self.code.jump(end, self.span);
            self.code.bind(next);
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        self.code.bind(end);
    }

    fn while_loop(&mut self, cond: &'a Ast, body: &'a Block) {
        let head = self.code.here();
        let (inside, end) = (self.code.label(), self.code.label());
        self.decide(cond, inside, end);
        self.code.bind(inside);
        self.loop_body(body, Loop { break_to: end, continue_to: head });
        self.code.jump(head, self.span);
        self.code.bind(end);
    }

    fn do_while(&mut self, body: &'a Block, cond: &'a Ast) {
        let head = self.code.here();
        let (test, end) = (self.code.label(), self.code.label());
        self.loop_body(body, Loop { break_to: end, continue_to: test });
        self.code.bind(test);
        self.decide(cond, head, end);
        self.code.bind(end);
    }

    fn endless_loop(&mut self, body: &'a Block) {
        let head = self.code.here();
        let end = self.code.label();
        self.loop_body(body, Loop { break_to: end, continue_to: head });
        self.code.jump(head, self.span);
        self.code.bind(end);
    }

    fn for_loop(&mut self, init: Option<&'a Stmt>, cond: Option<&'a Ast>, step: Option<&'a Stmt>, body: &'a Block) {
        self.enter_scope();
        if let Some(init) = init {
            self.statement(init);
        }
        let head = self.code.here();
        let (inside, next, end) = (self.code.label(), self.code.label(), self.code.label());
        if let Some(cond) = cond {
            self.decide(cond, inside, end);
        }
        self.code.bind(inside);
        self.loop_body(body, Loop { break_to: end, continue_to: next });
        self.code.bind(next);
        if let Some(step) = step {
            self.statement(step);
        }
        self.code.jump(head, self.span);
        self.code.bind(end);
        self.leave_scope();
    }

    fn loop_body(&mut self, body: &'a Block, exits: Loop) {
        self.frame().loops.push(exits);
        self.block(body);
        self.frame().loops.pop();
    }

    fn leave_loop(&mut self, word: &str, target: impl FnOnce(Loop) -> Label) {
        let Some(found) = self.frame().loops.last().copied() else {
            let problem = Diagnostic::error(codes::OUTSIDE_LOOP, format!("`{word}` outside of a loop"));
            return self.report(problem.at(self.span, "there is no loop around this"));
        };
        self.code.jump(target(found), self.span);
    }

    fn choose(&mut self, branches: &'a [Block]) {
        let starts: Vec<Label> = branches.iter().map(|_| self.code.label()).collect();
        let end = self.code.label();
        if starts.len() > 1 {
            self.code.choose(starts.clone(), self.span);
        }
        for (start, block) in starts.into_iter().zip(branches) {
            self.code.bind(start);
            self.block(block);
            self.code.jump(end, self.span);
        }
        self.code.bind(end);
    }

    fn return_statement(&mut self, value: Option<&'a Ast>) {
        let exit = self.frame().exit;
        let wants_value = exit.function.is_some_and(|function| self.globals.functions[function].result.is_some());
        match value {
            Some(value) if wants_value => match exit.result {
                Some((reg, ty)) => self.value_into(value, reg, ty),
                None => drop(self.evaluate(value, Want::Nothing)),
            },
            Some(value) => {
                let problem = Diagnostic::error(codes::RETURN, "a thread returns no value")
                    .at(value.span, "nobody can receive this");
                self.report(problem.help("write `return;` to end the thread"));
            }
            None if wants_value => {
                let problem =
                    Diagnostic::error(codes::RETURN, "this `return` lacks a value").at(self.span, "no value here");
                self.report(problem.note("the function returns a value elsewhere"));
            }
            None => {}
        }
        self.code.jump(exit.label, self.span);
    }
}

/// `left op right`, computed now if both are constant.
pub(super) fn fold(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let expr = Expr::binary(op, left, right);
    expr.as_const().map_or(expr, Expr::Const)
}
