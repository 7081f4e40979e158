//! The code of a thread under construction: instructions with symbolic targets, which are cleaned up before they are added to the program.
//!
//! Lowering writes jumps wherever they are convenient. The cleanup redirects jumps to jumps, and drops unreachable instructions and jumps
//! to the next instruction. This matters for analyses: a loop that only tests a location becomes the load and one branch back to it, which
//! is how waiting is recognised; and values in unreachable code would enlarge the set of values of a location.

use super::registers::Registers;
use super::renumber;
use steadfast_ir::{Expr, Instr, RegSet, ThreadBuilder, dataflow};
use steadfast_span::Span;

/// A position in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

#[derive(Debug)]
enum Op {
    /// An instruction without targets.
    Run(Instr),
    Jump(Label),
    Branch(Expr, Label, Label),
    Choose(Vec<Label>),
}

/// Instructions and labels.
#[derive(Debug, Default)]
pub(super) struct Code {
    ops: Vec<(Op, Span)>,
    /// The position of each label; an unbound label means the end of the thread.
    labels: Vec<Option<usize>>,
}

impl Code {
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// A label that is bound to the next instruction.
    pub(super) fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.ops.len());
    }

    pub(super) fn run(&mut self, instr: Instr, span: Span) {
        self.ops.push((Op::Run(instr), span));
    }

    pub(super) fn jump(&mut self, label: Label, span: Span) {
        self.ops.push((Op::Jump(label), span));
    }

    /// A branch. With a constant condition, it is a jump.
    pub(super) fn branch(&mut self, cond: Expr, then: Label, otherwise: Label, span: Span) {
        match cond.as_const() {
            Some(0) => self.jump(otherwise, span),
            Some(_) => self.jump(then, span),
            None => self.ops.push((Op::Branch(cond, then, otherwise), span)),
        }
    }

    pub(super) fn choose(&mut self, labels: Vec<Label>, span: Span) {
        self.ops.push((Op::Choose(labels), span));
    }

    /// The number of instructions.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Cleans up, and adds the code and its registers to a builder.
    pub(super) fn emit(self, registers: Registers, builder: &mut ThreadBuilder) {
        let targets = self.threaded_labels();
        let kept = self.kept(&targets);
        let numbers = registers.emit(&self.used_registers(&kept), builder);
        // Position `len` is the end.
        let labels: Vec<_> = (0..=self.ops.len()).map(|_| builder.label()).collect();
        let target = |label: Label| labels[targets[label.0]];
        for (at, (op, span)) in self.ops.into_iter().enumerate() {
            builder.bind(labels[at]);
            if !kept[at] {
                continue;
            }
            builder.at(span);
            match op {
                Op::Run(mut instr) => {
                    renumber::instruction(&mut instr, &numbers);
                    builder.emit(instr);
                }
                Op::Jump(to) => builder.jump(target(to)),
                Op::Branch(mut cond, then, otherwise) => {
                    renumber::expression(&mut cond, &numbers);
                    builder.branch(cond, target(then), target(otherwise));
                }
                Op::Choose(to) => builder.choose(&to.into_iter().map(target).collect::<Vec<_>>()),
            }
        }
    }

    /// The registers in the instructions that are kept.
    fn used_registers(&self, kept: &[bool]) -> RegSet {
        let mut used = RegSet::new();
        for ((op, _), _) in self.ops.iter().zip(kept).filter(|(_, kept)| **kept) {
            match op {
                Op::Run(instr) => {
                    used.union_with(&dataflow::used(instr));
                    if let Some(reg) = dataflow::defined(instr) {
                        used.insert(reg);
                    }
                }
                Op::Branch(cond, ..) => cond.collect_registers(&mut used),
                Op::Jump(_) | Op::Choose(_) => {}
            }
        }
        used
    }

    /// The position of each label, after following jumps to jumps.
    fn threaded_labels(&self) -> Vec<usize> {
        let position = |label: Label| self.labels[label.0].unwrap_or(self.ops.len());
        let mut ends: Vec<Option<usize>> = vec![None; self.ops.len() + 1];
        let mut on_path = vec![false; self.ops.len() + 1];
        for start in 0..=self.ops.len() {
            let (mut path, mut at) = (vec![start], start);
            let end = loop {
                on_path[at] = true;
                if let Some(end) = ends[at] {
                    break end;
                }
                let Some((Op::Jump(label), _)) = self.ops.get(at) else { break at };
                at = position(*label);
                // In a cycle of jumps, all jumps lead to the same one, which then jumps to itself.
                if on_path[at] && ends[at].is_none() {
                    let cycle = path.iter().skip_while(|&&earlier| earlier != at);
                    break cycle.copied().min().unwrap_or(at);
                }
                path.push(at);
            };
            for passed in path {
                ends[passed] = Some(end);
            }
        }
        (0..self.labels.len()).map(|label| position(Label(label))).map(|at| ends[at].unwrap_or(at)).collect()
    }

    /// The instructions that are reachable and have an effect.
    fn kept(&self, targets: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.ops.len() + 1];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut reached[at], true) {
                continue;
            }
            match self.ops.get(at) {
                None => {}
                Some((Op::Run(_), _)) => open.push(at + 1),
                Some((Op::Jump(to), _)) => open.push(targets[to.0]),
                Some((Op::Branch(_, then, otherwise), _)) => open.extend([targets[then.0], targets[otherwise.0]]),
                Some((Op::Choose(to), _)) => open.extend(to.iter().map(|label| targets[label.0])),
            }
        }
        let mut next = self.ops.len();
        for at in (0..self.ops.len()).rev() {
            if matches!(&self.ops[at].0, Op::Jump(to) if targets[to.0] == next) {
                reached[at] = false;
            }
            if reached[at] {
                next = at;
            }
        }
        reached
    }
}
