//! `stat` and `touch`.

use crate::base::getopt::{self, Spec, Value::*};
use crate::base::quote::{quote, quoteaf};
use crate::base::strftime::{self, Moment};
use crate::base::users::Names;
use crate::base::zone::Zone;
use crate::base::{mode, out};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Errno, SetTime, Stat};
use std::ffi::OsString;

fn kind(s: &Stat) -> &'static str {
    match s.mode & sys::S_IFMT {
        sys::S_IFDIR => "directory",
        sys::S_IFLNK => "symbolic link",
        sys::S_IFIFO => "fifo",
        sys::S_IFCHR => "character special file",
        sys::S_IFBLK => "block special file",
        sys::S_IFSOCK => "socket",
        _ if s.size == 0 => "regular empty file",
        _ => "regular file",
    }
}

fn time(seconds: i64, nanos: u32) -> Vec<u8> {
    let local = Zone::system().local(seconds);
    strftime::format(b"%Y-%m-%d %H:%M:%S.%N %z", &Moment { local: &local, seconds, nanos })
}

/// One conversion of a format.
fn directive(c: u8, path: &[u8], s: &Stat, names: &mut Names) -> Option<Vec<u8>> {
    let name = |n: Option<&[u8]>| n.map_or_else(|| b"UNKNOWN".to_vec(), <[u8]>::to_vec);
    Some(match c {
        b'a' => format!("{:o}", s.mode & 0o7777).into_bytes(),
        b'A' => mode::text(s.mode).to_vec(),
        b'b' => s.blocks.to_string().into_bytes(),
        b'B' => b"512".to_vec(),
        b'd' => s.dev.to_string().into_bytes(),
        b'D' => format!("{:x}", s.dev).into_bytes(),
        b'f' => format!("{:x}", s.mode).into_bytes(),
        b'F' => kind(s).as_bytes().to_vec(),
        b'g' => s.gid.to_string().into_bytes(),
        b'G' => name(names.group(s.gid)),
        b'h' => s.nlink.to_string().into_bytes(),
        b'i' => s.ino.to_string().into_bytes(),
        b'm' => b"/".to_vec(),
        b'n' => path.to_vec(),
        b'N' => {
            let mut text = quoteaf(path);
            if s.is_symlink()
                && let Ok(target) = sys::readlink(path)
            {
                text.extend(bytes!(" -> ", quoteaf(&target)));
            }
            text
        }
        b'o' => b"4096".to_vec(),
        b's' => s.size.to_string().into_bytes(),
        b't' => format!("{:x}", s.rdev >> 8 & 0xfff).into_bytes(),
        b'T' => format!("{:x}", s.rdev & 0xff).into_bytes(),
        b'u' => s.uid.to_string().into_bytes(),
        b'U' => name(names.user(s.uid)),
        b'w' => b"-".to_vec(),
        b'W' => b"0".to_vec(),
        b'x' => time(s.atime, s.atime_nsec),
        b'X' => s.atime.to_string().into_bytes(),
        b'y' => time(s.mtime, s.mtime_nsec),
        b'Y' => s.mtime.to_string().into_bytes(),
        b'z' => time(s.ctime, s.ctime_nsec),
        b'Z' => s.ctime.to_string().into_bytes(),
        _ => return None,
    })
}

/// Puts a format's flags and width around a value.
fn pad(value: Vec<u8>, flags: &[u8], width: usize, number: bool) -> Vec<u8> {
    let missing = width.saturating_sub(value.len());
    if flags.contains(&b'-') {
        return [value, vec![b' '; missing]].concat();
    }
    let fill = if flags.contains(&b'0') && number { b'0' } else { b' ' };
    [vec![fill; missing], value].concat()
}

