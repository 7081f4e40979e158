//! The local instructions between an access and the next one, which become part of its step.

use crate::monitor::Operation;
use crate::text::Text;
use crate::thread::{Target, ThreadWriter};
use crate::{Supported, comment};
use std::collections::BTreeSet;
use steadfast_ir::{FenceOrder, Instr, Pc, RegSet, Thread, cfg, dataflow};
use steadfast_span::{Index, IndexVec};

/// Marks one position on every loop of local instructions as a place where steps end, because SPIN recognises a loop only between steps.
pub(crate) fn interrupt_local_loops(thread: &Thread, stops: &mut IndexVec<Pc, bool>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        OnPath,
        Done,
    }
    let mut seen: IndexVec<Pc, Seen> = thread.code.iter().map(|_| Seen::Never).collect();
    for start in thread.code.indices() {
        // A depth-first search without recursion: a position is on the path between its two visits.
        let mut stack = vec![(start, false)];
        while let Some((pc, leaving)) = stack.pop() {
            if leaving {
                seen[pc] = Seen::Done;
            } else if seen[pc] == Seen::Never && !stops[pc] {
                seen[pc] = Seen::OnPath;
                stack.push((pc, true));
                for next in cfg::successors(pc, &thread.code[pc].op) {
                    if seen[next] == Seen::OnPath {
                        stops[next] = true;
                    }
                    stack.push((next, false));
                }
            }
        }
    }
}

/// A piece of the region: statements, and at their end the control flow to other pieces.
struct Piece {
    at: Target,
    lines: Vec<String>,
}

/// Local instructions as Promela, for the end of an atomic sequence.
pub(crate) struct Region {
    pieces: Vec<Piece>,
    /// The pieces with a jump to them.
    jumped_to: BTreeSet<Target>,
    step: usize,
}

impl Region {
    /// The region from `next` on, in the given step, which began at `from`.
    pub(crate) fn new(writer: &mut ThreadWriter<'_, '_>, step: usize, from: Option<Pc>, next: Target) -> Self {
        let order = collect(writer, next);
        let touched = touched(writer, from, &order);
        let mut region = Self { pieces: Vec::new(), jumped_to: BTreeSet::new(), step };
        for (at, &target) in order.iter().enumerate() {
            let lines = match target {
                Target::Local(pc) => {
                    let mut local = Local { writer, region: &mut region, following: order.get(at + 1).copied() };
                    local.instruction(pc)
                }
                Target::Stop(pc) => {
                    let mut lines = writer.arrival(&touched, from, target);
                    lines.push(format!("goto {}", writer.stop_label(pc)));
                    lines
                }
                Target::Halt => {
                    let mut lines = writer.arrival(&touched, from, target);
                    lines.push("goto end_halt".into());
                    lines
                }
            };
            region.pieces.push(Piece { at: target, lines });
        }
        region
    }

    /// Appends it to an atomic sequence.
    pub(crate) fn write(&self, text: &mut Text) {
        let last = self.pieces.len() - 1;
        for (at, piece) in self.pieces.iter().enumerate() {
            if self.jumped_to.contains(&piece.at) {
                text.label(format!("{}:", self.label(piece.at)));
            }
            for (line_at, line) in piece.lines.iter().enumerate() {
                let ends = at == last && line_at + 1 == piece.lines.len();
                text.line(format!("{line}{}", if ends { "" } else { ";" }));
            }
        }
    }

    fn label(&self, target: Target) -> String {
        match target {
            Target::Local(pc) => format!("s{}_{}", self.step, pc.index()),
            Target::Stop(pc) => format!("x{}_{}", self.step, pc.index()),
            Target::Halt => format!("x{}_halt", self.step),
        }
    }

    fn goto(&mut self, target: Target) -> String {
        self.jumped_to.insert(target);
        format!("goto {}", self.label(target))
    }
}

/// All local instructions that are reachable, in an order in which most of them continue with the next one.
fn collect(writer: &ThreadWriter<'_, '_>, next: Target) -> Vec<Target> {
    let mut order = Vec::new();
    let mut stack = vec![next];
    while let Some(target) = stack.pop() {
        if order.contains(&target) {
            continue;
        }
        order.push(target);
        if let Target::Local(pc) = target {
            let op = &writer.thread.code[pc].op;
            if matches!(op, Instr::Assume(_)) {
                stack.push(Target::Halt);
            }
            stack.extend(cfg::successors(pc, op).into_iter().rev().map(|next| writer.target(next)));
        }
    }
    order
}

