//! Processes as `/proc` shows them.

use super::read;
use sandshell_sys as sys;

/// Clock ticks per second.
pub(super) const TICKS: u64 = 100;

#[derive(Clone, Default, Debug)]
pub(crate) struct Process {
    pub(crate) pid: i64,
    pub(crate) parent: i64,
    pub(crate) group: i64,
    pub(super) session: i64,
    pub(super) tty: u64,
    pub(super) tty_group: i64,
    pub(super) flags: u64,
    pub(super) minor_faults: u64,
    pub(super) major_faults: u64,
    /// Clock ticks in user and system mode.
    pub(super) user_time: u64,
    pub(super) system_time: u64,
    pub(super) priority: i64,
    pub(super) nice: i64,
    pub(super) threads: u64,
    /// Clock ticks from the start of the system to that of the process.
    pub(super) started: u64,
    /// In bytes.
    pub(super) size: u64,
    pub(super) resident: u64,
    pub(super) processor: u64,
    pub(crate) state: u8,
    pub(crate) uid: u32,
    pub(super) gid: u32,
    pub(crate) name: Vec<u8>,
    pub(super) arguments: Vec<Vec<u8>>,
}

impl Process {
    /// Clock ticks in both modes together.
    pub(super) fn time(&self) -> u64 {
        self.user_time + self.system_time
    }

    /// The name, with a mark if the process has ended.
    pub(super) fn short_command(&self) -> Vec<u8> {
        let mut text = self.name.clone();
        if self.state == b'Z' {
            text.extend_from_slice(b" <defunct>");
        }
        text
    }

    /// The arguments, or the name in brackets if there are none.
    pub(super) fn command(&self) -> Vec<u8> {
        if self.arguments.is_empty() {
            let mark: &[u8] = if self.state == b'Z' { b"] <defunct>" } else { b"]" };
            return [b"[", self.name.as_slice(), mark].concat();
        }
        self.arguments.join(&b' ')
    }

    /// The terminal's name.
    pub(super) fn terminal(&self) -> String {
        match self.tty {
            0 => "?".into(),
            n if n >> 8 & 0xff == 136 => format!("pts/{}", n & 0xff),
            n if n >> 8 & 0xff == 4 => format!("tty{}", n & 0xff),
            _ => "?".into(),
        }
    }

    /// The state with its flags, as `STAT` shows it.
    pub(super) fn status(&self) -> String {
        let mut text = String::from(char::from(self.state));
        if self.nice < 0 {
            text.push('<');
        } else if self.nice > 0 {
            text.push('N');
        }
        if self.session == self.pid {
            text.push('s');
        }
        if self.threads > 1 {
            text.push('l');
        }
        if self.tty_group == self.group {
            text.push('+');
        }
        text
    }
}

/// All processes, by process ID.
pub(crate) fn all() -> Vec<Process> {
    let mut pids: Vec<i64> = sys::read_dir(b"/proc")
        .unwrap_or_default()
        .iter()
        .filter_map(|e| std::str::from_utf8(&e.name).ok()?.parse().ok())
        .collect();
    pids.sort_unstable();
    pids.into_iter().filter_map(one).collect()
}

/// Reads one process; `None` if it has gone.
fn one(pid: i64) -> Option<Process> {
    let stat = read(&format!("/proc/{pid}/stat"));
    // The name is in parentheses, and may itself contain parentheses.
    let open = stat.iter().position(|b| *b == b'(')?;
    let close = stat.iter().rposition(|b| *b == b')')?;
    let name = stat.get(open + 1..close)?.to_vec();
    let fields: Vec<&str> =
        std::str::from_utf8(stat.get(close + 1..)?).ok()?.split_ascii_whitespace().collect();
    let field = |n: usize| fields.get(n - 3).copied().unwrap_or("0");
    let unsigned = |n: usize| field(n).parse::<u64>().unwrap_or(0);
    let signed = |n: usize| field(n).parse::<i64>().unwrap_or(0);
    let owner = sys::stat(format!("/proc/{pid}").as_bytes(), true).ok()?;
    let arguments = read(&format!("/proc/{pid}/cmdline"));
    let arguments = arguments.strip_suffix(b"\0").unwrap_or(&arguments);
    Some(Process {
        pid,
        parent: signed(4),
        group: signed(5),
        session: signed(6),
        tty: unsigned(7),
        tty_group: signed(8),
        flags: unsigned(9),
        minor_faults: unsigned(10),
        major_faults: unsigned(12),
        user_time: unsigned(14),
        system_time: unsigned(15),
        priority: signed(18),
        nice: signed(19),
        threads: unsigned(20),
        started: unsigned(22),
        size: unsigned(23),
        resident: unsigned(24).saturating_mul(4096),
        processor: unsigned(39),
        state: field(3).bytes().next().unwrap_or(b'?'),
        uid: owner.uid,
        gid: owner.gid,
        name,
        arguments: if arguments.is_empty() {
            Vec::new()
        } else {
            arguments.split(|b| *b == 0).map(<[u8]>::to_vec).collect()
        },
    })
}

/// The time since the start of the system in hundredths of a second.
pub(super) fn uptime() -> u64 {
    let text = read("/proc/uptime");
    let text = String::from_utf8_lossy(&text);
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    let (seconds, hundredths) = first.split_once('.').unwrap_or((first, "0"));
    seconds.parse::<u64>().unwrap_or(0).saturating_mul(100).saturating_add(hundredths.parse().unwrap_or(0))
}

/// The three load averages, as text.
pub(super) fn load() -> [String; 3] {
    let text = read("/proc/loadavg");
    let text = String::from_utf8_lossy(&text);
    let mut words = text.split_ascii_whitespace();
    [(); 3].map(|()| words.next().unwrap_or("0.00").to_owned())
}
