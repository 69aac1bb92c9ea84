//! What happened in a sandbox: the calls of the journal, and the states that they led to.

use super::Ui;
use super::answer::{Answer, Refusal, millis};
use super::query::Query;
use sandshell::store::{Call, State, User};
use serde_json::{Value, json};

/// The most calls; no more are kept, but for a few.
const CALLS: usize = 256;

pub(super) fn timeline(ui: &Ui, query: &Query) -> Answer {
    let id = query.text("id")?;
    let record = ui.store.sandbox(id)?;
    let user = ui.store.user(&record)?;
    let states: Vec<Value> = ui.store.log(id)?.iter().map(state).collect();
    // Without a journal, the states are shown still.
    let (calls, damage) = match ui.store.calls(id, CALLS) {
        Ok(calls) => (calls, None),
        Err(damage) => (Vec::new(), Some(damage.to_string())),
    };
    let calls: Vec<Value> = calls.iter().map(|one| call(one, user)).collect();
    Ok(json!({"states": states, "calls": calls, "damage": damage}))
}

/// What a call wrote.
pub(super) fn output(ui: &Ui, query: &Query) -> Answer {
    let output = ui
        .store
        .call_output(query.text("id")?, query.number("call")?)?
        .ok_or_else(|| Refusal::missing("the call is not in the journal any more"))?;
    // A character must not be cut in two where nothing is missing.
    let (head, tail) = match output.missing() {
        0 => ([output.head(), &output.tail()[..]].concat(), Vec::new()),
        _ => (output.head().to_vec(), output.tail()),
    };
    Ok(json!({
        "head": String::from_utf8_lossy(&head),
        "tail": String::from_utf8_lossy(&tail),
        "missing": output.missing(),
        "written": output.written(),
    }))
}

fn state(state: &State) -> Value {
    json!({"number": state.number, "at": millis(state.at), "what": state.what})
}

fn call(call: &Call, user: User) -> Value {
    let holder = match user {
        User::Nobody => None,
        User::ThisProcess => Some(std::process::id()),
        User::Process(process) => Some(process),
    };
    json!({
        "number": call.number,
        "at": millis(call.at),
        "process": call.process,
        "session": call.session,
        "command": call.command,
        // A process that does not use the sandbox any more cannot end it.
        "running": call.end.is_none() && holder == Some(call.process),
        "end": call.end.as_ref().map(|end| json!({
            "took": end.took.as_secs_f64() * 1e3,
            "status": end.status,
            "written": end.written,
            "state": end.state,
        })),
    })
}
