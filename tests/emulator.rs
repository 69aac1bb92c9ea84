//! Requests that no SDK sends: the emulator answers them as the vendor would, and keeps working.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "what a client speaks is of interest elsewhere")]
mod clients;
#[path = "emulator/code.rs"]
mod code;
#[path = "emulator/crowd.rs"]
mod crowd;
#[path = "emulator/fields.rs"]
mod fields;
#[path = "emulator/restart.rs"]
mod restart;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use clients::{CLIENTS, Client, serve};
use hmac::{Hmac, Mac};
use sandshell::cloud::ClientOptions;
use sandshell::emulator::{Known, Options, Treatment, Vendor};
use sandshell::{CreateOptions, ExecuteRequest, FileUpload, SandboxExt};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long to wait for an answer: some requests ask the service to wait.
const PATIENCE: Duration = Duration::from_secs(3);

/// How many requests are sent at the same time.
const CROWD: usize = 32;

/// Requests for each vendor's service; `ID` stands for a sandbox's id.
const ROUTES: &[(Vendor, &[&str])] = &[
    (
        Vendor::AgentCore,
        &[
            "PUT /code-interpreters/x/sessions/start",
            "GET /code-interpreters/x/sessions/get?sessionId=ID",
            "POST /code-interpreters/x/sessions/list",
            "PUT /code-interpreters/x/sessions/stop?sessionId=ID",
            "POST /code-interpreters/x/tools/invoke",
            "GET /code-interpreters/x/nothing",
        ],
    ),
    (
        Vendor::Daytona,
        &[
            "POST /api/sandbox",
            "GET /api/sandbox?limit=-1&cursor=%00%ff&labels={",
            "GET /api/sandbox/ID",
            "PUT /api/sandbox/ID/labels",
            "POST /api/sandbox/ID/stop",
            "POST /api/sandbox/ID/snapshot",
            "POST /api/sandbox/ID/fork",
            "POST /api/sandbox/ID/autostop/99999999999999999999",
            "POST /api/sandbox/ID/nothing",
            "DELETE /api/sandbox/ID",
            "GET /api/snapshots?page=99999999999999999999",
            "GET /api/snapshots/%00",
            "PATCH /api/sandbox/ID",
            "POST /toolbox/ID/process/execute",
            "POST /toolbox/ID/process/session",
            "POST /toolbox/ID/process/session/x/exec",
            "GET /toolbox/ID/process/session/x/command/%2e%2e",
            "GET /toolbox/ID/files?path=%00",
            "GET /toolbox/ID/files/info?path=../../../../../../etc/passwd",
            "POST /toolbox/ID/files/folder?path=/%00&mode=99999999999",
            "POST /toolbox/ID/files/move?source=/&destination=/x/y",
            "POST /toolbox/ID/files/permissions?path=/tmp&mode=zz&owner=%0a",
            "GET /toolbox/ID/files/download?path=",
            "POST /toolbox/ID/files/upload?path=../../../../../../tmp/sandshell-hostile",
            "POST /toolbox/ID/files/bulk-upload",
            "POST /toolbox/ID/files/bulk-download",
            "DELETE /toolbox/ID/files?path=%ff",
        ],
    ),
    (
        Vendor::Deno,
        &[
            "GET /api/v3/sandboxes/create",
            "GET /api/v3/sandboxes?limit=99999999999999999999&metadata=%ff",
            "GET /api/v2/sandboxes?limit=-5&cursor=%00",
            "PATCH /api/v3/sandbox/ID",
            "GET /api/v3/sandbox/ID/connect",
            "DELETE /api/v3/sandbox/ID",
            "POST /api/v2/volumes",
            "PUT /api/v3/sandboxes",
        ],
    ),
    (
        Vendor::E2b,
        &[
            "POST /sandboxes",
            "POST /v2/sandboxes",
            "GET /v2/sandboxes?limit=-1&nextToken=%00&metadata=%ff&state=x",
            "GET /sandboxes/ID",
            "POST /v2/sandboxes/ID/connect",
            "POST /sandboxes/ID/timeout",
            "POST /sandboxes/ID/fork",
            "POST /sandboxes/ID/snapshots",
            "POST /sandboxes/ID/pause",
            "DELETE /sandboxes/ID",
            "DELETE /templates/%00",
            "PUT /sandboxes",
            "POST /process.Process/Start",
            "POST /process.Process/SendInput",
            "POST /process.Process/SendSignal",
            "POST /process.Process/Nothing",
            "POST /filesystem.Filesystem/ListDir",
            "POST /filesystem.Filesystem/MakeDir",
            "POST /filesystem.Filesystem/Move",
            "GET /files?path=../../../../../../etc/shadow",
            "POST /files?path=../../../../../../tmp/sandshell-hostile",
        ],
    ),
    (
        Vendor::LangSmith,
        &[
            "POST /langsmith/api/v2/sandboxes/boxes",
            "GET /langsmith/api/v2/sandboxes/boxes?limit=-1&offset=99999999999999999999&cursor=%ff",
            "GET /langsmith/api/v2/sandboxes/boxes/ID",
            "PATCH /langsmith/api/v2/sandboxes/boxes/ID",
            "POST /langsmith/api/v2/sandboxes/boxes/ID/snapshot",
            "POST /langsmith/api/v2/sandboxes/boxes/ID/stop",
            "POST /langsmith/api/v2/sandboxes/snapshots",
            "DELETE /langsmith/api/v2/sandboxes/snapshots/%00",
            "DELETE /langsmith/api/v2/sandboxes/boxes/ID",
            "PUT /langsmith/api/v2/sandboxes/boxes",
            "GET /langsmith/dp/ID/execute/ws",
            "POST /langsmith/dp/ID/upload?path=../../../../../../tmp/sandshell-hostile",
            "GET /langsmith/dp/ID/download?path=%00",
            "POST /langsmith/dp/ID/glob",
            "POST /langsmith/dp/ID/grep",
        ],
    ),
    (
        Vendor::Runloop,
        &[
            "POST /v1/devboxes",
            "GET /v1/devboxes?limit=-1&starting_after=%ff&status=x",
            "GET /v1/devboxes/ID",
            "POST /v1/devboxes/ID",
            "POST /v1/devboxes/ID/wait_for_status",
            "POST /v1/devboxes/ID/keep_alive",
            "POST /v1/devboxes/ID/snapshot_disk",
            "POST /v1/devboxes/ID/execute",
            "POST /v1/devboxes/ID/execute_async",
            "POST /v1/devboxes/ID/execute_sync",
            "GET /v1/devboxes/ID/executions/%00",
            "POST /v1/devboxes/ID/executions/x/send_std_in",
            "POST /v1/devboxes/ID/upload_file",
            "POST /v1/devboxes/ID/download_file",
            "POST /v1/devboxes/ID/read_file_contents",
            "POST /v1/devboxes/ID/write_file_contents",
            "POST /v1/devboxes/ID/shutdown",
            "GET /v1/devboxes/disk_snapshots?limit=99999999999999999999",
            "POST /v1/devboxes/disk_snapshots/%00/delete",
            "PUT /v1/devboxes",
        ],
    ),
    (
        Vendor::Sandbox0,
        &[
            "POST /api/v1/sandboxes",
            "GET /api/v1/sandboxes?limit=-1&offset=99999999999999999999&paused=x",
            "PUT /api/v1/sandboxes/ID",
            "POST /api/v1/sandboxes/ID/refresh",
            "POST /api/v1/sandboxes/ID/fork",
            "POST /api/v1/sandboxes/ID/rootfs/restore",
            "POST /api/v1/sandboxes/ID/snapshots",
            "POST /api/v1/sandboxes/ID/contexts",
            "POST /api/v1/sandboxes/ID/contexts/x/input",
            "GET /api/v1/sandboxes/ID/files?path=%00",
            "POST /api/v1/sandboxes/ID/files?path=../../../../../../tmp/sandshell-hostile",
            "GET /api/v1/sandboxes/ID/files/stat?path=",
            "GET /api/v1/sandboxes/ID/files/list?path=/nope",
            "POST /api/v1/sandboxes/ID/files/move",
            "POST /api/v1/sandboxes/ID/pause",
            "DELETE /api/v1/sandboxes/ID",
            "PATCH /api/v1/sandboxes",
        ],
    ),
    (
        Vendor::Vercel,
        &[
            "POST /vercel/api/v3/sandboxes",
            "GET /vercel/api/v2/sandboxes?limit=-1&cursor=%ff",
            "GET /vercel/api/v2/sandboxes/ID",
            "PATCH /vercel/api/v2/sandboxes/ID",
            "POST /vercel/api/v2/sandboxes/ID/fork",
            "GET /vercel/api/v2/sandboxes/sessions/ID",
            "POST /vercel/api/v2/sandboxes/sessions/ID/extend-timeout",
            "POST /vercel/api/v2/sandboxes/sessions/ID/cmd",
            "POST /vercel/api/v2/sandboxes/sessions/ID/cmd/x/kill",
            "POST /vercel/api/v2/sandboxes/sessions/ID/fs/mkdir",
            "POST /vercel/api/v2/sandboxes/sessions/ID/fs/read",
            "POST /vercel/api/v2/sandboxes/sessions/ID/fs/write",
            "DELETE /vercel/api/v2/sandboxes/ID",
            "DELETE /vercel/api/v2/sandboxes/snapshots/%00",
            "PUT /vercel/api/v3/sandboxes",
            "POST /vercel/v1/sandboxes",
            "GET /vercel/v1/sandboxes?limit=99999999999999999999&since=x&until=-1",
        ],
    ),
];

