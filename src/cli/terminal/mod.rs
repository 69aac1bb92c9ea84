//! The user's terminal, which a sandbox borrows.
//!
//! While a program reads lines, a line editor on the host edits them, with the unfinished last line of output as
//! its prompt. While a program has the terminal in raw mode, keys pass through as they are typed. At other times
//! the terminal has its normal settings: keys typed ahead wait in it, and Ctrl-C is a signal.
//!
//! While a line is edited, output of background processes appears at the cursor, as with bash itself. (The editor's
//! own way to print above the line makes it wait for a key whenever keys arrive together, as pasted text does.)

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::{FileHistory, History};
use rustyline::{Config, Editor};
use sandshell::runtime::Terminal;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use system::{Keys, Settings};
use tokio::sync::mpsc::UnboundedSender;

/// How many lines of history are kept.
const HISTORY: usize = 10_000;
/// How long a program has to react to Ctrl-C before the next line is read.
const AFTER_INTERRUPT: Duration = Duration::from_millis(50);
/// How many bytes of an unfinished line can be used as a prompt.
const PROMPT: usize = 4096;

/// The terminal of this program, which must be its standard input and output.
pub(crate) struct HostTerminal {
    shared: Arc<Shared>,
    /// The terminal's settings when the program started.
    settings: Settings,
}

struct Shared {
    state: Mutex<State>,
    asked: Condvar,
    /// Keys in raw mode.
    keys: Keys,
    interrupts: UnboundedSender<()>,
}

#[derive(Default)]
struct State {
    input: VecDeque<u8>,
    /// Ctrl-D was typed on an empty line: the next read returns nothing.
    ended: bool,
    raw: bool,
    /// What the thread does or is asked to do.
    activity: Activity,
    /// Output since the last end of line.
    unfinished: Vec<u8>,
    waiting: Vec<Waker>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Activity {
    #[default]
    Idle,
    Asked,
    Editing,
    Keys,
}

impl HostTerminal {
    /// Takes over the terminal. `history` is read now and written whenever a line is entered. Ctrl-C in the line
    /// editor is sent to `interrupts`.
    pub(crate) fn new(history: Option<PathBuf>, interrupts: UnboundedSender<()>) -> io::Result<HostTerminal> {
        let settings = Settings::current()?;
        let editor = editor(history.as_deref()).map_err(io::Error::other)?;
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            asked: Condvar::new(),
            keys: Keys::new()?,
            interrupts,
        });
        let thread = shared.clone();
        std::thread::Builder::new()
            .name("terminal".to_owned())
            .spawn(move || thread.serve(editor, history.as_deref()))?;
        Ok(HostTerminal { shared, settings })
    }

    /// Asks for input; `cx` is woken when there is some.
    fn ask(&self, state: &mut State, cx: &Context<'_>) {
        state.waiting.push(cx.waker().clone());
        if state.activity == Activity::Idle {
            state.activity = Activity::Asked;
            self.shared.asked.notify_one();
        }
    }

    /// Restores the terminal's original settings.
    pub(crate) fn restore(&self) {
        // It does not matter if the terminal is gone.
        let _ = self.settings.restore();
    }
}

impl Terminal for HostTerminal {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut state = self.shared.lock();
        if !state.input.is_empty() {
            // One line for each read, as from a terminal.
            let line =
                state.input.iter().position(|byte| *byte == b'\n').map_or(state.input.len(), |at| at + 1);
            let count = if state.raw { state.input.len() } else { line }.min(buf.len());
            for (to, from) in buf.iter_mut().zip(state.input.drain(..count)) {
                *to = from;
            }
            return Poll::Ready(Ok(count));
        }
        if std::mem::take(&mut state.ended) {
            return Poll::Ready(Ok(0));
        }
        self.ask(&mut state, cx);
        Poll::Pending
    }

    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        if !state.input.is_empty() || state.ended {
            return Poll::Ready(());
        }
        self.ask(&mut state, cx);
        Poll::Pending
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.shared.lock();
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => state.unfinished = bytes[end + 1..].to_vec(),
            None => state.unfinished.extend_from_slice(bytes),
        }
        let excess = state.unfinished.len().saturating_sub(PROMPT);
        state.unfinished.drain(..excess);
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        Ok(bytes.len())
    }

    fn size(&self) -> (u32, u32) {
        match system::size() {
            Some((rows, columns)) if rows > 0 && columns > 0 => (u32::from(rows), u32::from(columns)),
            _ => (24, 80),
        }
    }

    fn set_raw(&self, raw: bool) -> io::Result<()> {
        let mut state = self.shared.lock();
        if raw == state.raw {
            return Ok(());
        }
        self.settings.set_raw(raw)?;
        state.raw = raw;
        if state.activity == Activity::Keys {
            self.shared.keys.cancel()?;
        }
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's loop: gets a line or keys whenever a program reads.
    fn serve(&self, mut editor: Editor<(), FileHistory>, history: Option<&std::path::Path>) {
        loop {
            let mut state = self.lock();
            while state.activity != Activity::Asked {
                state = self.asked.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.raw {
                state.activity = Activity::Keys;
                drop(state);
                let keys = self.keys.wait();
                self.done(|state| match keys {
                    Ok(keys) => state.input.extend(keys),
                    Err(_) => state.ended = true,
                });
                continue;
            }
            state.activity = Activity::Editing;
            let prompt = String::from_utf8_lossy(&std::mem::take(&mut state.unfinished)).into_owned();
            drop(state);
            let line = editor.readline(&prompt);
            if let Ok(line) = &line {
                remember(&mut editor, line, history);
            }
            match line {
                Ok(line) => self.done(|state| {
                    state.input.extend(line.into_bytes());
                    state.input.push_back(b'\n');
                }),
                Err(ReadlineError::Interrupted) => {
                    // Keep the prompt for a program that goes on reading. A shell instead ends the line and shows a
                    // new prompt.
                    self.lock().unfinished = prompt.into_bytes();
                    let mut stdout = io::stdout();
                    let _ = stdout.write_all(b"^C");
                    let _ = stdout.flush();
                    // Sending fails only if the session has just ended.
                    let _ = self.interrupts.send(());
                    // Give the program time to show its next prompt before the next line is edited.
                    std::thread::sleep(AFTER_INTERRUPT);
                    self.done(|_| {});
                }
                Err(_) => self.done(|state| state.ended = true),
            }
        }
    }

    /// Ends an activity and wakes the readers.
    fn done(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.activity = Activity::Idle;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }
}

fn editor(history: Option<&std::path::Path>) -> rustyline::Result<Editor<(), FileHistory>> {
    let config = Config::builder().history_ignore_space(true).auto_add_history(false).build();
    let mut editor = Editor::with_history(config.clone(), FileHistory::with_config(&config))?;
    editor.set_max_history_size(HISTORY)?;
    if let Some(history) = history {
        // There is no history before the first session.
        let _ = editor.load_history(history);
    }
    Ok(editor)
}

/// Adds a line to the history and its file. A line that begins with a space is not kept.
fn remember(editor: &mut Editor<(), FileHistory>, line: &str, history: Option<&std::path::Path>) {
    if line.trim().is_empty() || !editor.add_history_entry(line).unwrap_or(false) {
        return;
    }
    if let Some(file) = history {
        // History is only a convenience, so errors in writing it are ignored.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = editor.history_mut().append(file);
    }
}
