//! `xxd`, as in vim of 2022-01-14.

use crate::xxd_revert;
use sandshell_cli::arguments::Value;
use sandshell_cli::input::Input;
use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Fd, open_flags};

const USAGE: &str = "\
Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Shows bytes in hexadecimal, or makes bytes of that again.

Forms:
    -b          bits
    -e          numbers with their least byte first
    -i          an array in C, with -C its name in capital letters, with -n NAME under this name
    -ps         only digits
    -r          back to bytes, of the usual form or of -ps; with -s to a place so much further

Details:
    -c COLS     bytes in a line: usually 16, 12 for -i, 30 for -ps, 6 for -b
    -g BYTES    bytes in a group: usually 2, 4 for -e, 1 for -b
    -s SEEK     begin at this byte; +SEEK counts from where the input stands, -SEEK from its end
    -l LEN      so many bytes
    -o OFF      show offsets that are larger by OFF
    -d          offsets in decimal
    -a          one `*` for lines of zeros
    -E          characters of EBCDIC
    -u          capital digits
    -h          this text
    -v          the version
";

/// The options. A word is one of them by its second character, whatever follows; a value is the rest of the word. After
/// a long name, which may have one dash, it is the next word.
const SPEC: Spec = Spec { name: "xxd", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    hidden("p", "-p"),
    listed(USAGE),
    hidden("c", "--cols=COLS"),
    hidden("C", "-C, --capitalize"),
    hidden("g", "--group=BYTES"),
    hidden("l", "--len=LEN"),
    hidden("n", "-n, --name=NAME"),
    hidden("o", "--offset=OFF"),
    hidden("s", "--skip=SEEK, --seek=SEEK"),
];

/// The largest number of columns in the forms with addresses.
const COLUMNS: i64 = 256;

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Normal,
    Plain,
    Include,
    Bits,
    LittleEndian,
}

struct Options {
    form: Form,
    autoskip: bool,
    upper: bool,
    capitalize: bool,
    decimal: bool,
    ebcdic: bool,
    revert: bool,
    columns: Option<i64>,
    group: i64,
    length: Option<u64>,
    shown_offset: i64,
    seek: i64,
    /// Whether `-s` counts from the end or from the current position.
    negative: bool,
    relative: bool,
    name: Option<Vec<u8>>,
}

/// Runs `xxd` and returns its exit status.
pub fn xxd_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let (mut o, files) = read_options(args.get(1..).unwrap_or_default())?;
    if o.columns.is_none_or(|c| c == 0 && o.form != Form::Plain) {
        o.columns = Some(match o.form {
            Form::Normal | Form::LittleEndian => 16,
            Form::Plain => 30,
            Form::Include => 12,
            Form::Bits => 6,
        });
    }
    let columns = o.columns.unwrap_or_default();
    let bounded = matches!(o.form, Form::Normal | Form::Bits | Form::LittleEndian);
    if columns < i64::from(o.form != Form::Plain) || bounded && columns > COLUMNS {
        return fail(1, "invalid number of columns (max. 256).");
    }
    if o.group < 0 {
        o.group = match o.form {
            Form::Bits => 1,
            Form::Normal => 2,
            Form::LittleEndian => 4,
            Form::Plain | Form::Include => 0,
        };
    }
    if o.group < 1 || o.group > columns {
        o.group = columns;
    } else if o.form == Form::LittleEndian && o.group & (o.group - 1) != 0 {
        return fail(1, "number of octets per group must be a power of 2 with -e.");
    }
    if files.len() > 2 {
        return Err(usage());
    }
    let named = files.first().filter(|f| *f != b"-");
    let input = match named {
        Some(name) => Input::open(name).map_err(|e| complain(2, bytes!(name, ": ", e)))?,
        None => Input::of(0),
    };
    let to = match files.get(1).filter(|f| *f != b"-") {
        Some(name) => {
            let keep = if o.revert { 0 } else { open_flags::TRUNC };
            sys::open(name, open_flags::WRITE | open_flags::CREATE | keep, 0o666)
                .map_err(|e| complain(3, bytes!(name, ": ", e)))?
        }
        None => 1,
    };
    if o.revert {
        if !matches!(o.form, Form::Normal | Form::Plain) {
            return fail(255, "Sorry, cannot revert this type of hexdump");
        }
        let base = if o.negative { -o.seek } else { o.seek };
        return xxd_revert::revert(input, to, o.form == Form::Plain, columns, base);
    }
    let mut dump = Dump { input, left: o.length, to, name: None };
    dump.name = o.name.clone().or_else(|| named.cloned());
    let start = dump.seek(&o)?;
    match o.form {
        Form::Include => dump.include(&o, columns)?,
        Form::Plain => dump.plain(&o, columns)?,
        _ => dump.lines(&o, columns as usize, start)?,
    }
    out::flush();
    written().map(|()| 0)
}

