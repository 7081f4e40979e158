//! Libraries that are loaded. The dynamic linker loads one after the other, with a lock of its own: what a thread did there, as constructors do, is known to those who come later, also if they find the library loaded.

use super::turns;
use crate::sync;
use crate::sys::Next;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

static DLOPEN: Next = Next::new(c"dlopen");
static DLMOPEN: Next = Next::new(c"dlmopen");

/// An address at which nothing else can be.
const LOADER: usize = 104;

/// Constructors are to know what was done before them, and others what they have done.
fn one_after_the_other(load: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let mut turn = turns::take();
    sync::acquired(LOADER);
    let library = load();
    // Who did not wait for the one before has done so in the linker; but what that one did may not be told yet.
    turn.take_if_given_up();
    sync::acquired(LOADER);
    sync::contributing(LOADER);
    library
}

unsafe extern "C" fn open(name: *const c_char, flags: c_int) -> *mut c_void {
    // SAFETY: the linker found `dlopen` under this name, it has the type of the manual, and the arguments are the program's.
    one_after_the_other(|| unsafe {
        core::mem::transmute::<usize, unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void>(DLOPEN.address())(
            name, flags,
        )
    })
}

unsafe extern "C" fn open_in_space(space: c_long, name: *const c_char, flags: c_int) -> *mut c_void {
    // SAFETY: the linker found `dlmopen` under this name, it has the type of the manual, and the arguments are the program's.
    one_after_the_other(|| unsafe {
        core::mem::transmute::<usize, unsafe extern "C" fn(c_long, *const c_char, c_int) -> *mut c_void>(
            DLMOPEN.address(),
        )(space, name, flags)
    })
}

/// The linker looks at who calls it: each library has places of its own where others are searched for. If that matters, it must not be us who call.
unsafe fn depends_on_caller(name: *const c_char, caller: usize) -> bool {
    if name.is_null() {
        return false;
    }
    // SAFETY: it is not null, so it is the program's string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let is_path = name.contains(&b'/') && !name.contains(&b'$');
    !is_path && library_of(caller) != library_of(open as *const () as usize)
}

/// Where the library, or the program, begins that has this code.
fn library_of(code: usize) -> usize {
    // SAFETY: the structure is ours, and zeroes are valid.
    unsafe {
        let mut found: libc::Dl_info = core::mem::zeroed();
        libc::dladdr(code as *const c_void, &raw mut found);
        found.dli_fbase as usize
    }
}

/// Which function goes on for [`dlopen`].
unsafe extern "C" fn choose(name: *const c_char, _: usize, _: usize, caller: usize) -> usize {
    // SAFETY: the name is null or the program's string, as `dlopen` wants it.
    if unsafe { depends_on_caller(name, caller) } { DLOPEN.address() } else { open as *const () as usize }
}

/// The same for [`dlmopen`].
unsafe extern "C" fn choose_in_space(_: usize, name: *const c_char, _: usize, caller: usize) -> usize {
    // SAFETY: the name is null or the program's string, as `dlmopen` wants it.
    if unsafe { depends_on_caller(name, caller) } { DLMOPEN.address() } else { open_in_space as *const () as usize }
}

/// A function that asks which one to jump to, with the same arguments, as if that had been called.
macro_rules! chosen {
    ($name:ident by $choose:ident) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi",
                "push rsi",
                "push rdx",
                ".cfi_adjust_cfa_offset 24",
                "mov rcx, qword ptr [rsp + 24]",
                "call {choose}",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                ".cfi_adjust_cfa_offset -24",
                "jmp rax",
                ".cfi_endproc",
                choose = sym $choose
            )
        }
    };
}

chosen!(dlopen by choose);
chosen!(dlmopen by choose_in_space);
