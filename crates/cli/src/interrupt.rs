//! Ctrl-C and termination signals: the first one asks for a partial result, the second one does not wait for it.

use crate::status::Status;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen. The flag becomes true when somebody wants to stop.
pub(crate) fn listen() -> &'static AtomicBool {
    // Without a handler a signal simply ends the program, which is what the user wanted.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Status::Interrupted.code()));
        }
    });
    &INTERRUPTED
}

/// Whether somebody wants to stop.
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
