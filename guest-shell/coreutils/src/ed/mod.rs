//! `ed`, the line editor.

mod address;
mod buffer;
mod command;
mod error;
mod global;
mod print;
mod substitute;
mod text;
mod transfer;

use buffer::{Buffer, Line};
use error::{Error, Result};
use sandshell_cli::options::{self, Order, Spec, option};
use sandshell_cli::{bytes, out, warn};
use sandshell_regex::Regex;
use sandshell_sys::{self as sys, Disposition, signal};
use std::ffi::OsString;
use std::rc::Rc;
use substitute::Substitution;
use text::{Lines, Text};
use transfer::Name;

/// How many lines `z` prints where there is no screen.
const WINDOW: usize = 22;

/// Runs `ed` and returns its exit status.
pub fn ed_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "ed",
        order: Order::Permute,
        usage: "\
Usage: ed [OPTION]... [FILE]
Edits a text line by line: FILE's, or what `!COMMAND` prints. Commands come from standard input.

",
        options: &[
            option("-E, --extended-regexp", "extended regular expressions"),
            option("-G, --traditional", "not available here"),
            option("-l, --loose-exit-status", "exit with 0 even if a command fails"),
            option("-p, --prompt=STRING", "ask for each command with STRING"),
            option("-q, --quiet, --silent", "no messages on standard error"),
            option("-r, --restricted", "only files in the working directory, and no commands of the shell"),
            option("-s, --script", "no counts of bytes, and no ! after a command of the shell"),
            option("-v, --verbose", "explain each ?, as the command H"),
            option("    --strip-trailing-cr", "remove a carriage return before each newline"),
        ],
        version: "(GNU ed) 1.19",
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let mut options = Options::default();
    let (mut prompt, mut is_verbose) = (None, false);
    for given in &parsed.options {
        match given.id {
            "E" => options.extended = true,
            "G" => {
                warn!("ed", "the option -G is not available here");
                return 1;
            }
            "l" => options.loose = true,
            "p" => prompt = Some(given.text().to_vec()),
            "q" => options.quiet = true,
            "r" => options.restricted = true,
            "s" => options.scripted = true,
            "v" => is_verbose = true,
            _ => options.strip_cr = true,
        }
    }
    let mut operands = parsed.operands;
    operands.retain(|operand| {
        options.scripted |= operand == b"-";
        operand != b"-"
    });
    let mut editor = Editor {
        is_verbose,
        is_prompting: prompt.is_some(),
        prompt: prompt.unwrap_or_else(|| b"*".to_vec()),
        options,
        buffer: Buffer::default(),
        lines: Lines::default(),
        text: Text::new(Vec::new(), false),
        marks: vec![None; 26],
        pattern: None,
        substitution: None,
        cut: Vec::new(),
        file: None,
        shell: None,
        list: None,
        explanation: String::new(),
        was_warned: false,
        window: sys::tty_size(1).map_or(WINDOW, |(rows, _)| rows.max(3) as usize - 2),
        is_binary: false,
        unterminated: None,
    };
    let status = editor.run(operands.into_iter().next());
    out::finish("ed", status, 1)
}

#[derive(Default)]
struct Options {
    extended: bool,
    loose: bool,
    quiet: bool,
    restricted: bool,
    scripted: bool,
    strip_cr: bool,
}

struct Editor {
    options: Options,
    buffer: Buffer,
    lines: Lines,
    /// The command that is read.
    text: Text,
    marks: Vec<Option<Rc<Line>>>,
    /// The last pattern.
    pattern: Option<Rc<Regex>>,
    substitution: Option<Substitution>,
    /// What `x` puts.
    cut: Vec<Rc<Line>>,
    /// The name of the file.
    file: Option<Vec<u8>>,
    /// The last command of the shell.
    shell: Option<Vec<u8>>,
    /// The last list of commands that was given to `G` or `V`.
    list: Option<Vec<u8>>,
    /// Why the last command failed.
    explanation: String,
    is_verbose: bool,
    prompt: Vec<u8>,
    is_prompting: bool,
    /// Whether the last command failed because of changes that are in no file.
    was_warned: bool,
    /// How many lines `z` prints.
    window: usize,
    /// Whether the text has NULs.
    is_binary: bool,
    /// The last line of a binary text, if it has no newline.
    unterminated: Option<Rc<Line>>,
}

impl Editor {
    /// Reads the file and executes commands; returns the exit status.
    fn run(&mut self, file: Option<Vec<u8>>) -> i32 {
        let _ = sys::sigaction(signal::SIGPIPE, Disposition::Ignore);
        if sys::isatty(0) {
            let _ = sys::sigaction(signal::SIGINT, Disposition::Catch);
        }
        let is_script = sys::fstat(0).is_ok_and(|found| found.mode & sys::S_IFMT == sys::S_IFREG);
        let mut status = 0;
        if let Some(file) = file {
            match self.edit_first(file) {
                Err(Error::File(path, Some(sys::Errno::NOENT), _)) if !is_script => {
                    self.complain(&path, Some(sys::Errno::NOENT));
                }
                Err(Error::File(path, errno, _)) if is_script => {
                    self.complain(&path, errno);
                    return 2;
                }
                Err(error) => {
                    self.report(&error, is_script);
                    status = 1;
                }
                Ok(()) => {}
            }
        }
        loop {
            if self.is_prompting {
                out::put(&self.prompt);
            }
            match self.next_command() {
                Ok(true) => self.was_warned = false,
                Ok(false) => match self.warn() {
                    Ok(()) => break,
                    Err(error) => {
                        self.report(&error, is_script);
                        return if self.options.loose { 0 } else { 2 };
                    }
                },
                Err(Error::Quit) => break,
                Err(error) => {
                    self.was_warned = matches!(error, Error::Unsaved);
                    self.report(&error, is_script);
                    status = i32::from(!self.options.loose);
                    if is_script {
                        break;
                    }
                }
            }
        }
        status
    }

    fn edit_first(&mut self, file: Vec<u8>) -> Result<()> {
        let name = match file.strip_prefix(b"!") {
            Some(line) => {
                self.text = Text::new([line, b"\n"].concat(), false);
                Name::Shell(self.shell_line()?)
            }
            None => {
                self.may_use(&file)?;
                Name::File(file)
            }
        };
        self.edit(Some(name))
    }

    /// Executes the next command of standard input. `false` at its end.
    fn next_command(&mut self) -> Result<bool> {
        let Some(line) = self.lines.next()? else { return Ok(false) };
        self.text = Text::new(line, false);
        self.buffer.begin();
        self.command().map(|()| true)
    }

    /// Tells that a command failed.
    fn report(&mut self, error: &Error, is_script: bool) {
        if let Error::File(path, errno, _) = error {
            self.complain(path, *errno);
        }
        self.explanation = error.explanation().to_owned();
        out::put(if matches!(error, Error::Interrupted) { "\n?\n" } else { "?\n" });
        if self.is_verbose {
            if is_script {
                out::put(format!("script, line {}: ", self.lines.count));
            }
            out::put([self.explanation.as_bytes(), b"\n"].concat());
        }
    }

    /// Says on standard error what is wrong with a file.
    fn complain(&self, path: &[u8], errno: Option<sys::Errno>) {
        if !self.options.quiet {
            out::flush();
            let said = errno.map_or_else(|| "Success".to_owned(), |errno| errno.to_string());
            let _ = sys::write_all(2, &bytes!(path, ": ", said, "\n"));
        }
    }
}
