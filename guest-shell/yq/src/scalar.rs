//! Determines in which styles a text can be written as a scalar.

/// Properties of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Analysis {
    pub(crate) empty: bool,
    pub(crate) multiline: bool,
    pub(crate) flow_plain: bool,
    pub(crate) block_plain: bool,
    pub(crate) single_quoted: bool,
    pub(crate) block: bool,
}

/// Whether a character ends a line.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_white(c: char) -> bool {
    is_break(c) || matches!(c, '\0' | ' ' | '\t' | '\r')
}

/// Whether a character can be written unescaped outside of double quotes.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='\u{7e}' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10fffe}')
        && c != '\u{feff}'
}

/// Determines the properties of a text.
pub(crate) fn analyze(text: &[char]) -> Analysis {
    if text.is_empty() {
        return Analysis {
            empty: true,
            multiline: false,
            flow_plain: false,
            block_plain: true,
            single_quoted: true,
            block: false,
        };
    }
    let marker = text.starts_with(&['-', '-', '-']) || text.starts_with(&['.', '.', '.']);
    let (mut in_block, mut in_flow) = (marker, marker);
    let (mut breaks, mut special) = (false, false);
    let (mut break_space, mut space_break) = (false, false);
    let (mut was_space, mut was_break) = (false, false);
    for (i, c) in text.iter().copied().enumerate() {
        let after_white = i == 0 || text.get(i - 1).copied().is_some_and(is_white);
        let before_white = text.get(i + 1).copied().is_none_or(is_white);
        match c {
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
            | '`'
                if i == 0 =>
            {
                (in_flow, in_block) = (true, true);
            }
            '?' | ':' => {
                in_flow = true;
                in_block |= before_white && (i == 0 || c == ':');
            }
            '-' if i == 0 && before_white => (in_flow, in_block) = (true, true),
            ',' | '[' | ']' | '{' | '}' => in_flow = true,
            '#' if after_white => (in_flow, in_block) = (true, true),
            _ => {}
        }
        breaks |= is_break(c);
        special |= !is_printable(c);
        if c == ' ' {
            break_space |= was_break;
            (was_space, was_break) = (true, false);
        } else if is_break(c) {
            space_break |= was_space;
            (was_space, was_break) = (false, true);
        } else {
            (was_space, was_break) = (false, false);
        }
    }
    let edge = |c: Option<&char>| c.is_some_and(|c| *c == ' ' || is_break(*c));
    let edges = edge(text.first()) || edge(text.last());
    let bad = space_break || special;
    let plain = !(edges || break_space || bad || breaks);
    Analysis {
        empty: false,
        multiline: breaks,
        flow_plain: plain && !in_flow,
        block_plain: plain && !in_block,
        single_quoted: !(break_space || bad),
        block: !(text.last() == Some(&' ') || bad),
    }
}
