//! `less` (590) and `more` (util-linux 2.38) as filters: without a terminal, both copy their files.

use crate::base::options::{self, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::input::Input;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Runs `less` on its arguments (its own name first) and returns the exit status.
pub fn less_main(args: Vec<Vec<u8>>) -> i32 {
    let files = match less_files(args.get(1..).unwrap_or_default()) {
        Ok(files) => files,
        Err(code) => {
            out::flush();
            return code;
        }
    };
    if files.is_empty() {
        if sys::isatty(0) {
            say::raw("Missing filename (\"less --help\" for help)\n");
            return 1;
        }
        copy(&mut Input::of(0));
    }
    // Without a terminal, an error with a file is printed in its place and does not change the exit status.
    for name in &files {
        if name != b"-" && sys::stat(name, true).is_ok_and(|s| s.is_dir()) {
            out::put([name.as_slice(), b" is a directory\n"].concat());
            continue;
        }
        match Input::open(name) {
            Ok(mut input) => copy(&mut input),
            Err(e) => out::put([name.as_slice(), b": ", e.to_string().as_bytes(), b"\n"].concat()),
        }
    }
    out::flush();
    0
}

/// The operands. Options are only checked, as they only matter on a terminal.
fn less_files(args: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, i32> {
    let mut files = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            files.extend(rest.cloned());
            break;
        }
        if arg.starts_with(b"+") || arg == b"-" {
            if arg == b"-" {
                files.push(arg.clone());
            }
            continue;
        }
        if let Some(name) = arg.strip_prefix(b"--") {
            let text = String::from_utf8_lossy(name).into_owned();
            let (name, value) = text.split_once('=').map_or((text.as_str(), None), |(n, v)| (n, Some(v)));
            match name {
                "version" => {
                    out::put(
                        "less 590 (GNU regular expressions)\nThis is sandshell's own program with the behaviour of that version.\n",
                    );
                    return Err(0);
                }
                "help" => {
                    out::put(LESS_HELP);
                    return Err(0);
                }
                _ => {}
            }
            let lower = name.to_ascii_lowercase();
            let long = |l: &&(&str, bool)| l.0.starts_with(&lower);
            match LONG
                .iter()
                .find(|l| l.0 == lower)
                .or_else(|| LONG.iter().find(long))
                .filter(|_| !lower.is_empty())
            {
                None => {
                    say::raw(format!("There is no {text} option (\"less --help\" for help)\n"));
                    continue;
                }
                Some((_, true)) if value.is_none() => {
                    rest.next();
                }
                Some(_) => {}
            }
        } else if let Some(letters) = arg.strip_prefix(b"-") {
            less_letters(letters, &mut rest)?;
        } else {
            files.push(arg.clone());
        }
    }
    Ok(files)
}

fn less_letters<'a>(letters: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
    for (i, letter) in letters.iter().enumerate() {
        match letter {
            b'V' => {
                out::put("less 590 (GNU regular expressions)\n");
                return Err(0);
            }
            b'?' => {
                out::put(LESS_HELP);
                return Err(0);
            }
            b'b' | b'h' | b'j' | b'k' | b'o' | b'O' | b'p' | b'P' | b't' | b'T' | b'x' | b'y' | b'z'
            | b'D' | b'"' | b'#' => {
                if i + 1 == letters.len() && rest.next().is_none() {
                    let name = match letter {
                        b'b' => "buffers",
                        b'h' => "max-back-scroll",
                        b'j' => "jump-target",
                        b'k' => "lesskey-file",
                        b'o' => "log-file",
                        b'O' => "LOG-FILE",
                        b'p' => "pattern",
                        b'P' => "prompt",
                        b't' => "tag",
                        b'T' => "tag-file",
                        b'x' => "tabs",
                        b'y' => "max-forw-scroll",
                        b'z' => "window",
                        b'D' => "color",
                        b'"' => "quotes",
                        _ => "shift",
                    };
                    say::raw(format!("Value is required after -{} (--{name})\n", char::from(*letter)));
                    return Ok(());
                }
                return Ok(());
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'~' | b'+' | b'$' | b'0'..=b'9' => {}
            _ => {
                say::raw(
                    [b"There is no -", &[*letter][..], b" option (\"less --help\" for help)\n"].concat(),
                );
                return Err(1);
            }
        }
    }
    Ok(())
}

