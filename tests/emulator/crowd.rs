//! What clients send too much of, or do not wait for: bodies, layers, input, sockets.

use std::net::SocketAddr;

use bytes::Bytes;
use prost::Message;
use sandshell::emulator::{Options, Vendor};
use sandshell_modal::control::{
    AppGetOrCreateRequest, AppGetOrCreateResponse, Image, ImageGetOrCreateRequest, ImageGetOrCreateResponse,
    ObjectCreationType, Sandbox, SandboxCreateV2Request, SandboxCreateV2Response, SecretGetOrCreateRequest,
};
use sandshell_modal::router::{TaskSnapshotFilesystemRequest, TaskSnapshotFilesystemResponse};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{PATIENCE, ROUTES, Sent, acceptable, call, client, request, send, serve, unary};

/// A body of another type than JSON is not read by the services, so nobody else may hold it either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_no_service_expects_is_not_held() {
    let address = serve(Vendor::ALL.iter().copied(), &Options::default()).await;
    let long = vec![b' '; 5 << 20];
    let mut refused = 0;
    for (vendor, routes) in ROUTES {
        // Every signed body is read, and Modal has its own limits.
        if matches!(vendor, Vendor::AgentCore | Vendor::Modal) {
            continue;
        }
        for route in *routes {
            let sent = request(*vendor, address, route, "text/plain", &long, "ID");
            let answer = send(address, &sent).await;
            if let Sent::Answer { status: 413, .. } = &answer {
                acceptable(*vendor, &answer, route);
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused} refused");
}

fn framed(message: &impl Message) -> Bytes {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).expect("a short message");
    [&[0][..], &length.to_be_bytes(), &message].concat().into()
}

async fn modal<T: Message + Default>(
    address: SocketAddr,
    method: &str,
    token: &str,
    message: &impl Message,
) -> T {
    let service = match token {
        "" => "modal.client.ModalClient",
        _ => "modal.task_command_router.TaskCommandRouter",
    };
    let (status, body) = call(address, &format!("{service}/{method}"), token, framed(message)).await;
    assert_eq!(status.trim(), "0", "{method}");
    T::decode(body.get(5..).expect("a message")).expect("an answer")
}

