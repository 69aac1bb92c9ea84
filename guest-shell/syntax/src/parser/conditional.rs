//! `[[ ... ]]`: a loop over a stack of operators that still need their right operand. Between any two brackets, the
//! operators are stacked from the loosest to the tightest.

use super::word::{Assignments, Context};
use super::{Reader, Result, SyntaxError, SyntaxErrorKind};
use crate::ast::*;

/// The letters of unary tests.
const LETTERS: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

/// An operator that still needs its right operand.
struct Waiting {
    joint: Joint,
    /// The left operands of `&&` and `||`.
    left: Vec<Condition>,
    /// The line of the operator.
    line: u32,
}

/// From the loosest to the tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Joint {
    Bracket,
    Either,
    Both,
    Negation,
}

/// A token between `[[` and `]]`.
enum Test {
    Word(Box<Word>),
    /// Any token that is not a word: `EOF` at the end of the input, `newline` at the end of a line.
    Sign(Vec<u8>),
}

impl Reader<'_> {
    /// Parses the expression after `[[` and consumes `]]`.
    pub(super) fn conditional(&mut self) -> Result<Condition> {
        let line = self.p.input.line();
        let mut waiting = Vec::new();
        let condition = self.operands(&mut waiting).map_err(|mut error| {
            let told = matches!(error.kind, SyntaxErrorKind::Conditional | SyntaxErrorKind::Unterminated)
                && !error.lines.is_empty();
            let brackets = waiting.iter().rev().filter(|outer| told && outer.joint == Joint::Bracket);
            error.lines.extend(brackets.map(|bracket| (bracket.line, b"expected `)'".to_vec())));
            error
        })?;
        let last = self.test_part(Context::Word)?;
        if last.is(b"]]") {
            return Ok(condition);
        }
        let mut error =
            self.test_error(line, b"syntax error in conditional expression".to_vec(), Some(&last));
        if let Test::Sign(sign) = &last
            && let Some((_, text)) = error.lines.first_mut()
        {
            if last.is(b"EOF") {
                *text = b"unexpected EOF while looking for `]]'".to_vec();
            } else {
                text.extend_from_slice(&[b": unexpected token `", &sign[..], b"'"].concat());
            }
        }
        Err(error)
    }

    /// Parses until a token that must be the end. After an error, `waiting` contains the enclosing brackets.
    fn operands(&mut self, waiting: &mut Vec<Waiting>) -> Result<Condition> {
        loop {
            self.enter()?;
            self.pass_lines();
            let Some(operand) = self.test_operand(waiting)? else { continue };
            self.leave();
            let mut done = self.completed(operand, waiting, Joint::Both);
            // Several brackets may end here.
            loop {
                self.pass_lines();
                if self.pass_doubled(b'&') {
                    self.join(Joint::Both, done, waiting);
                    break;
                }
                done = self.completed(done, waiting, Joint::Either);
                if self.pass_doubled(b'|') {
                    self.join(Joint::Either, done, waiting);
                    break;
                }
                done = self.completed(done, waiting, Joint::Bracket);
                let Some(bracket) = waiting.pop() else { return Ok(done) };
                self.end_of_bracket(bracket.line)?;
                let group = self.combined(bracket, done);
                done = self.completed(group, waiting, Joint::Both);
            }
        }
    }

    /// Parses an operand. `None` for `!` and `(`, which need an operand first.
    fn test_operand(&mut self, waiting: &mut Vec<Waiting>) -> Result<Option<Condition>> {
        let part = self.test_part(Context::Word);
        let part = self.if_ended(part, b"unexpected token `\xff' in conditional command")?;
        let line = self.p.input.line();
        let joint = match part {
            Test::Word(word) if &word.source[..] == b"!" => Joint::Negation,
            Test::Word(word) => return self.test_of(*word).map(Some),
            Test::Sign(sign) if sign == b"(" => Joint::Bracket,
            Test::Sign(sign) if sign == b"]]" => return Err(self.test_error(line, Vec::new(), None)),
            Test::Sign(ref sign) => {
                let text = [b"unexpected token `", &sign[..], b"' in conditional command"].concat();
                return Err(self.test_error(line, text, Some(&part)));
            }
        };
        waiting.push(Waiting { joint, left: Vec::new(), line });
        Ok(None)
    }

    /// Completes all waiting operators that are tighter than `limit`; `right` is the right operand.
    fn completed(&mut self, right: Condition, waiting: &mut Vec<Waiting>, limit: Joint) -> Condition {
        let mut done = right;
        while let Some(last) = waiting.pop_if(|last| last.joint > limit) {
            done = self.combined(last, done);
        }
        done
    }

    /// Completes a waiting operator with its right operand.
    fn combined(&mut self, waiting: Waiting, right: Condition) -> Condition {
        let Waiting { joint, mut left, .. } = waiting;
        match joint {
            Joint::Both | Joint::Either => left.push(right),
            Joint::Bracket | Joint::Negation => {
                self.leave();
                return match right {
                    inner if joint == Joint::Bracket => Condition::Group(Box::new(inner)),
                    // As in bash, a second `!` cancels the first.
                    Condition::Not(inner) => *inner,
                    inner => Condition::Not(Box::new(inner)),
                };
            }
        }
        if joint == Joint::Both { Condition::All(left) } else { Condition::Any(left) }
    }

    /// Pushes an operator `&&` or `||` with its left operands.
    fn join(&mut self, joint: Joint, left: Condition, waiting: &mut Vec<Waiting>) {
        self.pass_lines();
        match waiting.last_mut() {
            Some(last) if last.joint == joint => last.left.push(left),
            _ => waiting.push(Waiting { joint, left: vec![left], line: self.p.input.line() }),
        }
    }

    /// Consumes `)`. An error names the line of `(`.
    fn end_of_bracket(&mut self, line: u32) -> Result<()> {
        let part = self.test_part(Context::Word)?;
        let text = match &part {
            Test::Word(_) => b"expected `)'".to_vec(),
            Test::Sign(sign) if sign == b")" => return Ok(()),
            Test::Sign(sign) => [b"unexpected token `", &sign[..], b"', expected `)'"].concat(),
        };
        Err(self.test_error(line, text, Some(&part)))
    }

    /// Skips blanks and newlines.
    fn pass_lines(&mut self) {
        self.skip_blanks();
        while self.peek() == Some(b'\n') {
            self.newline();
            self.skip_blanks();
        }
    }

    /// Consumes `byte` if it occurs twice in a row.
    fn pass_doubled(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte) && self.peek_second() == Some(byte);
        if found {
            self.bump();
            self.peek();
            self.bump();
        }
        found
    }

    /// Parses a test after its first word.
    fn test_of(&mut self, word: Word) -> Result<Condition> {
        if let [b'-', letter] = word.source[..]
            && LETTERS.contains(&letter)
        {
            let operand = self.test_part(Context::Word);
            let operand = self.argument(operand, b"unary")?;
            return Ok(Condition::Unary(letter, operand));
        }
        let Some(comparison) = self.comparison()? else { return Ok(Condition::Word(word)) };
        self.skip_blanks();
        let context = match comparison {
            Comparison::Equal | Comparison::EqualEqual | Comparison::NotEqual => Context::CondPattern,
            Comparison::Regex => Context::Regex,
            _ => Context::Word,
        };
        let operand = if comparison == Comparison::Regex && matches!(self.peek(), Some(b'(' | b'|')) {
            self.word(context, Assignments::No).map(|word| Test::Word(Box::new(word)))
        } else {
            self.test_part(context)
        };
        let operand = self.argument(operand, b"binary")?;
        Ok(Condition::Binary(word, comparison, PatternWord::new(operand)))
    }

    /// The operator after a test's first word. `None` if the word stands alone.
    fn comparison(&mut self) -> Result<Option<Comparison>> {
        const EXPECTED: &[u8] = b"conditional binary operator expected";
        self.skip_blanks();
        let mark = self.p.input.mark();
        let next = self.peek();
        // The byte must not begin another operator or a process substitution.
        if let Some(byte @ (b'<' | b'>')) = next
            && self.peek_second() != Some(b'(')
            && self.operator_text(byte).len() == 1
        {
            self.bump();
            return Ok(Comparison::of_sign(&[byte]));
        }
        let part = self.test_part(Context::Word);
        let part = self.if_ended(part, EXPECTED)?;
        let line = self.p.input.line();
        let (sign, ended): (&[u8], _) = match &part {
            Test::Word(word) => {
                let known = Comparison::of_sign(&word.source);
                return known.map(Some).ok_or_else(|| self.test_error(line, EXPECTED.to_vec(), None));
            }
            Test::Sign(_) if matches!(next, Some(b'\n') | None) => (b"newline", Some(&part)),
            Test::Sign(sign) if matches!(&sign[..], b"]]" | b")" | b"&&" | b"||") => {
                self.p.input.reset(mark);
                return Ok(None);
            }
            Test::Sign(sign) => (sign, None),
        };
        let text = [b"unexpected token `", sign, b"', ", EXPECTED].concat();
        Err(self.test_error(line, text, ended))
    }

    /// The operand after an operator of this kind.
    fn argument(&mut self, part: Result<Test>, kind: &[u8]) -> Result<Word> {
        let text = [b"unexpected argument to conditional ", kind, b" operator"].concat();
        let part = self.if_ended(part, &text)?;
        let text = match part {
            Test::Word(word) => return Ok(*word),
            Test::Sign(ref sign) => {
                [b"unexpected argument `", &sign[..], b"' to conditional ", kind, b" operator"].concat()
            }
        };
        Err(self.test_error(self.p.input.line(), text, Some(&part)))
    }

    /// Adds `text` to the error if the input ended within the token.
    fn if_ended(&mut self, part: Result<Test>, text: &[u8]) -> Result<Test> {
        part.map_err(|mut error| {
            if error.kind == SyntaxErrorKind::Unterminated {
                error.lines.push((self.p.input.line(), text.to_vec()));
            }
            error
        })
    }

    /// The next token. Words are read in this context.
    fn test_part(&mut self, context: Context) -> Result<Test> {
        self.skip_blanks();
        let Some(byte) = self.peek() else { return Ok(Test::Sign(b"EOF".to_vec())) };
        let substitution = matches!(byte, b'<' | b'>') && self.peek_second() == Some(b'(');
        let sign = match byte {
            b'\n' => return Ok(Test::Sign(b"newline".to_vec())),
            b'(' | b')' => vec![byte],
            b'&' | b'|' | b';' | b'<' | b'>' if !substitution => self.operator_text(byte),
            _ => {
                let word = self.word(context, Assignments::No)?;
                return Ok(match &word.source[..] {
                    b"]]" => Test::Sign(b"]]".to_vec()),
                    _ => Test::Word(Box::new(word)),
                });
            }
        };
        sign.iter().for_each(|_| self.bump());
        Ok(Test::Sign(sign))
    }

    /// Makes the error for this line, with `text` unless it is empty. `part` is the last token.
    fn test_error(&mut self, line: u32, text: Vec<u8>, part: Option<&Test>) -> Box<SyntaxError> {
        let lines = if text.is_empty() { Vec::new() } else { vec![(line, text)] };
        let incomplete = part.is_some_and(|part| part.is(b"EOF"));
        let newline = part.is_some_and(|part| part.is(b"newline"));
        let mut ended = incomplete;
        if newline && !self.p.options.interactive {
            self.bump();
            ended = !self.ensure();
        }
        let kind = match self.kind() {
            // If the input ended, the error is one of an unterminated construct.
            SyntaxErrorKind::Syntax if ended => SyntaxErrorKind::Unterminated,
            SyntaxErrorKind::Syntax => SyntaxErrorKind::Conditional,
            other => other,
        };
        Box::new(SyntaxError { lines, incomplete, kind })
    }
}

impl Test {
    fn is(&self, wanted: &[u8]) -> bool {
        matches!(self, Test::Sign(sign) if sign == wanted)
    }
}
