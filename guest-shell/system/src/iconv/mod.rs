//! `iconv` of glibc 2.36: converts text from one character set to another.
//!
//! What differs: sets that `--list` does not show, and GB2312 to and from BIG5, for which glibc has a table of its own,
//! are refused. With ISO-2022-JP//TRANSLIT, glibc writes some substitutes without the escape sequence that they need;
//! here it is written. After `-c` or `//IGNORE`, some wrong codes of UHC (A2E8), EUC-KR to UHC, and GB2312 to GBK are
//! left out in another way, and what UTF-7 with half of a surrogate pair drops is not the same. After 8160 characters,
//! UNICODE//TRANSLIT repeats byte order marks in other places.

mod coder;
mod convert;
mod differences;
mod iso2022jp;
mod names;
mod single;
mod tables;
mod text;
mod translit;
mod unicode;
mod utf7;

#[cfg(test)]
mod tests;

use crate::base::options::{Spec, listed};
use crate::base::say;
use convert::{Conversion, Failure};
use names::Request;
use sandshell_cli::out;
use sandshell_posix::locale;
use sandshell_sys::{self as sys, open_flags as f};
use translit::Substitutes;

const SPEC: Spec = Spec { name: "iconv", options: &[listed(HELP)], ..Spec::DEFAULT };

/// Runs `iconv` on its arguments (its own name first) and returns the exit status.
pub fn iconv_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

#[derive(Default)]
struct Options {
    from: Vec<u8>,
    to: Vec<u8>,
    output: Option<Vec<u8>>,
    list: bool,
    omit: bool,
    verbose: bool,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut options = Options::default();
    for g in &parsed.options {
        match g.id {
            "f" => options.from = g.text().to_vec(),
            "t" => options.to = g.text().to_vec(),
            "o" => options.output = g.value.clone(),
            "l" => options.list = true,
            "c" => options.omit = true,
            "verbose" => options.verbose = true,
            "s" => {}
            "?" if g.value.is_some() => {
                let hint = b"\nTry `iconv --help' or `iconv --usage' for more information.\n";
                say::raw([say::full_name(args), b": ", g.text(), hint].concat());
                return Err(64);
            }
            other => {
                out::put(match other {
                    "usage" => USAGE,
                    "V" => VERSION,
                    _ => HELP,
                });
                out::flush();
                return Ok(0);
            }
        }
    }
    if options.list {
        out::put(names::list());
        out::flush();
        return Ok(0);
    }
    convert(args, &options, &parsed.operands)
}

fn convert(args: &[Vec<u8>], options: &Options, operands: &[Vec<u8>]) -> Result<i32, i32> {
    let (from, to) = (names::request(&options.from), names::request(&options.to));
    if names::is_direct(&from, &to) {
        let text: [&[u8]; 5] =
            [b"conversion from `", &options.from, b"' to `", &options.to, b"' is not supported"];
        return Err(fail(args, text.concat()));
    }
    let mut conversion = conversion(options, &from, &to).ok_or_else(|| {
        // glibc adds the last error of the system. In C.UTF-8 that comes from looking for translations.
        let has_slash = options.from.contains(&b'/') || options.to.contains(&b'/');
        let reason = if locale::is_bytes() && !has_slash { "" } else { ": No such file or directory" };
        fail(args, [b"failed to start conversion processing", reason.as_bytes()].concat())
    })?;
    let mut sink = Sink { name: options.output.as_deref(), fd: None, buffer: Vec::new() };
    let mut code = 0;
    let stdin = [b"-".to_vec()];
    for name in if operands.is_empty() { &stdin[..] } else { operands } {
        if options.verbose && !operands.is_empty() {
            say::raw([name.as_slice(), b":\n"].concat());
        }
        let opened = if name == b"-" { Ok(0) } else { sys::open(name, f::READ | f::CLOEXEC, 0) };
        let fd = match opened {
            Ok(fd) => fd,
            Err(e) => {
                sink.flush_stdout();
                let reason = format!("': {e}");
                code = fail(args, [b"cannot open input file `", name.as_slice(), reason.as_bytes()].concat());
                continue;
            }
        };
        let mut unopened = None;
        let converted = conversion.convert(fd, |bytes| {
            sink.write(bytes).map_err(|e| {
                unopened = e;
                Failure::Write
            })
        });
        if fd > 2 {
            let _ = sys::close(fd);
        }
        let failure = match converted {
            Ok(left_out) => {
                code |= i32::from(left_out);
                continue;
            }
            Err(failure) => failure,
        };
        if let Some(e) = unopened {
            return Err(fail(args, format!("cannot open output file: {e}")));
        }
        sink.flush_stdout();
        code = fail(
            args,
            match failure {
                Failure::Illegal(position) => format!("illegal input sequence at position {position}"),
                Failure::Incomplete => "incomplete character or shift sequence at end of buffer".to_owned(),
                Failure::Read(e) => format!("error while reading the input: {e}"),
                Failure::Write => "conversion stopped due to problem in writing the output".to_owned(),
            },
        );
        break;
    }
    match sink.close() {
        Ok(()) => Ok(code),
        Err(e) => Err(fail(args, format!("error while closing output file: {e}"))),
    }
}

