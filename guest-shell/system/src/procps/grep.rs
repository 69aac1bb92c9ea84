//! `pgrep` and `pkill`: find processes by name and other attributes.

use super::process::{self, Process};
use crate::base::options::{Given, Opt, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;

/// What both commands have besides what `--help` lists.
const COMMON: [Opt; 4] = [
    hidden("", "-A, --ignore-ancestors"),
    hidden("", "-L, --logpidfile"),
    hidden("", "--lightweight"),
    hidden("refused", "--cgroup=X, --env=X, --ns=X, --nslist=X"),
];

const PGREP: Spec = Spec {
    name: "pgrep",
    options: &[
        listed(PGREP_HELP),
        listed(HELP_OF_BOTH),
        hidden("", "-w"),
        hidden("", "--queue=X"),
        COMMON[0],
        COMMON[1],
        COMMON[2],
        COMMON[3],
    ],
    ..Spec::DEFAULT
};

const PKILL: Spec = Spec {
    name: "pkill",
    options: &[
        listed(PKILL_HELP),
        listed(HELP_OF_BOTH),
        hidden("", "-q X, --queue=X"),
        COMMON[0],
        COMMON[1],
        COMMON[2],
        COMMON[3],
    ],
    ..Spec::DEFAULT
};

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

/// What is found, and what is done with it.
struct Request<'a> {
    args: &'a [Vec<u8>],
    name: &'a [u8],
    kills: bool,
    signal: u8,
    criteria: Criteria,
    /// There was an option that selects processes.
    selects: bool,
    any_case: bool,
    exact: bool,
    count: bool,
    echo: bool,
    names: bool,
    full_names: bool,
    delimiter: Vec<u8>,
}

fn run(args: &[Vec<u8>], kills: bool) -> Result<i32, i32> {
    let mut request = Request {
        args,
        name: say::short_name(args),
        kills,
        signal: sys::signal::SIGTERM,
        criteria: Criteria::default(),
        selects: false,
        any_case: false,
        exact: false,
        count: false,
        echo: false,
        names: false,
        full_names: false,
        delimiter: b"\n".to_vec(),
    };
    let mut rest: Vec<Vec<u8>> = args.get(1..).unwrap_or_default().to_vec();
    if kills && let Some((i, n)) = signal_option(&rest) {
        request.signal = n;
        rest.remove(i);
    }
    let parsed = if kills { PKILL } else { PGREP }.parse_all(&rest)?;
    for g in &parsed.options {
        request.option(g)?;
    }
    match parsed.operands.as_slice() {
        [] if !request.selects => return Err(request.usage("no matching criteria specified")),
        [] => {}
        [pattern] => request.match_names(pattern)?,
        _ => return Err(request.usage("only one pattern can be provided")),
    }
    let found = request.criteria.select();
    Ok(if kills { request.kill(&found) } else { request.list(&found) })
}

