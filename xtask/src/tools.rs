//! The programs that some tests need: found on `PATH`, else installed from Debian.

use crate::process;
use anyhow::{Result, bail};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

/// A program that tests start, with the Debian packages that it comes from.
struct Tool {
    program: &'static str,
    packages: &'static [&'static str],
}

/// SPIN checks the exported Promela; what it generates is a C program. The sanitizer instruments with gcc and clang. Proofs are found
/// with z3, and checked again with cvc5. The server of `PostgreSQL`, which Debian does not put on the path, replays violations of transactions. Chromium opens
/// the pages.
const TOOLS: [Tool; 9] = [
    Tool { program: "spin", packages: &["spin"] },
    Tool { program: "gcc", packages: &["gcc", "libc6-dev"] },
    Tool { program: "g++", packages: &["g++"] },
    Tool { program: "clang", packages: &["clang"] },
    Tool { program: "z3", packages: &["z3"] },
    Tool { program: "cvc5", packages: &["cvc5"] },
    Tool { program: "initdb", packages: &["postgresql"] },
    Tool { program: "chromium", packages: &["chromium"] },
    Tool { program: "npm", packages: &["nodejs", "npm"] },
];

/// npm packages that check the accessibility and validity of the pages, and one with the official schema of SARIF. They go to `target/tools`, where the tests find them.
const NODE_PACKAGES: [&str; 3] = ["axe-core@4", "html-validate@9", "@microsoft/jest-sarif@1.0.0-beta.0"];

/// Makes sure that all tools are installed. `Ok(false)` means that some are missing and this is not a CI machine: then the tests that
/// need them should be skipped. In CI (if the variable `CI` is set) a missing tool is an error.
pub(crate) fn ensure() -> Result<bool> {
    Ok(ensure_programs()? && ensure_node_packages()?)
}

fn ensure_programs() -> Result<bool> {
    let missing = missing_programs();
    if missing.is_empty() {
        return Ok(true);
    }
    eprintln!("missing: {}", missing.join(", "));
    let outcome = install(&packages_of(&missing));
    let missing = missing_programs();
    if missing.is_empty() {
        return Ok(true);
    }
    let reason = outcome.err().map_or_else(String::new, |error| format!(": {error:#}"));
    unavailable(&format!("{} could not be installed{reason}", missing.join(", ")))
}

/// Handles a missing tool: in CI an error, otherwise a warning that tests are skipped.
fn unavailable(message: &str) -> Result<bool> {
    if std::env::var_os("CI").is_some() {
        bail!("{message}");
    }
    eprintln!("warning: {message}\nwarning: tests that need it are skipped");
    Ok(false)
}

fn ensure_node_packages() -> Result<bool> {
    let folder = process::root().join("target/tools");
    let is_there = |package: &&str| {
        folder.join("node_modules").join(package.rsplit_once('@').map_or(*package, |(name, _)| name)).is_dir()
    };
    if NODE_PACKAGES.iter().all(is_there) {
        return Ok(true);
    }
    std::fs::create_dir_all(&folder)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(NODE_PACKAGES);
    match process::run(&mut npm) {
        Ok(()) => Ok(true),
        Err(error) => unavailable(&format!("{} could not be installed: {error:#}", NODE_PACKAGES.join(", "))),
    }
}

fn missing_programs() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.program).filter(|program| !is_on_path(program)).collect()
}

fn packages_of(programs: &[&str]) -> Vec<&'static str> {
    TOOLS.iter().filter(|tool| programs.contains(&tool.program)).flat_map(|tool| tool.packages).copied().collect()
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain(postgres_directories()).any(|directory| is_executable(&directory.join(program)))
}

/// The folders in which Debian keeps the programs of each version of `PostgreSQL`.
fn postgres_directories() -> Vec<std::path::PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(Result::ok);
    versions.map(|version| version.path().join("bin")).collect()
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

fn install(packages: &[&str]) -> Result<()> {
    let by_hand = format!("install them by hand: apt-get install {}", packages.join(" "));
    if !is_on_path("apt-get") {
        bail!("there is no apt-get here; {by_hand}");
    }
    let Some(prefix) = privileges() else {
        bail!("installing needs root or sudo; {by_hand}");
    };
    // If the package list cannot be refreshed, for instance because a server is down, the old one may be good enough.
    if let Err(error) = process::run(&mut apt_get(&prefix, &["update"])) {
        eprintln!("warning: {error:#}");
    }
    process::run(apt_get(&prefix, &["install", "-y"]).args(packages))
}

/// The prefix of a command that needs root: nothing for root itself, else sudo if it is installed.
fn privileges() -> Option<Vec<&'static str>> {
    let user = Command::new("id").arg("-u").output().ok()?;
    if user.stdout.trim_ascii() == b"0" {
        return Some(vec![]);
    }
    // Without a terminal no password can be typed, so sudo must not ask for one.
    is_on_path("sudo").then(|| if std::io::stdin().is_terminal() { vec!["sudo"] } else { vec!["sudo", "-n"] })
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Command {
    // `env`, not `Command::env`, because sudo clears the environment.
    let words = [prefix, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_looked_for_on_the_path() {
        assert!(is_on_path("sh"));
        assert!(!is_on_path("no-such-program-anywhere"));
    }

    #[test]
    fn apt_get_never_asks() {
        let command = apt_get(&["sudo", "-n"], &["update"]);
        assert_eq!(format!("{command:?}"), r#""sudo" "-n" "env" "DEBIAN_FRONTEND=noninteractive" "apt-get" "update""#);
    }

    #[test]
    fn a_missing_gcc_needs_the_headers_too() {
        assert_eq!(packages_of(&["gcc"]), ["gcc", "libc6-dev"]);
    }
}
