//! GNU `xargs` 4.9.

mod input;
mod options;
mod runner;

use crate::out::{Out, message};
use input::{Input, Item};
use options::{Options, Parsed};
use runner::Runner;
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_sys as sys;

/// The exit status when the run ends early. Messages have already been printed.
type Stop = i32;

/// Runs `xargs`. Returns 0, or 123 if a command exited with 1 to 125, 124 if one exited with 255, 125 if one was
/// killed, 126 if the command does not start, 127 if it is missing, 1 on other errors.
pub fn xargs_main(args: Vec<Vec<u8>>) -> i32 {
    let options = match options::parse(args.get(1..).unwrap_or_default()) {
        Ok(Parsed::Run(o)) => o,
        Ok(Parsed::Text(text)) => {
            let mut out = Out::stdout();
            out.put(text.as_bytes());
            return i32::from(out.finish().is_err());
        }
        Err(status) => return status,
    };
    if options.show_limits {
        show_limits(&options);
    }
    let fd = match &options.file {
        None => 0,
        Some(name) if name == b"-" => 0,
        Some(name) => match sys::open(name, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
            Ok(fd) => fd,
            Err(e) => {
                message("xargs", &bytes!("Cannot open input file ", quote(name), ": ", e.to_string()));
                return 1;
            }
        },
    };
    let mut runner = Runner::new(&options);
    let result = feed(&options, Input::new(fd, &options), &mut runner);
    let waited = runner.wait_all();
    match (result, waited) {
        (Err(status), _) | (Ok(()), Err(status)) => status,
        (Ok(()), Ok(())) if runner.failed => 123,
        _ => 0,
    }
}

fn feed(o: &Options, mut input: Input, runner: &mut Runner<'_>) -> Result<(), Stop> {
    if let Some(pattern) = &o.replace {
        return insert(o, &mut input, runner, pattern);
    }
    let fixed: usize = o.command.iter().map(|a| a.len() + 1).sum();
    if fixed > o.max_chars {
        message("xargs", b"cannot fit single argument within argument list size limit");
        return Err(1);
    }
    let mut list: Vec<Vec<u8>> = Vec::new();
    let mut size = fixed;
    let mut lines = 0;
    loop {
        match input.next() {
            Ok(Item::Arg(arg)) => {
                let len = arg.len() + 1;
                if size + len > o.max_chars {
                    if list.is_empty() {
                        message("xargs", b"cannot fit single argument within argument list size limit");
                        return Err(1);
                    }
                    if o.max_lines.is_some() || (o.exit_if_long && o.max_args.is_some()) {
                        message("xargs", b"argument list too long");
                        return Err(1);
                    }
                    runner.run(std::mem::take(&mut list))?;
                    size = fixed;
                }
                size += len;
                list.push(arg);
                if o.max_args.is_some_and(|n| list.len() >= n) {
                    runner.run(std::mem::take(&mut list))?;
                    size = fixed;
                }
            }
            Ok(Item::LineEnd) => {
                lines += 1;
                if o.max_lines.is_some_and(|n| lines >= n) {
                    if !list.is_empty() {
                        runner.run(std::mem::take(&mut list))?;
                        size = fixed;
                    }
                    lines = 0;
                }
            }
            Ok(Item::End) => break,
            Err(text) => {
                if !list.is_empty() {
                    runner.run(std::mem::take(&mut list))?;
                    runner.wait_all()?;
                }
                message("xargs", text.as_bytes());
                return Err(1);
            }
        }
    }
    if !list.is_empty() || (!o.no_run_if_empty && runner.started == 0) {
        runner.run(list)?;
    }
    Ok(())
}

// -I: runs a command for each line.
fn insert(o: &Options, input: &mut Input, runner: &mut Runner<'_>, pattern: &[u8]) -> Result<(), Stop> {
    loop {
        match input.next() {
            Ok(Item::Arg(line)) => {
                let mut argv: Vec<Vec<u8>> = Vec::with_capacity(o.command.len());
                for (i, arg) in o.command.iter().enumerate() {
                    argv.push(if i == 0 { arg.clone() } else { replace(arg, pattern, &line) });
                }
                if argv.iter().map(|a| a.len() + 1).sum::<usize>() > o.max_chars {
                    message("xargs", b"argument list too long");
                    return Err(1);
                }
                runner.run_command(argv)?;
            }
            Ok(Item::LineEnd) => {}
            Ok(Item::End) => return Ok(()),
            Err(text) => {
                message("xargs", text.as_bytes());
                return Err(1);
            }
        }
    }
}

fn replace(arg: &[u8], pattern: &[u8], with: &[u8]) -> Vec<u8> {
    if pattern.is_empty() {
        return arg.to_vec();
    }
    let mut out = Vec::new();
    let mut at = 0;
    for hit in memchr::memmem::find_iter(arg, pattern) {
        out.extend_from_slice(arg.get(at..hit).unwrap_or_default());
        out.extend_from_slice(with);
        at = hit + pattern.len();
    }
    out.extend_from_slice(arg.get(at..).unwrap_or_default());
    out
}

fn show_limits(o: &Options) {
    let environment = options::environment_size();
    let upper = options::ARG_MAX - 2048 - environment;
    let text = format!(
        "Your environment variables take up {environment} bytes\n\
         POSIX upper limit on argument length (this system): {upper}\n\
         POSIX smallest allowable upper limit on argument length (all systems): 4096\n\
         Maximum length of command we could actually use: {}\n\
         Size of command buffer we are actually using: {}\n\
         Maximum parallelism (--max-procs must be no greater): 2147483647\n",
        upper.saturating_sub(environment),
        o.max_chars
    );
    let _ = sys::write_all(2, text.as_bytes());
}
