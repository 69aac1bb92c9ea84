//! What goes wrong between a client and its service: a typed error within its deadline, no hang, no panic, and no command
//! that runs twice. Each client talks through a proxy to the emulator of its service.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "what was seen is shown with --nocapture")]

mod proxy;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use proxy::{Fault, Proxy};
use sandshell::cloud::{ClientOptions, Variables};
use sandshell::emulator::{self, Emulator, Vendor};
use sandshell::{
    CreateOptions, Engine, Error, ErrorKind, ExecuteRequest, FileUpload, ListOptions, LocalOptions,
    LocalProvider, Result, Sandbox, SandboxExt, SandboxProvider,
};
use tokio::net::TcpListener;

/// After this long a call hangs. Deadlines of calls are far shorter; a busy machine is far quicker.
const HANG: Duration = Duration::from_secs(60);

/// The tests of one client: `module::{Provider, Options}` of a vendor.
macro_rules! clients {
    ($($module:ident::{$provider:ident, $options:ident}, $vendor:expr;)*) => {
        $(mod $module {
            use super::*;

            fn client(variables: &Variables<'_>, client: ClientOptions) -> Arc<dyn SandboxProvider> {
                let mut options = sandshell::$module::$options::from_variables(variables);
                options.client = client;
                Arc::new(sandshell::$module::$provider::new(options).expect("a client"))
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn every_call_has_its_typed_error() {
                typed_errors(Place::new($vendor, client).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn no_command_runs_twice() {
                once(Place::new($vendor, client).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn files_in_pieces() {
                pieces(Place::new($vendor, client).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn nobody_listens() {
                refused(&*Place::new($vendor, client).await.nobody()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn a_sandbox_that_dies() {
                dies(Place::new($vendor, client).await).await;
            }
        })*
    };
}

clients! {
    daytona::{DaytonaProvider, DaytonaOptions}, Vendor::Daytona;
    e2b::{E2bProvider, E2bOptions}, Vendor::E2b;
    runloop::{RunloopProvider, RunloopOptions}, Vendor::Runloop;
}

type Client = fn(&Variables<'_>, ClientOptions) -> Arc<dyn SandboxProvider>;

/// An emulator, a proxy before it, and a client on either side.
struct Place {
    vendor: Vendor,
    client: Client,
    proxy: Arc<Proxy>,
    /// Through the proxy.
    provider: Arc<dyn SandboxProvider>,
    /// Past it.
    direct: Arc<dyn SandboxProvider>,
}

impl Place {
    async fn new(vendor: Vendor, client: Client) -> Self {
        let upstream = serve(vendor).await;
        let proxy = Proxy::start(upstream).await;
        let provider = connect(vendor, client, proxy.address, hasty());
        let direct = connect(vendor, client, upstream, ClientOptions::default());
        Self { vendor, client, proxy, provider, direct }
    }

    /// A client of an address where nobody listens.
    fn nobody(&self) -> Arc<dyn SandboxProvider> {
        let closed = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = closed.local_addr().expect("an address");
        drop(closed);
        connect(self.vendor, self.client, address, hasty())
    }
}

fn connect(
    vendor: Vendor,
    client: Client,
    address: SocketAddr,
    options: ClientOptions,
) -> Arc<dyn SandboxProvider> {
    let variables = vendor.variables(&format!("http://{address}"), vendor.example_key());
    let get = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
    client(&Variables(&get), options)
}

/// Deadlines that a test can wait for.
fn hasty() -> ClientOptions {
    let mut options = ClientOptions::default();
    options.deadline = Duration::from_secs(2);
    options.idle_timeout = Duration::from_secs(2);
    options.connect_timeout = Duration::from_secs(2);
    options.ready_timeout = Duration::from_secs(3);
    options.ready_interval = Duration::from_millis(100);
    options.retries = 1;
    options
}

async fn serve(vendor: Vendor) -> SocketAddr {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| sandshell::engine(None).expect("an engine")).clone();
    let local = LocalProvider::new(engine, LocalOptions::default()).expect("a provider");
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let emulator = Emulator::new(Arc::new(local), [vendor], &emulator::Options::default());
    tokio::spawn(emulator.serve(listener));
    address
}

/// Fails the test instead of hanging.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(HANG, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} hangs"),
    }
}

/// Every request of a call is spoiled.
async fn typed_errors(place: Place) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    for fault in Fault::ALL {
        for call in ["create", "list", "delete", "execute", "stream", "upload", "download"] {
            place.proxy.arm(fault, 0..usize::MAX);
            let done =
                within(&format!("{call} with {fault:?}"), make(call, &*place.provider, &*sandbox)).await;
            place.proxy.disarm();
            match done {
                Ok(()) => assert!(harmless(fault, call), "{call} with {fault:?} succeeded"),
                Err(error) => {
                    let kind = error.kind();
                    assert!(expected(fault).contains(&kind), "{call} with {fault:?}: {kind:?}: {error}");
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
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

/// Whether a call may succeed all the same: its answer says nothing but its status, or is bytes that cannot be told from
/// others.
fn harmless(fault: Fault, call: &str) -> bool {
    match fault {
        Fault::Garbage => matches!(call, "delete" | "upload" | "download"),
        // An answer without a body has no middle.
        Fault::Cut | Fault::Short => matches!(call, "delete" | "upload"),
        _ => false,
    }
}

fn expected(fault: Fault) -> &'static [ErrorKind] {
    use ErrorKind as E;
    match fault {
        Fault::Reset | Fault::Silenced | Fault::Cut => &[E::Unavailable],
        Fault::Short => &[E::Unavailable, E::Unexpected],
        Fault::Garbage => &[E::Unexpected],
        Fault::Status(429, _) => &[E::RateLimited],
        Fault::Status(401, _) => &[E::Unauthenticated],
        Fault::Status(..) => &[E::Unavailable],
        Fault::Stall => &[E::DeadlineExceeded],
    }
}

/// One request of an execute after the other is spoiled.
async fn once(place: Place) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let witness = place.direct.get_or_create(CreateOptions::existing(sandbox.id())).await.expect("the same");
    for (at, fault) in Fault::ALL.into_iter().enumerate() {
        for number in 0.. {
            let file = format!("/tmp/count-{at}-{number}");
            let what = format!("execute with {fault:?} of request {number}");
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
}

/// A file goes in and out in pieces, as it is; what fails in the middle is an error.
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
    within("upload", sandbox.upload_from("/tmp/half", receiver)).await.expect_err("it broke");
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

async fn dies(place: Place) {
    let sandbox = place.provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let end = async {
        // Until the command runs there is nothing to end.
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
