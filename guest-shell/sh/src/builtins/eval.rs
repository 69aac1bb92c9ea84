//! `eval`, `.`, `command`, `builtin` and `exec`: builtins that run commands.

use super::args;
use crate::exec::simple::NotStarted;
use crate::field::Field;
use crate::options::Shopt;
use crate::path;
use crate::shell::{Flow, Origin, Run, Shell};
use sandshell_sys as sys;

pub(super) fn eval(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        return Ok(0);
    }
    let text = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b' ');
    let line = shell.line.max(1);
    shell.begins = Some(Origin::Builtin("eval"));
    let result = shell.eval_text(&text, line, false);
    shell.begins = None;
    shell.line = line;
    result?;
    Ok(shell.status)
}

/// `.` and `source`
pub(super) fn source(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let Some(file) = args.get(at) else {
        return Ok(args::wrong_use(shell, args, b"filename argument required"));
    };
    if shell.opts.restricted && file.contains(&b'/') {
        return Ok(args::fail(shell, args, [file, b": restricted".as_slice()].concat()));
    }
    let mut found = file.to_vec();
    if !file.contains(&b'/') && shell.opts.shopt(Shopt::sourcepath) {
        let search = shell.search_path();
        let in_path = search.split(|b| *b == b':').map(|dir| path::join(dir, file)).find(|candidate| {
            sys::stat(candidate, true).is_ok_and(|s| !s.is_dir()) && sys::access(candidate, 4).is_ok()
        });
        match in_path {
            Some(candidate) => found = candidate,
            None if shell.posix() => {
                args::fail(shell, args, [file, b": file not found".as_slice()].concat());
                return Ok(end_of_posix_shell(shell));
            }
            None => {}
        }
    }
    let rest = args.get(at + 1..).unwrap_or_default();
    let words = (!rest.is_empty()).then(|| rest.to_vec());
    let shown = if found == **file {
        file.to_vec()
    } else {
        found.strip_prefix(b"./").filter(|f| *f == &**file).unwrap_or(&found).to_vec()
    };
    if sys::stat(&found, true).is_ok_and(|s| s.is_dir()) {
        args::fail(shell, args, [&*shown, b": is a directory"].concat());
        shell.status = 1;
        shell.act_on_return(false)?;
        return Ok(1);
    }
    if shell.posix() && sys::access(&found, 4).is_err() {
        shell.source_file(&found, &shown, words, false)?;
        return Ok(end_of_posix_shell(shell));
    }
    let is_dot = args.first().is_some_and(|name| **name == *b".");
    shell.begins = Some(Origin::Builtin(if is_dot { "." } else { "source" }));
    let result = shell.source_file(&found, &shown, words, false);
    shell.begins = None;
    result?;
    Ok(shell.status)
}

// Marks this failure of a special builtin as one that ends a POSIX shell, unless `command` runs the builtin.
fn end_of_posix_shell(shell: &mut Shell) -> i32 {
    shell.usage_error = true;
    1
}

pub(super) fn builtin(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let words = args.get(at..).unwrap_or_default();
    let Some(name) = words.first() else { return Ok(0) };
    match super::find(name).filter(|_| !shell.builtin_disabled(name)) {
        Some(b) => run_shifted(shell, at, |shell| (b.run)(shell, words)),
        None => Ok(args::fail(shell, args, [name, b": not a shell builtin".as_slice()].concat())),
    }
}

// Runs a builtin whose words begin at `at`, and adjusts the positions of array arguments.
fn run_shifted(shell: &mut Shell, at: usize, run: impl FnOnce(&mut Shell) -> Run) -> Run<i32> {
    for e in &mut shell.declared_arrays {
        e.0 = e.0.saturating_sub(at);
    }
    run(shell)?;
    Ok(shell.status)
}

pub(super) fn command(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "pvV") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let words = args.get(at..).unwrap_or_default();
    let Some(name) = words.first() else { return Ok(0) };
    let standard = options.iter().any(|o| o.letter == b'p');
    if standard && shell.opts.restricted {
        return Ok(args::fail(shell, args, "-p: restricted"));
    }
    if let Some(how) = options.iter().rev().find(|o| o.letter != b'p') {
        let mut status = 1;
        for word in words {
            if super::type_command::describe(shell, word, how.letter == b'V', standard) {
                status = 0;
            } else if how.letter == b'V' {
                args::fail(shell, args, [word, b": not found".as_slice()].concat());
            }
        }
        return Ok(status);
    }
    if let Some(b) = super::find(name).filter(|_| !shell.builtin_disabled(name)) {
        let usage_error = shell.usage_error;
        let outer = std::mem::replace(&mut shell.in_command_builtin, true);
        let result = run_shifted(shell, at, |shell| (b.run)(shell, words));
        shell.in_command_builtin = outer;
        // An error of a special builtin that is run by `command` does not end the shell.
        shell.usage_error = usage_error;
        return result;
    }
    run_program(shell, words, standard)
}

fn run_program(shell: &mut Shell, words: &[Field], standard: bool) -> Run<i32> {
    let name = words.first().map(|w| w.to_vec()).unwrap_or_default();
    if shell.refuses_program(&name) {
        return Ok(1);
    }
    let found = if standard && !name.contains(&b'/') {
        let found = shell.search(&name, path::STANDARD_PATH, false).pop();
        if let Some(file) = found.as_ref().filter(|_| shell.opts.has(crate::options::flag::HASHALL)) {
            *shell.hash.table.entry(&name) = path::Hashed { path: file.clone(), hits: 1 };
        }
        found
    } else {
        shell.find_program(&name)
    };
    let Some(file) = found else {
        shell.error([&*name, b": command not found"].concat());
        return Ok(127);
    };
    shell.run_found_program(&file, words)?;
    Ok(shell.status)
}

