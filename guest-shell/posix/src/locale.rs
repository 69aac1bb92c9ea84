//! What the environment says of characters.

use std::sync::OnceLock;

/// Whether text is bytes, not UTF-8. As `setlocale(3)` of glibc with no locales but `C`, `POSIX` and `C.UTF-8`: the first
/// of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty names the locale, and a locale that is not there is `C`.
pub fn is_bytes() -> bool {
    static BYTES: OnceLock<bool> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let value =
            ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(std::env::var_os).find(|v| !v.is_empty());
        !value.is_some_and(|v| names_utf8(v.as_encoded_bytes()))
    })
}

/// `C.UTF-8`, its codeset written with letters of any case and with or without the hyphen.
fn names_utf8(locale: &[u8]) -> bool {
    let Some(codeset) = locale.strip_prefix(b"C.") else { return false };
    let codeset: Vec<u8> =
        codeset.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    codeset == b"utf8"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codesets_are_normalised() {
        assert!(names_utf8(b"C.UTF-8") && names_utf8(b"C.utf8"));
        assert!(!names_utf8(b"C") && !names_utf8(b"POSIX") && !names_utf8(b"en_US.UTF-8"));
    }
}
