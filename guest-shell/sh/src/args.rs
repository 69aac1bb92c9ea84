//! The shell's own arguments, and what it does before the first command.

use crate::builtins::set::apply_option_letters;
use crate::field::Field;
use crate::options::{Shopt, flag, set_option, shopt_option};
use crate::own_path::OwnPath;
use crate::print_only::Dump;
use crate::shell::{Flow, Frame, FrameKind, Shell};
use crate::text;
use crate::variables::{Name, Variable, attr};
use sandshell_syntax::ast::{Command, List};
use sandshell_syntax::parser::{SyntaxError, SyntaxErrorKind};
use sandshell_sys as sys;
use std::rc::Rc;

const USAGE: &str = "Usage:\t%s [GNU long option] [option] ...\n\t%s [GNU long option] [option] script-file ...\nGNU long options:\n\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-strings\n\t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n\t--pretty-print\n\t--rcfile\n\t--restricted\n\t--verbose\n\t--version\nShell options:\n\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n\t-abefhkmnptuvxBCEHPT or -o option\n";

#[derive(Default)]
struct Invocation {
    login: bool,
    interactive: bool,
    skip_profile: bool,
    no_rc: bool,
    rc_file: Option<Vec<u8>>,
    command: bool,
    stdin: bool,
    called_sh: bool,
    restricted: bool,
    pretty_print: bool,
    no_editing: bool,
}

/// Reads the arguments, runs the shell and returns its exit status.
pub(crate) fn start(shell: &mut Shell) -> u8 {
    let argv: Vec<Vec<u8>> = arguments();
    let invoked = argv.first().cloned().unwrap_or_else(|| b"bash".to_vec());
    let base = invoked.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let mut how = Invocation { login: base.starts_with(b"-"), ..Invocation::default() };
    let base = base.strip_prefix(b"-").unwrap_or(&base).to_vec();
    let called_sh = base == b"sh" || (base.is_empty() && sys::applet() == b"sh");
    how.restricted = base == b"rbash";
    shell.arg0 = if how.login || invoked.contains(&b'/') { invoked.clone() } else { base };
    if how.login && !invoked.contains(&b'/') {
        shell.arg0 = invoked.clone();
    }
    shell.last_arg = crate::field::Field::Owned(invoked.clone());
    import_environment(shell);
    shell.own_path = OwnPath::new(shell, invoked.strip_prefix(b"-").unwrap_or(&invoked), how.login);
    let mut at = 1;
    if let Some(code) = parse(shell, &mut how, &argv, &mut at) {
        return code;
    }
    how.called_sh = called_sh;
    if called_sh || shell.vars.get(Name::new(b"POSIXLY_CORRECT")).is_some() {
        shell.opts.set(flag::POSIX, true);
    }
    if shell.posix() {
        crate::builtins::set::change(shell, flag::POSIX, true);
    }
    let mut rest = argv.get(at..).unwrap_or_default().to_vec();
    let mut command_text = None;
    if how.command {
        if rest.is_empty() {
            shell.error_plain("-c: option requires an argument");
            return 2;
        }
        command_text = Some(rest.remove(0));
        shell.opts.command_string = true;
        if !rest.is_empty() {
            shell.arg0 = rest.remove(0);
        }
    }
    shell.invoked_as.clone_from(&shell.arg0);
    let script =
        if command_text.is_none() && !how.stdin && !rest.is_empty() { Some(rest.remove(0)) } else { None };
    let terminal = command_text.is_none() && script.is_none() && sys::isatty(0) && sys::isatty(2);
    shell.opts.session = command_text.is_none() && script.is_none() && crate::session::is_one();
    shell.opts.interactive = how.interactive || terminal || shell.opts.session;
    if command_text.is_none() && script.is_none() {
        shell.opts.read_stdin = true;
    }
    shell.is_login = how.login;
    if how.login {
        shell.opts.set_shopt(Shopt::login_shell, true);
    }
    shell.args = Rc::new(rest.into_iter().map(Field::Owned).collect());
    if shell.opts.has(flag::MONITOR) && !sys::isatty(2) {
        shell.error_plain("cannot set terminal process group (-1): Inappropriate ioctl for device");
        shell.error_plain("no job control in this shell");
        shell.opts.set(flag::MONITOR, false);
    }
    ignore_here(sys::signal::SIGQUIT);
    if shell.opts.interactive {
        prepare_interactive(shell, &how);
        shell.opts.set(flag::HISTEXPAND, !shell.opts.session);
    } else if shell.posix() {
        shell.opts.set_shopt(Shopt::expand_aliases, true);
    }
    shell.show_options();
    let started = startup_files(shell, &how, script.is_some() || command_text.is_some());
    if shell.opts.interactive && command_text.is_none() {
        shell.begin_history();
    }
    if how.restricted {
        shell.start_restricted();
    }
    shell.show_options();
    let result = match started {
        Err(flow) => Err(flow),
        Ok(()) => match (command_text, script) {
            (Some(text), _) => {
                let _ = shell.set(b"BASH_EXECUTION_STRING", &text);
                shell.run_command_string(&text)
            }
            (None, Some(path)) => run_script(shell, path, how.pretty_print),
            (None, None) if how.pretty_print => {
                let text = sys::read_to_end(0).unwrap_or_default();
                shell.status = shell.pretty_print(&text);
                Ok(())
            }
            (None, None) if shell.opts.session => shell.run_session(),
            (None, None) => shell.run_lines(0, true),
        },
    };
    if result.is_ok() || matches!(result, Err(Flow::Exit)) {
        let code = shell.act_on_exit();
        if !shell.in_child {
            shell.end_history();
        }
        if shell.is_login && (shell.opts.interactive || shell.exit_called) {
            shell.run_logout_file();
        }
        let _ = shell.flush();
        return (code & 0xff) as u8;
    }
    (shell.status & 0xff) as u8
}

