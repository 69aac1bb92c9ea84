//! Lists of tab stops for `expand` and `unexpand`.

use sandshell_cli::options::Given;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};

/// The positions of the tab stops.
#[derive(Default)]
pub(crate) struct Stops {
    pub(crate) list: Vec<u64>,
    /// After the list, stops are at multiples of this.
    pub(crate) extend: u64,
    /// After the list, stops are this far apart.
    pub(crate) increment: u64,
    pub(crate) size: u64,
}

pub(crate) fn stops(name: &str, options: &[Given]) -> Result<Stops, i32> {
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

/// Whether the digits are a number that is too large for a tab stop.
pub(crate) fn is_too_large(digits: &[u8]) -> bool {
    let add =
        |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')));
    digits.iter().try_fold(0, add).is_none()
}

impl Stops {
    pub(crate) fn read(&mut self, name: &str, text: &[u8]) -> Result<(), i32> {
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
                    // A `/` or `+` also applies to the numbers after it, which then are too many.
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

    pub(crate) fn add(&mut self, name: &str, value: u64, extend: bool, increment: bool) -> bool {
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

    /// The next stop after `column`; `None` if there is none.
    pub(crate) fn after(&self, column: u64) -> Option<u64> {
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
