//! Shows the ways in which a word can be completed.

use super::{Editor, Step};
use crate::variables;
use sandshell_posix::characters::columns;
use sandshell_sys as sys;
use sandshell_terminal::shown;

/// A name as it is listed.
#[derive(Debug, Default)]
pub(super) struct Name {
    pub(super) text: Vec<u8>,
    /// A sign after it, for which there is room between the columns.
    pub(super) mark: Option<u8>,
    /// The parameters of a sequence that sets its colour.
    pub(super) color: Option<Vec<u8>>,
}

impl Name {
    pub(super) fn plain(text: Vec<u8>) -> Name {
        Name { text, ..Name::default() }
    }
}

/// The sign after the name of a file that tells its kind.
pub(super) fn mark(stat: &sys::Stat) -> Option<u8> {
    match stat.mode & sys::S_IFMT {
        sys::S_IFDIR => Some(b'/'),
        sys::S_IFLNK => Some(b'@'),
        sys::S_IFIFO => Some(b'|'),
        sys::S_IFSOCK => Some(b'='),
        sys::S_IFCHR => Some(b'%'),
        sys::S_IFBLK => Some(b'#'),
        _ if stat.mode & 0o111 != 0 => Some(b'*'),
        _ => None,
    }
}

impl Editor<'_> {
    /// The colour that `LS_COLORS` gives a file.
    pub(super) fn color_of(&mut self, stat: &sys::Stat, name: &[u8]) -> Option<Vec<u8>> {
        const USUAL: &[u8] = b"di=01;34:ln=01;36:pi=33:so=01;35:bd=01;33:cd=01;33:ex=01;32";
        let own = self.shell.value(variables::Name::new(b"LS_COLORS")).map(|value| value.into_owned());
        let kind: &[u8] = match stat.mode & sys::S_IFMT {
            sys::S_IFDIR => b"di",
            sys::S_IFLNK => b"ln",
            sys::S_IFIFO => b"pi",
            sys::S_IFSOCK => b"so",
            sys::S_IFBLK => b"bd",
            sys::S_IFCHR => b"cd",
            _ if stat.mode & 0o111 != 0 => b"ex",
            _ => b"fi",
        };
        let mut color = None;
        for entry in own.as_deref().unwrap_or(USUAL).split(|byte| *byte == b':') {
            let Some(at) = entry.iter().position(|byte| *byte == b'=') else { continue };
            let (key, value) = (entry.get(..at).unwrap_or_default(), entry.get(at + 1..).unwrap_or_default());
            let ending = key.strip_prefix(b"*").is_some_and(|end| kind == b"fi" && name.ends_with(end));
            if key == kind || ending {
                color = Some(value.to_vec());
            }
        }
        // Only parameters get to the terminal.
        color.filter(|value| value.iter().all(|byte| byte.is_ascii_digit() || *byte == b';'))
    }

    /// Shows names below the line, in columns.
    pub(super) fn list(&mut self, names: &[Name]) {
        // The end of the line while it is asked is the end of input, which the next key tells.
        let _ = self.try_list(names);
    }

    fn try_list(&mut self, names: &[Name]) -> Step {
        let point = self.buffer.point();
        self.buffer.move_to(self.buffer.end());
        self.draw();
        self.screen.leave();
        self.buffer.move_to(point);
        let settings = &self.shell.editor_config().settings;
        let many = settings.number("completion-query-items").unwrap_or(0);
        let pages = settings.is_on("page-completions");
        let across = settings.is_on("print-completions-horizontally");
        let width = settings.number("completion-display-width");
        if many > 0 && names.len() >= many && !self.asks_for_all(names.len())? {
            return Ok(());
        }
        let width = width.map_or(self.screen.width(), |width| width.min(self.screen.width()));
        let lines = in_columns(names, width, across);
        let page = self.screen.height().saturating_sub(1).max(1);
        let mut left = page;
        for line in lines {
            if left == 0 && pages {
                match self.asks_for_more(page)? {
                    Some(more) => left = more,
                    None => return Ok(()),
                }
            }
            self.screen.put(&[&*line, b"\r\n"].concat());
            left = left.saturating_sub(1);
        }
        Ok(())
    }

    fn asks_for_all(&mut self, count: usize) -> Step<bool> {
        self.screen.put(format!("Display all {count} possibilities? (y or n)").as_bytes());
        let answer = loop {
            match self.byte()? {
                b'y' | b'Y' | b' ' | b'\t' => break true,
                b'n' | b'N' | 0x7f | 8 | 7 => break false,
                _ => self.bell(),
            }
        };
        self.screen.put(b"\r\n");
        Ok(answer)
    }

    /// How many further lines are wanted; `None` for none.
    fn asks_for_more(&mut self, page: usize) -> Step<Option<usize>> {
        self.screen.put(b"--More--");
        let more = loop {
            match self.byte()? {
                b'y' | b'Y' | b' ' | b'\t' => break Some(page),
                b'\r' | b'\n' => break Some(1),
                b'n' | b'N' | b'q' | b'Q' | 0x7f | 8 | 7 => break None,
                _ => self.bell(),
            }
        };
        self.screen.put(b"\r\x1b[K");
        Ok(more)
    }
}

/// Lines of names, which are sorted downwards, or `across`.
fn in_columns(names: &[Name], width: usize, sorted_across: bool) -> Vec<Vec<u8>> {
    let printed: Vec<Vec<u8>> = names.iter().map(|name| printable(&name.text)).collect();
    let wide = printed.iter().map(|name| columns(name)).max().unwrap_or(0) + 2;
    // The last column of the terminal stays free.
    let across = (width.saturating_sub(1) / wide).max(1);
    let down = printed.len().div_ceil(across);
    let mut lines = vec![(Vec::new(), 0); down];
    for (number, (text, name)) in printed.iter().zip(names).enumerate() {
        let (row, column) =
            if sorted_across { (number / across, number % across) } else { (number % down, number / down) };
        let Some((line, filled)) = lines.get_mut(row) else { continue };
        let start = column * wide;
        line.extend(std::iter::repeat_n(b' ', start.saturating_sub(*filled)));
        match &name.color {
            Some(color) => line.extend([b"\x1b[", &**color, b"m", text, b"\x1b[0m"].concat()),
            None => line.extend_from_slice(text),
        }
        line.extend(name.mark);
        *filled = start.max(*filled) + columns(text) + usize::from(name.mark.is_some());
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

fn printable(name: &[u8]) -> Vec<u8> {
    sandshell_terminal::glyphs(name)
        .into_iter()
        .flat_map(|glyph| if glyph.text == b"\t" { shown(b"\t") } else { glyph.text })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_down_the_columns() {
        let names: Vec<Name> = ["a", "bb", "c", "d", "e"].map(|name| Name::plain(name.into())).into();
        assert_eq!(in_columns(&names, 13, true), [&b"a   bb  c"[..], b"d   e"]);
        let lines = in_columns(&names, 13, false);
        assert_eq!(lines, [&b"a   c   e"[..], b"bb  d"]);
    }
}
