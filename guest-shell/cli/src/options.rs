//! The options of a utility: what it knows, its help, and its messages.

use crate::arguments::{Item, Known, Named, Order, Placed, read};
use crate::warn;
use crate::{message, out};
use sandshell_sys as sys;

/// Whether a long option takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// None.
    No,
    /// `--name=value` or `--name value`.
    Yes,
    /// `--name=value` only.
    Maybe,
}

impl Value {
    fn read(self) -> crate::arguments::Value {
        match self {
            Value::No => crate::arguments::Value::None,
            Value::Yes => crate::arguments::Value::Required,
            Value::Maybe => crate::arguments::Value::Optional,
        }
    }
}

/// A long option: name, value, and the name under which the caller gets it.
pub type Long = (&'static str, Value, &'static str);

/// The options of a command.
pub struct Spec {
    /// The command's name in messages.
    pub name: &'static str,
    /// Short options in `getopt(3)`'s form: `a:` takes a value, `a::` may; a leading `+` (or `POSIXLY_CORRECT` in the
    /// environment) stops at the first operand; with a leading `-` operands before `--` are options with an empty name,
    /// in their places.
    pub short: &'static str,
    /// Long options. `--help` and `--version` are always known.
    pub long: &'static [Long],
    /// The status after a wrong use.
    pub failure: i32,
    /// The text of `--help`.
    pub help: &'static str,
}

/// One option as given.
#[derive(Debug)]
pub struct Given {
    /// The third field of [`Long`], or the short option's letter.
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

    fn walk(&self, args: &[Vec<u8>], wrong: &OnWrong) -> Result<Parsed, Stop> {
        const COMMON: [Long; 2] = [("help", Value::No, "help"), ("version", Value::No, "version")];
        const FIRST_LONG: usize = 256;
        let mixed = self.short.starts_with('-');
        let in_order = self.short.starts_with('+') || !mixed && std::env::var_os("POSIXLY_CORRECT").is_some();
        let order = match (mixed, in_order) {
            (true, _) => Order::InPlace,
            (_, true) => Order::First,
            _ => Order::Permute,
        };
        let short = self.short.trim_start_matches(['+', '-']);
        let all: Vec<&Long> = self.long.iter().chain(&COMMON).collect();
        // Options with the same name for the caller are one, also where a beginning means several of them.
        let number =
            |id| all.iter().position(|long| long.2 == id).and_then(|at| u32::try_from(FIRST_LONG + at).ok());
        let long: Vec<Named<'_>> = all
            .iter()
            .map(|(name, value, id)| (name.as_bytes(), value.read(), number(*id).unwrap_or_default()))
            .collect();
        let read = read(args, &Known { order, short: short.as_bytes(), long: &long, single_dash: false });
        let mut parsed = Parsed { options: Vec::new(), operands: read.operands };
        for Placed { item, word, .. } in read.items {
            let (id, value) = match item {
                Item::Operand(operand) => ("", Some(operand)),
                Item::Wrong(text) => wrong(text)?,
                Item::Option(number, value) => match (number as usize).checked_sub(FIRST_LONG) {
                    Some(at) => match all[at] {
                        ("help", Value::No, "help") => return Err(Stop::Help),
                        ("version", Value::No, "version") => return Err(Stop::Version),
                        (_, _, id) => (*id, value),
                    },
                    None => (letter(short, number), value),
                },
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
        out::put(self.help);
        out::put("\n  --help      this text\n  --version   the version\n");
        out::finish(self.name, 0, self.write_failure())
    }

    // The status for output that cannot be written.
    fn write_failure(&self) -> i32 {
        match self.name {
            "expr" | "tty" => 3,
            "sort" | "ls" | "dir" | "vdir" => 2,
            _ if self.failure == 125 => 125,
            _ => 1,
        }
    }

    fn print_version(&self) -> i32 {
        out::put(format!("{} (GNU coreutils) 9.1\n", self.name));
        out::put("This is sandshell's own program with the behaviour of that version.\n");
        out::finish(self.name, 0, self.write_failure())
    }
}

/// The part of `short` that is this letter.
fn letter(short: &'static str, number: u32) -> &'static str {
    let at = short.bytes().position(|byte| u32::from(byte) == number);
    at.and_then(|at| short.get(at..=at)).unwrap_or_default()
}

/// The arguments of a process as bytes, without the command's own name.
pub fn operands(args: Vec<std::ffi::OsString>) -> Vec<Vec<u8>> {
    args.into_iter().skip(1).map(std::ffi::OsString::into_encoded_bytes).collect()
}

/// Finds `word` or its unambiguous beginning among `choices`; else says what is valid, as GNU's `argmatch`.
pub fn choose<T: Copy + PartialEq>(
    spec: &Spec,
    option: &str,
    word: &[u8],
    choices: &[(&str, T)],
) -> Result<T, i32> {
    find(word, choices).map_err(|kind| complain(spec, kind, option, word, choices))
}

/// The choice that `word` or its unambiguous beginning names; else what is wrong with the word: `ambiguous` or `invalid`.
pub fn find<T: Copy + PartialEq>(word: &[u8], choices: &[(&str, T)]) -> Result<T, &'static str> {
    if let Some(c) = choices.iter().find(|c| c.0.as_bytes() == word) {
        return Ok(c.1);
    }
    let mut near = choices.iter().filter(|c| c.0.as_bytes().starts_with(word));
    let first = near.next().ok_or("invalid")?;
    if near.any(|c| c.1 != first.1) { Err("ambiguous") } else { Ok(first.1) }
}

/// As [`choose`], but the whole word is needed.
pub fn choose_exactly<T: Copy + PartialEq>(
    spec: &Spec,
    option: &str,
    word: &[u8],
    choices: &[(&str, T)],
) -> Result<T, i32> {
    match choices.iter().find(|c| c.0.as_bytes() == word) {
        Some(c) => Ok(c.1),
        None => Err(complain(spec, "invalid", option, word, choices)),
    }
}

fn complain<T: PartialEq>(spec: &Spec, kind: &str, option: &str, word: &[u8], choices: &[(&str, T)]) -> i32 {
    use crate::quote::quote;
    warn!(spec.name, kind, " argument ", quote(word), " for ", quote(option.as_bytes()));
    let mut text = b"Valid arguments are:".to_vec();
    let mut last = None;
    for c in choices {
        if last == Some(&c.1) {
            text.extend_from_slice(b", ");
        } else {
            text.extend_from_slice(b"\n  - ");
        }
        text.extend_from_slice(&quote(c.0.as_bytes()));
        last = Some(&c.1);
    }
    text.push(b'\n');
    let _ = sys::write_all(2, &text);
    message::try_help(spec.name);
    // Not the command's own status for wrong use: this is a failure like any other.
    1
}
