//! Lines that a user types on a terminal: editing, history, search and completion, with the functions and keys that
//! readline gives bash.
//!
//! [`keymap`] says which keys call which [`functions`]; `commands` and `vi` are what these do. [`config`] is what
//! `bind` and `inputrc` change. Nothing of this is made before a line is edited or `bind` is called.

mod braces;
mod buffer;
mod commands;
mod complete;
mod config;
mod context;
mod expanding;
pub(crate) mod functions;
mod history;
mod input;
mod keymap;
mod listing;
mod motions;
mod notifying;
mod outside;
mod screen;
mod search;
pub(crate) mod sequence;
mod settings;
mod spelling;
mod vi;

pub(crate) use buffer::Kills;
pub(crate) use complete::Completing;
pub(crate) use config::Config;
pub(crate) use functions::Function;
pub(crate) use keymap::{Bound, Part};

use crate::options::flag;
use crate::shell::{Flow, Shell};
use crate::variables::Name;
use buffer::Buffer;
use history::Argument;
use input::{Input, REPEATED, character_length};
use keymap::{EMACS, Found, VI_COMMAND, VI_INSERT};
use sandshell_sys as sys;
use sandshell_terminal::Raw;
use screen::Screen;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use sys::{Errno, signal};

/// A larger number before a command is refused.
const LARGEST_ARGUMENT: i64 = 1_000_000;
/// The longest text that is searched for.
const LONGEST_SEARCH: usize = 4096;

/// What the editor keeps between lines.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) config: Option<Box<Config>>,
    /// `set -o vi` came after `set -o emacs`.
    pub(crate) prefers_vi: bool,
    /// What ended the shell while a line was edited.
    pub(crate) flow: Option<Flow>,
    /// Jobs that end are told of at once.
    tells_jobs: bool,
    /// A line that is edited next.
    pub(crate) line: Option<Vec<u8>>,
    kills: Kills,
    /// Ctrl-O: the line of the history that comes next.
    next: Option<usize>,
    /// What was last searched for, key by key and at once.
    searched: Vec<u8>,
    searched_once: Vec<u8>,
    /// The text with which the searched lines begin.
    start: Option<Vec<u8>>,
    /// The last keyboard macro.
    keyboard_macro: Rc<[u8]>,
    vi: vi::Memory,
}

/// The end of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// This text, which may have several lines, without the last end of line.
    Line(Vec<u8>),
    /// The end of input.
    End,
    /// A signal that the shell has to answer, or the end of the shell: [`Memory::flow`].
    Interrupted,
}

/// What a function returns: an error is the end of the line.
type Step<T = ()> = Result<T, Typed>;

/// A number before a command.
#[derive(Clone, Copy, Debug, Default)]
struct Prefix {
    negative: bool,
    /// The digits so far, if any.
    value: Option<i64>,
}

impl Prefix {
    fn number(self) -> i64 {
        let value = self.value.unwrap_or(1);
        if self.negative { -value } else { value }
    }
}

/// A line that is being edited.
struct Editor<'s> {
    shell: &'s mut Shell,
    raw: Option<Raw>,
    input: Input,
    screen: Screen,
    buffer: Buffer,
    prompt: Vec<u8>,
    /// The line of the history that is shown; its length for the new line.
    place: usize,
    /// Lines of the history that were changed, and the new line.
    changed: HashMap<usize, Buffer>,
    /// vi's command mode.
    command: bool,
    /// Typed characters replace others.
    overwrite: bool,
    mark: usize,
    /// The keys that called the present function.
    keys: Vec<u8>,
    /// The function before, for functions that mean more when repeated.
    last: Option<Function>,
    prefix: Option<Prefix>,
    /// The function before removed text, so what is removed now belongs to the same piece.
    joins: bool,
    killed: bool,
    argument: Option<Argument>,
    menu: Option<complete::Menu>,
    /// The last completion has changed the line.
    completed: bool,
    vi: vi::State,
}

impl Shell {
    /// Whether lines are edited: on a terminal that can move its cursor.
    pub(crate) fn edits_lines(&mut self) -> bool {
        (self.opts.has(flag::EMACS) || self.opts.has(flag::VI)) && self.can_edit()
    }

    /// Whether lines can be edited.
    pub(crate) fn can_edit(&mut self) -> bool {
        if !sys::isatty(0) || !sys::isatty(2) {
            return false;
        }
        let kind = self.value(Name::new(b"TERM")).map(|v| v.into_owned()).unwrap_or_default();
        !matches!(&*kind, b"" | b"dumb")
    }

