//! Parses options for callers that continue after an invalid one, or whose option names are only known at run time.

use crate::base::say;
pub(crate) use sandshell_cli::arguments::{Item, Known, Named as Long, Order, Value};
pub(crate) use sandshell_cli::options::{Given, Opt, Spec, hidden, listed};
use sandshell_cli::out;

/// A parsed command line.
#[derive(Default, Debug)]
pub(crate) struct Parsed {
    pub(crate) items: Vec<Item>,
    pub(crate) operands: Vec<Vec<u8>>,
}

/// Ends a program of util-linux at an option that all have: `-h`, `-V`, or one that is not known. Returns the exit
/// status.
pub(crate) fn usual(spec: &Spec, args: &[Vec<u8>], given: &Given) -> i32 {
    match given.id {
        "h" => out::put(spec.help()),
        "V" => out::put([spec.name, " ", spec.version, "\n"].concat()),
        _ => {
            say::raw([say::full_name(args), b": ", given.text(), b"\n"].concat());
            return try_help(spec, args);
        }
    }
    0
}

/// Points to `--help` after a usage error, whose exit status it returns.
pub(crate) fn try_help(spec: &Spec, args: &[Vec<u8>]) -> i32 {
    say::raw([b"Try '", say::short_name(args), b" --help' for more information.\n"].concat());
    spec.failure
}

/// What programs of util-linux have in common.
pub(crate) const UTIL_LINUX: Spec = Spec { version: "from util-linux 2.38.1", ..Spec::DEFAULT };

/// Parses a command line (without the command's own name) whose options are letters and may follow operands. It is for
/// commands without long names, so without `--help`, which each [`Spec`] has.
pub(crate) fn letters(args: &[Vec<u8>], short: &str) -> Parsed {
    parse(args, &Known { order: Order::Permute, short: short.as_bytes(), long: &[], single_dash: false })
}

/// Parses arguments (without the command's own name).
pub(crate) fn parse(args: &[Vec<u8>], known: &Known<'_>) -> Parsed {
    let parsed = sandshell_cli::arguments::read(args, known);
    let items = parsed.items.into_iter().map(|placed| placed.item).collect();
    Parsed { items, operands: parsed.operands }
}
