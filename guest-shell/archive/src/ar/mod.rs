//! `ar`, as of binutils 2.40 on Debian: members have no owners and times (`D`) unless the options say otherwise. Symbol
//! tables are not written, so object files are refused unless `S` says that no table is wanted.

mod format;

use format::{Archive, Member};
use sandshell_sys as sys;
use sandshell_time::Zone;
use sys::open_flags as f;

/// Runs `ar` on its arguments (its own name first) and returns the exit status.
pub fn ar_main(args: Vec<Vec<u8>>) -> i32 {
    let mut output = Vec::new();
    let result =
        Call::parse(args.get(1..).unwrap_or_default(), &mut output).and_then(|call| call.run(&mut output));
    let written = sys::write_all(1, &output);
    match result {
        Ok(()) if written.is_ok() => 0,
        Ok(()) => 1,
        Err(Failure { text, status }) => {
            let _ = sys::write_all(2, &text);
            status
        }
    }
}

/// Why the program ends: the message and the exit status.
struct Failure {
    text: Vec<u8>,
    status: i32,
}

fn failure(text: impl AsRef<[u8]>) -> Failure {
    Failure { text: [b"ar: ", text.as_ref(), b"\n"].concat(), status: 1 }
}

fn of_file(name: &[u8], why: impl ToString) -> Failure {
    failure([name, b": ", why.to_string().as_bytes()].concat())
}

/// A parsed command line.
#[derive(Default)]
struct Call {
    operation: u8,
    /// The name of the member after or before which new members are put.
    after: Option<Vec<u8>>,
    before: Option<Vec<u8>>,
    /// Which one of several members with the same name is meant.
    instance: usize,
    verbose: bool,
    quiet_creation: bool,
    actual: bool,
    only_newer: bool,
    keep_dates: bool,
    offsets: bool,
    truncate: bool,
    whole_names: bool,
    no_symbols: bool,
    directory: Option<Vec<u8>>,
    archive: Vec<u8>,
    names: Vec<Vec<u8>>,
}

