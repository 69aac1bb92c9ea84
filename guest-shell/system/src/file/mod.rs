//! `file` as of version 5.44: tells the type of files by their contents.
//!
//! It knows the types that are common in a sandbox: texts and their encodings, scripts, program sources, markup,
//! archives, pictures, sound, documents, programs. Everything else is `data`.

mod archive;
mod binary;
mod bytes;
mod document;
mod elf;
mod encoding;
mod image;
mod inode;
mod media;
mod options;
mod program;
mod script;
mod structured;
mod text;

use crate::base::say;
use encoding::Encoding;
use options::{Excluded, Options, What};
use sandshell_cli::input;
use sandshell_cli::out;
use sandshell_posix::characters;
use sandshell_sys as sys;
use sandshell_time::{Local, strftime};
use std::borrow::Cow;

/// Runs `file` on its arguments (its own name first) and returns the exit status: 1 for a usage error, and with `-E` if
/// a file could not be examined.
pub fn file_main(args: Vec<Vec<u8>>) -> i32 {
    let code = match options::read(&args) {
        Ok(options) => run(&args, &options),
        Err(code) => code,
    };
    out::finish("file", code, 1)
}

/// What the data is: the description, and the type for `--mime-type`.
pub(crate) struct Description {
    text: Vec<u8>,
    mime: &'static str,
    /// Whether the encoding follows the description.
    text_follows: bool,
}

impl Description {
    fn new(text: impl Into<Cow<'static, str>>, mime: &'static str) -> Description {
        Description::bytes(text.into().into_owned().into_bytes(), mime)
    }

    fn bytes(text: Vec<u8>, mime: &'static str) -> Description {
        Description { text, mime, text_follows: false }
    }

    fn with_encoding(self) -> Description {
        Description { text_follows: true, ..self }
    }
}

fn run(args: &[Vec<u8>], options: &Options) -> i32 {
    let mut failed = false;
    for list in &options.lists {
        match names_in(list) {
            Ok(names) => failed |= !all(options, &names),
            Err(e) => {
                let shown = if list == b"-" { b"stdin".as_slice() } else { list };
                say::error(args, [b"Cannot open `", shown, b"' (", e.to_string().as_bytes(), b")"].concat());
                return 1;
            }
        }
    }
    failed |= !all(options, &options.names);
    i32::from(failed)
}

fn names_in(list: &[u8]) -> sys::Result<Vec<Vec<u8>>> {
    let content = input::contents(list)?;
    let lines = content.strip_suffix(b"\n").unwrap_or(&content);
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    Ok(lines.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect())
}

/// Describes all these files. Returns whether that was possible.
fn all(options: &Options, names: &[Vec<u8>]) -> bool {
    let widest = names.iter().map(|n| columns(n)).max().unwrap_or(0);
    let mut good = true;
    for name in names {
        if !options.brief {
            let shown = if name == b"-" { b"/dev/stdin".as_slice() } else { name };
            out::put(if options.raw { shown.to_vec() } else { printable(shown) });
            if options.nuls > 0 {
                out::put("\0");
            }
            if options.nuls < 2 {
                let pad = if options.pad { widest.saturating_sub(columns(name)) } else { 0 };
                out::put([options.separator.as_slice(), &b" ".repeat(pad), b" "].concat());
            }
        }
        match look(options, name) {
            Ok(text) => {
                out::put(if options.raw { text } else { printable(&text) });
                out::put(if options.nuls > 1 { "\0" } else { "\n" });
            }
            Err(message) => {
                out::put(if options.brief { "" } else { "ERROR: " });
                out::put([&message, b"\n".as_slice()].concat());
                good = false;
            }
        }
    }
    good
}

fn columns(name: &[u8]) -> usize {
    characters::columns(name)
}

/// The printed description of a file.
fn look(options: &Options, name: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    let (mut prefix, fd) = match inode::look(options, name) {
        inode::Inspected::Text(answer) => return Ok(shown(options, &answer, "binary")),
        inode::Inspected::Unreadable(text) => return Ok(text),
        inode::Inspected::Missing(e) => {
            let verb = if options.missing_is_error { b"cannot stat `".as_slice() } else { b"cannot open `" };
            let text = [verb, name, b"' (", e.to_string().as_bytes(), b")"].concat();
            return if options.missing_is_error { Err(text) } else { Ok(text) };
        }
        inode::Inspected::Open(prefix, fd) => (prefix, fd),
    };
    let data = read_some(fd);
    if fd > 2 {
        let _ = sys::close(fd);
    }
    let data = match data {
        Ok(data) => data,
        Err(e) => return Err([b"cannot read `", name, b"' (", e.to_string().as_bytes(), b")"].concat()),
    };
    let (answer, charset) = examine(&data, &options.excluded, options.keep_going);
    if matches!(options.what, What::Description) {
        prefix.extend_from_slice(&answer.text);
        return Ok(prefix);
    }
    Ok(shown(options, &answer, charset))
}

fn shown(options: &Options, answer: &Description, charset: &str) -> Vec<u8> {
    match options.what {
        What::Description => answer.text.clone(),
        What::Mime => format!("{}; charset={charset}", answer.mime).into_bytes(),
        What::MimeType => answer.mime.as_bytes().to_vec(),
        What::Charset => charset.as_bytes().to_vec(),
    }
}

/// How many bytes of a file are read.
const READ_MAX: usize = 7 << 20;
/// How many of them are used to detect the encoding.
const ENCODING_MAX: usize = 64 << 10;

