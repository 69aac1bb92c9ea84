//! `getent` of glibc: prints entries of the sandbox's `/etc/passwd`, `/etc/group`, `/etc/hosts` and similar files.

use super::lines;
use crate::base::say;
use sandshell_cli::out;

const UNKNOWN: i32 = 1;
const NOT_FOUND: i32 = 2;

/// Runs `getent` on its arguments (its own name first) and returns the exit status: 1 for an unknown database, 2 if a
/// key was not found.
pub fn getent_main(args: Vec<Vec<u8>>) -> i32 {
    let mut operands: Vec<Vec<u8>> = Vec::new();
    // No other command has the rule that an unknown option is wrong only before the first operand.
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"-V" | b"--version" => {
                out::put(
                    "getent (Debian GLIBC 2.36) 2.36\nThis is sandshell's own program with the behaviour of that version.\n",
                );
                return out::finish("getent", 0, 1);
            }
            b"-?" | b"--help" => {
                out::put(HELP);
                return out::finish("getent", 0, 1);
            }
            b"-s" | b"--service" => {
                rest.next();
            }
            b"-i" | b"--no-idn" => {}
            text if text.starts_with(b"-") && text.len() > 1 && operands.is_empty() => {
                let letter = text.get(1..2).unwrap_or_default();
                say::raw([say::full_name(&args), b": invalid option -- '", letter, b"'\n"].concat());
                return out::finish("getent", try_usage(), 3);
            }
            _ => operands.push(arg.clone()),
        }
    }
    let Some((database, keys)) = operands.split_first() else {
        say::raw([say::full_name(&args), b": wrong number of arguments\n"].concat());
        return out::finish("getent", try_usage(), 3);
    };
    let code = match database.as_slice() {
        b"passwd" => colon(b"/etc/passwd", keys, 2),
        b"group" => colon(b"/etc/group", keys, 2),
        b"hosts" => hosts(keys),
        b"ahosts" | b"ahostsv4" | b"ahostsv6" => addresses(keys),
        b"services" | b"protocols" | b"networks" | b"ethers" | b"rpc" | b"aliases" | b"netgroup"
        | b"shadow" | b"gshadow" | b"initgroups" => i32::from(!keys.is_empty()) * NOT_FOUND,
        other => {
            say::raw([b"Unknown database: ", other, b"\n"].concat());
            try_usage()
        }
    };
    out::finish("getent", code, 3)
}

fn try_usage() -> i32 {
    out::put("Try `getent --help' or `getent --usage' for more information.\n");
    UNKNOWN
}

/// Prints lines of colon-separated fields. The first field and field number `id` are the keys.
fn colon(path: &[u8], keys: &[Vec<u8>], id: usize) -> i32 {
    let all: Vec<Vec<u8>> = lines(path).into_iter().filter(|l| !l.starts_with(b"#")).collect();
    let put = |line: &Vec<u8>| out::put([line.as_slice(), b"\n"].concat());
    if keys.is_empty() {
        all.iter().for_each(put);
        return 0;
    }
    let mut code = 0;
    for key in keys {
        let numeric = !key.is_empty() && key.iter().all(u8::is_ascii_digit);
        let field = if numeric { id } else { 0 };
        match all.iter().find(|l| l.split(|b| *b == b':').nth(field) == Some(key.as_slice())) {
            Some(line) => put(line),
            None => code = NOT_FOUND,
        }
    }
    code
}

/// The addresses and names in `/etc/hosts`.
fn known_hosts() -> Vec<(Vec<u8>, Vec<Vec<u8>>)> {
    lines(b"/etc/hosts")
        .iter()
        .filter_map(|line| {
            let line = line.split(|b| *b == b'#').next()?;
            let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(<[u8]>::to_vec);
            Some((words.next()?, words.collect()))
        })
        .collect()
}

fn pad(text: &[u8], width: usize) -> Vec<u8> {
    let mut padded = text.to_vec();
    padded.resize(text.len().max(width), b' ');
    padded
}

fn hosts(keys: &[Vec<u8>]) -> i32 {
    let all = known_hosts();
    let put = |host: &(Vec<u8>, Vec<Vec<u8>>)| {
        out::put([pad(&host.0, 15), b" ".to_vec(), host.1.join(&b' '), b"\n".to_vec()].concat());
    };
    if keys.is_empty() {
        all.iter().for_each(put);
        return 0;
    }
    let mut code = 0;
    for key in keys {
        match all.iter().find(|h| h.0 == *key || h.1.iter().any(|n| n.eq_ignore_ascii_case(key))) {
            Some(host) => put(host),
            None => code = NOT_FOUND,
        }
    }
    code
}

fn addresses(keys: &[Vec<u8>]) -> i32 {
    let mut code = 0;
    for key in keys {
        match crate::net::name::addresses(key).first() {
            Some(address) => {
                let address = pad(address.to_string().as_bytes(), 15);
                out::put([&address, b" STREAM ".as_slice(), key, b"\n"].concat());
                out::put([&address, b" DGRAM  \n".as_slice(), &address, b" RAW    \n"].concat());
            }
            None => code = NOT_FOUND,
        }
    }
    code
}

const HELP: &str = "\
Usage: getent [OPTION...] database [key ...]
Shows all lines of a database, or those for the keys.

  -?, --help     this text
  -V, --version  the version

Accepted without effect: -i, --no-idn, -s, --service NAME.

Databases: passwd group hosts ahosts ahostsv4 ahostsv6; and these, which are empty: aliases ethers gshadow initgroups
netgroup networks protocols rpc services shadow

Example: getent passwd root
";
