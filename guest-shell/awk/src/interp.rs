//! Running a program.

mod arrays;
mod assign;
mod call;
mod dump;
mod errno;
mod eval;
mod exec;
mod inplace;
mod input;
mod lint;
mod math;
mod output;
mod regex;
mod sort;
mod strings;
mod symtab;
mod timeout;
mod times;

use crate::array::Key;
use crate::ast::*;
use crate::diag::{self, Pos, bytes};
use crate::float;
use crate::number;
use crate::parser::Options;
use crate::pattern::Pattern;
use crate::random::Random;
use crate::reader::{Reader, Terminator};
use crate::record::{Record, Separator};
use crate::special;
use crate::streams::{Output, Stream};
use crate::value::{ArrayRef, Value};
use sandshell_sys as sys;
use std::collections::HashMap;
use std::rc::Rc;

/// Why evaluation stops.
#[derive(Debug)]
pub(crate) enum Unwind {
    Next,
    NextFile,
    Exit,
    /// A fatal error. The message has been written.
    Fatal,
    /// Standard output is a pipe without a reader.
    Pipe,
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Status {
    /// At its end or by `exit`.
    Ended(i32),
    /// By an error.
    Failed(i32),
}

impl Status {
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Ended(n) | Self::Failed(n) => n,
        }
    }

    /// The exit status, unless an error ended the program.
    pub(crate) fn ended(self) -> Option<i32> {
        match self {
            Self::Ended(n) => Some(n),
            Self::Failed(_) => None,
        }
    }
}

pub(crate) type R<T> = Result<T, Unwind>;

/// Where a parameter without a value came from. If it becomes an array, this place becomes one too.
#[derive(Clone)]
enum Origin {
    None,
    Global(u32),
    /// A position on the stack.
    Stack(usize),
    Elem(ArrayRef, crate::array::OwnKey),
}

/// The state of a running program.
pub(crate) struct Interp<'p> {
    program: &'p Program,
    options: Options,
    globals: Vec<Value>,
    stack: Vec<Value>,
    origins: Vec<Origin>,
    base: usize,
    /// The position of the native stack at the first function call.
    stack_top: usize,
    /// The functions being run, for messages.
    frames: Vec<u32>,
    /// The positions on the stack where their parameters begin.
    bases: Vec<usize>,
    pos: Pos,
    record: Record,
    nr: f64,
    fnr: f64,
    separator: Separator,
    terminator: Terminator,
    ofs: Vec<u8>,
    ors: Vec<u8>,
    subsep: Vec<u8>,
    convfmt: NumberFormat,
    ofmt: NumberFormat,
    ignore_case: bool,
    split_by: SplitBy,
    stdout: Output,
    streams: Vec<Stream>,
    main: Option<Reader>,
    /// Whether any operand was a file.
    file_seen: bool,
    arg: usize,
    ranges: Vec<bool>,
    returned: Value,
    exit_status: i32,
    dynamic: HashMap<Vec<u8>, Rc<Pattern>>,
    last_dynamic: Option<Rc<Pattern>>,
    scratch: Vec<Vec<u8>>,
    random: Random,
    seed: f64,
    environment: Vec<Vec<u8>>,
    /// `--non-decimal-data`.
    non_decimal: bool,
    /// Whether a rule is being run. `next` is allowed only there.
    in_rule: bool,
    /// Whether the warning about invalid UTF-8 has been printed.
    warned_invalid: bool,
    in_begin_file: bool,
    /// Variables that were assigned on the command line.
    assigned: Vec<u32>,
    /// Messages that must wait until the text being printed is in the buffer.
    held: Option<Vec<Vec<u8>>>,
    /// Whether reads may have a time limit.
    timeouts: bool,
    /// The kind of code being run, for messages.
    place_name: &'static str,
    /// State of `-i inplace`: output goes to the file that is being read.
    in_place: Option<inplace::InPlace>,
}

/// The variable that determines how fields are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SplitBy {
    Fs,
    Widths,
    Content,
}

/// `CONVFMT` or `OFMT`.
struct NumberFormat {
    text: Vec<u8>,
    /// The precision, if the format is `%.Ng`.
    general: Option<usize>,
}

impl NumberFormat {
    fn new(text: &[u8]) -> Self {
        let general = text
            .strip_prefix(b"%.")
            .and_then(|t| t.strip_suffix(b"g"))
            .filter(|d| (1..3).contains(&d.len()) && d.iter().all(u8::is_ascii_digit))
            .and_then(|d| std::str::from_utf8(d).ok()?.parse().ok());
        Self { text: text.to_vec(), general }
    }

