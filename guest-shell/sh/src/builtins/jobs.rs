//! `jobs`, `wait`, `fg`, `bg`, `disown` and `suspend`

use super::args;
use crate::field::Field;
use crate::jobs::{Job, JobSpec};
use crate::options::flag;
use crate::shell::{Run, Shell};
use crate::text;
use sandshell_sys as sys;
use sys::{Errno, Pid};

// The job for an operand: `%spec`, or the process ID of a job. Reports an unknown one.
fn job_of(shell: &mut Shell, args: &[Field], word: &[u8]) -> Option<usize> {
    if text::is_digits(word)
        && let Some(job) =
            text::parse_integer(word).and_then(|n| Pid::try_from(n).ok()).and_then(|p| shell.jobs.by_pid(p))
    {
        return Some(job.number);
    }
    let found = if word.is_empty() || word.first() == Some(&b'%') || !text::is_digits(word) {
        shell.find_job(word)
    } else {
        JobSpec::Missing
    };
    match found {
        JobSpec::Found(n) => Some(n),
        JobSpec::Ambiguous => {
            let name = word.strip_prefix(b"%").unwrap_or(word);
            args::fail(shell, args, [name, b": ambiguous job spec"].concat());
            args::fail(shell, args, [word, b": no such job"].concat());
            None
        }
        JobSpec::Missing => {
            args::fail(shell, args, [word, b": no such job"].concat());
            None
        }
    }
}

pub(super) fn jobs(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "lpnxrs") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    // Who has looked may leave.
    if shell.told_of_jobs.is_some_and(|since| shell.commands_read == since + 1) {
        shell.told_of_jobs = Some(shell.commands_read);
    }
    let operands = args.get(at..).unwrap_or_default();
    if has(b'x') {
        if options.len() > 1 {
            return Ok(args::fail(shell, args, "no other options allowed with `-x'"));
        }
        return run_with_pids(shell, operands);
    }
    shell.reap();
    shell.jobs.forget_notified();
    let (running, stopped, changed) = (has(b'r'), has(b's'), has(b'n'));
    let mut status = 0;
    let numbers: Vec<usize> = if operands.is_empty() {
        let mut n: Vec<usize> = shell.jobs.list.iter().map(|j| j.number).collect();
        n.sort_unstable();
        n
    } else {
        named(shell, args, operands, &mut status)
    };
    for n in numbers {
        let Some(job) = shell.jobs.get(n) else { continue };
        let is_running = !job.done() && !job.stopped();
        let is_stopped = job.stopped() && !job.done();
        let skipped = (running && !is_running) || (stopped && !is_stopped) || (changed && job.notified);
        if skipped {
            continue;
        }
        if has(b'p') {
            let line = format!("{}\n", job.leader());
            shell.put(line.as_bytes());
            continue;
        }
        let line = shell.job_line(n, has(b'l'));
        shell.put(&line);
        if let Some(job) = shell.jobs.get_mut(n) {
            job.notified = true;
        }
    }
    Ok(status)
}

// `jobs -x command args`: replaces job specifications by process group IDs.
fn run_with_pids(shell: &mut Shell, words: &[Field]) -> Run<i32> {
    if words.is_empty() {
        return Ok(0);
    }
    let fields: Vec<Field> = std::iter::once(Field::from(&b"command"[..]))
        .chain(words.iter().map(|w| {
            if w.first() == Some(&b'%')
                && let JobSpec::Found(n) = shell.find_job(w)
                && let Some(job) = shell.jobs.get(n)
            {
                return Field::Owned(job.leader().to_string().into_bytes());
            }
            w.clone()
        }))
        .collect();
    super::eval::command(shell, &fields)
}

pub(super) fn wait(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "fnp:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let any = options.iter().any(|o| o.letter == b'n');
    let variable = options.iter().rev().find(|o| o.letter == b'p').map(|o| o.value.to_vec());
    if let Some(name) = &variable {
        if !super::reference::is_reference(shell, name) {
            args::invalid_identifier(shell, args, name);
            return Ok(1);
        }
        let call = [b"wait".to_vec(), b"-v".to_vec(), name.clone()].map(Field::Owned);
        if super::unset::unset(shell, &call)? != 0 {
            return Ok(1);
        }
    }
    let operands = args.get(at..).unwrap_or_default();
    let _ = shell.flush();
    let result = if any {
        wait_any(shell, args, operands, variable.as_deref())
    } else if operands.is_empty() {
        wait_all(shell)
    } else {
        wait_each(shell, args, operands, variable.as_deref())
    };
    shell.end_coprocs();
    result
}

