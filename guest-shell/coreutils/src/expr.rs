//! `expr`, with integers of any size.

use num_bigint::BigInt;
use sandshell_cli::options::{Order, Spec, operands};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_posix::characters;
use sandshell_regex::{Flags, Regex, Syntax};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "expr",
    order: Order::First,
    usage: "\
Usage: expr EXPRESSION
  or:  expr OPTION
Evaluates an expression and prints its value. Each operand and operator is an argument.

From the weakest on: a | b; a & b; a < b, <=, =, !=, >=, >; a + b, -; a * b, /, %; STRING : REGEXP
match STRING REGEXP; substr STRING POS LENGTH; index STRING CHARS; length STRING; + TOKEN; ( EXPRESSION )
Exit status: 0; 1 if the value is empty or 0; 2 if the expression is wrong; 3 after another error.
",
    failure: 2,
    unwritten: 3,
    ..Spec::DEFAULT
};

/// Runs `expr` and returns its exit status.
pub fn expr_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let mut words = operands(args);
    if let [only] = words.as_slice()
        && (b"--help".starts_with(only) || b"--version".starts_with(only))
        && only.len() > 2
    {
        SPEC.parse(&words)?;
    }
    if words.first().is_some_and(|w| w == b"--") {
        words.remove(0);
    }
    if words.is_empty() {
        return Err(SPEC.missing_operand());
    }
    let mut expr = Expr { words, at: 0, depth: 0 };
    let value = expr.or(true).and_then(|value| match expr.words.get(expr.at) {
        Some(extra) => Err(bytes!("syntax error: unexpected argument ", quote(extra))),
        None => Ok(value),
    });
    let value = value.map_err(|text| {
        warn!("expr", text);
        2
    })?;
    out::put(bytes!(value.text(), "\n"));
    Ok(out::finish("expr", i32::from(value.is_null()), 3))
}

#[derive(Clone)]
enum Value {
    Number(BigInt),
    Text(Vec<u8>),
}

impl Value {
    fn text(&self) -> Vec<u8> {
        match self {
            Self::Number(n) => n.to_string().into_bytes(),
            Self::Text(t) => t.clone(),
        }
    }

    fn is_null(&self) -> bool {
        match self {
            Self::Number(n) => *n == BigInt::ZERO,
            Self::Text(t) => {
                let digits = t.strip_prefix(b"-").unwrap_or(t);
                t.is_empty() || !digits.is_empty() && digits.iter().all(|b| *b == b'0')
            }
        }
    }

    fn number(&self) -> Option<BigInt> {
        match self {
            Self::Number(n) => Some(n.clone()),
            Self::Text(t) => {
                let digits = t.strip_prefix(b"-").unwrap_or(t);
                if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                BigInt::parse_bytes(t, 10)
            }
        }
    }
}

/// Tells which orderings make a comparison true.
type Wanted = fn(std::cmp::Ordering) -> bool;

type Outcome = Result<Value, Vec<u8>>;

struct Expr {
    words: Vec<Vec<u8>>,
    at: usize,
    depth: usize,
}

/// How deeply parentheses and functions may be nested. The limit prevents a stack overflow.
const DEEPEST: usize = 1000;

impl Expr {
    fn next_is(&mut self, word: &[u8]) -> bool {
        let is = self.words.get(self.at).is_some_and(|w| w == word);
        self.at += usize::from(is);
        is
    }

    fn require(&self) -> Result<(), Vec<u8>> {
        if self.at < self.words.len() {
            return Ok(());
        }
        let last = self.at.checked_sub(1).and_then(|i| self.words.get(i)).map_or(&b""[..], Vec::as_slice);
        Err(bytes!("syntax error: missing argument after ", quote(last)))
    }

    fn or(&mut self, on: bool) -> Outcome {
        let mut left = self.and(on)?;
        while self.next_is(b"|") {
            let right = self.and(on && left.is_null())?;
            if left.is_null() {
                left = if right.is_null() { Value::Number(BigInt::ZERO) } else { right };
            }
        }
        Ok(left)
    }

    fn and(&mut self, on: bool) -> Outcome {
        let mut left = self.compare(on)?;
        while self.next_is(b"&") {
            let right = self.compare(on && !left.is_null())?;
            if left.is_null() || right.is_null() {
                left = Value::Number(BigInt::ZERO);
            }
        }
        Ok(left)
    }

    fn compare(&mut self, on: bool) -> Outcome {
        let mut left = self.sum(on)?;
        loop {
            let operators: [(&[u8], Wanted); 7] = [
                (b"<=", std::cmp::Ordering::is_le),
                (b"<", std::cmp::Ordering::is_lt),
                (b"==", std::cmp::Ordering::is_eq),
                (b"=", std::cmp::Ordering::is_eq),
                (b"!=", std::cmp::Ordering::is_ne),
                (b">=", std::cmp::Ordering::is_ge),
                (b">", std::cmp::Ordering::is_gt),
            ];
            let Some((_, wanted)) = operators.into_iter().find(|o| self.next_is(o.0)) else {
                return Ok(left);
            };
            let right = self.sum(on)?;
            let order = match (left.number(), right.number()) {
                (Some(l), Some(r)) => l.cmp(&r),
                _ => left.text().cmp(&right.text()),
            };
            left = Value::Number(u8::from(on && wanted(order)).into());
        }
    }

