//! Runs Python code in an interpreter that keeps its state between calls.

use std::time::Instant;

use serde_json::{Value, json};

use super::{HOME, error, failed};
use crate::contexts::InterpreterOptions;
use crate::http::HttpAnswer;
use crate::kernel::CodeEvent;
use crate::process::OUTPUT_LIMIT;
use crate::world::Machine;

/// The MIME types that are shown in addition to text.
const PICTURES: [&str; 3] = ["image/png", "image/jpeg", "image/svg+xml"];

/// Runs a piece of code to its end.
pub(super) async fn execute(machine: &Machine, arguments: &Value) -> Result<Value, HttpAnswer> {
    let began = Instant::now();
    let code = arguments["code"].as_str().filter(|code| !code.is_empty());
    let code = code.ok_or_else(|| error("ValidationException", "code is required"))?;
    match arguments["language"].as_str().unwrap_or("python") {
        "python" => {}
        other => {
            let why = format!("code in {other}: not emulated by sandshell, which runs Python");
            return Err(error("ValidationException", &why));
        }
    }
    let options = || InterpreterOptions { cwd: HOME.to_owned(), env: Vec::new() };
    if arguments["clearContext"] == json!(true) {
        for context in machine.contexts.list(options).await {
            machine.contexts.remove(&context.id).await;
        }
    }
    let kernel = machine.contexts.kernel(&machine.sandbox, None, options).await;
    let kernel = kernel.map_err(|why| failed(&why))?;
    let kernel = kernel.ok_or_else(|| error("InternalServerException", "the interpreter is gone"))?;
    let mut events = kernel.run(code, &Value::Null);
    let mut done = Done::default();
    while let Some(what) = events.recv().await {
        done.take(what);
    }
    Ok(done.result(began))
}

#[derive(Default)]
struct Done {
    stdout: String,
    stderr: String,
    pictures: Vec<Value>,
    raised: bool,
    ended: bool,
}

impl Done {
    fn take(&mut self, what: CodeEvent) {
        let add = |to: &mut String, text: &str| {
            if ((to.len() + text.len()) as u64) < OUTPUT_LIMIT {
                to.push_str(text);
            }
        };
        match what {
            CodeEvent::Begun(_) => {}
            CodeEvent::Stdout(text) => add(&mut self.stdout, &text),
            CodeEvent::Stderr(text) => add(&mut self.stderr, &text),
            CodeEvent::Shown { mut forms, .. } => {
                let picture = PICTURES.iter().find_map(|kind| Some((*kind, forms.remove(*kind)?)));
                match (picture, forms.get("text/plain").and_then(Value::as_str)) {
                    (Some((kind, data)), _) => {
                        self.pictures.push(json!({"type": "image", "mimeType": kind, "data": data}));
                    }
                    (None, Some(text)) => add(&mut self.stdout, &format!("{text}\n")),
                    (None, None) => {}
                }
            }
            CodeEvent::Raised { traceback, .. } => {
                add(&mut self.stderr, &format!("{traceback}\n"));
                self.raised = true;
            }
            CodeEvent::End => self.ended = true,
        }
    }

    fn result(mut self, began: Instant) -> Value {
        if !self.ended {
            self.stderr.push_str("the interpreter ended while the code ran; its state is lost\n");
        }
        let is_error = self.raised || !self.ended;
        let mut content = vec![json!({"type": "text", "text": format!("{}{}", self.stdout, self.stderr)})];
        content.extend(self.pictures);
        json!({
            "content": content,
            "structuredContent": {
                "stdout": self.stdout,
                "stderr": self.stderr,
                "exitCode": i32::from(is_error),
                "executionTime": began.elapsed().as_secs_f64(),
            },
            "isError": is_error,
        })
    }
}
