//! The rows that a condition selects: those with a certain key, or any rows.

use crate::Read;
use crate::accesses::KeyPart;
use crate::statements::{Lowering, Place};
use sqlparser::ast::{BinaryOperator, Expr};

impl Lowering<'_> {
    /// Reads a condition of the innermost query. Records the values of key columns; reads everything else. An outer join restricts
    /// only the source that it adds.
    pub(crate) fn condition(&mut self, condition: &Expr, only: Option<usize>) -> Read<()> {
        match condition {
            Expr::Nested(inner) => self.condition(inner, only),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.condition(left, only)?;
                self.condition(right, only)
            }
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                if self.bind(left, right, only)? || self.bind(right, left, only)? || self.join(left, right)? {
                    return Ok(());
                }
                self.further(condition)
            }
            other => self.further(other),
        }
    }

    /// A condition that is not about a key.
    fn further(&mut self, condition: &Expr) -> Read<()> {
        for source in self.scope_mut() {
            source.further = true;
        }
        self.walk(condition)
    }

    /// `column = value` where the column belongs to the key.
    fn bind(&mut self, column: &Expr, value: &Expr, only: Option<usize>) -> Read<bool> {
        let (Some(place), Some(part)) = (self.column(column)?, Self::closed(value)) else { return Ok(false) };
        if only.is_some_and(|only| only != place.source) {
            return Ok(false);
        }
        let table = self.scope()[place.source].table;
        let Some(at) = self.schema.tables[table].key.iter().position(|&key| key == place.column) else {
            return Ok(false);
        };
        let bound = &mut self.scope_mut()[place.source].bound[at];
        if bound.is_some() {
            return Ok(false);
        }
        *bound = Some(part);
        Ok(true)
    }

    /// `a.column = b.column`
    fn join(&mut self, left: &Expr, right: &Expr) -> Read<bool> {
        let (Some(left_place), Some(right_place)) = (self.column(left)?, self.column(right)?) else { return Ok(false) };
        self.joins.push((left_place, right_place));
        // Some row may have no matching row.
        self.further(left)?;
        self.walk(right)?;
        Ok(true)
    }

    /// The column of the innermost query that an expression denotes.
    fn column(&self, expression: &Expr) -> Read<Option<Place>> {
        let place = match expression {
            Expr::Identifier(name) => self.resolve(None, name)?,
            Expr::CompoundIdentifier(names) => match &names[..] {
                [table, column] | [_, table, column] => self.resolve(Some(table), column)?,
                _ => return Ok(None),
            },
            Expr::Nested(inner) => return self.column(inner),
            _ => return Ok(None),
        };
        Ok(Some(place).filter(|place| place.scope + 1 == self.scopes.len()))
    }

    /// Follows joins: a row with a known key determines the keys of others.
    pub(crate) fn follow_joins(&mut self) {
        let joins = std::mem::take(&mut self.joins);
        let mut changed = true;
        while changed {
            changed = false;
            for &(one, other) in &joins {
                changed |= self.follow(one, other) || self.follow(other, one);
            }
        }
    }

    fn follow(&mut self, from: Place, to: Place) -> bool {
        let schema = self.schema;
        let source = &self.scope()[from.source];
        if source.bound.iter().any(Option::is_none) {
            return false;
        }
        let own = schema.tables[source.table].key.iter().position(|&key| key == from.column);
        let fetched =
            KeyPart::Fetched(format!("{}.{}", source.alias, schema.tables[source.table].columns[from.column].name));
        let part = own.and_then(|at| source.bound[at].clone()).unwrap_or_else(|| fetched.clone());
        let target = self.scope()[to.source].table;
        let Some(at) = schema.tables[target].key.iter().position(|&key| key == to.column) else { return false };
        if self.scope()[to.source].bound[at].is_some() {
            return false;
        }
        if own.is_none() {
            self.scope_mut()[from.source].gives.push((from.column, fetched));
        }
        self.scope_mut()[to.source].bound[at] = Some(part);
        true
    }
}
