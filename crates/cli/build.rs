//! Builds the runtime of the sanitizer, and links the binary statically and at a fixed address on Linux.
//!
//! A position-independent executable of this size is relocated page by page before `main` begins, and shared libraries are looked for and relocated, which
//! together takes longer than checking a small program. The code itself is the same either way.
//!
//! The runtime is built as a static and as a shared library, and both lie beside the executable.
//!
//! Cargo has no stable way to depend on such libraries, and the runtime needs a profile of its own: always optimised, whatever this crate is built
//! with, without unwinding, and without link-time optimisation, which would leave symbols of Rust's standard library in it that clash with those of
//! Rust programs. So this is another call of cargo, with a target directory of its own.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const LIBRARIES: [&str; 2] = ["libsteadfast_rt.a", "libsteadfast_rt.so"];
const PROFILE: [&str; 5] = ["opt-level=3", "lto=false", "panic=\"abort\"", "debug=0", "codegen-units=1"];

fn main() {
    let crates = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    println!("cargo:rerun-if-changed={}", crates.join("cli/build.rs").display());
    for part in parts_of_runtime(&crates) {
        println!("cargo:rerun-if-changed={}", crates.join(part).display());
    }
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        link_statically(&PathBuf::from(variable("OUT_DIR")).join("static"));
    }
    // The shims are written for this machine; elsewhere the other commands are still useful.
    if variable("CARGO_CFG_TARGET_ARCH") != "x86_64" || variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let Some(beside_executable) = out.ancestors().nth(3) else { fail("OUT_DIR is not where cargo usually puts it") };
    let built_in = beside_executable.join("runtime");
    build(&crates.join("../Cargo.toml"), &built_in);
    for library in LIBRARIES {
        install(&built_in.join("release").join(library), &beside_executable.join(library));
        without_intermediate_code(&beside_executable.join(library));
    }
    stand_in_for_gcc(&beside_executable.join("gcc"));
    let headers = beside_executable.join("include");
    if let Err(error) = fs::create_dir_all(&headers) {
        fail(&format!("cannot make {}: {error}", headers.display()));
    }
    install(&crates.join("rt/include/steadfast.h"), &headers.join("steadfast.h"));
}

/// The crates of this workspace that the runtime is made of: what it depends on, directly or not.
fn parts_of_runtime(crates: &Path) -> Vec<String> {
    let mut parts = vec!["rt".to_owned()];
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let manifest = crates.join(part).join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else { fail(&format!("cannot read {}", manifest.display())) };
        let dependencies = text.split("\n[").find_map(|section| section.strip_prefix("dependencies]")).unwrap_or("");
        let names = dependencies.lines().filter_map(|line| line.strip_prefix("steadfast-")?.split([' ', '.']).next());
        let new: Vec<String> = names.filter(|name| parts.iter().all(|part| part != name)).map(str::to_owned).collect();
        parts.extend(new);
        at += 1;
    }
    parts
}

/// Lets the linker take the static libraries of C where the compiler asks for the shared ones, if they are there. (What cargo offers for this would also be
/// used for procedural macros, which have to be shared libraries.)
fn link_statically(scripts: &Path) {
    let shared = [("c", "libc.a"), ("m", "libm.a"), ("gcc_s", "libgcc_eh.a")];
    // For another machine another compiler links, and this one cannot say what it finds.
    if variable("HOST") != variable("TARGET") || !shared.iter().all(|(_, archive)| is_installed(archive)) {
        return;
    }
    for (name, archive) in shared {
        let script = format!("GROUP ( -l:{archive} -l:libgcc.a -l:libc.a )\n");
        let written =
            fs::create_dir_all(scripts).and_then(|()| fs::write(scripts.join(format!("lib{name}.so")), script));
        if let Err(error) = written {
            fail(&format!("cannot write to {}: {error}", scripts.display()));
        }
    }
    println!("cargo:rustc-link-arg-bins=-L{}", scripts.display());
    println!("cargo:rustc-link-arg-bins=-static");
}

/// Whether the C compiler finds a library.
fn is_installed(archive: &str) -> bool {
    let found = Command::new("cc").arg(format!("-print-file-name={archive}")).output();
    found.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_absolute())
}

/// The standard library carries LLVM's code along, for optimising at link time; another version of LLVM, as in the linker of a clang with `-flto`, stumbles over it. Without binutils it stays.
fn without_intermediate_code(library: &Path) {
    let mut command = Command::new("objcopy");
    let _ = command.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]).arg(library).status();
}

/// With `-fsanitize=thread` gcc always links these two. The linker takes a text for a script, and does what it says: nothing.
fn stand_in_for_gcc(folder: &Path) {
    let script = "/* The runtime is linked as libsteadfast_rt.a. */\n";
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join("libtsan.a"), script))
        .and_then(|()| fs::write(folder.join("libtsan_preinit.o"), script));
    if let Err(error) = written {
        fail(&format!("cannot write to {}: {error}", folder.display()));
    }
}

fn build(manifest: &Path, target: &Path) {
    let mut command = Command::new(variable("CARGO"));
    command.args([
        "rustc",
        "--release",
        "--quiet",
        "--package",
        "steadfast-rt",
        "--lib",
        "--crate-type",
        "staticlib,cdylib",
    ]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
    for setting in PROFILE {
        command.arg("--config").arg(format!("profile.release.{setting}"));
    }
    // These belong to the outer build: coverage, lints and the like are not for a library that runs inside of other programs.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET",
    ] {
        command.env_remove(name);
    }
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("building the runtime ended with {status}")),
        Err(error) => fail(&format!("cannot run cargo for the runtime: {error}")),
    }
}

/// Replaces the library at once, so that nobody who links with it sees half of it.
fn install(from: &Path, to: &Path) {
    let new = to.with_extension(format!("{}.new", std::process::id()));
    let copied = fs::copy(from, &new).and_then(|_| fs::rename(&new, to));
    if let Err(error) = copied {
        fail(&format!("cannot copy {} to {}: {error}", from.display(), to.display()));
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("{name} is not set")))
}

fn fail(reason: &str) -> ! {
    println!("cargo:warning={reason}");
    std::process::exit(1)
}
