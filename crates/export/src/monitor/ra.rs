//! The views of RA and SRA (PLDI'19, Figure 6): `V` per thread and `W` per location, and `VR`, `WR` for the values that no
//! read-modify-write has read. SRA does not use the latter two, so they are left out.

use super::{CellAccess, Monitor};
use crate::Supported;
use crate::cells::CellId;
use crate::text::Text;
use steadfast_span::Index;

impl Monitor<'_> {
    pub(super) fn declare_ra(&self, text: &mut Text) {
        text.line("");
        self.declare_stale(text);
        self.declare_views(text, "V", self.threads, "V: the stale values that a thread could still read");
        self.declare_views(
            text,
            "W",
            self.cells.rows(),
            "W: those that stay readable after reading the newest write to a cell",
        );
        if self.tracks_rmw_views() {
            self.declare_views(text, "VR", self.threads, "VR: the stale values that a thread could still overwrite");
            self.declare_views(text, "WR", self.cells.rows(), "WR: those after reading the newest write to a cell");
        }
    }

    fn tracks_rmw_views(&self) -> bool {
        self.model != Supported::Sra
    }

    /// The pairs of a thread view and a location view, each with whether a read-modify-write adds the value that it overwrites.
    fn ra_views(&self) -> Vec<(&'static str, &'static str, bool)> {
        let mut views = vec![("V", "W", true)];
        if self.tracks_rmw_views() {
            views.push(("VR", "WR", false));
        }
        views
    }

    pub(super) fn ra_access(&self, access: CellAccess, cell: CellId) -> Vec<String> {
        let row = cell.index().to_string();
        let mut lines = if access.writes() { self.find_stale(cell) } else { Vec::new() };
        for (thread, location, with_rmw) in self.ra_views() {
            let own = (thread, "t");
            let newest = (location, row.as_str());
            match access {
                CellAccess::Read { .. } => lines.extend(self.combine(own, Some('&'), newest)),
                CellAccess::Write { .. } => {
                    lines.extend(self.add_stale(thread, self.all_threads(), cell));
                    lines.extend(self.clear(thread, "t", cell));
                    lines.extend(self.combine(newest, None, own));
                    lines.extend(self.add_stale(location, self.other_rows(cell), cell));
                }
                CellAccess::Rmw { .. } => {
                    if with_rmw {
                        lines.extend(self.add_stale(thread, self.all_threads(), cell));
                        lines.extend(self.add_stale(location, self.other_rows(cell), cell));
                    }
                    // W(x)(x) is always empty, so this also clears x in the thread's own view.
                    lines.extend(self.combine(own, Some('&'), newest));
                    lines.extend(self.combine(newest, Some('&'), own));
                }
            }
        }
        lines
    }

    /// `FADD(f, 0)`: a read-modify-write whose overwritten value does not matter.
    pub(super) fn ra_fence_access(&self) -> Vec<String> {
        let row = self.cells.fence_row().to_string();
        let exchange = |(thread, location, _)| {
            let (own, fence) = ((thread, "t"), (location, row.as_str()));
            [self.combine(own, Some('&'), fence), self.combine(fence, Some('&'), own)].concat()
        };
        self.ra_views().into_iter().flat_map(exchange).collect()
    }
}