fn arguments() -> Vec<Vec<u8>> {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStringExt;
    #[cfg(target_os = "wasi")]
    use std::os::wasi::ffi::OsStringExt;
    std::env::args_os().map(OsStringExt::into_vec).collect()
}

fn import_environment(shell: &mut Shell) {
    let mut level = 0;
    let (mut functions, mut options) = (Vec::new(), Vec::new());
    for entry in sys::environment() {
        // A name may begin with `=`, as in the C library.
        let end = entry.iter().skip(1).position(|b| *b == b'=').map(|end| end + 1);
        let Some((key, value)) = end.and_then(|end| entry.split_at_checked(end)) else { continue };
        let value = value.strip_prefix(b"=").unwrap_or(value).to_vec();
        if let Some(name) = key.strip_prefix(b"BASH_FUNC_").and_then(|k| k.strip_suffix(b"%%")) {
            functions.push((name.to_vec(), value));
            continue;
        }
        if !sandshell_syntax::name::is_name(key) {
            // No variable can have this name, but programs still find the entry in their environment.
            shell.vars.pass_on(entry);
            continue;
        }
        match key {
            b"_" => {
                shell.last_arg = Field::Owned(value);
                shell.given_last_arg = Some(shell.last_arg.clone());
                continue;
            }
            b"SHLVL" => {
                level = text::parse_integer(&value).unwrap_or(0);
                continue;
            }
            // The shell sets these itself.
            b"IFS" | b"PPID" | b"UID" | b"EUID" | b"BASH_VERSION" | b"BASH_VERSINFO" | b"BASHPID"
            | b"LINENO" | b"BASH_COMMAND" | b"BASH_SUBSHELL" | b"RANDOM" | b"SECONDS" | b"OPTIND" => continue,
            b"SHELLOPTS" => {
                for option in value.split(|b| *b == b':').filter(|o| !o.is_empty()) {
                    match set_option(option) {
                        Some(f) => shell.opts.set(f, true),
                        None => shell.error_plain([b"line 0: ", option, b": invalid option name"].concat()),
                    }
                }
                options.push(Name::new(key));
                continue;
            }
            b"BASHOPTS" => {
                for o in value.split(|b| *b == b':').filter_map(shopt_option) {
                    shell.opts.set_shopt(o, true);
                }
                options.push(Name::new(key));
                continue;
            }
            _ => {}
        }
        let name = Name::new(key);
        let mut v = Variable::scalar(value);
        v.attrs |= attr::EXPORT;
        shell.vars.insert(name, v);
        if matches!(key, b"LC_ALL" | b"LC_CTYPE" | b"LANG") {
            shell.begin_locale(name);
        }
    }
    let mut level = level.saturating_add(1);
    if level < 0 {
        level = 0;
    }
    if level >= 1000 {
        shell.error_plain(format!("warning: shell level ({level}) too high, resetting to 1"));
        level = 1;
    }
    let mut v = Variable::scalar(text::number(level));
    v.attrs |= attr::EXPORT;
    shell.vars.insert(Name::new(b"SHLVL"), v);
    for name in options {
        let mut v = Variable::scalar(Vec::new());
        v.attrs |= attr::EXPORT | attr::READONLY;
        shell.vars.insert(name, v);
    }
    adopt_directory(shell);
    for (name, body) in functions {
        import_function(shell, &name, &body);
    }
}