fn wait_each(shell: &mut Shell, args: &[Field], operands: &[Field], variable: Option<&[u8]>) -> Run<i32> {
    let mut status = 0;
    for word in operands {
        let (code, pid) = wait_one(shell, args, word)?;
        status = code;
        if let (Some(name), Some(pid)) = (variable, pid) {
            super::reference::assign_reference(shell, args, name, pid.to_string().as_bytes())?;
        }
        if shell.traps.last_signal.is_some_and(|n| code == 128 + i32::from(n)) && pid.is_none() {
            break;
        }
    }
    Ok(status)
}

// A trapped signal ends the wait. Its trap runs and sees the status of the interrupted `wait`.
fn interrupted(shell: &mut Shell, signal: u8) -> Run<i32> {
    let code = 128 + i32::from(signal);
    // If another signal ends the shell, its EXIT trap sees the status from before.
    if signal == sys::signal::SIGINT || !shell.is_terminating(signal) {
        shell.status = code;
    }
    shell.answer_signals()?;
    Ok(code)
}

fn wait_all(shell: &mut Shell) -> Run<i32> {
    shell.reap();
    while let Some(n) = shell.jobs.list.iter().find(|j| j.background && j.running()).map(|j| j.number) {
        if let Err(signal) = shell.wait_job(n) {
            return interrupted(shell, signal);
        }
        if let Some(signal) = shell.take_trapped() {
            return interrupted(shell, signal);
        }
        finish(shell, n);
    }
    let others = shell.jobs.others.clone();
    for pid in others {
        if Some(pid) != shell.last_background {
            continue;
        }
        if let Err(signal) = wait_process(shell, pid) {
            return interrupted(shell, signal);
        }
    }
    forget_ended(shell);
    Ok(0)
}

// After `wait` without operands only the status of `$!` is kept, if nobody has asked for it yet.
fn forget_ended(shell: &mut Shell) {
    let kept = if shell.opts.interactive { None } else { shell.last_background };
    for job in shell.jobs.list.iter_mut().filter(|j| j.done() && Some(j.pid()) != kept) {
        job.notified = true;
    }
    shell.jobs.forget_notified();
    shell.jobs.ended.clear();
}

// Removes an ended job that has been waited for, with a message if a signal killed it.
fn finish(shell: &mut Shell, number: usize) {
    shell.report_jobs();
    shell.jobs.forget_notified();
    shell.jobs.mark_waited(number);
    if shell.posix() {
        shell.jobs.forget_notified();
    }
}

fn wait_process(shell: &mut Shell, pid: Pid) -> Result<i32, u8> {
    loop {
        match sys::wait(pid, 0) {
            Ok(Some(w)) => {
                shell.jobs.note(w);
                shell.child_ended();
                return Ok(w.status.code());
            }
            Ok(None) => {}
            Err(Errno::INTR) => {
                if let Some(n) = shell.take_trapped() {
                    return Err(n);
                }
            }
            Err(_) => return Ok(127),
        }
    }
}

