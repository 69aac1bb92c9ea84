//! Matches one name of a path.

/// Whether wildcards match names that begin with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dots {
    /// Only segments that begin with a dot themselves match such names, as in a shell.
    Explicit,
    /// Wildcards match such names, as in `grep --include`.
    Any,
}

/// One segment of a pattern.
#[derive(Debug)]
pub(super) enum Segment {
    /// `**`: any number of names.
    Recursive,
    /// One name.
    Name { begins_with_dot: bool, tokens: Vec<Token> },
}

#[derive(Debug)]
pub(super) enum Token {
    Literal(char),
    AnyCharacter,
    AnyText,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Segment {
    /// A segment of a path pattern, in which `**` is special.
    pub(super) fn path(text: &str) -> Self {
        if text == "**" { Self::Recursive } else { Self::name(text) }
    }

    /// A pattern for a name.
    pub(super) fn name(text: &str) -> Self {
        Self::Name { begins_with_dot: text.starts_with('.'), tokens: parse(text) }
    }

    pub(super) fn is_recursive(&self) -> bool {
        matches!(self, Self::Recursive)
    }

    pub(super) fn begins_with_dot(&self) -> bool {
        matches!(self, Self::Name { begins_with_dot: true, .. })
    }

    pub(super) fn matches(&self, name: &str, dots: Dots) -> bool {
        match self {
            Self::Recursive => false,
            Self::Name { begins_with_dot, tokens } => {
                let hidden = name.starts_with('.') && !begins_with_dot && dots == Dots::Explicit;
                !hidden && matches_tokens(tokens, name)
            }
        }
    }
}

fn parse(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = after_first(rest);
        let token = match first {
            '*' => Token::AnyText,
            '?' => Token::AnyCharacter,
            '[' => match parse_class(rest) {
                Some((class, after)) => {
                    rest = after;
                    class
                }
                None => Token::Literal('['),
            },
            literal => Token::Literal(literal),
        };
        tokens.push(token);
    }
    tokens
}

/// Parses what follows a `[`: returns the class and the text after it; `None` if it is not closed.
fn parse_class(text: &str) -> Option<(Token, &str)> {
    let (negated, body) = match text.strip_prefix(['!', '^']) {
        Some(body) => (true, body),
        None => (false, text),
    };
    // A `]` in first place is a member of the class.
    let search_from = body.chars().next()?.len_utf8();
    let close = search_from + body.get(search_from..)?.find(']')?;
    let members: Vec<char> = body.get(..close)?.chars().collect();
    let mut ranges = Vec::new();
    let mut members = members.as_slice();
    loop {
        match members {
            [low, '-', high, rest @ ..] => {
                ranges.push((*low, *high));
                members = rest;
            }
            [single, rest @ ..] => {
                ranges.push((*single, *single));
                members = rest;
            }
            [] => break,
        }
    }
    Some((Token::Class { negated, ranges }, body.get(close + 1..)?))
}

/// Backtracks only to the last `*`, so the time is at most name x pattern.
fn matches_tokens(tokens: &[Token], name: &str) -> bool {
    let mut token = 0;
    let mut rest = name;
    let mut retry: Option<(usize, &str)> = None;
    loop {
        let character = rest.chars().next();
        let step = match (tokens.get(token), character) {
            (Some(Token::AnyText), _) => {
                retry = Some((token, rest));
                token += 1;
                continue;
            }
            (None, None) => return true,
            (Some(pattern), Some(character)) => pattern.matches(character),
            (None, Some(_)) => false,
            (Some(_), None) => return false,
        };
        if step {
            token += 1;
            rest = after_first(rest);
        } else if let Some((star, from)) = retry {
            let from = after_first(from);
            retry = Some((star, from));
            token = star + 1;
            rest = from;
        } else {
            return false;
        }
    }
}

impl Token {
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::AnyCharacter => true,
            Self::AnyText => false,
            Self::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != *negated
            }
        }
    }
}

fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}
