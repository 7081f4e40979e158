//! Delivers reports: to a file of `steadfast run`, or to standard error with names and lines, which another process looks up.

use crate::options;
use crate::sys::{self, raw_syscall, write_all};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, Ordering};
use std::vec::Vec;

/// What happened to a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    /// A suppression matches it.
    Suppressed,
    No,
}

/// Writes a report to its destination. Returns whether it counts; a suppressed report does not.
pub(super) fn deliver(record: &[u8]) -> bool {
    if let Some(file) = options::REPORT_FILE.get() {
        append(file, record);
        return true;
    }
    let output = log().unwrap_or(2);
    let wanted = options::SYMBOLIZE.load(Ordering::Relaxed);
    let shown = if wanted { show(record, output) } else { Shown::No };
    if shown == Shown::No {
        write_all(
            output,
            b"==================\nWARNING: Steadfast: (raw addresses; `steadfast symbolize` reads this)\n",
        );
        write_all(output, record);
        write_all(output, b"==================\n");
    }
    if output != 2 {
        close(output);
    }
    shown != Shown::Suppressed
}

/// A spare descriptor of the file of `steadfast run`: later the program may have no permission to open it, no descriptor left, or another root directory.
static SPARE: AtomicI32 = AtomicI32::new(-1);

/// Creates the file, even if it stays empty, so that `steadfast run` knows that the runtime is active in this program.
pub(super) fn announce() {
    if let Some(file) = options::REPORT_FILE.get()
        && let Some(file) = open_to_append(file)
    {
        // A high number, because programs may rely on the low numbers of their descriptors.
        SPARE.store(at_least(file, [1000, 200, 50, 10]).unwrap_or(-1), Ordering::Relaxed);
        close(file);
    }
}

/// Copies a descriptor to a number not below one of these. The copy is closed on exec.
fn at_least<const N: usize>(file: c_int, numbers: [usize; N]) -> Option<c_int> {
    numbers.into_iter().find_map(|number| {
        let arguments = [file as usize, libc::F_DUPFD_CLOEXEC as usize, number, 0, 0, 0];
        // SAFETY: this copies a descriptor and touches no memory.
        let copy = unsafe { raw_syscall(libc::SYS_fcntl, arguments) };
        (copy >= 0).then_some(copy as c_int)
    })
}

/// Writes how many reports there were.
pub(super) fn summary(count: u32) {
    if options::REPORT_FILE.get().is_none() {
        let output = log().unwrap_or(2);
        let warnings = if count == 1 { "warning" } else { "warnings" };
        write_all(output, std::format!("Steadfast: reported {count} {warnings}\n").as_bytes());
    }
}

fn log() -> Option<c_int> {
    let mut path = options::LOG_PATH.get()?;
    path.extend_from_slice(std::format!(".{}", sys::process_number()).as_bytes());
    open_to_append(path)
}

fn open_to_append(mut path: Vec<u8>) -> Option<c_int> {
    path.push(0);
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
    // SAFETY: the path is a string of C.
    let file = unsafe { raw_syscall(libc::SYS_open, [path.as_ptr() as usize, flags as usize, 0o644, 0, 0, 0]) };
    (file >= 0).then_some(file as c_int)
}

fn append(path: Vec<u8>, record: &[u8]) {
    match open_to_append(path) {
        Some(file) => {
            write_all(file, record);
            close(file);
        }
        None => match SPARE.load(Ordering::Relaxed) {
            spare @ 0.. => write_all(spare, record),
            _ => write_all(2, record),
        },
    }
}

fn close(file: c_int) {
    // SAFETY: the runtime has opened the file.
    unsafe { raw_syscall(libc::SYS_close, [file as usize, 0, 0, 0, 0, 0]) };
}

/// The program that looks up names and lines: that of the option, or `steadfast` from the folder of the runtime that the program was linked with, or from `PATH`.
fn symbolizer() -> Option<Vec<u8>> {
    if let Some(path) = options::SYMBOLIZER.get() {
        return Some(path);
    }
    let folders = [super::modules::run_path(), options::PATH.get()];
    let folders = folders.iter().flatten().flat_map(|list| list.split(|&byte| byte == b':'));
    folders.map(|folder| [folder, b"/steadfast"].concat()).find(|path| is_executable(path))
}

fn is_executable(path: &[u8]) -> bool {
    let path = [path, b"\0"].concat();
    // SAFETY: the path is a string of C.
    unsafe { raw_syscall(libc::SYS_access, [path.as_ptr() as usize, libc::X_OK as usize, 0, 0, 0, 0]) == 0 }
}

