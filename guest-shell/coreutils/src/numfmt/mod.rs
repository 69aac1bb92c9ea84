//! `numfmt`.

mod quantity;

use crate::base::ranges::{self, Counted};
use crate::numfmt::quantity::{Bad, Fraction, Round, Scale, parse};
use num_bigint::BigInt;
use sandshell_cli::input::{Input, chomp};
use sandshell_cli::message;
use sandshell_cli::options::{self, Given, Spec, choose, hidden, option};
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_cli::{number, out, size};
use sandshell_posix::characters;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "numfmt",
    usage: "\
Usage: numfmt [OPTION]... [NUMBER]...
Changes how numbers are written: with or without units, rounded, padded.
Without NUMBER, the numbers are in the lines of standard input.

",
    options: &[
        option("-d, --delimiter=X", "fields stand between Xs, not at blanks"),
        option("--debug", "warn of what is wrong in the input"),
        option("--field=FIELDS", "which fields hold numbers, as in cut; the first one by default"),
        option("--format=FORMAT", "a printf format with one %f"),
        option("--from=UNIT", "units in the input; none by default"),
        option("--from-unit=N", "what 1 in the input counts for"),
        option("--grouping", "digits in groups, as the locale has them"),
        option("--header[=N]", "the first N lines (1 by default) stay as they are"),
        option("--invalid=MODE", "abort, fail, warn or ignore at what is no number"),
        option("--padding=N", "pad to N characters: at the left, or at the right if N is negative"),
        option("--round=METHOD", "up, down, from-zero, towards-zero or nearest"),
        option("--suffix=SUFFIX", "add SUFFIX to numbers; it may stand in the input"),
        option("--to=UNIT", "units in the output; none by default"),
        option("--to-unit=N", "what 1 in the output counts for"),
        option("-z, --zero-terminated", "lines end with NUL"),
        hidden("debug", "---debug"),
    ],
    ties: &["from", "from-unit", "field", "format"],
    notes: "\n\
UNIT: none; si (K is 1000); iec (K is 1024); iec-i (Ki is 1024); auto, for --from: both.
",
    ..Spec::DEFAULT
};

/// The largest padding.
const MOST_COLUMNS: i64 = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

struct Numfmt {
    from: Scale,
    to: Scale,
    from_unit: u64,
    to_unit: u64,
    round: Round,
    /// The width in columns. A negative width aligns to the left.
    padding: i64,
    suffix: Vec<u8>,
    delimiter: Option<u8>,
    fields: Vec<(u64, u64)>,
    invalid: Invalid,
    before: Vec<u8>,
    after: Vec<u8>,
    zeros: usize,
    precision: Option<usize>,
    auto_padding: bool,
    failed: bool,
    end: u8,
    /// Report options that have no effect.
    debug: bool,
}

/// Runs `numfmt` and returns its exit status.
pub fn numfmt_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// What concerns the command as a whole.
#[derive(Default)]
struct Request {
    /// How many lines stay as they are.
    header: u64,
    format: Option<Vec<u8>>,
    grouping: bool,
    /// Fields were chosen.
    chosen: bool,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut n = Numfmt::new();
    let mut request = Request::default();
    for g in &parsed.options {
        n.option(g, &mut request)?;
    }
    n.settle(&mut request, parsed.operands.is_empty())?;
    n.auto_padding = n.padding == 0 && n.delimiter.is_none();
    if parsed.operands.is_empty() {
        let mut input = Input::of(0);
        let mut record = Vec::new();
        while input.record(n.end, &mut record).unwrap_or(false) {
            let (text, ended) = chomp(&record, n.end);
            if request.header > 0 {
                request.header -= 1;
                out::put(until_nul(&record));
                continue;
            }
            n.line(until_nul(text))?;
            if ended {
                out::put([n.end]);
            }
        }
    }
    for operand in &parsed.operands {
        n.line(operand)?;
        out::put([n.end]);
    }
    if n.debug && n.failed {
        warn!("numfmt", "failed to convert some of the input numbers");
    }
    let code = if n.failed && n.invalid == Invalid::Fail { 2 } else { 0 };
    Ok(out::finish("numfmt", code, 1))
}

