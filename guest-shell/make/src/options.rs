//! Options, of the command line and of `MAKEFLAGS`.

use crate::say::bytes;
use crate::text::{Text, is_blank};
use sandshell_cli::arguments::{Arg, Long, Value};

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

const DEBUG: u32 = 1000;
const EVAL: u32 = 1001;
const NO_PRINT_DIRECTORY: u32 = 1002;
const WARN_UNDEFINED: u32 = 1003;
const TRACE: u32 = 1004;
const NO_SILENT: u32 = 1005;

const SHORT: &str = "bmBC:deE:f:hiI:j::kl::Lno:O::pqrRsStvwW:";

const LONG: &[Long] = &[
    ("always-make", Value::None, b'B' as u32),
    ("directory", Value::Required, b'C' as u32),
    ("debug", Value::Optional, DEBUG),
    ("environment-overrides", Value::None, b'e' as u32),
    ("eval", Value::Required, EVAL),
    ("file", Value::Required, b'f' as u32),
    ("makefile", Value::Required, b'f' as u32),
    ("help", Value::None, b'h' as u32),
    ("ignore-errors", Value::None, b'i' as u32),
    ("include-dir", Value::Required, b'I' as u32),
    ("jobs", Value::Optional, b'j' as u32),
    ("keep-going", Value::None, b'k' as u32),
    ("load-average", Value::Optional, b'l' as u32),
    ("max-load", Value::Optional, b'l' as u32),
    ("check-symlink-times", Value::None, b'L' as u32),
    ("just-print", Value::None, b'n' as u32),
    ("dry-run", Value::None, b'n' as u32),
    ("recon", Value::None, b'n' as u32),
    ("old-file", Value::Required, b'o' as u32),
    ("assume-old", Value::Required, b'o' as u32),
    ("output-sync", Value::Optional, b'O' as u32),
    ("print-data-base", Value::None, b'p' as u32),
    ("question", Value::None, b'q' as u32),
    ("no-builtin-rules", Value::None, b'r' as u32),
    ("no-builtin-variables", Value::None, b'R' as u32),
    ("silent", Value::None, b's' as u32),
    ("quiet", Value::None, b's' as u32),
    ("no-silent", Value::None, NO_SILENT),
    ("no-keep-going", Value::None, b'S' as u32),
    ("stop", Value::None, b'S' as u32),
    ("touch", Value::None, b't' as u32),
    ("trace", Value::None, TRACE),
    ("version", Value::None, b'v' as u32),
    ("print-directory", Value::None, b'w' as u32),
    ("no-print-directory", Value::None, NO_PRINT_DIRECTORY),
    ("what-if", Value::Required, b'W' as u32),
    ("new-file", Value::Required, b'W' as u32),
    ("assume-new", Value::Required, b'W' as u32),
    ("warn-undefined-variables", Value::None, WARN_UNDEFINED),
];

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
        let (parsed, wrong) = sandshell_cli::arguments::parse(&args, SHORT, LONG, true);
        for arg in parsed {
            match arg {
                Arg::Operand(word) => self.operand(word),
                Arg::Option(id, value, _) => self.option(id, value)?,
            }
        }
        match wrong {
            Some(text) => Err(text),
            None => Ok(()),
        }
    }

    fn operand(&mut self, word: Text) {
        if crate::vars::parse_assignment(&word).is_some() {
            self.variables.insert(0, word);
        } else if !word.is_empty() {
            self.goals.push(word);
        }
    }

    fn option(&mut self, id: u32, value: Option<Text>) -> std::result::Result<(), Text> {
        match id {
            DEBUG => self.debug = true,
            EVAL => self.evals.extend(value),
            NO_PRINT_DIRECTORY => self.print_directory = Some(false),
            WARN_UNDEFINED => self.warn_undefined = true,
            TRACE => self.trace = true,
            NO_SILENT => self.silent = false,
            _ => match u8::try_from(id).unwrap_or_default() {
                b'B' => self.always = true,
                b'C' => self.directories.extend(value),
                b'd' => self.debug = true,
                b'e' => self.env_wins = true,
                b'E' => self.evals.extend(value),
                b'f' => self.makefiles.extend(value),
                b'h' => self.help = true,
                b'i' => self.ignore = true,
                b'I' => self.include_dirs.extend(value),
                b'j' => self.set_jobs(value)?,
                b'k' => self.keep_going = true,
                b'n' => self.just_print = true,
                b'o' => self.assume_old.extend(value),
                b'O' => self.output_sync = Some(value.unwrap_or_else(|| b"target".to_vec())),
                b'p' => self.print_data = true,
                b'q' => self.question = true,
                b'r' => self.no_rules = true,
                b'R' => {
                    self.no_rules = true;
                    self.no_variables = true;
                }
                b's' => self.silent = true,
                b'S' => self.keep_going = false,
                b't' => self.touch = true,
                b'v' => self.version = true,
                b'w' => self.print_directory = Some(true),
                b'W' => self.assume_new.extend(value),
                _ => {}
            },
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
