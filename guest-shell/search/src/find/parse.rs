//! The command line.

use super::entry::status;
use super::eval;
use super::exec::{Exec, Pending};
use super::expr::{Compare, Leaf, Node, PermTest, Which};
use super::printf;
use super::sink::Sink;
use super::state::{Links, State};
use super::tree::{self, Token};
use crate::clock::{Clock, Time};
use crate::out::{Out, message};
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;
use sandshell_posix::locale;
use sandshell_posix::mode::ModeExpression;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) enum Outcome {
    Run(Node),
    Text(&'static str),
}

/// An error message of one or more lines.
type Problem = Vec<Vec<u8>>;

/// The starting points.
pub(crate) struct Starts {
    /// Those from a `-files0-from` list may be empty. This is reported as an error in the list.
    pub(crate) names: Vec<Vec<u8>>,
    /// The list's quoted name.
    pub(crate) list: Option<Vec<u8>>,
}

struct List {
    file: Vec<u8>,
    shown: Vec<u8>,
    names: Vec<Vec<u8>>,
}

pub(crate) struct Parser<'a> {
    args: &'a [Vec<u8>],
    at: usize,
    s: State,
    starts: Vec<Vec<u8>>,
    /// The list of `-files0-from`: its quoted name and its content.
    list: Option<List>,
    asks: bool,
    tokens: Vec<Token>,
    sinks: Vec<(Vec<u8>, Sink)>,
    syntax: Syntax,
    /// Whether days are counted from today's midnight (`-daystart`).
    day_start: bool,
    prints: bool,
    warn: bool,
    /// The last argument of the expression, for the hint about missing quotation marks.
    last: Option<Vec<u8>>,
    prune: bool,
    delete: bool,
    explicit_depth: bool,
}

const DAY: i64 = 86400;

impl<'a> Parser<'a> {
    pub(crate) fn new(args: &'a [Vec<u8>]) -> Self {
        Self {
            args,
            at: 0,
            s: State::new(sandshell_time::Zone::system()),
            starts: Vec::new(),
            list: None,
            asks: false,
            tokens: Vec::new(),
            sinks: Vec::new(),
            syntax: Syntax::FIND,
            day_start: false,
            prints: false,
            warn: false,
            last: None,
            prune: false,
            delete: false,
            explicit_depth: false,
        }
    }

    /// The settings of the run and the starting points. To be called after [`run`](Self::run).
    pub(crate) fn finish(self) -> (State, Starts) {
        *self.s.sinks.borrow_mut() = self.sinks;
        let starts = match self.list {
            Some(list) => Starts { names: list.names, list: Some(list.shown) },
            None => Starts { names: self.starts, list: None },
        };
        (self.s, starts)
    }

    /// Parses all arguments.
    ///
    /// # Errors
    /// The message.
    pub(crate) fn run(&mut self) -> Result<Outcome, Problem> {
        self.leading()?;
        while let Some(arg) = self.args.get(self.at).filter(|a| !is_expression(a, true)) {
            self.starts.push(arg.clone());
            self.at += 1;
        }
        while let Some(arg) = self.args.get(self.at) {
            if !is_expression(arg, false) {
                return Err(self.misplaced(arg));
            }
            self.at += 1;
            if let Some(text) = self.word(arg)? {
                return Ok(Outcome::Text(text));
            }
        }
        if self.delete && self.prune && !self.explicit_depth {
            return Err(one(
                "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.",
            ));
        }
        self.read_list()?;
        if self.starts.is_empty() {
            self.starts.push(b".".to_vec());
        }
        let print = (!self.prints)
            .then(|| Leaf::Print(self.sink(b"/dev/stdout").unwrap_or_else(|_| standard()), b'\n'));
        let tokens = std::mem::take(&mut self.tokens);
        let node = if tokens.is_empty() {
            Node::Leaf(Leaf::True)
        } else {
            tree::build(tokens).map_err(|e| one(&e))?
        };
        Ok(Outcome::Run(match print {
            Some(p) => Node::And(Box::new(node), Box::new(Node::Leaf(p))),
            None => node,
        }))
    }

