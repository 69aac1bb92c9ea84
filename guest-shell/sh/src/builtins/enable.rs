//! `enable` and `help`

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};
use sandshell_syntax::pattern::{Pattern, PatternOptions, is_glob};

/// `enable`
pub(super) fn enable(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "adnpsf:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    if shell.opts.restricted && (has(b'f') || has(b'd')) {
        return Ok(args::fail(shell, args, "restricted"));
    }
    if let Some(file) = options.iter().find(|o| o.letter == b'f').map(|o| o.value) {
        let why: &[u8] = b": cannot open shared object file: No such file or directory";
        return Ok(args::fail(shell, args, [b"cannot open shared object ", file, b": ", file, why].concat()));
    }
    if has(b'd') {
        for word in words {
            args::fail(shell, args, [word, b": not dynamically loaded".as_slice()].concat());
        }
        return Ok(i32::from(!words.is_empty()));
    }
    let (all, off, special) = (has(b'a'), has(b'n'), has(b's'));
    if words.is_empty() || has(b'p') {
        for b in super::all() {
            if special && b.kind != super::Kind::Special {
                continue;
            }
            let disabled = shell.disabled_builtins.contains(&b.name);
            if !all && disabled != off {
                continue;
            }
            let line = format!("enable {}{}\n", if disabled { "-n " } else { "" }, b.name);
            shell.put(line.as_bytes());
        }
        return Ok(0);
    }
    let mut status = 0;
    for word in words {
        match super::find(word) {
            Some(b) if shell.opts.restricted && !off && shell.disabled_builtins.contains(&b.name) => {
                status = args::fail(shell, args, "restricted");
            }
            Some(b) => {
                shell.disabled_builtins.retain(|d| *d != b.name);
                if off {
                    shell.disabled_builtins.push(b.name);
                }
            }
            None => status = args::fail(shell, args, [word, b": not a shell builtin".as_slice()].concat()),
        }
    }
    Ok(status)
}

/// What each topic is for.
const SUMMARIES: &[(&str, &str)] = &[
    ("%", "Resume a job in the foreground or, with `&', in the background."),
    ("(( ... ))", "Evaluate arithmetic; true unless the result is 0."),
    (".", "Run the commands of a file in this shell."),
    (":", "Do nothing, successfully."),
    ("[", "Evaluate a condition; the last argument must be `]'."),
    ("[[ ... ]]", "Evaluate a condition with patterns and regular expressions."),
    ("alias", "Define or show aliases."),
    ("bg", "Let stopped jobs go on in the background."),
    ("bind", "Change key bindings of the line editor."),
    ("break", "Leave enclosing loops."),
    ("builtin", "Run a builtin even if a function has its name."),
    ("caller", "Show where the running function was called."),
    ("case", "Run the commands after the first pattern that matches a word."),
    ("cd", "Change the shell working directory."),
    ("command", "Run a command that is no function, or tell what it is."),
    ("compgen", "Show possible completions."),
    ("complete", "Set how arguments of commands are completed."),
    ("compopt", "Change options of a completion."),
    ("continue", "Begin the next round of an enclosing loop."),
    ("coproc", "Run a command in the background with pipes to and from it."),
    ("declare", "Give variables values and attributes, or show them."),
    ("dirs", "Show the directory stack."),
    ("disown", "Remove jobs from the shell's table."),
    ("echo", "Write the arguments."),
    ("enable", "Switch builtins on and off."),
    ("eval", "Run the arguments as a command."),
    ("exec", "Replace the shell by a program, or change its redirections."),
    ("exit", "Leave the shell."),
    ("export", "Hand variables on to programs."),
    ("false", "Do nothing, unsuccessfully."),
    ("fc", "Show or repeat commands of the history."),
    ("fg", "Move a job to the foreground."),
    ("for", "Run commands for every word of a list."),
    ("for ((", "Run commands while arithmetic holds."),
    ("function", "Define a function."),
    ("getopts", "Read options from arguments, one per call."),
    ("hash", "Remember or show where programs are."),
    ("help", "Show what builtins do."),
    ("history", "Show or change the list of past commands."),
    ("if", "Run commands if a condition holds."),
    ("jobs", "Show the shell's jobs."),
    ("kill", "Send a signal to processes or jobs."),
    ("let", "Evaluate arithmetic."),
    ("local", "Define variables of a function."),
    ("logout", "Leave a login shell."),
    ("mapfile", "Read lines into an array."),
    ("popd", "Remove directories from the stack."),
    ("printf", "Write arguments in a format."),
    ("pushd", "Add a directory to the stack, or turn the stack."),
    ("pwd", "Write the name of the working directory."),
    ("read", "Read a line and split it into variables."),
    ("readarray", "Read lines into an array."),
    ("readonly", "Keep variables from being changed."),
    ("return", "Leave a function or sourced file."),
    ("select", "Let the user choose words from a menu."),
    ("set", "Set shell options and positional parameters."),
    ("shift", "Move positional parameters down."),
    ("shopt", "Set or show more shell options."),
    ("source", "Run the commands of a file in this shell."),
    ("suspend", "Stop the shell until it is continued."),
    ("test", "Evaluate a condition."),
    ("time", "Tell how long a pipeline took."),
    ("times", "Show the processor time used."),
    ("trap", "Run commands when signals arrive."),
    ("true", "Do nothing, successfully."),
    ("type", "Tell what a command is."),
    ("typeset", "Give variables values and attributes, or show them."),
    ("ulimit", "Show or change resource limits."),
    ("umask", "Show or set the mode bits that new files lack."),
    ("unalias", "Remove aliases."),
    ("unset", "Remove variables and functions."),
    ("until", "Run commands until a condition holds."),
    ("variables", "Variables that the shell uses."),
    ("wait", "Wait for processes and tell their status."),
    ("while", "Run commands while a condition holds."),
    ("{ ... }", "Run commands as one."),
];

