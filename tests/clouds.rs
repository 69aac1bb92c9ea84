//! Each cloud's client passes the conformance suite against the emulator of its service, over the local provider.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

#[allow(dead_code, reason = "what a client speaks is of interest elsewhere")]
mod clients;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use clients::{CLIENTS, Client, serve};
use sandshell::cloud::ClientOptions;
use sandshell::conformance::{self, Options, Outcome, Report};
use sandshell::emulator::{self, Vendor};
use sandshell::{CreateOptions, ErrorKind, ListOptions, SandboxExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agentcore() {
    let missing = [
        "list and labels",
        "env",
        "snapshot",
        "snapshot and restore",
        "fork",
        "pause",
        "ttl",
        "streaming",
        "background_processes",
        "sessions",
    ];
    suite(Vendor::AgentCore, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn daytona() {
    let missing =
        ["enforces_permissions", "snapshot and restore", "streaming", "background_processes", "sessions"];
    suite(Vendor::Daytona, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deno() {
    suite(Vendor::Deno, &["snapshot", "snapshot and restore", "fork", "pause", "sessions"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e2b() {
    suite(Vendor::E2b, &["enforces_permissions", "snapshot and restore", "sessions"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn langsmith() {
    suite(Vendor::LangSmith, &["enforces_permissions", "snapshot and restore", "fork", "sessions"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modal() {
    let missing = ["enforces_permissions", "snapshot and restore", "fork", "pause", "ttl", "sessions"];
    suite(Vendor::Modal, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runloop() {
    let missing = [
        "enforces_permissions",
        "snapshot and restore",
        "streaming",
        "background_processes",
        "fork",
        "ttl",
        "sessions",
    ];
    suite(Vendor::Runloop, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sandbox0() {
    suite(Vendor::Sandbox0, &["enforces_permissions", "streaming", "list and labels", "sessions"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vercel() {
    suite(Vendor::Vercel, &["sessions"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_of_runloops_snapshots_with_a_name() {
    let client = find(Vendor::Runloop);
    let address = serve([client.vendor], &emulator::Options::default()).await;
    let provider = client.connect(address, client.vendor.example_key(), ClientOptions::default());
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    for (name, content) in [("kept", "old"), ("kept", "new"), ("other", "wrong")] {
        sandbox.run(&format!("echo {content} > kept")).await.expect("an answer");
        provider.snapshot(sandbox.id(), Some(name)).await.expect("a snapshot");
        // Sandboxes are listed by their creation time in milliseconds, so these must differ.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let mut options = CreateOptions::default();
    options.snapshot = Some("kept".to_owned());
    let copy = provider.get_or_create(options).await.expect("a sandbox");
    assert_eq!(copy.run("cat kept").await.expect("an answer").text(), "new\n");
    let mut options = CreateOptions::default();
    options.snapshot = Some("neither this nor a blueprint".to_owned());
    let refused = provider.get_or_create(options).await.expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::NotFound, "{refused}");
}

/// What cargo and pip must be told in files of their own is what the one table says.
#[test]
fn manifests_have_the_clouds_of_the_table() {
    let names: Vec<&str> = Vendor::ALL.iter().map(|vendor| vendor.name()).collect();
    let read = |path: &str| {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path);
        text.parse::<toml::Table>().expect(path)
    };
    for (path, prefix) in [("Cargo.toml", Some("sandshell-providers/")), ("providers/Cargo.toml", None)] {
        let features = &read(path)["features"];
        let all: Vec<&str> = features["all-providers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str())
            .collect();
        assert_eq!(all, names, "all-providers in {path}");
        for name in &names {
            let turns_on = features.get(*name).unwrap_or_else(|| panic!("{path} has no feature {name}"));
            if let Some(prefix) = prefix {
                assert_eq!(turns_on.to_string(), format!("[\"{prefix}{name}\"]"), "{path}");
            }
        }
    }
    let package = read("bindings/python/pyproject.toml");
    let offered = package["project"]["entry-points"]["deepagents_code.sandbox_providers"].as_table();
    let offered: Vec<&str> = offered.into_iter().flatten().filter_map(|(_, class)| class.as_str()).collect();
    let classes: Vec<String> =
        names.iter().map(|name| format!("sandshell.deepagents.clouds:{name}")).collect();
    assert_eq!(offered[1..], classes, "entry points in pyproject.toml");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_key_is_refused_in_the_vendors_way() {
    for client in CLIENTS {
        let options = emulator::Options::default().api_key("the-only-key");
        let address = serve([client.vendor], &options).await;
        let right = client.connect(address, "the-only-key", ClientOptions::default());
        right.list(ListOptions::default()).await.expect("a page");
        let wrong = client.connect(address, client.vendor.example_key(), ClientOptions::default());
        let refused = wrong.list(ListOptions::default()).await.expect_err("refused");
        assert_eq!(refused.kind(), ErrorKind::Unauthenticated, "{}: {refused}", client.vendor);
        let refused = wrong.get_or_create(CreateOptions::default()).await.expect_err("refused");
        assert_eq!(refused.kind(), ErrorKind::Unauthenticated, "{}: {refused}", client.vendor);
    }
}

/// Concurrent commands share connections if the protocol allows it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_commands_share_connections() {
    for client in CLIENTS {
        let upstream = serve([client.vendor], &emulator::Options::default()).await;
        let (address, opened) = counted(upstream).await;
        let mut options = ClientOptions::default();
        // Without TLS, HTTP/2 cannot be negotiated.
        options.http2 = true;
        let provider = client.connect(address, client.vendor.example_key(), options);
        // One sandbox does not have room for all processes.
        let mut sandboxes = Vec::new();
        for _ in 0..4 {
            sandboxes.push(provider.get_or_create(CreateOptions::default()).await.expect("a sandbox"));
        }
        let running: Vec<_> = (0..100)
            .map(|number| {
                let sandbox = sandboxes[number % sandboxes.len()].clone();
                tokio::spawn(async move { sandbox.run(&format!("sleep 0.2; echo {number}")).await })
            })
            .collect();
        for (number, done) in running.into_iter().enumerate() {
            let answer = done.await.expect("a task").expect("an answer");
            assert_eq!(answer.text(), format!("{number}\n"));
        }
        let opened = opened.load(Ordering::SeqCst);
        println!("{}: {opened} connections", client.vendor);
        // Each of LangSmith's commands is a WebSocket, which is a connection.
        let most = if client.vendor == Vendor::LangSmith { 110 } else { 10 };
        assert!(opened <= most, "{}: {opened} connections", client.vendor);
    }
}

/// Commands for which a sandbox has no room wait for their turn, over every service's protocol. Deleting the
/// sandbox ends running and waiting commands, and each gets an answer or an error.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_wait_end_with_their_sandbox() {
    /// More commands than there is room for.
    const COMMANDS: usize = 300;
    /// After this time a call counts as hanging.
    const HANG: Duration = Duration::from_secs(120);
    for client in CLIENTS {
        let vendor = client.vendor;
        let address = serve([vendor], &emulator::Options::default()).await;
        let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
        let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
        let mut running = JoinSet::new();
        for _ in 0..COMMANDS {
            let sandbox = sandbox.clone();
            running.spawn(async move { sandbox.run("sleep 1000").await });
        }
        // By then some commands run, some wait and some are being sent; deleting the sandbox must end all of them.
        tokio::time::sleep(Duration::from_millis(500)).await;
        provider.delete(sandbox.id()).await.expect("an end");
        for _ in 0..COMMANDS {
            let ended = tokio::time::timeout(HANG, running.join_next()).await;
            let ended = ended.unwrap_or_else(|_| panic!("{vendor}: a command outlives its sandbox"));
            if let Ok(answer) = ended.expect("a command").expect("a task") {
                assert!(!answer.success(), "{vendor}: {answer:?}");
            }
        }
    }
}

/// An upload is not held in memory: pieces of it are in the sandbox before it ends. If it breaks off, the existing
/// file is unchanged, and nothing else is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_breaks_off_leaves_nothing() {
    for vendor in [Vendor::AgentCore, Vendor::Deno, Vendor::Vercel] {
        let client = find(vendor);
        let address = serve([vendor], &emulator::Options::default()).await;
        let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
        let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
        sandbox.run("echo old > /tmp/kept").await.expect("an answer");
        let staged = || async {
            let listed = sandbox.run("ls -A /tmp | grep sandshell-").await.expect("an answer");
            listed.text().lines().count()
        };
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        let feed = async {
            // More than two pieces of the largest piece size.
            for _ in 0..20 {
                sender.send(Ok(Bytes::from(vec![7; 1 << 20]))).await.expect("taken");
            }
            let before = staged().await;
            assert!(before > 0, "{vendor}: nothing was sent until now");
            sender.send(Err(std::io::Error::other("the disk is gone"))).await.expect("taken");
            drop(sender);
        };
        let (sent, ()) = tokio::join!(sandbox.upload_from("/tmp/kept", receiver), feed);
        assert!(!matches!(sent, Ok(Ok(()))), "{vendor}: it broke");
        assert_eq!(sandbox.run("cat /tmp/kept").await.expect("an answer").text(), "old\n", "{vendor}");
        let cleared = async {
            while staged().await > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let cleared = tokio::time::timeout(Duration::from_secs(60), cleared).await;
        assert!(cleared.is_ok(), "{vendor}: pieces stay");
    }
}

/// A download is not held in memory either: it arrives in pieces, as fast as they are read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_comes_in_pieces() {
    const SIZE: usize = 20_000_001;
    for client in CLIENTS {
        let vendor = client.vendor;
        let address = serve([vendor], &emulator::Options::default()).await;
        let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
        let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
        let make = format!("yes sandshell | head -c {SIZE} > /tmp/large");
        assert!(sandbox.run(&make).await.expect("an answer").success());
        let (sender, mut receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
        let gather = async {
            let (mut whole, mut largest) = (Vec::new(), 0);
            while let Some(piece) = receiver.recv().await {
                largest = largest.max(piece.len());
                whole.extend_from_slice(&piece);
            }
            (whole, largest)
        };
        let (sent, (whole, largest)) = tokio::join!(sandbox.download_to("/tmp/large", sender), gather);
        assert_eq!(sent.expect("an answer"), Ok(()), "{vendor}");
        assert!(largest <= 4 << 20, "{vendor}: a piece of {largest} bytes");
        let expected = b"sandshell\n".iter().cycle().take(SIZE);
        assert!(whole.len() == SIZE && whole.iter().eq(expected), "{vendor}: it came back changed");
    }
}

/// An address that forwards to another, and how many connections to it were opened.
async fn counted(upstream: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let opened = Arc::<AtomicUsize>::default();
    let count = opened.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut service = TcpStream::connect(upstream).await?;
                tokio::io::copy_bidirectional(&mut client, &mut service).await
            });
        }
    });
    (address, opened)
}

/// Runs both suites with a client that is configured by the emulator's own variables.
async fn suite(vendor: Vendor, missing: &[&str]) {
    let client = find(vendor);
    let address = serve([vendor], &emulator::Options::default()).await;
    let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
    complete(&conformance::run_provider(&*provider, &options()).await, missing);
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    complete(&conformance::run(&*sandbox, &options()).await, missing);
    provider.delete(sandbox.id()).await.expect("an end");
}

fn find(vendor: Vendor) -> &'static Client {
    CLIENTS.iter().find(|client| client.vendor == vendor).expect("a client")
}

/// Checks that all cases passed except those that need one of these capabilities, which the vendor lacks.
fn complete(report: &Report, missing: &[&str]) {
    println!("{report}");
    let none = report.cases.is_empty() && options().only.is_some();
    assert!(none || report.passed(), "{report}");
    for case in &report.cases {
        if let Outcome::Skipped(reason) = &case.outcome {
            let known = missing.iter().any(|capability| *reason == format!("needs {capability}"));
            assert!(known, "{} was skipped: {reason}", case.name);
        }
    }
}

fn options() -> Options {
    let mut options = Options::default();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    options
}
