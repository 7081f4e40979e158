//! Tests of reading SQL.

use super::*;
use steadfast_explore::{Budget, Limits};
use steadfast_txn::template::{Kind, Level, Part, all_at, allocate};

const ACCOUNTS: &str = "CREATE TABLE account (id int PRIMARY KEY, owner text, balance numeric NOT NULL DEFAULT 0);
    CREATE TABLE person (name text PRIMARY KEY, account int REFERENCES account (id));
    CREATE TABLE line (bill int, number int, amount int, PRIMARY KEY (bill, number));";

fn application(transactions: &[&str]) -> Application {
    let mut files = vec![SourceFile::new("schema.sql", ACCOUNTS)];
    files.extend(transactions.iter().enumerate().map(|(at, text)| SourceFile::new(format!("dir/t{at}.sql"), *text)));
    read(&files)
}

fn templates(transactions: &[&str]) -> Vec<Template> {
    let application = application(transactions);
    assert!(application.problems.is_empty(), "{:#?}", application.problems);
    application.templates
}

/// The first problem: its file, the text it points at, and its message.
fn problem(text: &str) -> (usize, String, String) {
    let file = SourceFile::new("t.sql", text);
    let application = read(&[SourceFile::new("schema.sql", ACCOUNTS), file.clone()]);
    assert!(application.templates.is_empty());
    let (number, problem) = application.problems.first().expect("a problem");
    (*number, file.snippet(problem.span().unwrap_or_default()).to_owned(), problem.message.clone())
}

#[test]
fn statements_by_key() {
    let found = templates(&["SELECT balance INTO :b FROM account WHERE id = :i;
        UPDATE account SET balance = balance + :v WHERE id = :i;
        INSERT INTO account (id, owner) VALUES (:new, 'x');
        DELETE FROM account WHERE account.id = :old;
        SELECT balance FROM account a WHERE a.id = :i FOR UPDATE"]);
    let kinds: Vec<Kind> = found[0].operations.iter().map(|operation| operation.kind).collect();
    assert_eq!(kinds, [Kind::Read, Kind::Update, Kind::Write, Kind::Write, Kind::Lock]);
    assert!(found[0].operations.iter().all(|operation| operation.sure));
    assert_eq!(found[0].parameters, ["i", "new", "old"]);
    // The balance is column 2.
    assert_eq!(found[0].operations[1].writes, VarSetOf(&[2]).set());
}

struct VarSetOf<'a>(&'a [usize]);

impl VarSetOf<'_> {
    fn set(&self) -> steadfast_txn::VarSet {
        self.0.iter().copied().collect()
    }
}

#[test]
fn conditions_choose_any_row() {
    let found =
        templates(&["UPDATE account SET balance = 0 WHERE owner = :o; SELECT sum(amount) FROM line WHERE bill = :b"]);
    assert_eq!(found[0].operations[0].key, [Part::Any]);
    assert!(!found[0].operations[0].sure && !found[0].operations[1].sure);
    assert_eq!(found[0].operations[1].key, [Part::Parameter(0), Part::Any]);
}

#[test]
fn a_condition_beside_the_key_is_not_sure() {
    let found = templates(&["UPDATE account SET balance = balance - :v WHERE id = :i AND balance >= :v"]);
    assert_eq!(found[0].operations[0].key, [Part::Parameter(0)]);
    assert!(!found[0].operations[0].sure);
}

