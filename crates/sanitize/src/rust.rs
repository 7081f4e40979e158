//! `steadfast cargo`: instruments Rust programs on a stable compiler, with LLVM's own pass and Steadfast's runtime.
//!
//! `-C passes` lets rustc run LLVM's instrumentation of atomics without any other effect of a sanitizer: no `cfg`, no other ABI, and the precompiled standard library can be linked as it is. The runtime is
//! a shared library that is loaded before all others, because a static one would contain a second copy of Rust's library.
//!
//! This does not instrument precompiled code: the slow paths of `std`'s own locks. [`standard_library`](crate::standard_library) makes a copy of the library in which they are instrumented, too.

use crate::compiler::ToolPaths;
use std::ffi::OsString;
use std::path::Path;

/// The environment for cargo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CargoEnvironment {
    /// Variables and their values.
    pub variables: Vec<(String, OsString)>,
}

/// The options of the user.
#[derive(Clone, Debug)]
pub struct CargoOptions<'a> {
    /// This machine's triple.
    pub target: &'a str,
    /// The command that runs programs.
    pub runner: &'a str,
    /// Whether plain accesses are instrumented, too.
    pub races: bool,
    /// The user's flags for the compiler, which come before Steadfast's, separated as cargo separates them.
    pub before: &'a str,
    /// The same for rustdoc, which compiles the examples in documentation: they are tests, too.
    pub before_for_documentation: &'a str,
    /// The folder with the instrumented standard library, if there is one.
    pub sysroot: Option<&'a Path>,
}

/// Makes the environment for cargo.
pub fn environment(surroundings: &ToolPaths, options: &CargoOptions<'_>) -> CargoEnvironment {
    let CargoOptions { target, runner, races, before, before_for_documentation, sysroot } = *options;
    let mut flags = Vec::new();
    if let Some(sysroot) = sysroot {
        flags.push(format!("--sysroot={}", sysroot.display()));
    }
    // Without line numbers the program's accesses could not be told from those of the standard library.
    flags.extend(["-Cdebuginfo=1", "-Cstrip=none"].map(str::to_owned));
    // Plain accesses are instrumented only in functions with an attribute, which another pass adds.
    let passes = if races { "forceattrs,tsan-module,function(tsan)" } else { "tsan-module,function(tsan)" };
    flags.push(format!("-Cpasses={passes}"));
    if races {
        flags.push("-Cllvm-args=-force-attribute=sanitize_thread".to_owned());
    }
    flags.push(format!("-Clink-arg={}", surroundings.shared().display()));
    for argument in ["-Xlinker", "-rpath", "-Xlinker", &surroundings.home.to_string_lossy()] {
        flags.push(format!("-Clink-arg={argument}"));
    }
    let all = |before: &str| -> OsString {
        let before = before.split('\x1f').filter(|flag| !flag.is_empty());
        before.chain(flags.iter().map(String::as_str)).collect::<Vec<_>>().join("\x1f").into()
    };
    let runner_name = format!("CARGO_TARGET_{}_RUNNER", target.to_uppercase().replace('-', "_"));
    // With an explicit target, build scripts and macros stay as they are.
    let variables = vec![
        ("CARGO_ENCODED_RUSTFLAGS".to_owned(), all(before)),
        ("CARGO_ENCODED_RUSTDOCFLAGS".to_owned(), all(before_for_documentation)),
        ("CARGO_BUILD_TARGET".to_owned(), target.into()),
        (runner_name, runner.into()),
    ];
    CargoEnvironment { variables }
}

/// This machine's triple, from the output of `rustc -vV`.
pub fn host(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: ")).map(str::trim)
}

/// Whether the runtime exists.
pub fn is_built(surroundings: &ToolPaths) -> bool {
    let shared: &Path = &surroundings.shared();
    shared.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_added_to_those_of_the_user() {
        let surroundings = ToolPaths { home: "/home".into(), compiler: None, atomics_only: false, hidden: false };
        let options = CargoOptions {
            target: "x86_64-unknown-linux-gnu",
            runner: "steadfast run --",
            races: true,
            before: "-Copt-level=2",
            before_for_documentation: "--cfg=docs",
            sysroot: Some(Path::new("/copy")),
        };
        let environment = environment(&surroundings, &options);
        let values: Vec<_> =
            environment.variables.iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect();
        let ours = "--sysroot=/copy\x1f-Cdebuginfo=1\x1f-Cstrip=none\x1f-Cpasses=forceattrs,tsan-module,function(tsan)\x1f-Cllvm-args=-force-attribute=sanitize_thread\
             \x1f-Clink-arg=/home/libsteadfast_rt.so\x1f-Clink-arg=-Xlinker\x1f-Clink-arg=-rpath\x1f-Clink-arg=-Xlinker\x1f-Clink-arg=/home";
        assert_eq!(
            values,
            [
                &*format!("CARGO_ENCODED_RUSTFLAGS=-Copt-level=2\x1f{ours}"),
                &*format!("CARGO_ENCODED_RUSTDOCFLAGS=--cfg=docs\x1f{ours}"),
                "CARGO_BUILD_TARGET=x86_64-unknown-linux-gnu",
                "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=steadfast run --",
            ]
        );
    }

    #[test]
    fn the_host_is_found() {
        assert_eq!(
            host("rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n"),
            Some("x86_64-unknown-linux-gnu")
        );
        assert_eq!(host("nonsense"), None);
    }
}