// The status and process of one operand; no process if there is none to wait for.
fn wait_one(shell: &mut Shell, args: &[Field], word: &[u8]) -> Run<(i32, Option<Pid>)> {
    if word.first() == Some(&b'%') {
        let number = match shell.find_job(word) {
            JobSpec::Found(n) => n,
            JobSpec::Ambiguous => {
                args::fail(shell, args, [word, b": ambiguous job spec"].concat());
                return Ok((127, None));
            }
            JobSpec::Missing => {
                args::fail(shell, args, [word, b": no such job"].concat());
                return Ok((127, None));
            }
        };
        let pid = shell.jobs.get(number).map(Job::pid);
        return match shell.wait_job(number) {
            Ok(code) => {
                finish(shell, number);
                Ok((code, pid))
            }
            Err(signal) => interrupted(shell, signal).map(|c| (c, None)),
        };
    }
    let pid = text::parse_integer(word).filter(|_| text::is_digits(word)).and_then(|n| Pid::try_from(n).ok());
    let Some(pid) = pid else {
        args::fail(shell, args, [b"`", word, b"': not a pid or valid job spec"].concat());
        return Ok((1, None));
    };
    if let Some(number) = shell.jobs.by_pid(pid).map(|j| j.number) {
        let last = shell.jobs.get(number).map(Job::pid);
        return match shell.wait_job(number) {
            Ok(_) if let Some(signal) = shell.take_trapped() => interrupted(shell, signal).map(|c| (c, None)),
            Ok(code) => {
                let own = shell
                    .jobs
                    .get(number)
                    .and_then(|j| j.processes.iter().find(|p| p.pid == pid))
                    .and_then(|p| p.status);
                let code = own.map_or(code, sys::WaitStatus::code);
                finish(shell, number);
                if shell.posix() {
                    shell.jobs.ended.retain(|e| e.0 != pid);
                } else if last != Some(pid) {
                    shell.jobs.remember(pid, code);
                }
                Ok((code, Some(pid)))
            }
            Err(signal) => interrupted(shell, signal).map(|c| (c, None)),
        };
    }
    if shell.jobs.others.contains(&pid) {
        return match wait_process(shell, pid) {
            Ok(code) => Ok((code, Some(pid))),
            Err(signal) => interrupted(shell, signal).map(|c| (c, None)),
        };
    }
    if let Some((_, code)) = shell.jobs.ended.iter().find(|e| e.0 == pid) {
        return Ok((*code, Some(pid)));
    }
    args::fail(shell, args, format!("pid {pid} is not a child of this shell"));
    Ok((127, None))
}

// `wait -n`: waits until one of the named jobs, or of all jobs, ends.
fn wait_any(shell: &mut Shell, args: &[Field], operands: &[Field], variable: Option<&[u8]>) -> Run<i32> {
    let mut wanted: Vec<usize> = Vec::new();
    for word in operands {
        if text::is_digits(word) {
            let pid = text::parse_integer(word).and_then(|n| Pid::try_from(n).ok()).unwrap_or(0);
            if let Some(job) = shell.jobs.by_pid(pid) {
                wanted.push(job.number);
            } else {
                args::fail(shell, args, format!("{pid}: no such job"));
            }
        } else if let Some(n) = job_of(shell, args, word) {
            wanted.push(n);
        }
    }
    if !operands.is_empty() && wanted.is_empty() {
        return Ok(127);
    }
    shell.reap();
    let mut waited = false;
    loop {
        // A job whose end has already been reported counts only after something has been waited for.
        let ended = |j: &&Job| {
            (operands.is_empty() || wanted.contains(&j.number)) && j.done() && (waited || !j.notified)
        };
        if let Some(job) = shell.jobs.list.iter().find(ended) {
            let (number, pid, code) = (job.number, job.pid(), job.code());
            shell.report_jobs();
            shell.jobs.remove(number);
            if let Some(name) = variable {
                super::reference::assign_reference(shell, args, name, pid.to_string().as_bytes())?;
            }
            return Ok(code);
        }
        if !shell.jobs.list.iter().any(|j| j.background && j.running()) {
            return Ok(127);
        }
        waited = true;
        match sys::wait(-1, sys::WUNTRACED) {
            Ok(Some(w)) => {
                shell.jobs.note(w);
                shell.child_ended();
            }
            Ok(None) => {}
            Err(Errno::INTR) => {
                if let Some(n) = shell.take_trapped() {
                    return interrupted(shell, n);
                }
            }
            Err(_) => return Ok(127),
        }
    }
}

fn has_job_control(shell: &mut Shell, args: &[Field]) -> bool {
    let on = shell.opts.has(flag::MONITOR);
    if !on {
        args::fail(shell, args, "no job control");
    }
    on
}

fn current(shell: &mut Shell, args: &[Field], word: Option<&Field>) -> Option<usize> {
    if let Some(word) = word {
        return job_of(shell, args, word);
    }
    match shell.find_job(b"%%") {
        JobSpec::Found(n) => Some(n),
        _ => {
            args::fail(shell, args, "current: no such job");
            None
        }
    }
}

fn resume(shell: &mut Shell, number: usize) {
    let Some(job) = shell.jobs.get_mut(number) else { return };
    if job.stopped() {
        for p in &mut job.processes {
            if matches!(p.status, Some(sys::WaitStatus::Stopped(_))) {
                p.status = None;
            }
        }
        let target = job.pgid.map_or_else(|| job.pid(), |p| -p);
        let _ = sys::kill(target, sys::signal::SIGCONT);
    }
}

