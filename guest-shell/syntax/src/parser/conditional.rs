//! `[[ ... ]]`

use super::word::{Assignments, Context};
use super::{Reader, Result, SyntaxError, SyntaxErrorKind};
use crate::ast::*;

const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

impl Reader<'_> {
    /// After `[[`; passes `]]`.
    pub(super) fn conditional(&mut self) -> Result<CondExpr> {
        let line = self.p.input.line();
        let expr = self.cond_or()?;
        let end = self.cond_token()?;
        if matches!(end, CondToken::End) {
            return Ok(expr);
        }
        let mut error = self.cond_error_of(b"syntax error in conditional expression".to_vec(), Some(&end));
        if end.is_end_of_input() {
            error.lines = vec![(line, b"unexpected EOF while looking for `]]'".to_vec())];
        } else {
            for (at, text) in &mut error.lines {
                *at = line;
                if !matches!(end, CondToken::Word(_)) {
                    text.extend_from_slice(&[b": unexpected token `".as_slice(), &end.text(), b"'"].concat());
                }
            }
        }
        Err(error)
    }

    fn cond_or(&mut self) -> Result<CondExpr> {
        let mut left = self.cond_and()?;
        while self.cond_operator(b"||") {
            left = CondExpr::Or(Box::new(left), Box::new(self.cond_and()?));
        }
        Ok(left)
    }

    fn cond_and(&mut self) -> Result<CondExpr> {
        let mut left = self.cond_term()?;
        while self.cond_operator(b"&&") {
            left = CondExpr::And(Box::new(left), Box::new(self.cond_term()?));
        }
        Ok(left)
    }

    /// Passes `operator` if it is next.
    fn cond_operator(&mut self, operator: &[u8; 2]) -> bool {
        self.cond_skip();
        if self.peek() == Some(operator[0]) && self.peek_second() == Some(operator[1]) {
            self.bump();
            self.peek();
            self.bump();
            self.cond_skip();
            return true;
        }
        false
    }

    /// Passes blanks and newlines.
    fn cond_skip(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    fn cond_term(&mut self) -> Result<CondExpr> {
        self.enter()?;
        self.cond_skip();
        let first = self.cond_token();
        let expr = match self.cond_cut_off(first, b"unexpected token `\xff' in conditional command")? {
            CondToken::Open => {
                let line = self.p.input.line();
                let inner = match self.cond_or() {
                    Ok(inner) => inner,
                    Err(mut error) => {
                        let ours = matches!(
                            error.kind,
                            SyntaxErrorKind::Conditional | SyntaxErrorKind::Unterminated
                        );
                        if ours && !error.lines.is_empty() {
                            error.lines.push((line, b"expected `)'".to_vec()));
                        }
                        return Err(error);
                    }
                };
                match self.cond_token()? {
                    CondToken::Close => {}
                    token => {
                        let text = match &token {
                            CondToken::Word(_) => b"expected `)'".to_vec(),
                            _ => {
                                [b"unexpected token `".as_slice(), &token.text(), b"', expected `)'"].concat()
                            }
                        };
                        let mut error = self.cond_error_of(text, Some(&token));
                        error.lines.iter_mut().for_each(|(at, _)| *at = line);
                        return Err(error);
                    }
                }
                CondExpr::Group(Box::new(inner))
            }
            CondToken::Word(word) if &word.source[..] == b"!" => match self.cond_term()? {
                // As bash does: one more `!` takes the first away.
                CondExpr::Not(inner) => *inner,
                inner => CondExpr::Not(Box::new(inner)),
            },
            CondToken::Word(word) => self.cond_test(*word)?,
            CondToken::End => {
                return self.cond_error(Vec::new());
            }
            token => {
                let text =
                    [b"unexpected token `".as_slice(), &token.text(), b"' in conditional command"].concat();
                return Err(self.cond_error_of(text, Some(&token)));
            }
        };
        self.leave();
        Ok(expr)
    }

    /// A test whose first word has been read.
    fn cond_test(&mut self, word: Word) -> Result<CondExpr> {
        if let [b'-', letter] = word.source[..]
            && UNARY.contains(&letter)
        {
            let operand = self.cond_token();
            return match self.cond_cut_off(operand, b"unexpected argument to conditional unary operator")? {
                CondToken::Word(operand) => Ok(CondExpr::Unary(letter, *operand)),
                token => self.cond_bad_argument(&token, b"unary"),
            };
        }
        self.skip_blanks();
        let mark = self.p.input.mark();
        let op = match self.peek() {
            Some(b'\n') | None => {
                let token = self.cond_token()?;
                let text = b"unexpected token `newline', conditional binary operator expected".to_vec();
                return Err(self.cond_error_of(text, Some(&token)));
            }
            // Not the first byte of another operator, or of a process substitution.
            Some(byte @ (b'<' | b'>'))
                if self.peek_second() != Some(b'(') && self.operator_text(byte).len() == 1 =>
            {
                self.bump();
                if byte == b'<' { CondOp::Less } else { CondOp::Greater }
            }
            _ => match self.cond_operator_token()? {
                CondToken::Word(operator) => match binary(&operator.source) {
                    Some(op) => op,
                    None => return self.cond_error(b"conditional binary operator expected".to_vec()),
                },
                CondToken::End | CondToken::Close => {
                    self.p.input.reset(mark);
                    return Ok(CondExpr::Word(word));
                }
                CondToken::Other(text) if matches!(&text[..], b"&&" | b"||") => {
                    self.p.input.reset(mark);
                    return Ok(CondExpr::Word(word));
                }
                token => {
                    let text = token.text();
                    return self.cond_error(
                        [b"unexpected token `".as_slice(), &text, b"', conditional binary operator expected"]
                            .concat(),
                    );
                }
            },
        };
        self.skip_blanks();
        let context = match op {
            CondOp::Equal | CondOp::EqualEqual | CondOp::NotEqual => Context::CondPattern,
            CondOp::Regex => Context::Regex,
            _ => Context::Word,
        };
        let operand = if op == CondOp::Regex && matches!(self.peek(), Some(b'(' | b'|')) {
            self.word(context, Assignments::No).map(|word| CondToken::Word(Box::new(word)))
        } else {
            self.cond_token_in(context)
        };
        match self.cond_cut_off(operand, b"unexpected argument to conditional binary operator")? {
            CondToken::Word(operand) => Ok(CondExpr::Binary(word, op, PatternWord::new(*operand))),
            token => self.cond_bad_argument(&token, b"binary"),
        }
    }

    fn cond_bad_argument<T>(&mut self, token: &CondToken, what: &[u8]) -> Result<T> {
        let text = token.text();
        let text =
            [b"unexpected argument `".as_slice(), &text, b"' to conditional ", what, b" operator"].concat();
        Err(self.cond_error_of(text, Some(token)))
    }

    /// What else is said of a token in which the input ended.
    fn cond_cut_off<T>(&mut self, token: Result<T>, text: &[u8]) -> Result<T> {
        token.map_err(|mut error| {
            if error.kind == SyntaxErrorKind::Unterminated {
                error.lines.push((self.p.input.line(), text.to_vec()));
            }
            error
        })
    }

    fn cond_operator_token(&mut self) -> Result<CondToken> {
        let token = self.cond_token();
        self.cond_cut_off(token, b"conditional binary operator expected")
    }

    fn cond_token(&mut self) -> Result<CondToken> {
        self.cond_token_in(Context::Word)
    }

    fn cond_token_in(&mut self, context: Context) -> Result<CondToken> {
        self.skip_blanks();
        let Some(byte) = self.peek() else { return Ok(CondToken::Other(b"EOF".to_vec())) };
        let second = self.peek_second();
        Ok(match byte {
            b'\n' => CondToken::Other(b"newline".to_vec()),
            b'(' => {
                self.bump();
                CondToken::Open
            }
            b')' => {
                self.bump();
                CondToken::Close
            }
            b'<' | b'>' if second == Some(b'(') => {
                CondToken::Word(Box::new(self.word(context, Assignments::No)?))
            }
            b'&' | b'|' | b';' | b'<' | b'>' => {
                let text = self.operator_text(byte);
                for _ in &text {
                    self.bump();
                }
                CondToken::Other(text)
            }
            _ => {
                let word = self.word(context, Assignments::No)?;
                if &word.source[..] == b"]]" { CondToken::End } else { CondToken::Word(Box::new(word)) }
            }
        })
    }

    fn cond_error<T>(&mut self, text: Vec<u8>) -> Result<T> {
        Err(self.cond_error_of(text, None))
    }

    /// The error `text` at the token that has been read.
    fn cond_error_of(&mut self, text: Vec<u8>, token: Option<&CondToken>) -> Box<SyntaxError> {
        let lines = if text.is_empty() { Vec::new() } else { vec![(self.p.input.line(), text)] };
        // At the end of the input the error is one of its end.
        let incomplete = token.is_some_and(CondToken::is_end_of_input);
        let mut ended = incomplete;
        if token.is_some_and(CondToken::is_newline) && !self.p.options.interactive {
            self.bump();
            ended = !self.ensure();
        }
        let kind = match self.kind() {
            SyntaxErrorKind::Syntax if ended => SyntaxErrorKind::Unterminated,
            SyntaxErrorKind::Syntax => SyntaxErrorKind::Conditional,
            other => other,
        };
        Box::new(SyntaxError { lines, incomplete, kind })
    }
}

