//! The views of RC20 (POPL'21, algorithms 1 to 5, with `V^w_RMW(x, y)` in line 5 of algorithm 2, where the paper prints `(x, x)`).
//!
//! Per thread there are `Va` (after an acquire fence), `Vc` (now) and `Vr` (at the last release fence), and per location `Vw`. The variants for
//! values that no read-modify-write has read are `Ra`, `Rc`, `Rr` and `Rw`.

use super::{CellAccess, Monitor};
use crate::cells::CellId;
use crate::text::Text;
use steadfast_span::Index;

/// The views of one variant.
struct Variant {
    acquire: &'static str,
    current: &'static str,
    release: &'static str,
    location: &'static str,
    /// Whether values that a read-modify-write overwrites are added.
    with_rmw: bool,
}

const VARIANTS: [Variant; 2] = [
    Variant { acquire: "Va", current: "Vc", release: "Vr", location: "Vw", with_rmw: true },
    Variant { acquire: "Ra", current: "Rc", release: "Rr", location: "Rw", with_rmw: false },
];

impl Monitor<'_> {
    pub(super) fn declare_rc20(&self, text: &mut Text) {
        text.line("");
        self.declare_stale(text);
        for (variant, verb) in VARIANTS.iter().zip(["read", "overwrite"]) {
            let views = [
                (variant.acquire, self.threads, "that a thread could still X after an acquire fence"),
                (variant.current, self.threads, "that a thread could still X"),
                (variant.release, self.threads, "that others could still X after synchronising with its release fence"),
                (
                    variant.location,
                    self.cells.rows(),
                    "that one could still X after reading the newest write to a cell",
                ),
            ];
            for (name, len, what) in views {
                self.declare_views(text, name, len, &format!("{name}: the stale values {}", what.replace('X', verb)));
            }
        }
    }

    pub(super) fn rc20_access(&self, access: CellAccess, cell: CellId) -> Vec<String> {
        let mut lines = if access.writes() { self.find_stale(cell) } else { Vec::new() };
        for variant in &VARIANTS {
            lines.extend(self.thread_views(variant, access, cell));
            lines.extend(self.location_views(variant, access, cell));
        }
        lines
    }

    /// Algorithms 1 and 2.
    fn thread_views(&self, variant: &Variant, access: CellAccess, cell: CellId) -> Vec<String> {
        let row = cell.index().to_string();
        let newest = (variant.location, row.as_str());
        let mut lines = Vec::new();
        if adds(variant, access) {
            for view in [variant.acquire, variant.current, variant.release] {
                lines.extend(self.add_stale(view, self.all_threads(), cell));
            }
        }
        // The thread knows the value that it reads or overwrites; only its release view gets the overwritten value, like the views of the others.
        lines.extend(self.clear(variant.acquire, "t", cell));
        lines.extend(self.clear(variant.current, "t", cell));
        if access.reads() {
            lines.extend(self.combine((variant.acquire, "t"), Some('&'), newest));
        }
        if matches!(access, CellAccess::Read { acquire: true } | CellAccess::Rmw { acquire: true, .. }) {
            lines.extend(self.combine((variant.current, "t"), Some('&'), newest));
        }
        lines
    }

    /// Algorithms 4 and 5. The bits of a cell in its own view are never used, and stay empty.
    fn location_views(&self, variant: &Variant, access: CellAccess, cell: CellId) -> Vec<String> {
        let row = cell.index().to_string();
        let newest = (variant.location, row.as_str());
        let (operator, release) = match access {
            CellAccess::Read { .. } => return Vec::new(),
            CellAccess::Write { release } => (None, release),
            CellAccess::Rmw { release, .. } => (Some('&'), release),
        };
        let released = if release { variant.current } else { variant.release };
        let mut lines = Vec::new();
        if adds(variant, access) {
            lines.extend(self.add_stale(variant.location, self.other_rows(cell), cell));
        }
        lines.extend(self.combine(newest, operator, (released, "t")));
        lines.extend(self.clear(variant.location, &row, cell));
        lines
    }

    /// Algorithm 3, for acquire fences.
    pub(super) fn rc20_acquire(&self) -> Vec<String> {
        VARIANTS.iter().flat_map(|v| self.combine((v.current, "t"), None, (v.acquire, "t"))).collect()
    }

    /// Algorithm 3, for release fences.
    pub(super) fn rc20_release(&self) -> Vec<String> {
        VARIANTS.iter().flat_map(|v| self.combine((v.release, "t"), None, (v.current, "t"))).collect()
    }

    /// `FADD(f, 0, acqrel)`.
    pub(super) fn rc20_fence_access(&self) -> Vec<String> {
        let row = self.cells.fence_row().to_string();
        let exchange = |variant: &Variant| {
            let fence = (variant.location, row.as_str());
            [
                self.combine((variant.acquire, "t"), Some('&'), fence),
                self.combine((variant.current, "t"), Some('&'), fence),
                self.combine(fence, Some('&'), (variant.current, "t")),
            ]
            .concat()
        };
        VARIANTS.iter().flat_map(exchange).collect()
    }
}

fn adds(variant: &Variant, access: CellAccess) -> bool {
    match access {
        CellAccess::Read { .. } => false,
        CellAccess::Write { .. } => true,
        CellAccess::Rmw { .. } => variant.with_rmw,
    }
}
