//! Statements and the blocks around them. The SQL parser reads statements; `IF` and loops are read here.

use crate::places::Places;
use crate::{Read, codes};
use sqlparser::ast::{Expr, Statement};
use sqlparser::tokenizer::{Span as SqlSpan, Token, TokenWithSpan};
use steadfast_diag::Diagnostic;
use steadfast_span::Span;

/// Deeper nesting is an error.
const MOST_NESTING: usize = 20;

/// A part of a transaction.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// One statement.
    Statement(Box<Simple>),
    /// Several ways, of which conditions choose one.
    Choice(Vec<Test>, Vec<Vec<Item>>),
    /// Any number of rounds: the variables that are new in each round, what is evaluated before each round, and the body.
    Loop(Vec<String>, Vec<Test>, Vec<Item>),
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub(crate) struct Simple {
    pub(crate) statement: Statement,
    /// The text without `INTO`.
    pub(crate) text: String,
    /// The variables after `INTO`.
    pub(crate) into: Vec<String>,
    pub(crate) span: Span,
}

/// A condition, or the query of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// The condition of `IF` or `WHILE`.
    Condition(Box<Expr>, Span),
    /// `FOR :x IN SELECT …`
    Query(Box<Simple>),
}

/// Reads a file.
pub(crate) fn read(places: &Places<'_>) -> Read<Vec<Item>> {
    let tokens = places.tokens()?;
    let mut reader = Reader { places, tokens: &tokens, at: 0, depth: 0 };
    let items = reader.items()?;
    match reader.tokens.get(reader.at) {
        None => Ok(items),
        Some(token) => Err(places.unexpected("this block was never opened", token.span)),
    }
}

struct Reader<'a> {
    places: &'a Places<'a>,
    tokens: &'a [TokenWithSpan],
    at: usize,
    depth: usize,
}

/// Whether a token is this word.
fn is_word(token: Option<&TokenWithSpan>, word: &str) -> bool {
    matches!(token, Some(TokenWithSpan { token: Token::Word(found), .. }) if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word))
}

