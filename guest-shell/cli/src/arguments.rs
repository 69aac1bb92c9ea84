//! Parses options as glibc's `getopt_long(3)` does, with its messages.
//!
//! Utilities use it by way of [`options::Spec`](crate::options::Spec).

/// Whether an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// It takes no value.
    None,
    /// `--name=value` or `--name value`.
    Required,
    /// `--name=value` only.
    Optional,
}

/// A long option: its name, whether it takes a value, and the number that it is reported as.
pub type Named<'a> = (&'a [u8], Value, u32);

/// What happens to operands before options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// They are moved after the options.
    Permute,
    /// The first one ends the options.
    First,
    /// Each is an [`Item::Operand`] in its place.
    InPlace,
}

/// The options of a command.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// What happens to operands before options.
    pub order: Order,
    /// Short options in `getopt(3)`'s form, without leading signs: `a:` requires a value, `a::` may have one.
    pub short: &'a [u8],
    /// Long options. If there are none, a second dash is an option letter like any other.
    pub long: &'a [Named<'a>],
    /// Whether long options may begin with a single dash (`getopt_long_only(3)`).
    pub single_dash: bool,
}

/// A part of a command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// The letter of a short option or the number of a long one, and its value.
    Option(u32, Option<Vec<u8>>),
    /// An operand, with [`Order::InPlace`].
    Operand(Vec<u8>),
    /// glibc's message for an invalid option.
    Wrong(Vec<u8>),
}

/// A part and its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The part.
    pub item: Item,
    /// The index of the argument that contains it.
    pub word: usize,
    /// The index of the argument after it and its value.
    pub end: usize,
}

/// A parsed command line.
#[derive(Default, Debug)]
pub struct Parsed {
    /// In their order: options, errors, and with [`Order::InPlace`] also operands.
    pub items: Vec<Placed>,
    /// The operands that are not among `items`.
    pub operands: Vec<Vec<u8>>,
}

/// Parses a command line (without the command's own name) and continues after errors.
pub fn read(args: &[Vec<u8>], known: &Known<'_>) -> Parsed {
    let mut reader = Reader { args, known, next: 0, parsed: Parsed::default() };
    while let Some(arg) = reader.take() {
        if arg == b"--" {
            break;
        }
        if arg.len() < 2 || !arg.starts_with(b"-") {
            match known.order {
                Order::Permute => reader.parsed.operands.push(arg.clone()),
                Order::InPlace => reader.push(Item::Operand(arg.clone()), reader.next - 1),
                Order::First => {
                    reader.next -= 1;
                    break;
                }
            }
            continue;
        }
        reader.options(arg);
    }
    let rest = args.get(reader.next..).unwrap_or_default();
    reader.parsed.operands.extend_from_slice(rest);
    reader.parsed
}

