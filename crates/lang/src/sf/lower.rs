//! Lowering to instructions: the parts that statements, values, accesses and calls share. Each of these has a file of its own.
//!
//! Every body is lowered twice. *Checking* lowers each function and each thread once, without inlining, and finds all errors in them.
//! Only if there are none, *building* lowers every copy of every thread with the functions inlined. So each error is reported once,
//! in linear time, however often its function is called. Building can fail only because of size.

use super::ast::Name;
use super::code::{Code, Label};
use super::globals::{Global, Globals, duplicate, reserved};
use super::lower_annotations::Annotations;
use super::parametric::{LEAVES_INSTANCE, Reading};
use super::registers::Registers;
use super::types::{Ty, is_truth};
use super::{codes, limits};
use std::collections::HashMap;
use std::rc::Rc;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_ir::{BinaryOp, Expr, Instr, RegId};
use steadfast_span::Span;

/// The purpose of lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Finding errors; calls are not inlined.
    Check,
    /// Making the program.
    Build,
}

/// A call of a function, found while checking.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    /// The calling function; none if it is a thread.
    pub(super) caller: Option<usize>,
    pub(super) callee: usize,
    pub(super) span: Span,
}

/// How much of the limits the whole program uses.
#[derive(Debug, Default)]
pub(super) struct Budget {
    pub(super) instructions: usize,
    pub(super) steps: usize,
    /// Whether a limit was exceeded, which was reported.
    pub(super) exhausted: bool,
}

/// The number of the copy of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Identity {
    Known(i32),
    /// In a template: the content of this register.
    In(RegId),
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    Register(RegId, Ty),
    /// A parameter that is never assigned and whose argument is constant.
    Constant(i32),
}

/// A block and its variables.
#[derive(Debug, Default)]
struct Scope {
    names: HashMap<Rc<str>, (Local, Span)>,
    /// The variables whose registers are free again at the end of the block.
    owned: Vec<(Rc<str>, RegId)>,
}

/// The targets of the two ways out of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) break_to: Label,
    pub(super) continue_to: Label,
}

/// The target of `return`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) label: Label,
    /// The function; none in a thread.
    pub(super) function: Option<usize>,
    /// The register for the result, if the result is used.
    pub(super) result: Option<(RegId, Ty)>,
}

/// The body of a thread, or one inlined copy of a function.
#[derive(Debug)]
pub(super) struct Frame {
    scopes: Vec<Scope>,
    pub(super) labels: HashMap<Rc<str>, (Label, Span)>,
    /// The labels in order, for suggestions.
    pub(super) label_names: Vec<Rc<str>>,
    pub(super) loops: Vec<Loop>,
    pub(super) exit: Exit,
}

/// Lowers one thread, or checks one body.
pub(super) struct Lowering<'a, 'g> {
    pub(super) globals: &'g Globals<'a>,
    pub(super) problems: &'g mut Diagnostics,
    pub(super) budget: &'g mut Budget,
    pub(super) calls: &'g mut Vec<CallSite>,
    pub(super) purpose: Purpose,
    /// The value of `id`.
    pub(super) id: Identity,
    pub(super) code: Code,
    pub(super) registers: Registers,
    pub(super) annotations: Annotations,
    pub(super) frames: Vec<Frame>,
    /// The place of the statement that is being lowered.
    pub(super) span: Span,
    pub(super) depth: usize,
}

