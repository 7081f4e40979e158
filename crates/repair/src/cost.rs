//! The cost of a change on a machine.
//!
//! Costs are rough relative cycles of the instructions that compilers choose; `docs/commands/fix.md` lists and explains them. Two things are
//! guaranteed: a stronger form never costs less than a weaker one; and every change costs something, so that of equally fast repairs the one with
//! the fewest and weakest changes is chosen, and a fence rather than a read-modify-write.

use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_lang::Form;
use steadfast_model::named;

named! {
    /// A machine.
    pub enum Target ["target", "targets"] {
        /// x86: only draining the store buffer costs.
        X86 = "x86",
        /// `ARMv8`: one-way barriers on accesses are cheaper than fences.
        Armv8 = "armv8",
        /// POWER: light-weight and heavy-weight fences.
        Power = "power",
    }
}

impl Target {
    /// The cost of replacing a form by another one; nothing if they are the same.
    pub fn change(self, from: Form, to: Form) -> u32 {
        if from == to {
            return 0;
        }
        let extra = if matches!((from, to), (Form::Store(_), Form::Exchange(_))) { 2 } else { 1 };
        self.form(to).saturating_sub(self.form(from)) + extra
    }

    /// The cost of a form.
    pub fn form(self, form: Form) -> u32 {
        match form {
            Form::Nothing => 0,
            Form::Fence(order) => self.fence(order) + u32::from(order.is_acquire() && order.is_release()),
            Form::Load(order) => self.load(order) + order as u32,
            Form::Store(order) => self.store(order) + order as u32,
            Form::Exchange(order) | Form::Rmw(order) => self.rmw(order) + halves(order),
            // A failure is a load by the same instruction; only the small cost of its ordering counts.
            Form::Cas(order, failure) => self.rmw(order) + halves(order) + failure as u32,
        }
    }

    fn fence(self, order: FenceOrder) -> u32 {
        match (self, order) {
            (Self::X86, FenceOrder::SeqCst) => 20,
            (Self::X86, _) => 0,
            (Self::Armv8, FenceOrder::Acquire) => 8,
            (Self::Armv8, FenceOrder::SeqCst) => 17,
            (Self::Armv8, _) => 16,
            (Self::Power, FenceOrder::SeqCst) => 40,
            (Self::Power, _) => 12,
        }
    }

    fn load(self, order: ReadOrder) -> u32 {
        match (self, order) {
            (Self::X86, _) | (_, ReadOrder::Relaxed) => 0,
            (Self::Armv8, _) => 4,
            (Self::Power, ReadOrder::Acquire) => 8,
            (Self::Power, ReadOrder::SeqCst) => 48,
        }
    }

    fn store(self, order: WriteOrder) -> u32 {
        match (self, order) {
            (Self::X86, WriteOrder::SeqCst) => 20,
            (Self::X86, _) | (_, WriteOrder::Relaxed) => 0,
            (Self::Armv8, _) => 4,
            (Self::Power, WriteOrder::Release) => 12,
            (Self::Power, WriteOrder::SeqCst) => 40,
        }
    }

    fn rmw(self, order: RmwOrder) -> u32 {
        match self {
            Self::X86 => 20,
            Self::Armv8 | Self::Power => 16 + self.load(order.read()) + self.store(order.write()),
        }
    }
}

/// The strength of both halves of a read-modify-write.
fn halves(order: RmwOrder) -> u32 {
    order.read() as u32 + order.write() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_forms_never_cost_less_and_every_change_costs() {
        let reads = [ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst];
        let writes = [WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];
        let updates = [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
        let fences = [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];
        let mut forms = vec![Form::Nothing];
        forms.extend(reads.map(Form::Load).into_iter().chain(writes.map(Form::Store)));
        forms.extend(updates.map(Form::Exchange).into_iter().chain(fences.map(Form::Fence)));
        forms.extend(updates.into_iter().flat_map(|order| reads.map(|failure| Form::Cas(order, failure))));
        for target in Target::ALL {
            for (&weak, &strong) in forms.iter().flat_map(|weak| forms.iter().map(move |strong| (weak, strong))) {
                let comparable = strong.covers(weak) && weak != Form::Nothing;
                assert!(!comparable || target.form(strong) >= target.form(weak), "{target:?} {weak:?} {strong:?}");
                assert!(weak == strong || target.change(weak, strong) > 0);
            }
        }
    }
}
