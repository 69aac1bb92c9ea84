//! `gettext` and `ngettext` 0.21. There are no translations, so messages stay as they are.

use crate::base::options::{Opt, Order, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::options::text;
use sandshell_cli::out;
use sandshell_posix::characters;

const GETTEXT: Spec = Spec {
    name: "gettext",
    options: &[listed(ESCAPES), listed(SHELL), listed(COMMON), CONTEXT, NO_ESCAPES],
    order: Order::First,
    ..Spec::DEFAULT
};

const NGETTEXT: Spec = Spec {
    name: "ngettext",
    options: &[
        listed(ESCAPES),
        text(SHELL),
        listed(COMMON),
        CONTEXT,
        NO_ESCAPES,
        hidden("", "--shell-script"),
    ],
    notes: NUMBERS,
    ..GETTEXT
};

/// Runs `gettext` on its arguments (its own name first) and returns the exit status.
pub fn gettext_main(args: Vec<Vec<u8>>) -> i32 {
    let code = gettext(&args).unwrap_or_else(|code| code);
    out::finish("gettext", code, 1)
}

fn gettext(args: &[Vec<u8>]) -> Result<i32, i32> {
    let (ids, operands) = read(args, &GETTEXT, "MSGID...")?;
    let expand = ids.contains(&"e");
    let shown = |text: &[u8]| if expand { escapes(text) } else { text.to_vec() };
    if ids.contains(&"s") {
        let words: Vec<Vec<u8>> = operands.iter().map(|o| shown(o)).collect();
        out::put(words.join(&b' '));
        if !ids.contains(&"n") {
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
    let (ids, operands) = read(args, &NGETTEXT, "MSGID MSGID-PLURAL COUNT")?;
    let (one, many, count) = match operands.as_slice() {
        [one, many, count] | [_, one, many, count] => (one, many, count),
        [] | [_] | [_, _] => return Err(wrong(args, "missing arguments")),
        _ => return Err(wrong(args, "too many arguments")),
    };
    // An invalid number counts as plural.
    let single = std::str::from_utf8(count).ok().and_then(|c| c.trim().parse::<u64>().ok()) == Some(1);
    let message = if single { one } else { many };
    out::put(if ids.contains(&"e") { escapes(message) } else { message.clone() });
    Ok(0)
}

/// Parses the arguments into options and operands, which `--help` names so.
fn read(args: &[Vec<u8>], spec: &Spec, operands: &str) -> Result<(Vec<&'static str>, Vec<Vec<u8>>), i32> {
    let parsed = spec.parse_all(args.get(1..).unwrap_or_default())?;
    let name = say::full_name(args);
    if let Some(wrong) = parsed.options.iter().find(|given| given.id == "?") {
        say::raw([name, b": ", wrong.text(), b"\nTry '", name, b" --help' for more information.\n"].concat());
        return Err(1);
    }
    let ids: Vec<&str> = parsed.options.iter().map(|given| given.id).collect();
    if ids.contains(&"V") {
        out::put([say::short_name(args), b" (GNU gettext-runtime) 0.21\n"].concat());
        return Err(0);
    }
    if ids.contains(&"h") {
        let usage = format!(" [OPTION] [TEXTDOMAIN] {operands}\n{}", spec.help());
        out::put([b"Usage: ", name, usage.as_bytes()].concat());
        return Err(0);
    }
    Ok((ids, parsed.operands))
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

const ESCAPES: &str = "\
Prints messages in the user's language. There are no translations here: they stay as they are.

  -e                  with backslashes as `echo -e` has them
";

const SHELL: &str = "  -n                  with -s: without a newline (gettext)
  -s, --shell-script  several messages, as echo does (gettext)
";

const COMMON: &str = "  -h, --help          this text
  -V, --version       the version

Accepted without effect: -c, --context=CONTEXT, -d, --domain=TEXTDOMAIN, -E.
";

const CONTEXT: Opt = hidden("", "-c, --context=CONTEXT, -d, --domain=TEXTDOMAIN");
const NO_ESCAPES: Opt = hidden("", "-E");

const NUMBERS: &str = "
MSGID is printed if COUNT is 1, else MSGID-PLURAL.
";
