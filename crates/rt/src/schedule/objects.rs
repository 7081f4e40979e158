//! Names that are the same in every run, unlike addresses: an object has the number of its first use, and code has its offset in its module.

use core::ffi::{c_int, c_void};
use std::collections::BTreeMap;
use steadfast_schedule::{NOBODY, NOWHERE, Place};

/// The numbers of objects that threads share, by their addresses.
pub(super) struct Objects {
    numbers: BTreeMap<usize, u32>,
    next: u32,
}

impl Objects {
    pub(super) const fn new() -> Self {
        Self { numbers: BTreeMap::new(), next: 0 }
    }

    /// The number of the object at this address. Zero is no object.
    pub(super) fn number(&mut self, address: usize) -> u32 {
        if address == 0 {
            return NOBODY;
        }
        *self.numbers.entry(address).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// A later object there is a different one.
    pub(super) fn forget(&mut self, address: usize, bytes: usize) {
        let end = address.saturating_add(bytes);
        while let Some((&gone, _)) = self.numbers.range(address..end).next() {
            self.numbers.remove(&gone);
        }
    }
}

/// The code of a module that was loaded when the process began. Later modules are not known: a call of the dynamic linker could wait for a thread that does not have the turn.
struct Module {
    start: usize,
    end: usize,
    base: usize,
    number: u16,
}

/// The code of all modules.
pub(super) struct Places(Vec<Module>);

impl Places {
    pub(super) fn now() -> Self {
        let mut places = (Vec::new(), 0u16);
        // SAFETY: the callback gets the local variable back, and nothing else uses it meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut places).cast()) };
        Self(places.0)
    }

    /// The place of an address. Zero has none.
    pub(super) fn of(&self, address: usize) -> Place {
        if address == 0 {
            return Place::NONE;
        }
        match self.0.iter().find(|module| (module.start..module.end).contains(&address)) {
            Some(module) => Place { module: module.number, offset: (address - module.base) as u32 },
            // Modules begin at pages.
            None => Place { module: NOWHERE, offset: (address % 4096) as u32 },
        }
    }
}

unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker passes valid information, and `data` is the variable of `now`.
    let (info, (modules, number)) = unsafe { (&*info, &mut *data.cast::<(Vec<Module>, u16)>()) };
    let base = info.dlpi_addr as usize;
    // SAFETY: the linker says where the headers of the module are, and how many.
    let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0) {
        let start = base + header.p_vaddr as usize;
        modules.push(Module { start, end: start + header.p_memsz as usize, base, number: *number });
    }
    *number = number.saturating_add(1).min(NOWHERE - 1);
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_numbered_by_first_use() {
        let mut objects = Objects::new();
        assert_eq!([100, 200, 100, 0].map(|address| objects.number(address)), [0, 1, 0, NOBODY]);
        objects.forget(96, 8);
        assert_eq!([100, 200].map(|address| objects.number(address)), [2, 1]);
    }

    #[test]
    fn places_are_relative_to_their_module() {
        let places = Places::now();
        let here = places.of(collect as *const () as usize);
        assert_eq!(here.module, 0);
        let there = places.of(libc::getpid as *const () as usize);
        assert!(there.module != 0 && there != here);
        assert_eq!(places.of(4096 * 3 + 5), Place { module: NOWHERE, offset: 5 });
    }
}
