//! `ifeq`, `ifdef`, `else`, `endif`.

use super::keyword;
use crate::say::Result;
use crate::session::Make;
use crate::text::{Text, is_blank, strip, strip_end, strip_start};

#[derive(Clone, Copy)]
struct Level {
    /// This part is passed over.
    ignoring: bool,
    /// A part before has been taken, or all of it lies in a part that is passed over.
    done: bool,
    seen_else: bool,
}

#[derive(Default)]
pub(super) struct Conditions {
    levels: Vec<Level>,
}

impl Conditions {
    pub(super) fn ignoring(&self) -> bool {
        self.levels.iter().any(|l| l.ignoring)
    }

    /// Whether an `endif` is missing.
    pub(super) fn open(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Carries out a conditional line; `None` if it is none.
    pub(super) fn line(&mut self, make: &mut Make, line: &[u8]) -> Option<Result<()>> {
        if let Some(rest) = keyword(line, b"endif") {
            if !rest.is_empty() {
                make.warn(make.loc.as_ref(), b"extraneous text after 'endif' directive");
            }
            return Some(match self.levels.pop() {
                Some(_) => Ok(()),
                None => Err(make.fatal(make.loc.as_ref(), b"extraneous 'endif'")),
            });
        }
        if let Some(rest) = keyword(line, b"else") {
            return Some(self.otherwise(make, rest));
        }
        let (word, rest) = directive(line)?;
        if self.ignoring() {
            self.levels.push(Level { ignoring: true, done: true, seen_else: false });
            return Some(Ok(()));
        }
        Some(test(make, word, rest).map(|holds| {
            self.levels.push(Level { ignoring: !holds, done: holds, seen_else: false });
        }))
    }

    fn otherwise(&mut self, make: &mut Make, rest: &[u8]) -> Result<()> {
        let outside = self.levels.iter().rev().skip(1).any(|l| l.ignoring);
        let Some(level) = self.levels.last_mut() else {
            return Err(make.fatal(make.loc.as_ref(), b"extraneous 'else'"));
        };
        if level.seen_else {
            return Err(make.fatal(make.loc.as_ref(), b"only one 'else' per conditional"));
        }
        if rest.is_empty() {
            level.seen_else = true;
            level.ignoring = level.done || outside;
            level.done = true;
            return Ok(());
        }
        let Some((word, rest)) = directive(rest) else {
            make.warn(make.loc.as_ref(), b"extraneous text after 'else' directive");
            level.seen_else = true;
            level.ignoring = level.done || outside;
            return Ok(());
        };
        if level.done || outside {
            level.ignoring = true;
            return Ok(());
        }
        let holds = test(make, word, rest)?;
        level.ignoring = !holds;
        level.done = holds;
        Ok(())
    }
}

fn directive(line: &[u8]) -> Option<(&'static str, &[u8])> {
    ["ifdef", "ifndef", "ifeq", "ifneq"].into_iter().find_map(|word| {
        // `ifeq(` is taken too, and then wrong.
        keyword(line, word.as_bytes()).map(|rest| (word, rest))
    })
}

fn test(make: &mut Make, word: &str, rest: &[u8]) -> Result<bool> {
    let wrong = |make: &Make| make.fatal(make.loc.as_ref(), b"invalid syntax in conditional");
    if word == "ifdef" || word == "ifndef" {
        let name = make.expand(rest)?;
        let name = strip(&name);
        if name.iter().any(|b| is_blank(*b)) {
            return Err(wrong(make));
        }
        let defined = make.find_var(name).is_some_and(|(v, _)| !v.value.is_empty());
        return Ok(defined == (word == "ifdef"));
    }
    let Some((a, b, after)) = operands(rest) else { return Err(wrong(make)) };
    if !after.is_empty() {
        let text = format!("extraneous text after '{word}' directive");
        make.warn(make.loc.as_ref(), text.as_bytes());
    }
    let (a, b) = (make.expand(&a)?, make.expand(&b)?);
    Ok((a == b) == (word == "ifeq"))
}

// `(A,B)`, `"A" "B"` or `'A' 'B'`, and what follows.
fn operands(text: &[u8]) -> Option<(Text, Text, &[u8])> {
    if let Some(inner) = text.strip_prefix(b"(") {
        let comma = scan(inner, b',')?;
        let rest = inner.get(comma + 1..)?;
        let end = scan(rest, b')')?;
        let a = strip_end(inner.get(..comma)?).to_vec();
        let b = strip_start(rest.get(..end)?).to_vec();
        return Some((a, b, strip(rest.get(end + 1..)?)));
    }
    let (a, rest) = quoted(text)?;
    let (b, rest) = quoted(strip_start(rest))?;
    Some((a, b, strip(rest)))
}

fn quoted(text: &[u8]) -> Option<(Text, &[u8])> {
    let quote = *text.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let rest = text.get(1..)?;
    let end = rest.iter().position(|b| *b == quote)?;
    Some((rest.get(..end)?.to_vec(), rest.get(end + 1..)?))
}

// The first such byte outside of parentheses.
fn scan(text: &[u8], wanted: u8) -> Option<usize> {
    let mut depth = 0;
    for (i, b) in text.iter().enumerate() {
        match b {
            b if *b == wanted && depth == 0 => return Some(i),
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}
