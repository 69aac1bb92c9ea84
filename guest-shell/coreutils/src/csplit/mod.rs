//! `csplit`.

mod output;
mod pattern;

use crate::csplit::output::{Output, Suffix};
use crate::csplit::pattern::{Pattern, What};
use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Parsed, Spec, hidden, named, option};
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::warn;
use sandshell_cli::{number, out};
use sandshell_regex::Regex;
use std::collections::VecDeque;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "csplit",
    usage: "\
Usage: csplit [OPTION]... FILE PATTERN...
Cuts a file into pieces, xx00, xx01 and so on, and prints their sizes. FILE - is standard input.

",
    options: &[
        option("-b, --suffix-format=FORMAT", "the number in names by this printf format, not %02d"),
        option("-f, --prefix=PREFIX", "names begin with PREFIX, not xx"),
        option("-k, --keep-files", "pieces stay after an error"),
        named("suppress", "--suppress-matched", "lines that match are left out"),
        option("-n, --digits=DIGITS", "so many digits in names, not 2"),
        option("-s, --quiet, --silent", "no sizes"),
        option("-z, --elide-empty-files", "no empty pieces"),
        hidden("", "-q"),
    ],
    ties: &["silent", "suffix-format", "suppress-matched"],
    notes: "\n\
PATTERN: N up to that line; /REGEXP/[OFFSET] up to a line that matches; %REGEXP%[OFFSET] the same, without a piece;
{N} the pattern before N times more, {*} as often as it can be.
",
    ..Spec::DEFAULT
};

/// Why splitting ended before all patterns were used.
enum Stop {
    /// The input has ended, which is not an error.
    Done,
    /// A message was printed. The files are removed unless `-k` was given.
    Failed,
    /// A message was printed. The files are kept.
    Abandoned,
}

/// The lines that have been read, but not written yet.
struct Lines {
    input: Input,
    lines: VecDeque<Vec<u8>>,
    /// The number of the first of these lines.
    first: i64,
    /// The number of the line examined last.
    current: i64,
}

struct Csplit {
    lines: Lines,
    output: Output,
    suppress: bool,
}

/// Runs `csplit` and returns its exit status.
pub fn csplit_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let (mut prefix, mut suffix, mut digits) = (b"xx".to_vec(), None, 2);
    let (mut keep, mut silent, mut elide, mut suppress) = (false, false, false, false);
    for g in &options {
        match g.id {
            "f" => prefix = g.text().to_vec(),
            "b" => suffix = Some(g.text().to_vec()),
            "n" => {
                let most = i32::MAX as u64;
                digits = match number::signed(g.text(), "") {
                    Ok(..0) => {
                        let why = ": Numerical result out of range";
                        warn!("csplit", "invalid number: ", quote(g.text()), why);
                        return Err(1);
                    }
                    _ => number::in_range("csplit", "invalid number", g.text(), "", 0, most)? as usize,
                };
            }
            "k" => keep = true,
            "s" | "q" => silent = true,
            "z" => elide = true,
            _ => suppress = true,
        }
    }
    match operands.as_slice() {
        [] => return Err(SPEC.missing_operand()),
        [file] => return Err(SPEC.usage(sandshell_cli::bytes!("missing operand after ", quote(file)))),
        _ => {}
    }
    let suffix = match suffix {
        Some(format) => Suffix::parse(&format)?,
        None => Suffix::digits(digits),
    };
    let Some((file, patterns)) = operands.split_first() else { return Err(1) };
    let input = Input::open(file).map_err(|e| {
        warn!("csplit", "cannot open ", sandshell_cli::quote::quoteaf(file), " for reading: ", e);
        1
    })?;
    let patterns = pattern::parse(patterns)?;
    let lines = Lines { input, lines: VecDeque::new(), first: 1, current: 0 };
    let output = Output::new(prefix, suffix, silent, elide);
    let mut csplit = Csplit { lines, output, suppress };
    let code = match csplit.split(&patterns) {
        Ok(()) | Err(Stop::Done) => 0,
        Err(Stop::Abandoned) => 1,
        Err(Stop::Failed) => {
            let _ = csplit.output.close();
            if !keep {
                csplit.output.remove_all();
            }
            1
        }
    };
    Ok(out::finish("csplit", code, 1))
}

impl Csplit {
    fn split(&mut self, patterns: &[Pattern]) -> Result<(), Stop> {
        for pattern in patterns {
            let mut times = 0;
            while pattern.repeat.is_none_or(|most| times <= most) {
                match &pattern.what {
                    What::Line(number) => self.copy_to_line(*number, times)?,
                    What::Match { regex, offset, skip } => {
                        self.copy_to_match(pattern, regex, *offset, *skip, times)?;
                    }
                }
                times += 1;
            }
        }
        self.output.create()?;
        self.rest()?;
        Ok(self.output.close()?)
    }

