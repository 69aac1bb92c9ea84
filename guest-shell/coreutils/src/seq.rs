//! `seq`: like GNU's, it uses `long double` arithmetic.

use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_float::directive::{Format, Wrong};
use sandshell_float::extended::{Extended, Kind, Range};
use std::cmp::Ordering;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "seq",
    order: Order::First,
    usage: "\
Usage: seq [OPTION]... LAST
  or:  seq [OPTION]... FIRST LAST
  or:  seq [OPTION]... FIRST INCREMENT LAST
Counts to LAST, beginning with FIRST (1), in steps of INCREMENT (1).

",
    options: &[
        option("-f, --format=FORMAT", "print each number by this printf format"),
        option("-s, --separator=STRING", "STRING stands between numbers, not a newline"),
        option("-w, --equal-width", "zeros in front make all numbers equally wide"),
    ],
    ..Spec::DEFAULT
};

/// An operand: its value, and the format in which it was written.
struct Operand {
    value: Extended,
    /// The width of the integer part, with its sign, as it is printed.
    width: usize,
    /// The number of digits after the point; `None` for a number with an exponent or in hexadecimal.
    precision: Option<usize>,
}

/// Runs `seq` and returns its exit status.
pub fn seq_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = options::operands(args);
    // A negative number is not an option.
    let cut = options_end(&args);
    let mut parsed = SPEC.parse(&args[..cut])?;
    parsed.operands.extend(args[cut..].iter().cloned());
    let (mut separator, mut format, mut equal) = (b"\n".to_vec(), None, false);
    for g in &parsed.options {
        match g.id {
            "f" => format = Some(g.text().to_vec()),
            "s" => separator = g.text().to_vec(),
            _ => equal = true,
        }
    }
    let operands = &parsed.operands;
    if operands.is_empty() {
        return Err(SPEC.missing_operand());
    }
    if let Some(extra) = operands.get(3) {
        return Err(SPEC.extra_operand(extra));
    }
    let format = format.map(|f| Format::parse(&f).map_err(|why| told(&f, why))).transpose()?;
    if format.is_some() && equal {
        return Err(SPEC.usage("format string may not be specified when printing equal width strings"));
    }
    let plain = |o: &Vec<u8>| !o.is_empty() && o.len() < 4000 && o.iter().all(u8::is_ascii_digit);
    let step_is_small = operands.len() < 3
        || plain(&operands[1]) && operands[1].len() < 4 && operands[1].iter().any(|d| *d != b'0');
    if operands.iter().all(plain) && format.is_none() && !equal && step_is_small {
        let first: &[u8] = if operands.len() == 1 { b"1" } else { &operands[0] };
        let step = if operands.len() == 3 { &operands[1][..] } else { b"1" };
        let step = std::str::from_utf8(step).ok().and_then(|s| s.parse().ok()).unwrap_or(1);
        count(first, step, operands.last().map_or(b"", Vec::as_slice), &separator);
        return Ok(out::finish("seq", 0, 1));
    }
    let one = || Operand { value: Extended::from_integer(1), width: 1, precision: Some(0) };
    let read = |text: &[u8]| operand(text);
    let (first, step, last) = match operands.as_slice() {
        [last] => (one(), one(), read(last)?),
        [first, last] => (read(first)?, one(), read(last)?),
        [first, step, last, ..] => {
            let (f, s) = (read(first)?, read(step)?);
            if is_zero(s.value) {
                return Err(SPEC.usage(bytes!("invalid Zero increment value: ", quote(step))));
            }
            (f, s, read(last)?)
        }
        [] => return Err(1),
    };
    let format = format.unwrap_or_else(|| default_format(&first, &step, &last, equal));
    print(&first, &step, &last, &format, &separator);
    Ok(out::finish("seq", 0, 1))
}

fn told(format: &[u8], why: Wrong) -> i32 {
    let quoted = quote(format);
    match why {
        Wrong::None => warn!("seq", "format ", quoted, " has no % directive"),
        Wrong::Many => warn!("seq", "format ", quoted, " has too many % directives"),
        Wrong::Ends => warn!("seq", "format ", quoted, " ends in %"),
        Wrong::Unknown(letter) => {
            warn!("seq", "format ", quoted, " has unknown %", [letter].as_slice(), " directive");
        }
    }
    1
}

fn options_end(args: &[Vec<u8>]) -> usize {
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        if arg.first() != Some(&b'-') || matches!(arg.get(1), Some(b'.' | b'0'..=b'9')) {
            break;
        }
        i += 1;
        if arg == b"--" {
            return args.len();
        }
        // An option's value may look like a number.
        let takes = matches!(arg.as_slice(), b"--format" | b"--separator")
            || !arg.starts_with(b"--")
                && arg[1..].iter().position(|b| b"fs".contains(b)).is_some_and(|p| p + 2 == arg.len());
        i += usize::from(takes);
    }
    i.min(args.len())
}