fn adopt_directory(shell: &mut Shell) {
    let physical = match sys::getcwd() {
        Ok(cwd) => cwd,
        Err(e) => {
            crate::builtins::cd::no_directory(shell, b"shell-init", e);
            return;
        }
    };
    let pwd = shell.names.pwd;
    let inherited = shell.vars.get(pwd).and_then(Variable::get).map(<[u8]>::to_vec);
    let cwd = match inherited {
        Some(p) if p == physical => p,
        Some(p)
            if p.starts_with(b"/")
                && !p.is_empty()
                && matches!((sys::stat(&p, true), sys::stat(b".", true)), (Ok(a), Ok(b)) if a.ino == b.ino && a.dev == b.dev) =>
        {
            p
        }
        _ => physical,
    };
    shell.cwd.clone_from(&cwd);
    let mut v = Variable::scalar(cwd);
    v.attrs |= attr::EXPORT;
    shell.vars.insert(pwd, v);
    let old = shell.names.oldpwd;
    let keep = shell
        .vars
        .get(old)
        .and_then(Variable::get)
        .is_some_and(|p| sys::stat(p, true).is_ok_and(|s| s.is_dir()));
    if !keep {
        let mut v = Variable::invisible(0);
        v.attrs |= attr::EXPORT;
        shell.vars.insert(old, v);
    }
}

// Reports a function in the environment whose text does not parse. Its lines are counted from 0, but the line where it
// ends from 1.
fn refuse_function(shell: &mut Shell, name: &[u8], body: &[u8], error: &SyntaxError) {
    let last = body.strip_suffix(b"\n").unwrap_or(body).split(|b| *b == b'\n').count();
    for (line, text) in &error.lines {
        let line = match error.kind {
            SyntaxErrorKind::Syntax if error.incomplete => u32::try_from(last).unwrap_or(u32::MAX),
            _ => line.saturating_sub(1),
        };
        shell.error_plain([name, format!(": line {line}: ").as_bytes(), text].concat());
    }
    failed_import(shell, name);
}

// The command of a list that holds only one.
fn only_command(list: &List) -> Option<&Command> {
    let [item] = list.items.as_slice() else { return None };
    let pipeline = &item.and_or.first;
    let [command] = pipeline.commands.as_slice() else { return None };
    let alone =
        !item.background && item.and_or.rest.is_empty() && !pipeline.negated && pipeline.time.is_none();
    alone.then_some(&**command)
}

fn failed_import(shell: &mut Shell, name: &[u8]) {
    shell.error_plain([b"error importing function definition for `".as_slice(), name, b"'"].concat());
}

fn import_function(shell: &mut Shell, name: &[u8], body: &[u8]) {
    if !body.starts_with(b"() {") {
        return;
    }
    if name.contains(&b'/') {
        return failed_import(shell, name);
    }
    let text = [name, b" ", body].concat();
    let mut parser = sandshell_syntax::parser::Parser::from_text(&text, 1);
    let parsed = {
        let mut host = crate::exec::input::TextHost { shell };
        parser.next_command(&mut host)
    };
    let list = match parsed {
        Ok(Some(list)) => list,
        Ok(None) => return,
        Err(error) => {
            refuse_function(shell, name, body, &error);
            return;
        }
    };
    if let Some(command) = only_command(&list)
        && let sandshell_syntax::ast::CommandKind::Function(f) = &command.kind
    {
        let _ = shell.define(f);
        if let Some(entry) = shell.function(f.name) {
            entry.exported.set(true);
        }
    } else {
        // Commands after the definition are never run.
        shell.error_plain([b"warning: ", name, b": ignoring function definition attempt"].concat());
        failed_import(shell, name);
    }
}

