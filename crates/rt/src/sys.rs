//! Calls to the operating system, without `std` and without the functions that the runtime intercepts.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Fresh zeroed memory that costs nothing until it is touched.
pub(crate) fn map(bytes: usize) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let arguments = [0, bytes, protection as usize, flags as usize, usize::MAX, 0];
    // SAFETY: a fresh anonymous mapping touches nothing that exists.
    let address = unsafe { raw_syscall(libc::SYS_mmap, arguments) };
    if address < 0 && address > -4096 {
        fatal("out of memory for the runtime");
    }
    address as *mut u8
}

/// The size of a large page.
pub(crate) const LARGE_PAGE: usize = 1 << 21;

/// The same as [`map`] for memory that will be used as a whole, in random order: in large pages if the system has them, so that address translation
/// does not take longer than the read itself. The size is a multiple of [`LARGE_PAGE`].
pub(crate) fn map_large(bytes: usize) -> *mut u8 {
    let all = map(bytes + LARGE_PAGE);
    let start = (all as usize).next_multiple_of(LARGE_PAGE);
    let before = start - all as usize;
    // SAFETY: what is cut off on both sides belongs to the fresh mapping, which no other thread knows yet.
    unsafe {
        if before > 0 {
            unmap(all, before);
        }
        unmap((start + bytes) as *mut u8, LARGE_PAGE - before);
        raw_syscall(libc::SYS_madvise, [start, bytes, libc::MADV_HUGEPAGE as usize, 0, 0, 0]);
    }
    start as *mut u8
}

/// Returns memory from [`map`] to the system.
///
/// # Safety
/// Nothing uses it any more.
pub(crate) unsafe fn unmap(address: *mut u8, bytes: usize) {
    // SAFETY: the caller says that nothing uses this memory any more.
    unsafe { raw_syscall(libc::SYS_munmap, [address as usize, bytes, 0, 0, 0, 0]) };
}

/// Writes everything, also after interruptions; errors are ignored.
pub(crate) fn write_all(descriptor: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice is readable.
        let written = unsafe {
            raw_syscall(libc::SYS_write, [descriptor as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0])
        };
        if written > 0 {
            bytes = &bytes[(written as usize).min(bytes.len())..];
        } else if written != -(libc::EINTR as isize) {
            return;
        }
    }
}

/// The error number of this thread.
pub(crate) fn errno() -> c_int {
    // SAFETY: libc's error number is always there.
    unsafe { *libc::__errno_location() }
}

/// Sets the error number of this thread.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: libc's error number is always there, and only this thread has it.
    unsafe { *libc::__errno_location() = value }
}

/// Writes the reason and ends the process. Only if the runtime cannot go on.
pub(crate) fn fatal(reason: &str) -> ! {
    write_all(2, b"FATAL: Steadfast: ");
    write_all(2, reason.as_bytes());
    write_all(2, b"\n");
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}

/// The operating system's number of this thread.
pub(crate) fn thread_number() -> i32 {
    // SAFETY: takes no arguments and cannot fail.
    unsafe { raw_syscall(libc::SYS_gettid, [0; 6]) as i32 }
}

/// The number of this process.
pub(crate) fn process_number() -> i32 {
    // SAFETY: takes no arguments and cannot fail.
    unsafe { raw_syscall(libc::SYS_getpid, [0; 6]) as i32 }
}

/// Lets other threads run.
pub(crate) fn pause() {
    // SAFETY: takes no arguments and cannot fail.
    unsafe { raw_syscall(libc::SYS_sched_yield, [0; 6]) };
}

