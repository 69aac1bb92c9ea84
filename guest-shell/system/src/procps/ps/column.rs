//! The columns of the table.

use crate::procps::process::{Process, TICKS};
use crate::procps::uptime;
use sandshell_posix::users::Names;
use std::cmp::Ordering;

/// The data for columns that does not belong to the process itself.
pub(super) struct Around {
    /// The uptime in hundredths of a second.
    pub(super) up: u64,
    pub(super) now: i64,
    /// In KiB.
    pub(super) memory: u64,
    pub(super) names: Names,
    /// The text before a command: branches of the tree.
    pub(super) branch: Vec<u8>,
    /// Whether to show the environment after the arguments.
    pub(super) environment: bool,
    /// Whether to show only the names of commands.
    pub(super) short: bool,
}

/// A kind of column.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) header: &'static str,
    pub(super) width: usize,
    pub(super) right: bool,
    make: fn(&Process, &mut Around) -> Vec<u8>,
}

/// Finds the kind with this name.
pub(super) fn find(name: &str) -> Option<Kind> {
    KINDS.iter().find(|k| k.name == name).copied()
}

/// All kinds.
pub(super) fn all() -> impl Iterator<Item = Kind> {
    KINDS.iter().copied()
}

impl Kind {
    /// The column's text for a process, cut to the column's width unless it is the last column.
    pub(super) fn text(&self, p: &Process, around: &mut Around) -> Vec<u8> {
        (self.make)(p, around)
    }

    /// Orders two processes by this column. Numbers are compared as numbers.
    pub(super) fn compare(&self, a: &Process, b: &Process, around: &mut Around) -> Ordering {
        if let Some(key) = number_of(self.name) {
            return key(a, around).cmp(&key(b, around));
        }
        self.text(a, around).cmp(&self.text(b, around))
    }
}

fn number_of(name: &str) -> Option<fn(&Process, &Around) -> i128> {
    Some(match name {
        "pid" | "tgid" | "tid" | "lwp" | "spid" => |p, _| p.pid.into(),
        "ppid" => |p, _| p.parent.into(),
        "pgid" | "pgrp" => |p, _| p.group.into(),
        "sid" | "sess" | "session" => |p, _| p.session.into(),
        "uid" | "euid" | "ruid" | "suid" | "fuid" => |p, _| p.uid.into(),
        "gid" | "egid" | "rgid" | "sgid" => |p, _| p.gid.into(),
        "%cpu" | "pcpu" | "c" | "cp" => |p, a| i128::from(tenths_of_cpu(p, a)),
        "%mem" | "pmem" | "rss" | "rssize" | "rsz" => |p, _| p.resident.into(),
        "vsz" | "vsize" | "sz" | "size" => |p, _| p.size.into(),
        "time" | "cputime" | "bsdtime" | "times" | "cputimes" => |p, _| p.time().into(),
        "start" | "start_time" | "lstart" | "bsdstart" | "stime" => |p, _| p.started.into(),
        "etime" | "etimes" => |p, _| -i128::from(p.started),
        "nice" | "ni" => |p, _| p.nice.into(),
        "pri" | "opri" | "priority" => |p, _| p.priority.into(),
        _ => return None,
    })
}

fn tenths_of_cpu(p: &Process, a: &Around) -> u64 {
    let lived = a.up.saturating_sub(p.started) / TICKS;
    let used = p.time().saturating_mul(1000) / TICKS;
    used.checked_div(lived).unwrap_or(0)
}

fn number(n: impl ToString) -> Vec<u8> {
    n.to_string().into_bytes()
}

fn user(p: &Process, a: &mut Around) -> Vec<u8> {
    a.names.user(p.uid).map_or_else(|| number(p.uid), <[u8]>::to_vec)
}

fn group(p: &Process, a: &mut Around) -> Vec<u8> {
    a.names.group(p.gid).map_or_else(|| number(p.gid), <[u8]>::to_vec)
}

fn percent_cpu(p: &Process, a: &mut Around) -> Vec<u8> {
    let tenths = tenths_of_cpu(p, a);
    number(if tenths > 999 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) })
}

fn percent_memory(p: &Process, a: &mut Around) -> Vec<u8> {
    let tenths = (p.resident / 1024).saturating_mul(1000).checked_div(a.memory).unwrap_or(0).min(999);
    number(format!("{}.{}", tenths / 10, tenths % 10))
}

fn command(p: &Process, a: &mut Around) -> Vec<u8> {
    let mut text = a.branch.clone();
    if a.short {
        text.extend_from_slice(&p.short_command());
        return printable(text);
    }
    text.extend_from_slice(&p.command());
    if a.environment {
        let environment = crate::procps::read(&format!("/proc/{}/environ", p.pid));
        for variable in environment.split(|b| *b == 0).filter(|v| !v.is_empty()) {
            text.push(b' ');
            text.extend_from_slice(variable);
        }
    }
    printable(text)
}

fn name(p: &Process, a: &mut Around) -> Vec<u8> {
    printable([a.branch.as_slice(), &p.short_command()].concat())
}

