//! The command line of `unzip` and `zipinfo`.

use super::directory::{Directory, Problem};
use super::extract;
use super::list;
use super::record::Member;
use super::unzip_options::{Action, Options};
use sandshell_cli::out;
use sandshell_posix::pattern::Matching;
use sandshell_sys as sys;

const USAGE: &str = "\
UnZip 6.00 of 20 April 2009.

Usage: unzip [-Z] [-opts] file[.zip] [list] [-x xlist] [-d exdir]
Takes out the members that match the list, or all of them.

  -l  a short listing                 -v  a long one
  -t  only look for damage            -z  only show the comment
  -p  contents to standard output     -c  the same with names
  -d  into this directory             -j  names without directories
  -n  keep what is there              -o  replace it without a question
  -u  only what is newer or missing   -f  only what is newer
  -x  but not what matches xlist      -C  letters match in any case
  -L  names in small letters          -q  say less; -qq: hardly anything
  -h, --help  this text               -Z  as `zipinfo`, see below

`zipinfo`: -1, -2 only names, -s, -m a line for each member, -h the first line, -t the last line, -z the comment,
-T times in digits.

Accepted without effect: -a, -b, -B, -D, -K, -U, -W, -X, -:, -^.
";

/// Runs `unzip` or `zipinfo` and returns its exit status.
pub fn unzip_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let mut o = Options::default();
    if called.ends_with(b"zipinfo") {
        o.action = Action::Info;
    }
    let file = match o.read(args.get(1..).unwrap_or_default()) {
        Ok(file) => file,
        Err(code) => return out::finish("unzip", code, 50),
    };
    let code = o.run(&file);
    out::finish("unzip", code, 50)
}

impl Options {
    fn read(&mut self, args: &[Vec<u8>]) -> Result<Vec<u8>, i32> {
        let mut rest = args.iter();
        let mut file = None;
        let mut excluding = false;
        while let Some(arg) = rest.next() {
            let option = arg.len() > 1 && arg.starts_with(b"-");
            match (&file, arg.as_slice()) {
                (Some(_), b"-x") => excluding = true,
                (_, dir) if dir.starts_with(b"-d") => {
                    let attached = dir.get(2..).unwrap_or_default().to_vec();
                    let value = if attached.is_empty() { rest.next().cloned() } else { Some(attached) };
                    let Some(value) = value else {
                        return Err(complain(
                            "error:  must specify directory to which to extract with -d option",
                            10,
                        ));
                    };
                    self.dir = Some(value);
                }
                (None, _) if option => {
                    if self.letters(arg)? {
                        self.dir = rest.next().cloned();
                    }
                }
                (None, _) => file = Some(arg.clone()),
                (Some(_), _) if excluding => self.but.push(arg.clone()),
                (Some(_), _) => self.only.push(arg.clone()),
            }
        }
        file.ok_or_else(|| {
            out::put(USAGE);
            if args.is_empty() { 0 } else { 10 }
        })
    }

    /// Parses option letters. What one means depends on those before it (`-Z` begins `zipinfo`'s), so they are no
    /// [`Spec`](sandshell_cli::options::Spec). Returns true if the next argument is the directory.
    fn letters(&mut self, arg: &[u8]) -> Result<bool, i32> {
        if arg == b"--help" {
            out::put(USAGE);
            return Err(0);
        }
        for (at, letter) in arg.iter().enumerate().skip(1) {
            match letter {
                b'd' => {
                    let attached = arg.get(at + 1..).unwrap_or_default();
                    if attached.is_empty() {
                        return Ok(true);
                    }
                    self.dir = Some(attached.to_vec());
                    return Ok(false);
                }
                b'Z' => self.action = Action::Info,
                b'1' | b'2' if matches!(self.action, Action::Info | Action::Names) => {
                    self.action = Action::Names
                }
                b's' | b'm' | b'h' | b't' | b'z' if self.action == Action::Names => {}
                b's' | b'm' if self.action == Action::Info => self.lines = true,
                b'h' if self.action == Action::Info => self.header = true,
                b't' if self.action == Action::Info => self.totals = true,
                b'T' if self.action == Action::Info => self.decimal = true,
                b'z' if self.action == Action::Info => self.comment = true,
                b'l' => self.action = Action::List,
                b'v' => self.action = Action::Verbose,
                b't' => self.action = Action::Test,
                b'p' => self.action = Action::Cat,
                b'c' => self.action = Action::Print,
                b'z' => self.action = Action::Comment,
                b'o' => self.overwrite = true,
                b'n' => self.never = true,
                b'u' => self.update = true,
                b'f' => self.freshen = true,
                b'j' => self.junk = true,
                b'q' => self.quiet += 1,
                b'C' => self.fold = true,
                b'L' => self.lower = true,
                b'a' | b'b' | b'X' | b'U' | b'K' | b'W' | b':' | b'^' | b'D' | b'B' => {}
                b'P' => return Err(complain("error:  encrypted members are not supported", 81)),
                b'h' => {
                    out::put(USAGE);
                    return Err(0);
                }
                _ => {
                    let _ = sys::write_all(2, USAGE.as_bytes());
                    return Err(10);
                }
            }
        }
        Ok(false)
    }

