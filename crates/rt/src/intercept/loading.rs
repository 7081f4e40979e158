//! Loading libraries. The dynamic linker holds a lock of its own while it loads. So what a thread did there (in constructors, for example) happens before every later load, also if the library is already loaded.

use super::turns;
use crate::sync;
use crate::sys::Next;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

static DLOPEN: Next = Next::new(c"dlopen");
static DLMOPEN: Next = Next::new(c"dlmopen");

/// An address that no object of the program can have.
const LOADER: usize = 104;

/// Orders loads one after the other: earlier loads happen before the constructors, and the constructors before later loads.
fn one_after_the_other(load: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let mut turn = turns::take();
    sync::acquired(LOADER);
    let library = load();
    // A thread that gave up waiting for the turn has waited in the linker; but the thread before it may not have published its clock yet.
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

/// Whether the result depends on which library calls the linker: each library can have search paths of its own. In that case the runtime must not be the caller.
unsafe fn depends_on_caller(name: *const c_char, caller: usize) -> bool {
    if name.is_null() {
        return false;
    }
    // SAFETY: it is not null, so it is the program's string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let is_path = name.contains(&b'/') && !name.contains(&b'$');
    !is_path && library_of(caller) != library_of(open as *const () as usize)
}

/// The first address of the library, or of the executable, that contains this code.
fn library_of(code: usize) -> usize {
    // SAFETY: the structure is a local variable, and zeroes are valid.
    unsafe {
        let mut found: libc::Dl_info = core::mem::zeroed();
        libc::dladdr(code as *const c_void, &raw mut found);
        found.dli_fbase as usize
    }
}

/// The function that [`dlopen`] jumps to.
unsafe extern "C" fn choose(name: *const c_char, _: usize, _: usize, caller: usize) -> usize {
    // SAFETY: the name is null or the program's string, as `dlopen` wants it.
    if unsafe { depends_on_caller(name, caller) } { DLOPEN.address() } else { open as *const () as usize }
}

/// The function that [`dlmopen`] jumps to.
unsafe extern "C" fn choose_in_space(_: usize, name: *const c_char, _: usize, caller: usize) -> usize {
    // SAFETY: the name is null or the program's string, as `dlmopen` wants it.
    if unsafe { depends_on_caller(name, caller) } { DLMOPEN.address() } else { open_in_space as *const () as usize }
}

/// Defines a function that calls `$choose` and jumps to the function that it returns, with the same arguments and the same return address.
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
