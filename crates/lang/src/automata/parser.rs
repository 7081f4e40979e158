//! Parses words to a syntax tree.
//!
//! Every transition begins with a keyword, so after an error, parsing continues at the next line that begins with a keyword.

use super::ast::{Automaton, File, Number, Op, Operator, Term, Transition, Word};
use super::codes;
use crate::support::{self, Depth};
use std::collections::HashMap;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_span::Span;

/// The operations of transitions.
const OPERATIONS: [&str; 8] = ["read", "write", "local", "check", "mfence", "noop", "lock", "unlock"];
/// The keywords at the beginning of a line inside a thread.
const LINES: [&str; 3] = ["initial", "transition", "end"];
/// The largest absolute value of a number.
const LARGEST: i64 = i32::MAX as i64;

/// A rule did not match, and the error was reported.
struct Reported;
type Parse<T> = Result<T, Reported>;

/// A position in the words of one file.
pub(super) struct Parser<'s, 'd> {
    words: Vec<(Word<'s>, bool)>,
    position: usize,
    /// The end of the text.
    end: Span,
    depth: Depth,
    diagnostics: &'d mut Diagnostics,
}

/// A thread that is being parsed.
#[derive(Default)]
struct PartialThread<'s> {
    initial: Option<Word<'s>>,
    states: Names<'s>,
    registers: Names<'s>,
    transitions: Vec<Transition>,
    /// The registers that receive a value somewhere.
    assigned: Vec<usize>,
}

/// Names with their numbers.
#[derive(Default)]
struct Names<'s> {
    known: HashMap<&'s str, usize>,
    list: Vec<Word<'s>>,
}

impl<'s> Names<'s> {
    fn number(&mut self, word: Word<'s>) -> usize {
        *self.known.entry(word.text).or_insert_with(|| {
            self.list.push(word);
            self.list.len() - 1
        })
    }
}

impl<'s, 'd> Parser<'s, 'd> {
    pub(super) fn new(text: &str, words: Vec<(Word<'s>, bool)>, diagnostics: &'d mut Diagnostics) -> Self {
        let end = Span::new(text.len() as u32, text.len() as u32);
        Self { words, position: 0, end, depth: Depth::default(), diagnostics }
    }

    /// The whole file.
    pub(super) fn file(mut self) -> File<'s> {
        let mut file = File::default();
        while let Some(word) = self.peek() {
            if self.diagnostics.is_full() {
                break;
            }
            let start = self.position;
            let result = match word.text {
                "thread" => self.thread().map(|thread| file.threads.extend(thread)),
                "memory_size" => self.memory_size(&mut file),
                _ => Err(self.unexpected("`thread`", &["thread", "memory_size"])),
            };
            if result.is_err() {
                self.skip_to(start, &["thread", "memory_size"]);
            }
        }
        file
    }

