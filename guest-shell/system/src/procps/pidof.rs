//! `pidof`: prints the process IDs of a program.

use super::process;
use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Runs `pidof` on its arguments (its own name first) and returns the exit status: 1 if there is no such process.
pub fn pidof_main(args: Vec<Vec<u8>>) -> i32 {
    let long = [
        ("check-root", 'c'),
        ("single-shot", 's'),
        ("omit-pid=", 'o'),
        ("separator=", 'S'),
        ("quiet", 'q'),
        ("with-workers", 'w'),
        ("lightweight", 't'),
        ("help", 'h'),
        ("version", 'V'),
    ]
    .map(|(name, letter)| (name, letter as u32));
    let parsed = options::permuted(args.get(1..).unwrap_or_default(), "cnqwxzmo:S:shVt", &long);
    let (mut single, mut quiet, mut scripts, mut separator) = (false, false, false, b" ".to_vec());
    let mut omitted: Vec<i64> = Vec::new();
    for item in &parsed.items {
        match item {
            Item::Option(id, value) => match char::from_u32(*id).unwrap_or_default() {
                's' => single = true,
                'q' => quiet = true,
                'x' => scripts = true,
                'S' => separator = value.clone().unwrap_or_default(),
                'o' => {
                    for word in value.as_deref().unwrap_or_default().split(|b| b",;:".contains(b)) {
                        match std::str::from_utf8(word).ok().map(|w| (w, w.parse())) {
                            Some(("%PPID", _)) => omitted.push(i64::from(sys::getppid())),
                            Some((_, Ok(pid))) => omitted.push(pid),
                            _ => {}
                        }
                    }
                }
                'V' => {
                    out::put(super::version(say::short_name(&args)));
                    return out::finish("pidof", 0, 1);
                }
                'h' => {
                    out::put(USAGE);
                    return out::finish("pidof", 0, 1);
                }
                _ => {}
            },
            Item::Wrong(text) => {
                say::raw([say::full_name(&args), b": ", text, b"\n", USAGE.as_bytes()].concat());
                return 1;
            }
            Item::Operand(_) => {}
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
        return 1;
    }
    if !quiet {
        out::put([found.join(separator.as_slice()), b"\n".to_vec()].concat());
    }
    out::finish("pidof", 0, 1)
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
