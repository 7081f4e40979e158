//! Clauses that statements can have, and that are not understood. The parser reads those of many databases.
//!
//! The patterns name every field: the compiler notices a clause that a new version of the parser adds.

use sqlparser::ast::{Delete, Insert, Query, Select, Update};

/// The first clause that is there.
fn first<const N: usize>(clauses: [(bool, &'static str); N]) -> Option<&'static str> {
    clauses.into_iter().find(|(is_there, _)| *is_there).map(|(_, name)| name)
}

pub(crate) fn of_query(query: &Query) -> Option<&'static str> {
    let Query {
        with,
        body: _,
        order_by: _,
        limit_clause: _,
        fetch,
        locks: _,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    first([
        (with.is_some(), "WITH"),
        (
            fetch.is_some()
                || for_clause.is_some()
                || settings.is_some()
                || format_clause.is_some()
                || !pipe_operators.is_empty(),
            "this clause after the query",
        ),
    ])
}

pub(crate) fn of_select(select: &Select) -> Option<&'static str> {
    let Select {
        select_token: _,
        optimizer_hints: _,
        distinct: _,
        select_modifiers: _,
        top,
        top_before_distinct: _,
        projection: _,
        exclude,
        into: _,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by: _,
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    first([
        (qualify.is_some() || !named_window.is_empty() || !lateral_views.is_empty(), "a window or lateral view"),
        (top.is_some(), "TOP"),
        (exclude.is_some(), "EXCLUDE"),
        (prewhere.is_some(), "PREWHERE"),
        (!connect_by.is_empty(), "CONNECT BY"),
        (!cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(), "a clause about distribution"),
        (value_table_mode.is_some(), "SELECT AS"),
    ])
}

pub(crate) fn of_insert(insert: &Insert) -> Option<&'static str> {
    let Insert {
        insert_token: _,
        optimizer_hints: _,
        or,
        ignore,
        into: _,
        table: _,
        table_alias: _,
        columns: _,
        overwrite,
        source: _,
        assignments,
        partitioned,
        after_columns,
        has_table_keyword: _,
        on: _,
        returning: _,
        output,
        replace_into,
        priority: _,
        insert_alias,
        settings,
        format_clause,
        multi_table_insert_type,
        multi_table_into_clauses,
        multi_table_when_clauses,
        multi_table_else_clause,
    } = insert;
    first([
        (or.is_some(), "OR in INSERT"),
        (*ignore, "IGNORE in INSERT"),
        (*replace_into, "REPLACE"),
        (*overwrite, "OVERWRITE"),
        (!assignments.is_empty(), "SET in INSERT"),
        (partitioned.is_some() || !after_columns.is_empty(), "PARTITION"),
        (output.is_some(), "OUTPUT"),
        (insert_alias.is_some(), "an alias of the new row"),
        (settings.is_some() || format_clause.is_some(), "this clause in INSERT"),
        (
            multi_table_insert_type.is_some()
                || !multi_table_into_clauses.is_empty()
                || !multi_table_when_clauses.is_empty()
                || multi_table_else_clause.is_some(),
            "inserting into several tables",
        ),
    ])
}

pub(crate) fn of_update(update: &Update) -> Option<&'static str> {
    let Update {
        update_token: _,
        optimizer_hints: _,
        table: _,
        assignments: _,
        from: _,
        selection: _,
        returning: _,
        output,
        or,
        order_by,
        limit,
    } = update;
    first([
        (output.is_some(), "OUTPUT"),
        (or.is_some(), "OR in UPDATE"),
        (!order_by.is_empty() || limit.is_some(), "ORDER BY or LIMIT in UPDATE"),
    ])
}

pub(crate) fn of_delete(delete: &Delete) -> Option<&'static str> {
    let Delete {
        delete_token: _,
        optimizer_hints: _,
        tables: _,
        from: _,
        using: _,
        selection: _,
        returning: _,
        output,
        order_by,
        limit,
    } = delete;
    first([(output.is_some(), "OUTPUT"), (!order_by.is_empty() || limit.is_some(), "ORDER BY or LIMIT in DELETE")])
}