    /// Appends a number. Integers are written in full, others by the format.
    fn push(&self, out: &mut Vec<u8>, n: f64) {
        if let Some(i) = number::as_int(n) {
            number::push_int(out, i);
        } else if let Some(word) = float::special(n) {
            out.extend_from_slice(word.as_bytes());
        } else if n.fract() == 0.0 {
            out.extend_from_slice(format!("{n:.0}").as_bytes());
        } else if let Some(p) = self.general {
            float::push_g(out, n, p);
        } else {
            let cx = crate::printf::Context { push: &|_, _| {}, bytes: false, posix: false, notes: None };
            if crate::printf::format(out, &self.text, &[Value::Num(n)], &cx).is_err() {
                float::push_g(out, n, 6);
            }
        }
    }
}

impl<'p> Interp<'p> {
    pub(crate) fn new(program: &'p Program, options: Options, environment: Vec<Vec<u8>>) -> Self {
        let count = program.globals.len().max(special::COUNT as usize);
        let mut ranges = 0;
        for rule in &program.rules {
            if let Condition::Range(_, _, n) = rule.pattern {
                ranges = ranges.max(n + 1);
            }
        }
        let mut interp = Self {
            program,
            options,
            globals: vec![Value::Untyped; count],
            stack: Vec::new(),
            origins: Vec::new(),
            base: 0,
            stack_top: 0,
            frames: Vec::new(),
            bases: Vec::new(),
            pos: Pos::default(),
            record: Record::default(),
            nr: 0.0,
            fnr: 0.0,
            separator: Separator::Blanks,
            terminator: Terminator::Byte(b'\n'),
            ofs: b" ".to_vec(),
            ors: b"\n".to_vec(),
            subsep: b"\x1c".to_vec(),
            convfmt: NumberFormat::new(b"%.6g"),
            ofmt: NumberFormat::new(b"%.6g"),
            ignore_case: false,
            split_by: SplitBy::Fs,
            stdout: Output::new(1, false),
            streams: Vec::new(),
            main: None,
            file_seen: false,
            arg: 1,
            ranges: vec![false; ranges],
            returned: Value::Unassigned,
            exit_status: 0,
            dynamic: HashMap::new(),
            last_dynamic: None,
            scratch: Vec::new(),
            random: Random::new(1),
            seed: 1.0,
            environment,
            non_decimal: false,
            in_rule: false,
            warned_invalid: false,
            in_begin_file: false,
            assigned: Vec::new(),
            held: None,
            timeouts: program.mentions_timeout,
            place_name: "BEGIN",
            in_place: None,
        };
        interp.predefine();
        interp
    }

    pub(crate) fn set_non_decimal(&mut self) {
        self.non_decimal = true;
    }

    /// Turns on `-i inplace`.
    pub(crate) fn set_in_place(&mut self) {
        self.in_place = Some(inplace::InPlace::default());
    }

    fn predefine(&mut self) {
        use special::*;
        let texts: &[(u32, &[u8])] = &[
            (FS, b" "),
            (RS, b"\n"),
            (OFS, b" "),
            (ORS, b"\n"),
            (SUBSEP, b"\x1c"),
            (CONVFMT, b"%.6g"),
            (OFMT, b"%.6g"),
            (FPAT, b"[^[:space:]]+"),
            (FIELDWIDTHS, b""),
            (TEXTDOMAIN, b"messages"),
            (RT, b""),
            (FILENAME, b""),
            (ERRNO, b""),
            (ROUNDMODE, b"N"),
        ];
        for (place, text) in texts {
            self.globals[*place as usize] = Value::text(text);
        }
        for place in [NF, NR, FNR, IGNORECASE, BINMODE, LINT, RSTART, RLENGTH, ARGIND] {
            self.globals[place as usize] = Value::Num(0.0);
        }
        self.globals[PREC as usize] = Value::Num(53.0);
        self.globals[SYMTAB as usize] = Value::Array(Value::new_array());
        let environ = Value::new_array();
        for entry in &self.environment {
            let n = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
            let value = entry.get(n + 1..).unwrap_or_default();
            *environ.borrow_mut().slot(Key::of_text(&entry[..n])) =
                Value::Input(crate::text::Text::new(value));
        }
        for (name, value) in special::PATHS {
            let mut environ = environ.borrow_mut();
            let slot = environ.slot(Key::Text(name));
            if let Value::Untyped = slot {
                *slot = Value::Input(crate::text::Text::new(value));
            }
        }
        self.globals[ENVIRON as usize] = Value::Array(environ);
        let functions = Value::new_array();
        for f in self.program.functions.iter().filter(|f| f.defined) {
            *functions.borrow_mut().slot(Key::Text(&f.name)) = Value::text(&f.name);
        }
        for name in crate::builtin::names() {
            *functions.borrow_mut().slot(Key::Text(name.as_bytes())) = Value::text(name.as_bytes());
        }
        self.globals[FUNCTAB as usize] = Value::Array(functions);
        let info = Value::new_array();
        self.fill_procinfo(&info);
        self.globals[PROCINFO as usize] = Value::Array(info);
    }

