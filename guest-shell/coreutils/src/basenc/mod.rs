//! `base64`, `base32`, `basenc`.

mod base_n;

use crate::basenc::base_n::Base;
use sandshell_cli::input::Input;
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Opt, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use std::ffi::OsString;

/// Runs `base64` and returns its exit status.
pub fn base64_main(args: Vec<OsString>) -> i32 {
    run(
        "base64",
        "\
Usage: base64 [OPTION]... [FILE]
Writes the input in base 64, or reads it back.

",
        Some(Base::Base64),
        args,
    )
    .unwrap_or_else(|code| code)
}

/// Runs `base32` and returns its exit status.
pub fn base32_main(args: Vec<OsString>) -> i32 {
    run(
        "base32",
        "\
Usage: base32 [OPTION]... [FILE]
Writes the input in base 32, or reads it back.

",
        Some(Base::Base32),
        args,
    )
    .unwrap_or_else(|code| code)
}

/// Runs `basenc` and returns its exit status.
pub fn basenc_main(args: Vec<OsString>) -> i32 {
    let usage = "\
Usage: basenc [OPTION]... [FILE]
Writes the input in one of several bases, or reads it back.

";
    run("basenc", usage, None, args).unwrap_or_else(|code| code)
}

/// The options of `basenc`. From [`COMMON`] on they belong to all three commands.
const OPTIONS: &[Opt] = &[
    named("64", "--base64", "as base64"),
    named("64url", "--base64url", "base 64 with - and _, for names of files and URLs"),
    named("32", "--base32", "as base32"),
    named("32hex", "--base32hex", "base 32 with digits first, which keeps the order"),
    named("16", "--base16", "hexadecimal digits"),
    named("2m", "--base2msbf", "bits, the highest one of a byte first"),
    named("2l", "--base2lsbf", "bits, the lowest one of a byte first"),
    option("--z85", "ZeroMQ's base 85; the input's length is a multiple of 4, or of 5 with -d"),
    option("-d, --decode", "read that base"),
    option("-i, --ignore-garbage", "pass over characters that do not belong there"),
    option("-w, --wrap=COLS", "lines of COLS characters instead of 76; 0 is one line"),
];
const COMMON: usize = 8;

fn run(
    name: &'static str,
    usage: &'static str,
    fixed: Option<Base>,
    args: Vec<OsString>,
) -> Result<i32, i32> {
    let options = if fixed.is_some() { &OPTIONS[COMMON..] } else { OPTIONS };
    let spec = Spec { name, usage, options, ..Spec::DEFAULT };
    let parsed = spec.parse(&options::operands(args))?;
    let (mut decode, mut ignore, mut wrap, mut base) = (false, false, 76u64, fixed);
    for g in &parsed.options {
        match g.id {
            "d" => decode = true,
            "i" => ignore = true,
            "w" => {
                wrap = match number::unsigned(g.text(), "") {
                    Ok(n) => n,
                    Err(Fault::Overflow) => 0,
                    Err(Fault::Invalid | Fault::Suffix) => {
                        warn!(name, "invalid wrap size: ", quote(g.text()));
                        return Err(1);
                    }
                }
            }
            "64" => base = Some(Base::Base64),
            "64url" => base = Some(Base::Base64Url),
            "32" => base = Some(Base::Base32),
            "32hex" => base = Some(Base::Base32Hex),
            "16" => base = Some(Base::Base16),
            "2m" => base = Some(Base::HighBitFirst),
            "2l" => base = Some(Base::LowBitFirst),
            _ => base = Some(Base::Z85),
        }
    }
    let Some(base) = base else { return Err(spec.usage("missing encoding type")) };
    if let Some(extra) = parsed.operands.get(1) {
        return Err(spec.extra_operand(extra));
    }
    let path = parsed.operands.first().map_or(&b"-"[..], Vec::as_slice);
    let mut input = Input::open(path).map_err(|e| {
        warn!(name, quotef(path), ": ", e);
        1
    })?;
    let code = if decode {
        self::decode(name, base, ignore, &mut input)
    } else {
        encode(name, base, wrap, &mut input)
    };
    Ok(out::finish(name, code?, 1))
}

fn read(name: &str, input: &mut Input, piece: &mut Vec<u8>) -> Result<bool, i32> {
    let there = input.fill().map_err(|e| {
        warn!(name, "read error: ", e);
        1
    })?;
    piece.extend_from_slice(there);
    let n = there.len();
    input.consume(n);
    Ok(n > 0 && out::failure().is_none())
}

fn encode(name: &str, base: Base, wrap: u64, input: &mut Input) -> Result<i32, i32> {
    let mut column = 0u64;
    let mut piece = Vec::new();
    loop {
        let more = read(name, input, &mut piece)?;
        // Z85 refuses invalid input one block at a time.
        let unit = if base == Base::Z85 { 30 * 1024 } else { base.group().0 };
        let ready = if more { piece.len() / unit * unit } else { piece.len() };
        let Some(text) = base.encode(&piece[..ready]) else {
            let text = "invalid input (length must be multiple of 4 characters)";
            warn!(name, text);
            return Err(1);
        };
        piece.drain(..ready);
        let mut text = text.as_slice();
        while wrap > 0 && !text.is_empty() {
            let room = usize::try_from(wrap - column).unwrap_or(usize::MAX).min(text.len());
            out::put(&text[..room]);
            column += room as u64;
            text = &text[room..];
            if column == wrap {
                out::put("\n");
                column = 0;
            }
        }
        out::put(text);
        if !more {
            break;
        }
    }
    if column > 0 {
        out::put("\n");
    }
    Ok(0)
}

fn decode(name: &str, base: Base, ignore: bool, input: &mut Input) -> Result<i32, i32> {
    let size = base.group().1;
    let mut piece = Vec::new();
    let mut text = Vec::new();
    loop {
        let more = read(name, input, &mut piece)?;
        text.extend(piece.drain(..).filter(|c| if ignore { base.knows(*c) } else { *c != b'\n' }));
        let ready = if more { text.len() / size * size } else { text.len() };
        let mut out = Vec::with_capacity(ready);
        // Letters of the other alphabet are detected before anything is decoded.
        let mut good = base != Base::Base64Url || !text.iter().any(|c| matches!(c, b'+' | b'/'));
        for group in text[..ready].chunks(size) {
            if !good || !base.decode(group, &mut out) {
                good = false;
                break;
            }
        }
        out::put(bytes!(out));
        if !good {
            warn!(name, "invalid input");
            return Ok(1);
        }
        text.drain(..ready);
        if !more {
            return Ok(0);
        }
    }
}
