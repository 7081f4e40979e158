//! Memory orderings as they are written, and which accesses can have them.

use super::ast::{Expr, Name};
use super::codes;
use steadfast_diag::{Diagnostic, suggest};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// An ordering, before its access is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// The names of orderings in this language.
pub(super) const NAMES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

impl Order {
    /// The ordering with this name, in C's, C++'s or Rust's spelling.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("memory_order_").unwrap_or(name) {
            "relaxed" | "Relaxed" => Self::Relaxed,
            "acquire" | "Acquire" => Self::Acquire,
            "release" | "Release" => Self::Release,
            "acq_rel" | "AcqRel" => Self::AcqRel,
            "seq_cst" | "SeqCst" => Self::SeqCst,
            _ => return None,
        })
    }

    /// The ordering that an argument denotes.
    pub(super) fn of(argument: &Expr) -> Option<Self> {
        argument.as_name().and_then(|name| Self::named(&name.text))
    }

    /// The ordering of a failed compare-and-swap, derived from that of a successful one as in C++.
    pub(super) fn after_failure(self) -> Self {
        match self {
            Self::AcqRel => Self::Acquire,
            Self::Release => Self::Relaxed,
            other => other,
        }
    }

    fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// An ordering for one kind of access.
pub(super) trait Fitting: Copy {
    /// The name of the access in messages.
    const ACCESS: &'static str;
    /// The orderings that fit, for messages.
    const ALLOWED: &'static str;
    /// The strongest one. It is the default, and replaces one that does not fit.
    const SEQ_CST: Self;
    /// The ordering of the access, if it fits.
    fn fit(order: Order) -> Option<Self>;
}

macro_rules! fitting {
    ($type:ident, $access:literal, $allowed:literal, [$($order:ident),*]) => {
        impl Fitting for $type {
            const ACCESS: &'static str = $access;
            const ALLOWED: &'static str = $allowed;
            const SEQ_CST: Self = Self::SeqCst;
            fn fit(order: Order) -> Option<Self> {
                match order {
                    $(Order::$order => Some(Self::$order),)*
                    #[allow(unreachable_patterns, reason = "a read-modify-write takes every ordering")]
                    _ => None,
                }
            }
        }
    };
}
fitting!(ReadOrder, "a load", "`relaxed`, `acquire` or `seq_cst`", [Relaxed, Acquire, SeqCst]);
fitting!(WriteOrder, "a store", "`relaxed`, `release` or `seq_cst`", [Relaxed, Release, SeqCst]);
fitting!(RmwOrder, "a read-modify-write", "any ordering", [Relaxed, Acquire, Release, AcqRel, SeqCst]);
fitting!(FenceOrder, "a fence", "`acquire`, `release`, `acq_rel` or `seq_cst`", [Acquire, Release, AcqRel, SeqCst]);

/// The ordering of an access, or why it does not fit. `access` names the access, if the name of its kind is too vague.
pub(super) fn fit<O: Fitting>(order: Option<(Order, Span)>, access: Option<&str>) -> Result<O, Diagnostic> {
    let Some((order, span)) = order else { return Ok(O::SEQ_CST) };
    let access = access.unwrap_or(O::ACCESS);
    O::fit(order).ok_or_else(|| {
        Diagnostic::error(codes::WRONG_ORDERING, format!("{access} cannot be `{}`", order.name()))
            .at(span, "this ordering does not fit")
            .help(format!("{access} can be {}", O::ALLOWED))
    })
}

/// The error for a name in place of an ordering.
pub(super) fn unknown(name: &Name) -> Diagnostic {
    let problem = Diagnostic::error(codes::WRONG_ORDERING, format!("there is no ordering `{}`", name.text))
        .at(name.span, "not an ordering");
    if name.text.ends_with("consume") {
        return problem.help("use `acquire`, which is at least as strong");
    }
    let bare = name.text.strip_prefix("memory_order_").unwrap_or(&name.text);
    suggest(problem, bare, NAMES).note("orderings are `relaxed`, `acquire`, `release`, `acq_rel` and `seq_cst`")
}
