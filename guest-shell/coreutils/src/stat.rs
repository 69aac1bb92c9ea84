//! `stat`.

use sandshell_cli::options::{self, Spec, choose, option};
use sandshell_cli::out;
use sandshell_cli::quote::{Style, quote_with, quoteaf, style_from_environment};
use sandshell_cli::{bytes, warn};
use sandshell_posix::mode;
use sandshell_posix::users::Names;
use sandshell_posix::{characters, path};
use sandshell_sys::{self as sys, Stat, StatFs};
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};
use std::ffi::OsString;

const SPEC: Spec = Spec {
name: "stat",
usage: "\
Usage: stat [OPTION]... FILE...
Tells what is known of files or file systems.

",
options: &[
    option("-L, --dereference", "follow symbolic links"),
    option("-f, --file-system", "of the file systems that the files are in"),
    option("--cached=MODE", "accepted: always, never or default"),
    option("-c, --format=FORMAT", "print FORMAT and a newline for each"),
    option("--printf=FORMAT", "print FORMAT with backslash sequences, without a newline"),
    option("-t, --terse", "in one line"),
],
notes: "\n\
For files: %a mode in octal, %A as ls shows it, %b blocks, %B their size, %d %D device, %f mode in hexadecimal, %F type,
%g %G group, %h links, %i inode, %m mount point, %n name, %N quoted name with link, %o best size to read, %s size, %t %T
special device, %u %U owner, %w %W time of birth, %x %X of access, %y %Y of change, %z %Z of status.
For file systems: %a free blocks for users, %b blocks, %c inodes, %d free inodes, %f free blocks, %i id, %l longest name,
%n name, %s best size to read, %S size of blocks, %t %T type.
",
..Spec::DEFAULT
};

/// Runs `stat` and returns its exit status.
pub fn stat_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut format, mut escapes, mut follow, mut system, mut terse) = (None, false, false, false, false);
    for g in &parsed.options {
        match g.id {
            "c" => (format, escapes) = (Some(bytes!(g.text(), "\n")), false),
            "printf" => (format, escapes) = (Some(g.text().to_vec()), true),
            "L" => follow = true,
            "f" => system = true,
            "t" => terse = true,
            "cached" => {
                let words = [("default", 0), ("never", 1), ("always", 2)];
                if let Err(code) = choose(&SPEC, "--cached", g.text(), &words) {
                    return code;
                }
            }
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return SPEC.missing_operand();
    }
    let mut s = Shower { names: Names::default(), zone: None, escapes, default: format.is_none(), bad: None };
    let mut status = 0;
    for file in &parsed.operands {
        let text = if system && file == b"-" {
            let what = " to denote standard input does not work in file system mode";
            warn!("stat", "using ", quoteaf(b"-"), what);
            status = 1;
            continue;
        } else if system {
            match sys::statfs(file) {
                Ok(fs) => {
                    let format = format.clone().unwrap_or_else(|| system_format(terse));
                    s.expand(&format, |s, c, _| s.system(c, file, &fs))
                }
                Err(e) => {
                    warn!("stat", "cannot read file system information for ", quoteaf(file), ": ", e);
                    status = 1;
                    continue;
                }
            }
        } else {
            let (found, what) = if file == b"-" {
                (sys::fstat(0), "cannot stat standard input")
            } else {
                (sys::stat(file, follow), "cannot statx ")
            };
            match found {
                Ok(st) => {
                    let format = format.clone().unwrap_or_else(|| file_format(&st, terse));
                    s.expand(&format, |s, c, _| s.file(c, file, &st))
                }
                Err(e) if file == b"-" => {
                    warn!("stat", what, ": ", e);
                    status = 1;
                    continue;
                }
                Err(e) => {
                    warn!("stat", what, quoteaf(file), ": ", e);
                    status = 1;
                    continue;
                }
            }
        };
        out::put(text);
        if let Some(bad) = s.bad.take() {
            warn!("stat", sandshell_cli::quote::quote(&bad), ": invalid directive");
            return out::finish("stat", 1, 1);
        }
    }
    out::finish("stat", status, 1)
}

