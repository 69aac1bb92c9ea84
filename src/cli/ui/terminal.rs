//! A terminal in a sandbox: the only thing on the page that changes anything.

use super::Ui;
use super::answer::{Answer, Refusal, answer};
use super::open::Open;
use super::query::Query;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Response;
use sandshell::{CreateOptions, LocalProvider, LocalSandbox, Sandbox, TerminalRequest};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of a request.
pub(super) const MOST_INPUT: usize = 256 << 10;

/// The name of the session.
const SESSION: &str = "ui";

/// How long the screen is waited for.
const WAIT: Duration = Duration::from_millis(1500);

/// When a page has not asked for its terminal for so long, it is gone.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// The sandboxes with a terminal. As long as they have one, other processes wait for them.
pub(super) struct Terminals {
    provider: LocalProvider,
    open: Open,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    #[serde(default)]
    input: String,
    rows: u16,
    columns: u16,
}

impl Terminals {
    pub(super) fn new(provider: LocalProvider) -> Self {
        Self { provider, open: Open::default() }
    }

    /// A sandbox that has a terminal.
    pub(super) fn sandbox(&self, id: &str) -> Option<Arc<LocalSandbox>> {
        self.open.get(id)
    }

    async fn use_terminal(&self, asked: Asked) -> Answer {
        let sandbox = match self.open.get(&asked.id) {
            Some(sandbox) => sandbox,
            // An error if another process uses it.
            None => self.provider.open(CreateOptions::existing(&asked.id)).await?,
        };
        self.open.used(&asked.id, &sandbox);
        let request = TerminalRequest::typed(asked.input).size(asked.rows, asked.columns).wait(WAIT);
        let screen = sandbox.use_terminal(SESSION, request).await;
        self.open.used(&asked.id, &sandbox);
        let screen = screen?;
        if screen.ended.is_some() {
            self.end(&asked.id).await?;
        }
        Ok(json!({
            "text": screen.text,
            "rows": screen.size.rows,
            "columns": screen.size.columns,
            "cursor": [screen.cursor.0, screen.cursor.1],
            "title": screen.title,
            "ended": screen.ended,
            "restarted": screen.restarted,
        }))
    }

    /// Ends a terminal, and lets other processes use its sandbox.
    async fn end(&self, id: &str) -> Result<(), Refusal> {
        let Some(sandbox) = self.open.remove(id) else { return Ok(()) };
        sandbox.end_session(SESSION).await?;
        Ok(self.provider.release(id).await?)
    }

    /// Ends terminals whose page is gone. Never ends itself.
    pub(super) async fn watch(&self) {
        loop {
            tokio::time::sleep(FORGOTTEN / 10).await;
            for id in self.open.idle(FORGOTTEN) {
                // What could not be stored is tried again when the program ends.
                let _ = self.end(&id).await;
            }
        }
    }
}

/// Types, and answers with what the screen shows.
pub(super) async fn use_terminal(State(ui): State<Arc<Ui>>, body: Bytes) -> Response<Body> {
    let asked: Result<Asked, _> = serde_json::from_slice(&body);
    answer(match asked {
        Ok(asked) => ui.terminals.use_terminal(asked).await,
        Err(error) => Err(Refusal::bad(error.to_string())),
    })
}

/// Ends the terminal of a sandbox.
pub(super) async fn end(State(ui): State<Arc<Ui>>, request: Request) -> Response<Body> {
    let query = Query::of(&request);
    answer(match query.text("id") {
        Ok(id) => ui.terminals.end(id).await.map(|()| json!({})),
        Err(refusal) => Err(refusal),
    })
}
