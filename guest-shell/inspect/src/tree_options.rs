//! The options of `tree`.

use sandshell_cli::arguments::Value;
use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_cli::{bytes, warn};
use sandshell_posix::locale;
use sandshell_sys as sys;

const USAGE: &str = "usage: tree [-acdfghilnpqrstuvxACDFJQNSUX] [-L level [-R]] [-H  baseHREF]\n\t[-T title] [-o filename] [-P pattern] [-I pattern] [--gitignore]\n\t[--gitfile[=]file] [--matchdirs] [--metafirst] [--ignore-case]\n\t[--nolinks] [--hintro[=]file] [--houtro[=]file] [--inodes] [--device]\n\t[--sort[=]<name>] [--dirsfirst] [--filesfirst] [--filelimit #] [--si]\n\t[--du] [--prune] [--charset[=]X] [--timefmt[=]format] [--fromfile]\n\t[--fflinks] [--info] [--infofile[=]file] [--noreport] [--version]\n\t[--help] [--] [directory ...]\n";

const HELP: &str = "\
usage: tree [OPTION]... [DIRECTORY]...
Draws what is in directories, and in the directories in them.

Which files:
  -a                    hidden files too
  -d                    only directories
  -L LEVEL              no deeper than LEVEL
  -l                    go into directories that links stand for
  -x                    stay on one file system
  -P PATTERN            only files that match; --matchdirs: directories too
  -I PATTERN            not those that match
  --ignore-case         patterns match in any case
  --gitignore           not those that .gitignore files name
  --gitfile=FILE        the same with FILE
  --prune               no directories without files
  --filelimit=N         do not go into directories with more than N files
  --fromfile            the paths in files, or in standard input for `.`

What is shown of each:
  -p  -u  -g            mode, user, group
  -s  -h  --si          size in bytes, in units of 1024, in units of 1000
  --du                  size of directories with all that is in them
  -D                    time of the last change; with -c that of the status
  --timefmt=FORMAT      the time in this form
  --inodes  --device    numbers of inode and device
  -F                    the sign that `ls -F` has for its kind
  -f                    the whole path
  -q  -N  -Q            strange characters as `?`, as they are; names in quotes
  --metafirst           all that in front of the lines of the tree

Order:
  -v  -t  -c  -U        by numbers in names, by time, by time of the status, none
  --sort=WORD           name, version, size, mtime, ctime or none
  -r                    the other way round
  --dirsfirst, --filesfirst   directories, or files, before the rest

Output:
  -i                    without lines of the tree
  -A  -S  --charset=NAME   what those lines are drawn with
  -C  -n                with, without colours
  -J  -X                JSON, XML
  -o FILE               into FILE
  --noreport            without the count at the end
  --help, --version     this text, the version
  --                    names follow

Accepted without effect: -R, --nolinks.

Example: tree -L 2 --dirsfirst src
";

/// The options. Letters stand in one word, whose values are the words after it; long names are not abbreviated.
const SPEC: Spec = Spec { name: "tree", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    hidden("version", "--version"),
    hidden("filesfirst", "--filesfirst"),
    listed(HELP),
    hidden("matchdirs", "--matchdirs"),
    hidden("R", "-R, --nolinks"),
    // These are refused.
    hidden("", "-H, -T, --hintro, --houtro, --fflinks, --info, --infofile"),
];

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Text,
    Json,
    Xml,
}

/// What the lines are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Graphics {
    Utf8,
    Ascii,
    /// The second character set of a VT100.
    Vt100,
    /// Code page 437.
    Cp437,
}

