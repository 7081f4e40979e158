//! Links the binary at a fixed address on Linux.
//!
//! A position-independent executable of this size is relocated page by page before `main` begins, which takes longer than checking a small
//! program. The code itself is the same either way.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
