//! The head of the log: which run it is, and how far it goes.

use crate::{CHOICE_BYTES, Kind, LogError, Schedule, Setup};

/// How long the head is.
pub const HEADER_BYTES: usize = 256;
/// What the layout is. A log of another version is refused.
pub const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"SFCHOICE";
const NAME_BYTES: usize = 32;

/// Where the parts of the head are that the runtime changes while it runs. Each of them is a word of eight bytes.
pub mod at {
    /// The scheduler's name.
    pub const NAME: usize = 16;
    /// The seed; depth and length follow.
    pub const SETUP: usize = 48;
    /// The process that the log is about, or zero.
    pub const OWNER: usize = 72;
    /// How many steps there were before the log began.
    pub const BEFORE: usize = 80;
    /// How many records there are.
    pub const RECORDS: usize = 88;
    /// How many records there would be if there were room for all.
    pub const STEPS: usize = 96;
    /// How many other processes had a schedule of their own.
    pub const OTHERS: usize = 104;
}

/// What the head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Who has chosen.
    pub scheduler: Kind,
    /// Where chance began.
    pub seed: u64,
    /// PCT's depth.
    pub depth: u64,
    /// PCT's length.
    pub length: u64,
    /// The process, or zero if no process has begun it.
    pub owner: u64,
    /// How many steps there were before, with a single thread.
    pub before: u64,
    /// How many records follow.
    pub records: u64,
    /// How many would follow if there were room: if these are more, the log is full from step `records` on.
    pub steps: u64,
    /// How many other processes had a schedule of their own, which is not recorded.
    pub others: u64,
}

impl Header {
    /// Nothing has happened yet.
    pub fn new(scheduler: Kind) -> Self {
        let Setup { seed, depth, length } = Setup::default();
        Self { scheduler, seed, depth, length, owner: 0, before: 0, records: 0, steps: 0, others: 0 }
    }

    /// What its scheduler began with.
    pub fn setup(&self) -> Setup {
        Setup { seed: self.seed, depth: self.depth, length: self.length }
    }

    /// How many steps there were altogether.
    pub fn all_steps(&self) -> u64 {
        self.before.saturating_add(self.steps)
    }

    /// The scheduler's name and what it began with, as the runtime writes them at [`at::NAME`].
    pub fn named(scheduler: Kind, setup: Setup) -> [u8; NAME_BYTES + 24] {
        let mut bytes = [0; NAME_BYTES + 24];
        let name = scheduler.name().as_bytes();
        bytes[..name.len()].copy_from_slice(name);
        for (word, value) in bytes[NAME_BYTES..].chunks_exact_mut(8).zip([setup.seed, setup.depth, setup.length]) {
            word.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// As it is in the file.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(CHOICE_BYTES as u32).to_le_bytes());
        bytes[at::NAME..at::OWNER].copy_from_slice(&Self::named(self.scheduler, self.setup()));
        let mut put = |place: usize, value: u64| bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
        put(at::OWNER, self.owner);
        put(at::BEFORE, self.before);
        put(at::RECORDS, self.records);
        put(at::STEPS, self.steps);
        put(at::OTHERS, self.others);
        bytes
    }

    /// Reads the beginning of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogError> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(LogError::NoLog);
        }
        let Some(bytes) = bytes.get(..HEADER_BYTES) else { return Err(LogError::Truncated) };
        let half = |place: usize| bytes[place..place + 4].iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
        let word = |place: usize| bytes[place..place + 8].iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        if half(8) != VERSION || half(12) != CHOICE_BYTES as u32 {
            return Err(LogError::OtherVersion(half(8)));
        }
        let name = &bytes[at::NAME..at::NAME + NAME_BYTES];
        let name = String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned();
        let Some(Schedule::By(scheduler)) = Schedule::from_name(&name) else {
            return Err(LogError::UnknownScheduler(name));
        };
        Ok(Self {
            scheduler,
            seed: word(at::SETUP),
            depth: word(at::SETUP + 8),
            length: word(at::SETUP + 16),
            owner: word(at::OWNER),
            before: word(at::BEFORE),
            records: word(at::RECORDS),
            steps: word(at::STEPS),
            others: word(at::OTHERS),
        })
    }
}