fn fail<T>(code: i32, text: &str) -> Result<T, i32> {
    Err(complain(code, text.as_bytes().to_vec()))
}

/// Reports why standard output could not be written.
fn written() -> Result<(), i32> {
    out::failure().map_or(Ok(()), |e| Err(complain(3, bytes!(e))))
}

fn complain(code: i32, text: Vec<u8>) -> i32 {
    warn!("xxd", text);
    code
}

fn usage() -> i32 {
    let _ = sys::write_all(2, USAGE.as_bytes());
    1
}

fn read_options(args: &[Vec<u8>]) -> Result<(Options, &[Vec<u8>]), i32> {
    let mut o = Options {
        form: Form::Normal,
        autoskip: false,
        upper: false,
        capitalize: false,
        decimal: false,
        ebcdic: false,
        revert: false,
        columns: None,
        group: -1,
        length: None,
        shown_offset: 0,
        seek: 0,
        negative: false,
        relative: true,
        name: None,
    };
    let mut rest = args;
    while let Some(arg) = rest.first() {
        let word = if arg.len() > 2 && arg.starts_with(b"--") { &arg[1..] } else { &arg[..] };
        if word == b"--" {
            rest = &rest[1..];
            break;
        }
        let [b'-', letter, attached @ ..] = word else { break };
        let Some(mut option) = SPEC.letter(*letter) else { return Err(usage()) };
        // The text after a letter is its value, unless it is the rest of a long name with that letter.
        let long = (2..=word.len()).find_map(|end| SPEC.long(&word[1..end]));
        option = long.unwrap_or(option);
        let mut value: &[u8] = b"";
        if option.value == Value::Required {
            value = if attached.is_empty() || long.is_some() {
                rest = &rest[1..];
                rest.first().ok_or_else(usage)?
            } else {
                attached
            };
        }
        match option.id {
            "a" => o.autoskip = !o.autoskip,
            "b" => o.form = Form::Bits,
            "e" => o.form = Form::LittleEndian,
            "u" => o.upper = true,
            "p" => o.form = Form::Plain,
            "i" => o.form = Form::Include,
            "C" => o.capitalize = true,
            "d" => o.decimal = true,
            "r" => o.revert = true,
            "E" => o.ebcdic = true,
            "v" => {
                let _ = sys::write_all(2, b"xxd 2022-01-14\n");
                return Err(0);
            }
            "c" => o.columns = Some(number(value).clamp(i32::MIN.into(), i32::MAX.into())),
            "g" => o.group = number(value).clamp(i32::MIN.into(), i32::MAX.into()),
            "o" => o.shown_offset = number(value),
            "n" => o.name = Some(value.to_vec()),
            "l" => o.length = u64::try_from(number(value)).ok(),
            "s" => {
                o.relative = value.starts_with(b"+");
                let value = value.strip_prefix(b"+").unwrap_or(value);
                o.negative = value.starts_with(b"-");
                o.seek = number(value.strip_prefix(b"-").unwrap_or(value));
            }
            _ => return Err(usage()),
        }
        rest = &rest[1..];
    }
    Ok((o, rest))
}

/// A number in C's notation; 0 if it is not one.
fn number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let negative = text.starts_with(b"-");
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let hex = digits.len() > 2 && digits[..2].eq_ignore_ascii_case(b"0x") && digits[2].is_ascii_hexdigit();
    let (base, digits) = match digits {
        d if hex => (16, &d[2..]),
        [b'0', ..] => (8, digits),
        _ => (10, digits),
    };
    let values = digits.iter().map_while(|b| char::from(*b).to_digit(base));
    let value = values.fold(0i64, |n, d| n.saturating_mul(base.into()).saturating_add(d.into()));
    if negative { -value } else { value }
}

