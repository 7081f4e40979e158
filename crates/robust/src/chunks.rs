//! Parallel work on all states of a graph, cut into one range per worker.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use steadfast_explore::parallel_map;

/// With fewer states, a second thread does not pay.
const WORTHWHILE: usize = 50_000;

/// Cuts `0..len` into one range per worker, in order.
pub(crate) fn ranges(len: usize, jobs: usize) -> Vec<Range<usize>> {
    let workers = if len < WORTHWHILE { 1 } else { jobs.max(1) };
    let size = len.div_ceil(workers).max(1);
    (0..workers).map(|worker| (worker * size).min(len)..((worker + 1) * size).min(len)).collect()
}

/// Fills a list of numbers in parallel. Each part is given to one worker with a function that sets the number at a place; no place is set twice.
pub(crate) fn fill_in_parallel<P: Send>(
    len: usize,
    parts: Vec<P>,
    fill: impl Fn(P, &dyn Fn(usize, u32)) + Sync,
) -> Vec<u32> {
    let list: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
    parallel_map(parts, |part| fill(part, &|place, number| list[place].store(number, Relaxed)));
    list.into_iter().map(AtomicU32::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_filled_by_all() {
        let parts = vec![0..4, 4..5, 7..10];
        let filled = fill_in_parallel(10, parts, |part, put| part.for_each(|place| put(9 - place, place as u32 + 1)));
        assert_eq!(filled, [10, 9, 8, 0, 0, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn stretches_cover_everything_in_order() {
        for (len, jobs, count) in [(0, 2, 1), (10, 4, 1), (WORTHWHILE, 3, 3), (WORTHWHILE + 1, 2, 2)] {
            let ranges = ranges(len, jobs);
            assert_eq!(ranges.len(), count);
            let all: Vec<usize> = ranges.into_iter().flatten().collect();
            assert_eq!(all, (0..len).collect::<Vec<_>>());
        }
    }
}
