//! Work over all states of a graph, cut into one stretch per worker.

use std::ops::Range;

/// Fewer states than this are not worth a second thread.
const WORTHWHILE: usize = 50_000;

/// The stretches of `0..len` for so many workers, in order.
pub(crate) fn stretches(len: usize, jobs: usize) -> Vec<Range<usize>> {
    let workers = if len < WORTHWHILE { 1 } else { jobs.max(1) };
    let size = len.div_ceil(workers).max(1);
    (0..workers).map(|worker| (worker * size).min(len)..((worker + 1) * size).min(len)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_everything_in_order() {
        for (len, jobs, count) in [(0, 2, 1), (10, 4, 1), (WORTHWHILE, 3, 3), (WORTHWHILE + 1, 2, 2)] {
            let stretches = stretches(len, jobs);
            assert_eq!(stretches.len(), count);
            let all: Vec<usize> = stretches.into_iter().flatten().collect();
            assert_eq!(all, (0..len).collect::<Vec<_>>());
        }
    }
}
