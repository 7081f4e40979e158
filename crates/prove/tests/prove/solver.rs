//! Whether a solver is there.

use steadfast_prove::find_solver;

/// Without a solver a test cannot say anything, which CI must not take for success.
pub(crate) fn solver(name: &str) -> bool {
    let found = find_solver(name.as_ref()).is_some();
    assert!(found || std::env::var_os("CI").is_none(), "{name} is not installed");
    if !found {
        println!("skipped: {name} is not installed");
    }
    found
}
