//! Git's binary patches.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::io::Write as _;

/// The object id that stands for a missing file.
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// The most bytes of compressed data on a line.
const LINE: usize = 52;

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The `index` line with both object ids, which `git apply` requires in a binary patch.
pub(super) fn index(old: Option<&[u8]>, new: Option<&[u8]>) -> Vec<u8> {
    let name = |content: Option<&[u8]>| content.map_or_else(|| NOTHING.to_owned(), blob);
    format!("index {}..{}", name(old), name(new)).into_bytes()
}

/// Writes both contents in full: the new one, and the old one for reverting.
pub(super) fn write(old: &[u8], new: &[u8], patch: &mut Vec<u8>) {
    patch.extend_from_slice(b"GIT binary patch\n");
    for content in [new, old] {
        patch.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
        write_lines(&compressed(content), patch);
        patch.push(b'\n');
    }
}

/// Git's object id of this content.
fn blob(content: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.finalize().iter().fold(String::new(), |mut name, byte| {
        // Writing into a string does not fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing into a vector does not fail.
    let _ = encoder.write_all(content);
    encoder.finish().unwrap_or_default()
}

/// Writes lines in base 85. Each begins with a letter for its length: A for 1, z for 52.
fn write_lines(data: &[u8], patch: &mut Vec<u8>) {
    for line in data.chunks(LINE) {
        let length = line.len() as u8;
        patch.push(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 });
        for group in line.chunks(4) {
            let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
            let mut number = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
            let mut digits = [0; 5];
            for digit in digits.iter_mut().rev() {
                *digit = DIGITS[(number % 85) as usize];
                number /= 85;
            }
            patch.extend_from_slice(&digits);
        }
        patch.push(b'\n');
    }
}