pub(super) fn exec(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "cla:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let words = args.get(at..).unwrap_or_default();
    let Some(name) = words.first() else {
        shell.exec_kept = true;
        return Ok(0);
    };
    if shell.opts.restricted {
        return Ok(args::fail(shell, args, "restricted"));
    }
    let mut argv0 = name.to_vec();
    let mut login = false;
    let mut clean = false;
    for o in &options {
        match o.letter {
            b'a' => argv0 = o.value.to_vec(),
            b'l' => login = true,
            _ => clean = true,
        }
    }
    if login {
        argv0.insert(0, b'-');
    }
    let failed = |shell: &mut Shell, status: i32| -> Run<i32> {
        shell.status = status;
        if shell.opts.interactive || shell.opts.shopt(Shopt::execfail) { Ok(status) } else { Err(Flow::Exit) }
    };
    let found = if name.starts_with(b"/") {
        Some(name.to_vec())
    } else if name.contains(&b'/') {
        Some(super::cd::canonical(&path::join(&shell.logical_cwd(), name)))
    } else {
        shell.find_program(name)
    };
    let Some(file) = found else {
        args::fail(shell, args, [name, b": not found".as_slice()].concat());
        return failed(shell, 127);
    };
    let _ = shell.flush();
    let mut argv = vec![argv0];
    argv.extend(words.iter().skip(1).map(|w| w.to_vec()));
    let mut env: Vec<Vec<u8>> = Vec::new();
    if !clean {
        env.extend(shell.environment().iter().filter(|e| !e.starts_with(b"_=")).cloned());
        // Only the first command of the shell passes on the `$_` that the shell itself was started with.
        if let Some(given) = shell.given_last_arg.as_ref().filter(|given| ***given == *shell.last_arg) {
            env.push([b"_=", &**given].concat());
        }
        if !shell.in_parentheses {
            shell.leave_level(&mut env);
        }
    }
    let e = sys::exec(&sys::Program { path: &file, argv: &argv, env: &env, ..sys::Program::default() });
    if e == sys::Errno::NOEXEC {
        // A file that the kernel cannot run is a script for this shell.
        let renamed = options.iter().any(|o| o.letter == b'a');
        let shown = if renamed { argv.first().cloned().unwrap_or_default() } else { file.clone() };
        let mut words = vec![Field::Owned(shown)];
        words.extend(args.get(at + 1..).unwrap_or_default().iter().cloned());
        if clean {
            shell.clear_environment();
        }
        shell.run_script_file(&file, &words)?;
        return Err(Flow::Exit);
    }
    if e == sys::Errno::NOENT {
        let status = if sys::stat(&file, true).is_ok() {
            shell.report_spawn_error(name, &file, e)
        } else {
            shell.error([&*file, b": ", e.to_string().as_bytes()].concat());
            127
        };
        return failed(shell, status);
    }
    let text = if sys::stat(&file, true).is_ok_and(|s| s.is_dir()) {
        "Is a directory".to_string()
    } else {
        e.to_string()
    };
    shell.error([&*file, b": ", text.as_bytes()].concat());
    args::fail(shell, args, [&*file, b": cannot execute: ", text.as_bytes()].concat());
    failed(shell, 126)
}

impl Shell {
    // Runs a program and waits for it.
    fn run_found_program(&mut self, file: &[u8], words: &[Field]) -> Run {
        let _ = self.flush();
        let pgid = self.opts.has(crate::options::flag::MONITOR).then_some(0);
        match self.spawn_program(file, words, &[], &[], pgid)? {
            Ok(pid) => {
                self.foreground(pid);
                let waited = self.wait_foreground(pid);
                self.foreground_self(Some(waited.status));
                self.status = waited.status.code();
                let text = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b' ');
                self.report_signal(&waited, || text)
            }
            Err(NotStarted::Script) => {
                let mut words = words.to_vec();
                if let Some(first) = words.first_mut() {
                    *first = Field::Owned(file.to_vec());
                }
                self.run_script_file(file, &words)
            }
            Err(NotStarted::Reported(status)) => {
                self.status = status;
                Ok(())
            }
        }
    }

    // Removes all variables that a program started with an empty environment would not see.
    fn clear_environment(&mut self) {
        for (_, name) in self.vars.sorted() {
            if let Some(v) = self.vars.get_mut(name) {
                v.attrs &= !crate::variables::attr::EXPORT;
            }
        }
        self.vars.touch();
        for (_, f) in self.all_functions() {
            f.exported.set(false);
        }
    }

    // Runs a file that the kernel cannot run as a script, in a copy of this shell. Its name is the first word.
    fn run_script_file(&mut self, file: &[u8], words: &[Field]) -> Run {
        let fd = match sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
            Ok(fd) => fd,
            Err(e) => {
                self.error([file, b": ", e.to_string().as_bytes()].concat());
                self.status = 126;
                return Ok(());
            }
        };
        let mut head = [0u8; 80];
        let n = sys::read(fd, &mut head).unwrap_or(0);
        let line = head.get(..n).unwrap_or_default().split(|b| *b == b'\n').next().unwrap_or_default();
        if line.contains(&0) {
            let _ = sys::close(fd);
            self.error([file, b": cannot execute binary file: Exec format error"].concat());
            self.status = 126;
            return Ok(());
        }
        let _ = sys::lseek(fd, 0, 0);
        let arguments = words.get(1..).unwrap_or_default().to_vec();
        let shown = words.first().map(|w| w.to_vec()).unwrap_or_default();
        let result = self.run_in_child(false, Vec::new, |sh| sh.run_script_in_child(fd, &shown, arguments));
        let _ = sys::close(fd);
        result
    }
}
