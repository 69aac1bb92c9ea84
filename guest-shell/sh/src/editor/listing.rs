//! Shows the ways in which a word can be completed.

use super::Editor;
use sandshell_posix::characters::columns;
use sandshell_terminal::{Key, shown};

/// With more of them, the user is asked first.
const MANY: usize = 100;

impl Editor<'_> {
    /// Shows names below the line, in columns.
    pub(super) fn list(&mut self, names: &[Vec<u8>]) {
        let end = self.buffer.text().len();
        let point = self.buffer.point();
        self.buffer.move_to(end);
        self.draw();
        self.screen.leave();
        self.buffer.move_to(point);
        if names.len() >= MANY && !self.asks_for_all(names.len()) {
            return;
        }
        let lines = in_columns(names, self.screen.width());
        let page = self.screen.height().saturating_sub(1).max(1);
        let mut left = page;
        for line in lines {
            if left == 0 {
                match self.asks_for_more(page) {
                    Some(more) => left = more,
                    None => return,
                }
            }
            self.screen.put(&[&*line, b"\r\n"].concat());
            left -= 1;
        }
    }

    fn asks_for_all(&mut self, count: usize) -> bool {
        self.screen.put(format!("Display all {count} possibilities? (y or n)").as_bytes());
        let answer = loop {
            match self.keys.next_key() {
                Ok(Key::Text(text)) if matches!(&*text, b"y" | b"Y" | b" ") => break true,
                Ok(Key::Text(text)) if matches!(&*text, b"n" | b"N") => break false,
                Ok(Key::Tab) => break true,
                Ok(Key::Backspace | Key::Control(b'G')) | Err(_) => break false,
                Ok(_) => self.screen.bell(),
            }
        };
        self.screen.put(b"\r\n");
        answer
    }

    /// How many further lines are wanted; `None` for none.
    fn asks_for_more(&mut self, page: usize) -> Option<usize> {
        self.screen.put(b"--More--");
        let more = loop {
            match self.keys.next_key() {
                Ok(Key::Text(text)) if matches!(&*text, b"y" | b"Y" | b" ") => break Some(page),
                Ok(Key::Tab) => break Some(page),
                Ok(Key::Enter) => break Some(1),
                Ok(Key::Text(text)) if matches!(&*text, b"n" | b"N" | b"q" | b"Q") => break None,
                Ok(Key::Backspace | Key::Control(b'G')) | Err(_) => break None,
                Ok(_) => self.screen.bell(),
            }
        };
        self.screen.put(b"\r\x1b[K");
        more
    }
}

/// Lines of names, which are sorted downwards.
fn in_columns(names: &[Vec<u8>], width: usize) -> Vec<Vec<u8>> {
    let printed: Vec<Vec<u8>> = names.iter().map(|name| printable(name)).collect();
    let wide = printed.iter().map(|name| columns(name)).max().unwrap_or(0) + 2;
    let across = (width / wide).max(1);
    let down = printed.len().div_ceil(across);
    let mut lines = vec![Vec::new(); down];
    for (number, name) in printed.iter().enumerate() {
        let (row, column) = (number % down, number / down);
        let Some(line) = lines.get_mut(row) else { continue };
        if column > 0 {
            let filled: usize = columns(line);
            line.extend(std::iter::repeat_n(b' ', (column * wide).saturating_sub(filled)));
        }
        line.extend_from_slice(name);
    }
    lines
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
        let names: Vec<Vec<u8>> = ["a", "bb", "c", "d", "e"].map(|name| name.as_bytes().to_vec()).into();
        let lines = in_columns(&names, 13);
        assert_eq!(lines, [&b"a   c   e"[..], b"bb  d"]);
    }
}
