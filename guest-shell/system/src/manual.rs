//! `man`: a sandbox has no manual pages, but each command has a `--help`.
//!
//! Of man-db's fifty options those are read that people type to see a page; a table of them all would say nothing.

use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys as sys;

/// Runs `man` on its arguments (its own name first) and returns the exit status: 16 if there is no page, as in man-db.
pub fn man_main(args: Vec<Vec<u8>>) -> i32 {
    let mut names = Vec::new();
    let mut section = None;
    for arg in args.iter().skip(1) {
        match arg.as_slice() {
            b"--help" | b"-h" | b"-?" => {
                out::put(USAGE);
                return out::finish("man", 0, 1);
            }
            b"--version" | b"-V" => {
                out::put("man 2.11.2\n");
                return out::finish("man", 0, 1);
            }
            // Options about finding and showing pages.
            b"-a" | b"--all" | b"-P" | b"--no-hyphenation" | b"--no-justification" => {}
            option if option.len() > 1 && option.starts_with(b"-") => {
                let shown = String::from_utf8_lossy(option);
                say::error(
                    &args,
                    format!("{shown}: there are no manual pages here; 'man NAME' shows NAME --help"),
                );
                return 2;
            }
            number if section.is_none() && names.is_empty() && is_section(number) => section = Some(number),
            name => names.push(name.to_vec()),
        }
    }
    if names.is_empty() {
        match section {
            Some(number) => {
                let number = String::from_utf8_lossy(number);
                say::raw(format!("No manual entry for {number}\n"));
                return 16;
            }
            None => say::raw("What manual page do you want?\nFor example, try 'man man'.\n"),
        }
        return 1;
    }
    let mut status = 0;
    for name in &names {
        // All other sections are about things that have no `--help`.
        if !section.is_none_or(|number| matches!(number, b"1" | b"8")) || !show(name) {
            let place =
                section.map_or(String::new(), |n| format!(" in section {}", String::from_utf8_lossy(n)));
            say::raw([b"No manual entry for ", name.as_slice(), place.as_bytes(), b"\n"].concat());
            status = 16;
        }
    }
    status
}

fn is_section(text: &[u8]) -> bool {
    matches!(text, [b'1'..=b'9'] | [b'1'..=b'9', b'a'..=b'z'])
}

// Only system commands are run for this, not programs elsewhere in the path.
fn show(name: &[u8]) -> bool {
    let program = [b"/usr/bin/", name].concat();
    if !name.contains(&b'/') && sys::access(&program, 1).is_ok() {
        return run(&program, &[name, b"--help"]);
    }
    let help = b"help -s -- \"$1\" > /dev/null 2>&1 && help -- \"$1\"";
    run(b"/bin/bash", &[b"bash", b"-c", help, b"man", name])
}

// Runs a command that prints its help. Returns whether it succeeded.
fn run(path: &[u8], argv: &[&[u8]]) -> bool {
    out::flush();
    let argv: Vec<Vec<u8>> = argv.iter().map(|word| word.to_vec()).collect();
    let env = process::environment();
    let started = sys::spawn(&sys::Program { path, argv: &argv, env: &env, ..sys::Program::default() });
    let Ok(pid) = started else { return false };
    loop {
        match sys::wait(pid, 0) {
            Ok(Some(waited)) => return waited.status.code() == 0,
            Err(sys::Errno::INTR) => {}
            _ => return false,
        }
    }
}

const USAGE: &str = "Usage: man [SECTION] NAME...

Show the --help of commands and of the shell's builtins. There are no manual pages here.

Examples:
 man tar
 man 1 cd
";
