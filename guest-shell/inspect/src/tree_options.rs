//! The options of `tree`.

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

fn unsupported(option: &[u8]) -> i32 {
    fail(bytes!("option '", option, "' is not supported"))
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
    let mut no_color = false;
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"--" => {
                o.roots.extend(rest.by_ref().cloned());
            }
            [b'-', b'-', ..] => o.long(arg, &mut rest)?,
            [b'-', letters @ ..] if !letters.is_empty() => {
                for letter in letters {
                    match letter {
                        b'n' => no_color = true,
                        b'L' | b'P' | b'I' | b'o' => {
                            let value = rest.next().ok_or_else(|| {
                                fail(bytes!("Missing argument to -", &[*letter][..], " option."))
                            })?;
                            o.valued(*letter, value)?;
                        }
                        letter => o.letter(*letter)?,
                    }
                }
            }
            _ => o.roots.push(arg.clone()),
        }
    }
    // Without `TERM`, nothing is known about the terminal's colours.
    o.color &= !no_color && std::env::var_os("TERM").is_some();
    if o.roots.is_empty() {
        o.roots.push(b".".to_vec());
    }
    Ok(o)
}

impl Options {
    fn valued(&mut self, letter: u8, value: &[u8]) -> Result<(), i32> {
        match letter {
            b'P' => self.include.push(value.to_vec()),
            b'I' => self.exclude.push(value.to_vec()),
            b'o' => self.output = Some(value.to_vec()),
            _ => {
                let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
                let level = std::str::from_utf8(&value[..digits]).ok().and_then(|d| d.parse::<u32>().ok());
                match level.filter(|level| *level > 0) {
                    Some(level) => self.depth = Some(level as usize),
                    None => return Err(fail(bytes!("Invalid level, must be greater than 0."))),
                }
            }
        }
        Ok(())
    }

    fn letter(&mut self, letter: u8) -> Result<(), i32> {
        match letter {
            b'a' => self.all = true,
            b'd' => self.only_dirs = true,
            b'l' => self.follow = true,
            b'f' => self.full_path = true,
            b'x' => self.one_device = true,
            b'N' => self.raw_names = true,
            b'q' => self.question = true,
            b'Q' => self.quote = true,
            b'p' => self.mode = true,
            b'u' => self.user = true,
            b'g' => self.group = true,
            b's' => self.size = true,
            b'h' => {
                self.size = true;
                self.human = Some(1024);
            }
            b'D' => self.date = true,
            b'F' => self.classify = true,
            b'v' => self.sort = Sort::Version,
            b't' => self.sort = Sort::Modified,
            b'c' => {
                self.sort = Sort::Changed;
                self.changed = true;
            }
            b'U' => self.sort = Sort::Unsorted,
            b'r' => self.reverse = true,
            b'i' => self.indent = false,
            b'C' => self.color = true,
            b'J' => self.form = Form::Json,
            b'X' => self.form = Form::Xml,
            // `-R` only matters for HTML output, which is not supported.
            b'R' => {}
            b'A' => self.graphics = Graphics::Vt100,
            b'S' => self.graphics = Graphics::Cp437,
            b'H' | b'T' => return Err(unsupported(&[b'-', letter])),
            other => {
                let _ = sys::write_all(2, &bytes!("tree: Invalid argument -`", &[other][..], "'.\n", USAGE));
                return Err(1);
            }
        }
        Ok(())
    }

    fn long<'a>(&mut self, arg: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
        let (name, attached) = match arg.iter().position(|b| *b == b'=') {
            Some(i) => (&arg[..i], Some(arg[i + 1..].to_vec())),
            None => (arg, None),
        };
        let mut value = || {
            let given = attached.clone().or_else(|| rest.next().cloned());
            given.filter(|v| !v.is_empty()).ok_or_else(|| fail(bytes!("Missing argument to ", name)))
        };
        match name {
            b"--help" => {
                return Err(crate::text::print("tree", HELP));
            }
            b"--version" => {
                let text =
                    "tree v2.1.0\nThis is sandshell's own program with the behaviour of that version.\n";
                return Err(crate::text::print("tree", text));
            }
            b"--ignore-case" => self.ignore_case = true,
            b"--matchdirs" => self.match_dirs = true,
            b"--prune" => self.prune = true,
            b"--noreport" => self.report = false,
            b"--si" => {
                self.size = true;
                self.human = Some(1000);
            }
            b"--inodes" => self.inodes = true,
            b"--device" => self.device = true,
            b"--dirsfirst" => self.dirs_first = true,
            b"--filesfirst" => self.files_first = true,
            b"--metafirst" => self.meta_first = true,
            // An option of the HTML output.
            b"--nolinks" => {}
            b"--timefmt" => {
                self.time_format = Some(value()?);
                self.date = true;
            }
            b"--filelimit" => {
                let text = value()?;
                let number = std::str::from_utf8(&text).ok().and_then(|t| t.parse::<u32>().ok());
                self.file_limit = number.unwrap_or(0) as usize;
            }
            b"--charset" => {
                let charset = value()?.to_ascii_lowercase();
                self.graphics = match charset.as_slice() {
                    b"utf-8" | b"utf8" => Graphics::Utf8,
                    b"ibm437" | b"cp437" => Graphics::Cp437,
                    _ => Graphics::Ascii,
                };
            }
            b"--sort" => {
                let text = value()?;
                self.sort = match text.to_ascii_lowercase().as_slice() {
                    b"name" => Sort::Name,
                    b"version" => Sort::Version,
                    b"size" => Sort::Size,
                    b"mtime" => Sort::Modified,
                    b"ctime" => Sort::Changed,
                    b"none" => Sort::Unsorted,
                    _ => {
                        let names = "name,version,size,mtime,ctime";
                        let what = bytes!("tree: Sort type '", &text, "' not valid, should be one of: ");
                        let _ = sys::write_all(2, &what);
                        let _ = crate::text::print("tree", &format!("{names}\n"));
                        return Err(1);
                    }
                };
            }
            b"--du" => {
                self.du = true;
                self.size = true;
            }
            b"--gitignore" => self.git_ignore = true,
            b"--gitfile" => {
                self.git_ignore = true;
                self.git_file = Some(value()?);
            }
            b"--fromfile" => self.from_file = true,
            b"--hintro" | b"--houtro" | b"--fflinks" | b"--info" | b"--infofile" => {
                return Err(unsupported(name));
            }
            _ => {
                let _ = sys::write_all(2, &bytes!("tree: Invalid argument `", arg, "'.\n", USAGE));
                return Err(1);
            }
        }
        Ok(())
    }
}
