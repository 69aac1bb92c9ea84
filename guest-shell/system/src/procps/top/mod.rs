//! `top`: a table of processes, printed again and again, or live on a terminal.

mod live;

use super::memory::Memory;
use super::process::{self, Process, TICKS};
use super::uptime;
use crate::base::options::{Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_posix::users;
use sandshell_sys as sys;
use std::cmp::Reverse;
use std::time::Duration;

const SPEC: Spec = Spec {
    name: "top",
    options: &[
        listed(HELP),
        hidden("none", "-1, -O, -S, -s"),
        hidden("none", "-E UNIT, -e UNIT"),
        hidden("H", "-H, --threads-show"),
    ],
    ..Spec::DEFAULT
};

/// Runs `top` on its arguments (its own name first) and returns the exit status.
pub fn top_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("top", code, 1)
}

struct Job {
    delay: Duration,
    rounds: u64,
    pids: Vec<i64>,
    user: Option<u32>,
    sort: Vec<u8>,
    command_lines: bool,
    width: usize,
    busy_only: bool,
    /// The smallest first.
    reversed: bool,
    /// How many processes are shown at most.
    most: Option<usize>,
}

const FIELDS: &[&str] = &[
    "PID", "USER", "PR", "NI", "VIRT", "RES", "SHR", "S", "%CPU", "%MEM", "TIME+", "TIME", "COMMAND", "PPID",
    "UID",
];

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(80);
    let mut job = Job {
        delay: Duration::from_secs(3),
        rounds: u64::MAX,
        pids: Vec::new(),
        user: None,
        sort: b"%CPU".to_vec(),
        command_lines: false,
        width: columns,
        busy_only: false,
        reversed: false,
        most: None,
    };
    let mut batch = false;
    for g in &parsed.options {
        let text = String::from_utf8_lossy(g.text()).into_owned();
        let wrong = |what: &str| {
            say::raw(format!("top: {what}\n"));
            1
        };
        match g.id {
            "b" => batch = true,
            "c" => job.command_lines = true,
            "i" => job.busy_only = true,
            "d" => {
                let time = text.parse().ok().and_then(|t| Duration::try_from_secs_f64(t).ok());
                job.delay = time.ok_or_else(|| wrong(&format!("bad delay interval '{text}'")))?;
            }
            "n" => {
                job.rounds = text
                    .parse()
                    .ok()
                    .filter(|n| *n > 0)
                    .ok_or_else(|| wrong(&format!("bad iterations argument '{text}'")))?;
            }
            "o" => {
                let name = text.trim_start_matches(['+', '-']);
                let known = FIELDS.iter().find(|f| f.eq_ignore_ascii_case(name));
                job.sort = known
                    .ok_or_else(|| wrong(&format!("unrecognized field name '{name}'")))?
                    .as_bytes()
                    .to_vec();
            }
            "p" => {
                for word in text.split(',') {
                    let pid = word.parse().map_err(|_| wrong(&format!("bad pid '{word}'")))?;
                    job.pids.push(if pid == 0 { i64::from(sys::getpid()) } else { pid });
                }
            }
            "u" => {
                let uid = users::number(text.as_bytes())
                    .or_else(|| users::user_named(text.as_bytes()).map(|u| u.uid));
                job.user = Some(uid.ok_or_else(|| wrong("Invalid user"))?);
            }
            "w" => job.width = text.parse().unwrap_or(512),
            "V" => {
                out::put(super::version(b"top"));
                return Ok(0);
            }
            "h" => {
                out::put(HELP);
                return Ok(0);
            }
            "?" => return Err(wrong(&text)),
            "H" => return Err(wrong("threads are not supported")),
            _ => {}
        }
    }
    if !batch && !sys::isatty(1) {
        say::raw("top: failed tty get\n");
        return Err(1);
    }
    if !batch {
        return live::run(job);
    }
    loop {
        for line in job.lines() {
            out::put([&*line, b"\n"].concat());
        }
        job.rounds -= 1;
        if job.rounds == 0 || out::failure().is_some() {
            return Ok(0);
        }
        out::flush();
        let _ = sys::sleep(job.delay);
        out::put("\n");
    }
}

