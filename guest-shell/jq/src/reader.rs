//! Parses JSON text incrementally, with jq's leniency, limits and messages.

use crate::number;
use crate::object::Object;
use crate::stream::Streamer;
use crate::text::Text;
use crate::value::Val;

/// Parses a sequence of JSON values. Buffers are supplied on demand.
pub(crate) struct Reader {
    buf: Vec<u8>,
    pos: usize,
    flags: Flags,
    state: State,
    /// A literal or string that began in an earlier buffer or contains escapes.
    token: Vec<u8>,
    stack: Vec<Frame>,
    next: Option<Val>,
    streamer: Streamer,
    /// For earlier buffers: the last byte, the number of newlines, and the number of bytes after the last newline.
    before: (u8, usize, usize),
    bom: Bom,
    eof: bool,
}

/// Options for parsing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flags {
    /// `--stream`: values are returned as events `[path, leaf]` and `[path]`.
    pub(crate) stream: bool,
    /// `--stream-errors`: errors are also returned as values.
    pub(crate) stream_errors: bool,
    /// `--seq`: records begin with RS, and parsing continues after an invalid one.
    pub(crate) seq: bool,
    /// Numbers with a point or an exponent become doubles instead of literals.
    pub(crate) doubles: bool,
}

/// An error message with its position.
pub(crate) struct ParseError(pub(crate) String);

/// Replaces the buffer, which has been parsed completely, by the next one. Returns false if there is none.
pub(crate) type More<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> bool;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Normal,
    String,
    Escape,
    WaitingForRs,
}

enum Frame {
    Arr(Vec<Val>),
    Obj(Object),
    Key(Text),
}

#[derive(Clone, Copy, PartialEq)]
enum Bom {
    Seen(usize),
    Done,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Literal,
    Space,
    Structure,
    Quote,
}

type Message = &'static str;

const BOM: &[u8] = b"\xEF\xBB\xBF";
const RS: u8 = 0x1E;
const MAX_DEPTH: usize = 256;

/// Parses a complete text: for `fromjson` and options that take JSON.
pub(crate) fn parse_text(text: &[u8]) -> Result<Val, String> {
    let mut reader = Reader::new(Flags::default());
    reader.buf = text.to_vec();
    let none: More<'_> = &mut |_| false;
    let first = match reader.next(none) {
        Ok(None) => Err("Expected JSON value".to_owned()),
        Ok(Some(v)) => match reader.next(none) {
            Ok(None) => Ok(v),
            Ok(Some(_)) => Err("Unexpected extra JSON values".to_owned()),
            Err(e) => Err(e.0),
        },
        Err(e) => Err(e.0),
    };
    first.map_err(|e| format!("{e} (while parsing '{}')", String::from_utf8_lossy(text)))
}

impl Reader {
    pub(crate) fn new(flags: Flags) -> Self {
        Self {
            buf: Vec::new(),
            pos: 0,
            flags,
            state: if flags.seq { State::WaitingForRs } else { State::Normal },
            token: Vec::new(),
            stack: Vec::new(),
            next: None,
            streamer: Streamer::default(),
            before: (0, 0, 0),
            bom: Bom::Seen(0),
            eof: false,
        }
    }

    /// The buffer and the position in it.
    pub(crate) fn buffer(&mut self) -> (&mut Vec<u8>, usize) {
        (&mut self.buf, self.pos)
    }

    /// The next value. `None` at the end.
    pub(crate) fn next(&mut self, more: More<'_>) -> Result<Option<Val>, ParseError> {
        if self.eof {
            return Ok(None);
        }
        loop {
            if self.flags.stream
                && let Some(event) = self.streamer.take_output(&mut self.next)
            {
                return Ok(Some(event));
            }
            if self.pos >= self.buf.len() {
                self.count_lines();
                let more = more(&mut self.buf);
                self.pos = 0;
                if !more {
                    self.buf.clear();
                    return self.end();
                }
            }
            if self.bom != Bom::Done && !self.strip_bom() {
                self.eof = true;
                return Err(ParseError("Malformed BOM".to_owned()));
            }
            match self.scan() {
                Ok(Some(v)) => return Ok(Some(v)),
                Ok(None) => {}
                Err(message) => return self.fail(message, "").map(Some),
            }
        }
    }

