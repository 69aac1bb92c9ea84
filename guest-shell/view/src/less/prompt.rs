//! The last row of the screen.

use super::Less;
use sandshell_sys::Errno;
use sandshell_terminal::{Key, glyphs};

impl Less {
    /// What is shown while keys are awaited.
    pub(super) fn prompt(&mut self) -> Vec<u8> {
        if let Some(message) = self.message.take() {
            let text = message.into_bytes();
            return [b"\x1b[7m", &*self.cut(&text), b"\x1b[27m"].concat();
        }
        let at_end = self.bottom().is_none();
        let new = std::mem::take(&mut self.is_new);
        if self.options.long_prompt {
            let text = self.position();
            return [b"\x1b[7m", &*self.cut(text.as_bytes()), b"\x1b[27m"].concat();
        }
        let name = self.name();
        let last = at_end && self.file + 1 >= self.files.len();
        let text = match (new, at_end) {
            (true, _) if self.files.len() > 1 => {
                let end = if last { " (END)" } else { "" };
                format!("{name} (file {} of {}){end}", self.file + 1, self.files.len())
            }
            (true, true) if name != "-" => format!("{name} (END)"),
            (true, false) if name != "-" => name,
            (_, true) if self.file + 1 < self.files.len() => {
                let next = self.files.get(self.file + 1).map(|f| String::from_utf8_lossy(f).into_owned());
                format!("(END) - Next: {}", next.unwrap_or_default())
            }
            (_, true) => "(END)".to_owned(),
            (_, false) if self.options.medium_prompt => match self.percent() {
                Some(percent) => format!("{percent}%"),
                None => return b":".to_vec(),
            },
            (_, false) => return b":".to_vec(),
        };
        [b"\x1b[7m", &*self.cut(text.as_bytes()), b"\x1b[27m"].concat()
    }

    fn name(&self) -> String {
        self.files.get(self.file).map(|f| String::from_utf8_lossy(f).into_owned()).unwrap_or_default()
    }

    /// How much of the file is above the end of the screen.
    fn percent(&mut self) -> Option<u64> {
        let size = self.text.size.filter(|size| *size > 0)?;
        let end = match self.bottom() {
            Some(bottom) => self.text.offset(bottom.line) as u64,
            None => size,
        };
        Some((end * 100 / size).min(100))
    }

    /// Where the screen is: `=`.
    pub(super) fn position(&mut self) -> String {
        let mut text = self.name();
        if self.files.len() > 1 {
            text.push_str(&format!(" (file {} of {})", self.file + 1, self.files.len()));
        }
        let bottom = self.bottom();
        let last = bottom.map_or_else(|| self.text.known(), |place| place.line);
        text.push_str(&format!(" lines {}-{last}", self.top.line + 1));
        if self.text.is_complete() {
            text.push_str(&format!("/{}", self.text.known()));
        }
        let byte = bottom.map_or(self.text.bytes_read(), |place| self.text.offset(place.line));
        text.push_str(&format!(" byte {byte}"));
        if let Some(size) = self.text.size {
            text.push_str(&format!("/{size}"));
        }
        match self.percent() {
            Some(_) if bottom.is_none() => text.push_str(" (END)"),
            Some(percent) => text.push_str(&format!(" {percent}%")),
            None if bottom.is_none() => text.push_str(" (END)"),
            None => {}
        }
        if bottom.is_none() {
            return text;
        }
        text.push_str(" (press RETURN)");
        text
    }

    fn cut(&self, text: &[u8]) -> Vec<u8> {
        let width = self.canvas.size().1.saturating_sub(1);
        sandshell_terminal::fit(text, 0, width, 8, |_| false)
    }

    /// Lets the user type a text after `label`; `None` if that is given up.
    pub(super) fn ask(&mut self, label: &str) -> Option<Vec<u8>> {
        let mut text: Vec<u8> = Vec::new();
        loop {
            let shown = [label.as_bytes(), &text].concat();
            let shown = self.cut(&shown);
            self.draw(&shown);
            match self.keys.next_key() {
                Ok(Key::Enter) => return Some(text),
                Ok(Key::Text(more) | Key::Paste(more)) => text.extend(more),
                Ok(Key::Tab) => text.push(b'\t'),
                Ok(Key::Backspace) => {
                    let last = glyphs(&text).pop()?;
                    text.truncate(text.len() - last.bytes);
                }
                Ok(Key::Control(b'U')) => text.clear(),
                Ok(Key::Control(b'G') | Key::Escape) => return None,
                Ok(_) => self.canvas.bell(),
                Err(Errno::INTR) => {
                    if !self.only_resized() {
                        return None;
                    }
                }
                Err(_) => return None,
            }
        }
    }
}
