//! Parses the text of a script to commands.

use crate::address::{Address, Condition, End};
use crate::options::{Options, Source};
use crate::output::{Output, Sinks};
use crate::pattern::{self, Bracket, Modifiers, Pattern};
use crate::replace::Replacement;
use crate::script::{Action, Command, Print, Script, Substitution, Translation};
use crate::text::{Escape, RECURSIVE, escape};
use crate::{Failure, Result};
use sandshell_posix::characters;
use sandshell_sys as sys;

/// Parses all parts of the script. `#n` as the first line sets `quiet`.
pub(crate) fn script(options: &mut Options, sinks: &Sinks) -> Result<Script> {
    let mut parser = Parser::new(options, sinks);
    let sources = std::mem::take(&mut parser.options.sources);
    let mut expressions = 0;
    for source in &sources {
        match source {
            Source::Expression(text) => {
                expressions += 1;
                parser.part(text, Place::Expression(expressions), true)?;
            }
            Source::File(name) => {
                let (text, seekable) = read_file(name)?;
                parser.part(&text, Place::File(name.clone()), seekable)?;
            }
        }
    }
    parser.finish()
}

// The text, and whether its first line may be `#n`. GNU sed tests the position in the file, which a pipe does not have.
fn read_file(name: &[u8]) -> Result<(Vec<u8>, bool)> {
    let failed =
        |e: sys::Errno| Failure::panic(&[b"couldn't open file ", name, b": ", e.to_string().as_bytes()]);
    if name == b"-" || name == b"/dev/stdin" {
        let seekable = sys::lseek(0, 0, 1).is_ok();
        return Ok((sys::read_to_end(0).map_err(failed)?, seekable));
    }
    let fd = sys::open(name, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0).map_err(failed)?;
    let seekable = sys::lseek(fd, 0, 1).is_ok();
    // For GNU sed, something that cannot be read (for example a directory) is an empty script.
    let text = sys::read_to_end(fd).unwrap_or_default();
    let _ = sys::close(fd);
    Ok((text, seekable))
}

enum Place {
    Expression(usize),
    File(Vec<u8>),
}

// A jump to a label. The label's position is resolved at the end.
struct Jump {
    command: usize,
    label: Vec<u8>,
}

struct Parser<'a> {
    options: &'a mut Options,
    sinks: &'a Sinks,
    script: Script,
    labels: Vec<(Vec<u8>, usize)>,
    jumps: Vec<Jump>,
    // Open blocks: the index of the command, and the error if the block is not closed.
    blocks: Vec<(usize, Failure)>,
    // The command whose text argument begins in the next part (`-e 'a\' -e text`).
    pending: Option<usize>,
    first_part: bool,
    text: Vec<u8>,
    at: usize,
    line: usize,
    place: Place,
}

type Parsed<T> = std::result::Result<T, Failure>;

impl<'a> Parser<'a> {
    fn new(options: &'a mut Options, sinks: &'a Sinks) -> Self {
        Self {
            options,
            sinks,
            script: Script::default(),
            labels: Vec::new(),
            jumps: Vec::new(),
            blocks: Vec::new(),
            pending: None,
            first_part: true,
            text: Vec::new(),
            at: 0,
            line: 1,
            place: Place::Expression(1),
        }
    }

