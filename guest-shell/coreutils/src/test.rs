//! The programs `test` and `[`.

use crate::sort::key;
use sandshell_cli::message;
use sandshell_cli::options::{Spec, operands};
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, S_IFBLK, S_IFCHR, S_IFIFO, S_IFLNK, S_IFMT, S_IFSOCK, Stat};
use std::cmp::Ordering;
use std::ffi::OsString;

/// Runs `test` and returns its exit status.
pub fn test_main(args: Vec<OsString>) -> i32 {
    evaluate("test", operands(args))
}

/// Runs `[` and returns its exit status.
pub fn bracket_main(args: Vec<OsString>) -> i32 {
    let mut words = operands(args);
    if let [only] = words.as_slice()
        && matches!(only.as_slice(), b"--help" | b"--version")
    {
        let usage = "\
Usage: test EXPRESSION
  or:  test
  or:  [ EXPRESSION ]
  or:  [ ]
  or:  [ OPTION
Evaluates an expression: exit status 0 if it is true, 1 if it is false, 2 if it is wrong.
";
        let spec = Spec { name: "[", usage, failure: 2, ..Spec::DEFAULT };
        return spec.parse(&words).err().unwrap_or(0);
    }
    if words.pop().is_none_or(|last| last != b"]") {
        warn!("[", "missing ", quote(b"]"));
        return 2;
    }
    evaluate("[", words)
}

fn evaluate(name: &str, words: Vec<Vec<u8>>) -> i32 {
    if words.is_empty() {
        return 1;
    }
    let mut test = Test { words: &words, at: 0 };
    let value = test.counted(words.len()).and_then(|value| match words.get(test.at) {
        Some(extra) => Err(bytes!("extra argument ", quote(extra))),
        None => Ok(value),
    });
    match value {
        Ok(value) => i32::from(!value),
        Err(text) => {
            message::say(name, &text);
            2
        }
    }
}

struct Test<'a> {
    words: &'a [Vec<u8>],
    at: usize,
}

type Value = Result<bool, Vec<u8>>;

fn is_binary(word: Option<&[u8]>) -> bool {
    matches!(
        word,
        Some(
            b"=" | b"!="
                | b"=="
                | b"-nt"
                | b"-ot"
                | b"-ef"
                | b"-eq"
                | b"-ne"
                | b"-lt"
                | b"-le"
                | b"-gt"
                | b"-ge"
        )
    )
}

