//! Compiles text to nodes.

use super::class::{Class, Named, decode};
use super::{Group, Node, PatternOptions};

/// How deeply groups may be nested. Deeper ones are literal.
const MAX_DEPTH: u32 = 50;

pub(super) fn compile(text: &[u8], options: PatternOptions) -> Vec<Node> {
    nodes(text, options, 0)
}

fn nodes(text: &[u8], options: PatternOptions, depth: u32) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut literal = Vec::new();
    let mut at = 0;
    // If one bracket is never closed, later ones are not either.
    let mut brackets = true;
    let groups = options.extglob && depth < MAX_DEPTH;
    while let Some(&byte) = text.get(at) {
        if groups && matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!') && text.get(at + 1) == Some(&b'(') {
            if let Some((end, choices)) = group(text, at + 2, options, depth) {
                flush(&mut literal, &mut nodes);
                nodes.push(Node::Group(Box::new(Group { kind: byte, choices })));
                at = end;
                continue;
            }
            // If the group is not closed, the rest of the text is literal.
            literal.extend_from_slice(text.get(at..).unwrap_or_default());
            break;
        }
        match byte {
            b'?' => {
                flush(&mut literal, &mut nodes);
                nodes.push(Node::Any);
            }
            b'*' => {
                flush(&mut literal, &mut nodes);
                if !matches!(nodes.last(), Some(Node::Star)) {
                    nodes.push(Node::Star);
                }
            }
            b'[' if brackets => {
                if let Some((end, class)) = bracket(text, at + 1) {
                    flush(&mut literal, &mut nodes);
                    nodes.push(Node::Class(Box::new(class)));
                    at = end;
                    continue;
                }
                brackets = text.get(at + 1..).is_some_and(|rest| rest.contains(&b']'));
                literal.push(byte);
            }
            b'\\' => match text.get(at + 1) {
                Some(&next) => {
                    at += 1;
                    literal.push(next);
                }
                None => literal.push(byte),
            },
            _ => literal.push(byte),
        }
        at += 1;
    }
    flush(&mut literal, &mut nodes);
    nodes
}

fn flush(literal: &mut Vec<u8>, nodes: &mut Vec<Node>) {
    if !literal.is_empty() {
        nodes.push(Node::Literal(std::mem::take(literal).into()));
    }
}

/// Parses the alternatives of a group whose text begins at `start`. Also returns where the group ends.
fn group(text: &[u8], start: usize, options: PatternOptions, depth: u32) -> Option<(usize, Vec<Vec<Node>>)> {
    let mut choices = Vec::new();
    let mut from = start;
    let mut at = start;
    let mut open = 0usize;
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            b'[' => {
                at = bracket(text, at + 1)?.0;
                continue;
            }
            b'(' => open += 1,
            b'|' if open == 0 => {
                choices.push((from, at));
                from = at + 1;
            }
            b')' if open == 0 => {
                choices.push((from, at));
                break;
            }
            b')' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    let choices = choices
        .into_iter()
        .map(|(from, to)| nodes(text.get(from..to).unwrap_or_default(), options, depth + 1))
        .collect();
    Some((at + 1, choices))
}

/// Parses a bracket expression after its `[`. Also returns where it ends. `None` if it is not closed.
fn bracket(text: &[u8], start: usize) -> Option<(usize, Class)> {
    let mut class = Class::default();
    let mut at = start;
    if matches!(text.get(at)?, b'!' | b'^') {
        class.negated = true;
        at += 1;
    }
    let first = at;
    // After an equivalence class, bash takes `]` for a member. If that leaves a negated expression open, nothing
    // matches it. In another one, a character of the class is found before the `]`, so that this ends the expression.
    let (mut is_member, mut has_members) = (false, false);
    loop {
        let byte = match text.get(at) {
            None if has_members => return Some((at, Class::default())),
            byte => *byte?,
        };
        if byte == b']' && at > first && !is_member {
            return Some((at + 1, class));
        }
        if byte == b'[' && text.get(at + 1) == Some(&b':') {
            let name_start = at + 2;
            if let Some(length) = closing(text, name_start, b':') {
                let name = text.get(name_start..name_start + length).unwrap_or_default();
                if let Some(named) = Named::parse(name) {
                    class.named.push(named);
                }
                at = name_start + length + 2;
                is_member = false;
                continue;
            }
        }
        let is_class = text.get(at..at + 2) == Some(b"[=") && closing(text, at + 2, b'=').is_some();
        let (low, next) = element(text, at)?;
        at = next;
        is_member = is_class && class.negated;
        has_members |= is_member;
        if text.get(at) == Some(&b'-') && text.get(at + 1).is_some_and(|&byte| byte != b']') && !is_class {
            // An equivalence class cannot end a range.
            let (high, next) = match text.get(at + 1..at + 3) {
                Some(b"[=") => (u32::from(b'['), at + 2),
                _ => element(text, at + 1)?,
            };
            at = next;
            if low <= high {
                class.ranges.push((low, high));
            }
        } else {
            class.ranges.push((low, low));
        }
    }
}

/// Parses one character of a bracket expression. Also returns the position after it.
fn element(text: &[u8], at: usize) -> Option<(u32, usize)> {
    match *text.get(at)? {
        b'\\' if text.get(at + 1).is_some() => {
            let (value, length) = decode(text, at + 1);
            Some((value, at + 1 + length))
        }
        b'[' if matches!(text.get(at + 1), Some(b'.' | b'=')) => {
            let mark = *text.get(at + 1)?;
            match closing(text, at + 2, mark) {
                Some(length) if length > 0 && decode(text, at + 2).1 == length => {
                    Some((decode(text, at + 2).0, at + 2 + length + 2))
                }
                Some(length) => {
                    let name = text.get(at + 2..at + 2 + length).unwrap_or_default();
                    // An unknown name matches no character.
                    let value = if mark == b'.' { super::collate::named(name) } else { None };
                    Some((value.unwrap_or(u32::MAX), at + 2 + length + 2))
                }
                None => Some((u32::from(b'['), at + 1)),
            }
        }
        _ => {
            let (value, length) = decode(text, at);
            Some((value, at + length))
        }
    }
}

/// The length of the text before `mark` and `]`.
fn closing(text: &[u8], start: usize, mark: u8) -> Option<usize> {
    let rest = text.get(start..)?;
    if mark == b'=' {
        // This is exactly one character, which may be `]`.
        let length = decode(text, start).1;
        return rest.get(length..)?.starts_with(b"=]").then_some(length);
    }
    let length = rest.windows(2).take(64).position(|pair| pair == [mark, b']'])?;
    (!rest.get(..length)?.contains(&b']') || mark == b'.').then_some(length)
}
