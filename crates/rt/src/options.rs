//! `STEADFAST_OPTIONS`: options in the format of other sanitizers, and with their names where they mean the same.
//!
//! The format is `name=value`, separated by colons, commas or spaces; a value that contains one of these is quoted. Unknown options are reported and ignored.

use crate::schedule;
use crate::sys;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};
use steadfast_clocks::{Limits, Settings, Supported};
use steadfast_schedule::{Schedule, Setup};

/// The default exit code of a process that has reported something.
pub(crate) const USUAL_EXIT_CODE: i32 = 66;
/// The exit code of a process that has reported something.
pub(crate) static EXIT_CODE: AtomicI32 = AtomicI32::new(USUAL_EXIT_CODE);
/// Whether the process ends after the first report.
pub(crate) static HALT: AtomicBool = AtomicBool::new(false);
/// Whether plain accesses are checked for races.
pub(crate) static RACES: AtomicBool = AtomicBool::new(true);
/// Whether reports show names and lines.
pub(crate) static SYMBOLIZE: AtomicBool = AtomicBool::new(true);
/// Whether stale reads in spin loops are reported, too.
pub(crate) static SPINS: AtomicBool = AtomicBool::new(false);
/// A file to which reports are appended as data, instead of being shown. For `steadfast run`.
pub(crate) static REPORT_FILE: Text = Text::new();
/// A file for reports, instead of standard error; the number of the process is appended to its name.
pub(crate) static LOG_PATH: Text = Text::new();
/// The program that looks up names and lines.
pub(crate) static SYMBOLIZER: Text = Text::new();

/// A file of suppressions.
pub(crate) static SUPPRESSIONS: Text = Text::new();
/// The `PATH` of the process.
pub(crate) static PATH: Text = Text::new();

/// The model, by its position in [`Supported::ALL`].
static MODEL: AtomicUsize = AtomicUsize::new(Supported::Rc11 as usize);
static WRITES: AtomicU32 = AtomicU32::new(16);

/// A text that is set once, when the process begins.
pub(crate) struct Text(crate::lock::Lock<Option<Vec<u8>>>);

impl Text {
    const fn new() -> Self {
        Self(crate::lock::Lock::new(None))
    }

    /// The text, if there is one.
    pub(crate) fn get(&self) -> Option<Vec<u8>> {
        self.0.lock().clone()
    }

    fn set(&self, text: &[u8]) {
        *self.0.lock() = (!text.is_empty()).then(|| text.to_vec());
    }
}

/// The engine's settings.
#[inline]
pub(crate) fn settings() -> Settings {
    let model = Supported::ALL.get(MODEL.load(Ordering::Relaxed)).copied().unwrap_or_default();
    Settings { model, limits: Limits { writes: WRITES.load(Ordering::Relaxed) as usize, ..Limits::default() } }
}

#[cfg(not(test))]
core::arch::global_asm!(".weak __steadfast_atomics_only");