impl Call {
    /// Letters need no dash, and their values are the first operands, in an order of their own: these are no
    /// [`Spec`](sandshell_cli::options::Spec).
    fn parse(args: &[Vec<u8>], output: &mut Vec<u8>) -> Result<Self, Failure> {
        let mut call = Self::default();
        let mut words = Vec::new();
        let mut letters = Vec::new();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_slice() {
                b"--help" => return Ok(Self { operation: b'h', ..Self::default() }),
                b"--version" => return Ok(Self { operation: b'V', ..Self::default() }),
                b"--thin" => return Err(failure("thin archives are not made here")),
                b"--output" => call.directory = rest.next().cloned(),
                word if word.starts_with(b"--output=") => {
                    call.directory = word.get(9..).map(<[u8]>::to_vec);
                }
                b"-M" => return Err(failure("scripts of the MRI librarian are not run here")),
                b"--target" | b"--plugin" => drop(rest.next()),
                word if word.starts_with(b"--target=") => {}
                word if word.starts_with(b"--") => {
                    return Err(usage(&[b"ar: unrecognized option '", word, b"'\n"].concat()));
                }
                word if word.len() > 1 && word.starts_with(b"-") => {
                    letters.extend_from_slice(word.get(1..).unwrap_or_default());
                }
                _ => words.push(arg.clone()),
            }
        }
        if letters.is_empty() && !words.is_empty() {
            letters = words.remove(0);
        }
        let mut words = words.into_iter();
        let (mut after, mut before, mut counted, mut index) = (false, false, false, false);
        for letter in letters {
            match letter {
                b'd' | b'm' | b'p' | b'q' | b'r' | b't' | b'x' => {
                    if call.operation != 0 && call.operation != letter {
                        return Err(failure("two different operation options specified"));
                    }
                    call.operation = letter;
                }
                b's' => index = true,
                b'a' => after = true,
                b'b' | b'i' => before = true,
                b'N' => counted = true,
                b'v' => call.verbose = true,
                b'c' => call.quiet_creation = true,
                b'D' => call.actual = false,
                b'U' => call.actual = true,
                b'u' => call.only_newer = true,
                b'o' => call.keep_dates = true,
                b'O' => call.offsets = true,
                b'f' => call.truncate = true,
                b'P' => call.whole_names = true,
                b'S' => call.no_symbols = true,
                b'V' => output.extend_from_slice(VERSION.as_bytes()),
                b'T' => return Err(failure("thin archives are not made here")),
                b'l' => drop(words.next()),
                _ => return Err(usage(&[b"ar: invalid option -- '".as_slice(), &[letter], b"'\n"].concat())),
            }
        }
        if call.operation == 0 {
            if !index {
                return Err(usage(b""));
            }
            call.operation = b's';
        }
        if after || before {
            let place = words.next().ok_or_else(|| usage(b""))?;
            if after { call.after = Some(place) } else { call.before = Some(place) }
        }
        if counted {
            if !matches!(call.operation, b'x' | b'd') {
                return Err(failure("`N' is only meaningful with the `x' and `d' options."));
            }
            let count = words.next().ok_or_else(|| failure("`N' missing value."))?;
            let count = std::str::from_utf8(&count).ok().and_then(|t| t.parse().ok()).filter(|n| *n > 0);
            call.instance = count.ok_or_else(|| failure("Value for `N' must be positive."))?;
        }
        call.archive = words.next().ok_or_else(|| usage(b""))?;
        call.names = words.collect();
        if call.only_newer && call.operation == b'r' && !call.actual {
            let _ = sys::write_all(2, b"ar: `u' modifier ignored since `D' is the default (see `U')\n");
            call.only_newer = false;
        }
        Ok(call)
    }

    fn run(&self, output: &mut Vec<u8>) -> Result<(), Failure> {
        match self.operation {
            b'h' => output.extend_from_slice(USAGE.as_bytes()),
            b'V' => output.extend_from_slice(VERSION.as_bytes()),
            b't' | b'p' | b'x' => return self.look(output),
            b's' => {
                let archive = self.read(false)?.unwrap_or_default();
                self.refuse_objects(&archive.members)?;
            }
            _ => return self.change(output),
        }
        Ok(())
    }

    /// Reads the archive; `None` if it does not exist and `may_be_missing`.
    fn read(&self, may_be_missing: bool) -> Result<Option<Archive>, Failure> {
        let bytes = match read_file(&self.archive) {
            Ok((bytes, _)) => bytes,
            Err(sys::Errno::NOENT) if may_be_missing => return Ok(None),
            Err(sys::Errno::NOENT) => {
                return Err(Failure { status: 9, ..of_file(&self.archive, sys::Errno::NOENT) });
            }
            Err(sys::Errno::ISDIR) => return Err(of_file(&self.archive, "file format not recognized")),
            Err(e) => return Err(of_file(&self.archive, e)),
        };
        if bytes.starts_with(format::THIN) {
            return Err(of_file(&self.archive, "thin archives are not read here"));
        }
        match format::parse(&bytes) {
            Some(archive) => Ok(Some(archive)),
            None => Err(of_file(&self.archive, "file format not recognized")),
        }
    }

    /// The name of the member for a file, or of the file for a member.
    fn label<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        let label = if self.whole_names { name } else { base };
        if self.truncate { label.get(..format::SHORT).unwrap_or(label) } else { label }
    }

    fn find(&self, members: &[Member], name: &[u8]) -> Option<usize> {
        let label = self.label(name);
        let found = members.iter().enumerate().filter(|(_, member)| member.name == label);
        found.map(|(at, _)| at).nth(self.instance.saturating_sub(1))
    }

    /// Does `t`, `p` and `x`.
    fn look(&self, output: &mut Vec<u8>) -> Result<(), Failure> {
        let archive = self.read(false)?.unwrap_or_default();
        if self.names.is_empty() {
            for member in &archive.members {
                self.show(member, output)?;
            }
            return Ok(());
        }
        for name in &self.names {
            match self.find(&archive.members, name).and_then(|at| archive.members.get(at)) {
                Some(member) => self.show(member, output)?,
                None => {
                    let _ = sys::write_all(1, output);
                    output.clear();
                    let _ = sys::write_all(2, &[b"no entry ", name.as_slice(), b" in archive\n"].concat());
                }
            }
        }
        Ok(())
    }

    fn show(&self, member: &Member, output: &mut Vec<u8>) -> Result<(), Failure> {
        match self.operation {
            b't' => {
                if self.verbose {
                    output.extend(details(member).into_bytes());
                }
                output.extend_from_slice(&member.name);
                if self.offsets {
                    output.extend(format!(" {:#x}", member.offset).into_bytes());
                }
                output.push(b'\n');
            }
            b'p' => {
                if self.verbose {
                    output.extend([b"\n<", &*member.name, b">\n\n"].concat());
                }
                output.extend_from_slice(&member.data);
            }
            _ => self.extract(member, output)?,
        }
        Ok(())
    }

    fn extract(&self, member: &Member, output: &mut Vec<u8>) -> Result<(), Failure> {
        // Only the last component of the name is used, so that an archive cannot choose another directory.
        let base = member.name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if matches!(base, b"" | b"." | b"..") {
            return Err(failure([b"illegal pathname found in archive member: ", &*member.name].concat()));
        }
        let path = match &self.directory {
            Some(directory) => [directory.as_slice(), b"/", base].concat(),
            None => base.to_vec(),
        };
        if self.verbose {
            output.extend([b"x - ", &*path, b"\n"].concat());
        }
        let flags = f::WRITE | f::CREATE | f::EXCL | f::CLOEXEC;
        // If the path is a symbolic link, it must be replaced, not followed.
        match sys::unlink(&path) {
            Ok(()) | Err(sys::Errno::NOENT) => {}
            Err(e) => return Err(of_file(&path, e)),
        }
        let fd = sys::open(&path, flags, 0o600).map_err(|e| of_file(&path, e))?;
        let written = sys::write_all(fd, &member.data);
        let _ = sys::close(fd);
        written.map_err(|e| of_file(&path, e))?;
        sys::chmod(&path, member.mode & 0o777).map_err(|e| of_file(&path, e))?;
        if self.keep_dates {
            let time = sys::SetTime::At(member.time, 0);
            sys::utimens(&path, time, time, true).map_err(|e| of_file(&path, e))?;
        }
        Ok(())
    }

    /// Does `d`, `m`, `q` and `r`.
    fn change(&self, output: &mut Vec<u8>) -> Result<(), Failure> {
        let found = self.read(true)?;
        if found.is_none() && !self.quiet_creation {
            let _ = sys::write_all(2, &[b"ar: creating ", self.archive.as_slice(), b"\n"].concat());
        }
        let created = found.is_none();
        let mut archive = found.unwrap_or_default();
        if archive.symbols && !self.no_symbols {
            return Err(of_file(&self.archive, "its table of symbols would be lost (see the modifier S)"));
        }
        let members = &mut archive.members;
        let mut moved = Vec::new();
        for name in &self.names {
            let at = self.find(members, name);
            match self.operation {
                b'd' => match at {
                    Some(at) => {
                        members.remove(at);
                        self.say('d', name, output);
                    }
                    None if self.verbose => {
                        output.extend([b"No member named `", name.as_slice(), b"'\n"].concat());
                    }
                    None => {}
                },
                b'm' => match at {
                    Some(at) => {
                        moved.push(members.remove(at));
                        self.say('m', name, output);
                    }
                    None => {
                        let text = [b"no entry ", name.as_slice(), b" in archive ", &*self.archive, b"!"];
                        return Err(failure(text.concat()));
                    }
                },
                _ => {
                    let new = self.member(name)?;
                    match at.filter(|_| self.operation == b'r').and_then(|at| members.get_mut(at)) {
                        Some(old) if self.only_newer && new.time <= old.time => {}
                        Some(old) => {
                            *old = new;
                            self.say('r', name, output);
                        }
                        None => {
                            self.say('a', name, output);
                            moved.push(new);
                        }
                    }
                }
            }
        }
        let place = match (&self.after, &self.before) {
            (Some(name), _) => self.find(members, name).map(|at| at + 1),
            (None, Some(name)) => self.find(members, name),
            (None, None) => None,
        };
        let place = place.unwrap_or(members.len());
        drop(members.splice(place..place, moved));
        self.refuse_objects(members)?;
        if self.names.is_empty() && !created {
            return Ok(());
        }
        self.write(&format::write(members))
    }

    fn say(&self, letter: char, name: &[u8], output: &mut Vec<u8>) {
        if self.verbose {
            output.extend([format!("{letter} - ").as_bytes(), name, b"\n"].concat());
        }
    }

    /// Makes a member from a file.
    fn member(&self, path: &[u8]) -> Result<Member, Failure> {
        let (data, stat) = read_file(path).map_err(|e| match e {
            sys::Errno::ISDIR => of_file(path, "file format not recognized"),
            e => of_file(path, e),
        })?;
        let mut member = Member { name: self.label(path).to_vec(), mode: 0o644, data, ..Member::default() };
        if self.actual {
            member.mode = stat.mode;
            (member.uid, member.gid) = (stat.uid, stat.gid);
            member.time = stat.mtime;
        }
        Ok(member)
    }

    // GNU `ar` would add a symbol table for these.
    fn refuse_objects(&self, members: &[Member]) -> Result<(), Failure> {
        let object = |data: &[u8]| data.starts_with(b"\x7fELF") || data.starts_with(b"\0asm");
        match members.iter().find(|member| object(&member.data)) {
            Some(member) if !self.no_symbols => {
                let why = "an object file: tables of symbols are not made here (see the modifier S)";
                Err(of_file(&member.name, why))
            }
            _ => Ok(()),
        }
    }

    // The archive is replaced as a whole, so that it is never incomplete.
    fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let fail = |e: sys::Errno| of_file(&self.archive, e);
        let old = sys::stat(&self.archive, true).ok();
        // If its name is a symbolic link, or it has other hard links, it is overwritten in place.
        let plain = sys::stat(&self.archive, false).is_ok_and(|stat| stat.is_file() && stat.nlink == 1);
        let target =
            if plain { [self.archive.as_slice(), b".ar-new"].concat() } else { self.archive.clone() };
        let flags = f::WRITE | f::CREATE | f::CLOEXEC | if plain { f::EXCL } else { f::TRUNC };
        let fd = sys::open(&target, flags, 0o666).map_err(fail)?;
        let written = sys::write_all(fd, bytes);
        let _ = sys::close(fd);
        let done = written.map(drop).and_then(|()| match (&old, plain) {
            (Some(old), true) => {
                let _ = sys::chmod(&target, old.mode & 0o7777);
                sys::rename(&target, &self.archive)
            }
            _ => Ok(()),
        });
        if done.is_err() && plain {
            let _ = sys::unlink(&target);
        }
        done.map_err(fail)
    }
}

