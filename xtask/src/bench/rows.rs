//! The rows to measure: the programs in the tables of the papers, with Rocker's times.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use steadfast_model::Notion;
use steadfast_robust::Supported;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Rocker's file, without extension, below the directory of its programs. Empty if it did not come with the tool.
    pub(crate) rocker: &'static str,
    /// Steadfast's version of the program, without extension, in `corpus/`.
    pub(crate) own: &'static str,
    /// The model.
    pub(crate) model: Supported,
    /// The notion of robustness.
    pub(crate) notion: Notion,
    /// Rocker's time.
    pub(crate) published: Published,
}

/// Rocker's time in seconds, and its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Published {
    /// Measured on the machine of the project: to compile and to verify, with bitstate hashing. That search is not exhaustive.
    Measured(f64, f64),
    /// A lower bound, measured on the machine of the project, nearly all of it for compiling.
    AtLeast(f64),
    /// From Fig. 7 of PLDI 2019, so measured on another machine.
    Pldi19(f64),
}

impl Published {
    /// The total seconds.
    pub(crate) fn seconds(self) -> f64 {
        match self {
            Self::Measured(compile, verify) => compile + verify,
            Self::AtLeast(seconds) | Self::Pldi19(seconds) => seconds,
        }
    }

    /// Whether it was measured on the same machine as Steadfast, so that a ratio is meaningful.
    pub(crate) fn is_comparable(self) -> bool {
        !matches!(self, Self::Pldi19(_))
    }
}

impl Row {
    /// The name of the row.
    pub(crate) fn name(&self) -> &'static str {
        let path = if self.rocker.is_empty() { self.own } else { self.rocker };
        path.rsplit('/').next().unwrap_or(path)
    }

    /// The file to check: Rocker's if it exists, else Steadfast's version.
    pub(crate) fn path(&self, root: &Path, rocker: Option<&Path>) -> PathBuf {
        match rocker {
            Some(directory) if !self.rocker.is_empty() => directory.join(format!("{}.tpl", self.rocker)),
            _ => root.join(format!("corpus/{}.sf", self.own)),
        }
    }
}

use Published::{AtLeast, Measured, Pldi19};

const fn ra(rocker: &'static str, own: &'static str, published: Published) -> Row {
    Row { rocker, own, model: Supported::Ra, notion: Notion::Graph, published }
}

const fn graph(rocker: &'static str, own: &'static str, published: Published) -> Row {
    Row { rocker, own, model: Supported::Rc20, notion: Notion::Graph, published }
}

const fn observed(rocker: &'static str, own: &'static str, published: Published) -> Row {
    Row { rocker, own, model: Supported::Rc20, notion: Notion::Observational, published }
}

