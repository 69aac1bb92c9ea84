//! The options of a utility: one table, from which both the parser and the `--help` text are made.

mod choices;
mod table;

pub use crate::abbreviation::find;
pub use crate::arguments::Order;
pub use choices::{choose, choose_exactly};
pub use table::{Name, Opt, hidden, listed, named, option, text};

use crate::arguments::{Item, Known, Named, Placed, Value, read};
use crate::{message, out, warn};

/// The options of a command and the text of its `--help`. `--help` and `--version` always exist; a command whose table
/// has them gets them as options, in their order among the others.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The command's name in messages.
    pub name: &'static str,
    /// The text of `--help` before the options.
    pub usage: &'static str,
    /// The options, in the order of `--help`.
    pub options: &'static [Opt],
    /// The text of `--help` after the options.
    pub notes: &'static str,
    /// The order in which an ambiguous abbreviation lists long names, if it differs from the table's: all names with
    /// that first letter.
    pub ties: &'static [&'static str],
    /// Whether that order is the alphabet's.
    pub alphabetical: bool,
    /// What `--version` prints after the name.
    pub version: &'static str,
    /// What happens to operands before options. With [`Order::InPlace`], operands before `--` are options with an empty
    /// name. With the variable `POSIXLY_CORRECT`, [`Order::First`] replaces [`Order::Permute`].
    pub order: Order,
    /// The exit status after a usage error.
    pub failure: i32,
    /// The exit status if `--help` or `--version` cannot be written.
    pub unwritten: i32,
}

/// An option that was given.
#[derive(Debug)]
pub struct Given {
    /// The name that the table defines for it.
    pub id: &'static str,
    /// Its value.
    pub value: Option<Vec<u8>>,
    /// The index of the argument that contained it.
    pub word: usize,
    /// The index of the argument after it and its value.
    pub end: usize,
}

impl Given {
    /// The value, empty if there is none.
    pub fn text(&self) -> &[u8] {
        self.value.as_deref().unwrap_or_default()
    }
}

impl Given {
    /// Which of an option's two names was used in the arguments.
    pub fn written(&self, short: &'static str, long: &'static str, args: &[Vec<u8>]) -> &'static str {
        if args.get(self.word).is_some_and(|a| a.starts_with(b"--")) { long } else { short }
    }
}

