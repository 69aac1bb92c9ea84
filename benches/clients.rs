//! Measures the cost of the clouds' clients: this process's processor time for a call to the emulator (another
//! process), compared with the vendor's Python SDK for the same call in the same run.
//!
//! The SDKs are those that `python3 tests/sdk/run.py` installs (in `target/sdk`, or in the directory of
//! `SANDSHELL_SDK`); without them their column is empty.
#![allow(clippy::print_stdout, reason = "the table is what a bench is for")]

#[path = "../tests/clients/mod.rs"]
#[allow(dead_code, reason = "the emulator is another process here")]
mod clients;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::{CLIENTS, Client, Wire};
use rustix::time::{ClockId, clock_gettime};
use sandshell::cloud::ClientOptions;
use sandshell::{CreateOptions, FileUpload, Result, Sandbox, SandboxExt, SandboxProvider};

/// How many calls of each kind are made.
const CALLS: u32 = 300;

/// The most processor time that a call may take.
const GOAL: Duration = Duration::from_micros(200);

/// The goal: the SDK takes at least this many times as much.
const FACTOR: f64 = 10.0;

/// The size of a large file, and of its pieces.
const LARGE: usize = 1 << 30;
const PIECE: usize = 256 << 10;

/// The most memory that transferring a large file may take.
const MEMORY: u64 = 64 << 20;

fn main() {
    // One thread, as in the SDKs: this measures the client, not how a runtime wakes its other threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!(
        "{:<22} {:>12} {:>12} {:>8}  goals of REST: {GOAL:?}, {FACTOR} times less to execute",
        "call", "sandshell", "SDK", "ratio"
    );
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for client in CLIENTS {
        let vendor = client.vendor.name();
        if !only.is_empty() && !only.iter().any(|only| only == vendor) {
            continue;
        }
        let service = Service::start(client);
        let ours = runtime.block_on(measure(&service)).expect("the calls");
        let theirs = sdk(&service);
        for (name, cost) in ours {
            let sdk = theirs.as_ref().and_then(|costs| costs[name].as_f64());
            let shown = |seconds: f64| format!("{:.0} µs", seconds * 1e6);
            let ratio = sdk.map(|sdk| sdk / cost.as_secs_f64());
            let met = cost <= GOAL && (name != "execute" || ratio.is_none_or(|ratio| ratio >= FACTOR));
            println!(
                "{:<22} {:>12} {:>12} {:>8}  {}",
                format!("{vendor} {name}"),
                shown(cost.as_secs_f64()),
                sdk.map_or_else(|| "-".to_owned(), shown),
                ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.0}x")),
                match client.wire {
                    Wire::Http if met => "met",
                    Wire::Http => "missed",
                    _ => "",
                }
            );
        }
        let (took, connections) = runtime.block_on(crowd(&service)).expect("the crowd");
        println!("{:<22} {took:>12.0?} {connections:>8} connections", format!("{vendor} 100 at once"));
        for (name, took, memory) in runtime.block_on(large(&service)).expect("the files") {
            let met = if memory <= MEMORY { "met" } else { "missed" };
            let shown = format!("{vendor} {name}");
            println!("{shown:<22} {took:>12.1?} {:>8} MiB of memory more, goal 64: {met}", memory >> 20);
        }
    }
}

/// An emulator in a process of its own.
struct Service {
    client: &'static Client,
    process: Child,
    address: SocketAddr,
}

impl Service {
    fn start(client: &'static Client) -> Self {
        // A port that was just free.
        let free = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let process = Command::new(env!("CARGO_BIN_EXE_sandshell"))
            .args(["serve", "--port", &address.port().to_string(), "--emulate", client.vendor.name()])
            .stdout(Stdio::piped())
            .spawn();
        let mut service = Self { client, process: process.expect("an emulator"), address };
        // It prints its address when it listens.
        let mut line = String::new();
        let output = service.process.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        service
    }

