//! `test` and `[`: the expression. A trait answers its questions about the shell and the system.

/// Answers the questions of the operators.
pub(crate) trait TestHost {
    /// A unary file test. `test` is its letter, one of `abcdefghkprsuwxGLNOS`. False for a missing file.
    fn file(&mut self, test: u8, path: &[u8]) -> bool;
    /// `left -nt right`, `left -ot right`, `left -ef right`; `test` is `n`, `o` or `e`.
    fn compare_files(&mut self, test: u8, left: &[u8], right: &[u8]) -> bool;
    /// `-t`: whether the descriptor is a terminal.
    fn is_terminal(&mut self, descriptor: i64) -> bool;
    /// `-v`: whether a variable (or array element) is set.
    fn is_set(&mut self, name: &[u8]) -> bool;
    /// `-R`: whether a variable is a set name reference.
    fn is_reference(&mut self, name: &[u8]) -> bool;
    /// `-o`: whether an option of `set -o` is on.
    fn is_option_on(&mut self, name: &[u8]) -> bool;
}

/// The text that bash prints after `bash: line N: test: `. The status is then 2.
type Message = Vec<u8>;

/// Evaluates the arguments of `test` (those of `[` without the closing `]`). Up to four arguments follow POSIX's rules
/// by their number; more are parsed as an expression.
pub(crate) fn evaluate(arguments: &[&[u8]], host: &mut dyn TestHost) -> Result<bool, Message> {
    Test { arguments, at: 0, host }.whole()
}

/// A unary test that was parsed by `[[ ]]`.
pub(crate) fn unary(letter: u8, operand: &[u8], host: &mut dyn TestHost) -> Result<bool, Message> {
    Ok(match letter {
        b'n' => !operand.is_empty(),
        b'z' => operand.is_empty(),
        b't' => integer(operand).is_ok_and(|n| host.is_terminal(n)),
        b'v' => host.is_set(operand),
        b'R' => host.is_reference(operand),
        b'o' => host.is_option_on(operand),
        _ => host.file(letter, operand),
    })
}

/// Parses an integer with optional blanks around it.
pub(crate) fn integer(text: &[u8]) -> Result<i64, Message> {
    let trimmed = text.iter().position(|b| !matches!(b, 9..=13 | b' ')).and_then(|at| text.get(at..));
    let mut trimmed = trimmed.unwrap_or_default();
    while let Some(rest) = trimmed.strip_suffix(b" ").or_else(|| trimmed.strip_suffix(b"\t")) {
        trimmed = rest;
    }
    let digits = trimmed.strip_prefix(b"+").unwrap_or(trimmed);
    // A sign must not be followed by another one.
    let plain = digits.strip_prefix(b"-").unwrap_or(digits);
    let signed_twice = digits.len() < trimmed.len() && plain.len() < digits.len();
    let value = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    match value {
        Some(value) if !signed_twice && plain.first().is_some_and(u8::is_ascii_digit) => Ok(value),
        _ => Err([text, b": integer expression expected"].concat()),
    }
}

struct Test<'a> {
    arguments: &'a [&'a [u8]],
    at: usize,
    host: &'a mut dyn TestHost,
}

