//! Commands: each is a context. The service answers when the context has ended.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::api::Api;
use super::sandbox::Sandbox0Sandbox;
use crate::cloud::{
    HttpResponse, Id, OutputBuffer, argv, bounded_list, check_command, place_stdin, time_limit, unique,
};
use crate::{ExecuteRequest, ExecuteResponse, Result};

/// How long the answer to a killed command may take. Also how much later than the client the service ends a command
/// whose time is up.
const GRACE: Duration = Duration::from_secs(5);

/// The variable of a context with the id that the client gave it.
const MARK: &str = "SANDSHELL_EXECUTION";

#[derive(Deserialize)]
struct Context {
    id: Id,
    #[serde(default)]
    env_vars: Option<BTreeMap<String, String>>,
    #[serde(default)]
    output_raw: String,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    exit_code: Option<i32>,
}

#[derive(Deserialize)]
struct Contexts {
    #[serde(default)]
    contexts: Option<List>,
}

#[derive(Deserialize)]
struct List(#[serde(deserialize_with = "bounded_list")] Vec<Context>);

pub(super) async fn execute(sandbox: &Sandbox0Sandbox, request: ExecuteRequest) -> Result<ExecuteResponse> {
    check_command(&request)?;
    let stdin = place_stdin(sandbox, &request).await?;
    let mut output = OutputBuffer::new(&request, None);
    let timeout = time_limit(&request);
    let mut running = Running {
        api: sandbox.api.clone(),
        path: format!("/sandboxes/{}/contexts", sandbox.id),
        mark: unique(),
        over: false,
    };
    let body = running.start(sandbox, &request, stdin.as_deref(), timeout);
    let call = running.api.call(Method::POST, &running.path)?.json(&body).patient().large();
    let api = sandbox.api.clone();
    let (answer, late) = {
        let answer = running.follow(api.awake(call));
        tokio::pin!(answer);
        match timeout {
            None => (Some(answer.await?), false),
            Some(timeout) => match tokio::time::timeout(timeout, &mut answer).await {
                Ok(answer) => (Some(answer?), false),
                Err(_) => {
                    running.kill().await?;
                    (tokio::time::timeout(GRACE, answer).await.ok().transpose()?, true)
                }
            },
        }
    };
    running.over = answer.is_some();
    let mut exit_code = None;
    if let Some(answer) = answer {
        let context: Context = sandbox.api.data(answer)?;
        running.forget(&context.id);
        exit_code = context.exit_code.filter(|code| *code >= 0);
        // If the service has not split the output, it gives only the joined output.
        let split = context.stdout.len() + context.stderr.len() > 0;
        let stdout = if split { context.stdout } else { context.output_raw.clone() };
        output.whole(context.output_raw, stdout, context.stderr);
    }
    Ok(if late { output.timed_out() } else { output.ended(exit_code) })
}

/// Kills the command if its future is dropped or fails before the command has ended.
struct Running {
    api: Arc<Api>,
    path: String,
    mark: String,
    over: bool,
}

impl Running {
    fn start(
        &self,
        sandbox: &Sandbox0Sandbox,
        request: &ExecuteRequest,
        stdin: Option<&str>,
        timeout: Option<Duration>,
    ) -> Value {
        let mut env: Map<String, Value> =
            request.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        env.insert(MARK.to_owned(), Value::from(self.mark.as_str()));
        let mut body = json!({
            "type": "cmd",
            "cmd": {"command": argv(&request.command, stdin)},
            "wait_until_done": true,
            "env_vars": env,
        });
        if let Some(cwd) = request.cwd.as_deref().or(sandbox.workdir.as_deref()) {
            body["cwd"] = json!(cwd);
        }
        if let Some(timeout) = timeout {
            // If the client disappears, the service still enforces the timeout.
            body["ttl_sec"] = json!((timeout + GRACE).as_secs_f64().ceil() as u64);
        }
        body
    }

    /// Waits for the answer. If the command is silent for long, the service is asked whether it still runs.
    async fn follow(&self, answer: impl Future<Output = Result<HttpResponse>>) -> Result<HttpResponse> {
        let http = &self.api.http;
        tokio::pin!(answer);
        let mut runs = true;
        loop {
            match tokio::time::timeout(http.options.idle_timeout, &mut answer).await {
                Ok(answer) => return answer,
                Err(_) if runs => runs = self.contexts().await?.iter().any(|own| own.exit_code.is_none()),
                Err(_) => return Err(http.silent()),
            }
        }
    }

    /// The contexts with this command's id.
    async fn contexts(&self) -> Result<Vec<Context>> {
        let call = self.api.call(Method::GET, &self.path)?.large();
        let all: Contexts = self.api.data(self.api.http.answer(call).await?)?;
        let own = |context: &Context| {
            context.env_vars.as_ref().and_then(|variables| variables.get(MARK)) == Some(&self.mark)
        };
        Ok(all.contexts.map(|List(all)| all).unwrap_or_default().into_iter().filter(own).collect())
    }

    /// Kills the command. Its answer then arrives.
    async fn kill(&self) -> Result<()> {
        for context in self.contexts().await? {
            let path = format!("{}/{}/signal", self.path, context.id);
            let call = self.api.call(Method::POST, &path)?.json(&json!({"signal": "SIGKILL"})).repeatable();
            let answer = self.api.http.answer(call).await?;
            // The command may have ended by itself just now.
            if !matches!(answer.status, 404 | 409 | 410) {
                self.api.http.success(answer)?;
            }
        }
        Ok(())
    }

    /// Deletes a context that has ended, in the background. Errors do not matter.
    fn forget(&self, id: &Id) {
        let call = self.api.call(Method::DELETE, &format!("{}/{id}", self.path));
        let Ok(call) = call else { return };
        let api = self.api.clone();
        spawn(async move { drop(api.http.answer(call).await) });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let orphan =
            Self { api: self.api.clone(), path: self.path.clone(), mark: self.mark.clone(), over: true };
        spawn(async move { drop(orphan.kill().await) });
    }
}

/// Runs something that nobody waits for, if there is a runtime.
fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(future);
    }
}
