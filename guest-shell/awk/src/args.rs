//! The command line.

use crate::diag::{self, bytes};
use crate::interp::Interp;
use crate::parser::{self, Lint, Options};
use crate::source::{self, Files, Seen, Source};
use crate::usage::{self, SPEC};
use sandshell_cli::arguments::Value;
use sandshell_cli::options::Name;
use sandshell_posix::{locale, process};
use sandshell_sys as sys;

/// An option that was given: letter and value.
type Given = (u8, Option<Vec<u8>>);

/// `awk` and `gawk`: runs with the arguments (the name first) and returns the exit status.
pub fn awk_main(args: Vec<Vec<u8>>) -> i32 {
    let mut args = args.into_iter();
    let argv0 = args.next().unwrap_or_else(|| b"awk".to_vec());
    let name = argv0.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    diag::set_name(&name);
    let (given, mut operands) = match split(args.collect()) {
        Ok(split) => split,
        Err(status) => return status,
    };
    let mut options = Options::default();
    options.dialect.bytes = locale::is_bytes();
    let mut sources: Vec<Source> = Vec::new();
    let mut files = Files::new();
    let mut early: Vec<Given> = Vec::new();
    let mut dump: Option<Vec<u8>> = None;
    let mut in_place = false;
    let mut non_decimal = false;
    let mut has_program = false;
    options.lint = given.iter().filter(|g| g.0 == b'L').fold(Lint::Off, |_, g| lint(g.1.as_deref()));
    for (letter, value) in given {
        let file = value.clone();
        let value = value.unwrap_or_default();
        match letter {
            b'b' => options.dialect.bytes = true,
            b'c' => options.dialect.traditional = true,
            b'P' => options.dialect.posix = true,
            b'S' => options.sandbox = true,
            b'n' => non_decimal = true,
            b't' => options.lint_old = true,
            b'r' | b's' | b'O' | b'N' => {}
            b'L' => {}
            b'h' => return print(&usage_text()),
            b'V' => return print(usage::VERSION.as_bytes()),
            b'C' => return print(usage::COPYRIGHT.as_bytes()),
            b'v' | b'F' => early.push((letter, Some(value))),
            b'e' => {
                has_program = true;
                sources.push(Source::text(value));
            }
            b'i' if value == b"inplace" || value == b"inplace.awk" => in_place = true,
            b'f' | b'E' | b'i' => {
                has_program |= letter != b'i';
                options.exec |= letter == b'E';
                match read(&value, letter == b'i', &mut files, options.lint) {
                    Ok(source) => sources.extend(source),
                    Err(status) => return status,
                }
            }
            b'M' => return unsupported("-M: arbitrary precision arithmetic"),
            b'd' => dump = Some(file.unwrap_or_else(|| b"awkvars.out".to_vec())),
            b'D' => return unsupported("-D: the debugger"),
            b'g' => return unsupported("-g: generating message templates"),
            b'I' => return unsupported("-I: tracing"),
            b'l' => return unsupported("-l: loading extensions"),
            b'o' => return unsupported("-o: pretty-printing"),
            b'p' => return unsupported("-p: profiling"),
            _ => {}
        }
    }
    if !has_program {
        if operands.is_empty() {
            let _ = sys::write_all(2, &usage_text());
            return 1;
        }
        let text = operands.remove(0);
        sources.push(Source::text(text));
    }
    if early.iter().filter(|e| e.0 == b'v').filter(|e| misnamed(e.1.as_deref().unwrap_or_default())).count()
        > 0
    {
        return 1;
    }
    // Variables of `-v` exist before functions are defined.
    let known: Vec<Vec<u8>> = early
        .iter()
        .filter(|e| e.0 == b'v')
        .filter_map(|e| assignment(e.1.as_deref()?).map(|a| a.0.to_vec()))
        .collect();
    let program = match parser::parse(sources, files, options, &known) {
        Ok(program) => program,
        Err(status) => return status,
    };
    let mut interp = Interp::new(&program, options, process::environment());
    if non_decimal {
        interp.set_non_decimal();
    }
    if in_place {
        interp.set_in_place();
    }
    for (letter, value) in early {
        let value = value.unwrap_or_default();
        if let Err(status) = assign(&mut interp, letter, &value) {
            return status;
        }
    }
    operands.insert(0, name);
    interp.set_arguments(&operands);
    interp.list_identifiers(&known);
    let status = interp.run();
    if let (Some(status), Some(file)) = (status.ended(), dump) {
        write_dump(&file, &interp.dump_variables());
        return status;
    }
    status.code()
}

