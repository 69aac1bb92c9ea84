//! The files of the whole system.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Weak;
use std::sync::atomic::Ordering;

use sandshell_vfs::{Errno, Result, SyntheticNode, TimeSource};

use super::{directory, file};
use crate::kernel::KernelInner;
use crate::process::table::{PID_MAX, State};
use crate::random::RandomStream;

const FIRST: u64 = 16;
const SYS: u64 = 64;

/// Makes a file's text.
pub(super) type Text = fn(&KernelInner) -> Result<String>;

const FILES: [(&[u8], Text); 8] = [
    (b"cpuinfo", cpuinfo),
    (b"filesystems", filesystems),
    (b"loadavg", loadavg),
    (b"meminfo", meminfo),
    (b"stat", stat),
    (b"uptime", uptime),
    (b"version", version),
    (b"cmdline", |_| Ok("sandshell\n".into())),
];

const SYSCTLS: [(&[u8], Text); 6] = [
    (b"hostname", |kernel| Ok(format!("{}\n", String::from_utf8_lossy(&kernel.hostname)))),
    (b"ostype", |_| Ok("Linux\n".into())),
    (b"osrelease", |_| Ok(format!("{RELEASE}\n"))),
    (b"version", |_| Ok(format!("{VERSION}\n"))),
    (b"pid_max", |_| Ok(format!("{PID_MAX}\n"))),
    (b"ngroups_max", |_| Ok("65536\n".into())),
];

/// The release of Linux whose interface the kernel follows.
const RELEASE: &str = "6.1.0-sandshell";
const VERSION: &str = "#1 SMP sandshell";

/// The nodes of `/proc` that do not belong to a process.
pub(super) fn files(kernel: &Weak<KernelInner>) -> Vec<(&'static [u8], SyntheticNode)> {
    let mut nodes: Vec<_> =
        FILES.iter().zip(FIRST..).map(|((name, text), ino)| (*name, text_file(kernel, ino, *text))).collect();
    nodes.push((b"sys", sys(kernel)));
    nodes
}

pub(super) fn text_file(kernel: &Weak<KernelInner>, ino: u64, text: Text) -> SyntheticNode {
    let kernel = kernel.clone();
    file(ino, 0o444, (0, 0), move |_| {
        let kernel = kernel.upgrade().ok_or(Errno::Io)?;
        text(&kernel).map(String::into_bytes)
    })
}

fn sys(kernel: &Weak<KernelInner>) -> SyntheticNode {
    let random: BTreeMap<Box<[u8]>, SyntheticNode> =
        BTreeMap::from([(Box::from(&b"uuid"[..]), text_file(kernel, SYS + 3, uuid))]);
    let mut sysctls: BTreeMap<Box<[u8]>, SyntheticNode> = SYSCTLS
        .iter()
        .zip(SYS + 8..)
        .map(|((name, text), ino)| (Box::from(*name), text_file(kernel, ino, *text)))
        .collect();
    sysctls.insert(Box::from(&b"random"[..]), directory(SYS + 2, 0o555, (0, 0), random));
    let kernel_directory = directory(SYS + 1, 0o555, (0, 0), sysctls);
    let top: BTreeMap<Box<[u8]>, SyntheticNode> =
        BTreeMap::from([(Box::from(&b"kernel"[..]), kernel_directory)]);
    directory(SYS, 0o555, (0, 0), top)
}

fn cpuinfo(kernel: &KernelInner) -> Result<String> {
    let mut text = String::new();
    for cpu in 0..kernel.cpus {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "processor\t: {cpu}\nvendor_id\t: WebAssembly\nmodel name\t: wasm32\nflags\t\t: simd128 bulk-memory\n\n"
        );
    }
    Ok(text)
}

fn filesystems(_: &KernelInner) -> Result<String> {
    Ok("nodev\tproc\nnodev\ttmpfs\nnodev\toverlay\n".into())
}

fn loadavg(kernel: &KernelInner) -> Result<String> {
    let table = kernel.table.lock();
    let running = table.iter().filter(|(_, entry)| entry.state == State::Running).count();
    let last = table.iter().map(|(pid, _)| pid).max().unwrap_or(1);
    Ok(format!("0.00 0.00 0.00 {running}/{} {last}\n", table.len()))
}

fn meminfo(kernel: &KernelInner) -> Result<String> {
    let total = kernel.limits.sandbox_memory / 1024;
    let free = total.saturating_sub(kernel.memory.load(Ordering::Relaxed) / 1024);
    let lines = [("MemTotal", total), ("MemFree", free), ("MemAvailable", free)];
    let zeros = ["Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"].map(|name| (name, 0));
    Ok(lines
        .iter()
        .chain(&zeros)
        .map(|(name, kib)| format!("{:<15} {kib:>8} kB\n", format!("{name}:")))
        .collect())
}

fn stat(kernel: &KernelInner) -> Result<String> {
    let mut text = String::from("cpu  0 0 0 0 0 0 0 0 0 0\n");
    for cpu in 0..kernel.cpus {
        let _ = writeln!(text, "cpu{cpu} 0 0 0 0 0 0 0 0 0 0");
    }
    let table = kernel.table.lock();
    let running = table.iter().filter(|(_, entry)| entry.state == State::Running).count();
    let now = kernel.clock.now().secs;
    let up = i64::try_from(kernel.clock.monotonic() / 1_000_000_000).unwrap_or(0);
    let _ = write!(
        text,
        "ctxt 0\nbtime {}\nprocesses {}\nprocs_running {running}\nprocs_blocked 0\n",
        now.saturating_sub(up),
        table.len()
    );
    Ok(text)
}

fn uptime(kernel: &KernelInner) -> Result<String> {
    let centiseconds = kernel.clock.monotonic() / 10_000_000;
    let up = format!("{}.{:02}", centiseconds / 100, centiseconds % 100);
    Ok(format!("{up} {up}\n"))
}

fn version(_: &KernelInner) -> Result<String> {
    Ok(format!("Linux version {RELEASE} (sandshell) {VERSION}\n"))
}

/// A random UUID, version 4 (RFC 9562).
fn uuid(kernel: &KernelInner) -> Result<String> {
    let mut bytes = [0; 16];
    if !RandomStream::new(kernel.random, 0).fill(&mut bytes) {
        return Err(Errno::Io);
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let (a, rest) = hex.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    Ok(format!("{a}-{b}-{c}-{d}-{e}\n"))
}
