//! The command line.

use super::header::Layout;
use super::log::{self, Fatal};
use super::names::Pattern;
use super::options::{Action, Checkpoints, Item, List, Old, Op, Options, Packing};
use super::transform::Concerned;
use crate::codec::Format;
use sandshell_cli::{
    options::{Given, Opt, Order, Parsed, Spec, Stop, hidden},
    out,
    quote::quote,
};
use sandshell_posix::mode::ModeExpression;
use sandshell_posix::users;
use sandshell_sys as sys;
use sandshell_time::Zone;
use std::str::FromStr;

const OPTIONS: &[Opt] = &[
    hidden("", "--add-file=X"),
    hidden("", "--add-file=X"),
    hidden("P", "-P, --absolute-names"),
    hidden("ignored", "--acls"),
    hidden("N", "-N, --after-date=X"),
    hidden("", "--anchored"),
    hidden("r", "-r, --append"),
    hidden("ignored", "--atime-preserve[=X]"),
    hidden("a", "-a, --auto-compress"),
    hidden("R", "-R, --block-number"),
    hidden("b", "-b, --blocking-factor=X"),
    hidden("j", "-j, --bzip2"),
    hidden("A", "-A, --catenate"),
    hidden("", "--checkpoint[=X]"),
    hidden("", "--checkpoint-action=X"),
    hidden("", "--clamp-mtime"),
    hidden("d", "-d, --compare"),
    hidden("A", "--concatenate"),
    hidden("c", "-c, --create"),
    hidden("ignored", "--delay-directory-restore"),
    hidden("", "--delete"),
    hidden("h", "-h, --dereference"),
    hidden("d", "--diff"),
    hidden("C", "-C, --directory=X"),
    hidden("", "--exclude=X"),
    hidden("X", "-X, --exclude-from=X"),
    hidden("", "--exclude-vcs"),
    hidden("x", "-x, --extract"),
    hidden("f", "-f, --file=X"),
    hidden("T", "-T, --files-from=X"),
    hidden("ignored", "--force-local"),
    hidden("H", "-H, --format=X"),
    hidden("", "--full-time"),
    hidden("x", "--get"),
    hidden("", "--group=X"),
    hidden("z", "-z, --gunzip"),
    hidden("z", "--gzip"),
    hidden("", "--hard-dereference"),
    hidden("", "--ignore-case"),
    hidden("ignore-failed", "--ignore-failed-read"),
    hidden("i", "-i, --ignore-zeros"),
    hidden("keep-newer", "--keep-newer-files"),
    hidden("k", "-k, --keep-old-files"),
    hidden("V", "-V, --label=X"),
    hidden("t", "-t, --list"),
    hidden("", "--lzma"),
    hidden("", "--mode=X"),
    hidden("", "--mtime=X"),
    hidden("N", "--newer=X"),
    hidden("N", "--newer-mtime=X"),
    hidden("ignored", "--no-acls"),
    hidden("", "--no-anchored"),
    hidden("ignored", "--no-auto-compress"),
    hidden("ignored", "--no-delay-directory-restore"),
    hidden("", "--no-ignore-case"),
    hidden("", "--no-null"),
    hidden("keep-dirs", "--no-overwrite-dir"),
    hidden("", "--no-recursion"),
    hidden("no-owner", "--no-same-owner"),
    hidden("no-perm", "--no-same-permissions"),
    hidden("ignored", "--no-selinux"),
    hidden("", "--no-unquote"),
    hidden("no-verbatim", "--no-verbatim-files-from"),
    hidden("", "--no-wildcards"),
    hidden("no-slash", "--no-wildcards-match-slash"),
    hidden("ignored", "--no-xattrs"),
    hidden("", "--null"),
    hidden("numeric", "--numeric-owner"),
    hidden("", "--occurrence[=X]"),
    hidden("v7", "--old-archive"),
    hidden("ignored", "--one-file-system"),
    hidden("one-top", "--one-top-level[=X]"),
    hidden("", "--overwrite"),
    hidden("", "--overwrite-dir"),
    hidden("", "--owner=X"),
    hidden("", "--pax-option=X"),
    hidden("v7", "--portability"),
    hidden("", "--posix"),
    hidden("p", "-p, --preserve-permissions"),
    hidden("", "--recursion"),
    hidden("", "--remove-files"),
    hidden("owner-same", "--same-owner"),
    hidden("p", "--same-permissions"),
    hidden("ignored", "--seek"),
    hidden("ignored", "--show-stored-names"),
    hidden("transformed", "--show-transformed-names"),
    hidden("skip-old", "--skip-old-files"),
    hidden("", "--sort=X"),
    hidden("S", "-S, --sparse"),
    hidden("strip", "--strip-components=X"),
    hidden("", "--test-label"),
    hidden("O", "-O, --to-stdout"),
    hidden("", "--totals[=X]"),
    hidden("m", "-m, --touch"),
    hidden("", "--transform=X"),
    hidden("z", "--ungzip"),
    hidden("U", "-U, --unlink-first"),
    hidden("", "--unquote"),
    hidden("u", "-u, --update"),
    hidden("", "--usage"),
    hidden("I", "-I, --use-compress-program=X"),
    hidden("", "--utc"),
    hidden("verbatim", "--verbatim-files-from"),
    hidden("v", "-v, --verbose"),
    hidden("ignored", "--warning=X"),
    hidden("", "--wildcards"),
    hidden("slash", "--wildcards-match-slash"),
    hidden("ignored", "--xattrs"),
    hidden("transform", "--xform=X"),
    hidden("J", "-J, --xz"),
    hidden("", "--zstd"),
    hidden("", "-W, -w, -o, -g X, -K X, -s, -B, -Z, -l, -M, -n, -G, -?"),
];