    fn peek(&self) -> Option<Word<'s>> {
        self.words.get(self.position).map(|(word, _)| *word)
    }

    /// The next word. It must be on the same line as the previous one, unless it is the first of its line anyway.
    fn take(&mut self, what: &str) -> Parse<Word<'s>> {
        match self.words.get(self.position) {
            Some((word, first)) if !(*first && begins_line(word.text)) => {
                self.position += 1;
                Ok(*word)
            }
            _ => Err(self.unexpected(what, &[])),
        }
    }

    fn previous(&self) -> Span {
        self.position.checked_sub(1).map_or(Span::default(), |at| self.words[at].0.span)
    }

    /// After an error in something that began at `start`, skips to the next line that begins with one of these words.
    fn skip_to(&mut self, start: usize, starts: &[&str]) {
        self.position = self.position.max(start + 1);
        while let Some((word, first)) = self.words.get(self.position)
            && !(*first && starts.contains(&word.text))
        {
            self.position += 1;
        }
    }

    fn unexpected(&mut self, what: &str, among: &[&'static str]) -> Reported {
        let next = self.words.get(self.position).copied();
        let (found, span) = match next {
            None => ("the end of the file".to_owned(), self.end),
            Some((word, true)) if self.position > 0 && among.is_empty() => {
                // Something is missing at the end of the previous line.
                let end = self.previous().end;
                (format!("`{}`", shorten(word.text)), Span::new(end, end))
            }
            Some((word, _)) => (format!("`{}`", shorten(word.text)), word.span),
        };
        let problem = Diagnostic::error(codes::UNEXPECTED, format!("expected {what}, found {found}"));
        let problem = problem.at(span, format!("expected {what}"));
        let word = next.map_or("", |(word, _)| word.text);
        self.diagnostics.push(suggest(problem, word, among.iter().copied()));
        Reported
    }

    fn memory_size(&mut self, file: &mut File<'s>) -> Parse<()> {
        self.position += 1;
        let word = self.take("a number of addresses")?;
        let value = self.integer(word)?.unwrap_or(-1);
        if value < 1 {
            let problem = Diagnostic::error(codes::UNEXPECTED, "`memory_size` takes a positive number");
            self.diagnostics.push(problem.at(word.span, "expected how many addresses there are"));
            return Err(Reported);
        }
        file.memory_size = Some(Number { value, span: word.span });
        Ok(())
    }

    /// A thread. Nothing if it has no initial state; the error was reported.
    fn thread(&mut self) -> Parse<Option<Automaton<'s>>> {
        self.position += 1;
        let name = self.take("the name of the thread")?;
        let mut draft = PartialThread::default();
        loop {
            let Some(word) = self.peek() else {
                let problem = Diagnostic::error(codes::UNCLOSED, format!("thread `{}` has no end", shorten(name.text)));
                self.diagnostics
                    .push(problem.at(self.end, "expected `end`").context(name.span, "the thread begins here"));
                break;
            };
            if self.diagnostics.is_full() {
                return Err(Reported);
            }
            let start = self.position;
            let result = match word.text {
                "end" => {
                    self.position += 1;
                    break;
                }
                "thread" if self.words[self.position].1 => {
                    let problem =
                        Diagnostic::error(codes::UNCLOSED, format!("thread `{}` has no end", shorten(name.text)));
                    let problem = problem.at(word.span, "expected `end` before the next thread");
                    self.diagnostics.push(problem.context(name.span, "the thread begins here"));
                    break;
                }
                "initial" => self.initial(&mut draft),
                "transition" => self.transition(&mut draft),
                _ => Err(self.unexpected("`initial`, `transition` or `end`", &LINES)),
            };
            if result.is_err() {
                self.skip_to(start, &["initial", "transition", "end", "thread"]);
            }
        }
        self.warn_unassigned(&draft);
        Ok(self.finish(name, draft))
    }

    fn finish(&mut self, name: Word<'s>, mut draft: PartialThread<'s>) -> Option<Automaton<'s>> {
        let Some(initial) = draft.initial else {
            let message = format!("thread `{}` has no initial state", shorten(name.text));
            let problem = Diagnostic::error(codes::NO_INITIAL, message).at(name.span, "where does it begin?");
            let first = draft.states.list.first().map_or("q0", |state| state.text);
            self.diagnostics.push(problem.help(format!("add a line `initial {}`", shorten(first))));
            return None;
        };
        let known = draft.states.known.contains_key(initial.text);
        if !known && !draft.transitions.is_empty() {
            let message = format!("no transition leaves the initial state `{}`", shorten(initial.text));
            let problem = Diagnostic::warning(codes::IDLE, message).at(initial.span, "this thread never does anything");
            let states = draft.states.list.iter().map(|state| state.text);
            self.diagnostics.push(suggest(problem, initial.text, states));
        }
        let initial = draft.states.number(initial);
        let PartialThread { states, registers, transitions, .. } = draft;
        Some(Automaton { name, initial, states: states.list, registers: registers.list, transitions })
    }

    fn warn_unassigned(&mut self, draft: &PartialThread<'s>) {
        if self.diagnostics.has_errors() {
            return;
        }
        let assigned = |number: &usize| draft.assigned.contains(number);
        for (number, register) in draft.registers.list.iter().enumerate() {
            if assigned(&number) {
                continue;
            }
            let message = format!("nothing is ever assigned to `{}`", shorten(register.text));
            let problem = Diagnostic::warning(codes::UNASSIGNED, message).at(register.span, "always 0");
            let others = draft.assigned.iter().map(|&at| draft.registers.list[at].text);
            self.diagnostics.push(suggest(problem, register.text, others));
        }
    }

    fn initial(&mut self, draft: &mut PartialThread<'s>) -> Parse<()> {
        self.position += 1;
        let word = self.take("the name of a state")?;
        if let Some(first) = draft.initial.replace(word) {
            let problem = Diagnostic::error(codes::UNEXPECTED, "a thread has one initial state");
            self.diagnostics.push(problem.at(word.span, "given again").context(first.span, "given here"));
        }
        Ok(())
    }

    fn transition(&mut self, draft: &mut PartialThread<'s>) -> Parse<()> {
        let start = self.words[self.position].0.span;
        self.position += 1;
        let from = self.take("the state that the transition leaves")?;
        let to = self.take("the state that the transition leads to")?;
        let operation = self.take("an operation")?;
        let op = match operation.text {
            "write" => {
                let value = self.term(draft, "the value to write")?;
                Op::Write { value, address: self.term(draft, "the address to write to")? }
            }
            "read" => {
                let register = self.assigned_register(draft)?;
                Op::Read { register, address: self.term(draft, "the address to read from")? }
            }
            "local" => {
                let register = self.assigned_register(draft)?;
                Op::Local { register, value: self.term(draft, "a value")? }
            }
            "check" => Op::Check(self.term(draft, "a condition")?),
            "mfence" => Op::Fence,
            "noop" => Op::Noop,
            "lock" => Op::Lock,
            "unlock" => Op::Unlock,
            _ => return Err(self.unknown_operation(operation)),
        };
        let span = start.to(self.previous());
        let (from, to) = (draft.states.number(from), draft.states.number(to));
        draft.transitions.push(Transition { from, to, op, span });
        match self.words.get(self.position) {
            Some((_, false)) => Err(self.unexpected("the end of the line", &["\n"])),
            _ => Ok(()),
        }
    }

    fn unknown_operation(&mut self, operation: Word<'s>) -> Reported {
        let message = format!("unknown operation `{}`", shorten(operation.text));
        let problem = Diagnostic::error(codes::UNKNOWN_OPERATION, message).at(operation.span, "no such operation");
        let problem = suggest(problem, operation.text, OPERATIONS);
        self.diagnostics.push(problem.note(format!("the operations are {}", OPERATIONS.join(", "))));
        Reported
    }

    fn assigned_register(&mut self, draft: &mut PartialThread<'s>) -> Parse<usize> {
        let word = self.take("a register")?;
        if !is_name(word.text) {
            let message = format!("`{}` is not the name of a register", shorten(word.text));
            let problem = Diagnostic::error(codes::UNEXPECTED, message).at(word.span, "expected a register");
            self.diagnostics.push(problem.note("`read` and `local` name their register first"));
            return Err(Reported);
        }
        let register = draft.registers.number(word);
        if !draft.assigned.contains(&register) {
            draft.assigned.push(register);
        }
        Ok(register)
    }

    /// An expression in prefix notation. All recursion goes through here, so that the stack is bounded.
    fn term(&mut self, draft: &mut PartialThread<'s>, what: &str) -> Parse<Term> {
        let word = self.take(what)?;
        if !self.depth.enter() {
            self.diagnostics.push(support::too_deep(word.span));
            return Err(Reported);
        }
        let term = self.term_after(word, draft);
        self.depth.leave();
        term
    }

    fn term_after(&mut self, word: Word<'s>, draft: &mut PartialThread<'s>) -> Parse<Term> {
        if let Some(number) = self.integer(word)? {
            return Ok(Term::Number(number));
        }
        if word.text == "!" {
            return Ok(Term::Not(Box::new(self.term(draft, "the operand of `!`")?)));
        }
        if let Some(operator) = Operator::of(word.text) {
            let left = self.term(draft, &format!("the first operand of `{}`", word.text))?;
            let right = self.term(draft, &format!("the second operand of `{}`", word.text))?;
            return Ok(Term::Binary(operator, Box::new(left), Box::new(right)));
        }
        if is_name(word.text) {
            return Ok(Term::Register(draft.registers.number(word)));
        }
        let message = format!("`{}` is neither a number nor a register nor an operator", shorten(word.text));
        let problem = Diagnostic::error(codes::UNEXPECTED, message).at(word.span, "expected an expression");
        self.diagnostics
            .push(problem.help("operators stand before their operands and are separated by blanks: `== r 1`"));
        Err(Reported)
    }

    /// The number that a word is, if it is a number.
    fn integer(&mut self, word: Word<'s>) -> Parse<Option<i64>> {
        let digits = word.text.strip_prefix(['-', '+']).unwrap_or(word.text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(None);
        }
        match word.text.parse::<i64>() {
            Ok(value) if (-LARGEST..=LARGEST).contains(&value) => Ok(Some(value)),
            _ => {
                let message = format!("the number `{}` is too large", shorten(word.text));
                let problem = Diagnostic::error(codes::LARGE_NUMBER, message);
                self.diagnostics.push(problem.at(word.span, format!("at most {LARGEST}")));
                Err(Reported)
            }
        }
    }
}

fn begins_line(word: &str) -> bool {
    LINES.contains(&word) || word == "thread"
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '[' | ']' | '$'))
}

/// A word for messages.
pub(super) fn shorten(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
