//! `date`.

use crate::stamp::{now, stamp_date};
use sandshell_cli::options::{self, Given, Spec, choose, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags as f};
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};
use std::ffi::OsString;

const SPEC: Spec = Spec {
name: "date",
usage: "\
Usage: date [OPTION]... [+FORMAT]
  or:  date [-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]
Prints the time, or sets it.

",
options: &[
    option("-d, --date=STRING", "the time that STRING describes"),
    option("--debug", "tell how STRING was understood"),
    option("-f, --file=DATEFILE", "as -d, once for every line in DATEFILE"),
    option("-I[FMT], --iso-8601[=FMT]", "by ISO 8601; down to FMT: ns, seconds, minutes, hours or date"),
    option("--resolution", "how fine the clock is"),
    option("-R, --rfc-email", "by RFC 5322, as in mails"),
    option("--rfc-3339=FMT", "by RFC 3339; FMT is date, seconds or ns"),
    option("-r, --reference=FILE", "when FILE was last changed"),
    option("-s, --set=STRING", "set the clock to what STRING describes"),
    option("-u, --utc, --universal", "UTC"),
    hidden("R", "--rfc-822"),
    hidden("R", "--rfc-2822"),
    hidden("u", "--uct"),
],
ties: &["reference", "rfc-822", "rfc-2822", "rfc-email", "resolution", "rfc-3339", "uct", "utc", "universal"],
notes: "\n\
FORMAT has the directives of strftime(3), and %N nanoseconds, %s seconds since 1970, %:z, %::z and %:::z offsets from UTC,
%q the quarter. After % may stand: - no padding, _ spaces, 0 zeros, + zeros and a sign, ^ upper case, # the other case,
and a width.
",
..Spec::DEFAULT
};

/// Runs `date` and returns its exit status.
pub fn date_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// Where the time comes from.
enum Source {
    Now,
    Text(Vec<u8>),
    /// Each line of a file.
    File(Vec<u8>),
    Reference(Vec<u8>),
    Resolution,
    /// A time to set, as text.
    Set(Vec<u8>),
    /// A time to set, as digits.
    Stamp(Vec<u8>),
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut format = None;
    let mut utc = false;
    // The last option of a kind wins, but two kinds exclude each other.
    let [mut text, mut file, mut reference, mut set, mut resolution] = [const { None }; 5];
    for g in &parsed.options {
        let value = || g.text().to_vec();
        match g.id {
            "d" => text = Some(Source::Text(value())),
            "f" => file = Some(Source::File(value())),
            "r" => reference = Some(Source::Reference(value())),
            "s" => set = Some(Source::Set(value())),
            "u" => utc = true,
            "resolution" => resolution = Some(Source::Resolution),
            _ => set_format(&mut format, standard_format(g)?)?,
        }
    }
    let mut sources = [text, file, reference, resolution].into_iter().flatten();
    let mut source = sources.next();
    if sources.next().is_some() {
        return Err(SPEC.usage("the options to specify dates for printing are mutually exclusive"));
    }
    if set.is_some() && source.is_some() {
        return Err(SPEC.usage("the options to print and set the time may not be used together"));
    }
    source = source.or(set);
    let mut operands = parsed.operands.iter();
    if let Some(first) = operands.next() {
        if let Some(second) = operands.next() {
            return Err(SPEC.extra_operand(second));
        }
        match first.strip_prefix(b"+") {
            Some(new) => set_format(&mut format, new)?,
            None if source.is_some() => {
                return Err(SPEC.usage(bytes!(
                    "the argument ",
                    quote(first),
                    " lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'"
                )));
            }
            None => source = Some(Source::Stamp(first.clone())),
        }
    }
    let source = source.unwrap_or(Source::Now);
    let usual: &[u8] =
        if matches!(source, Source::Resolution) { b"%s.%N" } else { b"%a %b %e %H:%M:%S %Z %Y" };
    let format = format.unwrap_or_else(|| usual.to_vec());
    let printer = Printer { zone: if utc { Zone::utc() } else { Zone::system() }, format };
    Ok(out::finish("date", i32::from(!printer.print(source)), 1))
}

