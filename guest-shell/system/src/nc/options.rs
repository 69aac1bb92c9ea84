//! The command line of `nc`.

use crate::base::options::{Opt, Spec, hidden, listed};
use crate::base::say;
use std::time::Duration;

const SPEC: Spec = Spec { name: "nc", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    listed(HELP),
    // What has no effect where packets have no fields and sockets no buffers of their own.
    hidden("", "-b, -D, -S, -t, -I X, -M X, -m X, -O X, -P X, -T X, -V X"),
    hidden("r", "-r"),
];

const USAGE: &str = "\
usage: nc [-46CDdFhklNnrStUuvZz] [-I length] [-i interval] [-M ttl]
\t  [-m minttl] [-O length] [-P proxy_username] [-p source_port]
\t  [-q seconds] [-s sourceaddr] [-T keyword] [-V rtable] [-W recvlimit]
\t  [-w timeout] [-X proxy_protocol] [-x proxy_address[:port]]
\t  [destination] [port]
";

const HELP: &str = "\
Connects to programs in the same sandbox, or waits for them; there is no network.

  -4                IPv4 only
  -6                IPv6 only
  -C                lines end in CRLF
  -d                nothing is read from standard input
  -F                pass the socket on: refused
  -h                this text
  -i SECONDS        wait between lines, and between ports
  -k                with -l: go on with the next connection
  -l                listen
  -N                end sending at the end of standard input
  -n                numbers only, no names
  -p PORT           from this port; with -l: listen there
  -q SECONDS        end this long after standard input
  -s ADDRESS        from this address; with -l: listen there
  -U                a path instead of a host and a port
  -u                UDP
  -v                say what happens
  -W COUNT          end after so many packets
  -w SECONDS        end after so long without anything
  -X PROTOCOL       of a proxy: refused, as is
  -x ADDRESS        one
  -Z                DCCP: refused
  -z                only see who listens
";

/// What to do.
#[derive(Default)]
pub(super) struct Job {
    pub(super) listens: bool,
    pub(super) again: bool,
    pub(super) only_ipv4: bool,
    pub(super) only_ipv6: bool,
    pub(super) crlf: bool,
    pub(super) no_input: bool,
    pub(super) ends: bool,
    pub(super) numeric: bool,
    pub(super) unix: bool,
    pub(super) udp: bool,
    pub(super) verbose: bool,
    pub(super) scans: bool,
    pub(super) interval: Option<Duration>,
    pub(super) quits: Option<Duration>,
    pub(super) timeout: Option<Duration>,
    pub(super) packets: Option<u64>,
    pub(super) own_host: Option<Vec<u8>>,
    pub(super) own_port: Option<u16>,
    /// A host, or a path.
    pub(super) host: Option<Vec<u8>>,
    pub(super) ports: Vec<u16>,
}

/// The parsed command line.
pub(super) enum Wanted {
    Transfer(Box<Job>),
    Text(String),
}

/// Parses the arguments. `Err` is the exit status.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Wanted, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut job = Job::default();
    for given in parsed.options {
        let value = given.value.unwrap_or_default();
        match given.id {
            "?" => {
                say::raw([b"nc: ", value.as_slice(), b"\n", USAGE.as_bytes()].concat());
                return Err(1);
            }
            "h" => {
                return Ok(Wanted::Text(format!(
                    "OpenBSD netcat (Debian patchlevel 1.219-1)\n{USAGE}{}",
                    SPEC.help()
                )));
            }
            "4" => job.only_ipv4 = true,
            "6" => job.only_ipv6 = true,
            "C" => job.crlf = true,
            "d" => job.no_input = true,
            "i" => job.interval = Some(seconds("interval", &value)?),
            "k" => job.again = true,
            "l" => job.listens = true,
            "N" => job.ends = true,
            "n" => job.numeric = true,
            "p" => job.own_port = Some(port(&value)?),
            "q" => {
                job.quits =
                    std::str::from_utf8(&value).ok().and_then(|v| v.parse().ok()).map(Duration::from_secs)
            }
            "s" => job.own_host = Some(value),
            "U" => job.unix = true,
            "u" => job.udp = true,
            "v" => job.verbose = true,
            "w" => job.timeout = Some(seconds("timeout", &value)?),
            "W" => match number(&value) {
                Some(count) if count > 0 => job.packets = Some(count),
                _ => return Err(wrong("receive limit invalid", &value)),
            },
            "z" => job.scans = true,
            "F" => return Err(refused("-F passes a socket on, which no sandbox can")),
            "Z" => return Err(refused("there is no DCCP in a sandbox")),
            "x" | "X" => return Err(refused("there is no proxy in a sandbox")),
            _ => {}
        }
    }
    places(&mut job, parsed.operands)?;
    Ok(Wanted::Transfer(Box::new(job)))
}

