//! The names that carry styles and tags through jq (`-Y`).

use sha2::{Digest, Sha224};

/// The name of the annotation for the entry `key`. `kind` is `tag` or `style`.
pub(crate) fn entry(kind: &str, key: &str) -> String {
    format!("__yq_{kind}_{}__", hash(key))
}

/// The annotation for the item `i`.
pub(crate) fn item(kind: &str, i: usize, value: &str) -> String {
    format!("__yq_{kind}_{i}_{value}__")
}

/// Parses the annotation of an entry: its kind and the hash of the key.
pub(crate) fn parse_entry(name: &str) -> Option<(&str, &str)> {
    let (kind, rest) = split(name)?;
    (!rest.is_empty()).then_some((kind, rest))
}

/// Parses the annotation of an item: its kind, the index and the value.
pub(crate) fn parse_item(text: &str) -> Option<(&str, usize, &str)> {
    let (kind, rest) = split(text)?;
    let (number, value) = rest.split_once('_')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (digits && !value.is_empty()).then(|| Some((kind, number.parse().ok()?, value)))?
}

fn split(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("__yq_")?.strip_suffix("__")?;
    let (kind, rest) = rest.split_once('_')?;
    matches!(kind, "tag" | "style").then_some((kind, rest))
}

/// The base64 form of the key's SHA-224.
pub(crate) fn hash(key: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha224::digest(key.as_bytes());
    let mut out = String::with_capacity(40);
    for chunk in digest.chunks(3) {
        let mut group = [0u8; 4];
        for (to, from) in group[1..].iter_mut().zip(chunk) {
            *to = *from;
        }
        let bits = u32::from_be_bytes(group);
        for i in 0..4usize {
            let letter = LETTERS.get((bits >> (18 - 6 * i)) as usize & 63).copied().unwrap_or(b'=');
            out.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}
