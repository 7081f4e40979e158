//! From the tree to a program: names are resolved, copies of processes made, `for` loops unrolled.

use super::ast::{File, Name, ProcessItem, Stmt, StmtKind, Target, Tree, TreeKind};
use super::codes;
use crate::program::{Expr, Instr, Place, Process, Program, Transaction, Variable};
use crate::varset::VarSet;
use rustc_hash::FxHashMap;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_span::Span;

/// How many processes a program may have.
pub const MAX_PROCESSES: usize = 32;
/// How many instructions a program may have.
pub const MAX_INSTRUCTIONS: usize = 100_000;

/// A shared variable or array.
struct Array {
    base: usize,
    sizes: Vec<u32>,
}

/// Turns the tree into a program.
pub(super) fn lower(file: &File, problems: &mut Diagnostics) -> Program {
    let mut lowering = Lowering { arrays: FxHashMap::default(), instructions: 0, problems, names: Vec::new() };
    let modulus = lowering.modulus(file);
    let mut program = Program { modulus, variables: Vec::new(), processes: Vec::new(), transactions: Vec::new() };
    lowering.shared(file, &mut program);
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for item in &file.processes {
        if let Some(&first) = seen.get(&*item.name.text) {
            lowering.duplicate(&item.name, first);
        }
        seen.insert(&item.name.text, item.name.span);
        lowering.copies(item, &mut program);
    }
    program
}

struct Lowering<'a> {
    arrays: FxHashMap<String, Array>,
    /// The names of shared variables, for suggestions.
    names: Vec<String>,
    instructions: usize,
    problems: &'a mut Diagnostics,
}

impl Lowering<'_> {
    fn modulus(&mut self, file: &File) -> u16 {
        match file.values {
            None => 256,
            Some((value, span)) => {
                if let Some(value) = u16::try_from(value).ok().filter(|value| (1..=256).contains(value)) {
                    return value;
                }
                let problem = Diagnostic::error(codes::BAD_NUMBER, "`values` takes a number from 1 to 256");
                self.problems.push(problem.at(span, "this does not fit"));
                256
            }
        }
    }

    fn shared(&mut self, file: &File, program: &mut Program) {
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for item in &file.shared {
            if let Some(&before) = first.get(&*item.name.text) {
                self.duplicate(&item.name, before);
                continue;
            }
            first.insert(&item.name.text, item.name.span);
            let initial = item.initial.unwrap_or((0, item.name.span));
            let range = i64::from(program.modulus);
            if !(0..range).contains(&initial.0) {
                let message = format!("the initial value is not in 0..{range}");
                self.problems.push(Diagnostic::error(codes::BAD_NUMBER, message).at(initial.1, "this does not fit"));
            }
            let mut cells = vec![item.name.text.clone()];
            let mut sizes = Vec::new();
            for &(size, span) in &item.sizes {
                let fits = |size: &u32| *size > 0 && cells.len() * *size as usize <= VarSet::CAPACITY;
                let Some(size) = u32::try_from(size).ok().filter(fits) else {
                    let problem = Diagnostic::error(codes::TOO_LARGE, "arrays have 1 to 64 cells in all");
                    self.problems.push(problem.at(span, "this size does not fit"));
                    sizes.push(1);
                    continue;
                };
                sizes.push(size);
                cells = cells.iter().flat_map(|cell| (0..size).map(move |index| format!("{cell}[{index}]"))).collect();
            }
            let base = program.variables.len();
            self.arrays.insert(item.name.text.clone(), Array { base, sizes });
            self.names.push(item.name.text.clone());
            let span = item.name.span;
            let initial = program.wrap(initial.0);
            program.variables.extend(cells.into_iter().map(|name| Variable { name, initial, span }));
            if program.variables.len() > VarSet::CAPACITY {
                let problem = Diagnostic::error(codes::TOO_LARGE, "there are more than 64 shared variables");
                self.problems.push(problem.at(span, "this is one too many").note("every cell of an array is one"));
                program.variables.truncate(base);
                self.arrays.insert(item.name.text.clone(), Array { base: 0, sizes: vec![1; item.sizes.len()] });
                return;
            }
        }
    }

    fn duplicate(&mut self, name: &Name, first: Span) {
        let problem = Diagnostic::error(codes::DUPLICATE, format!("`{}` is declared twice", name.text));
        self.problems.push(problem.at(name.span, "declared again").context(first, "first declared here"));
    }

    fn copies(&mut self, item: &ProcessItem, program: &mut Program) {
        let copies = item.copies.map_or(1, |(copies, _)| copies);
        let room = MAX_PROCESSES - program.processes.len();
        if usize::try_from(copies).map_or(true, |copies| copies == 0 || copies > room) {
            let message = format!("there are more than {MAX_PROCESSES} processes, or none");
            let span = item.copies.map_or(item.name.span, |(_, span)| span);
            self.problems.push(Diagnostic::error(codes::TOO_LARGE, message).at(span, "because of this"));
            return;
        }
        for copy in 0..copies {
            let name = match item.copies {
                Some(_) => format!("{}[{copy}]", item.name.text),
                None => item.name.text.clone(),
            };
            let mut body = Body {
                lowering: self,
                program,
                process: Process { name, registers: Vec::new(), code: Vec::new(), spans: Vec::new() },
                copy,
                constants: Vec::new(),
                inside: false,
            };
            // The first copy says what is wrong; the others would only repeat it.
            body.statements(&item.body);
            body.emit(Instr::Halt, item.name.span);
            let process = body.process;
            program.processes.push(process);
            if self.problems.has_errors() {
                return;
            }
        }
    }
}

