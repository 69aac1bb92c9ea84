//! `getconf` of glibc 2.36: the limits and options of the system.

use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;

const VARIABLES: &str = include_str!("variables.txt");
const WRONG: i32 = 2;
const NO_PATH: i32 = 3;

/// Runs `getconf` on its arguments (its own name first) and returns the exit status.
pub fn getconf_main(args: Vec<Vec<u8>>) -> i32 {
    let code = getconf(&args).unwrap_or_else(|code| code);
    out::flush();
    code
}

/// A variable of the table.
#[derive(Clone, Copy)]
struct Variable {
    name: &'static str,
    value: &'static str,
    /// Whether it belongs to a path.
    of_path: bool,
    /// Whether the path has to exist.
    of_file: bool,
}

fn variables() -> impl Iterator<Item = Variable> {
    VARIABLES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (name, value) = line.split_once('\t')?;
        let (kind, name) = name.split_once(' ').unwrap_or(("", name));
        Some(Variable { name, value, of_path: !kind.is_empty(), of_file: kind == "file" })
    })
}

fn getconf(args: &[Vec<u8>]) -> Result<i32, i32> {
    let mut rest = args.get(1..).unwrap_or_default();
    match rest.first().map(Vec::as_slice) {
        Some(b"--help") => {
            out::put(HELP);
            return Ok(0);
        }
        Some(b"--version") => {
            out::put(VERSION);
            return Ok(0);
        }
        // All environments for compiling have the same values.
        Some(b"-v") => rest = rest.get(2..).ok_or_else(|| usage(args))?,
        Some(first) if first.starts_with(b"-v") => rest = rest.get(1..).unwrap_or_default(),
        _ => {}
    }
    match rest {
        [all] if all == b"-a" => all_variables(b"/"),
        [all, path] if all == b"-a" => all_variables(path),
        [dashes, rest @ ..] if dashes == b"--" => one(args, rest)?,
        _ => one(args, rest)?,
    }
    Ok(0)
}

fn one(args: &[Vec<u8>], rest: &[Vec<u8>]) -> Result<(), i32> {
    let (name, path) = match rest {
        [name] => (name, None),
        [name, path] => (name, Some(path.as_slice())),
        _ => return Err(usage(args)),
    };
    let Some(variable) = variables().find(|variable| variable.name.as_bytes() == name.as_slice()) else {
        say::raw([say::full_name(args), b": Unrecognized variable `", name.as_slice(), b"'\n"].concat());
        return Err(WRONG);
    };
    if variable.of_path != path.is_some() {
        return Err(usage(args));
    }
    let path = path.unwrap_or_default();
    let value = value(variable, path).map_err(|e| {
        let reason = format!(": {e}\n");
        say::raw([say::full_name(args), b": pathconf: ", path, reason.as_bytes()].concat());
        NO_PATH
    })?;
    out::put(format!("{}\n", value.as_deref().unwrap_or("undefined")));
    Ok(())
}

fn all_variables(path: &[u8]) {
    for variable in variables() {
        let value = value(variable, path).ok().flatten().unwrap_or_default();
        out::put(format!("{:35}{value}\n", variable.name));
    }
}

/// The value of a variable; `None` if it is not defined.
fn value(variable: Variable, path: &[u8]) -> sys::Result<Option<String>> {
    if variable.of_path && path.is_empty() {
        return Err(sys::Errno::NOENT);
    }
    let stat = if variable.of_file { Some(sys::stat(path, true)?) } else { None };
    let filesystem = || sys::statfs(path);
    let Some(source) = variable.value.strip_prefix('=') else {
        return Ok(Some(variable.value).filter(|value| *value != "undefined").map(str::to_owned));
    };
    let (source, argument) = source.split_once(' ').unwrap_or((source, ""));
    let number = match source {
        "limit" => {
            argument.parse().ok().and_then(|resource| sys::getrlimit(resource).ok()).map(|limit| limit.0)
        }
        "processors" => Some(sys::nproc().into()),
        "memory" => memory(argument),
        "regular" => stat.filter(|stat| stat.mode & 0o170_000 == 0o100_000).map(|_| 1),
        "block" => Some(filesystem()?.bsize),
        "name" => Some(filesystem()?.namelen),
        "links" => Some(if filesystem()?.kind == EXT { 65_000 } else { 127 }),
        "bits" => Some(if filesystem()?.kind == EXT { 64 } else { 32 }),
        _ => None,
    };
    Ok(number.filter(|number| *number != u64::MAX).map(|number| number.to_string()))
}

/// The number of the filesystems ext2 to ext4.
const EXT: u64 = 0xef53;

/// Pages of memory.
fn memory(name: &str) -> Option<u64> {
    let file = sys::read_file(b"/proc/meminfo").ok()?;
    let text = String::from_utf8_lossy(&file);
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kib / 4)
}

fn usage(args: &[Vec<u8>]) -> i32 {
    let name = say::full_name(args);
    let name = name.rsplit(|b| *b == b'/').next().unwrap_or(name);
    let lines = [
        b"Usage: ",
        name,
        b" [-v specification] variable_name [pathname]\n       ",
        name,
        b" -a [pathname]\n",
    ];
    say::raw(lines.concat());
    WRONG
}

const VERSION: &str = "\
getconf (Debian GLIBC 2.36) 2.36
This is sandshell's own program with the behaviour of that version.
";

const HELP: &str = "\
Usage: getconf [-v SPEC] VARIABLE
  or:  getconf [-v SPEC] VARIABLE PATH
  or:  getconf -a [PATH]
Shows the value of a variable of the system, or of a path. -a shows all. SPEC has no effect.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_values() {
        assert_eq!(variables().count(), 320);
        for variable in variables() {
            assert!(value(variable, b"/").is_ok(), "{}", variable.name);
        }
        let named = |name: &str| variables().find(|v| v.name == name).map(|v| value(v, b"/"));
        assert!(matches!(named("LONG_BIT"), Some(Ok(Some(bits))) if bits == "64"));
        assert!(matches!(named("SYMLOOP_MAX"), Some(Ok(None))));
        let gone = variables().find(|v| v.name == "NAME_MAX").map(|v| value(v, b"/nowhere/at/all"));
        assert!(matches!(gone, Some(Err(sys::Errno::NOENT))));
    }
}
