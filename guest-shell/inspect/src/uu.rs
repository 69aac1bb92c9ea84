//! `uuencode` and `uudecode`, as in GNU sharutils 4.15.2.

use crate::text;
use sandshell_cli::input::Input;
use sandshell_cli::options::{Parsed, Spec, Stop, listed};
use sandshell_cli::{bytes, out};
use sandshell_sys as sys;

const HELP_OF_ENCODE: &str = "\
Usage:  uuencode [ -<flag> | --<name> ]... [<in-file>] <output-name>

Writes a file, or standard input, as text from which `uudecode` makes it again under the output's name.

   -m, --base64            in base64
   -e, --encode-file-name  the output's name in base64, too
   -v, --version           the version
   -h, --help              this text
";

const HELP_OF_DECODE: &str = "\
Usage:  uudecode [ -<flag> [<val>] | --<name>[{=| }<val>] ]... [<file>...]

Makes the files again that `uuencode` wrote as text.

   -o, --output-file=FILE  under this name; `-` is standard output
   -c, --ignore-chmod      go on if a mode cannot be set
   -v, --version           the version
   -h, --help              this text
";

const ENCODE: Spec = Spec { name: "uuencode", options: &[listed(HELP_OF_ENCODE)], ..Spec::DEFAULT };
const DECODE: Spec = Spec { name: "uudecode", options: &[listed(HELP_OF_DECODE)], ..Spec::DEFAULT };

/// Bytes in a full line: of the classic form, and of base64.
const CLASSIC_LINE: usize = 45;

/// Runs `uuencode` and returns its exit status.
pub fn uuencode_main(args: Vec<Vec<u8>>) -> i32 {
    let status = encode(&args).unwrap_or_else(|status| status);
    out::finish("uuencode", status, 1)
}

/// Runs `uudecode` and returns its exit status.
pub fn uudecode_main(args: Vec<Vec<u8>>) -> i32 {
    let status = read(&DECODE, "decode an encoded file", &args).and_then(|parsed| {
        let mut target = None;
        for given in &parsed.options {
            match given.id {
                "h" => return Err(text::print("uudecode", HELP_OF_DECODE)),
                "v" => return Err(text::print("uudecode", "uudecode (GNU sharutils) 4.15.2\n")),
                "o" => target = Some(given.text().to_vec()),
                _ => {}
            }
        }
        let mut status = 0;
        match parsed.operands.as_slice() {
            [] => decode(b"-", target.as_deref())?,
            files => {
                for file in files {
                    if let Err(failed) = decode(file, target.as_deref()) {
                        if failed != UNREADABLE {
                            return Err(failed);
                        }
                        status = failed;
                    }
                }
            }
        }
        Ok(status)
    });
    out::finish("uudecode", status.unwrap_or_else(|status| status), 1)
}

/// The status of `uudecode` for a file that cannot be opened.
const UNREADABLE: i32 = 4;

/// The status of `uudecode` for a file that cannot be written.
const UNWRITABLE: i32 = 8;

fn read(spec: &Spec, what: &str, args: &[Vec<u8>]) -> Result<Parsed, i32> {
    spec.read(args.get(1..).unwrap_or_default()).map_err(|stop| match stop {
        Stop::Wrong(text) => {
            let text = match text.strip_prefix(b"invalid option -- '").and_then(|t| t.strip_suffix(b"'")) {
                Some(letter) => bytes!("illegal option -- ", letter),
                None => text,
            };
            let _ = sys::write_all(2, &bytes!("/usr/bin/", spec.name, ": ", text, "\n"));
            usage(spec, what);
            1
        }
        Stop::Help | Stop::Version => 0,
    })
}

fn usage(spec: &Spec, what: &str) {
    let line = spec.help().lines().next().unwrap_or_default().to_owned();
    let text =
        format!("{0} (GNU sharutils) - {what}\n{line}\nTry '{0} --help' for more information.\n", spec.name);
    let _ = sys::write_all(2, text.as_bytes());
}

