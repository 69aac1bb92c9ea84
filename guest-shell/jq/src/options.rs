//! Command line options.

use crate::input::message;
use crate::object::Object;
use crate::reader::{self, Flags};
use crate::text::Text;
use crate::value::Val;
use sandshell_cli::arguments::Value;
use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_sys as sys;

/// The command line.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) program: Option<Vec<u8>>,
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) positional: Vec<Val>,
    pub(crate) named: Object,
    pub(crate) library: Option<Vec<Vec<u8>>>,
    pub(crate) flags: Flags,
    pub(crate) slurp: bool,
    pub(crate) raw_input: bool,
    pub(crate) null_input: bool,
    pub(crate) raw_output: bool,
    pub(crate) raw_output0: bool,
    pub(crate) join_output: bool,
    pub(crate) ascii: bool,
    pub(crate) sort: bool,
    pub(crate) color: Option<bool>,
    pub(crate) unbuffered: bool,
    pub(crate) exit_status: bool,
    pub(crate) from_file: bool,
    /// The number of spaces. 0 writes everything on one line, -1 means tabs.
    pub(crate) indent: i8,
}

/// The text of `--build-configuration`.
pub(crate) const CONFIGURATION: &str = "sandshell";

const SYSTEM: i32 = 2;

/// Parses the arguments. `Err` contains the exit status if jq has nothing more to do.
pub(crate) fn parse(name: &str, args: Vec<Vec<u8>>) -> Result<Options, i32> {
    let mut parser = Parser { name, options: Options { indent: 2, ..Options::default() }, rest: Rest::Files };
    let mut args = args.into_iter();
    let mut ended = false;
    while let Some(arg) = args.next() {
        if ended || !looks_like_option(&arg) {
            parser.operand(arg)?;
        } else if arg == b"--" {
            ended = true;
        } else if let Some(directory) = arg.strip_prefix(b"-L") {
            let directory = if directory.is_empty() {
                args.next().ok_or_else(|| {
                    die(name, "-L takes a parameter: (e.g. -L /search/path or -L/search/path)")
                })?
            } else {
                directory.to_vec()
            };
            parser.options.library.get_or_insert_default().push(directory);
        } else if let Some(long) = arg.strip_prefix(b"--") {
            parser.long(long, &mut args)?;
        } else {
            parser.short(&arg)?;
        }
    }
    let mut options = parser.options;
    if options.program.is_none() && !(sys::isatty(0) && sys::isatty(1)) {
        options.program = Some(b".".to_vec());
    }
    Ok(options)
}

/// Prints a short usage text if there is no program.
pub(crate) fn short_usage(name: &str) -> i32 {
    let text = format!("{}For listing the command options, use {name} --help.\n", usage_head(name));
    let _ = sys::write_all(2, text.as_bytes());
    SYSTEM
}

/// How to treat operands after the program.
enum Rest {
    Files,
    Strings,
    Json,
}

struct Parser<'a> {
    name: &'a str,
    options: Options,
    rest: Rest,
}

type Args = std::vec::IntoIter<Vec<u8>>;

