//! Options up to the first that is wrong, and how they were written.

use sandshell_cli::arguments::{Item, Known, Named, Order, read};
pub(crate) use sandshell_cli::arguments::{Long, Value};

/// An option: its letter or the number of the long one, and its value.
pub(crate) type Given = (u32, Option<Vec<u8>>);

/// A command line, taken apart.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) options: Vec<Given>,
    pub(crate) operands: Vec<Vec<u8>>,
    /// The arguments that are options or their values, as given, with `--`.
    pub(crate) switches: Vec<Vec<u8>>,
    /// What is wrong with the option after the last one in `options`, as `getopt_long` says it.
    pub(crate) error: Option<Vec<u8>>,
}

/// Reads arguments (without the command's name). `short` is as for `getopt`; options may follow operands, unless
/// `POSIXLY_CORRECT` is set.
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
