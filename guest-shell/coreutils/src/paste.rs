//! `paste`.

use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::{bytes, warn};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "paste",
    usage: "\
Usage: paste [OPTION]... [FILE]...
Puts the lines of files side by side, with tabs between them.

",
    options: &[
        option("-d, --delimiters=LIST", "the characters of LIST in turn instead of tabs"),
        option("-s, --serial", "the lines of a file in one line, each file in its own"),
        option("-z, --zero-terminated", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// Runs `paste` and returns its exit status.
pub fn paste_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let (mut delimiters, mut serial, mut end) = (vec![Some(b'\t')], false, b'\n');
    for g in &parsed.options {
        match g.id {
            "d" => delimiters = list(g.text())?,
            "s" => serial = true,
            _ => end = 0,
        }
    }
    let mut operands = parsed.operands;
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let code = if serial {
        one_by_one(&operands, &delimiters, end)
    } else {
        side_by_side(&operands, &delimiters, end)?
    };
    Ok(out::finish("paste", code, 1))
}

/// Parses the delimiters; `None` is an empty one.
fn list(text: &[u8]) -> Result<Vec<Option<u8>>, i32> {
    if text.is_empty() {
        return Ok(vec![None]);
    }
    let mut out = Vec::new();
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        if *b != b'\\' {
            out.push(Some(*b));
            continue;
        }
        out.push(match bytes.next() {
            Some(b'0') => None,
            Some(b'b') => Some(8),
            Some(b'f') => Some(12),
            Some(b'n') => Some(b'\n'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            Some(b'v') => Some(11),
            Some(other) => Some(*other),
            None => {
                warn!("paste", "delimiter list ends with an unescaped backslash: ", text);
                return Err(1);
            }
        });
    }
    Ok(out)
}

fn one_by_one(operands: &[Vec<u8>], delimiters: &[Option<u8>], end: u8) -> i32 {
    let mut code = 0;
    for path in operands {
        let mut input = match Input::open(path) {
            Ok(input) => input,
            Err(e) => {
                warn!("paste", quotef(path), ": ", e);
                code = 1;
                continue;
            }
        };
        let mut between = delimiters.iter().cycle();
        let mut waiting = None;
        loop {
            let put = |piece: &[u8]| {
                out::put(waiting.take().map_or(vec![], |d| vec![d]));
                out::put(piece);
            };
            match input.pieces(end, put) {
                Ok(true) if out::failure().is_some() => return code,
                Ok(true) => waiting = between.next().copied().flatten(),
                Ok(false) => break,
                Err(e) => {
                    warn!("paste", quotef(path), ": ", e);
                    code = 1;
                    break;
                }
            }
        }
        out::put([end]);
    }
    code
}

fn side_by_side(operands: &[Vec<u8>], delimiters: &[Option<u8>], end: u8) -> Result<i32, i32> {
    let mut code = 0;
    // All `-` operands take turns reading standard input.
    let mut stdin = Input::of(0);
    let mut inputs = Vec::new();
    for path in operands {
        if path == b"-" {
            inputs.push(None);
            continue;
        }
        inputs.push(Some(Input::open(path).map_err(|e| {
            warn!("paste", quotef(path), ": ", e);
            1
        })?));
    }
    let mut open = vec![true; inputs.len()];
    loop {
        // Delimiters that are only written if a field follows them.
        let mut waiting = Vec::new();
        let mut any = false;
        for (i, input) in inputs.iter_mut().enumerate() {
            if i > 0 {
                waiting.extend(delimiters[(i - 1) % delimiters.len()]);
            }
            if !open[i] {
                continue;
            }
            let put = |piece: &[u8]| {
                out::put(std::mem::take(&mut waiting));
                out::put(piece);
            };
            match input.as_mut().unwrap_or(&mut stdin).pieces(end, put) {
                Ok(true) => any = true,
                Ok(false) => open[i] = false,
                Err(e) => {
                    warn!("paste", quotef(&operands[i]), ": ", e);
                    code = 1;
                    open[i] = false;
                }
            }
        }
        if !any || out::failure().is_some() {
            return Ok(code);
        }
        out::put(bytes!(waiting, [end].as_slice()));
    }
}