/// The registers assigned in a step.
fn touched(writer: &ThreadWriter<'_, '_>, from: Option<Pc>, order: &[Target]) -> RegSet {
    let locals = order.iter().filter_map(|target| if let Target::Local(pc) = target { Some(*pc) } else { None });
    locals.chain(from).filter_map(|pc| dataflow::defined(&writer.thread.code[pc].op)).collect()
}

/// Writes one local instruction.
struct Local<'w, 'a, 'm> {
    writer: &'w mut ThreadWriter<'a, 'm>,
    region: &'w mut Region,
    /// The piece that comes next in the text.
    following: Option<Target>,
}

impl Local<'_, '_, '_> {
    fn instruction(&mut self, pc: Pc) -> Vec<String> {
        let thread = self.writer.thread;
        let op = &thread.code[pc].op;
        let mut lines = self.checks(op);
        let expressions = self.writer.expressions;
        let next = Pc::new(pc.index() + 1);
        match op {
            Instr::Assign { dst, value } => {
                lines.extend(self.propagate_taint(op, *dst));
                let value = expressions.reduced(value, thread.registers[*dst].modulus);
                lines.push(format!("{} = {value}", self.writer.register(*dst)));
            }
            Instr::Branch { cond, then, otherwise } => {
                lines.push(self.fork(
                    &expressions.condition(cond),
                    self.writer.target(*then),
                    self.writer.target(*otherwise),
                ));
                return lines;
            }
            Instr::Assume(cond) => {
                lines.push(self.fork(&expressions.condition(cond), self.writer.target(next), Target::Halt));
                return lines;
            }
            Instr::Choose(targets) => {
                let options: Vec<String> = targets
                    .iter()
                    .map(|&target| format!(":: true -> {}", self.region.goto(self.writer.target(target))))
                    .collect();
                lines.push(format!("if {} fi", options.join(" ")));
                return lines;
            }
            Instr::Assert(cond) => lines.push(format!("assert({})", expressions.text(cond))),
            Instr::Fence(order) => lines.extend(self.fence(*order)),
            _ => {}
        }
        let next = if let Instr::Jump(target) = op { *target } else { next };
        lines.extend(self.proceed(self.writer.target(next)));
        if lines.is_empty() {
            lines.push(format!("skip /* {} */", comment(&self.writer.program.instr_text(thread, op))));
        }
        lines
    }

    /// The checks before the instruction: undefined operations, and observations of stale values.
    fn checks(&self, op: &Instr) -> Vec<String> {
        let undefined = self.writer.expressions.divides_by_zero(&dataflow::expressions(op)).map(|c| (c, "defined"));
        let stale = self.writer.any_tainted(&dataflow::observed(op)).map(|c| (c, "robust"));
        let fail = |(condition, assertion)| format!("if :: {condition} -> assert({assertion}) :: else -> skip fi");
        undefined.into_iter().chain(stale).map(fail).collect()
    }

    fn propagate_taint(&self, op: &Instr, dst: steadfast_ir::RegId) -> Option<String> {
        let sources = self.writer.any_tainted(&dataflow::used(op));
        self.writer
            .is_observational()
            .then(|| format!("{} = {}", self.writer.taint(dst), sources.unwrap_or_else(|| "0".into())))
    }

    fn fork(&mut self, condition: &str, then: Target, otherwise: Target) -> String {
        let (then, otherwise) = (self.region.goto(then), self.region.goto(otherwise));
        format!("if :: {condition} -> {then} :: else -> {otherwise} fi")
    }

    /// Acquire and release fences, which have an effect only under RC20.
    fn fence(&mut self, order: FenceOrder) -> Vec<String> {
        if self.writer.options.model != Supported::Rc20 || self.writer.monitor.cells.rows() == 0 {
            return Vec::new();
        }
        let thread = self.writer.id.index();
        let mut lines = Vec::new();
        if order.is_acquire() {
            lines.push(self.writer.monitor.call(Operation::FenceAcquire, thread));
        }
        if order.is_release() {
            lines.push(self.writer.monitor.call(Operation::FenceRelease, thread));
        }
        lines
    }

    fn proceed(&mut self, target: Target) -> Option<String> {
        (self.following != Some(target)).then(|| self.region.goto(target))
    }
}
