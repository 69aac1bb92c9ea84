//! `grep -P`: translates PCRE's syntax to that of the available regular expression engines.
//!
//! A pattern without look-around, back-references and similar features runs on an automaton over whole blocks of lines.
//! Other patterns run on a backtracking engine, line by line. As in PCRE without `PCRE2_UCP`, `\w \d \s \b` and the
//! POSIX classes only match ASCII.

use crate::lines::without_newline;
use fancy_regex::{Regex, RegexBuilder};
use memchr::memchr;
use regex_automata::{Input, meta};
use std::cell::RefCell;

/// The options that affect compiling.
#[derive(Clone, Copy)]
pub(crate) struct Flags {
    pub(crate) icase: bool,
    pub(crate) word: bool,
    pub(crate) line: bool,
    pub(crate) bytes: bool,
    pub(crate) terminator: u8,
}

/// A compiled pattern.
pub(crate) struct Perl {
    engine: Engine,
    terminator: u8,
    /// Whether the backtracking engine gave up on a line.
    pub(crate) gave_up: RefCell<bool>,
}

enum Engine {
    Automaton(Box<meta::Regex>, Box<RefCell<meta::Cache>>),
    Backtracking(Box<Regex>),
}

impl Perl {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with the pattern; for common mistakes in PCRE's words.
    pub(crate) fn new(pattern: &[u8], flags: Flags) -> Result<Self, String> {
        let pattern = std::str::from_utf8(pattern).map_err(|_| "the pattern is not valid UTF-8")?;
        let simple = translate(pattern, false)?;
        let terminator = flags.terminator;
        let gave_up = RefCell::new(false);
        if let Some(regex) = automaton(&wrap(&simple, flags, false), flags) {
            let cache = Box::new(RefCell::new(regex.create_cache()));
            return Ok(Self { engine: Engine::Automaton(Box::new(regex), cache), terminator, gave_up });
        }
        let full = wrap(&translate(pattern, true)?, flags, true);
        let regex = RegexBuilder::new(&full)
            .case_insensitive(flags.icase)
            .backtrack_limit(10_000_000)
            .build()
            .map_err(|e| explain(&e.to_string()))?;
        Ok(Self { engine: Engine::Backtracking(Box::new(regex)), terminator, gave_up })
    }

    /// A position in the first matching line from `start` on.
    pub(crate) fn matching_line(&self, text: &[u8], start: usize) -> Option<usize> {
        if let Engine::Automaton(regex, cache) = &self.engine {
            let input = Input::new(text).range(start..).earliest(true);
            return regex.search_half_with(&mut cache.borrow_mut(), &input).map(|m| m.offset());
        }
        let mut at = start;
        while at < text.len() {
            let rest = text.get(at..)?;
            let len = memchr(self.terminator, rest).unwrap_or(rest.len());
            if self.find(rest.get(..len)?, 0).is_some() {
                return Some(at);
            }
            at += len + 1;
        }
        None
    }

    /// The first match in a line at or after `start`.
    pub(crate) fn find(&self, line: &[u8], start: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::Automaton(regex, cache) => {
                let input = Input::new(line).range(start..);
                regex.search_with(&mut cache.borrow_mut(), &input).map(|m| (m.start(), m.end()))
            }
            Engine::Backtracking(regex) => {
                if let Ok(text) = std::str::from_utf8(line) {
                    return self.run(regex, text, start);
                }
                // No match can span invalid UTF-8.
                let mut base = 0;
                for chunk in line.utf8_chunks() {
                    let end = base + chunk.valid().len();
                    if start <= end
                        && let Some((a, b)) = self.run(regex, chunk.valid(), start.saturating_sub(base))
                    {
                        return Some((base + a, base + b));
                    }
                    base = end + chunk.invalid().len();
                }
                None
            }
        }
    }

    fn run(&self, regex: &Regex, text: &str, start: usize) -> Option<(usize, usize)> {
        let mut start = start;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        match regex.find_from_pos(text, start) {
            Ok(m) => m.map(|m| (m.start(), m.end())),
            Err(_) => {
                *self.gave_up.borrow_mut() = true;
                None
            }
        }
    }
}

