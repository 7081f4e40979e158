//! Runs the real SPIN on exported programs.
#![allow(dead_code, reason = "each test file uses a part of this")]

pub(crate) mod litmus;

use std::path::Path;
use std::process::Command;
use steadfast_export::{PromelaOptions, promela};
use steadfast_ir::Program;

/// What SPIN found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The assertion that was violated, as SPIN prints it.
    pub(crate) violated: Option<String>,
    /// How many states it stored.
    pub(crate) states: u64,
}

/// How much work a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Compiling the verifier takes longer than running it.
    Small,
    /// Many states: optimise the verifier, and let it compress them.
    Large,
}

fn works(tool: &str, flag: &str) -> bool {
    Command::new(tool).arg(flag).output().is_ok_and(|output| output.status.success())
}

/// Whether SPIN and a C compiler are there. In CI they must be.
#[allow(clippy::print_stderr, reason = "a skipped test should say so")]
pub(crate) fn available() -> bool {
    let found = works("spin", "-V") && works("gcc", "--version");
    let required = ["CI", "STEADFAST_REQUIRE_TOOLS"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(found || !required, "spin and gcc are required here but not installed");
    if !found {
        eprintln!("skipped: spin and gcc are not installed");
    }
    found
}

/// Exports a small program and lets SPIN decide. `None` if SPIN is missing.
pub(crate) fn spin(program: &Program, options: PromelaOptions) -> Option<Outcome> {
    available().then(|| run(&promela(program, &options).expect("the program can be exported"), Size::Small))
}

/// Lets SPIN decide an exported program, exhaustively.
pub(crate) fn run(exported: &str, size: Size) -> Outcome {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("model.pml"), exported).expect("the model can be written");
    let fail = |message: String| -> ! { panic!("{message}\n{exported}") };
    let (ok, output) = call(directory.path(), "spin", &["-a", "model.pml"]);
    if !ok || output.contains("Error") {
        fail(output);
    }
    let (compiler, flags) = compiler(size);
    let common = ["-w", "-DSAFETY", "-DVECTORSZ=8192", "-o", "pan", "pan.c"];
    let (ok, output) = call(directory.path(), compiler, &[flags, &common].concat());
    if !ok {
        fail(output);
    }
    let (_, output) = call(directory.path(), "./pan", bounds(size));
    if output.contains("max search depth too small") || !output.contains("errors: ") {
        fail(output);
    }
    let violated = output.lines().find_map(|line| line.split_once("assertion violated ").map(|(_, rest)| rest));
    let violated = violated.map(|text| text.split(" (at depth").next().unwrap_or_default().to_owned());
    if violated.is_none() && !output.contains("errors: 0") {
        fail(output);
    }
    let states = output.lines().find_map(|line| line.trim().strip_suffix(" states, stored")?.trim().parse().ok());
    Outcome { violated, states: states.unwrap_or_else(|| fail(output)) }
}

/// The compiler and its flags. For small programs `tcc` is thirty times as fast as `gcc`, if it is there.
fn compiler(size: Size) -> (&'static str, &'static [&'static str]) {
    match size {
        Size::Large => ("gcc", &["-O2", "-fwrapv", "-DCOLLAPSE"]),
        Size::Small if works("tcc", "-v") => ("tcc", &[]),
        Size::Small => ("gcc", &["-O0", "-fwrapv"]),
    }
}

/// The search depth and the size of the hash table, both of which cost time even if they are not used.
fn bounds(size: Size) -> &'static [&'static str] {
    match size {
        Size::Small => &["-n", "-m20000", "-w20"],
        Size::Large => &["-n", "-m10000000", "-w24"],
    }
}

/// Runs a tool in a directory; whether it succeeded, and all it said.
fn call(directory: &Path, tool: &str, arguments: &[&str]) -> (bool, String) {
    // A relative program name would be looked up in our own directory.
    let program = if let Some(local) = tool.strip_prefix("./") { directory.join(local) } else { tool.into() };
    let output = Command::new(program).args(arguments).current_dir(directory).output().expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}
