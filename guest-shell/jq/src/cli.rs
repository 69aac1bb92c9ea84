//! The command line: options, program, inputs, outputs, exit statuses.

use crate::dump::{self, Colors, Indent, Style};
use crate::input::{self, Input};
use crate::machine::{Event, Machine};
use crate::modules::{self, Loader};
use crate::object::Object;
use crate::options::{self, Options};
use crate::text::Text;
use crate::value::Val;
use sandshell_sys as sys;
use std::cell::RefCell;
use std::rc::Rc;

/// Runs jq. `args[0]` is the name in messages about options. Returns the exit status.
pub fn jq_main(args: Vec<Vec<u8>>) -> i32 {
    match run(args, None, None) {
        Ok(status) | Err(status) => status,
    }
}

/// Runs jq for another program. `input` replaces standard input. If `output` is given, results are appended there
/// instead of being printed. Numbers with a point or an exponent are doubles. Returns the exit status.
pub fn jq_filter(args: Vec<Vec<u8>>, input: Vec<u8>, output: Option<&mut Vec<u8>>) -> i32 {
    match run(args, Some(input), output) {
        Ok(status) | Err(status) => status,
    }
}

/// Exit statuses.
const SYSTEM: i32 = 2;
const COMPILE: i32 = 3;
const UNKNOWN: i32 = 5;
const NO_OUTPUT: i32 = 4;

/// The output is written when the buffer has this size.
const LIMIT: usize = 64 * 1024;

/// The result of processing one input.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    /// The last output was neither null nor false.
    Good,
    /// The last output was null or false.
    Falsy,
    Nothing,
    Failed(i32),
    Halted(i32),
}

fn run(args: Vec<Vec<u8>>, given: Option<Vec<u8>>, output: Option<&mut Vec<u8>>) -> Result<i32, i32> {
    sandshell_sys::init_std_fs();
    let name =
        args.first().map(|a| String::from_utf8_lossy(a).into_owned()).unwrap_or_else(|| "jq".to_owned());
    let mut options = options::parse(&name, args.into_iter().skip(1).collect())?;
    let Some(program) = options.program.take() else { return Err(options::short_usage(&name)) };
    let style = style(&options);
    let (text, origin) = if options.from_file {
        let text = std::fs::read(input::path(&program)).map_err(|e| {
            input::message(&format!("{name}: Could not open {}: {}", lossy(&program), input::reason(&e)));
            SYSTEM
        })?;
        (skip_shebang(&text).to_vec(), parent(&program))
    } else {
        (program, b".".to_vec())
    };
    let global = globals(&options);
    let loader = Loader::new(options.library.clone(), &origin, &name);
    let compiled = modules::compile(&text, &loader, &global).map_err(|messages| {
        let count = messages.len();
        for message in messages {
            input::message(&message);
        }
        input::message(&format!("jq: {count} compile error{}", if count > 1 { "s" } else { "" }));
        COMPILE
    })?;
    options.flags.doubles = given.is_some();
    let mut input =
        Input::new(std::mem::take(&mut options.files), options.raw_input, options.slurp, options.flags);
    if let Some(text) = given {
        input.give(text);
    }
    let input = Rc::new(RefCell::new(input));
    let machine = Machine::new(compiled, Rc::clone(&input), style.clone(), loader);
    let mut session = Session { options, style, input, machine, out: Vec::new(), output, broken: false };
    let status = session.main();
    session.flush();
    if session.broken {
        return Ok(SYSTEM);
    }
    Ok(status)
}

struct Session<'a> {
    options: Options,
    style: Style,
    input: Rc<RefCell<Input>>,
    machine: Machine,
    out: Vec<u8>,
    /// The destination of results, if it is not standard output.
    output: Option<&'a mut Vec<u8>>,
    /// Writing to standard output has failed.
    broken: bool,
}