/// Sleeps until a thread calls [`wake`] for the word, or until the time is over. Returns at once if the word does not have the expected value.
pub(crate) fn sleep_on(word: &core::sync::atomic::AtomicU32, expected: u32, nanoseconds: Option<u64>) {
    let time = nanoseconds
        .map(|all| libc::timespec { tv_sec: (all / 1_000_000_000) as i64, tv_nsec: (all % 1_000_000_000) as i64 });
    let time = time.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: the word lives as long as the reference, and the time as long as this function.
    unsafe {
        raw_syscall(libc::SYS_futex, [word.as_ptr() as usize, PRIVATE_WAIT, expected as usize, time as usize, 0, 0])
    };
}

/// Wakes all threads that sleep on the word.
pub(crate) fn wake(word: &core::sync::atomic::AtomicU32) {
    // SAFETY: the word is only an address here.
    unsafe { raw_syscall(libc::SYS_futex, [word.as_ptr() as usize, PRIVATE_WAKE, i32::MAX as usize, 0, 0, 0]) };
}

const PRIVATE_WAIT: usize = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as usize;
const PRIVATE_WAKE: usize = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as usize;

/// The word of [`sleep_on`], if a signal has interrupted that call. A system call leaves its arguments in their registers.
///
/// # Safety
/// Only for handlers, with what the kernel has given them.
pub(crate) unsafe fn slept_on(context: *const c_void) -> Option<usize> {
    const SYSCALL: [u8; 2] = [0x0f, 0x05];
    // SAFETY: the context is the one that the kernel has given to the handler; before the place where a thread was interrupted in a system call, there is the instruction for that.
    unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let register = |number: c_int| registers[number as usize];
        let interrupted = register(libc::REG_RAX) == -i64::from(libc::EINTR)
            && register(libc::REG_RSI) == PRIVATE_WAIT as i64
            && *((register(libc::REG_RIP) - 2) as *const [u8; 2]) == SYSCALL;
        interrupted.then_some(register(libc::REG_RDI) as usize)
    }
}

