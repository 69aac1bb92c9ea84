//! Ed scripts, as `diff -e` writes them.

use super::lines::Lines;
use super::say::Fatal;
use sandshell_cli::out;

/// A command of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    // The lines that it changes; `None` means the current line.
    range: Option<(usize, usize)>,
    letter: u8,
}

impl Command {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if line == b"s/.//" {
            return Some(Self { range: None, letter: b's' });
        }
        let (letter, addresses) = line.split_last()?;
        let number = |text: &[u8]| {
            let all_digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            std::str::from_utf8(text).ok().filter(|_| all_digits)?.parse::<usize>().ok()
        };
        let comma = addresses.iter().position(|b| *b == b',');
        let range = match comma {
            _ if addresses.is_empty() => None,
            None => number(addresses).map(|n| Some((n, n)))?,
            Some(i) => {
                let (from, to) = (number(addresses.get(..i)?)?, number(addresses.get(i + 1..)?)?);
                Some((from, to))
            }
        };
        let known = match letter {
            b'a' | b'i' => comma.is_none(),
            b'c' | b'd' => range.is_some(),
            _ => false,
        };
        known.then_some(Self { range, letter: *letter })
    }
}

/// Whether a line is a command with an address, with which a script can begin.
pub(super) fn begins(line: &[u8]) -> bool {
    Command::parse(line).is_some_and(|c| c.range.is_some())
}

/// Reads the script at the current place in the patch and returns `text` with its changes. `None` counts as empty text.
pub(super) fn run(lines: &mut Lines, text: Option<&[u8]>) -> Result<Vec<u8>, Fatal> {
    let mut file: Vec<Vec<u8>> =
        text.unwrap_or_default().split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    // As in the editor, an incomplete last line gets a newline.
    if let Some(last) = file.last_mut().filter(|l| !l.ends_with(b"\n")) {
        last.push(b'\n');
    }
    let mut current = file.len();
    let mut good = true;
    while let Some(command) = lines.peek().and_then(Command::parse) {
        lines.next();
        let mut new = Vec::new();
        if matches!(command.letter, b'a' | b'c' | b'i') {
            while let Some(line) = lines.next().filter(|l| l != b".\n") {
                new.push(line);
            }
        }
        if good && text.is_some() {
            good = change(&mut file, &mut current, command, new).is_some();
        }
    }
    if good {
        return Ok(file.concat());
    }
    // This is all that the editor prints about an error.
    out::put("?\n");
    Err(Fatal::text("ed FAILED"))
}

/// Makes one change; `None` if the file has no such lines.
fn change(file: &mut Vec<Vec<u8>>, current: &mut usize, command: Command, new: Vec<Vec<u8>>) -> Option<()> {
    let (from, to) = command.range.unwrap_or((*current, *current));
    if to > file.len() || from > to {
        return None;
    }
    match command.letter {
        b'a' | b'i' => {
            let at = if command.letter == b'a' { to } else { to.saturating_sub(1) };
            *current = at + new.len();
            drop(file.splice(at..at, new));
        }
        b's' => {
            let line = file.get_mut(to.checked_sub(1)?)?;
            if line.len() < 2 {
                return None;
            }
            line.remove(0);
        }
        letter => {
            let first = from.checked_sub(1)?;
            *current = if letter == b'c' { first + new.len() } else { from.min(file.len() - (to - first)) };
            drop(file.splice(first..to, new));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, script: &str) -> String {
        let Ok(out) = run(&mut Lines::new(script.into()), Some(text.as_bytes())) else {
            return "failed".into();
        };
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn scripts_of_diff_are_run() {
        assert_eq!(changed("a\nb\nc\n", "3d\n1c\nx\ny\n.\n"), "x\ny\nb\n");
        assert_eq!(changed("a\n", "1a\n..\n.\ns/.//\na\nend\n.\n"), "a\n.\nend\n");
        assert_eq!(changed("", "0a\nx\n.\n"), "x\n");
        assert_eq!(changed("a\n", "7d\n"), "failed");
    }
}