impl Parser<'_> {
    fn operand(&mut self, arg: Vec<u8>) -> Result<(), i32> {
        if self.options.program.is_none() {
            self.options.program = Some(arg);
            return Ok(());
        }
        match self.rest {
            Rest::Files => self.options.files.push(arg),
            Rest::Strings => self.options.positional.push(Val::Str(Text::lossy(&arg))),
            Rest::Json => match reader::parse_text(&arg) {
                Ok(v) => self.options.positional.push(v),
                Err(_) => return Err(self.die("invalid JSON text passed to --jsonargs")),
            },
        }
        Ok(())
    }

    fn long(&mut self, name: &[u8], args: &mut Args) -> Result<(), i32> {
        match SPEC.long(name) {
            Some(option) => self.set(option.id, args),
            None => Err(self.die(&format!("Unknown option --{}", String::from_utf8_lossy(name)))),
        }
    }

    fn set(&mut self, id: &'static str, args: &mut Args) -> Result<(), i32> {
        let o = &mut self.options;
        match id {
            "s" => o.slurp = true,
            "r" => o.raw_output = true,
            "raw-output0" => (o.raw_output, o.join_output, o.raw_output0) = (true, true, true),
            "j" => (o.raw_output, o.join_output) = (true, true),
            "c" => o.indent = 0,
            "C" => set_color(o, true),
            "M" => set_color(o, false),
            "a" => o.ascii = true,
            "unbuffered" => o.unbuffered = true,
            "S" => o.sort = true,
            "R" => o.raw_input = true,
            "n" => o.null_input = true,
            "f" => o.from_file = true,
            "binary" => {}
            "tab" => o.indent = -1,
            "indent" => {
                let Some(n) = args.next() else { return Err(self.die("--indent takes one parameter")) };
                match leading_integer(&n) {
                    n @ -1..=7 => o.indent = n as i8,
                    _ => return Err(self.die("--indent takes a number between -1 and 7")),
                }
            }
            "seq" => o.flags.seq = true,
            "stream" => o.flags.stream = true,
            "stream-errors" => (o.flags.stream, o.flags.stream_errors) = (true, true),
            "e" => o.exit_status = true,
            "args" => self.rest = Rest::Strings,
            "jsonargs" => self.rest = Rest::Json,
            "h" => {
                let text = format!("{}{}", usage_head(self.name), SPEC.help());
                let _ = sys::write_all(1, text.as_bytes());
                return Err(0);
            }
            "V" => {
                let _ = sys::write_all(1, b"jq-1.7.1\n");
                return Err(0);
            }
            "build-configuration" => {
                let _ = sys::write_all(1, format!("{CONFIGURATION}\n").as_bytes());
                return Err(0);
            }
            named => return self.named(named, args),
        }
        Ok(())
    }

    fn named(&mut self, option: &str, args: &mut Args) -> Result<(), i32> {
        let hint = match option {
            "arg" => "value",
            "argjson" => "text",
            _ => "filename",
        };
        let (Some(key), Some(value)) = (args.next(), args.next()) else {
            let text = format!("--{option} takes two parameters (e.g. --{option} varname {hint})");
            return Err(self.die(&text));
        };
        let text = Text::lossy(&key);
        if self.options.named.get(&text).is_some() {
            return Ok(());
        }
        let value = match option {
            "arg" => Val::Str(Text::lossy(&value)),
            "argjson" => match reader::parse_text(&value) {
                Ok(v) => v,
                Err(_) => return Err(self.die("invalid JSON text passed to --argjson")),
            },
            _ => match load(&value, option == "rawfile") {
                Ok(v) => v,
                Err(e) => {
                    let (key, value) = (text.str(), String::from_utf8_lossy(&value));
                    message(&format!("{}: Bad JSON in --{option} {key} {value}: {e}", self.name));
                    return Err(SYSTEM);
                }
            },
        };
        self.options.named.insert(text, value);
        Ok(())
    }

    /// Letters after a dash. What they do does not depend on their order: help comes before the version, and both after
    /// all others.
    fn short(&mut self, arg: &[u8]) -> Result<(), i32> {
        let letters = arg.get(1..).unwrap_or_default();
        let option = |letter: &u8| SPEC.letter(*letter).filter(|option| option.value == Value::None);
        let mut given: Vec<&str> = letters.iter().filter_map(option).map(|option| option.id).collect();
        given.sort_by_key(|id| ["h", "V"].iter().position(|last| last == id).map_or(0, |at| at + 1));
        for id in given {
            self.set(id, &mut Vec::new().into_iter())?;
        }
        if letters.iter().all(|letter| option(letter).is_some()) {
            Ok(())
        } else {
            Err(self.die(&format!("Unknown option {}", String::from_utf8_lossy(arg))))
        }
    }

    fn die(&self, text: &str) -> i32 {
        die(self.name, &format!("{}: {text}", self.name))
    }
}

