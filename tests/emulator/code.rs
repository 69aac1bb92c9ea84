//! Running code without an interpreter: the error says what to do next.

use std::net::SocketAddr;

use sandshell::emulator::{Options, Vendor};
use serde_json::{Value, json};

use super::{Sent, request, send, serve};

/// The command that adds Python.
const NEXT: &str = "sandshell pack build python";

/// The status and the body of an answer.
async fn answer(address: SocketAddr, request: &[u8]) -> (u16, Value) {
    let Sent::Answer { status, text } = send(address, request).await else { panic!("no answer") };
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or_else(|_| json!(body)))
}

async fn create(vendor: Vendor, address: SocketAddr, route: &str, body: &Value) -> Value {
    let sent = request(vendor, address, route, "application/json", body.to_string().as_bytes(), "none");
    let (status, created) = answer(address, &sent).await;
    assert!(matches!(status, 200 | 201), "{vendor}: {status} {created}");
    created
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_without_the_pack_is_refused() {
    let address = serve([Vendor::E2b, Vendor::Daytona], &Options::default()).await;
    let created = create(Vendor::E2b, address, "POST /v2/sandboxes", &json!({"templateID": "x"})).await;
    let id = created["sandboxID"].as_str().expect("an id");
    let token = created["envdAccessToken"].as_str().expect("a token");
    for (path, body) in [("/execute", r#"{"code": "1"}"#), ("/contexts", "{}")] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\ne2b-sandbox-id: {id}\r\ne2b-sandbox-port: 49999\r\nx-access-token: {token}\r\n\r\n{body}",
            body.len()
        );
        let (status, told) = answer(address, head.as_bytes()).await;
        assert_eq!(status, 501, "{path}: {told}");
        assert!(told["message"].as_str().is_some_and(|message| message.contains(NEXT)), "{path}: {told}");
    }
    let created = create(Vendor::Daytona, address, "POST /api/sandbox", &json!({})).await;
    let id = created["id"].as_str().expect("an id");
    for (body, next) in [
        (json!({"code": "1", "language": "python"}), NEXT),
        (json!({"code": "1", "language": "typescript"}), "needs the command node"),
        (json!({"code": "1", "language": "cobol"}), "cobol"),
    ] {
        let route = format!("POST /toolbox/{id}/process/code-run");
        let sent =
            request(Vendor::Daytona, address, &route, "application/json", body.to_string().as_bytes(), id);
        let (status, told) = answer(address, &sent).await;
        assert_eq!(status, 501, "{body}: {told}");
        assert!(told["message"].as_str().is_some_and(|message| message.contains(next)), "{body}: {told}");
    }
}

/// A context is a process of the sandbox, so it can only be reached through the sandbox's id.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contexts_are_their_sandboxes_own() {
    let address = serve([Vendor::E2b], &Options::default()).await;
    let created = create(Vendor::E2b, address, "POST /v2/sandboxes", &json!({"templateID": "x"})).await;
    let id = created["sandboxID"].as_str().expect("an id");
    for (named, token, status) in [("none", "x", 502), (id, "ea_wrong", 401), (id, "", 401)] {
        let body = r#"{"code": "1"}"#;
        let head = format!(
            "POST /execute HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\ne2b-sandbox-id: {named}\r\nx-access-token: {token}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(answer(address, head.as_bytes()).await.0, status, "{named} {token}");
    }
}