struct Dump {
    input: Input,
    left: Option<u64>,
    to: Fd,
    /// The name of the C variable.
    name: Option<Vec<u8>>,
}

impl Dump {
    /// Seeks to the start of the dump and returns its offset.
    fn seek(&mut self, o: &Options) -> Result<u64, i32> {
        if o.seek == 0 && !o.negative && o.relative {
            return Ok(0);
        }
        let (by, whence) = match (o.relative, o.negative) {
            (true, true) => (-o.seek, 1),
            (true, false) => (o.seek, 1),
            (false, true) => (-o.seek, 2),
            (false, false) => (o.seek, 0),
        };
        match sys::lseek(self.input.fd(), by, whence) {
            Ok(at) => Ok(at),
            Err(_) if o.negative => fail(4, "Sorry, cannot seek."),
            Err(_) => {
                for _ in 0..o.seek {
                    if self.next()?.is_none() {
                        return fail(4, "Sorry, cannot seek.");
                    }
                }
                Ok(o.seek.unsigned_abs())
            }
        }
    }

    fn next(&mut self) -> Result<Option<u8>, i32> {
        self.input.byte().map_err(|e| complain(2, bytes!(e)))
    }

    /// The next byte to show.
    fn byte(&mut self) -> Result<Option<u8>, i32> {
        if let Some(left) = &mut self.left {
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
        }
        self.next()
    }

    /// The next bytes to show in one line; fewer than `columns` at the end.
    fn line(&mut self, columns: usize, line: &mut Vec<u8>) -> Result<(), i32> {
        line.clear();
        while line.len() < columns {
            let available = self.input.fill().map_err(|e| complain(2, bytes!(e)))?;
            let left = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
            let n = available.len().min(columns - line.len()).min(left);
            if n == 0 {
                break;
            }
            line.extend_from_slice(&available[..n]);
            self.input.consume(n);
            if let Some(left) = &mut self.left {
                *left -= n as u64;
            }
        }
        Ok(())
    }

    fn put(&self, text: impl AsRef<[u8]>) -> Result<(), i32> {
        if self.to == 1 {
            out::put(text);
            return written();
        }
        sys::write_all(self.to, text.as_ref()).map_err(|e| complain(3, bytes!(e)))
    }

    fn plain(&mut self, o: &Options, columns: i64) -> Result<(), i32> {
        let mut line = Vec::new();
        let mut count = 0;
        while let Some(byte) = self.byte()? {
            line.extend_from_slice(&hex(byte, o.upper));
            count += 1;
            if count == columns {
                line.push(b'\n');
                count = 0;
            }
            if line.len() > 32 * 1024 {
                self.put(&line)?;
                line.clear();
            }
        }
        if columns == 0 || count > 0 {
            line.push(b'\n');
        }
        self.put(&line)
    }

    fn include(&mut self, o: &Options, columns: i64) -> Result<(), i32> {
        let case = |b: u8| if o.capitalize { b.to_ascii_uppercase() } else { b };
        let variable = self.name.as_ref().map(|name| {
            let digit = name.first().is_some_and(u8::is_ascii_digit);
            let letters = name.iter().map(|b| if b.is_ascii_alphanumeric() { case(*b) } else { b'_' });
            [if digit { &b"__"[..] } else { b"" }, &letters.collect::<Vec<u8>>()].concat()
        });
        if let Some(variable) = &variable {
            self.put(bytes!("unsigned char ", variable, "[] = {\n"))?;
        }
        let mut count = 0u64;
        while let Some(byte) = self.byte()? {
            let separator = match count {
                0 => "  ",
                n if n.is_multiple_of(columns.unsigned_abs()) => ",\n  ",
                _ => ", ",
            };
            self.put(bytes!(separator, if o.upper { "0X" } else { "0x" }, &hex(byte, o.upper)[..]))?;
            count += 1;
        }
        if count > 0 {
            self.put("\n")?;
        }
        if let Some(variable) = &variable {
            let len = if o.capitalize { "_LEN = " } else { "_len = " };
            self.put(bytes!("};\nunsigned int ", variable, len, count as i32, ";\n"))?;
        }
        Ok(())
    }