const HELP: &str = "\
Usage: tar [OPTION...] [FILE]...
Puts files into an archive, and takes them out. The dash of the first letters may be left out.

What to do, one of these:
  -c, --create                     make an archive of the FILEs
  -x, --extract, --get             take out all members, or those that are named
  -t, --list                       show their names; with -v as `ls -l` does
  -r, --append                     put FILEs behind the last member
  -u, --update                     only those that changed since
  -A, --catenate, --concatenate    put whole archives behind the last member
  -d, --diff, --compare            compare members with files
      --delete                     remove members
      --test-label                 show the label, or look for it among the operands

The archive:
  -f, --file=ARCHIVE               its name, `-` for standard input or output; else $TAPE says it
  -z, --gzip, --gunzip, --ungzip   packed by gzip
  -j, --bzip2  -J, --xz  --lzma  --zstd   packed by these
  -I, --use-compress-program=NAME  packed by one of these; `gzip -9` is possible
  -a, --auto-compress              packed as the end of its name says
  -H, --format=FORMAT              gnu, which is usual, oldgnu, ustar, v7, pax or posix
      --posix, --old-archive, --portability   pax, v7 and v7
      --pax-option=delete=KEY      leave headers of pax out
  -V, --label=TEXT                 its label; on reading a pattern that the label must match
  -b, --blocking-factor=N          records of N * 512 bytes
  -i, --ignore-zeros               go on behind empty blocks

Which files:
  -C, --directory=DIR              go there for what follows
  -T, --files-from=FILE            names from FILE; see also --null, --no-null,
                                   --verbatim-files-from, --no-verbatim-files-from, --unquote, --no-unquote
      --add-file=FILE              a FILE whose name may begin with a dash
      --exclude=PATTERN            but not these
  -X, --exclude-from=FILE          but not those that match a line of FILE
      --exclude-vcs                but not what version control keeps
  -N, --newer, --after-date, --newer-mtime=DATE   only files changed since DATE, or since a file was
      --no-recursion, --recursion  directories without or with what is in them
  -h, --dereference                what links stand for
      --hard-dereference           also hard links as files
      --remove-files               remove files that are in the archive now
      --ignore-failed-read         files that cannot be read are no error
      --wildcards, --no-wildcards, --anchored, --no-anchored, --ignore-case, --no-ignore-case,
      --wildcards-match-slash, --no-wildcards-match-slash   what patterns mean
      --occurrence[=N]             the first or N-th of several members of one name

