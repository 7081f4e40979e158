//! The table of applications in `docs/transactions.md` has the verdicts of the programs and of the SQL, and these agree with the published ones, as far as the page says so.

use std::fs;
use std::path::{Path, PathBuf};
use steadfast_explore::{Budget, Limits};
use steadfast_span::SourceFile;
use steadfast_txn::template::{Template, certain, consistent, split};
use steadfast_txn::{Model, ProgramModel, Subject, Verdict, decide, parse};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn budget() -> Budget<'static> {
    Budget::new(Limits::default(), None, None)
}

/// The files of an application have almost the same name.
fn stem(application: &str) -> String {
    match application {
        "CassandraLock" => "cassandra-lock".to_owned(),
        "FusionTicket" => "fusion-ticket".to_owned(),
        "SimpleCurrencyExchange" => "currency-exchange".to_owned(),
        "TPC-C" => "tpcc".to_owned(),
        other => other.to_lowercase(),
    }
}

fn program_verdict(stem: &str, model: ProgramModel) -> &'static str {
    let path = root().join(format!("corpus/transactions/{stem}.txn"));
    let parsed = parse(&SourceFile::new(stem, fs::read_to_string(path).unwrap()));
    let Some(Subject::Program(program)) = parsed.subject else { panic!("{stem} is no program") };
    match decide(&program, model, &budget()).verdict {
        Verdict::Robust => "y",
        Verdict::NotRobust(_) => "n",
        other => panic!("{stem} {model}: {other:?}"),
    }
}

fn templates(stem: &str) -> Vec<Template> {
    let directory = root().join(format!("corpus/transactions/{stem}-sql"));
    let mut paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let file = |path: &PathBuf| SourceFile::new(path.display().to_string(), fs::read_to_string(path).unwrap());
    let found = steadfast_sql::read(&paths.iter().map(file).collect::<Vec<_>>());
    assert!(found.problems.is_empty(), "{stem}: {:#?}", found.problems);
    found.templates
}

fn sql_verdict(stem: &str, model: Model) -> &'static str {
    let templates = templates(stem);
    let levels = vec![model.level().unwrap(); templates.len()];
    if split(&templates, &levels, &budget()).unwrap().is_none() {
        return "y";
    }
    match split(&certain(&templates), &levels, &budget()).unwrap() {
        Some(found) if consistent(&templates, &found) => "n",
        _ => "perhaps not",
    }
}

#[test]
fn the_table_is_right() {
    let page = fs::read_to_string(root().join("docs/transactions.md")).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| application ")).skip(2);
    let mut rows = 0;
    for line in table.take_while(|line| line.starts_with('|')) {
        // A number in parentheses refers to an explanation.
        let cell = |cell: &str| cell.split(" (").next().unwrap_or_default().trim().to_owned();
        let cells: Vec<String> = line.trim_matches('|').split('|').map(cell).collect();
        let [name, ccv, si, program @ .., rc, sql_si, ssi] = &cells[..] else { panic!("{line}") };
        let stem = stem(name);
        let models = [ProgramModel::Cc, ProgramModel::Ccv, ProgramModel::Cm, ProgramModel::Si];
        assert_eq!(program, models.map(|model| program_verdict(&stem, model)), "{name}");
        let sql = [Model::Rc, Model::Si, Model::Ssi].map(|model| sql_verdict(&stem, model));
        assert_eq!([rc, sql_si, ssi], [sql[0], sql[1], sql[2]], "{name} in SQL");
        assert!(ccv == "-" || *ccv == program[1], "{name}: the published verdict for ccv");
        assert_eq!(*si, program[3], "{name}: the published verdict for si");
        let explained = line.contains("(1)") || line.contains("(3)");
        assert!(si == sql_si || explained, "{name}: the published verdict for si, in SQL");
        rows += 1;
    }
    assert_eq!(rows, 12);
}
