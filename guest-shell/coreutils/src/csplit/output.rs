//! The output files of `csplit` and their names.

use sandshell_cli::out;
use sandshell_cli::{bytes, warn};
use sandshell_float::directive::Directive;
use sandshell_sys::{self as sys, Errno, Fd, open_flags};

/// A file that cannot be written.
pub(crate) struct Failed {
    pub(crate) name: Vec<u8>,
    pub(crate) error: Errno,
}

/// The format of the suffix: a number with text around it.
pub(crate) struct Suffix {
    before: Vec<u8>,
    directive: Directive,
    conversion: u8,
    after: Vec<u8>,
}

impl Suffix {
    /// A suffix that is a number with at least `count` digits.
    pub(crate) fn digits(count: usize) -> Self {
        let directive = Directive { precision: Some(count.max(1)), ..Directive::default() };
        Self { before: Vec::new(), directive, conversion: b'u', after: Vec::new() }
    }

    /// Parses a format like that of `printf(3)`. Errors are reported.
    pub(crate) fn parse(format: &[u8]) -> Result<Self, i32> {
        let fail = |text: Vec<u8>| {
            warn!("csplit", text);
            Err(1)
        };
        let mut suffix = Self::digits(0);
        suffix.directive.precision = None;
        let mut found = false;
        let mut rest = format;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let to = if found { &mut suffix.after } else { &mut suffix.before };
            if *byte != b'%' {
                to.push(*byte);
                continue;
            }
            if rest.first() == Some(&b'%') {
                to.push(b'%');
                rest = &rest[1..];
                continue;
            }
            if found {
                return fail(bytes!("too many % conversion specifications in suffix"));
            }
            found = true;
            let (mut alternate, mut group) = (false, false);
            loop {
                match rest.first() {
                    Some(b'-') => suffix.directive.minus = true,
                    Some(b'0') => suffix.directive.zero = true,
                    Some(b'\'') => group = true,
                    Some(b'#') => alternate = true,
                    _ => break,
                }
                rest = &rest[1..];
            }
            suffix.directive.width = take_number(&mut rest);
            if let Some(b'.') = rest.first() {
                rest = &rest[1..];
                suffix.directive.precision = Some(take_number(&mut rest));
            }
            let Some((conversion, after)) = rest.split_first() else {
                return fail(bytes!("missing conversion specifier in suffix"));
            };
            rest = after;
            suffix.conversion = *conversion;
            suffix.directive.alternate = alternate;
            let wrong = match conversion {
                b'd' | b'i' | b'u' => alternate.then_some(b'#'),
                b'o' | b'x' | b'X' => group.then_some(b'\''),
                0x20..0x7f => {
                    return fail(bytes!("invalid conversion specifier in suffix: ", &[*conversion][..]));
                }
                other => {
                    let text = format!("invalid conversion specifier in suffix: \\{other:03o}");
                    return fail(text.into_bytes());
                }
            };
            if let Some(flag) = wrong {
                let pair: &[u8] = &[flag, *conversion];
                return fail(bytes!("invalid flags in conversion specification: %", pair));
            }
        }
        if !found {
            return fail(bytes!("missing % conversion specification in suffix"));
        }
        Ok(suffix)
    }

    fn text(&self, number: u64) -> Vec<u8> {
        let (digits, prefix) = match self.conversion {
            b'o' if self.directive.alternate && number > 0 => (format!("0{number:o}"), ""),
            b'o' => (format!("{number:o}"), ""),
            b'x' => (format!("{number:x}"), "0x"),
            b'X' => (format!("{number:X}"), "0X"),
            _ => (number.to_string(), ""),
        };
        let prefix = if self.directive.alternate && number > 0 { prefix } else { "" };
        let number = self.directive.integer(digits.as_bytes(), prefix.as_bytes());
        bytes!(&self.before, number, &self.after)
    }
}

fn take_number(text: &mut &[u8]) -> usize {
    let mut value = 0usize;
    while let Some(digit) = text.first().filter(|b| b.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(1 << 20);
        *text = &text[1..];
    }
    value
}

/// The output files. Only one of them is open at a time.
pub(crate) struct Output {
    prefix: Vec<u8>,
    suffix: Suffix,
    silent: bool,
    elide: bool,
    created: u64,
    open: Option<(Fd, Vec<u8>)>,
    written: u64,
    buffer: Vec<u8>,
}

impl Output {
    pub(crate) fn new(prefix: Vec<u8>, suffix: Suffix, silent: bool, elide: bool) -> Self {
        Self { prefix, suffix, silent, elide, created: 0, open: None, written: 0, buffer: Vec::new() }
    }

    /// Begins the next file.
    pub(crate) fn create(&mut self) -> Result<(), Failed> {
        let name = self.name(self.created);
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        match sys::open(&name, flags, 0o666) {
            Ok(fd) => self.open = Some((fd, name)),
            Err(error) => return Err(Failed { name, error }),
        }
        self.created += 1;
        self.written = 0;
        Ok(())
    }

    pub(crate) fn write(&mut self, text: &[u8]) -> Result<(), Failed> {
        self.written += text.len() as u64;
        self.buffer.extend_from_slice(text);
        if self.buffer.len() >= 64 * 1024 { self.flush() } else { Ok(()) }
    }

    /// Ends the file and prints its size.
    pub(crate) fn close(&mut self) -> Result<(), Failed> {
        self.flush()?;
        let Some((fd, name)) = self.open.take() else { return Ok(()) };
        let _ = sys::close(fd);
        if self.written == 0 && self.elide {
            let _ = sys::unlink(&name);
            self.created -= 1;
        } else if !self.silent {
            out::put(format!("{}\n", self.written));
        }
        Ok(())
    }

    /// Removes all files made so far.
    pub(crate) fn remove_all(&mut self) {
        for i in 0..self.created {
            let _ = sys::unlink(&self.name(i));
        }
        self.created = 0;
    }

    fn name(&self, number: u64) -> Vec<u8> {
        bytes!(&self.prefix, self.suffix.text(number))
    }

    fn flush(&mut self) -> Result<(), Failed> {
        let done = match &self.open {
            Some((fd, name)) => {
                sys::write_all(*fd, &self.buffer).map_err(|error| Failed { name: name.clone(), error })
            }
            None => Ok(()),
        };
        self.buffer.clear();
        done
    }
}