Names and attributes:
      --transform, --xform=EXPR    change names as sed's `s` does
      --strip-components=N         names without the first N parts
      --one-top-level[=DIR]        all below DIR, or below what the archive is called
  -P, --absolute-names             leave slashes at the start of names
      --owner=NAME[:UID] --group=NAME[:GID] --mode=CHANGES --mtime=DATE   in place of the files' own
      --clamp-mtime                --mtime only for files that are newer
      --numeric-owner              numbers of users and groups, not their names
      --sort=ORDER                 none, name or inode
  -p, --preserve-permissions, --same-permissions, --no-same-permissions   with or without regard to the umask
      --same-owner, --no-same-owner, -o, -s   members' owners or one's own
  -m, --touch                      times are those of now

Files that are in the way, one of these:
  -k, --keep-old-files             are an error
      --skip-old-files             stay
      --keep-newer-files           stay if they are newer
      --overwrite                  are written into
  -U, --unlink-first               are removed before
      --overwrite-dir, --no-overwrite-dir   directories: get or do not get the members' attributes

What is said:
  -v, --verbose                    each name; twice: more
  -O, --to-stdout                  members' contents
  -R, --block-number               where each member is
      --full-time  --utc           times in full, in UTC
      --show-transformed-names     names as they were changed
      --totals                     how much it was
      --checkpoint[=N]             a message after every N records
      --checkpoint-action=ACTION   dot, bell or echo=TEXT instead
      --usage                      the first line of this text
  -?, --help  --version            this text, the version

Accepted without effect: -B, -l, -n, -S, --sparse, --seek, --acls, --no-acls, --no-selinux, --xattrs, --no-xattrs,
--atime-preserve, --no-auto-compress, --delay-directory-restore, --no-delay-directory-restore, --force-local,
--one-file-system, --show-stored-names, --warning=WORD.

Examples: tar czf src.tgz src; tar tvf src.tgz; tar xf src.tgz -C /tmp
";

const SPEC: Spec =
    Spec { name: "tar", usage: HELP, options: OPTIONS, order: Order::InPlace, failure: 64, ..Spec::DEFAULT };

/// Parses the command line; `Err` is the exit status.
pub(crate) fn parse(args: &[Vec<u8>]) -> Result<Options, i32> {
    let args = new_style(args.get(1..).unwrap_or_default()).map_err(|Fatal| 2)?;
    let Parsed { options, operands } = SPEC.read(&args).map_err(|stop| match stop {
        Stop::Wrong(text) => {
            log::warn(text);
            log::try_help();
            64
        }
        Stop::Help => {
            out::put(HELP);
            out::finish("tar", 0, 2)
        }
        Stop::Version => {
            out::put(
                "tar (GNU tar) 1.34\nThis is sandshell's own program with the behaviour of that version.\n",
            );
            out::finish("tar", 0, 2)
        }
    })?;
    if options.iter().any(|o| o.id == "?") {
        out::put(HELP);
        return Err(out::finish("tar", 0, 2));
    }
    if options.iter().any(|o| o.id == "usage") {
        out::put("Usage: tar [OPTION...] [FILE]...\n");
        return Err(out::finish("tar", 0, 2));
    }
    let file = std::env::var_os("TAPE").map(std::ffi::OsString::into_encoded_bytes);
    let file = file.unwrap_or_else(|| b"-".to_vec());
    let o = Options { file, record: 20 * 512, ..Options::default() };
    let mut reading = Reading {
        o,
        op: None,
        list: List::default(),
        short_o: false,
        named: false,
        late: Vec::new(),
        transform_flags: Concerned::default(),
        kept_excludes: 0,
        old: None,
        actions: Vec::new(),
    };
    for given in &options {
        reading.option(given).map_err(|Fatal| 2)?;
    }
    reading.o.items.extend(operands.into_iter().map(Item::Name));
    reading.finish().map_err(|Fatal| 2)
}