// Reads options. `Some` is the exit status if the shell ends at once.
fn parse(shell: &mut Shell, how: &mut Invocation, argv: &[Vec<u8>], at: &mut usize) -> Option<u8> {
    while let Some(arg) = argv.get(*at) {
        if arg == b"--" || arg == b"-" {
            *at += 1;
            break;
        }
        let Some(&sign) = arg.first() else { break };
        if !matches!(sign, b'-' | b'+') || arg.len() < 2 {
            break;
        }
        *at += 1;
        let end = match arg.strip_prefix(b"--") {
            Some(long) => long_option(shell, how, argv, at, arg, long),
            None => option_letters(shell, how, argv, at, arg),
        };
        if end.is_some() {
            return end;
        }
    }
    None
}

fn invalid_option(shell: &mut Shell, shown: &str) -> u8 {
    shell.error_plain(format!("{shown}: invalid option"));
    let usage = USAGE.replace("%s", &text::show(&shell.arg0));
    let _ = sys::write_all(2, usage.as_bytes());
    2
}

fn long_option(
    shell: &mut Shell,
    how: &mut Invocation,
    argv: &[Vec<u8>],
    at: &mut usize,
    arg: &[u8],
    long: &[u8],
) -> Option<u8> {
    match long {
        b"norc" => how.no_rc = true,
        b"noprofile" => how.skip_profile = true,
        b"posix" => shell.opts.set(flag::POSIX, true),
        b"login" => how.login = true,
        b"verbose" => shell.opts.set(flag::VERBOSE, true),
        b"noediting" => how.no_editing = true,
        b"debug" => {}
        b"debugger" => crate::builtins::shopt::switch(shell, Shopt::extdebug, true),
        b"restricted" => how.restricted = true,
        b"pretty-print" => how.pretty_print = true,
        b"dump-strings" => shell.set_dump(Dump::Plain),
        b"dump-po-strings" => shell.set_dump(Dump::Catalogue),
        b"rcfile" | b"init-file" => {
            let Some(file) = argv.get(*at) else {
                shell.error_plain(format!("{}: option requires an argument", text::show(long)));
                return Some(2);
            };
            how.rc_file = Some(file.clone());
            *at += 1;
        }
        b"help" => {
            print_help(shell);
            return Some(0);
        }
        b"version" => {
            let _ = sys::write_all(1, VERSION_TEXT.as_bytes());
            return Some(0);
        }
        _ => {
            return Some(invalid_option(shell, &text::show(arg)));
        }
    }
    None
}

fn print_help(shell: &Shell) {
    let name = text::show(&shell.arg0).into_owned();
    let intro =
        format!("GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n{}", USAGE.replace("%s", &name));
    let _ = sys::write_all(1, intro.as_bytes());
    let tail = format!(
        "\nOptions of the shell are those of `set': see {name} -c 'help set'. Its own commands are listed by\n{name} -c help, and each tells more, as in {name} -c 'help cd'.\n"
    );
    let _ = sys::write_all(1, tail.as_bytes());
}

fn option_letters(
    shell: &mut Shell,
    how: &mut Invocation,
    argv: &[Vec<u8>],
    at: &mut usize,
    arg: &[u8],
) -> Option<u8> {
    let (sign, letters) = arg.split_first()?;
    let on = *sign == b'-';
    for &c in letters {
        match c {
            b'c' => how.command = true,
            b's' => how.stdin = true,
            b'i' => how.interactive = true,
            b'l' => how.login = true,
            b'r' => how.restricted = on,
            b'D' => shell.set_dump(Dump::Plain),
            b'O' | b'o' => {
                let value = argv.get(*at);
                *at += usize::from(value.is_some());
                let end = if c == b'O' { shopt_value(shell, value, on) } else { set_value(shell, value, on) };
                if end.is_some() {
                    return end;
                }
            }
            _ if apply_option_letters(shell, &[c], on) => {}
            _ => {
                let shown = format!("{}{}", char::from(*sign), char::from(c));
                return Some(invalid_option(shell, &shown));
            }
        }
    }
    None
}

