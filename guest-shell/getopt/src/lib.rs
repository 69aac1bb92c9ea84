//! Options as `getopt_long(3)` of glibc reads them, with its messages.

/// How an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It takes none.
    None,
    /// `--name=value` or `--name value`.
    Required,
    /// `--name=value` only.
    Optional,
}

/// A long option: name, value, what it is reported as.
pub type Long = (&'static str, Value, u32);

/// One thing on the command line.
pub enum Arg {
    /// An option: its short letter or the number of the long one; its value; the index of the argument it is in.
    Option(u32, Option<Vec<u8>>, usize),
    /// An operand.
    Operand(Vec<u8>),
}

/// Reads a command line. `short` is as for `getopt`; with `permute` options may follow operands.
///
/// Second comes the text of `getopt_long`'s message, without the program's name, if something is wrong with what follows
/// the arguments that come first.
pub fn parse(args: &[Vec<u8>], short: &str, long: &[Long], permute: bool) -> (Vec<Arg>, Option<Vec<u8>>) {
    let mut out = Vec::new();
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        i += 1;
        if arg == b"--" {
            break;
        }
        if let Some(name) = arg.strip_prefix(b"--") {
            match long_option(name, long, args.get(i)) {
                Ok((id, value, used_next)) => {
                    i += usize::from(used_next);
                    out.push(Arg::Option(id, value, i));
                }
                Err(e) => return (out, Some(e)),
            }
        } else if arg.len() > 1 && arg.starts_with(b"-") {
            let mut j = 1;
            while let Some(&c) = arg.get(j) {
                j += 1;
                let Some(kind) = short_kind(short, c) else {
                    return (out, Some([b"invalid option -- '", &[c][..], b"'"].concat()));
                };
                let rest = arg.get(j..).filter(|r| !r.is_empty());
                match kind {
                    Value::None => {
                        out.push(Arg::Option(c.into(), None, i));
                        continue;
                    }
                    Value::Optional => out.push(Arg::Option(c.into(), rest.map(<[u8]>::to_vec), i)),
                    Value::Required => {
                        let value = match rest {
                            Some(r) => r.to_vec(),
                            None => match args.get(i) {
                                Some(next) => {
                                    i += 1;
                                    next.clone()
                                }
                                None => {
                                    let text = [b"option requires an argument -- '", &[c][..], b"'"].concat();
                                    return (out, Some(text));
                                }
                            },
                        };
                        out.push(Arg::Option(c.into(), Some(value), i));
                    }
                }
                break;
            }
        } else {
            out.push(Arg::Operand(arg.clone()));
            if !permute {
                break;
            }
        }
    }
    out.extend(args.get(i..).unwrap_or_default().iter().cloned().map(Arg::Operand));
    (out, None)
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

type Found = (u32, Option<Vec<u8>>, bool);

fn long_option(arg: &[u8], long: &[Long], next: Option<&Vec<u8>>) -> Result<Found, Vec<u8>> {
    let eq = arg.iter().position(|b| *b == b'=');
    let name = arg.get(..eq.unwrap_or(arg.len())).unwrap_or_default();
    let given = eq.map(|e| arg.get(e + 1..).unwrap_or_default().to_vec());
    let exact = long.iter().find(|(n, ..)| n.as_bytes() == name);
    let found = match exact {
        Some(o) => o,
        None => {
            let mut like = long.iter().filter(|(n, ..)| n.as_bytes().starts_with(name));
            match like.next() {
                None => return Err([b"unrecognized option '--", arg, b"'"].concat()),
                Some(first) if like.clone().all(|o| o.2 == first.2 && o.1 == first.1) => first,
                Some(_) => {
                    let mut text = [b"option '--", arg, b"' is ambiguous; possibilities:"].concat();
                    for (n, ..) in long.iter().filter(|(n, ..)| n.as_bytes().starts_with(name)) {
                        text.extend_from_slice(format!(" '--{n}'").as_bytes());
                    }
                    return Err(text);
                }
            }
        }
    };
    match (found.1, given) {
        (Value::None, Some(_)) => {
            Err(format!("option '--{}' doesn't allow an argument", found.0).into_bytes())
        }
        (Value::Required, None) => match next {
            Some(v) => Ok((found.2, Some(v.clone()), true)),
            None => Err(format!("option '--{}' requires an argument", found.0).into_bytes()),
        },
        (_, given) => Ok((found.2, given, false)),
    }
}
