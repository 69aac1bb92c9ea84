//! `getopt` as in util-linux 2.38: parses a script's options and prints them in order, quoted for the shell.

mod normal;

use crate::base::options::{self, Item, Known, Long, Order, Spec, Value, listed};
use crate::base::say;
use normal::Shell;
use sandshell_cli::out;

/// The exit status for a usage error of `getopt` itself.
const BAD_USE: i32 = 2;
/// The exit status of `-T`.
const ENHANCED: i32 = 4;

const SPEC: Spec = Spec {
    name: "getopt",
    options: &[listed(HELP)],
    order: Order::First,
    failure: BAD_USE,
    ..options::UTIL_LINUX
};

struct Job {
    name: Vec<u8>,
    short: Option<Vec<u8>>,
    long: Vec<(Vec<u8>, Value)>,
    single_dash: bool,
    quiet: bool,
    quiet_output: bool,
    quoting: Option<Shell>,
    posix: bool,
}

/// Runs `getopt` on its arguments (its own name first) and returns the exit status: 0, 1 if the parsed parameters are
/// invalid, 2 if its own are, 4 for `-T`.
pub fn getopt_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("getopt", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let compatible = std::env::var_os("GETOPT_COMPATIBLE").is_some();
    let mut job = Job {
        name: say::full_name(args).to_vec(),
        short: None,
        long: Vec::new(),
        single_dash: false,
        quiet: false,
        quiet_output: false,
        quoting: Some(Shell::Bourne),
        posix: std::env::var_os("POSIXLY_CORRECT").is_some(),
    };
    let Some(first) = args.get(1) else {
        if compatible {
            out::put(" --\n");
            return Ok(0);
        }
        return Err(bad_use(args, "missing optstring argument"));
    };
    if compatible || !first.starts_with(b"-") {
        job.quoting = None;
        let signs = first.iter().take_while(|b| matches!(b, b'-' | b'+')).count();
        job.short = first.get(signs..).map(<[u8]>::to_vec);
        return Ok(job.generate(args.get(2..).unwrap_or_default()));
    }
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    for g in &parsed.options {
        let value = g.text();
        match g.id {
            "a" => job.single_dash = true,
            "o" => job.short = Some(value.to_vec()),
            "l" => job.add_long(args, value)?,
            "n" => job.name = value.to_vec(),
            "q" => job.quiet = true,
            "Q" => job.quiet_output = true,
            "s" => {
                let shell = Shell::named(value)
                    .ok_or_else(|| bad_use(args, "unknown shell after -s or --shell argument"))?;
                job.quoting = job.quoting.and(Some(shell));
            }
            "T" => return Ok(ENHANCED),
            "u" => job.quoting = None,
            _ => return Err(options::usual(&SPEC, args, g)),
        }
    }
    let mut parameters = parsed.operands.as_slice();
    if job.short.is_none() {
        let Some((first, rest)) = parameters.split_first() else {
            return Err(bad_use(args, "missing optstring argument"));
        };
        job.short = Some(first.clone());
        parameters = rest;
    }
    Ok(job.generate(parameters))
}

fn bad_use(args: &[Vec<u8>], text: &str) -> i32 {
    say::error(args, text);
    options::try_help(&SPEC, args)
}

impl Job {
    fn add_long(&mut self, args: &[Vec<u8>], list: &[u8]) -> Result<(), i32> {
        for word in list.split(|b| b", \t\n".contains(b)).filter(|w| !w.is_empty()) {
            let (name, value) = match (word.strip_suffix(b"::"), word.strip_suffix(b":")) {
                (Some(name), _) => (name, Value::Optional),
                (None, Some(name)) => (name, Value::Required),
                (None, None) => (word, Value::None),
            };
            if name.is_empty() {
                return Err(bad_use(args, "empty long option after -l or --long argument"));
            }
            self.long.push((name.to_vec(), value));
        }
        Ok(())
    }

    /// Prints the parameters in order and returns the exit status.
    fn generate(&self, parameters: &[Vec<u8>]) -> i32 {
        /// The number of the first long option.
        const LONG: u32 = 256;
        let short = self.short.as_deref().unwrap_or_default();
        let (order, short) = match short.first() {
            Some(b'-') => (Order::InPlace, short.get(1..).unwrap_or_default()),
            Some(b'+') => (Order::First, short.get(1..).unwrap_or_default()),
            _ if self.posix => (Order::First, short),
            _ => (Order::Permute, short),
        };
        let silent = short.first() == Some(&b':');
        let long: Vec<Long<'_>> =
            self.long.iter().zip(LONG..).map(|((name, value), id)| (name.as_slice(), *value, id)).collect();
        let known = Known { order, short, long: &long, single_dash: self.single_dash };
        let parsed = options::parse(parameters, &known);
        let mut code = 0;
        for item in &parsed.items {
            match item {
                Item::Wrong(text) => {
                    code = 1;
                    if !self.quiet && !silent {
                        say::raw([&self.name, b": ".as_slice(), text, b"\n"].concat());
                    }
                }
                Item::Operand(text) => self.put(b" ", text),
                Item::Option(id, value) => {
                    let takes = match id.checked_sub(LONG).and_then(|i| long.get(i as usize)) {
                        Some(l) => {
                            self.raw(&[b" --", l.0].concat());
                            l.1 != Value::None
                        }
                        None => {
                            let letter = u8::try_from(*id).unwrap_or_default();
                            self.raw(&[b' ', b'-', letter]);
                            let at = short.iter().position(|b| *b == letter);
                            at.and_then(|i| short.get(i + 1)) == Some(&b':')
                        }
                    };
                    if takes {
                        self.put(b" ", value.as_deref().unwrap_or_default());
                    }
                }
            }
        }
        self.raw(b" --");
        for operand in &parsed.operands {
            self.put(b" ", operand);
        }
        self.raw(b"\n");
        code
    }

    fn raw(&self, text: &[u8]) {
        if !self.quiet_output {
            out::put(text);
        }
    }

    fn put(&self, before: &[u8], text: &[u8]) {
        self.raw(before);
        match self.quoting {
            Some(shell) => self.raw(&shell.quote(text)),
            None => self.raw(text),
        }
    }
}

const HELP: &str = "
Usage:
 getopt <optstring> <parameters>
 getopt [options] [--] <optstring> <parameters>
 getopt [options] -o|--options <optstring> [options] [--] <parameters>

Checks the options of a script, and prints them in an order that is easy to walk through: options, `--`, all else.

 -o, --options <optstring>     letters; `:` behind one stands for a value, `::` for one that may be missing
 -l, --longoptions <longopts>  names with commas, and with colons as above
 -a, --alternative             names may have a single dash
 -n, --name <progname>         what messages begin with
 -s, --shell <shell>           quote for sh, bash, csh or tcsh
 -u, --unquoted                do not quote
 -q, --quiet                   no messages
 -Q, --quiet-output            nothing else
 -T, --test                    only end with status 4, which the oldest getopts do not
 -h, --help                    this text
 -V, --version                 the version

Example:
 eval set -- \"$(getopt -o vo: -l verbose,output: -- \"$@\")\"
";