fn fail(args: &[Vec<u8>], text: impl AsRef<[u8]>) -> i32 {
    say::raw([say::full_name(args), b": ", text.as_ref(), b"\n"].concat());
    1
}

/// The conversion that was asked for; `None` if there is no such set.
fn conversion(options: &Options, from: &Request, to: &Request) -> Option<Conversion> {
    let is_utf8 = !locale::is_bytes();
    let named = |request: &Request| match request.name.as_str() {
        "" if is_utf8 => "UTF-8".to_owned(),
        "" => "ANSI_X3.4-1968".to_owned(),
        name => name.to_owned(),
    };
    if from.name == "WCHAR_T" && to.name == "WCHAR_T" {
        return None;
    }
    let (decoder, encoder) = names::both(&named(from), &named(to))?;
    Some(Conversion {
        decoder,
        encoder,
        substitutes: to.translit.then(|| Substitutes::new(is_utf8)),
        ignore: to.ignore || options.omit,
        omit: options.omit,
    })
}

/// Where the result goes. A file is made when there is something to write.
struct Sink<'a> {
    name: Option<&'a [u8]>,
    fd: Option<sys::Fd>,
    buffer: Vec<u8>,
}

impl Sink<'_> {
    /// As stdio does, keeps up to a block. The error is that of opening the file, if there is one.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Option<sys::Errno>> {
        const BLOCK: usize = 4096;
        let fd = match (self.fd, self.name) {
            (Some(fd), _) => fd,
            (None, None) => 1,
            (None, Some(name)) => {
                sys::open(name, f::WRITE | f::CREATE | f::TRUNC | f::CLOEXEC, 0o666).map_err(Some)?
            }
        };
        self.fd = Some(fd);
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > BLOCK {
            let written = sys::write_all(fd, &self.buffer);
            self.buffer.clear();
            written.map_err(|_| None)?;
        }
        Ok(())
    }

    /// Keeps the order of what is written and of messages.
    fn flush_stdout(&mut self) {
        if self.name.is_none() {
            let _ = sys::write_all(1, &self.buffer);
            self.buffer.clear();
        }
    }

    fn close(self) -> sys::Result<()> {
        let Some(fd) = self.fd else { return Ok(()) };
        sys::write_all(fd, &self.buffer)?;
        if fd > 2 { sys::close(fd) } else { Ok(()) }
    }
}

const VERSION: &str = "\
iconv (Debian GLIBC 2.36) 2.36
This is sandshell's own program with the behaviour of that version.
";

const USAGE: &str = "Usage: iconv [-lcsV] [-f NAME] [-t NAME] [-o FILE] [--verbose] [FILE...]\n";

const HELP: &str = "\
Usage: iconv [OPTION...] [FILE...]
Converts text from one character set to another. Without FILE, or with -, it is standard input.

  -f, --from-code=NAME  the character set of the input; by default that of the locale
  -t, --to-code=NAME    the character set of the output; by default that of the locale
  -l, --list            the names that are known
  -c                    leave out what cannot be converted
  -o, --output=FILE     write to FILE
  -s, --silent          no effect
      --verbose         say which file is converted
  -?, --help            this text
      --usage           a short text
  -V, --version         the version

After the name of -t, //TRANSLIT writes something similar for characters that the output's set does not have, and
//IGNORE leaves them out.
";
