//! Execution: one cycle for each line.

use crate::address::Line;
use crate::input::{Input, Reader};
use crate::options::Options;
use crate::output::{Output, Sinks};
use crate::script::{Action, Command, Print, Script, Substitution, Translation};
use crate::{Failure, Result, message};
use memchr::memchr;
use sandshell_posix::{characters, process};
use sandshell_regex::Regex;
use sandshell_sys as sys;
use std::rc::Rc;

/// Runs the script on the files. Returns the exit status.
pub(crate) fn run(script: Script, options: &Options, files: Vec<Vec<u8>>, sinks: &Sinks) -> Result<i32> {
    let mut machine = Machine {
        options,
        sinks,
        input: Input::new(options, sinks, files)?,
        pattern: Vec::new(),
        ended: true,
        hold: Vec::new(),
        hold_ended: true,
        scratch: Vec::new(),
        replaced: false,
        last_regex: None,
        appended: Vec::new(),
        readers: script.readers.iter().map(|name| Reader::open(name).ok()).collect(),
    };
    let mut commands = script.commands;
    let status = machine.cycles(&mut commands)?;
    machine.input.close()?;
    Ok(status.unwrap_or(machine.input.status))
}

struct Machine<'a> {
    options: &'a Options,
    sinks: &'a Sinks,
    input: Input<'a>,
    pattern: Vec<u8>,
    // Whether the line in the pattern space had a newline in the input.
    ended: bool,
    hold: Vec<u8>,
    // Whether the line in the hold space had a newline.
    hold_ended: bool,
    scratch: Vec<u8>,
    // Whether there was a substitution since the last line was read or `t` jumped.
    replaced: bool,
    last_regex: Option<Rc<Regex>>,
    // What is printed at the end of the cycle.
    appended: Vec<Appended>,
    readers: Vec<Option<Reader>>,
}

enum Appended {
    Text(Vec<u8>),
    File(Vec<u8>),
    Line(Vec<u8>),
}

// How a cycle ends.
enum Cycle {
    // Print, then continue with the next line.
    Print,
    // Continue with the next line without printing.
    Silent,
    // Start again with the rest of the pattern space, without reading a line.
    Again,
    Quit { print: bool, status: i32 },
}

