//! Reads hunks in the three formats.

use super::hunk::{Hunk, Line, Side};
use super::lines::Lines;
use super::say::{Fatal, say};

/// The formats of hunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Unified,
    /// Whether the `***` headers of hunks have stars after the numbers too.
    Context {
        modern: bool,
    },
    Normal,
    /// A script for the editor `ed`.
    Ed,
}

/// Reads the next hunk; `None` if something other than a hunk follows.
pub(super) fn hunk(lines: &mut Lines, format: Format, strip_cr: bool) -> Result<Option<Hunk>, Fatal> {
    let mut reader = Reader { lines, strip_cr };
    match format {
        Format::Unified => reader.unified(),
        Format::Context { .. } => reader.context(),
        Format::Normal => reader.normal(),
        Format::Ed => Ok(None),
    }
}

// The largest line number. Sums of such numbers cannot overflow.
const LINES_MAX: u32 = 1 << 28;

struct Reader<'a> {
    lines: &'a mut Lines,
    strip_cr: bool,
}

impl Reader<'_> {
    // Reads a line of the patch; a line without a newline is an error. If the next line says that the file has no
    // newline at its end, it is read too.
    fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = self.plain_line()?;
        if !line.ends_with(b"\n") {
            say("patch unexpectedly ends in middle of line\n");
            return None;
        }
        if self.lines.peek().is_some_and(|l| l.starts_with(b"\\ ")) {
            self.lines.next();
            if line.ends_with(b"\n") {
                line.pop();
            }
        }
        Some(line)
    }

    fn plain_line(&mut self) -> Option<Vec<u8>> {
        let mut line = self.lines.next()?;
        if self.strip_cr && line.ends_with(b"\r\n") {
            line.truncate(line.len() - 2);
            line.push(b'\n');
        }
        Some(line)
    }

    fn malformed(&self, line: &[u8]) -> Fatal {
        Fatal::at("malformed patch at line ", self.lines.number, line)
    }

    fn ends(&self) -> Fatal {
        Fatal::text("unexpected end of file in patch")
    }

    fn unified(&mut self) -> Result<Option<Hunk>, Fatal> {
        if !self.lines.peek().is_some_and(|l| l.starts_with(b"@@ -")) {
            return Ok(None);
        }
        let Some(header) = self.plain_line() else { return Ok(None) };
        let rest = header.get(4..).unwrap_or_default();
        let (first, old_count, rest) = self.unified_range(rest, &header)?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let rest = rest.strip_prefix(b"+").ok_or_else(|| self.malformed(&header))?;
        let (new_first, new_count, rest) = self.unified_range(rest, &header)?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let rest = rest.strip_prefix(b"@").ok_or_else(|| self.malformed(&header))?;
        let rest = rest.strip_prefix(b"@").unwrap_or(rest);
        let function = rest.strip_suffix(b"\n").unwrap_or(rest);
        let function = if function.starts_with(b" ") { function.to_vec() } else { Vec::new() };
        let mut old = Side { first: first + usize::from(old_count == 0), lines: Vec::new() };
        let mut new = Side { first: new_first + usize::from(new_count == 0), lines: Vec::new() };
        while old.lines.len() < old_count || new.lines.len() < new_count {
            let line = match self.line() {
                Some(l) => l,
                // Blank lines at the end of a patch often get lost.
                None if new_count - new.lines.len().min(new_count) < 3 => b" \n".to_vec(),
                None => return Err(self.ends()),
            };
            let (mark, text) = match line.first() {
                Some(b'\t' | b'\n') | None => (b' ', line.clone()),
                Some(m) => (*m, line[1..].to_vec()),
            };
            let both = old.lines.len() < old_count && new.lines.len() < new_count;
            match mark {
                b'-' if old.lines.len() < old_count => old.lines.push(Line { mark, text }),
                b'+' if new.lines.len() < new_count => new.lines.push(Line { mark, text }),
                b' ' | b'=' if both => {
                    old.lines.push(Line { mark: b' ', text: text.clone() });
                    new.lines.push(Line { mark: b' ', text });
                }
                _ => return Err(self.malformed(&line)),
            }
        }
        Ok(Some(Hunk::new(old, new, function)))
    }

    // Reads `N` or `N,M`: the first line and the number of lines.
    fn unified_range<'t>(&self, text: &'t [u8], header: &[u8]) -> Result<(usize, usize, &'t [u8]), Fatal> {
        let (first, rest) = self.number(text, header)?;
        match rest.strip_prefix(b",") {
            Some(r) => {
                let (count, rest) = self.number(r, header)?;
                Ok((first, count, rest))
            }
            None => Ok((first, 1, rest)),
        }
    }

    fn number<'t>(&self, text: &'t [u8], header: &[u8]) -> Result<(usize, &'t [u8]), Fatal> {
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = text.split_at(digits);
        if digits.is_empty() {
            return Err(Fatal::at("missing line number at line ", self.lines.number, header));
        }
        match std::str::from_utf8(digits).ok().and_then(|d| d.parse::<u32>().ok()).filter(|n| *n < LINES_MAX)
        {
            Some(n) => Ok((n as usize, rest)),
            None => {
                let mut what = b"line number ".to_vec();
                what.extend_from_slice(digits);
                what.extend_from_slice(b" is too large at line ");
                Err(Fatal::at(what, self.lines.number, header))
            }
        }
    }

    fn context(&mut self) -> Result<Option<Hunk>, Fatal> {
        let before = self.lines.mark();
        let hunk_line = self.lines.number + 2;
        let function = match self.plain_line() {
            Some(l) if l.starts_with(b"***************") => {
                let rest = l.get(15..).unwrap_or_default();
                let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
                if rest.starts_with(b" ") { rest.to_vec() } else { Vec::new() }
            }
            _ => {
                self.lines.rewind(before);
                return Ok(None);
            }
        };
        let Some(header) = self.plain_line().filter(|l| l.starts_with(b"*** ")) else {
            self.lines.rewind(before);
            return Ok(None);
        };
        let (first, old_count) = self.context_range(&header)?;
        let mut old = Side { first, lines: Vec::new() };
        // The old file's lines may be left out if none of them changes.
        let is_new_header = |l: &[u8]| l.starts_with(b"--- ") && l.get(4).is_some_and(u8::is_ascii_digit);
        if !self.lines.peek().is_some_and(is_new_header) {
            self.context_lines(&mut old, old_count, b"-!")?;
        }
        let header = match self.plain_line() {
            Some(l) if l.starts_with(b"---") => l,
            Some(l) => return Err(self.malformed(&l)),
            None => return Err(self.ends()),
        };
        let (new_first, new_count) = self.context_range(&header)?;
        let mut new = Side { first: new_first, lines: Vec::new() };
        let is_content = |l: &[u8]| {
            matches!(l, [b' ' | b'+' | b'!', b' ' | b'\t', ..])
                || old.lines.is_empty() && matches!(l, b"\n" | [b' ' | b'+' | b'!', ..])
        };
        if self.lines.peek().is_some_and(is_content) {
            self.context_lines(&mut new, new_count, b"+!")?;
        }
        let (old_count, new_count) = (fill(&mut old, old_count, &new), fill(&mut new, new_count, &old));
        if old.lines.len() != old_count || new.lines.len() != new_count {
            return Err(Fatal::text(format!(
                "replacement text or line numbers mangled in hunk at line {hunk_line}"
            )));
        }
        Ok(Some(Hunk::new(old, new, function)))
    }

    // Reads `*** N,M ****` or `--- N ----`: the first line and the number of lines.
    fn context_range(&self, header: &[u8]) -> Result<(usize, usize), Fatal> {
        let text = header.get(4..).unwrap_or_default();
        let (first, rest) = self.number(text, header)?;
        match rest.strip_prefix(b",") {
            Some(r) => {
                let (last, _) = self.number(r, header)?;
                let count = (last + 1).checked_sub(first).ok_or_else(|| self.malformed(header))?;
                Ok((first + usize::from(count == 0), count))
            }
            None if first == 0 => Ok((1, 0)),
            None => Ok((first, 1)),
        }
    }

    fn context_lines(&mut self, side: &mut Side, count: usize, marks: &[u8]) -> Result<(), Fatal> {
        while side.lines.len() < count {
            let Some(line) = self.line() else { return Err(self.ends()) };
            let (mark, text) = match line.as_slice() {
                [m, b' ' | b'\t', text @ ..] if *m == b' ' || marks.contains(m) => (*m, text.to_vec()),
                [b'\t' | b'\n', ..] => (b' ', line.clone()),
                // The second space often gets lost.
                [m, text @ ..] if *m == b' ' || marks.contains(m) => (*m, text.to_vec()),
                _ => return Err(self.malformed(&line)),
            };
            side.lines.push(Line { mark, text });
        }
        Ok(())
    }

    fn normal(&mut self) -> Result<Option<Hunk>, Fatal> {
        let Some(command) = self.lines.peek().and_then(Command::parse) else { return Ok(None) };
        self.plain_line();
        let mut old = Side { first: command.old.0, lines: Vec::new() };
        let mut new = Side { first: command.new.0, lines: Vec::new() };
        if command.letter == b'a' {
            old.first += 1;
        } else {
            self.normal_lines(&mut old, command.old.1, b'<', b'-')?;
        }
        if command.letter == b'c' {
            match self.plain_line() {
                Some(l) if l.starts_with(b"---") => {}
                _ => {
                    let text = format!("'---' expected at line {} of patch", self.lines.number);
                    return Err(Fatal::text(text));
                }
            }
        }
        if command.letter == b'd' {
            new.first += 1;
        } else {
            self.normal_lines(&mut new, command.new.1, b'>', b'+')?;
        }
        Ok(Some(Hunk::new(old, new, Vec::new())))
    }

    fn normal_lines(&mut self, side: &mut Side, last: usize, sign: u8, mark: u8) -> Result<(), Fatal> {
        for _ in side.first..=last {
            match self.line() {
                None => {
                    let text = format!("unexpected end of file in patch at line {}", self.lines.number);
                    return Err(Fatal::text(text));
                }
                Some(l) => match l.as_slice() {
                    [s, b' ' | b'\t', text @ ..] if *s == sign => {
                        side.lines.push(Line { mark, text: text.to_vec() });
                    }
                    _ => {
                        return Err(Fatal::text(format!(
                            "'{}' followed by space or tab expected at line {} of patch",
                            sign as char, self.lines.number
                        )));
                    }
                },
            }
        }
        Ok(())
    }
}

