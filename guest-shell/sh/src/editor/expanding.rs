//! Expands the line as the shell does before it runs it: its history, its aliases, and its words.

use super::buffer::{LONGEST, is_word};
use super::{Editor, Step, Typed, context};
use crate::exec::input::TextHost;
use crate::expand::Builder;
use crate::history_expansion::Expanded;
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::WordPart;
use sandshell_syntax::parser::{SyntaxError, parse_quoted_text, parse_word_text};

/// Operators after which a command begins.
const BEFORE_COMMANDS: &[u8] = b";|&(\n";

impl Editor<'_> {
    /// Expands aliases or history. False if that fails, which is said then.
    pub(super) fn expand_line(&mut self, alias: bool, history: bool) -> bool {
        match self.expanded(alias, history) {
            Ok(text) => {
                self.replace_line(&text);
                true
            }
            Err(why) => {
                self.print(&[b"bash: ", &*why, b"\n"].concat());
                false
            }
        }
    }

    /// The line with its history and aliases expanded, or why that fails.
    fn expanded(&mut self, alias: bool, history: bool) -> Result<Vec<u8>, Vec<u8>> {
        let mut text = self.buffer.text().to_vec();
        if history {
            match self.shell.expand_history(&text, 0, false) {
                Ok(Expanded::Changed(new) | Expanded::Shown(new)) => text = new,
                Ok(Expanded::Same) => {}
                Err(why) => return Err(why),
            }
        }
        let value = |name: &[u8]| self.shell.aliases.get(name).map(|value| value.to_vec());
        Ok(if alias { with_aliases(&text, value) } else { text })
    }

    /// Expands all but braces, tildes and names of files. `keeps_quotes`: only parameters and arithmetic.
    pub(super) fn expand_as_shell(&mut self, keeps_quotes: bool) -> Step {
        // As in bash, a word of the history that does not exist is not complained about.
        let Ok(text) = self.expanded(true, true) else { return Ok(()) };
        let point = self.buffer.point();
        self.buffer.move_to(self.buffer.end());
        self.draw();
        self.buffer.move_to(point);
        let mut done = Err(Flow::Discard);
        self.runs(|shell| {
            done = if keeps_quotes { with_parameters(shell, &text) } else { with_words(shell, &text) };
            Ok(())
        })?;
        match done {
            Ok(text) => {
                self.replace_line(&text);
                Ok(())
            }
            Err(flow @ Flow::Exit) => Err(self.end_with(flow)),
            // An error gives up the line.
            Err(_) => {
                self.screen.forget();
                Err(Typed::Line(Vec::new()))
            }
        }
    }

    /// Replaces the line. The point stays where it was, or goes to the end of the word there.
    fn replace_line(&mut self, text: &[u8]) {
        let (point, end) = (self.buffer.point(), self.buffer.end());
        if text != self.buffer.text() && !self.buffer.change(0, end, text) {
            return self.bell();
        }
        if point < end {
            let point = point.min(self.buffer.end());
            self.buffer.move_to(self.buffer.on_while(point, is_word));
        }
    }
}

/// A text with the aliases of its commands. One that ends in a blank lets the next word be one, too. It stops when it is
/// longer than a line can be.
fn with_aliases(text: &[u8], value_of: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut begins) = (0, true);
    while let Some(&byte) = text.get(at).filter(|_| out.len() <= LONGEST) {
        let word = word_length(text.get(at..).unwrap_or_default());
        if word == 0 {
            begins = BEFORE_COMMANDS.contains(&byte) || begins && byte.is_ascii_whitespace();
            out.push(byte);
            at += 1;
            continue;
        }
        let name = text.get(at..at + word).unwrap_or_default();
        let value = if begins { value_of(name) } else { None };
        out.extend_from_slice(value.as_deref().unwrap_or(name));
        begins = value.is_some_and(|value| matches!(value.last(), Some(b' ' | b'\t')));
        at += word;
    }
    out
}

