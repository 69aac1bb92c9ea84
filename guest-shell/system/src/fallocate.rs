//! `fallocate` of util-linux 2.38: allocates space for a file. What a sandbox's files cannot do, such as making holes
//! and removing ranges, is refused.

use crate::base::options::{self, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;
use sys::open_flags as f;

const SPEC: Spec = Spec {
    name: "fallocate",
    options: &[
        listed(USAGE),
        hidden("c", "-c, --collapse-range"),
        hidden("d", "-d, --dig-holes"),
        hidden("i", "-i, --insert-range"),
        hidden("p", "-p, --punch-hole"),
    ],
    ..options::UTIL_LINUX
};

/// Runs `fallocate` on its arguments (its own name first) and returns the exit status.
pub fn fallocate_main(args: Vec<Vec<u8>>) -> i32 {
    let code = fallocate(&args).unwrap_or_else(|code| code);
    out::finish("fallocate", code, 1)
}

const RANGES: &str = "mutually exclusive arguments: --collapse-range --dig-holes --punch-hole --zero-range";

fn fallocate(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut length, mut offset) = (None, 0);
    let (mut range, mut keep, mut verbose) = (None, false, false);
    for g in &parsed.options {
        match g.id {
            "?" | "h" | "V" => return Err(options::usual(&SPEC, args, g)),
            "l" => match size(g.text()).filter(|n| *n > 0) {
                Some(n) => length = Some(n),
                None => return Err(fail(args, "invalid length value specified")),
            },
            "o" => match size(g.text()) {
                Some(n) => offset = n,
                None => return Err(fail(args, "invalid offset value specified")),
            },
            "n" => keep = true,
            "v" => verbose = true,
            letter @ ("c" | "d" | "p" | "z")
                if range.is_some_and(|r| r != letter && !matches!(r, "x" | "i")) =>
            {
                return Err(fail(args, RANGES));
            }
            letter => range = Some(letter),
        }
    }
    let name = match parsed.operands.as_slice() {
        [] => return Err(fail(args, "no filename specified")),
        [name] => name,
        _ => return Err(fail(args, "unexpected number of arguments")),
    };
    if length.is_none() && range != Some("d") {
        return Err(fail(args, "no length argument specified"));
    }
    let create = if matches!(range, None | Some("x" | "z")) { f::CREATE } else { 0 };
    let fd = sys::open(name, f::READ | f::WRITE | f::CLOEXEC | create, 0o666).map_err(|e| {
        fail(args, [b"cannot open ", name.as_slice(), b": ", e.to_string().as_bytes()].concat())
    })?;
    let length = length.unwrap_or_default();
    let done = match range {
        None | Some("x") => allocate(fd, offset, length, keep),
        Some("z") => allocate(fd, offset, length, keep).and_then(|()| clear(fd, offset, length)),
        Some(_) => Err(sys::Errno::NOTSUP),
    };
    let _ = sys::close(fd);
    done.map_err(|e| fail(args, format!("fallocate failed: {e}")))?;
    if verbose {
        let what = if range == Some("z") { "zeroed" } else { "allocated" };
        let text = format!(": {} ({length} bytes) {what}.\n", shown(length));
        out::put([name.as_slice(), text.as_bytes()].concat());
    }
    Ok(0)
}

// Files here cannot have space after their end, which `-n` could ask for.
fn allocate(fd: sys::Fd, offset: u64, length: u64, keep: bool) -> sys::Result<()> {
    if keep && sys::fstat(fd)?.size < offset.saturating_add(length) {
        return Err(sys::Errno::NOTSUP);
    }
    sys::fallocate(fd, offset, length)
}

fn clear(fd: sys::Fd, offset: u64, length: u64) -> sys::Result<()> {
    sys::lseek(fd, offset.cast_signed(), 0)?;
    let zeros = vec![0; 64 << 10];
    let mut left = length;
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(zeros.len());
        sys::write_all(fd, zeros.get(..count).unwrap_or_default())?;
        left -= count as u64;
    }
    Ok(())
}