/// Whether the program was linked for checking atomics only: then it has a symbol that says so.
#[cfg(not(test))]
fn is_atomics_only() -> bool {
    let address: usize;
    // SAFETY: the address of a symbol, or zero if there is none.
    unsafe {
        core::arch::asm!(
            "mov {}, qword ptr [rip + __steadfast_atomics_only@GOTPCREL]",
            out(reg) address,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    address != 0
}

#[cfg(test)]
fn is_atomics_only() -> bool {
    false
}

/// The options of the schedule.
struct Turns {
    schedule: Schedule,
    setup: Setup,
}

/// The size of the largest environment that is read. The system does not allow much more by default.
const LARGEST_ENVIRONMENT: usize = 1 << 24;

/// Reads the options from the environment that the process began with: libc's copy is not initialised yet.
pub(crate) fn read() {
    let mut environment = vec![0; 1 << 17];
    let mut length = sys::read_file(b"/proc/self/environ\0", &mut environment);
    while length == environment.len() && length < LARGEST_ENVIRONMENT {
        environment.resize(length * 2, 0);
        length = sys::read_file(b"/proc/self/environ\0", &mut environment);
    }
    let mut turns = Turns { schedule: Schedule::Os, setup: Setup::default() };
    let (mut log, mut replay) = (None, None);
    RACES.store(!is_atomics_only(), Ordering::Relaxed);
    for variable in environment[..length].split(|&byte| byte == 0) {
        if let Some(folders) = variable.strip_prefix(b"PATH=") {
            PATH.set(folders);
        }
        if let Some(file) = variable.strip_prefix(b"STEADFAST_REPORT_FILE=") {
            REPORT_FILE.set(file);
        }
        if let Some(options) = variable.strip_prefix(b"STEADFAST_OPTIONS=") {
            each(options, |option| set(option, &mut turns));
        }
        if let Some(file) = variable.strip_prefix(steadfast_schedule::LOG_VARIABLE.as_bytes()) {
            log = file.strip_prefix(b"=").map(<[u8]>::to_vec);
        }
        if let Some(file) = variable.strip_prefix(steadfast_schedule::REPLAY_VARIABLE.as_bytes()) {
            replay = file.strip_prefix(b"=").map(<[u8]>::to_vec);
        }
    }
    if let Schedule::By(kind) = turns.schedule {
        schedule::start(kind, turns.setup, log, replay);
    }
}

/// Calls `take` with each option, without the quotes around its value.
fn each(options: &[u8], mut take: impl FnMut(&[u8])) {
    let (mut option, mut quote) = (Vec::new(), None);
    for &byte in options {
        match byte {
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => option.push(byte),
            b'"' | b'\'' if option.ends_with(b"=") => quote = Some(byte),
            b':' | b',' | b' ' | b'\n' => {
                if !option.is_empty() {
                    take(&option);
                }
                option.clear();
            }
            _ => option.push(byte),
        }
    }
    if !option.is_empty() {
        take(&option);
    }
}

fn set(option: &[u8], turns: &mut Turns) {
    let split = option.iter().position(|&byte| byte == b'=').unwrap_or(option.len());
    let (name, value) = (&option[..split], option.get(split + 1..).unwrap_or(b"1"));
    let text = core::str::from_utf8(value).unwrap_or("");
    let (number, known) = (text.parse::<u64>().ok(), Schedule::from_name(text));
    let switch = match value {
        b"1" | b"true" | b"yes" => Some(true),
        b"0" | b"false" | b"no" => Some(false),
        _ => None,
    };
    if let Some(on) = switch
        && let Some(option) = switch_named(name)
    {
        option.store(on, Ordering::Relaxed);
        return;
    }
    match (name, number) {
        (b"exitcode", Some(code @ 0..=255)) => EXIT_CODE.store(code as i32, Ordering::Relaxed),
        (b"log_path", _) => LOG_PATH.set(value),
        (b"suppressions", _) => SUPPRESSIONS.set(value),
        (b"report_file", _) => REPORT_FILE.set(value),
        (b"external_symbolizer_path", _) => SYMBOLIZER.set(value),
        (b"history_size", Some(writes)) => WRITES.store(writes.clamp(2, 1 << 16) as u32, Ordering::Relaxed),
        (b"model", _) => match model_named(value) {
            Some(model) => MODEL.store(model as usize, Ordering::Relaxed),
            None => complain(option),
        },
        (b"seed", Some(seed)) => turns.setup.seed = seed,
        (b"depth", Some(depth)) => turns.setup.depth = depth,
        (b"length", Some(length)) => turns.setup.length = length,
        (b"schedule", _) => match known {
            Some(schedule) => turns.schedule = schedule,
            None => complain(option),
        },
        _ => complain(option),
    }
}

/// `acq_rel` is accepted, too, because the options of sanitizers are usually written with an underscore.
fn model_named(name: &[u8]) -> Option<Supported> {
    let name = if name == b"acq_rel" { b"acq-rel" } else { name };
    core::str::from_utf8(name).ok()?.parse().ok()
}

fn switch_named(name: &[u8]) -> Option<&'static AtomicBool> {
    match name {
        b"halt_on_error" => Some(&HALT),
        b"report_races" => Some(&RACES),
        b"report_spins" => Some(&SPINS),
        b"symbolize" => Some(&SYMBOLIZE),
        _ => None,
    }
}

fn complain(option: &[u8]) {
    sys::write_all(2, b"Steadfast: STEADFAST_OPTIONS: cannot use `");
    sys::write_all(2, option);
    sys::write_all(2, b"`\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_can_be_in_quotes() {
        let mut found = Vec::new();
        let options = b"seed=1:log_path=\"/tmp/a b:c\",model=rc20  suppressions='it=s' quoted=\"to the end";
        each(options, |option| found.push(String::from_utf8_lossy(option).into_owned()));
        let expected = ["seed=1", "log_path=/tmp/a b:c", "model=rc20", "suppressions=it=s", "quoted=to the end"];
        assert_eq!(found, expected);
    }
}