    fn lines(&mut self, o: &Options, columns: usize, start: u64) -> Result<(), i32> {
        let mut skipper = Skipper::default();
        let mut line = Vec::with_capacity(columns);
        let mut text = Vec::new();
        let mut offset = start.wrapping_add_signed(o.shown_offset);
        loop {
            self.line(columns, &mut line)?;
            if line.is_empty() {
                break;
            }
            render(o, columns, offset, &line, &mut text);
            let shown = line.len() < columns || !o.autoskip || line.iter().any(|b| *b != 0);
            if shown && skipper.zeros == 0 {
                self.put(&text)?;
            } else {
                self.put(skipper.next(std::mem::take(&mut text), shown))?;
            }
            offset = offset.wrapping_add(line.len() as u64);
            if line.len() < columns {
                return Ok(());
            }
        }
        if o.autoskip { self.put(skipper.finish()) } else { Ok(()) }
    }
}

fn render(o: &Options, columns: usize, offset: u64, line: &[u8], text: &mut Vec<u8>) {
    text.clear();
    if o.decimal {
        text.extend_from_slice(format!("{:08}:", offset as i64).as_bytes());
    } else {
        let bytes = offset.to_be_bytes();
        let zeros = bytes.iter().take(4).take_while(|b| **b == 0).count();
        let mut digits = bytes.iter().skip(zeros).flat_map(|b| hex(*b, false)).peekable();
        if zeros < 4 && digits.peek() == Some(&b'0') {
            digits.next();
        }
        text.extend(digits);
        text.push(b':');
    }
    let start = text.len();
    let group = o.group as usize;
    let group_width = if o.form == Form::Bits { 8 * group + 1 } else { 2 * group + 1 };
    let shown = start + (group_width * columns - 1) / group + 3;
    text.resize(shown.max(start + 1 + group_width * columns.div_ceil(group)) + columns + 8, b' ');
    for (i, byte) in line.iter().enumerate() {
        let place = if o.form == Form::LittleEndian { i ^ (group - 1) } else { i };
        let at = start + 1 + group_width * place / group;
        // The order of writing matters: the digits of an incomplete last group may overlap the characters.
        if o.form == Form::Bits {
            let bits: [u8; 8] = std::array::from_fn(|bit| b'0' + (byte >> (7 - bit) & 1));
            put_at(text, at, &bits);
        } else {
            put_at(text, at, &hex(*byte, o.upper));
        }
        let c = if o.ebcdic { ebcdic(*byte) } else { *byte };
        text[shown + i] = if (0x20..0x7f).contains(&c) { c } else { b'.' };
    }
    text.truncate(shown + line.len());
    text.push(b'\n');
}

fn put_at(text: &mut [u8], at: usize, digits: &[u8]) {
    if let Some(to) = text.get_mut(at..at + digits.len()) {
        to.copy_from_slice(digits);
    }
}

fn hex(byte: u8, upper: bool) -> [u8; 2] {
    let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]
}

/// The ASCII character for an EBCDIC byte, if it can be shown.
fn ebcdic(byte: u8) -> u8 {
    const FROM_64: &[u8; 192] = b" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\".abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......";
    usize::from(byte).checked_sub(64).and_then(|i| FROM_64.get(i)).copied().unwrap_or(b'.')
}

/// Leaves out lines of zeros: more than two in a row are replaced by the first one and a `*`.
#[derive(Default)]
struct Skipper {
    zeros: u64,
    second: Vec<u8>,
    last: Vec<u8>,
}

impl Skipper {
    /// What to print for a line.
    fn next(&mut self, line: Vec<u8>, shown: bool) -> Vec<u8> {
        if shown {
            let text = [self.left_out(self.zeros), &line].concat();
            self.zeros = 0;
            return text;
        }
        self.zeros += 1;
        match self.zeros {
            1 => return line,
            2 => self.second = line.clone(),
            _ => {}
        }
        self.last = line;
        Vec::new()
    }

    /// What to print at the end, as the last line is never left out.
    fn finish(&self) -> Vec<u8> {
        match self.zeros {
            0 | 1 => Vec::new(),
            zeros => [self.left_out(zeros - 1), &self.last].concat(),
        }
    }

    fn left_out(&self, zeros: u64) -> &[u8] {
        match zeros {
            0 | 1 => b"",
            2 => &self.second,
            _ => b"*\n",
        }
    }
}
