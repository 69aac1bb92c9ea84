//! Selects processes and prints them.

use super::column::{Around, Kind};
use super::order::{self, Key};
use crate::procps::memory::Memory;
use crate::procps::process::{self, Process};
use crate::procps::uptime;
use sandshell_cli::out;
use sandshell_posix::{characters, users};
use sandshell_sys as sys;

/// A column with its header.
pub(super) struct Column {
    pub(super) kind: Kind,
    pub(super) header: String,
}

/// The processes that a list selects.
pub(super) enum Listed {
    Pids(Vec<i64>),
    Parents(Vec<i64>),
    Sessions(Vec<i64>),
    Users(Vec<u32>),
    Groups(Vec<u32>),
    Names(Vec<Vec<u8>>),
    Terminals(Vec<String>),
}

/// Selections without a value.
#[derive(Default)]
pub(super) struct Simple {
    /// All processes.
    pub(super) every: bool,
    /// All that have a terminal, except session leaders.
    pub(super) with_terminal: bool,
    /// All except session leaders.
    pub(super) no_leaders: bool,
    /// BSD: those of all users.
    pub(super) bsd_all: bool,
    /// BSD: also those without a terminal.
    pub(super) bsd_any_terminal: bool,
    /// BSD: only running ones.
    pub(super) running: bool,
}

/// What to do.
pub(super) struct Job {
    pub(super) columns: Vec<Column>,
    pub(super) lists: Vec<Listed>,
    pub(super) simple: Simple,
    pub(super) negate: bool,
    pub(super) keys: Vec<Key>,
    pub(super) headers: bool,
    /// Print a tree with lines (`Some(true)`) or with indentation only.
    pub(super) tree: Option<bool>,
    pub(super) width: Option<usize>,
    pub(super) environment: bool,
    pub(super) short: bool,
}

impl Job {
    /// Prints the table and returns the exit status.
    pub(super) fn run(&self) -> i32 {
        let everything = process::all();
        let own = everything.iter().find(|p| p.pid == i64::from(sys::getpid())).cloned().unwrap_or_default();
        let mut chosen: Vec<Process> =
            everything.into_iter().filter(|p| self.selects(p, &own) != self.negate).collect();
        let mut around = Around {
            up: process::uptime(),
            now: uptime::now(),
            memory: Memory::read().total,
            names: users::Names::default(),
            branch: Vec::new(),
            environment: self.environment,
            short: self.short,
        };
        if !self.keys.is_empty() {
            order::sort(&mut chosen, &self.keys, &mut around);
        }
        let rows = match self.tree {
            Some(lines) => order::tree(chosen, lines),
            None => chosen.into_iter().map(|p| (Vec::new(), p)).collect(),
        };
        if self.headers && self.columns.iter().any(|c| !c.header.is_empty()) {
            let headers = self.columns.iter().map(|c| c.header.clone().into_bytes()).collect();
            self.line(headers);
        }
        for (branch, p) in &rows {
            around.branch.clone_from(branch);
            let texts = self.columns.iter().map(|c| c.kind.text(p, &mut around)).collect();
            self.line(texts);
        }
        i32::from(rows.is_empty())
    }

    fn selects(&self, p: &Process, own: &Process) -> bool {
        let listed = self.lists.iter().any(|l| match l {
            Listed::Pids(l) => l.contains(&p.pid),
            Listed::Parents(l) => l.contains(&p.parent),
            Listed::Sessions(l) => l.contains(&p.session),
            Listed::Users(l) => l.contains(&p.uid),
            Listed::Groups(l) => l.contains(&p.gid),
            Listed::Names(l) => l.iter().any(|n| n.get(..15).unwrap_or(n) == p.name.as_slice()),
            Listed::Terminals(l) => l.contains(&p.terminal()),
        });
        let s = &self.simple;
        let bsd = s.bsd_all || s.bsd_any_terminal;
        let simple = if s.every || s.bsd_all && s.bsd_any_terminal {
            true
        } else if s.with_terminal || s.no_leaders || bsd {
            s.with_terminal && p.tty != 0 && p.session != p.pid
                || s.no_leaders && p.session != p.pid
                || s.bsd_all && p.tty != 0
                || s.bsd_any_terminal && p.uid == own.uid
        } else {
            self.lists.is_empty() && p.tty == own.tty && p.uid == own.uid
        };
        (listed || simple) && (!s.running || p.state == b'R')
    }

    fn line(&self, texts: Vec<Vec<u8>>) {
        let mut line = Vec::new();
        let last = self.columns.len().saturating_sub(1);
        // A value that is too wide uses the blanks that follow it.
        let mut lent = 0usize;
        for (i, (column, text)) in self.columns.iter().zip(texts).enumerate() {
            if i > 0 {
                line.push(b' ');
            }
            let wide = column.kind.width.max(column.header.len());
            let mut text = text;
            if i < last && !column.kind.right && characters::columns(&text) > wide {
                text = match column.kind.header {
                    "USER" | "GROUP" | "EUSER" | "RUSER" | "EGROUP" | "RGROUP" | "UID" => {
                        let mut short = text.get(..wide - 1).unwrap_or(&text).to_vec();
                        short.push(b'+');
                        short
                    }
                    _ => text.get(..wide).unwrap_or(&text).to_vec(),
                };
            }
            let used = characters::columns(&text);
            let room = wide.saturating_sub(lent);
            if column.kind.right {
                line.extend(std::iter::repeat_n(b' ', room.saturating_sub(used)));
                line.extend_from_slice(&text);
            } else {
                line.extend_from_slice(&text);
                if i < last {
                    line.extend(std::iter::repeat_n(b' ', room.saturating_sub(used)));
                }
            }
            lent = used.saturating_sub(room);
        }
        if let Some(width) = self.width {
            line.truncate(width.max(1));
        }
        line.push(b'\n');
        out::put(line);
    }
}
