//! Commands after a colon.

use super::{At, Vi};
use crate::vi::buffer::Buffer;
use sandshell_posix::process;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;

/// The most lines that `:g` visits.
const VISITS: usize = 1_000_000;

/// Lines, the last one included.
type Range = (usize, usize);

impl Vi {
    /// Runs a command, without its colon.
    pub(super) fn command(&mut self, text: &str) {
        let text = text.trim_start_matches([':', ' ']);
        if let Err(problem) = self.run_command(text) {
            self.message = problem;
        }
    }

    fn run_command(&mut self, text: &str) -> Result<(), String> {
        let (range, rest) = self.range(text)?;
        let rest = rest.trim_start();
        let split = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        // A pattern may follow at once.
        let split = match rest.as_bytes() {
            [b's' | b'g' | b'v', next, ..] if !next.is_ascii_alphanumeric() => 1,
            _ => split,
        };
        let (name, argument) = rest.split_at_checked(split).unwrap_or((rest, ""));
        let (forced, argument) = match argument.strip_prefix('!') {
            Some(argument) if !matches!(name, "" | "s") => (true, argument),
            _ => (false, argument),
        };
        let lines = range.unwrap_or((self.cursor.line, self.cursor.line));
        let whole = range.unwrap_or((0, self.buffer.last()));
        match name {
            "" if argument.starts_with('!') => self.shell(argument.get(1..).unwrap_or_default()),
            "" => match range {
                Some((_, line)) => {
                    let place = self.buffer.indent(line);
                    self.jump(place);
                    Ok(())
                }
                None => Ok(()),
            },
            "w" | "write" => self.write(argument.trim(), range, forced),
            "q" | "quit" => self.quit(forced),
            "wq" | "x" | "xit" | "exit" => {
                if self.buffer.changed || name == "wq" || !argument.trim().is_empty() {
                    self.write(argument.trim(), range, forced)?;
                }
                self.quit(forced)
            }
            "wn" => {
                self.write("", None, forced)?;
                self.other_file(1, forced)
            }
            "n" | "next" => self.other_file(1, forced),
            "prev" | "previous" | "N" | "Next" => self.other_file(-1, forced),
            "e" | "edit" => self.edit(argument.trim(), forced),
            "r" | "read" => self.read(argument.trim(), range),
            "f" | "file" => {
                if !argument.trim().is_empty() {
                    self.name = Some(argument.trim().as_bytes().to_vec());
                }
                self.report();
                Ok(())
            }
            "d" | "delete" => {
                let text = self.buffer.lines(lines.0, lines.1 + 1).join(&b'\n');
                self.keep(register(argument), text, true, false);
                self.buffer.replace(lines.0, lines.1 + 1, Vec::new());
                self.say_lines(lines.1 + 1 - lines.0, "fewer");
                let place = self.buffer.indent(lines.0.min(self.buffer.last()));
                self.go(place);
                Ok(())
            }
            "y" | "yank" => {
                let text = self.buffer.lines(lines.0, lines.1 + 1).join(&b'\n');
                self.keep(register(argument), text, true, true);
                self.say_lines(lines.1 + 1 - lines.0, "yanked");
                Ok(())
            }
            "j" | "join" => {
                let last = if range.is_some_and(|r| r.0 < r.1) { lines.1 } else { lines.1 + 1 };
                self.join(lines.0, last.min(self.buffer.last()));
                Ok(())
            }
            "m" | "move" | "t" | "co" | "copy" => self.transfer(lines, argument, name.starts_with('m')),
            "k" | "mark" => {
                let name = argument.trim().bytes().next().ok_or("Argument required")?;
                self.marks.insert(name, At { line: lines.1, byte: 0 });
                Ok(())
            }
            "s" | "substitute" | "su" => self.substitute(lines, argument),
            "g" | "global" => self.global(whole, argument, !forced),
            "v" | "vglobal" => self.global(whole, argument, false),
            "u" | "undo" => {
                if let Some(cursor) = self.buffer.undo() {
                    self.go(cursor);
                }
                Ok(())
            }
            "set" | "se" => self.set(argument),
            "noh" | "nohlsearch" => Ok(()),
            "p" | "print" => {
                self.message = String::from_utf8_lossy(self.buffer.line(lines.1)).into_owned();
                self.go(At { line: lines.1, byte: 0 });
                Ok(())
            }
            "=" => {
                self.message = (whole.1 + 1).to_string();
                Ok(())
            }
            _ => match rest.as_bytes().first() {
                Some(b'>') => self.shifted(lines, rest, true),
                Some(b'<') => self.shifted(lines, rest, false),
                Some(b'=') => {
                    self.message = (whole.1 + 1).to_string();
                    Ok(())
                }
                Some(b'&') => self.substitute(lines, ""),
                _ => Err(format!("Not an editor command: {rest}")),
            },
        }
    }