    fn copy_to_line(&mut self, number: u64, times: u64) -> Result<(), Stop> {
        let end = i64::try_from(u128::from(number) * (u128::from(times) + 1)).unwrap_or(i64::MAX);
        let out_of_range = || {
            complain(number.to_string().as_bytes(), "line number out of range", times);
            Err(Stop::Failed)
        };
        self.output.create()?;
        if self.suppress && self.lines.has_ended()? {
            return out_of_range();
        }
        for _ in self.lines.first_number()?..end {
            match self.lines.take()? {
                Some(line) => self.output.write(&line)?,
                None => return out_of_range(),
            }
        }
        self.output.close()?;
        if self.suppress {
            self.lines.take()?;
        } else if self.lines.has_ended()? {
            return out_of_range();
        }
        Ok(())
    }

    fn copy_to_match(
        &mut self,
        pattern: &Pattern,
        regex: &Regex,
        offset: i64,
        skip: bool,
        times: u64,
    ) -> Result<(), Stop> {
        if !skip {
            self.output.create()?;
        }
        loop {
            self.lines.current += 1;
            let current = self.lines.current;
            let Some(line) = self.lines.find(current)? else {
                if pattern.repeat.is_some() {
                    complain(&pattern.text, "match not found", times);
                }
                if !skip {
                    self.rest()?;
                    self.output.close()?;
                }
                return Err(if pattern.repeat.is_some() { Stop::Failed } else { Stop::Done });
            };
            if regex.find_at(line.strip_suffix(b"\n").unwrap_or(line), 0, false).is_some() {
                break;
            }
            // With a negative offset, the lines may still be needed.
            if offset >= 0
                && let Some(line) = self.lines.take()?
                && !skip
            {
                self.output.write(&line)?;
            }
        }
        let end = self.lines.current.saturating_add(offset);
        self.up_to(pattern, end, skip)?;
        if !skip {
            self.output.close()?;
        }
        if offset > 0 {
            self.lines.current = end;
        }
        if self.suppress {
            self.lines.take()?;
        }
        Ok(())
    }

    fn up_to(&mut self, pattern: &Pattern, end: i64, skip: bool) -> Result<(), Stop> {
        let first = self.lines.first_number()?;
        let out_of_range = || {
            warn!("csplit", quote(&pattern.text), ": line number out of range");
            Err(Stop::Failed)
        };
        if first > end {
            return out_of_range();
        }
        for _ in first..end {
            match self.lines.take()? {
                Some(line) if !skip => self.output.write(&line)?,
                Some(_) => {}
                None => return out_of_range(),
            }
        }
        Ok(())
    }

    fn rest(&mut self) -> Result<(), Stop> {
        while let Some(line) = self.lines.take()? {
            self.output.write(&line)?;
        }
        Ok(())
    }
}

fn complain(text: &[u8], what: &str, times: u64) {
    let repetition = if times > 0 { format!(" on repetition {times}") } else { String::new() };
    warn!("csplit", quote(text), ": ", what, repetition);
}

impl Lines {
    /// Reads one more line. Returns false at the end.
    fn read(&mut self) -> Result<bool, Stop> {
        let mut line = Vec::new();
        match self.input.record(b'\n', &mut line) {
            Ok(true) => {
                self.lines.push_back(line);
                Ok(true)
            }
            Ok(false) => Ok(false),
            Err(e) => {
                warn!("csplit", "read error: ", e);
                Err(Stop::Failed)
            }
        }
    }

    /// The line with this number.
    fn find(&mut self, number: i64) -> Result<Option<&[u8]>, Stop> {
        let Ok(at) = usize::try_from(number - self.first) else { return Ok(None) };
        while self.lines.len() <= at {
            if !self.read()? {
                return Ok(None);
            }
        }
        Ok(self.lines.get(at).map(Vec::as_slice))
    }

    /// Removes and returns the first line.
    fn take(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        if self.lines.is_empty() && !self.read()? {
            return Ok(None);
        }
        self.current = self.current.max(self.first);
        self.first += 1;
        Ok(self.lines.pop_front())
    }

    fn first_number(&mut self) -> Result<i64, Stop> {
        // If lines have already been taken, the number is known. Otherwise the input must have at least one line.
        if self.first == 1 && self.lines.is_empty() && !self.read()? {
            warn!("csplit", "input disappeared");
            return Err(Stop::Abandoned);
        }
        Ok(self.first)
    }

    fn has_ended(&mut self) -> Result<bool, Stop> {
        Ok(self.find(self.current + 1)?.is_none())
    }
}

impl From<crate::csplit::output::Failed> for Stop {
    fn from(failed: crate::csplit::output::Failed) -> Self {
        warn!("csplit", quotef(&failed.name), ": ", failed.error);
        Self::Failed
    }
}
