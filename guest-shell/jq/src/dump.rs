//! Writes values as JSON text.

use crate::number;
use crate::object::Object;
use crate::text::Text;
use crate::value::{List, Val};

/// The output style.
#[derive(Clone)]
pub(crate) struct Style {
    /// The indentation of one level. `None` writes everything on one line.
    pub(crate) indent: Option<Indent>,
    pub(crate) colors: Option<Colors>,
    pub(crate) ascii: bool,
    pub(crate) sort: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Indent {
    Tab,
    Spaces(usize),
}

/// Escape sequences for null, false, true, numbers, strings, arrays, objects and object keys.
#[derive(Clone)]
pub(crate) struct Colors([Vec<u8>; 8]);

/// The style of `tojson`.
pub(crate) const COMPACT: Style = Style { indent: None, colors: None, ascii: false, sort: false };

const MAX_DEPTH: usize = 256;
const RESET: &[u8] = b"\x1B[0m";

/// Appends a value.
pub(crate) fn dump(out: &mut Vec<u8>, v: &Val, style: &Style) {
    Dumper { out, style }.value(v, 0);
}

/// A value as compact text.
pub(crate) fn to_text(v: &Val) -> Text {
    let mut out = Vec::new();
    dump(&mut out, v, &COMPACT);
    Text::from_valid_vec(out)
}

/// A value as compact text of at most `limit` bytes, for messages.
pub(crate) fn excerpt(v: &Val, limit: usize) -> String {
    let mut out = Vec::new();
    dump(&mut out, v, &COMPACT);
    if out.len() > limit {
        out.truncate(limit.saturating_sub(3));
        out.extend_from_slice(b"...");
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Default for Colors {
    fn default() -> Self {
        let codes = ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"];
        Self(codes.map(|c| sequence(c.as_bytes())))
    }
}

impl Colors {
    /// Parses `JQ_COLORS`: `null:false:true:numbers:strings:arrays:objects:keys`. `None` if it is malformed.
    pub(crate) fn parse(spec: &[u8]) -> Option<Self> {
        let mut colors = Self::default();
        let spec = spec.strip_suffix(b":").unwrap_or(spec);
        if spec.is_empty() {
            return Some(colors);
        }
        for (slot, code) in colors.0.iter_mut().zip(spec.split(|b| *b == b':')) {
            if code.len() > 12 || !code.iter().all(|b| b.is_ascii_digit() || *b == b';') {
                return None;
            }
            *slot = sequence(code);
        }
        Some(colors)
    }
}

fn sequence(code: &[u8]) -> Vec<u8> {
    [b"\x1B[", code, b"m"].concat()
}

struct Dumper<'a> {
    out: &'a mut Vec<u8>,
    style: &'a Style,
}

impl Dumper<'_> {
    fn value(&mut self, v: &Val, depth: usize) {
        let style = self.style;
        let color = style.colors.as_ref().map(|c| c.0[kind(v)].as_slice());
        self.color(color);
        if depth > MAX_DEPTH {
            self.put(b"<skipped: too deep>");
        } else {
            match v {
                Val::Null => self.put(b"null"),
                Val::Bool(true) => self.put(b"true"),
                Val::Bool(false) => self.put(b"false"),
                Val::Num(n) if n.is_nan() && color.is_some() => self.value(&Val::Null, depth),
                Val::Num(_) | Val::Literal(_) => number::print_val(self.out, v),
                Val::Str(s) => string(self.out, s.bytes(), style.ascii),
                Val::Arr(a) => self.array(a, depth, color),
                Val::Obj(o) => self.object(o, depth, color),
            }
        }
        if color.is_some() {
            self.put(RESET);
        }
    }

    fn array(&mut self, list: &List, depth: usize, color: Option<&[u8]>) {
        if list.0.is_empty() {
            return self.put(b"[]");
        }
        self.put(b"[");
        self.line(depth + 1);
        for (i, v) in list.0.iter().enumerate() {
            if i > 0 {
                self.put(b",");
                self.line(depth + 1);
            }
            self.value(v, depth + 1);
            self.color(color);
        }
        self.line(depth);
        self.color(color);
        self.put(b"]");
    }

    fn object(&mut self, object: &Object, depth: usize, color: Option<&[u8]>) {
        if object.is_empty() {
            return self.put(b"{}");
        }
        self.put(b"{");
        self.line(depth + 1);
        if self.style.sort {
            for (i, (k, v)) in object.sorted().into_iter().enumerate() {
                self.entry(i, k, v, depth, color);
            }
        } else {
            for (i, (k, v)) in object.entries().iter().enumerate() {
                self.entry(i, k, v, depth, color);
            }
        }
        self.line(depth);
        self.color(color);
        self.put(b"}");
    }

    fn entry(&mut self, i: usize, k: &Text, v: &Val, depth: usize, color: Option<&[u8]>) {
        if i > 0 {
            self.put(b",");
            self.line(depth + 1);
        }
        let style = self.style;
        if let Some(colors) = &style.colors {
            self.put(RESET);
            self.put(&colors.0[7]);
        }
        string(self.out, k.bytes(), style.ascii);
        if color.is_some() {
            self.put(RESET);
            self.color(color);
        }
        self.put(if style.indent.is_some() { b": " } else { b":" });
        if color.is_some() {
            self.put(RESET);
        }
        self.value(v, depth + 1);
        self.color(color);
    }

    fn line(&mut self, depth: usize) {
        match self.style.indent {
            None => {}
            Some(Indent::Tab) => {
                self.out.push(b'\n');
                self.out.resize(self.out.len() + depth, b'\t');
            }
            Some(Indent::Spaces(n)) => {
                self.out.push(b'\n');
                self.out.resize(self.out.len() + depth * n, b' ');
            }
        }
    }

    fn color(&mut self, color: Option<&[u8]>) {
        if let Some(color) = color {
            self.put(color);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }
}

fn kind(v: &Val) -> usize {
    match v {
        Val::Null => 0,
        Val::Bool(false) => 1,
        Val::Bool(true) => 2,
        Val::Num(_) | Val::Literal(_) => 3,
        Val::Str(_) => 4,
        Val::Arr(_) => 5,
        Val::Obj(_) => 6,
    }
}

/// Appends a quoted string. Control characters are written as `\uXXXX`, and with `ascii` all non-ASCII characters too.
pub(crate) fn string(out: &mut Vec<u8>, bytes: &[u8], ascii: bool) {
    out.push(b'"');
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&b| needs_escape(b, ascii)) {
        out.extend_from_slice(&rest[..at]);
        let b = rest[at];
        let mut width = 1;
        match b {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            8 => out.extend_from_slice(b"\\b"),
            9 => out.extend_from_slice(b"\\t"),
            10 => out.extend_from_slice(b"\\n"),
            12 => out.extend_from_slice(b"\\f"),
            13 => out.extend_from_slice(b"\\r"),
            0..=0x7F => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            _ => {
                width = if b >= 0xF0 {
                    4
                } else if b >= 0xE0 {
                    3
                } else {
                    2
                };
                width = width.min(rest.len() - at);
                for c in String::from_utf8_lossy(&rest[at..at + width]).encode_utf16() {
                    out.extend_from_slice(format!("\\u{c:04x}").as_bytes());
                }
            }
        }
        rest = &rest[at + width..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn needs_escape(b: u8, ascii: bool) -> bool {
    b < 0x20 || b == b'"' || b == b'\\' || b == 0x7F || (ascii && b >= 0x80)
}