fn fatal(name: &str, text: &[u8]) {
    out::flush();
    let _ = sys::write_all(2, &bytes!(name, " fatal error:\n", text));
}

fn failed(name: &str, e: sys::Errno, what: &str, file: &[u8]) {
    fatal(
        name,
        &bytes!("fserr ", number(e).to_string(), " (", e, ") performing '", what, "' on ", file, "\n"),
    );
}

/// Linux's number of an error.
fn number(e: sys::Errno) -> u16 {
    match e {
        sys::Errno::PERM => 1,
        sys::Errno::NOENT => 2,
        sys::Errno::IO => 5,
        sys::Errno::ACCES => 13,
        sys::Errno::EXIST => 17,
        sys::Errno::NOTDIR => 20,
        sys::Errno::ISDIR => 21,
        sys::Errno::INVAL => 22,
        sys::Errno::FBIG => 27,
        sys::Errno::NOSPC => 28,
        sys::Errno::ROFS => 30,
        sys::Errno::NAMETOOLONG => 36,
        sys::Errno::LOOP => 40,
        other => other.0,
    }
}

fn encode(args: &[Vec<u8>]) -> Result<i32, i32> {
    const WHAT: &str = "encode a file into email friendly text";
    let parsed = read(&ENCODE, WHAT, args)?;
    let (mut base64, mut encodes_name) = (false, false);
    for given in &parsed.options {
        match given.id {
            "m" => base64 = true,
            "e" => encodes_name = true,
            "h" => return Err(text::print("uuencode", HELP_OF_ENCODE)),
            _ => return Err(text::print("uuencode", "uuencode (GNU sharutils) 4.15.2\n")),
        }
    }
    let (file, name) = match parsed.operands.as_slice() {
        [name] => (None, name),
        [file, name] => (Some(file), name),
        _ => {
            usage(&ENCODE, WHAT);
            return Err(64);
        }
    };
    let (fd, mode) = match file {
        None => (0, 0o666 & !umask()),
        Some(file) => {
            let opened = sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0)
                .and_then(|fd| Ok((fd, sys::fstat(fd)?.mode & 0o777)));
            opened.map_err(|e| {
                failed("uuencode", e, "freopen of stdin", file);
                1
            })?
        }
    };
    let begin = match (base64, encodes_name) {
        (false, false) => "begin",
        (true, false) => "begin-base64",
        (false, true) => "begin-encoded",
        (true, true) => "begin-base64-encoded",
    };
    let shown = if encodes_name { groups(name, BASE64, b"=") } else { name.clone() };
    out::put(bytes!(begin, format!(" {mode:o} "), shown, "\n"));
    let content = Input::of(fd).rest().map_err(|e| {
        failed("uuencode", e, "fread", file.map_or(&b"standard input"[..], Vec::as_slice));
        1
    })?;
    for line in content.chunks(CLASSIC_LINE) {
        if !base64 {
            out::put([CLASSIC[line.len()]]);
        }
        let (letters, end) = if base64 { (BASE64, b"=") } else { (CLASSIC, b"`") };
        out::put(bytes!(groups(line, letters, end), "\n"));
    }
    out::put(if base64 { "====\n" } else { "`\nend\n" });
    Ok(0)
}

fn umask() -> u32 {
    let mask = sys::umask(0);
    sys::umask(mask);
    mask
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CLASSIC: &[u8; 64] = b"`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";

/// Each three bytes as four letters. Of an incomplete group, `end` takes the place of what has no bits.
fn groups(bytes: &[u8], letters: &[u8; 64], end: &[u8; 1]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = letters[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i > group.len() { end[0] } else { letter });
        }
    }
    out
}

