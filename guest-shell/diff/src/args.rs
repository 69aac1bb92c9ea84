//! Options as `getopt_long(3)` reads them.

/// How an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    None,
    Required,
    Optional,
}

/// A long option: name, value, what it is reported as.
pub(crate) type Long = (&'static str, Value, u32);

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
    let permute = std::env::var_os("POSIXLY_CORRECT").is_none();
    let mut parsed = Parsed::default();
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        let from = i;
        i += 1;
        if arg == b"--" {
            parsed.switches.push(arg.clone());
            parsed.operands.extend(args.iter().skip(i).cloned());
            break;
        }
        let read = if let Some(text) = arg.strip_prefix(b"--") {
            long_option(text, long, args.get(i)).map(|(given, used_next)| {
                parsed.options.push(given);
                used_next
            })
        } else if arg.len() > 1 && arg.starts_with(b"-") {
            short_options(arg, short, args.get(i), &mut parsed.options)
        } else if permute {
            parsed.operands.push(arg.clone());
            continue;
        } else {
            parsed.operands.extend(args.iter().skip(from).cloned());
            break;
        };
        match read {
            Ok(used_next) => i += usize::from(used_next),
            Err(e) => {
                parsed.error = Some(e);
                break;
            }
        }
        parsed.switches.extend(args.iter().take(i).skip(from).cloned());
    }
    parsed
}

// Reads a cluster of letters; whether the next argument was the last one's value.
fn short_options(
    arg: &[u8],
    short: &str,
    next: Option<&Vec<u8>>,
    options: &mut Vec<Given>,
) -> Result<bool, Vec<u8>> {
    for (i, c) in arg.iter().enumerate().skip(1) {
        let Some(kind) = short_kind(short, *c) else {
            return Err([b"invalid option -- '", &[*c][..], b"'"].concat());
        };
        let rest = arg.get(i + 1..).filter(|r| !r.is_empty());
        match kind {
            Value::None => {
                options.push(((*c).into(), None));
                continue;
            }
            Value::Optional => options.push(((*c).into(), rest.map(<[u8]>::to_vec))),
            Value::Required => {
                let Some(value) = rest.or(next.map(Vec::as_slice)) else {
                    return Err([b"option requires an argument -- '", &[*c][..], b"'"].concat());
                };
                options.push(((*c).into(), Some(value.to_vec())));
                return Ok(rest.is_none());
            }
        }
        break;
    }
    Ok(false)
}

fn short_kind(short: &str, c: u8) -> Option<Value> {
    let bytes = short.as_bytes();
    let at = bytes.iter().position(|b| *b == c && c != b':')?;
    Some(match (bytes.get(at + 1), bytes.get(at + 2)) {
        (Some(b':'), Some(b':')) => Value::Optional,
        (Some(b':'), _) => Value::Required,
        _ => Value::None,
    })
}

fn long_option(arg: &[u8], long: &[Long], next: Option<&Vec<u8>>) -> Result<(Given, bool), Vec<u8>> {
    let (name, given) = match arg.iter().position(|b| *b == b'=') {
        Some(i) => (&arg[..i], Some(arg[i + 1..].to_vec())),
        None => (arg, None),
    };
    let like = || long.iter().filter(|(n, ..)| n.as_bytes().starts_with(name));
    let exact = long.iter().find(|(n, ..)| n.as_bytes() == name);
    let Some(found) = exact.or_else(|| like().next()) else {
        return Err([b"unrecognized option '--", arg, b"'"].concat());
    };
    if exact.is_none() && like().any(|o| (o.1, o.2) != (found.1, found.2)) {
        let mut text = [b"option '--", arg, b"' is ambiguous; possibilities:"].concat();
        for (n, ..) in like() {
            text.extend_from_slice(format!(" '--{n}'").as_bytes());
        }
        return Err(text);
    }
    match (found.1, given) {
        (Value::None, Some(_)) => {
            Err(format!("option '--{}' doesn't allow an argument", found.0).into_bytes())
        }
        (Value::Required, None) => match next {
            Some(v) => Ok(((found.2, Some(v.clone())), true)),
            None => Err(format!("option '--{}' requires an argument", found.0).into_bytes()),
        },
        (_, given) => Ok(((found.2, given), false)),
    }
}