    fn leading(&mut self) -> Result<(), Problem> {
        while let Some(arg) = self.args.get(self.at) {
            match arg.as_slice() {
                b"-H" => self.s.links = Links::Operands,
                b"-L" => self.s.links = Links::Always,
                b"-P" => self.s.links = Links::Never,
                b"--" => {
                    self.at += 1;
                    return Ok(());
                }
                b"-D" => {
                    self.at += 1;
                    if self.args.get(self.at).is_none() {
                        message("find", b"Missing argument after the -D option.");
                        let _ = sys::write_all(2, b"Try 'find --help' for more information.\n");
                        return Err(Vec::new());
                    }
                }
                a if a.starts_with(b"-O") => {
                    let level = a.get(2..).unwrap_or_default();
                    if level.is_empty() || !level.iter().all(u8::is_ascii_digit) {
                        return Err(one("Please specify a decimal number immediately after -O"));
                    }
                }
                _ => return Ok(()),
            }
            self.at += 1;
        }
        Ok(())
    }

    fn misplaced(&self, arg: &[u8]) -> Problem {
        let mut lines = vec![bytes!("paths must precede expression: `", arg, "'")];
        if let Some(name) = &self.last
            && sys::stat(arg, false).is_ok()
        {
            lines.push(bytes!("possible unquoted pattern after predicate `", name, "'?"));
        }
        lines
    }

    fn argument(&mut self, name: &[u8]) -> Result<Vec<u8>, Problem> {
        let arg = self.args.get(self.at).cloned();
        self.at += 1;
        arg.ok_or_else(|| vec![bytes!("missing argument to `", name, "'")])
    }

    fn push(&mut self, leaf: Leaf) {
        self.tokens.push(Token::Leaf(leaf));
    }

