//! Work in several threads, with the results in order.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Does the work for every part at the same time, the first of them in this thread. The results are in the order of the parts.
pub fn each<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    if parts.len() == 0 {
        return vec![work(first)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let first = work(first);
        let joined = others.into_iter().map(ScopedJoinHandle::join);
        let others = joined.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(each(vec![3, 1, 2], |part| part * 10), [30, 10, 20]);
        assert_eq!(each(vec![7], |part| part + 1), [8]);
        assert_eq!(each(Vec::<u8>::new(), |part| part), []);
    }
}