impl<'a> Lowering<'a, '_> {
    /// Reports a problem of the body. Building reports nothing, because checking has reported everything.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        if self.purpose == Purpose::Check {
            self.problems.push(problem);
        }
    }

    /// Emits an instruction without targets.
    pub(super) fn run(&mut self, instr: Instr, span: Span) {
        self.code.run(instr, span);
    }

    /// Emits `reg := value`, unless that has no effect.
    pub(super) fn assign(&mut self, dst: RegId, ty: Ty, value: Expr) {
        if value != Expr::Reg(dst) {
            self.stay_within(&value, ty);
            let value = self.fitted(value, ty);
            self.run(Instr::Assign { dst, value }, self.span);
        }
    }

    /// In an instance of a template: ends a run in which an integer leaves its range.
    pub(super) fn stay_within(&mut self, value: &Expr, ty: Ty) {
        let fits = match value {
            Expr::Const(value) => ty.contains(*value),
            Expr::Reg(reg) => self.registers.modulus(*reg) <= ty.modulus,
            other => is_truth(other, &|reg| self.registers.modulus(reg)),
        };
        if ty.integer && !fits {
            self.bound(value.clone(), i32::from(ty.modulus));
        }
    }

    fn bound(&mut self, value: Expr, limit: i32) {
        let within = Expr::binary(
            BinaryOp::And,
            Expr::binary(BinaryOp::Ge, value.clone(), Expr::Const(0)),
            Expr::binary(BinaryOp::Lt, value, Expr::Const(limit)),
        );
        self.run(Instr::Bound { within, bound: LEAVES_INSTANCE.into() }, self.span);
    }

    /// The same for the index of an array.
    pub(super) fn stay_inside(&mut self, index: &Expr, cells: u32) {
        let fits = matches!(index, Expr::Reg(reg) if u32::from(self.registers.modulus(*reg)) <= cells);
        if matches!(self.globals.reading, Reading::Instance(_)) && !fits {
            self.bound(index.clone(), i32::try_from(cells).unwrap_or(i32::MAX));
        }
    }

    /// The value as it is stored into something of this type. Instructions that store reduce values that are not constant.
    pub(super) fn fitted(&self, value: Expr, ty: Ty) -> Expr {
        match value.as_const() {
            Some(value) => Expr::Const(ty.store(value)),
            None if !ty.boolean || is_truth(&value, &|reg| self.registers.modulus(reg)) => value,
            None => Expr::binary(BinaryOp::Ne, value, Expr::Const(0)),
        }
    }

    /// Runs a step of lowering one level deeper, unless that is too deep or the program is too large.
    pub(super) fn deeper<T>(&mut self, span: Span, otherwise: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.spend(span);
        // Errors that will not be shown need not be found.
        if self.budget.exhausted || self.problems.is_full() {
            return otherwise;
        }
        if self.depth >= limits::DEPTH {
            self.exhaust("the calls of this program are nested too deeply", span);
            return otherwise;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Counts a step of building, and ends building when there are too many.
    fn spend(&mut self, span: Span) {
        if self.purpose == Purpose::Check || self.budget.exhausted {
            return;
        }
        self.budget.steps += 1;
        let instructions = self.budget.instructions + self.code.len();
        if instructions > limits::INSTRUCTIONS || self.budget.steps > limits::STEPS {
            let limit = limits::INSTRUCTIONS;
            self.exhaust(&format!("the program has more than {limit} instructions after inlining"), span);
        } else if self.registers.len() > limits::REGISTERS {
            let limit = limits::REGISTERS;
            self.exhaust(&format!("a thread has more than {limit} variables after inlining"), span);
        }
    }

    /// Reports that the program is too large, and makes everything else end quickly.
    fn exhaust(&mut self, message: &str, span: Span) {
        self.budget.exhausted = true;
        self.problems.push(Diagnostic::error(codes::TOO_LARGE, message).at(span, "the limit is reached here"));
    }

    /// Starts a body with the given labels.
    pub(super) fn enter_frame(&mut self, labels: &[&'a Name], exit: Exit) {
        let (mut known, mut label_names) = (HashMap::new(), Vec::new());
        for name in labels {
            let label = self.code.label();
            if let Some(&(_, first)) = known.get(&name.text) {
                self.report(duplicate(name, first));
            } else {
                known.insert(name.text.clone(), (label, name.span));
                label_names.push(name.text.clone());
            }
        }
        self.frames.push(Frame { scopes: vec![Scope::default()], labels: known, label_names, loops: Vec::new(), exit });
    }

    /// Ends a body.
    pub(super) fn leave_frame(&mut self) {
        self.leave_scope();
        self.frames.pop();
    }

    /// The body that is being lowered.
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("lowering happens inside a frame")
    }

    /// Starts a block.
    pub(super) fn enter_scope(&mut self) {
        self.frame().scopes.push(Scope::default());
    }

    /// Ends a block. The registers of its variables are free again, except where a `goto` could return to the block.
    pub(super) fn leave_scope(&mut self) {
        let frame = self.frame();
        let jumps = !frame.labels.is_empty();
        let Some(scope) = frame.scopes.pop() else { return };
        if !jumps {
            scope.owned.iter().rev().for_each(|(name, reg)| self.registers.release(name, *reg));
        }
    }

    /// Declares a variable with a register of its own.
    pub(super) fn declare(&mut self, name: &Name, ty: Ty) -> RegId {
        let reg = self.registers.variable(&name.text, ty.modulus);
        self.declare_with(name, reg, ty);
        reg
    }

    /// Declares a variable for a register that was made for it.
    pub(super) fn declare_with(&mut self, name: &Name, reg: RegId, ty: Ty) {
        self.declare_as(name, Local::Register(reg, ty));
        if let Some(scope) = self.frame().scopes.last_mut() {
            scope.owned.push((name.text.clone(), reg));
        }
    }

    /// Declares a variable that stands for something that exists already.
    pub(super) fn declare_as(&mut self, name: &Name, local: Local) {
        let global = self.globals.get(&name.text).map(|found| found.1);
        let Some(scope) = self.frame().scopes.last_mut() else { return };
        let first = scope.names.insert(name.text.clone(), (local, name.span)).map(|found| found.1);
        if let Some(problem) = reserved(name) {
            self.report(problem);
        } else if let Some(first) = first.or(global) {
            self.report(duplicate(name, first).help("choose another name, or assign without `let`"));
        }
    }

    /// The variable with this name.
    pub(super) fn local(&mut self, name: &str) -> Option<Local> {
        self.frame().scopes.iter().rev().find_map(|scope| scope.names.get(name)).map(|found| found.0)
    }

    /// Reports a name without a declaration.
    pub(super) fn unknown_name(&mut self, name: &Name) {
        // In the order of the text, so that the same program always gets the same suggestion.
        let scopes = self.frame().scopes.iter().rev();
        let mut visible: Vec<(Span, Rc<str>)> = scopes
            .flat_map(|scope| scope.owned.iter().filter_map(|(name, _)| Some((scope.names.get(name)?.1, name.clone()))))
            .collect();
        visible.sort();
        let visible: Vec<Rc<str>> =
            visible.into_iter().map(|found| found.1).chain(self.globals.order.clone()).collect();
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("`{}` is not declared", name.text))
            .at(name.span, "unknown name");
        let problem = suggest(problem, &name.text, visible.iter().map(|name| &**name));
        let problem = if problem.helps.is_empty() {
            problem.help(format!("declare it, `let {0} = …;` for the thread or `atomic<u8> {0};` for all", name.text))
        } else {
            problem
        };
        self.report(problem);
    }

    /// The meaning of a global name.
    pub(super) fn global(&self, name: &str) -> Option<Global> {
        self.globals.get(name).map(|found| found.0)
    }
}
