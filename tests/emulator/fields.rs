//! Every field of the vendors' SDKs has its effect, is refused in the vendor's form, or is documented as harmless.

use std::fmt::Write as _;

use bytes::Bytes;
use sandshell::cloud::ClientOptions;
use sandshell::emulator::{Field, Known, Options, Treatment, Vendor};
use sandshell::{CreateOptions, ExecuteRequest};
use serde_json::{Value, json};

use super::{Sent, acceptable, request, send, serve, unary};

/// The page that lists what is accepted without an effect, and what is refused.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/emulator-fields.md");

fn listed() -> impl Iterator<Item = (Vendor, &'static Known)> {
    let vendors = Vendor::ALL.iter().map(|vendor| (*vendor, vendor.fields()));
    vendors.flat_map(|(vendor, fields)| fields.requests.iter().map(move |known| (vendor, known)))
}

/// A value that asks for something in any field.
fn something(field: &Field) -> Value {
    match &field.treatment {
        Treatment::Refused { unless: Some(values), .. } if values.contains(&json!(true)) => json!(false),
        Treatment::Refused { unless: Some(values), .. } if values.contains(&json!(false)) => json!(true),
        _ => json!("something"),
    }
}

/// A body with a value at a dotted name.
fn body(name: &str, value: Value) -> Value {
    name.rsplit('.').fold(value, |value, part| json!({part: value}))
}

/// A message with a value at these field numbers.
fn message(numbers: &[u64], value: &[u8]) -> Vec<u8> {
    numbers.iter().rev().fold(value.to_vec(), |value, number| {
        let mut message = Vec::new();
        varint(&mut message, (number << 3) | 2);
        varint(&mut message, value.len() as u64);
        message.extend(value);
        message
    })
}

fn varint(message: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        message.push(((number & 0x7f) | 0x80) as u8);
        number >>= 7;
    }
    message.push(number as u8);
}

/// A service's answer to a request with one field.
async fn answer(
    vendor: Vendor,
    address: std::net::SocketAddr,
    known: &Known,
    field: Option<&Field>,
    value: Value,
) -> String {
    if vendor == Vendor::Modal {
        let message = match field {
            Some(field) => message(&field.numbers, value.as_str().unwrap_or("something").as_bytes()),
            None => message(&[99_999], b"something"),
        };
        let service = match known.name.as_str() {
            name if name.starts_with("TaskExec")
                || name == "TaskSnapshotFilesystem"
                || name.contains("Stdi") =>
            {
                "modal.task_command_router.TaskCommandRouter"
            }
            _ => "modal.client.ModalClient",
        };
        let framed = [&[0][..], &(message.len() as u32).to_be_bytes(), &message].concat();
        return unary(address, &format!("{service}/{}", known.name), framed.into()).await;
    }
    let name = field.map_or("sandshellHasNoSuchField", |field| field.name.as_str());
    let mut route = known.name.replace("{id}", "none");
    let mut sent = Bytes::new();
    if name.starts_with('=') {
        // A part of a form: services read only the parts that they know.
    } else if let Some(name) = name.strip_prefix('?') {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Writing to a string cannot fail.
        let _ = write!(route, "?{name}={value}");
    } else {
        sent = body(name, value).to_string().into();
    }
    let sent = request(vendor, address, &route, "application/json", &sent, "none");
    let answer = send(address, &sent).await;
    acceptable(vendor, &answer, &route);
    match answer {
        Sent::Answer { status, text } => format!("{status} {text}"),
        Sent::Nothing | Sent::Held => panic!("{route}: no answer"),
    }
}

