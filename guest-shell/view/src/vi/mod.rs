//! `vi`.

mod buffer;
mod ex;
mod insert;
mod motion;
mod normal;

use crate::less::keyboard;
use buffer::{At, Buffer};
use motion::Kind;
use sandshell_cli::{out, warn};
use sandshell_regex::Regex;
use sandshell_sys::{self as sys, Errno, signal};
use sandshell_terminal::{Canvas, Key, Keys, fit, glyphs};
use std::collections::HashMap;

/// How long a macro of keys may grow, by `.` in what `.` repeats and the like.
const KEYS: usize = 1 << 16;

const HELP: &str = "\
Usage: vi [+LINE | +/PATTERN] [-R] [FILE]...

Edits files on a terminal. Keys that everybody knows:

  h j k l w b e 0 ^ $ gg G % f t ; { } Ctrl-F Ctrl-B Ctrl-D Ctrl-U   move
  i a I A o O R        insert, until Escape
  x X r ~ J D C s S    change
  d c y > <            with a motion, or doubled for lines; p P put back
  v V                  select
  u Ctrl-R .           take back, make again, repeat
  /PATTERN ?PATTERN n N * #   search
  m LETTER ' LETTER    mark and go there; \" LETTER names a register
  :w :q :wq :x :q! :e FILE :r FILE :n :d :s/A/B/g :%s/A/B/ :g/A/d :set nu   commands

  -R             read only
  -h, --help     this text
  -V, --version  the version
";

/// Runs `vi` on its arguments (its own name first) and returns the exit status.
pub fn vi_main(args: Vec<Vec<u8>>) -> i32 {
    let (mut files, mut start, mut read_only) = (Vec::new(), None, false);
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"-h" | b"--help" => {
                out::put(HELP);
                return out::finish("vi", 0, 1);
            }
            b"-V" | b"--version" => {
                out::put("vi (sandshell)\n");
                return out::finish("vi", 0, 1);
            }
            b"--" => files.extend(rest.by_ref().cloned()),
            b"-R" => read_only = true,
            [b'+', command @ ..] => start = Some(command.to_vec()),
            b"-c" => start = rest.next().cloned(),
            [b'-', _, ..] => {
                warn!("vi", "unknown option ", arg.as_slice());
                return 1;
            }
            _ => files.push(arg.clone()),
        }
    }
    let Some(keys) = keyboard().filter(|_| sys::isatty(1)) else {
        warn!("vi", "there is no terminal");
        return 1;
    };
    let canvas = match Canvas::enter(1, keys, false, true) {
        Ok(canvas) => canvas,
        Err(error) => {
            warn!("vi", "the terminal: ", error);
            return 1;
        }
    };
    let _ = sys::sigaction(signal::SIGWINCH, sys::Disposition::Catch);
    let mut vi = Vi::new(canvas, Keys::new(keys), files);
    vi.read_only = read_only;
    vi.open_file(0);
    match start.as_deref() {
        None => {}
        Some([]) => vi.cursor = At { line: vi.buffer.last(), byte: 0 },
        Some([b'/', pattern @ ..]) => vi.search_for(pattern, true, 1),
        Some(command) => vi.command(&String::from_utf8_lossy(command)),
    }
    vi.run()
}

/// Text that was removed or copied.
#[derive(Clone, Debug, Default)]
struct Register {
    text: Vec<u8>,
    lines: bool,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Normal,
    Insert,
    /// `R`
    Replace,
    /// `v`, and `V` with whole lines.
    Visual {
        lines: bool,
    },
}

