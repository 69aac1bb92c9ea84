//! Commands that run while a line is being edited: those of `bind -x`, and the user's editor.

use super::{Editor, Step};
use crate::shell::{Flow, Run};
use crate::variables::Name;
use sandshell_terminal::Raw;

impl Editor<'_> {
    /// Runs the command that is bound to a key. It sees the line, and may change it.
    pub(super) fn run_command(&mut self, command: &[u8]) -> Step {
        let count = self.prefix.take().map(super::Prefix::number);
        self.screen.erase();
        let point = |bytes: &[u8]| crate::text::char_count(bytes);
        let texts = [
            (&b"READLINE_LINE"[..], self.buffer.text().to_vec()),
            (b"READLINE_POINT", point(self.buffer.before()).to_string().into_bytes()),
            (b"READLINE_MARK", point(self.buffer.part(0, self.mark)).to_string().into_bytes()),
        ];
        let argument = count.map(|count| (&b"READLINE_ARGUMENT"[..], count.to_string().into_bytes()));
        for (name, text) in texts.iter().chain(&argument) {
            let _ = self.shell.assign(Name::new(name), text, false);
        }
        self.runs(|shell| {
            let status = shell.status;
            let done = shell.eval_text(command, shell.line.max(1), false);
            if done != Err(Flow::Exit) {
                shell.status = status;
            }
            done
        })?;
        let mut value = |name: &[u8]| {
            let value = self.shell.value(Name::new(name)).map(|v| v.into_owned());
            self.shell.unset_variable(Name::new(name));
            value
        };
        let (line, place, mark) =
            (value(b"READLINE_LINE"), value(b"READLINE_POINT"), value(b"READLINE_MARK"));
        value(b"READLINE_ARGUMENT");
        if let Some(line) = line
            && line != self.buffer.text()
            && !self.buffer.change(0, self.buffer.end(), &line)
        {
            self.bell();
        }
        let place_of = |text: &[u8]| {
            let number = crate::text::parse_integer(text).and_then(|n| usize::try_from(n).ok())?;
            Some(crate::text::char_offset(self.buffer.text(), number))
        };
        let (place, mark) = (place.and_then(|text| place_of(&text)), mark.and_then(|text| place_of(&text)));
        if let Some(place) = place {
            self.buffer.move_to(place);
        }
        if let Some(mark) = mark {
            self.mark = mark;
        }
        Ok(())
    }

    /// Lets the user's editor change the line, or one of the history, and runs the result.
    pub(super) fn edit_elsewhere(&mut self, count: Option<i64>) -> Step {
        let text = self.buffer.text().to_vec();
        self.buffer.move_to(self.buffer.end());
        self.draw();
        self.screen.leave();
        let which = count.map(|count| format!(" {count}")).unwrap_or_default();
        let command = format!("fc -e \"${{VISUAL:-${{EDITOR:-vi}}}}\"{which}");
        self.buffer = super::Buffer::default();
        self.changed.clear();
        let done = self.runs(|shell| {
            if count.is_none() && !text.is_empty() {
                shell.remember(&text);
                // The next line of the history is not that of `fc`.
                shell.record.current = false;
            }
            shell.eval_text(command.as_bytes(), shell.line.max(1), false)
        });
        self.command = false;
        self.place = self.shell.history.len();
        done
    }

    /// Shows a text below the line.
    pub(super) fn print(&mut self, text: &[u8]) {
        let point = self.buffer.point();
        self.buffer.move_to(self.buffer.end());
        self.draw();
        self.screen.leave();
        self.buffer.move_to(point);
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        self.screen.put(&lines.join(&b"\r\n"[..]));
    }

    /// Runs something with the terminal as it was before.
    pub(super) fn runs(&mut self, run: impl FnOnce(&mut crate::shell::Shell) -> Run) -> Step {
        self.tell_paste_mode(false);
        self.raw = None;
        let done = run(self.shell);
        let _ = self.shell.flush();
        let Ok(raw) = Raw::enter(0, true) else { return Err(super::Typed::End) };
        self.raw = Some(raw);
        self.tell_paste_mode(true);
        match done {
            Err(flow @ Flow::Exit) => Err(self.end_with(flow)),
            // An interrupt ends the command only.
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
