//! Which word of a line is to be completed, and of which command.

use std::ops::Range;

/// Words that a command follows.
const BEFORE_COMMANDS: &[&[u8]] =
    &[b"!", b"{", b"coproc", b"do", b"elif", b"else", b"if", b"then", b"time", b"until", b"while"];
/// Characters that end a word for completion, besides blanks and those that end commands.
const BREAKS: &[u8] = b"=:";

/// The place of a word in its line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    /// The words of the command, its name first, that of the point among them.
    pub(super) words: Vec<Range<usize>>,
    /// Which of them has the point. It may be empty.
    pub(super) current: usize,
    /// What of it is to be completed begins here: after a quote that is open, or after `=` or `:`.
    pub(super) from: usize,
    /// The quote that is open at the point, or 0.
    pub(super) quote: u8,
    /// The word names the file of a redirection.
    pub(super) redirects: bool,
}

impl Context {
    /// Whether the word is the name of a command.
    pub(super) fn is_command(&self) -> bool {
        self.current == 0 && !self.redirects
    }
}

/// The state of a command substitution, or of the whole line.
#[derive(Clone, Debug, Default)]
struct Frame {
    words: Vec<Range<usize>>,
    /// The start of the word that is open.
    word: Option<usize>,
    quote: u8,
    /// What ends it.
    close: u8,
    redirects: bool,
}

impl Frame {
    fn end_word(&mut self, at: usize) {
        if let Some(start) = self.word.take()
            && !std::mem::take(&mut self.redirects)
        {
            self.words.push(start..at);
        }
    }

    fn end_command(&mut self, at: usize) {
        self.end_word(at);
        self.words.clear();
        self.redirects = false;
    }
}

/// Looks at the command around `point`.
pub(super) fn at(line: &[u8], point: usize) -> Context {
    let mut frame = Frame::default();
    let mut outer: Vec<Frame> = Vec::new();
    // How many frames were open at the point, and what the innermost one was.
    let mut seen: Option<(usize, Frame)> = None;
    let mut i = 0;
    loop {
        if i >= point && seen.is_none() {
            let mut found = frame.clone();
            found.word.get_or_insert(point);
            frame.word.get_or_insert(point);
            seen = Some((outer.len(), found));
        }
        let Some(&byte) = line.get(i) else { break };
        let next = line.get(i + 1).copied();
        let inside = seen.as_ref().is_some_and(|seen| outer.len() > seen.0);
        let mut length = 1;
        match (frame.quote, byte) {
            (b'\'', b'\'') | (b'"', b'"') => frame.quote = 0,
            (b'\'', _) => {}
            (_, b'\\') => {
                frame.word.get_or_insert(i);
                length = 2;
            }
            (_, b'$') if next == Some(b'(') => {
                frame.word.get_or_insert(i);
                outer.push(std::mem::replace(&mut frame, Frame { close: b')', ..Frame::default() }));
                length = 2;
            }
            (_, b'`') if frame.close != b'`' => {
                frame.word.get_or_insert(i);
                outer.push(std::mem::replace(&mut frame, Frame { close: b'`', ..Frame::default() }));
            }
            (b'"', _) => {}
            (_, close) if close == frame.close && !outer.is_empty() => {
                if seen.is_some() && !inside {
                    break;
                }
                frame = outer.pop().unwrap_or_default();
            }
            (_, b'\'' | b'"') => {
                frame.word.get_or_insert(i);
                frame.quote = byte;
            }
            (_, b'<' | b'>') if next == Some(b'(') => {
                frame.word.get_or_insert(i);
                outer.push(std::mem::replace(&mut frame, Frame { close: b')', ..Frame::default() }));
                length = 2;
            }
            (_, b'<' | b'>') => {
                // A number before it belongs to it.
                let digits =
                    |start: usize| line.get(start..i).is_some_and(|w| w.iter().all(u8::is_ascii_digit));
                match frame.word {
                    Some(start) if digits(start) => frame.word = None,
                    _ => frame.end_word(i),
                }
                frame.redirects = true;
                if matches!(next, Some(b'<' | b'>' | b'&' | b'|')) {
                    length = 2;
                }
            }
            (_, b'&') if next == Some(b'>') => frame.end_word(i),
            (_, b';' | b'&' | b'|' | b'\n' | b'(' | b')') => {
                if seen.is_some() && !inside {
                    break;
                }
                frame.end_command(i);
            }
            (_, b' ' | b'\t') => frame.end_word(i),
            _ => {
                frame.word.get_or_insert(i);
            }
        }
        i += length;
    }
    let Some((depth, found)) = seen else { return Context::default() };
    // The frame of the point, with what follows it.
    let mut whole = if outer.len() > depth { outer.swap_remove(depth) } else { frame };
    whole.redirects = whole.redirects && whole.word != found.word;
    whole.end_word(i.min(line.len()).max(point));
    let start = found.word.unwrap_or(point);
    let mut words = found.words;
    let mut current = words.len();
    let is_before = |word: &Range<usize>| {
        let text = line.get(word.clone()).unwrap_or_default();
        is_assignment(text) || BEFORE_COMMANDS.contains(&text)
    };
    let skipped = words.iter().take_while(|word| is_before(word)).count();
    words.drain(..skipped);
    current -= skipped;
    let end = whole.words.iter().find(|word| word.start == start).map_or(point, |word| word.end);
    if found.redirects {
        current = words.len();
    } else {
        words.push(start..end.max(point));
    }
    words.extend(whole.words.into_iter().filter(|word| word.start > start));
    Context { words, current, from: tail(line, start, point), quote: found.quote, redirects: found.redirects }
}

