//! `shred`.

mod passes;

use crate::base::random::Random;
use crate::shred::passes::Pass;
use sandshell_cli::number::{self, SIZES};
use sandshell_cli::options::{self, Parsed, Spec, choose, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_posix::path::{base_name, dir_name};
use sandshell_sys::{self as sys, Errno, Fd, open_flags};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "shred",
    usage: "\
Usage: shred [OPTION]... FILE...
Writes over files several times, so that what they held is hard to find out.

",
    options: &[
        option("-f, --force", "make files writable where that is needed"),
        option("-n, --iterations=N", "N times instead of 3"),
        named("source", "--random-source=FILE", "the random bytes come from FILE"),
        option("-s, --size=N", "so many bytes; N may end in K, M, G"),
        option("-u", "remove the file at the end"),
        named("u", "--remove[=HOW]", "as -u, by unlink, wipe or wipesync"),
        option("-v, --verbose", "tell of each pass"),
        option("-x, --exact", "do not go on to the end of the last block"),
        option("-z, --zero", "zeros at the end, which hide what was done"),
    ],
    ..Spec::DEFAULT
};

/// File sizes are rounded up to a multiple of this.
const BLOCK: u64 = 4096;

/// How a file is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Remove {
    Keep,
    Unlink,
    Wipe,
}

struct Shred {
    exact: bool,
    force: bool,
    iterations: u64,
    size: Option<u64>,
    remove: Remove,
    verbose: bool,
    zero: bool,
    random: Random,
}

/// Runs `shred` and returns its exit status.
pub fn shred_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let mut source: Option<Vec<u8>> = None;
    let mut shred = Shred {
        exact: false,
        force: false,
        iterations: 3,
        size: None,
        remove: Remove::Keep,
        verbose: false,
        zero: false,
        random: Random::new("shred", None)?,
    };
    for g in &options {
        let text = g.text();
        match g.id {
            "x" => shred.exact = true,
            "f" => shred.force = true,
            "n" => {
                let most = u64::from(u32::MAX);
                shred.iterations = number::in_range("shred", "invalid number of passes", text, "", 0, most)?;
            }
            "s" => {
                let most = i64::MAX as u64;
                // In C's notation.
                let size = match number::in_base(text, 0, SIZES) {
                    Ok(size) if size <= most => size,
                    _ => number::in_range("shred", "invalid file size", text, SIZES, 0, most)?,
                };
                shred.size = Some(size);
            }
            "u" if g.value.is_some() => {
                let how = [
                    ("unlink", (0, Remove::Unlink)),
                    ("wipe", (1, Remove::Wipe)),
                    ("wipesync", (2, Remove::Wipe)),
                ];
                shred.remove = choose(&SPEC, "--remove", text, &how)?.1;
            }
            "u" => shred.remove = Remove::Wipe,
            "v" => shred.verbose = true,
            "z" => shred.zero = true,
            _ => {
                if source.as_ref().is_some_and(|s| s != text) {
                    warn!("shred", "multiple random sources specified");
                    return Err(1);
                }
                source = Some(text.to_vec());
            }
        }
    }
    if operands.is_empty() {
        return Err(SPEC.usage("missing file operand"));
    }
    if let Some(name) = source {
        shred.random = Random::new("shred", Some(&name))?;
    }
    let mut code = 0;
    for name in &operands {
        let ok = if name == b"-" { shred.standard_output()? } else { shred.file(name)? };
        code |= i32::from(!ok);
    }
    Ok(out::finish("shred", code, 1))
}

impl Shred {
    fn standard_output(&mut self) -> Result<bool, i32> {
        self.overwrite(1, b"-")
    }

    fn file(&mut self, name: &[u8]) -> Result<bool, i32> {
        let shown = quotef(name);
        let mut fd = sys::open(name, open_flags::WRITE, 0);
        if fd == Err(Errno::ACCES) && self.force && sys::chmod(name, 0o200).is_ok() {
            fd = sys::open(name, open_flags::WRITE, 0);
        }
        let fd = match fd {
            Ok(fd) => fd,
            Err(e) => {
                warn!("shred", shown, ": failed to open for writing: ", e);
                return Ok(false);
            }
        };
        let mut ok = self.overwrite(fd, &shown)?;
        if let Err(e) = sys::close(fd) {
            warn!("shred", &shown, ": failed to close: ", e);
            ok = false;
        }
        if ok && self.remove != Remove::Keep {
            ok = self.wipe_name(name, &shown);
        }
        Ok(ok)
    }