const WORD: &str = "[0-9A-Z_a-z]";

fn wrap(pattern: &str, flags: Flags, full: bool) -> String {
    if flags.line {
        format!("^(?:{pattern})$")
    } else if flags.word && full {
        format!("(?<!{WORD})(?:{pattern})(?!{WORD})")
    } else if flags.word {
        format!("(?-u:\\b{{start-half}})(?:{pattern})(?-u:\\b{{end-half}})")
    } else {
        pattern.to_string()
    }
}

// The automaton for a pattern; `None` if the pattern needs backtracking.
fn automaton(pattern: &str, flags: Flags) -> Option<meta::Regex> {
    if flags.terminator != b'\n' {
        return None;
    }
    let hir = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(!flags.bytes)
        .case_insensitive(flags.icase)
        .multi_line(true)
        .build()
        .parse(pattern)
        .ok()?;
    let hir = without_newline(&hir)?;
    let config = meta::Config::new().utf8_empty(!flags.bytes).hybrid_cache_capacity(8 << 20);
    meta::Builder::new().configure(config).build_from_hir(&hir).ok()
}

// PCRE's message for an error of the engine.
fn explain(error: &str) -> String {
    let lower = error.to_lowercase();
    let known = [
        ("lookbehind", "lookbehind assertion is not fixed length"),
        ("look-behind", "lookbehind assertion is not fixed length"),
        ("invalid backref", "reference to non-existent subpattern"),
        ("invalid group name back", "reference to non-existent subpattern"),
        ("target of repeat", "quantifier does not follow a repeatable item"),
        ("repetition operator missing", "quantifier does not follow a repeatable item"),
        ("opening parenthesis without", "missing closing parenthesis"),
        ("unclosed", "missing closing parenthesis"),
        ("closing parenthesis", "unmatched closing parenthesis"),
        ("property", "unknown property after \\P or \\p"),
        ("group name", "syntax error in subpattern name (missing terminator?)"),
        ("flag", "unrecognized character after (? or (?-"),
        ("character class range", "range out of order in character class"),
        ("repetition quantifier", "numbers out of order in {} quantifier"),
    ];
    known.iter().find(|(k, _)| lower.contains(k)).map_or_else(
        || format!("unsupported Perl regular expression: {}", error.lines().last().unwrap_or_default()),
        |(_, text)| (*text).to_string(),
    )
}

struct Translator<'a> {
    src: Vec<char>,
    at: usize,
    out: String,
    full: bool,
    pattern: &'a str,
}

// Translates a pattern. With `full` it is for the backtracking engine.
pub(crate) fn translate(pattern: &str, full: bool) -> Result<String, String> {
    let mut t = Translator { src: pattern.chars().collect(), at: 0, out: String::new(), full, pattern };
    t.run()?;
    Ok(t.out)
}

