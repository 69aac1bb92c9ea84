//! `break`, `continue`, `return`, `exit`, `logout` and `caller`.

use super::args::{self, Number};
use crate::field::Field;
use crate::options::Shopt;
use crate::shell::{Flow, FrameKind, Run, Shell};
use crate::text;
use crate::variables::Name;

/// `break`
pub(super) fn break_loop(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    match levels(shell, args)? {
        Ok(n) => {
            shell.status = 0;
            Err(Flow::Break(n))
        }
        Err(status) => Ok(status),
    }
}

/// `continue`
pub(super) fn continue_loop(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    match levels(shell, args)? {
        Ok(n) => {
            shell.status = 0;
            Err(Flow::Continue(n))
        }
        Err(status) => Ok(status),
    }
}

// The number of loops to leave, or the status if there is no loop.
fn levels(shell: &mut Shell, args: &[Field]) -> Run<Result<u32, i32>> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, args.first().map_or(&b""[..], |a| &**a));
        return Ok(Err(2));
    }
    if shell.loops == 0 {
        if shell.posix() {
            return Ok(Err(0));
        }
        args::fail(shell, args, "only meaningful in a `for', `while', or `until' loop");
        return Ok(Err(0));
    }
    let n = match args::number(shell, args, 1) {
        Number::None => 1,
        Number::Some(n) => n,
        Number::Invalid => {
            shell.status = 128;
            return Err(Flow::Exit);
        }
        Number::TooMany => {
            return Err(shell.give_up());
        }
    };
    if n <= 0 {
        args::fail(shell, args, format!("{n}: loop count out of range"));
        shell.status = 1;
        return Err(Flow::Break(shell.loops));
    }
    Ok(Ok(u32::try_from(n).unwrap_or(u32::MAX).min(shell.loops)))
}

/// `return`
pub(super) fn return_function(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"return");
        return Ok(2);
    }
    let status = match args::number(shell, args, 1) {
        Number::None => shell.traps.status_to_return().unwrap_or(shell.status) & 0xff,
        Number::Some(n) => (n & 0xff) as i32,
        Number::Invalid => 2,
        Number::TooMany => {
            return Err(shell.give_up());
        }
    };
    if !in_call(shell) {
        args::fail(shell, args, "can only `return' from a function or sourced script");
        shell.usage_error = true;
        return Ok(2);
    }
    shell.before_return = shell.status;
    shell.status = status;
    Err(Flow::Return)
}

// Whether a function or a sourced file is being run.
fn in_call(shell: &Shell) -> bool {
    shell.frames.iter().any(|f| matches!(f.kind, FrameKind::Function | FrameKind::Source))
}

/// How often the end of input is ignored without a number in `IGNOREEOF`.
const IGNORED_ENDS: usize = 10;

impl Shell {
    /// With `IGNOREEOF`, the end of input that a user types does not end the shell, some times.
    pub(crate) fn stays_at_end(&mut self) -> bool {
        let Some(value) = self.value(Name::new(b"IGNOREEOF")).map(|v| v.into_owned()) else { return false };
        let most =
            crate::text::parse_integer(&value).and_then(|n| usize::try_from(n).ok()).unwrap_or(IGNORED_ENDS);
        let (since, count) = self.ends;
        let count = if since == self.commands_read { count + 1 } else { 1 };
        self.ends = (self.commands_read, count);
        if count > most {
            return false;
        }
        self.write_error(if self.is_login {
            b"Use \"logout\" to leave the shell.\n"
        } else {
            b"Use \"exit\" to leave the shell.\n"
        });
        true
    }

    /// Whether an interactive shell goes on, as its user may not know that there are jobs. Asked again at once, it does
    /// not.
    pub(crate) fn stays_for_jobs(&mut self) -> bool {
        if !self.opts.interactive || self.opts.session || self.in_child {
            return false;
        }
        let told = self.told_of_jobs.is_some_and(|since| self.commands_read <= since + 1);
        self.reap();
        let stopped = self.jobs.list.iter().any(|job| job.stopped());
        let running = self.opts.shopt(Shopt::checkjobs) && self.jobs.list.iter().any(|job| job.running());
        if told || !stopped && !running {
            return false;
        }
        self.told_of_jobs = Some(self.commands_read);
        self.write_error(if stopped { b"There are stopped jobs.\n" } else { b"There are running jobs.\n" });
        if self.opts.shopt(Shopt::checkjobs) {
            let numbers: Vec<usize> = self.jobs.list.iter().map(|job| job.number).collect();
            for number in numbers {
                let line = self.job_line(number, false);
                self.write_error(&line);
            }
        }
        true
    }

    /// Prints what an interactive shell says when it ends.
    pub(crate) fn say_goodbye(&mut self) {
        self.write_error(if self.is_login { b"logout\n" } else { b"exit\n" });
    }
}

pub(super) fn exit(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"exit");
        return Ok(2);
    }
    if shell.opts.interactive && !shell.opts.session && !shell.in_child {
        shell.say_goodbye();
        if shell.stays_for_jobs() {
            return Ok(1);
        }
    }
    leave(shell, args)
}

fn leave(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    shell.status = match args::number(shell, args, 1) {
        Number::None => shell.traps.status_to_exit().unwrap_or(shell.status) & 0xff,
        Number::Some(n) => (n & 0xff) as i32,
        Number::Invalid => 2,
        Number::TooMany => {
            return Err(shell.give_up());
        }
    };
    shell.exit_called = true;
    shell.act_where_left();
    Err(Flow::Exit)
}

pub(super) fn logout(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_some_and(|a| &**a == b"--help") {
        super::help::print_help(shell, b"logout");
        return Ok(2);
    }
    if !shell.is_login {
        return Ok(args::fail(shell, args, "not login shell: use `exit'"));
    }
    if shell.stays_for_jobs() {
        return Ok(1);
    }
    leave(shell, args)
}

pub(super) fn caller(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let depth = match args.get(at) {
        None => None,
        Some(a) => match text::parse_integer(a) {
            Some(n) => Some(n),
            None => {
                if !in_call(shell) {
                    return Ok(1);
                }
                args::fail(shell, args, [a, b": invalid number".as_slice()].concat());
                args::usage(shell, args);
                return Ok(2);
            }
        },
    };
    // Innermost first: the frame of a call holds its line, the frame around it the function and the file.
    let frames: Vec<(Vec<u8>, Vec<u8>, u32)> =
        shell.frames.iter().rev().map(|f| (f.name.to_vec(), f.source.to_vec(), f.line)).collect();
    if !in_call(shell) {
        return Ok(1);
    }
    let n = match usize::try_from(depth.unwrap_or(0)) {
        Ok(n) => n,
        Err(_) => return Ok(1),
    };
    let Some(line) = frames.get(n).map(|f| f.2) else { return Ok(1) };
    let around = frames.get(n + 1);
    match depth {
        None => {
            let source = around.map_or(&b"NULL"[..], |f| &f.1);
            let line = [line.to_string().as_bytes(), b" ", source, b"\n"].concat();
            shell.put(&line);
        }
        Some(_) => {
            let Some((name, source, _)) = around else { return Ok(1) };
            let line = [line.to_string().as_bytes(), b" ", name, b" ", source, b"\n"].concat();
            shell.put(&line);
        }
    }
    Ok(0)
}
