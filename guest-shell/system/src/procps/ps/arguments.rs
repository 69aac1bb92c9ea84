//! The command line of `ps`: Unix options with a dash, BSD options without, long options with two.
//! A word is read in one way, and if that fails in another: these are no [`Spec`](sandshell_cli::options::Spec).

use super::column;
use super::job::{Column, Job, Listed, Simple};
use super::order;
use sandshell_posix::users;

/// The parsed command line.
pub(super) enum Request {
    Table(Job),
    /// Only print this text.
    Text(String),
}

/// Parses the arguments. The error is the message.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Request, String> {
    match Reader::new(args).read() {
        // `-aux` means `aux` if there is no user called `x`.
        Err(message) => match args.split_first() {
            Some((first, rest))
                if first.starts_with(b"-") && !first.starts_with(b"--") && first.len() > 2 =>
            {
                let bare: Vec<Vec<u8>> = [first.get(1..).unwrap_or_default().to_vec()]
                    .into_iter()
                    .chain(rest.iter().cloned())
                    .collect();
                Reader::new(&bare).read().map_err(|_| message)
            }
            _ => Err(message),
        },
        read => read,
    }
}

struct Reader<'a> {
    args: &'a [Vec<u8>],
    at: usize,
    job: Job,
    given: Vec<Column>,
    /// Columns to insert after the process ID.
    more: Option<Vec<Column>>,
    full: u32,
    long: bool,
    jobs: bool,
    no_flags: bool,
    scheduling: bool,
    bsd: Option<char>,
    bsd_used: bool,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl<'a> Reader<'a> {
    fn new(args: &'a [Vec<u8>]) -> Self {
        let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c > 0);
        let job = Job {
            columns: Vec::new(),
            lists: Vec::new(),
            simple: Simple::default(),
            negate: false,
            keys: Vec::new(),
            headers: true,
            tree: None,
            width: columns,
            environment: false,
            short: false,
        };
        Reader {
            args,
            at: 0,
            job,
            given: Vec::new(),
            more: None,
            full: 0,
            long: false,
            jobs: false,
            no_flags: false,
            scheduling: false,
            bsd: None,
            bsd_used: false,
        }
    }

    fn read(mut self) -> Result<Request, String> {
        while let Some(arg) = self.args.get(self.at) {
            self.at += 1;
            let request = if let Some(long) = arg.strip_prefix(b"--") {
                self.long_option(&text(long))?
            } else if let Some(letters) = arg.strip_prefix(b"-").filter(|l| !l.is_empty()) {
                self.unix(&text(letters))?
            } else if arg.first().is_some_and(u8::is_ascii_digit) {
                let pids = numbers(&text(arg), "process ID list syntax error")?;
                self.job.lists.push(Listed::Pids(pids));
                None
            } else {
                self.bsd_letters(&text(arg))?
            };
            if let Some(request) = request {
                return Ok(request);
            }
        }
        self.choose_columns();
        Ok(Request::Table(self.job))
    }

    fn value(&mut self, attached: &str, missing: &str) -> Result<String, String> {
        if !attached.is_empty() {
            return Ok(attached.to_owned());
        }
        let value = self.args.get(self.at).map(|v| text(v)).ok_or(missing)?;
        self.at += 1;
        Ok(value)
    }

    fn unix(&mut self, letters: &str) -> Result<Option<Request>, String> {
        for (i, letter) in letters.char_indices() {
            let rest = letters.get(i + letter.len_utf8()..).unwrap_or_default();
            match letter {
                'A' | 'e' => self.job.simple.every = true,
                'a' => self.job.simple.with_terminal = true,
                'd' => self.job.simple.no_leaders = true,
                'N' => self.job.negate = !self.job.negate,
                'f' => self.full = self.full.max(1),
                'F' => self.full = 2,
                'l' => self.long = true,
                'j' => self.jobs = true,
                'y' => self.no_flags = true,
                'c' => self.scheduling = true,
                'H' => self.job.tree = Some(false),
                'w' => self.job.width = None,
                'V' => return Ok(Some(version())),
                'L' | 'T' | 'm' => return Err("thread display is not supported".into()),
                'x' if letters == "x" => self.job.simple.bsd_any_terminal = true,
                'o' | 'O' => {
                    let list = self.value(rest, &format!("format specification must follow -{letter}"))?;
                    self.format(&list, letter == 'O')?;
                    return Ok(None);
                }
                'p' | 'q' => {
                    let list = self.value(rest, &format!("list of process IDs must follow -{letter}"))?;
                    self.job.lists.push(Listed::Pids(numbers(&list, "process ID list syntax error")?));
                    return Ok(None);
                }
                'C' => {
                    let list = self.value(rest, "list of command names must follow -C")?;
                    self.job
                        .lists
                        .push(Listed::Names(list.split(',').map(|n| n.as_bytes().to_vec()).collect()));
                    return Ok(None);
                }
                'u' | 'U' => {
                    let list = self.value(rest, &format!("list of users must follow -{letter}"))?;
                    self.job.lists.push(Listed::Users(user_numbers(&list)?));
                    return Ok(None);
                }
                'g' | 's' => {
                    let list = self.value(
                        rest,
                        &format!("list of session leaders OR effective group names must follow -{letter}"),
                    )?;
                    self.job.lists.push(Listed::Sessions(numbers(
                        &list,
                        "list of session leaders OR effective group names was invalid",
                    )?));
                    return Ok(None);
                }
                'G' => {
                    let list = self.value(rest, "list of real groups must follow -G")?;
                    self.job.lists.push(Listed::Groups(group_numbers(&list)?));
                    return Ok(None);
                }
                't' => {
                    let list = self.value(rest, "list of terminals (pty, tty...) must follow -t")?;
                    self.job.lists.push(Listed::Terminals(terminals(&list)));
                    return Ok(None);
                }
                _ => return Err("unsupported SysV option".into()),
            }
        }
        Ok(None)
    }

    fn bsd_letters(&mut self, letters: &str) -> Result<Option<Request>, String> {
        self.bsd_used = true;
        for (i, letter) in letters.char_indices() {
            let rest = letters.get(i + letter.len_utf8()..).unwrap_or_default();
            match letter {
                'a' => self.job.simple.bsd_all = true,
                'x' => self.job.simple.bsd_any_terminal = true,
                'g' | 'w' | 'n' | 'S' => {}
                'r' => self.job.simple.running = true,
                'u' | 'l' | 'j' | 'v' => self.bsd = Some(letter),
                'f' => self.job.tree = Some(true),
                'e' => self.job.environment = true,
                'c' => self.job.short = true,
                'h' => self.job.headers = false,
                'V' => return Ok(Some(version())),
                'L' => {
                    let lines = column::all().map(|k| format!("{:<12} {:<8}\n", k.name, k.header));
                    return Ok(Some(Request::Text(lines.collect())));
                }
                'T' => self.job.simple.bsd_any_terminal = true,
                'H' | 'm' => return Err("thread display is not supported".into()),
                'o' | 'O' => {
                    let list = self.value(rest, &format!("format specification must follow {letter}"))?;
                    self.format(&list, letter == 'O')?;
                    return Ok(None);
                }
                'p' | 'q' => {
                    let list = self.value(rest, "list of process IDs must follow p")?;
                    self.job.lists.push(Listed::Pids(numbers(&list, "process ID list syntax error")?));
                    return Ok(None);
                }
                'U' => {
                    let list = self.value(rest, "list of users must follow U")?;
                    self.job.lists.push(Listed::Users(user_numbers(&list)?));
                    return Ok(None);
                }
                't' => {
                    let list = self.value(rest, "list of terminals (pty, tty...) must follow t")?;
                    self.job.lists.push(Listed::Terminals(terminals(&list)));
                    return Ok(None);
                }
                'k' => {
                    let list = self.value(rest, "long sort specification must follow 'k'")?;
                    self.job.keys = order::keys(&list)?;
                    return Ok(None);
                }
                _ => return Err("unsupported option (BSD syntax)".into()),
            }
        }
        Ok(None)
    }

    fn long_option(&mut self, option: &str) -> Result<Option<Request>, String> {
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        const SYNTAX: &str = "process ID list syntax error";
        match name {
            "no-headers" | "no-heading" | "noheader" | "noheaders" | "no-header" => self.job.headers = false,
            "headers" | "heading" | "header" => {}
            "deselect" => self.job.negate = !self.job.negate,
            "forest" => self.job.tree = Some(true),
            "cumulative" => {}
            "version" => return Ok(Some(version())),
            "help" => return Ok(Some(Request::Text(HELP.into()))),
            "info" => return Ok(Some(version())),
            "sort" | "format" | "pid" | "ppid" | "sid" | "user" | "User" | "group" | "Group" | "tty"
            | "cols" | "columns" | "width" | "rows" | "lines" | "quick-pid" => {
                let value = match attached {
                    Some(value) => value,
                    None => self.value("", &missing(name))?,
                };
                match name {
                    "sort" => self.job.keys = order::keys(&value)?,
                    "format" => self.format(&value, false)?,
                    "pid" | "quick-pid" => self.job.lists.push(Listed::Pids(numbers(&value, SYNTAX)?)),
                    "ppid" => self.job.lists.push(Listed::Parents(numbers(&value, SYNTAX)?)),
                    "sid" => self.job.lists.push(Listed::Sessions(numbers(&value, SYNTAX)?)),
                    "user" | "User" => self.job.lists.push(Listed::Users(user_numbers(&value)?)),
                    "group" | "Group" => self.job.lists.push(Listed::Groups(group_numbers(&value)?)),
                    "tty" => self.job.lists.push(Listed::Terminals(terminals(&value))),
                    "cols" | "columns" | "width" => {
                        let width = value.parse().ok().filter(|n| *n > 0);
                        self.job.width =
                            Some(width.ok_or("number of columns must follow --cols, --width, or --columns")?);
                    }
                    _ => {}
                }
            }
            _ => return Err("unknown gnu long option".into()),
        }
        Ok(None)
    }

    /// Parses a list of columns like `pid,comm=NAME`.
    fn format(&mut self, list: &str, behind: bool) -> Result<(), String> {
        let mut columns = Vec::new();
        let mut rest = list;
        if rest.trim().is_empty() {
            return Err("empty format list".into());
        }
        while !rest.is_empty() {
            let end = rest.find([',', ' ', '=', '\t', '\n']).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let (name, wide) = match word.split_once(':') {
                Some((name, wide)) => (name, wide.parse::<usize>().ok()),
                None => (word, None),
            };
            if word.is_empty() {
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            let mut kind = column::find(name)
                .ok_or_else(|| format!("unknown user-defined format specifier \"{name}\""))?;
            if let Some(wide) = wide.filter(|w| *w > 0) {
                kind.width = wide.min(4096);
            }
            let header = match after.strip_prefix('=') {
                Some(title) => {
                    let (title, after) = title.split_once(',').unwrap_or((title, ""));
                    rest = after;
                    title.to_owned()
                }
                None => {
                    rest = after.get(1..).unwrap_or_default();
                    kind.header.to_owned()
                }
            };
            columns.push(Column { kind, header });
        }
        if behind {
            self.more = Some(columns);
        } else {
            self.given.extend(columns);
        }
        Ok(())
    }

    fn choose_columns(&mut self) {
        if !self.given.is_empty() {
            self.job.columns = std::mem::take(&mut self.given);
            return;
        }
        let names: &str = match (self.bsd, self.full, self.long, self.jobs) {
            _ if self.more.is_some() => "pid s tname time command",
            (Some('u'), ..) => "user pid %cpu %mem vsz rss tname stat start_time=START bsdtime args",
            (Some('l'), ..) => "f uid pid ppid priority ni vsz rss wchan stat tname bsdtime args",
            (Some('j'), ..) => "ppid pid pgid sid tname tpgid stat uid bsdtime args",
            (Some('v'), ..) => "pid tname stat bsdtime maj_flt trs drs rss %mem args",
            (_, 1, true, _) => "f s user=UID pid ppid c opri ni addr_sz wchan stime tname time cmd",
            (_, 1, _, true) => "user=UID pid ppid pgid sid c stime tname time cmd",
            (_, 1, ..) if self.scheduling => "user=UID pid ppid cls pri stime tname time cmd",
            (_, 1, ..) => "user=UID pid ppid c stime tname time cmd",
            (_, 2.., ..) => "user=UID pid ppid c sz rss psr stime tname time cmd",
            (_, _, true, _) if self.no_flags => "s uid pid ppid c opri ni rss sz wchan tname time ucmd",
            (_, _, true, _) => "f s uid pid ppid c opri ni addr_sz wchan tname time ucmd",
            (_, _, _, true) => "pid pgid sid tname time ucmd",
            _ if self.scheduling => "pid cls pri tname time ucmd",
            _ if self.bsd_used => "pid tname stat bsdtime args",
            _ => "pid tname time ucmd",
        };
        for word in names.split(' ') {
            let (name, header) = word.split_once('=').unwrap_or((word, ""));
            let Some(kind) = column::find(name) else { continue };
            let header = if header.is_empty() { kind.header } else { header };
            self.job.columns.push(Column { kind, header: header.to_owned() });
            if name == "pid"
                && let Some(more) = self.more.take()
            {
                self.job.columns.extend(more);
            }
        }
    }
}

