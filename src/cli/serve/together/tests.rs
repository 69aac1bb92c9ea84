//! Servers that fail, lie or fall silent, and what the others make of it.

use super::fleet::{Fleet, FleetProvider};
use super::forwarder::{Forwarder, Role};
use super::greeting;
use sandshell::command::RemoteProvider;
use sandshell::store::{Secret, Server, SharedOptions};
use sandshell::{CreateOptions, ExecuteRequest, LocalOptions, LocalProvider, Sandbox, SandboxProvider};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A provider on a store, and the store's secret.
fn provider() -> (TempDir, LocalProvider, Secret) {
    let at = tempfile::tempdir().unwrap();
    let url = format!("file://{}/shared", at.path().display());
    let options = LocalOptions {
        data_dir: Some(at.path().join("data")),
        shared: Some(SharedOptions { url, ..SharedOptions::default() }),
        ..LocalOptions::default()
    };
    let provider = sandshell::local(options).unwrap();
    let secret = provider.store().unwrap().unwrap().servers().unwrap().secret().unwrap();
    (at, provider, secret)
}

/// A server that gives these answers to all that it is asked, and how often that was.
async fn liar(answer: Arc<Mutex<Value>>) -> (RemoteProvider, Arc<AtomicUsize>) {
    let (here, there) = tokio::io::duplex(1 << 20);
    let asked = Arc::<AtomicUsize>::default();
    let count = asked.clone();
    tokio::spawn(async move {
        let (requests, mut answers) = tokio::io::split(there);
        let mut lines = BufReader::new(requests).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let mut message = answer.lock().unwrap().clone();
            if request["method"] == "hello" {
                message = json!({"result": {"protocol": 1, "name": "a", "working_dir": "/"}});
            } else {
                count.fetch_add(1, Ordering::SeqCst);
            }
            message["id"] = request["id"].clone();
            answers.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }
    });
    let (answers, requests) = tokio::io::split(here);
    let remote = RemoteProvider::over("the liar".to_owned(), answers, requests, PATIENCE).await.unwrap();
    (remote, asked)
}

async fn says(sandbox: &dyn Sandbox, what: &str) -> String {
    let answer = sandbox.execute(ExecuteRequest::new(what)).await.unwrap();
    String::from_utf8_lossy(&answer.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_makes_no_sandboxes_keeps_nobody_from_getting_one() {
    let (_at, local, secret) = provider();
    let fleet = Fleet::new(local, "this".to_owned(), secret);
    let provider = FleetProvider(fleet.clone());
    let first = provider.get_or_create(CreateOptions::default()).await.unwrap();
    assert_eq!(says(&*first, "echo first > note; cat note").await, "first\n");
    for lie in [
        json!({"error": {"kind": "unavailable", "message": "no", "retry": true}}),
        json!({"error": {"kind": "quota_exceeded", "message": "no"}}),
        json!({"result": {}}),
        // It says that it has made one that there is.
        json!({"result": {"id": first.id()}}),
    ] {
        let (remote, asked) = liar(Arc::new(Mutex::new(lie.clone()))).await;
        fleet.join(lie.to_string(), remote);
        // It has the fewest sandboxes, and is asked first, until it is known better.
        for _ in 0..3 {
            let more = provider.get_or_create(CreateOptions::default()).await.unwrap();
            assert_eq!(says(&*more, "echo more").await, "more\n");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{lie}");
        assert_eq!(says(&*first, "cat note").await, "first\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_that_a_server_does_not_find_is_found() {
    let (_at, local, secret) = provider();
    let kept = local.get_or_create(CreateOptions::default()).await.unwrap();
    assert_eq!(says(&*kept, "echo kept > note; cat note").await, "kept\n");
    let id = kept.id().to_owned();
    drop(kept);
    for lie in [
        json!({"error": {"kind": "not_found", "message": "no"}}),
        json!({"error": {"kind": "invalid_request", "message": "no"}}),
        json!({"result": {"id": "another"}}),
    ] {
        let fleet = Fleet::new(local.clone(), "this".to_owned(), secret.clone());
        let provider = FleetProvider(fleet.clone());
        provider.get_or_create(CreateOptions::default()).await.unwrap();
        let (remote, asked) = liar(Arc::new(Mutex::new(lie.clone()))).await;
        fleet.join("liar".to_owned(), remote);
        let found = provider.get_or_create(CreateOptions::existing(&id)).await.unwrap();
        assert_eq!(says(&*found, "cat note").await, "kept\n", "{lie}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{lie}");
    }
}

/// The server that has the services is frozen: its connections neither answer nor end.
#[tokio::test(flavor = "multi_thread")]
async fn clients_of_a_frozen_server_are_let_go_when_another_one_serves() {
    let (_at, _local, secret) = provider();
    let frozen = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = |session: &str| Server {
        session: session.to_owned(),
        name: session.to_owned(),
        address: frozen.local_addr().unwrap().to_string(),
        leaves: false,
    };
    let forwarder = Forwarder::new("this".to_owned(), secret.clone());
    forwarder.role.send_replace(Role::There(server("frozen")));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(forwarder.clone().listen(listener));
    let mut client = TcpStream::connect(at).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let (mut connection, _) = frozen.accept().await.unwrap();
    greeting::answer(&mut connection, "frozen", &secret).await.unwrap();
    connection.read_exact(&mut [0; 18]).await.unwrap();
    assert_eq!(forwarder.passing(), 1);
    // It cannot be found out who has them, for a moment.
    forwarder.role.send_replace(Role::Unknown);
    forwarder.role.send_replace(Role::There(server("frozen")));
    let waits = tokio::time::timeout(Duration::from_millis(200), client.read(&mut [0; 1])).await;
    assert!(waits.is_err(), "{waits:?}");
    forwarder.role.send_replace(Role::There(server("another")));
    let ended = tokio::time::timeout(PATIENCE, client.read(&mut [0; 1])).await.expect("it is let go");
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}
