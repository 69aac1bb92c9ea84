//! Parses options, up to the first one that is wrong, and keeps how they were written.

use sandshell_cli::arguments::{Item, Known, Named, Order, read};
pub(crate) use sandshell_cli::arguments::{Long, Value};

/// An option: its letter, or the number of the long option, and its value.
pub(crate) type Given = (u32, Option<Vec<u8>>);

/// A parsed command line.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) options: Vec<Given>,
    pub(crate) operands: Vec<Vec<u8>>,
    /// The arguments that are options or option values, as given, including `--`.
    pub(crate) switches: Vec<Vec<u8>>,
    /// The message of `getopt_long` about the first invalid option, which comes after those in `options`.
    pub(crate) error: Option<Vec<u8>>,
}

/// Reads the arguments (without the command's name). `short` has the format of `getopt`'s string. Options may follow
/// operands unless `POSIXLY_CORRECT` is set.
pub(crate) fn parse(args: &[Vec<u8>], short: &str, long: &[Long]) -> Parsed {
    let order = if std::env::var_os("POSIXLY_CORRECT").is_some() { Order::First } else { Order::Permute };
    let long: Vec<Named<'_>> = long.iter().map(|(name, value, id)| (name.as_bytes(), *value, *id)).collect();
    let read = read(args, &Known { order, short: short.as_bytes(), long: &long, single_dash: false });
    let mut parsed = Parsed { operands: read.operands, ..Parsed::default() };
    let mut done = 0;
    for placed in read.items {
        match placed.item {
            Item::Option(id, value) => parsed.options.push((id, value)),
            Item::Operand(operand) => parsed.operands.push(operand),
            Item::Wrong(message) => {
                parsed.error = Some(message);
                break;
            }
        }
        parsed.switches.extend_from_slice(args.get(done.max(placed.word)..placed.end).unwrap_or_default());
        done = placed.end;
    }
    if parsed.switches.len() + parsed.operands.len() < args.len() {
        parsed.switches.push(b"--".to_vec());
    }
    parsed
}
