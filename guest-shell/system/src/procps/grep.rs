//! `pgrep` and `pkill`: find processes by name and other attributes.

use super::process::{self, Process};
use crate::base::options::{self, Item};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;

/// Runs `pgrep` on its arguments (its own name first) and returns the exit status: 1 if nothing matched, 2 for a usage
/// error.
pub fn pgrep_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args, false).unwrap_or_else(|code| code);
    out::finish("pgrep", code, 3)
}

/// Runs `pkill` in the same way as [`pgrep_main`].
pub fn pkill_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args, true).unwrap_or_else(|code| code);
    out::finish("pkill", code, 3)
}

#[derive(Default)]
struct Criteria {
    pattern: Option<Regex>,
    full: bool,
    groups: Vec<i64>,
    sessions: Vec<i64>,
    parents: Vec<i64>,
    pids: Vec<i64>,
    users: Vec<u32>,
    gids: Vec<u32>,
    states: Vec<u8>,
    terminals: Vec<String>,
    older: Option<u64>,
    newest: bool,
    oldest: bool,
    negate: bool,
}

fn run(args: &[Vec<u8>], kills: bool) -> Result<i32, i32> {
    let name = say::short_name(args);
    let mut signal = sys::signal::SIGTERM;
    let mut rest: Vec<Vec<u8>> = args.get(1..).unwrap_or_default().to_vec();
    if kills && let Some((i, n)) = signal_option(&rest) {
        signal = n;
        rest.remove(i);
    }
    let long = [
        ("signal=", 'Z'),
        ("ignore-ancestors", 'A'),
        ("count", 'c'),
        ("cgroup=", 'Y'),
        ("delimiter=", 'd'),
        ("echo", 'e'),
        ("env=", 'Y'),
        ("euid=", 'u'),
        ("full", 'f'),
        ("group=", 'G'),
        ("help", 'h'),
        ("ignore-case", 'i'),
        ("inverse", 'v'),
        ("lightweight", 'w'),
        ("list-full", 'a'),
        ("list-name", 'l'),
        ("newest", 'n'),
        ("oldest", 'o'),
        ("older=", 'O'),
        ("parent=", 'P'),
        ("pgroup=", 'g'),
        ("pidfile=", 'F'),
        ("logpidfile", 'L'),
        ("queue=", 'q'),
        ("runstates=", 'r'),
        ("session=", 's'),
        ("terminal=", 't'),
        ("uid=", 'U'),
        ("version", 'V'),
        ("exact", 'x'),
        ("ns=", 'Y'),
        ("nslist=", 'Y'),
    ]
    .map(|(name, letter)| (name, letter as u32));
    let short =
        if kills { "ceAfF:G:g:Lhiv:noO:P:q:r:s:t:u:U:xV" } else { "AacfF:G:g:Lhilvd:noO:P:r:s:t:u:U:wxV" };
    let short = short.replace("iv:", "iv");
    let parsed = options::permuted(&rest, &short, &long);
    let usage = |text: &str| {
        say::raw(
            [name, b": ", text.as_bytes(), b"\nTry `", name, b" --help' for more information.\n"].concat(),
        );
        2
    };
    let mut c = Criteria::default();
    let (mut count, mut echo, mut names, mut full_names, mut any_case, mut exact) =
        (false, false, false, false, false, false);
    let mut delimiter = b"\n".to_vec();
    let mut criteria = 0;
    for item in parsed.items {
        let (id, value) = match item {
            Item::Option(id, value) => (id, value.unwrap_or_default()),
            Item::Wrong(text) => {
                say::raw([say::full_name(args), b": ", &text, b"\n", &usage_text(name, kills)].concat());
                return Err(2);
            }
            Item::Operand(_) => continue,
        };
        let letter = char::from_u32(id).unwrap_or_default();
        if "GgnoOPrstuUF".contains(letter) {
            criteria += 1;
        }
        let own = i64::from(sys::getpid());
        let numbers = |zero: i64| {
            value
                .split(|b| *b == b',')
                .map(|w| {
                    let n = std::str::from_utf8(w).ok().and_then(|w| w.parse::<i64>().ok());
                    n.map(|n| if n == 0 { zero } else { n }).ok_or_else(|| {
                        say::raw([name, b": not a number: ", w, b"\n"].concat());
                        2
                    })
                })
                .collect::<Result<Vec<i64>, i32>>()
        };
        match letter {
            'Z' => {
                signal = super::signal(&value).ok_or_else(|| {
                    usage(&format!("Unknown signal \"{}\".", String::from_utf8_lossy(&value)))
                })?
            }
            'c' => count = true,
            'd' => delimiter = value,
            'e' => echo = true,
            'f' => c.full = true,
            'i' => any_case = true,
            'l' => names = true,
            'a' => full_names = true,
            'x' => exact = true,
            'v' => c.negate = true,
            'n' => c.newest = true,
            'o' => c.oldest = true,
            'g' => c.groups = numbers(i64::from(sys::getpgid(0).unwrap_or(0)))?,
            's' => c.sessions = numbers(own_session(own))?,
            'P' => c.parents = numbers(0)?,
            'F' => c.pids = pid_file(name, &value)?,
            'u' | 'U' => {
                for word in value.split(|b| *b == b',') {
                    let uid = users::number(word).or_else(|| users::user_named(word).map(|u| u.uid));
                    c.users.push(uid.ok_or_else(|| {
                        say::raw([name, b": invalid user name: ", word, b"\n"].concat());
                        2
                    })?);
                }
            }
            'G' => {
                for word in value.split(|b| *b == b',') {
                    let gid = users::number(word).or_else(|| users::group_named(word).map(|g| g.gid));
                    c.gids.push(gid.ok_or_else(|| {
                        say::raw([name, b": invalid group name: ", word, b"\n"].concat());
                        2
                    })?);
                }
            }
            'r' => c.states = value.iter().copied().filter(|b| *b != b',').collect(),
            't' => {
                c.terminals =
                    value.split(|b| *b == b',').map(|t| String::from_utf8_lossy(t).into_owned()).collect()
            }
            'O' => {
                let seconds = std::str::from_utf8(&value).ok().and_then(|v| v.parse().ok());
                c.older = Some(seconds.unwrap_or(0));
            }
            'h' => {
                out::put(usage_text(name, kills));
                return Ok(0);
            }
            'V' => {
                out::put(super::version(name));
                return Ok(0);
            }
            'Y' => {
                say::error(args, "namespaces, environments and control groups are not supported");
                return Err(2);
            }
            _ => {}
        }
    }
    if parsed.operands.len() > 1 {
        return Err(usage("only one pattern can be provided"));
    }
    let Some(pattern) = parsed.operands.first() else {
        if criteria == 0 {
            return Err(usage("no matching criteria specified"));
        }
        return Ok(finish(kills, signal, count, echo, names, full_names, &delimiter, &c.select(), name));
    };
    if pattern.len() > 15 && !c.full && !pattern.iter().any(|b| b"|*[](){}.?+\\^$".contains(b)) {
        say::raw(
            [
                name,
                b": pattern that searches for process name longer than 15 characters will result in zero matches\nTry `",
                name,
                b" -f' option to match against the complete command line.\n",
            ]
            .concat(),
        );
    }
    let whole = if exact { [b"^(", pattern.as_slice(), b")$"].concat() } else { pattern.clone() };
    let flags = Flags { icase: any_case, ..Flags::default() };
    match Regex::new(&whole, Syntax::POSIX_EXTENDED, flags) {
        Ok(r) => c.pattern = Some(r),
        Err(e) => {
            say::raw([name, format!(": regex error: {e}\n").as_bytes()].concat());
            return Err(2);
        }
    }
    Ok(finish(kills, signal, count, echo, names, full_names, &delimiter, &c.select(), name))
}