impl Session<'_> {
    fn main(&mut self) -> i32 {
        let mut last = Outcome::Nothing;
        let mut any = Outcome::Nothing;
        if self.options.null_input {
            last = self.process(Val::Null);
        } else {
            while self.input.borrow().failures() == 0 && !self.broken {
                let next = self.input.borrow_mut().next();
                match next {
                    Ok(None) => break,
                    Ok(Some(value)) => {
                        last = self.process(value);
                        match last {
                            Outcome::Good | Outcome::Falsy => any = last,
                            Outcome::Halted(_) => break,
                            _ => {}
                        }
                    }
                    Err(error) if self.options.flags.seq => {
                        self.flush();
                        input::message(&format!("jq: ignoring parse error: {}", error.0));
                    }
                    Err(error) => {
                        self.flush();
                        input::message(&format!("jq: parse error: {}", error.0));
                        last = Outcome::Failed(UNKNOWN);
                        break;
                    }
                }
            }
        }
        if self.input.borrow().failures() != 0 {
            last = Outcome::Failed(SYSTEM);
        }
        self.status(last, any)
    }

    fn status(&self, last: Outcome, any: Outcome) -> i32 {
        let exit_status = self.options.exit_status;
        match last {
            Outcome::Failed(n) => n,
            Outcome::Halted(n) => n & 0xFF,
            Outcome::Good => 0,
            Outcome::Falsy => i32::from(exit_status),
            Outcome::Nothing if !exit_status => 0,
            Outcome::Nothing => match any {
                Outcome::Good => 0,
                Outcome::Falsy => 1,
                _ => NO_OUTPUT,
            },
        }
    }

    fn process(&mut self, value: Val) -> Outcome {
        let mut outcome = Outcome::Nothing;
        self.machine.start(value);
        loop {
            match self.machine.next() {
                Event::Output(v) => {
                    if let Err(message) = self.print(&v) {
                        return self.complain(&Val::from_string(message));
                    }
                    outcome = match (&v, self.options.raw_output) {
                        (Val::Null | Val::Bool(false), _) => Outcome::Falsy,
                        _ => Outcome::Good,
                    };
                    if self.broken {
                        return outcome;
                    }
                }
                Event::End => return outcome,
                Event::Error(v) => return self.complain(&v),
                Event::Halt(status, message) => {
                    self.flush();
                    match message {
                        None | Some(Val::Null) => {}
                        Some(Val::Str(text)) => {
                            let _ = sys::write_all(2, text.bytes());
                        }
                        Some(other) => {
                            let mut line = Vec::new();
                            dump::dump(&mut line, &other, &dump::COMPACT);
                            line.push(b'\n');
                            let _ = sys::write_all(2, &line);
                        }
                    }
                    return Outcome::Halted(status);
                }
            }
        }
    }

    fn complain(&mut self, error: &Val) -> Outcome {
        self.flush();
        let place = self.input.borrow_mut().position();
        let mut line = format!("jq: error (at {place})").into_bytes();
        if let Val::Str(text) = error {
            line.extend_from_slice(b": ");
            line.extend_from_slice(text.bytes().split(|b| *b == 0).next().unwrap_or_default());
        } else {
            line.extend_from_slice(b" (not a string): ");
            dump::dump(&mut line, error, &dump::COMPACT);
        }
        line.push(b'\n');
        let _ = sys::write_all(2, &line);
        Outcome::Failed(UNKNOWN)
    }

    fn print(&mut self, v: &Val) -> Result<(), String> {
        let o = &self.options;
        match v {
            Val::Str(text) if o.raw_output => {
                if o.ascii {
                    dump::string(&mut self.out, text.bytes(), true);
                } else if o.raw_output0 && text.bytes().contains(&0) {
                    return Err("Cannot dump a string containing NUL with --raw-output0 option".to_owned());
                } else {
                    self.out.extend_from_slice(text.bytes());
                }
            }
            _ => {
                if o.flags.seq {
                    self.out.push(0x1E);
                }
                dump::dump(&mut self.out, v, &self.style);
            }
        }
        if !o.join_output {
            self.out.push(b'\n');
        }
        if o.raw_output0 {
            self.out.push(0);
        }
        if self.out.len() >= LIMIT || o.unbuffered {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        if let Some(output) = &mut self.output {
            output.append(&mut self.out);
            return;
        }
        if !self.broken
            && let Err(e) = sys::write_all(1, &self.out)
        {
            self.broken = true;
            if e != sys::Errno::PIPE {
                input::message(&format!("Error: writing output failed: {e}"));
            }
        }
        self.out.clear();
    }
}

fn style(options: &Options) -> Style {
    let variable = |name: &str| std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes);
    let wanted = sys::isatty(1) && variable("NO_COLOR").is_none_or(|v| v.is_empty());
    let colors = match options.color.unwrap_or(wanted) {
        false => None,
        true => Some(Colors::default()),
    };
    let custom = variable("JQ_COLORS").map(|spec| Colors::parse(&spec));
    if matches!(custom, Some(None)) {
        input::message("Failed to set $JQ_COLORS");
    }
    let colors = colors.map(|default| custom.flatten().unwrap_or(default));
    let indent = match options.indent {
        0 => None,
        -1 => Some(Indent::Tab),
        n => Some(Indent::Spaces(usize::from(n.unsigned_abs()))),
    };
    Style { indent, colors, ascii: options.ascii, sort: options.sort }
}

/// The variables that are defined on the command line.
fn globals(options: &Options) -> Object {
    let mut all = options.named.clone();
    let arguments = Val::object([
        ("positional", Val::arr(options.positional.clone())),
        ("named", Val::obj(options.named.clone())),
    ]);
    all.insert(Text::from("ARGS"), arguments);
    let configuration = Text::from("JQ_BUILD_CONFIGURATION");
    if all.get(&configuration).is_none() {
        all.insert(configuration, Val::str(options::CONFIGURATION));
    }
    all
}

/// Skips a first line `#!…` and the comment lines that continue it for `exec`.
fn skip_shebang(text: &[u8]) -> &[u8] {
    if !text.starts_with(b"#!") {
        return text;
    }
    let lines: Vec<&[u8]> = text.splitn(4, |b| *b == b'\n').collect();
    match lines.as_slice() {
        [_, second, third, rest] if second.starts_with(b"#") => {
            let continued = second.ends_with(b"\\") && !second.ends_with(b"\\\\");
            if continued && !third.is_empty() && !third.starts_with(b"#") { rest } else { text }
        }
        _ => text,
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn parent(file: &[u8]) -> Vec<u8> {
    match file.iter().rposition(|b| *b == b'/') {
        Some(0) => b"/".to_vec(),
        Some(at) => file[..at].to_vec(),
        None => b".".to_vec(),
    }
}
