//! The bits of a word.

/// The numbers of the bits that are set, in increasing order.
pub(crate) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let without_least = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
    let rests = std::iter::successors(Some(word).filter(|word| *word != 0), without_least);
    rests.map(|rest| rest.trailing_zeros() as usize)
}
