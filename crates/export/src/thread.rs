//! One thread as a process: a labelled block for each place where steps end. The contents of a block are in [`crate::step`].

use crate::expr::Expressions;
use crate::monitor::Monitor;
use crate::names::Names;
use crate::pending::Pending;
use crate::region::{self, Region};
use crate::step::Block;
use crate::text::Text;
use crate::{PromelaOptions, Supported, comment};
use steadfast_ir::{FenceOrder, Instr, Pc, Program, RegId, RegSet, Thread, ThreadId, dataflow, liveness};
use steadfast_model::Notion;
use steadfast_span::{Index, IndexVec};

/// Where control can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A local instruction, which belongs to the step that reaches it.
    Local(Pc),
    /// An instruction at which a step ends.
    Stop(Pc),
    /// The end of the thread.
    Halt,
}

/// Writes one thread.
pub(crate) struct ThreadWriter<'a, 'm> {
    pub(crate) program: &'a Program,
    pub(crate) names: &'a Names,
    pub(crate) options: PromelaOptions,
    pub(crate) pending: &'a Pending,
    pub(crate) id: ThreadId,
    pub(crate) thread: &'a Thread,
    pub(crate) expressions: Expressions<'a>,
    pub(crate) monitor: &'m mut Monitor<'a>,
    /// The live registers at each position.
    live: IndexVec<Pc, RegSet>,
    /// The positions where steps end.
    stops: IndexVec<Pc, bool>,
    /// How many steps were written, for their labels.
    steps: usize,
}

impl<'a, 'm> ThreadWriter<'a, 'm> {
    /// Prepares to write a thread.
    pub(crate) fn new(
        program: &'a Program,
        names: &'a Names,
        options: PromelaOptions,
        pending: &'a Pending,
        id: ThreadId,
        monitor: &'m mut Monitor<'a>,
    ) -> Self {
        let thread = &program.threads[id];
        let expressions = Expressions { program, thread, registers: &names.registers[id] };
        let live = liveness::live_before(thread);
        let mut stops: IndexVec<Pc, bool> = thread.code.iter().map(|i| is_step(&i.op, options.model)).collect();
        region::interrupt_local_loops(thread, &mut stops);
        Self { program, names, options, pending, id, thread, expressions, monitor, live, stops, steps: 0 }
    }

    /// Writes the process.
    pub(crate) fn write(mut self, text: &mut Text) {
        text.line("");
        text.open(format!("active proctype {}() {{", self.names.threads[self.id]));
        self.declare_registers(text);
        self.write_entry(text);
        let stops: Vec<Pc> = self.stops.enumerated().filter(|&(_, &stop)| stop).map(|(pc, _)| pc).collect();
        for pc in stops {
            if matches!(self.target(pc), Target::Stop(_)) {
                self.write_block(pc, text);
            }
        }
        text.label("end_halt:");
        text.line("false");
        text.close("}");
    }

    fn declare_registers(&self, text: &mut Text) {
        for register in &self.names.registers[self.id] {
            text.line(format!("byte {register};"));
        }
        if self.is_observational() {
            for reg in self.thread.registers.indices() {
                text.line(format!("bit {};", self.taint(reg)));
            }
        }
    }

    /// The local steps before the first access. If there are none, control falls into the first block.
    fn write_entry(&mut self, text: &mut Text) {
        let first = Pc::new(0);
        if matches!(self.target(first), Target::Stop(_))
            && self.arrival(&RegSet::new(), None, Target::Stop(first)).is_empty()
        {
            return;
        }
        let region = self.region(None, self.target(first));
        text.open("atomic {");
        text.line("true;");
        region.write(text);
        text.close("};");
    }

    fn write_block(&mut self, pc: Pc, text: &mut Text) {
        let instruction = &self.thread.code[pc];
        let Block { choices, failures } = self.block(pc);
        let listing = comment(&self.program.instr_text(self.thread, &instruction.op));
        text.label(format!("{}: /* {listing} */", self.stop_label(pc)));
        text.line("if");
        for failure in failures {
            text.line(format!(":: {} -> assert({})", failure.condition, failure.assertion));
        }
        for choice in choices {
            text.open(":: atomic {");
            if let Some(guard) = choice.guard() {
                text.line(format!("{guard} ->"));
            }
            match choice.effects.as_slice() {
                [] => text.line("true;"),
                effects => {
                    text.open("d_step {");
                    for effect in effects {
                        text.line(format!("{effect};"));
                    }
                    text.close("};");
                }
            }
            self.region(Some(pc), choice.next).write(text);
            text.close("}");
        }
        text.line("fi;");
    }

