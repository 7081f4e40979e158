//! Constant expressions: sizes, initial values, bounds.

use super::ast::{Expr, ExprKind};
use super::codes;
use super::globals::{Global, Globals};
use steadfast_diag::{Diagnostic, Diagnostics, suggest};

/// The value of an expression of numbers and constants. Reports nothing if it is not one.
pub(super) fn known(expr: &Expr, globals: &Globals<'_>) -> Option<i32> {
    match &expr.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Name(name) => match globals.get(&name.text)?.0 {
            Global::Constant(value) => value,
            _ => None,
        },
        ExprKind::Unary(op, operand) => Some(op.apply(known(operand, globals)?)),
        ExprKind::Binary(op, left, right) => op.apply(known(left, globals)?, known(right, globals)?).ok(),
        _ => None,
    }
}

/// The value of an expression that must be constant.
pub(super) fn constant(expr: &Expr, globals: &Globals<'_>, problems: &mut Diagnostics) -> Option<i32> {
    let value = known(expr, globals);
    if value.is_none() && !explain(expr, globals, problems) {
        problems
            .push(Diagnostic::error(codes::NOT_CONSTANT, "this is not a constant").at(expr.span, "divides by zero"));
    }
    value
}

/// Reports the first part that is not constant. Returns whether there is one, also if it was reported before.
fn explain(expr: &Expr, globals: &Globals<'_>, problems: &mut Diagnostics) -> bool {
    let not_constant = |why: &str| Diagnostic::error(codes::NOT_CONSTANT, "this is not a constant").at(expr.span, why);
    match &expr.kind {
        ExprKind::Number(_) => return false,
        ExprKind::Wrong => return true,
        ExprKind::Name(name) => match globals.get(&name.text) {
            Some((Global::Constant(value), _)) => return value.is_none(),
            Some(_) => problems.push(not_constant("its value is known only when the program runs")),
            None => {
                let problem = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no constant `{}`", name.text))
                    .at(name.span, "no constant with this name is declared above");
                problems.push(suggest(problem, &name.text, globals.order.iter().map(|name| &**name)));
            }
        },
        ExprKind::Unary(..) | ExprKind::Binary(..) => {
            // All parts, so that one incorrect operand does not hide another.
            return expr.children().into_iter().fold(false, |found, child| explain(child, globals, problems) | found);
        }
        _ => problems.push(not_constant("its value is known only when the program runs")),
    }
    true
}