    fn shifted(&mut self, lines: Range, signs: &str, right: bool) -> Result<(), String> {
        let times = signs.chars().take_while(|sign| matches!(sign, '<' | '>')).count();
        self.shift_lines(lines.0, lines.1, right, times.min(64));
        let place = self.buffer.indent(lines.1);
        self.go(place);
        Ok(())
    }

    /// The lines that a command is about, and the rest of the text.
    fn range<'t>(&mut self, text: &'t str) -> Result<(Option<Range>, &'t str), String> {
        if let Some(rest) = text.strip_prefix('%') {
            return Ok((Some((0, self.buffer.last())), rest));
        }
        let (mut first, mut rest) = self.address(text)?;
        let mut last = first;
        while let Some(after) = rest.trim_start().strip_prefix([',', ';']) {
            let (next, after) = self.address(after)?;
            first = last.or(Some(self.cursor.line));
            last = next.or(Some(self.cursor.line));
            rest = after;
        }
        let Some((first, last)) = first.zip(last) else { return Ok((None, rest)) };
        if first > last {
            return Err("Backwards range".to_owned());
        }
        if last > self.buffer.last() {
            return Err("Invalid range".to_owned());
        }
        Ok((Some((first, last)), rest))
    }

    /// One line, and the rest of the text.
    fn address<'t>(&mut self, text: &'t str) -> Result<(Option<usize>, &'t str), String> {
        let text = text.trim_start();
        let mut rest = text;
        let mut line: Option<i64> = None;
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        match text.as_bytes().first() {
            Some(b'.') => (line, rest) = (Some(number(self.cursor.line)), text.get(1..).unwrap_or_default()),
            Some(b'$') => {
                (line, rest) = (Some(number(self.buffer.last())), text.get(1..).unwrap_or_default())
            }
            Some(b'0'..=b'9') => {
                let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
                let (digits, after) = text.split_at(end);
                let wanted: i64 = digits.parse().map_err(|_| "Invalid range".to_owned())?;
                (line, rest) = (Some((wanted - 1).max(0)), after);
            }
            Some(b'\'') => {
                let name = text.as_bytes().get(1).ok_or("Mark not set")?;
                let place = self.marks.get(name).ok_or("Mark not set")?;
                line = Some(number(place.line.min(self.buffer.last())));
                rest = text.get(2..).unwrap_or_default();
            }
            Some(sign @ (b'/' | b'?')) => {
                let forward = *sign == b'/';
                let (pattern, after) = delimited(text.get(1..).unwrap_or_default(), *sign);
                if !pattern.is_empty() {
                    self.set_pattern(&pattern, forward).ok_or_else(|| self.message.clone())?;
                }
                let Some((regex, _)) = &self.pattern else {
                    return Err("No previous regular expression".to_owned());
                };
                let found = line_with(&self.buffer, regex, self.cursor.line, forward);
                line = Some(number(found.ok_or("Pattern not found")?));
                rest = after;
            }
            _ => {}
        }
        // `+3` and `-` count from there.
        while let Some(sign @ (b'+' | b'-')) = rest.as_bytes().first() {
            let after = rest.get(1..).unwrap_or_default();
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let by: i64 =
                if end == 0 { 1 } else { after.get(..end).unwrap_or_default().parse().unwrap_or(i64::MAX) };
            let from = line.unwrap_or(number(self.cursor.line));
            line = Some(if *sign == b'+' { from.saturating_add(by) } else { from.saturating_sub(by) });
            rest = after.get(end..).unwrap_or_default();
        }
        match line.map(usize::try_from) {
            None => Ok((None, rest)),
            Some(Ok(line)) => Ok((Some(line), rest)),
            Some(Err(_)) => Err("Invalid range".to_owned()),
        }
    }

    fn write(&mut self, name: &str, range: Option<Range>, forced: bool) -> Result<(), String> {
        let (append, name) = match name.strip_prefix(">>") {
            Some(name) => (true, name.trim()),
            None => (false, name),
        };
        let own = self.name.clone();
        let path = match (name.is_empty(), &own) {
            (false, _) => name.as_bytes().to_vec(),
            (true, Some(own)) => own.clone(),
            (true, None) => return Err("No file name".to_owned()),
        };
        let is_own = own.as_ref() == Some(&path);
        let shown = String::from_utf8_lossy(&path).into_owned();
        if self.read_only && is_own && !forced {
            return Err("'readonly' option is set (add ! to override)".to_owned());
        }
        if !is_own && !append && !forced && sys::stat(&path, true).is_ok() {
            return Err("File exists (add ! to override)".to_owned());
        }
        let content = match range {
            None => self.buffer.content(),
            Some((first, last)) => [self.buffer.lines(first, last + 1).join(&b'\n'), b"\n".to_vec()].concat(),
        };
        let lines = range.map_or(self.buffer.count(), |(first, last)| last + 1 - first);
        let lines = if content.is_empty() { 0 } else { lines };
        let new = sys::stat(&path, true).is_err();
        put(&path, &content, append).map_err(|error| format!("\"{shown}\" {error}"))?;
        if range.is_none() && (is_own || own.is_none()) {
            self.buffer.changed = false;
            self.name.get_or_insert(path);
        }
        let new = if new { " [New]" } else { "" };
        self.message = format!("\"{shown}\"{new} {lines}L, {}B written", content.len());
        Ok(())
    }

    fn quit(&mut self, forced: bool) -> Result<(), String> {
        if self.buffer.changed && !forced {
            return Err("No write since last change (add ! to override)".to_owned());
        }
        if self.file + 1 < self.files.len() && !forced {
            self.files.truncate(self.file + 1);
            return Err("There are more files to edit; once more to quit".to_owned());
        }
        self.done = Some(0);
        Ok(())
    }

    fn other_file(&mut self, by: isize, forced: bool) -> Result<(), String> {
        let file = self.file.checked_add_signed(by).filter(|file| *file < self.files.len());
        let Some(file) = file else {
            return Err(format!("Cannot go {} file", if by > 0 { "beyond last" } else { "before first" }));
        };
        if self.buffer.changed && !forced {
            return Err("No write since last change (add ! to override)".to_owned());
        }
        self.open_file(file);
        Ok(())
    }

    fn edit(&mut self, name: &str, forced: bool) -> Result<(), String> {
        if self.buffer.changed && !forced {
            return Err("No write since last change (add ! to override)".to_owned());
        }
        let path = if name.is_empty() { self.name.clone() } else { Some(name.as_bytes().to_vec()) };
        let Some(path) = path else { return Err("No file name".to_owned()) };
        match self.files.iter().position(|file| *file == path) {
            Some(file) => self.open_file(file),
            None => {
                let at = (self.file + 1).min(self.files.len());
                self.files.insert(at, path);
                self.open_file(at);
            }
        }
        Ok(())
    }

    /// Opens one of the files, or an empty text.
    pub(super) fn open_file(&mut self, file: usize) {
        self.file = file;
        self.name = self.files.get(file).cloned();
        self.cursor = At::default();
        (self.top, self.left, self.column) = (0, 0, 0);
        self.marks.clear();
        let Some(name) = self.name.clone() else {
            self.buffer = Buffer::new(b"");
            return;
        };
        let shown = String::from_utf8_lossy(&name).into_owned();
        match sys::read_file(&name) {
            Ok(content) => {
                self.buffer = Buffer::new(&content);
                let lines = if content.is_empty() { 0 } else { self.buffer.count() };
                let end = if self.buffer.unended { "[noeol] " } else { "" };
                self.message = format!("\"{shown}\" {end}{lines}L, {}B", content.len());
            }
            Err(sys::Errno::NOENT) => {
                self.buffer = Buffer::new(b"");
                self.message = format!("\"{shown}\" [New]");
            }
            Err(error) => {
                self.buffer = Buffer::new(b"");
                // What could not be read must not be overwritten.
                self.name = None;
                self.message = format!("\"{shown}\" {error}");
            }
        }
    }

    /// Ctrl-G: the name and the place.
    pub(super) fn report(&mut self) {
        let name = self.name.as_ref().map_or("[No Name]".into(), |name| String::from_utf8_lossy(name));
        let changed = if self.buffer.changed { " [Modified]" } else { "" };
        let count = self.buffer.count();
        let percent = (self.cursor.line + 1) * 100 / count;
        self.message = format!("\"{name}\"{changed} line {} of {count} --{percent}%--", self.cursor.line + 1);
    }

    fn read(&mut self, name: &str, range: Option<Range>) -> Result<(), String> {
        let after = range.map_or(self.cursor.line, |(_, line)| line) + 1;
        let content = match name.strip_prefix('!') {
            Some(command) => output_of(command).map_err(|error| error.to_string())?,
            None => sys::read_file(name.as_bytes()).map_err(|error| format!("\"{name}\" {error}"))?,
        };
        let content = content.strip_suffix(b"\n").unwrap_or(&content);
        let lines: Vec<Vec<u8>> = content.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        self.say_lines(lines.len(), "more");
        self.buffer.replace(after, after, lines);
        let place = self.buffer.indent(after.min(self.buffer.last()));
        self.go(place);
        Ok(())
    }

    fn shell(&mut self, command: &str) -> Result<(), String> {
        self.canvas.suspend();
        let ran = process::start(&shell_command(command)).and_then(process::wait);
        let _ = sys::write_all(1, b"\nPress ENTER or type command to continue");
        let resumed = self.canvas.resume(self.keys.fd(), false);
        let _ = self.keys.byte();
        resumed.and(ran).map(drop).map_err(|error| error.to_string())
    }

    fn transfer(&mut self, lines: Range, target: &str, moves: bool) -> Result<(), String> {
        let (line, _) = if target.trim() == "0" { (None, "") } else { self.address(target)? };
        let after = line.map_or(0, |line| line + 1);
        if line.is_none() && target.trim() != "0" {
            return Err("Invalid address".to_owned());
        }
        let count = lines.1 + 1 - lines.0;
        let text = self.buffer.lines(lines.0, lines.1 + 1);
        let mut after = after.min(self.buffer.count());
        if moves {
            if (lines.0 + 1..=lines.1).contains(&after) {
                return Err("Cannot move a range of lines into itself".to_owned());
            }
            self.buffer.replace(lines.0, lines.1 + 1, Vec::new());
            after = if after > lines.1 { after - count } else { after };
        }
        self.buffer.replace(after, after, text);
        let place = self.buffer.indent((after + count - 1).min(self.buffer.last()));
        self.go(place);
        Ok(())
    }

    /// `:s/PATTERN/REPLACEMENT/FLAGS`; without anything, the last one again.
    fn substitute(&mut self, lines: Range, argument: &str) -> Result<(), String> {
        let (pattern, replacement, flags) = match argument.trim_start().as_bytes().first().copied() {
            Some(sign) if !sign.is_ascii_alphanumeric() && sign != b' ' && sign.is_ascii() => {
                let (pattern, rest) = delimited(argument.trim_start().get(1..).unwrap_or_default(), sign);
                let (replacement, flags) = delimited_raw(rest, sign);
                (pattern, replacement, flags.trim().to_owned())
            }
            _ => {
                let last = self.substitution.clone().ok_or("No previous substitute regular expression")?;
                (last.0, last.1, argument.trim().to_owned())
            }
        };
        let icase = self.ignore_case || flags.contains('i');
        if !pattern.is_empty() {
            let flags = Flags { icase, ..Flags::default() };
            let regex =
                Regex::new(&pattern, Syntax::POSIX_BASIC, flags).map_err(|error| error.to_string())?;
            self.pattern = Some((regex, true));
        }
        let Some((regex, _)) = &self.pattern else {
            return Err("No previous regular expression".to_owned());
        };
        let (mut made, mut changed_lines, mut last) = (0, 0, None);
        let mut number = lines.0;
        let mut end = lines.1;
        while number <= end {
            let line = self.buffer.line(number).to_vec();
            let (text, count) = replaced(&line, regex, &replacement, flags.contains('g'));
            if count > 0 {
                let parts: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let added = parts.len() - 1;
                self.buffer.replace(number, number + 1, parts);
                number += added;
                end += added;
                last = Some(number);
                made += count;
                changed_lines += 1;
            }
            number += 1;
        }
        self.substitution = Some((pattern, replacement, flags));
        let Some(last) = last else { return Err("Pattern not found".to_owned()) };
        if made > 2 {
            self.message = format!("{made} substitutions on {changed_lines} lines");
        }
        let place = self.buffer.indent(last);
        self.go(place);
        Ok(())
    }

    /// `:g/PATTERN/COMMAND`.
    fn global(&mut self, range: Range, argument: &str, matching: bool) -> Result<(), String> {
        let Some(sign) = argument.as_bytes().first().copied() else {
            return Err("Regular expression missing from global".to_owned());
        };
        let (pattern, command) = delimited(argument.get(1..).unwrap_or_default(), sign);
        if !pattern.is_empty() {
            self.set_pattern(&pattern, true).ok_or_else(|| self.message.clone())?;
        }
        let Some((regex, _)) = &self.pattern else {
            return Err("No previous regular expression".to_owned());
        };
        let command = if command.trim().is_empty() { "p" } else { command.trim() };
        if command.starts_with(['g', 'v']) {
            return Err("Cannot do :global recursive".to_owned());
        }
        let (first, last) = range;
        let chosen: Vec<usize> = (first..=last)
            .filter(|line| regex.is_match(self.buffer.line(*line)) == matching)
            .take(VISITS)
            .collect();
        if chosen.is_empty() {
            return Err("Pattern not found".to_owned());
        }
        // Lines move as others before them come or go.
        let mut moved = 0_isize;
        for line in chosen {
            let Some(line) = line.checked_add_signed(moved) else { continue };
            let before = self.buffer.count();
            self.cursor = At { line: line.min(self.buffer.last()), byte: 0 };
            // A line on which the command fails is passed over.
            let _ = self.run_command(command);
            moved += self.buffer.count().cast_signed() - before.cast_signed();
        }
        Ok(())
    }

    fn set(&mut self, argument: &str) -> Result<(), String> {
        for word in argument.split_whitespace() {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let number = || {
                let number = value.and_then(|value| value.parse::<usize>().ok());
                number
                    .filter(|n| (1..=64).contains(n))
                    .ok_or_else(|| format!("Number required after =: {word}"))
            };
            match name {
                "nu" | "number" => self.numbers = true,
                "nonu" | "nonumber" => self.numbers = false,
                "ic" | "ignorecase" => self.ignore_case = true,
                "noic" | "noignorecase" => self.ignore_case = false,
                "ai" | "autoindent" => self.indents = true,
                "noai" | "noautoindent" => self.indents = false,
                "ro" | "readonly" => self.read_only = true,
                "noro" | "noreadonly" => self.read_only = false,
                "ts" | "tabstop" => self.tab = number()?,
                "sw" | "shiftwidth" => self.shift = number()?,
                _ => return Err(format!("Unknown option: {word}")),
            }
        }
        Ok(())
    }
}