/// Replaces control characters by `?`, so that a row stays on one line.
fn printable(mut text: Vec<u8>) -> Vec<u8> {
    for b in &mut text {
        if *b < b' ' || *b == 0x7f {
            *b = if *b == b'\n' || *b == b'\t' { b' ' } else { b'?' };
        }
    }
    text
}

fn began(p: &Process, a: &Around) -> i64 {
    a.now.saturating_sub(i64::try_from(a.up.saturating_sub(p.started) / TICKS).unwrap_or(0))
}

fn began_as(today: &[u8], earlier: &[u8]) -> impl Fn(&Process, &mut Around) -> Vec<u8> {
    move |p, a| {
        let at = began(p, a);
        uptime::format(if a.now - at < 86400 { today } else { earlier }, at)
    }
}

fn same_day_or(p: &Process, a: &mut Around) -> Vec<u8> {
    let at = began(p, a);
    let day = |t| uptime::format(b"%Y%j", t);
    if day(at) == day(a.now) {
        uptime::format(b"%H:%M", at)
    } else if uptime::format(b"%Y", at) == uptime::format(b"%Y", a.now) {
        uptime::format(b"%b%d", at)
    } else {
        uptime::format(b"%Y", at)
    }
}

fn clock(p: &Process) -> Vec<u8> {
    let seconds = p.time() / TICKS;
    let (days, rest) = (seconds / 86400, seconds % 86400);
    let text = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    number(if days > 0 { format!("{days}-{text}") } else { text })
}

