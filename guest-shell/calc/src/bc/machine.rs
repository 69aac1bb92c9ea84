//! Runs code.

use super::code::{Argument, Code, Op};
use super::lexer::Lexer;
use super::names::{Body, FIRST_VARIABLE, Function, Kind, Names, Variable};
use crate::num::{Digits, Num, PowerError};
use crate::out::{Out, say};
use crate::source::Source;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// The largest value of `obase` and `scale`.
const LARGEST: i64 = 2_147_483_647;
/// The largest subscript.
const LAST_ELEMENT: i64 = 16_777_215;
/// The maximum nesting of calls. More would exhaust the memory.
const DEEPEST: usize = 1_000_000;

type Array = Rc<RefCell<HashMap<u32, Num>>>;

/// Why execution leaves the code.
enum Leave {
    /// An error. The message has been written.
    Error,
    Halt,
}

struct Frame {
    code: Rc<Code>,
    at: usize,
    function: Option<usize>,
    /// `ibase` at the time of the call. Constants in the function are read in this base.
    base: u32,
    locals: Vec<Variable>,
}

pub(crate) struct Machine {
    ibase: u32,
    obase: u32,
    scale: usize,
    last: Num,
    /// Values of each variable. The last one is the current one.
    variables: Vec<Vec<Num>>,
    arrays: Vec<Vec<Array>>,
    stack: Vec<Num>,
    frames: Vec<Frame>,
    /// `-s`: a zero is printed before the decimal point, and `ibase` is at most 16.
    pub(crate) standard: bool,
    random: Random,
}

impl Machine {
    pub(crate) fn new(scale: usize) -> Self {
        Self {
            ibase: 10,
            obase: 10,
            scale,
            last: Num::zero(),
            variables: Vec::new(),
            arrays: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            standard: false,
            random: Random::new(),
        }
    }

    /// Runs the code of a line. Returns false if it halts the program.
    pub(crate) fn run(&mut self, code: Code, names: &Names, lexer: &mut Lexer, out: &mut Out) -> bool {
        self.stack.clear();
        self.frames.clear();
        let base = self.ibase;
        self.frames.push(Frame { code: Rc::new(code), at: 0, function: None, base, locals: Vec::new() });
        let left = self.execute(names, lexer, out);
        while let Some(frame) = self.frames.pop() {
            self.forget(&frame.locals);
        }
        !matches!(left, Err(Leave::Halt))
    }

