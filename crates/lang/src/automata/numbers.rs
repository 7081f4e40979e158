//! Small sets of numbers, as sorted vectors: they are made and joined all the time, and mostly have a few members. Copies share them.

use std::rc::Rc;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Values(Rc<Vec<i64>>);

impl Values {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers in order.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, i64> {
        self.0.iter()
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        self.0.binary_search(&value).is_ok()
    }

    pub(super) fn insert(&mut self, value: i64) {
        if let Err(at) = self.0.binary_search(&value) {
            Rc::make_mut(&mut self.0).insert(at, value);
        }
    }

    pub(super) fn extend(&mut self, more: &Self) {
        if self.is_empty() {
            self.0 = Rc::clone(&more.0);
            return;
        }
        let mut known = self.0.iter().peekable();
        let is_new = |value: &&i64| {
            while known.next_if(|known| known < value).is_some() {}
            known.peek() != Some(value)
        };
        let new: Vec<i64> = more.0.iter().filter(is_new).copied().collect();
        if !new.is_empty() {
            let numbers = Rc::make_mut(&mut self.0);
            numbers.extend(new);
            numbers.sort_unstable();
        }
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&i64) -> bool) {
        Rc::make_mut(&mut self.0).retain(keep);
    }

    /// Keeps the least `most` numbers; whether there were more.
    pub(super) fn truncate(&mut self, most: usize) -> bool {
        let more = self.0.len() > most;
        if more {
            Rc::make_mut(&mut self.0).truncate(most);
        }
        more
    }
}

impl FromIterator<i64> for Values {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        let mut numbers: Vec<i64> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(Rc::new(numbers))
    }
}

impl<const N: usize> From<[i64; N]> for Values {
    fn from(numbers: [i64; N]) -> Self {
        numbers.into_iter().collect()
    }
}
