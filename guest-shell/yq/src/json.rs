//! JSON text for jq and from jq.

use crate::fault::Fault;
use crate::value::Value;

/// Appends a quoted string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A double in Python's form.
pub(crate) fn python_float(n: f64) -> String {
    if n.is_infinite() {
        return if n < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let text = format!("{n:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..16).contains(&exponent) && n != 0.0 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let plain = format!("{n}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// Parses the first value of jq's output. Also returns its length.
pub(crate) fn decode(text: &str) -> Result<(Value, usize), Fault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let value = reader.value()?;
    Ok((value, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault(&self, what: &str, at: usize) -> Fault {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let index = before.chars().count();
        Fault::new("JSONDecodeError", format!("{what}: line {line} column {column} (char {index})"))
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let begin = self.at;
        self.depth += 1;
        if self.depth > 600 {
            return Err(Fault::new("RecursionError", "maximum recursion depth exceeded"));
        }
        let value = match self.peek() {
            Some(b'"') => Value::Str(self.string()?),
            Some(b'[') => self.array()?,
            Some(b'{') => self.object()?,
            Some(b'-' | b'0'..=b'9') => self.number().ok_or_else(|| self.fault("Expecting value", begin))?,
            _ => {
                let words =
                    [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
                match words.into_iter().find(|w| self.rest().starts_with(w.0)) {
                    Some((word, value)) => {
                        self.at += word.len();
                        value
                    }
                    None => return Err(self.fault("Expecting value", begin)),
                }
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn digits(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes().get(from..).unwrap_or_default();
        bytes.iter().take_while(|b| b.is_ascii_digit()).count()
    }

    fn number(&mut self) -> Option<Value> {
        let begin = self.at;
        let mut end = begin + usize::from(self.peek() == Some(b'-'));
        let bytes = self.text.as_bytes();
        let whole = self.digits(end);
        // A leading zero is a number of its own.
        end += if bytes.get(end) == Some(&b'0') { 1 } else { whole };
        if whole == 0 {
            return None;
        }
        let mut is_float = false;
        if bytes.get(end) == Some(&b'.') && self.digits(end + 1) > 0 {
            is_float = true;
            end += 1 + self.digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let digits = self.digits(end + 1 + sign);
            if digits > 0 {
                is_float = true;
                end += 1 + sign + digits;
            }
        }
        let text = self.text.get(begin..end)?;
        self.at = end;
        Some(if is_float { Value::Float(text.parse().ok()?) } else { Value::Int(text.to_owned()) })
    }

    fn string(&mut self) -> Result<String, Fault> {
        let begin = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(n) = rest.find(['"', '\\']) else {
                return Err(self.fault("Unterminated string starting at", begin));
            };
            out.push_str(rest.get(..n).unwrap_or_default());
            let quote = rest.as_bytes().get(n) == Some(&b'"');
            self.at += n + 1;
            if quote {
                return Ok(out);
            }
            let Some(escaped) = self.rest().chars().next() else {
                return Err(self.fault("Unterminated string starting at", begin));
            };
            self.at += escaped.len_utf8();
            out.push(match escaped {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode(),
                other => other,
            });
        }
    }

    fn unicode(&mut self) -> char {
        let unit = |at: usize| -> Option<u32> { u32::from_str_radix(self.text.get(at..at + 4)?, 16).ok() };
        let Some(first) = unit(self.at) else { return char::REPLACEMENT_CHARACTER };
        let mut code = first;
        let mut length = 4;
        if (0xD800..0xDC00).contains(&first)
            && self.text.get(self.at + 4..self.at + 6) == Some("\\u")
            && let Some(second) = unit(self.at + 6)
            && (0xDC00..0xE000).contains(&second)
        {
            code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            length = 10;
        }
        self.at += length;
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn array(&mut self) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Seq(items));
        }
        loop {
            self.blanks();
            items.push(self.value()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Seq(items));
                }
                _ => return Err(self.fault("Expecting ',' delimiter", self.at)),
            }
        }
    }

    fn object(&mut self) -> Result<Value, Fault> {
        self.at += 1;
        let mut entries = Vec::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(entries));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.fault("Expecting property name enclosed in double quotes", self.at));
            }
            let key = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return Err(self.fault("Expecting ':' delimiter", self.at));
            }
            self.at += 1;
            self.blanks();
            entries.push((key, self.value()?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Map(entries));
                }
                _ => return Err(self.fault("Expecting ',' delimiter", self.at)),
            }
        }
    }
}
