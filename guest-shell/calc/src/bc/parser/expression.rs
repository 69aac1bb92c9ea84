//! Expressions, by precedence: `||`, `&&`, `!`, comparisons, assignments, `+ -`, `* / %`, `^`, unary minus, `++ --`.

use super::{Fail, Parser};
use crate::bc::code::{Argument, Op};
use crate::bc::lexer::{Token, Word};
use crate::out::Out;

/// Properties of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    /// As a statement, its value is printed.
    pub(super) value: bool,
    pub(super) comparison: bool,
    pub(super) paren: bool,
    pub(super) void: bool,
}

const VALUE: Flags = Flags { value: true, comparison: false, paren: false, void: false };

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const RELATION: u8 = 4;
const ASSIGN: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const POWER: u8 = 8;
const MINUS: u8 = 9;

/// A variable or an element.
enum Place {
    Scalar(usize),
    Element(usize),
}

impl Parser {
    /// Parses an expression with operators of a higher precedence than `above`.
    pub(super) fn expression(&mut self, above: u8, out: &mut Out) -> Result<Flags, Fail> {
        self.nested()?;
        let first = self.prefix(out)?;
        // The operand of a unary minus does not include operators that follow.
        let whole = if above < MINUS { self.operators(first, above, out)? } else { first };
        self.depth = self.depth.saturating_sub(1);
        Ok(whole)
    }

    // Parses the operators of a higher precedence than `above` after a first operand, with their right operands.
    fn operators(&mut self, mut left: Flags, above: u8, out: &mut Out) -> Result<Flags, Fail> {
        loop {
            let (level, token) = match self.peek(out)? {
                Token::Or => (OR, Token::Or),
                Token::And => (AND, Token::And),
                Token::Relation(c) => (RELATION, Token::Relation(*c)),
                Token::Op(c @ (b'+' | b'-')) => (SUM, Token::Op(*c)),
                Token::Op(c @ (b'*' | b'/' | b'%')) => (PRODUCT, Token::Op(*c)),
                Token::Op(b'^') => (POWER, Token::Op(b'^')),
                _ => return Ok(left),
            };
            if level <= above {
                return Ok(left);
            }
            self.shift(out)?;
            left = self.binary(left, level, &token, out)?;
        }
    }

    fn binary(&mut self, left: Flags, level: u8, token: &Token, out: &mut Out) -> Result<Flags, Fail> {
        match token {
            Token::And => {
                self.warn("&& operator", out);
                let end = self.code.new_label();
                self.truth(Op::JumpIfZero(end));
                let right = self.expression(level, out)?;
                self.no_void(left.void || right.void, "void expression with &&", out);
                self.truth(Op::JumpIfZero(end));
                self.code.push(Op::One);
                self.code.place(end);
                Ok(VALUE)
            }
            Token::Or => {
                self.warn("|| operator", out);
                let (yes, end) = (self.code.new_label(), self.code.new_label());
                self.code.push(Op::JumpUnlessZero(yes));
                let right = self.expression(level, out)?;
                self.no_void(left.void || right.void, "void expression with ||", out);
                self.code.push(Op::JumpUnlessZero(yes));
                self.code.push(Op::Zero);
                self.code.push(Op::Jump(end));
                self.code.place(yes);
                self.code.push(Op::One);
                self.code.place(end);
                Ok(VALUE)
            }
            Token::Relation(op) => {
                let right = self.expression(level, out)?;
                self.no_void(left.void || right.void, "void expression with comparison", out);
                self.code.push(Op::Binary(*op));
                Ok(Flags { comparison: true, ..VALUE })
            }
            Token::Op(op) => {
                // `^` is right associative.
                let right = self.expression(if *op == b'^' { level - 1 } else { level }, out)?;
                // GNU bc uses the text as a format, so `%` disappears.
                let shown = if *op == b'%' { String::new() } else { char::from(*op).to_string() };
                let text = format!("void expression with {shown}");
                self.no_void(left.void || right.void, &text, out);
                self.code.push(Op::Binary(*op));
                Ok(Flags {
                    value: left.value || right.value,
                    comparison: left.comparison || right.comparison,
                    ..Flags::default()
                })
            }
            _ => Err(Fail::Syntax),
        }
    }

    // Jumps and keeps the value, or removes it.
    fn truth(&mut self, jump: Op) {
        self.code.push(Op::Duplicate);
        self.code.push(jump);
        self.code.push(Op::Pop);
    }