fn file_format(s: &Stat, terse: bool) -> Vec<u8> {
    if terse {
        return b"%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n".to_vec();
    }
    let device = matches!(s.mode & sys::S_IFMT, sys::S_IFCHR | sys::S_IFBLK);
    let links = if device { "%-5h Device type: %t,%T" } else { "%h" };
    format!(
        "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: {links}\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
    )
    .into_bytes()
}

fn system_format(terse: bool) -> Vec<u8> {
    if terse {
        return b"%n %i %l %t %s %S %b %f %a %c %d\n".to_vec();
    }
    b"  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n".to_vec()
}

/// The value of a conversion, in the form in which flags apply to it.
enum Value {
    Text(Vec<u8>),
    Decimal(i128),
    Octal(u64),
    Hex(u64),
    /// Seconds and nanoseconds.
    Time(i64, u32),
}

struct Shower {
    names: Names,
    zone: Option<Zone>,
    escapes: bool,
    /// Whether no format was given.
    default: bool,
    /// The first invalid conversion.
    bad: Option<Vec<u8>>,
}

impl Shower {
    fn expand(
        &mut self,
        format: &[u8],
        mut value: impl FnMut(&mut Self, &[u8], Option<usize>) -> Option<Value>,
    ) -> Vec<u8> {
        let mut text = Vec::new();
        let mut i = 0;
        while let Some(b) = format.get(i).copied() {
            i += 1;
            if b == b'\\' && self.escapes {
                escape(&mut text, format, &mut i);
                continue;
            }
            if b != b'%' {
                text.push(b);
                continue;
            }
            let start = i - 1;
            let span = |i: &mut usize, set: &[u8]| {
                let from = *i;
                while format.get(*i).is_some_and(|c| set.contains(c)) {
                    *i += 1;
                }
                from..*i
            };
            let flags = &format[span(&mut i, b"'-+ #0I")];
            let width = decimal(&format[span(&mut i, b"0123456789")]).unwrap_or(0);
            let mut precision = None;
            if format.get(i) == Some(&b'.') {
                i += 1;
                // For times, a precision without digits means 9.
                precision = Some(decimal(&format[span(&mut i, b"0123456789")]).unwrap_or(9));
            }
            // The newline that `-c` appends is not part of the format.
            let ended = !self.escapes && i + 1 == format.len() && format.ends_with(b"\n");
            let Some(letter) = format.get(i).copied().filter(|_| !ended) else {
                if i - start == 1 {
                    text.push(b'%');
                    if ended {
                        text.push(b'\n');
                    }
                } else {
                    self.bad = Some(format[start..i].to_vec());
                }
                break;
            };
            i += 1;
            if letter == b'%' {
                if i - start > 2 {
                    self.bad = Some(format[start..i].to_vec());
                    break;
                }
                text.push(b'%');
                continue;
            }
            let mut code = vec![letter];
            if matches!(letter, b'H' | b'L')
                && let Some(second @ (b'd' | b'r')) = format.get(i).copied()
            {
                code.push(second);
                i += 1;
            }
            match value(self, &code, precision) {
                Some(v) => shape(&mut text, v, flags, width, precision),
                None => text.push(b'?'),
            }
        }
        text
    }

    fn time(&mut self, seconds: i64, nanos: u32) -> Value {
        let zone = self.zone.get_or_insert_with(Zone::system);
        let local = zone.local(seconds);
        let pattern = b"%Y-%m-%d %H:%M:%S.%N %z";
        Value::Text(strftime::format(pattern, &Moment { local: &local, seconds, nanos }))
    }

