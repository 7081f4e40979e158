//! The codes of errors in SQL, with the texts of `steadfast explain`.

steadfast_diag::code_table! {
    pub table;
    /// The text is not SQL.
    SYNTAX = "E0640", "this is not SQL",
        "The statement does not follow the grammar of PostgreSQL's SQL at this point, or a block is not closed. Statements end with `;`. Parameters are \
         written `:name`; blocks are `IF … THEN … ELSIF … ELSE … END IF;`, `FOR … LOOP … END LOOP;` and `WHILE … LOOP … END LOOP;`.";
    /// Correct SQL that is not supported.
    UNSUPPORTED = "E0641", "SQL that is not understood",
        "This is SQL, but Steadfast does not know what it reads and writes, and does not guess. Understood are SELECT, INSERT, UPDATE and DELETE over tables of the \
         schema, with joins, subqueries, FOR UPDATE, ON CONFLICT and RETURNING; IF, FOR and WHILE; COMMIT and ROLLBACK as the end of a way. Write the statement \
         in another way, or describe the transaction as a template (docs/transactions.md).";
    /// A table or column that the schema does not have.
    UNKNOWN = "E0642", "the schema does not have this",
        "A table or column is not in the schema. Tables are created with CREATE TABLE in any file of the directory; values that are not columns are parameters, \
         which are written `:name`.";
    /// A table without a primary key, or a table that is declared twice.
    SCHEMA = "E0643", "a table cannot be used like this",
        "Every table needs a primary key, because that is how rows are told apart, and at most 62 columns; a name stands for one table. The referential actions CASCADE \
         and SET of foreign keys are not understood, because they write other tables.";
    /// Too many ways.
    WAYS = "E0644", "a transaction has too many ways through it",
        "Every IF doubles the ways through a transaction, and every loop makes three of them. More than 256 are not looked at. Split the transaction into several \
         files, or replace branches that do the same by one.";
    /// No transaction.
    NOTHING = "E0645", "there is no transaction",
        "The files create tables, but have no other statements. The statements of each transaction belong into a file of their own in the same directory.";
    /// An expectation in a comment.
    EXPECTATION = "E0646", "an expectation cannot be read",
        "A comment that begins with `-- expect(` promises a verdict: `-- expect(robust, model = si)`. The models are rc, si and ssi.";
}
