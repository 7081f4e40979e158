//! Parallel work with results in a fixed order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Processes all items, several at a time, and passes the results on in the order of the items, as soon as possible.
pub(crate) fn in_order<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(&T, R),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((at, item)) = take(items, next) {
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut handed_over = 0;
        for (at, result) in receiver {
            waiting[at] = Some(result);
            while let Some(result) = waiting.get_mut(handed_over).and_then(Option::take) {
                done(&items[handed_over], result);
                handed_over += 1;
            }
        }
    });
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items() {
        let items: Vec<u64> = (0..50).collect();
        let mut told = Vec::new();
        let pause = |item: &u64| std::thread::sleep(std::time::Duration::from_micros((50 - item) * 20));
        in_order(&items, 3, |item| (pause(item), item * 2).1, |item, twice| told.push((*item, twice)));
        assert_eq!(told, items.iter().map(|item| (*item, item * 2)).collect::<Vec<_>>());
    }
}