fn elapsed(p: &Process, a: &mut Around) -> Vec<u8> {
    let seconds = a.up.saturating_sub(p.started) / TICKS;
    let (days, hours, minutes, rest) =
        (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    number(match (days, hours) {
        (0, 0) => format!("{minutes:02}:{rest:02}"),
        (0, _) => format!("{hours:02}:{minutes:02}:{rest:02}"),
        _ => format!("{days}-{hours:02}:{minutes:02}:{rest:02}"),
    })
}

/// A signal mask from `/proc/PID/status`.
fn signals(p: &Process, field: &str) -> Vec<u8> {
    let status = crate::procps::read(&format!("/proc/{}/status", p.pid));
    let status = String::from_utf8_lossy(&status).into_owned();
    let mask = status.lines().find_map(|l| l.strip_prefix(field)?.strip_prefix(':')).map(str::trim);
    number(mask.unwrap_or("0000000000000000"))
}

const fn left(
    name: &'static str,
    header: &'static str,
    width: usize,
    make: fn(&Process, &mut Around) -> Vec<u8>,
) -> Kind {
    Kind { name, header, width, right: false, make }
}

const fn right(
    name: &'static str,
    header: &'static str,
    width: usize,
    make: fn(&Process, &mut Around) -> Vec<u8>,
) -> Kind {
    Kind { name, header, width, right: true, make }
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    right("%cpu", "%CPU", 4, percent_cpu),
    right("%mem", "%MEM", 4, percent_memory),
    right("addr", "ADDR", 4, |_, _| b"-".to_vec()),
    left("addr_sz", "ADDR SZ", 7, |p, _| number(format!("- {:>5}", p.size / 4096))),
    left("args", "COMMAND", 27, command),
    left("blocked", "BLOCKED", 16, |p, _| signals(p, "SigBlk")),
    right("bsdstart", "START", 6, |p, a| began_as(b" %H:%M", b"%b %e")(p, a)),
    right("bsdtime", "TIME", 6, |p, _| number(format!("{}:{:02}", p.time() / TICKS / 60, p.time() / TICKS % 60))),
    right("c", "C", 2, |p, a| number((tenths_of_cpu(p, a) / 10).min(99))),
    left("caught", "CAUGHT", 16, |p, _| signals(p, "SigCgt")),
    right("class", "CLS", 3, |_, _| b"TS".to_vec()),
    right("cls", "CLS", 3, |_, _| b"TS".to_vec()),
    left("cmd", "CMD", 27, command),
    left("comm", "COMMAND", 15, name),
    left("command", "COMMAND", 27, command),
    right("cp", "CP", 3, |p, a| number(tenths_of_cpu(p, a))),
    right("cputime", "TIME", 8, |p, _| clock(p)),
    right("cputimes", "TIME", 8, |p, _| number(p.time() / TICKS)),
    right("drs", "DRS", 5, |p, _| number(p.size / 1024)),
    right("egid", "EGID", 5, |p, _| number(p.gid)),
    left("egroup", "EGROUP", 8, group),
    right("etime", "ELAPSED", 11, elapsed),
    right("etimes", "ELAPSED", 7, |p, a| number(a.up.saturating_sub(p.started) / TICKS)),
    right("euid", "EUID", 5, |p, _| number(p.uid)),
    left("euser", "EUSER", 8, user),
    left("exe", "EXE", 27, |p, _| sandshell_sys::readlink(format!("/proc/{}/exe", p.pid).as_bytes()).unwrap_or(b"-".to_vec())),
    right("f", "F", 1, |p, _| number(p.flags >> 6 & 7)),
    right("flag", "F", 1, |p, _| number(p.flags >> 6 & 7)),
    right("flags", "F", 1, |p, _| number(p.flags >> 6 & 7)),
    left("fname", "COMMAND", 8, |p, _| p.name.get(..8).unwrap_or(&p.name).to_vec()),
    right("gid", "GID", 5, |p, _| number(p.gid)),
    left("group", "GROUP", 8, group),
    left("ignored", "IGNORED", 16, |p, _| signals(p, "SigIgn")),
    right("lstart", "STARTED", 24, |p, a| uptime::format(b"%a %b %e %H:%M:%S %Y", began(p, a))),
    right("lwp", "LWP", 5, |p, _| number(p.pid)),
    right("maj_flt", "MAJFL", 6, |p, _| number(p.major_faults)),
    right("majflt", "MAJFLT", 6, |p, _| number(p.major_faults)),
    right("min_flt", "MINFL", 6, |p, _| number(p.minor_faults)),
    right("minflt", "MINFLT", 6, |p, _| number(p.minor_faults)),
    right("ni", "NI", 3, |p, _| number(p.nice)),
    right("nice", "NI", 3, |p, _| number(p.nice)),
    right("nlwp", "NLWP", 4, |p, _| number(p.threads)),
    right("opri", "PRI", 3, |p, _| number(p.priority + 60)),
    right("pcpu", "%CPU", 4, percent_cpu),
    left("pending", "PENDING", 16, |p, _| signals(p, "ShdPnd")),
    right("pgid", "PGID", 5, |p, _| number(p.group)),
    right("pgrp", "PGRP", 5, |p, _| number(p.group)),
    right("pid", "PID", 5, |p, _| number(p.pid)),
    right("pmem", "%MEM", 4, percent_memory),
    right("ppid", "PPID", 5, |p, _| number(p.parent)),
    right("pri", "PRI", 3, |p, _| number(39 - p.priority)),
    right("priority", "PRI", 3, |p, _| number(p.priority)),
    right("psr", "PSR", 3, |p, _| number(p.processor)),
    right("rgid", "RGID", 5, |p, _| number(p.gid)),
    left("rgroup", "RGROUP", 8, group),
    right("rss", "RSS", 5, |p, _| number(p.resident / 1024)),
    right("rssize", "RSS", 5, |p, _| number(p.resident / 1024)),
    right("rsz", "RSZ", 5, |p, _| number(p.resident / 1024)),
    right("rtprio", "RTPRIO", 6, |_, _| b"-".to_vec()),
    right("ruid", "RUID", 5, |p, _| number(p.uid)),
    left("ruser", "RUSER", 8, user),
    left("s", "S", 1, |p, _| vec![p.state]),
    right("sess", "SESS", 5, |p, _| number(p.session)),
    right("session", "SESS", 5, |p, _| number(p.session)),
    right("sgid", "SGID", 5, |p, _| number(p.gid)),
    right("sid", "SID", 5, |p, _| number(p.session)),
    right("size", "SIZE", 5, |p, _| number(p.size / 1024)),
    right("spid", "SPID", 5, |p, _| number(p.pid)),
    right("start", "STARTED", 8, |p, a| began_as(b"%H:%M:%S", b"%b %d")(p, a)),
    left("start_time", "START", 5, same_day_or),
    left("stat", "STAT", 4, |p, _| p.status().into_bytes()),
    left("state", "S", 1, |p, _| vec![p.state]),
    left("stime", "STIME", 5, same_day_or),
    right("suid", "SUID", 5, |p, _| number(p.uid)),
    right("sz", "SZ", 5, |p, _| number(p.size / 4096)),
    right("tgid", "TGID", 5, |p, _| number(p.pid)),
    right("thcount", "THCNT", 5, |p, _| number(p.threads)),
    right("tid", "TID", 5, |p, _| number(p.pid)),
    right("time", "TIME", 8, |p, _| clock(p)),
    right("times", "TIME", 8, |p, _| number(p.time() / TICKS)),
    left("tname", "TTY", 8, |p, _| p.terminal().into_bytes()),
    right("tpgid", "TPGID", 5, |p, _| number(p.tty_group)),
    right("trs", "TRS", 5, |_, _| b"0".to_vec()),
    left("tt", "TT", 8, |p, _| p.terminal().into_bytes()),
    left("tty", "TT", 8, |p, _| p.terminal().into_bytes()),
    left("ucmd", "CMD", 15, name),
    left("ucomm", "COMMAND", 15, name),
    right("uid", "UID", 5, |p, _| number(p.uid)),
    left("uname", "USER", 8, user),
    left("user", "USER", 8, user),
    right("vsize", "VSZ", 6, |p, _| number(p.size / 1024)),
    right("vsz", "VSZ", 6, |p, _| number(p.size / 1024)),
    left("wchan", "WCHAN", 6, |_, _| b"-".to_vec()),
];
