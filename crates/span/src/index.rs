//! Typed indices: a thread id, a location id and a program counter have different types.

use std::fmt;
use std::marker::PhantomData;
use std::ops;

/// A dense index of one kind. Made by [`typed_index!`](crate::typed_index).
pub trait Index: Copy + Eq + Ord + fmt::Debug {
    /// The index at this position.
    fn new(position: usize) -> Self;
    /// The position of this index.
    fn index(self) -> usize;
}

/// Declares a newtype over `u32` (or the given width) that implements [`Index`].
#[macro_export]
macro_rules! typed_index {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::Index for $name {
            fn new(position: usize) -> Self {
                Self(u32::try_from(position).expect("an index fits 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

/// A vector that only its own type of index can address.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<fn(I)>,
}

impl<I: Index, T> IndexVec<I, T> {
    /// An empty vector.
    pub const fn new() -> Self {
        Self { items: Vec::new(), kind: PhantomData }
    }

    /// Appends an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order, mutable.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items with their indices.
    pub fn enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(position, item)| (I::new(position), item))
    }

    /// All indices.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// The item, if the index is in range.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Index, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, kind: PhantomData }
    }
}

impl<I: Index, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}
