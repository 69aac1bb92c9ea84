//! Options as `getopt_long(3)` of glibc reads them, option by option, so that a caller may go on after a wrong one, and
//! with names that are known only at run time.

/// How an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    None,
    Required,
    Optional,
}

/// A long option: its name, its value, and the number under which the caller gets it.
pub(crate) type Long<'a> = (&'a [u8], Value, u32);

/// What becomes of operands in front of options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// They go behind the options.
    Permute,
    /// The first one ends the options.
    First,
    /// Each is handed over where it stands.
    InPlace,
}

/// The options of a command.
pub(crate) struct Known<'a> {
    pub(crate) order: Order,
    /// In `getopt(3)`'s form, without leading signs: `a:` takes a value, `a::` may.
    pub(crate) short: &'a [u8],
    pub(crate) long: &'a [Long<'a>],
    /// Long options may begin with one dash (`getopt_long_only(3)`).
    pub(crate) single_dash: bool,
}

/// One part of a command line.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A short option (by its letter) or a long one (by its number), and its value.
    Option(u32, Option<Vec<u8>>),
    /// An operand, with [`Order::InPlace`].
    Operand(Vec<u8>),
    /// What is wrong with an option, as glibc says it.
    Wrong(Vec<u8>),
}

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
    let mut parsed = Parsed::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            parsed.operands.extend(rest.cloned());
            break;
        }
        if arg.len() < 2 || !arg.starts_with(b"-") {
            match known.order {
                Order::Permute => parsed.operands.push(arg.clone()),
                Order::InPlace => parsed.items.push(Item::Operand(arg.clone())),
                Order::First => {
                    parsed.operands.push(arg.clone());
                    parsed.operands.extend(rest.cloned());
                    break;
                }
            }
            continue;
        }
        // Without long options a second dash is a letter like others.
        if let Some(text) = arg.strip_prefix(b"--").filter(|_| !known.long.is_empty()) {
            let item = long_option(known, b"--", text, &mut rest);
            parsed.items.push(item.unwrap_or_else(|| unknown(b"--", text)));
            continue;
        }
        let cluster = arg.get(1..).unwrap_or_default();
        let letter = cluster.first().copied().unwrap_or_default();
        if known.single_dash && (cluster.len() > 1 || kind(known.short, letter).is_none()) {
            if let Some(item) = long_option(known, b"-", cluster, &mut rest) {
                parsed.items.push(item);
                continue;
            }
            if kind(known.short, letter).is_none() {
                parsed.items.push(unknown(b"-", cluster));
                continue;
            }
        }
        short_options(known, cluster, &mut rest, &mut parsed.items);
    }
    parsed
}

fn unknown(dashes: &[u8], text: &[u8]) -> Item {
    Item::Wrong([b"unrecognized option '", dashes, text, b"'"].concat())
}

fn kind(short: &[u8], letter: u8) -> Option<Value> {
    if matches!(letter, b':' | b';') {
        return None;
    }
    let at = short.iter().position(|b| *b == letter)?;
    Some(match (short.get(at + 1), short.get(at + 2)) {
        (Some(b':'), Some(b':')) => Value::Optional,
        (Some(b':'), _) => Value::Required,
        _ => Value::None,
    })
}

fn short_options<'a>(
    known: &Known<'_>,
    cluster: &[u8],
    rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    items: &mut Vec<Item>,
) {
    for (i, letter) in cluster.iter().enumerate() {
        let Some(kind) = kind(known.short, *letter) else {
            items.push(Item::Wrong([b"invalid option -- '", &[*letter][..], b"'"].concat()));
            continue;
        };
        let attached = cluster.get(i + 1..).filter(|r| !r.is_empty()).map(<[u8]>::to_vec);
        let value = match kind {
            Value::None => None,
            Value::Optional => attached,
            Value::Required => match attached.or_else(|| rest.next().cloned()) {
                Some(v) => Some(v),
                None => {
                    items.push(Item::Wrong(
                        [b"option requires an argument -- '", &[*letter][..], b"'"].concat(),
                    ));
                    return;
                }
            },
        };
        items.push(Item::Option(u32::from(*letter), value));
        if kind != Value::None {
            return;
        }
    }
}

/// `None` if no long option begins so.
fn long_option<'a>(
    known: &Known<'_>,
    dashes: &[u8],
    text: &[u8],
    rest: &mut impl Iterator<Item = &'a Vec<u8>>,
) -> Option<Item> {
    let (name, value) = match text.iter().position(|b| *b == b'=') {
        Some(i) => (text.get(..i)?, text.get(i + 1..).map(<[u8]>::to_vec)),
        None => (text, None),
    };
    let like = || known.long.iter().filter(|l| l.0.starts_with(name));
    let found = match known.long.iter().find(|l| l.0 == name) {
        Some(exact) => exact,
        None => {
            let first = like().next()?;
            let differs = |l: &Long<'_>| known.single_dash || (l.1, l.2) != (first.1, first.2);
            if like().skip(1).any(differs) {
                let mut message =
                    [b"option '", dashes, text, b"' is ambiguous; possibilities:".as_slice()].concat();
                for l in like() {
                    message.extend_from_slice(&[b" '", dashes, l.0, b"'"].concat());
                }
                return Some(Item::Wrong(message));
            }
            first
        }
    };
    let wrong = |what: &[u8]| Some(Item::Wrong([b"option '", dashes, found.0, b"' ", what].concat()));
    match (found.1, value) {
        (Value::None, Some(_)) => wrong(b"doesn't allow an argument"),
        (Value::Required, None) => match rest.next() {
            Some(v) => Some(Item::Option(found.2, Some(v.clone()))),
            None => wrong(b"requires an argument"),
        },
        (_, value) => Some(Item::Option(found.2, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<Vec<u8>> {
        words.iter().map(|w| w.as_bytes().to_vec()).collect()
    }

    #[test]
    fn after_a_wrong_option_reading_goes_on() {
        let long = table(&[("beta=", 1), ("gamma=?", 2)]);
        let known = Known { order: Order::Permute, short: b"ab:", long: &long, single_dash: false };
        let parsed = parse(&args(&["-az", "x", "--be", "v", "-b", "w", "--gamma", "--", "-a"]), &known);
        let expected = [
            Item::Option(97, None),
            Item::Wrong(b"invalid option -- 'z'".to_vec()),
            Item::Option(1, Some(b"v".to_vec())),
            Item::Option(98, Some(b"w".to_vec())),
            Item::Option(2, None),
        ];
        assert_eq!(parsed.items, expected);
        assert_eq!(parsed.operands, args(&["x", "-a"]));
    }

    #[test]
    fn operands_stay_in_place_or_end_the_options() {
        let known = |order| Known { order, short: b"a", long: &[], single_dash: false };
        let words = args(&["x", "-a"]);
        let in_place = parse(&words, &known(Order::InPlace));
        assert_eq!(in_place.items, [Item::Operand(b"x".to_vec()), Item::Option(97, None)]);
        assert_eq!(parse(&words, &known(Order::First)).operands, words);
    }
}
