//! History expansion: `!!`, `!$`, `!make:s/a/b/`, `^old^new^` (bash(1), HISTORY EXPANSION).

mod events;
mod modifiers;
mod words;

pub(crate) use words::tokens;

use crate::options::{Shopt, flag};
use crate::shell::Shell;
use crate::variables::Name;

/// What a line of input may refer to, and what it leaves for the next one.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The text of the last `!?text?`.
    search: Option<Vec<u8>>,
    /// The word in which it was found, for `%`.
    found: Vec<u8>,
    /// Both sides of the last substitution, for `&`.
    substitution: Option<(Vec<u8>, Vec<u8>)>,
}

/// The result of expanding a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expanded {
    /// It contains no history expansion.
    Same,
    /// To be shown and run.
    Changed(Vec<u8>),
    /// To be shown only: `:p`.
    Shown(Vec<u8>),
}

/// The characters of `histchars`.
#[derive(Clone, Copy)]
struct Characters {
    event: u8,
    quick: u8,
    comment: Option<u8>,
}

struct Expansion<'a> {
    history: &'a [crate::history::Entry],
    dropped: usize,
    memory: &'a mut Memory,
    characters: Characters,
    extglob: bool,
    posix: bool,
    print_only: bool,
}

/// An error: what is wrong with which part of the line.
type Result<T> = std::result::Result<T, Vec<u8>>;

impl Shell {
    /// Expands a line that was read. `Err` is the error message. Unless `quote` is 0, the line begins inside such
    /// quotes. With `rest`, the line continues a command, whose own entry `!!` must skip.
    pub(crate) fn expand_history(
        &mut self,
        line: &[u8],
        quote: u8,
        rest: bool,
    ) -> std::result::Result<Expanded, Vec<u8>> {
        let Some(characters) = self.history_characters() else { return Ok(Expanded::Same) };
        let (extglob, posix) = (self.opts.shopt(Shopt::extglob), self.posix());
        let mut memory = std::mem::take(&mut self.record.memory);
        let own = usize::from(rest && self.record.current && self.opts.shopt(Shopt::cmdhist));
        let history = self.history.get(..self.history.len().saturating_sub(own)).unwrap_or_default();
        let mut expansion = Expansion {
            history,
            dropped: self.record.dropped,
            memory: &mut memory,
            characters,
            extglob,
            posix,
            print_only: false,
        };
        let expanded = expansion.line(line, quote);
        self.record.memory = memory;
        expanded
    }

    /// Whether lines that are read get history expansion.
    pub(crate) fn expands_history(&self) -> bool {
        self.record.adding && self.opts.has(flag::HISTEXPAND)
    }

    fn history_characters(&mut self) -> Option<Characters> {
        let own = self.value(Name::new(b"histchars")).map(std::borrow::Cow::into_owned);
        let own = own.as_deref().unwrap_or(b"!^#");
        Some(Characters {
            event: *own.first()?,
            quick: own.get(1).copied().unwrap_or(b'^'),
            comment: own.get(2).copied(),
        })
    }
}