    fn execute(&mut self, names: &Names, lexer: &mut Lexer, out: &mut Out) -> Result<(), Leave> {
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(()) };
            let code = Rc::clone(&frame.code);
            let Some(op) = code.ops.get(frame.at) else { return Ok(()) };
            frame.at += 1;
            self.step(op, &code, names, lexer, out)?;
        }
    }

    fn step(
        &mut self,
        op: &Op,
        code: &Code,
        names: &Names,
        lexer: &mut Lexer,
        out: &mut Out,
    ) -> Result<(), Leave> {
        match op {
            Op::Number(text) => {
                let base =
                    self.frames.last().map_or(10, |f| if f.function.is_some() { f.base } else { self.ibase });
                self.stack.push(constant(text, base));
            }
            Op::Zero => self.stack.push(Num::zero()),
            Op::One => self.stack.push(Num::one()),
            Op::Load(v) => {
                let value = self.load(*v);
                self.stack.push(value);
            }
            Op::Store(v) => {
                let value = self.top();
                self.store(*v, value, names, out);
            }
            Op::LoadElement(v) => {
                let index = self.subscript(*v, names, out)?;
                let value = self.array(*v).borrow().get(&index).cloned().unwrap_or_default();
                self.stack.push(value);
            }
            Op::StoreElement(v) => {
                let value = self.pop();
                let index = self.subscript(*v, names, out)?;
                self.array(*v).borrow_mut().insert(index, value.clone());
                self.stack.push(value);
            }
            Op::Increment(v) => self.change(*v, 1, names, out),
            Op::Decrement(v) => self.change(*v, -1, names, out),
            Op::IncrementElement(v) => self.change_element(*v, 1, names, out)?,
            Op::DecrementElement(v) => self.change_element(*v, -1, names, out)?,
            Op::Duplicate => {
                let value = self.top();
                self.stack.push(value);
            }
            Op::Exchange => {
                let (b, a) = (self.pop(), self.pop());
                self.stack.extend([b, a]);
            }
            Op::Pop => {
                self.pop();
            }
            Op::Negate => {
                let value = self.pop();
                self.stack.push(Num::zero().sub(&value));
            }
            Op::Not => {
                let value = self.pop();
                self.stack.push(truth(value.is_zero()));
            }
            Op::Binary(op) => self.binary(*op, names, out)?,
            Op::Jump(label) => self.jump(code, *label),
            Op::JumpIfZero(label) => {
                if self.pop().is_zero() {
                    self.jump(code, *label);
                }
            }
            Op::JumpUnlessZero(label) => {
                if !self.pop().is_zero() {
                    self.jump(code, *label);
                }
            }
            Op::Call(function, arguments) => self.call(*function, arguments, names, out)?,
            Op::Return => {
                if let Some(frame) = self.frames.pop() {
                    self.forget(&frame.locals);
                }
            }
            Op::Length => {
                let value = self.pop();
                self.stack.push(Num::from(value.length() as i64));
            }
            Op::ScaleOf => {
                let value = self.pop();
                self.stack.push(Num::from(value.scale() as i64));
            }
            Op::Sqrt => {
                let value = self.pop();
                match value.sqrt(self.scale) {
                    Some(root) => self.stack.push(root),
                    None => return Err(self.error("Square root of a negative number", names, out)),
                }
            }
            Op::Read => {
                out.flush();
                let value = read_number(lexer.numbers(), self.ibase);
                self.stack.push(value);
            }
            Op::Random => self.stack.push(Num::from(self.random.next())),
            Op::WriteLine => {
                self.write(out);
                out.wrapped(b"\n");
            }
            Op::Write => self.write(out),
            Op::Text(text) => out.wrapped(text),
            Op::Print(text) => out.wrapped(&escaped(text)),
            Op::Halt => return Err(Leave::Halt),
        }
        Ok(())
    }

    fn binary(&mut self, op: u8, names: &Names, out: &mut Out) -> Result<(), Leave> {
        let (b, a) = (self.pop(), self.pop());
        let result = match op {
            b'+' => a.add(&b),
            b'-' => a.sub(&b),
            b'*' => a.mul(&b, self.scale),
            b'/' => match a.div(&b, self.scale) {
                Some(n) => n,
                None => return Err(self.error("Divide by zero", names, out)),
            },
            b'%' => match a.rem(&b, self.scale) {
                Some(n) => n,
                None => return Err(self.error("Modulo by zero", names, out)),
            },
            b'^' => {
                if b.scale() > 0 {
                    self.warning("non-zero scale in exponent", names, out);
                }
                match a.raise(&b, self.scale) {
                    Ok(n) => n,
                    Err(PowerError::TooLarge) => {
                        return Err(self.error("exponent too large in raise", names, out));
                    }
                    Err(PowerError::DivideByZero) => return Err(self.error("divide by zero", names, out)),
                }
            }
            _ => {
                let order = a.compare(&b);
                truth(match op {
                    b'=' => order == Ordering::Equal,
                    b'#' => order != Ordering::Equal,
                    b'<' => order == Ordering::Less,
                    b'{' => order != Ordering::Greater,
                    b'>' => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                })
            }
        };
        self.stack.push(result);
        Ok(())
    }

    fn call(
        &mut self,
        index: usize,
        arguments: &[Argument],
        names: &Names,
        out: &mut Out,
    ) -> Result<(), Leave> {
        let Some(function) = names.functions.get(index) else { return Err(Leave::Error) };
        if matches!(function.body, Body::Undefined) {
            // GNU bc reports the address before the arguments.
            let text = [b"Function ", function.name.as_slice(), b" not defined."].concat();
            self.report("error", arguments.len() + 1, &text, names, out);
            return Err(Leave::Error);
        }
        let values = self.take_arguments(function, arguments, names, out)?;
        let code = match &function.body {
            Body::Builtin(builtin) => {
                self.stack.push(builtin.value(&values, self.scale));
                return Ok(());
            }
            Body::Code(code) => Rc::clone(code),
            Body::Undefined => return Err(Leave::Error),
        };
        if self.frames.len() > DEEPEST {
            return Err(self.error("Function stack overflow.", names, out));
        }
        // Arrays are read before any parameter or local variable hides them.
        let mut sources = Vec::with_capacity(values.len());
        for (parameter, value) in function.parameters.iter().zip(&values) {
            sources.push(match parameter.kind {
                Kind::Scalar => None,
                Kind::Array => {
                    let copy = self.array(array_of(value)).borrow().clone();
                    Some(Rc::new(RefCell::new(copy)))
                }
                Kind::Shared => Some(self.array(array_of(value))),
            });
        }
        for auto in function.autos.iter() {
            match auto.kind {
                Kind::Scalar => self.slot(auto.index).push(Num::zero()),
                _ => self.arrays_of(auto.index).push(Array::default()),
            }
        }
        for ((parameter, value), source) in function.parameters.iter().zip(values).zip(sources) {
            match source {
                None => self.slot(parameter.index).push(value),
                Some(array) => self.arrays_of(parameter.index).push(array),
            }
        }
        let locals = function.parameters.iter().chain(function.autos.iter()).copied().collect();
        self.frames.push(Frame { code, at: 0, function: Some(index), base: self.ibase, locals });
        Ok(())
    }

    // Takes the values of the arguments from the stack. The last one is checked first.
    fn take_arguments(
        &mut self,
        function: &Function,
        arguments: &[Argument],
        names: &Names,
        out: &mut Out,
    ) -> Result<Vec<Num>, Leave> {
        let parameters = &function.parameters;
        let mut values = Vec::with_capacity(arguments.len());
        let mut given = arguments.iter().rev();
        let mut left = arguments.len();
        for parameter in parameters.iter().rev() {
            let wanted = if parameter.kind == Kind::Scalar { Argument::Value } else { Argument::Array };
            match given.next() {
                Some(a) if *a == wanted => values.push(self.pop()),
                Some(_) => {
                    let name = self.parameter_name(*parameter, names);
                    let text = [b"Parameter type mismatch parameter ", name.as_slice(), b"."].concat();
                    self.report("error", left, &text, names, out);
                    return Err(Leave::Error);
                }
                None => {
                    self.report("error", 0, b"Parameter number mismatch", names, out);
                    return Err(Leave::Error);
                }
            }
            left -= 1;
        }
        if left > 0 {
            self.report("error", left, b"Parameter number mismatch", names, out);
            return Err(Leave::Error);
        }
        values.reverse();
        Ok(values)
    }

    fn parameter_name(&self, parameter: Variable, names: &Names) -> Vec<u8> {
        match parameter.kind {
            Kind::Scalar => names.variable_name(parameter.index),
            _ => names.array_names.get(parameter.index).cloned().unwrap_or_default(),
        }
    }

    fn forget(&mut self, locals: &[Variable]) {
        for local in locals {
            match local.kind {
                Kind::Scalar => drop(self.slot(local.index).pop()),
                _ => drop(self.arrays_of(local.index).pop()),
            }
        }
    }

    fn jump(&mut self, code: &Code, label: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = code.target(label);
        }
    }

    fn pop(&mut self) -> Num {
        self.stack.pop().unwrap_or_default()
    }

    fn top(&self) -> Num {
        self.stack.last().cloned().unwrap_or_default()
    }

    fn write(&mut self, out: &mut Out) {
        let value = self.pop();
        out.wrapped(&value.to_text(self.obase, false));
        self.last = value;
    }

    fn slot(&mut self, variable: usize) -> &mut Vec<Num> {
        let at = variable.saturating_sub(FIRST_VARIABLE);
        if self.variables.len() <= at {
            self.variables.resize_with(at + 1, Vec::new);
        }
        &mut self.variables[at]
    }

    fn arrays_of(&mut self, array: usize) -> &mut Vec<Array> {
        if self.arrays.len() <= array {
            self.arrays.resize_with(array + 1, Vec::new);
        }
        &mut self.arrays[array]
    }

    fn array(&mut self, array: usize) -> Array {
        let stack = self.arrays_of(array);
        if stack.is_empty() {
            stack.push(Array::default());
        }
        stack.last().map(Rc::clone).unwrap_or_default()
    }

    fn load(&mut self, variable: usize) -> Num {
        match variable {
            0 => Num::from(i64::from(self.ibase)),
            1 => Num::from(i64::from(self.obase)),
            2 => Num::from(self.scale as i64),
            3 => self.last.clone(),
            4 => Num::from(-1),
            v => self.slot(v).last().cloned().unwrap_or_default(),
        }
    }

    fn store(&mut self, variable: usize, value: Num, names: &Names, out: &mut Out) {
        let negative = value.is_negative() && !value.is_zero();
        // A value that does not fit is treated as too large.
        let number = value.to_i64().unwrap_or(if negative { -1 } else { i64::MAX });
        match variable {
            0 => {
                let most = if self.standard { 16 } else { 36 };
                self.ibase = self.checked_base("ibase", number, negative, most, names, out);
            }
            1 => self.obase = self.checked_base("obase", number, negative, LARGEST, names, out),
            2 => {
                if negative {
                    self.warning("negative scale, set to 0", names, out);
                    self.scale = 0;
                } else if number > LARGEST {
                    self.warning(&format!("scale too large, set to {LARGEST}"), names, out);
                    self.scale = LARGEST as usize;
                } else {
                    self.scale = number as usize;
                }
            }
            3 => self.last = value,
            4 => {}
            v => {
                let slot = self.slot(v);
                match slot.last_mut() {
                    Some(present) => *present = value,
                    None => slot.push(value),
                }
            }
        }
    }

    fn checked_base(
        &mut self,
        name: &str,
        number: i64,
        negative: bool,
        most: i64,
        names: &Names,
        out: &mut Out,
    ) -> u32 {
        if negative {
            self.warning(&format!("negative {name}, set to 2"), names, out);
            2
        } else if number < 2 {
            self.warning(&format!("{name} too small, set to 2"), names, out);
            2
        } else if number > most {
            self.warning(&format!("{name} too large, set to {most}"), names, out);
            most as u32
        } else {
            number as u32
        }
    }

    fn change(&mut self, variable: usize, by: i64, names: &Names, out: &mut Out) {
        let up = by > 0;
        let most = if self.standard { 16 } else { 36 };
        match variable {
            0 if up && self.ibase >= most => self.warning("ibase too big in ++", names, out),
            0 if !up && self.ibase <= 2 => self.warning("ibase too small in --", names, out),
            0 => self.ibase = self.ibase.saturating_add_signed(by as i32),
            1 if up && i64::from(self.obase) >= LARGEST => self.warning("obase too big in ++", names, out),
            1 if !up && self.obase <= 2 => self.warning("obase too small in --", names, out),
            1 => self.obase = self.obase.saturating_add_signed(by as i32),
            2 if up && self.scale as i64 >= LARGEST => self.warning("Scale too big in ++", names, out),
            2 if !up && self.scale == 0 => self.warning("scale can not be negative in -- ", names, out),
            2 => self.scale = self.scale.saturating_add_signed(by as isize),
            v => {
                let value = self.load(v).add(&Num::from(by));
                self.store(v, value, names, out);
            }
        }
    }

    fn change_element(&mut self, array: usize, by: i64, names: &Names, out: &mut Out) -> Result<(), Leave> {
        let index = self.subscript(array, names, out)?;
        let array = self.array(array);
        let mut elements = array.borrow_mut();
        let element = elements.entry(index).or_default();
        *element = element.add(&Num::from(by));
        Ok(())
    }

    fn subscript(&mut self, array: usize, names: &Names, out: &mut Out) -> Result<u32, Leave> {
        let index = self.pop();
        match index.to_i64() {
            Some(i @ 0..=LAST_ELEMENT) => Ok(i as u32),
            _ => {
                let name = names.array_names.get(array).map(Vec::as_slice).unwrap_or_default();
                let text = [b"Array ", name, b" subscript out of bounds."].concat();
                self.report("error", 0, &text, names, out);
                Err(Leave::Error)
            }
        }
    }

    fn error(&self, text: &str, names: &Names, out: &mut Out) -> Leave {
        self.report("error", 0, text.as_bytes(), names, out);
        Leave::Error
    }

    fn warning(&self, text: &str, names: &Names, out: &mut Out) {
        self.report("warning", 0, text.as_bytes(), names, out);
    }

    // Prints a message. `before` is how far the reported address is before the instruction's end.
    fn report(&self, kind: &str, before: usize, text: &[u8], names: &Names, out: &mut Out) {
        out.flush();
        let Some(frame) = self.frames.last() else { return };
        let address = frame.at.checked_sub(1).and_then(|at| frame.code.ends.get(at)).copied().unwrap_or(0);
        let name = frame.function.and_then(|f| names.functions.get(f)).map_or(&b"(main)"[..], |f| &f.name);
        let address = address.saturating_sub(before).to_string();
        say(&[
            b"Runtime ",
            kind.as_bytes(),
            b" (func=",
            name,
            b", adr=",
            address.as_bytes(),
            b"): ",
            text,
            b"\n",
        ]
        .concat());
    }
}

