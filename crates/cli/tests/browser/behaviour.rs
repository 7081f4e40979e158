//! What a page does.

use crate::chromium::Browser;
use crate::{browser, index, page};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// The page about store buffering.
fn store_buffering(name: &str) -> Option<Browser> {
    let mut browser = browser()?;
    browser.open(&page(name, &["check", "corpus/litmus/sb.sf"]));
    Some(browser)
}

fn status(browser: &mut Browser) -> String {
    browser.text("document.getElementById('status').textContent")
}

#[test]
fn a_run_is_stepped_through() {
    let Some(mut browser) = store_buffering("step") else { return };
    assert_eq!(status(&mut browser), "Step 4 of 4: second, line 26: x.load(acquire) — read x = 0");
    browser.evaluate("document.getElementById('first').click()");
    assert_eq!(status(&mut browser), "Start: no thread has taken a step.");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('.node:not(.future)').length"),
        json!(1),
        "only the initial value"
    );
    browser.evaluate("document.getElementById('next').click()");
    assert_eq!(status(&mut browser), "Step 1 of 4: first, line 19: x.store(1, release) — x := 1");
    assert_eq!(browser.text("document.querySelector('.line.now').getAttribute('value')"), "19");
    assert_eq!(browser.text("document.querySelector('tr.now').id"), "row-1");
    // After the store, the other thread need not know of it.
    let cells = "[...document.querySelectorAll('#memory tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))";
    assert_eq!(browser.evaluate(cells), json!([["x", "1", "knows", "may still read 0"], ["y", "0", "knows", "knows"]]));
    browser.evaluate(
        "const slider = document.getElementById('step'); slider.value = 3; slider.dispatchEvent(new Event('input'))",
    );
    assert!(status(&mut browser).starts_with("Step 3 of 4"));
    browser.evaluate("document.querySelector('[data-jump=\"2\"]').click()");
    assert!(status(&mut browser).starts_with("Step 2 of 4"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_last_step_has_two_endings() {
    let Some(mut browser) = store_buffering("endings") else { return };
    let seen = "[...document.querySelectorAll('#graph .edge')].filter((edge) => getComputedStyle(edge).display !== 'none').map((edge) => edge.classList[1] + (edge.classList.contains('cycle') ? '!' : '')).sort().join(' ')";
    let weak = browser.text(seen);
    assert_eq!(weak, "fr! fr! mo po! po! rf");
    browser.evaluate("document.querySelector('input[value=strong]').click()");
    assert_eq!(status(&mut browser), "Step 4 of 4: second, line 26: x.load(acquire) — read x = 1");
    let strong = browser.text(seen);
    assert!(strong.matches("fr!").count() == 1, "{strong}");
    browser.evaluate("document.querySelector('input[value=weak]').click()");
    assert_eq!(browser.text(seen), weak);
    // Before the last step there is no difference, and the run is that of SC.
    browser.evaluate("document.getElementById('back').click()");
    assert_eq!(browser.text("document.documentElement.dataset.world"), "strong");
}

#[test]
fn the_theme_can_be_switched() {
    let Some(mut browser) = store_buffering("theme") else { return };
    let ground = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.text(ground), "rgb(255, 255, 255)");
    browser.evaluate("document.getElementById('theme').click()");
    assert_eq!(browser.text(ground), "rgb(20, 24, 29)");
    assert_eq!(browser.text("document.getElementById('theme').getAttribute('aria-pressed')"), "true");
    browser.evaluate("document.getElementById('theme').click()");
    assert_eq!(browser.text(ground), "rgb(255, 255, 255)");
    browser.call(
        "Emulation.setEmulatedMedia",
        &json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    let page = page("theme-dark", &["check", "corpus/litmus/sb.sf"]);
    browser.open(&page);
    assert_eq!(browser.text(ground), "rgb(20, 24, 29)");
}

#[test]
fn keys_are_enough() {
    let Some(mut browser) = store_buffering("keys") else { return };
    for (key, expected) in [("ArrowLeft", "Step 3"), ("Home", "Start"), ("ArrowRight", "Step 1"), ("End", "Step 4")] {
        browser.press(key);
        assert!(status(&mut browser).starts_with(expected), "{key}: {}", status(&mut browser));
    }
    // The first stop leads to the result, the second one is the switch, and then come the controls of the run.
    let mut stops = Vec::new();
    for _ in 0..7 {
        browser.press("Tab");
        stops.push(browser.text("document.activeElement.id || document.activeElement.className"));
    }
    assert_eq!(stops, ["skip", "theme", "first", "back", "step", "next", "last"]);
    browser.evaluate("document.getElementById('back').focus()");
    browser.press("Enter");
    assert!(status(&mut browser).starts_with("Step 3"));
    browser.evaluate("document.getElementById('step').focus()");
    browser.press("ArrowLeft");
    assert!(status(&mut browser).starts_with("Step 2"));
}

#[test]
fn nothing_is_fetched_and_nothing_complains() {
    let Some(mut browser) = browser() else { return };
    let pages = [
        page("fetch-violation", &["check", "corpus/programs/seqlock-broken.sf"]),
        page("fetch-robust", &["check", "corpus/programs/seqlock.sf"]),
        page("fetch-inconclusive", &["check", "--max-states", "3", "corpus/programs/seqlock.sf"]),
        page("fetch-rejected", &["check", "Cargo.toml"]),
        page("fetch-fix", &["fix", "--model", "tso", "corpus/programs/dekker-sc.sf"]),
        page("fetch-skew", &["txn", "check", "--model", "si", "corpus/transactions/write-skew.txn"]),
        page("fetch-sql", &["txn", "check", "--model", "si", "corpus/transactions/smallbank-sql"]),
        index("fetch-index"),
    ];
    for page in pages {
        browser.open(&page);
        assert_eq!(browser.requests(), [format!("file://{}", page.display())]);
        assert_eq!(browser.complaints(), [""; 0]);
    }
    // Even if something tried, the policy would not let it.
    let tried = "fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused')";
    assert_eq!(browser.text(tried), "refused");
    let injected = "new Promise((done) => { const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script); setTimeout(() => done(String(window.ran)), 50); })";
    assert_eq!(browser.text(injected), "undefined");
}

#[test]
fn hostile_names_are_shown_as_text() {
    let Some(mut browser) = browser() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("<img src=x onerror=alert(1)>");
    std::fs::create_dir_all(&folder).expect("any name will do");
    let file = folder.join("\"'<script>alert(1)<\u{2044}script>\u{202e}.sf");
    let text = "// <script>window.hacked = 1</script> \u{202e} \"quotes\" 'שלום'\natomic<u1> x;\natomic<u1> y;\n\
        thread a { x.store(1, release); let r = y.load(acquire); }\nthread b { y.store(1, release); let r = x.load(acquire); }\n";
    std::fs::write(&file, text).expect("any name will do");
    browser.open(&page("hostile", &["check", file.to_str().expect("UTF-8")]));
    assert_eq!(browser.text("String(window.hacked)"), "undefined");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('img').length + document.querySelectorAll('script').length"),
        json!(2)
    );
    assert!(browser.text("document.querySelector('.subject').textContent").contains("<img src=x onerror=alert(1)>"));
    assert!(
        browser
            .text("document.querySelector('.line code').textContent")
            .contains("<script>window.hacked = 1</script> ⟨U+202E⟩")
    );
    assert_eq!(browser.requests().len(), 1);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn nothing_overlaps() {
    let Some(mut browser) = browser() else { return };
    // Texts of the graph as they are really drawn: inside of their boxes, and not on each other.
    let overlaps = "(() => {
        const seen = (part) => part.getBoundingClientRect().width > 0;
        const boxes = [...document.querySelectorAll('#graph .node text, #graph .label text')].filter(seen).map((part) => [part.textContent, part.getBoundingClientRect()]);
        const found = [];
        boxes.forEach(([one, a], at) => boxes.slice(0, at).forEach(([other, b]) => {
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) found.push(one + ' / ' + other);
        }));
        document.querySelectorAll('#graph .node').forEach((node) => {
            const frame = node.querySelector('rect').getBoundingClientRect();
            node.querySelectorAll('text').forEach((text) => {
                const own = text.getBoundingClientRect();
                if (seen(text) && (own.left < frame.left || own.right > frame.right)) found.push('outside: ' + text.textContent);
            });
        });
        if (document.documentElement.scrollWidth > innerWidth) found.push('the page is too wide');
        return found;
    })()";
    for (name, arguments) in [
        ("overlap-sb", &["check", "corpus/litmus/sb.sf"][..]),
        ("overlap-seqlock", &["check", "corpus/programs/seqlock-broken.sf"]),
        ("overlap-chase-lev", &["check", "--model", "tso", "corpus/programs/chase-lev-sc.sf"]),
        ("overlap-iriw", &["check", "corpus/litmus/iriw.sf"]),
        ("overlap-peterson", &["check", "corpus/programs/peterson-sc.sf"]),
        ("overlap-lamport", &["check", "--model", "rc20", "corpus/programs/lamport2-sc.sf"]),
        ("overlap-skew", &["txn", "check", "--model", "si", "corpus/transactions/write-skew.txn"]),
        ("overlap-fork", &["txn", "check", "--model", "ccv", "corpus/transactions/long-fork.txn"]),
        ("overlap-sql", &["txn", "check", "--model", "si", "corpus/transactions/smallbank-sql"]),
    ] {
        browser.open(&page(name, arguments));
        assert_eq!(browser.evaluate(overlaps), json!([]), "{name}");
    }
}

