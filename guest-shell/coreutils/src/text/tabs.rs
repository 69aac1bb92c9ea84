//! `expand`, `unexpand`.

use crate::base::getopt::{self, Given, Spec, Value::*};
use crate::base::input::{self, Input};
use crate::base::out;
use crate::base::quote::quote;
use crate::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

/// Where tabs stop.
#[derive(Default)]
struct Stops {
    list: Vec<u64>,
    /// Multiples of this after the list.
    extend: u64,
    /// Steps of this after the list.
    increment: u64,
    size: u64,
}

/// `expand`.
pub fn expand_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "expand",
        short: "it:0::1::2::3::4::5::6::7::8::9::",
        long: &[("tabs", Yes, "t"), ("initial", No, "i")],
        failure: 1,
        help: "\
Usage: expand [OPTION]... [FILE]...
Replaces tabs by as many spaces as they are wide.

  -i, --initial    only those at the beginning of a line
  -t, --tabs=N     a tab stop every N columns instead of 8
  -t, --tabs=LIST  tab stops at these columns; '/N' or '+N' at the end says how it goes on
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let initial = parsed.options.iter().any(|g| g.id == "i");
    let stops = match stops("expand", &parsed.options) {
        Ok(stops) => stops,
        Err(code) => return code,
    };
    let code = input::each("expand", &parsed.operands, |_, input| expand(input, &stops, initial));
    out::finish("expand", code, 1)
}

/// `unexpand`.
pub fn unexpand_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "unexpand",
        short: "at:0::1::2::3::4::5::6::7::8::9::",
        long: &[("tabs", Yes, "t"), ("all", No, "a"), ("first-only", No, "first")],
        failure: 1,
        help: "\
Usage: unexpand [OPTION]... [FILE]...
Replaces runs of blanks at the beginning of a line by tabs where they reach tab stops.

  -a, --all         runs in the rest of the line as well
      --first-only  only at the beginning, even with -t
  -t, --tabs=N      a tab stop every N columns instead of 8; also means -a
  -t, --tabs=LIST   tab stops at these columns; '/N' or '+N' at the end says how it goes on
",
    };
    let parsed = match SPEC.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let has = |id: &str| parsed.options.iter().any(|g| g.id == id);
    let all = (has("a") || has("t")) && !has("first");
    let stops = match stops("unexpand", &parsed.options) {
        Ok(stops) => stops,
        Err(code) => return code,
    };
    let code = input::each("unexpand", &parsed.operands, |_, input| unexpand(input, &stops, all));
    out::finish("unexpand", code, 1)
}

fn stops(name: &str, options: &[Given]) -> Result<Stops, i32> {
    let mut stops = Stops::default();
    for g in options {
        match g.id {
            "t" => stops.read(name, g.text())?,
            id if id.as_bytes()[0].is_ascii_digit() => {
                let text = [id.as_bytes(), g.text()].concat();
                if name == "unexpand" && text.split(|b| *b == b',').any(is_too_large) {
                    warn!(name, "tab stop value is too large");
                    return Err(1);
                }
                stops.read(name, &text)?;
            }
            _ => {}
        }
    }
    let mut previous = 0;
    for stop in &stops.list {
        if *stop == 0 {
            warn!(name, "tab size cannot be 0");
            return Err(1);
        }
        if *stop <= previous {
            warn!(name, "tab sizes must be ascending");
            return Err(1);
        }
        previous = *stop;
    }
    if stops.extend > 0 && stops.increment > 0 {
        warn!(name, "'/' specifier is mutually exclusive with '+'");
        return Err(1);
    }
    let open = stops.extend == 0 && stops.increment == 0;
    stops.size = match stops.list.as_slice() {
        [] => stops.extend.max(stops.increment),
        [one] if open => *one,
        _ => 0,
    };
    if stops.list.is_empty() && open {
        stops.size = 8;
    }
    Ok(stops)
}

/// Whether digits are a number larger than any tab stop.
fn is_too_large(digits: &[u8]) -> bool {
    let add =
        |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')));
    digits.iter().try_fold(0, add).is_none()
}