// Reads the file of `-f` or `-i`. `None` if it has been included already.
fn read(name: &[u8], included: bool, files: &mut Files, lint: Lint) -> Result<Option<Source>, i32> {
    let source = Source::read(name, included).map_err(|e| {
        diag::say(&bytes!("fatal: cannot open source file `", name, "' for reading: ", e.text()));
        2
    })?;
    match source::note(files, &source) {
        Seen::New => Ok(Some(source)),
        Seen::Again => {
            if lint.is_on() {
                diag::say(&bytes!(lint.word(), "already included source file `", name, "'"));
            }
            if lint == Lint::Fatal { Err(2) } else { Ok(None) }
        }
        Seen::Both => {
            diag::say(&bytes!("fatal: cannot include `", name, "' and use it as a program file"));
            Err(2)
        }
    }
}

// The meaning of `-L` with this value.
fn lint(value: Option<&[u8]>) -> Lint {
    match value {
        Some(b"fatal") => Lint::Fatal,
        Some(b"no-ext") => Lint::NoExtensions,
        _ => Lint::On,
    }
}

// Writes the dump of the variables to the file, or to standard error if no file was given.
fn write_dump(file: &[u8], dump: &[u8]) {
    use sys::open_flags as o;
    if file == b"-" || file == b"/dev/stdout" {
        let _ = sys::write_all(1, dump);
        return;
    }
    match sys::open(file, o::WRITE | o::CREATE | o::TRUNC | o::CLOEXEC, 0o666) {
        Ok(fd) => {
            let _ = sys::write_all(fd, dump);
            let _ = sys::close(fd);
        }
        Err(e) => {
            diag::say(&bytes!("warning: could not open `", file, "' for writing: ", e.text()));
            diag::say(b"warning: sending variable list to standard error");
            let _ = sys::write_all(2, dump);
        }
    }
}

// Reports an invalid qualified name in an assignment of `-v`.
fn misnamed(assignment: &[u8]) -> bool {
    let name = assignment.split(|b| *b == b'=').next().unwrap_or_default();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':';
    if is_name(name) || !name.contains(&b':') || !name.iter().all(is_part) {
        return false;
    }
    if name.windows(2).any(|w| w == b"::") {
        diag::say(&bytes!("error: qualified identifier `", name, "' is badly formed"));
    } else {
        diag::say(&bytes!("error: identifier ", name, ": namespace separator is two colons, not one"));
    }
    true
}

fn assign(interp: &mut Interp<'_>, letter: u8, value: &[u8]) -> Result<(), i32> {
    if letter == b'F' {
        // A single `t` is a tab only in POSIX mode.
        return interp.assign_argument(b"FS", value).map(drop).map_err(|_| 2);
    }
    let Some(n) = value.iter().position(|b| *b == b'=') else {
        let text = bytes!("`", value, "' argument to `-v' not in `var=value' form\n");
        diag::say(&text);
        let _ = sys::write_all(2, &usage_text());
        return Err(1);
    };
    let (name, value) = (value.get(..n).unwrap_or_default(), value.get(n + 1..).unwrap_or_default());
    if !is_name(name) {
        diag::say(&bytes!("fatal: `", name, "' is not a legal variable name"));
        return Err(2);
    }
    if crate::lexer::is_reserved(name) {
        diag::say(&bytes!("fatal: cannot use gawk builtin `", name, "' as variable name"));
        return Err(2);
    }
    interp.assign_argument(name, value).map(drop).map_err(|_| 2)
}

/// The name and the value, if an operand is an assignment.
pub(crate) fn assignment(operand: &[u8]) -> Option<(&[u8], &[u8])> {
    let n = operand.iter().position(|b| *b == b'=')?;
    let (name, value) = (operand.get(..n)?, operand.get(n + 1..)?);
    is_name(name).then_some((name, value))
}

fn is_name(name: &[u8]) -> bool {
    match name.windows(2).position(|w| w == b"::") {
        Some(n) => {
            is_plain_name(name.get(..n).unwrap_or_default())
                && is_plain_name(name.get(n + 2..).unwrap_or_default())
        }
        None => is_plain_name(name),
    }
}

