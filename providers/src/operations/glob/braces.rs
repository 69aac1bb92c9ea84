//! `{a,b}`: alternatives.

/// Patterns with more alternatives are refused.
const MAX_ALTERNATIVES: usize = 1000;

/// Every alternative of a pattern, in order; `None` for more than 1,000.
///
/// A group without a comma and unmatched braces are literal.
pub(super) fn expand(pattern: &str) -> Option<Vec<String>> {
    let mut complete = Vec::new();
    // The expanded part, and the part still to be expanded; the next one is on top.
    let mut pending = vec![(String::new(), pattern.to_owned())];
    while let Some((mut settled, rest)) = pending.pop() {
        match first_group(&rest) {
            None => {
                settled.push_str(&rest);
                complete.push(settled);
            }
            Some(group) if group.alternatives.len() < 2 => {
                settled.push_str(group.before);
                settled.push_str(group.literal);
                pending.push((settled, group.after.to_owned()));
            }
            Some(group) => {
                settled.push_str(group.before);
                for alternative in group.alternatives.iter().rev() {
                    pending.push((settled.clone(), format!("{alternative}{}", group.after)));
                }
            }
        }
        // Each pending entry gives at least one alternative.
        if complete.len() + pending.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(complete)
}

struct Group<'a> {
    before: &'a str,
    literal: &'a str,
    alternatives: Vec<&'a str>,
    after: &'a str,
}

/// The first `{` that is closed, with its alternatives at the top level.
fn first_group(text: &str) -> Option<Group<'_>> {
    let open = text.find('{')?;
    let mut depth = 0usize;
    let mut start = open + 1;
    let mut alternatives = Vec::new();
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match character {
            '{' => depth += 1,
            ',' if depth == 1 => {
                alternatives.push(text.get(start..at)?);
                start = at + 1;
            }
            '}' if depth == 1 => {
                alternatives.push(text.get(start..at)?);
                return Some(Group {
                    before: text.get(..open)?,
                    literal: text.get(open..=at)?,
                    alternatives,
                    after: text.get(at + 1..)?,
                });
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn groups() {
        assert_eq!(expand("a{b,c}d").expect("few"), ["abd", "acd"]);
        assert_eq!(expand("{a,b}{c,d}").expect("few"), ["ac", "ad", "bc", "bd"]);
        assert_eq!(expand("{a,{b,c}x}").expect("few"), ["a", "bx", "cx"]);
        assert_eq!(expand("{a,}b").expect("few"), ["ab", "b"]);
        assert_eq!(expand("x{a}y{b,c}").expect("few"), ["x{a}yb", "x{a}yc"]);
        assert_eq!(expand("x{a,b").expect("few"), ["x{a,b"]);
        assert_eq!(expand("}{").expect("few"), ["}{"]);
    }
}
