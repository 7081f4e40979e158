//! `steadfast cc` and `steadfast c++`: the same command for the real compiler, with the options that instrument the program and link the runtime.

use crate::command_line::{Debug, Goal, Request, strips};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// C or C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

/// The known compilers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Every compiler that calls itself clang.
    Clang,
    /// Every other compiler.
    Gcc,
}

/// A command for the real compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerCommand {
    /// The compiler.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// Why there is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompilerError {
    /// Neither clang nor gcc is installed.
    NoCompiler,
    /// The runtime is not beside the executable.
    NoRuntime(PathBuf),
    /// The program cannot be linked in this way.
    Unsupported(&'static str),
}

impl std::fmt::Display for CompilerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCompiler => {
                write!(f, "neither clang nor gcc is on PATH; STEADFAST_CC and STEADFAST_CXX can name a compiler")
            }
            Self::NoRuntime(path) => {
                write!(
                    f,
                    "the runtime is missing: {}; `cargo build --release` builds it beside the executable",
                    path.display()
                )
            }
            Self::Unsupported(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for CompilerError {}

/// The paths and settings that the command depends on.
#[derive(Clone, Debug)]
pub struct ToolPaths {
    /// The folder with the executable and the libraries of the runtime.
    pub home: PathBuf,
    /// `STEADFAST_CC` or `STEADFAST_CXX`.
    pub compiler: Option<OsString>,
    /// Whether only atomics are instrumented: `STEADFAST_ATOMICS_ONLY`.
    pub atomics_only: bool,
    /// Whether the instrumentation is hidden from the program: `STEADFAST_HIDE`.
    pub hidden: bool,
}

impl ToolPaths {
    /// The paths and settings of this process.
    pub fn here(language: Language) -> Self {
        let executable = std::env::current_exe().unwrap_or_default();
        let home = executable.canonicalize().unwrap_or(executable).parent().map(Path::to_owned).unwrap_or_default();
        let variable = match language {
            Language::C => "STEADFAST_CC",
            Language::Cxx => "STEADFAST_CXX",
        };
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let is_on = |name: &str| set(name).is_some_and(|value| value != "0");
        Self {
            home,
            compiler: set(variable),
            atomics_only: is_on("STEADFAST_ATOMICS_ONLY"),
            hidden: is_on("STEADFAST_HIDE"),
        }
    }

    /// The static library.
    pub fn archive(&self) -> PathBuf {
        self.home.join("libsteadfast_rt.a")
    }

    /// The shared library.
    pub fn shared(&self) -> PathBuf {
        self.home.join("libsteadfast_rt.so")
    }
}

/// The command for these arguments.
pub fn command(
    language: Language,
    arguments: &[OsString],
    surroundings: &ToolPaths,
) -> Result<CompilerCommand, CompilerError> {
    let (program, more) = compiler(language, surroundings).ok_or(CompilerError::NoCompiler)?;
    let family = family(&program, &more);
    let mut wrapped = more;
    let request = Request::of(arguments);
    if request.goal == Goal::Information {
        wrapped.extend(arguments.iter().cloned());
        return Ok(CompilerCommand { program, arguments: wrapped });
    }
    wrapped.extend(instrument(family, surroundings, request));
    wrapped.extend(arguments.iter().filter(|argument| !argument.to_str().is_some_and(strips)).cloned());
    if request.debug == Debug::None {
        // The lowest level with information about inlining, which tells trusted code from the program's.
        wrapped.push(if family == Family::Clang { "-gline-tables-only" } else { "-g1" }.into());
    }
    if request.goal == Goal::Library {
        // The runtime's functions are in the executable, even if the command asks that the library has no undefined symbols. Not every linker knows `-z undefs`.
        wrapped.push("-Wl,--unresolved-symbols=ignore-all".into());
    }
    if request.goal == Goal::Executable {
        if request.is_static {
            return Err(CompilerError::Unsupported(
                "cannot check a static executable: the runtime must come before libc; leave out -static",
            ));
        }
        wrapped.extend(link(surroundings, request)?);
        if language == Language::Cxx {
            wrapped.extend(OPERATORS.map(|name| format!("-Wl,-u,{name},--wrap={name}").into()));
        }
    }
    Ok(CompilerCommand { program, arguments: wrapped })
}

fn instrument(family: Family, surroundings: &ToolPaths, request: Request) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-fsanitize=thread".into(), "-D__STEADFAST__=1".into()];
    if request.debug == Debug::Unsaid {
        flags.push("-g".into());
    }
    flags.push(joined("-idirafter", &surroundings.home.join("include")));
    match family {
        Family::Clang => {
            flags.push("-fno-sanitize-link-runtime".into());
            if surroundings.atomics_only {
                flags.extend(
                    ["-fno-sanitize-thread-memory-access", "-fno-sanitize-thread-func-entry-exit"].map(OsString::from),
                );
            }
        }
        Family::Gcc => {
            flags.push("-Wno-tsan".into());
            // gcc's own runtime is replaced by empty files; Steadfast's runtime comes later, as for clang.
            flags.push(joined("-B", &surroundings.home.join("gcc")));
            flags.push("-static-libtsan".into());
            if surroundings.atomics_only {
                flags.push("--param=tsan-instrument-func-entry-exit=0".into());
            }
        }
    }
    if surroundings.hidden {
        flags.extend(hide(family));
    }
    flags
}