fn is_plain_name(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn print(text: &[u8]) -> i32 {
    i32::from(sys::write_all(1, text).is_err())
}

// The usage text with the program's own name.
fn usage_text() -> Vec<u8> {
    let name = String::from_utf8_lossy(&diag::name()).into_owned();
    SPEC.help().replace("awk [", &format!("{name} [")).replace("\tawk ", &format!("\t{name} ")).into_bytes()
}

fn unsupported(what: &str) -> i32 {
    diag::say(&bytes!("fatal: ", what, " is not supported"));
    2
}

// Splits the arguments into options and operands.
fn split(args: Vec<Vec<u8>>) -> Result<(Vec<Given>, Vec<Vec<u8>>), i32> {
    let mut given = Vec::new();
    let mut args = args.into_iter();
    let mut program = false;
    let mut operands = Vec::new();
    while let Some(arg) = args.next() {
        if arg == b"--" {
            break;
        }
        if let Some(long) = arg.strip_prefix(b"--") {
            let name = long.split(|b| *b == b'=').next().unwrap_or_default();
            if program && SPEC.abbreviated(name).is_empty() {
                operands.push(arg);
                break;
            }
            given.push(long_option(long, &mut args)?);
        } else if let Some(short) = arg.strip_prefix(b"-").filter(|s| !s.is_empty()) {
            if program && short.first().and_then(|letter| SPEC.letter(*letter)).is_none() {
                // An option that awk does not have is an operand for the program, and so is everything after it.
                operands.push(arg);
                break;
            }
            short_options(short, &mut args, &mut given)?;
        } else {
            operands.push(arg);
            break;
        }
        program |= matches!(given.last(), Some((b'f' | b'e' | b'E', _)));
        if matches!(given.last(), Some((b'E', _))) {
            break;
        }
    }
    operands.extend(args);
    Ok((given, operands))
}

fn usage_error() -> i32 {
    let _ = sys::write_all(2, &usage_text());
    1
}

fn long_option(long: &[u8], args: &mut dyn Iterator<Item = Vec<u8>>) -> Result<Given, i32> {
    let n = long.iter().position(|b| *b == b'=');
    let name = long.get(..n.unwrap_or(long.len())).unwrap_or_default();
    let value = n.and_then(|n| long.get(n + 1..)).map(<[u8]>::to_vec);
    let [option] = SPEC.abbreviated(name)[..] else { return Err(usage_error()) };
    let value = match (option.value, value) {
        (Value::None, Some(_)) => return Err(usage_error()),
        (Value::Required, None) => match args.next() {
            Some(v) => Some(v),
            None => {
                diag::say(&bytes!("option '--", option.text, "' requires an argument"));
                return Err(usage_error());
            }
        },
        (_, value) => value,
    };
    Ok((letter(option), value))
}

/// Options are told apart by their letters.
fn letter(option: Name) -> u8 {
    option.id.bytes().next().unwrap_or_default()
}

fn short_options(
    short: &[u8],
    args: &mut dyn Iterator<Item = Vec<u8>>,
    given: &mut Vec<Given>,
) -> Result<(), i32> {
    for (i, letter) in short.iter().copied().enumerate() {
        let rest = short.get(i + 1..).unwrap_or_default();
        if letter == b'W' {
            let value = if rest.is_empty() { args.next() } else { Some(rest.to_vec()) };
            given.push(long_option(&value.unwrap_or_default(), args)?);
            return Ok(());
        }
        let Some(option) = SPEC.letter(letter) else {
            if rest.is_empty() && args.next().is_none() {
                diag::say(&bytes!("option requires an argument -- ", [letter]));
            }
            return Err(usage_error());
        };
        match option.value {
            Value::None => given.push((letter, None)),
            Value::Optional => {
                given.push((letter, (!rest.is_empty()).then(|| rest.to_vec())));
                return Ok(());
            }
            Value::Required if !rest.is_empty() => {
                given.push((letter, Some(rest.to_vec())));
                return Ok(());
            }
            Value::Required => match args.next() {
                Some(v) => {
                    given.push((letter, Some(v)));
                    return Ok(());
                }
                None => {
                    diag::say(&bytes!("option requires an argument -- ", [letter]));
                    return Err(usage_error());
                }
            },
        }
    }
    Ok(())
}
