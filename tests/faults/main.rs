//! Faults between a client and its service must give a typed error within the deadline, without a hang or panic,
//! and no command may run twice. Each client talks through a proxy to the emulator of its service.
#![cfg(target_os = "linux")]

#[path = "../clients/mod.rs"]
mod clients;
mod fault;
mod proxy;

use std::net::Ipv4Addr;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use clients::{CLIENTS, Client, serve};
use fault::Fault;
use libtest_mimic::{Arguments, Failed, Trial};
use proxy::Proxy;
use sandshell::cloud::ClientOptions;
use sandshell::emulator::Options;
use sandshell::{
    CreateOptions, Error, ErrorKind, ExecuteRequest, FileUpload, ListOptions, Result, Sandbox, SandboxExt,
    SandboxProvider, SandboxState,
};
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;

/// After this time a call counts as hanging. Deadlines of calls are far shorter, and even a busy machine is far
/// quicker.
const HANG: Duration = Duration::from_secs(60);

/// How many tests run at once: they mostly wait.
const AT_ONCE: usize = 24;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = arguments.test_threads.or(Some(AT_ONCE));
    let mut trials = Vec::new();
    for client in CLIENTS {
        for (name, faults, test) in SPOILED {
            for fault in *faults {
                let name = format!("{}::{name}::{fault:?}", client.vendor);
                trials.push(Trial::test(name, move || run(client, |place| test(place, *fault))));
            }
        }
        for (name, test) in OTHERS {
            let name = format!("{}::{name}", client.vendor);
            trials.push(Trial::test(name, move || run(client, test)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Test = Pin<Box<dyn Future<Output = ()> + Send>>;
type Spoiled = fn(Place, Fault) -> Test;
type Other = fn(Place) -> Test;

/// Tests that run with each of several faults.
const SPOILED: &[(&str, &[Fault], Spoiled)] = &[
    ("every_call_has_its_typed_error", Fault::ALL, |place, fault| Box::pin(typed_errors(place, fault))),
    ("no_command_runs_twice", Fault::ALL, |place, fault| Box::pin(once(place, fault))),
    ("what_passes_is_got_over", Fault::PASSING, |place, fault| Box::pin(passes(place, fault))),
];

/// Tests that bring their own faults.
const OTHERS: &[(&str, Other)] = &[
    ("files_in_pieces", |place| Box::pin(pieces(place))),
    ("nobody_listens", |place| {
        Box::pin(async move {
            let (_port, nobody) = place.nobody();
            refused(&*nobody).await;
        })
    }),
    ("a_sandbox_that_cannot_be_made_ready", |place| Box::pin(half_made(place))),
    ("a_sandbox_that_dies", |place| Box::pin(dies(place))),
];

/// Runs a test on the common runtime.
fn run(client: &'static Client, test: impl FnOnce(Place) -> Test) -> Result<(), Failed> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| Runtime::new().expect("a runtime"));
    runtime.block_on(async { test(Place::new(client).await).await });
    Ok(())
}

/// An emulator with a proxy in front of it, and a client for each.
struct Place {
    client: &'static Client,
    proxy: Arc<Proxy>,
    /// Connected through the proxy.
    provider: Arc<dyn SandboxProvider>,
    /// Connected directly.
    direct: Arc<dyn SandboxProvider>,
}

impl Place {
    async fn new(client: &'static Client) -> Self {
        let upstream = serve([client.vendor], &Options::default()).await;
        let proxy = Proxy::start(upstream).await;
        let key = client.vendor.example_key();
        let provider = client.connect(proxy.address, key, hasty());
        let direct = client.connect(upstream, key, ClientOptions::default());
        Self { client, proxy, provider, direct }
    }

    /// A client of an address where nobody listens. The socket reserves the address while it exists.
    fn nobody(&self) -> (TcpSocket, Arc<dyn SandboxProvider>) {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
        let address = socket.local_addr().expect("an address");
        (socket, self.client.connect(address, self.client.vendor.example_key(), hasty()))
    }
}

/// Deadlines that are short enough for a test.
fn hasty() -> ClientOptions {
    let mut options = ClientOptions::default();
    options.deadline = Duration::from_secs(3);
    options.idle_timeout = Duration::from_secs(2);
    options.connect_timeout = Duration::from_secs(2);
    options.ready_timeout = Duration::from_secs(4);
    options.ready_interval = Duration::from_millis(100);
    options.retries = 1;
    options
}

/// Fails the test instead of hanging.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(HANG, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} hangs"),
    }
}

/// Every request of a call has the fault.
async fn typed_errors(place: Place, fault: Fault) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    place.proxy.arm(fault, 0..usize::MAX);
    let calls = ["create", "list", "delete", "execute", "stream", "upload", "download"].map(|call| {
        let (provider, sandbox) = (place.provider.clone(), sandbox.clone());
        (call, tokio::spawn(async move { within(call, make(call, &*provider, &*sandbox)).await }))
    });
    for (call, done) in calls {
        match done.await.expect("no panic") {
            Ok(()) => assert!(fault.is_harmless(call, place.client.wire), "{call} succeeded"),
            Err(error) => {
                let kind = error.kind();
                let expected = fault.expected(place.client.wire);
                assert!(expected.contains(&kind), "{call}: {kind:?}: {error}");
                assert!(!error.to_string().is_empty());
            }
        }
    }
    place.proxy.disarm();
    assert_eq!(sandbox.run("echo alive").await.expect("an answer").text(), "alive\n");
}

async fn make(call: &str, provider: &dyn SandboxProvider, sandbox: &dyn Sandbox) -> Result<()> {
    match call {
        "create" => provider.get_or_create(CreateOptions::default()).await.map(drop),
        "list" => provider.list(ListOptions::default()).await.map(drop),
        "delete" => provider.delete("no-such-sandbox").await,
        "execute" => sandbox.run("echo hello").await.map(drop),
        "stream" => {
            let (sender, mut receiver) = tokio::sync::mpsc::channel(16);
            let drain = async { while receiver.recv().await.is_some() {} };
            tokio::join!(sandbox.execute_streaming(ExecuteRequest::new("echo hello"), sender), drain)
                .0
                .map(drop)
        }
        "upload" => {
            let responses = sandbox.upload_files(vec![FileUpload::new("/tmp/f", "content")]).await?;
            let failed = responses.into_iter().find_map(|response| response.result.err());
            failed.map_or(Ok(()), |why| Err(Error::new(ErrorKind::Unavailable, why.to_string())))
        }
        _ => {
            let responses = sandbox.download_files(vec!["/etc/hostname".to_owned()]).await?;
            let failed = responses.into_iter().find_map(|response| response.result.err());
            failed.map_or(Ok(()), |why| Err(Error::new(ErrorKind::Unavailable, why.to_string())))
        }
    }
}

/// Each request of an execute has the fault in turn. A file in the sandbox counts how often the command ran.
async fn once(place: Place, fault: Fault) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let witness = place.direct.get_or_create(CreateOptions::existing(sandbox.id())).await.expect("the same");
    for number in 0.. {
        let file = format!("/tmp/count-{number}");
        let what = format!("request {number} of execute");
        place.proxy.arm(fault, number..number + 1);
        let request = ExecuteRequest::new(format!("echo x >> {file}")).timeout(Duration::from_secs(10));
        let done = within(&what, sandbox.execute(request)).await;
        let spoiled = place.proxy.disarm() > number;
        let ran = witness.run(&format!("cat {file} 2>/dev/null")).await.expect("an answer");
        let ran = ran.text().lines().count();
        assert!(ran <= 1, "{what}: the command ran {ran} times");
        if let Ok(response) = done {
            assert_eq!((ran, response.exit_code), (1, Some(0)), "{what}");
        }
        if !spoiled {
            break;
        }
    }
}

