//! `uuidgen` of util-linux 2.38: makes identifiers as RFC 4122 says.

use crate::base::options::{self, Spec, listed};
use crate::base::say;
use md5::{Digest, Md5};
use sandshell_cli::out;
use sandshell_sys as sys;
use sha1::Sha1;

const SPEC: Spec = Spec { name: "uuidgen", options: &[listed(USAGE)], ..options::UTIL_LINUX };

type Uuid = [u8; 16];

/// Runs `uuidgen` on its arguments (its own name first) and returns the exit status.
pub fn uuidgen_main(args: Vec<Vec<u8>>) -> i32 {
    let code = uuidgen(&args).unwrap_or_else(|code| code);
    out::finish("uuidgen", code, 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Random,
    Time,
    Md5,
    Sha1,
}

fn uuidgen(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut kind, mut hex) = (Kind::Random, false);
    let (mut space, mut name) = (None, None);
    for g in &parsed.options {
        match g.id {
            "r" => kind = Kind::Random,
            "t" => kind = Kind::Time,
            "m" => kind = Kind::Md5,
            "s" => kind = Kind::Sha1,
            "n" => space = Some(g.text()),
            "N" => name = Some(g.text()),
            "x" => hex = true,
            _ => return Err(options::usual(&SPEC, args, g)),
        }
    }
    let hashes = matches!(kind, Kind::Md5 | Kind::Sha1);
    let uuid = match (space, name) {
        (None, Some(_)) => return Err(usage(args, "--name requires --namespace argument")),
        (Some(_), None) => return Err(usage(args, "--namespace requires --name argument")),
        (Some(_), Some(_)) if !hashes => {
            return Err(usage(args, "--namespace requires --md5 or --sha1"));
        }
        (None, None) if hashes => {
            return Err(usage(args, "--md5 or --sha1 requires --namespace argument"));
        }
        (Some(space), Some(name)) => {
            let bytes = if hex { unhex(name) } else { Some(name.to_vec()) };
            let name = bytes.ok_or_else(|| usage(args, "not a valid hex string"))?;
            hashed(kind, &namespace(args, space)?, &name)
        }
        (None, None) if kind == Kind::Time => by_time(),
        (None, None) => random(),
    };
    out::put(shown(&uuid));
    Ok(0)
}

fn usage(args: &[Vec<u8>], text: impl AsRef<[u8]>) -> i32 {
    say::error(args, text);
    options::try_help(&SPEC, args)
}

/// The namespaces of RFC 4122 differ in one byte.
fn namespace(args: &[Vec<u8>], text: &[u8]) -> Result<Uuid, i32> {
    const KNOWN: [(&[u8], u8); 4] = [(b"@dns", 0x10), (b"@url", 0x11), (b"@oid", 0x12), (b"@x500", 0x14)];
    if text.len() > 1 && text.starts_with(b"@") {
        let last = KNOWN.iter().find(|known| known.0 == text).map(|known| known.1);
        let unknown = || usage(args, [b"unknown namespace alias: '", text, b"'"].concat());
        let last = last.ok_or_else(unknown)?;
        return Ok([
            0x6b, 0xa7, 0xb8, last, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
        ]);
    }
    parse(text).ok_or_else(|| usage(args, [b"invalid uuid for namespace: '", text, b"'"].concat()))
}

/// Reads an identifier.
fn parse(text: &[u8]) -> Option<Uuid> {
    let dashes = [8, 13, 18, 23];
    let is_dash = |(at, byte): (usize, &u8)| dashes.contains(&at) == (*byte == b'-');
    if text.len() != 36 || !text.iter().enumerate().all(is_dash) {
        return None;
    }
    let digits: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'-').collect();
    unhex(&digits)?.try_into().ok()
}

/// Bytes from pairs of hexadecimal digits.
fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

fn hashed(kind: Kind, space: &Uuid, name: &[u8]) -> Uuid {
    let text = [space.as_slice(), name].concat();
    let (hash, version) =
        if kind == Kind::Md5 { (Md5::digest(text).to_vec(), 3) } else { (Sha1::digest(text).to_vec(), 5) };
    let mut uuid = Uuid::default();
    uuid.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    marked(uuid, version)
}

fn random() -> Uuid {
    let mut uuid = Uuid::default();
    sys::random(&mut uuid);
    marked(uuid, 4)
}

/// From the time. A sandbox has no address of a network, for which RFC 4122 has a random one with a mark.
fn by_time() -> Uuid {
    /// From 15 October 1582 to 1970, in units of 100 nanoseconds.
    const BEFORE: u64 = 0x01b2_1dd2_1381_4000;
    let time = (sys::realtime() / 100).wrapping_add(BEFORE).to_be_bytes();
    let mut uuid = Uuid::default();
    sys::random(&mut uuid);
    let [high0, high1, mid0, mid1, low @ ..] = time;
    let fields = low.into_iter().chain([mid0, mid1, high0, high1]);
    uuid.iter_mut().zip(fields).for_each(|(to, from)| *to = from);
    if let Some(node) = uuid.get_mut(10) {
        *node |= 1;
    }
    marked(uuid, 1)
}

/// Writes the version and the variant.
fn marked(mut uuid: Uuid, version: u8) -> Uuid {
    uuid[6] = uuid[6] & 0xf | version << 4;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    uuid
}

fn shown(uuid: &Uuid) -> String {
    let mut text = String::new();
    for (at, byte) in uuid.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text.push('\n');
    text
}

const USAGE: &str = "
Usage:
 uuidgen [options]

Makes a UUID.

 -r, --random          of random bytes (without options)
 -t, --time            of the time
 -m, --md5             of the MD5 hash of a name
 -s, --sha1            of the SHA-1 hash of a name
 -n, --namespace <ns>  where the name belongs: a UUID, @dns, @url, @oid or @x500
 -N, --name <name>     the name
 -x, --hex             the name is in hexadecimal
 -h, --help            this text
 -V, --version         the version
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_variants() {
        for (uuid, version) in [(random(), 4), (by_time(), 1)] {
            assert_eq!((uuid[6] >> 4, uuid[8] >> 6), (version, 2));
        }
        assert_eq!(by_time()[10] & 1, 1, "no card has this address");
        assert_ne!(random(), random());
    }

    #[test]
    fn text_and_back() {
        let uuid = random();
        assert_eq!(parse(shown(&uuid).trim_end().as_bytes()), Some(uuid));
        assert_eq!(parse(b"6ba7b8109dad11d180b400c04fd430c8"), None);
        assert_eq!(parse(b"6ba7b81-09dad-11d1-80b4-00c04fd430c8"), None);
    }
}