struct Reader<'a> {
    args: &'a [Vec<u8>],
    known: &'a Known<'a>,
    /// The index of the next argument.
    next: usize,
    parsed: Parsed,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a Vec<u8>> {
        let arg = self.args.get(self.next)?;
        self.next += 1;
        Some(arg)
    }

    /// Parses an argument that begins with a dash.
    fn options(&mut self, arg: &[u8]) {
        if let Some(text) = arg.strip_prefix(b"--").filter(|_| !self.known.long.is_empty()) {
            if !self.long_option(b"--", text) {
                self.unrecognized(b"--", text);
            }
            return;
        }
        let cluster = arg.get(1..).unwrap_or_default();
        let letter = cluster.first().copied().unwrap_or_default();
        let is_letter = kind(self.known.short, letter).is_some();
        if self.known.single_dash && (cluster.len() > 1 || !is_letter) {
            if self.long_option(b"-", cluster) {
                return;
            }
            if !is_letter {
                return self.unrecognized(b"-", cluster);
            }
        }
        self.short_options(cluster);
    }

    fn short_options(&mut self, cluster: &[u8]) {
        let word = self.next - 1;
        for (i, letter) in cluster.iter().enumerate() {
            let Some(kind) = kind(self.known.short, *letter) else {
                self.wrong(&[b"invalid option -- '", &[*letter], b"'"], word);
                continue;
            };
            let attached = cluster.get(i + 1..).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec);
            let value = match kind {
                Value::None => None,
                Value::Optional => attached,
                Value::Required => match attached.or_else(|| self.take().cloned()) {
                    Some(value) => Some(value),
                    None => {
                        return self.wrong(&[b"option requires an argument -- '", &[*letter], b"'"], word);
                    }
                },
            };
            self.option(u32::from(*letter), value, word);
            if kind != Value::None {
                return;
            }
        }
    }

    /// Parses a long option. Returns whether one begins like this.
    fn long_option(&mut self, dashes: &[u8], text: &[u8]) -> bool {
        let word = self.next - 1;
        let equals = text.iter().position(|b| *b == b'=');
        let name = text.get(..equals.unwrap_or(text.len())).unwrap_or_default();
        let value = equals.and_then(|at| text.get(at + 1..)).map(<[u8]>::to_vec);
        let known = self.known;
        let like = || known.long.iter().filter(|long| long.0.starts_with(name));
        let found = match known.long.iter().find(|long| long.0 == name) {
            Some(exact) => exact,
            None => {
                let Some(first) = like().next() else { return false };
                let differs = |l: &Named<'_>| known.single_dash || (l.1, l.2) != (first.1, first.2);
                if like().skip(1).any(differs) {
                    let mut message =
                        [b"option '", dashes, text, b"' is ambiguous; possibilities:".as_slice()].concat();
                    for long in like() {
                        message.extend_from_slice(&[b" '", dashes, long.0, b"'"].concat());
                    }
                    self.push(Item::Wrong(message), word);
                    return true;
                }
                first
            }
        };
        match (found.1, value) {
            (Value::None, Some(_)) => {
                self.wrong(&[b"option '", dashes, found.0, b"' doesn't allow an argument"], word);
            }
            (Value::Required, None) => match self.take() {
                Some(value) => self.option(found.2, Some(value.clone()), word),
                None => self.wrong(&[b"option '", dashes, found.0, b"' requires an argument"], word),
            },
            (_, value) => self.option(found.2, value, word),
        }
        true
    }

    fn option(&mut self, id: u32, value: Option<Vec<u8>>, word: usize) {
        self.push(Item::Option(id, value), word);
    }

    fn unrecognized(&mut self, dashes: &[u8], text: &[u8]) {
        self.wrong(&[b"unrecognized option '", dashes, text, b"'"], self.next - 1);
    }

    fn wrong(&mut self, parts: &[&[u8]], word: usize) {
        self.push(Item::Wrong(parts.concat()), word);
    }

    fn push(&mut self, item: Item, word: usize) {
        self.parsed.items.push(Placed { item, word, end: self.next });
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<Vec<u8>> {
        words.iter().map(|w| w.as_bytes().to_vec()).collect()
    }

    #[test]
    fn after_a_wrong_option_reading_goes_on() {
        let long: &[Named<'_>] = &[(b"beta", Value::Required, 1), (b"gamma", Value::Optional, 2)];
        let known = Known { order: Order::Permute, short: b"ab:", long, single_dash: false };
        let parsed = read(&args(&["-az", "x", "--be", "v", "-b", "w", "--gamma", "--", "-a"]), &known);
        let placed = |item, word, end| Placed { item, word, end };
        let expected = [
            placed(Item::Option(97, None), 0, 1),
            placed(Item::Wrong(b"invalid option -- 'z'".to_vec()), 0, 1),
            placed(Item::Option(1, Some(b"v".to_vec())), 2, 4),
            placed(Item::Option(98, Some(b"w".to_vec())), 4, 6),
            placed(Item::Option(2, None), 6, 7),
        ];
        assert_eq!(parsed.items, expected);
        assert_eq!(parsed.operands, args(&["x", "-a"]));
    }

    #[test]
    fn operands_stay_in_place_or_end_the_options() {
        let known = |order| Known { order, short: b"a", long: &[], single_dash: false };
        let words = args(&["x", "-a"]);
        let in_place = read(&words, &known(Order::InPlace)).items;
        let in_place: Vec<Item> = in_place.into_iter().map(|placed| placed.item).collect();
        assert_eq!(in_place, [Item::Operand(b"x".to_vec()), Item::Option(97, None)]);
        assert_eq!(read(&words, &known(Order::First)).operands, words);
    }

    #[test]
    fn one_dash_may_begin_a_long_option() {
        let long: &[Named<'_>] = &[(b"alpha", Value::None, 1), (b"alps", Value::None, 1)];
        let known = Known { order: Order::Permute, short: b"b", long, single_dash: true };
        let parsed = read(&args(&["-alpha", "-b", "-alp", "-c"]), &known);
        let wrong = |text: &str, word| Placed { item: Item::Wrong(text.into()), word, end: word + 1 };
        assert_eq!(
            parsed.items[2..],
            [
                wrong("option '-alp' is ambiguous; possibilities: '-alpha' '-alps'", 2),
                wrong("unrecognized option '-c'", 3)
            ]
        );
    }
}
