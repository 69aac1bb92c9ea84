//! The options of a utility: a table that its command line is read by and its `--help` is written from.

mod choices;
mod table;

pub use crate::arguments::Order;
pub use choices::{choose, choose_exactly, find};
pub use table::{Opt, hidden, named, option, text};

use crate::arguments::{Item, Known, Named, Placed, Value, read};
use crate::{message, out, warn};
use table::Name;

/// The options of a command, with the text of its `--help`. `--help` and `--version` are always known.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The command's name in messages.
    pub name: &'static str,
    /// What `--help` says before the options.
    pub usage: &'static str,
    /// The options, in the order of `--help`.
    pub options: &'static [Opt],
    /// What `--help` says after them.
    pub notes: &'static str,
    /// Long names that begin alike come in this order where one is abbreviated too much, if that is not the order of the table:
    /// all of the same first letter.
    pub ties: &'static [&'static str],
    /// What `--version` says behind the name.
    pub version: &'static str,
    /// What becomes of operands before options. With [`Order::InPlace`] those before `--` are options with an empty name.
    /// `POSIXLY_CORRECT` in the environment makes [`Order::First`] of [`Order::Permute`].
    pub order: Order,
    /// The status after a wrong use.
    pub failure: i32,
    /// The status if `--help` or `--version` cannot be written.
    pub unwritten: i32,
}

/// One option as given.
#[derive(Debug)]
pub struct Given {
    /// The name that the table gives it.
    pub id: &'static str,
    /// Its value.
    pub value: Option<Vec<u8>>,
    /// The number of the argument that it stood in.
    pub word: usize,
}

impl Given {
    /// The value, empty if there is none.
    pub fn text(&self) -> &[u8] {
        self.value.as_deref().unwrap_or_default()
    }
}

impl Given {
    /// Which of an option's two names was written in the arguments.
    pub fn written(&self, short: &'static str, long: &'static str, args: &[Vec<u8>]) -> &'static str {
        if args.get(self.word).is_some_and(|a| a.starts_with(b"--")) { long } else { short }
    }
}

