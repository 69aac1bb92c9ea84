//! What the environment says of characters.

/// Whether text is bytes, as in the locales `C` and `POSIX`.
pub(crate) fn is_bytes() -> bool {
    let value = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(std::env::var_os).find(|v| !v.is_empty());
    value.is_some_and(|v| v == "C" || v == "POSIX")
}

/// `text` in the quotation marks that GNU's messages use.
pub(crate) fn quote(text: &[u8]) -> Vec<u8> {
    let (open, close) = if is_bytes() { ("'", "'") } else { ("\u{2018}", "\u{2019}") };
    [open.as_bytes(), text, close.as_bytes()].concat()
}