    fn overwrite(&mut self, fd: Fd, shown: &[u8]) -> Result<bool, i32> {
        let stat = match sys::fstat(fd) {
            Ok(stat) => stat,
            Err(e) => {
                warn!("shred", shown, ": fstat failed: ", e);
                return Ok(false);
            }
        };
        let kind = stat.mode & sys::S_IFMT;
        if kind == sys::S_IFIFO || kind == sys::S_IFSOCK || kind == sys::S_IFCHR && sys::isatty(fd) {
            warn!("shred", shown, ": invalid file type");
            return Ok(false);
        }
        // What the file already had is overwritten first, in place.
        let (mut first, mut size) = (0, self.size);
        if stat.is_file() {
            match size {
                None if self.exact => size = Some(stat.size),
                None => {
                    if stat.size < BLOCK {
                        first = stat.size;
                    }
                    size = Some(stat.size.next_multiple_of(BLOCK));
                }
                Some(asked) if stat.size < asked.min(BLOCK) => first = stat.size,
                Some(_) => {}
            }
        } else if size.is_none() {
            size = sys::lseek(fd, 0, 2).ok().filter(|end| *end > 0);
        }
        let passes = passes::plan(self.iterations, self.zero, &mut self.random)?;
        let mut told = false;
        for size in [(first > 0).then_some(first), size].into_iter().flatten().filter(|s| *s > 0) {
            let silent = size == first && !told && first > 0;
            told = true;
            for (i, pass) in passes.iter().enumerate() {
                if self.verbose && !silent {
                    warn!("shred", shown, ": pass ", i + 1, "/", passes.len(), " (", pass.name(), ")...");
                }
                if let Err(e) = self.pass(fd, size, *pass)? {
                    warn!("shred", shown, ": error writing: ", e);
                    return Ok(false);
                }
            }
        }
        if self.remove != Remove::Keep
            && let Err(e) = sys::ftruncate(fd, 0)
            && stat.is_file()
        {
            warn!("shred", shown, ": error truncating: ", e);
            return Ok(false);
        }
        Ok(true)
    }

    /// Writes `size` bytes from the start of the file.
    fn pass(&mut self, fd: Fd, size: u64, pass: Pass) -> Result<sys::Result<()>, i32> {
        if let Err(e) = sys::lseek(fd, 0, 0)
            && e != Errno::SPIPE
        {
            return Ok(Err(e));
        }
        // The size is a multiple of three, the length of a pattern.
        let mut buffer = vec![0; 60 * 1024];
        pass.fill(&mut buffer);
        let mut left = size;
        while left > 0 {
            let n = left.min(buffer.len() as u64) as usize;
            let part = &mut buffer[..n];
            if pass == Pass::Random {
                self.random.fill(part)?;
            }
            if let Err(e) = sys::write_all(fd, part) {
                return Ok(Err(e));
            }
            left -= n as u64;
        }
        Ok(Ok(()))
    }

    /// Renames the file to shorter and shorter names, then removes it.
    fn wipe_name(&self, name: &[u8], shown: &[u8]) -> bool {
        let say = |old: &[u8], text: &[u8]| {
            if self.verbose {
                warn!("shred", old, ": ", text);
            }
        };
        say(shown, b"removing");
        let mut current = name.to_vec();
        let dir = dir_name(name).to_vec();
        let bare = !name.contains(&b'/');
        let length = if self.remove == Remove::Wipe { base_name(name).len() } else { 0 };
        for length in (1..=length).rev() {
            let free = names(length).find_map(|new| {
                let new = if bare { new } else { path::join(&dir, &new) };
                // An existing file must not be overwritten.
                (sys::stat(&new, false) == Err(Errno::NOENT)).then_some(new)
            });
            if let Some(new) = free
                && sys::rename(&current, &new).is_ok()
            {
                say(&quotef(&current), &bytes!("renamed to ", &new));
                current = new;
            }
        }
        match sys::unlink(&current) {
            Ok(()) => {
                say(shown, b"removed");
                true
            }
            Err(e) => {
                warn!("shred", shown, ": failed to remove: ", e);
                false
            }
        }
    }
}

/// The names of this length to try, in order: at most a few thousand.
fn names(length: usize) -> impl Iterator<Item = Vec<u8>> {
    const LETTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
    (0..4096usize.min(LETTERS.len().saturating_pow(length as u32))).map(move |mut i| {
        let mut name = vec![LETTERS[0]; length];
        for place in name.iter_mut().rev() {
            *place = LETTERS[i % LETTERS.len()];
            i /= LETTERS.len();
        }
        name
    })
}
