//! Parses a file: `max_value`, `global`, `na`, `track` and the threads, in any order.

use super::ast::{Declared, File, Function, Number};
use super::parser::{Parse, Parser};
use super::token::TokenKind as T;
use crate::codes;
use steadfast_diag::{Diagnostic, suggest};
use steadfast_ir::LocKind;

const DECLARATIONS: [&str; 5] = ["max_value", "global", "na", "track", "fn"];

impl<'s> Parser<'s, '_> {
    /// A whole file.
    pub(super) fn file(&mut self) -> File<'s> {
        let mut file = File::default();
        while self.kind() != T::EndOfFile {
            let is_thread = self.kind() == T::Fn;
            if self.declaration(&mut file).is_err() {
                file.incomplete |= !is_thread;
                self.skip_to_declaration();
            }
        }
        file
    }

    /// One declaration. After an error, the parser is somewhere behind the word that began it.
    fn declaration(&mut self, file: &mut File<'s>) -> Parse<()> {
        match self.kind() {
            T::MaxValue => self.max_value(file),
            T::Global => self.locations(file, LocKind::Atomic),
            T::Na => self.locations(file, LocKind::Plain),
            T::Track => self.track(file),
            T::Fn => {
                let function = self.function()?;
                file.threads.push(function);
                Ok(())
            }
            _ => Err(self.no_declaration()),
        }
    }

    fn no_declaration(&mut self) -> super::parser::Reported {
        let token = self.peek();
        let mut problem = self.expected(codes::UNEXPECTED, "a declaration");
        match token.kind {
            T::CloseBrace => problem = problem.help("every block is closed already; is this `}` one too many?"),
            T::Name => problem = suggest(problem, self.slice(token.span), DECLARATIONS),
            _ => {}
        }
        if problem.helps.is_empty() {
            problem = problem.note("declarations begin with `max_value`, `global`, `na`, `track` or `fn`");
        }
        let reported = self.report_once(problem);
        self.bump();
        reported
    }

    fn max_value(&mut self, file: &mut File<'s>) -> Parse<()> {
        self.bump();
        let number = self.number("a number")?;
        match &file.max_value {
            None => file.max_value = Some(number),
            Some(first) => {
                let problem = Diagnostic::error(codes::REPEATED_MAX_VALUE, "`max_value` is given twice");
                let problem = problem.at(number.span, "given again here").context(first.span, "first given here");
                self.report(problem);
            }
        }
        self.semicolon()
    }

    fn locations(&mut self, file: &mut File<'s>, kind: LocKind) -> Parse<()> {
        self.bump();
        self.list(|parser| {
            let name = parser.name("the name of a location")?;
            let init = match parser.accept(T::Assign) {
                Some(_) => parser.number("an initial value").ok(),
                None => None,
            };
            file.locations.push(Declared { name, kind, init });
            Ok(())
        });
        self.semicolon()
    }

    /// Items separated by commas. An item with an error is left out; the others are still parsed.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Parse<()>) {
        loop {
            if item(self).is_err() {
                self.skip_list_item();
            }
            if self.accept(T::Comma).is_none() {
                return;
            }
        }
    }

    fn track(&mut self, file: &mut File<'s>) -> Parse<()> {
        self.bump();
        file.tracked.push(self.name("the name of a location")?);
        self.expect(T::Colon, "`:`")?;
        if self.kind() == T::Name && self.slice(self.peek().span) == "all" {
            self.bump();
            return self.semicolon();
        }
        loop {
            self.number("`all` or a value")?;
            if self.accept(T::Comma).is_none() {
                return self.semicolon();
            }
        }
    }

    fn function(&mut self) -> Parse<Function<'s>> {
        let start = self.bump().span;
        let name = self.name("the name of a thread")?;
        let head = self.span_since(start);
        if self.kind() == T::OpenParen {
            let problem = self.expected(codes::UNEXPECTED, "`{`");
            return Err(self.report_once(problem.help("threads have no parameters: write `fn name { … }`")));
        }
        let body = self.block()?;
        Ok(Function { name, head, body, end: self.previous().span })
    }

    /// A decimal number.
    pub(super) fn number(&mut self, what: &str) -> Parse<Number> {
        let token = self.expect(T::Number, what)?;
        let text = self.slice(token.span);
        match text.parse() {
            Ok(value) => Ok(Number { value, span: token.span }),
            Err(_) => Err(self.bad_number(token.span, text)),
        }
    }

    fn bad_number(&mut self, span: steadfast_span::Span, text: &str) -> super::parser::Reported {
        let shown: String = text.chars().take(40).collect();
        let problem = Diagnostic::error(codes::BAD_NUMBER, format!("`{shown}` is no number"));
        let label = if text.bytes().all(|byte| byte.is_ascii_digit()) {
            "this does not fit 32 bits"
        } else {
            "numbers are decimal, and names do not begin with a digit"
        };
        self.report(problem.at(span, label))
    }
}
