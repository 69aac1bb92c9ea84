//! `mountpoint`, `findmnt` and `mount` of util-linux. They show what is mounted, but nothing can be mounted.

use super::lines;
use crate::base::options::{self, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;

struct Mount {
    source: Vec<u8>,
    target: Vec<u8>,
    kind: Vec<u8>,
    options: Vec<u8>,
}

fn mounts() -> Vec<Mount> {
    lines(b"/proc/self/mounts")
        .iter()
        .filter_map(|line| {
            let mut fields = line.split(|b| *b == b' ').map(unescaped);
            Some(Mount {
                source: fields.next()?,
                target: fields.next()?,
                kind: fields.next()?,
                options: fields.next()?,
            })
        })
        .collect()
}

/// Replaces escapes like `\040` by the bytes that they stand for.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(b) = field.get(at) {
        let digits = field.get(at + 1..at + 4).and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|d| u8::from_str_radix(d, 8).ok()).filter(|_| *b == b'\\') {
            Some(byte) => {
                text.push(byte);
                at += 4;
            }
            None => {
                text.push(*b);
                at += 1;
            }
        }
    }
    text
}

const MOUNTPOINT: Spec =
    Spec { name: "mountpoint", options: &[listed(MOUNTPOINT_HELP)], ..options::UTIL_LINUX };

/// Runs `mountpoint` on its arguments (its own name first) and returns the exit status: 32 if the operand is not a
/// mount point.
pub fn mountpoint_main(args: Vec<Vec<u8>>) -> i32 {
    let code = mountpoint(&args).unwrap_or_else(|code| code);
    out::finish("mountpoint", code, 1)
}

fn mountpoint(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = MOUNTPOINT.parse_all(args.get(1..).unwrap_or_default())?;
    let given = |id: &str| parsed.options.iter().find(|g| g.id == id);
    if let Some(g) = given("?").or_else(|| given("V")).or_else(|| given("h")) {
        return Err(options::usual(&MOUNTPOINT, args, g));
    }
    let [path] = parsed.operands.as_slice() else {
        say::error(args, "bad usage");
        return Err(options::try_help(&MOUNTPOINT, args));
    };
    let quiet = given("q").is_some();
    let complain = |text: &str| {
        if !quiet {
            say::error(args, [path.as_slice(), b": ", text.as_bytes()].concat());
        }
    };
    let status = sys::stat(path, true).map_err(|e| {
        complain(&e.to_string());
        1
    })?;
    if given("x").is_some() {
        if status.mode & 0o170_000 != 0o060_000 {
            complain("not a block device");
            return Err(32);
        }
        out::put(format!("{}:{}\n", status.rdev >> 8 & 0xfff, status.rdev & 0xff));
        return Ok(0);
    }
    let same =
        |m: &Mount| sys::stat(&m.target, true).is_ok_and(|s| (s.dev, s.ino) == (status.dev, status.ino));
    let mounted = mounts().iter().any(same);
    if given("d").is_some() && mounted {
        out::put(format!("{}:{}\n", status.dev >> 8 & 0xfff, status.dev & 0xff));
    } else if !quiet {
        let told: &[u8] = if mounted { b" is a mountpoint\n" } else { b" is not a mountpoint\n" };
        out::put([path.as_slice(), told].concat());
    }
    Ok(if mounted { 0 } else { 32 })
}

/// Runs `mount` on its arguments (its own name first): it lists what is mounted and refuses everything else with exit
/// status 32.
pub fn mount_main(args: Vec<Vec<u8>>) -> i32 {
    let mut kind: Option<Vec<u8>> = None;
    let mut others = false;
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"-V" | b"--version" => {
                out::put("mount from util-linux 2.38.1\n");
                return out::finish("mount", 0, 1);
            }
            b"-h" | b"--help" => {
                out::put(MOUNT_HELP);
                return out::finish("mount", 0, 1);
            }
            b"-l" | b"-v" => {}
            b"-t" => kind = rest.next().cloned(),
            _ => others = true,
        }
    }
    if others {
        say::error(&args, "nothing can be mounted in a sandbox: Operation not permitted");
        return 32;
    }
    let wanted =
        |m: &Mount| kind.as_ref().is_none_or(|k| k.split(|b| *b == b',').any(|k| k == m.kind.as_slice()));
    for m in mounts().iter().filter(|m| wanted(m)) {
        let line: [&[u8]; 8] = [&m.source, b" on ", &m.target, b" type ", &m.kind, b" (", &m.options, b")\n"];
        out::put(line.concat());
    }
    out::finish("mount", 0, 1)
}