impl Request<'_> {
    fn option(&mut self, g: &Given) -> Result<(), i32> {
        let own = i64::from(sys::getpid());
        let c = &mut self.criteria;
        match g.id {
            "signal" => {
                self.signal = super::signal(g.text()).ok_or_else(|| {
                    self.usage(&format!("Unknown signal \"{}\".", String::from_utf8_lossy(g.text())))
                })?;
            }
            "c" => self.count = true,
            "d" => self.delimiter = g.text().to_vec(),
            "e" => self.echo = true,
            "f" => c.full = true,
            "i" => self.any_case = true,
            "l" => self.names = true,
            "a" => self.full_names = true,
            "x" => self.exact = true,
            "v" => c.negate = true,
            "n" => c.newest = true,
            "o" => c.oldest = true,
            "g" => c.groups = numbers(self.name, g.text(), i64::from(sys::getpgid(0).unwrap_or(0)))?,
            "s" => c.sessions = numbers(self.name, g.text(), own_session(own))?,
            "P" => c.parents = numbers(self.name, g.text(), 0)?,
            "F" => c.pids = pid_file(self.name, g.text())?,
            "u" => {
                let uid = |word: &[u8]| users::user_named(word).map(|u| u.uid);
                c.users.extend(identities(self.name, "user", g.text(), uid)?);
            }
            "G" => {
                let gid = |word: &[u8]| users::group_named(word).map(|g| g.gid);
                c.gids.extend(identities(self.name, "group", g.text(), gid)?);
            }
            "r" => c.states = g.text().iter().copied().filter(|b| *b != b',').collect(),
            "t" => {
                let words = g.text().split(|b| *b == b',');
                c.terminals = words.map(|t| String::from_utf8_lossy(t).into_owned()).collect();
            }
            "O" => {
                let seconds = std::str::from_utf8(g.text()).ok().and_then(|v| v.parse().ok());
                c.older = Some(seconds.unwrap_or(0));
            }
            "h" => {
                out::put(usage_text(self.name, self.kills));
                return Err(0);
            }
            "V" => {
                out::put(super::version(self.name));
                return Err(0);
            }
            "refused" => {
                say::error(self.args, "namespaces, environments and control groups are not supported");
                return Err(2);
            }
            "?" => {
                let usage = usage_text(self.name, self.kills);
                say::raw([say::full_name(self.args), b": ", g.text(), b"\n", &usage].concat());
                return Err(2);
            }
            _ => {}
        }
        self.selects |= ["G", "g", "n", "o", "O", "P", "r", "s", "t", "u", "F"].contains(&g.id);
        Ok(())
    }

    fn usage(&self, text: &str) -> i32 {
        let hint = b" --help' for more information.\n";
        say::raw([self.name, b": ", text.as_bytes(), b"\nTry `", self.name, hint].concat());
        2
    }

    fn match_names(&mut self, pattern: &[u8]) -> Result<(), i32> {
        let name = self.name;
        if pattern.len() > 15
            && !self.criteria.full
            && !pattern.iter().any(|b| b"|*[](){}.?+\\^$".contains(b))
        {
            let text = b": pattern that searches for process name longer than 15 characters will result in zero matches\nTry `";
            let hint = b" -f' option to match against the complete command line.\n";
            say::raw([name, text, name, hint].concat());
        }
        let whole = if self.exact { [b"^(", pattern, b")$"].concat() } else { pattern.to_vec() };
        let flags = Flags { icase: self.any_case, ..Flags::default() };
        self.criteria.pattern = Some(Regex::new(&whole, Syntax::POSIX_EXTENDED, flags).map_err(|e| {
            say::raw([name, format!(": regex error: {e}\n").as_bytes()].concat());
            2
        })?);
        Ok(())
    }

    /// Sends the signal to processes. Returns the exit status.
    fn kill(&self, found: &[Process]) -> i32 {
        let mut done = found.len();
        for p in found {
            let sent = i32::try_from(p.pid).map_err(|_| sys::Errno::SRCH);
            match sent.and_then(|pid| sys::kill(pid, self.signal)) {
                Ok(()) if self.echo => {
                    out::put([p.name.as_slice(), format!(" killed (pid {})\n", p.pid).as_bytes()].concat());
                }
                Ok(()) => {}
                Err(e) => {
                    done -= 1;
                    if e != sys::Errno::SRCH {
                        let text = format!(": killing pid {} failed: {e}\n", p.pid);
                        say::raw([self.name, text.as_bytes()].concat());
                    }
                }
            }
        }
        if self.count {
            out::put(format!("{}\n", found.len()));
        }
        i32::from(done == 0)
    }

    /// Prints processes. Returns the exit status.
    fn list(&self, found: &[Process]) -> i32 {
        if self.count {
            out::put(format!("{}\n", found.len()));
        } else if !found.is_empty() {
            let line = |p: &Process| {
                let pid = p.pid.to_string().into_bytes();
                match (self.full_names, self.names) {
                    (true, _) => [pid, b" ".to_vec(), one_line(p.command())].concat(),
                    (_, true) => [pid, b" ".to_vec(), p.name.clone()].concat(),
                    _ => pid,
                }
            };
            let lines: Vec<Vec<u8>> = found.iter().map(line).collect();
            out::put([lines.join(&*self.delimiter), b"\n".to_vec()].concat());
        }
        i32::from(found.is_empty())
    }
}

/// Numbers with commas; `zero` replaces 0.
fn numbers(name: &[u8], list: &[u8], zero: i64) -> Result<Vec<i64>, i32> {
    let number = |word: &[u8]| {
        let n = std::str::from_utf8(word).ok().and_then(|w| w.parse::<i64>().ok());
        n.map(|n| if n == 0 { zero } else { n }).ok_or_else(|| {
            say::raw([name, b": not a number: ", word, b"\n"].concat());
            2
        })
    };
    list.split(|b| *b == b',').map(number).collect()
}

/// Numbers or names of users or groups, with commas.
fn identities(
    name: &[u8],
    kind: &str,
    list: &[u8],
    named: impl Fn(&[u8]) -> Option<u32>,
) -> Result<Vec<u32>, i32> {
    let identity = |word: &[u8]| {
        users::number(word).or_else(|| named(word)).ok_or_else(|| {
            say::raw([name, b": invalid ", kind.as_bytes(), b" name: ", word, b"\n"].concat());
            2
        })
    };
    list.split(|b| *b == b',').map(identity).collect()
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
    let (what, own) =
        if kills { ("Sends a signal to", PKILL_HELP) } else { ("Shows the numbers of", PGREP_HELP) };
    let head = format!(" [options] <pattern>\n\n{what} processes that run programs of matching names.\n\n");
    [b"\nUsage:\n ", name, head.as_bytes(), own.as_bytes(), HELP_OF_BOTH.as_bytes()].concat()
}

const PGREP_HELP: &str = " -l, --list-name           with the program's name
 -a, --list-full           with the command line
 -d, --delimiter <string>  what stands between them instead of a newline
 -v, --inverse             all other processes
 -c, --count               only how many there are
     --signal <sig>        no effect
     --echo                no effect
";

const PKILL_HELP: &str = " -<sig>, --signal <sig>    which signal, if not SIGTERM
 -e, --echo                say who gets it
 -c, --count               say how many
 -v, --inverse             all other processes
     --list-name           no effect
     --list-full           no effect
     --delimiter <string>  no effect
";

const HELP_OF_BOTH: &str = " -f, --full                the pattern is for the whole command line
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