/// Options that hide the sanitizer from the program. Some libraries use other atomics under sanitizers, because `ThreadSanitizer` does not know fences: then the checked code is not the code that will run.
fn hide(family: Family) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-U__SANITIZE_THREAD__".into()];
    if family == Family::Clang {
        // In clang's feature tests, undefined names count as 0. All features are extensions, too.
        flags.extend(
            [
                "-D__has_feature(x)=(!(__steadfast_hides_##x+0)&&__has_extension(x))",
                "-D__steadfast_hides_thread_sanitizer=1",
                "-Wno-builtin-macro-redefined",
            ]
            .map(OsString::from),
        );
    }
    flags
}

fn link(surroundings: &ToolPaths, request: Request) -> Result<Vec<OsString>, CompilerError> {
    let archive = surroundings.archive();
    // Without the other parts the linker would print very many errors.
    let parts = [archive.clone(), surroundings.home.join("gcc"), surroundings.home.join("include")];
    if let Some(missing) = parts.into_iter().find(|part| !part.exists()) {
        return Err(CompilerError::NoRuntime(missing));
    }
    let mut flags = Vec::new();
    if request.says_language {
        // Else the compiler would take the runtime for a source file in that language.
        flags.extend(["-x", "none"].map(OsString::from));
    }
    flags.push(archive.into_os_string());
    if surroundings.atomics_only {
        // gcc always instruments plain accesses, so the runtime ignores them.
        flags.push("-Wl,--defsym=__steadfast_atomics_only=1".into());
    } else {
        // From version 15 on, clang calls functions of the sanitizer where gcc and older versions call some of these.
        flags.push(FUNCTIONS.map(|name| format!(",--wrap={name}")).concat().replacen(',', "-Wl,", 1).into());
    }
    // A program may define functions with names of libc, such as `send`. The program's come first.
    flags.push("-Wl,--allow-multiple-definition".into());
    // Libraries that are loaded later use the runtime in the executable.
    flags.extend(EXPORTED.map(|names| format!("-Wl,--export-dynamic-symbol={names}").into()));
    // The runtime searches there for `steadfast`, which adds names and lines to reports.
    flags.extend(["-Xlinker", "-rpath", "-Xlinker"].map(OsString::from));
    flags.push(surroundings.home.clone().into_os_string());
    flags.extend(["-lpthread", "-ldl"].map(OsString::from));
    Ok(flags)
}

/// The functions that instrumented libraries call, and the annotations for sanitizers.
const EXPORTED: [&str; 4] = ["__tsan_*", "Annotate*", "WTFAnnotate*", "__sanitizer_print_stack_trace"];

/// The functions of libc that read and write memory for the program. The runtime has the same list; `tests/lists.rs` compares them.
const FUNCTIONS: [&str; 17] = [
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "strlen", "strnlen", "strcpy", "stpcpy", "strncpy",
    "strcat", "strncat", "strdup", "strchr", "strcmp", "strncmp",
];

/// `new` and `delete`, so that reports name their callers. The runtime has the same list; `tests/lists.rs` compares them.
const OPERATORS: [&str; 14] = [
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
];

