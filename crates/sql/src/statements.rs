//! The reads and writes of each kind of statement.

use crate::accesses::{EXISTENCE, KeyPart, Lowered, NEW, RowAccess};
use crate::blocks::{Simple, Test, unsupported};
use crate::clauses;
use crate::places::Places;
use crate::schema::{Schema, folded, table_name};
use crate::{Read, codes};
use sqlparser::ast::{
    Assignment, AssignmentTarget, ConflictTarget, Delete, Distinct, Expr, FromTable, GroupByExpr, Insert,
    JoinConstraint, JoinOperator, LimitClause, LockType, ObjectName, OnConflict, OnConflictAction, OnInsert,
    OrderByKind, Query, Select, SelectItem, SetExpr, Statement, TableFactor, TableObject, TableWithJoins, Update,
    UpdateTableFromKind,
};
use steadfast_diag::Diagnostic;
use steadfast_span::Span;
use steadfast_txn::VarSet;
use steadfast_txn::template::Kind;

/// A table of a query, with what is known about it.
pub(crate) struct Source {
    pub(crate) alias: String,
    pub(crate) table: usize,
    pub(crate) reads: VarSet,
    /// By column of the key, its value if it is known.
    pub(crate) bound: Vec<Option<KeyPart>>,
    /// Whether there are conditions beyond the key.
    pub(crate) further: bool,
    /// The columns whose values go to variables or to other rows.
    pub(crate) gives: Vec<(usize, KeyPart)>,
}

/// A column of a source of a query.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) scope: usize,
    pub(crate) source: usize,
    pub(crate) column: usize,
}

/// The state while a statement is lowered.
pub(crate) struct Lowering<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) places: &'a Places<'a>,
    pub(crate) span: Span,
    pub(crate) scopes: Vec<Vec<Source>>,
    pub(crate) joins: Vec<(Place, Place)>,
    into: Vec<String>,
    accesses: Vec<RowAccess>,
}

/// The meaning of a statement.
pub(crate) fn lower(schema: &Schema, places: &Places<'_>, simple: &Simple) -> Read<Lowered> {
    let mut lowering = Lowering::new(schema, places, simple.span);
    lowering.into.clone_from(&simple.into);
    match &simple.statement {
        Statement::Query(query) => lowering.query(query)?,
        Statement::Insert(insert) => lowering.insert(insert)?,
        Statement::Update(update) => lowering.update(update)?,
        Statement::Delete(delete) => lowering.delete(delete)?,
        other => {
            let words = other.to_string();
            let shown: Vec<&str> = words.split_whitespace().take(3).collect();
            return Err(unsupported(&format!("`{} …`", shown.join(" ")), simple.span));
        }
    }
    let text = Some(simple.text.clone());
    Ok(Lowered { accesses: lowering.accesses, into: simple.into.clone(), text, span: simple.span })
}

/// The meaning of a condition, or of the query of a loop.
pub(crate) fn lower_test(schema: &Schema, places: &Places<'_>, test: &Test) -> Read<Lowered> {
    match test {
        Test::Query(simple) => lower(schema, places, simple),
        Test::Condition(condition, span) => {
            let mut lowering = Lowering::new(schema, places, *span);
            lowering.scopes.push(Vec::new());
            lowering.walk(condition)?;
            // A condition that reads tables becomes a query.
            let text = (!lowering.accesses.is_empty()).then(|| format!("SELECT {condition}"));
            Ok(Lowered { accesses: lowering.accesses, into: Vec::new(), text, span: *span })
        }
    }
}

impl<'a> Lowering<'a> {
    fn new(schema: &'a Schema, places: &'a Places<'a>, span: Span) -> Self {
        Self { schema, places, span, scopes: Vec::new(), joins: Vec::new(), into: Vec::new(), accesses: Vec::new() }
    }