fn missing(option: &str) -> String {
    match option {
        "sort" => "long sort specification must follow --sort".into(),
        "format" => "format specification must follow --format".into(),
        "ppid" => "list of process IDs must follow --ppid".into(),
        "pid" => "list of process IDs must follow --pid".into(),
        "user" | "User" => format!("list of users must follow --{option}"),
        _ => format!("an argument must follow --{option}"),
    }
}

fn version() -> Request {
    Request::Text("ps from procps-ng 4.0.2\n".into())
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ', '\t', '\n']).filter(|w| !w.is_empty())
}

fn numbers(list: &str, error: &str) -> Result<Vec<i64>, String> {
    let parsed: Option<Vec<i64>> = words(list).map(|w| w.parse().ok().filter(|n| *n > 0)).collect();
    parsed.filter(|p| !p.is_empty()).ok_or_else(|| error.to_owned())
}

fn user_numbers(list: &str) -> Result<Vec<u32>, String> {
    let number =
        |w: &str| users::number(w.as_bytes()).or_else(|| users::user_named(w.as_bytes()).map(|u| u.uid));
    words(list).map(|w| number(w).ok_or_else(|| "user name does not exist".to_owned())).collect()
}

fn group_numbers(list: &str) -> Result<Vec<u32>, String> {
    let number =
        |w: &str| users::number(w.as_bytes()).or_else(|| users::group_named(w.as_bytes()).map(|g| g.gid));
    words(list).map(|w| number(w).ok_or_else(|| "group name does not exist".to_owned())).collect()
}

