//! bash's arithmetic: parser and evaluator.
//!
//! Values are 64-bit and wrap around. Text is parsed to a tree once. The tree is evaluated with the variables of an
//! implementor of [`Variables`].

mod parse;

use std::rc::Rc;

use crate::bytes::Bytes;
use crate::name::{Name, is_name};

/// The longest chain of variables whose values refer to each other. bash has the same limit.
const MAX_REFERENCES: u32 = 1024;
/// How many of those may be expressions rather than names. Each one needs space on the stack.
const MAX_NESTED: u32 = 128;

/// Parsed arithmetic.
#[derive(Debug, Clone)]
pub struct Expr {
    source: Bytes,
    root: Node,
    /// The syntax error. It is reported after the tree in front of it has been evaluated.
    failed: Option<ArithError>,
}

/// The value of a variable, in the forms that arithmetic needs.
#[derive(Debug, Clone)]
pub enum Fetched {
    /// Unset or empty: 0.
    Unset,
    /// A plain integer ([`plain_integer`]), or the value of a variable that the shell stores as a number.
    Int(i64),
    /// Any other text: it is evaluated as an expression.
    Text(Bytes),
}

/// The index of an array's element.
#[derive(Debug, Clone, Copy)]
pub enum Key<'a> {
    /// Of an indexed array (or a scalar); may be negative.
    Index(i64),
    /// Of an associative array.
    Text(&'a [u8]),
}