    fn part(&mut self, text: &[u8], place: Place, may_quiet: bool) -> Parsed<()> {
        (self.text, self.at, self.line, self.place) = (text.to_vec(), 0, 1, place);
        if let Some(index) = self.pending.take() {
            self.argument_text(index)?;
        }
        if self.first_part && may_quiet && self.text.starts_with(b"#n") {
            self.options.quiet = true;
        }
        self.first_part = false;
        while let Some(b) = self.next() {
            if b == b'#' {
                self.comment();
            } else if b != b';' && !is_space(b) {
                self.command(b)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Script> {
        if let Some((_, failure)) = self.blocks.pop() {
            return Err(failure);
        }
        for jump in &self.jumps {
            let target = if jump.label.is_empty() {
                self.script.commands.len()
            } else {
                match self.labels.iter().find(|(name, _)| *name == jump.label) {
                    Some((_, index)) => *index,
                    None => {
                        return Err(Failure::panic(&[b"can't find label for jump to `", &jump.label, b"'"]));
                    }
                }
            };
            if let Some(command) = self.script.commands.get_mut(jump.command) {
                match &mut command.action {
                    Action::Branch(to) | Action::BranchIfReplaced(to) | Action::BranchUnlessReplaced(to) => {
                        *to = target;
                    }
                    _ => {}
                }
            }
        }
        Ok(self.script)
    }

    fn command(&mut self, first: u8) -> Parsed<()> {
        let (condition, before_first, name) = self.condition(first)?;
        let Some(name) = name else { return Err(self.bad("missing command")) };
        let addressed = condition.first.is_some();
        if self.options.posix {
            match name {
                b'e' | b'F' | b'v' | b'z' | b'L' | b'Q' | b'T' | b'R' | b'W' => {
                    return Err(self.unknown(name));
                }
                b'a' | b'i' | b'l' | b'=' | b'r' if condition.end.is_some() => {
                    return Err(self.bad(ONE_ADDRESS));
                }
                _ => {}
            }
        }
        match name {
            b'#' if addressed => return Err(self.bad("comments don't accept any addresses")),
            b'#' => self.comment(),
            b'v' if newer_than_4_9(&self.word()) => return Err(self.bad("expected newer version of sed")),
            b'v' => {}
            b'}' => self.close_block(addressed)?,
            b':' if addressed => return Err(self.bad(": doesn't want any addresses")),
            b':' => self.define_label()?,
            b'e' if self.options.sandbox => return Err(self.bad(SANDBOX)),
            b'a' | b'i' | b'c' | b'e' => {
                let action = match name {
                    b'a' => Action::Append(Vec::new()),
                    b'i' => Action::Insert(Vec::new()),
                    b'c' => Action::Change(Vec::new()),
                    _ => Action::Execute(Vec::new()),
                };
                self.script.commands.push(Command { condition, action });
                if name != b'e' || self.has_argument() {
                    self.text_argument(self.script.commands.len() - 1)?;
                }
            }
            _ => {
                let action = self.action(name, before_first, condition.end.is_some())?;
                self.script.commands.push(Command { condition, action });
            }
        }
        Ok(())
    }

    /// The addresses of a command. Also returns whether they are `0` for `r`, and the command's name.
    fn condition(&mut self, first: u8) -> Parsed<(Condition, bool, Option<u8>)> {
        let mut b = Some(first);
        let mut start = self.address(first)?;
        let mut end = None;
        let mut before_first = false;
        if start.is_some() {
            b = self.next_nonblank();
            if b == Some(b',') {
                end = match self.next_nonblank() {
                    Some(next) => self.end_address(next)?,
                    None => None,
                };
                if end.is_none() {
                    return Err(self.bad("unexpected `,'"));
                }
                b = self.next_nonblank();
            }
            let regex_end = matches!(end, Some(End::Address(Address::Match(_))));
            before_first = matches!(start, Some(Address::Line(0))) && end.is_none() && b == Some(b'r');
            let allowed = (regex_end || before_first) && !self.options.posix;
            if matches!(start, Some(Address::Line(0))) && !allowed {
                return Err(self.bad("invalid usage of line address 0"));
            }
        }
        if before_first {
            start = Some(Address::Line(1));
        }
        let mut condition = Condition::new(start, end);
        if b == Some(b'!') {
            condition.negated = true;
            b = self.next_nonblank();
            if b == Some(b'!') {
                return Err(self.bad("multiple `!'s"));
            }
        }
        Ok((condition, before_first, b))
    }

    fn close_block(&mut self, addressed: bool) -> Parsed<()> {
        let Some((block, _)) = self.blocks.pop() else { return Err(self.bad("unexpected `}'")) };
        if addressed {
            return Err(self.bad("`}' doesn't want any addresses"));
        }
        self.end_of_command()?;
        let after = self.script.commands.len();
        if let Some(Command { action: Action::Block(end), .. }) = self.script.commands.get_mut(block) {
            *end = after;
        }
        Ok(())
    }

    fn define_label(&mut self) -> Parsed<()> {
        let label = self.label();
        if label.is_empty() {
            return Err(self.bad("\":\" lacks a label"));
        }
        self.labels.push((label, self.script.commands.len()));
        Ok(())
    }

    /// What the next command does, with its arguments.
    fn action(&mut self, name: u8, before_first: bool, is_range: bool) -> Parsed<Action> {
        let index = self.script.commands.len();
        Ok(match name {
            b'{' => {
                let failure = self.bad_at(0, "unmatched `{'");
                self.blocks.push((index, failure));
                Action::Block(0)
            }
            b'b' | b't' | b'T' => {
                let label = self.label();
                self.jumps.push(Jump { command: index, label });
                match name {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIfReplaced(0),
                    _ => Action::BranchUnlessReplaced(0),
                }
            }
            b'q' | b'Q' => {
                if is_range {
                    return Err(self.bad(ONE_ADDRESS));
                }
                let status = self.number_argument()?.unwrap_or(0);
                let status = (status & 0xff) as i32;
                if name == b'q' { Action::Quit(status) } else { Action::QuitSilently(status) }
            }
            b'l' => Action::List(self.number_argument()?.map(|n| usize::try_from(n).unwrap_or(usize::MAX))),
            b'r' | b'R' if self.options.sandbox => return Err(self.bad(SANDBOX)),
            b'r' if before_first => Action::ReadFileFirst(self.file_name()?),
            b'r' => Action::ReadFile(self.file_name()?),
            b'R' => {
                let name = self.file_name()?;
                Action::ReadLine(self.reader(name))
            }
            b'w' | b'W' => {
                let output = self.output()?;
                if name == b'w' { Action::Write(output) } else { Action::WriteFirstLine(output) }
            }
            b's' => self.substitution()?,
            b'y' => self.translation()?,
            _ => {
                let action = simple(name).ok_or_else(|| self.unknown(name))?;
                self.end_of_command()?;
                action
            }
        })
    }

    fn unknown(&self, name: u8) -> Failure {
        self.bad_bytes(&[b"unknown command: `".as_slice(), &[name], b"'"].concat())
    }

    fn address(&mut self, b: u8) -> Parsed<Option<Address>> {
        match self.end_address(b)? {
            None => Ok(None),
            Some(End::Address(address)) => Ok(Some(address)),
            Some(End::Lines(_) | End::Multiple(_)) => {
                Err(self.bad("invalid usage of +N or ~N as first address"))
            }
        }
    }

    // Parses an end address, which may also be `+N` or `~N`.
    fn end_address(&mut self, b: u8) -> Parsed<Option<End>> {
        let address = match b {
            b'/' | b'\\' => {
                let delimiter = if b == b'\\' { self.delimiter()? } else { Some(b) };
                let text = match delimiter {
                    Some(delimiter) => self.delimited(delimiter, true),
                    None => None,
                };
                let Some(text) = text else { return Err(self.bad("unterminated address regex")) };
                let mut modifiers = Modifiers::default();
                loop {
                    match self.next_nonblank() {
                        Some(b'I') if !self.options.posix => modifiers.icase = true,
                        Some(b'M') if !self.options.posix => modifiers.multiline = true,
                        Some(_) => {
                            self.back();
                            break;
                        }
                        None => break,
                    }
                }
                Address::Match(self.pattern(&text, modifiers)?)
            }
            b'0'..=b'9' => {
                let first = self.number(b);
                match self.next_nonblank() {
                    Some(b'~') if !self.options.posix => {
                        let step = self.optional_number();
                        if step == 0 { Address::Line(first) } else { Address::Step(first, step) }
                    }
                    Some(_) => {
                        self.back();
                        Address::Line(first)
                    }
                    None => Address::Line(first),
                }
            }
            b'+' if !self.options.posix => return Ok(Some(End::Lines(self.optional_number()))),
            b'~' if !self.options.posix => return Ok(Some(End::Multiple(self.optional_number()))),
            b'$' => Address::Last,
            _ => return Ok(None),
        };
        Ok(Some(End::Address(address)))
    }

    fn substitution(&mut self) -> Parsed<Action> {
        const UNTERMINATED: &str = "unterminated `s' command";
        let Some(delimiter) = self.delimiter()? else { return Err(self.bad(UNTERMINATED)) };
        let Some(text) = self.delimited(delimiter, true) else { return Err(self.bad(UNTERMINATED)) };
        let Some(right) = self.delimited(delimiter, false) else { return Err(self.bad(UNTERMINATED)) };
        let replacement = Replacement::parse(&right, self.options.posix).map_err(|e| self.bad(&e))?;
        let mut modifiers = Modifiers::default();
        let (mut global, mut execute, mut print, mut number, mut file) = (false, false, None, None, None);
        while let Some(b) = self.next() {
            match b {
                b'i' | b'I' | b'm' | b'M' | b'e' if self.options.posix => {
                    return Err(self.bad("unknown option to `s'"));
                }
                b'i' | b'I' => modifiers.icase = true,
                b'm' | b'M' => modifiers.multiline = true,
                b'e' if self.options.sandbox => return Err(self.bad(SANDBOX)),
                b'e' => execute = true,
                b'p' if print.is_some() => return Err(self.bad("multiple `p' options to `s' command")),
                b'p' => print = Some(execute),
                b'g' if global => return Err(self.bad("multiple `g' options to `s' command")),
                b'g' => global = true,
                b'w' => {
                    file = Some(self.output()?);
                    break;
                }
                b'0'..=b'9' if number.is_some() => {
                    // The error's position is after the whole number.
                    self.number(b);
                    return Err(self.bad_at(self.at, "multiple number options to `s' command"));
                }
                b'0'..=b'9' => {
                    let n = self.number(b);
                    if n == 0 {
                        return Err(self.bad("number option to `s' command may not be zero"));
                    }
                    number = Some(n);
                }
                b'}' | b'#' => {
                    self.back();
                    break;
                }
                b'\n' | b';' => break,
                b' ' | b'\t' => {}
                b'\r' if self.text.get(self.at) == Some(&b'\n') => {}
                _ => return Err(self.bad("unknown option to `s'")),
            }
        }
        let pattern = self.pattern(&text, modifiers)?;
        if let Some(groups) = pattern.groups()
            && replacement.highest > groups
            && !self.options.posix
        {
            let text = format!("invalid reference \\{} on `s' command's RHS", replacement.highest);
            return Err(self.bad(&text));
        }
        let number = number.map_or(1, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let print = print.map(|after| match execute && !after {
            true => Print::BeforeExecution,
            false => Print::Result,
        });
        Ok(Action::Substitute(Box::new(Substitution {
            pattern,
            replacement,
            number,
            global,
            execute,
            print,
            file,
        })))
    }

    fn translation(&mut self) -> Parsed<Action> {
        const UNTERMINATED: &str = "unterminated `y' command";
        let Some(delimiter) = self.delimiter()? else { return Err(self.bad(UNTERMINATED)) };
        let Some(from) = self.delimited(delimiter, false) else { return Err(self.bad(UNTERMINATED)) };
        let Some(to) = self.delimited(delimiter, false) else { return Err(self.bad(UNTERMINATED)) };
        let (from, to) = (self.characters(&from)?, self.characters(&to)?);
        if from.len() != to.len() {
            return Err(self.bad("strings for `y' command are different lengths"));
        }
        let mut table = Translation { bytes: std::array::from_fn(|b| b as u8), wide: Vec::new() };
        let mut seen = [false; 256];
        for (from, to) in from.into_iter().zip(to) {
            match (from.as_slice(), to.as_slice()) {
                ([a], _) if seen[usize::from(*a)] => {}
                ([a], [b]) => (table.bytes[usize::from(*a)], seen[usize::from(*a)]) = (*b, true),
                (one, _) => {
                    if let [a] = one {
                        seen[usize::from(*a)] = true;
                    }
                    if !table.wide.iter().any(|(known, _)| *known == from) {
                        table.wide.push((from, to));
                    }
                }
            }
        }
        self.end_of_command()?;
        Ok(Action::Translate(Box::new(table)))
    }

    // The characters of one side of `y`.
    fn characters(&self, text: &[u8]) -> Parsed<Vec<Vec<u8>>> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(&b) = text.get(at) {
            if b == b'\\' {
                match escape(text.get(at + 1..).unwrap_or_default()) {
                    Escape::Byte(byte, len) => {
                        out.push(vec![byte]);
                        at += len + 1;
                        continue;
                    }
                    Escape::Recursive => return Err(self.bad(RECURSIVE)),
                    // This is always an error: the sides then have different lengths.
                    Escape::Cut => out.push(vec![b]),
                    Escape::None if at + 1 < text.len() => at += 1,
                    Escape::None => {}
                }
            }
            let len = characters::length(&text[at..]);
            out.push(text[at..at + len].to_vec());
            at += len;
        }
        Ok(out)
    }

    fn pattern(&self, text: &[u8], modifiers: Modifiers) -> Parsed<Pattern> {
        pattern::compile(text, modifiers, self.options).map_err(|e| self.bad(&e))
    }

    // Reads the delimiter. It must be a single-byte character.
    fn delimiter(&mut self) -> Parsed<Option<u8>> {
        match self.next() {
            Some(0xc2..=0xf4) => Err(self.bad("delimiter character is not a single-byte character")),
            delimiter => Ok(delimiter),
        }
    }

    // The text up to the delimiter. A backslash before the delimiter is removed.
    fn delimited(&mut self, delimiter: u8, pattern: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut bracket = Bracket::default();
        while let Some(b) = self.next() {
            if b == b'\n' {
                self.back();
                return None;
            }
            if b == delimiter && !bracket.inside() {
                return Some(out);
            }
            if pattern {
                bracket.step(&self.text, self.at - 1);
            }
            if b != b'\\' {
                out.push(b);
                continue;
            }
            let next = self.next()?;
            if pattern && next == b'n' && delimiter != b'n' {
                out.push(b'\n');
            } else if next == delimiter && !bracket.inside() {
                if !pattern && next == b'&' {
                    out.push(b'\\');
                }
                out.push(next);
            } else if bracket.inside() {
                // The backslash is a member of the list. The next character may end the list.
                out.push(b'\\');
                self.back();
            } else {
                out.extend([b'\\', next]);
            }
        }
        None
    }

    // Parses the text of `a`, `i` or `c` for the command at `index`.
    fn text_argument(&mut self, index: usize) -> Parsed<()> {
        let b = self.next_nonblank();
        match b {
            None => Err(self.bad(EXPECTED)),
            Some(b'\\') => {
                let mark = (self.at, self.line);
                match self.next_nonblank() {
                    None if mark.0 == self.text.len() && self.options.posix => {
                        Err(self.bad("incomplete command"))
                    }
                    None if mark.0 == self.text.len() => {
                        self.pending = Some(index);
                        Ok(())
                    }
                    Some(b'\n') => self.argument_text(index),
                    _ => {
                        // After the backslash, blanks are part of the text.
                        (self.at, self.line) = mark;
                        self.argument_text(index)
                    }
                }
            }
            Some(b'\n') => Err(self.bad(EXPECTED)),
            Some(_) if self.options.posix => Err(self.bad(EXPECTED)),
            Some(_) => {
                self.back();
                self.argument_text(index)
            }
        }
    }

    // Parses text up to an unescaped newline and replaces its escapes. A backslash at the end of this part of the
    // script escapes the newline between the parts. The text then continues in the next part.
    fn argument_text(&mut self, index: usize) -> Parsed<()> {
        let Some(text) = self.script.commands.get_mut(index).and_then(|command| command.action.text()) else {
            return Ok(());
        };
        let mut out = std::mem::take(text);
        while let Some(b) = self.next() {
            match b {
                b'\n' => break,
                b'\\' if self.at >= self.text.len() => {
                    self.pending = Some(index);
                    break;
                }
                b'\\' => match escape(self.text.get(self.at..).unwrap_or_default()) {
                    Escape::Byte(byte, len) => {
                        out.push(byte);
                        self.at += len;
                    }
                    Escape::Recursive => return Err(self.bad(RECURSIVE)),
                    Escape::Cut | Escape::None => out.extend(self.next()),
                },
                _ => out.push(b),
            }
        }
        out.push(b'\n');
        if let Some(text) = self.script.commands.get_mut(index).and_then(|command| command.action.text()) {
            *text = out;
        }
        Ok(())
    }

    /// Whether something follows on the line. If not, goes to its end.
    fn has_argument(&mut self) -> bool {
        match self.next_nonblank() {
            None | Some(b'\n') => false,
            Some(_) => {
                self.back();
                true
            }
        }
    }

    fn file_name(&mut self) -> Parsed<Vec<u8>> {
        let mut name = Vec::new();
        let mut b = self.next_nonblank();
        while let Some(byte) = b.filter(|b| *b != b'\n') {
            name.push(byte);
            b = self.next();
        }
        if name.is_empty() {
            if b.is_some() {
                self.back();
            }
            return Err(self.bad("missing filename in r/R/w/W commands"));
        }
        Ok(name)
    }

    fn output(&mut self) -> Parsed<Output> {
        if self.options.sandbox {
            return Err(self.bad(SANDBOX));
        }
        let name = self.file_name()?;
        self.sinks.open(&name)
    }

    // The index of the file for `R`.
    fn reader(&mut self, name: Vec<u8>) -> usize {
        let known = self.script.readers.iter().position(|n| *n == name);
        known.unwrap_or_else(|| {
            self.script.readers.push(name);
            self.script.readers.len() - 1
        })
    }

    fn label(&mut self) -> Vec<u8> {
        self.word_until(|b| is_space(b) || matches!(b, b';' | b'}' | b'#'))
    }

    fn word(&mut self) -> Vec<u8> {
        self.word_until(|b| is_space(b) || b == b';')
    }

    fn word_until(&mut self, ends: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut word = Vec::new();
        let mut b = self.next_nonblank();
        while let Some(byte) = b {
            if ends(byte) {
                self.back();
                break;
            }
            word.push(byte);
            b = self.next();
        }
        word
    }

    fn number_argument(&mut self) -> Parsed<Option<u64>> {
        let number = match self.next_nonblank() {
            Some(b) if b.is_ascii_digit() && !self.options.posix => Some(self.number(b)),
            Some(_) => {
                self.back();
                None
            }
            None => None,
        };
        self.end_of_command()?;
        Ok(number)
    }

    fn optional_number(&mut self) -> u64 {
        match self.next_nonblank() {
            Some(b) if b.is_ascii_digit() => self.number(b),
            Some(_) => {
                self.back();
                0
            }
            None => 0,
        }
    }

    fn number(&mut self, first: u8) -> u64 {
        let mut number = u64::from(first - b'0');
        while let Some(b) = self.text.get(self.at).filter(|b| b.is_ascii_digit()) {
            number = number.wrapping_mul(10).wrapping_add(u64::from(b - b'0'));
            self.at += 1;
        }
        number
    }

    fn end_of_command(&mut self) -> Parsed<()> {
        match self.next_nonblank() {
            Some(b'}' | b'#') => {
                self.back();
                Ok(())
            }
            None | Some(b'\n' | b';') => Ok(()),
            Some(b'\r') if self.text.get(self.at) == Some(&b'\n') => Ok(()),
            Some(_) => Err(self.bad("extra characters after command")),
        }
    }

    fn comment(&mut self) {
        while self.next().is_some_and(|b| b != b'\n') {}
    }

    fn next(&mut self) -> Option<u8> {
        let b = self.text.get(self.at).copied()?;
        self.at += 1;
        if b == b'\n' {
            self.line += 1;
        }
        Some(b)
    }

    fn next_nonblank(&mut self) -> Option<u8> {
        loop {
            let b = self.next()?;
            if b != b' ' && b != b'\t' {
                return Some(b);
            }
        }
    }

    // Undoes one call of `next` that returned a byte.
    fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
        if self.text.get(self.at) == Some(&b'\n') {
            self.line = self.line.saturating_sub(1);
        }
    }

    fn bad(&self, text: &str) -> Failure {
        self.bad_bytes(text.as_bytes())
    }

    fn bad_bytes(&self, text: &[u8]) -> Failure {
        self.failure(self.at, text)
    }

    fn bad_at(&self, at: usize, text: &str) -> Failure {
        self.failure(at, text.as_bytes())
    }

    fn failure(&self, at: usize, text: &[u8]) -> Failure {
        match &self.place {
            Place::Expression(n) => {
                Failure::usage(&[format!("-e expression #{n}, char {at}: ").as_bytes(), text])
            }
            Place::File(name) => {
                let line = format!(" line {}: ", self.line);
                Failure::usage(&[b"file ", name, line.as_bytes(), text])
            }
        }
    }
}

/// The commands without arguments.
fn simple(name: u8) -> Option<Action> {
    Some(match name {
        b'd' => Action::Delete,
        b'D' => Action::DeleteFirstLine,
        b'F' => Action::FileName,
        b'g' => Action::Get,
        b'G' => Action::GetAppend,
        b'h' => Action::Hold,
        b'H' => Action::HoldAppend,
        b'x' => Action::Exchange,
        b'n' => Action::Next,
        b'N' => Action::NextAppend,
        b'p' => Action::Print,
        b'P' => Action::PrintFirstLine,
        b'z' => Action::Zap,
        b'=' => Action::LineNumber,
        _ => return None,
    })
}

const ONE_ADDRESS: &str = "command only uses one address";
const EXPECTED: &str = "expected \\ after `a', `c' or `i'";
const SANDBOX: &str = "e/r/w commands disabled in sandbox mode";

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 11 | 12)
}

fn newer_than_4_9(version: &[u8]) -> bool {
    let text = String::from_utf8_lossy(version);
    let mut parts = text.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next()) > (4, 9, 0)
}
