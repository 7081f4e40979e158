//! Shared memory of System V. Attaching a segment makes the memory new; detaching it frees the memory.

use super::memory::forget;
use crate::lock::Lock;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn shmat(segment: c_int, address: *const c_void, flags: c_int) -> *mut c_void;
    fn shmdt(address: *const c_void) -> c_int;
}

/// The addresses and sizes of attached segments: `shmdt` does not get the size.
static ATTACHED: Lock<Vec<(usize, usize)>> = Lock::new(Vec::new());

fn size(segment: c_int) -> usize {
    // SAFETY: the structure is a local variable, and zeroes are valid.
    unsafe {
        let mut status: libc::shmid_ds = core::mem::zeroed();
        libc::shmctl(segment, libc::IPC_STAT, &raw mut status);
        status.shm_segsz
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn shmat(segment: c_int, address: *const c_void, flags: c_int) -> *mut c_void {
    // SAFETY: the program's own arguments, passed on as they are.
    let attached = unsafe { real::shmat(segment, address, flags) };
    if attached != libc::MAP_FAILED {
        let bytes = size(segment);
        forget(attached as usize, bytes);
        let _inside = Inside::enter();
        ATTACHED.lock().push((attached as usize, bytes));
    }
    attached
}

#[unsafe(no_mangle)]
unsafe extern "C" fn shmdt(address: *const c_void) -> c_int {
    if let Some(bytes) = take(address as usize) {
        forget(address as usize, bytes);
    }
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::shmdt(address) }
}

/// Removes the segment at this address from the list and returns its size.
fn take(address: usize) -> Option<usize> {
    let _inside = Inside::enter();
    let mut attached = ATTACHED.lock();
    let place = attached.iter().rposition(|&(start, _)| start == address)?;
    Some(attached.remove(place).1)
}
