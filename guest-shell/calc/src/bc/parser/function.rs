//! Function definitions.

use super::{Fail, Inside, Parser};
use crate::bc::lexer::{Token, Word};
use crate::bc::names::{Kind, Variable};
use crate::out::Out;

impl Parser {
    /// `define [void] NAME (PARAMETERS) { [auto …] STATEMENTS }`.
    pub(super) fn define(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.shift(out)?;
        let void = *self.peek(out)? == Token::Word(Word::Void);
        if void {
            self.shift(out)?;
            self.warn("void functions", out);
        }
        let Token::Name(name) = self.peek(out)?.clone() else { return Err(Fail::Syntax) };
        self.shift(out)?;
        self.check_name(&name, out);
        self.expect(b'(', out)?;
        let parameters = if *self.peek(out)? == Token::Op(b')') { Vec::new() } else { self.variables(out)? };
        self.expect(b')', out)?;
        self.optional_newline(out)?;
        self.expect(b'{', out)?;
        if *self.peek(out)? == Token::Newline {
            self.shift(out)?;
        } else {
            self.warn("End of line required", out);
        }
        // The function's name, and that it is void, must be known before its body is parsed.
        let function = self.names.function(&name);
        self.names.undefine(function, void);
        if has_duplicates(&parameters) {
            self.error("duplicate parameter names", out);
        }
        if parameters.iter().any(|p| p.kind == Kind::Shared) {
            self.warn("Variable array parameter", out);
        }
        let mut autos = Vec::new();
        if *self.peek(out)? == Token::Word(Word::Auto) {
            self.shift(out)?;
            autos = self.variables(out)?;
            match self.peek(out)? {
                Token::Newline | Token::Op(b';') => self.shift(out)?,
                _ => return Err(Fail::Syntax),
            }
        }
        if has_duplicates(&autos) {
            self.error("duplicate auto variable names", out);
        }
        if autos.iter().any(|a| parameters.iter().any(|p| p.same(a))) {
            self.error("variable in both parameter and auto lists", out);
        }
        self.function = Some(Inside { void });
        let body = self.statements(Some(Token::Op(b'}')), false, out);
        self.function = None;
        body?;
        self.code.push(crate::bc::code::Op::Zero);
        self.code.push(crate::bc::code::Op::Return);
        let code = std::mem::take(&mut self.code);
        if !self.lexer.place.had_error {
            self.names.define(function, parameters, autos, code);
        }
        Ok(())
    }

    fn variables(&mut self, out: &mut Out) -> Result<Vec<Variable>, Fail> {
        let mut list = Vec::new();
        loop {
            let shared = matches!(self.peek(out)?, Token::Op(b'*' | b'&'));
            if shared {
                self.shift(out)?;
            }
            let Token::Name(name) = self.peek(out)?.clone() else { return Err(Fail::Syntax) };
            self.shift(out)?;
            self.check_name(&name, out);
            if shared || *self.peek(out)? == Token::Op(b'[') {
                self.expect(b'[', out)?;
                self.expect(b']', out)?;
                if shared {
                    self.warn("Call by variable arrays", out);
                }
                let kind = if shared { Kind::Shared } else { Kind::Array };
                list.push(Variable { kind, index: self.names.array(&name) });
            } else {
                list.push(Variable { kind: Kind::Scalar, index: self.names.variable(&name) });
            }
            if !self.eat(&Token::Op(b','), out)? {
                return Ok(list);
            }
        }
    }
}

fn has_duplicates(list: &[Variable]) -> bool {
    list.iter().enumerate().any(|(i, v)| list.iter().skip(i + 1).any(|w| v.same(w)))
}