/// All rows.
pub(crate) const ROWS: [Row; 58] = [
    ra("programs-ra/chase-lev-ra", "large/chase-lev-ra-200", Measured(1.3, 30.4)),
    ra("programs-ra/dekker-ra", "programs/dekker-ra", Measured(1.5, 0.0)),
    ra("programs-ra/lamport2-3", "programs/lamport2-3-ra", Measured(5.3, 81.8)),
    ra("programs-ra/peterson-ra", "programs/peterson-ra", Measured(1.9, 0.1)),
    ra("programs-ra/rcu-offline", "large/rcu-offline-4", Measured(10.1, 51.1)),
    ra("programs-ra/rcu", "programs/rcu", Measured(2.3, 66.5)),
    ra("programs-ra/seqlock-ra", "large/seqlock-ra-4", Measured(7.9, 46.1)),
    ra("programs-ra/spinlock4-ra", "programs/spinlock4-ra", Measured(1.8, 1.1)),
    ra("programs-ra/ticketlock4", "programs/ticketlock4", Measured(2.0, 22.3)),
    graph("programs-obs/arc", "programs/arc", Measured(5.6, 82.5)),
    graph("programs-obs/chase-lev", "programs/chase-lev", Measured(1.7, 55.2)),
    graph("programs-obs/dekker-rlx", "programs/dekker-rlx", Measured(2.4, 0.0)),
    graph("programs-obs/seqlock_fence", "large/seqlock-fence-4", Measured(13.4, 0.1)),
    graph("programs-obs/seqlock_fence-rw", "large/seqlock-fence-rw-4", Measured(11.4, 0.1)),
    graph("programs-obs/seqlock_rdmw", "large/seqlock-rdmw-4", Measured(9.5, 0.0)),
    graph("programs-obs/seqlock_rdmw-rw", "large/seqlock-rdmw-rw-4", Measured(9.4, 0.1)),
    graph("programs-obs/singleton", "programs/singleton", Measured(2.9, 0.1)),
    graph("programs-obs/singleton-rlx", "programs/singleton-rlx", Measured(3.1, 0.1)),
    graph("programs-obs/spinlock4-rlx", "programs/spinlock4-rlx", Measured(2.2, 3.5)),
    graph("programs-obs/lock_exchange", "programs/lock-exchange", AtLeast(1.2)),
    graph("programs-obs/peterson", "programs/peterson", AtLeast(1.2)),
    graph("programs-obs/peterson-fix1", "programs/peterson-fix1", AtLeast(1.2)),
    graph("programs-obs/peterson-fix2", "programs/peterson-fix2", AtLeast(1.2)),
    graph("programs-obs/wait-free-ring", "programs/wait-free-ring", AtLeast(1.2)),
    observed("programs-obs/arc", "programs/arc", Measured(6.1, 100.9)),
    observed("programs-obs/chase-lev", "programs/chase-lev", Measured(2.1, 59.9)),
    observed("programs-obs/dekker-rlx", "programs/dekker-rlx", Measured(1.9, 0.0)),
    observed("programs-obs/seqlock_fence", "large/seqlock-fence-4", Measured(9.1, 63.5)),
    observed("programs-obs/seqlock_fence-rw", "large/seqlock-fence-rw-4", Measured(7.6, 63.6)),
    observed("programs-obs/seqlock_rdmw", "large/seqlock-rdmw-4", Measured(8.5, 59.9)),
    observed("programs-obs/seqlock_rdmw-rw", "large/seqlock-rdmw-rw-4", Measured(8.3, 41.3)),
    observed("programs-obs/singleton", "programs/singleton", Measured(3.4, 0.1)),
    observed("programs-obs/singleton-rlx", "programs/singleton-rlx", Measured(3.5, 0.1)),
    observed("programs-obs/spinlock4-rlx", "programs/spinlock4-rlx", Measured(2.1, 3.9)),
    observed("programs-obs/lock_exchange", "programs/lock-exchange", AtLeast(1.2)),
    observed("programs-obs/peterson", "programs/peterson", AtLeast(1.2)),
    observed("programs-obs/peterson-fix1", "programs/peterson-fix1", AtLeast(1.2)),
    observed("programs-obs/peterson-fix2", "programs/peterson-fix2", AtLeast(1.2)),
    observed("programs-obs/wait-free-ring", "programs/wait-free-ring", AtLeast(1.2)),
    ra("", "programs/barrier", Pldi19(1.6)),
    ra("", "programs/dekker-sc", Pldi19(4.2)),
    ra("", "programs/dekker-tso", Pldi19(5.2)),
    ra("", "programs/peterson-sc", Pldi19(2.5)),
    ra("", "programs/peterson-tso", Pldi19(3.3)),
    ra("", "programs/peterson-ra-dmitriy", Pldi19(4.3)),
    ra("", "programs/peterson-ra-bratosz", Pldi19(3.4)),
    ra("", "programs/lamport2-sc", Pldi19(9.1)),
    ra("", "programs/lamport2-tso", Pldi19(13.7)),
    ra("", "programs/lamport2-ra", Pldi19(18.9)),
    ra("", "programs/spinlock", Pldi19(1.6)),
    ra("", "programs/spinlock4", Pldi19(6.4)),
    ra("", "programs/ticketlock", Pldi19(2.6)),
    ra("", "programs/seqlock", Pldi19(20.7)),
    ra("", "programs/nbw-w-lr-rl", Pldi19(5.7)),
    ra("", "programs/cilk-the-wsq-sc", Pldi19(5.0)),
    ra("", "programs/cilk-the-wsq-tso", Pldi19(6.1)),
    ra("", "programs/chase-lev-sc", Pldi19(3.8)),
    ra("", "programs/chase-lev-tso", Pldi19(4.9)),
];

/// The rows whose name contains a text.
pub(crate) fn matching(pattern: &str) -> Result<Vec<Row>> {
    let rows: Vec<_> = ROWS.into_iter().filter(|row| row.name().contains(pattern)).collect();
    if rows.is_empty() {
        bail!("no row's name contains `{pattern}`");
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_program_of_our_own() {
        let root = crate::process::root();
        for row in &ROWS {
            let path = row.path(&root, None);
            assert!(path.exists(), "{}", path.display());
        }
    }

    #[test]
    fn rows_are_found_by_a_part_of_their_name() {
        assert_eq!(matching("ticketlock4").unwrap().len(), 1);
        assert_eq!(matching("arc").unwrap().len(), 2);
        assert!(matching("no such row").is_err());
    }
}