#[allow(clippy::too_many_arguments, reason = "each is one option of the command line")]
fn finish(
    kills: bool,
    signal: u8,
    count: bool,
    echo: bool,
    names: bool,
    full_names: bool,
    delimiter: &[u8],
    found: &[Process],
    name: &[u8],
) -> i32 {
    let mut done = found.len();
    if kills {
        for p in found {
            match i32::try_from(p.pid).map_err(|_| sys::Errno::SRCH).and_then(|pid| sys::kill(pid, signal)) {
                Ok(()) if echo => {
                    out::put([p.name.as_slice(), format!(" killed (pid {})\n", p.pid).as_bytes()].concat())
                }
                Ok(()) => {}
                Err(e) => {
                    done -= 1;
                    if e != sys::Errno::SRCH {
                        say::raw(
                            [name, format!(": killing pid {} failed: {e}\n", p.pid).as_bytes()].concat(),
                        );
                    }
                }
            }
        }
        if count {
            out::put(format!("{}\n", found.len()));
        }
    } else if count {
        out::put(format!("{}\n", found.len()));
    } else if !found.is_empty() {
        let lines: Vec<Vec<u8>> = found
            .iter()
            .map(|p| {
                let pid = p.pid.to_string().into_bytes();
                match (full_names, names) {
                    (true, _) => [pid, b" ".to_vec(), one_line(p.command())].concat(),
                    (_, true) => [pid, b" ".to_vec(), p.name.clone()].concat(),
                    _ => pid,
                }
            })
            .collect();
        out::put([lines.join(delimiter), b"\n".to_vec()].concat());
    }
    i32::from(done == 0)
}

