//! The character encoding that the environment selects.

use std::sync::OnceLock;

/// Whether text consists of bytes and not of UTF-8 characters. The result is that of glibc's `setlocale(3)` where only
/// the locales `C`, `POSIX` and `C.UTF-8` exist: the first non-empty variable of `LC_ALL`, `LC_CTYPE` and `LANG` names
/// the locale, and a missing locale means `C`.
pub fn is_bytes() -> bool {
    static BYTES: OnceLock<bool> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let value =
            ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(std::env::var_os).find(|v| !v.is_empty());
        !value.is_some_and(|v| names_utf8(v.as_encoded_bytes()))
    })
}

/// Whether the locale is `C.UTF-8`. The codeset may be in any case, with or without the hyphen.
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