    fn fill_procinfo(&self, info: &ArrayRef) {
        let (uid, gid) = sys::getids();
        let mut info = info.borrow_mut();
        let mut set = |name: &str, value: Value| *info.slot(Key::Text(name.as_bytes())) = value;
        set("version", Value::text(b"5.2.1"));
        set("strftime", Value::text(b"%a %b %e %H:%M:%S %Z %Y"));
        set("platform", Value::text(b"posix"));
        set("pid", Value::Num(sys::getpid().into()));
        set("ppid", Value::Num(sys::getppid().into()));
        set("pgrpid", Value::Num(sys::getpgid(0).unwrap_or(0).into()));
        set("uid", Value::Num(uid.into()));
        set("euid", Value::Num(uid.into()));
        set("gid", Value::Num(gid.into()));
        set("egid", Value::Num(gid.into()));
        set("FS", Value::text(b"FS"));
        set("api_major", Value::Num(3.0));
        set("api_minor", Value::Num(2.0));
        let argv = Value::new_array();
        for (i, arg) in std::env::args_os().enumerate() {
            let arg = crate::text::Text::from_vec(arg.into_encoded_bytes());
            *argv.borrow_mut().slot(Key::Int(i as i64)) = Value::Input(arg);
        }
        set("argv", Value::Array(argv));
    }

    /// Sets `ARGV` and `ARGC`.
    pub(crate) fn set_arguments(&mut self, args: &[Vec<u8>]) {
        let argv = Value::new_array();
        for (i, arg) in args.iter().enumerate() {
            *argv.borrow_mut().slot(Key::Int(i as i64)) = Value::Input(crate::text::Text::new(arg));
        }
        self.globals[special::ARGV as usize] = Value::Array(argv);
        self.globals[special::ARGC as usize] = Value::Num(args.len() as f64);
    }

    /// Runs the whole program. Returns the exit status.
    pub(crate) fn run(&mut self) -> Status {
        let _ = sys::sigaction(sys::signal::SIGPIPE, sys::Disposition::Ignore);
        let result = self.run_rules();
        let status = match result {
            Ok(()) | Err(Unwind::Next | Unwind::NextFile | Unwind::Exit) => {
                // `exit` in BEGIN or in a rule still runs END. In END it ends the program.
                self.exit_status
            }
            Err(Unwind::Fatal) => {
                let _ = self.flush_all();
                return Status::Failed(2);
            }
            Err(Unwind::Pipe) => return Status::Failed(self.die_of_pipe()),
        };
        if let Err(Unwind::Fatal) = self.close_all() {
            return Status::Failed(2);
        }
        Status::Ended(if self.exit_status != status { self.exit_status } else { status })
    }

    fn run_rules(&mut self) -> R<()> {
        let program = self.program;
        for block in &program.begin {
            if self.block_until_exit(block)? {
                return Ok(());
            }
        }
        let reads = !(program.rules.is_empty()
            && program.end.is_empty()
            && program.begin_file.is_empty()
            && program.end_file.is_empty());
        let reads = reads || self.in_place.is_some();
        let mut exited = false;
        if reads {
            self.in_rule = true;
            let looped = self.main_loop();
            self.in_rule = false;
            exited = match looped {
                Ok(()) => false,
                Err(Unwind::Exit) => true,
                Err(other) => return Err(other),
            };
        }
        let _ = exited;
        self.place_name = "END";
        for block in &program.end {
            if self.block_until_exit(block)? {
                return Ok(());
            }
        }
        Ok(())
    }

