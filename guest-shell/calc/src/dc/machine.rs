//! Executes commands.

use super::value::{Item, Level};
use crate::num::{Digits, Num, PowerError};
use crate::out::{Out, say};
use crate::source::Source;
use std::cmp::Ordering;
use std::rc::Rc;

/// How to continue after a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Continue,
    Quit,
}

/// The maximum nesting of macros, without those that end with a call.
const DEEPEST: usize = 1_000_000;

/// A string being executed.
struct Frame {
    text: Rc<[u8]>,
    at: usize,
    /// The levels that it counts for: its own, and those of callers that had nothing left to do.
    levels: i64,
}

pub(crate) struct Machine {
    pub(crate) out: Out,
    stack: Vec<Item>,
    registers: Vec<Vec<Level>>,
    frames: Vec<Frame>,
    stdin: Option<Source>,
    ibase: u32,
    obase: u32,
    scale: usize,
    quit: bool,
}

impl Machine {
    pub(crate) fn new(out: Out) -> Self {
        Self {
            out,
            stack: Vec::new(),
            registers: std::iter::repeat_with(Vec::new).take(256).collect(),
            frames: Vec::new(),
            stdin: Some(Source::new(0)),
            ibase: 10,
            obase: 10,
            scale: 0,
            quit: false,
        }
    }

    pub(crate) fn run_text(&mut self, text: Vec<u8>) -> Next {
        self.push_frame(text.into());
        self.drain(&mut None);
        if self.quit { Next::Quit } else { Next::Continue }
    }

    pub(crate) fn run_stdin(&mut self) -> Next {
        let mut source = self.stdin.take();
        let next = self.run_from(&mut source, true);
        self.stdin = source;
        next
    }

    pub(crate) fn run_source(&mut self, source: &mut Source) -> Next {
        let mut taken = Some(std::mem::replace(source, Source::new(-1)));
        let next = self.run_from(&mut taken, false);
        if let Some(back) = taken {
            *source = back;
        }
        next
    }

    fn run_from(&mut self, source: &mut Option<Source>, stdin: bool) -> Next {
        loop {
            let Some(c) = source.as_mut().and_then(|s| s.next(|| {})) else {
                return Next::Continue;
            };
            // If the program comes from standard input, `?` reads the text that follows in it.
            self.command(c, source, stdin);
            let mut none = None;
            self.drain(if stdin { source } else { &mut none });
            if self.quit {
                return Next::Quit;
            }
        }
    }

    // Executes strings until there are none left.
    fn drain(&mut self, stdin: &mut Option<Source>) {
        while !self.quit
            && let Some(frame) = self.frames.last_mut()
        {
            match frame.text.get(frame.at).copied() {
                Some(c) => {
                    frame.at += 1;
                    self.command(c, stdin, true);
                }
                None => drop(self.frames.pop()),
            }
        }
        self.frames.clear();
    }

    // The next character of the string being executed, or of the file.
    fn next(&mut self, source: &mut Option<Source>) -> Option<u8> {
        match self.frames.last_mut() {
            Some(frame) => {
                let c = frame.text.get(frame.at).copied();
                frame.at += usize::from(c.is_some());
                c
            }
            None => source.as_mut()?.next(|| {}),
        }
    }

    fn back(&mut self, source: &mut Option<Source>) {
        match self.frames.last_mut() {
            Some(frame) => frame.at = frame.at.saturating_sub(1),
            None => {
                if let Some(s) = source {
                    s.back();
                }
            }
        }
    }