fn joined(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

/// The compiler, and the arguments that are part of its name, as in `ccache gcc`.
fn compiler(language: Language, surroundings: &ToolPaths) -> Option<(OsString, Vec<OsString>)> {
    if let Some(compiler) = &surroundings.compiler {
        return Some(split_name(compiler));
    }
    let names: [&str; 2] = match language {
        Language::C => ["clang", "gcc"],
        Language::Cxx => ["clang++", "g++"],
    };
    names.into_iter().find(|name| is_on_path(name)).map(|name| (name.into(), Vec::new()))
}

/// A name with blanks is a file if that exists, else a command with arguments, as in `CC`.
fn split_name(compiler: &OsStr) -> (OsString, Vec<OsString>) {
    let words: Vec<_> =
        compiler.to_str().into_iter().flat_map(str::split_ascii_whitespace).map(OsString::from).collect();
    match words.split_first() {
        Some((program, more)) if !Path::new(compiler).exists() => (program.clone(), more.to_vec()),
        _ => (compiler.to_owned(), Vec::new()),
    }
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The family by the name of the compiler, or if the name does not tell, by the output of the compiler.
fn family(program: &OsStr, more: &[OsString]) -> Family {
    for word in std::iter::once(program).chain(more.iter().map(OsString::as_os_str)) {
        let name = Path::new(word).file_name().unwrap_or(word).to_string_lossy();
        if name.contains("clang") {
            return Family::Clang;
        }
        if name.contains("gcc") || name.contains("g++") {
            return Family::Gcc;
        }
    }
    let version = std::process::Command::new(program).args(more).arg("--version").output();
    let says_clang = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang"));
    if says_clang { Family::Clang } else { Family::Gcc }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(compiler: &str, line: &str, home: &Path, atomics_only: bool) -> Result<String, CompilerError> {
        let surroundings =
            ToolPaths { home: home.to_owned(), compiler: Some(compiler.into()), atomics_only, hidden: false };
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let command = command(Language::C, &arguments, &surroundings)?;
        Ok(command.arguments.iter().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn compiling_instruments() {
        let home = Path::new("/home");
        assert_eq!(
            wrapped("clang-19", "-O2 -c a.c", home, false).unwrap(),
            "-fsanitize=thread -D__STEADFAST__=1 -g -idirafter/home/include -fno-sanitize-link-runtime -O2 -c a.c"
        );
        assert_eq!(
            wrapped("gcc", "-g1 -c a.c", home, true).unwrap(),
            "-fsanitize=thread -D__STEADFAST__=1 -idirafter/home/include -Wno-tsan -B/home/gcc -static-libtsan \
             --param=tsan-instrument-func-entry-exit=0 -g1 -c a.c"
        );
        assert_eq!(wrapped("clang", "--version", home, false).unwrap(), "--version");
    }

    #[test]
    fn a_form_of_debug_information_is_no_wish_for_it_and_none_is_not_enough() {
        let made = |compiler, line| wrapped(compiler, line, Path::new("/home"), false).unwrap();
        assert!(made("clang", "-gsplit-dwarf -gz -c a.c").contains(" -g "));
        assert!(!made("clang", "-gmlt -c a.c").contains(" -g "));
        assert!(made("clang", "-g0 -c a.c").ends_with(" -g0 -c a.c -gline-tables-only"));
        assert!(made("gcc", "-g0 -c a.c").ends_with(" -g0 -c a.c -g1"));
        assert!(!made("gcc", "-g0 -c a.c").contains(" -g "));
        assert!(!made("gcc", "-s -shared -Wl,-s a.o").contains("-s "));
        assert_eq!(made("gcc", "--version -s"), "--version -s");
    }

    #[test]
    fn libraries_may_leave_the_runtime_undefined() {
        let made = |line| wrapped("gcc", line, Path::new("/home"), false).unwrap();
        let permission = "-Wl,--unresolved-symbols=ignore-all";
        let linked = made("-shared a.o -o a.so -Wl,-z,defs");
        assert!(linked.ends_with(&format!("-Wl,-z,defs {permission}")), "{linked}");
        assert!(!made("-shared -c a.c -o a.o").contains(permission));
    }

    #[test]
    fn a_compiler_can_come_with_arguments() {
        let home = Path::new("/home");
        let (program, more) = split_name(OsStr::new("ccache  clang-19 -pipe"));
        assert_eq!((program.as_os_str(), family(&program, &more)), (OsStr::new("ccache"), Family::Clang));
        assert!(wrapped("ccache gcc", "-c a.c", home, false).unwrap().starts_with("gcc -fsanitize=thread"));
        assert_eq!(wrapped("ccache gcc", "--version", home, false).unwrap(), "gcc --version");
    }

    #[test]
    fn half_a_runtime_is_none() {
        let home = std::env::temp_dir().join(format!("steadfast-half-{}", std::process::id()));
        std::fs::create_dir_all(home.join("include")).unwrap();
        std::fs::write(home.join("libsteadfast_rt.a"), "").unwrap();
        let missing = wrapped("gcc", "a.o -o a", &home, false).unwrap_err();
        std::fs::create_dir_all(home.join("gcc")).unwrap();
        let linked = wrapped("gcc", "a.o -o a", &home, false);
        let named = wrapped("gcc", "-x c a.c -o a", &home, false).unwrap();
        let incomplete = wrapped("gcc", "a.c -o", &home, false).unwrap();
        std::fs::remove_dir_all(&home).unwrap();
        assert_eq!(missing, CompilerError::NoRuntime(home.join("gcc")));
        assert!(linked.is_ok_and(|linked| !linked.contains("-x none")));
        assert!(named.contains("-o a -x none /"), "{named}");
        // The compiler would overwrite the runtime, or delete it after an error.
        assert_eq!(incomplete, "a.c -o");
    }

    #[test]
    fn linking_needs_the_runtime_and_a_dynamic_executable() {
        let error = wrapped("gcc", "a.o -o a", Path::new("/nowhere"), false).unwrap_err();
        assert_eq!(error, CompilerError::NoRuntime("/nowhere/libsteadfast_rt.a".into()));
        assert!(
            wrapped("gcc", "-static a.o", Path::new("/nowhere"), false).unwrap_err().to_string().contains("-static")
        );
    }
}