/// An option's name to the caller and its value.
type Found = (&'static str, Option<Vec<u8>>);

/// What becomes of something that is no option, by its message.
type OnWrong = dyn Fn(Vec<u8>) -> Result<Found, Stop>;

/// Options in order, then the operands.
#[derive(Debug)]
pub struct Parsed {
    /// Options in the order given.
    pub options: Vec<Given>,
    /// Everything else, in order.
    pub operands: Vec<Vec<u8>>,
}

/// Why there are no options to act on.
#[derive(Debug)]
pub enum Stop {
    /// The use was wrong: the text of the message.
    Wrong(Vec<u8>),
    /// `--help` was asked for.
    Help,
    /// `--version` was asked for.
    Version,
}

impl Spec {
    /// A command without options.
    pub const DEFAULT: Self = Self {
        name: "",
        usage: "",
        options: &[],
        notes: "",
        ties: &[],
        version: "(GNU coreutils) 9.1",
        order: Order::Permute,
        failure: 1,
        unwritten: 1,
    };

    /// Reads the arguments (without the command's own name). `Err` is the exit status: the use was wrong (the
    /// message is written), or `--help` or `--version` was asked for and printed.
    pub fn parse(&self, args: &[Vec<u8>]) -> Result<Parsed, i32> {
        self.read(args).map_err(|stop| self.stop(stop))
    }

    fn stop(&self, stop: Stop) -> i32 {
        match stop {
            Stop::Wrong(text) => self.wrong(text),
            Stop::Help => self.print_help(),
            Stop::Version => self.print_version(),
        }
    }

    /// As [`parse`](Self::parse), but goes on behind what is no option: that is one of the name `?` with the message as its
    /// value, which the caller tells.
    pub fn parse_all(&self, args: &[Vec<u8>]) -> Result<Parsed, i32> {
        self.walk(args, &|text| Ok(("?", Some(text)))).map_err(|stop| self.stop(stop))
    }

    /// As [`parse`](Self::parse), with a message more where `hint` has one for the message.
    pub fn parse_with_hint(
        &self,
        args: &[Vec<u8>],
        hint: impl Fn(&[u8]) -> Option<&'static str>,
    ) -> Result<Parsed, i32> {
        match self.read(args) {
            Err(Stop::Wrong(text)) => match hint(&text) {
                Some(more) => {
                    warn!(self.name, text);
                    Err(self.usage(more))
                }
                None => Err(self.wrong(text)),
            },
            _ => self.parse(args),
        }
    }

    /// As [`parse`](Self::parse), but writes nothing: for commands with messages of their own.
    pub fn read(&self, args: &[Vec<u8>]) -> Result<Parsed, Stop> {
        self.walk(args, &|text| Err(Stop::Wrong(text)))
    }

    /// Whether the option of this letter needs a value.
    pub fn needs_value(&self, letter: u8) -> bool {
        let mut names = self.options.iter().flat_map(|option| option.names());
        names.any(|name| !name.is_long && name.text.as_bytes() == [letter] && name.value == Value::Required)
    }

    fn walk(&self, args: &[Vec<u8>], wrong: &OnWrong) -> Result<Parsed, Stop> {
        const FIRST_LONG: u32 = 256;
        const COMMON: [Opt; 2] = [hidden("", "--help"), hidden("", "--version")];
        let names: Vec<Name> = self.options.iter().chain(&COMMON).flat_map(|option| option.names()).collect();
        let mut short = Vec::new();
        for name in names.iter().filter(|name| !name.is_long) {
            short.extend_from_slice(name.text.as_bytes());
            short.extend_from_slice(match name.value {
                Value::None => b"",
                Value::Required => b":",
                Value::Optional => b"::",
            });
        }
        let mut long: Vec<&Name> = names.iter().filter(|name| name.is_long).collect();
        long.sort_by_key(|name| self.ties.iter().position(|tie| *tie == name.text).unwrap_or(usize::MAX));
        // Options with the same name for the caller are one, also where a beginning means several of them.
        let number = |id| (FIRST_LONG..).zip(&long).find(|(_, name)| name.id == id).map_or(0, |(n, _)| n);
        let named: Vec<Named<'_>> =
            long.iter().map(|name| (name.text.as_bytes(), name.value, number(name.id))).collect();
        let order = match self.order {
            Order::Permute if std::env::var_os("POSIXLY_CORRECT").is_some() => Order::First,
            order => order,
        };
        let read = read(args, &Known { order, short: &short, long: &named, single_dash: false });
        let mut parsed = Parsed { options: Vec::new(), operands: read.operands };
        for Placed { item, word, .. } in read.items {
            let (id, value) = match item {
                Item::Operand(operand) => ("", Some(operand)),
                Item::Wrong(text) => wrong(text)?,
                Item::Option(number, value) => {
                    let name = match number.checked_sub(FIRST_LONG) {
                        Some(at) => Some(long[at as usize]),
                        None => {
                            names.iter().find(|n| !n.is_long && n.text.bytes().map(u32::from).eq([number]))
                        }
                    };
                    match name.map_or(("", ""), |name| (name.id, name.text)) {
                        ("help", "help") => return Err(Stop::Help),
                        ("version", "version") => return Err(Stop::Version),
                        (id, _) => (id, value),
                    }
                }
            };
            parsed.options.push(Given { id, value, word });
        }
        Ok(parsed)
    }

    /// Says what is wrong and how to get help; the exit status.
    pub fn usage(&self, text: impl AsRef<[u8]>) -> i32 {
        message::say(self.name, text.as_ref());
        message::try_help(self.name);
        self.failure
    }

    /// The message for operands that are missing altogether.
    pub fn missing_operand(&self) -> i32 {
        self.usage("missing operand")
    }

    /// The message for one operand too many.
    pub fn extra_operand(&self, operand: &[u8]) -> i32 {
        self.usage(crate::bytes!("extra operand ", crate::quote::quote(operand)))
    }

    fn wrong(&self, text: Vec<u8>) -> i32 {
        warn!(self.name, text);
        message::try_help(self.name);
        self.failure
    }

    fn print_help(&self) -> i32 {
        out::put(self.usage);
        out::put(table::lines(self.options));
        out::put(self.notes);
        out::put("\n  --help      this text\n  --version   the version\n");
        out::finish(self.name, 0, self.unwritten)
    }

    fn print_version(&self) -> i32 {
        out::put(format!("{} {}\n", self.name, self.version));
        out::put("This is sandshell's own program with the behaviour of that version.\n");
        out::finish(self.name, 0, self.unwritten)
    }
}

/// The arguments of a process as bytes, without the command's own name.
pub fn operands(args: Vec<std::ffi::OsString>) -> Vec<Vec<u8>> {
    args.into_iter().skip(1).map(std::ffi::OsString::into_encoded_bytes).collect()
}
