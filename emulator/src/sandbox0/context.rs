//! A context, as it is stored: what it runs, and how it is shown.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use sandshell_providers::OutputStream;
use serde_json::{Value, json};

use super::{Sandbox0, error};
use crate::http::HttpAnswer;
use crate::ids::random_id;
use crate::process::{End, Process};
use crate::text::{exit_code, output};
use crate::time::rfc3339;
use crate::world::Machine;

/// How many contexts of a sandbox are remembered. Running ones are never forgotten, so there may be more.
const MOST: usize = 1000;

#[derive(Clone)]
pub(super) struct Context {
    id: String,
    cwd: String,
    env: BTreeMap<String, String>,
    pub(super) created: SystemTime,
    /// How often its sandbox had been resumed when it began. Only files survive a pause.
    generation: u64,
    pub(super) work: Work,
}

/// The command or interpreter of a context.
#[derive(Clone)]
pub(super) enum Work {
    Command(Arc<Process>),
    /// Its id in the sandbox's `Contexts`.
    Interpreter(String),
}

impl Context {
    /// A new context of a sandbox.
    pub(super) fn new(machine: &Machine, cwd: String, env: BTreeMap<String, String>, work: Work) -> Self {
        let (id, created) = (format!("ctx-{}", random_id(12)), SystemTime::now());
        Self { id, cwd, env, created, generation: generation(machine), work }
    }

    fn is_over(&self) -> bool {
        matches!(&self.work, Work::Command(process) if process.end().is_some())
    }

    pub(super) fn shown(&self) -> Value {
        let mut body = json!({
            "id": self.id,
            "type": if matches!(self.work, Work::Command(_)) { "cmd" } else { "repl" },
            "cwd": self.cwd,
            "env_vars": self.env,
            "running": true,
            "paused": false,
            "created_at": rfc3339(self.created),
        });
        let Work::Command(process) = &self.work else {
            body["output_raw"] = json!("");
            return body;
        };
        if let Some(end) = process.end() {
            let (state, code) = state(&end);
            body["running"] = json!(false);
            body["state"] = json!(state);
            body["exit_code"] = json!(code);
        }
        let raw: Vec<u8> = process.chunks().iter().flat_map(|chunk| chunk.data.to_vec()).collect();
        body["output_raw"] = json!(String::from_utf8_lossy(&raw));
        body["stdout"] = json!(output(process, OutputStream::Stdout));
        body["stderr"] = json!(output(process, OutputStream::Stderr));
        body
    }
}

/// Stores a context. If the sandbox has too many, the oldest one that has ended is forgotten.
pub(super) fn remember(sandbox0: &Sandbox0, machine: &Machine, context: &Context) {
    let mut contexts = sandbox0.contexts.lock();
    contexts.insert((machine.id.clone(), context.id.clone()), context.clone());
    let (mut count, mut oldest) = (0, None::<&Context>);
    for ((sandbox, _), context) in contexts.iter() {
        if *sandbox == machine.id {
            count += 1;
            if context.is_over() && oldest.is_none_or(|oldest| context.created < oldest.created) {
                oldest = Some(context);
            }
        }
    }
    if let Some(oldest) = oldest.map(|oldest| oldest.id.clone()).filter(|_| count > MOST) {
        contexts.remove(&(machine.id.clone(), oldest));
    }
}

pub(super) fn find(sandbox0: &Sandbox0, id: &str, context: &str) -> Result<Context, HttpAnswer> {
    let now = generation(&*sandbox0.get(id)?);
    let found = sandbox0.contexts.lock().get(&(id.to_owned(), context.to_owned())).cloned();
    // Interpreters from before a pause have lost their state.
    let found = found.filter(|found| matches!(found.work, Work::Command(_)) || found.generation == now);
    found.ok_or_else(|| error(404, "not_found", "context not found"))
}

/// How a command ended. After a timeout it was killed.
pub(super) fn state(end: &End) -> (&'static str, i32) {
    match end {
        End::TimedOut => ("killed", 137),
        End::Killed(_) => ("killed", exit_code(end)),
        End::Exited(_) | End::Failed(_) => ("stopped", exit_code(end)),
    }
}

fn generation(machine: &Machine) -> u64 {
    machine.status().extra["generation"].as_u64().unwrap_or(1)
}
