//! `--color` and `GREP_COLORS`.

use crate::out::message;

/// The SGR parameters of the parts of the output; an empty one means no colour.
pub(crate) struct Colors {
    pub(crate) selected_match: Vec<u8>,
    pub(crate) context_match: Vec<u8>,
    pub(crate) selected_line: Vec<u8>,
    pub(crate) context_line: Vec<u8>,
    pub(crate) file: Vec<u8>,
    pub(crate) line: Vec<u8>,
    pub(crate) byte: Vec<u8>,
    pub(crate) separator: Vec<u8>,
    /// `rv`: with -v, `sl` and `cx` are swapped.
    pub(crate) reverse: bool,
    /// `ne`: do not erase to the end of line.
    pub(crate) no_erase: bool,
}

impl Colors {
    /// Reads `GREP_COLOR`, the predecessor of `GREP_COLORS`: the colour of matches. Prints a warning.
    fn old_variable(&mut self) {
        let Some(color) = std::env::var("GREP_COLOR").ok().filter(|v| !v.is_empty()) else { return };
        if color.bytes().all(|b| b.is_ascii_digit() || b == b';') {
            self.selected_match = color.clone().into();
            self.context_match = color.clone().into();
        }
        let text = format!("warning: GREP_COLOR='{color}' is deprecated; use GREP_COLORS='mt={color}'");
        message("grep", text.as_bytes());
    }

    pub(crate) fn from_env() -> Self {
        let mut c = Self {
            selected_match: b"01;31".to_vec(),
            context_match: b"01;31".to_vec(),
            selected_line: Vec::new(),
            context_line: Vec::new(),
            file: b"35".to_vec(),
            line: b"32".to_vec(),
            byte: b"32".to_vec(),
            separator: b"36".to_vec(),
            reverse: false,
            no_erase: false,
        };
        c.old_variable();
        let spec = std::env::var("GREP_COLORS").unwrap_or_default();
        for item in spec.split(':') {
            let (name, value) = match item.split_once('=') {
                Some((n, v)) => (n, Some(v)),
                None => (item, None),
            };
            if value.is_some_and(|v| !v.bytes().all(|b| b.is_ascii_digit() || b == b';')) {
                break;
            }
            let slot = match name {
                "mt" => {
                    if let Some(v) = value {
                        c.selected_match = v.into();
                        c.context_match = v.into();
                    }
                    continue;
                }
                "rv" => {
                    c.reverse = true;
                    continue;
                }
                "ne" => {
                    c.no_erase = true;
                    continue;
                }
                "ms" => &mut c.selected_match,
                "mc" => &mut c.context_match,
                "sl" => &mut c.selected_line,
                "cx" => &mut c.context_line,
                "fn" => &mut c.file,
                "ln" => &mut c.line,
                "bn" => &mut c.byte,
                "se" => &mut c.separator,
                _ => continue,
            };
            if let Some(v) = value {
                *slot = v.into();
            }
        }
        c
    }
}
