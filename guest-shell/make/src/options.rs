//! Options, of the command line and of `MAKEFLAGS`.

use crate::say::bytes;
use crate::text::{Text, is_blank};
use crate::usage;
use sandshell_cli::options::{Given, Order, Spec, hidden, listed};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) always: bool,
    pub(crate) debug: bool,
    pub(crate) env_wins: bool,
    pub(crate) ignore: bool,
    pub(crate) just_print: bool,
    pub(crate) keep_going: bool,
    pub(crate) no_rules: bool,
    pub(crate) no_variables: bool,
    pub(crate) print_data: bool,
    pub(crate) question: bool,
    pub(crate) silent: bool,
    pub(crate) touch: bool,
    pub(crate) trace: bool,
    pub(crate) warn_undefined: bool,
    pub(crate) print_directory: Option<bool>,
    /// At once; 0 is without a limit.
    pub(crate) jobs: usize,
    pub(crate) jobs_given: bool,
    pub(crate) output_sync: Option<Text>,
    pub(crate) directories: Vec<Text>,
    pub(crate) makefiles: Vec<Text>,
    pub(crate) include_dirs: Vec<Text>,
    pub(crate) assume_new: Vec<Text>,
    pub(crate) assume_old: Vec<Text>,
    pub(crate) evals: Vec<Text>,
    pub(crate) goals: Vec<Text>,
    /// `NAME=VALUE` as given, the last one first.
    pub(crate) variables: Vec<Text>,
    pub(crate) help: bool,
    pub(crate) version: bool,
}

const SPEC: Spec = Spec {
    name: "make",
    options: &[
        listed(usage::OPTIONS),
        hidden("none", "-b, -m, -L, --check-symlink-times"),
        hidden("none", "-l[N], --max-load[=N], --load-average[=N]"),
        hidden("O", "-O[TYPE], --output-sync[=TYPE]"),
    ],
    ties: &[
        "always-make",
        "directory",
        "debug",
        "environment-overrides",
        "eval",
        "file",
        "makefile",
        "help",
        "ignore-errors",
        "include-dir",
        "jobs",
        "keep-going",
        "load-average",
        "max-load",
        "check-symlink-times",
        "just-print",
        "dry-run",
        "recon",
        "old-file",
        "assume-old",
        "output-sync",
        "print-data-base",
        "question",
        "no-builtin-rules",
        "no-builtin-variables",
        "silent",
        "quiet",
        "no-silent",
        "no-keep-going",
        "stop",
        "touch",
        "trace",
        "version",
        "print-directory",
        "no-print-directory",
        "what-if",
        "new-file",
        "assume-new",
        "warn-undefined-variables",
    ],
    order: Order::InPlace,
    ..Spec::DEFAULT
};

impl Options {
    pub(crate) fn new() -> Self {
        Self { jobs: 1, ..Self::default() }
    }

    /// Reads arguments without the program's name.
    ///
    /// # Errors
    /// The message, if an option is wrong.
    pub(crate) fn read(&mut self, args: &[Text]) -> std::result::Result<(), Text> {
        let args = join_numbers(args);
        // An unknown option is among the others, and help is one of them.
        let Ok(parsed) = SPEC.parse_all(&args) else { return Ok(()) };
        for g in parsed.options {
            self.option(g)?;
        }
        parsed.operands.into_iter().for_each(|word| self.operand(word));
        Ok(())
    }

    fn operand(&mut self, word: Text) {
        if crate::vars::parse_assignment(&word).is_some() {
            self.variables.insert(0, word);
        } else if !word.is_empty() {
            self.goals.push(word);
        }
    }

    fn option(&mut self, g: Given) -> std::result::Result<(), Text> {
        let value = g.value;
        match g.id {
            "" => self.operand(value.unwrap_or_default()),
            "?" => return Err(value.unwrap_or_default()),
            "B" => self.always = true,
            "C" => self.directories.extend(value),
            "d" => self.debug = true,
            "e" => self.env_wins = true,
            "E" => self.evals.extend(value),
            "f" => self.makefiles.extend(value),
            "h" => self.help = true,
            "i" => self.ignore = true,
            "I" => self.include_dirs.extend(value),
            "j" => self.set_jobs(value)?,
            "k" => self.keep_going = true,
            "n" => self.just_print = true,
            "o" => self.assume_old.extend(value),
            "O" => self.output_sync = Some(value.unwrap_or_else(|| b"target".to_vec())),
            "p" => self.print_data = true,
            "q" => self.question = true,
            "r" => self.no_rules = true,
            "R" => (self.no_rules, self.no_variables) = (true, true),
            "s" => self.silent = true,
            "no-silent" => self.silent = false,
            "S" => self.keep_going = false,
            "t" => self.touch = true,
            "trace" => self.trace = true,
            "v" => self.version = true,
            "w" => self.print_directory = Some(true),
            "no-print-directory" => self.print_directory = Some(false),
            "W" => self.assume_new.extend(value),
            "warn-undefined-variables" => self.warn_undefined = true,
            _ => {}
        }
        Ok(())
    }

