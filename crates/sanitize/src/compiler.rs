//! `steadfast cc` and `steadfast c++`: the same command for the real compiler, with what instruments the program and links the runtime.

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

/// The compilers that we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Everything that calls itself clang.
    Clang,
    /// Everything else.
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
    /// Neither clang nor gcc is there.
    NoCompiler,
    /// The runtime is not beside the executable.
    NoRuntime(PathBuf),
    /// The program cannot be linked like this.
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
                    "the runtime is not there: {}; `cargo build --release` makes it, beside the executable",
                    path.display()
                )
            }
            Self::Unsupported(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for CompilerError {}

/// Where things are, as far as the command depends on it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The folder with the executable and the libraries of the runtime.
    pub home: PathBuf,
    /// `STEADFAST_CC` or `STEADFAST_CXX`.
    pub compiler: Option<OsString>,
    /// Whether only atomics are instrumented: `STEADFAST_ATOMICS_ONLY`.
    pub atomics_only: bool,
    /// Whether the program shall not notice that it is instrumented: `STEADFAST_HIDE`.
    pub hidden: bool,
}

impl Surroundings {
    /// Those of this process.
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
    surroundings: &Surroundings,
) -> Result<CompilerCommand, CompilerError> {
    let program = compiler(language, surroundings).ok_or(CompilerError::NoCompiler)?;
    let family = family(&program);
    let mut wrapped = Vec::new();
    let goal = Goal::of(arguments);
    if goal != Goal::Information {
        wrapped.extend(instrument(family, surroundings, arguments));
    }
    wrapped.extend(arguments.iter().cloned());
    if goal == Goal::Executable {
        if arguments.iter().any(|argument| argument == "-static" || argument == "-static-pie") {
            return Err(CompilerError::Unsupported(
                "a static executable cannot be checked: the runtime has to come before libc; leave out -static",
            ));
        }
        wrapped.extend(link(surroundings)?);
    }
    Ok(CompilerCommand { program, arguments: wrapped })
}

/// What a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// Nothing: it only asks something of the compiler.
    Information,
    /// An object, an assembly text, a preprocessed file, or a library that will find the runtime in the executable.
    Part,
    /// An executable.
    Executable,
}

impl Goal {
    fn of(arguments: &[OsString]) -> Self {
        let mut inputs = false;
        let mut skip = false;
        let mut part = false;
        for argument in arguments {
            if std::mem::take(&mut skip) {
                continue;
            }
            let text = argument.to_string_lossy();
            if matches!(
                &*text,
                "-c" | "-S" | "-E" | "-M" | "-MM" | "-fsyntax-only" | "-shared" | "-r" | "-nostdlib" | "--precompile"
            ) {
                part = true;
            }
            skip = takes_a_value(&text);
            inputs |= !text.starts_with('-') || text == "-" || text.starts_with("-l");
        }
        match (inputs, part) {
            (false, _) => Self::Information,
            (true, true) => Self::Part,
            (true, false) => Self::Executable,
        }
    }
}

/// Options whose value is the next argument.
fn takes_a_value(option: &str) -> bool {
    const OPTIONS: [&str; 25] = [
        "-o",
        "-x",
        "-I",
        "-L",
        "-D",
        "-U",
        "-MF",
        "-MT",
        "-MQ",
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-isysroot",
        "-Xlinker",
        "-Xclang",
        "-Xassembler",
        "-Xpreprocessor",
        "-T",
        "-u",
        "-z",
        "-arch",
        "-target",
        "--param",
    ];
    OPTIONS.contains(&option)
}

