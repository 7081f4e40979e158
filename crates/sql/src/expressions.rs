//! The columns that an expression reads.

use crate::Read;
use crate::accesses::KeyPart;
use crate::blocks::unsupported;
use crate::schema::{folded, table_name};
use crate::statements::{Lowering, Place};
use sqlparser::ast::{
    CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident,
    SelectItem, SelectItemQualifiedWildcardKind, Spanned, Value,
};
use steadfast_diag::Diagnostic;

impl Lowering<'_> {
    /// Records everything that an expression reads.
    pub(crate) fn walk(&mut self, expression: &Expr) -> Read<()> {
        match expression {
            Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => Ok(()),
            Expr::Identifier(name) => self.read(None, name),
            Expr::CompoundIdentifier(names) => match &names[..] {
                [table, column] | [_, table, column] => self.read(Some(table), column),
                _ => Err(unsupported("this name", self.place(expression))),
            },
            Expr::BinaryOp { left, right, .. }
            | Expr::IsDistinctFrom(left, right)
            | Expr::IsNotDistinctFrom(left, right)
            | Expr::AnyOp { left, right, .. }
            | Expr::AllOp { left, right, .. } => self.walk_all([&**left, &**right]),
            Expr::UnaryOp { expr, .. }
            | Expr::Nested(expr)
            | Expr::Cast { expr, .. }
            | Expr::Extract { expr, .. }
            | Expr::IsNull(expr)
            | Expr::IsNotNull(expr)
            | Expr::IsTrue(expr)
            | Expr::IsNotTrue(expr)
            | Expr::IsFalse(expr)
            | Expr::IsNotFalse(expr)
            | Expr::Ceil { expr, .. }
            | Expr::Floor { expr, .. } => self.walk(expr),
            Expr::InList { expr, list, .. } => self.walk_all(list.iter().chain([&**expr])),
            Expr::Between { expr, low, high, .. } => self.walk_all([&**expr, &**low, &**high]),
            Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
                self.walk_all([&**expr, &**pattern])
            }
            Expr::Tuple(list) => self.walk_all(list),
            Expr::Case { operand, conditions, else_result, .. } => {
                let whens = conditions.iter().flat_map(|CaseWhen { condition, result }| [condition, result]);
                self.walk_all(whens.chain(operand.as_deref()).chain(else_result.as_deref()))
            }
            Expr::Function(function) => self.function(function),
            Expr::Subquery(query) | Expr::Exists { subquery: query, .. } => self.query(query),
            Expr::InSubquery { expr, subquery, .. } => {
                self.walk(expr)?;
                self.query(subquery)
            }
            other => Err(unsupported(&format!("`{other}`"), self.place(other))),
        }
    }

    pub(crate) fn walk_all<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) -> Read<()> {
        expressions.into_iter().try_for_each(|expression| self.walk(expression))
    }

    fn function(&mut self, function: &Function) -> Read<()> {
        if let Some(filter) = &function.filter {
            self.walk(filter)?;
        }
        if function.over.is_some() {
            return Err(unsupported("a window function", self.place(&Expr::Function(function.clone()))));
        }
        self.walk_all(function.within_group.iter().map(|item| &item.expr))?;
        let list = match &function.args {
            FunctionArguments::None => return Ok(()),
            FunctionArguments::Subquery(query) => return self.query(query),
            FunctionArguments::List(list) => list,
        };
        for clause in &list.clauses {
            let FunctionArgumentClause::OrderBy(order) = clause else {
                let place = self.place(&Expr::Function(function.clone()));
                return Err(unsupported(&format!("`{clause}`"), place));
            };
            self.walk_all(order.iter().map(|item| &item.expr))?;
        }
        for argument in &list.args {
            let (FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } | FunctionArg::Unnamed(arg)) =
                argument;
            if let FunctionArgExpr::Expr(expression) = arg {
                self.walk(expression)?;
            }
        }
        Ok(())
    }

    /// The list after SELECT or RETURNING.
    pub(crate) fn items(&mut self, items: &[SelectItem]) -> Read<()> {
        for item in items {
            match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.walk(expr)?,
                SelectItem::Wildcard(_) => (0..self.scope().len()).for_each(|source| self.read_all(source)),
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let alias = table_name(name);
                    match self.scope().iter().position(|source| source.alias == alias) {
                        Some(source) => self.read_all(source),
                        None => return Err(unsupported(&format!("`{item}`"), self.span)),
                    }
                }
                other => return Err(unsupported(&format!("`{other}`"), self.span)),
            }
        }
        Ok(())
    }

    fn read(&mut self, table: Option<&Ident>, column: &Ident) -> Read<()> {
        let Place { scope, source, column } = self.resolve(table, column)?;
        self.scopes[scope][source].reads.insert(column);
        Ok(())
    }

    /// The column that a name denotes, searched from the innermost query outwards.
    pub(crate) fn resolve(&self, table: Option<&Ident>, column: &Ident) -> Read<Place> {
        let name = folded(column);
        let table = table.map(folded);
        for (scope, sources) in self.scopes.iter().enumerate().rev() {
            for (source, candidate) in sources.iter().enumerate() {
                if table.as_ref().is_some_and(|table| *table != candidate.alias) {
                    continue;
                }
                if let Some(column) = self.schema.tables[candidate.table].column(&name) {
                    return Ok(Place { scope, source, column });
                }
            }
        }
        let shown = table.map_or_else(|| name.clone(), |table| format!("{table}.{name}"));
        let problem = Diagnostic::error(crate::codes::UNKNOWN, format!("there is no column `{shown}` here"));
        let span = self.places.span(column.span);
        Err(Box::new(problem.at(span, "unknown").help(format!("a parameter is written `:{name}`"))))
    }

    /// The expression as a part of a key, if it reads no column.
    pub(crate) fn closed(expression: &Expr) -> Option<KeyPart> {
        let mut names = Vec::new();
        if !variables_only(expression, &mut names) {
            return None;
        }
        let text = expression.to_string();
        Some(if names.is_empty() { KeyPart::Constant(text) } else { KeyPart::Value(text, names) })
    }

    pub(crate) fn place(&self, expression: &Expr) -> steadfast_span::Span {
        let span = expression.span();
        if span.start.line == 0 { self.span } else { self.places.span(span) }
    }
}

/// Whether an expression consists of variables and literals; the variables are added to `names`.
fn variables_only(expression: &Expr, names: &mut Vec<String>) -> bool {
    match expression {
        Expr::Value(value) => {
            if let Value::Placeholder(name) = &value.value {
                names.push(name.trim_start_matches(':').to_owned());
            }
            true
        }
        Expr::Nested(inner) | Expr::UnaryOp { expr: inner, .. } | Expr::Cast { expr: inner, .. } => {
            variables_only(inner, names)
        }
        Expr::BinaryOp { left, right, .. } => variables_only(left, names) && variables_only(right, names),
        _ => false,
    }
}