fn die(name: &str, text: &str) -> i32 {
    message(text);
    message(&format!("Use {name} --help for help with command-line options,"));
    message("or see the jq manpage, or online docs  at https://jqlang.github.io/jq");
    SYSTEM
}

/// `-M` takes precedence over `-C` in any order.
fn set_color(o: &mut Options, on: bool) {
    if o.color != Some(false) {
        o.color = Some(on);
    }
}

fn looks_like_option(arg: &[u8]) -> bool {
    matches!(arg, [b'-', c, ..] if *c == b'-' || c.is_ascii_alphabetic())
}

fn leading_integer(text: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let n = digits
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0i64, |n, b| (n * 10 + i64::from(b - b'0')).min(1000));
    sign * n
}

/// The text of a file, or an array of the values in it.
pub(crate) fn load(file: &[u8], raw: bool) -> Result<Val, String> {
    let shown = String::from_utf8_lossy(file);
    let path = crate::input::path(file);
    if path.is_dir() {
        return Err(format!("Could not open {shown}: It's a directory"));
    }
    let text =
        std::fs::read(path).map_err(|e| format!("Could not open {shown}: {}", crate::input::reason(&e)))?;
    if raw {
        return Ok(Val::Str(Text::lossy(&text)));
    }
    let mut reader = reader::Reader::new(Flags::default());
    let mut text = Some(text);
    let mut all = Vec::new();
    loop {
        let next = reader.next(&mut |buf| match text.take() {
            Some(t) if !t.is_empty() => {
                *buf = t;
                true
            }
            _ => false,
        });
        match next {
            Ok(Some(v)) => all.push(v),
            Ok(None) => return Ok(Val::arr(all)),
            Err(e) => return Err(e.0),
        }
    }
}

fn usage_head(name: &str) -> String {
    format!(
        "jq - commandline JSON processor [version 1.7.1]\n\n\
         Usage:\t{name} [options] <jq filter> [file...]\n\
         \t{name} [options] --args <jq filter> [strings...]\n\
         \t{name} [options] --jsonargs <jq filter> [JSON_TEXTS...]\n\n\
         Applies a filter to each JSON value of its input and prints the results as JSON.\n\
         The simplest filter, '.', prints its input, formatted.\n\n"
    )
}

/// The options. Letters stand in one word in any order; long names are not abbreviated, and their values are the words
/// after them, for some two. `-L` is not one of several letters.
const SPEC: Spec = Spec { name: "jq", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    // The filter is the first operand in any case.
    hidden("f", "-f, --from-file"),
    listed(HELP),
];

const HELP: &str = "Command options:
  -n, --null-input          one null is the input;
  -R, --raw-input           each line of the input is a string;
  -s, --slurp               all inputs become one array;
  -c, --compact-output      each result in one line;
  -r, --raw-output          strings without quotes and escapes;
      --raw-output0         as -r, with NUL after each result;
  -j, --join-output         as -r, without newlines after results;
  -a, --ascii-output        only ASCII characters, others as escapes;
  -S, --sort-keys           keys of objects in order;
  -C, --color-output        colours;
  -M, --monochrome-output   no colours;
      --tab                 indent with tabs;
      --indent n            indent by n spaces (at most 7);
      --unbuffered          write each result at once;
      --stream              read the input as a stream of events;
      --stream-errors       as --stream, with parse errors as events;
      --seq                 application/json-seq for input and output;
  -f, --from-file file      the filter is in the file;
  -L directory              search modules in the directory;
      --arg name value      set $name to the string;
      --argjson name value  set $name to the JSON value;
      --slurpfile name file set $name to an array of the file's values;
      --rawfile name file   set $name to the file's text;
      --args                the remaining arguments are strings;
      --jsonargs            the remaining arguments are JSON values;
      --binary              no effect;
  -e, --exit-status         the exit status tells of the last result;
  -V, --version             show the version;
  --build-configuration     show how jq was built;
  -h, --help                show this help;
  --                        no more options.

Named arguments are also in $ARGS.named, positional ones in $ARGS.positional.
";