/// Lets `steadfast symbolize` show the report. The whole record is in a pipe that is large enough before the other process starts, so that nothing can
/// block or fail half way.
fn show(record: &[u8], output: c_int) -> Shown {
    let Some(mut path) = symbolizer() else { return Shown::No };
    path.push(0);
    let mut ends = [0 as c_int; 2];
    // SAFETY: raw system calls with the runtime's own arguments. The child of the clone shares nothing with this process and only calls the system.
    unsafe {
        if raw_syscall(libc::SYS_pipe2, [ends.as_mut_ptr() as usize, libc::O_CLOEXEC as usize, 0, 0, 0, 0]) < 0 {
            return Shown::No;
        }
        write_all(ends[1], record);
        close(ends[1]);
        // The clone sends no signal at its end, so `wait` in the program does not see it.
        let child = raw_syscall(libc::SYS_clone, [0; 6]);
        if child == 0 {
            become_symbolizer(&path, ends[0], output);
        }
        close(ends[0]);
        if child > 0 { Shown::from_status(ended(child)) } else { Shown::No }
    }
}

/// Runs in the cloned process: starts another process that shows the report, and ends with its exit code. The clone must not call `exec` itself, because it would then be an ordinary child of the program.
///
/// # Safety
/// Nothing but system calls, and never back to the caller.
unsafe fn become_symbolizer(path: &[u8], input: c_int, output: c_int) -> ! {
    let arguments = [path.as_ptr(), c"symbolize".as_ptr().cast(), core::ptr::null()];
    let environment = [core::ptr::null::<u8>()];
    // SAFETY: nothing but system calls, as the caller wants it, with memory of this process. Zeroes are the default action for a signal: a process that ignores it cannot wait for children.
    unsafe {
        let action = [0usize; 4];
        raw_syscall(libc::SYS_rt_sigaction, [libc::SIGCHLD as usize, action.as_ptr() as usize, 0, 8, 0, 0]);
        let child = raw_syscall(libc::SYS_clone, [libc::SIGCHLD as usize, 0, 0, 0, 0, 0]);
        if child == 0 {
            // If the program has closed its standard files, the pipe may have their numbers.
            if let (Some(input), Some(output)) = (at_least(input, [3]), at_least(output, [3])) {
                raw_syscall(libc::SYS_dup2, [input as usize, 0, 0, 0, 0, 0]);
                raw_syscall(libc::SYS_dup2, [output as usize, 1, 0, 0, 0, 0]);
                unblock_signals();
                raw_syscall(
                    libc::SYS_execve,
                    [path.as_ptr() as usize, arguments.as_ptr() as usize, environment.as_ptr() as usize, 0, 0, 0],
                );
            }
            raw_syscall(libc::SYS_exit_group, [127, 0, 0, 0, 0, 0]);
        }
        let status = if child > 0 { ended(child) } else { None };
        let code = status.filter(|&status| libc::WIFEXITED(status)).map_or(127, |status| libc::WEXITSTATUS(status));
        raw_syscall(libc::SYS_exit_group, [code as usize, 0, 0, 0, 0, 0]);
    }
    sys::fatal("could not exit")
}

/// Signals are blocked during a report; the symbolizer should not inherit that.
fn unblock_signals() {
    let none = 0u64;
    let arguments = [libc::SIG_SETMASK as usize, (&raw const none) as usize, 0, size_of::<u64>(), 0, 0];
    // SAFETY: the mask has the given length.
    unsafe { raw_syscall(libc::SYS_rt_sigprocmask, arguments) };
}

/// The status of the other process, as returned by `wait`.
fn ended(child: isize) -> Option<c_int> {
    let mut status: c_int = -1;
    loop {
        let arguments = [child as usize, (&raw mut status) as usize, libc::__WALL as usize, 0, 0, 0];
        // SAFETY: the status is a local variable.
        let waited = unsafe { raw_syscall(libc::SYS_wait4, arguments) };
        if waited != -(libc::EINTR as isize) {
            return (waited == child).then_some(status);
        }
    }
}

impl Shown {
    /// With exit code 3 `steadfast symbolize` says that the report is suppressed.
    fn from_status(status: Option<c_int>) -> Self {
        match status {
            Some(0) => Self::Yes,
            Some(0x300) => Self::Suppressed,
            _ => Self::No,
        }
    }
}