/// Converts options without a dash: their values are the arguments that follow, in order.
fn new_style(args: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Fatal> {
    let Some(letters) = args.first().filter(|a| !a.starts_with(b"-") && !a.is_empty()) else {
        return Ok(args.to_vec());
    };
    let mut rest = args.iter().skip(1);
    let mut out = Vec::new();
    for letter in letters {
        out.push(vec![b'-', *letter]);
        if SPEC.needs_value(*letter) {
            match rest.next() {
                Some(value) => out.push(value.clone()),
                None => {
                    let letter = char::from(*letter);
                    return Err(log::usage(format!("Old option '{letter}' requires an argument.")));
                }
            }
        }
    }
    out.extend(rest.cloned());
    Ok(out)
}

struct Reading {
    o: Options,
    op: Option<Op>,
    list: List,
    short_o: bool,
    /// Whether there was an operand. `late` has the options after the last operand that only affect operands after
    /// them.
    named: bool,
    late: Vec<Vec<u8>>,
    /// The names that transformations apply to by default.
    transform_flags: Concerned,
    /// How many exclusions preceded the last operand.
    kept_excludes: usize,
    /// The option that says what happens to existing files. There can be only one.
    old: Option<&'static str>,
    actions: Vec<Action>,
}

impl Reading {
    fn set_op(&mut self, op: Op) -> Result<(), Fatal> {
        if self.op.is_some_and(|old| old != op) {
            return Err(log::usage(
                "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
            ));
        }
        self.op = Some(op);
        Ok(())
    }

    fn set_old(&mut self, option: &'static str) -> Result<(), Fatal> {
        if let Some(old) = self.old.filter(|old| *old != option) {
            return Err(log::usage(format!("'--{option}' cannot be used with '--{old}'")));
        }
        self.old = Some(option);
        Ok(())
    }

    /// Parses a checkpoint action.
    fn action(&mut self, value: &[u8]) -> Result<(), Fatal> {
        self.actions.push(match value {
            b"." | b"dot" => Action::Dot,
            b"bell" => Action::Bell,
            b"echo" => Action::Echo(None),
            _ => match value.strip_prefix(b"echo=") {
                // Other directives print times or depend on the terminal.
                Some(text) if known_directives(text) => Action::Echo(Some(text.to_vec())),
                _ if KNOWN_ACTIONS.iter().any(|a| value.starts_with(a)) => {
                    let text = [b"checkpoint action '", value, b"' is not supported"].concat();
                    return Err(log::usage(text));
                }
                _ => {
                    return Err(log::fatal(
                        [&log::colon(value)[..], b": unknown checkpoint action"].concat(),
                    ));
                }
            },
        });
        Ok(())
    }

    fn checkpoint(&mut self, value: Option<&[u8]>) -> Result<(), Fatal> {
        let number = value.unwrap_or(b"10");
        let number = match number.strip_prefix(b".") {
            Some(number) => {
                self.actions.push(Action::Dot);
                number
            }
            None => number,
        };
        let every = std::str::from_utf8(number).ok().and_then(|t| t.parse().ok());
        let every = every.ok_or_else(|| log::fatal("--checkpoint value is not an integer"))?;
        self.o.checkpoints = Some(Checkpoints { every, actions: Vec::new() });
        Ok(())
    }

    fn pack(&mut self, format: Format) -> Result<(), Fatal> {
        if matches!(self.o.packing, Packing::Fixed(old) if old != format) {
            return Err(log::usage("Conflicting compression options"));
        }
        self.o.packing = Packing::Fixed(format);
        Ok(())
    }

    /// A name to archive. Options about names that were given before it are not too late.
    fn name(&mut self, item: Item) {
        self.late.clear();
        self.kept_excludes = self.o.excludes.len();
        self.named = true;
        self.o.items.push(item);
    }

    fn pax_options(&mut self, value: &[u8]) -> Result<(), Fatal> {
        for part in value.split(|b| *b == b',') {
            match part.strip_prefix(b"delete=") {
                Some(key) => self.o.pax_delete.push(key.to_vec()),
                None if part == b"exthdr.name=%d/PaxHeaders/%f" => {}
                None => {
                    let text = [b"pax option '", part, b"' is not supported"].concat();
                    return Err(log::usage(text));
                }
            }
        }
        Ok(())
    }

    fn option(&mut self, given: &Given) -> Result<(), Fatal> {
        let value = given.text();
        if let Some(name) = positional(given.id).filter(|_| self.named) {
            let argument =
                if given.value.is_some() { [b" ", &quote(value)[..]].concat() } else { Vec::new() };
            self.late.push([name.as_bytes(), &argument].concat());
        }
        if let Some(option) = old_files(given.id) {
            self.set_old(option)?;
        }
        let o = &mut self.o;
        match given.id {
            "" | "add-file" => self.name(Item::Name(value.to_vec())),
            "A" => self.set_op(Op::Concatenate)?,
            "c" => self.set_op(Op::Create)?,
            "d" => self.set_op(Op::Diff)?,
            "t" => self.set_op(Op::List)?,
            "r" => self.set_op(Op::Append)?,
            "u" => self.set_op(Op::Update)?,
            "x" => self.set_op(Op::Extract)?,
            "delete" => self.set_op(Op::Delete)?,
            "test-label" => self.set_op(Op::TestLabel)?,
            "V" => o.label = Some(value.to_vec()),
            "checkpoint" => self.checkpoint(given.value.is_some().then_some(value))?,
            "checkpoint-action" => self.action(value)?,
            "C" => o.items.push(Item::Chdir(value.to_vec())),
            "f" => o.file = value.to_vec(),
            "v" => o.verbose += 1,
            "p" => o.permissions = Some(true),
            "no-perm" => o.permissions = Some(false),
            "owner-same" | "s" => o.same_owner = o.same_owner.or(Some(given.id != "s")),
            "no-owner" => o.same_owner = Some(false),
            "o" => self.short_o = true,
            "k" => o.old = Old::Keep,
            "skip-old" => o.old = Old::Skip,
            "keep-newer" => o.old = Old::KeepNewer,
            "overwrite" => o.old = Old::Overwrite,
            "U" => o.old = Old::UnlinkFirst,
            "keep-dirs" => o.keep_dirs = true,
            "overwrite-dir" => o.keep_dirs = false,
            "z" => self.pack(Format::Gzip)?,
            "j" => self.pack(Format::Bzip2)?,
            "J" => self.pack(Format::Xz)?,
            "zstd" => self.pack(Format::Zstd)?,
            "lzma" => self.pack(Format::Lzma)?,
            "Z" => self.pack(Format::Compress)?,
            "I" => self.program(value)?,
            "a" => o.packing = Packing::BySuffix,
            "exclude" => self.exclude(value),
            "X" => {
                for line in read_list(value, b": ")?.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                    self.exclude(line);
                }
            }
            "exclude-vcs" => o.exclude_vcs = true,
            "T" => self.name(Item::From(value.to_vec(), self.list)),
            "null" => self.list = List { null: true, verbatim: true },
            "no-null" => self.list.null = false,
            "verbatim" => self.list.verbatim = true,
            "no-verbatim" => self.list.verbatim = false,
            "unquote" | "no-unquote" => o.no_unquote = given.id == "no-unquote",
            "O" => o.to_stdout = true,
            "P" => o.absolute = true,
            "h" => o.dereference = true,
            "hard-dereference" => o.hard_dereference = true,
            "m" => o.no_mtime = true,
            "strip" => o.strip = number(value, "Invalid number of elements")?,
            "transform" => super::transform::parse(value, &mut self.transform_flags, &mut o.transforms)?,
            "wildcards" => o.wildcards = true,
            "no-wildcards" => o.wildcards = false,
            "anchored" => o.no_anchored = false,
            "no-anchored" => o.no_anchored = true,
            "slash" => o.no_match_slash = false,
            "no-slash" => o.no_match_slash = true,
            "ignore-case" => o.ignore_case = true,
            "no-ignore-case" => o.ignore_case = false,
            "owner" => o.owner = Some(identity(value, |n| users::user_named(n).map(|u| u.uid), "owner")?),
            "group" => o.group = Some(identity(value, |n| users::group_named(n).map(|g| g.gid), "group")?),
            "mode" => match ModeExpression::parse(value) {
                Ok(changes) => o.mode = Some(changes),
                Err(_) => return Err(log::fatal("Invalid mode given on option")),
            },
            "mtime" => o.mtime = Some(date(value)?),
            "clamp-mtime" => o.clamp_mtime = true,
            "N" => o.newer = Some(date(value)?),
            // Names are always read in order.
            "sort" if [&b"name"[..], b"none", b"inode"].contains(&value) => {}
            "sort" => return Err(unsorted(value)),
            "numeric" => o.numeric = true,
            "remove-files" => o.remove_files = true,
            "one-top" => o.one_top = Some(value.to_vec()),
            "recursion" | "no-recursion" => o.items.push(Item::Recursion(given.id == "recursion")),
            "full-time" => o.full_time = true,
            "totals" if given.value.is_none() => o.totals = true,
            "totals" => return Err(totals_at(value)),
            "utc" => o.utc = true,
            "R" => o.block_numbers = true,
            "i" => o.ignore_zeros = true,
            "ignore-failed" => o.ignore_failed = true,
            "transformed" => o.show_transformed = true,
            "occurrence" if value.is_empty() => o.occurrence = Some(1),
            "occurrence" => o.occurrence = Some(number(value, "Invalid number")?),
            "H" => o.layout = layout(value)?,
            "posix" => o.layout = Layout::Pax,
            "v7" => o.layout = Layout::V7,
            "pax-option" => self.pax_options(value)?,
            "b" => match number::<usize>(value, "Invalid blocking factor")? {
                n @ 1..=0x10000 => o.record = n * 512,
                _ => return Err(log::usage([&log::colon(value)[..], b": Invalid blocking factor"].concat())),
            },
            "w" | "M" | "g" | "G" | "K" | "W" => {
                return Err(log::usage(format!("option '-{}' is not supported", given.id)));
            }
            _ => {}
        }
        Ok(())
    }

    fn program(&mut self, value: &[u8]) -> Result<(), Fatal> {
        let mut words = value.split(|b| *b == b' ').filter(|w| !w.is_empty());
        let name = words.next().unwrap_or_default();
        let format = match name.rsplit(|b| *b == b'/').next().unwrap_or_default() {
            b"gzip" | b"pigz" => Format::Gzip,
            b"bzip2" | b"pbzip2" => Format::Bzip2,
            b"xz" => Format::Xz,
            b"lzma" => Format::Lzma,
            b"zstd" | b"zstdmt" => Format::Zstd,
            _ => {
                let text = [&log::colon(value)[..], b": this compression program is not supported"].concat();
                return Err(log::fatal(text));
            }
        };
        self.o.level = words.find_map(|w| std::str::from_utf8(w.strip_prefix(b"-")?).ok()?.parse().ok());
        self.pack(format)
    }

    fn exclude(&mut self, text: &[u8]) {
        self.o.excludes.push(exclusion(&self.o, text));
    }

    fn finish(mut self) -> Result<Options, Fatal> {
        let Some(op) = self.op else {
            return Err(log::usage(
                "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options",
            ));
        };
        self.o.op = op;
        match &mut self.o.checkpoints {
            Some(checkpoints) if self.actions.is_empty() => checkpoints.actions.push(Action::Echo(None)),
            Some(checkpoints) => checkpoints.actions = self.actions,
            None if !self.actions.is_empty() => {
                self.o.checkpoints = Some(Checkpoints { every: 10, actions: self.actions });
            }
            None => {}
        }
        self.o.checkpoints = self.o.checkpoints.filter(|c| c.every > 0);
        if let Some(label) = self.o.label.as_ref().filter(|_| op == Op::Create) {
            match self.o.layout {
                Layout::V7 | Layout::Ustar => {
                    return Err(log::usage("GNU features wanted on incompatible archive format"));
                }
                // The header would contain the process ID.
                Layout::Pax => return Err(log::usage("option '-V' is not supported with this format")),
                Layout::Gnu | Layout::OldGnu if label.len() > 99 => {
                    let text = b": Volume label is too long (limit is 99 bytes)";
                    return Err(log::usage([&log::colon(label)[..], text].concat()));
                }
                Layout::Gnu | Layout::OldGnu => {}
            }
        }
        match op {
            Op::Create if self.short_o => self.o.layout = Layout::V7,
            _ if self.short_o => self.o.same_owner = Some(false),
            _ => {}
        }
        if op == Op::Create && !self.o.items.iter().any(|i| matches!(i, Item::Name(_) | Item::From(..))) {
            return Err(log::usage("Cowardly refusing to create an empty archive"));
        }
        if matches!(op, Op::Create | Op::Append | Op::Update) && !self.late.is_empty() {
            log::error(
                "The following options were used after any non-optional arguments in archive create or update mode.  These options are positional and affect only arguments that follow them.  Please, rearrange them properly.",
            );
            for option in &self.late {
                log::warn([option, &b" has no effect"[..]].concat());
            }
            self.o.excludes.truncate(self.kept_excludes);
        }
        let changing = matches!(op, Op::Append | Op::Update | Op::Delete | Op::Concatenate);
        if changing && matches!(self.o.packing, Packing::Fixed(_)) {
            return Err(log::usage("Cannot update compressed archives"));
        }
        if changing && self.o.file == b"-" {
            return Err(log::usage("Options '-Aru' are incompatible with '-f -'"));
        }
        if self.o.one_top.as_ref().is_some_and(Vec::is_empty) {
            self.o.one_top = Some(top_level(&self.o.file).ok_or_else(|| {
                log::usage(
                    "Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR",
                )
            })?);
        }
        Ok(self.o)
    }
}