/// One process on its way.
struct Body<'a, 'b> {
    lowering: &'a mut Lowering<'b>,
    program: &'a mut Program,
    process: Process,
    copy: i64,
    /// The variables of enclosing `for` loops.
    constants: Vec<(String, i64)>,
    /// Whether this is inside of a transaction.
    inside: bool,
}

impl Body<'_, '_> {
    fn emit(&mut self, instr: Instr, span: Span) -> usize {
        self.lowering.instructions += 1;
        self.process.code.push(instr);
        self.process.spans.push(span);
        self.process.code.len() - 1
    }

    fn here(&self) -> usize {
        self.process.code.len()
    }

    fn complain(&mut self, code: steadfast_diag::Code, message: &str, span: Span, label: &str, help: &str) {
        let problem = Diagnostic::error(code, message).at(span, label);
        self.lowering.problems.push(if help.is_empty() { problem } else { problem.help(help) });
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            if self.lowering.instructions > MAX_INSTRUCTIONS {
                return;
            }
            self.statement(statement);
            if self.lowering.instructions > MAX_INSTRUCTIONS {
                let message = "the program has more than 100,000 instructions";
                self.complain(codes::TOO_LARGE, message, statement.span, "at this point", "`for` loops are unrolled");
            }
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Txn(name, serializable, body) => self.transaction(name.as_ref(), *serializable, body, span),
            StmtKind::Loop(body) if self.inside => {
                let help = "`for i in 0..n { … }` repeats a fixed number of times";
                self.complain(codes::MISPLACED, "a loop inside of a transaction", span, "a transaction must end", help);
                self.statements(body);
            }
            StmtKind::Loop(body) => {
                let start = self.emit(Instr::Choose(Vec::new()), span);
                self.statements(body);
                self.emit(Instr::Jump(start), span);
                self.process.code[start] = Instr::Choose(vec![start + 1, self.here()]);
            }
            StmtKind::Choose(branches) => self.choose(branches, span),
            StmtKind::If(None, then, otherwise) => self.choose(&[then.clone(), otherwise.clone()], span),
            StmtKind::If(Some(condition), then, otherwise) => {
                let condition = self.expression(condition);
                let branch = self.emit(Instr::Halt, span);
                self.statements(then);
                let jump = self.emit(Instr::Halt, span);
                self.process.code[branch] = Instr::Branch { condition, otherwise: self.here() };
                self.statements(otherwise);
                self.process.code[jump] = Instr::Jump(self.here());
            }
            StmtKind::Pick(name, low, high) => self.pick(name, low, high, span),
            StmtKind::For(name, low, high, body) => self.unroll(name, low, high, body),
            StmtKind::Assume(condition) => {
                let condition = self.expression(condition);
                self.emit(Instr::Assume(condition), span);
            }
            StmtKind::Assign(target, value) => self.assign(target, value, span),
            StmtKind::Skip => {}
        }
    }

    fn transaction(&mut self, name: Option<&Name>, serializable: bool, body: &[Stmt], span: Span) {
        if self.inside {
            let help = "close the outer transaction first";
            self.complain(
                codes::MISPLACED,
                "a transaction inside of a transaction",
                span,
                "transactions do not nest",
                help,
            );
            return;
        }
        // Copies of a process and rounds of a `for` loop run the same transaction of the text.
        let transactions = &mut self.program.transactions;
        let number = transactions.iter().position(|known| known.span == span).unwrap_or_else(|| {
            let name = name.map_or_else(|| format!("t{}", transactions.len() + 1), |name| name.text.clone());
            transactions.push(Transaction { name, span, serializable });
            transactions.len() - 1
        });
        self.inside = true;
        self.emit(Instr::Begin(number), span);
        self.statements(body);
        self.emit(Instr::End, span);
        self.inside = false;
    }

    fn choose(&mut self, branches: &[Vec<Stmt>], span: Span) {
        let choice = self.emit(Instr::Halt, span);
        let (mut targets, mut jumps) = (Vec::new(), Vec::new());
        for branch in branches {
            targets.push(self.here());
            self.statements(branch);
            jumps.push(self.emit(Instr::Halt, span));
        }
        let end = self.here();
        for jump in jumps {
            self.process.code[jump] = Instr::Jump(end);
        }
        self.process.code[choice] = Instr::Choose(targets);
    }

    fn pick(&mut self, name: &Name, low: &Tree, high: &Tree, span: Span) {
        let bounds = (self.constant(low), self.constant(high));
        let Some(register) = self.register(name) else { return };
        let (Some(from), Some(to)) = bounds else { return };
        let range = (u8::try_from(from), u16::try_from(to));
        let (Ok(least), Ok(end), true) = (range.0, range.1, from < to && to <= i64::from(self.program.modulus)) else {
            let message = format!("there is nothing to pick in {from}..{to}");
            let help = "the range has at least one value, and ends at most at the number of values";
            self.complain(codes::BAD_NUMBER, &message, low.span.to(high.span), "this range", help);
            return;
        };
        self.emit(Instr::Pick { register, low: least, high: end }, span);
    }

    fn unroll(&mut self, name: &Name, low: &Tree, high: &Tree, body: &[Stmt]) {
        let (Some(from), Some(to)) = (self.constant(low), self.constant(high)) else { return };
        if to.saturating_sub(from) > 1_000 {
            let span = low.span.to(high.span);
            self.complain(codes::BAD_NUMBER, "a `for` loop has at most 1,000 rounds", span, "this range", "");
            return;
        }
        for value in from..to {
            self.constants.push((name.text.clone(), value));
            self.statements(body);
            self.constants.pop();
            if self.lowering.instructions > MAX_INSTRUCTIONS || self.lowering.problems.has_errors() {
                return;
            }
            // Rounds without statements are free, and there may be many of them.
            self.lowering.instructions += 1;
        }
    }

    fn assign(&mut self, target: &Target, value: &Tree, span: Span) {
        if self.lowering.arrays.contains_key(&target.name.text) {
            let value = self.expression(value);
            if let Some(place) = self.place(target) {
                self.emit(Instr::Write { place, value }, span);
            }
            return;
        }
        let value = self.expression(value);
        if let Some(index) = target.indices.first() {
            let message = format!("there is no array `{}`", target.name.text);
            let problem = Diagnostic::error(codes::UNKNOWN_NAME, message).at(target.name.span, "not declared");
            let problem = suggest(problem, &target.name.text, self.lowering.names.iter().map(String::as_str));
            self.lowering.problems.push(problem.context(index.span, "registers have no indices"));
            return;
        }
        if let Some(register) = self.register(&target.name) {
            self.emit(Instr::Set { register, value }, span);
        }
    }

    /// The register of this name, which may be new.
    fn register(&mut self, name: &Name) -> Option<usize> {
        if self.lowering.arrays.contains_key(&name.text) || self.constant_of(&name.text).is_some() {
            let message = format!("`{}` is not a register", name.text);
            self.complain(codes::MISPLACED, &message, name.span, "this is something else", "choose another name");
            return None;
        }
        let found = self.process.registers.iter().position(|register| *register == name.text);
        Some(found.unwrap_or_else(|| {
            self.process.registers.push(name.text.clone());
            self.process.registers.len() - 1
        }))
    }

    fn place(&mut self, target: &Target) -> Option<Place> {
        if !self.inside {
            let message = format!("the shared variable `{}` is accessed outside of a transaction", target.name.text);
            self.complain(codes::MISPLACED, &message, target.name.span, "here", "put it into `txn { … }`");
            return None;
        }
        let indices: Vec<Expr> = target.indices.iter().map(|index| self.expression(index)).collect();
        let array = &self.lowering.arrays[&target.name.text];
        if array.sizes.len() != indices.len() {
            let message = format!("`{}` takes {} indices, not {}", target.name.text, array.sizes.len(), indices.len());
            self.complain(codes::BAD_INDEX, &message, target.name.span, "used here", "");
            return None;
        }
        Some(Place { base: array.base, indices: indices.into_iter().zip(array.sizes.iter().copied()).collect() })
    }

    /// An expression over registers; shared variables in it are read first, from left to right.
    fn expression(&mut self, tree: &Tree) -> Expr {
        match &tree.kind {
            TreeKind::Number(number) => Expr::Number(*number),
            TreeKind::SelfWord => Expr::Number(self.copy),
            TreeKind::Unary(op, operand) => Expr::Unary(*op, self.expression(operand).into()),
            TreeKind::Binary(op, left, right) => {
                let left = self.expression(left);
                Expr::Binary(*op, left.into(), self.expression(right).into())
            }
            TreeKind::Name(target) => self.named(target, tree.span),
        }
    }

    fn named(&mut self, target: &Target, span: Span) -> Expr {
        let name = &target.name.text;
        if self.lowering.arrays.contains_key(name) {
            let Some(place) = self.place(target) else { return Expr::Number(0) };
            let register = self.process.registers.len();
            self.process.registers.push(format!("#{register}"));
            self.emit(Instr::Read { register, place }, span);
            return Expr::Register(register);
        }
        if let Some(value) = self.constant_of(name).filter(|_| target.indices.is_empty()) {
            return Expr::Number(value);
        }
        let register = self.process.registers.iter().position(|register| register == name);
        if let Some(register) = register.filter(|_| target.indices.is_empty()) {
            return Expr::Register(register);
        }
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("unknown name `{name}`"));
        let problem = problem.at(target.name.span, "neither a shared variable nor a register that was assigned before");
        let names = self.lowering.names.iter().chain(&self.process.registers).map(String::as_str);
        let problem = suggest(problem, name, names.filter(|name| !name.starts_with('#')));
        self.lowering.problems.push(problem);
        Expr::Number(0)
    }

    fn constant_of(&self, name: &str) -> Option<i64> {
        self.constants.iter().rev().find(|(constant, _)| constant == name).map(|&(_, value)| value)
    }

    fn constant(&mut self, tree: &Tree) -> Option<i64> {
        let value = self.folded(tree);
        if value.is_none() {
            let help = "numbers, `self` and the variables of enclosing `for` loops are constants";
            self.complain(codes::BAD_NUMBER, "this is not a constant", tree.span, "expected a constant", help);
        }
        value
    }

    fn folded(&self, tree: &Tree) -> Option<i64> {
        let expr = match &tree.kind {
            TreeKind::Number(number) => return Some(*number),
            TreeKind::SelfWord => return Some(self.copy),
            TreeKind::Name(target) => {
                return self.constant_of(&target.name.text).filter(|_| target.indices.is_empty());
            }
            TreeKind::Unary(op, operand) => Expr::Unary(*op, Expr::Number(self.folded(operand)?).into()),
            TreeKind::Binary(op, left, right) => {
                let (left, right) = (self.folded(left)?, self.folded(right)?);
                Expr::Binary(*op, Expr::Number(left).into(), Expr::Number(right).into())
            }
        };
        expr.value(&[])
    }
}
