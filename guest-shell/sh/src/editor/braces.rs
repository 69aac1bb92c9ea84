//! Completion of all files that fit at once, as a word with braces.

use super::Editor;
use super::complete::{Only, quoted_part};
use super::functions::Function;

/// What is still to be written: the rest of some words after what they have in common, or text.
enum Rest<'w> {
    Words(&'w [Vec<u8>], usize),
    Text(&'static str),
}

impl Editor<'_> {
    /// Replaces the word by all files that begin so, within braces.
    pub(super) fn complete_into_braces(&mut self) {
        let point = self.buffer.point();
        let Some((from, quote, words)) = self.files_to_join() else {
            return self.bell();
        };
        if let [_] = words.as_slice() {
            return self.complete(Only::Files, Function::CompleteIntoBraces);
        }
        let text = joined(&words);
        if !self.buffer.change(from, point, &text) {
            return self.bell();
        }
        let mut end = if quote == 0 { Vec::new() } else { vec![quote] };
        if self.buffer.after().is_empty() {
            end.push(b' ');
        }
        // As in readline, this is undone by itself.
        if !end.is_empty() {
            self.insert(&end);
        }
    }
}

/// Sorted words as one with braces: what several have in common stands before these.
fn joined(words: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut todo = vec![Rest::Words(words, 0)];
    while let Some(next) = todo.pop() {
        let (words, from) = match next {
            Rest::Words(words, from) => (words, from),
            Rest::Text(text) => {
                out.extend(text.bytes());
                continue;
            }
        };
        let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
        let to = if words.len() == 1 { first.len() } else { in_common(first, last) };
        out.extend(quoted_part(first.get(from..to).unwrap_or_default(), 0));
        if words.len() == 1 {
            continue;
        }
        let groups =
            words.chunk_by(|a, b| to < a.len() && in_common(a, b) > to).map(|words| Rest::Words(words, to));
        todo.push(Rest::Text("}"));
        for (number, group) in groups.rev().enumerate() {
            if number > 0 {
                todo.push(Rest::Text(","));
            }
            todo.push(group);
        }
        todo.push(Rest::Text("{"));
    }
    out
}

/// How long the start is that two words have in common, in whole characters.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    let mut length = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    while a.get(length).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_starts_stand_before_braces() {
        let join = |words: &[&str]| {
            let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
            String::from_utf8(joined(&words)).unwrap()
        };
        assert_eq!(join(&["abc1", "abc2", "abd"]), "ab{c{1,2},d}");
        assert_eq!(join(&["solo", "sub", "subdir"]), "s{olo,ub{,dir}}");
        assert_eq!(join(&["b c", "b[x]"]), "b{\\ c,\\[x\\]}");
        assert_eq!(join(&["é", "è"]), "{é,è}");
    }
}