/// How long the word is with which a text begins, with its quotes.
fn word_length(text: &[u8]) -> usize {
    let (mut at, mut quote) = (0, 0);
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            (b'\'', b'\'') | (b'"', b'"') => quote = 0,
            (0, b'\'' | b'"') => quote = byte,
            (0 | b'"', b'\\') => at += 1,
            (0, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
            _ => {}
        }
        at += 1;
    }
    at.min(text.len())
}

/// A text as one word, in which blanks and operators stand for themselves, expanded.
fn with_words(shell: &mut Shell, text: &[u8]) -> Run<Vec<u8>> {
    let line = shell.line.max(1);
    let mut parse = |text: &[u8]| parse_word_text(text, line, &mut TextHost { shell });
    let word = parse(text).or_else(|error| {
        // As in bash, the last character gives way to a quote that is missing.
        let quote = context::at(text, text.len()).quote;
        let Some((_, rest)) = text.split_last().filter(|_| quote != 0) else { return Err(error) };
        parse(&[rest, &[quote]].concat())
    });
    let word = match word {
        Ok(word) => word,
        Err(error) => return Err(reported(shell, &error)),
    };
    if let Some(text) = word.literal {
        return Ok(text.to_vec());
    }
    let plain = |part: &WordPart| match part {
        WordPart::Tilde(user) => WordPart::Literal([b"~", &**user].concat().into()),
        part => part.clone(),
    };
    let parts: Vec<WordPart> = word.parts.iter().map(plain).collect();
    let mut made = Vec::new();
    let mut builder = Builder::fields(&mut made, false);
    shell.expand_parts(&parts, false, &mut builder)?;
    builder.end_field();
    let fields: Vec<Vec<u8>> = made.into_iter().map(|made| made.field.into_vec()).collect();
    Ok(fields.join(&b' '))
}

/// A text with its parameters and arithmetic, in which quotes stand for themselves and commands are not run.
fn with_parameters(shell: &mut Shell, text: &[u8]) -> Run<Vec<u8>> {
    let line = shell.line.max(1);
    let word = parse_quoted_text(&shielded(text), line, &mut TextHost { shell });
    match word {
        Ok(word) => shell.expand_quoted(&word.parts),
        Err(error) => Err(reported(shell, &error)),
    }
}

/// A text in which commands are protected.
fn shielded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        let after = text.get(at + 1..).unwrap_or_default();
        let is_command = *byte == b'$' && after.starts_with(b"(") && !after.starts_with(b"((");
        if *byte == b'`' || is_command {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}

/// Says what is wrong, and gives the line up.
fn reported(shell: &mut Shell, error: &SyntaxError) -> Flow {
    shell.report_syntax_error(error, b"").err().unwrap_or(Flow::Discard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_of_commands_are_replaced_once() {
        let value = |name: &[u8]| match name {
            b"a" => Some(b"x y".to_vec()),
            b"b" => Some(b"a ".to_vec()),
            _ => None,
        };
        let expand = |text: &str| String::from_utf8(with_aliases(text.as_bytes(), value)).unwrap();
        assert_eq!(expand("a; a|a &&a (a) c a"), "x y; x y|x y &&x y (x y) c a");
        assert_eq!(expand("  b a a"), "  a  x y a");
        assert_eq!(expand("'a' a"), "'a' a");
    }

    #[test]
    fn aliases_make_no_line_that_is_too_long_by_much() {
        let long = vec![b'x'; LONGEST / 2];
        let expanded = with_aliases(&b"a;".repeat(1000), |_| Some(long.clone()));
        assert!((LONGEST..2 * LONGEST).contains(&expanded.len()));
    }

    #[test]
    fn commands_are_protected() {
        assert_eq!(shielded(b"$(a) `b` $((1)) $c"), b"\\$(a) \\`b\\` $((1)) $c");
    }

    #[test]
    fn words_have_quotes() {
        assert_eq!(word_length(b"ab'c d'e f"), 8);
        assert_eq!(word_length(b"a\\ b;c"), 4);
        assert_eq!(word_length(b"\"a'b\" x"), 5);
        assert_eq!(word_length(b" a"), 0);
        assert_eq!(word_length(b"a\\"), 2);
    }
}