    fn prefix(&mut self, out: &mut Out) -> Result<Flags, Fail> {
        match self.peek(out)?.clone() {
            Token::Op(b'!') => {
                self.shift(out)?;
                let inner = self.expression(NOT, out)?;
                self.warn("! operator", out);
                self.no_void(inner.void, "void expression with !", out);
                self.code.push(Op::Not);
                Ok(Flags { paren: false, void: false, ..inner })
            }
            Token::Op(b'-') => {
                self.shift(out)?;
                let inner = self.expression(MINUS, out)?;
                self.no_void(inner.void, "void expression with unary -", out);
                self.code.push(Op::Negate);
                Ok(Flags { paren: false, void: false, ..inner })
            }
            Token::Op(b'(') => {
                self.shift(out)?;
                let inner = self.expression(0, out)?;
                self.expect(b')', out)?;
                self.no_void(inner.void, "void expression in parenthesis", out);
                Ok(Flags { value: true, paren: true, ..inner })
            }
            Token::Number(digits) => {
                self.shift(out)?;
                self.code.push(match digits.as_slice() {
                    b"0" => Op::Zero,
                    b"1" => Op::One,
                    _ => Op::Number(digits),
                });
                Ok(VALUE)
            }
            step @ (Token::Increment | Token::Decrement) => {
                self.shift(out)?;
                let up = step == Token::Increment;
                match self.place(out)? {
                    Place::Scalar(v) => {
                        self.code.push(if up { Op::Increment(v) } else { Op::Decrement(v) });
                        self.code.push(Op::Load(v));
                    }
                    Place::Element(v) => {
                        self.code.push(Op::Duplicate);
                        self.code.push(if up { Op::IncrementElement(v) } else { Op::DecrementElement(v) });
                        self.code.push(Op::LoadElement(v));
                    }
                }
                Ok(VALUE)
            }
            Token::Word(Word::Length) => self.function_of_one("length", Op::Length, out),
            Token::Word(Word::Sqrt) => self.function_of_one("sqrt", Op::Sqrt, out),
            Token::Word(Word::Read) => {
                self.shift(out)?;
                self.expect(b'(', out)?;
                self.expect(b')', out)?;
                self.warn("read function", out);
                self.code.push(Op::Read);
                Ok(VALUE)
            }
            Token::Word(Word::Random) => {
                self.shift(out)?;
                self.expect(b'(', out)?;
                self.expect(b')', out)?;
                self.warn("random function", out);
                self.code.push(Op::Random);
                Ok(VALUE)
            }
            Token::Word(Word::Scale) => {
                self.shift(out)?;
                if self.eat(&Token::Op(b'('), out)? {
                    return self.argument_of("scale", Op::ScaleOf, out);
                }
                self.after_place(Place::Scalar(2), out)
            }
            Token::Name(name) => {
                self.shift(out)?;
                if self.eat(&Token::Op(b'('), out)? {
                    return self.call(&name, out);
                }
                let place = self.named(&name, out)?;
                self.after_place(place, out)
            }
            _ => {
                let place = self.place(out)?;
                self.after_place(place, out)
            }
        }
    }

    fn function_of_one(&mut self, name: &str, op: Op, out: &mut Out) -> Result<Flags, Fail> {
        self.shift(out)?;
        self.expect(b'(', out)?;
        self.argument_of(name, op, out)
    }

    fn argument_of(&mut self, name: &str, op: Op, out: &mut Out) -> Result<Flags, Fail> {
        let inner = self.expression(0, out)?;
        self.expect(b')', out)?;
        self.no_void(inner.void, &format!("void expression in {name}()"), out);
        self.code.push(op);
        Ok(VALUE)
    }

    fn call(&mut self, name: &[u8], out: &mut Out) -> Result<Flags, Fail> {
        let mut arguments = Vec::new();
        if *self.peek(out)? != Token::Op(b')') {
            loop {
                arguments.push(self.argument(out)?);
                if !self.eat(&Token::Op(b','), out)? {
                    break;
                }
            }
        }
        self.expect(b')', out)?;
        self.check_name(name, out);
        let function = self.names.function(name);
        let void = self.names.functions.get(function).is_some_and(|f| f.void);
        self.code.push(Op::Call(function, arguments));
        Ok(if void { Flags { void: true, ..Flags::default() } } else { VALUE })
    }

