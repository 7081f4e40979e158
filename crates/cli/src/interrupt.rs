//! Ctrl-C and termination signals: the first one asks for a partial result, the second one does not wait for it.
//!
//! The handlers only set a flag. A thread that waits for signals would be more flexible, and would cost a small program a tenth of its time.

use crate::status::Status;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Once};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static LISTENING: Once = Once::new();

/// Starts to listen. The flag becomes true when somebody wants to stop.
pub(crate) fn listen() -> &'static AtomicBool {
    LISTENING.call_once(|| {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Handlers run in the order of their registration, so the one that ends the program sees what earlier signals have set. Without a
            // handler a signal simply ends the program, which is what the user wanted.
            let code = i32::from(Status::Interrupted.code());
            let _ = flag::register_conditional_shutdown(signal, code, INTERRUPTED.clone());
            let _ = flag::register(signal, INTERRUPTED.clone());
        }
    });
    &INTERRUPTED
}

/// Whether somebody wants to stop.
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