fn fail(text: impl AsRef<[u8]>) -> i32 {
    message::say("numfmt", text.as_ref());
    1
}

fn unit(text: &[u8]) -> Result<u64, i32> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits])
        .ok()
        .filter(|t| !t.is_empty())
        .map_or(Some(1), |t| t.parse().ok());
    let factor = match &text[digits..] {
        [] if digits > 0 => Some(1),
        // `K` is 1000 here, and `Ki` is 1024.
        [letter, b'i'] => size::multiplier(std::str::from_utf8(&[*letter]).unwrap_or("?")),
        [letter] if b"KMGTPEZY".contains(letter) => size::multiplier(&format!("{}B", char::from(*letter))),
        _ => None,
    };
    let value = number.zip(factor).and_then(|(n, f): (u64, u64)| n.checked_mul(f)).filter(|v| *v > 0);
    value.ok_or_else(|| {
        warn!("numfmt", "invalid unit size: ", quote(text));
        1
    })
}

impl Numfmt {
    fn new() -> Self {
        Self {
            from: Scale::None,
            to: Scale::None,
            from_unit: 1,
            to_unit: 1,
            round: Round::FromZero,
            padding: 0,
            suffix: Vec::new(),
            delimiter: None,
            fields: vec![(1, 1)],
            invalid: Invalid::Abort,
            before: Vec::new(),
            after: Vec::new(),
            zeros: 0,
            precision: None,
            auto_padding: false,
            failed: false,
            end: b'\n',
            debug: false,
        }
    }

    fn option(&mut self, g: &Given, request: &mut Request) -> Result<(), i32> {
        let text = g.text();
        match g.id {
            "from" => {
                let words = [
                    ("none", Scale::None),
                    ("auto", Scale::Auto),
                    ("si", Scale::Si),
                    ("iec", Scale::Iec),
                    ("iec-i", Scale::IecI),
                ];
                self.from = choose(&SPEC, "--from", text, &words)?;
            }
            "to" => {
                let words =
                    [("none", Scale::None), ("si", Scale::Si), ("iec", Scale::Iec), ("iec-i", Scale::IecI)];
                self.to = choose(&SPEC, "--to", text, &words)?;
            }
            "from-unit" => self.from_unit = unit(text)?,
            "to-unit" => self.to_unit = unit(text)?,
            "round" => {
                let words = [
                    ("up", Round::Up),
                    ("down", Round::Down),
                    ("from-zero", Round::FromZero),
                    ("towards-zero", Round::TowardsZero),
                    ("nearest", Round::Nearest),
                ];
                self.round = choose(&SPEC, "--round", text, &words)?;
            }
            "padding" => match number::signed(text, "") {
                Ok(p) if p != 0 && p.checked_abs().is_some_and(|n| n < MOST_COLUMNS) => self.padding = p,
                _ => return Err(fail(bytes!("invalid padding value ", quote(text)))),
            },
            "suffix" => self.suffix = text.to_vec(),
            "grouping" => request.grouping = true,
            "debug" => self.debug = true,
            "d" => match text {
                [] => self.delimiter = Some(0),
                [one] => self.delimiter = Some(*one),
                _ => return Err(fail("the delimiter must be a single character")),
            },
            "field" => {
                if std::mem::replace(&mut request.chosen, true) {
                    return Err(fail("multiple field specifications"));
                }
                self.fields = ranges::parse(&SPEC, text, Counted::Fields)?;
            }
            "header" => {
                request.header = match &g.value {
                    None => 1,
                    Some(text) => match number::unsigned(text, "") {
                        Ok(h) if h > 0 => h,
                        _ => return Err(fail(bytes!("invalid header value ", quote(text)))),
                    },
                }
            }
            "format" => request.format = Some(text.to_vec()),
            "invalid" => {
                let words = [
                    ("abort", Invalid::Abort),
                    ("fail", Invalid::Fail),
                    ("warn", Invalid::Warn),
                    ("ignore", Invalid::Ignore),
                ];
                self.invalid = choose(&SPEC, "--invalid", text, &words)?;
            }
            "z" => self.end = 0,
            _ => {}
        }
        Ok(())
    }