enum CondToken {
    Word(Box<Word>),
    Open,
    Close,
    /// `]]`
    End,
    Other(Vec<u8>),
}

impl CondToken {
    fn is_end_of_input(&self) -> bool {
        matches!(self, CondToken::Other(text) if text == b"EOF")
    }

    fn is_newline(&self) -> bool {
        matches!(self, CondToken::Other(text) if text == b"newline")
    }

    fn text(&self) -> Vec<u8> {
        match self {
            CondToken::Word(word) => word.source.to_vec(),
            CondToken::Open => b"(".to_vec(),
            CondToken::Close => b")".to_vec(),
            CondToken::End => b"]]".to_vec(),
            CondToken::Other(text) => text.clone(),
        }
    }
}

fn binary(text: &[u8]) -> Option<CondOp> {
    Some(match text {
        b"=" => CondOp::Equal,
        b"==" => CondOp::EqualEqual,
        b"!=" => CondOp::NotEqual,
        b"=~" => CondOp::Regex,
        b"-eq" => CondOp::NumEq,
        b"-ne" => CondOp::NumNe,
        b"-lt" => CondOp::NumLt,
        b"-le" => CondOp::NumLe,
        b"-gt" => CondOp::NumGt,
        b"-ge" => CondOp::NumGe,
        b"-nt" => CondOp::NewerThan,
        b"-ot" => CondOp::OlderThan,
        b"-ef" => CondOp::SameFile,
        _ => return None,
    })
}