pub(super) fn fg(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_none_or(|a| &**a != b"--help") && !has_job_control(shell, args) {
        return Ok(1);
    }
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let Some(number) = current(shell, args, args.get(at)) else { return Ok(1) };
    let Some((text, leader, done)) = shell.jobs.get(number).map(|j| (j.text.clone(), j.leader(), j.done()))
    else {
        return Ok(1);
    };
    if done {
        shell.jobs.remove(number);
        return Ok(args::fail(shell, args, "job has terminated"));
    }
    shell.put(&text);
    shell.put(b"\n");
    let _ = shell.flush();
    if let Some(job) = shell.jobs.get_mut(number) {
        job.background = false;
    }
    shell.jobs.make_current(number);
    shell.foreground(leader);
    resume(shell, number);
    let result = shell.wait_job(number);
    let last = shell.jobs.get(number).and_then(|j| j.processes.last()).and_then(|p| p.status);
    shell.foreground_self(last);
    match result {
        Ok(code) => {
            if shell.jobs.get(number).is_some_and(Job::done) {
                shell.jobs.remove(number);
            } else {
                shell.report_stopped(number);
            }
            Ok(code)
        }
        Err(signal) => interrupted(shell, signal),
    }
}

pub(super) fn bg(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if args.get(1).is_none_or(|a| &**a != b"--help") && !has_job_control(shell, args) {
        return Ok(1);
    }
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let operands = args.get(at..).unwrap_or_default();
    let words: Vec<Option<&Field>> =
        if operands.is_empty() { vec![None] } else { operands.iter().map(Some).collect() };
    let mut status = 0;
    for word in words {
        let Some(number) = current(shell, args, word) else {
            status = 1;
            continue;
        };
        let Some(job) = shell.jobs.get(number) else { continue };
        if !job.stopped() {
            args::fail(shell, args, format!("job {number} already in background"));
            continue;
        }
        let mark = if shell.jobs.current == Some(number) {
            "+"
        } else if shell.jobs.previous == Some(number) {
            "-"
        } else {
            " "
        };
        let line = [format!("[{number}]{mark} ").as_bytes(), &job.text, b" &\n"].concat();
        shell.put(&line);
        resume(shell, number);
        if let Some(job) = shell.jobs.get_mut(number) {
            job.background = true;
        }
    }
    Ok(status)
}

/// The jobs that the operands name. If there is one without a job, the status becomes 1.
fn named(shell: &mut Shell, args: &[Field], operands: &[Field], status: &mut i32) -> Vec<usize> {
    let mut list = Vec::new();
    for word in operands {
        match job_of(shell, args, word) {
            Some(n) => list.push(n),
            None => *status = 1,
        }
    }
    list
}

pub(super) fn disown(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "ahr") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let operands = args.get(at..).unwrap_or_default();
    let mut status = 0;
    let numbers: Vec<usize> = if operands.is_empty() && (has(b'a') || has(b'r')) {
        let only_running = has(b'r');
        shell
            .jobs
            .list
            .iter()
            .filter(|j| !only_running || (!j.done() && !j.stopped()))
            .map(|j| j.number)
            .collect()
    } else if operands.is_empty() {
        match current(shell, args, None) {
            Some(n) => vec![n],
            None => return Ok(1),
        }
    } else {
        named(shell, args, operands, &mut status)
    };
    for n in numbers {
        if has(b'h') {
            if let Some(job) = shell.jobs.get_mut(n) {
                job.no_hup = true;
            }
        } else {
            shell.jobs.remove(n);
        }
    }
    Ok(status)
}

/// `suspend`: a sandboxed shell has nothing that could resume it.
pub(super) fn suspend(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if let Err(status) = args::parse(shell, args, "f") {
        return Ok(status);
    }
    if !shell.opts.has(flag::MONITOR) {
        return Ok(args::fail(shell, args, "cannot suspend: no job control"));
    }
    if shell.is_login {
        return Ok(args::fail(shell, args, "cannot suspend a login shell"));
    }
    Ok(args::fail(shell, args, "cannot suspend: no shell waits for this one"))
}