#[test]
fn branches_and_rounds_are_ways() {
    let found = templates(&["IF :x > 1 THEN SELECT balance FROM account WHERE id = :a; ELSIF :x = 0 THEN ROLLBACK; ELSE
        UPDATE account SET balance = 1 WHERE id = :b; END IF;
        FOR :k IN SELECT number FROM line WHERE bill = :bill LOOP UPDATE line SET amount = 0 WHERE bill = :bill AND number = :k; END LOOP;"]);
    let lengths: Vec<usize> = found.iter().map(|template| template.operations.len()).collect();
    assert_eq!(lengths, [2, 4, 6, 2, 4, 6]);
    assert_eq!(found[2].parameters, ["a", "bill", "k", "k'"]);
}

#[test]
fn foreign_keys_are_followed() {
    let found = templates(&[
        "SELECT account INTO :a FROM person WHERE name = :n; UPDATE account SET balance = 0 WHERE id = :a",
        "SELECT a.balance FROM person p JOIN account a ON a.id = p.account WHERE p.name = :n",
    ]);
    assert_eq!(found[0].dependencies.len(), 1);
    assert_eq!(found[1].dependencies.len(), 1);
    assert_eq!(found[0].dependencies[0].function, found[1].dependencies[0].function);
    assert_eq!(found[1].operations[1].key, [Part::Parameter(1)]);
    // If the reference can change, the key is unknown.
    let changed = templates(&[
        "SELECT account INTO :a FROM person WHERE name = :n; UPDATE account SET balance = 0 WHERE id = :a",
        "UPDATE person SET account = :a WHERE name = :n",
    ]);
    assert!(changed[0].dependencies.is_empty());
}

/// Two transactions lock the row to which a common reference leads. Without the dependency, these could be different rows.
#[test]
fn a_dependency_makes_robust() {
    let text = "SELECT account INTO :a FROM person WHERE name = :n; UPDATE account SET balance = balance + 1 WHERE id = :a;
        SELECT sum(amount) INTO :s FROM line WHERE bill = :n AND number = 1; UPDATE line SET amount = :s WHERE bill = :n AND number = 1;";
    let budget = Budget::new(Limits::default(), None, None);
    assert_eq!(all_at(&templates(&[text]), Level::Rc, &budget), Ok(true));
    let changing = [text, "UPDATE person SET account = :a WHERE name = :n"];
    assert_eq!(all_at(&templates(&changing), Level::Rc, &budget), Ok(false));
}

/// The columns that the accesses of a query read, without those of keys.
fn columns_read(query: &str) -> Vec<usize> {
    let found = templates(&[query]);
    let reads = found[0].operations.iter().map(|operation| operation.reads);
    let all = reads.fold(steadfast_txn::VarSet::EMPTY, steadfast_txn::VarSet::union);
    (0..3).filter(|&column| all.contains(column)).collect()
}

#[test]
fn columns_are_read_wherever_they_stand() {
    assert_eq!(columns_read("SELECT DISTINCT ON (owner) id FROM account"), [1]);
    assert_eq!(columns_read("SELECT array_agg(id ORDER BY balance) FROM account"), [2]);
    assert_eq!(columns_read("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY balance) FROM account"), [2]);
    assert_eq!(columns_read("SELECT ARRAY(SELECT balance FROM account WHERE id = :i)"), [2]);
}

#[test]
fn literals_are_the_same_row_everywhere() {
    let found =
        templates(&["UPDATE account SET balance = balance + 1 WHERE id = 7; SELECT balance FROM account WHERE id = 8"]);
    assert_eq!(
        [&found[0].operations[0].key[..], &found[0].operations[1].key[..]],
        [[Part::Constant(0)], [Part::Constant(1)]]
    );
    let budget = Budget::new(Limits::default(), None, None);
    assert_eq!(allocate(&found, &budget), Ok(vec![Level::Rc]));
}

#[test]
fn what_is_not_understood_is_named() {
    assert_eq!(problem("SELECT balance FROM account WHERE id = :i;\nTRUNCATE account;").1, "TRUNCATE account");
    assert_eq!(problem("SELECT blance FROM account WHERE id = :i").1, "blance");
    assert_eq!(problem("SELECT 1 FROM acount").1, "acount");
    assert_eq!(problem("SELECT balance FROM account WHERE id = i").1, "i");
    assert_eq!(problem("WITH x AS (SELECT 1) SELECT * FROM x").2, "WITH is not understood");
    assert!(problem("SELECT * FROM account WHERE").2.starts_with("this is not SQL"));
    assert_eq!(problem("DELETE FROM account WHERE id = :i LIMIT 1").2, "ORDER BY or LIMIT in DELETE is not understood");
    assert_eq!(problem("SELECT balance FORM account").1, "account");
    assert!(problem("IF :x THEN SELECT 1;").2.contains("END IF"));
    assert!(problem("END LOOP;").2.contains("never opened"));
    assert!(
        problem("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1 FROM account").2.contains("not understood")
    );
    assert!(problem("SELECT 'open").2.starts_with("this is not SQL"));
    assert!(problem("SAVEPOINT a; SELECT balance FROM account WHERE id = 1").2.contains("SAVEPOINT"));
    let deep = format!("SELECT {}1{} FROM account", "(".repeat(500), ")".repeat(500));
    assert!(problem(&deep).2.contains("nested too deeply"));
}

#[test]
fn nothing_is_an_error() {
    assert_eq!(read(&[SourceFile::new("schema.sql", ACCOUNTS)]).problems.len(), 1);
    assert_eq!(read(&[]).problems.len(), 1);
}