    fn file(&mut self, code: &[u8], file: &[u8], s: &Stat) -> Option<Value> {
        let text = |n: Option<&[u8]>| Value::Text(n.map_or_else(|| b"UNKNOWN".to_vec(), <[u8]>::to_vec));
        let number = |n: u64| Value::Decimal(n.into());
        Some(match code {
            b"a" => Value::Octal(u64::from(s.mode & 0o7777)),
            b"A" => Value::Text(mode::columns(s.mode).to_vec()),
            b"b" => number(s.blocks),
            b"B" => number(512),
            b"C" => Value::Text(b"?".to_vec()),
            b"d" => number(s.dev),
            b"Hd" => number(major(s.dev)),
            b"Ld" => number(minor(s.dev)),
            b"D" => Value::Hex(s.dev),
            b"f" => Value::Hex(s.mode.into()),
            b"F" => Value::Text(kind(s).as_bytes().to_vec()),
            b"g" => number(s.gid.into()),
            b"G" => text(self.names.group(s.gid)),
            b"h" => number(s.nlink),
            b"i" => number(s.ino),
            b"m" => Value::Text(mount_point(file)),
            b"n" => Value::Text(file.to_vec()),
            b"N" => Value::Text(shown_name(file, s, self.default)),
            b"o" => number(4096),
            b"r" => number(s.rdev),
            b"R" => Value::Hex(s.rdev),
            b"Hr" => number(major(s.rdev)),
            b"Lr" => number(minor(s.rdev)),
            b"s" => number(s.size),
            b"t" => Value::Hex(major(s.rdev)),
            b"T" => Value::Hex(minor(s.rdev)),
            b"u" => number(s.uid.into()),
            b"U" => text(self.names.user(s.uid)),
            b"w" => Value::Text(b"-".to_vec()),
            b"W" => Value::Decimal(0),
            b"x" => self.time(s.atime, s.atime_nsec),
            b"X" => Value::Time(s.atime, s.atime_nsec),
            b"y" => self.time(s.mtime, s.mtime_nsec),
            b"Y" => Value::Time(s.mtime, s.mtime_nsec),
            b"z" => self.time(s.ctime, s.ctime_nsec),
            b"Z" => Value::Time(s.ctime, s.ctime_nsec),
            _ => return None,
        })
    }

    fn system(&mut self, code: &[u8], file: &[u8], fs: &StatFs) -> Option<Value> {
        let number = |n: u64| Value::Decimal(n.into());
        Some(match code {
            b"a" => number(fs.bavail),
            b"b" => number(fs.blocks),
            b"c" => number(fs.files),
            b"d" => number(fs.ffree),
            b"f" => number(fs.bfree),
            b"i" => Value::Hex(0),
            b"l" => number(fs.namelen),
            b"n" => Value::Text(file.to_vec()),
            b"s" | b"S" => number(fs.bsize),
            b"t" => Value::Hex(fs.kind),
            b"T" => Value::Text(system_name(fs.kind)),
            _ => return None,
        })
    }
}

fn decimal(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse::<usize>().ok().map(|n| n.min(4096))
}

fn shape(text: &mut Vec<u8>, value: Value, flags: &[u8], width: usize, precision: Option<usize>) {
    let has = |f: u8| flags.contains(&f);
    let sign = |negative: bool| {
        if negative {
            "-"
        } else if has(b'+') {
            "+"
        } else if has(b' ') {
            " "
        } else {
            ""
        }
    };
    let (prefix, body, number) = match value {
        Value::Text(t) => {
            let cut = match precision {
                Some(p) => t[..p.min(t.len())].to_vec(),
                None => t,
            };
            (String::new(), cut, false)
        }
        Value::Decimal(n) => {
            let digits = format!("{:01$}", n.unsigned_abs(), precision.unwrap_or(1));
            (sign(n < 0).to_string(), digits.into_bytes(), true)
        }
        Value::Octal(n) => {
            (if has(b'#') && n != 0 { "0" } else { "" }.to_string(), format!("{n:o}").into_bytes(), true)
        }
        Value::Hex(n) => {
            (if has(b'#') && n != 0 { "0x" } else { "" }.to_string(), format!("{n:x}").into_bytes(), true)
        }
        Value::Time(seconds, nanos) => {
            let digits = precision.unwrap_or(0);
            // For a time before the epoch, the fraction counts backwards.
            let (seconds, nanos, negative) = match (seconds < 0, nanos) {
                (true, n) if n > 0 && digits > 0 => (-(seconds + 1), 1_000_000_000 - n, true),
                (negative, n) => (seconds.abs(), n, negative),
            };
            let mut body = seconds.to_string();
            if digits > 0 {
                let fraction = format!("{nanos:09}");
                body.push('.');
                body.push_str(&fraction[..digits.min(9)]);
                body.extend(std::iter::repeat_n('0', digits.saturating_sub(9)));
            }
            (sign(negative).to_string(), body.into_bytes(), true)
        }
    };
    let fill = width.saturating_sub(prefix.len() + characters::columns(&body));
    if has(b'-') {
        text.extend_from_slice(prefix.as_bytes());
        text.extend_from_slice(&body);
        text.extend(std::iter::repeat_n(b' ', fill));
    } else if has(b'0') && number {
        text.extend_from_slice(prefix.as_bytes());
        text.extend(std::iter::repeat_n(b'0', fill));
        text.extend_from_slice(&body);
    } else {
        text.extend(std::iter::repeat_n(b' ', fill));
        text.extend_from_slice(prefix.as_bytes());
        text.extend_from_slice(&body);
    }
}

