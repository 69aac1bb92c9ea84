//! `sandshell:kernel/processes`: the process's identity, children and signals.

use std::sync::atomic::Ordering;

use super::processes_interface::{Change, Disposition, Host, Identity, Invocation, Program, Report};
use super::{KernelResult, State, answer, as_waiting_call};
use crate::abi::process::{self as calls, CLOSE, RESET_SIGNALS, SETPGID, SpawnRequest};
use crate::abi::signal as signals;
use crate::error::{Errno, Result};
use crate::execution::exec::Request;
use crate::execution::unwind::Unwind;
use crate::kernel::wait;
use crate::process::signal;
use crate::process::table::INIT;

/// Linux's `WCONTINUED`.
const WCONTINUED: u32 = 8;

fn request(program: Program) -> SpawnRequest {
    let flags = if program.group.is_some() { SETPGID } else { 0 }
        | if program.reset_signals { RESET_SIGNALS } else { 0 };
    let fds = program.fds.into_iter().map(|(child, own)| (child, own.unwrap_or(CLOSE))).collect();
    SpawnRequest {
        request: Request { path: program.path, argv: program.argv, env: program.env },
        fds,
        cwd: program.cwd.unwrap_or_default(),
        flags,
        pgid: program.group.unwrap_or(0),
        session: program.session,
        umask: program.umask,
    }
}

/// The kernel's wait flags for options of `waitpid`.
fn wait_flags(options: u32) -> Result<u32> {
    let known = wait::NOHANG | wait::UNTRACED;
    match options & !(known | WCONTINUED) {
        0 => Ok(options & known | if options & WCONTINUED != 0 { wait::CONTINUED } else { 0 }),
        _ => Err(Errno::INVAL),
    }
}

fn change(report: wait::Report) -> Report {
    let change = match report.kind {
        0 => Change::Exited,
        1 => Change::Signaled,
        2 => Change::Stopped,
        _ => Change::Continued,
    };
    Report { pid: report.pid, change, value: report.value, cpu: report.cpu }
}

impl State {
    fn group_of(&self, pid: u32) -> Result<u32> {
        let pid = if pid == 0 { self.process.pid } else { pid };
        Ok(self.kernel.table.lock().get(pid).ok_or(Errno::SRCH)?.group)
    }
}

impl Host for &mut State {
    fn invoked(&mut self) -> Invocation {
        let identity = self.process.identity();
        let cwd = self.kernel.namespace.absolute_path(&self.process.cwd()).unwrap_or_default();
        Invocation { argv: identity.argv.clone(), env: identity.env.clone(), exe: identity.exe.clone(), cwd }
    }

    fn exit(&mut self, status: u8) -> wasmtime::Result<()> {
        Err(Unwind::Exit(status.into()).into())
    }

    async fn spawn(&mut self, program: Program) -> KernelResult<u32> {
        let (kernel, process) = (&self.kernel, &self.process);
        answer(as_waiting_call(process, calls::start(kernel, process, request(program))).await)
    }

    async fn exec(&mut self, program: Program) -> wasmtime::Result<KernelResult<()>> {
        let process = self.process.clone();
        match as_waiting_call(&process, calls::replace(&self.kernel, &process, request(program))).await {
            Err(errno) => Ok(Err(super::number(errno))),
            Ok(image) => {
                self.exec = Some(image);
                Err(Unwind::Exec.into())
            }
        }
    }

    async fn wait(&mut self, pid: i32, options: u32) -> KernelResult<Option<Report>> {
        let flags = answer(wait_flags(options))?;
        let process = &self.process;
        let report = as_waiting_call(process, wait::wait(&self.kernel, process, pid, flags)).await;
        Ok(answer(report)?.map(change))
    }

    async fn kill(&mut self, pid: i32, signal: u32) -> KernelResult<()> {
        let process = &self.process;
        answer(
            as_waiting_call(process, async { signals::send(&self.kernel, process.pid, pid, signal) }).await,
        )
    }

    fn sigaction(&mut self, number: u32, disposition: Disposition) -> KernelResult<Disposition> {
        let wanted = match disposition {
            Disposition::Default => signal::Disposition::Default,
            Disposition::Ignore => signal::Disposition::Ignore,
            Disposition::Catch => signal::Disposition::Catch,
            Disposition::CatchWaiting => signal::Disposition::CatchWaiting,
        };
        let old = answer(signals::set_disposition(&self.process, number, wanted))?;
        Ok(match old {
            signal::Disposition::Default => Disposition::Default,
            signal::Disposition::Ignore | signal::Disposition::IgnoreHere => Disposition::Ignore,
            signal::Disposition::Catch => Disposition::Catch,
            signal::Disposition::CatchWaiting => Disposition::CatchWaiting,
        })
    }

    fn sigtake(&mut self) -> u32 {
        self.process.signals.take().unwrap_or(0)
    }

    fn alarm(&mut self, nanoseconds: u64) -> u64 {
        signals::set_alarm(&self.kernel, &self.process, nanoseconds)
    }

    fn ids(&mut self) -> Identity {
        let process = &self.process;
        let table = self.kernel.table.lock();
        let entry = table.get(process.pid);
        Identity {
            pid: process.pid,
            ppid: entry.map_or(INIT, |entry| entry.parent),
            group: entry.map_or(process.pid, |entry| entry.group),
            session: entry.map_or(process.pid, |entry| entry.session),
            uid: process.uid,
            gid: process.gid,
        }
    }

    fn getpgid(&mut self, pid: u32) -> KernelResult<u32> {
        answer(self.group_of(pid))
    }

    fn setpgid(&mut self, pid: u32, group: u32) -> KernelResult<()> {
        let own = self.process.pid;
        let pid = if pid == 0 { own } else { pid };
        answer(calls::set_group(&self.kernel, own, pid, group))
    }

    fn setsid(&mut self) -> KernelResult<u32> {
        let pid = self.process.pid;
        answer(calls::new_session(&self.kernel, pid).map(|()| pid))
    }

    fn umask(&mut self, mask: u32) -> u32 {
        self.process.umask.swap(mask & 0o777, Ordering::Relaxed)
    }

    fn times(&mut self) -> (u64, u64) {
        (self.process.cpu(), self.process.children_cpu.load(Ordering::Relaxed))
    }

    fn getrlimit(&mut self, resource: u32) -> KernelResult<(u64, u64)> {
        answer(self.process.rlimits.lock().get(resource))
    }

    fn setrlimit(&mut self, resource: u32, soft: u64, hard: u64) -> KernelResult<()> {
        let set = self.process.rlimits.lock().set(resource, soft, hard);
        self.process.apply_limits();
        answer(set)
    }

    fn hostname(&mut self) -> Vec<u8> {
        self.kernel.hostname.clone()
    }

    fn processors(&mut self) -> u32 {
        self.kernel.cpus
    }
}