/// The name of a register after a command.
fn register(argument: &str) -> u8 {
    argument.trim().bytes().next().filter(u8::is_ascii_alphabetic).unwrap_or(0)
}

fn shell_command(command: &str) -> Vec<Vec<u8>> {
    [b"sh".to_vec(), b"-c".to_vec(), command.as_bytes().to_vec()].into()
}

/// What a command prints.
fn output_of(command: &str) -> sys::Result<Vec<u8>> {
    let (reader, writer) = sys::pipe(true)?;
    let argv = shell_command(command);
    let env = process::environment();
    let program = sys::Program {
        argv: &argv,
        env: &env,
        fds: &[(1, Some(writer)), (2, Some(writer))],
        ..Default::default()
    };
    let started = process::spawn(&program);
    let _ = sys::close(writer);
    let output = started.and_then(|pid| {
        let output = sys::read_to_end(reader);
        process::wait(pid)?;
        output
    });
    let _ = sys::close(reader);
    output
}

fn put(path: &[u8], content: &[u8], append: bool) -> sys::Result<()> {
    use sys::open_flags::{APPEND, CLOEXEC, CREATE, TRUNC, WRITE};
    let fd = sys::open(path, WRITE | CREATE | CLOEXEC | if append { APPEND } else { TRUNC }, 0o666)?;
    let written = sys::write_all(fd, content);
    let closed = sys::close(fd);
    written.and(closed)
}