    fn sum(&mut self, on: bool) -> Outcome {
        let mut left = self.product(on)?;
        loop {
            let plus = self.next_is(b"+");
            if !plus && !self.next_is(b"-") {
                return Ok(left);
            }
            let right = self.product(on)?;
            if on {
                let (l, r) = both(&left, &right)?;
                left = Value::Number(if plus { l + r } else { l - r });
            }
        }
    }

    fn product(&mut self, on: bool) -> Outcome {
        let mut left = self.matching(on)?;
        loop {
            let Some(operator) = [b"*", b"/", b"%"].into_iter().find(|o| self.next_is(*o)) else {
                return Ok(left);
            };
            let right = self.matching(on)?;
            if on {
                let (l, r) = both(&left, &right)?;
                if operator != b"*" && r == BigInt::ZERO {
                    return Err(b"division by zero".to_vec());
                }
                left = Value::Number(match operator {
                    b"*" => l * r,
                    b"/" => l / r,
                    _ => l % r,
                });
            }
        }
    }

    fn matching(&mut self, on: bool) -> Outcome {
        let mut left = self.function(on)?;
        while self.next_is(b":") {
            let right = self.function(on)?;
            if on {
                left = matched(&left.text(), &right.text())?;
            }
        }
        Ok(left)
    }

    fn function(&mut self, on: bool) -> Outcome {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(b"expression nested too deeply".to_vec());
        }
        let value = self.operand(on);
        self.depth -= 1;
        value
    }

    fn operand(&mut self, on: bool) -> Outcome {
        self.require()?;
        if self.next_is(b"+") {
            self.require()?;
            return self.atom();
        }
        if self.next_is(b"length") {
            let text = self.function(on)?.text();
            return Ok(Value::Number(characters::characters(&text).count().into()));
        }
        if self.next_is(b"match") {
            let left = self.function(on)?;
            let right = self.function(on)?;
            return if on { matched(&left.text(), &right.text()) } else { Ok(left) };
        }
        if self.next_is(b"index") {
            let text = self.function(on)?.text();
            let set = self.function(on)?.text();
            let set: Vec<&[u8]> = characters::characters(&set).map(|c| c.0).collect();
            let found = characters::characters(&text).position(|c| set.contains(&c.0)).map_or(0, |i| i + 1);
            return Ok(Value::Number(found.into()));
        }
        if self.next_is(b"substr") {
            let text = self.function(on)?.text();
            let (from, count) = (self.function(on)?.number(), self.function(on)?.number());
            let small =
                |n: Option<BigInt>| n.map(|n| i64::try_from(n).unwrap_or(i64::MAX)).filter(|n| *n > 0);
            let (Some(from), Some(count)) = (small(from), small(count)) else {
                return Ok(Value::Text(Vec::new()));
            };
            let chosen = characters::characters(&text).skip(from as usize - 1).take(count as usize);
            return Ok(Value::Text(chosen.flat_map(|c| c.0.to_vec()).collect()));
        }
        if self.next_is(b"(") {
            let value = self.or(on)?;
            if self.at >= self.words.len() {
                let last = self.words.last().map_or(&b""[..], Vec::as_slice);
                return Err(bytes!("syntax error: expecting ')' after ", quote(last)));
            }
            if !self.next_is(b")") {
                let found = self.words.get(self.at).map_or(&b""[..], Vec::as_slice);
                return Err(bytes!("syntax error: expecting ')' instead of ", quote(found)));
            }
            return Ok(value);
        }
        if self.next_is(b")") {
            return Err(b"syntax error: unexpected ')'".to_vec());
        }
        self.atom()
    }

    fn atom(&mut self) -> Outcome {
        let word = self.words.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        Ok(Value::Text(word))
    }
}

fn both(left: &Value, right: &Value) -> Result<(BigInt, BigInt), Vec<u8>> {
    left.number().zip(right.number()).ok_or_else(|| b"non-integer argument".to_vec())
}

/// Evaluates `text : pattern`, where the pattern is anchored at the beginning.
fn matched(text: &[u8], pattern: &[u8]) -> Outcome {
    // A repetition operator may follow another one; at the beginning it is literal.
    let syntax = Syntax::POSIX_BASIC.without(Syntax::CONTEXT_INVALID_DUP);
    let regex = Regex::new(pattern, syntax, Flags::default()).map_err(|e| e.to_string().into_bytes())?;
    // If any match starts at the beginning, it is the leftmost match.
    let found = regex
        .captures_at(text, 0, false)
        .filter(|spans| spans.first().is_some_and(|s| matches!(s, Some((0, _)))));
    Ok(match (regex.groups(), found) {
        (0, Some(spans)) => {
            let end = spans.first().copied().flatten().map_or(0, |s| s.1);
            Value::Number(characters::characters(&text[..end]).count().into())
        }
        (0, None) => Value::Number(BigInt::ZERO),
        (_, Some(spans)) => {
            let (from, to) = spans.get(1).copied().flatten().unwrap_or((0, 0));
            Value::Text(text[from..to].to_vec())
        }
        (_, None) => Value::Text(Vec::new()),
    })
}