impl Expansion<'_> {
    fn line(&mut self, line: &[u8], quote: u8) -> Result<Expanded> {
        let quick;
        let line = if quote == 0 && line.first() == Some(&self.characters.quick) {
            quick = [&[self.characters.event, self.characters.event][..], b":s", line].concat();
            &quick
        } else {
            line
        };
        let mut out = Vec::new();
        let mut at = 0;
        let (mut double, mut changed) = (quote == b'"', false);
        if quote == b'\'' {
            let Some(end) = line.iter().position(|b| *b == b'\'') else { return Ok(Expanded::Same) };
            at = end + 1;
            out.extend(line.iter().take(at));
        }
        // For each enclosing command substitution: whether it is quoted, and its own open parentheses.
        let mut around: Vec<(bool, usize)> = Vec::new();
        while let Some(&byte) = line.get(at) {
            let rest = line.get(at..).unwrap_or_default();
            match byte {
                _ if Some(byte) == self.characters.comment && !double && begins_word(line, at) => {
                    out.extend_from_slice(rest);
                    break;
                }
                _ if byte == self.characters.event && self.begins_event(line, at, double) => {
                    let text = self.event(line, &mut at, double, &out)?;
                    out.extend_from_slice(&text);
                    changed = true;
                    continue;
                }
                b'\\' => {
                    out.extend(rest.iter().take(2));
                    at += 2;
                    continue;
                }
                b'"' => double = !double,
                b'$' | b'<' | b'>' if rest.get(1) == Some(&b'(') && (byte == b'$' || !double) => {
                    around.push((std::mem::take(&mut double), 0));
                    out.extend_from_slice(&[byte, b'(']);
                    at += 2;
                    continue;
                }
                b'(' if !double => {
                    if let Some((_, open)) = around.last_mut() {
                        *open += 1;
                    }
                }
                b')' if !double => match around.last_mut() {
                    Some((_, open)) if *open > 0 => *open -= 1,
                    Some(_) => double = around.pop().is_some_and(|(double, _)| double),
                    None => {}
                },
                b'$' if !double && rest.get(1) == Some(&b'\'') => {
                    let length = 2 + words::quoted(rest.get(2..).unwrap_or_default(), b'\'', true);
                    out.extend(rest.iter().take(length));
                    at += length;
                    continue;
                }
                b'\'' if !double => {
                    let end = rest.iter().skip(1).position(|b| *b == b'\'').map_or(rest.len(), |i| i + 2);
                    out.extend(rest.iter().take(end));
                    at += end;
                    continue;
                }
                _ => {}
            }
            out.push(byte);
            at += 1;
        }
        Ok(match (changed, self.print_only) {
            (false, _) => Expanded::Same,
            (true, true) => Expanded::Shown(out),
            (true, false) => Expanded::Changed(out),
        })
    }

    /// Whether the `!` at `at` begins a history expansion, as opposed to being shell syntax.
    fn begins_event(&self, line: &[u8], at: usize, double: bool) -> bool {
        let byte = |back: usize| at.checked_sub(back).and_then(|i| line.get(i)).copied();
        let after = line.get(at + 1..).unwrap_or_default();
        let closed_by = |close: u8| after.contains(&close);
        match after.first() {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'=') => false,
            Some(b'"') if double => false,
            _ if double && self.posix => false,
            _ if byte(1) == Some(b'[') && closed_by(b']') => false,
            _ if byte(1) == Some(b'{') && byte(2) == Some(b'$') && closed_by(b'}') => false,
            _ if at > 1 && byte(1) == Some(b'$') => false,
            Some(b'(') if self.extglob && at > 1 && closed_by(b')') => false,
            _ => true,
        }
    }

    /// Expands one event with its words and modifiers, and moves `at` to its end.
    fn event(&mut self, line: &[u8], at: &mut usize, double: bool, before: &[u8]) -> Result<Vec<u8>> {
        let start = *at;
        let event = match line.get(start + 1) {
            // Words without an event refer to the last event.
            Some(b':' | b'$' | b'*' | b'%' | b'^') => {
                *at += 1;
                self.history.last().map(|event| event.line.clone())
            }
            Some(b'#') => {
                *at += 2;
                Some(before.to_vec())
            }
            _ => self.find(line, at, double),
        };
        let Some(event) = event else { return Err(failed(line, start, *at, "event not found")) };
        let words_at = *at;
        let text = match words::designated(line, at, &event, &self.memory.found) {
            words::Designated::None => event,
            words::Designated::Words(words) => words,
            words::Designated::Bad => return Err(failed(line, words_at, *at, "bad word specifier")),
        };
        self.modified(line, at, text)
    }
}

fn begins_word(line: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|i| line.get(i)).is_none_or(|b| words::ends_word(*b))
}

fn failed(line: &[u8], from: usize, to: usize, why: &str) -> Vec<u8> {
    let part = line.get(from..to.min(line.len())).unwrap_or_default();
    [part, b": ", why.as_bytes()].concat()
}
