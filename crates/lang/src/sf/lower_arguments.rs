//! The arguments of accesses: the number of values and orderings, and which orderings fit.

use super::ast::{Expr as Ast, ExprKind, Name};
use super::codes;
use super::lower::Lowering;
use super::orders::{Fitting, Order, fit, unknown};
use steadfast_diag::Diagnostic;
use steadfast_span::Span;

/// Any positive number of values.
const SOME: usize = usize::MAX;

/// The methods of atomic locations: name, number of values, number of orderings after them, and usage.
const METHODS: [(&str, usize, usize, &str); 17] = [
    ("load", 0, 1, "load(acquire)"),
    ("store", 1, 1, "store(value, release)"),
    ("fetch_add", 1, 1, "fetch_add(value, acq_rel)"),
    ("fetch_sub", 1, 1, "fetch_sub(value, acq_rel)"),
    ("fetch_and", 1, 1, "fetch_and(value, acq_rel)"),
    ("fetch_or", 1, 1, "fetch_or(value, acq_rel)"),
    ("fetch_xor", 1, 1, "fetch_xor(value, acq_rel)"),
    ("swap", 1, 1, "swap(value, acq_rel)"),
    ("exchange", 1, 1, "exchange(value, acq_rel)"),
    ("compare_exchange", 2, 2, "compare_exchange(expected, new, acq_rel, acquire)"),
    ("compare_exchange_strong", 2, 2, "compare_exchange_strong(expected, new, acq_rel, acquire)"),
    ("compare_exchange_weak", 2, 2, "compare_exchange_weak(expected, new, acq_rel, acquire)"),
    ("await_cas", 2, 1, "await_cas(expected, new, acq_rel)"),
    ("wait", SOME, 1, "wait(value, acquire)"),
    ("load_at_most", 0, 1, "load_at_most()"),
    ("load_at_least", 0, 1, "load_at_least()"),
    ("load_or", 1, 1, "load_or(value)"),
];

/// The arguments of an access, sorted.
pub(super) struct Arguments<'a> {
    pub(super) values: &'a [Ast],
    pub(super) orders: Vec<(Order, Span)>,
}

impl<'a> Lowering<'a, '_> {
    /// Splits the arguments into values and orderings, and checks how many there are.
    pub(super) fn sort_arguments(&mut self, expr: &Ast, method: &Name, arguments: &'a [Ast]) -> Option<Arguments<'a>> {
        let Some(&(name, values, orders, usage)) = METHODS.iter().find(|known| known.0 == &*method.text) else {
            let names: Vec<&str> =
                METHODS.iter().map(|known| known.0).filter(|name| !name.ends_with("_strong")).collect();
            self.unknown_method(method, "an atomic location", &names);
            return None;
        };
        let first_order =
            arguments.iter().rposition(|argument| Order::of(argument).is_none()).map_or(0, |last| last + 1);
        let (given, rest) = arguments.split_at(first_order);
        let given_orders: Vec<(Order, Span)> =
            rest.iter().filter_map(|argument| Some((Order::of(argument)?, argument.span))).collect();
        if given.len() != values && (values != SOME || given.is_empty()) {
            let room = given_orders.len() < orders;
            let usage = self.usage(expr, usage);
            self.wrong_values(expr, name, (values, given), room, &usage);
            return None;
        }
        if let Some((_, extra)) = given_orders.get(orders) {
            let takes = if orders == 1 { "1 ordering".to_string() } else { format!("{orders} orderings") };
            let problem = Diagnostic::error(codes::ARITY, format!("`{name}` takes {takes}")).at(*extra, "one too many");
            let usage = self.usage(expr, usage);
            self.report(problem.help(format!("write `{usage}`")));
        }
        Some(Arguments { values: given, orders: given_orders })
    }

    /// The usage of an access, with the name of its location.
    fn usage(&self, expr: &Ast, method: &str) -> String {
        match &expr.kind {
            ExprKind::Method { place, .. } => format!("{}.{method}", self.text_of(place)),
            _ => method.to_string(),
        }
    }

    /// Reports a wrong number of values. One too many at the end is probably a misspelt ordering, if there is room for one.
    fn wrong_values(&mut self, expr: &Ast, name: &str, (takes, given): (usize, &[Ast]), room: bool, usage: &str) {
        let extra = given.get(takes).filter(|_| room).and_then(Ast::as_name);
        if let Some(name) = extra.filter(|name| self.local(&name.text).is_none() && self.global(&name.text).is_none()) {
            return self.report(unknown(name));
        }
        let takes = match takes {
            0 => "no value".to_string(),
            1 => "1 value".to_string(),
            SOME => "at least 1 value".to_string(),
            more => format!("{more} values"),
        };
        self.wrong_count(expr.span, name, &takes, given.len(), usage);
    }

    /// The ordering for an access. Whether it fits is reported while checking.
    pub(super) fn order<O: Fitting>(&mut self, order: Option<&(Order, Span)>, access: Option<&str>) -> O {
        fit(order.copied(), access).unwrap_or_else(|problem| {
            self.report(problem);
            O::SEQ_CST
        })
    }
}