/// The name of an option for the caller, and its value.
type Found = (&'static str, Option<Vec<u8>>);

/// Decides what happens after an error, from its message.
type OnWrong = dyn Fn(Vec<u8>) -> Result<Found, Stop>;

/// The options and operands of a command line.
#[derive(Debug)]
pub struct Parsed {
    /// Options in the order given.
    pub options: Vec<Given>,
    /// Everything else, in order.
    pub operands: Vec<Vec<u8>>,
}

/// Why the options could not be returned.
#[derive(Debug)]
pub enum Stop {
    /// A usage error with this message.
    Wrong(Vec<u8>),
    /// `--help` was given.
    Help,
    /// `--version` was given.
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
        alphabetical: false,
        version: "(GNU coreutils) 9.1",
        order: Order::Permute,
        failure: 1,
        unwritten: 1,
    };

    /// Parses the arguments (without the command's own name). `Err` is the exit status after a usage error, whose
    /// message has been printed, or after `--help` or `--version`, whose text has been printed.
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

    /// As [`parse`](Self::parse), but continues after an invalid option. It is returned as an option named `?`. Its
    /// value is the message, which the caller must print.
    pub fn parse_all(&self, args: &[Vec<u8>]) -> Result<Parsed, i32> {
        self.walk(args, &|text| Ok(("?", Some(text)))).map_err(|stop| self.stop(stop))
    }

    /// As [`parse`](Self::parse). If `hint` returns a text for the message of an error, that is printed too.
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

    /// As [`parse`](Self::parse), but prints nothing: for commands with their own messages.
    pub fn read(&self, args: &[Vec<u8>]) -> Result<Parsed, Stop> {
        self.walk(args, &|text| Err(Stop::Wrong(text)))
    }

    /// Whether the option with this letter requires a value.
    pub fn needs_value(&self, letter: u8) -> bool {
        self.letter(letter).is_some_and(|name| name.value == Value::Required)
    }

    /// The option with this letter, for commands that go through their arguments in a way of their own.
    pub fn letter(&self, letter: u8) -> Option<Name> {
        self.names().find(|name| !name.is_long && name.text.as_bytes() == [letter])
    }

    /// The option with this long name, as [`letter`](Self::letter).
    pub fn long(&self, name: &[u8]) -> Option<Name> {
        self.names().find(|known| known.is_long && known.text.as_bytes() == name)
    }

    /// The options that a long name stands for which may be abbreviated: those that begin with it, or the one that has
    /// all of it.
    pub fn abbreviated(&self, name: &[u8]) -> Vec<Name> {
        match self.long(name) {
            Some(exact) => vec![exact],
            None => {
                let begins = |known: &Name| known.is_long && known.text.as_bytes().starts_with(name);
                first_of_each(self.names().filter(begins))
            }
        }
    }

    /// All names in the order of the table. The first definition of a name counts.
    fn names(&self) -> impl Iterator<Item = Name> {
        self.options.iter().flat_map(|option| option.names())
    }

    fn walk(&self, args: &[Vec<u8>], wrong: &OnWrong) -> Result<Parsed, Stop> {
        const FIRST_LONG: u32 = 256;
        const COMMON: [Opt; 2] = [hidden("--help", "--help"), hidden("--version", "--version")];
        let names = first_of_each(self.names().chain(COMMON.iter().flat_map(|option| option.names())));
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
        if self.alphabetical {
            long.sort_by_key(|name| name.text);
        }
        long.sort_by_key(|name| self.ties.iter().position(|tie| *tie == name.text).unwrap_or(usize::MAX));
        // Long names with the same `id` get the same number, so that an abbreviation of several of them is not
        // ambiguous.
        let number = |id| (FIRST_LONG..).zip(&long).find(|(_, name)| name.id == id).map_or(0, |(n, _)| n);
        let named: Vec<Named<'_>> =
            long.iter().map(|name| (name.text.as_bytes(), name.value, number(name.id))).collect();
        let order = match self.order {
            Order::Permute if std::env::var_os("POSIXLY_CORRECT").is_some() => Order::First,
            order => order,
        };
        let read = read(args, &Known { order, short: &short, long: &named, single_dash: false });
        let mut parsed = Parsed { options: Vec::new(), operands: read.operands };
        for Placed { item, word, end } in read.items {
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
                    match name.map_or("", |name| name.id) {
                        "--help" => return Err(Stop::Help),
                        "--version" => return Err(Stop::Version),
                        id => (id, value),
                    }
                }
            };
            parsed.options.push(Given { id, value, word, end });
        }
        Ok(parsed)
    }

    /// Prints an error message and the hint about help. Returns the exit status.
    pub fn usage(&self, text: impl AsRef<[u8]>) -> i32 {
        message::say(self.name, text.as_ref());
        message::try_help(self.name);
        self.failure
    }

    /// Reports that operands are missing. Returns the exit status.
    pub fn missing_operand(&self) -> i32 {
        self.usage("missing operand")
    }

    /// Reports an extra operand. Returns the exit status.
    pub fn extra_operand(&self, operand: &[u8]) -> i32 {
        self.usage(crate::bytes!("extra operand ", crate::quote::quote(operand)))
    }

    fn wrong(&self, text: Vec<u8>) -> i32 {
        warn!(self.name, text);
        message::try_help(self.name);
        self.failure
    }

    /// The text of `--help`.
    pub fn help(&self) -> String {
        let lists_help = self.names().any(|name| name.text == "help");
        let common = "\n  --help      this text\n  --version   the version\n";
        let lines = table::lines(self.options);
        [self.usage, &lines, self.notes, if lists_help { "" } else { common }].concat()
    }

    fn print_help(&self) -> i32 {
        out::put(self.help());
        out::finish(self.name, 0, self.unwritten)
    }

    fn print_version(&self) -> i32 {
        out::put(format!("{} {}\n", self.name, self.version));
        out::put("This is sandshell's own program with the behaviour of that version.\n");
        out::finish(self.name, 0, self.unwritten)
    }
}

/// The names without further definitions of the same.
fn first_of_each(all: impl Iterator<Item = Name>) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for name in all {
        if !names.iter().any(|known| (known.is_long, known.text) == (name.is_long, name.text)) {
            names.push(name);
        }
    }
    names
}

/// The arguments of a process as bytes, without the command's own name.
pub fn operands(args: Vec<std::ffi::OsString>) -> Vec<Vec<u8>> {
    args.into_iter().skip(1).map(std::ffi::OsString::into_encoded_bytes).collect()
}