    fn command(&mut self, c: u8, source: &mut Option<Source>, stdin: bool) {
        match c {
            b' ' | b'\t' | b'\n' | b'\r' | 11 | 12 => {}
            b'0'..=b'9' | b'A'..=b'F' | b'.' | b'_' => self.number(c, source),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' => self.binary(c),
            b'~' => self.quotient_and_rest(),
            b'|' => self.modular_power(),
            b'v' => self.square_root(),
            b'p' => {
                if let Some(item) = self.top() {
                    self.print(&item);
                    self.out.raw(b"\n");
                    self.out.flush();
                }
            }
            b'n' => {
                if let Some(item) = self.pop() {
                    self.print(&item);
                    self.out.flush();
                }
            }
            b'P' => {
                self.print_bytes();
                self.out.flush();
            }
            b'f' => {
                for item in self.stack.clone().iter().rev() {
                    self.print(item);
                    self.out.raw(b"\n");
                    self.out.flush();
                }
            }
            b'c' => self.stack.clear(),
            b'd' => {
                if let Some(item) = self.top() {
                    self.stack.push(item);
                }
            }
            b'r' => {
                if let [.., a, b] = self.stack.as_mut_slice() {
                    std::mem::swap(a, b);
                }
            }
            b'R' => self.rotate(),
            b'z' => self.stack.push(Item::int(self.stack.len() as i64)),
            b'Z' => {
                if let Some(item) = self.pop() {
                    self.stack.push(Item::int(match item {
                        Item::Number(n) => n.significant_digits() as i64,
                        Item::Text(t) => t.len() as i64,
                    }));
                }
            }
            b'X' => {
                if let Some(item) = self.pop() {
                    self.stack.push(Item::int(match item {
                        Item::Number(n) => n.scale() as i64,
                        Item::Text(_) => 0,
                    }));
                }
            }
            b'a' => self.character(),
            b'i' | b'o' | b'k' => self.set_parameter(c),
            b'I' => self.stack.push(Item::int(self.ibase.into())),
            b'O' => self.stack.push(Item::int(self.obase.into())),
            b'K' => self.stack.push(Item::int(self.scale as i64)),
            b'[' => self.string(source),
            b'x' => {
                if let Some(item) = self.pop() {
                    self.execute(item);
                }
            }
            b'<' | b'>' | b'=' => {
                if let Some(register) = self.next(source) {
                    self.conditional(c, false, register);
                } else {
                    self.pop_two_numbers();
                }
            }
            b'!' => self.bang(source),
            b'?' => self.ask(source, stdin),
            b'q' => self.leave(2),
            b'Q' => match self.pop() {
                None => {}
                Some(item) => self.leave_macros(&item),
            },
            b'#' => while self.next(source).is_some_and(|c| c != b'\n') {},
            b's' | b'S' | b'l' | b'L' | b':' | b';' => {
                if let Some(register) = self.next(source) {
                    self.register(c, register);
                }
            }
            _ => self.unknown(c),
        }
    }

    fn unknown(&mut self, c: u8) {
        say(b"dc: ");
        let text = if c.is_ascii_graphic() {
            format!("'{}' (0{c:o}) unimplemented\n", char::from(c))
        } else {
            format!("{} unimplemented\n", if c == 0 { "0".to_owned() } else { format!("0{c:o}") })
        };
        self.out.raw(text.as_bytes());
    }

    fn number(&mut self, first: u8, source: &mut Option<Source>) {
        let negative = first == b'_';
        let mut digits = Digits::new(self.ibase);
        let mut point = false;
        let mut c = if negative { self.next(source) } else { Some(first) };
        loop {
            match c {
                Some(d @ b'0'..=b'9') => digits.push(u32::from(d - b'0'), point),
                Some(d @ b'A'..=b'F') => digits.push(u32::from(d - b'A') + 10, point),
                Some(b'.') if !point => point = true,
                Some(_) => {
                    self.back(source);
                    break;
                }
                None => break,
            }
            c = self.next(source);
        }
        let value = digits.finish();
        self.stack.push(Item::Number(if negative { value.negated() } else { value }));
    }