fn truth(yes: bool) -> Num {
    if yes { Num::one() } else { Num::zero() }
}

fn array_of(value: &Num) -> usize {
    value.to_i64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

// A constant of the program. A single digit has its own value; other digits are limited to the base's largest digit.
fn constant(text: &[u8], base: u32) -> Num {
    let value = |c: &u8| match c {
        b'0'..=b'9' => u32::from(c - b'0'),
        _ => u32::from(c.saturating_sub(b'A')) + 10,
    };
    let point = text.iter().position(|c| *c == b'.').unwrap_or(text.len());
    if let (1, [only, ..]) = (point, text) {
        let value = value(only);
        if text.len() == 1 {
            return Num::from(i64::from(value));
        }
    }
    let mut digits = Digits::new(base);
    for (i, c) in text.iter().enumerate().filter(|(i, _)| *i != point) {
        let single = point == 1 && i == 0;
        digits.push(if single { value(c) } else { value(c).min(base - 1) }, i > point);
    }
    digits.finish()
}

// Reads a number for `read()`, and the character after it.
fn read_number(stdin: &mut Source, base: u32) -> Num {
    let mut next = || loop {
        match stdin.next(|| {})? {
            b'\\' => {
                if stdin.next(|| {}) == Some(b'\n') {
                    continue;
                }
                stdin.back();
                return Some(b'\\');
            }
            c if c.is_ascii_whitespace() => return Some(b' '),
            c => return Some(c),
        }
    };
    let mut c = next();
    while c == Some(b' ') {
        c = next();
    }
    let negative = c == Some(b'-');
    if matches!(c, Some(b'-' | b'+')) {
        c = next();
    }
    let mut text = Vec::new();
    while let Some(digit) = c {
        match digit {
            b'.' if text.contains(&b'.') => break,
            b'0'..=b'9' | b'A'..=b'Z' | b'.' => text.push(digit),
            b'a'..=b'z' => text.push(digit.to_ascii_uppercase()),
            _ => break,
        }
        c = next();
    }
    let value = if text.is_empty() { Num::zero() } else { constant(&text, base) };
    if negative { value.negated() } else { value }
}

// Replaces the escapes in the text of `print`.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.iter();
    while let Some(c) = chars.next() {
        if *c != b'\\' {
            out.push(*c);
            continue;
        }
        match chars.next() {
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'f') => out.push(12),
            Some(b'n') => out.push(b'\n'),
            Some(b'q') => out.push(b'"'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'\\') => out.push(b'\\'),
            _ => {}
        }
    }
    out
}

/// glibc's `random()` with the default seed: an additive feedback generator of degree 31.
struct Random {
    state: [i32; 31],
    front: usize,
    rear: usize,
}

impl Random {
    fn new() -> Self {
        let mut state = [1i32; 31];
        for i in 1..31 {
            // The generator of Park and Miller.
            let previous = i64::from(state[i - 1]);
            state[i] = (previous * 16807 % 2_147_483_647) as i32;
        }
        let mut random = Self { state, front: 3, rear: 0 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> i64 {
        let sum = self.state[self.front].wrapping_add(self.state[self.rear]);
        self.state[self.front] = sum;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        i64::from(sum.cast_unsigned() >> 1)
    }
}