fn layout(name: &[u8]) -> Result<Layout, Fatal> {
    match name {
        b"gnu" => Ok(Layout::Gnu),
        b"oldgnu" => Ok(Layout::OldGnu),
        b"ustar" => Ok(Layout::Ustar),
        b"pax" | b"posix" => Ok(Layout::Pax),
        b"v7" => Ok(Layout::V7),
        _ => Err(log::usage([&log::colon(name)[..], b": Invalid archive format"].concat())),
    }
}

fn unsorted(order: &[u8]) -> Fatal {
    let choices = b"' for '--sort'\nValid arguments are:\n  - 'none'\n  - 'name'\n  - 'inode'";
    log::usage([b"invalid argument '", order, choices].concat())
}

/// `--totals` with a signal.
fn totals_at(name: &[u8]) -> Fatal {
    let signal = name.strip_prefix(b"SIG").unwrap_or(name);
    if [&b"HUP"[..], b"QUIT", b"INT", b"USR1", b"USR2"].contains(&signal) {
        return log::usage("option '--totals' with a signal is not supported");
    }
    log::fatal([b"Unknown signal name: ", name].concat())
}

/// Makes an exclusion pattern.
pub(crate) fn exclusion(o: &Options, text: &[u8]) -> Pattern {
    Pattern {
        text: text.to_vec(),
        wildcards: true,
        anchored: false,
        match_slash: !o.no_match_slash,
        ignore_case: o.ignore_case,
    }
}