impl Translator<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.src.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    // Skips settings at the start that ask for what is the default here.
    fn settings(&mut self) {
        const KNOWN: [&str; 4] = ["(*UTF8)", "(*UTF)", "(*NO_JIT)", "(*LF)"];
        while let Some(setting) = KNOWN.iter().find(|s| self.starts_with(s)) {
            self.at += setting.len();
        }
    }

    fn run(&mut self) -> Result<(), String> {
        self.settings();
        let mut depth = 0usize;
        let mut can_repeat = false;
        // Where in the output the item begins that a quantifier would apply to, and where the open groups begin.
        let (mut item, mut opened) = (0, Vec::new());
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if !matches!(c, ')' | '{' | '*' | '+' | '?') {
                item = self.out.len();
            }
            match c {
                '\\' => {
                    self.escape(false)?;
                    can_repeat = true;
                }
                '[' => {
                    self.class()?;
                    can_repeat = true;
                }
                '(' => {
                    can_repeat = self.open()?;
                    if !can_repeat {
                        opened.push(item);
                    }
                    depth += usize::from(!can_repeat);
                }
                ')' => {
                    depth = depth.checked_sub(1).ok_or("unmatched closing parenthesis")?;
                    self.out.push(')');
                    item = opened.pop().unwrap_or(item);
                    can_repeat = true;
                }
                '{' => match self.quantifier() {
                    Some((text, bad)) if can_repeat => {
                        if bad {
                            return Err("numbers out of order in {} quantifier".into());
                        }
                        self.out.push_str(&text);
                        self.repeat_suffix(item);
                    }
                    Some(_) => return Err("quantifier does not follow a repeatable item".into()),
                    None => {
                        item = self.out.len();
                        self.out.push_str("\\{");
                        can_repeat = true;
                    }
                },
                '*' | '+' | '?' => {
                    if !can_repeat {
                        return Err("quantifier does not follow a repeatable item".into());
                    }
                    self.out.push(c);
                    self.repeat_suffix(item);
                    can_repeat = false;
                }
                '|' => {
                    self.out.push('|');
                    can_repeat = false;
                }
                '}' => {
                    self.out.push_str("\\}");
                    can_repeat = true;
                }
                '^' => {
                    self.out.push(c);
                    can_repeat = true;
                }
                '$' => {
                    self.out.push_str(if self.full { "(?=\\n?\\z)" } else { "$" });
                    can_repeat = true;
                }
                _ => {
                    self.out.push(c);
                    can_repeat = true;
                }
            }
        }
        if depth > 0 { Err("missing closing parenthesis".into()) } else { Ok(()) }
    }

    // Translates what follows a quantifier. The quantified item begins at `item` in the output.
    fn repeat_suffix(&mut self, item: usize) {
        match self.peek(0) {
            Some('?') => {
                self.at += 1;
                self.out.push('?');
            }
            // The engines would take the plus for a second quantifier. An atomic group has the same effect.
            Some('+') => {
                self.at += 1;
                self.out.insert_str(item, "(?>");
                self.out.push(')');
            }
            _ => {}
        }
    }

    // Parses the interval after `{`. Returns its text, and whether its bounds are in the wrong order; `None` if the
    // brace is literal.
    fn quantifier(&mut self) -> Option<(String, bool)> {
        let rest: String = self.src.get(self.at..)?.iter().take_while(|c| **c != '}').collect();
        self.src.get(self.at + rest.chars().count())?;
        let (a, b) = rest.split_once(',').unwrap_or((&rest, &rest));
        let number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !number(a) || !(number(b) || b.is_empty()) {
            return None;
        }
        self.at += rest.chars().count() + 1;
        let order = b.parse::<u64>().is_ok_and(|b| a.parse::<u64>().is_ok_and(|a| a > b));
        Some((format!("{{{rest}}}"), order))
    }

    // Translates what follows `(`. Returns true for a comment, which is skipped as a whole and opens no group.
    fn open(&mut self) -> Result<bool, String> {
        if self.starts_with("?#") {
            let end = self.src.iter().skip(self.at).position(|c| *c == ')');
            self.at += end.ok_or("missing ) after (?# comment")? + 1;
            return Ok(true);
        }
        if self.starts_with("*") {
            return Err("unsupported Perl regular expression: (*VERB)".into());
        }
        if self.starts_with("?|") {
            return Err("unsupported Perl regular expression: (?|...)".into());
        }
        self.out.push('(');
        if !self.starts_with("?") {
            return Ok(false);
        }
        // `(?P<n>`, `(?<n>`, `(?'n'`, `(?:`, `(?=`, `(?i)` and so on, up to where the group's content begins.
        self.at += 1;
        self.out.push('?');
        match self.peek(0) {
            Some('\'') => {
                self.at += 1;
                let name = self.until('\'')?;
                self.out.push_str(&format!("<{name}>"));
            }
            Some('P') if self.peek(1) == Some('=') => {
                self.at += 2;
                let name = self.until(')')?;
                self.out.truncate(self.out.len() - 2);
                self.out.push_str(&format!("\\k<{name}>"));
                return Ok(true);
            }
            Some('P') if self.peek(1) == Some('>') => {
                self.at += 2;
                let name = self.until(')')?;
                self.out.truncate(self.out.len() - 2);
                self.out.push_str(&format!("\\g<{name}>"));
                return Ok(true);
            }
            Some('&') => {
                self.at += 1;
                let name = self.until(')')?;
                self.out.truncate(self.out.len() - 2);
                self.out.push_str(&format!("\\g<{name}>"));
                return Ok(true);
            }
            Some('R') if self.peek(1) == Some(')') => {
                self.at += 2;
                self.out.truncate(self.out.len() - 2);
                self.out.push_str("\\g<0>");
                return Ok(true);
            }
            Some(c)
                if c.is_ascii_digit()
                    || (matches!(c, '+' | '-') && self.peek(1).is_some_and(|d| d.is_ascii_digit())) =>
            {
                let name = self.until(')')?;
                self.out.truncate(self.out.len() - 2);
                self.out.push_str(&format!("\\g<{name}>"));
                return Ok(true);
            }
            Some('P') if self.peek(1) == Some('<') => {
                self.at += 2;
                let name = self.until('>')?;
                self.out.push_str(&format!("<{name}>"));
            }
            Some('<') if !matches!(self.peek(1), Some('=' | '!')) => {
                self.at += 1;
                let name = self.until('>')?;
                self.out.push_str(&format!("<{name}>"));
            }
            Some('<') => {
                let kind = self.peek(1).unwrap_or('=');
                self.at += 2;
                self.out.push('<');
                self.out.push(kind);
            }
            Some('(') => {
                self.out.push('(');
                self.at += 1;
                if !self.starts_with("?") {
                    let condition = self.until(')')?;
                    self.out.push_str(&condition);
                    self.out.push(')');
                }
            }
            Some(':' | '=' | '!' | '>') => {}
            Some(c) if c.is_ascii_lowercase() || c == '-' || c == '^' => {
                let mut flags = String::new();
                while let Some(c) = self.peek(0).filter(|c| !matches!(c, ':' | ')')) {
                    if !"imsxnU-^J".contains(c) {
                        return Err("unrecognized character after (? or (?-".into());
                    }
                    flags.push(c);
                    self.at += 1;
                }
                self.out.push_str(&flags.replace(['n', 'J'], ""));
                if self.peek(0) == Some(')') {
                    self.at += 1;
                    self.out.push(')');
                    return Ok(true);
                }
            }
            _ => return Err("unrecognized character after (? or (?-".into()),
        }
        if let Some(c @ (':' | '=' | '!' | '>')) = self.peek(0)
            && self.out.ends_with('?') | self.out.ends_with(|c: char| c.is_ascii_lowercase() || c == '-')
        {
            self.at += 1;
            self.out.push(c);
        }
        Ok(false)
    }

    fn until(&mut self, end: char) -> Result<String, String> {
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == end {
                return Ok(text);
            }
            text.push(c);
        }
        Err("syntax error in subpattern name (missing terminator?)".into())
    }

    // Translates what follows a backslash.
    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let c = self.peek(0).ok_or("\\ at end of pattern")?;
        self.at += 1;
        let set = |inner: &str, negated: bool| match (in_class, negated) {
            (true, false) => inner.to_string(),
            (true, true) => format!("[^{inner}]"),
            (false, false) => format!("[{inner}]"),
            (false, true) => format!("[^{inner}]"),
        };
        let horizontal = "\\t \\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}";
        let vertical = "\\n-\\r\\x{85}\\x{2028}\\x{2029}";
        let text = match c {
            'd' | 'D' => set("0-9", c == 'D'),
            'w' | 'W' => set("0-9A-Z_a-z", c == 'W'),
            's' | 'S' => set("\\t-\\r ", c == 'S'),
            'h' | 'H' => set(horizontal, c == 'H'),
            'v' | 'V' => set(vertical, c == 'V'),
            'N' if !in_class => "[^\\n]".into(),
            'R' if !in_class => format!("(?:\\r\\n|[{vertical}])"),
            'b' if in_class => "\\x08".into(),
            'b' if self.full => format!("(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"),
            'B' if self.full => format!("(?:(?<={WORD})(?={WORD})|(?<!{WORD})(?!{WORD}))"),
            'b' | 'B' => format!("(?-u:\\{c})"),
            'A' => "\\A".into(),
            'z' => "\\z".into(),
            'Z' => "(?=\\n?\\z)".into(),
            'G' => "\\G".into(),
            'K' => "\\K".into(),
            'X' => "(?:\\r\\n|\\P{M}\\p{M}*)".into(),
            'e' => "\\x1b".into(),
            'a' | 'f' | 'n' | 'r' | 't' => format!("\\{c}"),
            'c' => {
                let x = self.peek(0).filter(char::is_ascii).ok_or("\\c at end of pattern")?;
                self.at += 1;
                format!("\\x{{{:x}}}", (x.to_ascii_uppercase() as u32) ^ 64)
            }
            'x' if self.peek(0) == Some('{') => {
                self.at += 1;
                format!("\\x{{{}}}", self.until('}')?)
            }
            'x' => self.hexadecimal(),
            '0' => self.octal(),
            'p' | 'P' => self.property(c == 'P')?,
            'Q' => self.quoted(),
            'E' => String::new(),
            'g' if !in_class => self.reference()?,
            'k' if !in_class => self.named_reference()?,
            '1'..='9' if !in_class => self.numbered_reference(c)?,
            c if c.is_ascii_alphabetic() => {
                return Err("unrecognized character follows \\".into());
            }
            c => {
                self.literal(c);
                return Ok(());
            }
        };
        self.out.push_str(&text);
        Ok(())
    }

    /// After `\x`: up to two digits.
    fn hexadecimal(&mut self) -> String {
        let mut hex = String::new();
        while let Some(d) = self.peek(0).filter(|d| d.is_ascii_hexdigit() && hex.len() < 2) {
            hex.push(d);
            self.at += 1;
        }
        format!("\\x{{{}}}", if hex.is_empty() { "0" } else { &hex })
    }

    /// After `\0`: up to two digits.
    fn octal(&mut self) -> String {
        let mut n = 0;
        for _ in 0..2 {
            let Some(d) = self.peek(0).and_then(|d| d.to_digit(8)) else { break };
            n = n * 8 + d;
            self.at += 1;
        }
        format!("\\x{{{n:x}}}")
    }

    /// After `\p` or `\P`: the name of a property.
    fn property(&mut self, negated: bool) -> Result<String, String> {
        let name = if self.peek(0) == Some('{') {
            self.at += 1;
            self.until('}')?
        } else {
            let one = self.peek(0).ok_or("malformed \\P or \\p sequence")?;
            self.at += 1;
            one.to_string()
        };
        let negated = negated != name.starts_with('^');
        let name = match name.trim_start_matches('^') {
            "L&" => "LC",
            "Any" => "Any",
            n => n,
        };
        let text = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        if regex_syntax::parse(&text).is_err() {
            return Err("unknown property after \\P or \\p".into());
        }
        Ok(text)
    }

    /// After `\Q`: literal text up to `\E`.
    fn quoted(&mut self) -> String {
        while let Some(q) = self.peek(0) {
            if self.starts_with("\\E") {
                self.at += 2;
                break;
            }
            self.at += 1;
            self.literal(q);
        }
        String::new()
    }

    /// After `\k`: the name of a group.
    fn named_reference(&mut self) -> Result<String, String> {
        let close = match self.peek(0) {
            Some('<') => '>',
            Some('{') => '}',
            Some('\'') => '\'',
            _ => {
                return Err("\\k is not followed by a braced, angle-bracketed, or quoted name".into());
            }
        };
        self.at += 1;
        Ok(format!("\\k<{}>", self.until(close)?))
    }

    /// The number of a group, of up to two digits.
    fn numbered_reference(&mut self, first: char) -> Result<String, String> {
        let mut digits = first.to_string();
        while let Some(d) = self.peek(0).filter(|d| d.is_ascii_digit() && digits.len() < 2) {
            digits.push(d);
            self.at += 1;
        }
        let groups = self.pattern.matches('(').count();
        if digits.parse::<usize>().is_ok_and(|n| n > groups) {
            return Err("reference to non-existent subpattern".into());
        }
        Ok(format!("(?:\\{digits})"))
    }

    fn reference(&mut self) -> Result<String, String> {
        Ok(match self.peek(0) {
            Some('{') => {
                self.at += 1;
                let name = self.until('}')?;
                if name.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit()) {
                    if name.starts_with(['-', '+']) {
                        format!("\\k<{name}>")
                    } else {
                        format!("(?:\\{name})")
                    }
                } else {
                    format!("\\k<{name}>")
                }
            }
            Some('<') => {
                self.at += 1;
                format!("\\g<{}>", self.until('>')?)
            }
            Some('\'') => {
                self.at += 1;
                format!("\\g<{}>", self.until('\'')?)
            }
            Some(d) if d.is_ascii_digit() || d == '-' => {
                let mut name = String::new();
                while let Some(d) =
                    self.peek(0).filter(|d| d.is_ascii_digit() || (*d == '-' && name.is_empty()))
                {
                    name.push(d);
                    self.at += 1;
                }
                if name.starts_with('-') { format!("\\k<{name}>") } else { format!("(?:\\{name})") }
            }
            _ => return Err("a numbered reference must not be zero".into()),
        })
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        // The engines would read `\<` and `\>` as word boundaries.
        if matches!(c, '<' | '>') {
            self.out.pop();
        }
        self.out.push(c);
    }

    // Translates what follows `[`.
    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut first = true;
        let mut last = None;
        loop {
            let Some(c) = self.peek(0) else {
                return Err("missing terminating ] for character class".into());
            };
            self.at += 1;
            match c {
                ']' if !first => break,
                '[' if self.peek(0) == Some(':') => {
                    let rest: String = self.src.iter().skip(self.at + 1).take(12).collect();
                    match rest.split_once(":]") {
                        Some((name, _)) if name.chars().all(|c| c.is_ascii_lowercase() || c == '^') => {
                            const NAMES: [&str; 14] = [
                                "alpha", "lower", "upper", "alnum", "ascii", "blank", "cntrl", "digit",
                                "graph", "print", "punct", "space", "word", "xdigit",
                            ];
                            if !NAMES.contains(&name.trim_start_matches('^')) {
                                return Err("unknown POSIX class name".into());
                            }
                            self.at += name.len() + 3;
                            self.out.push_str(&format!("[:{name}:]"));
                        }
                        _ => self.out.push_str("\\["),
                    }
                }
                '\\' => self.escape(true)?,
                '-' => {
                    self.dash(first);
                    let next = self.peek(0).filter(|n| !"\\[]".contains(*n));
                    if last.is_some_and(|l| next.is_some_and(|n| n < l)) {
                        return Err("range out of order in character class".into());
                    }
                }
                _ => self.literal(c),
            }
            last = (!"\\[-".contains(c)).then_some(c);
            first = false;
        }
        self.out.push(']');
        Ok(())
    }

    // A dash makes a range only between two single characters.
    fn dash(&mut self, first: bool) {
        let class_next = self.peek(0) == Some('[') && self.peek(1) == Some(':');
        let last = self.peek(0) == Some(']');
        if first || last || class_next || self.out.ends_with(":]") || self.out.ends_with("[^") {
            self.out.push_str("\\-");
        } else {
            self.out.push('-');
        }
    }
}