/// Takes the operands: a path, or a host and ports.
fn places(job: &mut Job, operands: Vec<Vec<u8>>) -> Result<(), i32> {
    if job.listens && job.scans {
        return Err(refused("cannot use -z and -l"));
    }
    if job.unix {
        return match <[Vec<u8>; 1]>::try_from(operands) {
            Ok([path]) => {
                job.host = Some(path);
                Ok(())
            }
            Err(operands) if operands.is_empty() && job.listens => Err(refused("missing socket pathname")),
            Err(operands) if operands.len() == 2 => Err(refused("cannot use port with -U")),
            Err(_) => Err(usage()),
        };
    }
    let mut operands = operands;
    if job.listens {
        if operands.len() > 2 {
            return Err(usage());
        }
        let port_text = match job.own_port {
            Some(port) => {
                job.ports.push(port);
                None
            }
            None => operands.pop(),
        };
        job.host = operands.pop().or_else(|| job.own_host.clone());
        if let Some(text) = port_text {
            job.ports.push(port(&text)?);
        }
        if job.ports.is_empty() {
            return Err(refused("missing port number"));
        }
        return Ok(());
    }
    if operands.is_empty() {
        return Err(usage());
    }
    if operands.len() < 2 {
        return Err(refused("missing port number"));
    }
    let ports = operands.split_off(1);
    job.host = operands.pop();
    for text in &ports {
        ports_of(text, &mut job.ports)?;
    }
    Ok(())
}

/// A port, or a range of them, in either order.
fn ports_of(text: &[u8], ports: &mut Vec<u16>) -> Result<(), i32> {
    let dash = text
        .iter()
        .position(|b| *b == b'-')
        .filter(|at| *at > 0 && text.first().is_some_and(u8::is_ascii_digit));
    match dash {
        Some(at) => {
            let (one, other) =
                (port(text.get(..at).unwrap_or_default())?, port(text.get(at + 1..).unwrap_or_default())?);
            ports.extend(one.min(other)..=one.max(other));
        }
        None => ports.push(port(text)?),
    }
    Ok(())
}

fn port(text: &[u8]) -> Result<u16, i32> {
    const SERVICES: &[(&str, u16)] = &[
        ("http", 80),
        ("https", 443),
        ("ssh", 22),
        ("smtp", 25),
        ("domain", 53),
        ("telnet", 23),
        ("ftp", 21),
    ];
    let shown = std::str::from_utf8(text).unwrap_or_default();
    if let Some((_, port)) = SERVICES.iter().find(|(name, _)| *name == shown) {
        return Ok(*port);
    }
    match shown.parse::<i64>() {
        Ok(n) if n < 1 => Err(wrong("port number too small", text)),
        Ok(n) => u16::try_from(n).map_err(|_| wrong("port number too large", text)),
        Err(_) => Err(wrong("port number invalid", text)),
    }
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn seconds(what: &str, text: &[u8]) -> Result<Duration, i32> {
    number(text)
        .filter(|n| *n < 1 << 31)
        .map(Duration::from_secs)
        .ok_or_else(|| wrong(&format!("{what} invalid"), text))
}

fn wrong(what: &str, text: &[u8]) -> i32 {
    super::fail(&[what.as_bytes(), b": ", text].concat());
    1
}

fn refused(why: &str) -> i32 {
    super::fail(why.as_bytes());
    1
}

fn usage() -> i32 {
    say::raw(USAGE);
    1
}
