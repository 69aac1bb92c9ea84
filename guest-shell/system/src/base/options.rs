//! Options for callers that go on after a wrong one, and with names that are known only at run time.

pub(crate) use sandshell_cli::arguments::{Item, Known, Named as Long, Order, Value};

/// A command line, taken apart.
#[derive(Default, Debug)]
pub(crate) struct Parsed {
    pub(crate) items: Vec<Item>,
    pub(crate) operands: Vec<Vec<u8>>,
}

/// A table of long options by names: `name`, `name=` with a value, `name=?` with a value that may be left out.
pub(crate) fn table<'a>(names: &[(&'a str, u32)]) -> Vec<Long<'a>> {
    let entry = |(name, id): &(&'a str, u32)| match (name.strip_suffix("=?"), name.strip_suffix('=')) {
        (Some(n), _) => (n.as_bytes(), Value::Optional, *id),
        (_, Some(n)) => (n.as_bytes(), Value::Required, *id),
        _ => (name.as_bytes(), Value::None, *id),
    };
    names.iter().map(entry).collect()
}

/// Reads a permuted command line (without the command's own name).
pub(crate) fn permuted(args: &[Vec<u8>], short: &str, long: &[(&str, u32)]) -> Parsed {
    let long = table(long);
    parse(args, &Known { order: Order::Permute, short: short.as_bytes(), long: &long, single_dash: false })
}

/// Reads a command line whose first operand ends the options.
pub(crate) fn in_order(args: &[Vec<u8>], short: &str, long: &[(&str, u32)]) -> Parsed {
    let long = table(long);
    parse(args, &Known { order: Order::First, short: short.as_bytes(), long: &long, single_dash: false })
}

/// Reads arguments (without the command's own name).
pub(crate) fn parse(args: &[Vec<u8>], known: &Known<'_>) -> Parsed {
    let parsed = sandshell_cli::arguments::read(args, known);
    let items = parsed.items.into_iter().map(|placed| placed.item).collect();
    Parsed { items, operands: parsed.operands }
}
