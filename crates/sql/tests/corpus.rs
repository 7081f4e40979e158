//! The applications of the corpus that are written in SQL: their expectations, and the table of `SmallBank`.

use std::fs;
use std::path::{Path, PathBuf};
use steadfast_explore::{Budget, Limits};
use steadfast_span::SourceFile;
use steadfast_sql::{Application, read};
use steadfast_txn::template::{Level, all_at, allocate};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/transactions")
}

fn application(directory: &Path, change: impl Fn(&str, String) -> String) -> Application {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.file_name().unwrap().display().to_string();
        let text = change(&name, fs::read_to_string(path).unwrap());
        SourceFile::new(name, text)
    };
    let found = read(&paths.iter().map(file).collect::<Vec<_>>());
    assert!(found.problems.is_empty(), "{}: {:#?}", directory.display(), found.problems);
    found
}

#[test]
fn expectations_are_met() {
    let budget = Budget::new(Limits::default(), None, None);
    let mut directories: Vec<PathBuf> = fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.retain(|path| path.is_dir());
    directories.sort();
    for directory in &directories {
        let application = application(directory, |_, text| text);
        assert!(!application.expectations.is_empty(), "{} expects nothing", directory.display());
        for expectation in &application.expectations {
            let robust = all_at(&application.templates, expectation.model.level().unwrap(), &budget).unwrap();
            assert_eq!(robust, expectation.robust, "{} {}", directory.display(), expectation.model);
        }
    }
    assert!(directories.len() >= 2);
}

/// Adds locks to the reads of balances in these lines of these files.
fn locked(lines: &'static [(&'static str, usize)]) -> Application {
    application(&corpus().join("smallbank-sql"), move |name, text| {
        let line = |(number, line): (usize, &str)| {
            if lines.contains(&(name, number + 1)) { line.replace(';', " FOR UPDATE;") } else { line.to_owned() }
        };
        text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
    })
}

/// The reads with FOR UPDATE; the levels in the order amalgamate, balance, `deposit_checking`, `transact_savings`, `write_check`; whether SI and RC suffice everywhere.
type Row = (&'static [(&'static str, usize)], [Level; 5], bool, bool);

#[test]
fn smallbanks_table() {
    use Level::{Rc, Si, Ssi};
    let budget = Budget::new(Limits::default(), None, None);
    let table: [Row; 4] = [
        (&[], [Rc, Ssi, Rc, Ssi, Ssi], false, false),
        (&[("write_check.sql", 3)], [Rc, Si, Rc, Rc, Si], true, false),
        (&[("write_check.sql", 3), ("write_check.sql", 4)], [Rc, Si, Rc, Rc, Rc], true, false),
        (
            &[("write_check.sql", 3), ("write_check.sql", 4), ("balance.sql", 2), ("balance.sql", 3)],
            [Rc; 5],
            true,
            true,
        ),
    ];
    for (lines, levels, si, rc) in table {
        let templates = locked(lines).templates;
        assert_eq!(allocate(&templates, &budget), Ok(levels.to_vec()), "{lines:?}");
        assert_eq!((all_at(&templates, Si, &budget), all_at(&templates, Rc, &budget)), (Ok(si), Ok(rc)), "{lines:?}");
    }
}
