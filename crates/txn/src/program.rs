//! Transactional programs: processes that run transactions over shared variables, one after the other.
//!
//! The language is that of Beillahi, Bouajjani and Enea, *Robustness against transactional causal consistency*, figure 2, with arrays, choices
//! of values, and conditions, all of which their `goto` language can express. A process is a list of instructions; what lies between
//! [`Instr::Begin`] and [`Instr::End`] is a transaction, and nothing outside of one touches shared variables.

use steadfast_span::Span;

/// The values of variables and registers.
pub type Value = u8;

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Values are 0 to this number minus one; what is stored is taken modulo it.
    pub modulus: u16,
    /// The shared variables. Every cell of an array is one.
    pub variables: Vec<Variable>,
    /// The processes. Copies of one process are processes of their own.
    pub processes: Vec<Process>,
    /// The transactions of the text; several processes may run the same one.
    pub transactions: Vec<Transaction>,
}

/// A shared variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, with indices if it is a cell of an array.
    pub name: String,
    /// What it holds in the beginning.
    pub initial: Value,
    /// Where it is declared.
    pub span: Span,
}

/// A transaction as it stands in the text.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// Its name, given or made up.
    pub name: String,
    /// Its text.
    pub span: Span,
    /// Whether it runs serializably: such transactions come one after the other, and each sees all those before it.
    pub serializable: bool,
}

/// A process, which is one session with the database.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name; copies are called `client[0]`, `client[1]`, and so on.
    pub name: String,
    /// The names of its registers. Those of the tool's own begin with `#`.
    pub registers: Vec<String>,
    /// What it does. The last instruction is [`Instr::Halt`], and every target is in range.
    pub code: Vec<Instr>,
    /// Where each instruction stands in the text.
    pub spans: Vec<Span>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instr {
    /// A transaction begins; its number.
    Begin(usize),
    /// The transaction commits.
    End,
    /// Reads a shared variable.
    Read {
        /// Where the value goes.
        register: usize,
        /// What is read.
        place: Place,
    },
    /// Writes a shared variable.
    Write {
        /// What is written.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// Computes a register.
    Set {
        /// Which register.
        register: usize,
        /// The value.
        value: Expr,
    },
    /// Takes any value from `low` to `high - 1`.
    Pick {
        /// Where the value goes.
        register: usize,
        /// The smallest value.
        low: Value,
        /// One more than the largest value.
        high: u16,
    },
    /// Goes no further unless this holds. A transaction that stops here never commits.
    Assume(Expr),
    /// Goes on at `otherwise` unless the condition holds.
    Branch {
        /// The condition.
        condition: Expr,
        /// Where to go if it does not hold.
        otherwise: usize,
    },
    /// Goes on at one of these places.
    Choose(Vec<usize>),
    /// Goes on elsewhere.
    Jump(usize),
    /// The end of the process.
    Halt,
}

/// A shared variable, perhaps chosen by an index.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable, or the first cell of the array.
    pub base: usize,
    /// Indices with the sizes of their dimensions.
    pub indices: Vec<(Expr, u32)>,
}

/// An expression over registers.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// The value of a register.
    Register(usize),
    /// `!` or `-`.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Expr {
    /// The value; nothing if something is divided by zero. Numbers wrap around at 64 bits, which no program of bytes notices.
    pub fn value(&self, registers: &[Value]) -> Option<i64> {
        Some(match self {
            Self::Number(number) => *number,
            Self::Register(register) => i64::from(registers[*register]),
            Self::Unary(UnaryOp::Not, operand) => i64::from(operand.value(registers)? == 0),
            Self::Unary(UnaryOp::Minus, operand) => operand.value(registers)?.wrapping_neg(),
            Self::Binary(op, left, right) => op.apply(left.value(registers)?, right.value(registers)?)?,
        })
    }

    /// Whether it may have no value.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::Number(_) | Self::Register(_) => false,
            Self::Unary(_, operand) => operand.may_fail(),
            Self::Binary(op, left, right) => {
                matches!(op, BinaryOp::Divide | BinaryOp::Remainder) || left.may_fail() || right.may_fail()
            }
        }
    }

    /// Calls `visit` with every register in it.
    pub fn registers(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Number(_) => {}
            Self::Register(register) => visit(*register),
            Self::Unary(_, operand) => operand.registers(visit),
            Self::Binary(_, left, right) => {
                left.registers(visit);
                right.registers(visit);
            }
        }
    }
}

impl BinaryOp {
    fn apply(self, left: i64, right: i64) -> Option<i64> {
        Some(match self {
            Self::Or => i64::from(left != 0 || right != 0),
            Self::And => i64::from(left != 0 && right != 0),
            Self::Equal => i64::from(left == right),
            Self::NotEqual => i64::from(left != right),
            Self::Less => i64::from(left < right),
            Self::LessEqual => i64::from(left <= right),
            Self::Greater => i64::from(left > right),
            Self::GreaterEqual => i64::from(left >= right),
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
        })
    }
}

impl Place {
    /// All variables that it may be.
    pub fn cells(&self) -> std::ops::Range<usize> {
        self.base..self.base + self.indices.iter().map(|(_, size)| *size as usize).product::<usize>()
    }

    /// The variable; the offending index if it is out of bounds; nothing for both if an index has no value.
    pub fn variable(&self, registers: &[Value]) -> Result<usize, Option<i64>> {
        let mut offset = 0;
        for (index, size) in &self.indices {
            let index = index.value(registers).ok_or(None)?;
            let position = usize::try_from(index).ok().filter(|&position| position < *size as usize);
            offset = offset * *size as usize + position.ok_or(Some(index))?;
        }
        Ok(self.base + offset)
    }
}

impl Program {
    /// A value as it is stored.
    pub fn wrap(&self, value: i64) -> Value {
        value.rem_euclid(i64::from(self.modulus)) as Value
    }

    /// The store in the beginning.
    pub fn initial_store(&self) -> Vec<Value> {
        self.variables.iter().map(|variable| variable.initial).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
        Expr::Binary(op, Expr::Number(left).into(), Expr::Number(right).into()).value(&[])
    }

    #[test]
    fn expressions_have_values_or_not() {
        assert_eq!(binary(BinaryOp::Subtract, 1, 3), Some(-2));
        assert_eq!(binary(BinaryOp::Divide, 1, 0), None);
        assert_eq!(binary(BinaryOp::Remainder, i64::MIN, -1), None);
        assert_eq!(binary(BinaryOp::Multiply, i64::MAX, 2), Some(-2));
    }

    #[test]
    fn cells_are_laid_out_row_by_row() {
        let place = Place { base: 10, indices: vec![(Expr::Register(0), 2), (Expr::Register(1), 3)] };
        assert_eq!(place.variable(&[1, 2]), Ok(15));
        assert_eq!(place.variable(&[2, 0]), Err(Some(2)));
    }
}
