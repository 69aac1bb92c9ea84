//! Every cloud's client runs the conformance suite against the emulator of its service, over the local provider.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use sandshell::cloud::Variables;
use sandshell::conformance::{self, Options, Outcome, Report};
use sandshell::emulator::{self, Emulator, Vendor};
use sandshell::{CreateOptions, Engine, LocalOptions, LocalProvider, SandboxProvider};
use tokio::net::TcpListener;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agentcore() {
    let provider = |variables: &Variables<'_>| {
        sandshell::agentcore::AgentCoreProvider::new(sandshell::agentcore::AgentCoreOptions::from_variables(
            variables,
        ))
    };
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
    ];
    suite(Vendor::AgentCore, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn daytona() {
    let provider = |variables: &Variables<'_>| {
        sandshell::daytona::DaytonaProvider::new(sandshell::daytona::DaytonaOptions::from_variables(
            variables,
        ))
    };
    let missing = ["enforces_permissions", "snapshot and restore", "streaming", "background_processes"];
    suite(Vendor::Daytona, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deno() {
    let provider = |variables: &Variables<'_>| {
        sandshell::deno::DenoProvider::new(sandshell::deno::DenoOptions::from_variables(variables))
    };
    let missing = ["snapshot", "snapshot and restore", "fork", "pause"];
    suite(Vendor::Deno, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e2b() {
    let provider = |variables: &Variables<'_>| {
        sandshell::e2b::E2bProvider::new(sandshell::e2b::E2bOptions::from_variables(variables))
    };
    suite(Vendor::E2b, provider, &["enforces_permissions", "snapshot and restore"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn langsmith() {
    let provider = |variables: &Variables<'_>| {
        sandshell::langsmith::LangSmithProvider::new(sandshell::langsmith::LangSmithOptions::from_variables(
            variables,
        ))
    };
    suite(Vendor::LangSmith, provider, &["enforces_permissions", "snapshot and restore", "fork"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modal() {
    let provider = |variables: &Variables<'_>| {
        sandshell::modal::ModalProvider::new(sandshell::modal::ModalOptions::from_variables(variables))
    };
    let missing = ["enforces_permissions", "snapshot and restore", "fork", "pause", "ttl"];
    suite(Vendor::Modal, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runloop() {
    let provider = |variables: &Variables<'_>| {
        sandshell::runloop::RunloopProvider::new(sandshell::runloop::RunloopOptions::from_variables(
            variables,
        ))
    };
    let missing =
        ["enforces_permissions", "snapshot and restore", "streaming", "background_processes", "fork", "ttl"];
    suite(Vendor::Runloop, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sandbox0() {
    let provider = |variables: &Variables<'_>| {
        sandshell::sandbox0::Sandbox0Provider::new(sandshell::sandbox0::Sandbox0Options::from_variables(
            variables,
        ))
    };
    let missing = ["enforces_permissions", "streaming", "list and labels"];
    suite(Vendor::Sandbox0, provider, &missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vercel() {
    let provider = |variables: &Variables<'_>| {
        sandshell::vercel::VercelProvider::new(sandshell::vercel::VercelOptions::from_variables(variables))
    };
    suite(Vendor::Vercel, provider, &[]).await;
}

/// Runs both suites through a client that the emulator's own variables point at it.
async fn suite<P: SandboxProvider>(
    vendor: Vendor,
    provider: impl Fn(&Variables<'_>) -> sandshell::Result<P>,
    missing: &[&str],
) {
    let url = serve(vendor).await;
    let variables = vendor.variables(&url, vendor.example_key());
    let get = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
    let provider = provider(&Variables(&get)).expect("a client");
    complete(&conformance::run_provider(&provider, &options()).await, missing);
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    complete(&conformance::run(&*sandbox, &options()).await, missing);
    provider.delete(sandbox.id()).await.expect("an end");
}

/// The address of an emulator that lives as long as the test.
async fn serve(vendor: Vendor) -> String {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| sandshell::engine(None).expect("an engine")).clone();
    let local = LocalProvider::new(engine, LocalOptions::default()).expect("a provider");
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let emulator = Emulator::new(Arc::new(local), [vendor], &emulator::Options::default());
    tokio::spawn(emulator.serve(listener));
    format!("http://{address}")
}

/// Everything passed but what needs one of these capabilities, which the vendor does not have.
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
    options.only = std::env::var("CONFORMANCE").ok();
    options
}
