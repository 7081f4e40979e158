//! What the exit code says.

/// How a command ended, from best to worst: of several results, the worst one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Every result holds.
    Holds,
    /// A bound was hit, and nothing worse is known.
    Inconclusive,
    /// Somebody stopped it, and nothing worse is known.
    Interrupted,
    /// A program is not robust, races or fails.
    Violation,
    /// The arguments or an input cannot be used.
    Input,
    /// The tool itself failed.
    Internal,
}

impl Status {
    /// The exit code. 101 is what a panic ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violation => 1,
            Self::Input => 2,
            Self::Inconclusive => 3,
            Self::Internal => 101,
            Self::Interrupted => 130,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn the_worst_decides() {
        let all = [Status::Holds, Status::Interrupted, Status::Violation, Status::Inconclusive];
        assert_eq!(all.into_iter().max(), Some(Status::Violation));
        let mut codes = [Status::Input, Status::Violation, Status::Interrupted, Status::Inconclusive, Status::Holds];
        codes.sort_by(|one, other| other.cmp(one));
        assert_eq!(codes.map(Status::code), [2, 1, 130, 3, 0]);
    }
}
