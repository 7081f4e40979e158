//! `steadfast cargo`.

use crate::args::{CargoArgs, ScheduleChoice};
use crate::output;
use crate::status::Status;
use std::os::unix::process::CommandExt;
use std::process::Command;
use steadfast_sanitize::compiler::{Language, Surroundings};
use steadfast_sanitize::rust;

/// Becomes cargo. Comes back only if that is not possible.
pub(crate) fn cargo(arguments: &CargoArgs) -> Status {
    let surroundings = Surroundings::here(Language::C);
    if !rust::is_built(&surroundings) {
        return refuse(&format!(
            "the runtime is not there: {}; `cargo build --release` makes it",
            surroundings.shared().display()
        ));
    }
    let version = Command::new("rustc").arg("-vV").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let Some(target) = rust::host(&version) else {
        return refuse("cannot find out for which machine rustc compiles: `rustc -vV` failed");
    };
    let before = std::env::var("CARGO_ENCODED_RUSTFLAGS").ok();
    let before =
        before.or_else(|| Some(std::env::var("RUSTFLAGS").ok()?.split_whitespace().collect::<Vec<_>>().join("\x1f")));
    let environment =
        rust::environment(&surroundings, target, &runner(arguments), arguments.races, &before.unwrap_or_default());
    let error = Command::new("cargo").args(&arguments.arguments).envs(environment.variables).exec();
    refuse(&format!("cannot run cargo: {error}"))
}

/// The command that runs what cargo has built.
fn runner(arguments: &CargoArgs) -> String {
    let schedule = match arguments.schedule {
        ScheduleChoice::Os => "os",
        ScheduleChoice::Random => "random",
        ScheduleChoice::Pct => "pct",
    };
    let steadfast = std::env::current_exe().unwrap_or_else(|_| "steadfast".into());
    format!(
        "{} run --preload --runs {} --schedule {schedule} --seed {} --",
        steadfast.display(),
        arguments.runs,
        arguments.seed
    )
}

fn refuse(reason: &str) -> Status {
    output::complain(reason);
    Status::Input
}
