//! Names that Windows can hold.
#![cfg_attr(not(windows), allow(dead_code, reason = "tested on every host"))]

use crate::{Errno, Result};

/// Devices, with any suffix.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Devices that a digit follows.
const NUMBERED: [&str; 2] = ["COM", "LPT"];

/// The name as text if Windows holds exactly this name; otherwise `EINVAL`.
///
/// A separator, a stream (`a:b`), a pattern, a control character, a point or space at the end (which would be dropped)
/// and the names of devices are refused.
pub(super) fn check(name: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(name).map_err(|_| Errno::Inval)?;
    let bad = |letter: char| letter < ' ' || "<>:\"/\\|?*".contains(letter);
    if text.is_empty() || text.ends_with(['.', ' ']) || text.contains(bad) || is_device(text) {
        return Err(Errno::Inval);
    }
    Ok(text)
}

fn is_device(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or_default().trim_end_matches(' ').to_uppercase();
    let numbered = |prefix: &&str| {
        let digit = stem.strip_prefix(prefix).unwrap_or_default();
        matches!(digit, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    };
    DEVICES.contains(&stem.as_str()) || NUMBERED.iter().any(numbered)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Errno;

    #[test]
    fn what_windows_would_take_for_something_else_is_refused() {
        for name in [
            "CON",
            "con",
            "aux.txt",
            "NUL .tar.gz",
            "Com1",
            "lpt9.x",
            "com¹",
            "CONOUT$",
            "a:b",
            "a\\b",
            "a*",
            "a?",
            "a|b",
            "<",
            "\"",
            "tab\t",
            "end.",
            "end ",
            "..",
            ".",
            "",
            "a/b",
            "\u{1}",
        ] {
            assert_eq!(check(name.as_bytes()), Err(Errno::Inval), "{name:?}");
        }
        assert_eq!(check(b"\xff"), Err(Errno::Inval), "not UTF-8");
        for name in
            ["a", ".hidden", "console", "com", "com10", "COM1x", "é", "a b", "..a", "aux1", "x.con", "NULL"]
        {
            assert_eq!(check(name.as_bytes()), Ok(name));
        }
    }
}
