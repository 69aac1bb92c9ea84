//! `zdiff` and `zcmp`: run `diff` or `cmp` on the contents of gzip's files, with their options,
//! which are passed on as they are.

use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Fd, Pid, Program};

/// The suffixes of packed files, and those of their contents.
const SUFFIXES: [(&[u8], &[u8]); 6] =
    [(b".gz", b""), (b"-gz", b""), (b".z", b""), (b"-z", b""), (b".Z", b""), (b".tgz", b"")];

/// The descriptor of the first of two packed files. The other is standard input.
const FIRST: Fd = 5;

/// Compares two files, or `FILE.gz` with `FILE`, and returns the exit status.
pub fn zdiff_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let tool = match called.rsplit(|b| *b == b'/').next() {
        Some(b"zcmp") => Tool { name: "zcmp", compares: "cmp" },
        _ => Tool { name: "zdiff", compares: "diff" },
    };
    let status = tool.read(args.get(1..).unwrap_or_default()).and_then(|(options, operands)| {
        let (first, second) = tool.operands(operands)?;
        tool.compare(options, first, second)
    });
    out::finish(tool.name, status.unwrap_or_else(|status| status), 2)
}

type Words = Vec<Vec<u8>>;

struct Tool {
    name: &'static str,
    compares: &'static str,
}

impl Tool {
    /// Splits the arguments into options for the program that compares, and files.
    fn read(&self, args: &[Vec<u8>]) -> Result<(Words, Words), i32> {
        let (mut options, mut operands) = (Vec::new(), Vec::new());
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_slice() {
                b"--" => operands.extend(rest.by_ref().cloned()),
                b"--help" => {
                    out::put(format!(
                        "\
Usage: {} [OPTION]... FILE1 [FILE2]
Unpacks each FILE whose name ends as gzip's do on the way to `{}`, and takes its options. Without FILE2, FILE1.gz is
compared with FILE1.
",
                        self.name, self.compares
                    ));
                    return Err(0);
                }
                b"--version" => {
                    out::put(format!("{} (gzip) 1.12\n", self.name));
                    return Err(0);
                }
                // Only such options may have their value in an argument of its own.
                [b'-', b'C' | b'D' | b'F' | b'I' | b'S' | b'U' | b'W' | b'X' | b'x'] => {
                    options.push(arg.clone());
                    options.extend(rest.next().cloned());
                }
                [b'-', _, ..] => options.push(arg.clone()),
                _ => operands.push(arg.clone()),
            }
        }
        Ok((options, operands))
    }

    fn operands(&self, operands: Words) -> Result<(Vec<u8>, Vec<u8>), i32> {
        let mut operands = operands.into_iter();
        let first = operands.next().ok_or_else(|| self.fail(&[b"missing operand"]))?;
        let second = match operands.next() {
            Some(second) => second,
            None => match contents(&first) {
                Some(plain) => plain,
                None => return Err(self.fail(&[&first, b": unknown compressed file extension"])),
            },
        };
        match operands.next() {
            Some(extra) => Err(self.fail(&[b"extra operand '", &extra, b"'"])),
            None => Ok((first, second)),
        }
    }

    fn compare(&self, options: Words, first: Vec<u8>, second: Vec<u8>) -> Result<i32, i32> {
        let (packed, packed_too) = (is_packed(&first), is_packed(&second));
        let mut children = Vec::new();
        let mut fds = Vec::new();
        let mut names = [first, second];
        if packed && packed_too {
            fds.push((FIRST, self.unpack(&names[0], &mut children)?));
            names[0] = b"/dev/fd/5".to_vec();
        }
        let left = if packed_too { 1 } else { 0 };
        if packed || packed_too {
            fds.push((0, self.unpack(&names[left], &mut children)?));
            names[left] = b"-".to_vec();
        }
        let argv = [vec![self.compares.into()], options, vec![b"--".to_vec()], names.to_vec()].concat();
        let mapped: Vec<(Fd, Option<Fd>)> = fds.iter().map(|(child, fd)| (*child, Some(*fd))).collect();
        let env = process::environment();
        let program = Program { argv: &argv, env: &env, fds: &mapped, ..Program::default() };
        let child = process::spawn(&program);
        for (_, fd) in fds {
            let _ = sys::close(fd);
        }
        let compared = child.and_then(process::wait);
        // The status 2 is a warning.
        let is_good = |child| process::wait(child).is_ok_and(|status| matches!(status.code(), 0 | 2));
        let failed = children.into_iter().filter(|child| !is_good(*child)).count() > 0;
        match compared {
            Ok(status) if !failed => Ok(status.code()),
            Ok(_) => Err(2),
            Err(e) => Err(self.fail(&[self.compares.as_bytes(), b": ", e.to_string().as_bytes()])),
        }
    }

    /// Starts `gzip` for a file. Returns where its contents come from.
    fn unpack(&self, file: &[u8], children: &mut Vec<Pid>) -> Result<Fd, i32> {
        let from = match file {
            b"-" => None,
            _ => match sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
                Ok(fd) => Some(fd),
                Err(e) => return Err(self.fail(&[b"cannot open ", file, b": ", e.to_string().as_bytes()])),
            },
        };
        let started = sys::pipe(true).and_then(|(reader, writer)| {
            let argv = [b"gzip".to_vec(), b"-cdfq".to_vec()];
            let fds = [(0, Some(from.unwrap_or(0))), (1, Some(writer))];
            let env = process::environment();
            let child = process::spawn(&Program {
                argv: &argv,
                env: &env,
                fds: &fds,
                reset_signals: true,
                ..Program::default()
            });
            let _ = sys::close(writer);
            children.push(child?);
            Ok(reader)
        });
        if let Some(fd) = from {
            let _ = sys::close(fd);
        }
        started.map_err(|e| self.fail(&[b"gzip: ", e.to_string().as_bytes()]))
    }

    /// `zcmp` is `zdiff` under another name.
    fn fail(&self, text: &[&[u8]]) -> i32 {
        let _ = sys::write_all(2, &[b"/usr/bin/zdiff: ", &text.concat()[..], b"\n"].concat());
        2
    }
}

/// The name of what is packed in a file. `None` if the name does not say that it is packed.
fn contents(file: &[u8]) -> Option<Vec<u8>> {
    SUFFIXES.iter().find_map(|(suffix, instead)| {
        let stem = file.strip_suffix(*suffix).filter(|stem| !stem.is_empty())?;
        Some([stem, *instead].concat())
    })
}

fn is_packed(file: &[u8]) -> bool {
    file == b"-" || contents(file).is_some()
}
