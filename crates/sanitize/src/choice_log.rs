//! The choice log of one run: a file that is made before the run, written by the runtime, and read, kept or repeated afterwards.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use steadfast_schedule::{CHOICE_BYTES, HEADER_BYTES, Header, Kind, Log, LogError, MOST_CHOICES};

/// The choices of a finished run. The next run in the same folder replaces the file; until then it can be read or kept.
#[derive(Clone, Debug)]
pub struct RecordedChoices {
    path: PathBuf,
    /// The head of the log: the run, and how many steps it made.
    pub header: Header,
}

/// The size of the largest log.
const MOST_BYTES: u64 = HEADER_BYTES as u64 + MOST_CHOICES * CHOICE_BYTES as u64;

/// Makes a file for the log. It has the size of the largest log, but uses almost no disk space.
pub(crate) fn prepare(path: &Path, scheduler: Kind) -> io::Result<()> {
    if let Some(limit) = largest_file(&fs::read_to_string("/proc/self/limits").unwrap_or_default())
        && limit < MOST_BYTES
    {
        // A process that makes a larger file is ended by a signal.
        let reason =
            format!("files may have at most {limit} bytes here (`ulimit -f`), and a log can have {MOST_BYTES}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    let _ = fs::remove_file(path);
    let mut file = File::create_new(path)?;
    file.write_all(&Header::new(scheduler).to_bytes())?;
    file.set_len(MOST_BYTES)
}

/// The limit for the size of a file, from the system's list of limits. `None` if there is no limit.
fn largest_file(limits: &str) -> Option<u64> {
    limits.lines().find_map(|line| line.strip_prefix("Max file size")?.split_whitespace().next()?.parse().ok())
}

impl RecordedChoices {
    /// The log that a run has written to the file. `None` if no process of the run had a controlled schedule and a second thread.
    pub(crate) fn find(path: &Path) -> Option<Self> {
        let mut bytes = [0; HEADER_BYTES];
        File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).ok()?;
        let header = Header::from_bytes(&bytes).ok().filter(|header| header.owner != 0)?;
        Some(Self { path: path.to_owned(), header })
    }

    /// The used part of the file.
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let used = HEADER_BYTES as u64 + self.header.records.min(MOST_CHOICES) * CHOICE_BYTES as u64;
        let mut bytes = self.header.to_bytes().to_vec();
        let mut file = File::open(&self.path)?.take(used);
        file.read_exact(&mut [0; HEADER_BYTES])?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// All choices.
    pub fn read(&self) -> Result<Log, String> {
        let bytes = self.bytes().map_err(|error| error.to_string())?;
        Log::from_bytes(&bytes).map_err(|error| error.to_string())
    }

    /// Copies the log to a file that later runs do not replace.
    pub fn keep(&self, path: &Path) -> io::Result<()> {
        fs::write(path, self.bytes()?)
    }
}

/// Why a log cannot be repeated.
#[derive(Debug)]
pub enum UnusableLog {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is not a log, or only a part of one.
    Wrong(LogError),
    /// It has no steps.
    Empty,
}

impl std::fmt::Display for UnusableLog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => write!(formatter, "{error}"),
            Self::Wrong(error) => write!(formatter, "{error}"),
            Self::Empty => write!(formatter, "it has no steps: the run had a single thread"),
        }
    }
}

impl std::error::Error for UnusableLog {}

/// Reads a log to repeat.
pub fn load(path: &Path) -> Result<Log, UnusableLog> {
    let mut bytes = Vec::new();
    // At most the size of a log: the file may be a device without an end.
    File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)).map_err(UnusableLog::Unreadable)?;
    let log = Log::from_bytes(&bytes).map_err(UnusableLog::Wrong)?;
    if log.choices.is_empty() { Err(UnusableLog::Empty) } else { Ok(log) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_files_are_known() {
        let limits = |soft: &str| {
            format!("Limit   Soft  Hard  Units\nMax cpu time 7 8 s\nMax file size      {soft}   unlimited   bytes\n")
        };
        assert_eq!(largest_file(&limits("1024")), Some(1024));
        assert_eq!(largest_file(&limits("unlimited")), None);
        assert_eq!(largest_file(""), None);
    }

    #[test]
    fn a_file_that_nobody_has_written_into_is_no_run() {
        let path = std::env::temp_dir().join(format!("steadfast-log-{}", std::process::id()));
        prepare(&path, Kind::Random).expect("a file");
        assert!(RecordedChoices::find(&path).is_none());
        assert!(matches!(load(&path), Err(UnusableLog::Empty)));
        fs::write(&path, "no log").expect("a file");
        assert!(matches!(load(&path), Err(UnusableLog::Wrong(LogError::NoLog))));
        fs::remove_file(&path).expect("a file");
        assert!(matches!(load(&path), Err(UnusableLog::Unreadable(_))));
    }
}
