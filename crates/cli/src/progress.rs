//! A sign of life on the terminal while a check runs; nothing at all if standard error is not a terminal.

use crate::size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is shown: `⠙ checking lock.sf (rc20, graph)  1,234,567 states, 401023/s, 63.2 MiB, 3s`
const TEMPLATE: &str = "{spinner} {msg}  {human_pos} states, {rate}, {memory}, {elapsed}";

/// A line that disappears when it is dropped.
pub(crate) struct Progress(Option<Line>);

struct Line {
    bar: ProgressBar,
    bytes: Arc<AtomicU64>,
}

impl Progress {
    /// Starts a line about `what`, unless nobody would see it.
    pub(crate) fn start(what: String, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
        let bytes = Arc::new(AtomicU64::new(0));
        let shown = bytes.clone();
        let memory = move |_: &indicatif::ProgressState, text: &mut dyn fmt::Write| {
            // A line that cannot be written is a line less.
            let _ = text.write_str(&size::show(shown.load(Ordering::Relaxed)));
        };
        let rate = |state: &indicatif::ProgressState, text: &mut dyn fmt::Write| {
            let _ = write!(text, "{:.0}/s", state.per_sec());
        };
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("memory", memory).with_key("rate", rate));
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(Line { bar, bytes }))
    }

    /// Says something else from now on.
    pub(crate) fn say(&self, what: String) {
        if let Some(line) = &self.0 {
            line.bar.set_message(what);
        }
    }

    /// Takes note of how the search is getting on. Cheap: the line is drawn by a clock.
    pub(crate) fn update(&self, used: steadfast_robust::Progress) {
        if let Some(line) = &self.0 {
            line.bar.set_position(used.states);
            line.bytes.store(used.bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = &self.0 {
            line.bar.finish_and_clear();
        }
    }
}