/// A system call without libc: `syscall` itself is intercepted. Errors come back as negative numbers.
///
/// # Safety
/// As for the system call.
pub(crate) unsafe fn raw_syscall(number: i64, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the caller knows what this system call does with these arguments. The kernel changes nothing but rax, rcx and r11, and memory.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Reads the beginning of a file. The path ends with a zero byte.
pub(crate) fn read_file(path: &[u8], into: &mut [u8]) -> usize {
    debug_assert_eq!(path.last(), Some(&0));
    // SAFETY: the path is a string of C, and the buffer has the given length.
    unsafe {
        let file = raw_syscall(
            libc::SYS_open,
            [path.as_ptr() as usize, (libc::O_RDONLY | libc::O_CLOEXEC) as usize, 0, 0, 0, 0],
        );
        if file < 0 {
            return 0;
        }
        let mut filled = 0;
        while filled < into.len() {
            let rest = &mut into[filled..];
            let got = raw_syscall(libc::SYS_read, [file as usize, rest.as_mut_ptr() as usize, rest.len(), 0, 0, 0]);
            if got <= 0 {
                break;
            }
            filled += got as usize;
        }
        raw_syscall(libc::SYS_close, [file as usize, 0, 0, 0, 0, 0]);
        filled
    }
}

/// Opens a file, calls `work` with its descriptor, and closes it. The path ends with a zero byte.
fn with_file<R>(path: &[u8], how: c_int, work: impl FnOnce(usize) -> R) -> Option<R> {
    debug_assert_eq!(path.last(), Some(&0));
    // SAFETY: the path is a string of C.
    let file =
        unsafe { raw_syscall(libc::SYS_open, [path.as_ptr() as usize, (how | libc::O_CLOEXEC) as usize, 0, 0, 0, 0]) };
    let file = usize::try_from(file).ok()?;
    let result = work(file);
    // SAFETY: this function has opened the descriptor.
    unsafe { raw_syscall(libc::SYS_close, [file, 0, 0, 0, 0, 0]) };
    Some(result)
}

/// Maps the beginning of a file, shared for writing or private for reading. Memory beyond the end of the file must not be accessed.
pub(crate) fn map_file(path: &[u8], bytes: usize, shared: bool) -> Option<*mut u8> {
    let (how, protection, flags) = if shared {
        (libc::O_RDWR, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE)
    } else {
        (libc::O_RDONLY, libc::PROT_READ, libc::MAP_PRIVATE)
    };
    let address = with_file(path, how, |file| {
        // SAFETY: a fresh mapping touches nothing that exists.
        unsafe { raw_syscall(libc::SYS_mmap, [0, bytes, protection as usize, flags as usize, file, 0]) }
    });
    address.filter(|&address| !(-4095..0).contains(&address)).map(|address| address as *mut u8)
}

/// Asks the system to reserve room for the beginning of a file. Returns whether there is room.
pub(crate) fn reserve_file(path: &[u8], bytes: usize) -> bool {
    let reserve = |file| {
        // On some file systems a signal interrupts the call.
        let tries = (0..100).map(|_| {
            // SAFETY: the descriptor is that of the file; nothing in memory is touched.
            unsafe { raw_syscall(libc::SYS_fallocate, [file, 0, 0, bytes, 0, 0]) }
        });
        { tries }.find(|&result| result != -(libc::EINTR as isize)).unwrap_or(-1)
    };
    // Not every file system can reserve room. Then there probably is enough.
    with_file(path, libc::O_RDWR, reserve).is_some_and(|result| [0, -(libc::EOPNOTSUPP as isize)].contains(&result))
}

/// The size of a file.
pub(crate) fn file_size(path: &[u8]) -> Option<usize> {
    // SAFETY: the descriptor is that of the file; nothing in memory is touched.
    let seek = |file| unsafe { raw_syscall(libc::SYS_lseek, [file, 0, libc::SEEK_END as usize, 0, 0, 0]) };
    with_file(path, libc::O_RDONLY, seek).and_then(|size| usize::try_from(size).ok())
}

/// Calls `visit` with the address of each robust mutex that this thread holds. libc keeps the list for the kernel, which releases the mutexes when the thread ends.
pub(crate) fn held_robust_mutexes(mut visit: impl FnMut(usize)) {
    /// Longer than any intact list.
    const MOST: usize = 1 << 16;
    let (mut head, mut bytes): (*const [isize; 3], usize) = (core::ptr::null(), 0);
    // SAFETY: zero is this thread; both results are local variables. The list belongs to this thread, which is here.
    unsafe {
        let arguments = [0, (&raw mut head) as usize, (&raw mut bytes) as usize, 0, 0, 0];
        if raw_syscall(libc::SYS_get_robust_list, arguments) < 0 || head.is_null() {
            return;
        }
        let [first, offset, _] = *head;
        let mut entry = first;
        for _ in 0..MOST {
            // The lowest bit says that the mutex inherits priorities.
            let place = entry & !1;
            if place == 0 || place == head as isize {
                return;
            }
            visit((place + offset) as usize);
            entry = *(place as *const isize);
        }
    }
}

/// Whether a thread of this process sleeps in the kernel, or has ended.
pub(crate) fn is_asleep(thread: u32) -> bool {
    let path = std::format!("/proc/self/task/{thread}/stat\0");
    let mut text = [0; 512];
    let length = read_file(path.as_bytes(), &mut text);
    // The state comes after the name, which is in parentheses and can contain anything.
    let after_name = text[..length].iter().rposition(|&byte| byte == b')').map_or(0, |at| at + 2);
    matches!(text.get(after_name), Some(b'S' | b'D' | b'Z' | b'X')) || length == 0 && is_gone(thread)
}

/// Whether there is no such thread in this process.
fn is_gone(thread: u32) -> bool {
    // SAFETY: signal zero is no signal; it only asks.
    let asked = unsafe { raw_syscall(libc::SYS_tgkill, [process_number() as usize, thread as usize, 0, 0, 0, 0]) };
    asked == -(libc::ESRCH as isize)
}

/// Whether there is no other thread in this process; `false` if that is not known.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn is_alone() -> bool {
    // SAFETY: the path is a string of C, and the structure is a local variable; zeroes are valid.
    unsafe {
        let mut status: libc::stat = core::mem::zeroed();
        let arguments = [c"/proc/self/task".as_ptr() as usize, (&raw mut status) as usize, 0, 0, 0, 0];
        // A folder has one link for its name, one for `.`, and one for `..` in each folder that it contains.
        raw_syscall(libc::SYS_stat, arguments) == 0 && status.st_nlink == 3
    }
}

