//! The code interpreter: Python contexts. Events of code in them are sent as JSON lines.

use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use bytes::Bytes;
use sandshell_providers::Error;
use serde_json::{Map, Value, json};

use super::{E2b, HOME, absolute, environment, error};
use crate::contexts::{InterpreterOptions, Shown};
use crate::http::{HttpAnswer, empty, json, object, stream};
use crate::kernel::CodeEvent;
use crate::time::nanoseconds;
use crate::world::{Machine, status};

/// The MIME types that have members in results.
const FORMS: [(&str, &str); 11] = [
    ("text/plain", "text"),
    ("text/html", "html"),
    ("text/markdown", "markdown"),
    ("image/svg+xml", "svg"),
    ("image/png", "png"),
    ("image/jpeg", "jpeg"),
    ("application/pdf", "pdf"),
    ("text/latex", "latex"),
    ("application/json", "json"),
    ("application/javascript", "javascript"),
    ("e2b/data", "data"),
];

/// The options with which a sandbox's contexts start.
fn interpreter_options(machine: &Machine, cwd: &str) -> InterpreterOptions {
    InterpreterOptions { cwd: absolute(cwd), env: environment(machine).into() }
}

pub(super) async fn execute(State(e2b): State<Arc<E2b>>, headers: HeaderMap, body: Bytes) -> HttpAnswer {
    let machine = match e2b.reach(&headers) {
        Ok(machine) => machine,
        Err(unreachable) => return unreachable.answer(),
    };
    let Some(body) = object(&body) else { return error(400, "the body is not JSON") };
    let Some(code) = body["code"].as_str() else { return error(422, "code is required") };
    if let Err(answer) = language(&body["language"]) {
        return answer;
    }
    let id = body["context_id"].as_str().filter(|id| !id.is_empty());
    let kernel =
        match machine.contexts.kernel(&machine.sandbox, id, || interpreter_options(&machine, HOME)).await {
            Ok(Some(kernel)) => kernel,
            Ok(None) => return missing(id.unwrap_or_default()),
            Err(error) => return failed(&error),
        };
    let mut events = kernel.run(code, &body["env_vars"]);
    let (sender, answer) = stream("application/x-ndjson");
    tokio::spawn(async move {
        let mut ended = false;
        loop {
            let what = tokio::select! {
                what = events.recv() => what,
                // If the client goes away, the code is stopped.
                () = sender.closed() => return,
            };
            let Some(what) = what else { break };
            ended = matches!(what, CodeEvent::End);
            if sender.send(line(&shown(what))).await.is_err() {
                return;
            }
        }
        if !ended {
            let message = "the interpreter ended while the code ran; its state is lost";
            let error =
                json!({"type": "error", "name": "ContextTerminated", "value": message, "traceback": message});
            drop(sender.send(line(&error)).await);
            drop(sender.send(line(&json!({"type": "unexpected_end_of_execution"}))).await);
        }
    });
    answer
}

fn line(value: &Value) -> Bytes {
    format!("{value}\n").into()
}

fn shown(event: CodeEvent) -> Value {
    match event {
        CodeEvent::Begun(count) => json!({"type": "number_of_executions", "execution_count": count}),
        CodeEvent::Stdout(text) => {
            json!({"type": "stdout", "text": text, "timestamp": nanoseconds(SystemTime::now())})
        }
        CodeEvent::Stderr(text) => {
            json!({"type": "stderr", "text": text, "timestamp": nanoseconds(SystemTime::now())})
        }
        CodeEvent::Shown { main, forms } => result(main, forms),
        CodeEvent::Raised { name, value, traceback } => {
            json!({"type": "error", "name": name, "value": value, "traceback": traceback})
        }
        CodeEvent::End => json!({"type": "end_of_execution"}),
    }
}

fn result(main: bool, mut forms: Map<String, Value>) -> Value {
    let mut result = json!({"type": "result", "is_main_result": main});
    for (kind, member) in FORMS {
        if let Some(form) = forms.remove(kind) {
            result[member] = form;
        }
    }
    // For a string, the value is the string itself, without the quotes of its representation.
    if let Some(text) = result["text"].as_str().and_then(|text| text.strip_prefix('\'')?.strip_suffix('\'')) {
        result["text"] = json!(text);
    }
    result["extra"] = Value::Object(forms);
    result
}

// Calls about contexts bring no token, not even those of the vendor's own SDK.

pub(super) async fn create(State(e2b): State<Arc<E2b>>, headers: HeaderMap, body: Bytes) -> HttpAnswer {
    let machine = match e2b.named(&headers) {
        Ok(machine) => machine,
        Err(unreachable) => return unreachable.answer(),
    };
    let Some(body) = object(&body) else { return error(400, "the body is not JSON") };
    if let Err(answer) = language(&body["language"]) {
        return answer;
    }
    let options = interpreter_options(&machine, body["cwd"].as_str().unwrap_or_default());
    match machine.contexts.create(&machine.sandbox, options).await {
        Ok(context) => json(200, &described(&context)),
        Err(error) => failed(&error),
    }
}

pub(super) async fn list(State(e2b): State<Arc<E2b>>, headers: HeaderMap) -> HttpAnswer {
    match e2b.named(&headers) {
        Ok(machine) => {
            let all = machine.contexts.list(|| interpreter_options(&machine, HOME)).await;
            json(200, &all.iter().map(described).collect())
        }
        Err(unreachable) => unreachable.answer(),
    }
}

pub(super) async fn remove(
    State(e2b): State<Arc<E2b>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> HttpAnswer {
    match e2b.named(&headers) {
        Ok(machine) if machine.contexts.remove(&id).await => empty(204),
        Ok(_) => missing(&id),
        Err(unreachable) => unreachable.answer(),
    }
}

pub(super) async fn restart(
    State(e2b): State<Arc<E2b>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> HttpAnswer {
    let machine = match e2b.named(&headers) {
        Ok(machine) => machine,
        Err(unreachable) => return unreachable.answer(),
    };
    match machine.contexts.restart(&machine.sandbox, &id).await {
        Ok(Some(context)) => json(200, &described(&context)),
        Ok(None) => missing(&id),
        Err(error) => failed(&error),
    }
}

/// Refuses languages other than Python.
fn language(language: &Value) -> Result<(), HttpAnswer> {
    match language.as_str().unwrap_or("python") {
        "" | "python" | "python3" => Ok(()),
        other => Err(error(501, &format!("code in {other}: not emulated by sandshell, which runs Python"))),
    }
}

fn described(context: &Shown) -> Value {
    json!({"id": context.id, "language": "python", "cwd": context.cwd})
}

fn failed(failed: &Error) -> HttpAnswer {
    error(status(failed), &failed.to_string())
}

fn missing(id: &str) -> HttpAnswer {
    error(404, &format!("Context {id} not found"))
}
