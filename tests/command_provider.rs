//! Providers that are commands: the Python example passes the conformance suite over the emulator of its service,
//! and misbehaving commands give clear errors.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use sandshell::command::{CommandOptions, RemoteProvider, connect};
use sandshell::conformance::{self, Options, Report};
use sandshell::emulator::{self, Emulator, Vendor};
use sandshell::registry::{Declaration, Param};
use sandshell::{
    CreateOptions, ErrorKind, ExecuteRequest, FileError, LocalOptions, SandboxExt, SandboxProvider,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_conforms() {
    let mut options = Options::default();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    let url = serve().await;
    let mut registry = sandshell::providers(|_| None);
    let mut declaration = Declaration { kind: Some("command".to_owned()), ..Declaration::default() };
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/command-provider/provider.py");
    let command = ["python3".to_owned(), program.display().to_string()].to_vec();
    declaration.params.insert("command".to_owned(), Param::List(command));
    declaration.params.insert("url".to_owned(), Param::Text(url));
    declaration.params.insert("key".to_owned(), Param::Text(Vendor::Runloop.example_key().to_owned()));
    registry.declare("devboxes", declaration).expect("declared");

    let provider = registry.provider("devboxes").await.expect("a provider");
    passed(&conformance::run_provider(&*provider, &options).await);
    let sandbox = registry.create_sandbox("devboxes", CreateOptions::default()).await.expect("a sandbox");
    passed(&conformance::run(&**sandbox.sandbox(), &options).await);
    let id = sandbox.id().to_owned();
    sandbox.close().await.expect("an end");
    let error = provider.get_or_create(CreateOptions::existing(&id)).await.expect_err("gone");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

/// The local provider at the other end of a connection, and how many calls are going on there.
async fn remote() -> (RemoteProvider, Arc<AtomicUsize>) {
    let provider: Arc<dyn SandboxProvider> =
        Arc::new(sandshell::local(LocalOptions::default()).expect("a provider"));
    let active = Arc::<AtomicUsize>::default();
    let (here, there) = tokio::io::duplex(64 << 10);
    let (requests, answers) = tokio::io::split(there);
    let never = std::future::pending();
    tokio::spawn(sandshell::command::serve(provider, requests, answers, never, active.clone()));
    let (answers, requests) = tokio::io::split(here);
    let name = "the other end".to_owned();
    let remote = RemoteProvider::over(name, answers, requests, Duration::from_secs(60)).await;
    (remote.expect("a provider"), active)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_remote_provider_conforms() {
    let (remote, _) = remote().await;
    let mut options = Options::default();
    options.only = std::env::var("SANDSHELL_ONLY").ok();
    passed(&conformance::run_provider(&**remote.provider(), &options).await);
    let sandbox = remote.provider().get_or_create(CreateOptions::default()).await.expect("a sandbox");
    passed(&conformance::run(&*sandbox, &options).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_come_in_pieces() {
    let (remote, active) = remote().await;
    let sandbox = remote.provider().get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let (sender, content) = mpsc::channel(1);
    let sending = async move {
        for number in 0..40_u8 {
            // No text, and larger than a piece.
            sender.send(Ok(Bytes::from(vec![0x80 | number; 1 << 20]))).await.expect("it is wanted");
        }
    };
    let (uploaded, ()) = tokio::join!(sandbox.upload_from("/tmp/large", content), sending);
    uploaded.expect("an answer").expect("uploaded");
    let counted = sandbox.execute(ExecuteRequest::new("wc -c < /tmp/large")).await.expect("an answer");
    assert_eq!(&*counted.stdout, b"41943040\n");
    let (sink, mut pieces) = mpsc::channel::<Bytes>(1);
    let receiving = async move {
        let mut whole = Vec::new();
        while let Some(piece) = pieces.recv().await {
            whole.extend_from_slice(&piece);
        }
        whole
    };
    let (downloaded, whole) = tokio::join!(sandbox.download_to("/tmp/large", sink), receiving);
    downloaded.expect("an answer").expect("downloaded");
    assert_eq!(whole.len(), 40 << 20);
    assert!(
        whole
            .chunks(1 << 20)
            .zip(0_u8..)
            .all(|(part, number)| part.iter().all(|byte| *byte == 0x80 | number))
    );

    let (sender, content) = mpsc::channel(1);
    sender.send(Ok(Bytes::from_static(b"more"))).await.expect("room");
    drop(sender);
    let refused = sandbox.upload_from("/proc/none/such", content).await;
    assert!(refused.as_ref().is_ok_and(Result::is_err), "{refused:?}");
    // A content that fails is no file.
    let (sender, content) = mpsc::channel(2);
    sender.send(Ok(Bytes::from_static(b"half"))).await.expect("room");
    sender.send(Err(std::io::Error::other("it broke"))).await.expect("room");
    drop(sender);
    let failed = sandbox.upload_from("/tmp/half", content).await.expect("an answer");
    assert!(failed.as_ref().is_err_and(|error| error.to_string().contains("it broke")), "{failed:?}");
    let (sink, _gone) = mpsc::channel(1);
    let missing = sandbox.download_to("/tmp/half", sink).await.expect("an answer");
    assert_eq!(missing, Err(FileError::FileNotFound));
    // A reader that goes away ends the download.
    let (sink, gone) = mpsc::channel(1);
    drop(gone);
    let _ = sandbox.download_to("/tmp/large", sink).await;

    // A command that nobody waits for is ended, and so is everything when the connection is closed.
    let forever = sandbox.execute(ExecuteRequest::new("sleep 1000"));
    assert!(tokio::time::timeout(Duration::from_millis(300), forever).await.is_err());
    let until = tokio::time::Instant::now() + Duration::from_secs(30);
    while active.load(Ordering::SeqCst) > 0 {
        assert!(tokio::time::Instant::now() < until, "a call goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let forever = sandbox.execute(ExecuteRequest::new("sleep 1000"));
    let closing = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        remote.close("enough");
    };
    let (ended, ()) = tokio::join!(forever, closing);
    let ended = ended.expect_err("an error");
    assert_eq!(
        (ended.kind(), ended.to_string()),
        (ErrorKind::Unavailable, "the other end: enough".to_owned())
    );
    assert!(remote.is_closed());
    while active.load(Ordering::SeqCst) > 0 {
        assert!(tokio::time::Instant::now() < until, "a call goes on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A command's output is no more than what was asked for, and goes on when some of it is taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn output_that_nobody_takes_is_not_sent() {
    let provider: Arc<dyn SandboxProvider> =
        Arc::new(sandshell::local(LocalOptions::default()).expect("a provider"));
    let (here, there) = tokio::io::duplex(64 << 10);
    let (requests, answers) = tokio::io::split(there);
    let never = std::future::pending();
    tokio::spawn(sandshell::command::serve(provider, requests, answers, never, Arc::default()));
    let (answers, mut requests) = tokio::io::split(here);
    let mut lines = tokio::io::BufReader::new(answers).lines();
    let mut say = async |message: Value| {
        requests.write_all(format!("{message}\n").as_bytes()).await.expect("it is read");
    };
    // The answer to a request, and how many pieces of output came before it.
    let mut answered = async |id: u64| {
        let mut pieces = 0;
        loop {
            let line = lines.next_line().await.expect("it is read").expect("an answer");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            match &message["output"] {
                Value::Null if message["id"] == id => return (message["result"].clone(), pieces),
                Value::Null => panic!("{line}"),
                _ => pieces += 1,
            }
        }
    };
    say(json!({"id": 1, "method": "hello", "params": {"protocol": 1}})).await;
    assert_eq!(answered(1).await.0["ahead"], true);
    say(json!({"id": 2, "method": "create"})).await;
    let sandbox = answered(2).await.0["id"].clone();
    let command = "yes | head -c 20000000";
    let asked = json!({"sandbox": sandbox, "command": command, "stream": true, "ahead": 2});
    say(json!({"id": 3, "method": "execute", "params": asked})).await;
    let mut sent = 0;
    for id in 100..200 {
        say(json!({"id": id, "method": "list"})).await;
        sent += answered(id).await.1;
    }
    assert!(sent <= 2, "{sent} pieces were sent");
    for _ in 0..10_000 {
        say(json!({"to": 3, "taken": true})).await;
    }
    let (done, more) = answered(3).await;
    assert!(done["exit_code"].as_i64().unwrap_or(0) == 0 && more > 0, "{done}");
}

/// Whoever reads output slowly says what was read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_taken_of_output_is_told() {
    let (here, there) = tokio::io::duplex(64 << 10);
    let (requests, mut answers) = tokio::io::split(there);
    let mut lines = tokio::io::BufReader::new(requests).lines();
    let serving = async move {
        let mut heard = async || -> Value {
            let line = lines.next_line().await.expect("it is read").expect("a request");
            serde_json::from_str(&line).expect("JSON")
        };
        let mut say = async |message: Value| {
            answers.write_all(format!("{message}\n").as_bytes()).await.expect("it is read");
        };
        let id = heard().await["id"].clone();
        let hello = json!({"protocol": 1, "name": "a", "working_dir": "/", "capabilities": [],
            "sandbox_capabilities": ["streaming"], "ahead": true});
        say(json!({"id": id, "result": hello})).await;
        let id = heard().await["id"].clone();
        say(json!({"id": id, "result": {"id": "s"}})).await;
        let request = heard().await;
        assert_eq!(request["params"]["ahead"], 16, "{request}");
        let id = request["id"].clone();
        for _ in 0..16 {
            say(json!({"id": id, "output": {"stdout": "x"}})).await;
        }
        for _ in 0..16 {
            assert_eq!(heard().await, json!({"to": id, "taken": true}));
        }
        say(json!({"id": id, "result": {}})).await;
    };
    let asking = async move {
        let (answers, requests) = tokio::io::split(here);
        let remote = RemoteProvider::over("a".to_owned(), answers, requests, Duration::from_secs(60)).await;
        let remote = remote.expect("a provider");
        let sandbox = remote.provider().get_or_create(CreateOptions::default()).await.expect("a sandbox");
        let (sender, mut output) = mpsc::channel(1);
        let reading = async move {
            let mut count = 0;
            while output.recv().await.is_some() {
                count += 1;
            }
            count
        };
        let executing = sandbox.execute_streaming(ExecuteRequest::new("x"), sender);
        let (done, count) = tokio::join!(executing, reading);
        done.expect("an answer");
        count
    };
    let ((), count) = tokio::join!(serving, asking);
    assert_eq!(count, 16);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_errors_are_words() {
    let url = serve().await;
    let nowhere = format!("{url}/nowhere");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/command-provider/provider.py");
    let cases = [
        (vec![], ErrorKind::InvalidRequest, "params.url is missing"),
        (vec![("url", url.as_str())], ErrorKind::InvalidRequest, "params.key is missing"),
        (vec![("url", nowhere.as_str()), ("key", "x")], ErrorKind::NotFound, ""),
        (vec![("url", "http://127.0.0.1:1"), ("key", "x")], ErrorKind::Unavailable, "refused"),
    ];
    for (params, kind, words) in cases {
        let mut options = CommandOptions::new(["python3", &program.display().to_string()]);
        options.params = params.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let made = match connect(options).await {
            Ok(provider) => provider.get_or_create(CreateOptions::default()).await.map(drop),
            Err(error) => Err(error),
        };
        let error = made.expect_err("an error");
        let message = error.to_string();
        assert_eq!(error.kind(), kind, "{message}");
        assert!(message.contains(words) && !message.contains(['{', '\'']), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_misbehave_are_told() {
    let hello = r#"read x; echo '{"id":1,"result":{"protocol":1,"name":"x","working_dir":"/","sandbox_capabilities":[]}}'; read x;"#;
    let cases = [
        ("exit 3", ErrorKind::Unavailable, "exit status: 3"),
        ("echo nonsense; cat", ErrorKind::Unavailable, "not JSON"),
        (r#"echo '{"result": 1}'; cat"#, ErrorKind::Unavailable, "no id"),
        (r#"read x; echo '{"id":1,"result":{"protocol":9}}'; cat"#, ErrorKind::Unexpected, "protocol"),
        (
            r#"read x; echo '{"id":1,"result":{"protocol":1,"name":"x","working_dir":"y"}}'; cat"#,
            ErrorKind::Unexpected,
            "working_dir",
        ),
        (
            r#"read x; echo '{"id":1,"result":{"protocol":1,"name":"x","working_dir":"/","capabilities":["fly"]}}'; cat"#,
            ErrorKind::Unexpected,
            "fly",
        ),
        ("cat > /dev/null", ErrorKind::DeadlineExceeded, "no answer to hello"),
    ];
    for (script, kind, words) in cases {
        let error = connect(shell(script)).await.expect_err(script);
        assert_eq!(error.kind(), kind, "{script}: {error}");
        assert!(error.to_string().contains(words), "{script}: {error}");
    }
    for (script, kind, words) in [
        ("exit 0", ErrorKind::Unavailable, "exit status: 0"),
        (
            r#"echo '{"id":2,"error":{"kind":"quota_exceeded","message":"full"}}'; cat"#,
            ErrorKind::QuotaExceeded,
            "full",
        ),
        (r#"echo '{"id":2,"result":{}}'; cat"#, ErrorKind::Unexpected, "no id"),
        ("cat > /dev/null", ErrorKind::DeadlineExceeded, "no answer to create"),
    ] {
        let provider = connect(shell(&format!("{hello} {script}"))).await.expect("greeted");
        let error = provider.get_or_create(CreateOptions::default()).await.expect_err(script);
        assert_eq!(error.kind(), kind, "{script}: {error}");
        assert!(error.to_string().contains(words), "{script}: {error}");
    }
    let error = connect(CommandOptions::new(["/nonexistent/program"])).await.expect_err("not there");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(connect(CommandOptions::new(Vec::<String>::new())).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_dropped_is_cancelled() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("log");
    let script = format!(
        r#"read x; echo '{{"id":1,"result":{{"protocol":1,"name":"x","working_dir":"/"}}}}'
        read x; echo '{{"id":2,"result":{{"id":"s"}}}}'
        while read x; do echo "$x" >> {}; done"#,
        log.display()
    );
    let provider = connect(shell(&script)).await.expect("greeted");
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    tokio::time::timeout(Duration::from_millis(50), sandbox.run("sleep")).await.expect_err("dropped");
    let mut text = String::new();
    for _ in 0..500 {
        text = std::fs::read_to_string(&log).unwrap_or_default();
        if text.contains("\"cancel\":3") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the command was not told: {text}");
}

fn shell(script: &str) -> CommandOptions {
    let mut options = CommandOptions::new(["sh", "-c", script]);
    options.deadline = Duration::from_secs(5);
    options
}

async fn serve() -> String {
    let local = sandshell::local(LocalOptions::default()).expect("a provider");
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let emulator = Emulator::new(Arc::new(local), [Vendor::Runloop], &emulator::Options::default());
    tokio::spawn(emulator.serve(listener));
    format!("http://{address}")
}

fn passed(report: &Report) {
    println!("{report}");
    assert!(report.passed(), "{report}");
}