impl Test<'_> {
    fn word(&self, ahead: usize) -> Option<&[u8]> {
        self.words.get(self.at + ahead).map(Vec::as_slice)
    }

    fn is(&self, ahead: usize, text: &[u8]) -> bool {
        self.word(ahead) == Some(text)
    }

    fn beyond(&self) -> Vec<u8> {
        bytes!("missing argument after ", quote(self.words.last().map_or(b"", Vec::as_slice)))
    }

    /// Moves to the next argument. With `more` there must be one.
    fn advance(&mut self, more: bool) -> Result<(), Vec<u8>> {
        self.at += 1;
        if more && self.at >= self.words.len() { Err(self.beyond()) } else { Ok(()) }
    }

    fn counted(&mut self, count: usize) -> Value {
        match count {
            1 => self.one(),
            2 => self.two(),
            3 => self.three(),
            4 if self.is(0, b"!") => {
                self.advance(true)?;
                Ok(!self.three()?)
            }
            4 if self.is(0, b"(") && self.is(3, b")") => {
                self.advance(false)?;
                let value = self.two()?;
                self.advance(false)?;
                Ok(value)
            }
            _ => self.or(),
        }
    }

    fn one(&mut self) -> Value {
        let value = self.word(0).is_some_and(|w| !w.is_empty());
        self.at += 1;
        Ok(value)
    }

    fn two(&mut self) -> Value {
        if self.is(0, b"!") {
            self.advance(false)?;
            return Ok(!self.one()?);
        }
        match self.word(0) {
            Some([b'-', _]) => self.unary(),
            _ => Err(self.beyond()),
        }
    }

    fn three(&mut self) -> Value {
        if is_binary(self.word(1)) {
            return self.binary();
        }
        if self.is(0, b"!") {
            self.advance(true)?;
            return Ok(!self.two()?);
        }
        if self.is(0, b"(") && self.is(2, b")") {
            self.advance(false)?;
            let value = self.one()?;
            self.advance(false)?;
            return Ok(value);
        }
        if self.is(1, b"-a") || self.is(1, b"-o") {
            return self.or();
        }
        Err(bytes!(quote(self.word(1).unwrap_or_default()), ": binary operator expected"))
    }

    fn or(&mut self) -> Value {
        let mut value = false;
        loop {
            value |= self.and()?;
            if !self.is(0, b"-o") {
                return Ok(value);
            }
            self.advance(false)?;
        }
    }

    fn and(&mut self) -> Value {
        let mut value = true;
        loop {
            value &= self.term()?;
            if !self.is(0, b"-a") {
                return Ok(value);
            }
            self.advance(false)?;
        }
    }

    fn term(&mut self) -> Value {
        let mut negated = false;
        while self.is(0, b"!") {
            self.advance(true)?;
            negated = !negated;
        }
        if self.at >= self.words.len() {
            return Err(self.beyond());
        }
        let value = if self.is(0, b"(") {
            self.advance(true)?;
            let left = self.words.len() - self.at;
            let mut count = 1;
            while count < left && !self.is(count, b")") {
                if count == 4 {
                    count = left;
                    break;
                }
                count += 1;
            }
            let value = self.counted(count)?;
            match self.word(0) {
                None => return Err(bytes!(quote(b")"), " expected")),
                Some(b")") => {}
                Some(other) => return Err(bytes!(quote(b")"), " expected, found ", quote(other))),
            }
            self.advance(false)?;
            value
        } else if self.word(2).is_some()
            && (is_binary(self.word(1))
                || self.is(0, b"-l") && is_binary(self.word(2)) && self.word(3).is_some())
        {
            self.binary()?
        } else if matches!(self.word(0), Some([b'-', _])) {
            self.unary()?
        } else {
            self.one()?
        };
        Ok(negated != value)
    }

    /// Evaluates a binary operator. `-l` before an operand of a numeric comparison stands for the length of the next
    /// argument.
    fn binary(&mut self) -> Value {
        let left_length = self.is(0, b"-l") && !is_binary(self.word(1));
        self.at += usize::from(left_length);
        let left = self.word(0).unwrap_or_default().to_vec();
        let operator = self.word(1).unwrap_or_default().to_vec();
        let right = self.word(2).unwrap_or_default().to_vec();
        let long = self.word(3).filter(|_| right == b"-l").map(<[u8]>::to_vec);
        self.at += 3 + usize::from(long.is_some());
        let order = |wanted: fn(Ordering) -> bool| -> Value {
            let length_of = |word: &[u8]| word.len().to_string().into_bytes();
            let l = if left_length { length_of(&left) } else { integer(&left)?.to_vec() };
            let r = match &long {
                Some(word) => length_of(word),
                None => integer(&right)?.to_vec(),
            };
            Ok(wanted(key::numeric(&l, &r)))
        };
        if (left_length || long.is_some()) && matches!(operator.as_slice(), b"-ef" | b"-nt" | b"-ot") {
            return Err(bytes!(operator, " does not accept -l"));
        }
        let stats = || (sys::stat(&left, true).ok(), sys::stat(&right, true).ok());
        let time = |s: &Stat| (s.mtime, s.mtime_nsec);
        Ok(match operator.as_slice() {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"-eq" => order(Ordering::is_eq)?,
            b"-ne" => order(Ordering::is_ne)?,
            b"-lt" => order(Ordering::is_lt)?,
            b"-le" => order(Ordering::is_le)?,
            b"-gt" => order(Ordering::is_gt)?,
            b"-ge" => order(Ordering::is_ge)?,
            b"-ef" => matches!(stats(), (Some(l), Some(r)) if (l.dev, l.ino) == (r.dev, r.ino)),
            b"-nt" => match stats() {
                (Some(l), Some(r)) => time(&l) > time(&r),
                (l, _) => l.is_some(),
            },
            _ => match stats() {
                (Some(l), Some(r)) => time(&l) < time(&r),
                (_, r) => r.is_some(),
            },
        })
    }

    fn unary(&mut self) -> Value {
        let Some(&[b'-', letter]) = self.word(0) else { return Err(self.beyond()) };
        if !b"erwxNsdfbcpSLhgukntzOG".contains(&letter) {
            return Err(bytes!(quote(&[b'-', letter]), ": unary operator expected"));
        }
        self.advance(true)?;
        let operand = self.word(0).unwrap_or_default().to_vec();
        self.at += 1;
        match letter {
            b'n' => Ok(!operand.is_empty()),
            b'z' => Ok(operand.is_empty()),
            b't' => {
                let number = std::str::from_utf8(integer(&operand)?).ok().and_then(|n| n.parse().ok());
                Ok(number.is_some_and(sys::isatty))
            }
            b'r' => Ok(sys::access(&operand, 4).is_ok()),
            b'w' => Ok(sys::access(&operand, 2).is_ok()),
            b'x' => Ok(sys::access(&operand, 1).is_ok()),
            b'L' | b'h' => Ok(sys::stat(&operand, false).is_ok_and(|s| s.mode & S_IFMT == S_IFLNK)),
            other => Ok(sys::stat(&operand, true).is_ok_and(|s| holds(other, &s))),
        }
    }
}

fn holds(letter: u8, s: &Stat) -> bool {
    let kind = s.mode & S_IFMT;
    match letter {
        b'N' => (s.atime, s.atime_nsec) < (s.mtime, s.mtime_nsec),
        b's' => s.size > 0,
        b'd' => s.is_dir(),
        b'f' => s.is_file(),
        b'b' => kind == S_IFBLK,
        b'c' => kind == S_IFCHR,
        b'p' => kind == S_IFIFO,
        b'S' => kind == S_IFSOCK,
        b'g' => s.mode & 0o2000 != 0,
        b'u' => s.mode & 0o4000 != 0,
        b'k' => s.mode & 0o1000 != 0,
        b'O' => s.uid == sys::getids().0,
        b'G' => s.gid == sys::getids().1,
        _ => true,
    }
}

/// The sign and the digits of an integer of any size.
fn integer(text: &[u8]) -> Result<&[u8], Vec<u8>> {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = text.iter().take_while(|b| blank(b)).count();
    let number = &text[start..];
    let number = number.strip_prefix(b"+").unwrap_or(number);
    let sign = usize::from(number.len() == text.len() - start && number.first() == Some(&b'-'));
    let digits = number[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = &number[sign + digits..];
    if digits > 0 && rest.iter().all(blank) {
        Ok(&number[..sign + digits])
    } else {
        Err(bytes!("invalid integer ", quote(text)))
    }
}