/// The long options of `less`, and whether they take a value.
#[rustfmt::skip]
const LONG: &[(&str, bool)] = &[
    ("search-skip-screen", false), ("buffers", true), ("auto-buffers", false), ("clear-screen", false), ("color", true),
    ("quit-at-eof", false), ("force", false), ("quit-if-one-screen", false), ("hilite-search", false),
    ("hilite-unread", false), ("ignore-case", false), ("incsearch", false), ("jump-target", true),
    ("lesskey-file", true), ("lesskey-src", true), ("line-num-width", true), ("line-numbers", false), ("log-file", true),
    ("long-prompt", false), ("max-back-scroll", true), ("max-forw-scroll", true), ("mouse", false), ("no-histdups", false),
    ("no-init", false), ("no-keypad", false), ("no-lessopen", false), ("pattern", true), ("prompt", true),
    ("quiet", false), ("silent", false), ("quit-on-intr", false), ("quotes", true), ("raw-control-chars", false),
    ("redraw-on-quit", false), ("rscroll", true), ("save-marks", false), ("shift", true), ("squeeze-blank-lines", false),
    ("status-column", false), ("status-col-width", true), ("tabs", true), ("tag", true), ("tag-file", true),
    ("tilde", false), ("underline-special", false), ("use-backslash", false), ("use-color", false), ("wheel-lines", true),
    ("window", true), ("wordwrap", false), ("chop-long-lines", false), ("dumb", false), ("follow-name", false),
    ("header", true), ("file-size", false), ("form-feed", false),
];

const MORE: Spec = Spec {
    name: "more",
    options: &[
        listed(MORE_HELP),
        hidden("none", "-d, --silent, -f, --logical, -l, --no-pause, -p, --print-over, -c, --clean-print"),
        hidden("none", "-s, --squeeze, -u, --plain, -e, --exit-on-eof"),
        hidden("none", "-n N, --lines=N"),
    ],
    ..options::UTIL_LINUX
};

/// Runs `more` on its arguments (its own name first) and returns the exit status.
pub fn more_main(args: Vec<Vec<u8>>) -> i32 {
    // `-20` and `+3` are line counts.
    let is_number =
        |a: &Vec<u8>| a.len() > 1 && a.starts_with(b"-") && a.iter().skip(1).all(u8::is_ascii_digit);
    let given: Vec<Vec<u8>> = args
        .iter()
        .skip(1)
        .filter(|a| !(is_number(a) || a.starts_with(b"+") && a.len() > 1))
        .cloned()
        .collect();
    let parsed = match MORE.parse_all(&given) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    if let Some(g) = parsed.options.iter().find(|g| matches!(g.id, "?" | "h" | "V")) {
        let code = options::usual(&MORE, &args, g);
        return out::finish("more", code, 1);
    }
    if parsed.operands.is_empty() {
        if sys::isatty(0) {
            say::error(&args, "bad usage\nTry 'more --help' for more information.");
            return 1;
        }
        copy(&mut Input::of(0));
        return out::finish("more", 0, 1);
    }
    for name in &parsed.operands {
        if sys::stat(name, true).is_ok_and(|s| s.is_dir()) {
            out::put([b"\n*** ", name.as_slice(), b": directory ***\n\n"].concat());
            continue;
        }
        match Input::open(name) {
            Ok(mut input) => {
                const LINE: &[u8] = b"::::::::::::::\n";
                out::put([LINE, name, b"\n", LINE].concat());
                copy(&mut input);
            }
            Err(e) => say::error(
                &args,
                [b"cannot open ", name.as_slice(), b": ", e.to_string().as_bytes()].concat(),
            ),
        }
    }
    out::finish("more", 0, 1)
}

fn copy(input: &mut Input) {
    loop {
        let there = match input.fill() {
            Ok(there) if !there.is_empty() => there,
            _ => return,
        };
        out::put(there);
        let n = there.len();
        input.consume(n);
        out::flush();
        if out::failure().is_some() {
            return;
        }
    }
}

const LESS_HELP: &str = "\
Usage: less [OPTION]... [FILE]...
Copies the files to standard output: there is no screen to look at them page by page. The options of less are checked,
but only these do something:

  -?, --help     this text
  -V, --version  the version
";

const MORE_HELP: &str = "
Usage:
 more [options] <file>...

Copies the files to standard output: there is no screen to stop at after each page.

 -h, --help     this text
 -V, --version  the version

Accepted without effect: -c, --clean-print, -d, --silent, -e, --exit-on-eof, -f, --logical, -l, --no-pause,
-n, --lines <number>, -<number>, +<number>, +/<text>, -p, --print-over, -s, --squeeze, -u, --plain.
";