/// `-O NAME`. Without a name, shows the options.
fn shopt_value(shell: &mut Shell, name: Option<&Vec<u8>>, on: bool) -> Option<u8> {
    let Some(name) = name else {
        let call = [b"shopt".as_slice().into(), b"-p".as_slice().into()];
        let _ = crate::builtins::shopt::shopt(shell, call.get(..2 - usize::from(on)).unwrap_or_default());
        let _ = shell.flush();
        return None;
    };
    match shopt_option(name) {
        Some(o) => crate::builtins::shopt::switch(shell, o, on),
        None => {
            let text = format!("line 0: {}: invalid shell option name", text::show(name));
            shell.error_plain(text);
            return Some(2);
        }
    }
    None
}

/// `-o NAME`. Without a name, shows the options.
fn set_value(shell: &mut Shell, name: Option<&Vec<u8>>, on: bool) -> Option<u8> {
    let Some(name) = name else {
        // Line editing still counts as on here: only later is it known whether the shell is
        // interactive.
        shell.opts.set(flag::EMACS, true);
        crate::builtins::set::list(shell, on);
        shell.opts.set(flag::EMACS, false);
        let _ = shell.flush();
        return None;
    };
    match set_option(name) {
        Some(f) => crate::builtins::set::change(shell, f, on),
        None => {
            let own = text::show(&shell.arg0).into_owned();
            let text = format!("line 0: {own}: {}: invalid option name", text::show(name));
            shell.error_plain(text);
            return Some(2);
        }
    }
    None
}

const VERSION_TEXT: &str = "\
GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)
This is sandshell's own shell with the behaviour of that version.
";

/// Ignores a signal in this shell, but not in what it starts.
pub(crate) fn ignore_here(signal: u8) {
    if let Ok(sys::Disposition::Ignore) = sys::sigaction(signal, sys::Disposition::IgnoreHere) {
        // The signal was ignored when the shell started, so all children ignore it too.
        let _ = sys::sigaction(signal, sys::Disposition::Ignore);
    }
}

fn prepare_interactive(shell: &mut Shell, how: &Invocation) {
    shell.opts.set_shopt(Shopt::expand_aliases, true);
    shell.opts.set(flag::HISTORY, true);
    shell.opts.set(flag::HISTEXPAND, true);
    shell.opts.set(flag::MONITOR, sys::isatty(2) && sys::tcgetpgrp(2).is_ok());
    if !shell.opts.has(flag::VI) && !how.no_editing {
        shell.opts.set(flag::EMACS, true);
    }
    let _ = sys::sigaction(sys::signal::SIGINT, sys::Disposition::Catch);
    ignore_here(sys::signal::SIGTERM);
    if shell.opts.has(flag::MONITOR) {
        // The shell gives the terminal away and takes it back, and nobody could continue it.
        for number in [sys::signal::SIGTSTP, sys::signal::SIGTTIN, sys::signal::SIGTTOU] {
            ignore_here(number);
        }
        let _ = sys::sigaction(sys::signal::SIGWINCH, sys::Disposition::Catch);
        shell.terminal = sys::tcgetattr(2).ok();
        shell.note_window_size();
    }
    for (name, value) in [(&b"PS1"[..], &b"\\s-\\v\\$ "[..]), (b"PS2", b"> ")] {
        let name = Name::new(name);
        if shell.vars.get(name).is_none() {
            shell.vars.insert(name, Variable::scalar(value.to_vec()));
        }
    }
}

fn startup_files(shell: &mut Shell, how: &Invocation, non_interactive: bool) -> crate::shell::Run {
    let home = shell.names.home;
    let home = |shell: &mut Shell| shell.value(home).map(|v| v.into_owned()).unwrap_or_default();
    if how.login && !how.skip_profile {
        shell.source_startup(b"/etc/profile")?;
        let dir = home(shell);
        let own: &[&[u8]] = &[b"/.bash_profile", b"/.bash_login"];
        let own = if how.called_sh { &[] } else { own };
        for name in own.iter().copied().chain([&b"/.profile"[..]]) {
            let file = [&*dir, name].concat();
            if sys::access(&file, 4).is_ok() {
                shell.source_startup(&file)?;
                break;
            }
        }
    } else if shell.opts.interactive && !how.no_rc && !shell.posix() {
        let file = match &how.rc_file {
            Some(f) => f.clone(),
            None => {
                shell.source_startup(b"/etc/bash.bashrc")?;
                [&*home(shell), b"/.bashrc"].concat()
            }
        };
        shell.source_startup(&file)?;
    }
    let env_name: &[u8] = if shell.posix() { b"ENV" } else { b"BASH_ENV" };
    let wanted = if shell.posix() { shell.opts.interactive } else { !shell.opts.interactive };
    if wanted
        && !shell.opts.has(flag::PRIVILEGED)
        && (non_interactive || shell.posix() || !shell.opts.interactive)
        && let Some(file) = shell.value(Name::new(env_name)).map(|v| v.into_owned())
        && !file.is_empty()
    {
        let expanded = shell.prompt_expand(&file)?;
        shell.source_startup(&expanded)?;
    }
    Ok(())
}