    fn word(&mut self, name: &[u8]) -> Result<Option<&'static str>, Problem> {
        match name {
            b"(" => self.tokens.push(Token::Open),
            b")" => self.tokens.push(Token::Close),
            b"!" | b"-not" => self.tokens.push(Token::Not(name.to_vec())),
            b"-a" | b"-and" => self.tokens.push(Token::And(name.to_vec())),
            b"-o" | b"-or" => self.tokens.push(Token::Or(name.to_vec())),
            b"," => self.tokens.push(Token::Comma),
            b"-help" | b"--help" => return Ok(Some(HELP)),
            b"-version" | b"--version" => return Ok(Some(VERSION)),
            b"-true" => self.push(Leaf::True),
            b"-false" => self.push(Leaf::False),
            b"-name" | b"-iname" => {
                let p = self.argument(name)?;
                self.push(Leaf::Name(p, name == b"-iname"));
            }
            b"-path" | b"-wholename" | b"-ipath" | b"-iwholename" => self.path(name)?,
            b"-lname" | b"-ilname" => {
                let p = self.argument(name)?;
                self.push(Leaf::LinkName(p, name == b"-ilname"));
            }
            b"-regex" | b"-iregex" => self.regex(name)?,
            b"-regextype" => self.regextype(name)?,
            b"-type" | b"-xtype" => self.types(name)?,
            b"-size" => self.size(name)?,
            b"-empty" => self.push(Leaf::Empty),
            b"-perm" => self.perm(name)?,
            b"-user" | b"-group" => self.owner(name)?,
            b"-uid" | b"-gid" | b"-links" | b"-inum" => self.numbered(name)?,
            b"-nouser" => self.push(Leaf::NoUser),
            b"-nogroup" => self.push(Leaf::NoGroup),
            b"-samefile" => {
                let st = self.reference(name)?;
                self.push(Leaf::SameFile(st.dev, st.ino));
            }
            b"-newer" | b"-anewer" | b"-cnewer" => self.newer_than_file(name)?,
            b"-mtime" | b"-atime" | b"-ctime" => self.days(name)?,
            b"-mmin" | b"-amin" | b"-cmin" => self.minutes(name)?,
            b"-used" => self.used(name)?,
            b"-readable" => self.push(Leaf::Access(4)),
            b"-writable" => self.push(Leaf::Access(2)),
            b"-executable" => self.push(Leaf::Access(1)),
            b"-fstype" => {
                let t = self.argument(name)?;
                self.push(Leaf::FsType(t));
            }
            b"-context" => return Err(one("invalid predicate -context: SELinux is not enabled.")),
            b"-prune" => {
                self.prune = true;
                self.push(Leaf::Prune);
            }
            b"-quit" => self.push(Leaf::Quit),
            b"-delete" => {
                self.delete = true;
                self.prints = true;
                self.s.depth_first = true;
                self.push(Leaf::Delete);
            }
            b"-print" | b"-print0" | b"-fprint" | b"-fprint0" | b"-ls" | b"-fls" | b"-printf"
            | b"-fprintf" => {
                self.print(name)?;
            }
            b"-exec" | b"-execdir" | b"-ok" | b"-okdir" => self.exec(name)?,
            b"-depth" | b"-d" => {
                self.s.depth_first = true;
                self.explicit_depth = true;
                self.push(Leaf::True);
            }
            b"-maxdepth" | b"-mindepth" => self.depth_limit(name)?,
            b"-mount" | b"-xdev" => {
                self.s.one_device = true;
                self.push(Leaf::True);
            }
            b"-noleaf" | b"-noignore_readdir_race" => self.push(Leaf::True),
            b"-ignore_readdir_race" => {
                self.s.ignore_race = true;
                self.push(Leaf::True);
            }
            b"-warn" | b"-nowarn" => {
                self.warn = name == b"-warn";
                self.push(Leaf::True);
            }
            b"-follow" => {
                self.s.links = Links::Always;
                self.push(Leaf::True);
            }
            b"-daystart" => {
                self.day_start = true;
                self.push(Leaf::True);
            }
            b"-files0-from" => self.files_from(name)?,
            n if n.starts_with(b"-newer") && n.len() == 8 => self.newer(name)?,
            _ if name.starts_with(b"-") => return Err(vec![bytes!("unknown predicate `", name, "'")]),
            _ => return Err(self.misplaced(name)),
        }
        self.last = Some(name.to_vec());
        Ok(None)
    }

    fn path(&mut self, name: &[u8]) -> Result<(), Problem> {
        let p = self.argument(name)?;
        if p.ends_with(b"/") && p.len() > 1 {
            let what = " will not match anything because it ends with /.";
            message("find", &bytes!("warning: ", name, " ", p, what));
        }
        self.push(Leaf::Path(p, name.starts_with(b"-i")));
        Ok(())
    }

    fn numbered(&mut self, name: &[u8]) -> Result<(), Problem> {
        let (c, n) = self.number(name)?;
        self.push(match name {
            b"-uid" => Leaf::Uid(c, n),
            b"-gid" => Leaf::Gid(c, n),
            b"-links" => Leaf::Links(c, n),
            _ => Leaf::Inode(c, n),
        });
        Ok(())
    }

    fn newer_than_file(&mut self, name: &[u8]) -> Result<(), Problem> {
        let st = self.reference(name)?;
        let which = match name {
            b"-newer" => Which::Modification,
            b"-anewer" => Which::Access,
            _ => Which::Change,
        };
        self.push(Leaf::Newer(which, eval::time(&st, Which::Modification)));
        Ok(())
    }

    fn depth_limit(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let n = std::str::from_utf8(&value)
            .ok()
            .filter(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()));
        let Some(n) = n else {
            return Err(vec![bytes!(
                "Expected a positive decimal integer argument to ",
                name,
                ", but got ",
                quote(&value)
            )]);
        };
        let n = n.parse().unwrap_or(usize::MAX);
        if name == b"-maxdepth" {
            self.s.max_depth = n
        } else {
            self.s.min_depth = n
        }
        self.push(Leaf::True);
        Ok(())
    }

    /// The actions that print, those with `f` to a file.
    fn print(&mut self, name: &[u8]) -> Result<(), Problem> {
        self.prints = true;
        let (sink, action) = match name.strip_prefix(b"-f") {
            Some(action) => (self.sink_argument(name)?, action),
            None => (self.sink(b"/dev/stdout")?, &name[1..]),
        };
        let leaf = match action {
            b"ls" => Leaf::Ls(sink),
            b"print" => Leaf::Print(sink, b'\n'),
            b"print0" => Leaf::Print(sink, 0),
            _ => {
                let format = self.argument(name)?;
                let mut warnings = Vec::new();
                let pieces = printf::parse(&format, &mut warnings).map_err(|e| one(&e))?;
                for w in warnings {
                    message("find", format!("warning: {w}").as_bytes());
                }
                Leaf::Printf(sink, pieces)
            }
        };
        self.push(leaf);
        Ok(())
    }

    fn regex(&mut self, name: &[u8]) -> Result<(), Problem> {
        let text = self.argument(name)?;
        let flags =
            Flags { icase: name == b"-iregex", line: true, bytes: locale::is_bytes(), ..Flags::default() };
        match Regex::new(&text, self.syntax, flags) {
            Ok(r) => {
                self.push(Leaf::Regex(Box::new(r)));
                Ok(())
            }
            Err(e) => Err(vec![bytes!("failed to compile regular expression '", text, "': ", e.to_string())]),
        }
    }

    fn regextype(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let all = [
            ("findutils-default", Syntax::FIND),
            ("ed", Syntax::POSIX_BASIC),
            ("emacs", Syntax::EMACS),
            ("gnu-awk", Syntax::GNU_AWK),
            ("grep", Syntax::GREP.without(Syntax::GREP_RULES)),
            ("posix-awk", Syntax::POSIX_AWK),
            ("awk", Syntax::AWK),
            ("posix-basic", Syntax::POSIX_BASIC),
            ("posix-egrep", Syntax::EGREP.without(Syntax::GREP_RULES)),
            ("egrep", Syntax::EGREP.without(Syntax::GREP_RULES)),
            ("posix-extended", Syntax::POSIX_EXTENDED),
            ("posix-minimal-basic", Syntax::POSIX_MINIMAL_BASIC),
            ("sed", Syntax::POSIX_BASIC),
        ];
        match all.iter().find(|(n, _)| n.as_bytes() == value) {
            Some((_, s)) => {
                self.syntax = *s;
                self.push(Leaf::True);
                Ok(())
            }
            None => {
                let names: Vec<Vec<u8>> = all.iter().map(|(n, _)| quote(n.as_bytes())).collect();
                Err(vec![bytes!(
                    "Unknown regular expression type ",
                    quote(&value),
                    "; valid types are ",
                    names.join(&b", "[..]),
                    "."
                )])
            }
        }
    }

    fn types(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        if value.is_empty() {
            return Err(vec![bytes!("Arguments to ", name, " should contain at least one letter")]);
        }
        let mut letters = Vec::new();
        let mut i = 0;
        loop {
            let Some(&c) = value.get(i) else {
                return Err(vec![bytes!(
                    "Last file type in list argument to ",
                    name,
                    " is missing, i.e., list is ending on: ','"
                )]);
            };
            if !b"bcdflpsD".contains(&c) {
                return Err(vec![bytes!("Unknown argument to ", name, ": ", [c])]);
            }
            if c == b'D' {
                return Err(vec![bytes!(
                    name,
                    " D is not supported because Solaris doors are not supported on the platform find was compiled on."
                )]);
            }
            if letters.contains(&c) {
                return Err(vec![bytes!(
                    "Duplicate file type '",
                    [c],
                    "' in the argument list to ",
                    name,
                    "."
                )]);
            }
            letters.push(c);
            match value.get(i + 1) {
                None => break,
                Some(b',') => i += 2,
                Some(_) => {
                    return Err(vec![bytes!("Must separate multiple arguments to ", name, " using: ','")]);
                }
            }
        }
        self.push(Leaf::Type(letters, name == b"-xtype"));
        Ok(())
    }

    fn size(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let (unit, digits) = match value.split_last() {
            Some((b'b', d)) => (512, d),
            Some((b'c', d)) => (1, d),
            Some((b'w', d)) => (2, d),
            Some((b'k', d)) => (1 << 10, d),
            Some((b'M', d)) => (1 << 20, d),
            Some((b'G', d)) => (1 << 30, d),
            Some((b'0'..=b'9', _)) => (512, value.as_slice()),
            Some((c, _)) => return Err(vec![bytes!("invalid -size type `", [*c], "'")]),
            None => return Err(one("invalid null argument to -size")),
        };
        let (c, n) = number(digits).ok_or_else(|| vec![bytes!("Invalid argument `", value, "' to -size")])?;
        self.push(Leaf::Size(c, n, unit));
        Ok(())
    }

    fn perm(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let (test, text) = match value.split_first() {
            Some((b'-', rest)) => (PermTest::All, rest),
            Some((b'/', rest)) => (PermTest::Any, rest),
            // `+x` is a symbolic mode; `+222` is an old way to write `/222`.
            Some((b'+', rest)) if rest.first().is_some_and(u8::is_ascii_digit) => {
                return Err(vec![bytes!("invalid mode ", quote(&value))]);
            }
            _ => (PermTest::Exact, value.as_slice()),
        };
        match ModeExpression::parse(text) {
            Ok(expression) => {
                let (file, directory) = (expression.apply(0, false, 0), expression.apply(0, true, 0));
                if test == PermTest::Any && file == 0 && directory == 0 {
                    message(
                        "find",
                        &bytes!(
                            "warning: you have specified a mode pattern ",
                            value,
                            " (which is equivalent to /000). The meaning of -perm /000 has now been changed to be \
                             consistent with -perm -000; that is, while it used to match no files, it now matches \
                             all files."
                        ),
                    );
                }
                self.push(Leaf::Perm(test, file, directory));
                Ok(())
            }
            Err(_) => Err(vec![bytes!("invalid mode ", quote(&value))]),
        }
    }

    fn owner(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let user = name == b"-user";
        let names = &self.s.names;
        let known = if user { names.uid(&value) } else { names.gid(&value) };
        let (c, n) = match known {
            Some(id) => (Compare::Equal, u64::from(id)),
            None => match number(&value) {
                Some(found) => found,
                None if user && value.is_empty() => {
                    return Err(one("The argument to -user should not be empty"));
                }
                None if user => return Err(vec![bytes!(quote(&value), " is not the name of a known user")]),
                None if value.is_empty() => {
                    return Err(one("argument to -group is empty, but should be a group name"));
                }
                None => return Err(vec![bytes!(quote(&value), " is not the name of an existing group")]),
            },
        };
        self.push(if user { Leaf::Uid(c, n) } else { Leaf::Gid(c, n) });
        Ok(())
    }

    fn number(&mut self, name: &[u8]) -> Result<(Compare, u64), Problem> {
        let value = self.argument(name)?;
        number(&value).ok_or_else(|| vec![bytes!("invalid argument `", value, "' to `", name, "'")])
    }

    fn reference(&mut self, name: &[u8]) -> Result<sys::Stat, Problem> {
        let file = self.argument(name)?;
        status(sandshell_sys::AT_FDCWD, &file, 0, self.s.links)
            .map_err(|e| vec![bytes!(quote(&file), ": ", e.to_string())])
    }

    fn newer(&mut self, name: &[u8]) -> Result<(), Problem> {
        let (x, y) = (name.get(6).copied(), name.get(7).copied());
        let which = |c| match c {
            Some(b'a') => Some(Which::Access),
            Some(b'c') => Some(Which::Change),
            Some(b'm') => Some(Which::Modification),
            _ => None,
        };
        if x == Some(b'B') || y == Some(b'B') {
            return Err(vec![
                b"This system does not provide a way to find the birth time of a file.".to_vec(),
                bytes!("invalid predicate `", name, "'"),
            ]);
        }
        let Some(x) = which(x) else { return Err(vec![bytes!("invalid predicate `", name, "'")]) };
        let time = if y == Some(b't') {
            let text = self.argument(name)?;
            sandshell_time::parse(&text, self.s.now, &self.s.zone).ok_or_else(|| {
                vec![bytes!("I cannot figure out how to interpret ", quote(&text), " as a date or time")]
            })?
        } else {
            let Some(y) = which(y) else { return Err(vec![bytes!("invalid predicate `", name, "'")]) };
            eval::time(&self.reference(name)?, y)
        };
        self.push(Leaf::Newer(x, time));
        Ok(())
    }

    // Today's midnight.
    fn midnight(&self) -> i64 {
        self.s.now.0 - Clock::new(self.s.now, &self.s.zone).of_day()
    }

    fn days(&mut self, name: &[u8]) -> Result<(), Problem> {
        let (c, n) = self.fraction(name)?;
        let mut origin: Time =
            if self.day_start { (self.midnight(), 0) } else { (self.s.now.0 - DAY, self.s.now.1) };
        if c == Compare::Less {
            origin.0 += DAY - 1;
        }
        self.push(Leaf::Age(which(name), c, back(origin, n * DAY as f64), DAY));
        Ok(())
    }

    fn minutes(&mut self, name: &[u8]) -> Result<(), Problem> {
        let (c, n) = self.fraction(name)?;
        let origin = if self.day_start { (self.midnight() + DAY, 0) } else { self.s.now };
        self.push(Leaf::Age(which(name), c, back(origin, n * 60.0), 60));
        Ok(())
    }

    fn used(&mut self, name: &[u8]) -> Result<(), Problem> {
        let value = self.argument(name)?;
        let (c, n) = fraction(&value).ok_or_else(|| vec![bytes!("Invalid argument ", value, " to -used")])?;
        self.push(Leaf::Used(c, n));
        Ok(())
    }

    fn fraction(&mut self, name: &[u8]) -> Result<(Compare, f64), Problem> {
        let value = self.argument(name)?;
        fraction(&value).ok_or_else(|| vec![bytes!("invalid argument `", value, "' to `", name, "'")])
    }

    fn sink_argument(&mut self, name: &[u8]) -> Result<Sink, Problem> {
        let file = self.argument(name)?;
        self.sink(&file)
    }

    // The sink for a file name. Actions with the same name share it.
    fn sink(&mut self, file: &[u8]) -> Result<Sink, Problem> {
        if let Some((_, s)) = self.sinks.iter().find(|(n, _)| n == file) {
            return Ok(Rc::clone(s));
        }
        use sys::open_flags as f;
        let fd = match file {
            b"/dev/stdout" => 1,
            b"/dev/stderr" => 2,
            _ => sys::open(file, f::WRITE | f::CREATE | f::TRUNC | f::CLOEXEC, 0o666)
                .map_err(|e| vec![bytes!(quote(file), ": ", e.to_string())])?,
        };
        let sink = Rc::new(RefCell::new(Out::to(fd)));
        self.sinks.push((file.to_vec(), Rc::clone(&sink)));
        Ok(sink)
    }

    // The error for `-exec … x{} +`, if there is one.
    fn embedded_braces(&self, name: &[u8], start: usize) -> Option<Problem> {
        let args = self.args.get(start..)?;
        let with = args
            .windows(2)
            .find(|w| w[1] == b"+" && w[0] != b"{}" && memchr::memmem::find(&w[0], b"{}").is_some())?;
        let form = quote(&bytes!(name, " ... {} +"));
        let text = bytes!("In ", form, " the ", quote(b"{}"), " must appear by itself, but you specified ");
        Some(vec![bytes!(text, quote(&with[0]))])
    }

    fn exec(&mut self, name: &[u8]) -> Result<(), Problem> {
        self.prints = true;
        let missing = || vec![bytes!("missing argument to `", name, "'")];
        let ask = name.starts_with(b"-ok");
        self.asks |= ask;
        let in_directory = name.ends_with(b"dir");
        if in_directory {
            check_path(name)?;
        }
        let start = self.at;
        let mut many = false;
        let mut end = start;
        loop {
            let Some(arg) = self.args.get(end) else {
                return Err(self.embedded_braces(name, start).unwrap_or_else(missing));
            };
            if arg == b";" {
                break;
            }
            if arg == b"+" && !ask && end > start && self.args.get(end - 1).is_some_and(|a| a == b"{}") {
                many = true;
                break;
            }
            end += 1;
        }
        if end == start {
            let arg = self.args.get(end).cloned().unwrap_or_default();
            return Err(vec![bytes!("invalid argument `", arg, "' to `", name, "'")]);
        }

        let mut command = self.args.get(start..end).unwrap_or_default().to_vec();
        self.at = end + 1;
        if many {
            command.pop();
            let with: Vec<&Vec<u8>> =
                command.iter().filter(|a| memchr::memmem::find(a, b"{}").is_some()).collect();
            if !with.is_empty() {
                return Err(vec![bytes!("Only one instance of {} is supported with ", name, " ... +")]);
            }
        }
        let pending = RefCell::new(Pending::default());
        self.push(Leaf::Exec(Exec { command, in_directory, ask, many, pending }));
        Ok(())
    }

    fn files_from(&mut self, name: &[u8]) -> Result<(), Problem> {
        let file = self.argument(name)?;
        let shown = quote(if file == b"-" { b"(standard input)" } else { &file });
        self.list = Some(List { file, shown, names: Vec::new() });
        self.push(Leaf::True);
        Ok(())
    }

    /// Reads the file of `-files0-from`, if there is one.
    fn read_list(&mut self) -> Result<(), Problem> {
        let Some(list) = &mut self.list else { return Ok(()) };
        if let Some(first) = self.starts.first() {
            return Err(vec![
                bytes!("extra operand ", quote(first)),
                b"file operands cannot be combined with -files0-from".to_vec(),
            ]);
        }
        // GNU find ends these two messages with an empty line.
        if list.file == b"-" && self.asks {
            return Err(one(
                "option -files0-from reading from standard input cannot be combined with -ok, -okdir\n",
            ));
        }
        let fd = if list.file == b"-" {
            0
        } else {
            let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
            sys::open(&list.file, flags, 0).map_err(|e| {
                vec![bytes!("cannot open ", quote(&list.file), " for reading: ", e.to_string())]
            })?
        };
        let identity = |fd| sys::fstat(fd).map(|s| (s.dev, s.ino));
        if self.asks && identity(fd).is_ok_and(|list| identity(0) == Ok(list)) {
            return Err(vec![bytes!(
                "option -files0-from: standard input must not refer to the same file when combined with -ok, -okdir: ",
                list.shown,
                "\n"
            )]);
        }
        let text =
            sys::read_to_end(fd).map_err(|e| vec![bytes!(list.shown, ": read error: ", e.to_string())])?;
        if fd != 0 {
            let _ = sys::close(fd);
        }
        if !text.is_empty() {
            let text = text.strip_suffix(b"\0").unwrap_or(&text);
            list.names = text.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
        }
        Ok(())
    }
}