    /// Compares the options with each other, and reads the format.
    fn settle(&mut self, request: &mut Request, from_input: bool) -> Result<(), i32> {
        if request.format.is_some() && request.grouping {
            return Err(fail("--grouping cannot be combined with --format"));
        }
        if self.debug
            && (self.from, self.to, self.padding) == (Scale::None, Scale::None, 0)
            && !request.grouping
            && request.format.is_none()
        {
            warn!("numfmt", "no conversion option specified");
        }
        if let Some(format) = &request.format {
            request.grouping |= self.read_format(format)?;
        }
        if request.grouping && self.to != Scale::None {
            return Err(fail("grouping cannot be combined with --to"));
        }
        if self.debug && request.grouping {
            warn!("numfmt", "grouping has no effect in this locale");
        }
        if self.debug && request.header > 0 && !from_input {
            warn!("numfmt", "--header ignored with command-line input");
        }
        Ok(())
    }

    /// Parses `%[0]['][-][N][.][N]f` and the text around it. Returns whether digits must be grouped.
    fn read_format(&mut self, format: &[u8]) -> Result<bool, i32> {
        let wrong =
            || fail(bytes!("invalid format ", quote(format), ", directive must be %[0]['][-][N][.][N]f"));
        let (mut i, mut shown) = (0, 0);
        loop {
            match format.get(i) {
                None => return Err(fail(bytes!("format ", quote(format), " has no % directive"))),
                Some(b'%') if format.get(i + 1) == Some(&b'%') => i += 2,
                Some(b'%') => break,
                Some(_) => i += 1,
            }
            shown += 1;
        }
        // As in GNU numfmt: `%%` counts as one byte of the printed text, but is printed as two.
        self.before = format[..shown].to_vec();
        i += 1;
        let (mut zero, mut left, mut grouping) = (false, false, false);
        loop {
            match format.get(i) {
                Some(b' ') => {}
                Some(b'\'') => grouping = true,
                Some(b'0') => zero = true,
                Some(b'-') if !left => left = true,
                _ => break,
            }
            i += 1;
        }
        let read = |i: &mut usize| {
            let digits = format[*i..].iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&format[*i..*i + digits]).unwrap_or_default();
            *i += digits;
            if digits == 0 { Some(0) } else { number.parse::<i64>().ok() }
        };
        let columns = read(&mut i)
            .ok_or_else(|| fail(bytes!("invalid format ", quote(format), " (width overflow)")))?;
        if columns >= MOST_COLUMNS {
            return Err(fail("memory exhausted"));
        }
        if columns > 0 {
            if zero && !left {
                self.zeros = usize::try_from(columns).unwrap_or(0);
            } else {
                self.padding = if left { -columns } else { columns };
            }
        }
        if i >= format.len() {
            return Err(fail(bytes!("format ", quote(format), " ends in %")));
        }
        if format[i] == b'.' {
            i += 1;
            if matches!(format.get(i), Some(b' ' | b'+' | b'-')) {
                return Err(fail(bytes!("invalid precision in format ", quote(format))));
            }
            let places = read(&mut i).and_then(|n| usize::try_from(n).ok());
            let places = places.ok_or_else(|| fail(bytes!("invalid precision in format ", quote(format))))?;
            self.precision = Some(places);
        }
        if format.get(i) != Some(&b'f') {
            return Err(wrong());
        }
        i += 1;
        self.after = format[i..].to_vec();
        while let Some(b) = format.get(i) {
            if *b == b'%' {
                if format.get(i + 1) != Some(&b'%') {
                    return Err(fail(bytes!("format ", quote(format), " has too many % directives")));
                }
                i += 1;
            }
            i += 1;
        }
        Ok(grouping)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), i32> {
        let mut rest = line;
        for field in 1u64.. {
            let end = match self.delimiter {
                Some(d) => rest.iter().position(|b| *b == d).unwrap_or(rest.len()),
                None => {
                    let blanks = rest.iter().take_while(|b| separates(**b)).count();
                    blanks + rest[blanks..].iter().take_while(|b| !separates(**b)).count()
                }
            };
            let text = &rest[..end];
            if self.fields.iter().any(|(from, to)| (*from..=*to).contains(&field)) {
                match self.convert(text, field)? {
                    Some(shown) => out::put(shown),
                    None => out::put(text),
                }
            } else {
                out::put(text);
            }
            if end == rest.len() {
                break;
            }
            out::put([self.delimiter.unwrap_or(b' ')]);
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// Converts a field; `None` means that it stays unchanged.
    fn convert(&mut self, field: &[u8], index: u64) -> Result<Option<Vec<u8>>, i32> {
        let text = match field.strip_suffix(self.suffix.as_slice()) {
            Some(rest) if !rest.is_empty() => rest,
            _ => field,
        };
        let blanks = text.iter().take_while(|b| is_blank(**b)).count();
        let mut padding = self.padding;
        if self.auto_padding && (blanks > 0 || index > 1) {
            padding = characters::characters(text).count() as i64;
        }
        let text = &text[blanks..];
        let (mut value, precision) = match parse(text, self.from) {
            Ok(parsed) => parsed,
            Err(bad) => {
                let shown = quote(text);
                let message = match bad {
                    Bad::Invalid => bytes!("invalid number: ", shown),
                    Bad::Large => bytes!("value too large to be converted: ", shown),
                    Bad::Forbidden => {
                        bytes!("rejecting suffix in input: ", shown, " (consider using --from)")
                    }
                    Bad::Suffix => bytes!("invalid suffix in input: ", shown),
                    Bad::Rest(rest) => bytes!("invalid suffix in input ", shown, ": ", quote(&rest)),
                    Bad::MissingI => {
                        bytes!("missing 'i' suffix in input: ", shown, " (e.g Ki/Mi/Gi)")
                    }
                };
                return self.bad(&message);
            }
        };
        if self.debug && loses_precision(text) {
            warn!("numfmt", "large input value ", quote(text), ": possible precision loss");
        }
        value = Fraction {
            above: value.above * BigInt::from(self.from_unit),
            below: value.below * BigInt::from(self.to_unit),
        };
        let places = self.precision.unwrap_or(precision);
        let mut shown = if self.to == Scale::None {
            if value.magnitude() + places > 18 {
                let number = String::from_utf8_lossy(&general(&value)).into_owned();
                let message = if places > 0 {
                    format!(
                        "value/precision too large to be printed: '{number}/{places}' (consider using --to)"
                    )
                } else {
                    format!("value too large to be printed: '{number}' (consider using --to)")
                };
                return self.bad(message.as_bytes());
            }
            value.plain(places, self.round, self.zeros)
        } else {
            value.scaled(self.to, self.precision, self.round, self.zeros)
        }
        .into_bytes();
        shown.extend_from_slice(&self.suffix);
        let columns = characters::columns(&shown);
        let fill = vec![b' '; usize::try_from(padding.unsigned_abs()).unwrap_or(0).saturating_sub(columns)];
        let padded = if padding < 0 { bytes!(shown, fill) } else { bytes!(fill, shown) };
        Ok(Some(bytes!(&self.before, padded, &self.after)))
    }

    fn bad(&mut self, message: &[u8]) -> Result<Option<Vec<u8>>, i32> {
        if self.invalid != Invalid::Ignore {
            message::say("numfmt", message);
        }
        self.failed = true;
        if self.invalid == Invalid::Abort { Err(2) } else { Ok(None) }
    }
}

/// The text up to its first NUL, where a C string would end.
fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|b| *b == 0).next().unwrap_or_default()
}

/// Formats like `%Lg`.
fn general(value: &Fraction) -> Vec<u8> {
    let text = value.plain(6, Round::Nearest, 0);
    let (number, ..) = sandshell_float::extended::Extended::parse(text.as_bytes());
    sandshell_float::directive::Directive::default().float(number, b'g')
}

/// Whether the byte separates fields. With `-z` a line may contain newlines.
fn separates(b: u8) -> bool {
    is_blank(b) || b == b'\n'
}

/// Whether the number has more digits than GNU numfmt can represent exactly.
fn loses_precision(text: &[u8]) -> bool {
    let digits = |part: &[u8]| {
        let significant = part.iter().skip_while(|b| !b.is_ascii_digit() || **b == b'0');
        significant.take_while(|b| b.is_ascii_digit()).count()
    };
    text.split(|b| *b == b'.').any(|part| digits(part) > 18)
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}
