//! What is kept in a directory is there again when the emulator is started with it.

use crate::clients::{CLIENTS, Client};
use sandshell::cloud::ClientOptions;
use sandshell::emulator::{Emulator, Options};
use sandshell::{
    CreateOptions, ErrorKind, ExecuteRequest, ListOptions, LocalOptions, LocalProvider, Sandbox, SandboxExt,
    SandboxProvider, SandboxState, WriteMode,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// An emulator of one service.
struct Running {
    local: LocalProvider,
    serving: JoinHandle<std::io::Result<()>>,
    address: SocketAddr,
}

impl Running {
    /// At this port, as clients know it from before.
    async fn start(client: &Client, directory: &Path, port: u16) -> Self {
        let local = sandshell::local(LocalOptions::default().data_dir(directory)).expect("a provider");
        local.store().expect("a store");
        let listener =
            TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(local.clone());
        let records = directory.join("emulator");
        let emulator = Emulator::open(shared, [client.vendor], &Options::default(), &records)
            .await
            .expect("an emulator");
        Self { local, serving: tokio::spawn(emulator.serve(listener)), address }
    }

    fn connect(&self, client: &Client) -> Arc<dyn SandboxProvider> {
        client.connect(self.address, client.vendor.example_key(), ClientOptions::default())
    }

    async fn stop(self) {
        self.serving.abort();
        drop(self.serving.await);
        self.local.park_all().await.expect("everything is stored");
    }
}

async fn text(sandbox: &dyn Sandbox, command: &str) -> String {
    sandbox.execute(ExecuteRequest::new(command)).await.expect("an answer").text().into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_service_goes_on() {
    for client in CLIENTS {
        let what = client.vendor.name();
        let directory = tempfile::tempdir().expect("a directory");
        let at = directory.path().join("data");

        let first = Running::start(client, &at, 0).await;
        let port = first.address.port();
        let provider = first.connect(client);
        let can = provider.metadata().capabilities;
        let mut options = CreateOptions::default();
        if can.labels {
            options = options.label("thread", "7");
        }
        if can.env {
            options = options.env("WHO", "me");
        }
        let sandbox = provider.get_or_create(options).await.expect(what);
        let note = format!("{}/note", provider.metadata().working_dir);
        sandbox.write(&note, "kept".into(), WriteMode::CreateNew).await.expect(what);
        let gone = provider.get_or_create(CreateOptions::default()).await.expect(what);
        provider.delete(gone.id()).await.expect(what);
        let snapshot = match can.snapshot {
            true => Some(provider.snapshot(sandbox.id(), None).await.expect(what).id),
            false => None,
        };
        if can.pause {
            provider.pause(sandbox.id()).await.expect(what);
        }
        // Vercel's first generation and others end a sandbox when a snapshot is taken of it.
        let lives = !can.list || {
            let page = provider.list(ListOptions::default()).await.expect(what);
            page.sandboxes.iter().any(|info| info.id == sandbox.id())
        };
        first.stop().await;

        let second = Running::start(client, &at, port).await;
        let provider = second.connect(client);
        if can.list {
            let mut options = ListOptions::default();
            if can.labels {
                options = options.label("thread", "7");
            }
            let page = provider.list(options).await.expect(what);
            let ids: Vec<_> = page.sandboxes.iter().map(|info| info.id.as_str()).collect();
            assert_eq!(ids, if lives { vec![sandbox.id()] } else { vec![] }, "{what}");
            if can.pause && lives {
                assert_eq!(page.sandboxes[0].state, SandboxState::Paused, "{what}");
            }
        }
        if can.pause {
            provider.resume(sandbox.id()).await.expect(what);
        }
        if can.reattach && lives {
            let again = provider.get_or_create(CreateOptions::existing(sandbox.id())).await.expect(what);
            assert_eq!(
                text(&*again, &format!("cat {note}; echo $WHO")).await,
                if can.env { "keptme\n" } else { "kept\n" },
                "{what}"
            );
            let missing = provider.get_or_create(CreateOptions::existing(gone.id())).await;
            assert!(missing.is_err(), "{what}: a deleted sandbox stays deleted");
        }
        if let Some(snapshot) = snapshot {
            let copy =
                provider.get_or_create(CreateOptions::default().snapshot(&snapshot)).await.expect(what);
            assert_eq!(text(&*copy, &format!("cat {note}")).await, "kept", "{what}");
            provider.delete(copy.id()).await.expect(what);
            provider.delete_snapshot(&snapshot).await.expect(what);
        }
        provider.delete(sandbox.id()).await.expect(what);
        second.stop().await;

        let third = Running::start(client, &at, port).await;
        if can.list {
            let page = third.connect(client).list(ListOptions::default()).await.expect(what);
            assert_eq!(page.sandboxes, [], "{what}");
        }
        let page = third.local.list(ListOptions::default()).await.expect(what);
        assert_eq!(page.sandboxes, [], "{what}: nothing is left behind");
        third.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_damaged_record_is_refused() {
    let client = CLIENTS.iter().find(|client| client.vendor.name() == "e2b").expect("a client");
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path().join("data");
    let first = Running::start(client, &at, 0).await;
    first.connect(client).get_or_create(CreateOptions::default()).await.expect("a sandbox");
    first.stop().await;
    let record = at.join("emulator/e2b/machine-1.json");
    std::fs::write(&record, "{").expect("it is there");
    let local = sandshell::local(LocalOptions::default().data_dir(&at)).expect("a provider");
    let opened =
        Emulator::open(Arc::new(local), [client.vendor], &Options::default(), &at.join("emulator")).await;
    let error = opened.expect_err("it is refused").to_string();
    assert!(error.contains("machine-1.json"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_emulators_do_not_share_a_services_records() {
    let client = CLIENTS.first().expect("a client");
    let directory = tempfile::tempdir().expect("a directory");
    let running = Running::start(client, directory.path(), 0).await;
    let records = directory.path().join("emulator");
    let again = || {
        let shared = Arc::new(running.local.clone());
        let (options, records) = (Options::default(), records.clone());
        async move { Emulator::open(shared, [client.vendor], &options, &records).await }
    };
    let Err(error) = again().await else { panic!("both use the records") };
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("another emulator uses this directory"), "{error}");
    running.serving.abort();
    while !running.serving.is_finished() {
        tokio::task::yield_now().await;
    }
    assert!(again().await.is_ok());
}
