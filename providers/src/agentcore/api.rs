//! The service's calls.

use aws_smithy_eventstream::frame::read_message_from;
use bytes::{Buf as _, Bytes};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::{AgentCoreOptions, NAME};
use super::sign::signature;
use crate::cloud::{
    Call, Http, HttpResponse, Id, Vendor, bounded_list, parse_json, query, segment_of_parts, unique,
};
use crate::{Error, ErrorKind, Result};

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| {
        let message = body.get("message").or_else(|| body.get("Message"))?;
        Some(message.as_str()?.to_owned())
    },
    // The service refuses unknown callers in the same way as those without permission.
    kind: |status, message| {
        let unknown = ["signature", "signed", "security token"].iter().any(|word| message.contains(word));
        (status == 403 && unknown).then_some(ErrorKind::Unauthenticated)
    },
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: AgentCoreOptions,
}

/// What the service reports about a session.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    #[serde(rename = "sessionId")]
    pub(super) id: Id,
    pub(super) status: Option<String>,
    pub(super) name: Option<String>,
    pub(super) created_at: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub(super) items: Vec<Session>,
    pub(super) next_token: Option<String>,
}

/// What a tool answered.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolResult {
    #[serde(deserialize_with = "bounded_list")]
    pub(super) content: Vec<Content>,
    pub(super) structured_content: Structured,
    pub(super) is_error: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) text: Option<String>,
    pub(super) resource: Option<Resource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Resource {
    pub(super) text: Option<String>,
    pub(super) blob: Option<String>,
}

/// The only part of the answer that has a command's status and separate streams.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Structured {
    pub(super) stdout: Option<String>,
    pub(super) stderr: Option<String>,
    pub(super) exit_code: Option<i32>,
    pub(super) task_id: Option<String>,
    pub(super) task_status: Option<String>,
}

/// The result of one of the client's own commands.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) status: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Whether it is harmless if a tool runs twice instead of once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Once,
    Repeatable,
}

impl Api {
    pub(super) fn new(options: AgentCoreOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    /// A signed call to a path below the interpreter's.
    fn call(&self, method: Method, path: &str, session: Option<&Id>, body: Option<&Value>) -> Result<Call> {
        let interpreter = segment_of_parts(&self.options.interpreter)?;
        let url = format!("{}/code-interpreters/{interpreter}{path}", self.options.endpoint());
        let mut headers = Vec::new();
        if body.is_some() {
            headers.push(("content-type", "application/json".to_owned()));
        }
        if let Some(session) = session {
            headers.push(("x-amzn-code-interpreter-session-id", session.as_str().to_owned()));
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let signed = signature(&self.options, method.as_str(), &url, &headers, &body)?;
        let mut call = self.http.call(method, url);
        if !body.is_empty() {
            call = call.body("application/json", body);
        }
        for (name, value) in headers {
            call = call.header(name, &value);
        }
        for (name, value) in signed {
            call = call.secret(name, "", &value);
        }
        Ok(call)
    }

    pub(super) async fn start(&self, mut body: Value) -> Result<Session> {
        // With this token, sending the request twice creates only one session.
        body["clientToken"] = json!(format!("sandshell-{}", unique()));
        let call = self.call(Method::PUT, "/sessions/start", None, Some(&body))?;
        self.http.parse(&self.http.send(call).await?)
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Session> {
        let path = format!("/sessions/get{}", query(&[("sessionId", id.as_str().to_owned())]));
        self.http.parse(&self.http.send(self.call(Method::GET, &path, None, None)?).await?)
    }

    pub(super) async fn list(&self, body: &Value) -> Result<Page> {
        let call = self.call(Method::POST, "/sessions/list", None, Some(body))?.repeatable();
        self.http.parse(&self.http.send(call).await?)
    }

    /// Ends a session. It is no error if the session does not exist.
    pub(super) async fn stop(&self, id: &Id) -> Result<()> {
        let path = format!("/sessions/stop{}", query(&[("sessionId", id.as_str().to_owned())]));
        let body = json!({"clientToken": format!("sandshell-{}", unique())});
        let answer = self.http.answer(self.call(Method::PUT, &path, None, Some(&body))?).await?;
        if answer.status == 404 { Ok(()) } else { self.http.success(answer).map(drop) }
    }

    /// Uses a tool of a session.
    pub(super) async fn invoke(
        &self,
        session: &Id,
        tool: &str,
        arguments: Value,
        how: Use,
    ) -> Result<ToolResult> {
        let body = json!({"name": tool, "arguments": arguments});
        let mut call = self.call(Method::POST, "/tools/invoke", Some(session), Some(&body))?;
        if how == Use::Repeatable {
            call = call.repeatable();
        }
        // File transfers and commands have only their own deadlines.
        self.result(&self.http.send(call.deadline(None).large()).await?)
    }

    /// Runs a short command of this client's own.
    pub(super) async fn run(&self, session: &Id, command: String, how: Use) -> Result<Ran> {
        let done = self.invoke(session, "executeCommand", json!({"command": command}), how).await?;
        let Structured { stdout, stderr, exit_code, .. } = done.structured_content;
        Ok(Ran {
            status: exit_code.unwrap_or(if done.is_error { 1 } else { 0 }),
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
        })
    }

    /// Extracts the result from a stream of events.
    fn result(&self, answer: &HttpResponse) -> Result<ToolResult> {
        let mut body = answer.body.clone();
        let mut result = None;
        while body.has_remaining() {
            let message = read_message_from(&mut body).map_err(|error| self.http.malformed(error))?;
            let header = |name: &str| {
                let header = message.headers().iter().find(|header| header.name().as_str() == name)?;
                header.value().as_string().ok().map(|value| value.as_str().to_owned())
            };
            match header(":message-type").as_deref() {
                Some("event") => {
                    let event = parse_json(message.payload());
                    result = Some(event.map_err(|error| self.http.malformed(error))?);
                }
                Some(_) => {
                    let name = header(":exception-type").or_else(|| header(":error-code"));
                    return Err(self.exception(&name.unwrap_or_default(), message.payload()));
                }
                None => return Err(self.http.malformed("an event without a type")),
            }
        }
        result.ok_or_else(|| self.http.malformed("a stream without a result"))
    }

    fn exception(&self, name: &str, payload: &[u8]) -> Error {
        let kind = match name {
            "accessDeniedException" => ErrorKind::PermissionDenied,
            "conflictException" => ErrorKind::Conflict,
            "resourceNotFoundException" => ErrorKind::NotFound,
            "serviceQuotaExceededException" => ErrorKind::QuotaExceeded,
            "throttlingException" => ErrorKind::RateLimited,
            "validationException" => ErrorKind::InvalidRequest,
            _ => ErrorKind::Unavailable,
        };
        let message = parse_json(payload).ok().and_then(|body| (VENDOR.message)(&body));
        self.http.error(kind, message.unwrap_or_else(|| name.to_owned()))
    }
}