fn terminals(list: &str) -> Vec<String> {
    words(list).map(|w| w.strip_prefix("/dev/").unwrap_or(w).to_owned()).collect()
}

const HELP: &str = "
Usage:
 ps [options]

Shows processes; without options those of the own user on the own terminal. Letters without a dash are BSD's options.

Which of them; several add up:
 -A, -e               all
 -a, -d               on terminals, or all, but no leaders of sessions
  a                   on terminals, whoever's they are
  x, -x, T            of the own user, even without a terminal; a x: all
  r                   only those that run
 -N, --deselect       all that would not be shown
 -p, -q, p, q, --pid, --quick-pid <list>   by numbers; numbers alone do too
 --ppid <list>        by the parents' numbers
 -C <list>            by the programs' names
 -u, -U, U, --user, --User <list>   by users
 -G, --group, --Group <list>        by groups
 -g, -s, --sid <list> by sessions
 -t, t, --tty <list>  by terminals

What is shown of each:
 -f, -F, -l, -j       more columns, in the forms of Unix
  u, l, j, v          in those of BSD
 -c  -y               with scheduling; with -l: without flags
 -o, o, --format <columns>   these; NAME=TEXT gives a heading
 -O, O <columns>      these besides
  L                   which columns there are
  c  e                programs' names, not whole lines; also the environment

How:
 -H, f, --forest      as a tree
 k, --sort <columns>  in this order; a minus turns it round
 -w                   lines of any length
 --cols, --columns, --width <n>   lines of n columns
 h, --no-headers      without headings; also --no-header, --noheaders, --noheader, --no-heading
 --help               this text
 -V, V, --version, --info   the version

Accepted without effect: g, n, S, w, --headers, --header, --heading, --cumulative, --rows, --lines <n>.
";