const FINDMNT: Spec = Spec {
    name: "findmnt",
    options: &[listed(FINDMNT_HELP), hidden("none", "-f, --first-only, -k, --kernel, -l, --list")],
    ..options::UTIL_LINUX
};

/// Runs `findmnt` on its arguments (its own name first) and returns the exit status: 1 if nothing was found.
pub fn findmnt_main(args: Vec<Vec<u8>>) -> i32 {
    let code = findmnt(&args).unwrap_or_else(|code| code);
    out::finish("findmnt", code, 1)
}

fn findmnt(args: &[Vec<u8>]) -> Result<i32, i32> {
    const COLUMNS: [&str; 4] = ["TARGET", "SOURCE", "FSTYPE", "OPTIONS"];
    let parsed = FINDMNT.parse_all(args.get(1..).unwrap_or_default())?;
    if let Some(wrong) = parsed.options.iter().find(|g| g.id == "?") {
        return Err(options::usual(&FINDMNT, args, wrong));
    }
    let mut columns = COLUMNS.map(str::to_owned).to_vec();
    let (mut headings, mut raw, mut wanted, mut kind, mut source, mut below) =
        (true, false, None, None, None, None);
    for g in &parsed.options {
        let value = || Some(g.text().to_vec());
        match g.id {
            "n" => headings = false,
            "r" => raw = true,
            "o" => {
                let text = String::from_utf8_lossy(g.text()).to_uppercase();
                columns = text.split(',').map(str::to_owned).collect();
                if let Some(bad) = columns.iter().find(|c| !COLUMNS.contains(&c.as_str())) {
                    say::error(args, format!("unknown column: {bad}"));
                    return Err(1);
                }
            }
            "T" => below = value(),
            "M" => wanted = value(),
            "S" => source = value(),
            "t" => kind = value(),
            "V" | "h" => return Err(options::usual(&FINDMNT, args, g)),
            _ => {}
        }
    }
    if let Some(operand) = parsed.operands.first() {
        wanted = Some(operand.clone());
    }
    let mut found = mounts();
    if let Some(path) = below {
        let dev = sys::stat(&path, true).map(|s| s.dev);
        found.retain(|m| sys::stat(&m.target, true).map(|s| s.dev) == dev);
    }
    let is = |list: &Option<Vec<u8>>, text: &[u8]| {
        list.as_ref().is_none_or(|l| l.split(|b| *b == b',').any(|w| w == text))
    };
    found.retain(|m| {
        wanted.as_ref().is_none_or(|w| *w == m.target || *w == m.source)
            && is(&kind, &m.kind)
            && is(&source, &m.source)
    });
    if found.is_empty() {
        return Err(1);
    }
    let field = |m: &Mount, column: &str| {
        let bytes = match column {
            "TARGET" => &m.target,
            "SOURCE" => &m.source,
            "FSTYPE" => &m.kind,
            _ => &m.options,
        };
        String::from_utf8_lossy(bytes).into_owned()
    };
    let mut rows: Vec<Vec<String>> =
        found.iter().map(|m| columns.iter().map(|c| field(m, c)).collect()).collect();
    if headings {
        rows.insert(0, columns.clone());
    }
    let widest = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(widest).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
            if raw || i + 1 == row.len() { cell.clone() } else { format!("{cell:<width$}") }
        });
        out::put(cells.collect::<Vec<_>>().join(" ") + "\n");
    }
    Ok(0)
}

const MOUNTPOINT_HELP: &str = "
Usage:
 mountpoint [-qd] </path/to/directory>
 mountpoint -x </dev/device>

Says whether something is mounted there: status 0 if so, 32 if not.

 -q, --quiet     only by the status
 -d, --fs-devno  the numbers of the file system's device
 -x, --devno     the numbers that the device itself has
     --nofollow  no effect
 -h, --help      this text
 -V, --version   the version
";

const MOUNT_HELP: &str = "
Usage:
 mount [-l] [-t <type>]

Tells what is mounted; nothing can be mounted here.

 -t <type>      only file systems of this type, or of several with commas
 -l, -v         no effect
 -h, --help     this text
 -V, --version  the version
";

const FINDMNT_HELP: &str = "
Usage:
 findmnt [options] [<device> | <mountpoint>]

Shows what is mounted, and where.

 -M, --mountpoint <path>  only what is mounted there
 -T, --target <path>      only what this file is on
 -S, --source <device>    only this device
 -t, --types <list>       only these types
 -o, --output <list>      these columns: TARGET, SOURCE, FSTYPE, OPTIONS
 -n, --noheadings         without the line of names
 -r, --raw                one blank between columns
 -h, --help               this text
 -V, --version            the version

Accepted without effect: -f, --first-only, -k, --kernel, -l, --list.
";
