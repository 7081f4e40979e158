//! Every litmus test that is not robust is repaired or has a reason, and with fences alone, trying everything finds nothing cheaper.

use std::path::Path;
use steadfast_lang::{Dialect, Edit, Form, apply, parse, sites};
use steadfast_model::Notion;
use steadfast_repair::{Allowed, Fixed, Target, Task, fix};
use steadfast_robust::{Options, Supported, Verdict, check};
use steadfast_span::SourceFile;

fn programs(directory: &str) -> Vec<SourceFile> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(directory);
    let mut paths: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

fn is_robust(file: &SourceFile, text: String, options: &Options<'_>) -> bool {
    let file = SourceFile::new(file.name(), text);
    let program = parse(&file, Dialect::detect(file.name(), file.text())).program.unwrap();
    matches!(check(&program, options).verdict, Verdict::Robust)
}

#[test]
fn every_litmus_test_is_repaired_under_every_model() {
    let (mut repaired, mut impossible) = (0, Vec::new());
    for file in programs("litmus").iter().chain(&programs("automata")) {
        for &model in Supported::ALL {
            let options = Options::new(model, Notion::Graph);
            let dialect = Dialect::detect(file.name(), file.text());
            let (target, allowed) = (Target::Armv8, Allowed::ALL);
            match fix(&Task { file, dialect, options: &options, target, allowed, watcher: None }) {
                Fixed::Repaired { changes, result, .. } => {
                    repaired += 1;
                    let text = apply(file.text(), changes.iter().flat_map(|change| &change.edits));
                    assert_eq!(text, result.file.text());
                    assert!(is_robust(file, text, &options), "{}", file.name());
                }
                Fixed::Impossible { strongest, .. } => {
                    let race = matches!(strongest.outcome.verdict, Verdict::Race(_));
                    impossible.push((file.name().to_owned(), model, race));
                }
                Fixed::Stopped(stop) => assert!(dialect == Dialect::Automata, "{}: {stop:?}", file.name()),
                Fixed::Already(_) | Fixed::FailsUnderSc(_) => {}
            }
        }
    }
    assert!(repaired > 100, "{repaired}");
    let reasonless: Vec<_> = impossible.iter().filter(|(_, _, race)| !race).collect();
    assert!(reasonless.is_empty(), "{reasonless:#?}");
}

#[test]
fn trying_all_sets_of_fences_finds_nothing_cheaper() {
    let mut compared = 0;
    for file in &programs("litmus") {
        for model in [Supported::Tso, Supported::Ra] {
            let options = Options::new(model, Notion::Graph);
            let (target, allowed) = (Target::X86, Allowed::FENCES);
            let task = Task { file, dialect: Dialect::Steadfast, options: &options, target, allowed, watcher: None };
            let Fixed::Repaired { changes, .. } = fix(&task) else { continue };
            let fences: Vec<Vec<Edit>> = sites(file, Dialect::Steadfast)
                .into_iter()
                .filter(|site| site.now == Form::Nothing)
                .filter_map(|site| Some(site.variants.into_iter().next_back()?.edits))
                .collect();
            if fences.len() > 12 {
                continue;
            }
            for set in 0_u32..1 << fences.len() {
                if set.count_ones() as usize >= changes.len() {
                    continue;
                }
                let chosen =
                    fences.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).flat_map(|(_, edits)| edits);
                assert!(!is_robust(file, apply(file.text(), chosen), &options), "{}: {set:b}", file.name());
            }
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}