fn is_refused(answer: &str) -> bool {
    // The HTTP status, or that of gRPC.
    answer
        .split(' ')
        .next()
        .and_then(|status| status.parse::<u16>().ok())
        .is_some_and(|status| matches!(status, 12 | 400 | 422 | 501))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_field_is_treated() {
    let address = serve(Vendor::ALL.iter().copied(), &Options::default()).await;
    let (mut checked, mut wrong) = (0, Vec::new());
    for (vendor, known) in listed() {
        // Requests over a WebSocket have unit tests beside their code.
        if vendor != Vendor::Modal && !known.name.contains(' ') {
            continue;
        }
        let is_refused = |answer: &str, what: &str| is_refused(answer) && answer.contains(what);
        if let Some(what) = &known.refused {
            let answer = answer(vendor, address, known, None, json!("something")).await;
            if !is_refused(&answer, what) {
                wrong.push(format!("{vendor} {}: {answer}", known.name));
            }
            checked += 1;
            continue;
        }
        // Streams of messages are not one JSON document; the SDK tests cover their fields.
        let streams = ["/Start", "/Connect", "/StreamInput"].iter().any(|end| known.name.ends_with(end));
        if known.name == "TaskExecStdinWriteStream" || (vendor == Vendor::E2b && streams) {
            continue;
        }
        for field in &known.fields {
            let answer = answer(vendor, address, known, Some(field), something(field)).await;
            let is_right = match &field.treatment {
                Treatment::Refused { what, .. } => is_refused(&answer, what),
                Treatment::Honoured | Treatment::Harmless(_) => !answer.contains("does not know this field"),
            };
            if !is_right {
                wrong.push(format!("{vendor} {} {}: {answer}", known.name, field.name));
            }
            checked += 1;
        }
        let has_body = vendor == Vendor::Modal || (known.name.starts_with('P') && !known.fields.is_empty());
        let answer = answer(vendor, address, known, None, json!("something")).await;
        if has_body && !is_refused(&answer, "does not know this field") {
            wrong.push(format!("{vendor} {}: {answer}", known.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 900, "{checked}");
}

/// The page lists fields that are accepted without an effect and fields that are refused. `SANDSHELL_WRITE=1`
/// writes it.
#[test]
fn what_is_harmless_is_documented() {
    let page = page();
    if std::env::var_os("SANDSHELL_WRITE").is_some() {
        std::fs::write(PAGE, &page).expect("written");
    }
    assert_eq!(
        std::fs::read_to_string(PAGE).expect("the page"),
        page,
        "docs/emulator-fields.md is of another table"
    );
}

fn page() -> String {
    let mut page = String::from(
        "# Fields that the emulator accepts without an effect, or refuses\n\n\
         Written from the tables beside the emulator's code (`emulator/src/*/fields.txt`), which are compared with the\n\
         vendors' SDKs. Each field of theirs is honoured, or is in one of these lists; a field in none is an error.\n",
    );
    for vendor in Vendor::ALL {
        let fields = vendor.fields();
        let _ = write!(page, "\n## {vendor}\n\nAccepted without an effect:\n\n");
        let mut harmless: Vec<(String, &str)> = Vec::new();
        let mut refused: Vec<(&str, Vec<String>)> = Vec::new();
        for known in &fields.requests {
            if let Some(what) = &known.refused {
                add(&mut refused, what, format!("`{}`", known.name));
            }
            for field in &known.fields {
                let name = field.name.trim_start_matches('?');
                match &field.treatment {
                    Treatment::Harmless(why) if !harmless.iter().any(|(other, _)| other == name) => {
                        harmless.push((name.to_owned(), why));
                    }
                    Treatment::Refused { what, .. } => add(&mut refused, what, format!("`{name}`")),
                    _ => {}
                }
            }
        }
        for (name, why) in harmless {
            let _ = writeln!(page, "* `{name}`: {why}");
        }
        page.push_str("\nRefused:\n\n");
        for (what, mut names) in refused {
            names.dedup();
            let more = names.len().saturating_sub(6);
            names.truncate(6);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(page, "* {what}: {}{more}", names.join(", "));
        }
    }
    page
}

fn add<'a>(lists: &mut Vec<(&'a str, Vec<String>)>, what: &'a str, name: String) {
    match lists.iter_mut().find(|(other, _)| *other == what) {
        Some((_, names)) if names.contains(&name) => {}
        Some((_, names)) => names.push(name),
        None => lists.push((what, vec![name])),
    }
}

/// How the effect of a field of a creation request is observed.
enum Seen {
    /// In a command's output.
    Runs(&'static str, &'static str),
    /// At this place in the answer.
    Shows(&'static str, Value),
}

/// A request that creates a sandbox, and the expected effects of its fields.
struct Creation {
    vendor: Vendor,
    route: &'static str,
    body: Value,
    seen: Vec<(&'static str, Seen)>,
}

fn creations() -> [Creation; 3] {
    use Seen::{Runs, Shows};
    [
        Creation {
            vendor: Vendor::Runloop,
            route: "POST /v1/devboxes/create_and_await_running",
            body: json!({
                "name": "one",
                "metadata": {"k": "v"},
                "environment_variables": {"A": "a b"},
                "file_mounts": {"/home/user/f": "content\n"},
                "launch_parameters": {
                    "launch_commands": ["echo launched > /tmp/launched", "cat f >> /tmp/launched"],
                    "keep_alive_time_seconds": 60,
                    "user_parameters": {"username": "user", "uid": 1000},
                },
            }),
            seen: vec![
                ("name", Shows("/name", json!("one"))),
                ("metadata", Shows("/metadata/k", json!("v"))),
                ("environment_variables", Runs("echo $A", "a b\n")),
                ("file_mounts", Runs("cat f", "content\n")),
                ("launch_parameters.launch_commands", Runs("cat /tmp/launched", "launched\ncontent\n")),
                ("launch_parameters.user_parameters", Runs("id -un; id -u", "user\n1000\n")),
            ],
        },
        Creation {
            vendor: Vendor::Daytona,
            route: "POST /api/sandbox",
            body: json!({
                "name": "one",
                "user": "daytona",
                "env": {"A": "a b"},
                "labels": {"k": "v"},
                "target": "eu",
                "autoDeleteInterval": 7,
            }),
            seen: vec![
                ("name", Shows("/name", json!("one"))),
                ("env", Runs("echo $A", "a b\n")),
                ("labels", Shows("/labels/k", json!("v"))),
                ("autoDeleteInterval", Shows("/autoDeleteInterval", json!(7))),
            ],
        },
        Creation {
            vendor: Vendor::E2b,
            route: "POST /v2/sandboxes",
            body: json!({
                "templateID": "mine",
                "envVars": {"A": "a b"},
                "metadata": {"k": "v"},
                "secure": true,
            }),
            seen: vec![
                ("templateID", Runs("echo $E2B_TEMPLATE_ID", "mine\n")),
                ("envVars", Runs("echo $A", "a b\n")),
                ("none", Runs("echo $E2B_SANDBOX $E2B_TEAM_ID", "true emulator\n")),
            ],
        },
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_honoured_is_seen() {
    for Creation { vendor, route, body, seen } in creations() {
        let address = serve([vendor], &Options::default()).await;
        let sent = request(vendor, address, route, "application/json", body.to_string().as_bytes(), "none");
        let Sent::Answer { status, text } = send(address, &sent).await else { panic!("{vendor}: no answer") };
        assert!(matches!(status, 200 | 201), "{vendor}: {status} {text}");
        let created =
            text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str::<Value>(body).ok());
        let created = created.unwrap_or_else(|| panic!("{vendor}: {text}"));
        let id = created["id"].as_str().or(created["sandboxID"].as_str()).expect("an id");
        let provider = super::client(vendor).connect(address, vendor.example_key(), ClientOptions::default());
        let sandbox = provider.get_or_create(CreateOptions::existing(id)).await.expect("the sandbox");
        for (field, seen) in seen {
            match seen {
                Seen::Shows(place, value) => {
                    assert_eq!(created.pointer(place), Some(&value), "{vendor} {field}")
                }
                Seen::Runs(command, output) => {
                    let done = sandbox.execute(ExecuteRequest::new(command)).await.expect("an answer");
                    assert_eq!(done.text(), output, "{vendor} {field}");
                }
            }
        }
    }
}

#[test]
fn a_message_by_its_numbers() {
    assert_eq!(message(&[2, 9], b"x"), b"\x12\x03\x4a\x01x");
    assert_eq!(body("a.b", json!(1)), json!({"a": {"b": 1}}));
}