    fn string(&mut self, source: &mut Option<Source>) {
        let mut text = Vec::new();
        let mut depth = 1;
        while let Some(c) = self.next(source) {
            match c {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(c);
        }
        self.stack.push(Item::Text(text.into()));
    }

    fn top(&self) -> Option<Item> {
        if self.stack.is_empty() {
            say(b"dc: stack empty\n");
        }
        self.stack.last().cloned()
    }

    fn pop(&mut self) -> Option<Item> {
        let item = self.top();
        self.stack.pop();
        item
    }

    // Pops the two topmost numbers, with the top second. If they are not there, the stack does not change.
    fn pop_two_numbers(&mut self) -> Option<(Num, Num)> {
        match self.stack.as_slice() {
            [.., Item::Number(a), Item::Number(b)] => {
                let pair = (a.clone(), b.clone());
                self.stack.truncate(self.stack.len() - 2);
                Some(pair)
            }
            [.., _, _] => {
                say(b"dc: non-numeric value\n");
                None
            }
            _ => {
                say(b"dc: stack empty\n");
                None
            }
        }
    }

    fn binary(&mut self, op: u8) {
        let Some((a, b)) = self.pop_two_numbers() else { return };
        let result = match op {
            b'+' => Ok(a.add(&b)),
            b'-' => Ok(a.sub(&b)),
            b'*' => Ok(a.mul(&b, self.scale)),
            b'/' => a.div(&b, self.scale).ok_or("divide by zero"),
            b'%' => a.rem(&b, self.scale).ok_or("remainder by zero"),
            _ => {
                if b.scale() > 0 {
                    say(b"Runtime warning: non-zero scale in exponent\n");
                }
                Ok(match a.raise(&b, self.scale) {
                    Ok(n) => n,
                    Err(PowerError::DivideByZero) => Num::zero(),
                    Err(PowerError::TooLarge) => {
                        say(b"Runtime error: exponent too large in raise\n");
                        Num::one()
                    }
                })
            }
        };
        match result {
            Ok(n) => self.stack.push(Item::Number(n)),
            Err(text) => {
                say(&[b"dc: ", text.as_bytes(), b"\n"].concat());
                self.stack.extend([Item::Number(a), Item::Number(b)]);
            }
        }
    }

    fn quotient_and_rest(&mut self) {
        let Some((a, b)) = self.pop_two_numbers() else { return };
        match a.div_rem(&b, self.scale) {
            Some((quotient, rest)) => self.stack.extend([Item::Number(quotient), Item::Number(rest)]),
            None => {
                say(b"dc: divide by zero\n");
                self.stack.extend([Item::Number(a), Item::Number(b)]);
            }
        }
    }

    fn modular_power(&mut self) {
        let (base, exponent, modulus) = match self.stack.as_slice() {
            [.., Item::Number(a), Item::Number(b), Item::Number(c)] => (a.clone(), b.clone(), c.clone()),
            [.., _, _, _] => return say(b"dc: non-numeric value\n"),
            _ => return say(b"dc: stack empty\n"),
        };
        if modulus.is_zero() {
            return say(b"dc: remainder by zero\n");
        }
        if exponent.is_negative() {
            return;
        }
        for (n, what) in [(&base, "base"), (&exponent, "exponent"), (&modulus, "modulus")] {
            if n.scale() > 0 {
                say(format!("Runtime warning: non-zero scale in {what}\n").as_bytes());
            }
        }
        self.stack.truncate(self.stack.len() - 3);
        let result = modular_power(&base, &exponent, &modulus, self.scale).unwrap_or_default();
        self.stack.push(Item::Number(result));
    }

    fn square_root(&mut self) {
        match self.pop() {
            Some(Item::Number(n)) => match n.sqrt(self.scale) {
                Some(root) => self.stack.push(Item::Number(root)),
                None => say(b"dc: square root of negative number\n"),
            },
            Some(Item::Text(_)) => say(b"dc: square root of nonnumeric attempted\n"),
            None => {}
        }
    }

    fn print(&mut self, item: &Item) {
        match item {
            Item::Number(n) => {
                self.out.reset_column();
                self.out.wrapped(&n.to_text(self.obase, false));
            }
            Item::Text(text) => self.out.raw(text),
        }
    }

    // `P`: prints the integer part as digits in base 256.
    fn print_bytes(&mut self) {
        match self.pop() {
            Some(Item::Text(text)) => self.out.raw(&text),
            Some(Item::Number(n)) => {
                let bytes = n.abs().to_bytes();
                self.out.raw(&bytes);
            }
            None => {}
        }
    }

    fn character(&mut self) {
        let text: Vec<u8> = match self.pop() {
            None => return,
            Some(Item::Text(text)) => vec![text.first().copied().unwrap_or(0)],
            Some(Item::Number(n)) => vec![to_int(&n) as u8],
        };
        self.stack.push(Item::Text(text.into()));
    }

    fn rotate(&mut self) {
        let Some(Item::Number(n)) = self.pop() else { return };
        let n = to_int(&n);
        let count = (n.unsigned_abs() as usize).min(self.stack.len());
        let start = self.stack.len() - count;
        if let Some(part) = self.stack.get_mut(start..).filter(|p| p.len() > 1) {
            if n > 0 {
                part.rotate_left(1);
            } else {
                part.rotate_right(1);
            }
        }
    }

    fn set_parameter(&mut self, which: u8) {
        let Some(item) = self.pop() else { return };
        let number = match &item {
            Item::Number(n) => to_int(n),
            Item::Text(_) => -1,
        };
        match which {
            b'i' => match u32::try_from(number) {
                Ok(n @ 2..=16) => self.ibase = n,
                _ => say(b"dc: input base must be a number between 2 and 16 (inclusive)\n"),
            },
            b'o' => match u32::try_from(number) {
                Ok(n @ 2..) => self.obase = n,
                _ => say(b"dc: output base must be a number greater than 1\n"),
            },
            _ => match usize::try_from(number) {
                Ok(n) => self.scale = n,
                Err(_) => say(b"dc: scale must be a nonnegative number\n"),
            },
        }
    }

    fn push_frame(&mut self, text: Rc<[u8]>) {
        let mut levels = 1;
        if let Some(frame) = self.frames.last()
            && frame.at >= frame.text.len()
        {
            levels += frame.levels;
            self.frames.pop();
        }
        if self.frames.len() >= DEEPEST {
            say(b"dc: recursion too deep\n");
            self.frames.clear();
            return;
        }
        self.frames.push(Frame { text, at: 0, levels });
    }

    fn execute(&mut self, item: Item) {
        match item {
            Item::Text(text) => self.push_frame(text),
            number @ Item::Number(_) => self.stack.push(number),
        }
    }

    fn conditional(&mut self, op: u8, negated: bool, register: u8) {
        // Operands that cannot be compared count as equal.
        let order = self.pop_two_numbers().map_or(Ordering::Equal, |(a, b)| b.compare(&a));
        let holds = match op {
            b'<' => order == Ordering::Less,
            b'>' => order == Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        if holds != negated
            && let Some(item) = self.load(register)
        {
            self.execute(item);
        }
    }

    fn bang(&mut self, source: &mut Option<Source>) {
        match self.next(source) {
            Some(op @ (b'<' | b'>' | b'=')) => {
                if let Some(register) = self.next(source) {
                    self.conditional(op, true, register);
                }
            }
            first => {
                say(b"dc: running commands with ! is not supported\n");
                let mut c = first;
                while c.is_some_and(|c| c != b'\n') {
                    c = self.next(source);
                }
            }
        }
    }

    // `?`: executes a line of standard input.
    fn ask(&mut self, source: &mut Option<Source>, stdin: bool) {
        self.out.flush();
        let input = if stdin && source.is_some() { source } else { &mut self.stdin };
        let mut line = Vec::new();
        while let Some(c) = input.as_mut().and_then(|s| s.next(|| {})) {
            if c == b'\n' {
                break;
            }
            line.push(c);
        }
        self.push_frame(line.into());
    }

    // `Q`: leaves a number of macros.
    fn leave_macros(&mut self, item: &Item) {
        let levels = match item {
            Item::Number(n) => i64::from(to_int(n)),
            Item::Text(_) => -1,
        };
        let depth: i64 = self.frames.iter().map(|f| f.levels).sum();
        if levels < 1 {
            say(b"dc: Q command requires a number >= 1\n");
        } else if levels > depth {
            say(b"dc: Q command argument exceeded string execution depth\n");
            self.frames.clear();
        } else {
            self.leave(levels);
        }
    }

    // Leaves a number of levels. The program itself is one level.
    fn leave(&mut self, mut levels: i64) {
        while levels > 0 {
            match self.frames.pop() {
                Some(frame) => levels -= frame.levels,
                None => {
                    self.quit = true;
                    return;
                }
            }
        }
    }

    fn register(&mut self, command: u8, name: u8) {
        match command {
            b's' => {
                if let Some(item) = self.pop() {
                    let levels = self.levels(name);
                    match levels.last_mut() {
                        Some(level) => level.value = Some(item),
                        None => levels.push(Level { value: Some(item), ..Level::default() }),
                    }
                }
            }
            b'S' => {
                if let Some(item) = self.pop() {
                    self.levels(name).push(Level { value: Some(item), ..Level::default() });
                }
            }
            b'l' => {
                let item = self.load(name);
                self.stack.extend(item);
            }
            b'L' => match self.levels(name).pop() {
                Some(Level { value: Some(item), .. }) => self.stack.push(item),
                _ => {
                    let text = format!("dc: stack register {} is empty\n", shown(name));
                    say(text.as_bytes());
                }
            },
            b':' => {
                let Some(index) = self.pop() else { return };
                let Some(index) = array_index(&index) else {
                    self.pop();
                    return;
                };
                let Some(value) = self.pop() else { return };
                let levels = self.levels(name);
                if levels.is_empty() {
                    levels.push(Level::default());
                }
                if let Some(level) = levels.last_mut() {
                    level.array.insert(index, value);
                }
            }
            _ => {
                let Some(index) = self.pop() else { return };
                let Some(index) = array_index(&index) else { return };
                let value = self.levels(name).last().and_then(|l| l.array.get(&index)).cloned();
                self.stack.push(value.unwrap_or_else(|| Item::int(0)));
            }
        }
    }

    fn load(&mut self, name: u8) -> Option<Item> {
        match self.levels(name).last() {
            None => Some(Item::int(0)),
            Some(Level { value: Some(item), .. }) => Some(item.clone()),
            Some(_) => {
                say(format!("dc: BUG: register {} exists but is uninitialized?\n", shown(name)).as_bytes());
                None
            }
        }
    }

    fn levels(&mut self, name: u8) -> &mut Vec<Level> {
        &mut self.registers[usize::from(name)]
    }
}

fn shown(name: u8) -> String {
    if name.is_ascii_graphic() { format!("'{}' (0{name:o})", char::from(name)) } else { format!("0{name:o}") }
}

// The integer part as a C `int`. If it does not fit, or a number other than zero becomes 0, the result is -1 after a
// message.
fn to_int(number: &Num) -> i32 {
    match number.to_i64() {
        Some(0) if number.is_zero() => 0,
        Some(n) if n != 0 && n.abs() <= 2_147_483_649 => n as i32,
        _ => {
            say(b"dc: value overflows simple integer; punting...\n");
            -1
        }
    }
}

fn array_index(item: &Item) -> Option<i64> {
    let index = match item {
        Item::Number(n) => Some(i64::from(to_int(n))).filter(|n| *n >= 0),
        Item::Text(_) => None,
    };
    if index.is_none() {
        say(b"dc: array index must be a nonnegative integer\n");
    }
    index
}

fn modular_power(base: &Num, exponent: &Num, modulus: &Num, scale: usize) -> Option<Num> {
    let work = scale.max(base.scale());
    let two = Num::from(2);
    let mut power = base.clone();
    let mut left = exponent.clone().truncated(0);
    let mut result = Num::one();
    while !left.is_zero() {
        let (half, odd) = left.div_rem(&two, 0)?;
        left = half;
        if !odd.is_zero() {
            result = result.mul(&power, work).rem(modulus, scale)?;
        }
        power = power.mul(&power, work).rem(modulus, scale)?;
    }
    Some(result)
}