/// Counts in decimal digits of any length: the fast path for integers.
fn count(first: &[u8], step: u32, last: &[u8], separator: &[u8]) {
    let trim = |t: &[u8]| {
        let zeros = t.iter().take_while(|b| **b == b'0').count().min(t.len() - 1);
        t[zeros..].to_vec()
    };
    let (mut now, last) = (trim(first), trim(last));
    let over = |n: &[u8]| n.len().cmp(&last.len()).then_with(|| n.cmp(&last)) == Ordering::Greater;
    if over(&now) {
        return;
    }
    let mut chunk = Vec::with_capacity(64 * 1024);
    chunk.extend_from_slice(&now);
    loop {
        let mut carry = step;
        let mut i = now.len();
        while carry > 0 {
            if i == 0 {
                now.insert(0, b'0');
                i = 1;
            }
            i -= 1;
            let sum = u32::from(now[i] - b'0') + carry;
            now[i] = b'0' + (sum % 10) as u8;
            carry = sum / 10;
        }
        if over(&now) {
            break;
        }
        chunk.extend_from_slice(separator);
        chunk.extend_from_slice(&now);
        if chunk.len() > 60 * 1024 {
            out::put(&chunk);
            chunk.clear();
            if out::failure().is_some() {
                return;
            }
        }
    }
    chunk.push(b'\n');
    out::put(&chunk);
}

fn operand(text: &[u8]) -> Result<Operand, i32> {
    let (value, length, range) = Extended::parse(text);
    let zero = matches!(value.kind, Kind::Finite { mantissa: 0, .. });
    if length == 0 || length != text.len() || range != Range::Fits && !zero {
        return Err(SPEC.usage(bytes!("invalid floating point argument: ", quote(text))));
    }
    if value.kind == Kind::Nan {
        return Err(SPEC.usage(bytes!("invalid ", quote(b"not-a-number"), " argument: ", quote(text))));
    }
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let hexadecimal = text.iter().any(|b| matches!(b, b'x' | b'X' | b'p' | b'P'));
    if hexadecimal || value.kind == Kind::Infinite {
        let whole = !text.iter().any(|b| matches!(b, b'.' | b'p' | b'P'));
        return Ok(Operand { value, width: 0, precision: whole.then_some(0) });
    }
    let exponent_at = text.iter().position(|b| matches!(b, b'e' | b'E'));
    let (number, exponent) = text.split_at(exponent_at.unwrap_or(text.len()));
    let point = number.iter().position(|b| *b == b'.');
    let fraction = point.map_or(0, |p| number.len() - p - 1);
    let mut width = number.len() as i64;
    let mut precision = fraction as i64;
    if point.is_some() && fraction == 0 {
        width -= 1;
    }
    // `.5` is printed as 0.5 and `-.5` as -0.5.
    if point == Some(0) || point == Some(1) && number[0] == b'-' {
        width += 1;
    }
    if let Some(e) =
        std::str::from_utf8(exponent.get(1..).unwrap_or_default()).ok().and_then(|e| e.parse::<i64>().ok())
    {
        let e = e.clamp(-100_000, 100_000);
        let fraction = fraction as i64;
        precision += if e < 0 { -e } else { -precision.min(e) };
        if e < 0 {
            // The printed number has a point, which is not counted yet if there are no fraction digits.
            width += i64::from(fraction == 0) - e;
        } else {
            // If no fraction digits are left, the point is not printed.
            width += e - fraction.min(e) - i64::from(fraction > 0 && precision == 0);
        }
    }
    Ok(Operand { value, width: width.max(0) as usize, precision: Some(precision as usize) })
}

fn default_format(first: &Operand, step: &Operand, last: &Operand, equal: bool) -> Format {
    let (Some(pf), Some(ps), Some(pl)) = (first.precision, step.precision, last.precision) else {
        return Format::general();
    };
    let precision = pf.max(ps);
    let mut width = 0;
    if equal {
        let adjust = |width: usize, own: usize| {
            let mut w = width + (precision - own.min(precision));
            // The point is only printed if there are digits after it.
            if own == 0 && precision > 0 {
                w += 1;
            }
            w
        };
        let first_width = adjust(first.width, pf);
        let mut last_width = last.width + precision - pl.min(precision) - (pl - pl.min(precision));
        if pl > 0 && precision == 0 {
            last_width -= 1;
        } else if pl == 0 && precision > 0 {
            last_width += 1;
        }
        width = first_width.max(last_width);
    }
    Format::fixed(precision, width)
}

fn is_zero(value: Extended) -> bool {
    matches!(value.kind, Kind::Finite { mantissa: 0, .. })
}

fn print(first: &Operand, step: &Operand, last: &Operand, format: &Format, separator: &[u8]) {
    let down = step.value.negative;
    let beyond = |x: Extended| {
        let order = x.compare(last.value);
        if down { order == Ordering::Less } else { order == Ordering::Greater }
    };
    if beyond(first.value) {
        return;
    }
    let mut x = first.value;
    let mut i: u64 = 1;
    let mut chunk = format.apply(x);
    loop {
        let previous = x;
        x = first.value.plus(step.value.times(Extended::from_integer(i128::from(i))));
        i += 1;
        if beyond(x) {
            // Rounding may have carried the last number past the end. It is still printed if its printed form equals
            // the end.
            let shown = format.number(x);
            let (parsed, length, _) = Extended::parse(&shown);
            let is_last = length > 0 && parsed.compare(last.value) == Ordering::Equal;
            if is_last && shown != format.number(previous) {
                chunk.extend_from_slice(separator);
                chunk.extend_from_slice(&format.apply(x));
            }
            break;
        }
        chunk.extend_from_slice(separator);
        chunk.extend_from_slice(&format.apply(x));
        if chunk.len() > 60 * 1024 {
            out::put(&chunk);
            chunk.clear();
            if out::failure().is_some() {
                return;
            }
        }
    }
    chunk.push(b'\n');
    out::put(&chunk);
}