fn set_format(format: &mut Option<Vec<u8>>, new: &[u8]) -> Result<(), i32> {
    if format.replace(new.to_vec()).is_some() {
        warn!("date", "multiple output formats specified");
        return Err(1);
    }
    Ok(())
}

/// The format of `-I`, `-R` or `--rfc-3339`.
fn standard_format(g: &Given) -> Result<&'static [u8], i32> {
    const ISO: [(&str, &[u8]); 5] = [
        ("hours", b"%Y-%m-%dT%H%:z"),
        ("minutes", b"%Y-%m-%dT%H:%M%:z"),
        ("date", b"%Y-%m-%d"),
        ("seconds", b"%Y-%m-%dT%H:%M:%S%:z"),
        ("ns", b"%Y-%m-%dT%H:%M:%S,%N%:z"),
    ];
    const RFC: [(&str, &[u8]); 3] =
        [("date", b"%Y-%m-%d"), ("seconds", b"%Y-%m-%d %H:%M:%S%:z"), ("ns", b"%Y-%m-%d %H:%M:%S.%N%:z")];
    match g.id {
        "R" => Ok(b"%a, %d %b %Y %H:%M:%S %z"),
        "I" => choose(&SPEC, "--iso-8601", g.value.as_deref().unwrap_or(b"date"), &ISO),
        _ => choose(&SPEC, "--rfc-3339", g.text(), &RFC),
    }
}

struct Printer {
    zone: Zone,
    format: Vec<u8>,
}

impl Printer {
    /// Prints the time or times of a source. Returns whether all went well.
    fn print(&self, source: Source) -> bool {
        match source {
            Source::Now => self.show(Some(now())),
            Source::Resolution => self.show(Some((0, 1))),
            Source::Text(text) => self.show(self.read(&text)),
            Source::File(file) => self.lines(&file),
            Source::Reference(file) => match sys::stat(&file, true) {
                Ok(s) => self.show(Some((s.mtime, s.mtime_nsec))),
                Err(e) => {
                    warn!("date", quotef(&file), ": ", e);
                    false
                }
            },
            Source::Set(text) => self.set(self.read(&text)),
            Source::Stamp(text) => {
                let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
                let valid = text.iter().all(|b| b.is_ascii_digit() || *b == b'.') && digits >= 8;
                if !valid {
                    warn!("date", "invalid date ", quote(&text));
                }
                self.set(stamp_date(&text).filter(|_| valid))
            }
        }
    }

    fn show(&self, when: Option<(i64, u32)>) -> bool {
        let Some((seconds, nanos)) = when else { return false };
        let local = self.zone.local(seconds);
        out::put(strftime::format(&self.format, &Moment { local: &local, seconds, nanos }));
        out::put("\n");
        true
    }

    fn read(&self, text: &[u8]) -> Option<(i64, u32)> {
        let when = sandshell_time::parse(text, now(), &self.zone);
        if when.is_none() {
            warn!("date", "invalid date ", quote(text));
        }
        when
    }

    fn lines(&self, file: &[u8]) -> bool {
        let fd = if file == b"-" { Ok(0) } else { sys::open(file, f::READ, 0) };
        // A file that cannot be read counts as empty.
        match fd.map(|fd| sys::read_to_end(fd).unwrap_or_default()) {
            Ok(data) => {
                let mut ok = true;
                for line in data.split_inclusive(|b| *b == b'\n') {
                    ok &= self.show(self.read(line.strip_suffix(b"\n").unwrap_or(line)));
                }
                ok
            }
            Err(e) => {
                warn!("date", quotef(file), ": ", e);
                false
            }
        }
    }

    /// The clock is the host's. Setting it is refused, as it would be to an ordinary user.
    fn set(&self, when: Option<(i64, u32)>) -> bool {
        if when.is_some() {
            warn!("date", "cannot set date: ", Errno::PERM);
            self.show(when);
        }
        false
    }
}
