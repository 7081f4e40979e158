//! Lowering of calls: the functions of the language, and inlining of the program's functions.

use super::ast::{Expr as Ast, Name};
use super::codes;
use super::globals::{Function, Global};
use super::lower::{CallSite, Exit, Identity, Local, Lowering, Purpose};
use super::lower_values::Want;
use super::orders::{Order, unknown};
use super::types::Ty;
use steadfast_diag::{Diagnostic, suggest};
use steadfast_ir::{Expr, FenceOrder, Instr, RegId};

impl<'a> Lowering<'a, '_> {
    /// `name(arguments)`
    pub(super) fn call(&mut self, expr: &'a Ast, name: &'a Name, arguments: &'a [Ast], want: Want) -> Expr {
        match &*name.text {
            "any" => return self.any(expr, arguments, want),
            "assume" | "assert" | "observe" | "invariant" | "fence" | "atomic_thread_fence" => {
                self.no_value(expr, &format!("`{}`", name.text), want);
                self.built_in(expr, name, arguments);
                return Expr::Const(0);
            }
            _ => {}
        }
        match self.global(&name.text) {
            Some(Global::Function(function)) => self.user_function(expr, function, arguments, want),
            Some(_) => {
                let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is not a function", name.text));
                self.report(problem.at(name.span, "cannot be called"));
                Expr::Const(0)
            }
            None => {
                self.unknown_function(name);
                Expr::Const(0)
            }
        }
    }

    fn unknown_function(&mut self, name: &Name) {
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no function `{}`", name.text))
            .at(name.span, "unknown function");
        let own = ["any", "assume", "assert", "observe", "invariant", "fence"];
        let globals = self.globals;
        let functions = globals.functions.iter().map(|function| &*function.ast.name.text);
        self.report(suggest(problem, &name.text, own.into_iter().chain(functions)));
    }

    fn built_in(&mut self, expr: &'a Ast, name: &'a Name, arguments: &'a [Ast]) {
        if name.text.ends_with("fence") {
            return self.fence(expr, name, arguments);
        }
        let [argument] = arguments else {
            self.wrong_count(expr.span, &name.text, "1 argument", arguments.len(), &format!("{}(e);", name.text));
            return;
        };
        match &*name.text {
            "assume" => self.require(argument, Instr::Assume),
            "assert" => self.require(argument, Instr::Assert),
            "invariant" => self.invariant(expr, argument),
            _ => self.observe(argument),
        }
    }

    fn fence(&mut self, expr: &Ast, name: &Name, arguments: &[Ast]) {
        let order = match arguments {
            [] => None,
            [argument] => match (Order::of(argument), argument.as_name()) {
                (Some(order), _) => Some((order, argument.span)),
                (None, Some(name)) => return self.report(unknown(name)),
                (None, None) => {
                    let problem = Diagnostic::error(codes::WRONG_ORDERING, "this is not an ordering");
                    return self.report(problem.at(argument.span, "not an ordering").help("write `fence(seq_cst);`"));
                }
            },
            _ => return self.wrong_count(expr.span, &name.text, "1 ordering", arguments.len(), "fence(seq_cst);"),
        };
        let order = self.order::<FenceOrder>(order.as_ref(), None);
        self.run(Instr::Fence(order), expr.span);
    }

    /// `assume(e)` or `assert(e)`. A condition that is always true needs no instruction.
    fn require(&mut self, argument: &'a Ast, instr: fn(Expr) -> Instr) {
        let (holds, fails) = (self.code.label(), self.code.label());
        if !self.is_short_circuit(argument) {
            let value = self.value(argument);
            if value.as_const().is_none_or(|value| value == 0) {
                self.run(instr(value), self.span);
            }
            return;
        }
        self.condition(argument, holds, fails);
        self.code.bind(fails);
        self.run(instr(Expr::Const(0)), self.span);
        self.code.bind(holds);
    }

    fn observe(&mut self, argument: &'a Ast) {
        let reg = match self.value(argument) {
            Expr::Reg(reg) => reg,
            value => {
                let ty = self.globals.reading.usual();
                let reg = self.registers.temporary(ty.modulus);
                self.assign(reg, ty, value);
                reg
            }
        };
        self.run(Instr::Observe(reg), self.span);
    }

    fn user_function(&mut self, expr: &'a Ast, callee: usize, arguments: &'a [Ast], want: Want) -> Expr {
        let globals = self.globals;
        let function = &globals.functions[callee];
        let name = &function.ast.name.text;
        if function.result.is_none() {
            self.no_value(expr, &format!("`{name}`"), want);
        }
        if arguments.len() != function.parameters.len() {
            let takes = match function.parameters.len() {
                0 => "no arguments".to_string(),
                1 => "1 argument".to_string(),
                more => format!("{more} arguments"),
            };
            let parameters: Vec<&str> = function.parameters.iter().map(|parameter| &*parameter.0.text).collect();
            self.wrong_count(expr.span, name, &takes, arguments.len(), &format!("{name}({})", parameters.join(", ")));
            return Expr::Const(0);
        }
        match self.purpose {
            Purpose::Check => self.check_call(expr, callee, arguments),
            Purpose::Build => self.inline(expr, callee, arguments, want),
        }
    }

    /// Checks the arguments, and records the call.
    fn check_call(&mut self, expr: &'a Ast, callee: usize, arguments: &'a [Ast]) -> Expr {
        let globals = self.globals;
        for (argument, &(_, ty)) in arguments.iter().zip(&globals.functions[callee].parameters) {
            self.warn_if_changed(argument, ty);
            self.value(argument);
        }
        let caller = self.frame().exit.function;
        self.calls.push(CallSite { caller, callee, span: expr.span });
        // Not a constant, so that no conclusions are drawn from it.
        Expr::Reg(self.registers.temporary(self.globals.reading.usual().modulus))
    }

    fn inline(&mut self, expr: &'a Ast, callee: usize, arguments: &'a [Ast], want: Want) -> Expr {
        let globals = self.globals;
        let function = &globals.functions[callee];
        let result = function.result.and_then(|ty| Some((self.result_register(want, ty)?, ty)));
        let parameters = self.pass_arguments(function, arguments);
        let label = self.code.label();
        self.enter_frame(&function.labels, Exit { label, function: Some(callee), result });
        for ((name, ty), local) in function.parameters.iter().zip(parameters) {
            match local {
                Passed::As(local) => self.declare_as(name, local),
                Passed::In(reg) => self.declare_with(name, reg, *ty),
            }
        }
        let outer = self.span;
        self.block(&function.ast.body);
        if let Some((dst, _)) = result {
            // A path without `return` gives 0. If there is no such path, this is unreachable and is removed.
            self.run(Instr::Assign { dst, value: Expr::Const(0) }, expr.span);
        }
        self.span = outer;
        self.leave_frame();
        self.code.bind(label);
        result.map_or(Expr::Const(0), |(reg, _)| Expr::Reg(reg))
    }

    /// The register for the result of a function: the wanted register, if the types agree.
    fn result_register(&mut self, want: Want, ty: Ty) -> Option<RegId> {
        match want {
            Want::Nothing => None,
            Want::Into(reg, wanted) if wanted == ty => Some(reg),
            Want::Into(..) | Want::Value => Some(self.registers.temporary(ty.modulus)),
        }
    }

    /// Evaluates the arguments from left to right.
    fn pass_arguments(&mut self, function: &Function<'a>, arguments: &'a [Ast]) -> Vec<Passed> {
        let mut passed = Vec::with_capacity(arguments.len());
        let outer = self.span;
        for (&(name, ty), argument) in function.parameters.iter().zip(arguments) {
            self.span = argument.span;
            let direct = if function.assigned.contains(&name.text) { None } else { self.as_it_is(argument, ty) };
            passed.push(if let Some(local) = direct {
                Passed::As(local)
            } else {
                let reg = self.registers.variable(&name.text, ty.modulus);
                self.value_into(argument, reg, ty);
                Passed::In(reg)
            });
        }
        self.span = outer;
        passed
    }

    /// An argument that can replace its parameter: a constant, or a variable of the caller whose values all fit. The callee
    /// cannot assign it.
    fn as_it_is(&mut self, argument: &Ast, ty: Ty) -> Option<Local> {
        if let Some(value) = super::constant::known(argument, self.globals) {
            return Some(Local::Constant(ty.store(value)));
        }
        let name = argument.as_name()?;
        match self.local(&name.text) {
            Some(Local::Register(reg, own)) if own.modulus <= ty.modulus => Some(Local::Register(reg, ty)),
            Some(Local::Constant(value)) => Some(Local::Constant(ty.store(value))),
            None if &*name.text == "id" => match self.id {
                Identity::Known(id) => Some(Local::Constant(ty.store(id))),
                Identity::In(reg) => Some(Local::Register(reg, ty)),
            },
            _ => None,
        }
    }
}

/// How an argument is passed.
enum Passed {
    /// It replaces its parameter.
    As(Local),
    /// In a register.
    In(RegId),
}
