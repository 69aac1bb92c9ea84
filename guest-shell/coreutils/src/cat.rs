//! `cat`.

use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys::{self as sys, Errno, open_flags::READ};
use std::ffi::OsString;

pub(crate) const CHUNK: usize = 128 * 1024;

#[derive(Default)]
struct Show {
    number: bool,
    number_nonblank: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
    squeeze: bool,
}

/// The state that continues from one file to the next.
struct State {
    line: u64,
    at_start: bool,
    blanks: u32,
    carriage_return: bool,
}

const SPEC: Spec = Spec {
    name: "cat",
    usage: "\
Usage: cat [OPTION]... [FILE]...
Prints files, one after the other.
Without FILE, or where it is -, standard input is read.

",
    options: &[
        option("-A, --show-all", "as -vET"),
        option("-b, --number-nonblank", "number lines that are not empty"),
        option("-e", "as -vE"),
        option("-E, --show-ends", "$ at the end of each line"),
        option("-n, --number", "number all lines"),
        option("-s, --squeeze-blank", "of empty lines in a row only one"),
        option("-t", "as -vT"),
        option("-T, --show-tabs", "tabs as ^I"),
        option("-u", "nothing: for old scripts"),
        option("-v, --show-nonprinting", "other characters as ^X and M-X, but for tabs and newlines"),
    ],
    ..Spec::DEFAULT
};

/// Runs `cat` and returns its exit status.
pub fn cat_main(args: Vec<OsString>) -> i32 {
    let mut parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut show = Show::default();
    for g in &parsed.options {
        match g.id {
            "A" => (show.nonprinting, show.ends, show.tabs) = (true, true, true),
            "b" => show.number_nonblank = true,
            "e" => (show.nonprinting, show.ends) = (true, true),
            "n" => show.number = true,
            "s" => show.squeeze = true,
            "t" => (show.nonprinting, show.tabs) = (true, true),
            "v" => show.nonprinting = true,
            "E" => show.ends = true,
            "T" => show.tabs = true,
            _ => {}
        }
    }
    let plain =
        !(show.number || show.number_nonblank || show.ends || show.tabs || show.nonprinting || show.squeeze);
    if parsed.operands.is_empty() {
        parsed.operands.push(b"-".to_vec());
    }
    let mut state = State { line: 0, at_start: true, blanks: 0, carriage_return: false };
    let mut buffer = vec![0; CHUNK];
    let mut code = 0;
    let output = sys::fstat(1).ok().filter(sys::Stat::is_file);
    for path in &parsed.operands {
        let fd = match open(path) {
            Ok(fd) => fd,
            Err(e) => {
                warn!("cat", quotef(path), ": ", e);
                code = 1;
                continue;
            }
        };
        // A file copied to itself would grow forever.
        if let (Some(output), Ok(input)) = (output, sys::fstat(fd))
            && (output.dev, output.ino) == (input.dev, input.ino)
            && sys::lseek(fd, 0, 1).is_ok_and(|at| at < input.size)
        {
            warn!("cat", quotef(path), ": input file is output file");
            code = 1;
            if fd != 0 {
                let _ = sys::close(fd);
            }
            continue;
        }
        loop {
            match sys::read(fd, &mut buffer) {
                Ok(0) => break,
                Ok(n) if plain => {
                    if let Err(e) = sys::write_all(1, &buffer[..n]) {
                        warn!("cat", "write error: ", e);
                        return 1;
                    }
                }
                Ok(n) => {
                    out::put(shown(&show, &mut state, &buffer[..n]));
                    // Input that arrives slowly is shown as it arrives.
                    out::flush();
                }
                Err(Errno::INTR) => {}
                Err(e) => {
                    warn!("cat", quotef(path), ": ", e);
                    code = 1;
                    break;
                }
            }
        }
        if fd != 0 {
            let _ = sys::close(fd);
        }
    }
    if state.carriage_return {
        out::put("\r");
    }
    if parsed.operands.iter().any(|path| path == b"-")
        && let Err(e) = sys::close(0)
    {
        warn!("cat", "closing standard input: ", e);
        code = 1;
    }
    out::finish("cat", code, 1)
}

pub(crate) fn open(path: &[u8]) -> sys::Result<sys::Fd> {
    if path == b"-" { Ok(0) } else { sys::open(path, READ, 0) }
}

fn shown(show: &Show, state: &mut State, data: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(data.len() * 2);
    let plain = |b: u8| match b {
        b'\n' | b'\r' | b'\t' => false,
        0x20..0x7f => true,
        _ => !show.nonprinting,
    };
    let mut at = 0;
    while let Some(&b) = data.get(at) {
        if !state.at_start && !state.carriage_return {
            let run = data[at..].iter().take_while(|b| plain(**b)).count();
            text.extend_from_slice(&data[at..at + run]);
            at += run;
            if run > 0 {
                continue;
            }
        }
        at += 1;
        if std::mem::take(&mut state.carriage_return) {
            // `-E` makes a carriage return before the end of a line visible.
            text.extend_from_slice(if show.ends && b == b'\n' { b"^M" } else { b"\r" });
        }
        if state.at_start {
            let blank = b == b'\n';
            state.blanks = if blank { state.blanks + 1 } else { 0 };
            if show.squeeze && state.blanks > 1 {
                continue;
            }
            if show.number_nonblank && !blank || show.number && !show.number_nonblank {
                state.line += 1;
                push_number(&mut text, state.line);
            }
        }
        state.at_start = b == b'\n';
        match b {
            b'\n' => {
                if show.ends {
                    text.push(b'$');
                }
                text.push(b'\n');
            }
            b'\t' if show.tabs => text.extend_from_slice(b"^I"),
            b'\t' => text.push(b'\t'),
            b'\r' if show.ends && !show.nonprinting => state.carriage_return = true,
            _ if show.nonprinting => visible(&mut text, b),
            _ => text.push(b),
        }
    }
    text
}

/// Appends the number formatted with `%6d`, and a tab.
fn push_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [b' '; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start.min(digits.len() - 6)..]);
    text.push(b'\t');
}

fn visible(text: &mut Vec<u8>, byte: u8) {
    let low = byte & 0x7f;
    if byte >= 0x80 {
        text.extend_from_slice(b"M-");
    }
    match low {
        0x7f => text.extend_from_slice(b"^?"),
        0..0x20 => text.extend_from_slice(&[b'^', low + 64]),
        _ => text.push(low),
    }
}