fn read_some(fd: sys::Fd) -> sys::Result<Vec<u8>> {
    let mut data = Vec::new();
    let mut chunk = vec![0u8; 64 << 10];
    while data.len() < READ_MAX {
        match sys::read(fd, &mut chunk) {
            Ok(0) => break,
            Ok(n) => data.extend_from_slice(chunk.get(..n).unwrap_or_default()),
            Err(sys::Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    data.truncate(READ_MAX);
    Ok(data)
}

const STREAM: &str = "application/octet-stream";

/// The description of the data, and its character set.
fn examine(data: &[u8], excluded: &Excluded, keep_going: bool) -> (Description, &'static str) {
    match data.len() {
        0 => return (Description::new("empty", "inode/x-empty"), "binary"),
        1 => return (Description::new("very short file (no magic)", STREAM), "binary"),
        _ => {}
    }
    let (encoding, characters) = encoding::detect(data.get(..ENCODING_MAX).unwrap_or(data));
    let is_text = encoding != Encoding::Binary;
    let charset = encoding.charset();
    let early = || {
        let tar = (!excluded.tar).then(|| archive::tar(data)).flatten();
        tar.or_else(|| {
            let json = (!excluded.json && is_text).then(|| structured::json(data)).flatten()?;
            Some(match json {
                structured::Json::One => Description::new("JSON text data", "application/json"),
                structured::Json::Lines => {
                    Description::new("New Line Delimited JSON text data", "application/x-ndjson")
                }
            })
        })
        .or_else(|| {
            let csv = !excluded.csv && is_text && structured::is_csv(data);
            csv.then(|| Description::new("CSV text", "text/csv"))
        })
    };
    let mut found = early().or_else(|| (!excluded.soft).then(|| binary::describe(data, is_text)).flatten());
    let whole = data.len() < ENCODING_MAX;
    if let Some(answer) = &mut found {
        if answer.text_follows && is_text {
            let tail = format!(", {} text{}", encoding.name(), encoding::details(&characters, whole));
            answer.text.extend_from_slice(tail.as_bytes());
        } else if keep_going {
            answer.text.extend_from_slice(b"\n- data");
        }
    }
    let answer = found.unwrap_or_else(|| {
        let (encoding, characters) = match encoding {
            Encoding::Binary => {
                encoding::detect(encoding::without_nuls(data.get(..ENCODING_MAX).unwrap_or(data)))
            }
            _ => (encoding, characters),
        };
        if encoding == Encoding::Binary || excluded.text {
            return binary::unknown();
        }
        describe_text(encoding, &characters, whole, excluded)
    });
    // Without a type of its own, the type depends on the characters.
    let mime = match answer.mime {
        STREAM if is_text => "text/plain",
        mime => mime,
    };
    (Description { mime, ..answer }, charset)
}

fn describe_text(encoding: Encoding, characters: &[u32], whole: bool, excluded: &Excluded) -> Description {
    let utf8 = encoding::to_utf8(characters);
    let soft = if excluded.soft { None } else { text::describe(&utf8) };
    let (mut described, mime, executable) = match soft {
        None => (Vec::new(), "text/plain", false),
        Some(answer) => {
            let (text, executable) = match answer.text.strip_suffix(b" text executable") {
                Some(text) => (text, true),
                None => (answer.text.strip_suffix(b" text").unwrap_or(&answer.text), false),
            };
            ([text, b", "].concat(), answer.mime, executable)
        }
    };
    described.extend_from_slice(encoding.name().as_bytes());
    described.extend_from_slice(b" text");
    if executable {
        described.extend_from_slice(b" executable");
    }
    described.extend_from_slice(encoding::details(characters, whole).as_bytes());
    Description::bytes(described, mime)
}

/// The text with unprintable bytes as octal escapes.
pub(crate) fn printable(text: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(text.len());
    for (bytes, c) in characters::characters(text) {
        if c.is_some_and(characters::is_printable) {
            shown.extend_from_slice(bytes);
        } else {
            for b in bytes {
                shown.extend_from_slice(format!("\\{b:03o}").as_bytes());
            }
        }
    }
    shown
}

/// A time in the format of `ctime(3)`.
fn date(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(0);
    let local = Local::at_offset(seconds, 0, "UTC");
    let moment = strftime::Moment { local: &local, seconds, nanos: 0 };
    String::from_utf8_lossy(&strftime::format(b"%a %b %e %H:%M:%S %Y", &moment)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truncated data, and random bytes after a known signature, must not cause a panic.
    #[test]
    fn cut_off_and_random_data_is_described() {
        let starts: [&[u8]; 24] = [
            b"\x7fELF\x02\x01\x01",
            b"\x7fELF\x01\x02\x01",
            b"PK\x03\x04",
            b"\x1f\x8b\x08\x1f",
            b"RIFF\0\0\0\0WAVEfmt ",
            b"RIFF\0\0\0\0WEBPVP8 ",
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR",
            b"\xff\xd8\xff\xe1",
            b"II*\0",
            b"MM\0*",
            b"BM",
            b"OggS\0\x02",
            b"fLaC",
            b"ID3",
            b"\xff\xfb",
            b"\xca\xfe\xba\xbe",
            b"MZ",
            b"SQLite format 3\0",
            b"%PDF-1.",
            b"\0\0\x01\0",
            b"P6 ",
            b"\x28\xb5\x2f\xfd",
            b"!<arch>\ndebian-binary",
            b"#!",
        ];
        let mut seed = 1u32;
        for start in starts {
            for len in 0..200 {
                let mut data = start.to_vec();
                for _ in 0..len {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    data.push((seed >> 24) as u8);
                }
                let (answer, _) = examine(&data, &Excluded::default(), true);
                assert!(!answer.text.is_empty());
                data.fill(0xff);
                data.splice(..0, start.iter().copied());
                examine(&data, &Excluded::default(), false);
            }
        }
    }
}
