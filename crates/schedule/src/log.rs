//! The choice log as a whole: its head, and a record for every step.

use crate::{CHOICE_BYTES, Choice, HEADER_BYTES, Header, Operation, VERSION};
use core::fmt;

/// How many records a log has at most. Then the log is full, and says so.
pub const MOST_CHOICES: u64 = 1 << 24;

/// The choices of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Which run it is.
    pub header: Header,
    /// Its steps, from the moment on when there was a second thread.
    pub choices: Vec<Choice>,
}

/// Why a file cannot be used as a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogError {
    /// It is something else.
    NoLog,
    /// It was written by another version.
    OtherVersion(u32),
    /// A part of it is missing.
    Truncated,
    /// The record with this number makes no sense.
    Garbled(u64),
    /// There is no such scheduler.
    UnknownScheduler(String),
}

impl fmt::Display for LogError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLog => write!(formatter, "it is not a choice log; `steadfast run --logs DIR` writes them"),
            Self::OtherVersion(version) => write!(
                formatter,
                "its format has version {version}, and this Steadfast reads version {VERSION}; record it again"
            ),
            Self::Truncated => write!(formatter, "a part of it is missing; copy it again, or record it again"),
            Self::Garbled(number) => write!(formatter, "record {number} makes no sense; record it again"),
            Self::UnknownScheduler(name) => {
                write!(formatter, "there is no scheduler `{}`; record it again", name.escape_default())
            }
        }
    }
}

impl std::error::Error for LogError {}

impl Log {
    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogError> {
        let header = Header::from_bytes(bytes)?;
        let records = usize::try_from(header.records).unwrap_or(usize::MAX);
        let Some(end) = records.checked_mul(CHOICE_BYTES).and_then(|bytes| bytes.checked_add(HEADER_BYTES)) else {
            return Err(LogError::Truncated);
        };
        let Some(bytes) = bytes.get(HEADER_BYTES..end) else { return Err(LogError::Truncated) };
        let (records, _) = bytes.as_chunks();
        let choices =
            records.iter().zip(0..).map(|(record, number)| Choice::from_bytes(record).ok_or(LogError::Garbled(number)));
        Ok(Self { choices: choices.collect::<Result<_, _>>()?, header })
    }

    /// As it is in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.header.to_bytes().to_vec();
        bytes.extend(self.choices.iter().flat_map(|choice| choice.to_bytes()));
        bytes
    }

    /// The first step of this log that another run has not repeated, although it could have been recorded there.
    pub fn first_difference(&self, repetition: &Self) -> Option<usize> {
        let same = self
            .choices
            .iter()
            .zip(&repetition.choices)
            .take_while(|(one, other)| one.is_same_step(other) && one.chosen == other.chosen);
        let same = same.count();
        (same < self.choices.len()).then_some(same)
    }

    /// Whether the run waited for something outside of the schedule, a system call that is not known or a signal: then it need not be repeated exactly.
    pub fn waits_outside(&self) -> bool {
        self.choices.iter().any(|choice| choice.operation == Operation::Resume)
    }

    /// From which step on the log was full, if it was.
    pub fn full_from(&self) -> Option<u64> {
        (self.header.steps > self.header.records).then_some(self.header.records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn sample() -> Log {
        let header = Header { seed: 3, length: 40, records: 2, steps: 5, ..Header::new(Kind::Pct) };
        let choice = Choice { thread: 1, operation: Operation::Store, ..Choice::NONE };
        Log { header, choices: vec![choice, Choice { chosen: 1, ..choice }] }
    }

    #[test]
    fn every_prefix_is_a_log_or_an_error() {
        let bytes = sample().to_bytes();
        assert_eq!(Log::from_bytes(&bytes), Ok(sample()));
        assert_eq!(sample().full_from(), Some(2));
        for length in 0..bytes.len() {
            let expected = if length < 8 { LogError::NoLog } else { LogError::Truncated };
            assert_eq!(Log::from_bytes(&bytes[..length]), Err(expected), "{length}");
        }
    }

    #[test]
    fn a_repetition_may_go_on() {
        let (short, mut long) = (sample(), sample());
        long.choices.push(Choice::NONE);
        assert_eq!((short.first_difference(&long), long.first_difference(&short)), (None, Some(2)));
        long.choices[1].chosen = 7;
        assert_eq!(short.first_difference(&long), Some(1));
    }

    #[test]
    fn any_byte_can_be_wrong() {
        let bytes = sample().to_bytes();
        for place in 0..bytes.len() {
            for value in [0, 1, 127, 255] {
                let mut wrong = bytes.clone();
                wrong[place] = value;
                // Whatever it says, it says it without a panic.
                let _ = Log::from_bytes(&wrong).map_err(|error| error.to_string());
            }
        }
        let mut other = bytes.clone();
        other[8] = 9;
        assert_eq!(Log::from_bytes(&other), Err(LogError::OtherVersion(9)));
        other = bytes;
        other[16] = b'x';
        assert_eq!(Log::from_bytes(&other), Err(LogError::UnknownScheduler("xct".into())));
    }
}