    fn argument(&mut self, out: &mut Out) -> Result<Argument, Fail> {
        if let Token::Name(name) = self.peek(out)?.clone() {
            self.shift(out)?;
            let start = if self.eat(&Token::Op(b'['), out)? {
                if self.eat(&Token::Op(b']'), out)? {
                    self.check_name(&name, out);
                    let array = self.names.array(&name);
                    self.code.push(Op::Number((array as i64).to_string().into_bytes()));
                    return Ok(Argument::Array);
                }
                let place = self.subscript(&name, out)?;
                self.after_place(place, out)?
            } else if self.eat(&Token::Op(b'('), out)? {
                self.call(&name, out)?
            } else {
                self.check_name(&name, out);
                let place = Place::Scalar(self.names.variable(&name));
                self.after_place(place, out)?
            };
            let flags = self.operators(start, 0, out)?;
            self.check_argument(flags, out);
            return Ok(Argument::Value);
        }
        let flags = self.expression(0, out)?;
        self.check_argument(flags, out);
        Ok(Argument::Value)
    }

    fn check_argument(&mut self, flags: Flags, out: &mut Out) {
        if flags.comparison {
            self.warn("comparison in argument", out);
        }
        self.no_void(flags.void, "void argument", out);
    }

    // Parses a variable, or an element and its subscript.
    fn place(&mut self, out: &mut Out) -> Result<Place, Fail> {
        let special = match self.peek(out)?.clone() {
            Token::Name(name) => {
                self.shift(out)?;
                return self.named(&name, out);
            }
            Token::Word(Word::Ibase) => 0,
            Token::Word(Word::Obase) => 1,
            Token::Word(Word::Scale) => 2,
            Token::Word(Word::Last) => 3,
            Token::Word(Word::History) => 4,
            _ => return Err(Fail::Syntax),
        };
        self.shift(out)?;
        match special {
            3 => self.warn("Last variable", out),
            4 => self.warn("History variable", out),
            _ => {}
        }
        Ok(Place::Scalar(special))
    }

    fn named(&mut self, name: &[u8], out: &mut Out) -> Result<Place, Fail> {
        if self.eat(&Token::Op(b'['), out)? {
            return self.subscript(name, out);
        }
        self.check_name(name, out);
        Ok(Place::Scalar(self.names.variable(name)))
    }

    fn subscript(&mut self, name: &[u8], out: &mut Out) -> Result<Place, Fail> {
        let flags = self.expression(0, out)?;
        self.expect(b']', out)?;
        self.no_void(flags.void, "void expression as subscript", out);
        if flags.comparison {
            self.warn("comparison in subscript", out);
        }
        self.check_name(name, out);
        Ok(Place::Element(self.names.array(name)))
    }

    // Parses the rest after a variable: an assignment, `++`, `--`, or nothing.
    fn after_place(&mut self, place: Place, out: &mut Out) -> Result<Flags, Fail> {
        match self.peek(out)?.clone() {
            Token::Assign(op) => {
                self.shift(out)?;
                if op != b'=' {
                    match place {
                        Place::Scalar(v) => self.code.push(Op::Load(v)),
                        Place::Element(v) => {
                            self.code.push(Op::Duplicate);
                            self.code.push(Op::LoadElement(v));
                        }
                    }
                }
                let value = self.expression(ASSIGN - 1, out)?;
                if value.comparison {
                    self.warn("comparison in assignment", out);
                }
                self.no_void(value.void, "Assignment of a void expression", out);
                if op != b'=' {
                    self.code.push(Op::Binary(op));
                }
                self.code.push(match place {
                    Place::Scalar(v) => Op::Store(v),
                    Place::Element(v) => Op::StoreElement(v),
                });
                Ok(Flags::default())
            }
            step @ (Token::Increment | Token::Decrement) => {
                self.shift(out)?;
                let up = step == Token::Increment;
                match place {
                    Place::Scalar(v) => {
                        self.code.push(Op::Load(v));
                        self.code.push(if up { Op::Increment(v) } else { Op::Decrement(v) });
                    }
                    Place::Element(v) => {
                        self.code.push(Op::Duplicate);
                        self.code.push(Op::LoadElement(v));
                        self.code.push(Op::Exchange);
                        self.code.push(if up { Op::IncrementElement(v) } else { Op::DecrementElement(v) });
                    }
                }
                Ok(VALUE)
            }
            _ => {
                self.code.push(match place {
                    Place::Scalar(v) => Op::Load(v),
                    Place::Element(v) => Op::LoadElement(v),
                });
                Ok(VALUE)
            }
        }
    }

    fn no_void(&mut self, void: bool, text: &str, out: &mut Out) {
        if void {
            self.error(text, out);
        }
    }
}