fn escape(text: &mut Vec<u8>, format: &[u8], i: &mut usize) {
    let Some(b) = format.get(*i).copied() else {
        warn!("stat", "warning: backslash at end of format");
        text.push(b'\\');
        return;
    };
    *i += 1;
    let simple = match b {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => characters::escape(b),
        b'e' => 27,
        b'"' | b'\\' => b,
        b'0'..=b'7' => {
            let mut n = b - b'0';
            for _ in 0..2 {
                let Some(d @ b'0'..=b'7') = format.get(*i) else { break };
                n = n.wrapping_mul(8).wrapping_add(d - b'0');
                *i += 1;
            }
            n
        }
        b'x' if format.get(*i).is_some_and(u8::is_ascii_hexdigit) => {
            let mut n = 0u8;
            for _ in 0..2 {
                let Some(d) = format.get(*i).and_then(|d| char::from(*d).to_digit(16)) else { break };
                n = n << 4 | d as u8;
                *i += 1;
            }
            n
        }
        other => {
            warn!("stat", "warning: unrecognized escape '\\", char::from(other), "'");
            other
        }
    };
    text.push(simple);
}

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

/// The quoted name, and a link's target. `QUOTING_STYLE` may select the quotes.
fn shown_name(file: &[u8], s: &Stat, default: bool) -> Vec<u8> {
    let usual = if default { Style::Literal } else { Style::ShellEscapeAlways };
    let style = style_from_environment("stat").unwrap_or(usual);
    let mut text = quote_with(file, style, b"");
    if s.is_symlink() {
        match sys::readlink(file) {
            Ok(target) => text.extend(bytes!(" -> ", quote_with(&target, style, b""))),
            Err(e) => warn!("stat", "cannot read symbolic link ", quoteaf(file), ": ", e),
        }
    }
    text
}

fn mount_point(file: &[u8]) -> Vec<u8> {
    use crate::base::resolve::{Missing, resolve};
    let Ok(mut at) = resolve(file, Missing::Last, true) else { return b"?".to_vec() };
    let device = |p: &[u8]| sys::stat(p, true).map(|s| s.dev);
    let Ok(here) = device(&at) else { return b"?".to_vec() };
    while at != b"/" {
        let up = path::dir_name(&at).to_vec();
        match device(&up) {
            Ok(d) if d == here => at = up,
            Ok(_) | Err(_) => break,
        }
    }
    at
}

fn system_name(magic: u64) -> Vec<u8> {
    match magic {
        0x0102_1994 => b"tmpfs".to_vec(),
        0xef53 => b"ext2/ext3".to_vec(),
        0x9fa0 => b"proc".to_vec(),
        0x794c_7630 => b"overlayfs".to_vec(),
        0x5846_5342 => b"xfs".to_vec(),
        0x9123_683e => b"btrfs".to_vec(),
        other => format!("UNKNOWN (0x{other:x})").into_bytes(),
    }
}

fn major(dev: u64) -> u64 {
    dev >> 8 & 0xfff | dev >> 32 & !0xfff
}

fn minor(dev: u64) -> u64 {
    dev & 0xff | dev >> 12 & !0xff
}