fn one(text: &str) -> Problem {
    vec![text.as_bytes().to_vec()]
}

fn standard() -> Sink {
    Rc::new(RefCell::new(Out::stdout()))
}

// Whether an argument begins an expression (`leading`), or can be part of one.
fn is_expression(arg: &[u8], leading: bool) -> bool {
    match arg {
        b")" | b"," => !leading,
        b"(" | b"!" => true,
        [b'-', _, ..] => true,
        _ => false,
    }
}

fn which(name: &[u8]) -> Which {
    match name.get(1) {
        Some(b'a') => Which::Access,
        Some(b'c') => Which::Change,
        _ => Which::Modification,
    }
}

fn compare(text: &[u8]) -> (Compare, &[u8]) {
    match text.split_first() {
        Some((b'+', rest)) => (Compare::More, rest),
        Some((b'-', rest)) => (Compare::Less, rest),
        _ => (Compare::Equal, text),
    }
}

fn number(text: &[u8]) -> Option<(Compare, u64)> {
    let (c, digits) = compare(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((c, std::str::from_utf8(digits).ok()?.parse().unwrap_or(u64::MAX)))
}

fn fraction(text: &[u8]) -> Option<(Compare, f64)> {
    let (c, digits) = compare(text);
    if !digits.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    Some((c, std::str::from_utf8(digits).ok()?.parse().ok()?))
}

fn back(from: Time, seconds: f64) -> Time {
    let whole = seconds.floor();
    let nanos = ((seconds - whole) * 1e9) as i64;
    let mut secs = from.0.saturating_sub(whole as i64);
    let mut nsec = i64::from(from.1) - nanos;
    if nsec < 0 {
        nsec += 1_000_000_000;
        secs -= 1;
    }
    (secs, u32::try_from(nsec).unwrap_or(0))
}

// `-execdir` refuses a PATH with relative directories.
fn check_path(name: &[u8]) -> Result<(), Problem> {
    let Some(path) = std::env::var_os("PATH") else { return Ok(()) };
    let path = path.into_encoded_bytes();
    for dir in path.split(|b| *b == b':') {
        if dir.is_empty() || dir == b"." {
            return Err(vec![bytes!(
                "The current directory is included in the PATH environment variable, which is insecure in combination with the ",
                name,
                " action of find.  Please remove the current directory from your $PATH (that is, remove \".\", doubled colons, or leading or trailing colons)"
            )]);
        }
        if !dir.starts_with(b"/") {
            return Err(vec![bytes!(
                "The relative path ",
                quote(dir),
                " is included in the PATH environment variable, which is insecure in combination with the ",
                name,
                " action of find.  Please remove that entry from $PATH"
            )]);
        }
    }
    Ok(())
}

const VERSION: &str =
    "find (GNU findutils) 4.9.0\nThis is sandshell's own find, which behaves as that version does.\n";

const HELP: &str = "\
Usage: find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]
Goes through what is below the paths, or below the working directory, and works the expression out for each file. The
names of those for which it holds are printed unless it has an action of its own.

Symbolic links: -P are files of their own; -L stand for something else; -H do so only as paths.

Together, the closest first:
  ( A )   ! A, -not A   A B, A -a B, A -and B   A -o B, A -or B   A , B

For all that is done:
  -maxdepth N, -mindepth N     no deeper than N levels; nothing above N
  -depth, -d                   directories after what is in them
  -mount, -xdev                stay on one file system
  -follow                      as -L
  -daystart                    days begin at midnight
  -regextype TYPE              what kind of regular expressions follow
  -files0-from FILE            the paths are in FILE, with zero bytes behind them
  -ignore_readdir_race         files that vanish are no error; -noignore_readdir_race
  -warn, -nowarn               with or without warnings
  -noleaf                      no effect
  -help, --help, -version, --version

Conditions; +N is more than N, -N less than N:
  -name, -iname PATTERN        the last part of the name matches; -i... in any case
  -path, -wholename, -ipath, -iwholename PATTERN   the whole name
  -regex, -iregex RE           the whole name
  -lname, -ilname PATTERN      what the link stands for
  -type, -xtype [bcdpfls]      its kind; -xtype: of what a link stands for
  -size N[bcwkMG]              its size, rounded up, in 512 bytes (b), bytes (c), 2 bytes (w), KiB, MiB, GiB
  -empty                       nothing is in it
  -mtime, -atime, -ctime N     changed, read, or status changed N days ago
  -mmin, -amin, -cmin N        N minutes ago
  -newer, -anewer, -cnewer FILE   after FILE was changed
  -newerXY REFERENCE           time X is after time Y of REFERENCE
  -used N                      last read N days behind the last change of its status
  -perm [-/]MODE               just these bits; with - all of them, with / one of them
  -readable, -writable, -executable   by who asks
  -user, -group NAME, -uid, -gid N    who owns it
  -nouser, -nogroup            nobody who is known does
  -links, -inum N              its number of links; its inode
  -samefile FILE               is FILE
  -fstype TYPE                 on such a file system
  -true, -false

Actions:
  -print, -print0              the name, with a newline or a zero byte
  -printf FORMAT               what FORMAT says
  -ls                          as `ls -dils`
  -fprint, -fprint0, -fls FILE, -fprintf FILE FORMAT   the same into FILE
  -delete                      remove it; implies -depth
  -prune                       do not go into it
  -quit                        end
  -exec COMMAND ;              run COMMAND with {} as the name; holds if that worked
  -exec COMMAND {} +           with many names at once
  -execdir COMMAND ...         in the file's directory
  -ok, -okdir COMMAND ;        after a question

Example: find src -name '*.rs' -mtime -1 -exec grep -l unsafe {} +
";