fn fail(args: &[Vec<u8>], text: impl AsRef<[u8]>) -> i32 {
    say::error(args, text);
    1
}

/// Parses a size with a suffix: `K` and `KiB` are 1024, `KB` is 1000. The digits of a fraction are added one by one,
/// each rounded down.
fn size(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let (radix, digits) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(rest) => (16, rest),
        None if text.starts_with('0') => (8, text),
        None => (10, text),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at_checked(end).filter(|(number, _)| !number.is_empty())?;
    let number = u64::from_str_radix(number, radix).ok()?;
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest.split_at_checked(end)?
        }
        None => ("", rest),
    };
    if suffix.is_empty() {
        return rest.is_empty().then_some(number).filter(|n| i64::try_from(*n).is_ok());
    }
    let (letter, kind) = suffix.split_at_checked(1)?;
    let base: u64 = match kind {
        "" | "iB" | "ib" => 1024,
        "B" | "b" => 1000,
        _ => return None,
    };
    let power = "KMGTPE".find(&letter.to_ascii_uppercase())? + 1;
    let unit = base.checked_pow(u32::try_from(power).ok()?)?;
    let mut all = number.checked_mul(unit)?;
    let mut place = 1u64;
    for digit in fraction.bytes() {
        place = place.checked_mul(10)?;
        if digit != b'0' {
            all = all.checked_add(unit / (place / u64::from(digit - b'0')))?;
        }
    }
    i64::try_from(all).is_ok().then_some(all)
}

/// A human-readable size, with one decimal.
fn shown(bytes: u64) -> String {
    let power = (0..6).rev().find(|p| bytes >> (p * 10) > 0).unwrap_or(0);
    let unit = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].get(power).copied().unwrap_or_default();
    let whole = bytes >> (power * 10);
    let part = bytes & ((1u64 << (power * 10)) - 1);
    let tenths = (u128::from(part) * 10 + (1u128 << (power * 10)) / 2) >> (power * 10);
    match tenths {
        0 => format!("{whole} {unit}"),
        10 => format!("{} {unit}", whole + 1),
        tenths => format!("{whole}.{tenths} {unit}"),
    }
}

const USAGE: &str = "
Usage:
 fallocate [options] <filename>

Makes sure that a file has room.

 -l, --length <num>   for how many bytes
 -o, --offset <num>   from which byte on
 -z, --zero-range     fill the range with zeros
 -x, --posix          the same as without it
 -n, --keep-size      leave the size as it is
 -v, --verbose        say what was done
 -h, --help           this text
 -V, --version        the version

There are no holes to make or ranges to move in files here: -c, --collapse-range, -d, --dig-holes, -i, --insert-range
and -p, --punch-hole are refused.

Examples:
 fallocate -l 10M image
 fallocate -z -o 512 -l 1K image
";

#[cfg(test)]
mod tests {
    use super::{shown, size};

    #[test]
    fn sizes_as_util_linux_reads_them() {
        let cases: &[(&str, Option<u64>)] = &[
            ("1k", Some(1024)),
            ("1kb", Some(1000)),
            ("1Kib", Some(1024)),
            ("1KIB", None),
            ("1b", None),
            ("1 K", None),
            ("0x10", Some(16)),
            ("010", Some(8)),
            (" 7", Some(7)),
            ("1.5K", Some(1536)),
            ("1.5", None),
            (".5K", None),
            ("1.K", Some(1024)),
            ("+5", Some(5)),
            ("10.25M", Some(10_747_903)),
            ("0.1M", Some(104_857)),
            ("1.55K", Some(1587)),
            ("8E", None),
            ("99999999999999999999", None),
            ("-5", None),
            ("K", None),
        ];
        for (text, value) in cases {
            assert_eq!(size(text.as_bytes()), *value, "{text}");
        }
    }

    #[test]
    fn sizes_as_util_linux_shows_them() {
        let cases = [(1000, "1000 B"), (1025, "1 KiB"), (1_048_575, "1024 KiB"), (99_999, "97.7 KiB")];
        for (bytes, text) in cases {
            assert_eq!(shown(bytes), text);
        }
    }
}