fn read_file(path: &[u8]) -> sys::Result<(Vec<u8>, sys::Stat)> {
    let fd = sys::open(path, f::READ | f::CLOEXEC, 0)?;
    let stat = sys::fstat(fd);
    let data = match &stat {
        Ok(stat) if stat.is_dir() => Err(sys::Errno::ISDIR),
        _ => sys::read_to_end(fd),
    };
    let _ = sys::close(fd);
    Ok((data?, stat?))
}

/// Mode, owner, size and time, as in a long directory listing.
fn details(member: &Member) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let bits: String = (0..9)
        .map(|i| match i % 3 {
            _ if member.mode >> (8 - i) & 1 == 0 => '-',
            0 => 'r',
            1 => 'w',
            _ => 'x',
        })
        .collect();
    let t = Zone::system().local(member.time);
    let month = usize::try_from(t.month).ok().and_then(|m| MONTHS.get(m.checked_sub(1)?)).copied();
    let month = month.unwrap_or_default();
    let Member { uid, gid, data, .. } = member;
    let size = data.len();
    format!("{bits} {uid}/{gid} {size:6} {month} {:2} {:02}:{:02} {} ", t.day, t.hour, t.minute, t.year)
}

fn usage(text: &[u8]) -> Failure {
    Failure { text: [text, USAGE.as_bytes()].concat(), status: 1 }
}

const VERSION: &str = "GNU ar (GNU Binutils for Debian) 2.40\n";

const USAGE: &str = "Usage: ar [-]{dmpqrstx}[abcDfiNoOPSuUvV] [member-name] [count] archive-file file...

Operations:
 d   delete members               q   append files
 m   move members to the end      r   insert files, replace those that are there
 p   print members                t   list members
 x   extract members              s   nothing: tables of symbols are not made here

Modifiers:
 a, b, i NAME   put members after or before this one
 c   say nothing about a new archive
 D, U           without times and owners (the default), or with them
 f   cut names to 15 letters      P   names with their directories
 N COUNT        which of several members of a name (d, x)
 o   keep dates (x)               O   show offsets (t)
 S   no table of symbols: needed for object files
 u   replace only what is older (with U)
 v   be verbose                   V   show the version
 --output=DIRECTORY               where to extract

Examples:
 ar rc texts.a one.txt two.txt
 ar tv texts.a
 ar x texts.a one.txt
";