impl Stops {
    fn read(&mut self, name: &str, text: &[u8]) -> Result<(), i32> {
        let (mut value, mut extend, mut increment) = (None::<u64>, false, false);
        let mut ok = true;
        let mut i = 0;
        while let Some(&b) = text.get(i) {
            match b {
                b',' | b' ' | b'\t' => {
                    if let Some(v) = value.take() {
                        ok &= self.add(name, v, extend, increment);
                        if !ok {
                            break;
                        }
                    }
                    // A `/` or `+` counts for the numbers behind it, too: then there are too many.
                }
                b'/' | b'+' => {
                    if value.is_some() {
                        warn!(
                            name,
                            bytes!(
                                "'",
                                [b].as_slice(),
                                "' specifier not at start of number: ",
                                quote(&text[i..])
                            )
                        );
                        ok = false;
                    }
                    (extend, increment) = (b == b'/', b == b'+');
                }
                b'0'..=b'9' => {
                    let next =
                        value.unwrap_or(0).checked_mul(10).and_then(|v| v.checked_add(u64::from(b - b'0')));
                    match next {
                        Some(v) => value = Some(v),
                        None => {
                            let start =
                                text[..i].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |p| p + 1);
                            let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                            warn!(name, "tab stop is too large ", quote(&text[start..start + digits]));
                            ok = false;
                            i = start + digits;
                            value = Some(1);
                            continue;
                        }
                    }
                }
                _ => {
                    warn!(name, "tab size contains invalid character(s): ", quote(&text[i..]));
                    ok = false;
                    break;
                }
            }
            i += 1;
        }
        if ok && let Some(v) = value {
            ok = self.add(name, v, extend, increment);
        }
        if ok { Ok(()) } else { Err(1) }
    }

    fn add(&mut self, name: &str, value: u64, extend: bool, increment: bool) -> bool {
        let (slot, letter) = match (extend, increment) {
            (true, _) => (&mut self.extend, "/"),
            (_, true) => (&mut self.increment, "+"),
            _ => {
                self.list.push(value);
                return true;
            }
        };
        let again = *slot > 0;
        if again {
            warn!(name, "'", letter, "' specifier only allowed with the last value");
        }
        *slot = value;
        !again
    }

    /// The next stop behind `column`; `None` if there is none.
    fn after(&self, column: u64) -> Option<u64> {
        if self.size > 0 {
            return Some(column + self.size - column % self.size);
        }
        if let Some(stop) = self.list.iter().find(|s| column < **s) {
            return Some(*stop);
        }
        let last = self.list.last().copied().unwrap_or(0);
        match (self.extend, self.increment) {
            (0, 0) => None,
            (0, n) => Some(column + n - (column - last) % n),
            (n, _) => Some(column + n - column % n),
        }
    }
}

fn expand(input: &mut Input, stops: &Stops, initial: bool) -> sys::Result<()> {
    let (mut column, mut convert) = (0u64, true);
    let mut line = Vec::new();
    while let Some(c) = input.byte()? {
        match c {
            b'\n' => {
                line.push(c);
                out::put(&line);
                line.clear();
                (column, convert) = (0, true);
                if out::failure().is_some() {
                    return Ok(());
                }
                continue;
            }
            b'\t' if convert => {
                let next = stops.after(column).unwrap_or(column + 1);
                line.resize(line.len() + (next - column) as usize, b' ');
                column = next;
                continue;
            }
            8 => column = column.saturating_sub(1),
            _ => column += 1,
        }
        if initial && !matches!(c, b' ' | b'\t') {
            convert = false;
        }
        line.push(c);
    }
    out::put(line);
    Ok(())
}

fn unexpand(input: &mut Input, stops: &Stops, all: bool) -> sys::Result<()> {
    let mut more = true;
    while more && out::failure().is_none() {
        more = unexpand_line(input, stops, all)?;
    }
    Ok(())
}

/// Converts one line; false at the end of the file.
fn unexpand_line(input: &mut Input, stops: &Stops, all: bool) -> sys::Result<bool> {
    let (mut convert, mut column, mut previous_blank, mut one_before_stop) = (true, 0u64, true, false);
    // Blanks of which it is not yet known whether a tab takes their place.
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let read = input.byte()?;
        let mut c = read.unwrap_or(b'\n');
        if convert {
            let blank = read.is_some() && matches!(c, b' ' | b'\t');
            if blank {
                let next = stops.after(column);
                convert = next.is_some();
                if let Some(next) = next {
                    if c == b'\t' {
                        column = next;
                        if let Some(first) = pending.first_mut() {
                            *first = b'\t';
                        }
                    } else {
                        column += 1;
                        if !(previous_blank && column == next) {
                            one_before_stop |= column == next;
                            pending.push(c);
                            previous_blank = true;
                            continue;
                        }
                        c = b'\t';
                        match pending.first_mut() {
                            Some(first) => *first = b'\t',
                            None => pending.push(b'\t'),
                        }
                    }
                    pending.truncate(usize::from(one_before_stop));
                }
            } else if c == 8 {
                column = column.saturating_sub(1);
            } else {
                column += 1;
            }
            if !pending.is_empty() {
                if pending.len() > 1 && one_before_stop {
                    pending[0] = b'\t';
                }
                out::put(&pending);
                pending.clear();
                one_before_stop = false;
            }
            previous_blank = blank;
            convert &= all || blank;
        }
        if read.is_none() {
            return Ok(false);
        }
        out::put([c]);
        if c == b'\n' {
            return Ok(true);
        }
    }
}