/// The bytes of groups of four letters. `None` if there is another character.
fn ungrouped(text: &[u8], value: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.chunks(4) {
        let mut bits = 0;
        for i in 0..4 {
            bits = bits << 6 | group.get(i).map_or(Some(0), |letter| value(*letter))?;
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    Some(out)
}

fn of_classic(letter: u8) -> Option<u32> {
    matches!(letter, b' '..=b'`').then(|| u32::from(letter - b' ') & 63)
}

fn of_base64(letter: u8) -> Option<u32> {
    BASE64.iter().position(|known| *known == letter).and_then(|value| u32::try_from(value).ok())
}

/// The bytes of a line of base64, which may end with `=`.
fn base64_line(line: &[u8]) -> Option<Vec<u8>> {
    let end = line.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    if line.len() - end > 2 || !line.len().is_multiple_of(4) {
        return None;
    }
    let mut plain = ungrouped(&line[..end], of_base64)?;
    plain.truncate(line.len() / 4 * 3 - (line.len() - end));
    Some(plain)
}

/// Decodes all files in a text. `Err` is the exit status.
fn decode(file: &[u8], target: Option<&[u8]>) -> Result<(), i32> {
    let shown = if file == b"-" { b"standard input" } else { file };
    let bad = |what: &str| {
        // These have no newline.
        let end = if matches!(what, "Short file" | "No `end' line" | "invalid input") { "" } else { "\n" };
        fatal("uudecode", &bytes!(shown, ": ", what, end));
        2
    };
    let text = Input::open(file).and_then(|mut input| input.rest()).map_err(|e| {
        out::flush();
        let _ = sys::write_all(2, &bytes!("uudecode: ", shown, ": ", e, "\n"));
        UNREADABLE
    })?;
    let mut lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let head = lines.by_ref().find_map(Head::parse).ok_or_else(|| bad("Invalid or missing 'begin' line"))?;
    let mut content = Vec::new();
    loop {
        let line = lines.next().filter(|line| !line.is_empty()).ok_or_else(|| bad("Short file"))?;
        if head.base64 {
            if line == b"====" {
                break;
            }
            content.extend(base64_line(line.trim_ascii_end()).ok_or_else(|| bad("invalid input"))?);
            continue;
        }
        let length = of_classic(line[0]).ok_or_else(|| bad("invalid input"))? as usize;
        if length == 0 {
            if lines.next().is_none_or(|line| line != b"end") {
                return Err(bad("No `end' line"));
            }
            break;
        }
        let needed = length.div_ceil(3) * 4;
        // Mail programs take blanks at the end away.
        let mut letters = line[1..].to_vec();
        letters.resize(needed, b' ');
        let mut plain = ungrouped(&letters, of_classic).ok_or_else(|| bad("invalid input"))?;
        plain.truncate(length);
        content.extend(plain);
    }
    let name = target.unwrap_or(&head.name);
    if matches!(name, b"-" | b"/dev/stdout") {
        out::put(content);
        return Ok(());
    }
    let name = match (name.strip_prefix(b"~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) if target.is_none() => bytes!(home.as_encoded_bytes(), "/", rest),
        _ => name.to_vec(),
    };
    use sys::open_flags::{CLOEXEC, CREATE, TRUNC, WRITE};
    let written = sys::open(&name, WRITE | CREATE | TRUNC | CLOEXEC, 0o666).and_then(|fd| {
        let done = sys::write_all(fd, &content).and_then(|()| sys::fchmod(fd, head.mode));
        let _ = sys::close(fd);
        done
    });
    written.map_err(|e| {
        failed("uudecode", e, "freopen", &name);
        UNWRITABLE
    })
}

/// The first line of an encoded file.
struct Head {
    base64: bool,
    mode: u32,
    name: Vec<u8>,
}

impl Head {
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn(3, |byte| *byte == b' ');
        let (base64, encoded) = match words.next()? {
            b"begin" => (false, false),
            b"begin-base64" => (true, false),
            b"begin-encoded" => (false, true),
            b"begin-base64-encoded" => (true, true),
            _ => return None,
        };
        let mode = std::str::from_utf8(words.next()?).ok()?;
        let mode = u32::from_str_radix(mode, 8).ok()? & 0o777;
        let name = words.next().filter(|name| !name.is_empty())?;
        let name = if encoded { base64_line(name)? } else { name.to_vec() };
        Some(Self { base64, mode, name })
    }
}