    fn strip_bom(&mut self) -> bool {
        while let Bom::Seen(n) = self.bom {
            match self.buf.get(self.pos) {
                None => return true,
                Some(b) if BOM.get(n) == Some(b) => {
                    self.pos += 1;
                    self.bom = if n == 2 { Bom::Done } else { Bom::Seen(n + 1) };
                }
                Some(_) if n == 0 => self.bom = Bom::Done,
                Some(_) => return false,
            }
        }
        // The byte order mark does not count as a column.
        self.buf.drain(..self.pos);
        self.pos = 0;
        true
    }

    /// Continues parsing until there is a value or the buffer ends.
    fn scan(&mut self) -> Result<Option<Val>, Message> {
        while let Some(&c) = self.buf.get(self.pos) {
            if self.flags.seq && c == RS {
                let was_space = self.previous_is_space();
                self.pos += 1;
                if self.state == State::WaitingForRs {
                    self.state = State::Normal;
                    continue;
                }
                if let Some(v) = self.record_ends(was_space)? {
                    return Ok(Some(v));
                }
                continue;
            }
            match self.state {
                State::WaitingForRs => self.pos += 1,
                State::String | State::Escape => {
                    if self.string_continues()? {
                        self.state = State::Normal;
                        if let Some(v) = self.done() {
                            return Ok(Some(v));
                        }
                    }
                }
                State::Normal => match self.normal(c)? {
                    Some(v) => return Ok(Some(v)),
                    None if self.flags.stream && self.streamer.has_output() => return Ok(None),
                    None => {}
                },
            }
        }
        Ok(None)
    }

    fn normal(&mut self, c: u8) -> Result<Option<Val>, Message> {
        let mut class = classify(c);
        let mut c = c;
        let mut out = None;
        if class == Class::Literal {
            let start = self.pos;
            let seq = self.flags.seq;
            let rest = self.buf.get(start..).unwrap_or_default();
            let run = rest.iter().position(|&b| classify(b) != Class::Literal || (seq && b == RS));
            let Some(run) = run else {
                self.token.extend_from_slice(rest);
                self.pos = self.buf.len();
                return Ok(None);
            };
            let end = start + run;
            c = self.buf.get(end).copied().unwrap_or(b' ');
            if seq && c == RS {
                self.token.extend_from_slice(&self.buf[start..end]);
                self.pos = end;
                return Ok(None);
            }
            class = classify(c);
            self.pos = end + 1;
            if self.token.is_empty() {
                let value = literal(&self.buf[start..end], self.flags.doubles);
                self.value(value?)?;
            } else {
                self.token.extend_from_slice(&self.buf[start..end]);
                self.check_literal()?;
            }
            out = self.done();
        } else {
            self.pos += 1;
            if !self.token.is_empty() {
                self.check_literal()?;
                out = self.done();
            }
        }
        match class {
            Class::Quote => {
                // A value that ends at this quote is returned before the string.
                if out.is_some() || !self.whole_string()? {
                    self.state = State::String;
                }
            }
            Class::Structure if self.flags.stream => self.streamer.token(&mut self.next, c)?,
            Class::Structure => self.structure(c)?,
            Class::Space | Class::Literal => return Ok(out),
        }
        Ok(out.or_else(|| self.done()))
    }

    /// Called when a value is complete. Returns it if it is at the top level.
    fn done(&mut self) -> Option<Val> {
        if self.flags.stream {
            self.streamer.take_output(&mut self.next)
        } else if self.stack.is_empty() {
            self.next.take()
        } else {
            None
        }
    }

