//! Starts the runtime, before any constructor of the program.

use core::sync::atomic::{AtomicU32, Ordering};

static STARTED: AtomicU32 = AtomicU32::new(0);

/// Starts the runtime once. Several constructors may call it; if nothing is instrumented, none does.
pub(crate) fn ensure() {
    if STARTED.swap(1, Ordering::AcqRel) != 0 {
        return;
    }
    let _inside = crate::tls::Inside::enter();
    crate::options::read();
    crate::report::announce();
    crate::ending::begin();
    crate::thread::current();
    crate::stacks::note_first();
    #[cfg(not(test))]
    crate::intercept::prepare();
    // SAFETY: the function is of the right type and stays where it is.
    unsafe {
        libc::atexit(crate::ending::at_exit);
        at_quick_exit(crate::ending::at_once);
    }
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> core::ffi::c_int;
}

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".preinit_array")]
static EARLY: extern "C" fn() = early;

/// In an executable this runs before the constructors of all libraries.
#[cfg(not(test))]
extern "C" fn early() {
    ensure();
}