/// What entries are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Name,
    Version,
    Size,
    Modified,
    Changed,
    Unsorted,
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) all: bool,
    pub(crate) only_dirs: bool,
    pub(crate) follow: bool,
    pub(crate) full_path: bool,
    pub(crate) one_device: bool,
    pub(crate) depth: Option<usize>,
    pub(crate) include: Vec<Vec<u8>>,
    pub(crate) exclude: Vec<Vec<u8>>,
    pub(crate) ignore_case: bool,
    pub(crate) match_dirs: bool,
    pub(crate) prune: bool,
    pub(crate) file_limit: usize,
    pub(crate) report: bool,
    pub(crate) question: bool,
    pub(crate) raw_names: bool,
    pub(crate) quote: bool,
    pub(crate) mode: bool,
    pub(crate) user: bool,
    pub(crate) group: bool,
    pub(crate) size: bool,
    /// `-h` or `--si`: human-readable sizes, with this base (1024 or 1000).
    pub(crate) human: Option<u64>,
    pub(crate) date: bool,
    pub(crate) changed: bool,
    pub(crate) time_format: Option<Vec<u8>>,
    pub(crate) classify: bool,
    pub(crate) inodes: bool,
    pub(crate) device: bool,
    pub(crate) sort: Sort,
    pub(crate) reverse: bool,
    pub(crate) dirs_first: bool,
    pub(crate) files_first: bool,
    pub(crate) indent: bool,
    pub(crate) graphics: Graphics,
    pub(crate) color: bool,
    /// `-n` is stronger than `-C`, in any order.
    no_color: bool,
    pub(crate) form: Form,
    pub(crate) meta_first: bool,
    /// `--du`: the size of a directory is the sum of all that is shown in it.
    pub(crate) du: bool,
    /// `--gitignore`: read the `.gitignore` files and leave out what they match.
    pub(crate) git_ignore: bool,
    /// `--gitfile`: a pattern file like `.gitignore` that applies to all directories.
    pub(crate) git_file: Option<Vec<u8>>,
    /// `--fromfile`: the operands are files with one path per line (`.` is standard input), not directories.
    pub(crate) from_file: bool,
    pub(crate) output: Option<Vec<u8>>,
    pub(crate) roots: Vec<Vec<u8>>,
}

fn fail(text: Vec<u8>) -> i32 {
    warn!("tree", text);
    1
}

/// Parses the options; `Err` is the exit status.
pub(crate) fn parse(args: &[Vec<u8>]) -> Result<Options, i32> {
    let mut o = Options {
        all: false,
        only_dirs: false,
        follow: false,
        full_path: false,
        one_device: false,
        depth: None,
        include: Vec::new(),
        exclude: Vec::new(),
        ignore_case: false,
        match_dirs: false,
        prune: false,
        file_limit: 0,
        report: true,
        question: false,
        raw_names: false,
        quote: false,
        mode: false,
        user: false,
        group: false,
        size: false,
        human: None,
        date: false,
        changed: false,
        time_format: None,
        classify: false,
        inodes: false,
        device: false,
        sort: Sort::Name,
        reverse: false,
        dirs_first: false,
        files_first: false,
        indent: true,
        graphics: if locale::is_bytes() { Graphics::Ascii } else { Graphics::Utf8 },
        color: false,
        no_color: false,
        form: Form::Text,
        meta_first: false,
        du: false,
        git_ignore: false,
        git_file: None,
        from_file: false,
        output: None,
        roots: Vec::new(),
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"--" => {
                o.roots.extend(rest.by_ref().cloned());
            }
            [b'-', b'-', ..] => o.long(arg, &mut rest)?,
            [b'-', letters @ ..] if !letters.is_empty() => {
                for letter in letters {
                    let Some(option) = SPEC.letter(*letter) else {
                        return Err(invalid(&bytes!("-`", [*letter])));
                    };
                    let mut value = None;
                    if option.value == Value::Required {
                        let missing = || fail(bytes!("Missing argument to -", [*letter], " option."));
                        value = Some(rest.next().ok_or_else(missing)?.clone());
                    }
                    o.set(option.id, value.unwrap_or_default())?;
                }
            }
            _ => o.roots.push(arg.clone()),
        }
    }
    // Without `TERM`, nothing is known about the terminal's colours.
    o.color &= !o.no_color && std::env::var_os("TERM").is_some();
    if o.roots.is_empty() {
        o.roots.push(b".".to_vec());
    }
    Ok(o)
}

/// Reports what is no option.
fn invalid(shown: &[u8]) -> i32 {
    let _ = sys::write_all(2, &bytes!("tree: Invalid argument ", shown, "'.\n", USAGE));
    1
}