    fn info(&self, directory: &Directory, shown: &[&Member], path: &[u8]) {
        let special = self.header || self.totals;
        let named = !self.only.is_empty();
        let all = !named && (self.lines || !special);
        if all || self.header {
            list::header(directory, path, self.comment);
        }
        let listed = if self.lines || named || !special { shown } else { &[] };
        list::info(listed, self.decimal);
        if all || self.totals {
            list::totals(shown);
        }
    }

    pub(crate) fn run(&self, given: &[u8]) -> i32 {
        let candidates = [given.to_vec(), [given, b".zip"].concat(), [given, b".ZIP"].concat()];
        let mut failure = None;
        for path in &candidates {
            match Directory::open(path) {
                Ok(directory) => return self.members(directory, path),
                Err(Problem::Cannot(_)) => {}
                Err(problem) => {
                    failure = Some((path, problem));
                    break;
                }
            }
        }
        let Some((path, problem)) = failure else {
            let text = [b"unzip:  cannot find or open ", given, b", ", given, b".zip or ", given, b".ZIP.\n"]
                .concat();
            out::flush();
            let _ = sys::write_all(2, &text);
            return 9;
        };
        if matches!(self.action, Action::Cat | Action::Names) {
            out::flush();
        } else {
            out::put([b"Archive:  ", &path[..], b"\n"].concat());
        }
        match problem {
            Problem::Damaged => complain("error:  the central directory is damaged", 3),
            _ => {
                out::flush();
                let cat = self.action == Action::Cat;
                if cat {
                    let _ = sys::write_all(2, &[b"[", &path[..], b"]\n"].concat());
                }
                let text = [
                    &b"  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n  latter case the central directory and zipfile comment will be found on\n  the last disk(s) of this archive.\n"[..],
                    b"unzip:  cannot find zipfile directory in one of ",
                    path,
                    b" or\n        ",
                    path,
                    b".zip, and cannot find ",
                    path,
                    b".ZIP, period.\n",
                ];
                let shown = if cat { text.get(..1).unwrap_or_default() } else { &text[..] };
                let _ = sys::write_all(2, &shown.concat());
                9
            }
        }
    }

    fn matches(&self, pattern: &[u8], name: &[u8]) -> bool {
        Matching { ignore_case: self.fold, ..Matching::default() }.matches(pattern, name)
    }

    /// Reports that an archive has no members.
    fn nothing(&self, directory: &Directory, path: &[u8]) -> i32 {
        let text = [b"warning [", path, b"]:  zipfile is empty\n"].concat();
        match self.action {
            Action::Info => {
                if self.only.is_empty() && (self.header || !(self.lines || self.totals)) {
                    list::header(directory, path, self.comment);
                }
                out::put("Empty zipfile.\n");
            }
            Action::Names => out::put("Empty zipfile.\n"),
            Action::Test => out::put(text),
            _ => {
                out::flush();
                let _ = sys::write_all(2, &text);
            }
        }
        1
    }

    fn members(&self, mut directory: Directory, path: &[u8]) -> i32 {
        let mut found = vec![false; self.only.len()];
        let mut wanted = |m: &Member| {
            let mut any = self.only.is_empty();
            for (pattern, found) in self.only.iter().zip(&mut found) {
                if self.matches(pattern, &m.name) {
                    *found = true;
                    any = true;
                }
            }
            any && !self.but.iter().any(|p| self.matches(p, &m.name))
        };
        let members: Vec<Member> = directory.members.iter().filter(|m| wanted(m)).cloned().collect();
        let shown: Vec<&Member> = members.iter().collect();
        let titled = !matches!(self.action, Action::Cat | Action::Names | Action::Info);
        if titled && self.quiet < 1 {
            out::put([b"Archive:  ", path, b"\n"].concat());
        }
        if (titled && self.quiet < 1 || self.action == Action::Comment) && !directory.comment.is_empty() {
            out::put([&directory.shown_comment()[..], b"\n"].concat());
        }
        let mut code = 0;
        if directory.base > 0 {
            let text = format!(
                "warning [{}]:  {} extra bytes at beginning or within zipfile\n  (attempting to process anyway)",
                String::from_utf8_lossy(path),
                directory.base
            );
            code = complain(&text, 1);
        }
        if directory.members.is_empty() && !matches!(self.action, Action::Comment) {
            return self.nothing(&directory, path);
        }
        match self.action {
            Action::Comment => return 0,
            Action::List => list::short(&shown, self.quiet),
            Action::Verbose => list::verbose(&shown, self.quiet),
            Action::Info => self.info(&directory, &shown, path),
            Action::Names => shown.iter().for_each(|m| out::put([&m.name[..], b"\n"].concat())),
            _ => code = code.max(extract::all(self, &mut directory, &members, path)),
        }
        for (pattern, found) in self.only.iter().zip(&found) {
            if !found {
                out::flush();
                let silent =
                    matches!(self.action, Action::List | Action::Verbose | Action::Info | Action::Names);
                if silent {
                    code = 11;
                    continue;
                }
                let _ =
                    sys::write_all(2, &[b"caution: filename not matched:  ", &pattern[..], b"\n"].concat());
                code = if code == 0 { 11 } else { code };
            }
        }
        code
    }
}

fn complain(text: &str, code: i32) -> i32 {
    out::flush();
    let _ = sys::write_all(2, text.as_bytes());
    let _ = sys::write_all(2, b"\n");
    code
}
