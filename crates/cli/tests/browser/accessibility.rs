//! What axe-core and html-validate have to say about the pages. `cargo xtask test` installs both.

use crate::chromium::Browser;
use crate::{browser, finding, index, page, root};
use std::path::PathBuf;
use std::process::Command;

/// Where the tools are that npm has installed. In CI they must be there.
fn tool(path: &str) -> Option<PathBuf> {
    let file = root().join("target/tools/node_modules").join(path);
    let required = ["CI", "STEADFAST_REQUIRE_TOOLS"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(file.is_file() || !required, "{} is not installed; `cargo xtask test` does that", file.display());
    file.is_file().then_some(file)
}

/// All kinds of pages, for one test: others make theirs at the same time.
fn pages(test: &str) -> Vec<PathBuf> {
    let name = |page: &str| format!("{test}-{page}");
    vec![
        page(&name("violation"), &["check", "corpus/litmus/sb.sf"]),
        page(&name("race"), &["check", "corpus/litmus/race-write-read.sf"]),
        page(&name("robust"), &["check", "corpus/programs/spinlock.sf"]),
        page(&name("rejected"), &["check", "Cargo.toml"]),
        page(&name("fix"), &["fix", "--model", "tso", "corpus/programs/dekker-sc.sf"]),
        page(&name("proof"), &["prove", "corpus/proofs/chase-lev.sf"]),
        page(&name("immediate"), &["prove", "corpus/proofs/peterson.sf"]),
        finding(&name("dekker")),
        page(&name("skew"), &["txn", "check", "--model", "si", "corpus/transactions/write-skew.txn"]),
        index(&name("index")),
    ]
}

/// The serious faults that axe finds, with where they are.
fn serious(browser: &mut Browser) -> String {
    browser.text(
        "axe.run().then((found) => found.violations.filter((one) => ['serious', 'critical'].includes(one.impact))
            .map((one) => one.id + ': ' + one.nodes.map((node) => node.html + ' ' + node.failureSummary).join(' | ')).join('\\n'))",
    )
}

#[test]
fn there_are_no_serious_faults() {
    let (Some(axe), Some(mut browser)) = (tool("axe-core/axe.min.js"), browser()) else { return };
    let axe = std::fs::read_to_string(axe).expect("axe-core is text");
    for page in pages("axe") {
        for theme in ["light", "dark"] {
            browser.open(&page);
            browser.evaluate(&format!("document.documentElement.dataset.theme = '{theme}'"));
            browser.evaluate(&format!("{axe}; 1"));
            assert_eq!(serious(&mut browser), "", "{} in {theme}", page.display());
        }
    }
}

#[test]
fn the_html_is_valid() {
    let Some(validator) = tool("html-validate/bin/html-validate.mjs") else { return };
    let rules = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("html-validate.json");
    std::fs::write(&rules, "{ \"root\": true, \"extends\": [\"html-validate:standard\"] }").expect("the rules");
    let ended = Command::new("node")
        .arg(validator)
        .arg("--config")
        .arg(rules)
        .args(pages("valid"))
        .output()
        .expect("node starts");
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}
