//! `printf`: the builtin that calls the formatter.

use super::args;
use super::printf::PrintfHost;
use super::reference::{assign_reference, is_reference};
use crate::field::Field;
use crate::shell::{Run, Shell};
use sandshell_sys as sys;

struct Host<'s> {
    shell: &'s mut Shell,
}

impl PrintfHost for Host<'_> {
    fn format_time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        let text = super::time_zone::format(self.shell, format, seconds);
        // bash formats into a buffer of 128 bytes and prints nothing if the result does not fit.
        if text.len() < 128 { text } else { Vec::new() }
    }

    fn now(&mut self) -> i64 {
        i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(i64::MAX)
    }

    fn started(&mut self) -> i64 {
        i64::try_from(self.shell.started / 1_000_000_000).unwrap_or(i64::MAX)
    }

    fn set_count(&mut self, name: &[u8], count: usize) -> bool {
        if !is_reference(self.shell, name) {
            return false;
        }
        let value = count.to_string();
        let _ = assign_reference(self.shell, &[], name, value.as_bytes());
        true
    }
}

pub(super) fn printf(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "v:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let target = options.last().map(|o| o.value);
    if let Some(name) = target
        && !is_reference(shell, name)
    {
        args::invalid_identifier(shell, args, name);
        return Ok(2);
    }
    let Some((format, rest)) = args.get(at..).and_then(<[Field]>::split_first) else {
        return Ok(args::usage(shell, args));
    };
    if let Some(name) = target
        && format.is_empty()
    {
        return Ok(if assign_reference(shell, args, name, b"")? { 0 } else { 1 });
    }
    // The most common case.
    if target.is_none()
        && let [word] = rest
        && matches!(&**format, b"%s\\n" | b"%s")
    {
        shell.out.extend_from_slice(word);
        if format.len() > 2 {
            shell.out.push(b'\n');
        }
        return Ok(0);
    }
    let words: Vec<&[u8]> = rest.iter().map(|f| &**f).collect();
    let printed = super::printf::printf(format, &words, &mut Host { shell });
    let mut done = 0;
    for (length, message) in &printed.messages {
        if target.is_none() {
            let before = printed.output.get(done..*length).unwrap_or_default();
            if let Some(newline) = before.iter().rposition(|b| *b == b'\n') {
                let part = before.get(..=newline).unwrap_or_default();
                shell.out.extend_from_slice(part);
                done += part.len();
            }
        }
        args::fail(shell, args, message);
    }
    match target {
        Some(name) => {
            let end = printed.output.iter().position(|b| *b == 0).unwrap_or(printed.output.len());
            let value = printed.output.get(..end).unwrap_or_default();
            if !assign_reference(shell, args, name, value)? {
                return Ok(1);
            }
        }
        None => shell.out.extend_from_slice(printed.output.get(done..).unwrap_or_default()),
    }
    Ok(printed.status)
}