impl Job {
    /// The table with its heads.
    fn lines(&self) -> Vec<Vec<u8>> {
        let mut processes = process::all();
        if !self.pids.is_empty() {
            processes.retain(|p| self.pids.contains(&p.pid));
        }
        if let Some(user) = self.user {
            processes.retain(|p| p.uid == user);
        }
        let up = process::uptime();
        let memory = Memory::read();
        let mut lines = summary(&processes, &memory);
        let share = |p: &Process| {
            let lived = up.saturating_sub(p.started);
            if lived == 0 { 0.0 } else { (p.time() * 100 * 100 / TICKS) as f64 / lived as f64 }
        };
        match self.sort.as_slice() {
            b"PID" => processes.sort_by_key(|p| Reverse(p.pid)),
            b"PPID" => processes.sort_by_key(|p| Reverse(p.parent)),
            b"VIRT" => processes.sort_by_key(|p| Reverse(p.size)),
            b"RES" | b"%MEM" => processes.sort_by_key(|p| Reverse(p.resident)),
            b"TIME" | b"TIME+" => processes.sort_by_key(|p| Reverse(p.time())),
            b"COMMAND" => processes.sort_by(|a, b| b.name.cmp(&a.name)),
            b"S" => processes.sort_by_key(|p| Reverse(p.state)),
            b"%CPU" => processes.sort_by(|a, b| share(b).total_cmp(&share(a))),
            _ => {}
        }
        if self.reversed {
            processes.reverse();
        }
        lines.push(b"  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND".to_vec());
        let names = users::Names::default();
        let shown = processes.iter().filter(|p| !self.busy_only || p.state == b'R');
        for p in shown.take(self.most.unwrap_or(usize::MAX)) {
            let user = names
                .user(p.uid)
                .map_or_else(|| p.uid.to_string(), |u| String::from_utf8_lossy(u).into_owned());
            let user = if user.len() > 8 { format!("{}+", user.get(..7).unwrap_or(&user)) } else { user };
            let time = p.time();
            let mut line = format!(
                "{:5} {user:<8} {:3} {:3} {:7} {:6} {:6} {} {:5.1} {:5.1} {:>9} ",
                p.pid,
                p.priority,
                p.nice,
                p.size / 1024,
                p.resident / 1024,
                0,
                char::from(p.state),
                share(p).min(9999.0),
                if memory.total == 0 {
                    0.0
                } else {
                    p.resident as f64 / 1024.0 * 100.0 / memory.total as f64
                },
                format!("{}:{:02}.{:02}", time / TICKS / 60, time / TICKS % 60, time % TICKS),
            )
            .into_bytes();
            line.extend_from_slice(&if self.command_lines { p.command() } else { p.name.clone() });
            if line.len() > self.width.max(20) {
                line.truncate(self.width.max(20) - 1);
                line.push(b'+');
            }
            lines.push(line);
        }
        lines
    }
}

/// The lines above the table.
fn summary(processes: &[Process], m: &Memory) -> Vec<Vec<u8>> {
    let count = |states: &[u8]| processes.iter().filter(|p| states.contains(&p.state)).count();
    let mib = |kib: u64| format!("{:9.1}", kib as f64 / 1024.0);
    let mut lines = vec![format!("top -{}", uptime::line())];
    lines.push(format!(
        "Tasks: {:3} total, {:3} running, {:3} sleeping, {:3} stopped, {:3} zombie",
        processes.len(),
        count(b"R"),
        count(b"SDI"),
        count(b"Tt"),
        count(b"Z")
    ));
    lines.push("%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ".to_owned());
    lines.push(format!(
        "MiB Mem :{} total,{} free,{} used,{} buff/cache     ",
        mib(m.total),
        mib(m.free),
        mib(m.used()),
        mib(m.buffers + m.cache)
    ));
    lines.push(format!(
        "MiB Swap:{} total,{} free,{} used.{} avail Mem ",
        mib(m.swap_total),
        mib(m.swap_free),
        mib(m.swap_used()),
        mib(m.available)
    ));
    lines.push(String::new());
    lines.into_iter().map(String::into_bytes).collect()
}

const HELP: &str = "\
Usage:
  top [-b] [-n number] [-c] [-d secs] [-i] [-o field] [-p pids] [-u user] [-w [cols]]

Shows the processes that work most, again and again. On a terminal, keys change what is shown: h lists them.

  -b, --batch                   for a file or a pipe
  -n, --iterations number       so many times
  -d, --delay secs              so long between (3 seconds)
  -c, --cmdline-toggle          whole command lines
  -i, --idle-toggle             only those that did something
  -o, --sort-override field     in the order of a column, such as %MEM
  -p, --pid list                only these
  -u, --filter-only-euser, -U, --filter-any-user user  only this user's
  -w[cols], --width[=cols]      lines of so many columns
  -h, --help                    this text
  -V, --version                 the version

Accepted without effect: -1, -E unit, -e unit, -O, -S, -s.
";