    /// Lets the user type a line after `prompt`, or change `text`.
    pub(crate) fn edit_line(&mut self, prompt: Vec<u8>, text: Vec<u8>) -> Typed {
        let Ok(raw) = Raw::enter(0, true) else { return Typed::End };
        let place = self.history.len();
        let pastes = self.editor_config().settings.is_on("enable-bracketed-paste");
        let mut editor = Editor {
            raw: Some(raw),
            input: Input::new(),
            screen: Screen::new(),
            buffer: Buffer::new(text),
            prompt,
            place,
            changed: HashMap::new(),
            command: false,
            overwrite: false,
            mark: 0,
            keys: Vec::new(),
            last: None,
            prefix: None,
            joins: false,
            killed: false,
            argument: None,
            menu: None,
            completed: false,
            vi: vi::State::default(),
            shell: self,
        };
        if let Some(next) = editor.shell.editor.next.take().filter(|next| *next < place) {
            editor.show_history(next);
        }
        editor.tell_paste_mode(pastes);
        let typed = editor.run();
        editor.tell_paste_mode(false);
        if pastes {
            editor.screen.put(b"\r");
        }
        editor.keep_changes();
        typed
    }
}

impl Editor<'_> {
    /// Terminals tell which text is pasted, if they are asked to.
    fn tell_paste_mode(&mut self, on: bool) {
        if self.shell.editor_config().settings.is_on("enable-bracketed-paste") {
            self.screen.put(if on { b"\x1b[?2004h" } else { b"\x1b[?2004l" });
        }
    }

    fn run(&mut self) -> Typed {
        loop {
            if let Err(typed) = self.step() {
                return typed;
            }
        }
    }

    /// Reads keys, and does what they ask for.
    fn step(&mut self) -> Step {
        // While more keys wait, as after pasting, drawing can wait too.
        if !self.input.are_waiting() {
            self.signals()?;
            self.draw();
        } else if self.input.is_long() {
            self.signals()?;
        }
        if self.command && !self.vi.repeats {
            self.input.log.clear();
        }
        let first = self.byte()?;
        if self.prefix.is_some() && self.add_digit(first) {
            return Ok(());
        }
        let bound = self.bound(first)?;
        self.obey(bound)
    }

    fn obey(&mut self, bound: Option<Bound>) -> Step {
        match bound {
            Some(Bound::Function(function)) => self.call(function)?,
            Some(Bound::Macro(text)) => {
                self.prefix = None;
                self.type_macro(&text, 1);
            }
            Some(Bound::Command(command)) => self.run_command(&command)?,
            None => {
                self.prefix = None;
                self.bell();
            }
        }
        let beyond = std::mem::take(&mut self.vi.beyond);
        if self.command && !beyond && self.buffer.point() == self.buffer.end() {
            // In vi, the point is always on a character.
            self.buffer.move_to(self.buffer.left(self.buffer.end()));
        }
        Ok(())
    }

    fn type_macro(&mut self, text: &[u8], times: usize) {
        let times = times.min(REPEATED / text.len().max(1));
        if !self.input.type_macro(text.repeat(times).into()) {
            self.screen.put(b"readline: maximum macro execution nesting level exceeded\r\n");
            self.screen.forget();
        }
    }

    /// The next byte; meanwhile, signals are answered.
    fn byte(&mut self) -> Step<u8> {
        loop {
            match self.input.byte() {
                Ok(byte) => return Ok(byte),
                Err(Errno::INTR) => {
                    self.signals()?;
                    self.draw();
                }
                Err(_) => return Err(self.leave(Typed::End)),
            }
        }
    }

    /// The rest of a character that begins with this byte.
    fn character(&mut self, first: u8) -> Step<Vec<u8>> {
        let mut all = vec![first];
        while all.len() < character_length(first) && self.input.wait(Some(Duration::from_millis(50))) {
            match self.byte()? {
                byte @ 0x80..0xc0 => all.push(byte),
                byte => {
                    self.input.unread(&[byte]);
                    break;
                }
            }
        }
        Ok(all)
    }

    fn is_vi(&mut self) -> bool {
        self.shell.editor_config().vi
    }

    fn find(&mut self, keys: &[u8]) -> Found {
        let command = self.command;
        let config = self.shell.editor_config();
        let map = match (config.vi, command) {
            (false, _) => EMACS,
            (true, false) => VI_INSERT,
            (true, true) => VI_COMMAND,
        };
        config.maps[map].find(keys)
    }

    /// What the keys are bound to that begin with this byte; [`Editor::keys`] are these keys then.
    fn bound(&mut self, first: u8) -> Step<Option<Bound>> {
        let mut keys = vec![first];
        // The longest start that has a meaning of its own.
        let mut known = None;
        loop {
            let found = self.find(&keys);
            if found.bound.is_some() {
                known = found.bound.map(|bound| (keys.len(), bound));
            }
            if !found.is_prefix {
                break;
            }
            if self.vi.repeats && known.is_some() && self.input.depth() == 0 {
                break;
            }
            let waits = match &known {
                Some((length, _)) if *length == keys.len() => self.sequence_time(),
                // In vi, Escape is also a key of its own.
                None if self.command && keys == [0x1b] => self.sequence_time(),
                _ => None,
            };
            if !self.input.are_waiting() {
                self.draw();
            }
            if !self.input.wait(waits) {
                break;
            }
            keys.push(self.byte()?);
        }
        let length = match &known {
            Some((length, _)) => *length,
            None if self.command && keys.len() > 1 && keys.first() == Some(&0x1b) && !is_csi(&keys) => 1,
            None => keys.len(),
        };
        if known.is_none() && is_csi(&keys) {
            self.skip_csi(&keys)?;
        }
        let rest = keys.split_off(length.min(keys.len()));
        self.input.unread(&rest);
        self.keys = keys;
        Ok(known.map(|(_, bound)| bound))
    }

    /// How long further keys of a sequence may take.
    fn sequence_time(&mut self) -> Option<Duration> {
        let time = self.shell.editor_config().settings.number("keyseq-timeout").filter(|time| *time > 0)?;
        Some(Duration::from_millis(time as u64))
    }

    /// Reads a key's sequence to its end if it is unknown.
    fn skip_csi(&mut self, keys: &[u8]) -> Step {
        let mut last = keys.last().copied().unwrap_or_default();
        while keys.get(1) == Some(&b'[')
            && (keys.len() == 2 && last == b'[' || matches!(last, 0x20..0x40))
            && self.input.wait(Some(Duration::from_millis(50)))
        {
            last = self.byte()?;
            if last == b'[' {
                break;
            }
        }
        Ok(())
    }

    /// A digit of the number before a command.
    fn add_digit(&mut self, byte: u8) -> bool {
        let Some(prefix) = &mut self.prefix else { return false };
        match byte {
            b'0'..=b'9' => {
                let value = prefix.value.unwrap_or(0) * 10 + i64::from(byte - b'0');
                prefix.value = Some(value);
                if value > LARGEST_ARGUMENT {
                    self.prefix = None;
                    self.bell();
                }
            }
            _ => return false,
        }
        true
    }

    fn bell(&mut self) {
        let quiet = self.shell.editor_config().settings.value("bell-style") == b"none";
        if !quiet {
            self.screen.bell();
        }
    }

    fn draw(&mut self) {
        let prompt = self.whole_prompt();
        self.screen.draw(&prompt, self.buffer.text(), self.buffer.point());
    }

    /// The prompt with what the variables add to it.
    fn whole_prompt(&mut self) -> Vec<u8> {
        if let Some(prefix) = self.prefix {
            return format!("(arg: {}) ", prefix.number()).into_bytes();
        }
        let changed = self.place < self.shell.history.len()
            && self.shell.history.get(self.place).is_some_and(|entry| entry.line != self.buffer.text());
        let command = self.command;
        let config = self.shell.editor_config();
        let mark: &[u8] = if changed && config.settings.is_on("mark-modified-lines") { b"*" } else { b"" };
        let mode = match (config.settings.is_on("show-mode-in-prompt"), config.vi, command) {
            (false, ..) => &b""[..],
            (true, false, _) => config.settings.value("emacs-mode-string"),
            (true, true, false) => config.settings.value("vi-ins-mode-string"),
            (true, true, true) => config.settings.value("vi-cmd-mode-string"),
        };
        if mark.is_empty() && mode.is_empty() {
            return self.prompt.clone();
        }
        // It stands before the last line of the prompt.
        let at = self.prompt.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (first, last) = self.prompt.split_at(at);
        [first, mark, mode, last].concat()
    }

    /// Leaves the screen for what follows.
    fn leave(&mut self, typed: Typed) -> Typed {
        self.draw();
        if typed == Typed::End {
            self.screen.put(b"\r");
            return typed;
        }
        self.screen.leave();
        typed
    }

    /// Answers signals. An error if editing ends.
    fn signals(&mut self) -> Step {
        let mut interrupted = false;
        while let Some(number) = sys::sigtake() {
            match number {
                signal::SIGWINCH => {
                    self.screen.resize();
                    self.shell.note_window_size();
                }
                signal::SIGCHLD => self.tell_jobs(),
                signal::SIGINT => {
                    interrupted = true;
                    self.shell.note_signal(number);
                }
                number => self.shell.note_signal(number),
            }
        }
        if interrupted {
            self.buffer.move_to(self.buffer.end());
            self.prefix = None;
            self.draw();
            if self.shell.editor_config().settings.is_on("echo-control-characters") {
                self.screen.put(b"^C");
            }
            return Err(Typed::Interrupted);
        }
        let status = self.shell.status;
        // Their trap runs after the line, as in bash.
        let children = self.shell.take_ended_children();
        let answered = self.shell.answer_signals();
        (0..children).for_each(|_| self.shell.note_signal(signal::SIGCHLD));
        match answered {
            Err(flow) => Err(self.end_with(flow)),
            Ok(()) => {
                self.shell.status = status;
                Ok(())
            }
        }
    }

    /// The shell ends, or gives up what it reads.
    fn end_with(&mut self, flow: Flow) -> Typed {
        self.shell.editor.flow = Some(flow);
        Typed::Interrupted
    }
}

/// Whether keys are the start of a sequence that a terminal sends for one key.
fn is_csi(keys: &[u8]) -> bool {
    matches!(keys, [0x1b, b'[' | b'O', ..])
}