    pub(crate) fn scope(&self) -> &[Source] {
        self.scopes.last().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn scope_mut(&mut self) -> &mut [Source] {
        self.scopes.last_mut().map_or(&mut [], Vec::as_mut_slice)
    }

    pub(crate) fn read_all(&mut self, source: usize) {
        let columns = self.columns(self.scope()[source].table);
        let reads = &mut self.scope_mut()[source].reads;
        *reads = reads.union(columns);
    }

    fn columns(&self, table: usize) -> VarSet {
        (0..self.schema.tables[table].columns.len()).collect()
    }

    fn table(&self, name: &ObjectName) -> Read<usize> {
        let text = table_name(name);
        self.schema.find(&text).ok_or_else(|| {
            let span =
                name.0.last().and_then(|part| part.as_ident()).map_or(self.span, |name| self.places.span(name.span));
            Box::new(Diagnostic::error(codes::UNKNOWN, format!("there is no table `{text}`")).at(span, "unknown"))
        })
    }

    /// An error if there is a clause that is not understood.
    fn refuse(&self, clause: Option<&str>) -> Read<()> {
        clause.map_or(Ok(()), |name| Err(unsupported(name, self.span)))
    }

    /// Adds a table to the innermost query.
    fn enter(&mut self, factor: &TableFactor) -> Read<()> {
        let TableFactor::Table { name, alias, args: None, sample: None, .. } = factor else {
            return Err(unsupported(&format!("`{factor}` in place of a table"), self.span));
        };
        let table = self.table(name)?;
        let alias = alias.as_ref().map_or_else(|| table_name(name), |alias| folded(&alias.name));
        let bound = vec![None; self.schema.tables[table].key.len()];
        let source = Source { alias, table, reads: VarSet::one(EXISTENCE), bound, further: false, gives: Vec::new() };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(source);
        }
        Ok(())
    }

    /// Tables with their joins. The conditions of joins are read when all tables are known.
    fn from(&mut self, tables: &[TableWithJoins]) -> Read<()> {
        let mut conditions = Vec::new();
        for table in tables {
            self.enter(&table.relation)?;
            for join in &table.joins {
                self.enter(&join.relation)?;
                let last = self.scope().len() - 1;
                match &join.join_operator {
                    JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Inner(JoinConstraint::On(on)) => {
                        conditions.push((on, None));
                    }
                    JoinOperator::Left(JoinConstraint::On(on)) | JoinOperator::LeftOuter(JoinConstraint::On(on)) => {
                        conditions.push((on, Some(last)));
                    }
                    JoinOperator::CrossJoin(JoinConstraint::None) => {}
                    _ => return Err(unsupported("this kind of join", self.span)),
                }
            }
        }
        conditions.into_iter().try_for_each(|(on, only)| self.condition(on, only))
    }

    pub(crate) fn query(&mut self, query: &Query) -> Read<()> {
        self.refuse(clauses::of_query(query))?;
        let locked = query.locks.iter().any(|lock| lock.lock_type == LockType::Update && lock.nonblock.is_none());
        if query.locks.iter().any(|lock| lock.of.is_some() || lock.nonblock.is_some()) {
            return Err(unsupported("OF, NOWAIT or SKIP LOCKED", self.span));
        }
        match &*query.body {
            SetExpr::Select(select) => self.select(select, query, locked),
            SetExpr::Query(inner) if query.locks.is_empty() && query.order_by.is_none() => self.query(inner),
            SetExpr::SetOperation { left, right, .. } if query.locks.is_empty() => {
                self.part(left)?;
                self.part(right)
            }
            _ => Err(unsupported("this kind of query", self.span)),
        }
    }

    /// One side of UNION, INTERSECT or EXCEPT.
    fn part(&mut self, part: &SetExpr) -> Read<()> {
        match part {
            SetExpr::Select(select) => self.bare_select(select, false),
            SetExpr::Query(inner) => self.query(inner),
            SetExpr::SetOperation { left, right, .. } => {
                self.part(left)?;
                self.part(right)
            }
            _ => Err(unsupported("this kind of query", self.span)),
        }
    }

