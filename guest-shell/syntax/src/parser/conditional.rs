//! `[[ ... ]]`

use super::word::{Assignments, Context};
use super::{Reader, Result, SyntaxError, SyntaxErrorKind};
use crate::ast::*;

const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

impl Reader<'_> {
    /// After `[[`; passes `]]`.
    pub(super) fn conditional(&mut self) -> Result<CondExpr> {
        let expr = self.cond_or()?;
        match self.cond_token()? {
            CondToken::End => Ok(expr),
            CondToken::Word(_) => self.cond_error(b"syntax error in conditional expression".to_vec()),
            token => {
                let text = token.text();
                self.cond_error(
                    [b"syntax error in conditional expression: unexpected token `".as_slice(), &text, b"'"]
                        .concat(),
                )
            }
        }
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
        let expr = match self.cond_token()? {
            CondToken::Open => {
                let inner = match self.cond_or() {
                    Ok(inner) => inner,
                    Err(mut error) => {
                        if error.kind == SyntaxErrorKind::Conditional && !error.lines.is_empty() {
                            error.lines.push((self.p.input.line(), b"expected `)'".to_vec()));
                        }
                        return Err(error);
                    }
                };
                match self.cond_token()? {
                    CondToken::Close => {}
                    token => {
                        let text = token.text();
                        return self.cond_error(
                            [b"unexpected token `".as_slice(), &text, b"', expected `)'"].concat(),
                        );
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
                let text = token.text();
                return self.cond_error(
                    [b"unexpected token `".as_slice(), &text, b"' in conditional command"].concat(),
                );
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
            return match self.cond_token()? {
                CondToken::Word(operand) => Ok(CondExpr::Unary(letter, *operand)),
                token => self.cond_bad_argument(&token, b"unary"),
            };
        }
        self.skip_blanks();
        let mark = self.p.input.mark();
        let op = match self.peek() {
            Some(b'\n') | None => {
                return self.cond_error(
                    b"unexpected token `newline', conditional binary operator expected".to_vec(),
                );
            }
            Some(b'<') if self.peek_second() != Some(b'(') => {
                self.bump();
                CondOp::Less
            }
            Some(b'>') if self.peek_second() != Some(b'(') => {
                self.bump();
                CondOp::Greater
            }
            _ => match self.cond_token()? {
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
            CondOp::Equal | CondOp::EqualEqual | CondOp::NotEqual => Context::Pattern,
            CondOp::Regex => Context::Regex,
            _ => Context::Word,
        };
        let operand = if op == CondOp::Regex && matches!(self.peek(), Some(b'(' | b'|')) {
            CondToken::Word(Box::new(self.word(context, Assignments::No)?))
        } else {
            self.cond_token_in(context)?
        };
        match operand {
            CondToken::Word(operand) => Ok(CondExpr::Binary(word, op, PatternWord::new(*operand))),
            token => self.cond_bad_argument(&token, b"binary"),
        }
    }

    fn cond_bad_argument<T>(&mut self, token: &CondToken, what: &[u8]) -> Result<T> {
        let text = token.text();
        self.cond_error(
            [b"unexpected argument `".as_slice(), &text, b"' to conditional ", what, b" operator"].concat(),
        )
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
                self.bump();
                let mut text = vec![byte];
                if self.peek() == Some(byte) {
                    self.bump();
                    text.push(byte);
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
        let lines = if text.is_empty() { Vec::new() } else { vec![(self.p.input.line(), text.clone())] };
        // At the end of the input the error is one of its end.
        let incomplete = text.starts_with(b"unexpected token `EOF'");
        let mut ended = incomplete;
        if text.starts_with(b"unexpected token `newline'") && !self.p.input.wants_host() {
            self.bump();
            ended = !self.ensure();
        }
        let kind = match self.kind() {
            SyntaxErrorKind::Syntax if ended => SyntaxErrorKind::Unterminated,
            SyntaxErrorKind::Syntax => SyntaxErrorKind::Conditional,
            other => other,
        };
        Err(Box::new(SyntaxError { lines, incomplete, kind }))
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
