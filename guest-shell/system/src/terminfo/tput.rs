//! `tput`.

use super::entry::{Capability, Entry};
use super::{INPUT, KEEP, TERMINAL, VERSION, VERSION_ASKED, names, parameters, variable};
use crate::base::options::{Item, letters};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users::number;
use sandshell_sys as sys;

/// Runs `tput` on its arguments (its own name first) and returns the exit status: 1 if the terminal does not have the
/// capability, 2 for a wrong use, 3 for an unknown terminal, 4 for an unknown capability.
pub fn tput_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("tput", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = letters(args.get(1..).unwrap_or_default(), "ST:Vx");
    let (mut terminal, mut from_input, mut keeps_scrollback) = (None, false, false);
    for item in parsed.items {
        match item {
            Item::Option(INPUT, _) => from_input = true,
            Item::Option(TERMINAL, value) => terminal = value,
            Item::Option(KEEP, _) => keeps_scrollback = true,
            Item::Option(VERSION_ASKED, _) => {
                out::put(VERSION);
                return Ok(0);
            }
            Item::Wrong(why) => {
                say::raw([say::full_name(args), b": ", why.as_slice(), b"\n"].concat());
                return Err(usage());
            }
            _ => {}
        }
    }
    let is_named = terminal.is_some();
    let terminal = terminal.or_else(|| variable("TERM")).filter(|name| !name.is_empty());
    let Some(terminal) = terminal else {
        say::raw("tput: No value for $TERM and no -T specified\n");
        return Err(2);
    };
    if parsed.operands.is_empty() && !from_input {
        return Err(usage());
    }
    let Some(entry) = Entry::of(&terminal) else {
        say::raw([b"tput: unknown terminal \"", terminal.as_slice(), b"\"\n"].concat());
        return Err(3);
    };
    let tput = Tput { entry, is_named, keeps_scrollback };
    if !from_input {
        return tput.all(&parsed.operands);
    }
    // One that the terminal does not have is passed over, and its parameters are then the next ones.
    let mut failed = 0;
    for line in sys::read_to_end(0).unwrap_or_default().split(|byte| *byte == b'\n') {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(<[u8]>::to_vec).collect();
        let mut rest = words.as_slice();
        while let Some((name, after)) = rest.split_first() {
            let (status, taken) = tput.one(name, after)?;
            failed += i32::from(status != 0);
            rest = after.get(taken..).unwrap_or_default();
        }
    }
    Ok(if failed == 0 { 0 } else { failed.saturating_add(4) })
}

struct Tput {
    entry: Entry,
    /// By `-T`: its size is then the entry's.
    is_named: bool,
    keeps_scrollback: bool,
}

impl Tput {
    /// Prints capabilities one after another, up to one that the terminal does not have; a text takes the words that
    /// are its parameters.
    fn all(&self, words: &[Vec<u8>]) -> Result<i32, i32> {
        let mut rest = words;
        while let Some((name, after)) = rest.split_first() {
            let (status, taken) = self.one(name, after)?;
            if status != 0 {
                return Ok(status);
            }
            rest = after.get(taken..).unwrap_or_default();
        }
        Ok(0)
    }

    /// Prints one, and returns the status and how many words were its parameters.
    fn one(&self, name: &[u8], after: &[Vec<u8>]) -> Result<(i32, usize), i32> {
        let name = String::from_utf8_lossy(name);
        match &*name {
            "clear" => {
                let text = screen_cleared(&self.entry, self.keeps_scrollback);
                let status = if text.is_empty() { 2 } else { 0 };
                out::put(text);
                return Ok((status, 0));
            }
            "longname" => {
                out::put(self.entry.long_name);
                return Ok((0, 0));
            }
            "init" => {
                out::put(self.sent(&["is1", "is2", "is3"]));
                return Ok((0, 0));
            }
            "reset" => {
                let first = if self.entry.text("rs1").is_empty() { "is1" } else { "rs1" };
                let second = if self.entry.text("rs2").is_empty() { "is2" } else { "rs2" };
                let third = if self.entry.text("rs3").is_empty() { "is3" } else { "rs3" };
                out::put(self.sent(&[first, second, third]));
                return Ok((0, 0));
            }
            _ => {}
        }
        let is_of = |list: &str| list.split_ascii_whitespace().any(|known| known == name);
        match self.entry.get(&name) {
            Some(Capability::Switch) => return Ok((0, 0)),
            Some(Capability::Number(value)) => out::put(format!("{}\n", self.size(&name).unwrap_or(*value))),
            Some(Capability::Text(text)) => {
                let taken = parameters::count(text).min(after.len());
                let given = after.get(..taken).unwrap_or_default();
                out::put(match taken {
                    0 => parameters::plain(text),
                    _ if WITH_TEXT.contains(&&*name) => parameters::expand(text, given),
                    // The others have numbers only.
                    _ => {
                        let number = |word: &Vec<u8>| number(word).map_or(b"0".to_vec(), |_| word.clone());
                        parameters::expand(text, &given.iter().map(number).collect::<Vec<_>>())
                    }
                });
                return Ok((0, taken));
            }
            None if is_of(names::SWITCHES) => return Ok((1, 0)),
            None if is_of(names::NUMBERS) => {
                let usual = match &*name {
                    "lines" => 24,
                    "cols" => 80,
                    _ => -1,
                };
                out::put(format!("{}\n", self.size(&name).unwrap_or(usual)));
            }
            None if is_of(names::TEXTS) => return Ok((1, 0)),
            None => {
                say::raw(format!("tput: unknown terminfo capability '{name}'\n"));
                return Err(4);
            }
        }
        Ok((0, 0))
    }

    /// Lines and columns: what the variables say, or the terminal.
    fn size(&self, name: &str) -> Option<i32> {
        let (name_of, is_rows) = match name {
            "lines" => ("LINES", true),
            "cols" => ("COLUMNS", false),
            _ => return None,
        };
        if self.is_named {
            return None;
        }
        let given = variable(name_of).and_then(|text| number(&text)).filter(|size| *size > 0);
        let found = given.or_else(|| {
            let (rows, columns) = [1, 2, 0].into_iter().find_map(|fd| sys::tty_size(fd).ok())?;
            Some(if is_rows { rows } else { columns }).filter(|size| *size > 0)
        });
        found.and_then(|size| i32::try_from(size).ok())
    }

    fn sent(&self, names: &[&str]) -> Vec<u8> {
        names.iter().flat_map(|name| parameters::plain(self.entry.text(name))).collect()
    }
}

/// What clears the screen, and unless it is to be kept what has scrolled off it.
pub(super) fn screen_cleared(entry: &Entry, keeps_scrollback: bool) -> Vec<u8> {
    let mut text = parameters::plain(entry.text("clear"));
    if !keeps_scrollback {
        text.extend(parameters::plain(entry.text("E3")));
    }
    text
}

/// Capabilities whose last parameters are texts.
const WITH_TEXT: [&str; 5] = ["pfkey", "pfloc", "pfx", "pfxl", "pln"];

fn usage() -> i32 {
    say::raw(USAGE);
    2
}

const USAGE: &str = "\
Usage: tput [-T TERM] [-x] CAPABILITY [PARAMETER]...
       tput -S    (capabilities from standard input)

Prints what a terminal is sent for a capability (bold, setaf 1, sgr0, cup 5 10, el), or its number (cols, lines, colors).
Switches (am) are told by the exit status. Without -T the terminal is that of the variable TERM. More words: clear (-x
keeps what has scrolled off), init, reset, longname.

Examples:
  tput bold; echo Title; tput sgr0
  red=$(tput setaf 1)
";