fn expand(format: &[u8], escapes: bool, path: &[u8], s: &Stat, names: &mut Names) -> Vec<u8> {
    let mut text = Vec::new();
    let mut i = 0;
    while let Some(&b) = format.get(i) {
        i += 1;
        match b {
            b'%' => {
                let start = i;
                while format.get(i).is_some_and(|b| b"-+ #0'".contains(b)) {
                    i += 1;
                }
                let flags = &format[start..i];
                let digits = i;
                while format.get(i).is_some_and(u8::is_ascii_digit) {
                    i += 1;
                }
                let width = std::str::from_utf8(&format[digits..i])
                    .ok()
                    .and_then(|d| d.parse().ok())
                    .unwrap_or(0)
                    .min(4096);
                match format.get(i) {
                    Some(b'%') | None => text.push(b'%'),
                    Some(&c) => match directive(c, path, s, names) {
                        Some(value) => {
                            let number = value.iter().all(u8::is_ascii_alphanumeric);
                            let value = if flags.contains(&b'#') && c == b'a' {
                                [b"0".to_vec(), value].concat()
                            } else {
                                value
                            };
                            text.extend(pad(value, flags, width, number));
                        }
                        None => text.push(b'?'),
                    },
                }
                i += 1;
            }
            b'\\' if escapes => {
                let c = format.get(i).copied();
                i += 1;
                text.push(match c {
                    Some(b'n') => b'\n',
                    Some(b't') => b'\t',
                    Some(b'0') => 0,
                    Some(b'"') => b'"',
                    Some(c) => c,
                    None => b'\\',
                });
            }
            b => text.push(b),
        }
    }
    text
}

fn default_format(s: &Stat) -> Vec<u8> {
    let device = matches!(s.mode & sys::S_IFMT, sys::S_IFCHR | sys::S_IFBLK);
    let line = if device {
        "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Dh/%dd\tInode: %-10i  Links: %-5h Device type: %t,%T\n"
    } else {
        "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Dh/%dd\tInode: %-10i  Links: %h\n"
    };
    format!(
        "  File: %N\n{line}Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
    )
    .replace("%10.10A", "%A")
    .into_bytes()
}

/// `stat`.
pub fn stat_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "stat",
        short: "c:fLt",
        long: &[
            ("dereference", No, "L"),
            ("file-system", No, "f"),
            ("format", Yes, "c"),
            ("printf", Yes, "p"),
            ("terse", No, "t"),
        ],
        failure: 1,
        help: "Usage: stat [OPTION]... FILE...\nDisplay file or file system status.\n",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut format, mut escapes, mut follow) = (None, false, false);
    for g in &parsed.options {
        match g.id {
            "c" => (format, escapes) = (Some(bytes!(g.text(), "\n")), false),
            "p" => (format, escapes) = (Some(g.text().to_vec()), true),
            "L" => follow = true,
            "t" => format = Some(b"%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n".to_vec()),
            _ => {
                warn!("stat", "option --file-system is not supported in the sandbox; use df");
                return 1;
            }
        }
    }
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let mut names = Names::default();
    let mut code = 0;
    for path in &parsed.operands {
        match if path == b"-" { sys::fstat(0) } else { sys::stat(path, follow) } {
            Ok(s) => {
                let format = format.clone().unwrap_or_else(|| default_format(&s));
                out::put(expand(&format, escapes, path, &s, &mut names));
            }
            Err(e) => {
                warn!("stat", "cannot statx ", quoteaf(path), ": ", e);
                code = 1;
            }
        }
    }
    out::finish("stat", code, 1)
}