impl Reader<'_> {
    fn word(&self, ahead: usize, word: &str) -> bool {
        is_word(self.tokens.get(self.at + ahead), word)
    }

    /// Items up to the end of the block or file.
    fn items(&mut self) -> Read<Vec<Item>> {
        let mut items = Vec::new();
        while self.at < self.tokens.len() {
            let ends_block = ["IF", "LOOP", "WHILE", "FOR"].iter().any(|word| self.word(1, word));
            if self.word(0, "ELSIF")
                || self.word(0, "ELSEIF")
                || self.word(0, "ELSE")
                || (self.word(0, "END") && ends_block)
            {
                break;
            }
            if self.tokens[self.at].token == Token::SemiColon {
                self.at += 1;
            } else {
                items.push(self.nested()?);
            }
        }
        Ok(items)
    }

    fn nested(&mut self) -> Read<Item> {
        if self.depth >= MOST_NESTING {
            return Err(self.places.unexpected("this is nested too deeply", self.tokens[self.at].span));
        }
        self.depth += 1;
        let item = if self.word(0, "IF") {
            self.choice()
        } else if self.word(0, "FOR") {
            self.for_loop()
        } else if self.word(0, "WHILE") {
            self.while_loop()
        } else {
            self.simple().map(|simple| Item::Statement(Box::new(simple)))
        };
        self.depth -= 1;
        item
    }

    fn choice(&mut self) -> Read<Item> {
        let opened = self.tokens[self.at].span;
        let (mut tests, mut ways, mut has_else) = (Vec::new(), Vec::new(), false);
        loop {
            if self.word(0, "ELSE") {
                self.at += 1;
                has_else = true;
            } else {
                self.at += 1;
                tests.push(self.condition("THEN")?);
            }
            ways.push(self.items()?);
            if self.word(0, "END") {
                break;
            }
            if self.at >= self.tokens.len() || has_else {
                return Err(self.places.unexpected("this IF is never closed: `END IF;` is missing", opened));
            }
        }
        self.end("IF", opened)?;
        if !has_else {
            ways.push(Vec::new());
        }
        Ok(Item::Choice(tests, ways))
    }

    /// Reads a condition up to `until`, and skips `until`.
    fn condition(&mut self, until: &str) -> Read<Test> {
        let tokens = self.up_to(until)?;
        let span = self.span_of(tokens);
        let condition = self.places.expression(tokens)?;
        self.at += tokens.len() + 1;
        Ok(Test::Condition(Box::new(condition), span))
    }

    /// The tokens before the next `until` outside of parentheses and CASE.
    fn up_to(&self, until: &str) -> Read<&'_ [TokenWithSpan]> {
        let rest = &self.tokens[self.at..];
        let mut cases = 0_i32;
        for (length, token) in rest.iter().enumerate() {
            cases += i32::from(is_word(Some(token), "CASE")) - i32::from(is_word(Some(token), "END"));
            if cases <= 0 && is_word(Some(token), until) && length > 0 {
                return Ok(&rest[..length]);
            }
            if token.token == Token::SemiColon {
                break;
            }
        }
        let span = rest.first().or(self.tokens.last()).map_or(SqlSpan::empty(), |token| token.span);
        Err(self.places.unexpected(&format!("`{until}` is missing"), span))
    }

    fn end(&mut self, word: &str, opened: SqlSpan) -> Read<()> {
        if self.word(0, "END") && self.word(1, word) {
            self.at += 2;
            return Ok(());
        }
        Err(self.places.unexpected(&format!("this block is never closed: `END {word};` is missing"), opened))
    }

    fn while_loop(&mut self) -> Read<Item> {
        let opened = self.tokens[self.at].span;
        self.at += 1;
        let test = self.condition("LOOP")?;
        let body = self.items()?;
        self.end("LOOP", opened)?;
        Ok(Item::Loop(Vec::new(), vec![test], body))
    }

    /// `FOR :x IN 1..:n LOOP`, `FOR :x IN :list LOOP`, `FOR :x, :y IN SELECT … LOOP`.
    fn for_loop(&mut self) -> Read<Item> {
        let opened = self.tokens[self.at].span;
        self.at += 1;
        let names = self.variables();
        if names.is_empty() || !self.word(0, "IN") {
            return Err(self.places.unexpected("a loop is written `FOR :variable IN … LOOP`", opened));
        }
        self.at += 1;
        let mut tests = Vec::new();
        let header = self.up_to("LOOP")?;
        let length = header.len();
        if is_word(header.first(), "SELECT") {
            tests.push(Test::Query(Box::new(self.parsed(header, names.clone())?)));
        } else if let Some(range) = header.iter().position(|token| matches!(token.token, Token::Period)) {
            for bound in [&header[..range], &header[range + 2..]] {
                tests.push(Test::Condition(Box::new(self.places.expression(bound)?), self.span_of(bound)));
            }
        } else {
            tests.push(Test::Condition(Box::new(self.places.expression(header)?), self.span_of(header)));
        }
        self.at += length + 1;
        let body = self.items()?;
        self.end("LOOP", opened)?;
        Ok(Item::Loop(names, tests, body))
    }

    /// `:a, :b`
    fn variables(&mut self) -> Vec<String> {
        let (names, length) = variables(&self.tokens[self.at..]);
        self.at += length;
        names
    }

    /// One statement, up to its semicolon.
    fn simple(&mut self) -> Read<Simple> {
        let rest = &self.tokens[self.at..];
        let length = rest.iter().position(|token| token.token == Token::SemiColon).unwrap_or(rest.len());
        let simple = self.parsed(&rest[..length], Vec::new())?;
        self.at += (length + 1).min(rest.len());
        Ok(simple)
    }

    fn parsed(&self, tokens: &[TokenWithSpan], mut into: Vec<String>) -> Read<Simple> {
        let mut kept = tokens.to_vec();
        let at =
            (0..tokens.len()).find(|&at| is_word(tokens.get(at), "INTO") && !variables(&tokens[at + 1..]).0.is_empty());
        let span = self.span_of(tokens);
        let whole = self.places.file.snippet(span);
        let mut text = whole.to_owned();
        if let Some(at) = at {
            let (names, length) = variables(&tokens[at + 1..]);
            kept.drain(at..=at + length);
            into = names;
            let cut = self.span_of(&tokens[at..=at + length]);
            text =
                format!("{}{}", &whole[..(cut.start - span.start) as usize], &whole[(cut.end - span.start) as usize..]);
        }
        let statement = self.places.statement(&kept)?;
        Ok(Simple { statement, text, into, span })
    }

    fn span_of(&self, tokens: &[TokenWithSpan]) -> Span {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Span::default() };
        self.places.span(SqlSpan { start: first.span.start, end: last.span.end })
    }
}

/// A list of variables, with the number of its tokens.
fn variables(tokens: &[TokenWithSpan]) -> (Vec<String>, usize) {
    let (mut names, mut at) = (Vec::new(), 0);
    loop {
        match (tokens.get(at).map(|token| &token.token), tokens.get(at + 1).map(|token| &token.token)) {
            (Some(Token::Colon), Some(Token::Word(word))) => {
                names.push(word.value.clone());
                at += 2;
            }
            (Some(Token::Placeholder(name)), _) => {
                names.push(name.trim_start_matches(':').to_owned());
                at += 1;
            }
            _ => return (names, at),
        }
        match tokens.get(at).map(|token| &token.token) {
            Some(Token::Comma)
                if matches!(
                    tokens.get(at + 1).map(|token| &token.token),
                    Some(Token::Colon | Token::Placeholder(_))
                ) =>
            {
                at += 1;
            }
            _ => return (names, at),
        }
    }
}

/// An error about correct SQL that is not supported.
pub(crate) fn unsupported(what: &str, span: Span) -> Box<Diagnostic> {
    let shown = format!("{what} is not understood");
    Box::new(
        Diagnostic::error(codes::UNSUPPORTED, shown).at(span, "this").help("`steadfast explain E0641` lists what is"),
    )
}
