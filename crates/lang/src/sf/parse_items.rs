//! The top level: attributes, constants, shared locations, functions and threads.

use super::ast::{Attribute, Constant, Count, File, Function, Init, Name, Shared, SharedKind, Thread, Type};
use super::codes;
use super::parser::{Failed, Parser, Rule};
use super::token::Token;
use std::rc::Rc;
use steadfast_diag::{Diagnostic, suggest};

/// The keywords that begin a declaration.
const ITEMS: [&str; 7] = ["thread", "threads", "fn", "const", "atomic", "plain", "mutex"];

impl Parser<'_> {
    /// The whole file.
    pub(super) fn file(mut self) -> File {
        let mut file = File::default();
        while self.peek() != Token::End && !self.problems.is_full() {
            let before = self.position();
            if self.item(&mut file).is_err() {
                self.skip_item();
                // Skipping may stop at the token that could not be parsed.
                if self.position() == before {
                    self.advance();
                }
            }
        }
        file
    }

    fn item(&mut self, file: &mut File) -> Rule<()> {
        match self.peek() {
            Token::Hash => file.attributes.push(self.attribute()?),
            Token::Const => file.constants.push(self.constant()?),
            Token::Fn => file.functions.push(self.function()?),
            Token::Thread => file.threads.push(self.thread(false)?),
            _ if self.token_text() == "threads" => file.threads.push(self.thread(true)?),
            Token::Semicolon => drop(self.advance()),
            _ => match self.shared_kind() {
                Some(kind) => self.shared(kind, &mut file.shared)?,
                None => return Err(self.not_an_item()),
            },
        }
        Ok(())
    }

    fn not_an_item(&mut self) -> Failed {
        let word = self.token_text().to_string();
        let found = self.peek().describe(&word);
        let problem = Diagnostic::error(codes::SYNTAX, format!("expected a declaration, found {found}"))
            .at(self.span(), "expected `thread`, `fn`, `const`, `atomic`, `plain` or `mutex`");
        self.report(suggest(problem, &word, ITEMS));
        Failed
    }

    /// The kind of shared object that a declaration at this token makes.
    pub(super) fn shared_kind(&self) -> Option<SharedKind> {
        match self.token_text() {
            "atomic" => Some(SharedKind::Atomic),
            "plain" => Some(SharedKind::Plain),
            "mutex" => Some(SharedKind::Mutex),
            _ => None,
        }
    }

    fn attribute(&mut self) -> Rule<Attribute> {
        let start = self.advance();
        self.expect(Token::Not, "`!`")?;
        self.expect(Token::LeftBracket, "`[`")?;
        let name = self.name("the name of an attribute")?;
        let (mut text, mut arguments) = (None, Vec::new());
        if self.eat(Token::Assign) {
            let quoted = self.expect(Token::Text, "a text in quotes")?;
            text = Some(unquote(self.snippet(quoted)));
        } else if self.eat(Token::LeftParen) {
            while self.peek() != Token::RightParen {
                let key = self.name("a word")?;
                let value = if self.eat(Token::Assign) { Some(self.attribute_value()?) } else { None };
                arguments.push((key, value));
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::RightParen, "`,` or `)`")?;
        }
        let end = self.expect(Token::RightBracket, "`]`")?;
        Ok(Attribute { name, text, arguments, span: start.to(end) })
    }

    fn attribute_value(&mut self) -> Rule<Name> {
        if self.peek() != Token::Text {
            return self.name("a word");
        }
        let span = self.advance();
        Ok(Name { text: unquote(self.snippet(span)).into(), span })
    }

    fn constant(&mut self) -> Rule<Constant> {
        self.advance();
        let name = self.name("the name of a constant")?;
        let ty = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
        self.expect(Token::Assign, "`=`")?;
        let value = self.expression_or_wrong()?;
        self.semicolon()?;
        Ok(Constant { name, ty, value })
    }

    /// One declaration can make several locations: `atomic<u8> x, y = 1, z[4];`
    fn shared(&mut self, kind: SharedKind, into: &mut Vec<Shared>) -> Rule<()> {
        self.advance();
        let ty = if kind == SharedKind::Mutex { None } else { Some(Rc::new(self.type_in_angles()?)) };
        loop {
            let name = self.name("the name of a location")?;
            let count = if self.peek() == Token::LeftBracket { Some(self.count()?) } else { None };
            let init = if self.eat(Token::Assign) { self.init()? } else { Init::Zero };
            into.push(Shared { kind, ty: ty.clone(), name, count, init });
            if !self.eat(Token::Comma) {
                return self.semicolon();
            }
        }
    }

    fn count(&mut self) -> Rule<Count> {
        let start = self.advance();
        if self.peek() == Token::RightBracket {
            return Ok(Count::Endless(start.to(self.advance())));
        }
        let count = self.expression()?;
        self.expect(Token::RightBracket, "`]`")?;
        Ok(Count::Cells(count))
    }

    fn init(&mut self) -> Rule<Init> {
        if self.peek() != Token::LeftBrace {
            return Ok(Init::All(self.expression_or_wrong()?));
        }
        let start = self.advance();
        let mut values = Vec::new();
        while self.peek() != Token::RightBrace {
            values.push(self.expression()?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        let end = self.expect(Token::RightBrace, "`,` or `}`")?;
        Ok(Init::Each(values, start.to(end)))
    }

    fn type_in_angles(&mut self) -> Rule<Type> {
        if self.peek() != Token::Lt {
            let (keyword, name) = (self.last_span(), self.token_text().to_string());
            let keyword = self.snippet(keyword).to_string();
            let failed = self.unexpected_but("`<` and a type", format!("write `{keyword}<u8> {name}`"));
            if self.peek() != Token::Name {
                return Err(failed);
            }
            // Even without its type, the declaration can be used.
            return Ok(Type::Named(Name { text: "u8".into(), span: self.span() }));
        }
        self.advance();
        let ty = self.ty()?;
        self.expect(Token::Gt, "`>`")?;
        Ok(ty)
    }

    /// `u8`, `bool` or `0..=N`. The bounds are sums at most, because `>` closes the brackets around the type.
    pub(super) fn ty(&mut self) -> Rule<Type> {
        if self.peek() == Token::Name && self.peek_second() != Token::Range {
            return Ok(Type::Named(self.take_name()));
        }
        if !matches!(self.peek(), Token::Number | Token::Name) {
            return Err(self.unexpected("a type"));
        }
        let low = self.sum()?;
        self.expect(Token::Range, "`..=`")?;
        let high = self.sum()?;
        let span = low.span.to(high.span);
        Ok(Type::Range { low, high, span })
    }

    fn function(&mut self) -> Rule<Function> {
        self.advance();
        let name = self.name("the name of a function")?;
        self.expect(Token::LeftParen, "`(`")?;
        let mut parameters = Vec::new();
        while self.peek() != Token::RightParen {
            let name = self.name("a parameter")?;
            let ty = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
            parameters.push((name, ty));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        let result = if self.eat(Token::Arrow) { Some(self.ty()?) } else { None };
        let body = self.block()?;
        Ok(Function { name, parameters, result, body })
    }

    fn thread(&mut self, many: bool) -> Rule<Thread> {
        let keyword = self.advance();
        let name = self.name("the name of a thread")?;
        let copies = if !many && self.eat(Token::LeftBracket) {
            let copies = self.expression()?;
            self.expect(Token::RightBracket, "`]`")?;
            Some(copies)
        } else {
            None
        };
        let body = self.block()?;
        Ok(Thread { many: many.then_some(keyword), name, copies, body })
    }
}

/// The text between quotes, with `\n`, `\"` and `\\` replaced.
fn unquote(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted);
    let mut text = String::with_capacity(inner.len());
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                other => text.extend(other),
            },
            _ => text.push(letter),
        }
    }
    text
}