    fn region(&mut self, from: Option<Pc>, next: Target) -> Region {
        self.steps += 1;
        Region::new(self, self.steps, from, next)
    }

    /// The target at a position.
    pub(crate) fn target(&self, pc: Pc) -> Target {
        match &self.thread.code[pc].op {
            Instr::Halt => Target::Halt,
            Instr::Choose(targets) if targets.is_empty() => Target::Halt,
            _ if self.stops[pc] => Target::Stop(pc),
            _ => Target::Local(pc),
        }
    }

    /// The label of a place where steps end. With an `end` label, SPIN treats a thread that waits there for ever as finished.
    pub(crate) fn stop_label(&self, pc: Pc) -> String {
        let blocks =
            matches!(&self.thread.code[pc].op, Instr::Wait { .. } | Instr::BlockingCas { .. } | Instr::Lock(_));
        format!("{}v{}", if blocks { "end_" } else { "" }, pc.index())
    }

    /// What happens at the end of a step that began at `from`, after which the registers in `touched` may differ from 0:
    /// dead registers become 0, and a plain access is announced.
    pub(crate) fn arrival(&self, touched: &RegSet, from: Option<Pc>, target: Target) -> Vec<String> {
        let none = RegSet::new();
        let live = match target {
            Target::Stop(pc) => &self.live[pc],
            Target::Local(_) | Target::Halt => &none,
        };
        let before = from.map_or(&none, |pc| &self.live[pc]);
        let forgotten = self
            .thread
            .registers
            .indices()
            .filter(|&reg| !live.contains(reg) && (before.contains(reg) || touched.contains(reg)));
        let mut lines = Vec::new();
        for reg in forgotten {
            lines.push(format!("{} = 0", self.register(reg)));
            if self.is_observational() {
                lines.push(format!("{} = 0", self.taint(reg)));
            }
        }
        lines.extend(self.announcement(from, target));
        lines
    }

    fn announcement(&self, from: Option<Pc>, target: Target) -> Option<String> {
        let plain = |pc: Pc| {
            let op = &self.thread.code[pc].op;
            matches!(op, Instr::PlainLoad { .. } | Instr::PlainStore { .. }).then_some(op)
        };
        let thread = self.id.index();
        let next = if let Target::Stop(pc) = target { plain(pc) } else { None };
        let Some((op, place)) = next.and_then(|op| dataflow::place(op).map(|place| (op, place))) else {
            return from.and_then(plain).and_then(|_| self.pending.withdraw(thread));
        };
        let writes = matches!(op, Instr::PlainStore { .. });
        match place {
            steadfast_ir::Place::Fixed(loc) => self.pending.announce(thread, *loc, None, writes),
            steadfast_ir::Place::Element { base, index, .. } => {
                self.pending.announce(thread, *base, Some(&self.expressions.text(index)), writes)
            }
        }
    }

    /// The variable of a register.
    pub(crate) fn register(&self, reg: RegId) -> &str {
        &self.names.registers[self.id][reg]
    }

    /// The variable that says whether a register may hold a stale value.
    pub(crate) fn taint(&self, reg: RegId) -> String {
        format!("tainted_{}", self.register(reg))
    }

    /// Whether stale reads are followed instead of reported.
    pub(crate) fn is_observational(&self) -> bool {
        self.options.notion == Notion::Observational && self.options.model != Supported::Sc
    }

    /// A condition that holds when one of the registers may hold a stale value.
    pub(crate) fn any_tainted(&self, registers: &RegSet) -> Option<String> {
        let taints: Vec<String> = registers.iter().map(|reg| self.taint(reg)).collect();
        (self.is_observational() && !taints.is_empty()).then(|| format!("({})", taints.join(" || ")))
    }
}

/// Whether an instruction is a step of its own. An SC fence is one if it has an effect.
fn is_step(op: &Instr, model: Supported) -> bool {
    match op {
        Instr::Fence(FenceOrder::SeqCst) => model != Supported::Sc,
        Instr::Fence(_) => false,
        op => dataflow::is_visible(op),
    }
}