    fn value(&mut self, value: Val) -> Result<(), Message> {
        if self.next.is_some() || (self.flags.stream && !self.streamer.value()) {
            return Err("Expected separator between values");
        }
        self.next = Some(value);
        Ok(())
    }

    fn structure(&mut self, c: u8) -> Result<(), Message> {
        match c {
            b'[' | b'{' => {
                if self.stack.len() >= MAX_DEPTH {
                    return Err("Exceeds depth limit for parsing");
                }
                if self.next.is_some() {
                    return Err("Expected separator between values");
                }
                self.stack.push(if c == b'[' { Frame::Arr(Vec::new()) } else { Frame::Obj(Object::new()) });
            }
            b':' => {
                let Some(next) = self.next.take() else { return Err("Expected string key before ':'") };
                match (self.stack.last(), next) {
                    (Some(Frame::Obj(_)), Val::Str(key)) => self.stack.push(Frame::Key(key)),
                    (Some(Frame::Obj(_)), _) => return Err("Object keys must be strings"),
                    _ => return Err("':' not as part of an object"),
                }
            }
            b',' => {
                let Some(next) = self.next.take() else { return Err("Expected value before ','") };
                match self.stack.last_mut() {
                    None => return Err("',' not as part of an object or array"),
                    Some(Frame::Arr(elements)) => elements.push(next),
                    Some(Frame::Key(_)) => self.insert(next),
                    Some(Frame::Obj(_)) => return Err("Objects must consist of key:value pairs"),
                }
            }
            b']' => {
                let Some(Frame::Arr(elements)) = self.stack.last_mut() else { return Err("Unmatched ']'") };
                match self.next.take() {
                    Some(next) => elements.push(next),
                    None if !elements.is_empty() => return Err("Expected another array element"),
                    None => {}
                }
                if let Some(Frame::Arr(elements)) = self.stack.pop() {
                    self.next = Some(Val::arr(elements));
                }
            }
            _ => {
                if self.stack.is_empty() {
                    return Err("Unmatched '}'");
                }
                match (self.next.take(), self.stack.last()) {
                    (Some(next), Some(Frame::Key(_))) => self.insert(next),
                    (Some(_), _) => return Err("Objects must consist of key:value pairs"),
                    (None, Some(Frame::Obj(o))) if o.is_empty() => {}
                    (None, Some(Frame::Obj(_))) => return Err("Expected another key-value pair"),
                    (None, _) => return Err("Unmatched '}'"),
                }
                if let Some(Frame::Obj(object)) = self.stack.pop() {
                    self.next = Some(Val::obj(object));
                }
            }
        }
        Ok(())
    }

    fn insert(&mut self, value: Val) {
        if let Some(Frame::Key(key)) = self.stack.pop()
            && let Some(Frame::Obj(object)) = self.stack.last_mut()
        {
            object.insert(key, value);
        }
    }

    /// Parses a string that ends in this buffer and contains no escapes. Returns false for other strings.
    fn whole_string(&mut self) -> Result<bool, Message> {
        let rest = self.buf.get(self.pos..).unwrap_or_default();
        let mut any = 0;
        let Some(end) = rest.iter().position(|&b| {
            any |= b;
            b == b'"' || b == b'\\' || b < 0x20
        }) else {
            return Ok(false);
        };
        if rest.get(end) != Some(&b'"') {
            return Ok(false);
        }
        let bytes = rest.get(..end).unwrap_or_default();
        let text = if any < 0x80 { Text::from_valid(bytes) } else { Text::lossy(bytes) };
        self.pos += end + 1;
        self.value(Val::Str(text))?;
        Ok(true)
    }

    /// Continues parsing a string. Returns true if it ended.
    fn string_continues(&mut self) -> Result<bool, Message> {
        while let Some(&c) = self.buf.get(self.pos) {
            if self.flags.seq && c == RS {
                return Ok(false);
            }
            self.pos += 1;
            if self.state == State::Escape {
                self.state = State::String;
            } else if c == b'\\' {
                self.state = State::Escape;
            } else if c == b'"' {
                let token = std::mem::take(&mut self.token);
                let text = unescape(&token)?;
                self.value(Val::Str(text))?;
                return Ok(true);
            }
            self.token.push(c);
        }
        Ok(false)
    }