/// Replaces control characters by `?` and line ends by blanks.
fn one_line(mut text: Vec<u8>) -> Vec<u8> {
    for b in &mut text {
        match b {
            b'\n' | b'\t' => *b = b' ',
            0..=31 | 127 => *b = b'?',
            _ => {}
        }
    }
    text
}

impl Criteria {
    fn select(&self) -> Vec<Process> {
        let own = i64::from(sys::getpid());
        let now = process::uptime();
        let matches = |p: &Process| {
            let among = |list: &[i64], n: i64| list.is_empty() || list.contains(&n);
            let text = if self.full { p.command() } else { p.name.clone() };
            among(&self.groups, p.group)
                && among(&self.sessions, p.session)
                && among(&self.parents, p.parent)
                && among(&self.pids, p.pid)
                && (self.users.is_empty() || self.users.contains(&p.uid))
                && (self.gids.is_empty() || self.gids.contains(&p.gid))
                && (self.states.is_empty() || self.states.contains(&p.state))
                && (self.terminals.is_empty() || self.terminals.contains(&p.terminal()))
                && self.older.is_none_or(|s| now.saturating_sub(p.started) / 100 >= s)
                && self.pattern.as_ref().is_none_or(|r| r.is_match(&text))
        };
        let mut found: Vec<Process> = process::all();
        found.retain(|p| p.pid != own && matches(p) != self.negate);
        let pick = |found: Vec<Process>, newest: bool| {
            let key = |p: &Process| (p.started, p.pid);
            let one =
                if newest { found.into_iter().max_by_key(key) } else { found.into_iter().min_by_key(key) };
            one.into_iter().collect()
        };
        if self.newest {
            found = pick(found, true);
        } else if self.oldest {
            found = pick(found, false);
        }
        found
    }
}

/// The first argument that is a dash and a signal.
fn signal_option(args: &[Vec<u8>]) -> Option<(usize, u8)> {
    args.iter().take_while(|a| *a != b"--").enumerate().find_map(|(i, arg)| {
        let text = arg.strip_prefix(b"-").filter(|t| !t.is_empty())?;
        let named = text.len() > 1 || text.iter().all(u8::is_ascii_digit);
        Some((i, super::signal(text).filter(|_| named)?))
    })
}

fn own_session(own: i64) -> i64 {
    process::all().iter().find(|p| p.pid == own).map_or(0, |p| p.session)
}

fn pid_file(name: &[u8], path: &[u8]) -> Result<Vec<i64>, i32> {
    let content = sys::read_file(if path == b"-" { b"/dev/stdin" } else { path });
    let pid = content.ok().and_then(|c| String::from_utf8_lossy(&c).trim().parse().ok());
    pid.map(|pid| vec![pid]).ok_or_else(|| {
        say::raw([name, b": pidfile not valid\nTry `", name, b" --help' for more information.\n"].concat());
        2
    })
}

fn usage_text(name: &[u8], kills: bool) -> Vec<u8> {
    let (what, own) = if kills { ("Sends a signal to", PKILL) } else { ("Shows the numbers of", PGREP) };
    let head = format!(" [options] <pattern>\n\n{what} processes that run programs of matching names.\n\n");
    [b"\nUsage:\n ", name, head.as_bytes(), own.as_bytes(), BOTH.as_bytes()].concat()
}

const PGREP: &str = " -l, --list-name           with the program's name
 -a, --list-full           with the command line
 -d, --delimiter <string>  what stands between them instead of a newline
 -v, --inverse             all other processes
 -c, --count               only how many there are
     --signal <sig>, --echo    no effect
";

const PKILL: &str = " -<sig>, --signal <sig>    which signal, if not SIGTERM
 -e, --echo                say who gets it
 -c, --count               say how many
 -v, --inverse             all other processes
     --list-name, --list-full, --delimiter <string>   no effect
";

const BOTH: &str = " -f, --full                the pattern is for the whole command line
 -i, --ignore-case         it matches in any case
 -x, --exact               it matches all of the name
 -n, --newest              only the one that began last
 -o, --oldest              only the one that began first
 -O, --older <seconds>     only those that began longer ago
 -P, --parent <list>       only children of these processes
 -g, --pgroup <list>       only of these process groups; 0 is the own one
 -s, --session <list>      only of these sessions; 0 is the own one
 -t, --terminal <list>     only on these terminals
 -u, --euid, -U, --uid <list>   only of these users
 -G, --group <list>        only of these groups
 -r, --runstates <list>    only in these states, such as R or S
 -F, --pidfile <file>      only the one whose number is in the file
 -h, --help                this text
 -V, --version             the version

Lists have commas. Accepted without effect: -A, --ignore-ancestors, -L, --logpidfile, --lightweight (pgrep: also -w),
--queue <value> (pkill: also -q).
";
