//! Instruments Rust's standard library, so that the runtime sees what its locks and channels order.
//!
//! The library is precompiled, and with it the slow paths of its locks: `-C passes` does not reach them. But the compiler ships the library's LLVM code, for link-time optimisation, and a linker that can run passes over
//! LLVM code. So a copy of the library with instrumented atomics is made, in a folder that rustc uses as its own (`--sysroot`); all other files there are links. This is done once per
//! version of the compiler and takes some seconds.
//!
//! It needs `rust-lld`, which comes with the compiler from rustup, and `ar` and `objcopy`, which come with every linker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs, io};

/// The compiler that the library belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The output of `rustc --print sysroot`.
    pub sysroot: PathBuf,
    /// The triple of the machine.
    pub target: String,
    /// The output of `rustc -vV`.
    pub version: String,
}

/// Why there is no instrumented library.
#[derive(Debug)]
pub enum LibraryError {
    /// A part of the compiler is not where it should be.
    Missing(PathBuf),
    /// The library has no LLVM code, or is not as expected.
    Unexpected(String),
    /// A program could not be run, or failed.
    Tool(&'static str, String),
    /// A file could not be read or written.
    File(PathBuf, io::Error),
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "{} is missing", path.display()),
            Self::Unexpected(what) => write!(f, "{what}"),
            Self::Tool(tool, what) => write!(f, "{tool}: {what}"),
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for LibraryError {}

type Result<T> = std::result::Result<T, LibraryError>;

impl Toolchain {
    fn part(&self, name: &str) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(&self.target).join(name)
    }

    /// The name of the copy, from the version of the compiler and the way of instrumenting.
    fn copy_name(&self) -> String {
        let field = |name: &str| {
            let value = self.version.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown").trim();
            value.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.', "-")
        };
        format!("rust-{}-{}-{}-trusted", field("release:"), field("commit-hash:"), self.target)
    }
}

/// Where such copies are kept: `XDG_CACHE_HOME` or `~/.cache`.
pub fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache"))).map(|cache| cache.join("steadfast"))
}

/// The folder for rustc's `--sysroot`. It is made if it does not exist.
pub fn instrumented(toolchain: &Toolchain, cache: &Path) -> Result<PathBuf> {
    let finished = cache.join(toolchain.copy_name());
    if finished.is_dir() {
        return Ok(finished);
    }
    // It is made beside the final folder and then renamed, so that it is never incomplete, even if several processes make it at the same time.
    let scratch = cache.join(format!("{}.{}", toolchain.copy_name(), std::process::id()));
    let made = make(toolchain, &scratch).and_then(|()| {
        fs::remove_dir_all(scratch.join("scratch")).map_err(|error| LibraryError::File(scratch.clone(), error))
    });
    let renamed = made.and_then(|()| match fs::rename(&scratch, &finished) {
        Err(error) if !finished.is_dir() => Err(LibraryError::File(finished.clone(), error)),
        _ => Ok(()),
    });
    // Something is left only if it failed, or if another process was faster.
    let _ = fs::remove_dir_all(&scratch);
    renamed.map(|()| finished)
}

fn make(toolchain: &Toolchain, root: &Path) -> Result<()> {
    let there = root.join("lib/rustlib").join(&toolchain.target);
    let (libraries, work) = (there.join("lib"), root.join("scratch"));
    create(&libraries)?;
    create(&work)?;
    link(&toolchain.part("bin"), &there.join("bin"))?;
    let mut library = None;
    for entry in list(&toolchain.part("lib"))? {
        let Some(name) = entry.file_name().map(std::ffi::OsStr::to_owned) else { continue };
        let text = name.to_string_lossy();
        if text.starts_with("libstd-") && text.ends_with(".rlib") {
            let copy = libraries.join(&name);
            fs::copy(&entry, &copy).map_err(|error| LibraryError::File(entry.clone(), error))?;
            library = Some(copy);
        } else {
            link(&entry, &libraries.join(&name))?;
        }
    }
    let library = library.ok_or_else(|| LibraryError::Missing(toolchain.part("lib/libstd-*.rlib")))?;
    instrument(&library, &toolchain.part("bin/rust-lld"), &work)
}

