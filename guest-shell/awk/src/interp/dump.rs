//! `-d`: prints the values of all variables at the end.

use super::Interp;
use crate::diag::bytes;
use crate::number;
use crate::special;
use crate::value::Value;

impl Interp<'_> {
    /// The lines of the dump of all global variables, sorted by name.
    pub(crate) fn dump_variables(&mut self) -> Vec<u8> {
        let mut names: Vec<(&[u8], u32)> = self.program.variables().map(|(g, name)| (name, g)).collect();
        let count = names.len();
        names.extend([(&b"FUNCTAB"[..], special::FUNCTAB), (b"SYMTAB", special::SYMTAB)]);
        names.sort_unstable();
        let mut out = Vec::new();
        for (name, g) in names {
            let value = self.variable_value(g).unwrap_or(Value::Untyped);
            out.extend(bytes!(name, ": "));
            match &value {
                Value::Array(_) if g == special::SYMTAB => {
                    out.extend(bytes!("array, ", count.to_string(), " elements"))
                }
                Value::Array(a) => out.extend(bytes!("array, ", a.borrow().len().to_string(), " elements")),
                Value::Untyped => out.extend(b"untyped variable"),
                Value::Unassigned => out.extend(b"uninitialized scalar"),
                Value::Num(n) => push_number(&mut out, *n),
                Value::Bool(b) => number::push_int(&mut out, i64::from(*b)),
                Value::Regex(p) => out.extend(bytes!("@/", p.source(), "/")),
                // For a value from the command line, gawk has determined already that it is a number.
                v if self.assigned.contains(&g) && v.is_number() => push_number(&mut out, v.num()),
                v => push_quoted(&mut out, &self.text_of(v)),
            }
            out.push(b'\n');
        }
        out
    }
}

fn push_number(out: &mut Vec<u8>, n: f64) {
    match number::as_int(n) {
        Some(i) => number::push_int(out, i),
        None => crate::float::push_g(out, n, 17),
    }
}

/// Appends a string in the form of a string constant.
pub(crate) fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for b in text.iter().copied() {
        match crate::escape::letter(b) {
            Some(letter) => out.extend([b'\\', letter]),
            None if b.is_ascii_graphic() || b == b' ' => out.push(b),
            None => out.extend(format!("\\{b:03o}").into_bytes()),
        }
    }
    out.push(b'"');
}
