//! Programs, threads, locations and registers.

use crate::{Instr, Instruction, Place, cfg, dataflow};
use steadfast_span::{Index, IndexVec, Span, typed_index};

typed_index!(
    /// A thread.
    ThreadId
);
typed_index!(
    /// A shared location.
    LocId
);
typed_index!(
    /// A register of one thread.
    RegId
);
typed_index!(
    /// A position in a thread's code.
    Pc
);

/// The content of a register or a location.
pub type Value = u8;

/// The modulus for unbounded integers. Only templates have it (`steadfast_lang::parse_template`), and templates are never run.
pub const UNBOUNDED: u16 = u16::MAX;

/// How a negative or too large result is brought into range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The mathematical remainder: `0 - 1` modulo 11 is 10.
    #[default]
    Euclidean,
    /// C's remainder, then a cast to a byte: `0 - 1` modulo 11 is 255. Rocker's TPL does this.
    TruncatedByte,
}

/// A whole concurrent program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// Its name, for messages.
    pub name: String,
    /// How stored values are brought into range.
    pub wrap: Wrap,
    /// The shared locations.
    pub locations: IndexVec<LocId, Location>,
    /// The threads.
    pub threads: IndexVec<ThreadId, Thread>,
    /// The number that each value stands for, if the text has other numbers than bytes; otherwise empty.
    pub numbers: Vec<i32>,
    /// Whether the front end has checked that indices are inside of their arrays.
    pub indices_checked: bool,
}

/// Whether races on a location are errors of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocKind {
    /// Accessed by atomic instructions.
    Atomic,
    /// Accessed by plain loads and stores, which must not race.
    Plain,
}

/// A shared location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Its name, for messages; cells of an array are called `a[3]`.
    pub name: String,
    /// Atomic or plain.
    pub kind: LocKind,
    /// Its initial value.
    pub init: Value,
    /// Stored values are reduced modulo this; 1 to 256.
    pub modulus: u16,
    /// The place of its declaration.
    pub span: Span,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Its name, for messages.
    pub name: String,
    /// Assigned values are reduced modulo this; 1 to 256. Registers start at 0.
    pub modulus: u16,
    /// Whether it holds an intermediate value, and is not a variable of the text.
    pub temporary: bool,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its name, for messages.
    pub name: String,
    /// Its registers.
    pub registers: IndexVec<RegId, Register>,
    /// Its instructions; execution starts at the first one.
    pub code: IndexVec<Pc, Instruction>,
    /// The place of its declaration.
    pub span: Span,
}

/// Why a program is not well formed. Front ends report their own errors first; this check is for their mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// What is wrong.
    pub message: String,
    /// The place.
    pub span: Span,
}

impl Program {
    /// The number in the text that a value stands for.
    pub fn shown(&self, value: Value) -> i32 {
        self.numbers.get(usize::from(value)).copied().unwrap_or_else(|| value.into())
    }

    /// Brings a computed value into the range `0..modulus`.
    #[allow(
        clippy::cast_sign_loss,
        reason = "a Euclidean remainder is not negative, and the truncating cast is what TPL means"
    )]
    pub fn reduce(&self, value: i32, modulus: u16) -> Value {
        let modulus = i32::from(modulus);
        match self.wrap {
            Wrap::Euclidean => value.rem_euclid(modulus) as Value,
            Wrap::TruncatedByte => (value % modulus) as Value,
        }
    }

    /// The content of a register with this modulus after it has received a value from memory. TPL keeps the byte unchanged.
    pub fn receive(&self, value: Value, modulus: u16) -> Value {
        match self.wrap {
            Wrap::Euclidean => self.reduce(i32::from(value), modulus),
            Wrap::TruncatedByte => value,
        }
    }

    /// Checks the invariants listed at the top of this crate.
    pub fn validate(&self) -> Result<(), ValidationError> {
        for thread in &self.threads {
            let fail =
                |message: &str, span| Err(ValidationError { message: format!("{}: {message}", thread.name), span });
            if !matches!(thread.code.iter().last(), Some(Instruction { op: Instr::Halt, .. })) {
                return fail("the code does not end with halt", thread.span);
            }
            for (pc, instruction) in thread.code.enumerated() {
                if cfg::successors(pc, &instruction.op).iter().any(|target| target.index() >= thread.code.len()) {
                    return fail("a jump leaves the code", instruction.span);
                }
                let Some(place) = dataflow::place(&instruction.op) else { continue };
                let (base, len) = match place {
                    Place::Fixed(loc) => (*loc, 1),
                    Place::Element { base, len, .. } => (*base, *len as usize),
                };
                if len == 0 || base.index() + len > self.locations.len() {
                    return fail("a place lies outside the declared locations", instruction.span);
                }
                let wanted = match instruction.op {
                    Instr::PlainLoad { .. } | Instr::PlainStore { .. } => LocKind::Plain,
                    _ => LocKind::Atomic,
                };
                if self.locations.as_slice()[base.index()..base.index() + len].iter().any(|loc| loc.kind != wanted) {
                    return fail("an access does not fit the kind of its location", instruction.span);
                }
            }
        }
        Ok(())
    }
}