/// Synopses of what is no builtin.
const SYNTAX: &[(&str, &str)] = &[
    ("%", "job_spec [&]"),
    ("(( ... ))", "(( expression ))"),
    ("[[ ... ]]", "[[ expression ]]"),
    ("case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac"),
    ("coproc", "coproc [NAME] command [redirections]"),
    ("for", "for NAME [in WORDS ... ] ; do COMMANDS; done"),
    ("for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done"),
    ("function", "function name { COMMANDS ; } or name () { COMMANDS ; }"),
    ("if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi"),
    ("select", "select NAME [in WORDS ... ;] do COMMANDS; done"),
    ("time", "time [-p] pipeline"),
    ("until", "until COMMANDS; do COMMANDS-2; done"),
    ("variables", "variables - Names and meanings of some shell variables"),
    ("while", "while COMMANDS; do COMMANDS-2; done"),
    ("{ ... }", "{ COMMANDS ; }"),
];

fn synopsis(topic: &str) -> &'static str {
    match super::find(topic.as_bytes()) {
        Some(b) => b.usage,
        None => SYNTAX.iter().find(|s| s.0 == topic).map_or("", |s| s.1),
    }
}

/// Prints the help of a builtin, as its `--help` does.
pub(super) fn print_help(shell: &mut Shell, name: &[u8]) {
    let found = SUMMARIES.iter().find(|s| s.0.as_bytes() == name);
    if let Some((topic, summary)) = found {
        let text = format!("{topic}: {}\n    {summary}\n", synopsis(topic));
        shell.put(text.as_bytes());
    }
}

/// The names that `help` knows.
pub(super) fn topics() -> impl Iterator<Item = &'static str> {
    SUMMARIES.iter().map(|s| s.0)
}

// All synopses in two columns, cut with `>`; builtins that are off have a star.
fn list_topics(shell: &mut Shell) {
    const WIDTH: usize = 40;
    let height = SUMMARIES.len().div_ceil(2);
    let cell = |shell: &Shell, topic: &str, room: usize| {
        let off = shell.builtin_disabled(topic.as_bytes());
        let text = synopsis(topic);
        let cut = text.get(..room).filter(|_| text.len() > room);
        let text = cut.map_or_else(|| text.to_string(), |t| format!("{t}>"));
        format!("{}{text}", if off { '*' } else { ' ' })
    };
    for row in 0..height {
        let left = SUMMARIES.get(row).map(|s| cell(shell, s.0, WIDTH - 3)).unwrap_or_default();
        let line = match SUMMARIES.get(row + height) {
            Some(s) => format!("{left:WIDTH$}{}\n", cell(shell, s.0, WIDTH - 4)),
            None => format!("{left}\n"),
        };
        shell.put(line.as_bytes());
    }
}

/// `help`
pub(super) fn help(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "dms") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        shell.put(
            b"GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nThese commands are built into the shell. `help NAME' tells more about the command NAME.\n\n",
        );
        list_topics(shell);
        // Nobody looks whether the list arrives.
        if shell.flush().is_err() {
            shell.out.clear();
        }
        return Ok(0);
    }
    if words.first().is_some_and(|w| is_glob(w, true)) {
        let several = if words.len() > 1 { "s" } else { "" };
        let names = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b", "[..]);
        let start = format!("Shell commands matching keyword{several} `");
        shell.put(&[start.as_bytes(), &names, b"'\n\n"].concat());
    }
    let mut found = false;
    let mut missing = Vec::new();
    for word in words {
        let pattern =
            is_glob(word, true).then(|| Pattern::new(word, PatternOptions { extglob: true, nocase: false }));
        let exact: Vec<&(&str, &str)> = SUMMARIES.iter().filter(|s| s.0.as_bytes() == &**word).collect();
        let matches: Vec<&(&str, &str)> = match &pattern {
            Some(p) if SUMMARIES.iter().any(|s| p.matches(s.0.as_bytes())) => {
                SUMMARIES.iter().filter(|s| p.matches(s.0.as_bytes())).collect()
            }
            _ if !exact.is_empty() => exact,
            _ => SUMMARIES.iter().filter(|s| s.0.as_bytes().starts_with(word)).collect(),
        };
        if matches.is_empty() {
            let message = [
                b"no help topics match `".as_slice(),
                word,
                b"'.  Try `help help' or `man -k ",
                word,
                b"' or `info ",
                word,
                b"'.",
            ];
            missing = message.concat();
            continue;
        }
        found = true;
        for (topic, summary) in matches {
            let usage = synopsis(topic);
            let text = if has(b'd') {
                format!("{topic} - {summary}\n")
            } else if has(b's') {
                format!("{topic}: {usage}\n")
            } else if has(b'm') {
                format!(
                    "NAME\n    {topic} - {summary}\n\nSYNOPSIS\n    {usage}\n\nDESCRIPTION\n    {summary}\n"
                )
            } else {
                format!("{topic}: {usage}\n    {summary}\n")
            };
            shell.put(text.as_bytes());
        }
    }
    if found { Ok(0) } else { Ok(args::fail(shell, args, missing)) }
}