    fn connect(&self) -> Arc<dyn SandboxProvider> {
        let mut options = ClientOptions::default();
        // Without TLS, HTTP/2 cannot be negotiated, but the emulator is known to support it.
        options.http2 = true;
        self.client.connect(self.address, self.client.vendor.example_key(), options)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

async fn measure(service: &Service) -> Result<[(&'static str, Duration); 2]> {
    let provider = service.connect();
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    sandbox.upload_files(vec![FileUpload::new("/tmp/f", "x".repeat(1024))]).await?;
    sandbox.run("true").await?;
    let began = cpu();
    for _ in 0..CALLS {
        sandbox.run("true").await?;
    }
    let execute = cpu().saturating_sub(began) / CALLS;
    let began = cpu();
    for _ in 0..CALLS {
        sandbox.download_files(vec!["/tmp/f".to_owned()]).await?;
    }
    let download = cpu().saturating_sub(began) / CALLS;
    provider.delete(sandbox.id()).await?;
    Ok([("execute", execute), ("download", download)])
}

/// Runs a hundred commands at once over one client; also returns the most connections.
async fn crowd(service: &Service) -> Result<(Duration, usize)> {
    let provider = service.connect();
    let sandbox: Arc<dyn Sandbox> = provider.get_or_create(CreateOptions::default()).await?;
    let began = Instant::now();
    let running: Vec<_> = (0..100)
        .map(|_| {
            let sandbox = sandbox.clone();
            tokio::spawn(async move { sandbox.run("sleep 1").await })
        })
        .collect();
    let mut most = 0;
    while !running.iter().all(tokio::task::JoinHandle::is_finished) {
        most = most.max(connections());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let took = began.elapsed();
    let mut failed = 0;
    for done in running {
        failed += usize::from(!done.await.expect("a task")?.success());
    }
    if failed > 0 {
        // A service may start several processes for each command, and a sandbox has a limit for processes.
        println!("{:<22} {failed} of 100 commands failed", "");
    }
    provider.delete(sandbox.id()).await?;
    Ok((took, most))
}

/// Uploads and downloads a file that is larger than the allowed memory; returns how long each took and how much
/// memory it added.
async fn large(service: &Service) -> Result<[(&'static str, Duration, u64); 2]> {
    let provider = service.connect();
    let sandbox = provider.get_or_create(CreateOptions::default()).await?;
    let before = peak_from_now();
    let began = Instant::now();
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let feed = async move {
        let piece = Bytes::from(vec![7; PIECE]);
        for _ in 0..LARGE / PIECE {
            // A new copy, as when reading a file.
            if sender.send(Ok(Bytes::copy_from_slice(&piece))).await.is_err() {
                return;
            }
        }
    };
    let (sent, ()) = tokio::join!(sandbox.upload_from("/tmp/large", receiver), feed);
    sent?.expect("uploaded");
    let up = ("1 GiB up", began.elapsed(), peak().saturating_sub(before));

    let before = peak_from_now();
    let began = Instant::now();
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<Bytes>(4);
    let count = async {
        let mut bytes = 0;
        while let Some(piece) = receiver.recv().await {
            bytes += piece.len();
        }
        bytes
    };
    let (fetched, bytes) = tokio::join!(sandbox.download_to("/tmp/large", sender), count);
    fetched?.expect("downloaded");
    assert_eq!(bytes, LARGE);
    let down = ("1 GiB down", began.elapsed(), peak().saturating_sub(before));
    provider.delete(sandbox.id()).await?;
    Ok([up, down])
}

/// Resets the peak of memory use; returns the current use.
fn peak_from_now() -> u64 {
    drop(std::fs::write("/proc/self/clear_refs", "5"));
    peak()
}

/// The peak of memory use, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// The SDK's results for the same calls.
fn sdk(service: &Service) -> Option<serde_json::Value> {
    let vendor = service.client.vendor;
    let variables = vendor.variables(&format!("http://{}", service.address), vendor.example_key());
    let place = std::env::var_os("SANDSHELL_SDK").map_or_else(|| PathBuf::from("target/sdk"), PathBuf::from);
    // The environment is named after the pins. The adapter has an environment of its own with another version.
    let pins = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/sdk/{vendor}/requirements.txt"));
    let sum = Command::new("sha256sum").arg(pins).output().ok()?;
    let sum = String::from_utf8(sum.stdout).ok()?;
    let found = place.join(format!("{vendor}-py-{}", sum.get(..12)?));
    if !found.join("complete").exists() {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/clients.py");
    let mut command = Command::new(found.join("bin/python"));
    command.arg(script).arg(vendor.name()).arg(CALLS.to_string()).envs(variables);
    let output = command.stderr(Stdio::inherit()).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// The processor time of this process.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// The number of open sockets of this process.
fn connections() -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let socket = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path()).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
    };
    entries.filter(socket).count()
}
