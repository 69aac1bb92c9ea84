//! `gettext` and `ngettext` 0.21. There are no translations, so messages stay as they are.

use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::characters;

/// Runs `gettext` on its arguments (its own name first) and returns the exit status.
pub fn gettext_main(args: Vec<Vec<u8>>) -> i32 {
    let code = gettext(&args).unwrap_or_else(|code| code);
    out::finish("gettext", code, 1)
}

fn gettext(args: &[Vec<u8>]) -> Result<i32, i32> {
    let (letters, operands) = read(args, "c:d:eEhnsV")?;
    let expand = letters.contains(&'e');
    let shown = |text: &[u8]| if expand { escapes(text) } else { text.to_vec() };
    if letters.contains(&'s') {
        let words: Vec<Vec<u8>> = operands.iter().map(|o| shown(o)).collect();
        out::put(words.join(&b' '));
        if !letters.contains(&'n') {
            out::put("\n");
        }
        return Ok(0);
    }
    match operands.as_slice() {
        [message] | [_, message] => {
            out::put(shown(message));
            Ok(0)
        }
        [] => Err(wrong(args, "missing arguments")),
        _ => Err(wrong(args, "too many arguments")),
    }
}

/// Runs `ngettext` on its arguments (its own name first) and returns the exit status.
pub fn ngettext_main(args: Vec<Vec<u8>>) -> i32 {
    let code = ngettext(&args).unwrap_or_else(|code| code);
    out::finish("ngettext", code, 1)
}

fn ngettext(args: &[Vec<u8>]) -> Result<i32, i32> {
    let (letters, operands) = read(args, "c:d:eEhV")?;
    let (one, many, count) = match operands.as_slice() {
        [one, many, count] | [_, one, many, count] => (one, many, count),
        [] | [_] | [_, _] => return Err(wrong(args, "missing arguments")),
        _ => return Err(wrong(args, "too many arguments")),
    };
    // An invalid number counts as plural.
    let single = std::str::from_utf8(count).ok().and_then(|c| c.trim().parse::<u64>().ok()) == Some(1);
    let message = if single { one } else { many };
    out::put(if letters.contains(&'e') { escapes(message) } else { message.clone() });
    Ok(0)
}

/// Parses the arguments into option letters and operands.
fn read(args: &[Vec<u8>], short: &str) -> Result<(Vec<char>, Vec<Vec<u8>>), i32> {
    let long = [("context=", 'c'), ("domain=", 'd'), ("help", 'h'), ("shell-script", 's'), ("version", 'V')];
    let parsed =
        options::in_order(args.get(1..).unwrap_or_default(), short, &long.map(|(n, l)| (n, l as u32)));
    let name = say::full_name(args);
    let mut letters = Vec::new();
    for item in parsed.items {
        match item {
            Item::Option(id, _) => letters.push(char::from_u32(id).unwrap_or_default()),
            Item::Wrong(text) => {
                say::raw(
                    [name, b": ", &text, b"\nTry '", name, b" --help' for more information.\n"].concat(),
                );
                return Err(1);
            }
            Item::Operand(_) => {}
        }
    }
    if letters.contains(&'V') {
        out::put([say::short_name(args), b" (GNU gettext-runtime) 0.21\n"].concat());
        return Err(0);
    }
    if letters.contains(&'h') {
        let (operands, more) =
            if short.contains('s') { ("MSGID...", "") } else { ("MSGID MSGID-PLURAL COUNT", NUMBERS) };
        let usage = format!(" [OPTION] [TEXTDOMAIN] {operands}\n{HELP}{more}");
        out::put([b"Usage: ", name, usage.as_bytes()].concat());
        return Err(0);
    }
    Ok((letters, parsed.operands))
}

fn wrong(args: &[Vec<u8>], text: &str) -> i32 {
    say::raw([say::short_name(args), b": ", text.as_bytes(), b"\n"].concat());
    1
}

fn escapes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(b) = text.get(at) {
        at += 1;
        if *b != b'\\' {
            out.push(*b);
            continue;
        }
        let letter = text.get(at).copied();
        at += 1;
        match letter {
            Some(c @ (b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v')) => out.push(characters::escape(c)),
            Some(b'\\') => out.push(b'\\'),
            Some(b'c') => break,
            Some(d @ b'0'..=b'7') => {
                let mut value = u32::from(d - b'0');
                for _ in 0..2 {
                    if let Some(d @ b'0'..=b'7') = text.get(at) {
                        value = value * 8 + u32::from(d - b'0');
                        at += 1;
                    } else {
                        break;
                    }
                }
                out.push((value & 0xff) as u8);
            }
            Some(other) => out.extend_from_slice(&[b'\\', other]),
            None => out.push(b'\\'),
        }
    }
    out
}

const HELP: &str = "\
Prints messages in the user's language. There are no translations here: they stay as they are.

  -e                  with backslashes as `echo -e` has them
  -n                  with -s: without a newline (gettext)
  -s, --shell-script  several messages, as echo does (gettext)
  -h, --help          this text
  -V, --version       the version

Accepted without effect: -c, --context=CONTEXT, -d, --domain=TEXTDOMAIN, -E.
";

const NUMBERS: &str = "
MSGID is printed if COUNT is 1, else MSGID-PLURAL.
";