/// Whether an alarm of the program is set.
pub(crate) fn alarm_is_set() -> bool {
    let mut timer = [0i64; 4];
    // SAFETY: four words are what the kernel writes: the interval, and the time that is left.
    unsafe { raw_syscall(libc::SYS_getitimer, [libc::ITIMER_REAL as usize, (&raw mut timer) as usize, 0, 0, 0, 0]) };
    timer[2] != 0 || timer[3] != 0
}

/// Whether this process has children that it has not waited for yet.
pub(crate) fn has_children() -> bool {
    let mut info = [0u64; 16];
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    let arguments = [libc::P_ALL as usize, 0, (&raw mut info) as usize, how as usize, 0, 0];
    // SAFETY: the buffer is as large as what the kernel writes there. It only looks.
    unsafe { raw_syscall(libc::SYS_waitid, arguments) == 0 }
}

/// An intercepted function: the one that comes after the runtime's in the search order of the dynamic linker.
pub(crate) struct Next {
    name: &'static CStr,
    version: Option<&'static CStr>,
    found: AtomicUsize,
}

impl Next {
    /// The next function of that name.
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self { name, version: None, found: AtomicUsize::new(0) }
    }

    /// The next function of that name in that version, where libc has several versions.
    pub(crate) const fn versioned(name: &'static CStr, version: &'static CStr) -> Self {
        Self { name, version: Some(version), found: AtomicUsize::new(0) }
    }

    /// Its address.
    pub(crate) fn address(&self) -> usize {
        let found = self.found.load(Ordering::Relaxed);
        if found != 0 { found } else { self.look_up() }
    }

    #[cold]
    fn look_up(&self) -> usize {
        // SAFETY: both names are strings of C. dlsym may allocate; the runtime's malloc only forwards while the thread is inside.
        let found = unsafe {
            let _inside = crate::tls::Inside::enter();
            let versioned = self
                .version
                .map_or(core::ptr::null_mut(), |version| dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr()));
            if versioned.is_null() { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) } else { versioned }
        } as usize;
        if found == 0 {
            fatal(&std::format!("{} is not in any library", self.name.to_string_lossy()));
        }
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// Declares a function as `real::name`, to be called instead of the intercepted one.
macro_rules! next {
    ($($(#[version = $version:literal])? fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        #[allow(dead_code, reason = "a table is complete even where one entry is not called")]
        #[allow(non_snake_case, reason = "names are those of libc")]
        mod real {
            #[allow(unused_imports, reason = "some functions only have arguments of plain types")]
            use super::*;
            $(
                pub(super) unsafe fn $name($($argument: $type),*) $(-> $result)? {
                    #[allow(unused_mut, unused_assignments)]
                    static NEXT: $crate::sys::Next = {
                        let Ok(name) = core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) else { panic!("not a name") };
                        let mut next = $crate::sys::Next::new(name);
                        $(next = $crate::sys::Next::versioned(name, $version);)?
                        next
                    };
                    // SAFETY: the linker found the function by its name, and its type is that of the manual.
                    unsafe {
                        let function: unsafe extern "C" fn($($type),*) $(-> $result)? = core::mem::transmute(NEXT.address());
                        function($($argument),*)
                    }
                }
            )*
        }
    };
}
pub(crate) use next;