/// Checkpoint actions that exist in GNU tar. Most of them are not supported.
const KNOWN_ACTIONS: [&[u8]; 6] = [b"echo=", b"ttyout=", b"exec=", b"sleep=", b"totals", b"wait="];

/// Whether a checkpoint message contains only supported directives.
fn known_directives(text: &[u8]) -> bool {
    let mut parts = text.split(|b| *b == b'%').skip(1);
    parts.all(|part| matches!(part.first(), Some(b'u' | b's')))
}

/// The full name of an option that says what happens to existing files.
fn old_files(id: &str) -> Option<&'static str> {
    Some(match id {
        "k" => "keep-old-files",
        "skip-old" => "skip-old-files",
        "keep-newer" => "keep-newer-files",
        "overwrite" => "overwrite",
        "U" => "unlink-first",
        "keep-dirs" => "no-overwrite-dir",
        "overwrite-dir" => "overwrite-dir",
        _ => return None,
    })
}

/// The name of an option that only affects operands after it.
fn positional(id: &str) -> Option<&'static str> {
    Some(match id {
        "C" => "-C",
        "X" => "--exclude-from",
        "exclude" => "--exclude",
        "exclude-vcs" => "--exclude-vcs",
        "recursion" => "--recursion",
        "no-recursion" => "--no-recursion",
        "null" => "--null",
        "no-null" => "--no-null",
        "wildcards" => "--wildcards",
        "no-wildcards" => "--no-wildcards",
        "anchored" => "--anchored",
        "no-anchored" => "--no-anchored",
        "slash" => "--wildcards-match-slash",
        "no-slash" => "--no-wildcards-match-slash",
        "ignore-case" => "--ignore-case",
        "no-ignore-case" => "--no-ignore-case",
        _ => return None,
    })
}

