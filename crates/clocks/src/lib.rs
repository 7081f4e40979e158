//! Decides, while a program runs under sequential consistency, whether its next access could leave SC under a weak memory model, and whether plain accesses race.
//!
//! This is the engine of the sanitizer. It consists of pure functions on clocks, without I/O, globals or threads. It follows Margalit, Kokologiannakis, Itzhaky and
//! Lahav, *Dynamic robustness verification against weak memory* (PLDI'25), appendices A and B, for RC20 and, by default, for a model that is sound for RC11
//! with `seq_cst` accesses and fences ([`Supported`]).
//!
//! # How to use it
//! Every thread owns its [`ThreadClocks`]. Every atomic location has a [`Location`], and every lock or similar object a [`SyncClock`]. There is one [`Slots`] and one [`StampPool`] for all
//! threads, and one [`StampTable`], which all threads read. The caller
//! - holds a lock on the `Location` during an access; reports the value that the access [finds](Location::expect); calls [`load`](ThreadClocks::load), [`store`](ThreadClocks::store),
//!   [`rmw`](ThreadClocks::rmw), [`compare_exchange`](ThreadClocks::compare_exchange), [`wait`](ThreadClocks::wait) or [`blocking_cas`](ThreadClocks::blocking_cas); and then, if
//!   plain accesses are observed, [`touch`](ThreadClocks::touch), and [`atomic`](ThreadClocks::atomic) if `touch` asks for it. This lock also makes the run sequentially consistent;
//! - calls [`fence`](ThreadClocks::fence) at fences, and locks the [`ScFence`] only if the model [shares fences](Supported::shares_fences);
//! - calls [`plain`](ThreadClocks::plain) at plain accesses, without a lock, and [`plain_at`](ThreadClocks::plain_at) with the lock of the location if atomic accesses go there, too; before, it
//!   calls [`StampPool::lend`] if the thread [wants a stamp](ThreadClocks::wants_stamp);
//! - calls [`release`](ThreadClocks::release) and [`acquire`](ThreadClocks::acquire) for locks, [`spawn`](ThreadClocks::spawn) in the creating thread and
//!   [`finish`](ThreadClocks::finish) at the end of a thread; the joining thread acquires its result;
//! - drops the `Location` and clears the [`Cells`] when memory is freed.
//!
//! ```
//! use steadfast_clocks::{Location, Place, ReadOrder, Settings, Slots, ThreadClocks, WriteOrder};
//! use steadfast_model::ViolationKind;
//!
//! let settings = Settings::default();
//! let mut slots = Slots::new();
//! let mut main = ThreadClocks::first(settings, &mut slots).unwrap();
//! let mut other = main.spawn(&mut slots).unwrap();
//! let (mut x, mut y) = (Location::new(0), Location::new(0));
//!
//! // Store buffering: the thread that reads second could still read 0.
//! assert_eq!(main.store(&mut x, WriteOrder::Release, 1, Place(10)), None);
//! assert_eq!(main.load(&mut y, ReadOrder::Acquire), None);
//! assert_eq!(other.store(&mut y, WriteOrder::Release, 1, Place(20)), None);
//! let violation = other.load(&mut x, ReadOrder::Acquire).unwrap();
//! assert_eq!(violation.kind, ViolationKind::StaleRead);
//! assert_eq!((violation.stale.unwrap().value, violation.missed.place), (0, Place(10)));
//! ```
//!
//! # Guarantee
//! With [`Limits::UNBOUNDED`], a violation is reported at an access iff the execution graph of the run so far, with this access added, can be continued in a way that the model allows and SC
//! does not. The check depends only on the causal past of the access, so it *predicts*: every schedule of the same graph reports the same. With bounded logs, or when a slot of a dead thread
//! that no thread has joined is used again, reports can be missing, but no report is false. For races, see [`Cells`].
//!
//! # Deviations from the paper
//! 1. Vector clocks over threads, and a log of writes per location, replace location clocks. Happens-before and SC's order both contain program order, so what a view knows of a thread is a prefix
//!    of it, that is, one number; the log of x says *which write of x* the number means. An access costs O(threads), not O(locations), and nothing when there is
//!    nothing to learn.
//! 2. A read is recorded only if its write is not known in happens-before: otherwise a thread that knows the read also knows the write.
//! 3. The log contains the values of overwritten writes; no list of critical values is needed.
//! 4. Appendix A as printed has three errors: UPDATELSC lines 4, 5 and 8 assign to M(x) and W(x); line 10 is T\_a(τ) ⊔= W(x); a relaxed write keeps its own timestamp in W(x).
//! 5. `seq_cst` accesses (psc′) and, under [`Supported::Rc11`], `seq_cst` fences (RC11's `psc_F`) are ours.
//! 6. Under [`Supported::Rc20`], the order of accesses to the ghost location f does not count as an order under SC; by the letter of the paper it does.
//!
//! # Invariants
//! - A clock that contains a moment of a write also contains everything that its thread knew at that moment.
//! - The memory of a location is bounded by its limits and the number of slots; the memory of a thread is bounded by the number of slots.
//! - No function panics, whatever its arguments are.

mod access;
mod body;
mod cell_choice;
mod check;
mod clock;
mod epoch;
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
pub use settings::{Limits, Settings, Supported};
pub use shadow::{Cells, Direction, FastPath, Race, Touched};
pub use slots::Slots;
pub use stamps::{StampPool, StampTable, Sweep};
pub use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
pub use sync::{ScFence, SyncClock};
pub use thread::ThreadClocks;
pub use violation::{Missing, Violation, WriteRecord};
