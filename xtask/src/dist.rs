//! Builds the binary for distribution, with the files that it needs beside it.
//!
//! Linked with musl, it needs no libraries of the system, and starts in half the time: at its start, glibc queries the features of the processor dozens of times,
//! and on a virtual machine every query takes microseconds.

use crate::arguments::Arguments;
use crate::process;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const USAGE: &str = "\
dist
    Builds the binary that is given to others, puts it with the sanitizer's runtime into target/dist, and says where it is: linked with musl if Rust has
    that target or can install it, else as `cargo build --release` does.";

/// The files beside the binary.
const BESIDE: [&str; 4] = ["libsteadfast_rt.a", "libsteadfast_rt.so", "include", "gcc"];

const TARGET: &str = "x86_64-unknown-linux-musl";

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    println!("{}", build()?.display());
    Ok(())
}

/// Builds the binary and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    let (release, dist) = compile(None)?;
    for beside in BESIDE.iter().filter(|beside| release.join(beside).exists()) {
        copy(&release.join(beside), &dist.join(beside))?;
    }
    Ok(dist.join(name()))
}

/// Builds the binary with a feature, for a measurement, and returns its path, which is beside the one without.
pub(crate) fn build_with(feature: &str) -> Result<PathBuf> {
    let (_, dist) = compile(Some(feature))?;
    Ok(dist.join(with_suffix(&format!("steadfast-{feature}"))))
}

/// The path of the binary that [`build`] has made.
pub(crate) fn built() -> Result<PathBuf> {
    existing(target()?.join("dist").join(name()))
}

/// The path of the binary with a feature that [`build_with`] has made.
pub(crate) fn built_with(feature: &str) -> Result<PathBuf> {
    existing(target()?.join("dist").join(with_suffix(&format!("steadfast-{feature}"))))
}

fn existing(path: PathBuf) -> Result<PathBuf> {
    ensure!(path.exists(), "there is no {}", path.display());
    Ok(path)
}

/// Cargo's target folder. This program was built into it, unless it was copied elsewhere.
fn target() -> Result<PathBuf> {
    let here = std::env::current_exe().context("cannot find out where this program is")?;
    Ok(here.parent().and_then(Path::parent).unwrap_or(Path::new("target")).to_owned())
}

/// Compiles the binary and copies it. Returns cargo's output folder, and the folder of the copies.
fn compile(feature: Option<&str>) -> Result<(PathBuf, PathBuf)> {
    let mut command = process::cargo();
    command.args(["build", "--release", "--quiet", "--package", "steadfast"]);
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    let has_target = can_use_musl();
    if has_target {
        command.args(["--target", TARGET]);
    } else {
        eprintln!("warning: Rust has no {TARGET} here; the binary that is built instead takes longer to start");
    }
    process::run(&mut command)?;
    let target = target()?;
    let release = if has_target { target.join(TARGET).join("release") } else { target.join("release") };
    ensure!(release.join(name()).exists(), "there is no {} in {} after building it", name(), release.display());
    let dist = target.join("dist");
    let copied = feature.map_or_else(name, |feature| with_suffix(&format!("steadfast-{feature}")));
    // A copy also starts faster than the linker's output, which is written in many small parts: the system keeps the copy in larger pieces.
    copy(&release.join(name()), &dist.join(copied))?;
    Ok((release, dist))
}

fn name() -> String {
    with_suffix("steadfast")
}

fn with_suffix(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

/// Copies a file or a folder, and replaces the old one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        // The file of a running program cannot be written, but it can be replaced.
        let new = to.with_extension("new");
        fs::copy(from, &new).and_then(|_| fs::rename(&new, to))
    };
    copied.with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Whether the target is installed, or could be installed.
fn can_use_musl() -> bool {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return false;
    }
    is_installed() || process::succeeds(Command::new("rustup").args(["target", "add", TARGET])) && is_installed()
}

fn is_installed() -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(compiler)
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(process::root())
        .output();
    asked.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
}
