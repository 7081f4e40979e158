//! `steadfast cargo`.

use crate::args::CargoArgs;
use crate::output;
use crate::status::Status;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use steadfast_sanitize::compiler::{Language, ToolPaths};
use steadfast_sanitize::rust::{self, CargoOptions};
use steadfast_sanitize::standard_library::{self, Toolchain};

/// Replaces this process by cargo. Returns only if that fails.
pub(crate) fn cargo(arguments: &CargoArgs) -> Status {
    let surroundings = ToolPaths::here(Language::C);
    if !rust::is_built(&surroundings) {
        return refuse(&format!(
            "the runtime is missing: {}; `cargo build --release` builds it",
            surroundings.shared().display()
        ));
    }
    let version = Command::new("rustc").arg("-vV").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let Some(target) = rust::host(&version) else {
        return refuse("cannot find out the target of rustc: `rustc -vV` failed");
    };
    let sysroot = instrumented_library(target, &version);
    let options = CargoOptions {
        target,
        runner: &runner(arguments),
        races: arguments.races,
        before: &flags("RUSTFLAGS"),
        before_for_documentation: &flags("RUSTDOCFLAGS"),
        sysroot: sysroot.as_deref(),
    };
    let environment = rust::environment(&surroundings, &options);
    let error = Command::new("cargo").args(&arguments.arguments).envs(environment.variables).exec();
    refuse(&format!("cannot run cargo: {error}"))
}

/// The user's flags in this variable, separated as cargo separates them.
fn flags(variable: &str) -> String {
    let encoded = std::env::var(format!("CARGO_ENCODED_{variable}"));
    encoded.unwrap_or_else(|_| {
        let plain = std::env::var(variable).unwrap_or_default();
        plain.split_whitespace().collect::<Vec<_>>().join("\x1f")
    })
}

/// The instrumented standard library. Without it programs can still be checked; the user gets a warning about what is missing.
fn instrumented_library(target: &str, version: &str) -> Option<PathBuf> {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    let toolchain = Toolchain { sysroot, target: target.to_owned(), version: version.to_owned() };
    let made = match standard_library::cache() {
        Some(cache) => standard_library::instrumented(&toolchain, &cache).map_err(|error| error.to_string()),
        None => Err("neither XDG_CACHE_HOME nor HOME is set".to_owned()),
    };
    made.inspect_err(|reason| {
        output::complain(&format!(
            "cannot instrument the standard library ({reason}); the runtime does not see what its locks order when threads wait for them, so there can be false reports"
        ));
    })
    .ok()
}

/// The command with which cargo runs the programs that it has built.
fn runner(arguments: &CargoArgs) -> String {
    let steadfast = std::env::current_exe().unwrap_or_else(|_| "steadfast".into());
    let length = arguments.length.map_or_else(String::new, |length| format!(" --length {length}"));
    format!(
        "{} run --preload --runs {} --schedule {} --seed {}{length} --",
        steadfast.display(),
        arguments.runs,
        arguments.schedule.name(),
        arguments.seed
    )
}

fn refuse(reason: &str) -> Status {
    output::complain(reason);
    Status::Input
}
