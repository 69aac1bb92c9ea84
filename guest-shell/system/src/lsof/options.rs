//! The command line. Options may follow a plus sign, and some take their value from the next word only if it is one,
//! which is why they are no [`Spec`](sandshell_cli::options::Spec).

use super::network::{States, Where};
use sandshell_posix::users::{self, number};
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;

/// What is asked for.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// Everything must hold, not one of it.
    pub(super) all: bool,
    /// Process IDs only.
    pub(super) terse: bool,
    pub(super) verbose: bool,
    /// Nothing about what may not be seen.
    pub(super) quiet: bool,
    pub(super) parents: bool,
    pub(super) groups_shown: bool,
    pub(super) numbers: bool,
    pub(super) links_shown: bool,
    /// Sizes only, no offsets.
    pub(super) sizes: bool,
    /// That something was not found is no error.
    pub(super) may_miss: bool,
    /// Files with fewer links than this.
    pub(super) fewer_links: Option<u64>,
    /// The longest command name that is shown; 0: all of it.
    pub(super) command_width: usize,
    /// The letters of `-F`, if it was given.
    pub(super) fields: Option<Vec<u8>>,
    /// Internet sockets at one of these places; all for an empty list.
    pub(super) internet: Option<Vec<Where>>,
    pub(super) states: Vec<States>,
    /// Unix sockets.
    pub(super) unix: bool,
    /// Files of NFS, of which there are none.
    pub(super) remote: bool,
    /// Addresses instead of names of hosts.
    pub(super) addresses: bool,
    pub(super) pids: Set<i64>,
    pub(super) groups: Set<i64>,
    pub(super) users: Set<u32>,
    pub(super) commands: Set<Command>,
    pub(super) descriptors: Set<(Vec<u8>, Vec<u8>)>,
    /// Directories whose files are meant, and whether those below them as well.
    pub(super) directories: Vec<(Vec<u8>, bool)>,
    pub(super) names: Vec<Vec<u8>>,
    /// What names stand for: files, filesystems, or whatever they are (`None`).
    pub(super) filesystems: Option<bool>,
}

/// What is included, and what is excluded by `^`.
#[derive(Debug)]
pub(super) struct Set<T> {
    pub(super) included: Vec<T>,
    pub(super) excluded: Vec<T>,
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self { included: Vec::new(), excluded: Vec::new() }
    }
}

/// A name's beginning, or an expression.
#[derive(Debug)]
pub(super) enum Command {
    Begins(Vec<u8>),
    Matches(Vec<u8>, Regex),
}

/// Why there is nothing to look for.
#[derive(Debug)]
pub(super) enum Ended {
    Shown(String),
    Wrong(Vec<u8>),
}

impl Request {
    pub(super) fn read(args: &[Vec<u8>]) -> Result<Self, Ended> {
        let mut request = Self { command_width: 9, ..Self::default() };
        let mut words = args.iter();
        while let Some(word) = words.as_slice().first() {
            match word.as_slice() {
                b"--" => {
                    words.next();
                    break;
                }
                [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                    words.next();
                    request.group(*sign == b'+', letters, &mut words)?;
                }
                _ => break,
            }
        }
        if request.terse && request.fields.is_some() {
            return Err(Ended::Wrong(b"-F and -t are mutually exclusive".to_vec()));
        }
        request.names = words.cloned().collect();
        Ok(request)
    }