async fn create(address: SocketAddr) -> SandboxCreateV2Response {
    let app = AppGetOrCreateRequest {
        app_name: "app".to_owned(),
        object_creation_type: ObjectCreationType::CreateIfMissing.into(),
        ..AppGetOrCreateRequest::default()
    };
    let app: AppGetOrCreateResponse = modal(address, "AppGetOrCreate", "", &app).await;
    let image: ImageGetOrCreateResponse =
        modal(address, "ImageGetOrCreate", "", &ImageGetOrCreateRequest::default()).await;
    let definition = Sandbox { image_id: image.image_id, timeout_secs: 300, ..Sandbox::default() };
    let wanted = SandboxCreateV2Request {
        app_id: app.app_id,
        definition: Some(definition),
        ..SandboxCreateV2Request::default()
    };
    modal(address, "SandboxCreateV2", "", &wanted).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sandboxes_with_the_same_snapshot_id_have_two_snapshots() {
    let address = serve([Vendor::Modal], &Options::default()).await;
    let mut images = Vec::new();
    for _ in 0..2 {
        let sandbox = create(address).await;
        let token = sandbox.command_router_access.expect("access").jwt;
        for _ in 0..2 {
            let wanted = TaskSnapshotFilesystemRequest {
                task_id: sandbox.task_id.clone(),
                snapshot_id: "mine".to_owned(),
                ttl_seconds: None,
            };
            let taken: TaskSnapshotFilesystemResponse =
                modal(address, "TaskSnapshotFilesystem", &token, &wanted).await;
            images.push(taken.image_id);
        }
    }
    // A repeated request is about the same snapshot, one of another sandbox is not.
    assert_eq!(images[0], images[1]);
    assert_eq!(images[2], images[3]);
    assert_ne!(images[0], images[2], "the snapshot is of another sandbox");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_modal_have_limits() {
    let address = serve([Vendor::Modal], &Options::default()).await;
    let mut lines = vec!["ENV A=0123456789".to_owned()];
    lines.extend((0..12).map(|_| format!("ENV A={}", "$A".repeat(10))));
    let image = Some(Image { dockerfile_commands: lines, ..Image::default() });
    let image = ImageGetOrCreateRequest { image, ..ImageGetOrCreateRequest::default() };
    let told = unary(address, "modal.client.ModalClient/ImageGetOrCreate", framed(&image)).await;
    assert!(told.starts_with("8 ") && told.contains("1048576"), "{told}");
    let secret = SecretGetOrCreateRequest {
        env_dict: [("A".to_owned(), "x".repeat(5 << 20))].into(),
        ..SecretGetOrCreateRequest::default()
    };
    let told = unary(address, "modal.client.ModalClient/SecretGetOrCreate", framed(&secret)).await;
    assert!(told.starts_with("8 ") && told.contains("4194304"), "{told}");
}

/// A client of Deno's, as far as it is needed here.
struct Socket(TcpStream);

impl Socket {
    async fn open(address: SocketAddr, path: &str) -> Self {
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\nconnection: upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            Vendor::Deno.example_key()
        );
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut said = Vec::new();
        while !said.ends_with(b"\r\n\r\n") {
            said.push(stream.read_u8().await.expect("a head"));
        }
        assert!(said.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&said));
        Self(stream)
    }

    async fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let length = u64::try_from(text.len()).expect("a length");
        // A mask of zeros changes nothing.
        let head = [&[0x81, 0xff][..], &length.to_be_bytes(), &[0; 4]].concat();
        // The service may have closed the socket already.
        drop(self.0.write_all(&[&head, text.as_bytes()].concat()).await);
    }

    /// The next frame: its kind and its content.
    async fn receive(&mut self) -> (u8, Vec<u8>) {
        let read = async {
            let kind = self.0.read_u8().await? & 15;
            let length = match self.0.read_u8().await? {
                126 => u64::from(self.0.read_u16().await?),
                127 => self.0.read_u64().await?,
                short => short.into(),
            };
            let mut content = vec![0; usize::try_from(length).unwrap_or(0)];
            self.0.read_exact(&mut content).await?;
            std::io::Result::Ok((kind, content))
        };
        tokio::time::timeout(PATIENCE, read).await.expect("in time").expect("a frame")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_of_deno_ends_with_the_socket_that_created_it_and_no_other() {
    let address = serve([Vendor::Deno], &Options::default()).await;
    let mut first = Socket::open(address, "/api/v3/sandboxes/create").await;
    let asked = request(Vendor::Deno, address, "GET /api/v3/sandboxes", "text/plain", b"", "");
    let Sent::Answer { text, .. } = send(address, &asked).await else { panic!("no answer") };
    let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect(&text).to_owned();
    let second = Socket::open(address, &format!("/api/v3/sandbox/{id}/connect")).await;
    drop(second);
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let write = json!({"jsonrpc": "2.0", "id": 1, "method": "envToObject", "params": {}});
    first.send(&write).await;
    let (kind, said) = first.receive().await;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(kind == 1 && said.contains("HOME"), "{kind} {said}");
    drop(first);
    let mut left = true;
    for _ in 0..100 {
        let Sent::Answer { text, .. } = send(address, &asked).await else { panic!("no answer") };
        left = text.contains(&id);
        if !left {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(!left, "the sandbox is still there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_of_deno_have_limits() {
    let address = serve([Vendor::Deno], &Options::default()).await;
    let enqueue = |stream: u64| json!({"jsonrpc": "2.0", "method": "$sandbox.stream.enqueue", "params": {"streamId": stream, "data": "eA=="}});
    let mut socket = Socket::open(address, "/api/v3/sandboxes/create").await;
    for stream in 0..=1000 {
        socket.send(&enqueue(stream)).await;
    }
    let (kind, said) = socket.receive().await;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(kind == 8 && said.contains("too many streams"), "{kind} {said}");
    let mut socket = Socket::open(address, "/api/v3/sandboxes/create").await;
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "envSet", "params": {"key": "A", "value": "x".repeat(2 << 20)}});
    socket.send(&long).await;
    let (_, said) = socket.receive().await;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("at most 1048576 bytes"), "{said}");
    // Every vendor keeps names and labels.
    let provider = client(Vendor::Daytona);
    let address = serve([Vendor::Daytona], &Options::default()).await;
    let body = json!({"labels": {"a": "x".repeat(2 << 20)}}).to_string();
    let asked =
        request(provider.vendor, address, "POST /api/sandbox", "application/json", body.as_bytes(), "");
    let Sent::Answer { status, text } = send(address, &asked).await else { panic!("no answer") };
    assert!(status == 400 && text.contains("at most 1048576 bytes"), "{status} {text}");
}
