//! Twelve threads and two hundred events.

use super::{Sample, page};
use crate::html_page;
use std::fmt::Write;
use std::time::Instant;
use steadfast_diag::{Code, Diagnostic};
use steadfast_robust::Supported;

/// Ten threads, one after the other, with many stores each; then store buffering.
fn text() -> String {
    let mut text = "atomic<u8> turn;\natomic<u8> data[4];\natomic<u1> x;\natomic<u1> y;\n".to_owned();
    for thread in 0..10 {
        let _ = write!(text, "thread worker{thread} {{ turn.wait({thread}, acquire); ");
        for step in 0..17 {
            let _ = write!(text, "data[{}].store({step}, release); ", step % 4);
        }
        let _ = writeln!(text, "turn.store({}, release); }}", thread + 1);
    }
    text.push_str("thread left { turn.wait(10, acquire); x.store(1, release); let a = y.load(acquire); }\n");
    text.push_str("thread right { turn.wait(10, acquire); y.store(1, release); let b = x.load(acquire); }\n");
    text
}

#[test]
fn a_large_run_is_drawn_quickly_and_small() {
    let sample = Sample::of(&text(), Supported::Ra);
    let start = Instant::now();
    let run = sample.run_view();
    assert!(run.steps.len() >= 190, "{}", run.steps.len());
    assert_eq!(run.picture.columns.len(), 13);
    let diagnostic = Diagnostic::error(Code("V0001"), "not robust: large");
    let page = html_page(&page(&sample.file, &diagnostic, Some(run)));
    assert!(page.len() < 1_000_000, "{}", page.len());
    // A generous limit: this test is about work that grows too fast, not about slow machines.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    println_for_humans(&format!("{} bytes in {:?}", page.len(), start.elapsed()));
    if let Some(folder) = std::env::var_os("STEADFAST_KEEP_PAGES") {
        std::fs::write(std::path::Path::new(&folder).join("large.html"), page).expect("the page can be written");
    }
}

#[allow(clippy::print_stderr, reason = "figures for those who ask with --nocapture")]
fn println_for_humans(text: &str) {
    eprintln!("{text}");
}
