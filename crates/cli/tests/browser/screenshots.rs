//! The pictures in `docs/screenshots`. They are taken anew with `STEADFAST_BLESS=1`; otherwise only that they can be taken is tested.

use crate::{browser, page, root};

/// Name, and the arguments that make the page.
const SHOTS: [(&str, &[&str]); 4] = [
    ("store-buffering", &["check", "corpus/litmus/sb.sf"]),
    ("seqlock", &["check", "corpus/programs/seqlock-broken.sf"]),
    ("write-skew", &["txn", "check", "--model", "si", "corpus/transactions/write-skew.txn"]),
    ("chase-lev", &["check", "--model", "tso", "corpus/programs/chase-lev-sc.sf"]),
];

#[test]
fn screenshots_can_be_taken() {
    let Some(mut browser) = browser() else { return };
    for (name, arguments) in SHOTS {
        browser.open(&page(&format!("shot-{name}"), arguments));
        let picture = browser.screenshot();
        assert!(picture.starts_with(b"\x89PNG") && picture.len() < 400_000, "{name}: {}", picture.len());
        if std::env::var_os("STEADFAST_BLESS").is_some() {
            let folder = root().join("docs/screenshots");
            std::fs::create_dir_all(&folder).expect("the folder");
            std::fs::write(folder.join(format!("{name}.png")), picture).expect("the picture");
        }
    }
}