/// The archive's name without directories and suffixes.
fn top_level(file: &[u8]) -> Option<Vec<u8>> {
    let name = file.rsplit(|b| *b == b'/').next()?;
    let plain = match Format::of_suffix(name) {
        Some(_) => {
            let dot = name.iter().rposition(|b| *b == b'.')?;
            let (stem, suffix) = name.split_at(dot);
            if suffix.starts_with(b".t") { Some(stem) } else { stem.strip_suffix(b".tar") }
        }
        None => name.strip_suffix(b".tar"),
    };
    plain.filter(|p| !p.is_empty()).map(<[u8]>::to_vec)
}

/// Reads a file of names.
pub(crate) fn read_list(file: &[u8], what: &[u8]) -> Result<Vec<u8>, Fatal> {
    let fd = match file {
        b"-" => Ok(0),
        _ => sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0),
    };
    let text = fd.and_then(|fd| {
        let text = sys::read_to_end(fd);
        if fd > 2 {
            let _ = sys::close(fd);
        }
        text
    });
    text.map_err(|e| log::fatal([&log::colon(file)[..], what, e.to_string().as_bytes()].concat()))
}

fn number<T: FromStr>(value: &[u8], wrong: &str) -> Result<T, Fatal> {
    let number = std::str::from_utf8(value).ok().and_then(|t| t.parse().ok());
    number.ok_or_else(|| log::usage([&log::colon(value)[..], b": ", wrong.as_bytes()].concat()))
}

