//! `clear`.

use super::entry::Entry;
use super::tput::screen_cleared;
use super::{KEEP, TERMINAL, VERSION, VERSION_ASKED, variable};
use crate::base::options::{Item, letters};
use crate::base::say;
use sandshell_cli::out;

/// Runs `clear` on its arguments (its own name first) and returns the exit status: 1 if the terminal is not known or
/// cannot be cleared.
pub fn clear_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("clear", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let (mut terminal, mut keeps_scrollback) = (None, false);
    let parsed = letters(args.get(1..).unwrap_or_default(), "T:Vx");
    for item in parsed.items {
        match item {
            Item::Option(TERMINAL, value) => terminal = value,
            Item::Option(KEEP, _) => keeps_scrollback = true,
            Item::Option(VERSION_ASKED, _) => {
                out::put(VERSION);
                return Ok(0);
            }
            Item::Wrong(why) => {
                say::raw([say::full_name(args), b": ", why.as_slice(), b"\n", USAGE.as_bytes()].concat());
                return Err(1);
            }
            _ => {}
        }
    }
    if !parsed.operands.is_empty() {
        say::raw(USAGE);
        return Err(1);
    }
    let from_environment = || variable("TERM").filter(|name| !name.is_empty());
    let Some(terminal) = terminal.or_else(from_environment) else {
        say::raw("TERM environment variable not set.\n");
        return Err(1);
    };
    let Some(entry) = Entry::of(&terminal) else {
        say::raw([b"'", terminal.as_slice(), b"': unknown terminal type.\n"].concat());
        return Err(1);
    };
    let text = screen_cleared(&entry, keeps_scrollback);
    if text.is_empty() {
        return Err(1);
    }
    out::put(text);
    Ok(0)
}

const USAGE: &str = "\
Usage: clear [-T TERM] [-x]

Clears the terminal's screen. -x keeps what has scrolled off it; -T names the terminal instead of the variable TERM.
";