    // Runs a BEGIN or END block. After `exit` in BEGIN, END follows.
    fn block_until_exit(&mut self, block: &'p Block) -> R<bool> {
        match self.exec_block(block) {
            Ok(_) => Ok(false),
            Err(Unwind::Exit) => {
                if self.program.begin.iter().any(|b| std::ptr::eq(b, block)) {
                    for end in &self.program.end {
                        match self.exec_block(end) {
                            Ok(_) => {}
                            Err(Unwind::Exit) => break,
                            Err(e) => return Err(e),
                        }
                    }
                }
                Ok(true)
            }
            Err(e) => Err(e),
        }
    }

    fn main_loop(&mut self) -> R<()> {
        let program = self.program;
        loop {
            match self.next_main_record() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(Unwind::NextFile) => continue,
                Err(e) => return Err(e),
            }
            for rule in &program.rules {
                match self.run_rule(rule) {
                    Ok(()) => {}
                    Err(Unwind::Next) => {
                        self.clear_stack();
                        break;
                    }
                    Err(Unwind::NextFile) => {
                        self.clear_stack();
                        self.skip_file()?;
                        break;
                    }
                    Err(e) => return Err(e),
                }
            }
        }
    }

    // Removes the arguments of calls that were not completed.
    fn clear_stack(&mut self) {
        self.stack.clear();
        self.origins.clear();
        self.base = 0;
    }

    fn run_rule(&mut self, rule: &'p Rule) -> R<()> {
        self.pos = rule.pos;
        let matches = match &rule.pattern {
            Condition::Always => true,
            Condition::When(e) => self.truth(e)?,
            Condition::Range(first, last, n) => {
                if !self.ranges[*n] && !self.truth(first)? {
                    false
                } else {
                    self.ranges[*n] = !self.truth(last)?;
                    true
                }
            }
        };
        if !matches {
            return Ok(());
        }
        match &rule.action {
            Some(block) => self.exec_block(block).map(drop),
            None => self.print_record(),
        }
    }

    /// Writes a fatal message.
    #[inline(never)]
    pub(super) fn fatal(&mut self, text: impl AsRef<[u8]>) -> Unwind {
        self.say(bytes!(self.place(), "fatal: ", text));
        Unwind::Fatal
    }

    #[inline(never)]
    pub(super) fn warn(&mut self, text: impl AsRef<[u8]>) {
        self.say(bytes!(self.place(), "warning: ", text));
    }

    // Writes a message after the output so far.
    fn say(&mut self, message: Vec<u8>) {
        match &mut self.held {
            Some(held) => held.push(message),
            None => {
                let _ = self.stdout.flush();
                diag::say(&message);
            }
        }
    }

    // The position in the program and in the input.
    #[inline(never)]
    fn place(&self) -> Vec<u8> {
        let mut place = diag::place(&self.program.sources, self.pos);
        if self.fnr > 0.0 {
            let mut text = Vec::new();
            let name = self.globals.get(special::FILENAME as usize).cloned().unwrap_or(Value::Unassigned);
            self.push_value(&name, &mut text);
            let mut fnr = Vec::new();
            self.convfmt.push(&mut fnr, self.fnr);
            place.extend(bytes!("(FILENAME=", text, " FNR=", fnr, ") "));
        }
        place
    }

    /// Appends the text of a value.
    pub(super) fn push_value(&self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Num(n) => self.convfmt.push(out, *n),
            Value::Bool(b) => out.push(if *b { b'1' } else { b'0' }),
            Value::Str(t) | Value::Input(t) => out.extend_from_slice(t.as_bytes()),
            Value::Index(i) => {
                i.seen_as_text.set(true);
                number::push_int(out, i.number);
            }
            Value::Regex(p) => out.extend_from_slice(p.source()),
            Value::Untyped | Value::Unassigned | Value::Missing | Value::Array(_) => {}
        }
    }

    pub(super) fn text_of(&self, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_value(value, &mut out);
        out
    }

    /// Warns about invalid UTF-8, but only once.
    pub(super) fn note_invalid(&mut self, text: &[u8]) {
        if !self.warned_invalid
            && !text.is_ascii()
            && !self.options.dialect.bytes
            && std::str::from_utf8(text).is_err()
        {
            self.warned_invalid = true;
            self.warn(
                "Invalid multibyte data detected. There may be a mismatch between your data and your locale",
            );
        }
    }

    pub(super) fn take_scratch(&mut self) -> Vec<u8> {
        self.scratch.pop().unwrap_or_default()
    }

    pub(super) fn give_scratch(&mut self, mut buf: Vec<u8>) {
        if self.scratch.len() < 16 && buf.capacity() < 1 << 20 {
            buf.clear();
            self.scratch.push(buf);
        }
    }
}