impl Machine<'_> {
    // Runs all cycles. Returns the status from `q` or `Q`.
    fn cycles(&mut self, commands: &mut [Command]) -> Result<Option<i32>> {
        while self.read(false)? {
            if std::mem::take(&mut self.input.new_file) {
                commands.iter_mut().for_each(|command| command.condition.reset());
                self.hold.clear();
                self.hold_ended = true;
            }
            loop {
                let end = self.cycle(commands)?;
                let print = matches!(end, Cycle::Print | Cycle::Quit { print: true, .. });
                if print && !self.options.quiet {
                    self.print();
                }
                // `Q` drops pending output of `a`, `r` and `R`.
                if !matches!(end, Cycle::Quit { print: false, .. }) {
                    self.append()?;
                }
                match end {
                    Cycle::Again => {}
                    Cycle::Quit { status, .. } => return Ok(Some(status)),
                    Cycle::Print | Cycle::Silent => break,
                }
            }
        }
        Ok(None)
    }

    fn cycle(&mut self, commands: &mut [Command]) -> Result<Cycle> {
        let mut at = 0;
        while let Some(command) = commands.get_mut(at) {
            at += 1;
            let holds = command.condition.holds(self)?;
            if !holds {
                if let Action::Block(end) = command.action {
                    at = end;
                }
                continue;
            }
            match &mut command.action {
                Action::Block(_) => {}
                Action::Append(text) => self.appended.push(Appended::Text(text.clone())),
                Action::Insert(text) => self.input.output.text(text, self.options.delimiter()),
                Action::Change(text) => {
                    let inside = command.condition.is_open() && !command.condition.negated;
                    if !inside {
                        self.input.output.text(text, self.options.delimiter());
                    }
                    return Ok(Cycle::Silent);
                }
                Action::Branch(to) => at = *to,
                Action::BranchIfReplaced(to) => {
                    if std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::BranchUnlessReplaced(to) => {
                    if !std::mem::take(&mut self.replaced) {
                        at = *to;
                    }
                }
                Action::Delete => return Ok(Cycle::Silent),
                Action::DeleteFirstLine => match memchr(self.options.delimiter(), &self.pattern) {
                    None => return Ok(Cycle::Silent),
                    Some(end) => {
                        self.pattern.drain(..=end);
                        return Ok(Cycle::Again);
                    }
                },
                Action::Execute(text) if text.is_empty() => {
                    self.execute_pattern()?;
                    self.ended = true;
                }
                Action::Execute(text) => {
                    let output = self.shell(text)?;
                    self.input.output.text(&output, self.options.delimiter());
                }
                Action::FileName => self.output_line(self.input.file_name()),
                Action::Get => {
                    self.pattern.clone_from(&self.hold);
                    self.ended = self.hold_ended;
                }
                Action::GetAppend => {
                    self.pattern.push(self.options.delimiter());
                    self.pattern.extend_from_slice(&self.hold);
                    self.ended = self.hold_ended;
                }
                Action::Hold => {
                    self.hold.clone_from(&self.pattern);
                    self.hold_ended = self.ended;
                }
                Action::HoldAppend => {
                    self.hold.push(self.options.delimiter());
                    self.hold.extend_from_slice(&self.pattern);
                    self.hold_ended = self.ended;
                }
                Action::Exchange => {
                    std::mem::swap(&mut self.pattern, &mut self.hold);
                    std::mem::swap(&mut self.ended, &mut self.hold_ended);
                }
                Action::List(width) => {
                    self.output_line(&listed(&self.pattern, width.unwrap_or(self.options.line_length)));
                }
                Action::Next => {
                    if let Some(end) = self.next()? {
                        return Ok(end);
                    }
                }
                Action::NextAppend => {
                    if let Some(end) = self.next_append()? {
                        return Ok(end);
                    }
                }
                Action::Print => self.print(),
                Action::PrintFirstLine => {
                    let output = self.input.output.clone();
                    self.first_line(&output);
                }
                Action::Quit(status) => return Ok(Cycle::Quit { print: true, status: *status }),
                Action::QuitSilently(status) => return Ok(Cycle::Quit { print: false, status: *status }),
                Action::ReadFileFirst(name) => {
                    self.input.output.finish_line(self.options.delimiter());
                    self.sinks.flush();
                    copy(name, &self.input.output, self.options.delimiter());
                }
                Action::ReadFile(name) => self.appended.push(Appended::File(name.clone())),
                Action::ReadLine(index) => self.read_line_of(*index)?,
                Action::Substitute(substitution) => self.substitute(substitution)?,
                Action::Write(output) => self.line_to(output),
                Action::WriteFirstLine(output) => self.first_line(output),
                Action::Translate(table) => self.translate(table),
                Action::Zap => self.pattern.clear(),
                Action::LineNumber => self.output_line(self.input.number.to_string().as_bytes()),
            }
        }
        Ok(Cycle::Print)
    }

    /// `n`. Returns how the cycle ends if there is no next line.
    fn next(&mut self) -> Result<Option<Cycle>> {
        if self.input.at_end()? {
            return Ok(Some(Cycle::Print));
        }
        if !self.options.quiet {
            self.print();
        }
        self.append()?;
        Ok(if self.read(false)? { None } else { Some(Cycle::Silent) })
    }

    /// `N`. Returns how the cycle ends if there is no next line.
    fn next_append(&mut self) -> Result<Option<Cycle>> {
        if self.input.at_end()? {
            return Ok(Some(if self.options.posixly_correct { Cycle::Silent } else { Cycle::Print }));
        }
        self.append()?;
        Ok(if self.read(true)? { None } else { Some(Cycle::Silent) })
    }

    /// `R`: the next line of a file, at the end of the cycle.
    fn read_line_of(&mut self, index: usize) -> Result<()> {
        let mut line = Vec::new();
        if let Some(Some(reader)) = self.readers.get_mut(index)
            && reader.line(&mut line, self.options.delimiter())?.is_some()
        {
            self.appended.push(Appended::Line(line));
        }
        Ok(())
    }

    fn output_line(&self, text: &[u8]) {
        let delimiter = self.options.delimiter();
        self.input.output.line(text, Some(delimiter), delimiter);
    }

    // Reads the next line into the pattern space, or appends it.
    fn read(&mut self, append: bool) -> Result<bool> {
        let read = if append {
            let mut line = std::mem::take(&mut self.scratch);
            let read = self.input.next_line(&mut line)?;
            self.pattern.push(self.options.delimiter());
            self.pattern.extend_from_slice(&line);
            self.scratch = line;
            read
        } else {
            self.replaced = false;
            self.input.next_line(&mut self.pattern)?
        };
        self.ended = read.unwrap_or(true);
        Ok(read.is_some())
    }

    fn print(&self) {
        self.line_to(&self.input.output);
    }

    fn line_to(&self, output: &Output) {
        let delimiter = self.options.delimiter();
        output.line(&self.pattern, self.ended.then_some(delimiter), delimiter);
    }

    fn first_line(&self, output: &Output) {
        let delimiter = self.options.delimiter();
        match memchr(delimiter, &self.pattern) {
            Some(end) => output.line(&self.pattern[..end], Some(delimiter), delimiter),
            None => self.line_to(output),
        }
    }

    // Prints what `a`, `r` and `R` have deferred to the end of the cycle.
    fn append(&mut self) -> Result<()> {
        let delimiter = self.options.delimiter();
        for appended in std::mem::take(&mut self.appended) {
            let output = &self.input.output;
            match appended {
                Appended::Text(text) => output.text(&text, delimiter),
                Appended::Line(line) => output.line(&line, Some(delimiter), delimiter),
                Appended::File(name) => {
                    output.finish_line(delimiter);
                    // `w` may be writing to the same file.
                    self.sinks.flush();
                    copy(&name, output, delimiter);
                }
            }
        }
        Ok(())
    }

    fn substitute(&mut self, s: &Substitution) -> Result<()> {
        let regex = s.pattern.resolve(&mut self.last_regex)?;
        let text = &self.pattern;
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        let needs_groups = s.replacement.highest > 0;
        // The position copied so far, the search position, the end of the last non-empty match, and the number of
        // matches.
        let (mut copied, mut from, mut last_end, mut count) = (0, 0, None, 0);
        let mut done = false;
        let mut whole = [None];
        while from <= text.len() {
            let groups;
            let spans: &[Option<(usize, usize)>] = if needs_groups {
                let Some(found) = regex.captures_at(text, from, false) else { break };
                groups = found;
                &groups
            } else {
                let Some(found) = regex.find_at(text, from, false) else { break };
                whole[0] = Some(found);
                &whole
            };
            let Some((start, end)) = spans.first().copied().flatten() else { break };
            let empty = start == end;
            if !(empty && last_end == Some(start)) {
                count += 1;
                if count >= s.number {
                    out.extend_from_slice(text.get(copied..start).unwrap_or_default());
                    s.replacement.append(&mut out, text, spans);
                    copied = end;
                    done = true;
                    if !s.global {
                        break;
                    }
                }
            }
            if empty {
                from = end + text.get(end..).filter(|t| !t.is_empty()).map_or(1, characters::length);
            } else {
                from = end;
                last_end = Some(end);
            }
        }
        if done {
            out.extend_from_slice(text.get(copied..).unwrap_or_default());
            std::mem::swap(&mut self.pattern, &mut out);
        }
        self.scratch = out;
        if done {
            self.replaced = true;
            if s.print == Some(Print::BeforeExecution) {
                self.print();
            }
            if s.execute {
                self.execute_pattern()?;
            }
            if s.print == Some(Print::Result) {
                self.print();
            }
            if let Some(output) = &s.file {
                self.line_to(output);
            }
        }
        Ok(())
    }

    /// Replaces the pattern space by the output of the command in it, without its last newline.
    fn execute_pattern(&mut self) -> Result<()> {
        self.pattern = self.shell(&self.pattern)?;
        self.pattern.pop_if(|last| *last == self.options.delimiter());
        Ok(())
    }

    /// The output of a command, which comes after what has been written so far.
    fn shell(&self, command: &[u8]) -> Result<Vec<u8>> {
        self.sinks.flush_all()?;
        self.input.output.flush()?;
        process::shell_output(command)
            .map_err(|e| Failure::panic(&[b"error running subprocess: ", e.to_string().as_bytes()]))
    }

    fn translate(&mut self, table: &Translation) {
        if table.wide.is_empty() {
            self.pattern.iter_mut().for_each(|b| *b = table.bytes[usize::from(*b)]);
            return;
        }
        let mut out = Vec::with_capacity(self.pattern.len());
        let mut rest = self.pattern.as_slice();
        while !rest.is_empty() {
            let (character, after) = rest.split_at(characters::length(rest));
            match table.wide.iter().find(|(from, _)| from == character) {
                Some((_, to)) => out.extend_from_slice(to),
                None => match character {
                    [b] => out.push(table.bytes[usize::from(*b)]),
                    _ => out.extend_from_slice(character),
                },
            }
            rest = after;
        }
        self.pattern = out;
    }
}

