//! The table on a terminal.

use super::Job;
use crate::base::say;
use sandshell_posix::users;
use sandshell_sys::{self as sys, Errno, signal};
use sandshell_terminal::{Canvas, Key, Keys, fit};
use std::time::Duration;

/// The columns that keys sort by.
const SORTS: &[(u8, &str)] = &[(b'P', "%CPU"), (b'M', "%MEM"), (b'T', "TIME+"), (b'N', "PID")];

const KEYS: &str = "\
Keys of top:

  q            quit
  Space Enter  now
  P M T N      in the order of %CPU, %MEM, TIME+, PID
  R            the other way round
  c            whole command lines, or names
  i            only those that do something, or all
  u            only those of a user
  n            only so many
  d s          so many seconds between
  k            send a signal to a process
  Up Down      scroll

Any key goes on.";

/// The screen.
struct Live {
    job: Job,
    canvas: Canvas,
    keys: Keys,
    /// The first process that is shown.
    first: usize,
    /// Said once.
    message: String,
}

/// Shows the table until the user has seen enough, or as often as was asked for. Returns the exit status.
pub(super) fn run(job: Job) -> Result<i32, i32> {
    let canvas = Canvas::enter(1, 0, true, true).map_err(|error| {
        say::raw(format!("top: failed tty get: {error}\n"));
        1
    })?;
    for number in [signal::SIGWINCH, signal::SIGINT] {
        let _ = sys::sigaction(number, sys::Disposition::Catch);
    }
    let mut live = Live { job, canvas, keys: Keys::new(0), first: 0, message: String::new() };
    loop {
        live.draw();
        live.job.rounds -= 1;
        if live.job.rounds == 0 {
            return Ok(0);
        }
        match live.keys.next_within(live.job.delay) {
            Ok(None) => {}
            Ok(Some(key)) => {
                if !live.key(&key) {
                    return Ok(0);
                }
            }
            Err(Errno::INTR) => {
                while let Some(number) = sys::sigtake() {
                    if number == signal::SIGINT {
                        return Ok(0);
                    }
                }
                live.canvas.refresh();
            }
            Err(_) => return Ok(0),
        }
    }
}

impl Live {
    fn draw(&mut self) {
        let (rows, columns) = self.canvas.size();
        self.job.width = columns;
        let mut lines = self.job.lines();
        // The row above the heads is free for messages.
        const HEADS: usize = 7;
        if let Some(row) = lines.get_mut(HEADS - 2) {
            *row = std::mem::take(&mut self.message).into_bytes();
        }
        let processes = lines.len().saturating_sub(HEADS);
        self.first = self.first.min(processes.saturating_sub(1));
        lines.drain(HEADS.min(lines.len())..(HEADS + self.first).min(lines.len()));
        let shown: Vec<Vec<u8>> = lines
            .iter()
            .take(rows)
            .enumerate()
            .map(|(number, line)| {
                let padded = [&**line, &b" ".repeat(columns)].concat();
                match number + 1 == HEADS {
                    true => fit(&padded, 0, columns, 8, |_| true),
                    false => fit(line, 0, columns, 8, |_| false),
                }
            })
            .collect();
        self.canvas.draw(&shown, (HEADS - 2, 0));
    }

    /// Acts on a key; false to end.
    fn key(&mut self, key: &Key) -> bool {
        let letter = match key {
            Key::Text(text) => text.first().copied().unwrap_or_default(),
            Key::Down => {
                self.first += 1;
                return true;
            }
            Key::Up => {
                self.first = self.first.saturating_sub(1);
                return true;
            }
            Key::PageDown => {
                self.first += self.canvas.size().0;
                return true;
            }
            Key::PageUp => {
                self.first = self.first.saturating_sub(self.canvas.size().0);
                return true;
            }
            Key::Home => {
                self.first = 0;
                return true;
            }
            Key::Control(b'L') => {
                self.canvas.refresh();
                return true;
            }
            _ => return true,
        };
        match letter {
            b'q' => return false,
            b'P' | b'M' | b'T' | b'N' => {
                let sort = SORTS.iter().find(|sort| sort.0 == letter);
                self.job.sort = sort.map_or("PID", |sort| sort.1).as_bytes().to_vec();
            }
            b'R' => self.job.reversed = !self.job.reversed,
            b'c' => self.job.command_lines = !self.job.command_lines,
            b'i' => self.job.busy_only = !self.job.busy_only,
            b'd' | b's' => self.ask_delay(),
            b'n' | b'#' => {
                if let Some(text) = self.ask("Maximum tasks = 0, change to (0 is unlimited) ") {
                    match text.parse::<usize>() {
                        Ok(most) => self.job.most = Some(most).filter(|most| *most > 0),
                        Err(_) => "Unacceptable integer".clone_into(&mut self.message),
                    }
                }
            }
            b'u' | b'U' => self.ask_user(),
            b'k' => self.kill(),
            b'h' | b'?' => {
                let lines: Vec<Vec<u8>> = KEYS.lines().map(|line| line.as_bytes().to_vec()).collect();
                self.canvas.draw(&lines, (lines.len().saturating_sub(1), 0));
                let _ = self.keys.next_key();
            }
            b' ' => {}
            _ => "Unknown command - try 'h' for help".clone_into(&mut self.message),
        }
        true
    }

    fn ask_delay(&mut self) {
        let label = format!("Change delay from {:.1} to ", self.job.delay.as_secs_f64());
        let Some(text) = self.ask(&label) else { return };
        match text.parse().ok().and_then(|time| Duration::try_from_secs_f64(time).ok()) {
            Some(delay) => self.job.delay = delay.max(Duration::from_millis(100)),
            None => "Unacceptable floating point".clone_into(&mut self.message),
        }
    }

    fn ask_user(&mut self) {
        let Some(text) = self.ask("Which user (blank for all) ") else { return };
        if text.is_empty() {
            self.job.user = None;
            return;
        }
        let uid =
            users::number(text.as_bytes()).or_else(|| users::user_named(text.as_bytes()).map(|u| u.uid));
        match uid {
            Some(uid) => self.job.user = Some(uid),
            None => "Invalid user".clone_into(&mut self.message),
        }
    }

    fn kill(&mut self) {
        let Some(pid) = self.ask("PID to signal/kill ").filter(|text| !text.is_empty()) else { return };
        let Ok(pid) = pid.parse::<i32>() else {
            "Unacceptable integer".clone_into(&mut self.message);
            return;
        };
        let Some(text) = self.ask(&format!("Send pid {pid} signal [15/sigterm] ")) else { return };
        let number = match text.as_str() {
            "" => Some(signal::SIGTERM),
            text => text.parse().ok().or_else(|| signal::number(text)),
        };
        self.message = match number.map(|number| sys::kill(pid, number)) {
            None => "Invalid signal".to_owned(),
            Some(Ok(())) => return,
            Some(Err(error)) => format!("Failed signal pid '{pid}': {error}"),
        };
    }

    /// Lets the user type a text in the row above the heads; `None` if that is given up.
    fn ask(&mut self, label: &str) -> Option<String> {
        let mut text = String::new();
        loop {
            self.message = format!("{label}{text}");
            self.draw();
            match self.keys.next_key().ok()? {
                Key::Enter => return Some(text),
                Key::Text(more) => text.push_str(&String::from_utf8_lossy(&more)),
                Key::Backspace => drop(text.pop()),
                Key::Control(b'U') => text.clear(),
                Key::Escape => return None,
                _ => {}
            }
        }
    }
}