    fn check_literal(&mut self) -> Result<(), Message> {
        if self.token.is_empty() {
            return Ok(());
        }
        let token = std::mem::take(&mut self.token);
        self.value(literal(&token, self.flags.doubles)?)
    }

    /// Ends the current record at an RS.
    fn record_ends(&mut self, was_space: bool) -> Result<Option<Val>, Message> {
        let truncated = if self.flags.stream {
            self.streamer.depth() > 0 || self.next.as_ref().is_some_and(is_plain)
        } else {
            let open = !self.stack.is_empty() || !self.token.is_empty();
            !was_space && (open || matches!(self.next, Some(Val::Num(_) | Val::Literal(_))))
        };
        if truncated {
            let top_number = self.check_literal().is_ok()
                && self.stack.is_empty()
                && matches!(self.next, Some(Val::Num(_) | Val::Literal(_)));
            return Err(if top_number {
                "Potentially truncated top-level numeric value"
            } else {
                "Truncated value"
            });
        }
        self.check_literal()?;
        if self.state == State::Normal
            && let Some(v) = self.done()
        {
            return Ok(Some(v));
        }
        self.reset();
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<Val>, ParseError> {
        self.eof = true;
        let place = self.place();
        let message = match self.state {
            State::WaitingForRs if self.flags.seq && self.before.1 + self.before.2 == 0 => return Ok(None),
            State::WaitingForRs => Some("Unfinished abandoned text"),
            State::String | State::Escape => Some("Unfinished string"),
            State::Normal => None,
        };
        if let Some(message) = message {
            return self.error(format!("{message} at EOF at {place}")).map(Some);
        }
        if let Err(message) = self.check_literal() {
            return self.error(format!("{message} at EOF at {place}")).map(Some);
        }
        let open = if self.flags.stream { self.streamer.depth() != 0 } else { !self.stack.is_empty() };
        if open {
            return self.error(format!("Unfinished JSON term at EOF at {place}")).map(Some);
        }
        let was_space = self.previous_is_space();
        if self.flags.seq && !was_space && matches!(self.next, Some(Val::Num(_) | Val::Literal(_))) {
            self.next = None;
            let message = "Potentially truncated top-level numeric value";
            return self.error(format!("{message} at EOF at {place}")).map(Some);
        }
        Ok(self.done())
    }

    fn fail(&mut self, message: &str, suffix: &str) -> Result<Val, ParseError> {
        let place = self.place();
        let last = self.pos.checked_sub(1).and_then(|i| self.buf.get(i));
        let resync = self.flags.seq && last != Some(&RS);
        let suffix = if resync { " (need RS to resync)" } else { suffix };
        let error = self.error(format!("{message} at {place}{suffix}"));
        if resync {
            self.state = State::WaitingForRs;
        } else if self.flags.stream_errors && !self.flags.seq {
            self.skip_line();
        } else if !self.flags.seq {
            self.buf.clear();
            self.pos = 0;
            self.eof = true;
        }
        error
    }

    /// Skips the rest of a line, which is not counted in positions.
    fn skip_line(&mut self) {
        let (newlines, column) = self.lines();
        let rest = self.buf.get(self.pos..).unwrap_or_default();
        let end = rest.iter().position(|b| *b == b'\n').map_or(self.buf.len(), |n| self.pos + n + 1);
        self.before = (b'\n', newlines, column);
        self.buf.drain(..end);
        self.pos = 0;
    }

    fn error(&mut self, text: String) -> Result<Val, ParseError> {
        let path = self.streamer.path();
        self.reset();
        if self.flags.stream_errors {
            Ok(Val::arr(vec![Val::from_string(text), path]))
        } else {
            Err(ParseError(text))
        }
    }

    fn reset(&mut self) {
        self.streamer = Streamer::default();
        self.next = None;
        self.stack.clear();
        self.token.clear();
        self.state = State::Normal;
    }

    fn previous_is_space(&self) -> bool {
        let previous = self.pos.checked_sub(1).map_or(Some(&self.before.0), |i| self.buf.get(i));
        self.state == State::Normal && previous.is_some_and(|b| classify(*b) == Class::Space)
    }

    fn place(&self) -> String {
        let (line, column) = self.lines();
        format!("line {}, column {column}", line + 1)
    }

    /// The number of newlines so far, and the number of bytes after the last.
    fn lines(&self) -> (usize, usize) {
        let read = self.buf.get(..self.pos).unwrap_or_default();
        let newlines = read.iter().filter(|b| **b == b'\n').count();
        match read.iter().rposition(|b| *b == b'\n') {
            Some(at) => (self.before.1 + newlines, read.len() - at - 1),
            None => (self.before.1, self.before.2 + read.len()),
        }
    }

    fn count_lines(&mut self) {
        if let Some(&last) = self.buf.last() {
            let (newlines, column) = self.lines();
            self.before = (last, newlines, column);
        }
    }
}

fn is_plain(v: &Val) -> bool {
    matches!(v, Val::Null | Val::Bool(_) | Val::Num(_) | Val::Literal(_))
}

fn classify(c: u8) -> Class {
    match c {
        b' ' | b'\t' | b'\r' | b'\n' => Class::Space,
        b'"' => Class::Quote,
        b'[' | b',' | b']' | b'{' | b':' | b'}' => Class::Structure,
        _ => Class::Literal,
    }
}

fn literal(token: &[u8], doubles: bool) -> Result<Val, Message> {
    let (word, value): (&[u8], _) = match token {
        [b't', ..] => (b"true", Val::Bool(true)),
        [b'f', ..] => (b"false", Val::Bool(false)),
        [b'n', b'u', ..] => (b"null", Val::Null),
        _ => {
            let number = number::parse(token).ok_or("Invalid numeric literal")?;
            return Ok(match &number {
                Val::Literal(l) if doubles && token.iter().any(|b| b".eE".contains(b)) => Val::Num(l.value),
                _ => number,
            });
        }
    };
    if token == word { Ok(value) } else { Err("Invalid literal") }
}

fn unescape(token: &[u8]) -> Result<Text, Message> {
    let mut out = Vec::with_capacity(token.len());
    let mut at = 0;
    while let Some(&c) = token.get(at) {
        at += 1;
        if c != b'\\' {
            if c < 0x20 {
                return Err("Invalid string: control characters from U+0000 through U+001F must be escaped");
            }
            out.push(c);
            continue;
        }
        let Some(&c) = token.get(at) else { return Err("Expected escape character at end of string") };
        at += 1;
        match c {
            b'\\' | b'"' | b'/' => out.push(c),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b't' => out.push(b'\t'),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b'u' => {
                let Some(hex) = token.get(at..at + 4) else { return Err("Invalid \\uXXXX escape") };
                let Some(mut code) = unhex(hex) else { return Err("Invalid characters in \\uXXXX escape") };
                at += 4;
                if (0xD800..0xDC00).contains(&code) {
                    let low = match token.get(at..at + 6) {
                        Some([b'\\', b'u', hex @ ..]) => unhex(hex),
                        _ => None,
                    };
                    let Some(low @ 0xDC00..=0xDFFF) = low else {
                        return Err("Invalid \\uXXXX\\uXXXX surrogate pair escape");
                    };
                    at += 6;
                    code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
                }
                let c = char::from_u32(code).unwrap_or('\u{FFFD}');
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err("Invalid escape"),
        }
    }
    Ok(Text::lossy(&out))
}

fn unhex(hex: &[u8]) -> Option<u32> {
    hex.iter().try_fold(0, |n, b| Some(n << 4 | (*b as char).to_digit(16)?))
}