/// Where the part of a word begins that is to be completed.
fn tail(line: &[u8], start: usize, point: usize) -> usize {
    let (mut from, mut quote, mut i) = (start, 0, start);
    while i < point {
        let Some(&byte) = line.get(i) else { break };
        match (quote, byte) {
            (b'\'' | b'"', _) if byte == quote => quote = 0,
            (b'\'', _) => {}
            (_, b'\\') => i += 1,
            (0, b'\'' | b'"') => {
                quote = byte;
                // A quote within a word belongs to it.
                if from == i {
                    from = i + 1;
                }
            }
            (0, _) if BREAKS.contains(&byte) => from = i + 1,
            _ => {}
        }
        i += 1;
    }
    from.min(point)
}

fn is_assignment(word: &[u8]) -> bool {
    let name = word.split(|byte| matches!(byte, b'=' | b'[' | b'+')).next().unwrap_or_default();
    word.contains(&b'=') && sandshell_syntax::name::is_name(name)
}

/// The words as `COMP_WORDS` has them, where `=` and `:` are words of their own, and which one has the point.
pub(super) fn split(line: &[u8], context: &Context, point: usize) -> (Vec<Vec<u8>>, usize) {
    let mut words = Vec::new();
    let mut current = 0;
    for (number, range) in context.words.iter().enumerate() {
        let mut start = range.start;
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let mut quote = 0;
        for i in range.clone() {
            let byte = line.get(i).copied().unwrap_or_default();
            match (quote, byte) {
                (0, b'\'' | b'"') => quote = byte,
                (_, _) if byte == quote => quote = 0,
                (0, _) if BREAKS.contains(&byte) => {
                    if start < i {
                        pieces.push(start..i);
                    }
                    match pieces.last_mut().filter(|last| {
                        last.end == i && line.get(last.start).is_some_and(|b| BREAKS.contains(b))
                    }) {
                        Some(last) => last.end = i + 1,
                        None => pieces.push(i..i + 1),
                    }
                    start = i + 1;
                }
                _ => {}
            }
        }
        if start < range.end || pieces.is_empty() {
            pieces.push(start..range.end);
        }
        for piece in pieces {
            if number == context.current && (piece.start < point || piece.start == range.start) {
                current = words.len();
            }
            words.push(line.get(piece).unwrap_or_default().to_vec());
        }
    }
    (words, current)
}

/// The text that a part of a word stands for, without its quotes. `quote` is open at its start.
pub(super) fn unquoted(part: &[u8], quote: u8) -> Vec<u8> {
    let mut out = Vec::new();
    let mut quote = quote;
    let mut bytes = part.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (b'\'' | b'"', _) if byte == quote => quote = 0,
            (0, b'\'' | b'"') => quote = byte,
            (0, b'\\') => out.extend(bytes.next()),
            (b'"', b'\\') if matches!(bytes.peek(), Some(b'"' | b'\\' | b'$' | b'`')) => {
                out.extend(bytes.next())
            }
            _ => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line has `^` at the point.
    fn look(marked: &str) -> (Vec<String>, usize, String, u8, bool) {
        let point = marked.find('^').unwrap();
        let line = marked.replace('^', "");
        let c = at(line.as_bytes(), point);
        let text = |r: &Range<usize>| line[r.clone()].to_owned();
        let from = line[c.from..point].to_owned();
        (c.words.iter().map(text).collect(), c.current, from, c.quote, c.redirects)
    }

    #[test]
    fn the_command_and_its_word_are_found() {
        let (words, current, from, quote, _) = look("echo a; ls -l /us^ x | wc");
        assert_eq!((words.join("|").as_str(), current, from.as_str(), quote), ("ls|-l|/us|x", 2, "/us", 0));
        let (words, current, from, ..) = look("A=1 if B=2 gi^");
        assert_eq!((words.join("|").as_str(), current, from.as_str()), ("gi", 0, "gi"));
        let (words, current, from, quote, _) = look("cat 'a b/c^");
        assert_eq!(
            (words.join("|").as_str(), current, from.as_str(), quote),
            ("cat|'a b/c", 1, "a b/c", b'\'')
        );
        let (words, _, from, ..) = look("echo $(ls fo^ x) y");
        assert_eq!((words.join("|").as_str(), from.as_str()), ("ls|fo|x", "fo"));
        let (words, _, from, _, redirects) = look("sort 2> er^ -r");
        assert_eq!((words.join("|").as_str(), from.as_str(), redirects), ("sort|-r", "er", true));
        let (words, current, from, ..) = look("dd of=/tm^");
        assert_eq!((words.join("|").as_str(), current, from.as_str()), ("dd|of=/tm", 1, "/tm"));
        let (words, current, from, ..) = look("ls ^");
        assert_eq!((words.join("|").as_str(), current, from.as_str()), ("ls|", 1, ""));
        assert_eq!(look("^").0, [""]);
    }

    #[test]
    fn words_of_completion_are_split_at_signs() {
        let line = b"cmd --opt=va x";
        let c = at(line, 12);
        let (words, current) = split(line, &c, 12);
        assert_eq!(words, [&b"cmd"[..], b"--opt", b"=", b"va", b"x"]);
        assert_eq!(current, 3);
        let line = b"cmd --opt=";
        let (words, current) = split(line, &at(line, 10), 10);
        assert_eq!((words.len(), current), (3, 2));
        let line = b"cmd ";
        let (words, current) = split(line, &at(line, 4), 4);
        assert_eq!((words.len(), current), (2, 1));
    }
}
