//! Statements and blocks.

use super::ast::{AssignOp, Block, Expr, ExprKind, Stmt, StmtKind};
use super::codes;
use super::parser::{Failed, Parser, Rule};
use super::token::Token;
use steadfast_diag::Diagnostic;
use steadfast_ir::BinaryOp;
use steadfast_span::Span;

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Rule<Block> {
        self.nested(|parser| {
            let open = parser.expect(Token::LeftBrace, "`{`")?;
            let mut block = Block::default();
            while !matches!(parser.peek(), Token::RightBrace | Token::End | Token::Thread | Token::Fn) {
                let before = parser.position();
                if let Ok(statement) = parser.statement() {
                    block.statements.push(statement);
                } else {
                    parser.skip_statement();
                    parser.pass_bad_token(before);
                }
                if parser.problems.is_full() {
                    parser.skip_rest();
                }
            }
            parser.close_block(open);
            Ok(block)
        })
    }

    /// Makes progress even if skipping stops at the token that could not be parsed.
    fn pass_bad_token(&mut self, before: usize) {
        if self.position() == before && !matches!(self.peek(), Token::RightBrace | Token::End) {
            self.advance();
        }
    }

    /// Takes the `}`. If it is missing, a following declaration can still be parsed.
    fn close_block(&mut self, open: Span) {
        if self.eat(Token::RightBrace) {
            return;
        }
        let problem = Diagnostic::error(codes::UNCLOSED, "this block is not closed").at(open, "it begins here");
        let end = self.last_span().end;
        self.report(problem.context(Span::new(end, end), "`}` is missing, at the latest here"));
    }

    /// Whether the next token is a keyword that can only begin a statement.
    pub(super) fn starts_statement(&self) -> bool {
        use Token::{Break, Choose, Continue, Do, For, Goto, If, Let, Loop, Return, Skip, While};
        matches!(self.peek(), Let | If | While | Do | Loop | For | Break | Continue | Choose | Goto | Return | Skip)
    }

    fn statement(&mut self) -> Rule<Stmt> {
        let start = self.span();
        let kind = match self.peek() {
            Token::If => self.if_statement()?,
            Token::While => self.while_statement()?,
            Token::Do => self.do_while()?,
            Token::Loop => {
                self.advance();
                StmtKind::Loop { body: self.block()? }
            }
            Token::For => self.for_statement()?,
            Token::Choose => self.choose()?,
            Token::LeftBrace => StmtKind::Block(self.block()?),
            Token::Name if self.peek_second() == Token::Colon => {
                let label = self.take_name();
                self.advance();
                StmtKind::Label(label)
            }
            Token::Semicolon => {
                self.advance();
                StmtKind::Skip
            }
            _ => {
                let kind = self.simple_statement()?;
                let span = start.to(self.last_span());
                self.semicolon()?;
                return Ok(Stmt { kind, span });
            }
        };
        Ok(Stmt { span: start.to(self.head_end(start, &kind)), kind })
    }

    /// The end of the head of a statement: its condition, or its first word.
    fn head_end(&self, start: Span, kind: &StmtKind) -> Span {
        match kind {
            StmtKind::If { arms, .. } => arms.first().map_or(start, |arm| arm.0.span),
            StmtKind::While { cond, .. } => cond.span,
            StmtKind::Label(_) => self.last_span(),
            _ => start,
        }
    }

    /// A statement that ends with a semicolon, without it.
    fn simple_statement(&mut self) -> Rule<StmtKind> {
        Ok(match self.peek() {
            Token::Let => self.let_statement()?,
            Token::Break => self.word(StmtKind::Break),
            Token::Continue => self.word(StmtKind::Continue),
            Token::Skip => self.word(StmtKind::Skip),
            Token::Goto => {
                self.advance();
                StmtKind::Goto(self.name("a label")?)
            }
            Token::Return => {
                self.advance();
                let bare = matches!(self.peek(), Token::Semicolon | Token::RightBrace);
                StmtKind::Return(if bare { None } else { Some(self.expression()?) })
            }
            Token::Increment | Token::Decrement => {
                let op = self.step_operator();
                let target = self.expression()?;
                one_more(target, op)
            }
            _ => self.assignment_or_call()?,
        })
    }

    fn word(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    fn let_statement(&mut self) -> Rule<StmtKind> {
        self.advance();
        if self.at_word("mut") {
            self.advance();
        }
        let name = self.name("the name of a variable")?;
        let ty = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
        if !self.eat(Token::Assign) {
            return Ok(StmtKind::Let { name, ty, value: None });
        }
        let value = self.expression_or_wrong()?;
        Ok(StmtKind::Let { name, ty, value: Some(value) })
    }

    /// An expression before a semicolon. If it has an error but the semicolon is there, the statement still exists, so that uses of
    /// what it declares are no further errors.
    pub(super) fn expression_or_wrong(&mut self) -> Rule<Expr> {
        let start = self.span();
        if let Ok(expr) = self.expression() {
            return Ok(expr);
        }
        self.skip_to_semicolon()?;
        Ok(Expr::wrong(start))
    }

    fn assignment_or_call(&mut self) -> Rule<StmtKind> {
        let target = self.expression()?;
        if matches!(self.peek(), Token::Increment | Token::Decrement) {
            let op = self.step_operator();
            return Ok(one_more(target, op));
        }
        let Some(op) = assignment_operator(self.peek()) else { return Ok(StmtKind::Expr(target)) };
        self.advance();
        let value = self.expression()?;
        Ok(StmtKind::Assign { target, op, value })
    }

    fn step_operator(&mut self) -> BinaryOp {
        let op = if self.peek() == Token::Increment { BinaryOp::Add } else { BinaryOp::Sub };
        self.advance();
        op
    }

    /// `(e)` before a block. After an error in the condition, the block is still parsed.
    fn condition(&mut self) -> Rule<Expr> {
        let start = self.span();
        let condition = self.parenthesised();
        if condition.is_ok() {
            return condition;
        }
        self.skip_to_block()?;
        Ok(Expr::wrong(start))
    }

    /// `(e)`
    fn parenthesised(&mut self) -> Rule<Expr> {
        if self.peek() != Token::LeftParen {
            return Err(self.unexpected_but("`(`", "conditions stand in parentheses"));
        }
        self.advance();
        let inner = self.expression()?;
        if self.peek() == Token::Assign {
            return Err(self.unexpected_but("`)`", "`=` assigns; to compare, write `==`"));
        }
        self.expect(Token::RightParen, "`)`")?;
        Ok(inner)
    }

    /// The body of a loop or branch, which must be a block.
    fn body(&mut self) -> Rule<Block> {
        if self.peek() == Token::LeftBrace {
            return self.block();
        }
        Err(self.unexpected_but("`{`", "bodies are always blocks: write `{ … }`, or `{}` for an empty one"))
    }

    fn if_statement(&mut self) -> Rule<StmtKind> {
        let mut arms = Vec::new();
        loop {
            self.advance();
            let cond = self.condition()?;
            arms.push((cond, self.body()?));
            if !self.eat(Token::Else) {
                return Ok(StmtKind::If { arms, otherwise: None });
            }
            if self.peek() != Token::If {
                let otherwise = Some(self.body()?);
                return Ok(StmtKind::If { arms, otherwise });
            }
        }
    }

    fn while_statement(&mut self) -> Rule<StmtKind> {
        self.advance();
        let cond = self.condition()?;
        if self.peek() == Token::Semicolon {
            // `while (e);` can have only one meaning.
            self.advance();
            return Ok(StmtKind::While { cond, body: Block::default() });
        }
        Ok(StmtKind::While { cond, body: self.body()? })
    }

    fn do_while(&mut self) -> Rule<StmtKind> {
        self.advance();
        let body = self.body()?;
        self.expect(Token::While, "`while`")?;
        let cond = self.parenthesised()?;
        self.semicolon()?;
        Ok(StmtKind::DoWhile { body, cond })
    }

    fn for_statement(&mut self) -> Rule<StmtKind> {
        self.advance();
        if let Ok((init, cond, step)) = self.for_head() {
            return Ok(StmtKind::For { init, cond, step, body: self.body()? });
        }
        while self.skip_to_block().is_err() {
            // Semicolons do not end the head of a `for`.
            if !self.eat(Token::Semicolon) {
                return Err(Failed);
            }
        }
        Ok(StmtKind::For { init: None, cond: None, step: None, body: self.block()? })
    }

    #[allow(clippy::type_complexity, reason = "the three parts of a `for` have no better name together")]
    fn for_head(&mut self) -> Rule<(Option<Box<Stmt>>, Option<Expr>, Option<Box<Stmt>>)> {
        self.expect(Token::LeftParen, "`(`")?;
        let init = if self.peek() == Token::Semicolon { None } else { Some(self.part_of_for()?) };
        self.expect(Token::Semicolon, "`;`")?;
        let cond = if self.peek() == Token::Semicolon { None } else { Some(self.expression()?) };
        self.expect(Token::Semicolon, "`;`")?;
        let step = if self.peek() == Token::RightParen { None } else { Some(self.part_of_for()?) };
        self.expect(Token::RightParen, "`)`")?;
        Ok((init, cond, step))
    }

    fn part_of_for(&mut self) -> Rule<Box<Stmt>> {
        let start = self.span();
        let kind = if self.peek() == Token::Let { self.let_statement()? } else { self.simple_statement()? };
        Ok(Box::new(Stmt { kind, span: start.to(self.last_span()) }))
    }

    fn choose(&mut self) -> Rule<StmtKind> {
        self.advance();
        let mut branches = vec![self.body()?];
        while self.eat(Token::OrKeyword) {
            branches.push(self.body()?);
        }
        Ok(StmtKind::Choose(branches))
    }
}

/// `target += 1` or `target -= 1`
fn one_more(target: Expr, op: BinaryOp) -> StmtKind {
    let one = Expr { kind: ExprKind::Number(1), span: target.span, height: 1 };
    StmtKind::Assign { target, op: AssignOp::Update(op), value: one }
}

/// The assignment operator of a token.
fn assignment_operator(token: Token) -> Option<AssignOp> {
    Some(AssignOp::Update(match token {
        Token::Assign => return Some(AssignOp::Set),
        Token::PlusAssign => BinaryOp::Add,
        Token::MinusAssign => BinaryOp::Sub,
        Token::StarAssign => BinaryOp::Mul,
        Token::SlashAssign => BinaryOp::Div,
        Token::PercentAssign => BinaryOp::Rem,
        Token::AmpAssign => BinaryOp::BitAnd,
        Token::PipeAssign => BinaryOp::BitOr,
        Token::CaretAssign => BinaryOp::BitXor,
        Token::ShlAssign => BinaryOp::Shl,
        Token::ShrAssign => BinaryOp::Shr,
        _ => return None,
    }))
}