/// A pattern up to its delimiter, and what follows. A quoted delimiter stands for itself.
fn delimited(text: &str, sign: u8) -> (Vec<u8>, &str) {
    let (raw, rest) = delimited_raw(text, sign);
    let mut out = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            match bytes.next() {
                Some(next) if next == sign => out.push(next),
                Some(next) => out.extend([b'\\', next]),
                None => out.push(b'\\'),
            }
        } else {
            out.push(byte);
        }
    }
    (out, rest)
}

fn delimited_raw(text: &str, sign: u8) -> (Vec<u8>, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes.get(at) {
            Some(b'\\') => at += 1,
            Some(byte) if *byte == sign => {
                return (
                    bytes.get(..at).unwrap_or_default().to_vec(),
                    text.get(at + 1..).unwrap_or_default(),
                );
            }
            _ => {}
        }
        at += 1;
    }
    (bytes.to_vec(), "")
}

/// The next line with a pattern, around the ends.
fn line_with(buffer: &Buffer, regex: &Regex, from: usize, forward: bool) -> Option<usize> {
    let count = buffer.count();
    (1..=count)
        .map(|by| if forward { (from + by) % count } else { (from + count - by) % count })
        .find(|line| regex.is_match(buffer.line(*line)))
}

/// A line with the pattern replaced, and how often it was. `&` and `\1` are parts of the match, `\n` and `\r` an end of
/// line.
fn replaced(line: &[u8], regex: &Regex, with: &[u8], all: bool) -> (Vec<u8>, usize) {
    let (mut out, mut at, mut count) = (Vec::new(), 0, 0);
    while let Some(groups) = regex.captures_at(line, at, at > 0) {
        let Some(&Some((from, to))) = groups.first() else { break };
        out.extend_from_slice(line.get(at..from).unwrap_or_default());
        let group = |number: usize| {
            let range = groups.get(number).copied().flatten();
            range.and_then(|(from, to)| line.get(from..to)).unwrap_or_default()
        };
        let mut bytes = with.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b'&' => out.extend_from_slice(group(0)),
                b'\\' => match bytes.next() {
                    Some(digit @ b'0'..=b'9') => out.extend_from_slice(group(usize::from(digit - b'0'))),
                    Some(b'n' | b'r') => out.push(b'\n'),
                    Some(b't') => out.push(b'\t'),
                    Some(other) => out.push(other),
                    None => out.push(b'\\'),
                },
                _ => out.push(byte),
            }
        }
        count += 1;
        at = to;
        if to == from {
            out.extend(line.get(to));
            at += 1;
        }
        if !all || at > line.len() {
            break;
        }
    }
    out.extend_from_slice(line.get(at.min(line.len())..).unwrap_or_default());
    (out, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sub(line: &str, pattern: &str, with: &str, all: bool) -> String {
        let regex = Regex::new(pattern.as_bytes(), Syntax::POSIX_BASIC, Flags::default()).unwrap();
        String::from_utf8(replaced(line.as_bytes(), &regex, with.as_bytes(), all).0).unwrap()
    }

    #[test]
    fn matches_are_replaced() {
        assert_eq!(sub("a-b-c", "-", "+", false), "a+b-c");
        assert_eq!(sub("a-b-c", "-", "+", true), "a+b+c");
        assert_eq!(sub("ab", "\\(a\\)\\(b\\)", "\\2\\1&", true), "baab");
        assert_eq!(sub("abc", "x*", "-", true), "-a-b-c-");
    }

    #[test]
    fn delimiters_can_be_quoted() {
        assert_eq!(delimited("a\\/b\\.c/d/g", b'/'), (b"a/b\\.c".to_vec(), "d/g"));
    }
}
