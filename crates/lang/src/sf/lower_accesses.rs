//! Lowering of accesses to shared locations.

use super::ast::{AssignOp, Expr as Ast, ExprKind, Name, SharedKind};
use super::codes;
use super::constant::known;
use super::globals::{Global, Place};
use super::lower::{Local, Lowering};
use super::lower_attempt::Attempt;
use super::lower_values::Want;
use super::orders::Order;
use super::types::Ty;
use steadfast_diag::{Diagnostic, suggest};
use steadfast_ir::{BinaryOp, Expr, Instr, LocId, ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::{Index, Span};

impl<'a> Lowering<'a, '_> {
    /// `place.method(arguments)`
    pub(super) fn access(
        &mut self,
        expr: &'a Ast,
        place: &'a Ast,
        method: &'a Name,
        arguments: &'a [Ast],
        want: Want,
    ) -> Expr {
        let Some((at, global)) = self.place(place) else { return Expr::Const(0) };
        match (global.kind, &*method.text) {
            (SharedKind::Mutex, "lock" | "unlock") => self.mutex(expr, at, method, arguments, want),
            (SharedKind::Mutex, _) => self.unknown_method(method, "a mutex", &["lock", "unlock"]),
            (SharedKind::Plain, _) => self.atomic_on_plain(place, method, arguments),
            (SharedKind::Atomic, "lock" | "unlock") => {
                let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is not a mutex", self.text_of(place)))
                    .at(method.span, "only a mutex can be locked");
                self.report(problem.help(format!("declare it as `mutex {};`", self.text_of(place))));
            }
            (SharedKind::Atomic, _) => return self.atomic(expr, (at, global.ty), method, arguments, want),
        }
        Expr::Const(0)
    }

    /// The location that an expression denotes.
    fn place(&mut self, expr: &'a Ast) -> Option<(steadfast_ir::Place, Place)> {
        let (name, index) = match &expr.kind {
            ExprKind::Name(name) => (name, None),
            ExprKind::Index { array, index } => (array, Some(&**index)),
            ExprKind::Wrong => return None,
            _ => {
                let problem =
                    Diagnostic::error(codes::MISUSED, "this is not a location").at(expr.span, "not a location");
                self.report(
                    problem.help("accesses look like `x.load(acquire)`, where `x` is declared with `atomic<u8> x;`"),
                );
                return None;
            }
        };
        if self.local(&name.text).is_some() {
            let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is a variable of the thread", name.text));
            self.report(problem.at(name.span, "not a shared location").help(format!("use its value: `{}`", name.text)));
            return None;
        }
        match self.global(&name.text) {
            Some(Global::Shared(global)) => {
                let at = self.cell(expr, name, index, global)?;
                Some((at, global))
            }
            Some(_) => {
                let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is not a location", name.text));
                self.report(problem.at(name.span, "not a location"));
                None
            }
            None => {
                self.unknown_name(name);
                None
            }
        }
    }

    /// The location, or the cell of an array.
    fn cell(&mut self, expr: &Ast, name: &Name, index: Option<&'a Ast>, global: Place) -> Option<steadfast_ir::Place> {
        let (index, cells) = match (index, global.cells) {
            (None, None) => return Some(global.base.into()),
            (Some(index), Some(cells)) => (index, cells),
            (None, Some(cells)) => {
                let problem = Diagnostic::error(codes::BAD_INDEX, format!("`{}` is an array", name.text));
                let advice = format!("choose a cell, from `{0}[0]` to `{0}[{1}]`", name.text, cells - 1);
                self.report(problem.at(expr.span, "which cell is meant?").help(advice));
                return None;
            }
            (Some(_), None) => {
                let problem = Diagnostic::error(codes::BAD_INDEX, format!("`{}` is not an array", name.text));
                let advice = format!("write `{0}`, or declare an array with `{0}[4]`", name.text);
                self.report(problem.at(expr.span, "cannot be indexed").help(advice));
                return None;
            }
        };
        if let Some(constant) = known(index, self.globals).filter(|&at| !is_cell(at, cells)) {
            let problem =
                Diagnostic::error(codes::BAD_INDEX, format!("there is no cell {constant} in `{}`", name.text));
            self.report(problem.at(index.span, format!("must be from 0 to {}", cells - 1)));
            return None;
        }
        let index = self.value(index);
        Some(match index.as_const() {
            Some(at) if is_cell(at, cells) && cells != u32::MAX => {
                LocId::new(global.base.index() + at.unsigned_abs() as usize).into()
            }
            // Out of bounds for this copy only: an error if it is ever reached.
            _ => {
                self.stay_inside(&index, cells);
                steadfast_ir::Place::Element { base: global.base, len: cells, index }
            }
        })
    }

    /// A plain location that is read, or written by an assignment with the given operator.
    pub(super) fn plain_place(
        &mut self,
        expr: &'a Ast,
        assignment: Option<AssignOp>,
    ) -> Option<(steadfast_ir::Place, Place)> {
        let (ExprKind::Name(name) | ExprKind::Index { array: name, .. }) = &expr.kind else { return None };
        if let (ExprKind::Name(_), Some(_)) = (&expr.kind, assignment) {
            let constant = matches!(self.global(&name.text), Some(Global::Constant(_) | Global::Function(_)));
            if constant || &*name.text == "id" || matches!(self.local(&name.text), Some(Local::Constant(_))) {
                let problem = Diagnostic::error(codes::NOT_ASSIGNABLE, format!("`{}` cannot be assigned", name.text));
                self.report(problem.at(name.span, "not a variable or a plain location"));
                return None;
            }
        }
        let (at, global) = self.place(expr)?;
        if global.kind == SharedKind::Plain {
            return Some((at, global));
        }
        let text = self.text_of(expr);
        let cannot = if assignment.is_some() { "cannot be assigned" } else { "cannot be read by its name" };
        let kind = if global.kind == SharedKind::Mutex { "a mutex" } else { "an atomic location" };
        let problem = Diagnostic::error(codes::NEEDS_METHOD, format!("`{text}` is {kind} and {cannot}"))
            .at(expr.span, "a method is needed here");
        let advice = match (global.kind, assignment) {
            (SharedKind::Mutex, _) => format!("write `{text}.lock();` and `{text}.unlock();`"),
            (_, None) => format!("write `{text}.load(acquire)`, or another ordering"),
            (_, Some(AssignOp::Set)) => format!("write `{text}.store(…, release);`, or another ordering"),
            (_, Some(AssignOp::Update(op))) => match fetch_name(op) {
                Some(fetch) => format!("write `{text}.{fetch}(…, acq_rel);`, or another ordering"),
                None => format!("write a loop around `{text}.compare_exchange(…)`"),
            },
        };
        self.report(problem.help(advice));
        None
    }

    fn mutex(&mut self, expr: &Ast, at: steadfast_ir::Place, method: &Name, arguments: &[Ast], want: Want) {
        if !arguments.is_empty() {
            self.wrong_count(
                expr.span,
                &method.text,
                "no arguments",
                arguments.len(),
                &format!("m.{}();", method.text),
            );
        }
        self.no_value(expr, &format!("`{}`", method.text), want);
        let instr = if &*method.text == "lock" { Instr::Lock(at) } else { Instr::Unlock(at) };
        self.run(instr, expr.span);
    }

    fn atomic_on_plain(&mut self, place: &Ast, method: &Name, arguments: &[Ast]) {
        let text = self.text_of(place);
        let instead = match (&*method.text, arguments.len()) {
            ("load", _) => format!("write just `{text}`, or"),
            ("store", 1..) => format!("write `{text} = …;`, or"),
            _ => "atomic accesses need an atomic location:".to_string(),
        };
        let name = text.split('[').next().unwrap_or(&text);
        let problem = Diagnostic::error(
            codes::PLAIN_METHOD,
            format!("`{text}` is a plain location and has no `{}`", method.text),
        )
        .at(method.span, "only atomic locations have methods")
        .help(format!("{instead} declare it as `atomic<…> {name}`"));
        self.report(problem);
    }

    pub(super) fn unknown_method(&mut self, method: &Name, kind: &str, known: &[&'static str]) {
        let problem = Diagnostic::error(codes::UNKNOWN_METHOD, format!("{kind} has no `{}`", method.text))
            .at(method.span, "unknown access");
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        self.report(
            suggest(problem, &method.text, known.iter().copied()).note(format!("there are {}", names.join(", "))),
        );
    }

    fn atomic(
        &mut self,
        expr: &'a Ast,
        (at, ty): (steadfast_ir::Place, Ty),
        method: &'a Name,
        arguments: &'a [Ast],
        want: Want,
    ) -> Expr {
        let Some(arguments) = self.sort_arguments(expr, method, arguments) else { return Expr::Const(0) };
        // A value that is added or masked is not stored itself: `fetch_and(~1)` is correct.
        let stored = !method.text.starts_with("fetch_");
        let mut values = Vec::with_capacity(arguments.values.len());
        for value in arguments.values {
            if stored {
                self.warn_if_changed(value, ty);
            }
            let value = self.value(value);
            if stored {
                self.stay_within(&value, ty);
            }
            values.push(if stored || ty.boolean { self.fitted(value, ty) } else { value });
        }
        let instr = match &*method.text {
            "load" => {
                let order = self.order::<ReadOrder>(arguments.orders.first(), None);
                let dst = self.destination(want, ty).unwrap_or_else(|| self.registers.temporary(ty.modulus));
                self.run(Instr::Load { dst, place: at, order }, expr.span);
                return Expr::Reg(dst);
            }
            "load_at_most" | "load_at_least" | "load_or" => {
                let order = self.order::<ReadOrder>(arguments.orders.first(), None);
                return self.guess(expr, (at, ty, order), &method.text, values.pop());
            }
            "store" => {
                self.no_value(expr, "`store`", want);
                let order = self.order::<WriteOrder>(arguments.orders.first(), None);
                Instr::Store { place: at, value: take(&mut values), order }
            }
            "await_cas" => {
                self.no_value(expr, "`await_cas`", want);
                let order = self.order::<RmwOrder>(arguments.orders.first(), None);
                let expected = take(&mut values);
                Instr::BlockingCas { place: at, expected, new: take(&mut values), order }
            }
            "compare_exchange" | "compare_exchange_strong" | "compare_exchange_weak" => {
                let attempt = self.attempt((at, ty), values, &arguments.orders);
                let is_weak = &*method.text == "compare_exchange_weak";
                return if is_weak {
                    self.weak_attempt(attempt, expr.span, want)
                } else {
                    self.strong_attempt(&attempt, expr.span, want)
                };
            }
            name => return self.atomic_with_result(expr, (at, ty), name, (values, &arguments.orders), want),
        };
        self.run(instr, expr.span);
        Expr::Const(0)
    }

    /// The parts of a compare-and-exchange.
    fn attempt(
        &mut self,
        (place, ty): (steadfast_ir::Place, Ty),
        mut values: Vec<Expr>,
        orders: &[(Order, Span)],
    ) -> Attempt {
        let success = self.order::<RmwOrder>(orders.first(), None);
        let derived = orders.first().map(|&(order, span)| (order.after_failure(), span));
        let failure = orders.get(1).copied().or(derived);
        let failure = self.order::<ReadOrder>(failure.as_ref(), Some("a failed compare_exchange"));
        let expected = take(&mut values);
        Attempt { place, ty, expected, new: take(&mut values), success, failure }
    }

    /// The accesses that read, whose result may be ignored.
    fn atomic_with_result(
        &mut self,
        expr: &Ast,
        (place, ty): (steadfast_ir::Place, Ty),
        name: &str,
        (mut values, orders): (Vec<Expr>, &[(Order, Span)]),
        want: Want,
    ) -> Expr {
        let counts = ty.integer && name.starts_with("fetch_");
        let dst = match self.destination(want, ty) {
            None if counts => Some(self.registers.temporary(ty.modulus)),
            dst => dst,
        };
        let mut result = None;
        let instr = if name == "wait" {
            let order = self.order::<ReadOrder>(orders.first(), Some("a wait"));
            Instr::Wait { dst, place, values, order }
        } else {
            let update = self.update(expr, name, take(&mut values), ty);
            if let (true, Some(dst), Expr::Binary(op, _, by)) = (counts, dst, &update) {
                result = Some(Expr::binary(*op, Expr::Reg(dst), (**by).clone()));
            }
            Instr::Rmw { dst, place, update, order: self.order::<RmwOrder>(orders.first(), None) }
        };
        self.run(instr, expr.span);
        if let Some(result) = result {
            // Only here the old value is known; in an instance, the run may end here.
            self.stay_within(&result, ty);
        }
        dst.map_or(Expr::Const(0), Expr::Reg)
    }

    /// The new value of a read-modify-write.
    fn update(&mut self, expr: &Ast, name: &str, value: Expr, ty: Ty) -> Expr {
        let op = match name {
            "fetch_add" => BinaryOp::Add,
            "fetch_sub" => BinaryOp::Sub,
            "fetch_and" => BinaryOp::BitAnd,
            "fetch_or" => BinaryOp::BitOr,
            "fetch_xor" => BinaryOp::BitXor,
            _ => return value,
        };
        if ty.boolean && matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            let problem = Diagnostic::error(codes::MISUSED, format!("`{name}` on a `bool`"))
                .at(expr.span, "a `bool` cannot count");
            self.report(problem.help("use `swap` or `fetch_xor`, or declare it as `u1` or larger"));
        }
        Expr::binary(op, Expr::Old, value)
    }

    /// The text of a place, for messages.
    pub(super) fn text_of(&self, place: &Ast) -> String {
        match &place.kind {
            ExprKind::Name(name) => name.text.to_string(),
            ExprKind::Index { array, index } => match known(index, self.globals) {
                Some(at) => format!("{}[{at}]", array.text),
                None => format!("{}[…]", array.text),
            },
            _ => "…".into(),
        }
    }
}

/// Whether an array with this many cells has a cell with this index.
fn is_cell(at: i32, cells: u32) -> bool {
    u32::try_from(at).is_ok_and(|at| at < cells)
}

/// Removes the first value.
fn take(values: &mut Vec<Expr>) -> Expr {
    if values.is_empty() { Expr::Const(0) } else { values.remove(0) }
}

/// The read-modify-write that does what `x op= e` would.
fn fetch_name(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "fetch_add",
        BinaryOp::Sub => "fetch_sub",
        BinaryOp::BitAnd => "fetch_and",
        BinaryOp::BitOr => "fetch_or",
        BinaryOp::BitXor => "fetch_xor",
        _ => return None,
    })
}