/// Members of bodies that are numbers or contain numbers.
const NUMBERS: &[&str] = &[
    "timeout",
    "timeoutMs",
    "timeout_ms",
    "timeout_seconds",
    "timeoutSeconds",
    "sessionTimeoutSeconds",
    "optimistic_timeout",
    "ttl",
    "ttl_sec",
    "hard_ttl",
    "idle_ttl_seconds",
    "ttl_seconds",
    "delete_after_stop_seconds",
    "duration",
    "expiration",
    "keep_alive_time_seconds",
    "autoStopInterval",
    "autoDeleteInterval",
    "cpu",
    "memory",
    "disk",
    "limit",
    "last_n",
    "maxResults",
    "depth",
    "pid",
    "signal",
    "mode",
    "stop_at",
];

/// Malformed bodies, apart from unknown fields.
fn bodies(vendor: Vendor, route: &str) -> Vec<(&'static str, Bytes)> {
    let mut bodies: Vec<(&str, Bytes)> = vec![
        ("application/json", Bytes::new()),
        ("application/json", Bytes::from_static(b"{")),
        ("application/json", Bytes::from_static(b"[]")),
        ("application/json", Bytes::from_static(b"null")),
        ("application/json", Bytes::from_static(b"\"text\"")),
        ("application/json", Bytes::from_static(b"{\"a\": \"\xff\xfe\"}")),
        ("application/json", "[".repeat(100_000).into()),
        ("text/plain", Bytes::from_static(b"{\"path\": 1}")),
        ("multipart/form-data", Bytes::from_static(b"--x\r\n\r\n")),
        ("multipart/form-data; boundary=", Bytes::from_static(b"--\r\n\r\n----")),
        ("multipart/form-data; boundary=x", Bytes::from_static(b"--x\r\ncontent-disposition: ;;;=\r\n\r\n--x--")),
        ("multipart/form-data; boundary=x", Bytes::from_static(b"--x\r\nContent-Disposition: form-data; name=\"files[99999999999999999999].path\"\r\n\r\n../../../tmp/sandshell-hostile\r\n--x--\r\n")),
        ("application/gzip", Bytes::from_static(b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff")),
        ("application/connect+json", Bytes::from_static(b"\0\xff\xff\xff\xff{}")),
        ("application/connect+json", Bytes::from_static(b"\x02\0\0\0\x02{}")),
    ];
    for number in [
        "-1",
        "1e308",
        "18446744073709551615",
        "0.1",
        "\"x\"",
        "[[]]",
        "{\"a\":1}",
        "\"99999999999999999999s\"",
    ] {
        // Send only fields of the vendor's list: another one would be refused before this is tested.
        let path = route.split('?').next().unwrap_or_default();
        let name = |known: &&Known| known.name.replace("{id}", "ID") == path;
        if let Some(known) = vendor.fields().requests.iter().find(name) {
            let honoured = known.fields.iter().filter(|field| field.treatment == Treatment::Honoured);
            let members: Vec<String> = honoured
                .filter(|field| !field.name.contains(['?', '.']))
                .map(|field| format!("\"{}\": {number}", field.name))
                .collect();
            bodies.push(("application/json", format!("{{{}}}", members.join(", ")).into()));
            continue;
        }
        let members: Vec<String> = NUMBERS.iter().map(|name| format!("\"{name}\": {number}")).collect();
        // Required members, under the names of all vendors.
        let text = format!(
            r#"{{{}, "command": "true", "cmd": {{"command": ["true"], "cmd": "true", "args": []}}, "type": "cmd", "args": [], "path": "../../../../../../tmp/sandshell-hostile", "paths": ["../../x"], "file_path": "/tmp/\u0000", "contents": "x", "name": "readFiles", "arguments": {{"paths": ["../../../etc/passwd"], "command": 7}}, "config": {number}, "env_vars": {number}, "labels": {number}, "metadata": {number}, "pattern": "(", "process": {{"cmd": {number}}}}}"#,
            members.join(", ")
        );
        bodies.push(("application/json", text.into()));
    }
    bodies
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_make_no_sense() {
    let panics = panics();
    for (vendor, routes) in ROUTES {
        let client = client(*vendor);
        let address = serve([*vendor], &Options::default()).await;
        let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
        let mut requests = Vec::new();
        for route in *routes {
            for (kind, body) in bodies(*vendor, route) {
                // Each request has a sandbox of its own, because it may end it.
                let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
                if *vendor == Vendor::E2b {
                    learn(address, sandbox.id()).await;
                }
                for id in [sandbox.id(), "%00..%2f..%ff"] {
                    requests.push((route.replace("ID", id), kind, body.clone(), id.to_owned()));
                }
            }
        }
        for crowd in requests.chunks(CROWD) {
            let sent: Vec<_> = crowd
                .iter()
                .map(|(route, kind, body, id)| {
                    let request = request(*vendor, address, route, kind, body, id);
                    tokio::spawn(async move { send(address, &request).await })
                })
                .collect();
            for (sent, (route, kind, body, _)) in sent.into_iter().zip(crowd) {
                let answer = sent.await.expect("a task");
                let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
                acceptable(*vendor, &answer, &format!("{vendor}: {route} with {kind} {shown}"));
            }
        }
        // The emulator keeps working.
        let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
        assert_eq!(sandbox.run("echo alive").await.expect("an answer").text(), "alive\n");
    }
    assert_eq!(panics.load(Ordering::SeqCst), 0);
    assert!(!std::path::Path::new("/tmp/sandshell-hostile").exists(), "it left the sandbox");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_are_none() {
    let panics = panics();
    let address = serve(Vendor::ALL.iter().copied(), &Options::default()).await;
    let long = "x".repeat(1 << 20);
    let requests = [
        "\0\0\0\0\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nhost: localhost\r\nx-api-key: {long}\r\n\r\n"),
        format!("GET /sandboxes HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(10_000)),
        "POST /sandboxes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999999999999\r\n\r\n".to_owned(),
        "POST /sandboxes HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n".to_owned(),
        "POST /sandboxes HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n".to_owned(),
        "POST /sandboxes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
        "GET /sandboxes HTTP/1.1\r\n\r\n".to_owned(),
        "GET /../../../etc/passwd HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x20\x01\x05\0\0\0\x01nonsense nonsense nonsense nonse".to_owned(),
    ];
    for request in requests {
        let answer = send(address, request.as_bytes()).await;
        let shown: String = request.chars().take(80).collect();
        if let Sent::Answer { status, .. } = answer {
            assert!((400..500).contains(&status), "{shown}: {status}");
        }
    }
    for client in CLIENTS {
        let provider = client.connect(address, client.vendor.example_key(), ClientOptions::default());
        provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    }
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

/// Every vendor's client requests files whose names lead out of the directory, and times that cannot be
/// represented.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_times_from_clients() {
    let panics = panics();
    for client in CLIENTS {
        let vendor = client.vendor;
        let address = serve([vendor], &Options::default()).await;
        let provider = client.connect(address, vendor.example_key(), ClientOptions::default());
        let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
        let host = format!("/tmp/sandshell-hostile-{}", std::process::id());
        let out = format!("/../../../../../..{host}");
        let names =
            ["/", "/tmp/", "/tmp/a\nb", "/tmp/ü '\"$(x)\\", "/tmp/-rf", "relative", "", "/tmp/\0x", &out];
        for name in names {
            let answers = sandbox.upload_files(vec![FileUpload::new(name, "x")]).await.expect("an answer");
            let written = answers.iter().all(|answer| answer.result.is_ok());
            let answers = sandbox.download_files(vec![name.to_owned()]).await.expect("an answer");
            assert_eq!(written, answers.iter().all(|answer| answer.result.is_ok()), "{vendor}: {name:?}");
        }
        assert!(!std::path::Path::new(&host).exists(), "{vendor}: it left the sandbox");
        for (command, timeout, late) in
            [("true", Duration::MAX, false), ("sleep 60", Duration::from_nanos(1), true)]
        {
            let request = ExecuteRequest::new(command).timeout(timeout);
            let answer = sandbox.execute(request).await.unwrap_or_else(|error| panic!("{vendor}: {error}"));
            assert_eq!(answer.timed_out, late, "{vendor}: {timeout:?}");
        }
        // A time that no service can represent.
        sandbox.run("touch -d @99999999999 /tmp/late").await.expect("an answer");
        sandbox.ls("/tmp").await.expect("an answer");
    }
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

/// Malformed gRPC frames and messages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_make_no_sense() {
    let panics = panics();
    let address = serve([Vendor::Modal], &Options::default()).await;
    let methods = [
        "modal.client.ModalClient/SandboxCreateV2",
        "modal.client.ModalClient/SandboxListV2",
        "modal.client.ModalClient/SandboxWaitV2",
        "modal.client.ModalClient/ImageGetOrCreate",
        "modal.client.ModalClient/Nothing",
        "modal.task_command_router.TaskCommandRouter/TaskExecStart",
        "modal.task_command_router.TaskCommandRouter/TaskExecStdinWrite",
        "modal.task_command_router.TaskCommandRouter/TaskExecStdinWriteStream",
        "modal.task_command_router.TaskCommandRouter/SandboxStdinWriteV2",
        "modal.task_command_router.TaskCommandRouter/TaskExecStdioRead",
        "modal.task_command_router.TaskCommandRouter/Nothing",
    ];
    let bodies: [&[u8]; 7] = [
        b"",
        b"\0",
        b"\0\0\0\0\0",
        b"\x01\0\0\0\0",
        b"\0\xff\xff\xff\xff",
        b"\0\0\0\0\x05\xff\xff\xff\xff\xff",
        // The largest possible lifetime of a sandbox and offset of a stream.
        b"\0\0\0\0\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0d",
    ];
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    tokio::spawn(connection);
    for method in methods {
        for body in bodies {
            let request = http::Request::post(format!("http://{address}/{method}"))
                .header("content-type", "application/grpc")
                .header("x-modal-client-version", "1.6.4")
                .header("x-modal-token-id", "ak-x")
                .header("x-modal-token-secret", "as-x")
                .header("authorization", "Bearer x")
                .body(())
                .expect("a request");
            let mut sender = sender.clone().ready().await.expect("room");
            let (answer, mut sending) = sender.send_request(request, false).expect("sent");
            // An answer that needs no body may come, and end the stream, before the body is sent.
            let _ = sending.send_data(Bytes::from_static(body), true);
            let answer = tokio::time::timeout(PATIENCE, answer).await.expect("in time").expect("an answer");
            let headers = answer.headers().clone();
            let mut body = answer.into_body();
            // An answer without a message has its status in its headers.
            if headers.contains_key("grpc-status") {
                continue;
            }
            while let Some(data) = body.data().await {
                data.expect("data");
            }
            let trailers = body.trailers().await.expect("an end").unwrap_or_default();
            assert!(trailers.contains_key("grpc-status"), "{method} has no status");
        }
    }
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

/// The status and the message of a gRPC call.
async fn unary(address: SocketAddr, path: &str, body: Bytes) -> String {
    // The service for commands requires a token from the other service.
    let empty = Bytes::from_static(b"\0\0\0\0\0");
    let (_, answer) = call(address, "modal.client.ModalClient/AuthTokenGet", "", empty).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let token = answer.find("eyJ").and_then(|at| answer.get(at..)).expect("a token");
    call(address, path, token, body).await.0
}

async fn call(address: SocketAddr, path: &str, token: &str, body: Bytes) -> (String, Vec<u8>) {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let request = http::Request::post(format!("http://{address}/{path}"))
        .header("content-type", "application/grpc")
        .header("x-modal-token-id", "ak-x")
        .header("x-modal-token-secret", "as-x")
        .header("authorization", format!("Bearer {token}"))
        .body(())
        .expect("a request");
    let mut sender = sender.ready().await.expect("room");
    let (answer, mut sending) = sender.send_request(request, false).expect("sent");
    // An answer that needs no body may come before the body is sent.
    let _ = sending.send_data(body, true);
    let answer = tokio::time::timeout(PATIENCE, answer).await.expect("in time").expect("an answer");
    let status_of = |headers: &http::HeaderMap| {
        let text =
            |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        format!("{} {}", text("grpc-status"), text("grpc-message"))
    };
    let (mut status, mut content) = (status_of(answer.headers()), Vec::new());
    let mut body = answer.into_body();
    // Do not wait for endless answers.
    while let Ok(Some(Ok(data))) = tokio::time::timeout(PATIENCE, body.data()).await {
        content.extend_from_slice(&data);
    }
    if let Ok(Ok(Some(trailers))) = tokio::time::timeout(PATIENCE, body.trailers()).await {
        status = status_of(&trailers);
    }
    connection.abort();
    (status, content)
}

fn client(vendor: Vendor) -> &'static Client {
    CLIENTS.iter().find(|client| client.vendor == vendor).expect("a client")
}

enum Sent {
    Answer {
        status: u16,
        text: String,
    },
    /// The connection was closed without one.
    Nothing,
    Held,
}

/// Checks that an error has the vendor's form. Some vendors use 500 for errors of the caller.
fn acceptable(vendor: Vendor, sent: &Sent, what: &str) {
    let (status, text) = match sent {
        Sent::Answer { status, text } => (*status, text),
        Sent::Held => return,
        Sent::Nothing => panic!("{what}: no answer"),
    };
    let sign = match vendor {
        Vendor::LangSmith => "\"detail\"",
        Vendor::Sandbox0 | Vendor::Vercel => "\"error\"",
        _ => "\"message\"",
    };
    assert!(status < 400 || text.contains(sign), "{what}: {status} {text}");
}

async fn send(address: SocketAddr, request: &[u8]) -> Sent {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // The service may refuse the request before it has read all of it.
    drop(stream.write_all(request).await);
    let mut answer = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    match text.get(9..12).and_then(|status| status.parse().ok()) {
        Some(status) => Sent::Answer { status, text },
        None if read.is_err() => Sent::Held,
        None => Sent::Nothing,
    }
}

/// The tokens of E2B's sandboxes, which cannot be computed.
static TOKENS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Requests a sandbox's token, which anyone with the key can get.
async fn learn(address: SocketAddr, id: &str) {
    let route = format!("POST /v2/sandboxes/{id}/connect");
    let asked = request(Vendor::E2b, address, &route, "application/json", b"{\"timeout\": 300}", id);
    let Sent::Answer { text, .. } = send(address, &asked).await else { panic!("no answer") };
    let token = text.split("\"envdAccessToken\":\"").nth(1).and_then(|rest| rest.split('"').next());
    TOKENS.lock().expect("tokens").insert(id.to_owned(), token.expect(&text).to_owned());
}

/// A request with the credentials that the vendor's service requires.
fn request(vendor: Vendor, address: SocketAddr, route: &str, kind: &str, body: &[u8], id: &str) -> Vec<u8> {
    let (method, path) = route.split_once(' ').expect("a method and a path");
    let key = vendor.example_key();
    let mut path = path.to_owned();
    if vendor == Vendor::Vercel {
        let joint = if path.contains('?') { '&' } else { '?' };
        path = format!("{path}{joint}teamId=team_emulator");
    }
    let headers = match vendor {
        Vendor::AgentCore => signed(address, method, &path, body, key, id),
        Vendor::E2b => {
            let token = TOKENS.lock().expect("tokens").get(id).cloned().unwrap_or_default();
            format!(
                "x-api-key: {key}\r\ne2b-sandbox-id: {id}\r\ne2b-sandbox-port: 49983\r\nx-access-token: {token}\r\n"
            )
        }
        Vendor::LangSmith => format!("x-api-key: {key}\r\n"),
        _ => format!("authorization: Bearer {key}\r\n"),
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// AWS's signature, version 4.
fn signed(address: SocketAddr, method: &str, path: &str, body: &[u8], secret: &str, id: &str) -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let (date, day) = (now.replace(['-', ':'], ""), now[..10].replace('-', ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let session = format!("x-amzn-code-interpreter-session-id:{id}");
    let headers = "host;x-amz-date;x-amzn-code-interpreter-session-id";
    let canonical = format!(
        "{method}\n{path}\n{query}\nhost:{address}\nx-amz-date:{date}\n{session}\n\n{headers}\n{}",
        hex(&Sha256::digest(body))
    );
    let scope = format!("{day}/us-west-2/bedrock-agentcore/aws4_request");
    let string_to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mac = |key: &[u8], text: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key has any length");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    };
    let mut key = mac(format!("AWS4{secret}").as_bytes(), &day);
    for step in ["us-west-2", "bedrock-agentcore", "aws4_request"] {
        key = mac(&key, step);
    }
    let signature = hex(&mac(&key, &string_to_sign));
    format!(
        "x-amz-date: {date}\r\n{session}\r\nauthorization: AWS4-HMAC-SHA256 Credential=AKIA/{scope}, SignedHeaders={headers}, Signature={signature}\r\n"
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How often a task panicked. A test's own thread is not counted: its panic fails only that test.
fn panics() -> &'static AtomicUsize {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name().is_some_and(|name| name.starts_with("tokio")) {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            before(info);
        }));
    });
    &PANICS
}
