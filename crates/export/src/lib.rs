//! Writes a program with the robustness monitor of the papers as Promela, for the model checker SPIN.
//!
//! SPIN explores the exported program under sequential consistency, where the monitor fails an assertion as soon as some thread's next
//! access could leave SC (Lahav and Margalit, PLDI'19, for RA; Margalit and Lahav, POPL'21, for RC20 and the observational notion).
//! It shares nothing with our own engine but the program representation, and it follows the *published* monitor, joint views and all:
//! it is the second opinion that our engine is tested against, and the peer that it is measured against.
//!
//! # Guarantee
//! SPIN finds a violated assertion iff the program is wrong in the sense of the assertion that is named in SPIN's message:
//!
//! | assertion | meaning |
//! | --- | --- |
//! | `robust` | not robust (graph notion: exact; observational notion: sound, but it may over-report, as the paper's does) |
//! | `race_free` | two threads are about to access a plain location, one of them writing (RC20: an access is not ordered after a write) |
//! | `defined` | a division by zero or an index out of bounds |
//! | anything else | an assertion of the program |
//!
//! This holds for an exhaustive search: not with bitstate hashing, and not after `max search depth too small`.
//!
//! # Deviations from the papers
//! 1. `V^w_RMW(x, y)` in line 5 of algorithm 2 of POPL'21, where the paper prints `V^w_RMW(x, x)`.
//! 2. The order of SC fences among themselves does not count in hbSC, unless [`PromelaOptions::fences_by_the_letter`] is set: it is not observable.
//! 3. The critical values are computed ([`steadfast_ir::values`]), not annotated.
//! 4. SRA is RA where only reads can violate; not from the papers.
//! 5. A CAS that fails whatever it finds, which is half of a weak one, is a failed CAS that may read any value.
//! 6. Arrays: an index that depends on a tainted register is an observation.
//! 7. All copies of a plain location are written in one step (POPL'21 §6 writes them one by one).
//!
//! # Invariants of the exported program
//! - Its states are those between memory accesses: a step is one access, or SC fence, with all local steps up to the next one. Acquire and release fences are
//!   local, because they commute with every step of every other thread. Only loops without any access are interrupted.
//! - Every thread's next access is checked in *every* state, also if it is blocked: a stale value could unblock it.
//! - Registers that nobody will read any more hold 0. Processes never end, so no state differs in that only.
//! - A blocked thread is not an error.
//!
//! ```
//! use steadfast_export::{PromelaOptions, Supported, promela};
//! use steadfast_model::Notion;
//! use steadfast_ir::{Expr, ProgramBuilder, ReadOrder, WriteOrder};
//!
//! let mut b = ProgramBuilder::new("store-buffering");
//! let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
//! for (name, mine, theirs) in [("left", x, y), ("right", y, x)] {
//!     b.thread(name, |t| {
//!         let r = t.register("r");
//!         t.store(mine, Expr::Const(1), WriteOrder::Release);
//!         t.load(r, theirs, ReadOrder::Acquire);
//!     });
//! }
//! let exported = promela(&b.finish(), &PromelaOptions::new(Supported::Ra, Notion::Graph))?;
//! assert!(exported.contains("assert(robust)"));
//! # Ok::<(), steadfast_export::ExportError>(())
//! ```

mod cells;
mod error;
mod expr;
mod location_bits;
mod monitor;
mod names;
mod pending;
mod region;
mod step;
mod text;
mod thread;
mod unsupported;

pub use error::ExportError;

use cells::Cells;
use monitor::Monitor;
use names::Names;
use pending::Pending;
use steadfast_ir::Program;
use steadfast_model::{Model, Notion, supported};
use text::Text;
use thread::ThreadWriter;

supported! {
    /// A memory model whose monitor is exported.
    pub enum Supported: Model in "`export`" {
        /// No monitor: assertions, undefined operations and races.
        Sc,
        Ra,
        /// As RA, but only reads can be stale.
        Sra,
        /// Without `seq_cst` accesses.
        Rc20,
    }
}

/// What to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromelaOptions {
    /// The memory model.
    pub model: Supported,
    /// The notion of robustness.
    pub notion: Notion,
    /// Whether the order of SC fences among themselves counts in hbSC, as in the papers.
    pub fences_by_the_letter: bool,
    /// Whether stale values that nobody can single out share one class (PLDI'19 §5.1). The verdict does not depend on it.
    pub critical_values: bool,
}

impl PromelaOptions {
    /// The usual settings: fences as we read them, critical values on.
    pub fn new(model: Supported, notion: Notion) -> Self {
        Self { model, notion, fences_by_the_letter: false, critical_values: true }
    }
}

/// Writes a program as Promela.
pub fn promela(program: &Program, options: &PromelaOptions) -> Result<String, ExportError> {
    let options = *options;
    unsupported::check(program, options)?;
    let names = Names::of(program);
    let cells = Cells::of(program, &names.locations, options);
    let pending = Pending::of(program, options);
    let mut monitor = Monitor::new(&cells, program.threads.len(), options);
    let mut processes = Text::default();
    for id in program.threads.indices() {
        ThreadWriter::new(program, &names, options, &pending, id, &mut monitor).write(&mut processes);
    }
    let mut text = Text::default();
    header(program, options, &mut text);
    globals(program, &names, &mut text);
    pending.declare(&mut text);
    monitor.declare(&mut text);
    Ok(text.finish() + &processes.finish())
}

fn header(program: &Program, options: PromelaOptions, text: &mut Text) {
    text.line(format!("/* {}", comment(&program.name)));
    text.line(format!("   model {}, notion {}", options.model, options.notion));
    text.line("   spin -a FILE && gcc -O2 -DSAFETY -DVECTORSZ=4096 -fwrapv -o pan pan.c && ./pan -m1000000 */");
    text.line("");
    text.line("/* Each is 0 for ever: the assertion that fails says what is wrong. */");
    for assertion in ["robust", "race_free", "defined"] {
        text.line(format!("hidden byte {assertion};"));
    }
}

fn globals(program: &Program, names: &Names, text: &mut Text) {
    text.line("");
    text.line("/* the value of a location before the access that is being made */");
    text.line(format!("hidden byte {};", expr::OLD));
    text.line("");
    for (loc, location) in program.locations.enumerated() {
        let note = format!("/* {} {:?} */", comment(&location.name), location.kind).to_lowercase();
        text.line(format!("byte {} = {}; {note}", names.locations[loc], location.init));
    }
}

/// Text that can stand in a comment, also for the C preprocessor that SPIN calls first.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r', '\'', '"', '\\', '?'], " ")
}
