//! Parses accesses to memory, `x.store(e, m)` and `FADD(x, e, m, m)`, and checks their arguments and modes.

use super::ast::{AccessKind, Expr, ExprKind, Name, StatementKind};
use super::parser::{Parse, Parser, Reported};
use super::token::{Token, TokenKind as T};
use crate::codes;
use steadfast_diag::{Diagnostic, closest, suggest};
use steadfast_ir::{ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// Operations that are written `x.load(…)`.
pub(super) const METHODS: [&str; 4] = ["load", "store", "naload", "nastore"];
/// Operations that are written `FADD(x, …)`.
pub(super) const FUNCTIONS: [&str; 7] = ["FADD", "exchange", "CAS", "BCAS", "wait", "lock", "unlock"];

/// The modes of accesses, for messages.
const MODES: &str = "the modes are `rlx`, `acq` and `rel`";

/// The arguments of an operation.
struct Arguments<'s> {
    values: Vec<Expr<'s>>,
    modes: Vec<Token>,
    /// The place of the arguments, with the parentheses.
    span: Span,
}

/// An operation that is being parsed.
#[derive(Clone, Copy)]
struct Operation<'s> {
    word: &'s str,
    span: Span,
}

impl<'s> Parser<'s, '_> {
    /// `x.op(…)`
    pub(super) fn method(&mut self, dst: Option<Name<'s>>) -> Parse<StatementKind<'s>> {
        let location = self.name("a location")?;
        self.bump();
        let name = self.name("an operation")?;
        let op = Operation { word: name.text, span: name.span };
        if !METHODS.contains(&op.word) {
            return Err(self.unknown_method(op, location));
        }
        let arguments = self.arguments()?;
        self.access(dst, location, op, arguments)
    }

    /// `OP(x, …)`
    pub(super) fn function_access(&mut self, dst: Option<Name<'s>>) -> Parse<StatementKind<'s>> {
        let name = self.name("an operation")?;
        let op = Operation { word: name.text, span: name.span };
        if !FUNCTIONS.contains(&op.word) {
            return Err(self.unknown_function(op));
        }
        let mut arguments = self.arguments()?;
        if arguments.values.is_empty() {
            return Err(self.wrong_arguments(op, arguments.span, "the location that it accesses comes first"));
        }
        let first = arguments.values.remove(0);
        let ExprKind::Name(text) = first.kind else {
            let problem = Diagnostic::error(codes::NOT_A_VALUE, format!("`{}` accesses a location", op.word));
            return Err(self.report(problem.at(first.span, "this is a value, not a location")));
        };
        self.access(dst, Name { text, span: first.span }, op, arguments)
    }

    fn unknown_method(&mut self, op: Operation<'s>, location: Name<'s>) -> Reported {
        let problem = Diagnostic::error(codes::UNKNOWN_OPERATION, format!("unknown operation `{}`", op.word));
        let problem = problem.at(op.span, "locations have no such operation");
        let meant = match op.word {
            "fetch_add" => Some("FADD"),
            "swap" => Some("exchange"),
            "compare_exchange_strong" | "compare_exchange" => Some("CAS"),
            word => closest(word, FUNCTIONS).filter(|_| closest(word, METHODS).is_none()),
        };
        self.report(match meant {
            Some(function) => problem.help(format!("write `{function}({}, …)`", location.text)),
            None => suggest(problem, op.word, METHODS),
        })
    }

    fn unknown_function(&mut self, op: Operation<'s>) -> Reported {
        let problem = Diagnostic::error(codes::UNKNOWN_OPERATION, format!("unknown operation `{}`", op.word));
        let problem = problem.at(op.span, "there is no such operation");
        self.report(if METHODS.contains(&op.word) {
            problem.help(format!("write `x.{}(…)` with the location in front", op.word))
        } else {
            suggest(problem, op.word, FUNCTIONS.into_iter().chain(["assert", "assume", "verify"]))
        })
    }

    fn arguments(&mut self) -> Parse<Arguments<'s>> {
        let open = self.expect(T::OpenParen, "`(`")?;
        let (mut values, mut modes) = (Vec::new(), Vec::new());
        while self.kind() != T::CloseParen {
            if self.kind() == T::Mode {
                modes.push(self.bump());
            } else if modes.is_empty() {
                values.push(self.expression()?);
            } else {
                return Err(self.unexpected("a mode, as modes come last"));
            }
            if self.accept(T::Comma).is_none() {
                break;
            }
        }
        self.expect_close(open, T::CloseParen, "`,` or `)`")?;
        Ok(Arguments { values, modes, span: self.span_since(open.span) })
    }

    fn access(
        &mut self,
        dst: Option<Name<'s>>,
        location: Name<'s>,
        op: Operation<'s>,
        Arguments { values, modes, span }: Arguments<'s>,
    ) -> Parse<StatementKind<'s>> {
        self.check_result(dst.is_some(), op)?;
        let access = match op.word {
            "load" => {
                AccessKind::Load(self.no_values(op, &values, span).and_then(|()| self.read_mode(op, &modes, span))?)
            }
            "naload" => {
                self.no_values(op, &values, span)?;
                self.no_modes(op, &modes)?;
                AccessKind::PlainLoad
            }
            "store" => {
                let [value] = self.values(op, values, span, "one value")?;
                AccessKind::Store(value, self.write_mode(op, &modes, span)?)
            }
            "nastore" => {
                let [value] = self.values(op, values, span, "one value")?;
                self.no_modes(op, &modes)?;
                AccessKind::PlainStore(value)
            }
            "FADD" | "exchange" => {
                let [value] = self.values(op, values, span, "a location and one value")?;
                let order = self.update_modes(op, &modes, span)?;
                if op.word == "FADD" { AccessKind::FetchAdd(value, order) } else { AccessKind::Exchange(value, order) }
            }
            "CAS" | "BCAS" => {
                let [old, new] = self.values(op, values, span, "a location, an expected value and a new value")?;
                let order = self.update_modes(op, &modes, span)?;
                if op.word == "CAS" {
                    AccessKind::Cas(old, new, order)
                } else {
                    AccessKind::BlockingCas(old, new, order)
                }
            }
            "wait" if values.is_empty() => {
                return Err(self.wrong_arguments(op, span, "after the location come the values to wait for"));
            }
            "wait" => AccessKind::Wait(values, self.read_mode(op, &modes, span)?),
            word => {
                self.no_values(op, &values, span)?;
                self.no_modes(op, &modes)?;
                if word == "lock" { AccessKind::Lock } else { AccessKind::Unlock }
            }
        };
        Ok(StatementKind::Access { dst, location, access })
    }

    /// Checks that loads are assigned, and that operations without a result are not.
    fn check_result(&mut self, assigned: bool, op: Operation<'s>) -> Parse<()> {
        let problem = |message: String| Diagnostic::error(codes::RESULT, message);
        match op.word {
            "load" | "naload" if !assigned => {
                let problem = problem(format!("the result of `{}` is not used", op.word));
                let problem = problem.at(op.span, "this does nothing but read");
                let help = format!("assign it to a local variable: `r = x.{}(…);`", op.word);
                Err(self.report(problem.help(help)))
            }
            "store" | "nastore" | "BCAS" | "lock" | "unlock" if assigned => {
                let problem = problem(format!("`{}` has no result that could be assigned", op.word));
                let problem = problem.at(op.span, "this gives no value");
                let blocking = op.word == "BCAS";
                Err(self.report(if blocking { problem.help("`CAS` gives the old value") } else { problem }))
            }
            _ => Ok(()),
        }
    }

    fn values<const N: usize>(
        &mut self,
        op: Operation<'s>,
        values: Vec<Expr<'s>>,
        span: Span,
        what: &str,
    ) -> Parse<[Expr<'s>; N]> {
        let foreign = |value: &Expr| matches!(value.kind, ExprKind::Name(word) if mode_for(word).is_some());
        values.try_into().map_err(|values: Vec<Expr>| match values.into_iter().find(foreign) {
            Some(mode) => self.unknown_mode(mode.span, MODES),
            None => self.wrong_arguments(op, span, &format!("it takes {what}, and then modes")),
        })
    }

    fn no_values(&mut self, op: Operation<'s>, values: &[Expr<'s>], span: Span) -> Parse<()> {
        // A misspelt mode looks like a value, and is the more likely mistake.
        if let [Expr { kind: ExprKind::Name(_), span, .. }] = values {
            return Err(self.unknown_mode(*span, MODES));
        }
        if values.is_empty() { Ok(()) } else { Err(self.wrong_arguments(op, span, "it takes no value here")) }
    }

    fn wrong_arguments(&mut self, op: Operation<'s>, span: Span, label: &str) -> Reported {
        let problem = Diagnostic::error(codes::WRONG_ARGUMENTS, format!("wrong arguments of `{}`", op.word));
        self.report(problem.at(span, label))
    }

    fn no_modes(&mut self, op: Operation<'s>, modes: &[Token]) -> Parse<()> {
        let Some(mode) = modes.first() else { return Ok(()) };
        let problem = Diagnostic::error(codes::WRONG_MODE, format!("`{}` takes no mode", op.word));
        Err(self.report(problem.at(mode.span, "to be left out")))
    }

    fn read_mode(&mut self, op: Operation<'s>, modes: &[Token], span: Span) -> Parse<ReadOrder> {
        match modes {
            [] => Ok(ReadOrder::Relaxed),
            [mode] => self.read_order(op, *mode),
            _ => Err(self.wrong_arguments(op, span, "it takes one mode")),
        }
    }

    fn write_mode(&mut self, op: Operation<'s>, modes: &[Token], span: Span) -> Parse<WriteOrder> {
        match modes {
            [] => Ok(WriteOrder::Relaxed),
            [mode] => self.write_order(op, *mode),
            _ => Err(self.wrong_arguments(op, span, "it takes one mode")),
        }
    }

    fn update_modes(&mut self, op: Operation<'s>, modes: &[Token], span: Span) -> Parse<RmwOrder> {
        match modes {
            [] => Ok(RmwOrder::Relaxed),
            [read, write] => {
                let (read, write) = (self.read_order(op, *read), self.write_order(op, *write));
                Ok(RmwOrder::from_halves(read?, write?))
            }
            _ => Err(self.wrong_arguments(op, span, "it takes two modes, of its read and of its write: `acq, rel`")),
        }
    }

    fn read_order(&mut self, op: Operation<'s>, mode: Token) -> Parse<ReadOrder> {
        match self.slice(mode.span) {
            "rlx" => Ok(ReadOrder::Relaxed),
            "acq" => Ok(ReadOrder::Acquire),
            _ => Err(self.wrong_mode(op, mode, "reading", "`rlx` or `acq`")),
        }
    }

    fn write_order(&mut self, op: Operation<'s>, mode: Token) -> Parse<WriteOrder> {
        match self.slice(mode.span) {
            "rlx" => Ok(WriteOrder::Relaxed),
            "rel" => Ok(WriteOrder::Release),
            _ => Err(self.wrong_mode(op, mode, "writing", "`rlx` or `rel`")),
        }
    }

    fn wrong_mode(&mut self, op: Operation<'s>, mode: Token, half: &str, allowed: &str) -> Reported {
        let word = self.slice(mode.span);
        let problem = Diagnostic::error(codes::WRONG_MODE, format!("`{}` cannot be `{word}` here", op.word));
        let problem = problem.at(mode.span, format!("{half} is {allowed}"));
        let updates = matches!(op.word, "FADD" | "exchange" | "CAS" | "BCAS");
        self.report(match word {
            "seq_cst" => {
                problem.help("TPL has no `seq_cst` accesses; use `fence(seq_cst);`, or the Steadfast language")
            }
            _ if updates => problem.help("first comes the mode of the read, then the mode of the write: `acq, rel`"),
            _ => problem,
        })
    }

    /// Reports a word in place of a mode.
    pub(super) fn unknown_mode(&mut self, span: Span, label: &str) -> Reported {
        let word = self.slice(span);
        let problem = Diagnostic::error(codes::UNKNOWN_MODE, format!("unknown mode `{word}`")).at(span, label);
        self.report(match mode_for(word) {
            Some(mode) => problem.help(format!("did you mean `{mode}`?")),
            None => suggest(problem, word, ["rlx", "acq", "rel"]),
        })
    }
}

/// The TPL mode for the name of an ordering in other languages.
pub(super) fn mode_for(word: &str) -> Option<&'static str> {
    let word = word.strip_prefix("memory_order_").unwrap_or(word);
    match word.to_ascii_lowercase().as_str() {
        "relaxed" => Some("rlx"),
        "acquire" => Some("acq"),
        "release" => Some("rel"),
        "acqrel" | "acq_rel" => Some("acq_rel"),
        "sc" | "seqcst" | "seq_cst" => Some("seq_cst"),
        _ => None,
    }
}