/// The variables that an evaluation reads and assigns.
pub trait Variables {
    /// The value of `name`; for an array, that of element 0. Under `set -u`, the implementor returns an error for an
    /// unset variable.
    fn get(&mut self, name: Name) -> Result<Fetched, ArithError>;
    /// Assigns to `name`.
    fn set(&mut self, name: Name, value: i64) -> Result<(), ArithError>;
    /// Whether `name` is an associative array.
    fn is_associative(&mut self, name: Name) -> bool;
    /// Expands the text of a subscript. `None` if such expansions are nested too deeply.
    fn expand_key(&mut self, text: &[u8]) -> Result<Option<Vec<u8>>, ArithError>;
    /// The value of an element.
    fn get_element(&mut self, name: Name, key: Key<'_>) -> Result<Fetched, ArithError>;
    /// Makes the error for a subscript that cannot be evaluated. It may end more than the enclosing expression.
    fn failed_subscript(&mut self, message: Vec<u8>) -> ArithError {
        ArithError::Message(message)
    }
    /// Reports an assignment to `name[]`.
    ///
    /// # Errors
    /// An error if the report ends the evaluation.
    fn set_nothing(&mut self, name: Name) -> Result<(), ArithError> {
        Err(ArithError::Message([b"`", &*name.bytes(), b"[]': not a valid identifier"].concat()))
    }

    /// Reports that `name[]` was read. It counts as 0.
    fn empty_subscript(&mut self, _name: Name) -> Result<(), ArithError> {
        Ok(())
    }
    /// Assigns to an element.
    fn set_element(&mut self, name: Name, key: Key<'_>, value: i64) -> Result<(), ArithError>;
}

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArithError {
    /// What bash prints after `bash: line N: `, e.g. ``1/0: division by 0 (error token is "0")``.
    Message(Vec<u8>),
    /// The implementor of [`Variables`] has reported it already.
    Reported,
}

/// The value of `text` if it fits an `i64` and consists of digits only, without a leading zero (except for `0`).
pub fn plain_integer(text: &[u8]) -> Option<i64> {
    let (&first, rest) = text.split_first()?;
    if !first.is_ascii_digit() || (first == b'0' && !rest.is_empty()) || text.len() > 19 {
        return None;
    }
    let mut value: i64 = 0;
    for &digit in text {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    Some(value)
}

/// Parses text after its expansions. NUL bytes are slots, numbered from 0.
pub fn parse(source: &[u8]) -> Result<Expr, ArithError> {
    let expr = parse_whatever(source);
    match expr.failed {
        Some(error) => Err(error),
        None => Ok(expr),
    }
}

fn parse_whatever(source: &[u8]) -> Expr {
    let (root, failed) = parse::parse(source);
    Expr { source: source.into(), root, failed }
}

/// Evaluates text after its expansions. Blank text is 0.
pub fn evaluate<V: Variables + ?Sized>(source: &[u8], variables: &mut V) -> Result<i64, ArithError> {
    if let Some(value) = plain_integer(source) {
        return Ok(value);
    }
    evaluate_nested(source, variables, 0)
}

fn recursion(text: &[u8]) -> ArithError {
    let shown = text.trim_ascii_start();
    let message = [shown, b": expression recursion level exceeded (error token is \"", shown, b"\")"];
    ArithError::Message(message.concat())
}

fn evaluate_nested<V: Variables + ?Sized>(
    source: &[u8],
    variables: &mut V,
    level: u32,
) -> Result<i64, ArithError> {
    let expr = parse_whatever(source);
    Evaluation { variables, expr: &expr, slots: &[], level }.whole(&expr.root, expr.failed.as_ref())
}

/// Evaluates a tree; `slots` are the values of its slots ([`crate::ast::ArithPlan::Slots`]).
pub fn evaluate_tree<V: Variables + ?Sized>(
    expr: &Expr,
    slots: &[i64],
    variables: &mut V,
) -> Result<i64, ArithError> {
    Evaluation { variables, expr, slots, level: 0 }.whole(&expr.root, expr.failed.as_ref())
}

/// A node of the tree. Offsets are the positions of error tokens in the text.
#[derive(Debug, Clone)]
enum Node {
    Number(i64),
    /// Stands where a syntax error is.
    Failed,
    Slot(u32),
    Variable(Target),
    Unary(Unary, Box<Node>),
    Binary(Binary, u32, Box<(Node, Node)>),
    And(Box<(Node, Node)>),
    Or(Box<(Node, Node)>),
    Choice(Box<(Node, Node, Node)>),
    Comma(Box<(Node, Node)>),
    Assign(Target, Box<Node>),
    Update(Target, Binary, u32, Box<Node>),
    /// Changes the variable. The result is the value before (`post`) or after.
    Step {
        target: Target,
        by: i64,
        post: bool,
    },
}

#[derive(Debug, Clone)]
struct Target {
    name: Name,
    subscript: Option<Rc<Subscript>>,
}

#[derive(Debug, Clone)]
struct Subscript {
    /// The text, with marks for slots. The first mark is number `first_slot`.
    text: Bytes,
    first_slot: u32,
    /// The subscript parsed as arithmetic, used for indexed arrays.
    index: (Node, Option<ArithError>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unary {
    Not,
    Complement,
    Minus,
    Plus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binary {
    Multiply,
    Divide,
    Remainder,
    Power,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

/// Why a tree has no value.
enum Error {
    Arith(ArithError),
    /// The evaluation has reached the syntax error.
    Syntax,
}

impl From<ArithError> for Error {
    fn from(error: ArithError) -> Error {
        Error::Arith(error)
    }
}

enum Place {
    /// `name[]`
    Nothing(Name),
    Name(Name),
    Index(Name, i64),
    Text(Name, Vec<u8>),
}

struct Evaluation<'a, V: Variables + ?Sized> {
    variables: &'a mut V,
    expr: &'a Expr,
    slots: &'a [i64],
    level: u32,
}

impl<V: Variables + ?Sized> Evaluation<'_, V> {
    /// The value of a tree. If its text has a syntax error, that is the result after the evaluation.
    fn whole(&mut self, node: &Node, failed: Option<&ArithError>) -> Result<i64, ArithError> {
        match (self.value(node), failed) {
            (Err(Error::Arith(error)), _) => Err(error),
            (_, Some(error)) => Err(error.clone()),
            (Ok(value), None) => Ok(value),
            (Err(Error::Syntax), None) => Err(ArithError::Reported),
        }
    }

    fn value(&mut self, node: &Node) -> Result<i64, Error> {
        Ok(match node {
            Node::Number(value) => *value,
            Node::Failed => return Err(Error::Syntax),
            Node::Slot(index) => self.slots.get(*index as usize).copied().unwrap_or(0),
            Node::Variable(target) => {
                if target.subscript.is_none() {
                    match self.variables.get(target.name)? {
                        Fetched::Int(value) => value,
                        Fetched::Unset => 0,
                        Fetched::Text(text) => self.text_value(text)?,
                    }
                } else {
                    let place = self.place(target)?;
                    self.fetch(&place)?
                }
            }
            Node::Unary(op, operand) => {
                let value = self.value(operand)?;
                match op {
                    Unary::Not => i64::from(value == 0),
                    Unary::Complement => !value,
                    Unary::Minus => value.wrapping_neg(),
                    Unary::Plus => value,
                }
            }
            Node::Binary(op, at, operands) => {
                let left = self.value(&operands.0)?;
                let right = self.value(&operands.1)?;
                self.apply(*op, left, right, *at)?
            }
            Node::And(operands) => i64::from(self.value(&operands.0)? != 0 && self.value(&operands.1)? != 0),
            Node::Or(operands) => i64::from(self.value(&operands.0)? != 0 || self.value(&operands.1)? != 0),
            Node::Choice(operands) => {
                if self.value(&operands.0)? != 0 {
                    self.value(&operands.1)?
                } else {
                    self.value(&operands.2)?
                }
            }
            Node::Comma(operands) => {
                self.value(&operands.0)?;
                self.value(&operands.1)?
            }
            Node::Assign(target, value) => {
                let value = self.value(value)?;
                if target.subscript.is_none() {
                    self.variables.set(target.name, value)?;
                } else {
                    let place = self.place(target)?;
                    self.store(&place, value)?;
                }
                value
            }
            Node::Update(target, op, at, value) => {
                let place = self.place(target)?;
                let left = self.fetch(&place)?;
                let right = self.value(value)?;
                let value = self.apply(*op, left, right, *at)?;
                self.store(&place, value)?;
                value
            }
            Node::Step { target, by, post } => {
                let place = self.place(target)?;
                let before = self.fetch(&place)?;
                let after = before.wrapping_add(*by);
                self.store(&place, after)?;
                if *post { before } else { after }
            }
        })
    }

    fn apply(&self, op: Binary, left: i64, right: i64, at: u32) -> Result<i64, Error> {
        Ok(match op {
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide | Binary::Remainder if right == 0 => return self.error("division by 0", at),
            Binary::Divide => left.wrapping_div(right),
            Binary::Remainder => left.wrapping_rem(right),
            Binary::Power if right < 0 => return self.error("exponent less than 0", at),
            Binary::Power => {
                let (mut base, mut exponent, mut result) = (left, right, 1i64);
                while exponent > 0 {
                    if exponent & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                result
            }
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::ShiftLeft => left.wrapping_shl(right as u32),
            Binary::ShiftRight => left.wrapping_shr(right as u32),
            Binary::Less => i64::from(left < right),
            Binary::LessEqual => i64::from(left <= right),
            Binary::Greater => i64::from(left > right),
            Binary::GreaterEqual => i64::from(left >= right),
            Binary::Equal => i64::from(left == right),
            Binary::NotEqual => i64::from(left != right),
            Binary::And => left & right,
            Binary::Xor => left ^ right,
            Binary::Or => left | right,
        })
    }

    /// Determines the element of a target. The subscript is evaluated only once.
    fn place(&mut self, target: &Target) -> Result<Place, ArithError> {
        let Some(subscript) = &target.subscript else { return Ok(Place::Name(target.name)) };
        if subscript.text.is_empty() {
            return Ok(Place::Nothing(target.name));
        }
        if self.variables.is_associative(target.name) {
            return Ok(Place::Text(target.name, self.key(target.name, subscript)?));
        }
        let index = if subscript.text.iter().any(|byte| matches!(byte, b'$' | b'`' | b'"')) {
            // The text comes from a variable or a builtin's argument, so it has not been expanded yet.
            let text = self.key(target.name, subscript)?;
            if self.level >= MAX_NESTED {
                return Err(recursion(&text));
            }
            evaluate_nested(&text, self.variables, self.level + 1)
        } else {
            self.whole(&subscript.index.0, subscript.index.1.as_ref())
        };
        match index {
            Ok(index) => Ok(Place::Index(target.name, index)),
            Err(ArithError::Message(message)) => Err(self.variables.failed_subscript(message)),
            Err(error) => Err(error),
        }
    }

    /// The text of a subscript after expansion.
    fn key(&mut self, name: Name, subscript: &Subscript) -> Result<Vec<u8>, ArithError> {
        let text = self.fill_slots(&subscript.text, subscript.first_slot);
        let key = self.variables.expand_key(&text)?;
        key.ok_or_else(|| recursion(&[&*name.bytes(), b"[", &text, b"]"].concat()))
    }

    fn fetch(&mut self, place: &Place) -> Result<i64, ArithError> {
        let fetched = match place {
            Place::Nothing(name) => {
                self.variables.empty_subscript(*name)?;
                Fetched::Unset
            }
            Place::Name(name) => self.variables.get(*name)?,
            Place::Index(name, index) => self.variables.get_element(*name, Key::Index(*index))?,
            Place::Text(name, text) => self.variables.get_element(*name, Key::Text(text))?,
        };
        match fetched {
            Fetched::Int(value) => Ok(value),
            Fetched::Unset => Ok(0),
            Fetched::Text(text) => self.text_value(text),
        }
    }

    fn store(&mut self, place: &Place, value: i64) -> Result<(), ArithError> {
        match place {
            Place::Nothing(name) => self.variables.set_nothing(*name),
            Place::Name(name) => self.variables.set(*name, value),
            Place::Index(name, index) => self.variables.set_element(*name, Key::Index(*index), value),
            Place::Text(name, text) => self.variables.set_element(*name, Key::Text(text), value),
        }
    }

    /// The value of a variable's text, which is evaluated as an expression.
    fn text_value(&mut self, text: Bytes) -> Result<i64, ArithError> {
        let mut text = text;
        // A chain of plain names is followed without recursion.
        for _ in 0..MAX_REFERENCES {
            if let Some(value) = plain_integer(&text) {
                return Ok(value);
            }
            if !is_name(&text) {
                if self.level >= MAX_NESTED {
                    break;
                }
                return evaluate_nested(&text, self.variables, self.level + 1);
            }
            match self.variables.get(Name::new(&text))? {
                Fetched::Int(value) => return Ok(value),
                Fetched::Unset => return Ok(0),
                Fetched::Text(next) => text = next,
            }
        }
        Err(recursion(&text))
    }

    fn fill_slots(&self, text: &[u8], first: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut slot = first as usize;
        for &byte in text {
            if byte == 0 {
                out.extend_from_slice(self.slots.get(slot).copied().unwrap_or(0).to_string().as_bytes());
                slot += 1;
            } else {
                out.push(byte);
            }
        }
        out
    }

    fn error<T>(&self, what: &str, at: u32) -> Result<T, Error> {
        let source = &self.expr.source;
        let at = (at as usize).min(source.len());
        let (before, token) = source.split_at(at);
        let slots_before = before.iter().filter(|&&byte| byte == 0).count() as u32;
        let text = self.fill_slots(source, 0);
        let token = self.fill_slots(token, slots_before);
        Err(Error::Arith(message(&text, what, &token)))
    }
}

/// Words an error as bash does.
fn message(text: &[u8], what: &str, token: &[u8]) -> ArithError {
    let blanks = text.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let mut out = text.get(blanks..).unwrap_or_default().to_vec();
    out.extend_from_slice(b": ");
    out.extend_from_slice(what.as_bytes());
    out.extend_from_slice(b" (error token is \"");
    out.extend_from_slice(token);
    out.extend_from_slice(b"\")");
    ArithError::Message(out)
}