    /// Letters after one sign; one with a value takes the rest.
    fn group(
        &mut self,
        plus: bool,
        letters: &[u8],
        words: &mut std::slice::Iter<'_, Vec<u8>>,
    ) -> Result<(), Ended> {
        let mut rest = letters;
        while let Some((letter, after)) = rest.split_first() {
            rest = after;
            match letter {
                b'a' if !plus => self.all = true,
                b't' if !plus => (self.terse, self.quiet) = (true, true),
                b'V' if !plus => self.verbose = true,
                b'l' if !plus => self.numbers = true,
                b'R' if !plus => self.parents = true,
                b'U' if !plus => self.unix = true,
                b'N' if !plus => self.remote = true,
                b'n' if !plus => self.addresses = true,
                b'w' => self.quiet = !plus,
                b'f' if rest.is_empty() => self.filesystems = Some(plus),
                // How names and ports are shown, and what may take long.
                b'b' | b'O' | b'P' | b'X' if !plus => {}
                b'Q' if !plus => self.may_miss = true,
                b'E' | b'M' => {}
                b'h' | b'?' if !plus => return Err(Ended::Shown(USAGE.to_owned())),
                b'v' if !plus => return Err(Ended::Shown(VERSION.to_owned())),
                b'i' if !plus => {
                    let address = optional(&mut rest, words, |_| true);
                    let places = self.internet.get_or_insert_default();
                    if let Some(address) = address {
                        places.push(Where::read(&address).map_err(Ended::Wrong)?);
                    }
                }
                b'F' if !plus => {
                    let letters = optional(&mut rest, words, |_| true).unwrap_or_default();
                    self.fields = Some(fields(letters)?);
                }
                b'g' if !plus => {
                    self.groups_shown = true;
                    if let Some(list) = optional(&mut rest, words, begins_list) {
                        self.groups.add(&list, |word| process(word, "process group ID"))?;
                    }
                }
                b's' if !plus => {
                    // States are those of connections.
                    match optional(&mut rest, words, |word| word.contains(&b':')) {
                        Some(states) => self.states.push(States::read(&states).map_err(Ended::Wrong)?),
                        None => self.sizes = true,
                    }
                }
                b'L' => {
                    let count = optional(&mut rest, words, |word| number(word).is_some());
                    self.links_shown = plus;
                    let count = count.and_then(|count| number(&count)).filter(|count| *count > 0);
                    self.fewer_links = count.map(u64::from);
                }
                b'T' | b'S' | b'x' => drop(optional(&mut rest, words, |word| number(word).is_some())),
                b'p' if !plus => {
                    let list = required(&mut rest, words, "no process ID specified")?;
                    self.pids.add(&list, |word| process(word, "process ID"))?;
                }
                b'u' if !plus => {
                    let list = required(&mut rest, words, "no user specified")?;
                    self.users.add(&list, |word| {
                        let found = number(word).or_else(|| users::user_named(word).map(|user| user.uid));
                        found.ok_or_else(|| [b"can't get UID for ", word].concat())
                    })?;
                }
                b'c' if plus => {
                    let width = required(&mut rest, words, "no command width specified")?;
                    let wrong = || Ended::Wrong([b"illegal command width: ", width.as_slice()].concat());
                    self.command_width = number(&width).ok_or_else(wrong)? as usize;
                }
                b'c' => {
                    let name = required(&mut rest, words, "missing -c string value")?;
                    self.command(&name)?;
                }
                b'd' if !plus => {
                    let list = required(&mut rest, words, "no file descriptor specified")?;
                    self.descriptors.add(&list, range)?;
                    if let (false, Some((first, _))) =
                        (self.descriptors.included.is_empty(), self.descriptors.excluded.first())
                    {
                        return Err(Ended::Wrong(
                            [b"exclude in an include -d list: ^", first.as_slice()].concat(),
                        ));
                    }
                }
                b'd' | b'D' if plus => {
                    let directory = required(&mut rest, words, "no directory specified")?;
                    let is_directory = sys::stat(&directory, true).map(|status| status.is_dir());
                    let what = match is_directory {
                        Ok(true) => None,
                        Ok(false) => Some("not a directory".to_owned()),
                        Err(why) => Some(why.to_string()),
                    };
                    if let Some(why) = what {
                        return Err(Ended::Wrong([directory.as_slice(), b": ", why.as_bytes()].concat()));
                    }
                    self.directories.push((directory, *letter == b'D'));
                }
                _ => {
                    let sign = if plus { b"+" } else { b"-" };
                    return Err(Ended::Wrong(
                        [b"unsupported option: ", sign.as_slice(), &[*letter]].concat(),
                    ));
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, name: &[u8]) -> Result<(), Ended> {
        if let Some(name) = name.strip_prefix(b"^") {
            self.commands.excluded.push(Command::Begins(name.to_vec()));
            return Ok(());
        }
        let Some(rest) = name.strip_prefix(b"/") else {
            self.commands.included.push(Command::Begins(name.to_vec()));
            return Ok(());
        };
        let wrong = |why: &str| Ended::Wrong([b"invalid regexp: ", name, b": ", why.as_bytes()].concat());
        let end = rest.iter().rposition(|byte| *byte == b'/').ok_or_else(|| wrong("it must end in /"))?;
        let (pattern, marks) = rest.split_at(end);
        let (mut syntax, mut flags) = (Syntax::POSIX_EXTENDED, Flags::default());
        for mark in marks.iter().skip(1) {
            match mark {
                b'b' => syntax = Syntax::POSIX_BASIC,
                b'x' => syntax = Syntax::POSIX_EXTENDED,
                b'i' => flags.icase = true,
                _ => return Err(wrong("after it may be b, i or x")),
            }
        }
        let pattern = Regex::new(pattern, syntax, flags).map_err(|error| wrong(&error.to_string()))?;
        self.commands.included.push(Command::Matches(name.to_vec(), pattern));
        Ok(())
    }
}

impl<T> Set<T> {
    fn add(&mut self, list: &[u8], read: impl Fn(&[u8]) -> Result<T, Vec<u8>>) -> Result<(), Ended> {
        for word in list.split(|byte| *byte == b',').filter(|word| !word.is_empty()) {
            match word.strip_prefix(b"^") {
                Some(word) => self.excluded.push(read(word).map_err(Ended::Wrong)?),
                None => self.included.push(read(word).map_err(Ended::Wrong)?),
            }
        }
        Ok(())
    }
}

impl Command {
    pub(super) fn is(&self, name: &[u8]) -> bool {
        match self {
            Self::Begins(start) => name.starts_with(start),
            Self::Matches(_, pattern) => pattern.is_match(name),
        }
    }

    pub(super) fn text(&self) -> &[u8] {
        match self {
            Self::Begins(text) | Self::Matches(text, _) => text,
        }
    }
}

/// The value of an option that must have one: the rest of its word, or the next word.
fn required(
    rest: &mut &[u8],
    words: &mut std::slice::Iter<'_, Vec<u8>>,
    missing: &str,
) -> Result<Vec<u8>, Ended> {
    let given = optional(rest, words, |_| true);
    given.ok_or_else(|| Ended::Wrong(missing.as_bytes().to_vec()))
}

/// The value of an option that may have one. The next word is one unless it is an option.
fn optional(
    rest: &mut &[u8],
    words: &mut std::slice::Iter<'_, Vec<u8>>,
    is_one: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let glued = std::mem::take(rest);
    if !glued.is_empty() {
        return Some(glued.to_vec());
    }
    let next = words.as_slice().first()?;
    let value = !next.starts_with(b"-") && !next.starts_with(b"+") && is_one(next);
    value.then(|| words.next().cloned()).flatten()
}

fn begins_list(word: &[u8]) -> bool {
    let first = word.split(|byte| *byte == b',').next().unwrap_or_default();
    number(first.strip_prefix(b"^").unwrap_or(first)).is_some()
}

fn process(word: &[u8], what: &str) -> Result<i64, Vec<u8>> {
    number(word).map(i64::from).ok_or_else(|| [b"illegal ", what.as_bytes(), b": ", word].concat())
}

/// `3`, `cwd`, `0-9`: the first and the last one.
fn range(word: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Vec<u8>> {
    let Some(dash) = word.iter().position(|byte| *byte == b'-') else {
        return Ok((word.to_vec(), word.to_vec()));
    };
    let (first, last) = (&word[..dash], word.get(dash + 1..).unwrap_or_default());
    match (number(first), number(last)) {
        (Some(low), Some(high)) if low < high => Ok((first.to_vec(), last.to_vec())),
        _ => Err([b"-d FD range's low >= its high: ", word].concat()),
    }
}

/// The letters of `-F`: all if there are none.
fn fields(letters: Vec<u8>) -> Result<Vec<u8>, Ended> {
    if letters.starts_with(b"?") {
        return Err(Ended::Shown(FIELDS.to_owned()));
    }
    match letters.iter().find(|letter| !ALL_FIELDS.contains(letter) && **letter != b'0') {
        Some(letter) => Err(Ended::Wrong([b"unknown field: ", [*letter].as_slice()].concat())),
        None if letters.iter().all(|letter| *letter == b'0') => Ok([ALL_FIELDS, &letters].concat()),
        None => Ok(letters),
    }
}

/// The letters of `-F` that there are.
const ALL_FIELDS: &[u8] = b"pgRcuLfaltDdsoikPnT";

const VERSION: &str = "lsof version information:\n    revision: 4.95.0\n";

const FIELDS: &str = "\
lsof -F LETTERS: each field on a line of its own, after its letter.
For each process:
  p  process ID        g  process group ID    R  parent's process ID
  c  command           u  user ID             L  user's name
For each file:
  f  descriptor        a  access (r, w, u)    l  lock
  t  type              D  device in hex       s  size
  o  offset            i  inode number        k  number of links
  n  name              d  socket's number     P  protocol
  T  state and queues  0  end fields with NUL instead of a line's end
";

const USAGE: &str = "\
Usage: lsof [OPTION]... [FILE]...

Lists the files that processes have open. Without options and files, all of them. With several selections, what one of
them selects; with -a, what all of them select. Lists are separated by commas; ^ before an element excludes it.

  -p PIDS      files of these processes
  -c NAME      of processes whose name begins so; /EXPRESSION/[bix] for a regular expression
  -u USERS     of these users
  -g [GROUPS]  of these process groups, and show the groups
  -d FDS       these descriptors: numbers, 0-9, cwd, rtd, txt
  +d DIR       files in a directory
  +D DIR       files in a directory and below it
  +L1          files that are deleted
  -i [WHERE]   Internet sockets: [46][tcp|udp][@HOST][:PORTS]
  -s P:STATES  of a protocol's sockets only those in these states, as in -s TCP:LISTEN
  -U           Unix sockets
  -n           addresses instead of names of hosts
  -a           what all selections have in common
  -t           process IDs only
  -F [LETTERS] for programs: -F? lists the letters
  -R, -l       show the parents' process IDs; numbers of users instead of names
  +c WIDTH     characters of a command's name; 0 for all
  -V           say what was not found
  -w           say nothing about what may not be seen
  -b -O -P -Q -X  are accepted
  -h, -v       this help; the version

Examples:
  lsof -p $$             what this shell has open
  lsof +D /workspace     who uses files in there
  kill $(lsof -t FILE)   ends who uses a file
  lsof -i :8000          who listens at a port, or is connected to it
";