impl Options {
    fn long<'a>(&mut self, arg: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
        let (name, attached) = match arg.iter().position(|b| *b == b'=') {
            Some(i) => (&arg[..i], Some(arg[i + 1..].to_vec())),
            None => (arg, None),
        };
        let Some(option) = name.strip_prefix(b"--").and_then(|name| SPEC.long(name)) else {
            return Err(invalid(&bytes!("`", arg)));
        };
        if option.value != Value::Required {
            return self.set(option.id, Vec::new());
        }
        let given = attached.or_else(|| rest.next().cloned()).filter(|value| !value.is_empty());
        self.set(option.id, given.ok_or_else(|| fail(bytes!("Missing argument to ", name)))?)
    }

    fn set(&mut self, id: &str, value: Vec<u8>) -> Result<(), i32> {
        match id {
            "a" => self.all = true,
            "d" => self.only_dirs = true,
            "l" => self.follow = true,
            "f" => self.full_path = true,
            "x" => self.one_device = true,
            "N" => self.raw_names = true,
            "q" => self.question = true,
            "Q" => self.quote = true,
            "p" => self.mode = true,
            "u" => self.user = true,
            "g" => self.group = true,
            "s" => self.size = true,
            "h" => (self.size, self.human) = (true, Some(1024)),
            "si" => (self.size, self.human) = (true, Some(1000)),
            "du" => (self.size, self.du) = (true, true),
            "D" => self.date = true,
            "timefmt" => (self.date, self.time_format) = (true, Some(value)),
            "F" => self.classify = true,
            "inodes" => self.inodes = true,
            "device" => self.device = true,
            "v" => self.sort = Sort::Version,
            "t" => self.sort = Sort::Modified,
            "c" => (self.sort, self.changed) = (Sort::Changed, true),
            "U" => self.sort = Sort::Unsorted,
            "sort" => self.sort = sort(&value)?,
            "r" => self.reverse = true,
            "dirsfirst" => self.dirs_first = true,
            "filesfirst" => self.files_first = true,
            "metafirst" => self.meta_first = true,
            "i" => self.indent = false,
            "C" => self.color = true,
            "n" => self.no_color = true,
            "J" => self.form = Form::Json,
            "X" => self.form = Form::Xml,
            // These are about HTML output, which is not supported.
            "R" => {}
            "A" => self.graphics = Graphics::Vt100,
            "S" => self.graphics = Graphics::Cp437,
            "charset" => {
                self.graphics = match value.to_ascii_lowercase().as_slice() {
                    b"utf-8" | b"utf8" => Graphics::Utf8,
                    b"ibm437" | b"cp437" => Graphics::Cp437,
                    _ => Graphics::Ascii,
                };
            }
            "P" => self.include.push(value),
            "I" => self.exclude.push(value),
            "ignore-case" => self.ignore_case = true,
            "matchdirs" => self.match_dirs = true,
            "prune" => self.prune = true,
            "filelimit" => {
                let number = std::str::from_utf8(&value).ok().and_then(|text| text.parse::<u32>().ok());
                self.file_limit = number.unwrap_or(0) as usize;
            }
            "gitignore" => self.git_ignore = true,
            "gitfile" => (self.git_ignore, self.git_file) = (true, Some(value)),
            "fromfile" => self.from_file = true,
            "noreport" => self.report = false,
            "o" => self.output = Some(value),
            "L" => self.depth = Some(level(&value)?),
            "help" => return Err(crate::text::print("tree", &SPEC.help())),
            "version" => {
                let text =
                    "tree v2.1.0\nThis is sandshell's own program with the behaviour of that version.\n";
                return Err(crate::text::print("tree", text));
            }
            refused => {
                let dashes = if refused.len() > 1 { "--" } else { "-" };
                return Err(fail(bytes!("option '", dashes, refused, "' is not supported")));
            }
        }
        Ok(())
    }
}

/// The value of `-L`.
fn level(value: &[u8]) -> Result<usize, i32> {
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    let level = std::str::from_utf8(&value[..digits]).ok().and_then(|d| d.parse::<u32>().ok());
    match level.filter(|level| *level > 0) {
        Some(level) => Ok(level as usize),
        None => Err(fail(bytes!("Invalid level, must be greater than 0."))),
    }
}

/// The value of `--sort`.
fn sort(value: &[u8]) -> Result<Sort, i32> {
    Ok(match value.to_ascii_lowercase().as_slice() {
        b"name" => Sort::Name,
        b"version" => Sort::Version,
        b"size" => Sort::Size,
        b"mtime" => Sort::Modified,
        b"ctime" => Sort::Changed,
        b"none" => Sort::Unsorted,
        _ => {
            let names = "name,version,size,mtime,ctime";
            let what = bytes!("tree: Sort type '", value, "' not valid, should be one of: ");
            let _ = sys::write_all(2, &what);
            let _ = crate::text::print("tree", &format!("{names}\n"));
            return Err(1);
        }
    })
}