fn instrument(family: Family, surroundings: &Surroundings, arguments: &[OsString]) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-fsanitize=thread".into(), "-D__STEADFAST__=1".into()];
    let says = |prefix: &str| arguments.iter().any(|argument| argument.to_string_lossy().starts_with(prefix));
    if !says("-g") {
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
            // What gcc would link is replaced by files with nothing in them; the runtime itself comes later, as for clang.
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

/// Some libraries have other atomics for sanitizers, which do not know fences: what is checked is then not what will run. So the compiler does not say that there is one.
fn hide(family: Family) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-U__SANITIZE_THREAD__".into()];
    if family == Family::Clang {
        // Where clang is asked for a feature, names that are not defined count as 0. All features are extensions, too.
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

fn link(surroundings: &Surroundings) -> Result<Vec<OsString>, CompilerError> {
    let archive = surroundings.archive();
    // Without the other parts there would be a thousand messages of the linker.
    let parts = [archive.clone(), surroundings.home.join("gcc"), surroundings.home.join("include")];
    if let Some(missing) = parts.into_iter().find(|part| !part.exists()) {
        return Err(CompilerError::NoRuntime(missing));
    }
    let mut flags = vec![archive.into_os_string()];
    if !surroundings.atomics_only {
        // Clang from version 15 on calls functions of the sanitizer where gcc and older ones call these.
        flags.push("-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset".into());
    }
    // Libraries that are loaded later find the runtime in the executable.
    flags.push("-Wl,--export-dynamic-symbol=__tsan_*".into());
    // Reports are completed by `steadfast`, which the runtime looks for there.
    flags.push(joined("-Wl,-rpath,", &surroundings.home));
    flags.extend(["-lpthread", "-ldl"].map(OsString::from));
    Ok(flags)
}

fn joined(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

fn compiler(language: Language, surroundings: &Surroundings) -> Option<OsString> {
    if let Some(compiler) = &surroundings.compiler {
        return Some(compiler.clone());
    }
    let names: [&str; 2] = match language {
        Language::C => ["clang", "gcc"],
        Language::Cxx => ["clang++", "g++"],
    };
    names.into_iter().find(|name| is_on_path(name)).map(OsString::from)
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Judged by the name, and for names that say nothing by what the compiler says about itself.
fn family(program: &OsStr) -> Family {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
    if name.contains("clang") {
        return Family::Clang;
    }
    if name.contains("gcc") || name.contains("g++") {
        return Family::Gcc;
    }
    let version = std::process::Command::new(program).arg("--version").output();
    let says_clang = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang"));
    if says_clang { Family::Clang } else { Family::Gcc }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(command: &str) -> Goal {
        Goal::of(&command.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_a_command_makes() {
        assert_eq!(goal("--version"), Goal::Information);
        assert_eq!(goal("-v -dumpmachine"), Goal::Information);
        assert_eq!(goal("-c a.c -o a.o"), Goal::Part);
        assert_eq!(goal("-shared -fPIC a.c -o a.so"), Goal::Part);
        assert_eq!(goal("a.o b.o -o program"), Goal::Executable);
        assert_eq!(goal("-O2 -x c - -o program"), Goal::Executable);
        assert_eq!(goal("-o program"), Goal::Information);
    }

    fn wrapped(compiler: &str, line: &str, home: &Path, atomics_only: bool) -> Result<String, CompilerError> {
        let surroundings =
            Surroundings { home: home.to_owned(), compiler: Some(compiler.into()), atomics_only, hidden: false };
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
    fn half_a_runtime_is_none() {
        let home = std::env::temp_dir().join(format!("steadfast-half-{}", std::process::id()));
        std::fs::create_dir_all(home.join("include")).unwrap();
        std::fs::write(home.join("libsteadfast_rt.a"), "").unwrap();
        let missing = wrapped("gcc", "a.o -o a", &home, false).unwrap_err();
        std::fs::create_dir_all(home.join("gcc")).unwrap();
        let linked = wrapped("gcc", "a.o -o a", &home, false);
        std::fs::remove_dir_all(&home).unwrap();
        assert_eq!(missing, CompilerError::NoRuntime(home.join("gcc")));
        assert!(linked.is_ok(), "{linked:?}");
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