impl Line for Machine<'_> {
    fn number(&self) -> u64 {
        self.input.number
    }

    fn is_last(&mut self) -> Result<bool> {
        self.input.at_end()
    }

    fn text(&self) -> &[u8] {
        &self.pattern
    }

    fn last_regex(&mut self) -> &mut Option<Rc<Regex>> {
        &mut self.last_regex
    }
}

// Copies the content of a file, if it can be read.
fn copy(name: &[u8], output: &Output, delimiter: u8) {
    let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
    let fd = if name == b"/dev/stdin" { Ok(0) } else { sys::open(name, flags, 0) };
    let Ok(fd) = fd else { return };
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match sys::read(fd, &mut buffer) {
            Ok(0) => break,
            Ok(n) => output.text(&buffer[..n], delimiter),
            Err(sys::Errno::INTR) => {}
            Err(e) => {
                message(&[b"read error on ", name, b": ", e.to_string().as_bytes()].concat());
                break;
            }
        }
    }
    if fd != 0 {
        let _ = sys::close(fd);
    }
}

// The text as `l` shows it, without the last newline, in lines of at most `width` columns (0: a single line).
fn listed(text: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    let mut column = 0;
    let mut piece = Vec::with_capacity(4);
    for &b in text {
        piece.clear();
        match b {
            b'\\' => piece.extend(b"\\\\"),
            7 => piece.extend(b"\\a"),
            8 => piece.extend(b"\\b"),
            12 => piece.extend(b"\\f"),
            b'\n' => piece.extend(b"\\n"),
            b'\r' => piece.extend(b"\\r"),
            b'\t' => piece.extend(b"\\t"),
            11 => piece.extend(b"\\v"),
            0x20..=0x7e => piece.push(b),
            _ => piece.extend(format!("\\{b:03o}").bytes()),
        }
        if width > 0 && column + piece.len() > width - 1 {
            out.extend(b"\\\n");
            column = 0;
        }
        column += piece.len();
        out.extend_from_slice(&piece);
    }
    out.push(b'$');
    out
}
