//! The changes to try: the sites of a text, reduced to what can matter under a model.
//!
//! Two kinds of places for fences are left out. A fence without an access before it or after it orders nothing. And a fence inside a waiting loop
//! would turn the wait into a loop with steps of its own, whose failed tests then count: more fences could make a program *less* robust, but the search relies on the
//! opposite. A fence before or behind such a loop has the same effect.

use crate::Allowed;
use crate::cost::Target;
use steadfast_ir::{FenceOrder, Instr, Pc, Program, RmwOrder, Thread, WriteOrder, cfg, dataflow};
use steadfast_lang::{Dialect, Edit, Form, Site, apply, parse, sites};
use steadfast_model::Orderings;
use steadfast_robust::{Place, Supported};
use steadfast_span::{Index, SourceFile, Span};

/// One form for a site.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The form.
    pub form: Form,
    /// How to write it; empty for the present form.
    pub edits: Vec<Edit>,
    /// Its cost, compared with the present form.
    pub cost: u32,
}

/// A site with the choices to try. The first one is the present form.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The place of the site.
    pub span: Span,
    /// At least two.
    pub choices: Vec<Choice>,
}

/// The text, and the question about it.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) dialect: Dialect,
    pub(crate) model: Supported,
    pub(crate) target: Target,
    pub(crate) allowed: Allowed,
}

impl Context<'_> {
    /// The slots with choices that are stronger than the present form.
    pub(crate) fn stronger(&self, spins: &[Place]) -> Vec<Slot> {
        self.slots(|site, form| form.covers(site.now) && self.is_useful(site.now, form))
            .into_iter()
            .filter(|slot| self.is_worth_trying(slot, spins))
            .collect()
    }

    /// The slots with choices that are weaker than the present form.
    pub(crate) fn weaker(&self) -> Vec<Slot> {
        self.slots(|site, form| site.now.covers(form) && self.is_useful(form, site.now))
    }

    fn slots(&self, wanted: impl Fn(&Site, Form) -> bool) -> Vec<Slot> {
        let mut slots = Vec::new();
        for site in sites(self.file, self.dialect) {
            let now = Choice { form: site.now, edits: Vec::new(), cost: 0 };
            let mut choices = vec![now];
            for variant in site.variants.iter().filter(|variant| wanted(&site, variant.form)) {
                let cost = self.target.change(site.now, variant.form);
                choices.push(Choice { form: variant.form, edits: variant.edits.clone(), cost });
            }
            if choices.len() > 1 {
                slots.push(Slot { span: site.span, choices });
            }
        }
        slots
    }

    /// Whether the model distinguishes the two forms, and the change from the weak to the strong one is of an allowed kind.
    fn is_useful(&self, weak: Form, strong: Form) -> bool {
        let orderings = self.model.orderings() == Orderings::AsWritten;
        match (weak, strong) {
            (Form::Store(_), Form::Exchange(order)) => {
                let plain =
                    order == if weak == Form::Store(WriteOrder::SeqCst) { RmwOrder::SeqCst } else { RmwOrder::AcqRel };
                self.allowed.rmw && (orderings || plain)
            }
            (_, Form::Fence(order)) => self.allowed.fences && (orderings || order == FenceOrder::SeqCst),
            (Form::Load(_) | Form::Store(_) | Form::Exchange(_) | Form::Rmw(_) | Form::Cas(..), _) => {
                self.allowed.orderings && orderings
            }
            _ => false,
        }
    }

    fn is_worth_trying(&self, slot: &Slot, spins: &[Place]) -> bool {
        let Some(choice) = slot.choices.iter().find(|choice| choice.form == Form::Fence(FenceOrder::SeqCst)) else {
            return true;
        };
        let text = apply(self.file.text(), &choice.edits);
        let file = SourceFile::new(self.file.name(), text);
        let Some(program) = parse(&file, self.dialect).program else { return false };
        let spins: Vec<u32> = spins.iter().map(|spin| moved(spin.span.start, &choice.edits)).collect();
        let inserted = fences(&program, choice);
        let in_loop = |&(thread, pc): &(usize, Pc)| {
            let thread = &program.threads.as_slice()[thread];
            spins.iter().any(|&spin| waits_around(thread, pc, spin))
        };
        inserted.iter().any(|&(thread, pc)| is_between(&program.threads.as_slice()[thread], pc))
            && !inserted.iter().any(in_loop)
    }
}

/// The fences that a choice adds to the program.
fn fences(program: &Program, choice: &Choice) -> Vec<(usize, Pc)> {
    let mut found = Vec::new();
    let [edit, others @ ..] = choice.edits.as_slice() else { return found };
    let start = moved(edit.span.start, others);
    let range = start..=start + edit.text.len() as u32;
    for (number, thread) in program.threads.iter().enumerate() {
        for (at, instruction) in thread.code.iter().enumerate() {
            let here = range.contains(&instruction.span.start) && range.contains(&instruction.span.end);
            if here && matches!(instruction.op, Instr::Fence(_)) {
                found.push((number, Pc::new(at)));
            }
        }
    }
    found
}

/// The offset of a place after edits elsewhere.
fn moved(offset: u32, edits: &[Edit]) -> u32 {
    let before = edits.iter().filter(|edit| edit.span.end <= offset);
    let grows = |edit: &Edit| (edit.text.len() as u32, edit.span.end - edit.span.start);
    before.map(grows).fold(offset, |at, (added, removed)| at + added - removed)
}

/// The instructions that can be reached after an instruction; `through` says which may be passed.
fn reachable(thread: &Thread, from: Pc, through: &dyn Fn(Pc) -> bool) -> Vec<bool> {
    let mut seen = vec![false; thread.code.len()];
    let mut stack = cfg::successors(from, &thread.code[from].op);
    while let Some(pc) = stack.pop() {
        if !std::mem::replace(&mut seen[pc.index()], true) && through(pc) {
            stack.extend(cfg::successors(pc, &thread.code[pc].op));
        }
    }
    seen
}

/// Whether there are accesses before and after a fence.
fn is_between(thread: &Thread, fence: Pc) -> bool {
    let everything = |_| true;
    let access = |at: usize| dataflow::place(&thread.code[Pc::new(at)].op).is_some();
    let after = reachable(thread, fence, &everything).iter().enumerate().any(|(at, seen)| *seen && access(at));
    let length = thread.code.len();
    after && (0..length).any(|at| access(at) && reachable(thread, Pc::new(at), &everything)[fence.index()])
}

/// Whether a fence is on a way from a waiting access back to itself without another access.
fn waits_around(thread: &Thread, fence: Pc, spin: u32) -> bool {
    let local = |pc: Pc| dataflow::place(&thread.code[pc].op).is_none();
    let after = reachable(thread, fence, &local);
    (0..thread.code.len()).any(|at| {
        let instruction = &thread.code[Pc::new(at)];
        let waiting = instruction.span.start == spin && dataflow::place(&instruction.op).is_some() && after[at];
        waiting && reachable(thread, Pc::new(at), &local)[fence.index()]
    })
}

/// The strongest choice of a slot.
pub(crate) fn strongest(slot: &Slot) -> usize {
    let covers_all = |choice: &Choice| slot.choices.iter().all(|other| choice.form.covers(other.form));
    slot.choices.iter().position(covers_all).unwrap_or(slot.choices.len() - 1)
}
