//! Decides, while a program runs under sequential consistency, whether its next access could leave SC on a weak machine, and whether a plain access races.
//!
//! This is the engine of the sanitizer: pure functions on clocks, without I/O, globals or threads. It follows Margalit, Kokologiannakis, Itzhaky and
//! Lahav, *Dynamic robustness verification against weak memory* (PLDI'25), appendices A and B, for RC20 and, by default, for a model that is sound for RC11
//! with `seq_cst` accesses and fences ([`Model`]).
//!
//! # How to use it
//! Every thread owns its [`ThreadClocks`]; every atomic location has a [`Location`]; locks and the like have a [`SyncClock`]; [`Slots`] and [`StampPool`] are
//! for all, and [`StampTable`] is read by all. The caller
//! - holds a lock of its own on the `Location` while it makes the access, says what it has [found](Location::expect) there, and calls [`load`](ThreadClocks::load), [`store`](ThreadClocks::store),
//!   [`rmw`](ThreadClocks::rmw), [`compare_exchange`](ThreadClocks::compare_exchange), [`wait`](ThreadClocks::wait) or [`blocking_cas`](ThreadClocks::blocking_cas), and then, if
//!   plain accesses are observed, [`touch`](ThreadClocks::touch), and [`atomic`](ThreadClocks::atomic) for its shadow if that asks for it. This lock is also what makes the run sequentially consistent;
//! - calls [`fence`](ThreadClocks::fence) at fences, with the [`ScFence`] locked only if the model [shares fences](Model::shares_fences);
//! - calls [`plain`](ThreadClocks::plain) at plain accesses, without any lock, and [`plain_at`](ThreadClocks::plain_at) with that of the location if they meet atomic ones, after [`StampPool::lend`] when the thread [wants a stamp](ThreadClocks::wants_stamp);
//! - calls [`release`](ThreadClocks::release) and [`acquire`](ThreadClocks::acquire) for locks, [`spawn`](ThreadClocks::spawn) in the creating thread and
//!   [`finish`](ThreadClocks::finish) at the end of a thread, whose result the joining thread acquires;
//! - drops the `Location` and clears the [`Cells`] when memory is freed.
//!
//! ```
//! use steadfast_clocks::{Location, Place, ReadOrder, Settings, Slots, ThreadClocks, ViolationKind, WriteOrder};
//!
//! let settings = Settings::default();
//! let mut slots = Slots::new();
//! let mut main = ThreadClocks::first(settings, &mut slots).unwrap();
//! let mut other = main.spawn(&mut slots).unwrap();
//! let (mut x, mut y) = (Location::new(0), Location::new(0));
//!
//! // Store buffering: whoever comes second could still read 0.
//! assert_eq!(main.store(&mut x, WriteOrder::Release, 1, Place(10)), None);
//! assert_eq!(main.load(&mut y, ReadOrder::Acquire), None);
//! assert_eq!(other.store(&mut y, WriteOrder::Release, 1, Place(20)), None);
//! let violation = other.load(&mut x, ReadOrder::Acquire).unwrap();
//! assert_eq!(violation.kind, ViolationKind::StaleRead);
//! assert_eq!((violation.stale.unwrap().value, violation.missed.place), (0, Place(10)));
//! ```
//!
//! # Guarantee
//! With [`Limits::UNBOUNDED`] a violation is reported at an access iff the execution graph of the run so far, with this access added, can be continued in a way that the model allows and SC
//! does not. The check depends only on the access's own past, so it *predicts*: any schedule of the same graph reports the same. With bounded logs, or when slots of dead threads
//! that nobody joined are used again, reports can be missing, and none is invented. Races: see [`Cells`].
//!
//! # Deviations from the paper
//! 1. Vector clocks over threads and a log of writes per location take the place of location clocks: happens-before and SC's order both contain program order,
//!    so what a view knows of a thread is a prefix of it, one number, and *which write of x that means* is looked up in the log of x. An access costs O(threads), not O(locations), and nothing when there is
//!    nothing to learn.
//! 2. A read is only logged when its write is not known in happens-before: otherwise whoever knows the read knows the write.
//! 3. Values of overwritten writes are in the log; no list of critical values is needed.
//! 4. Appendix A as printed has three slips: UPDATELSC lines 4, 5 and 8 assign to M(x) and W(x); line 10 is T\_a(τ) ⊔= W(x); a relaxed write keeps its own timestamp in W(x).
//! 5. `seq_cst` accesses (psc′) and, under [`Model::Rc11`], `seq_cst` fences (RC11's `psc_F`) are ours.
//! 6. Under [`Model::Rc20`] the order of the ghost location f is no order under SC; by the letter of the paper it is.
//!
//! # Invariants
//! - A clock that contains a moment of a write contains all that its thread knew then.
//! - The memory of a location is bounded by its limits and the number of slots; that of a thread by the number of slots.
//! - No function panics, whatever it is called with.

mod access;
mod body;
mod check;
mod clock;
mod epoch;
mod home;
mod location;
mod log;
mod outline;
mod readers;
mod rows;
mod settings;
mod shadow;
mod slots;
mod stamps;
mod sync;
mod thread;
mod violation;
mod wide;

pub use access::{CompareExchange, Place, Strength};
pub use epoch::{Epoch, Slot};
pub use location::Location;
pub use outline::Outline;
pub use settings::{Limits, Model, Settings};
pub use shadow::{Alone, Cells, Direction, Race, Touched};
pub use slots::Slots;
pub use stamps::{StampPool, StampTable, Sweep};
pub use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
pub use sync::{ScFence, SyncClock};
pub use thread::ThreadClocks;
pub use violation::{Missing, Violation, ViolationKind, WriteRecord};
