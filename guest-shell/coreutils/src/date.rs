//! `date`.

use sandshell_cli::options::{self, Spec, choose, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags as f};
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};
use std::ffi::OsString;

/// The current time in seconds and nanoseconds.
pub(crate) fn now() -> (i64, u32) {
    let t = sys::realtime();
    ((t / 1_000_000_000) as i64, (t % 1_000_000_000) as u32)
}

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
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut text, mut file, mut reference, mut set, mut utc) = (None, None, None, None, false);
    let mut resolution = false;
    let mut format: Option<Vec<u8>> = None;
    for g in &parsed.options {
        let mut given: Option<&[u8]> = None;
        match g.id {
            "d" => text = Some(g.text().to_vec()),
            "f" => file = Some(g.text().to_vec()),
            "r" => reference = Some(g.text().to_vec()),
            "s" => set = Some(g.text().to_vec()),
            "u" => utc = true,
            "resolution" => resolution = true,
            "R" => given = Some(b"%a, %d %b %Y %H:%M:%S %z"),
            "I" => {
                let words = [("hours", 1), ("minutes", 2), ("date", 0), ("seconds", 3), ("ns", 4)];
                let which = match g.value.as_deref().map_or(Ok(0), |w| choose(&SPEC, "--iso-8601", w, &words))
                {
                    Ok(w) => w,
                    Err(code) => return code,
                };
                given = Some(match which {
                    0 => b"%Y-%m-%d",
                    1 => b"%Y-%m-%dT%H%:z",
                    2 => b"%Y-%m-%dT%H:%M%:z",
                    3 => b"%Y-%m-%dT%H:%M:%S%:z",
                    _ => b"%Y-%m-%dT%H:%M:%S,%N%:z",
                });
            }
            "rfc-3339" => {
                let words = [("date", 0), ("seconds", 1), ("ns", 2)];
                given = Some(match choose(&SPEC, "--rfc-3339", g.text(), &words) {
                    Ok(0) => b"%Y-%m-%d",
                    Ok(1) => b"%Y-%m-%d %H:%M:%S%:z",
                    Ok(_) => b"%Y-%m-%d %H:%M:%S.%N%:z",
                    Err(code) => return code,
                });
            }
            _ => {}
        }
        if let Some(new) = given {
            if format.is_some() {
                warn!("date", "multiple output formats specified");
                return 1;
            }
            format = Some(new.to_vec());
        }
    }
    let sources = [text.is_some(), file.is_some(), reference.is_some(), resolution];
    let sources = sources.iter().filter(|s| **s).count();
    if sources > 1 {
        return SPEC.usage("the options to specify dates for printing are mutually exclusive");
    }
    if set.is_some() && sources > 0 {
        return SPEC.usage("the options to print and set the time may not be used together");
    }
    let mut operands = parsed.operands.iter();
    let mut stamp = None;
    if let Some(first) = operands.next() {
        if let Some(second) = operands.next() {
            return SPEC.usage(bytes!("extra operand ", quote(second)));
        }
        match first.strip_prefix(b"+") {
            Some(new) => {
                if format.is_some() {
                    warn!("date", "multiple output formats specified");
                    return 1;
                }
                format = Some(new.to_vec());
            }
            None if set.is_some() || sources > 0 => {
                return SPEC.usage(bytes!(
                    "the argument ",
                    quote(first),
                    " lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'"
                ));
            }
            None => stamp = Some(first.clone()),
        }
    }
    let zone = if utc { Zone::utc() } else { Zone::system() };
    let usual: &[u8] = if resolution { b"%s.%N" } else { b"%a %b %e %H:%M:%S %Z %Y" };
    let format = format.unwrap_or_else(|| usual.to_vec());
    let show = |when: (i64, u32)| {
        let local = zone.local(when.0);
        out::put(strftime::format(&format, &Moment { local: &local, seconds: when.0, nanos: when.1 }));
        out::put("\n");
    };
    let read = |text: &[u8]| {
        let when = sandshell_time::parse(text, now(), &zone);
        if when.is_none() {
            warn!("date", "invalid date ", quote(text));
        }
        when
    };
    let mut status = 0;
    if let Some(file) = file {
        let fd = if file == b"-" { Ok(0) } else { sys::open(&file, f::READ, 0) };
        // A file that cannot be read counts as empty.
        match fd.map(|fd| sys::read_to_end(fd).unwrap_or_default()) {
            Ok(data) => {
                for line in data.split_inclusive(|b| *b == b'\n') {
                    match read(line.strip_suffix(b"\n").unwrap_or(line)) {
                        Some(when) => show(when),
                        None => status = 1,
                    }
                }
            }
            Err(e) => {
                warn!("date", quotef(&file), ": ", e);
                status = 1;
            }
        }
    } else if let Some(file) = reference {
        match sys::stat(&file, true) {
            Ok(s) => show((s.mtime, s.mtime_nsec)),
            Err(e) => {
                warn!("date", quotef(&file), ": ", e);
                status = 1;
            }
        }
    } else if set.is_some() || stamp.is_some() {
        // The clock is the host's. Setting it is refused, as it would be to an ordinary user.
        let when = match (&set, &stamp) {
            (Some(text), _) => read(text),
            (None, Some(text)) => {
                let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
                let valid = text.iter().all(|b| b.is_ascii_digit() || *b == b'.') && digits >= 8;
                if !valid {
                    warn!("date", "invalid date ", quote(text));
                }
                crate::touch::stamp_date(text).filter(|_| valid)
            }
            _ => None,
        };
        let Some(when) = when else { return 1 };
        warn!("date", "cannot set date: ", Errno::PERM);
        show(when);
        status = 1;
    } else {
        match text {
            Some(text) => match read(&text) {
                Some(when) => show(when),
                None => status = 1,
            },
            None if resolution => show((0, 1)),
            None => show(now()),
        }
    }
    out::finish("date", status, 1)
}