impl Test<'_> {
    fn whole(&mut self) -> Result<bool, Message> {
        let value = self.counted(0, self.arguments.len())?;
        if self.at != self.arguments.len() {
            return Err(match self.arguments.get(self.at) {
                Some(argument) if argument.first() == Some(&b'-') => {
                    [b"syntax error: `".as_slice(), argument, b"' unexpected"].concat()
                }
                _ => b"too many arguments".to_vec(),
            });
        }
        Ok(value)
    }

    fn argument(&self, at: usize) -> &[u8] {
        self.arguments.get(at).copied().unwrap_or_default()
    }

    /// Applies POSIX's rules by number to the `count` arguments from `at` on.
    fn counted(&mut self, at: usize, count: usize) -> Result<bool, Message> {
        self.at = at + count;
        match count {
            0 => Ok(false),
            1 => Ok(!self.argument(at).is_empty()),
            2 => self.two(at),
            3 => self.three(at),
            4 if self.argument(at) == b"!" => Ok(!self.counted(at + 1, 3)?),
            4 if self.argument(at) == b"(" && self.argument(at + 3) == b")" => {
                let value = self.two(at + 1)?;
                self.at = at + 4;
                Ok(value)
            }
            _ => {
                self.at = at;
                self.or(0)
            }
        }
    }

    fn two(&mut self, at: usize) -> Result<bool, Message> {
        self.at = at + 2;
        if self.argument(at) == b"!" {
            return Ok(self.argument(at + 1).is_empty());
        }
        match unary_letter(self.argument(at)) {
            Some(letter) => unary(letter, self.arguments.get(at + 1).copied().unwrap_or_default(), self.host),
            None => Err([self.argument(at), b": unary operator expected"].concat()),
        }
    }

    fn three(&mut self, at: usize) -> Result<bool, Message> {
        self.at = at + 3;
        let middle = self.argument(at + 1);
        if is_binary(middle) {
            return self.binary(at);
        }
        if middle == b"-a" || middle == b"-o" {
            let (left, right) = (!self.argument(at).is_empty(), !self.argument(at + 2).is_empty());
            return Ok(if middle == b"-a" { left && right } else { left || right });
        }
        if self.argument(at) == b"!" {
            let value = !self.two(at + 1)?;
            self.at = at + 3;
            return Ok(value);
        }
        if self.argument(at) == b"(" && self.argument(at + 2) == b")" {
            return Ok(!middle.is_empty());
        }
        Err([middle, b": binary operator expected"].concat())
    }

    fn binary(&mut self, at: usize) -> Result<bool, Message> {
        let get = |at: usize| self.arguments.get(at).copied().unwrap_or_default();
        let (left, operator, right) = (get(at), get(at + 1), get(at + 2));
        Ok(match operator {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"<" => left < right,
            b">" => left > right,
            b"-nt" => self.host.compare_files(b'n', left, right),
            b"-ot" => self.host.compare_files(b'o', left, right),
            b"-ef" => self.host.compare_files(b'e', left, right),
            _ => {
                let (left, right) = (integer(left)?, integer(right)?);
                match operator {
                    b"-eq" => left == right,
                    b"-ne" => left != right,
                    b"-lt" => left < right,
                    b"-le" => left <= right,
                    b"-gt" => left > right,
                    _ => left >= right,
                }
            }
        })
    }

    // Expressions of more than four arguments.

    fn or(&mut self, depth: u32) -> Result<bool, Message> {
        let mut value = self.and(depth)?;
        while self.arguments.get(self.at) == Some(&&b"-o"[..]) {
            self.at += 1;
            let right = self.and(depth)?;
            value = value || right;
        }
        Ok(value)
    }

    fn and(&mut self, depth: u32) -> Result<bool, Message> {
        let mut value = self.term(depth)?;
        while self.arguments.get(self.at) == Some(&&b"-a"[..]) {
            self.at += 1;
            let right = self.term(depth)?;
            value = value && right;
        }
        Ok(value)
    }

    fn term(&mut self, depth: u32) -> Result<bool, Message> {
        let mut negated = false;
        while self.arguments.get(self.at) == Some(&&b"!"[..]) {
            negated = !negated;
            self.at += 1;
        }
        let left = self.arguments.len().saturating_sub(self.at);
        let first = self.argument(self.at);
        let value = if left == 0 {
            return Err(b"argument expected".to_vec());
        } else if first == b"(" {
            if depth >= 200 {
                return Err(b"too many arguments".to_vec());
            }
            self.at += 1;
            let value = self.or(depth + 1)?;
            match self.arguments.get(self.at) {
                None => return Err(b"`)' expected".to_vec()),
                Some(&b")") => self.at += 1,
                Some(other) => return Err([b"`)' expected, found ".as_slice(), other].concat()),
            }
            value
        } else if left >= 3 && is_binary(self.argument(self.at + 1)) {
            let at = self.at;
            self.at += 3;
            self.binary(at)?
        } else if left >= 2 && unary_letter(first).is_some() {
            let at = self.at;
            let value = self.two(at)?;
            self.at = at + 2;
            value
        } else {
            let value = !first.is_empty();
            self.at += 1;
            value
        };
        Ok(value != negated)
    }
}

fn unary_letter(argument: &[u8]) -> Option<u8> {
    match argument {
        [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter) => Some(*letter),
        _ => None,
    }
}

fn is_binary(argument: &[u8]) -> bool {
    matches!(
        argument,
        b"=" | b"=="
            | b"!="
            | b"<"
            | b">"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
            | b"-nt"
            | b"-ot"
            | b"-ef"
    )
}
