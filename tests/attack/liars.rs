//! A server of a fleet, or the command of a provider, lies to the one at the other end of its connection: it sends what
//! nobody asked for, and wants that one's memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use sandshell::command::RemoteProvider;
use sandshell::{
    CreateOptions, ErrorKind, ExecuteRequest, ListOptions, LocalOptions, OutputChunk, Sandbox,
    SandboxProvider,
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::mpsc;

/// Longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it ends")
}

/// One end of a connection.
struct End {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl End {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    /// The next message; `None` when the connection is over.
    async fn hear(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends a message; returns whether the connection takes it.
    async fn say(&mut self, message: Value) -> bool {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.is_ok()
    }

    /// Answers the next request.
    async fn answer(&mut self, result: Value) {
        let id = self.hear().await.unwrap()["id"].clone();
        assert!(self.say(json!({"id": id, "result": result})).await);
    }
}

/// A client, and the liar that it asks, whose first answer is this.
async fn client(hello: Value) -> (RemoteProvider, End) {
    let (here, there) = tokio::io::duplex(1 << 20);
    let mut liar = End::new(there);
    let (answers, requests) = tokio::io::split(here);
    let asking = RemoteProvider::over("the liar".to_owned(), answers, requests, PATIENCE);
    let (remote, ()) = tokio::join!(asking, liar.answer(hello));
    (remote.unwrap(), liar)
}

fn hello() -> Value {
    json!({"protocol": 1, "name": "a", "working_dir": "/", "pieces": true, "sandbox_capabilities": ["streaming"]})
}

async fn sandbox(remote: &RemoteProvider, liar: &mut End) -> Arc<dyn Sandbox> {
    let creating = remote.provider().get_or_create(CreateOptions::default());
    tokio::join!(creating, liar.answer(json!({"id": "s"}))).0.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_a_file_that_nobody_takes_end_the_connection() {
    for (count, length, why) in [(64, 1 << 10, "not taken"), (1, 17 << 20, "the limit is")] {
        let (remote, mut liar) = client(hello()).await;
        let sandbox = sandbox(&remote, &mut liar).await;
        // Its reader takes nothing.
        let (sink, _unread) = mpsc::channel::<Bytes>(1);
        let lying = async {
            let id = liar.hear().await.unwrap()["id"].clone();
            for _ in 0..count {
                let piece = json!({"id": id, "piece": "x".repeat(length)});
                if !liar.say(piece).await {
                    return;
                }
            }
            while liar.hear().await.is_some() {}
        };
        let reading = tokio::spawn(async move { drop(sandbox.download_to("/f", sink).await) });
        let listed = in_time(async {
            lying.await;
            remote.provider().list(ListOptions::default()).await
        })
        .await;
        reading.abort();
        let error = listed.expect_err("the connection is over").to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_that_nobody_takes_ends_its_command() {
    let (remote, mut liar) = client(hello()).await;
    let sandbox = sandbox(&remote, &mut liar).await;
    let (sender, mut output) = mpsc::channel::<OutputChunk>(1);
    let lying = async {
        let id = liar.hear().await.unwrap()["id"].clone();
        let piece = json!({"id": id, "output": {"stdout": "x".repeat(16 << 20)}});
        for _ in 0..20 {
            assert!(liar.say(piece.clone()).await);
        }
        // Other calls are answered meanwhile.
        liar.answer(json!({"sandboxes": []})).await;
        while liar.hear().await.unwrap() != json!({"cancel": id}) {}
    };
    let reading = async {
        remote.provider().list(ListOptions::default()).await.expect("it is answered");
        let mut taken = 0;
        while let Some(chunk) = output.recv().await {
            taken += chunk.data.len();
        }
        taken
    };
    let executing = sandbox.execute_streaming(ExecuteRequest::new("x"), sender);
    // The command is asked for before the list.
    let (ended, taken, ()) = in_time(async { tokio::join!(executing, reading, lying) }).await;
    let error = ended.expect_err("it is ended");
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded, "{error}");
    assert!(taken < 20 * (16 << 20), "{taken} bytes were held");
}

/// An answer of two letters for each value, which take a hundred bytes.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_very_many_values_is_not_parsed() {
    let (remote, mut liar) = client(hello()).await;
    let creating = remote.provider().get_or_create(CreateOptions::default());
    let lying = async {
        let id = liar.hear().await.unwrap()["id"].clone();
        let bomb = format!("{{\"id\": {id}, \"result\": [{}0]}}\n", "0,".repeat(1 << 20));
        liar.writer.write_all(bomb.as_bytes()).await.unwrap();
    };
    let (created, ()) = in_time(async { tokio::join!(creating, lying) }).await;
    let error = created.expect_err("it is no answer").to_string();
    assert!(error.contains("values: the limit is"), "{error}");
}

/// What answers, and how many calls are going on there.
async fn server() -> (End, Arc<AtomicUsize>) {
    let provider: Arc<dyn SandboxProvider> = Arc::new(sandshell::local(LocalOptions::default()).unwrap());
    let active = Arc::<AtomicUsize>::default();
    let (here, there) = tokio::io::duplex(1 << 20);
    let (requests, answers) = tokio::io::split(there);
    let never = std::future::pending();
    tokio::spawn(sandshell::command::serve(provider, requests, answers, never, active.clone()));
    (End::new(here), active)
}

/// A client that does not wait for its pieces to be taken, or gives two calls one number.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_lies_is_let_go() {
    for pieces in [true, false] {
        let (mut liar, active) = server().await;
        liar.say(json!({"id": 1, "method": "create"})).await;
        let sandbox = liar.hear().await.unwrap()["result"]["id"].clone();
        if pieces {
            let asked = json!({"sandbox": sandbox, "command": "sleep 1000"});
            liar.say(json!({"id": 2, "method": "execute", "params": asked})).await;
            let asked = json!({"sandbox": sandbox, "path": "/tmp/f"});
            liar.say(json!({"id": 3, "method": "upload_from", "params": asked})).await;
            // It does not hear that some are taken.
            for _ in 0..200_000 {
                if !liar.say(json!({"to": 3, "piece": "x"})).await {
                    break;
                }
            }
        } else {
            let asked = json!({"sandbox": sandbox, "command": "sleep 1000"});
            for _ in 0..2 {
                liar.say(json!({"id": 2, "method": "execute", "params": asked})).await;
            }
        }
        in_time(async { while liar.hear().await.is_some() {} }).await;
        in_time(async {
            while active.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}
