//! The executable and the libraries, with their addresses in memory.

use core::ffi::{CStr, c_int, c_void};
use std::string::String;
use std::vec::Vec;

/// A mapped module: the executable or a library.
pub(super) struct Module {
    /// The difference between an address in memory and in the file.
    pub(super) base: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) path: String,
}

/// The modules that contain one of the addresses.
pub(super) fn containing(addresses: &[usize]) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: the callback gets the local vector back, and nothing else uses it meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut modules).cast()) };
    modules.retain(|module| addresses.iter().any(|&address| (module.start..module.end).contains(&address)));
    modules
}

unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker passes valid information, and `data` is the vector of `containing`.
    let (info, modules) = unsafe { (&*info, &mut *data.cast::<Vec<Module>>()) };
    let base = info.dlpi_addr as usize;
    // SAFETY: the linker says where the headers of the module are, and how many.
    let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let (mut start, mut end) = (usize::MAX, 0);
    for header in loaded {
        start = start.min(base + header.p_vaddr as usize);
        end = end.max(base + (header.p_vaddr + header.p_memsz) as usize);
    }
    // SAFETY: it is not null, so it is the name of the module, as a string.
    let name = if info.dlpi_name.is_null() { c"" } else { unsafe { CStr::from_ptr(info.dlpi_name) } };
    let path = if name.is_empty() { executable() } else { String::from_utf8_lossy(name.to_bytes()).into_owned() };
    modules.push(Module { base, start, end, path });
    0
}

/// The path of the executable, which has no name in the linker's list.
fn executable() -> String {
    let mut path = [0; 4096];
    let arguments = [c"/proc/self/exe".as_ptr() as usize, path.as_mut_ptr() as usize, path.len(), 0, 0, 0];
    // SAFETY: the buffer has the given length.
    let length = unsafe { crate::sys::raw_syscall(libc::SYS_readlink, arguments) };
    String::from_utf8_lossy(&path[..usize::try_from(length).unwrap_or(0)]).into_owned()
}

/// The search path for libraries in the executable: `DT_RUNPATH`. `steadfast cc` puts its own folder there.
pub(super) fn run_path() -> Option<Vec<u8>> {
    let mut found: Option<Vec<u8>> = None;
    // SAFETY: the callback gets the local variable back.
    unsafe { libc::dl_iterate_phdr(Some(find_run_path), (&raw mut found).cast()) };
    found
}

/// Handles the executable, which comes first, and stops.
unsafe extern "C" fn find_run_path(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    const STRINGS: i64 = 5;
    const RPATH: i64 = 15;
    const RUNPATH: i64 = 29;
    // SAFETY: the linker passes valid information about a module that is loaded; its dynamic section is a list that ends with zeroes.
    unsafe {
        let info = &*info;
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else { return 1 };
        let mut entry = (info.dlpi_addr + dynamic.p_vaddr) as *const [i64; 2];
        let (mut strings, mut offset) = (0, None);
        while (*entry)[0] != 0 {
            match (*entry)[0] {
                STRINGS => strings = (*entry)[1] as usize,
                RPATH | RUNPATH => offset = Some((*entry)[1] as usize),
                _ => {}
            }
            entry = entry.add(1);
        }
        if let (Some(offset), true) = (offset, strings != 0) {
            let text = CStr::from_ptr((strings + offset) as *const _);
            *data.cast::<Option<Vec<u8>>>() = Some(text.to_bytes().to_vec());
        }
    }
    1
}