/// `touch`.
pub fn touch_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "touch",
        short: "acd:fhmr:t:",
        long: &[
            ("no-create", No, "c"),
            ("date", Yes, "d"),
            ("no-dereference", No, "h"),
            ("reference", Yes, "r"),
            ("time", Yes, "time"),
        ],
        failure: 1,
        help: "Usage: touch [OPTION]... FILE...\nUpdate the access and modification times of each FILE to the current time.\n",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut atime, mut mtime, mut create, mut follow) = (false, false, true, true);
    let mut when = (SetTime::Now, SetTime::Now);
    for g in &parsed.options {
        match g.id {
            "a" => atime = true,
            "m" => mtime = true,
            "c" => create = false,
            "h" => (follow, create) = (false, false),
            "time" => match g.text() {
                b"access" | b"atime" | b"use" => atime = true,
                b"modify" | b"mtime" => mtime = true,
                other => return spec.usage(bytes!("invalid argument ", quote(other), " for ‘--time’")),
            },
            "r" => match sys::stat(g.text(), follow) {
                Ok(s) => when = (SetTime::At(s.atime, s.atime_nsec), SetTime::At(s.mtime, s.mtime_nsec)),
                Err(e) => {
                    warn!("touch", "failed to get attributes of ", quoteaf(g.text()), ": ", e);
                    return 1;
                }
            },
            "d" => match date(g.text()) {
                Some((s, n)) => when = (SetTime::At(s, n), SetTime::At(s, n)),
                None => {
                    warn!("touch", "invalid date format ", quote(g.text()));
                    return 1;
                }
            },
            "t" => match stamp(g.text()) {
                Some(s) => when = (SetTime::At(s, 0), SetTime::At(s, 0)),
                None => {
                    warn!("touch", "invalid date format ", quote(g.text()));
                    return 1;
                }
            },
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return spec.usage("missing file operand");
    }
    let (a, m) = match (atime, mtime) {
        (true, false) => (when.0, SetTime::Omit),
        (false, true) => (SetTime::Omit, when.1),
        _ => when,
    };
    let mut code = 0;
    for path in &parsed.operands {
        let mut result = sys::utimens(path, a, m, follow);
        if result == Err(Errno::NOENT) {
            if !create {
                continue;
            }
            use sys::open_flags::{CREATE, WRITE};
            result = sys::open(path, WRITE | CREATE, 0o666).and_then(|fd| {
                let _ = sys::close(fd);
                sys::utimens(path, a, m, follow)
            });
        }
        if let Err(e) = result {
            let what = if e == Errno::NOENT || e == Errno::ACCES && sys::stat(path, false).is_err() {
                "cannot touch "
            } else {
                "setting times of "
            };
            warn!("touch", what, quoteaf(path), ": ", e);
            code = 1;
        }
    }
    out::finish("touch", code, 1)
}

/// `[[CC]YY]MMDDhhmm[.ss]` in local time.
fn stamp(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, second) = match text.split_once('.') {
        Some((d, s)) if s.len() == 2 => (d, s.parse().ok()?),
        Some(_) => return None,
        None => (text, 0),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| digits.get(range).and_then(|d| d.parse::<i64>().ok());
    let (year, rest) = match digits.len() {
        8 => (Zone::system().local(i64::try_from(sys::realtime() / 1_000_000_000).ok()?).year, 0),
        10 => (number(0..2).map(|y| if y < 69 { 2000 + y } else { 1900 + y })?, 2),
        12 => (number(0..4)?, 4),
        _ => return None,
    };
    let part = |i: usize| number(rest + i..rest + i + 2);
    calendar(year, part(0)?, part(2)?, part(4)?, part(6)?, second, &Zone::system())
}

fn calendar(
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    zone: &Zone,
) -> Option<i64> {
    let valid = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    valid.then(|| zone.seconds(year, month, day, hour, minute, second))
}

/// The forms of dates that `touch -d` is mostly given: `now`, `@SECONDS`, `YYYY-MM-DD[ T]HH:MM[:SS[.N]][ UTC|Z]`.
/// Others are refused.
fn date(text: &[u8]) -> Option<(i64, u32)> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if text == "now" {
        let now = sys::realtime();
        return Some((i64::try_from(now / 1_000_000_000).ok()?, (now % 1_000_000_000) as u32));
    }
    let nanos = |fraction: &str| format!("{fraction:0<9}").get(..9).and_then(|n| n.parse::<u32>().ok());
    if let Some(seconds) = text.strip_prefix('@') {
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
        return Some((whole.parse().ok()?, nanos(fraction)?));
    }
    let (text, zone) = match ["UTC", "GMT", "Z"].iter().find_map(|z| text.strip_suffix(z)) {
        Some(rest) => (rest.trim_end(), Zone::utc()),
        None => (text, Zone::system()),
    };
    let (day, clock) = match text.split_once([' ', 'T']) {
        Some((d, c)) => (d, c.trim()),
        None => (text, "00:00"),
    };
    let mut ymd = day.split('-').map(|p| p.parse::<i64>().ok());
    let (year, month, date) = (ymd.next()??, ymd.next()??, ymd.next()??);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut hms = clock.split(':').map(|p| p.parse::<i64>().ok());
    let (hour, minute, second) = (hms.next()??, hms.next()??, hms.next().unwrap_or(Some(0))?);
    if ymd.next().is_some() || hms.next().is_some() {
        return None;
    }
    Some((calendar(year, month, date, hour, minute, second, &zone)?, nanos(fraction)?))
}
