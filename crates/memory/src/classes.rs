//! The sizes of blocks: multiples of 16 up to 128, then four for each power of two.

/// All blocks are aligned to this.
pub(crate) const ALIGNMENT: usize = 16;
/// Larger blocks have mappings of their own.
pub(crate) const LARGEST: usize = 1 << 20;
/// Threads do not keep larger blocks.
pub(crate) const LARGEST_KEPT: usize = 1 << 14;
/// The number of classes.
pub(crate) const COUNT: usize = class(LARGEST) + 1;
/// The number of classes that threads keep.
pub(crate) const COUNT_KEPT: usize = class(LARGEST_KEPT) + 1;

const FINE: usize = 128;
const FINE_CLASSES: usize = FINE / ALIGNMENT;

/// The smallest class whose blocks have this size. It is not zero and at most [`LARGEST`].
#[inline]
pub(crate) const fn class(size: usize) -> usize {
    let last = size - 1;
    if size <= FINE {
        return last / ALIGNMENT;
    }
    let exponent = last.ilog2();
    let quarter = (last >> (exponent - 2)) & 3;
    FINE_CLASSES + 4 * (exponent - FINE.ilog2()) as usize + quarter
}

/// How large the blocks of a class are.
#[inline]
pub(crate) const fn size(class: usize) -> usize {
    if class < FINE_CLASSES {
        return (class + 1) * ALIGNMENT;
    }
    let (power, quarter) = ((class - FINE_CLASSES) / 4, (class - FINE_CLASSES) % 4);
    (FINE << power) / 4 * (quarter + 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_the_smallest_class_that_holds_it() {
        for wanted in 1..=LARGEST {
            let class = class(wanted);
            assert!(size(class) >= wanted && size(class).is_multiple_of(ALIGNMENT), "{wanted}");
            assert!(class == 0 || size(class - 1) < wanted, "{wanted}");
        }
        assert_eq!(size(COUNT - 1), LARGEST);
        assert_eq!(size(COUNT_KEPT - 1), LARGEST_KEPT);
    }
}
