//! Where reports go: to a file of `steadfast run`, or to standard error with names and lines, which another process looks up.

use crate::options;
use crate::sys::{self, raw_syscall, write_all};
use core::ffi::c_int;
use std::vec::Vec;

/// What became of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    /// Nobody wants to see it.
    Suppressed,
    No,
}

/// Writes a report to where it should go. Says whether it counts: it may be suppressed.
pub(super) fn deliver(record: &[u8]) -> bool {
    if let Some(file) = options::REPORT_FILE.get() {
        append(file, record);
        return true;
    }
    let output = log().unwrap_or(2);
    let wanted = options::SYMBOLIZE.load(core::sync::atomic::Ordering::Relaxed);
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

/// Lets `steadfast run` know that somebody watches this program: its file is there, if only an empty one.
pub(super) fn announce() {
    if let Some(file) = options::REPORT_FILE.get() {
        append(file, b"");
    }
}

/// Says how many there were.
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
        None => write_all(2, record),
    }
}

fn close(file: c_int) {
    // SAFETY: the file is ours.
    unsafe { raw_syscall(libc::SYS_close, [file as usize, 0, 0, 0, 0, 0]) };
}

/// The program that knows names and lines: the one that was asked for, or `steadfast` from where the program was linked with us, or from `PATH`.
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

/// Lets `steadfast symbolize` show it. The record waits in a pipe that is large enough before the other process exists, so that nothing can
/// block or fail half way. The process is not a child in the sense of `wait`, so the program does not notice it.
fn show(record: &[u8], output: c_int) -> Shown {
    let Some(mut path) = symbolizer() else { return Shown::No };
    path.push(0);
    let mut ends = [0 as c_int; 2];
    let arguments = [path.as_ptr(), c"symbolize".as_ptr().cast(), core::ptr::null()];
    let environment = [core::ptr::null::<u8>()];
    // SAFETY: raw system calls with arguments of our own. The child of the clone shares nothing with us and only calls the system.
    unsafe {
        if raw_syscall(libc::SYS_pipe2, [ends.as_mut_ptr() as usize, libc::O_CLOEXEC as usize, 0, 0, 0, 0]) < 0 {
            return Shown::No;
        }
        write_all(ends[1], record);
        close(ends[1]);
        let child = raw_syscall(libc::SYS_clone, [0; 6]);
        if child == 0 {
            raw_syscall(libc::SYS_dup2, [ends[0] as usize, 0, 0, 0, 0, 0]);
            raw_syscall(libc::SYS_dup2, [output as usize, 1, 0, 0, 0, 0]);
            raw_syscall(
                libc::SYS_execve,
                [path.as_ptr() as usize, arguments.as_ptr() as usize, environment.as_ptr() as usize, 0, 0, 0],
            );
            raw_syscall(libc::SYS_exit_group, [127, 0, 0, 0, 0, 0]);
        }
        close(ends[0]);
        if child > 0 { ended(child) } else { Shown::No }
    }
}

/// How the other process ended: `steadfast symbolize` says with 3 that the report is suppressed.
fn ended(child: isize) -> Shown {
    let mut status: c_int = -1;
    loop {
        let arguments = [child as usize, (&raw mut status) as usize, libc::__WALL as usize, 0, 0, 0];
        // SAFETY: the status is ours.
        let waited = unsafe { raw_syscall(libc::SYS_wait4, arguments) };
        if waited != -(libc::EINTR as isize) {
            return match (waited == child, status) {
                (true, 0) => Shown::Yes,
                (true, 0x300) => Shown::Suppressed,
                _ => Shown::No,
            };
        }
    }
}
