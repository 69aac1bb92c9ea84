//! Shows settings as text.

use super::settings::{CHARACTERS, FLAGS, GROUPS, Group, Sane, speed};
use sandshell_sys::Termios;
use sandshell_terminal::modes::{local, special};

/// Words in lines that are no wider than the screen.
struct Lines {
    width: usize,
    text: String,
    column: usize,
}

impl Lines {
    fn word(&mut self, word: &str) {
        if self.column > 0 {
            if self.column + 1 + word.len() > self.width {
                self.end();
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(word);
        self.column += word.len();
    }

    fn end(&mut self) {
        if self.column > 0 {
            self.text.push('\n');
            self.column = 0;
        }
    }
}

/// All settings, or with a size only those that `sane` would change.
pub(super) fn readable(modes: &Termios, size: Option<(u32, u32)>, columns: u32) -> String {
    let width = if columns == 0 { 80 } else { columns as usize };
    let mut lines = Lines { width, text: String::new(), column: 0 };
    lines.word(&format!("speed {} baud;", speed(modes)));
    if let Some((rows, columns)) = size {
        lines.word(&format!("rows {rows};"));
        lines.word(&format!("columns {columns};"));
    }
    lines.word(&format!("line = {};", modes.line));
    lines.end();
    for (name, index, default) in CHARACTERS {
        let byte = modes.cc[*index];
        if size.is_some() || byte != *default {
            lines.word(&format!("{name} = {};", character(byte)));
        }
    }
    if size.is_some() || modes.lflag & local::ICANON == 0 {
        lines.word(&format!("min = {};", modes.cc[special::MIN]));
        lines.word(&format!("time = {};", modes.cc[special::TIME]));
    }
    lines.end();
    for group in GROUPS {
        flags(&mut lines, modes, group, size.is_some());
        lines.end();
    }
    lines.text
}

fn flags(lines: &mut Lines, modes: &Termios, group: Group, all: bool) {
    let word = group.value(modes);
    for flag in FLAGS.iter().filter(|flag| flag.group == group && !flag.hidden) {
        if flag.field != 0 {
            if word & flag.field == flag.bits
                && (all || flag.sane == Sane::Any && has_sane(flag.field, group))
            {
                lines.word(flag.name);
            }
        } else if word & flag.bits != 0 {
            if all || flag.sane == Sane::Off {
                lines.word(flag.name);
            }
        } else if all || flag.sane == Sane::On {
            lines.word(&format!("-{}", flag.name));
        }
    }
}

/// Whether `sane` sets the field.
fn has_sane(field: u32, group: Group) -> bool {
    FLAGS.iter().any(|flag| flag.group == group && flag.field == field && flag.sane == Sane::On)
}

/// A special character as it is typed: `^C`, `M-a`, `<undef>`.
fn character(byte: u8) -> String {
    if byte == 0 {
        return "<undef>".to_owned();
    }
    let (meta, low) = if byte >= 0x80 { ("M-", byte & 0x7f) } else { ("", byte) };
    match low {
        0x7f => format!("{meta}^?"),
        0..0x20 => format!("{meta}^{}", char::from(low | 0x40)),
        _ => format!("{meta}{}", char::from(low)),
    }
}

/// All settings in the form that [`read`] reads.
pub(super) fn saved(modes: &Termios) -> String {
    let mut text = format!("{:x}:{:x}:{:x}:{:x}", modes.iflag, modes.oflag, modes.cflag, modes.lflag);
    // The C library's structure has 32 characters.
    for index in 0..32 {
        text.push_str(&format!(":{:x}", modes.cc.get(index).copied().unwrap_or(0)));
    }
    text
}

/// Reads what [`saved`] wrote.
pub(super) fn read(text: &str) -> Option<Termios> {
    let fields: Vec<&str> = text.split(':').collect();
    let (words, characters) = fields.split_at_checked(4)?;
    if characters.len() != 32 {
        return None;
    }
    let word = |at: usize| words.get(at).and_then(|word| u32::from_str_radix(word, 16).ok());
    let mut cc = [0; 19];
    for (index, field) in characters.iter().enumerate() {
        let byte = u8::from_str_radix(field, 16).ok()?;
        if let Some(to) = cc.get_mut(index) {
            *to = byte;
        }
    }
    Some(Termios { iflag: word(0)?, oflag: word(1)?, cflag: word(2)?, lflag: word(3)?, line: 0, cc })
}