/// Idempotent calls are retried.
async fn passes(place: Place, fault: Fault) {
    place.proxy.arm(fault, 0..1);
    let listed = within("list", place.provider.list(ListOptions::default())).await;
    assert!(place.proxy.disarm() > 1, "it was not repeated");
    listed.expect("a page");
}

/// A file is uploaded and downloaded in pieces, unchanged; a failure in the middle is an error.
async fn pieces(place: Place) {
    let sandbox = place.direct.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let piece = Bytes::from((0..=255u8).cycle().take(100_000).collect::<Vec<_>>());
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let sent = piece.clone();
    let feed = async move {
        for _ in 0..30 {
            sender.send(Ok(sent.clone())).await.expect("taken");
        }
    };
    let (uploaded, ()) =
        within("upload", async { tokio::join!(sandbox.upload_from("/tmp/new/large", receiver), feed) }).await;
    assert_eq!(uploaded.expect("uploaded"), Ok(()));
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let gather = async {
        let mut whole = Vec::new();
        while let Some(piece) = receiver.recv().await {
            whole.extend_from_slice(&piece);
        }
        whole
    };
    let (downloaded, whole) =
        within("download", async { tokio::join!(sandbox.download_to("/tmp/new/large", sender), gather) })
            .await;
    assert_eq!(downloaded.expect("downloaded"), Ok(()));
    assert!(whole == piece.repeat(30), "it came back changed: {} bytes", whole.len());

    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    sender.send(Ok(piece)).await.expect("taken");
    sender.send(Err(std::io::Error::other("the disk is gone"))).await.expect("taken");
    drop(sender);
    let half = within("upload", sandbox.upload_from("/tmp/half", receiver)).await;
    assert!(!matches!(half, Ok(Ok(()))), "it broke");
    let (sender, _receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    let missing = within("download", sandbox.download_to("/nope", sender)).await.expect("an answer");
    assert_eq!(missing, Err(sandshell::FileError::FileNotFound));
}

async fn refused(provider: &dyn SandboxProvider) {
    let list = within("list", provider.list(ListOptions::default())).await.map(drop);
    let create = within("create", provider.get_or_create(CreateOptions::default())).await.map(drop);
    let delete = within("delete", provider.delete("x")).await;
    for result in [list, create, delete] {
        assert_eq!(result.expect_err("nobody is there").kind(), ErrorKind::Unavailable);
    }
}

/// If creating a sandbox fails, nobody has its handle, so the client must end it.
async fn half_made(place: Place) {
    let options = CreateOptions::default().workdir("/dev/null/below");
    let created = within("create", place.provider.get_or_create(options)).await;
    assert_eq!(created.map(drop).expect_err("nothing is below a file").kind(), ErrorKind::InvalidRequest);
    let page = place.direct.list(ListOptions::default()).await.expect("a list");
    let living: Vec<_> = page.sandboxes.iter().filter(|info| info.state != SandboxState::Ended).collect();
    assert!(living.is_empty(), "{living:?}");
}

async fn dies(place: Place) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let end = async {
        // Before the command runs there is nothing to end.
        let witness =
            place.direct.get_or_create(CreateOptions::existing(sandbox.id())).await.expect("the same");
        while !witness.run("[ -e /tmp/begun ]").await.expect("an answer").success() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        place.direct.delete(sandbox.id()).await.expect("an end");
    };
    let running = sandbox.run("touch /tmp/begun; sleep 300");
    let (answer, ()) = within("execute", async { tokio::join!(running, end) }).await;
    match answer {
        Ok(response) => assert!(!response.success(), "{response:?}"),
        Err(error) => {
            let kind = error.kind();
            let known = [ErrorKind::SandboxEnded, ErrorKind::NotFound, ErrorKind::Unavailable];
            assert!(known.contains(&kind), "{kind:?}: {error}");
        }
    }
    let error = within("execute", sandbox.run("true")).await.expect_err("it is gone");
    assert!(matches!(error.kind(), ErrorKind::SandboxEnded | ErrorKind::NotFound), "{error}");
}
