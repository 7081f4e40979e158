//! Unloading libraries. Another library may be mapped at the same addresses later, so the old accesses must be forgotten. The dynamic linker does not call `munmap` through the runtime, so that is done here.

use super::memory;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn dlclose(library: *mut c_void) -> c_int;
}

/// The memory of libraries: first address and number of bytes.
type Places = Vec<(usize, usize)>;

unsafe extern "C" fn note(library: *mut libc::dl_phdr_info, _: usize, places: *mut c_void) -> c_int {
    // SAFETY: the linker passes the description of a library, and the list is the one of `loaded`.
    unsafe {
        let library = &*library;
        let headers = core::slice::from_raw_parts(library.dlpi_phdr, usize::from(library.dlpi_phnum));
        let parts = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let place = |part: &libc::Elf64_Phdr| ((library.dlpi_addr + part.p_vaddr) as usize, part.p_memsz as usize);
        (*places.cast::<Places>()).extend(parts.map(place));
    }
    0
}

/// The memory of all loaded libraries.
fn loaded() -> Places {
    let mut places = Places::new();
    // SAFETY: the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut places).cast()) };
    places
}

/// One call may unload several libraries (with their dependencies), or none (while others use it). If another thread has loaded something at the same place in the meantime, its accesses are forgotten, too: this can hide a race, but not invent one.
#[unsafe(no_mangle)]
unsafe extern "C" fn dlclose(library: *mut c_void) -> c_int {
    let before = inside(loaded);
    // SAFETY: the argument is the program's. Destructors of the library run here, and are looked at.
    let result = unsafe { real::dlclose(library) };
    let after = inside(loaded);
    for &(address, bytes) in before.iter().filter(|place| !after.contains(place)) {
        memory::forget(address, bytes);
    }
    inside(|| drop((before, after)));
    result
}

/// Does work of the runtime itself, which is not recorded.
fn inside<R>(work: impl FnOnce() -> R) -> R {
    let _inside = Inside::enter();
    work()
}