// Fills a side that was left out with the other side's context, and returns its number of lines. If there is no
// context, a count of one may mean an empty range, after that line.
fn fill(side: &mut Side, count: usize, other: &Side) -> usize {
    if !side.lines.is_empty() || count == 0 {
        return count;
    }
    side.lines = other.lines.iter().filter(|l| l.mark == b' ').cloned().collect();
    if side.lines.is_empty() && count == 1 {
        side.first += 1;
        return 0;
    }
    count
}

/// A command of the normal format, like `1,2c3`.
pub(super) struct Command {
    letter: u8,
    // The first and the last line.
    old: (usize, usize),
    new: (usize, usize),
}

impl Command {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let (old, rest) = range(line)?;
        let (letter, rest) = rest.split_first()?;
        let (new, rest) = range(rest)?;
        let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
        let clean = rest.trim_ascii().is_empty();
        (matches!(letter, b'a' | b'c' | b'd') && clean).then_some(Self { letter: *letter, old, new })
    }
}

fn range(text: &[u8]) -> Option<((usize, usize), &[u8])> {
    let (first, rest) = digits(text)?;
    match rest.strip_prefix(b",") {
        Some(r) => {
            let (last, rest) = digits(r)?;
            Some(((first, last), rest))
        }
        None => Some(((first, first), rest)),
    }
}

fn digits(text: &[u8]) -> Option<(usize, &[u8])> {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let n = std::str::from_utf8(&text[..count]).ok()?.parse().ok().filter(|n: &u32| *n < LINES_MAX)?;
    Some((n as usize, &text[count..]))
}