    fn select(&mut self, select: &Select, query: &Query, locked: bool) -> Read<()> {
        self.open_select(select)?;
        let aliases: Vec<String> = select.projection.iter().filter_map(alias).collect();
        if let Some(order) = &query.order_by {
            let OrderByKind::Expressions(order) = &order.kind else {
                return Err(unsupported("ORDER BY ALL", self.span));
            };
            for item in order {
                let named = matches!(&item.expr, Expr::Identifier(name) if aliases.contains(&folded(name)));
                if !named {
                    self.walk(&item.expr)?;
                }
            }
        }
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            self.walk_all(limit.iter().chain(offset.as_ref().map(|offset| &offset.value)))?;
        }
        self.close_select(locked);
        Ok(())
    }

    fn bare_select(&mut self, select: &Select, locked: bool) -> Read<()> {
        self.open_select(select)?;
        self.close_select(locked);
        Ok(())
    }

    fn open_select(&mut self, select: &Select) -> Read<()> {
        if select.into.is_some() {
            return Err(unsupported("SELECT INTO a table", self.span).help_variables());
        }
        self.refuse(clauses::of_select(select))?;
        let outer = std::mem::take(&mut self.joins);
        self.scopes.push(Vec::new());
        self.from(&select.from)?;
        if let Some(selection) = &select.selection {
            self.condition(selection, None)?;
        }
        self.items(&select.projection)?;
        if let Some(Distinct::On(expressions)) = &select.distinct {
            self.walk_all(expressions)?;
        }
        if let GroupByExpr::Expressions(expressions, _) = &select.group_by {
            self.walk_all(expressions)?;
        }
        if let Some(having) = &select.having {
            self.walk(having)?;
        }
        self.follow_joins();
        self.joins = outer;
        self.note_variables(&select.projection);
        Ok(())
    }

    /// `SELECT column INTO :variable`: records which variable receives which column.
    fn note_variables(&mut self, items: &[SelectItem]) {
        if self.scopes.len() != 1 {
            return;
        }
        let into = self.into.clone();
        for (item, name) in items.iter().zip(into) {
            let SelectItem::UnnamedExpr(expression) = item else { continue };
            let found = match expression {
                Expr::Identifier(column) => self.resolve(None, column),
                Expr::CompoundIdentifier(names) if names.len() == 2 => self.resolve(Some(&names[0]), &names[1]),
                _ => continue,
            };
            if let Ok(place) = found {
                let given = KeyPart::Value(format!(":{name}"), vec![name]);
                self.scope_mut()[place.source].gives.push((place.column, given));
            }
        }
    }

    fn close_select(&mut self, locked: bool) {
        for source in self.scopes.pop().unwrap_or_default() {
            let kind = if locked { Kind::Lock } else { Kind::Read };
            self.push(source, kind, VarSet::EMPTY);
        }
    }

    fn push(&mut self, source: Source, kind: Kind, writes: VarSet) {
        let key: Vec<KeyPart> = source.bound.into_iter().map(|part| part.unwrap_or(KeyPart::Any)).collect();
        let sure = !source.further && !key.contains(&KeyPart::Any);
        // The key of a row never changes, but its existence may.
        let reads = source.reads.without(self.schema.tables[source.table].key.iter().copied().collect());
        self.accesses.push(RowAccess {
            kind,
            table: source.table,
            key,
            reads,
            writes,
            sure,
            insert: false,
            gives: source.gives,
        });
    }

    fn update(&mut self, update: &Update) -> Read<()> {
        self.refuse(clauses::of_update(update))?;
        if !update.table.joins.is_empty() {
            return Err(unsupported("a join in UPDATE", self.span));
        }
        self.scopes.push(Vec::new());
        self.enter(&update.table.relation)?;
        if let Some(UpdateTableFromKind::AfterSet(tables) | UpdateTableFromKind::BeforeSet(tables)) = &update.from {
            self.from(tables)?;
        }
        if let Some(selection) = &update.selection {
            self.condition(selection, None)?;
        }
        let writes = self.assignments(&update.assignments)?;
        self.items(update.returning.as_deref().unwrap_or_default())?;
        self.follow_joins();
        self.close_write(writes);
        Ok(())
    }

    /// The columns of the first table that are set. Records what the assigned values read.
    fn assignments(&mut self, assignments: &[Assignment]) -> Read<VarSet> {
        let mut writes = VarSet::EMPTY;
        let target = self.scope()[0].table;
        for assignment in assignments {
            let names = match &assignment.target {
                AssignmentTarget::ColumnName(name) => std::slice::from_ref(name),
                AssignmentTarget::Tuple(names) => names,
            };
            for name in names {
                let Some(column) = name.0.last().and_then(|part| part.as_ident()) else { continue };
                let place = self.resolve(None, column)?;
                if self.scope()[place.source].table != target || self.schema.tables[target].key.contains(&place.column)
                {
                    return Err(unsupported(
                        &format!("setting `{name}`, which is part of a key,"),
                        self.places.span(column.span),
                    ));
                }
                writes.insert(place.column);
            }
            self.walk(&assignment.value)?;
        }
        Ok(writes)
    }

    /// Writes the first table, and reads the others.
    fn close_write(&mut self, writes: VarSet) {
        for (at, source) in self.scopes.pop().unwrap_or_default().into_iter().enumerate() {
            let plain = source.reads.without(VarSet::one(EXISTENCE)).is_empty();
            match at {
                0 if plain => self.push(source, Kind::Write, writes),
                0 => self.push(source, Kind::Update, writes),
                _ => self.push(source, Kind::Read, VarSet::EMPTY),
            }
        }
    }

    fn delete(&mut self, delete: &Delete) -> Read<()> {
        self.refuse(clauses::of_delete(delete))?;
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let [TableWithJoins { relation, joins }] = &tables[..] else {
            return Err(unsupported("deleting from several tables", self.span));
        };
        if !joins.is_empty() || !delete.tables.is_empty() {
            return Err(unsupported("a join in DELETE", self.span));
        }
        self.scopes.push(Vec::new());
        self.enter(relation)?;
        self.from(delete.using.as_deref().unwrap_or_default())?;
        if let Some(selection) = &delete.selection {
            self.condition(selection, None)?;
        }
        self.items(delete.returning.as_deref().unwrap_or_default())?;
        self.follow_joins();
        let mut writes = self.columns(self.scope()[0].table);
        writes.insert(EXISTENCE);
        self.close_write(writes);
        Ok(())
    }

    fn insert(&mut self, insert: &Insert) -> Read<()> {
        self.refuse(clauses::of_insert(insert))?;
        let TableObject::TableName(name) = &insert.table else {
            return Err(unsupported("inserting into this", self.span));
        };
        let table = self.table(name)?;
        let columns = self.insert_columns(table, &insert.columns)?;
        let Some(source) = &insert.source else { return Err(unsupported("INSERT without values", self.span)) };
        if let SetExpr::Values(values) = &*source.body {
            for row in &values.rows {
                self.row(table, &columns, &row.content, insert)?;
            }
            return Ok(());
        }
        self.query(source)?;
        let key = vec![KeyPart::Any; self.schema.tables[table].key.len()];
        self.push_row(table, key, insert)
    }

    fn insert_columns(&self, table: usize, names: &[ObjectName]) -> Read<Vec<usize>> {
        if names.is_empty() {
            return Ok((0..self.schema.tables[table].columns.len()).collect());
        }
        let number = |name: &ObjectName| {
            let text = table_name(name);
            self.schema.tables[table].column(&text).ok_or_else(|| {
                let span = name
                    .0
                    .last()
                    .and_then(|part| part.as_ident())
                    .map_or(self.span, |name| self.places.span(name.span));
                Box::new(
                    Diagnostic::error(codes::UNKNOWN, format!("there is no column `{text}` here")).at(span, "unknown"),
                )
            })
        };
        names.iter().map(number).collect()
    }

    fn row(&mut self, table: usize, columns: &[usize], values: &[Expr], insert: &Insert) -> Read<()> {
        self.scopes.push(Vec::new());
        self.walk_all(
            values
                .iter()
                .filter(|value| !matches!(value, Expr::Identifier(name) if name.value.eq_ignore_ascii_case("default"))),
        )?;
        self.scopes.pop();
        let key = self.schema.tables[table].key.iter().map(|key| {
            let value = columns.iter().position(|column| column == key).and_then(|at| values.get(at));
            // A key that the database generates is a value like any other.
            value.and_then(Self::closed).unwrap_or_else(|| KeyPart::Fetched(NEW.to_owned()))
        });
        let key = key.collect();
        self.push_row(table, key, insert)
    }

    fn push_row(&mut self, table: usize, key: Vec<KeyPart>, insert: &Insert) -> Read<()> {
        let mut writes = self.columns(table);
        writes.insert(EXISTENCE);
        let alias = self.schema.tables[table].name.clone();
        let bound = key.into_iter().map(|part| Some(part).filter(|part| *part != KeyPart::Any)).collect();
        self.scopes.push(vec![Source {
            alias,
            table,
            reads: VarSet::EMPTY,
            bound,
            further: insert.on.as_ref().is_some_and(|on| !self.always_writes(table, on)),
            gives: Vec::new(),
        }]);
        match &insert.on {
            None => {}
            Some(OnInsert::OnConflict(conflict)) => {
                self.scope_mut()[0].reads.insert(EXISTENCE);
                if let OnConflictAction::DoUpdate(update) = &conflict.action {
                    self.with_excluded(table, &update.assignments, update.selection.as_ref())?;
                }
            }
            Some(_) => return Err(unsupported("ON DUPLICATE KEY", self.span)),
        }
        self.items(insert.returning.as_deref().unwrap_or_default())?;
        let Some(source) = self.scopes.pop().and_then(|mut scope| (!scope.is_empty()).then(|| scope.swap_remove(0)))
        else {
            return Ok(());
        };
        let kind = if source.reads.is_empty() { Kind::Write } else { Kind::Update };
        self.push(source, kind, writes);
        if let Some(access) = self.accesses.last_mut() {
            access.insert = insert.on.is_none();
        }
        Ok(())
    }

    /// `ON CONFLICT (key) DO UPDATE` without a further condition: the row is written whether it is new or not, and no other transaction writes it in between.
    fn always_writes(&self, table: usize, on: &OnInsert) -> bool {
        let OnInsert::OnConflict(OnConflict { conflict_target: Some(ConflictTarget::Columns(names)), action }) = on
        else {
            return false;
        };
        let OnConflictAction::DoUpdate(update) = action else { return false };
        let table = &self.schema.tables[table];
        let columns: Option<Vec<usize>> = names.iter().map(|name| table.column(&folded(name))).collect();
        let is_key = |columns: Vec<usize>| {
            columns.len() == table.key.len() && columns.iter().all(|column| table.key.contains(column))
        };
        update.selection.is_none() && columns.is_some_and(is_key)
    }

    /// `DO UPDATE SET column = excluded.column`: the new row is not a table, and its values are known.
    fn with_excluded(&mut self, table: usize, assignments: &[Assignment], selection: Option<&Expr>) -> Read<()> {
        let bound = vec![None; self.schema.tables[table].key.len()];
        let excluded = Source {
            alias: "excluded".to_owned(),
            table,
            reads: VarSet::EMPTY,
            bound,
            further: false,
            gives: Vec::new(),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(excluded);
        }
        self.assignments(assignments)?;
        if let Some(selection) = selection {
            self.walk(selection)?;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.pop();
        }
        Ok(())
    }
}

fn alias(item: &SelectItem) -> Option<String> {
    if let SelectItem::ExprWithAlias { alias, .. } = item { Some(folded(alias)) } else { None }
}

trait HelpVariables {
    fn help_variables(self) -> Self;
}

impl HelpVariables for Box<Diagnostic> {
    fn help_variables(self) -> Self {
        Box::new(self.help("write `INTO :variable` for a variable"))
    }
}