/// Replaces the objects of a library by instrumented ones.
fn instrument(library: &Path, linker: &Path, work: &Path) -> Result<()> {
    if !linker.is_file() {
        return Err(LibraryError::Missing(linker.to_owned()));
    }
    let members = run("ar", Command::new("ar").arg("t").arg(library))?;
    let objects: Vec<&str> =
        members.lines().filter(|name| Path::new(name).extension().is_some_and(|end| end == "o")).collect();
    if objects.is_empty() {
        return Err(LibraryError::Unexpected(format!("{} has no objects", library.display())));
    }
    run("ar", Command::new("ar").arg("x").arg(library).current_dir(work))?;
    for object in &objects {
        let (object, code) = (work.join(object), work.join("code.bc"));
        let mut dump = OsString::from("--dump-section=.llvmbc=");
        dump.push(&code);
        run("objcopy", Command::new("objcopy").arg(dump).arg(&object).arg("/dev/null"))?;
        let passes = "--lto-newpm-passes=tsan-module,function(tsan)";
        let mut linking = Command::new(linker);
        linking.args(["-flavor", "gnu", "-r", passes]).arg(&code).arg("-o").arg(&object);
        run("rust-lld", &mut linking)?;
        let renamed = trusted_functions().map(|(from, to)| format!("--redefine-sym={from}={to}"));
        run("objcopy", Command::new("objcopy").args(renamed).arg(&object))?;
    }
    run("ar", Command::new("ar").arg("rs").arg(library).args(&objects).current_dir(work))?;
    Ok(())
}

/// The functions that the library calls instead of `ThreadSanitizer`'s, so that the runtime knows that it is trusted.
fn trusted_functions() -> impl Iterator<Item = (String, String)> {
    const OPERATIONS: [&str; 12] = [
        "load",
        "store",
        "exchange",
        "fetch_add",
        "fetch_sub",
        "fetch_and",
        "fetch_or",
        "fetch_xor",
        "fetch_nand",
        "compare_exchange_strong",
        "compare_exchange_weak",
        "compare_exchange_val",
    ];
    [8, 16, 32, 64, 128].into_iter().flat_map(|bits| {
        let names = move |operation: &str| {
            (format!("__tsan_atomic{bits}_{operation}"), format!("__steadfast_trusted_atomic{bits}_{operation}"))
        };
        OPERATIONS.into_iter().map(names)
    })
}

fn run(name: &'static str, command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| LibraryError::Tool(name, error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(LibraryError::Tool(name, if said.is_empty() { output.status.to_string() } else { said }));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| LibraryError::File(folder.to_owned(), error))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| LibraryError::File(folder.to_owned(), error))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).map_err(|error| LibraryError::File(to.to_owned(), error))
}

#[cfg(not(unix))]
fn link(from: &Path, _to: &Path) -> Result<()> {
    Err(LibraryError::Unexpected(format!("{} cannot be linked to on this system", from.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(sysroot: &str) -> Toolchain {
        let version = "rustc 1.95.0 (abc 2026-04-14)\nbinary: rustc\ncommit-hash: abc\nrelease: 1.95.0\n";
        Toolchain { sysroot: sysroot.into(), target: "x86_64-unknown-linux-gnu".into(), version: version.into() }
    }

    #[test]
    fn every_version_has_a_copy_of_its_own() {
        assert_eq!(toolchain("/").copy_name(), "rust-1.95.0-abc-x86_64-unknown-linux-gnu-trusted");
    }

    #[test]
    fn without_a_compiler_there_is_no_copy_and_nothing_is_left() {
        let cache = std::env::temp_dir().join(format!("steadfast-test-{}", std::process::id()));
        let error = instrumented(&toolchain("/nowhere"), &cache).unwrap_err();
        assert!(error.to_string().contains("/nowhere"), "{error}");
        assert_eq!(list(&cache).unwrap(), Vec::<PathBuf>::new());
        fs::remove_dir_all(cache).unwrap();
    }
}
