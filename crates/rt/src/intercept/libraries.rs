//! Libraries that are unloaded: the next one in the same place has nothing to do with them. The dynamic linker maps and unmaps by itself, so the memory is forgotten here.

use super::memory;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn dlclose(library: *mut c_void) -> c_int;
}

/// Where libraries are: first addresses, with the number of bytes from there on.
type Places = Vec<(usize, usize)>;

unsafe extern "C" fn note(library: *mut libc::dl_phdr_info, _: usize, places: *mut c_void) -> c_int {
    // SAFETY: the linker describes a library to us, and the list is that of `loaded`.
    unsafe {
        let library = &*library;
        let headers = core::slice::from_raw_parts(library.dlpi_phdr, usize::from(library.dlpi_phnum));
        let parts = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let place = |part: &libc::Elf64_Phdr| ((library.dlpi_addr + part.p_vaddr) as usize, part.p_memsz as usize);
        (*places.cast::<Places>()).extend(parts.map(place));
    }
    0
}

/// All that are loaded.
fn loaded() -> Places {
    let mut places = Places::new();
    // SAFETY: the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut places).cast()) };
    places
}

/// Usually more than one library goes, or none: the last one who uses it takes with it what it needs. If another thread has loaded something there in the meantime, that is forgotten as well, which can only hide something.
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

/// Does something of our own.
fn inside<R>(work: impl FnOnce() -> R) -> R {
    let _inside = Inside::enter();
    work()
}
