//! Statements.

use super::expression::Flags;
use super::{Fail, Loop, Parser};
use crate::bc::LIMITS;
use crate::bc::WARRANTY;
use crate::bc::code::Op;
use crate::bc::lexer::{Stop, Token, Word};
use crate::out::Out;

impl Parser {
    pub(super) fn statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.nested()?;
        let result = self.any_statement(out);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn any_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        match self.peek(out)?.clone() {
            Token::Str(text) => {
                self.shift(out)?;
                self.code.push(Op::Text(text));
            }
            Token::Op(b'{') => {
                self.shift(out)?;
                self.statements(Some(Token::Op(b'}')), false, out)?;
            }
            Token::Word(word) => return self.word_statement(word, out),
            _ => self.expression_statement(out)?,
        }
        Ok(())
    }

    fn word_statement(&mut self, word: Word, out: &mut Out) -> Result<(), Fail> {
        match word {
            Word::Auto | Word::Define | Word::Else | Word::Void => return Err(Fail::Syntax),
            Word::Warranty => {
                self.shift(out)?;
                out.raw(WARRANTY.as_bytes());
            }
            Word::Limits => {
                self.shift(out)?;
                out.raw(LIMITS.as_bytes());
            }
            Word::Break => {
                self.shift(out)?;
                match self.loops.last() {
                    Some(l) => self.code.push(Op::Jump(l.end)),
                    None => self.error("Break outside a for/while", out),
                }
            }
            Word::Continue => {
                self.shift(out)?;
                self.warn("Continue statement", out);
                match self.loops.last() {
                    Some(l) => self.code.push(Op::Jump(l.next)),
                    None => self.error("Continue outside a for", out),
                }
            }
            Word::Quit => {
                self.shift(out)?;
                return Err(Fail::Stop(Stop(0)));
            }
            Word::Halt => {
                self.shift(out)?;
                self.code.push(Op::Halt);
            }
            Word::Return => self.return_statement(out)?,
            Word::For => self.for_statement(out)?,
            Word::If => self.if_statement(out)?,
            Word::While => self.while_statement(out)?,
            Word::Print => self.print_statement(out)?,
            _ => self.expression_statement(out)?,
        }
        Ok(())
    }

    fn expression_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        let flags = self.expression(0, out)?;
        self.peek(out)?;
        if flags.comparison {
            self.warn("comparison in expression", out);
        }
        self.code.push(if flags.value { Op::WriteLine } else { Op::Pop });
        Ok(())
    }

    fn return_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        let has_value = match self.peek(out)? {
            Token::Newline | Token::Op(b';' | b'}') | Token::Word(Word::Else) | Token::Eof => false,
            _ => {
                let flags = self.expression(0, out)?;
                self.peek(out)?;
                if flags.void {
                    self.error("return requires non-void expression", out);
                }
                if !flags.paren {
                    self.warn("return expression requires parenthesis", out);
                }
                true
            }
        };
        match &self.function {
            None => self.error("Return outside of a function.", out),
            Some(f) if f.void && has_value => self.error("Return expression in a void function.", out),
            Some(_) => {}
        }
        if !has_value {
            self.code.push(Op::Zero);
        }
        self.code.push(Op::Return);
        Ok(())
    }

    fn print_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        self.warn("print statement", out);
        loop {
            if let Token::Str(text) = self.peek(out)?.clone() {
                self.shift(out)?;
                self.code.push(Op::Print(text));
            } else {
                let flags = self.expression(0, out)?;
                self.peek(out)?;
                if flags.void {
                    self.error("void expression in print", out);
                }
                self.code.push(Op::Write);
            }
            if !self.eat(&Token::Op(b','), out)? {
                return Ok(());
            }
        }
    }

    fn if_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        self.expect(b'(', out)?;
        let flags = self.expression(0, out)?;
        self.expect(b')', out)?;
        self.condition(flags, out);
        let otherwise = self.code.new_label();
        self.code.push(Op::JumpIfZero(otherwise));
        self.optional_newline(out)?;
        self.statement(out)?;
        if *self.peek(out)? == Token::Word(Word::Else) {
            self.shift(out)?;
            self.warn("else clause in if statement", out);
            let end = self.code.new_label();
            self.code.push(Op::Jump(end));
            self.code.place(otherwise);
            self.optional_newline(out)?;
            self.statement(out)?;
            self.code.place(end);
        } else {
            self.code.place(otherwise);
        }
        Ok(())
    }

    fn while_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        let (start, end) = (self.code.new_label(), self.code.new_label());
        self.code.place(start);
        self.expect(b'(', out)?;
        let flags = self.expression(0, out)?;
        self.expect(b')', out)?;
        self.condition(flags, out);
        self.code.push(Op::JumpIfZero(end));
        self.optional_newline(out)?;
        self.body(Loop { end, next: start }, out)?;
        self.code.push(Op::Jump(start));
        self.code.place(end);
        Ok(())
    }

    fn for_statement(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        self.expect(b'(', out)?;
        if let Some(flags) = self.for_part(b';', out)? {
            if flags.void {
                self.error("first expression is void", out);
            }
            self.code.push(Op::Pop);
        }
        self.expect(b';', out)?;
        let labels = [(); 4].map(|()| self.code.new_label());
        let [test, body, next, end] = labels;
        self.code.place(test);
        match self.for_part(b';', out)? {
            Some(flags) if flags.void => self.error("second expression is void", out),
            Some(_) => {}
            None => self.code.push(Op::One),
        }
        self.expect(b';', out)?;
        self.code.push(Op::JumpUnlessZero(body));
        self.code.push(Op::Jump(end));
        self.code.place(next);
        if let Some(flags) = self.for_part(b')', out)? {
            if flags.void {
                self.error("third expression is void", out);
            }
            self.code.push(Op::Pop);
        }
        self.expect(b')', out)?;
        self.code.push(Op::Jump(test));
        self.code.place(body);
        self.optional_newline(out)?;
        self.body(Loop { end, next }, out)?;
        self.code.push(Op::Jump(next));
        self.code.place(end);
        Ok(())
    }

    // Parses an optional expression of `for`. Warns if it is missing.
    fn for_part(&mut self, end: u8, out: &mut Out) -> Result<Option<Flags>, Fail> {
        if *self.peek(out)? == Token::Op(end) {
            self.warn("Missing expression in for statement", out);
            return Ok(None);
        }
        let flags = self.expression(0, out)?;
        if flags.comparison && end == b')' {
            self.warn("comparison in expression", out);
        }
        Ok(Some(flags))
    }

    fn body(&mut self, labels: Loop, out: &mut Out) -> Result<(), Fail> {
        let depth = self.loops.len();
        self.loops.push(labels);
        let result = self.statement(out);
        self.loops.truncate(depth);
        result
    }

    fn condition(&mut self, flags: Flags, out: &mut Out) {
        if flags.void {
            self.error("void expression", out);
        }
    }
}