/// An editor with one text.
struct Vi {
    canvas: Canvas,
    keys: Keys,
    /// Keys that are acted on before those that are typed.
    fed: Vec<Key>,
    files: Vec<Vec<u8>>,
    file: usize,
    name: Option<Vec<u8>>,
    buffer: Buffer,
    cursor: At,
    /// The column that `j` and `k` keep.
    column: usize,
    top: usize,
    /// The first column that is shown.
    left: usize,
    mode: Mode,
    /// Where a selection began.
    anchor: At,
    registers: HashMap<u8, Register>,
    marks: HashMap<u8, At>,
    /// `f`, `t`, `F` or `T`, and its character.
    found: Option<(u8, Vec<u8>)>,
    pattern: Option<(Regex, bool)>,
    /// The keys of the command, and of the last one that changed the text.
    recorded: Vec<Key>,
    last_change: Vec<Key>,
    message: String,
    numbers: bool,
    ignore_case: bool,
    indents: bool,
    tab: usize,
    shift: usize,
    read_only: bool,
    /// The last replacement of `:s`.
    substitution: Option<(Vec<u8>, Vec<u8>, String)>,
    done: Option<i32>,
}

impl Vi {
    fn new(canvas: Canvas, keys: Keys, files: Vec<Vec<u8>>) -> Vi {
        Vi {
            canvas,
            keys,
            fed: Vec::new(),
            files,
            file: 0,
            name: None,
            buffer: Buffer::new(b""),
            cursor: At::default(),
            column: 0,
            top: 0,
            left: 0,
            mode: Mode::Normal,
            anchor: At::default(),
            registers: HashMap::new(),
            marks: HashMap::new(),
            found: None,
            pattern: None,
            recorded: Vec::new(),
            last_change: Vec::new(),
            message: String::new(),
            numbers: false,
            ignore_case: false,
            indents: false,
            tab: 8,
            shift: 8,
            read_only: false,
            substitution: None,
            done: None,
        }
    }

    fn run(&mut self) -> i32 {
        loop {
            self.draw(None);
            self.recorded.clear();
            let Some(key) = self.next_key() else { return 1 };
            let before = self.cursor;
            self.normal(key);
            self.settle();
            self.buffer.end_step(before);
            if let Some(status) = self.done {
                return status;
            }
        }
    }

    /// The next key; `None` if the terminal is gone.
    fn next_key(&mut self) -> Option<Key> {
        let key = match self.fed.pop() {
            Some(key) => key,
            None => loop {
                match self.keys.next_key() {
                    Ok(key) => break key,
                    Err(Errno::INTR) => {
                        while sys::sigtake().is_some() {}
                        self.canvas.refresh();
                        self.draw(None);
                    }
                    Err(_) => return None,
                }
            },
        };
        // There is no meta key: what is typed right after Escape is a key of its own.
        let key = match key {
            Key::Meta(byte) => {
                self.fed.push(match byte {
                    0..0x20 => Key::Control(byte | 0x40),
                    _ => Key::Text(vec![byte]),
                });
                Key::Escape
            }
            key => key,
        };
        if self.recorded.len() < KEYS {
            self.recorded.push(key.clone());
        }
        Some(key)
    }

    /// Keeps the cursor within the text.
    fn settle(&mut self) {
        let line = self.cursor.line.min(self.buffer.last());
        let text = self.buffer.line(line);
        let mut byte = self.cursor.byte.min(text.len());
        while byte > 0 && byte < text.len() && text.get(byte).is_some_and(|b| (0x80..0xc0).contains(b)) {
            byte -= 1;
        }
        self.cursor = At { line, byte };
        if byte == text.len() && self.mode == Mode::Normal {
            self.cursor = self.buffer.line_end(line);
        }
    }

    /// How many rows show text.
    fn page(&self) -> usize {
        self.canvas.size().0.saturating_sub(1).max(1)
    }

    /// Moves the cursor, and notes its column.
    fn go(&mut self, at: At) {
        self.cursor = at;
        self.settle();
        self.column = self.buffer.column(self.cursor, self.tab);
    }

    /// Moves, and remembers where this began.
    fn jump(&mut self, at: At) {
        self.marks.insert(b'\'', self.cursor);
        self.go(at);
    }