fn identity(
    value: &[u8],
    named: impl Fn(&[u8]) -> Option<u32>,
    what: &str,
) -> Result<(Vec<u8>, Option<u64>), Fatal> {
    let number = |t: &[u8]| users::number(t.strip_prefix(b"+").unwrap_or(t)).map(u64::from);
    if let Some(colon) = value.iter().position(|b| *b == b':') {
        let (name, id) = value.split_at(colon);
        if let Some(id) = number(id.get(1..).unwrap_or_default()) {
            return Ok((name.to_vec(), Some(id)));
        }
    } else if let Some(id) = named(value) {
        return Ok((value.to_vec(), Some(u64::from(id))));
    } else if let Some(id) = users::number(value).map(u64::from) {
        return Ok((Vec::new(), Some(id)));
    } else {
        // Any name is accepted. The file's own number is kept.
        return Ok((value.to_vec(), None));
    }
    Err(log::fatal([&log::colon(value)[..], b": Invalid ", what.as_bytes()].concat()))
}

fn date(value: &[u8]) -> Result<(i64, u32), Fatal> {
    if value.starts_with(b"/") || value.starts_with(b".") {
        return match sys::stat(value, true) {
            Ok(stat) => Ok((stat.mtime, stat.mtime_nsec)),
            Err(e) => {
                let text = [&log::colon(value)[..], b": Cannot stat: ", e.to_string().as_bytes()].concat();
                Err(log::fatal(text))
            }
        };
    }
    let now = sys::realtime();
    let now = ((now / 1_000_000_000) as i64, (now % 1_000_000_000) as u32);
    Ok(sandshell_time::parse(value, now, &Zone::system()).unwrap_or_else(|| {
        let what = quote(value);
        log::warn([b"Substituting -9223372036854775807 for unknown date format ", what.as_slice()].concat());
        (i64::MIN, 0)
    }))
}
