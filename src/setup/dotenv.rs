//! Files of variables.

/// The variables of a `.env` file, in order: `NAME=value`, also after `export`; `#` begins a comment. A value in single
/// quotes is literal, in double quotes it may hold `\n`, `\t`, `\"`, `\\` and `\$`; nothing is expanded.
///
/// # Errors
///
/// The number of the first line that has another form.
pub fn dotenv(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut variables = Vec::new();
    for (number, line) in (1_usize..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        variables.push(variable(line).ok_or(number)?);
    }
    Ok(variables)
}

fn variable(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.bytes().all(fine) {
        return None;
    }
    let value = value.trim();
    let value = if let Some(quoted) = value.strip_prefix('\'') {
        let (value, rest) = quoted.split_once('\'')?;
        only_a_comment(rest)?;
        value.to_owned()
    } else if let Some(quoted) = value.strip_prefix('"') {
        double(quoted)?
    } else {
        value.split(" #").next().unwrap_or_default().trim_end().to_owned()
    };
    Some((name.to_owned(), value))
}

fn double(quoted: &str) -> Option<String> {
    let mut value = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => match chars.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                other @ ('"' | '\\' | '$') => value.push(other),
                other => value.extend(['\\', other]),
            },
            other => value.push(other),
        }
    }
    only_a_comment(chars.as_str())?;
    Some(value)
}

fn only_a_comment(rest: &str) -> Option<()> {
    let rest = rest.trim();
    (rest.is_empty() || rest.starts_with('#')).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms() {
        let text = "# c\nA=1\nexport B = two words # c\n\nC='a $B'\nD=\"x\\n\\\"y\\\"\" # c\nE=\n";
        let expected = [("A", "1"), ("B", "two words"), ("C", "a $B"), ("D", "x\n\"y\""), ("E", "")];
        let expected: Vec<_> = expected.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        assert_eq!(dotenv(text), Ok(expected));
        for (bad, line) in [("A", 1), ("\n1A=x", 2), ("A='x", 1), ("A=\"x\" y", 1), ("=x", 1)] {
            assert_eq!(dotenv(bad), Err(line), "{bad}");
        }
    }
}
