//! The places where a program text could be changed without changing its behaviour under SC: fences between statements, orderings
//! of accesses, and stores that could become exchanges.
//!
//! A [`Site`] contains its present form and the edits for all other forms. Edits of different sites never overlap, so any choice of one
//! variant per site gives a text ([`apply`]). Fences go between statements only, never into an expression.

mod gaps;
mod spelling;
mod text;

pub(crate) use gaps::{Block, Item, gap_sites};
pub(crate) use spelling::spelled;
pub(crate) use text::{Braces, call_of};

use crate::{Dialect, automata, sf, tpl};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::{SourceFile, Span};

/// The form of a site, which can be stronger or weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Nothing, between two statements.
    Nothing,
    /// A fence.
    Fence(FenceOrder),
    /// A load, or a wait.
    Load(ReadOrder),
    /// A store.
    Store(WriteOrder),
    /// An exchange whose result is not used: a store that is also a read-modify-write.
    Exchange(RmwOrder),
    /// Any other read-modify-write.
    Rmw(RmwOrder),
    /// A compare-and-swap with its orderings on success and on failure.
    Cas(RmwOrder, ReadOrder),
}

impl Form {
    /// Whether this form is at least as strong: every execution that is possible with it is also possible with the other form.
    pub fn covers(self, other: Self) -> bool {
        match (self, other) {
            (_, Self::Nothing) => true,
            (Self::Fence(one), Self::Fence(other)) => fence_covers(one, other),
            (Self::Load(one), Self::Load(other)) => one >= other,
            (Self::Store(one), Self::Store(other)) => one >= other,
            (Self::Exchange(one), Self::Store(other)) => one.write() >= other,
            (Self::Exchange(one), Self::Exchange(other)) | (Self::Rmw(one), Self::Rmw(other)) => rmw_covers(one, other),
            (Self::Cas(one, failed), Self::Cas(other, other_failed)) => {
                rmw_covers(one, other) && failed >= other_failed
            }
            _ => false,
        }
    }
}

fn fence_covers(one: FenceOrder, other: FenceOrder) -> bool {
    let more = |has: bool, needs: bool| has || !needs;
    more(one.is_acquire(), other.is_acquire())
        && more(one.is_release(), other.is_release())
        && more(one == FenceOrder::SeqCst, other == FenceOrder::SeqCst)
}

fn rmw_covers(one: RmwOrder, other: RmwOrder) -> bool {
    one.read() >= other.read() && one.write() >= other.write()
}

/// All orderings of a read-modify-write.
pub(crate) const RMW_ORDERS: [RmwOrder; 5] =
    [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel, RmwOrder::SeqCst];
/// All orderings of a read.
pub(crate) const READ_ORDERS: [ReadOrder; 3] = [ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst];
/// All orderings of a write.
pub(crate) const WRITE_ORDERS: [WriteOrder; 3] = [WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];
/// All orderings of a fence.
pub(crate) const FENCE_ORDERS: [FenceOrder; 4] =
    [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];

/// The replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// An insertion.
    pub(crate) fn insert(at: u32, text: impl Into<String>) -> Self {
        Self { span: Span::new(at, at), text: text.into() }
    }

    /// A replacement.
    pub(crate) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
}

/// A possible form of a site, with its edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The form.
    pub form: Form,
    /// The edits that make it.
    pub edits: Vec<Edit>,
}

/// A place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its place; empty between two statements.
    pub span: Span,
    /// The present form.
    pub now: Form,
    /// The other forms.
    pub variants: Vec<Variant>,
}

/// All sites of a program without errors, in the order of the text.
pub fn sites(file: &SourceFile, dialect: Dialect) -> Vec<Site> {
    let mut sites = match dialect {
        Dialect::Tpl => tpl::sites(file),
        Dialect::Steadfast => sf::sites(file),
        Dialect::Automata => automata::sites(file),
    };
    sites.sort_by_key(|site| site.span);
    sites
}

/// The text with these edits, which must not overlap. Insertions at the same place come in the given order.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let (mut changed, mut done) = (String::with_capacity(text.len() + 16 * edits.len()), 0);
    for edit in edits {
        let range = edit.span.range();
        changed.push_str(text.get(done..range.start).unwrap_or(""));
        changed.push_str(&edit.text);
        done = range.end;
    }
    changed.push_str(text.get(done..).unwrap_or(""));
    changed
}
