//! `pidof`: prints the process IDs of a program.

use super::process;
use crate::base::options::{Spec, hidden, listed};
use sandshell_cli::out;
use sandshell_sys as sys;

const SPEC: Spec = Spec {
    name: "pidof",
    options: &[
        listed(USAGE),
        hidden("none", "-c, --check-root, -m, -n, -t, --lightweight, -w, --with-workers, -z"),
    ],
    ..Spec::DEFAULT
};

/// Runs `pidof` on its arguments (its own name first) and returns the exit status: 1 if there is no such process.
pub fn pidof_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("pidof", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut single, mut quiet, mut scripts, mut separator) = (false, false, false, b" ".to_vec());
    let mut omitted: Vec<i64> = Vec::new();
    for g in &parsed.options {
        match g.id {
            "s" => single = true,
            "q" => quiet = true,
            "x" => scripts = true,
            "S" => separator = g.text().to_vec(),
            "o" => {
                for word in g.text().split(|b| b",;:".contains(b)) {
                    match std::str::from_utf8(word).ok().map(|w| (w, w.parse())) {
                        Some(("%PPID", _)) => omitted.push(i64::from(sys::getppid())),
                        Some((_, Ok(pid))) => omitted.push(pid),
                        _ => {}
                    }
                }
            }
            "none" => {}
            _ => return Err(super::usual(USAGE, args, g)),
        }
    }
    let mut found = Vec::new();
    let mut processes = process::all();
    processes.reverse();
    let base = |path: &[u8]| path.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    for name in &parsed.operands {
        let is =
            |text: &[u8]| if name.contains(&b'/') { text == name.as_slice() } else { base(text) == *name };
        for p in processes.iter().filter(|p| !omitted.contains(&p.pid)) {
            let program = p.arguments.first().is_some_and(|a| is(a.strip_prefix(b"-").unwrap_or(a)));
            let link = sys::readlink(format!("/proc/{}/exe", p.pid).as_bytes()).is_ok_and(|exe| is(&exe));
            let script = scripts && p.arguments.get(1).is_some_and(|a| is(a));
            if program || link || script {
                found.push(p.pid.to_string().into_bytes());
                if single {
                    break;
                }
            }
        }
    }
    if found.is_empty() {
        return Err(1);
    }
    if !quiet {
        out::put([found.join(separator.as_slice()), b"\n".to_vec()].concat());
    }
    Ok(0)
}

const USAGE: &str = "
Usage:
 pidof [options] [program [...]]

Shows the numbers of processes that run these programs.

 -s, --single-shot         one of them
 -q, --quiet               none: the exit status tells
 -x                        also of those that run such a script
 -o, --omit-pid <list>     but not these; %PPID is the caller
 -S, --separator SEP       SEP between them instead of a blank
 -h, --help                this text
 -V, --version             the version

Accepted without effect: -c, --check-root, -m, -n, -t, --lightweight, -w, --with-workers, -z.
";