    fn set_jobs(&mut self, value: Option<Text>) -> std::result::Result<(), Text> {
        self.jobs_given = true;
        self.jobs = match value {
            None => 0,
            Some(text) => {
                let number = std::str::from_utf8(&text).ok().and_then(|t| t.parse::<usize>().ok());
                match number.filter(|n| *n > 0) {
                    Some(n) => n,
                    None => return Err(b"the '-j' option requires a positive integer argument".to_vec()),
                }
            }
        };
        Ok(())
    }

    /// Reads the value of `MAKEFLAGS`: letters may come first without a dash.
    pub(crate) fn read_flags(&mut self, flags: &[u8]) {
        let mut words = quoted_words(flags);
        if let Some(first) = words.first_mut()
            && !first.starts_with(b"-")
            && crate::vars::parse_assignment(first).is_none()
        {
            first.insert(0, b'-');
        }
        let goals = self.goals.len();
        let known = self.variables.clone();
        let _ = self.read(&words);
        // Only options and variables are passed on this way.
        self.goals.truncate(goals);
        let mut seen = Vec::new();
        self.variables.retain(|v| {
            let new = !seen.contains(v);
            seen.push(v.clone());
            new
        });
        if !known.is_empty() {
            let rest: Vec<Text> = self.variables.iter().filter(|v| !known.contains(v)).cloned().collect();
            self.variables = known.into_iter().chain(rest).collect();
        }
    }

    /// The options as `MAKEFLAGS` has them, without variables.
    pub(crate) fn makeflags(&self) -> Text {
        let mut out = Text::new();
        for (letter, on) in [
            (b'B', self.always),
            (b'd', self.debug),
            (b'e', self.env_wins),
            (b'i', self.ignore),
            (b'k', self.keep_going),
            (b'n', self.just_print),
            (b'p', self.print_data),
            (b'q', self.question),
            (b'r', self.no_rules),
            (b'R', self.no_variables),
            (b's', self.silent),
            (b't', self.touch),
            (b'w', self.print_directory == Some(true)),
        ] {
            if on {
                out.push(letter);
            }
        }
        for dir in &self.include_dirs {
            out.extend_from_slice(&bytes!(" -I", dir));
        }
        if self.jobs_given {
            out.extend_from_slice(b" -j");
            if self.jobs > 0 {
                out.extend_from_slice(self.jobs.to_string().as_bytes());
            }
        }
        if let Some(kind) = &self.output_sync {
            out.extend_from_slice(&bytes!(" -O", kind));
        }
        for text in &self.evals {
            out.extend_from_slice(&bytes!(" --eval=", escaped(text)));
        }
        if self.print_directory == Some(false) {
            out.extend_from_slice(b" --no-print-directory");
        }
        if self.trace {
            out.extend_from_slice(b" --trace");
        }
        if self.warn_undefined {
            out.extend_from_slice(b" --warn-undefined-variables");
        }
        out
    }
}

/// A value so that it is one word of `MAKEFLAGS`.
pub(crate) fn escaped(text: &[u8]) -> Text {
    let mut out = Text::new();
    for b in text {
        match b {
            b'$' => out.extend_from_slice(b"$$"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b if is_blank(*b) => out.extend_from_slice(&[b'\\', *b]),
            b => out.push(*b),
        }
    }
    out
}

fn quoted_words(text: &[u8]) -> Vec<Text> {
    let mut out = Vec::new();
    let mut word: Option<Text> = None;
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        match b {
            b if is_blank(*b) => out.extend(word.take()),
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            b => word.get_or_insert_default().push(*b),
        }
    }
    out.extend(word);
    out
}

// `-j 4` is `-j4`, though the value is optional.
fn join_numbers(args: &[Text]) -> Vec<Text> {
    let mut out: Vec<Text> = Vec::new();
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let mut arg = arg.clone();
        if arg == b"--" {
            out.push(arg);
            out.extend(args.by_ref().cloned());
            break;
        }
        let cluster = arg.len() > 1 && arg.starts_with(b"-") && !arg.starts_with(b"--");
        let takes = cluster
            && arg.last().is_some_and(|b| b"jl".contains(b))
            && !arg.iter().any(|b| b"CEfIoW".contains(b));
        if takes && args.peek().is_some_and(|n| n.first().is_some_and(u8::is_ascii_digit)) {
            arg.extend(args.next().into_iter().flatten());
        }
        out.push(arg);
    }
    out
}