#[test]
fn many_results_can_be_sorted() {
    let Some(mut browser) = browser() else { return };
    browser.open(&index("sorted"));
    let verdicts = "[...document.querySelectorAll('#results tbody tr')].map((row) => row.children[0].textContent.replace(/.*\\//, '')).join(' ')";
    assert_eq!(browser.text(verdicts), "sb.sf mp.sf iriw.sf");
    browser.evaluate("document.querySelector('[data-column=\"0\"]').click()");
    assert_eq!(browser.text(verdicts), "iriw.sf mp.sf sb.sf");
    browser.evaluate("document.querySelector('[data-column=\"0\"]').click()");
    assert_eq!(browser.text(verdicts), "sb.sf mp.sf iriw.sf");
    assert_eq!(browser.text("document.querySelector('th').getAttribute('aria-sort')"), "descending");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Ten threads that take turns with many stores, and then store buffering: 12 threads, about 200 events.
fn large() -> String {
    let mut text = "atomic<u8> turn;\natomic<u8> data[4];\natomic<u1> x;\natomic<u1> y;\n".to_owned();
    for thread in 0..10 {
        let _ = writeln!(text, "\nthread worker{thread} {{\n    turn.wait({thread}, acquire);");
        for step in 0..17 {
            let _ = writeln!(text, "    data[{}].store({step}, release);", step % 4);
        }
        let _ = writeln!(text, "    turn.store({}, release);\n}}", thread + 1);
    }
    for (name, mine, other) in [("left", "x", "y"), ("right", "y", "x")] {
        let _ = writeln!(text, "\nthread {name} {{\n    turn.wait(10, acquire);\n    {mine}.store(1, release);");
        let _ = writeln!(text, "    let seen = {other}.load(acquire);\n}}");
    }
    text
}

#[test]
fn a_large_run_can_be_looked_at() {
    let Some(mut browser) = browser() else { return };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large.sf");
    std::fs::write(&file, large()).expect("the program");
    let page = page("large", &["check", "--model", "ra", file.to_str().expect("UTF-8")]);
    let bytes = page.metadata().expect("the page").len();
    let opened = browser.open(&page);
    let again = browser.open(&page);
    #[allow(clippy::print_stderr, reason = "figures for those who ask with --nocapture")]
    {
        eprintln!("{bytes} bytes; opens in {opened:?}, again in {again:?}");
    }
    assert!(bytes < 1_000_000, "{bytes}");
    // A second on a machine with nothing else to do; tests run on others, too.
    assert!(again.as_secs() < 10, "{again:?}");
    assert_eq!(browser.evaluate("document.querySelectorAll('#graph .node').length > 190"), json!(true));
    assert_eq!(browser.evaluate("document.querySelectorAll('#headers text').length"), json!(13));
    browser.press("ArrowLeft");
    assert!(status(&mut browser).starts_with("Step 195 of 196"), "{}", status(&mut browser));
    assert_eq!(browser.complaints(), [""; 0]);
}