fn run_script(shell: &mut Shell, path: Vec<u8>, pretty_print: bool) -> crate::shell::Run {
    let mut file = path.clone();
    let mut opened = sys::open(&file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0);
    if opened.is_err() && !path.contains(&b'/') {
        let search = shell.search_path();
        if let Some(found) = shell.search(&path, &search, false).pop() {
            file = found;
            opened = sys::open(&file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0);
        }
    }
    let problem = match &opened {
        Err(e) => Some((e.to_string(), if *e == sys::Errno::NOENT { 127 } else { 126 })),
        Ok(fd) if sys::fstat(*fd).is_ok_and(|s| s.is_dir()) => Some(("Is a directory".to_string(), 126)),
        Ok(_) => None,
    };
    if let Some((text, code)) = problem {
        let name = if code == 126 && opened.is_ok() { path.clone() } else { shell.arg0.clone() };
        let _ = sys::write_all(2, &[&*name, b": ", &*path, b": ", text.as_bytes(), b"\n"].concat());
        shell.status = code;
        return Ok(());
    }
    let Ok(fd) = opened else { return Ok(()) };
    let mut head = [0u8; 80];
    let n = sys::read(fd, &mut head).unwrap_or(0);
    let line = head.get(..n).unwrap_or_default().split(|b| *b == b'\n').next().unwrap_or_default();
    if line.contains(&0) {
        let message = [&*path, b": ", &*file, b": cannot execute binary file\n"].concat();
        let _ = sys::write_all(2, &message);
        shell.status = 126;
        return Ok(());
    }
    // A pipe cannot be moved back, so the bytes that were read from it are kept.
    let seen = match sys::lseek(fd, 0, 0) {
        Ok(_) => Vec::new(),
        Err(_) => head.get(..n).unwrap_or_default().to_vec(),
    };
    if pretty_print {
        let text = [seen, sys::read_to_end(fd).unwrap_or_default()].concat();
        shell.arg0 = path;
        shell.status = shell.pretty_print(&text);
        return Ok(());
    }
    run_opened(shell, fd, path, seen)
}

fn run_opened(shell: &mut Shell, fd: sys::Fd, path: Vec<u8>, seen: Vec<u8>) -> crate::shell::Run {
    // Moved to a high number, so that it does not collide with the script's own descriptors.
    let high = (200..256).rev().find(|n| sys::cloexec(*n).is_err());
    let fd = match high.and_then(|n| sys::dup(fd, n, true).ok()) {
        Some(moved) => {
            let _ = sys::close(fd);
            moved
        }
        None => fd,
    };
    shell.reading_from = Some(fd);
    shell.arg0.clone_from(&path);
    shell.frames.push(Frame {
        kind: FrameKind::Script,
        name: Rc::from(&b"main"[..]),
        source: Rc::from(path.as_slice()),
        line: 0,
    });
    shell.run_lines_after(fd, seen)
}

impl Shell {
    /// A message before any command is read.
    fn error_plain(&mut self, message: impl AsRef<[u8]>) {
        let line = [&*self.arg0, b": ", message.as_ref(), b"\n"].concat();
        let _ = sys::write_all(2, &line);
    }

    // It is no error if a start-up file does not exist.
    fn source_startup(&mut self, file: &[u8]) -> crate::shell::Run {
        if sys::access(file, 4).is_err() {
            return Ok(());
        }
        let result = self.source_file(file, file, None, true);
        match result {
            Err(Flow::Exit) => Err(Flow::Exit),
            _ => Ok(()),
        }
    }

    /// `~/.bash_logout`
    pub(crate) fn run_logout_file(&mut self) {
        let home = self.names.home;
        let dir = self.value(home).map(|v| v.into_owned()).unwrap_or_default();
        let _ = self.source_startup(&[&*dir, b"/.bash_logout"].concat());
    }
}