    /// Draws the text, and in the last row the message or a text that is being typed.
    fn draw(&mut self, typed: Option<&[u8]>) {
        let (rows, columns) = self.canvas.size();
        let page = self.page();
        if self.cursor.line < self.top {
            self.top = self.cursor.line;
            // Far away, it comes to the middle.
            if self.top + page < self.cursor.line + page / 2 {
                self.top = self.cursor.line.saturating_sub(page / 2);
            }
        } else if self.cursor.line >= self.top + page {
            let near = self.cursor.line < self.top + 2 * page;
            self.top = self.cursor.line.saturating_sub(if near { page - 1 } else { page / 2 });
        }
        let margin = if self.numbers { 8 } else { 0 };
        let width = columns.saturating_sub(margin).max(1);
        let column = self.buffer.column(self.cursor, self.tab);
        if column < self.left || column >= self.left + width {
            self.left = column.saturating_sub(width / 2);
        }
        let selected = self.selection();
        let mut shown = Vec::with_capacity(rows);
        for line in self.top..self.top + page {
            if line >= self.buffer.count() {
                shown.push(b"~".to_vec());
                continue;
            }
            let number = if self.numbers { format!("{:>7} ", line + 1) } else { String::new() };
            let is_selected = |byte: usize| {
                selected.is_some_and(|(from, to)| from <= At { line, byte } && At { line, byte } < to)
            };
            let text = fit(self.buffer.line(line), self.left, width, self.tab, is_selected);
            shown.push([number.as_bytes(), &text].concat());
        }
        let status = match (typed, self.mode) {
            (Some(typed), _) => typed.to_vec(),
            (None, Mode::Insert) if self.message.is_empty() => b"-- INSERT --".to_vec(),
            (None, Mode::Replace) if self.message.is_empty() => b"-- REPLACE --".to_vec(),
            (None, Mode::Visual { lines: false }) => b"-- VISUAL --".to_vec(),
            (None, Mode::Visual { lines: true }) => b"-- VISUAL LINE --".to_vec(),
            (None, _) => self.message.clone().into_bytes(),
        };
        let status = fit(&status, 0, columns.saturating_sub(1), 8, |_| false);
        let cursor = match typed {
            Some(_) => {
                let width: usize = glyphs(&status).iter().map(|glyph| glyph.columns).sum();
                (page, width.min(columns.saturating_sub(1)))
            }
            None => (self.cursor.line - self.top, margin + column - self.left),
        };
        shown.push(status);
        self.canvas.draw(&shown, cursor);
    }

    /// What is selected: from, and up to.
    fn selection(&self) -> Option<(At, At)> {
        let Mode::Visual { lines } = self.mode else { return None };
        let (from, to) = (self.anchor.min(self.cursor), self.anchor.max(self.cursor));
        if lines {
            return Some((At { line: from.line, byte: 0 }, At { line: to.line + 1, byte: 0 }));
        }
        Some((from, self.buffer.right(to).unwrap_or(to)))
    }

    /// Lets the user type a text after `label`; `None` if that is given up.
    fn ask(&mut self, label: &[u8]) -> Option<Vec<u8>> {
        let mut text: Vec<u8> = Vec::new();
        loop {
            self.draw(Some(&[label, &text].concat()));
            match self.next_key()? {
                Key::Enter => return Some(text),
                Key::Text(more) | Key::Paste(more) => text.extend(more),
                Key::Tab => text.push(b'\t'),
                Key::Control(b'U') => text.clear(),
                Key::Control(b'W') => {
                    while text.last().is_some_and(u8::is_ascii_whitespace) {
                        text.pop();
                    }
                    while text.last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                        text.pop();
                    }
                }
                Key::Backspace => {
                    let last = glyphs(&text).pop()?;
                    text.truncate(text.len() - last.bytes);
                }
                Key::Escape | Key::Control(b'C') => return None,
                _ => self.canvas.bell(),
            }
        }
    }
}
