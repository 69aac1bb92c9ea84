//! Translates Oniguruma's Perl syntax to that of the regex engine. Errors have Oniguruma's messages.

/// Translates a pattern.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut t = Translator { groups: count_groups(&chars), chars: &chars, at: 0, out: String::new() };
    t.run()?;
    Ok(t.out)
}

struct Translator<'a> {
    chars: &'a [char],
    at: usize,
    groups: usize,
    out: String,
}

type Done = Result<(), String>;

impl Translator<'_> {
    fn run(&mut self) -> Done {
        let mut depth = 0usize;
        // Whether there is an operand for a repetition.
        let mut target = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => {
                    depth += 1;
                    self.out.push('(');
                    self.group()?;
                    target = false;
                    continue;
                }
                ')' => {
                    depth = depth.checked_sub(1).ok_or("unmatched close parenthesis")?;
                    self.out.push(')');
                }
                '|' => {
                    self.out.push('|');
                    target = false;
                    continue;
                }
                '*' | '+' | '?' if !target => {
                    return Err("target of repeat operator is not specified".to_owned());
                }
                '{' if !self.peek(0).is_some_and(|c| c.is_ascii_digit()) => self.out.push_str("\\{"),
                // It also matches before a newline at the end.
                '$' => self.out.push_str("\\Z"),
                _ => self.out.push(c),
            }
            target = true;
        }
        if depth > 0 { Err("end pattern with unmatched parenthesis".to_owned()) } else { Ok(()) }
    }

    /// Parses what follows `(?`. The position is after `(`.
    fn group(&mut self) -> Done {
        if self.peek(0) != Some('?') {
            return Ok(());
        }
        match self.peek(1) {
            None => return Err("end pattern in group".to_owned()),
            Some('<') if !matches!(self.peek(2), Some('=' | '!')) => {
                let name: String = self.chars.iter().skip(self.at + 2).take_while(|c| **c != '>').collect();
                let closed = self.chars.get(self.at + 2 + name.chars().count()) == Some(&'>');
                if !closed || name.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(format!("invalid group name <{name}>"));
                }
            }
            Some('#') => {
                // A comment extends to the next closing parenthesis.
                while let Some(c) = self.peek(0)
                    && c != ')'
                {
                    self.out.push(c);
                    self.at += 1;
                }
                return Ok(());
            }
            Some('<' | '=' | '!' | '>' | ':' | 'i' | 'm' | 's' | 'x' | '-' | '(' | 'P' | 'a' | '&' | 'R') => {
            }
            Some(_) => return Err("undefined group option".to_owned()),
        }
        self.out.push('?');
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Done {
        let Some(c) = self.next() else { return Err("end pattern at escape".to_owned()) };
        match c {
            // These are ordinary letters in this syntax.
            'h' | 'H' | 'u' | 'V' => self.out.push(c),
            'Q' => {
                while self.at < self.chars.len() {
                    if self.peek(0) == Some('\\') && self.peek(1) == Some('E') {
                        self.at += 2;
                        break;
                    }
                    if let Some(c) = self.next() {
                        self.literal(c);
                    }
                }
            }
            'c' => {
                if let Some(letter) = self.next() {
                    self.code(u32::from(letter) & 0x1F);
                }
            }
            'X' => self.out.push_str("(?:\\r\\n|(?s:.)\\p{M}*)"),
            '0'..='9' => self.number(c)?,
            _ => {
                self.out.push('\\');
                self.out.push(c);
            }
        }
        Ok(())
    }

    /// Parses a back-reference, or a character in octal.
    fn number(&mut self, first: char) -> Done {
        let rest: String = self.chars.iter().skip(self.at).take_while(|c| c.is_ascii_digit()).collect();
        let digits = format!("{first}{rest}");
        let group: usize = digits.parse().unwrap_or(usize::MAX);
        if first != '0' && (group <= self.groups || group <= 9) {
            if group > self.groups {
                return Err("invalid backref number/name".to_owned());
            }
            self.out.push('\\');
            self.out.push_str(&digits);
            self.at += rest.len();
            return Ok(());
        }
        let octal: String = digits.chars().take(3).take_while(|c| *c < '8').collect();
        self.at += octal.len().saturating_sub(1);
        match u32::from_str_radix(&octal, 8) {
            Ok(code) => self.code(code),
            Err(_) => self.literal(first),
        }
        Ok(())
    }

    fn class(&mut self) -> Done {
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.out.push('^');
            self.at += 1;
        }
        let start = self.at;
        let closes_later = self.chars.iter().skip(start + 1).any(|c| *c == ']');
        while let Some(c) = self.next() {
            match c {
                ']' if self.at - 1 == start => {
                    if !closes_later {
                        return Err("empty char-class".to_owned());
                    }
                    self.out.push_str("\\]");
                }
                ']' => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' if self.peek(0) == Some(':') && self.posix()? => {}
                '[' | '&' | '~' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                '-' if self.peek(0) == Some('-') => self.out.push_str("\\-"),
                '\\' => {
                    if self.peek(0) == Some('b') {
                        self.at += 1;
                        self.code(8);
                    } else {
                        self.escape()?;
                    }
                }
                _ => {
                    if self.peek(0) == Some('-')
                        && let Some(end) = self.peek(1)
                        && !matches!(end, ']' | '\\' | '[')
                        && end < c
                    {
                        return Err("empty range in char class".to_owned());
                    }
                    self.out.push(c);
                }
            }
        }
        Err("premature end of char-class".to_owned())
    }

    /// Parses `:name:]`. Returns false if there is none.
    fn posix(&mut self) -> Result<bool, String> {
        let name: String = self
            .chars
            .iter()
            .skip(self.at + 1)
            .take_while(|c| c.is_ascii_alphabetic() || **c == '^')
            .collect();
        let end = self.at + 1 + name.len();
        if self.chars.get(end) != Some(&':') || self.chars.get(end + 1) != Some(&']') {
            return Ok(false);
        }
        let known = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "word", "xdigit",
        ];
        let bare = name.strip_prefix('^').unwrap_or(&name);
        if !known.contains(&bare) {
            return Err("invalid POSIX bracket type".to_owned());
        }
        // Classes that include non-ASCII characters.
        let property = match bare {
            "alpha" => Some("p{Alphabetic}"),
            "lower" => Some("p{Lowercase}"),
            "upper" => Some("p{Uppercase}"),
            "digit" => Some("d"),
            "space" => Some("s"),
            "word" => Some("w"),
            _ => None,
        };
        match property {
            Some(property) => {
                let property = if bare == name { property.to_owned() } else { invert(property) };
                self.out.push('\\');
                self.out.push_str(&property);
            }
            None if bare == "alnum" && bare == name => self.out.push_str("\\p{Alphabetic}\\d"),
            None => self.out.push_str(&format!("[:{name}:]")),
        }
        self.at = end + 2;
        Ok(true)
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn code(&mut self, code: u32) {
        self.out.push_str(&format!("\\x{{{code:x}}}"));
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }
}

fn invert(property: &str) -> String {
    let mut chars = property.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// Counts the capturing groups.
fn count_groups(chars: &[char]) -> usize {
    let mut count = 0;
    let mut class = false;
    let mut i = 0;
    while let Some(c) = chars.get(i) {
        match c {
            '\\' => i += 1,
            '[' => class = true,
            ']' => class = false,
            '(' if !class => {
                let named = chars.get(i + 2) == Some(&'<') && !matches!(chars.get(i + 3), Some('=' | '!'));
                if chars.get(i + 1) != Some(&'?') || named {
                    count += 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    count
}
