//! The atomic accesses. Each first checks, and then records what happened under SC.

use crate::check::Question;
use crate::location::{Location, Written};
use crate::{ReadOrder, RmwOrder, ThreadClocks, Violation, WriteOrder};

/// A place in the program, for example the number of a stack trace. Its meaning is up to the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place(pub u32);

/// Whether a compare-and-exchange can fail although it finds the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// It can.
    Weak,
    /// It cannot.
    Strong,
}

/// A compare-and-exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareExchange {
    /// Weak or strong.
    pub strength: Strength,
    /// The value that it expects.
    pub expected: u128,
    /// The ordering if it succeeds.
    pub success: RmwOrder,
    /// The ordering if it fails.
    pub failure: ReadOrder,
}

impl ThreadClocks {
    /// An atomic load.
    #[inline]
    pub fn load(&mut self, location: &mut Location, order: ReadOrder) -> Option<Violation> {
        let seq_cst = self.ordered(order == ReadOrder::SeqCst);
        if location.is_settled(self, seq_cst) {
            return None;
        }
        let violation = location.violation(self, Question::Read, seq_cst);
        location.read(self, order != ReadOrder::Relaxed, seq_cst);
        violation
    }

    /// An atomic store of `value`.
    #[inline]
    pub fn store(
        &mut self,
        location: &mut Location,
        order: WriteOrder,
        value: u128,
        place: Place,
    ) -> Option<Violation> {
        let seq_cst = self.ordered(order == WriteOrder::SeqCst);
        let violation = location.violation(self, Question::Write, seq_cst);
        location.write(self, Written { value, place, release: order != WriteOrder::Relaxed, seq_cst, update: None });
        violation
    }

    /// An atomic read-modify-write that cannot fail and leaves `value`.
    #[inline]
    pub fn rmw(&mut self, location: &mut Location, order: RmwOrder, value: u128, place: Place) -> Option<Violation> {
        let violation = location.violation(self, Question::Write, self.ordered(order == RmwOrder::SeqCst));
        self.update(location, order, value, place);
        violation
    }

    /// A compare-and-exchange. `written` is the new value if it succeeded.
    #[inline]
    pub fn compare_exchange(
        &mut self,
        location: &mut Location,
        exchange: &CompareExchange,
        written: Option<u128>,
        place: Place,
    ) -> Option<Violation> {
        let violation = self.check_compare_exchange(location, exchange);
        if let Some(value) = written {
            self.update(location, exchange.success, value, place);
        } else {
            let seq_cst = self.ordered(exchange.failure == ReadOrder::SeqCst);
            location.read(self, exchange.failure != ReadOrder::Relaxed, seq_cst);
        }
        violation
    }

    /// A wait for `value`, after the value has come.
    #[inline]
    pub fn wait(&mut self, location: &mut Location, order: ReadOrder, value: u128) -> Option<Violation> {
        let violation = self.check_wait(location, order, value);
        location.read(self, order != ReadOrder::Relaxed, self.ordered(order == ReadOrder::SeqCst));
        violation
    }

    /// A compare-and-exchange that has waited for `expected` and then written `value`.
    #[inline]
    pub fn blocking_cas(
        &mut self,
        location: &mut Location,
        order: RmwOrder,
        expected: u128,
        value: u128,
        place: Place,
    ) -> Option<Violation> {
        let violation = self.check_blocking_cas(location, order, expected);
        self.update(location, order, value, place);
        violation
    }

    /// Whether the wait could end although the location no longer holds `value`. To be called also while it waits: under SC it may never end.
    #[inline]
    pub fn check_wait(&self, location: &Location, order: ReadOrder, value: u128) -> Option<Violation> {
        location.violation(self, Question::ReadOf(value), self.ordered(order == ReadOrder::SeqCst))
    }

    /// The same for a compare-and-exchange that waits.
    #[inline]
    pub fn check_blocking_cas(&self, location: &Location, order: RmwOrder, expected: u128) -> Option<Violation> {
        location.violation(self, Question::UpdateOf(expected), self.ordered(order == RmwOrder::SeqCst))
    }

    fn check_compare_exchange(&self, location: &Location, exchange: &CompareExchange) -> Option<Violation> {
        let fails = match exchange.strength {
            Strength::Weak => Question::Read,
            Strength::Strong => Question::ReadOther(exchange.expected),
        };
        self.check_blocking_cas(location, exchange.success, exchange.expected)
            .or_else(|| location.violation(self, fails, self.ordered(exchange.failure == ReadOrder::SeqCst)))
    }

    #[inline]
    fn update(&mut self, location: &mut Location, order: RmwOrder, value: u128, place: Place) {
        let (acquire, release) = (order.read().is_acquire(), order.write().is_release());
        let seq_cst = self.ordered(order == RmwOrder::SeqCst);
        location.write(self, Written { value, place, release, seq_cst, update: Some(acquire) });
    }

    /// Whether an access takes part in the order of `seq_cst` accesses.
    #[inline]
    fn ordered(&self, seq_cst: bool) -> bool {
        seq_cst && self.orders_accesses()
    }
}
