//! Tools for shells that live: what their jobs write, their end, and those on terminals.

use super::answers::{JobOutput, SessionEnd, ShellSession, ShellSessions, Shown, answered, refused};
use super::listing::shown;
use super::parameters::{InSession, Nothing, OnTerminal};
use super::server::{Server, ToolAnswer};
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use sandshell::{Sandbox, SessionInfo, TerminalRequest};
use std::time::Duration;

#[tool_router(router = sessions, vis = "pub(super)")]
impl Server {
    /// List the sessions that `execute` has begun.
    #[tool(
        annotations(title = "List sessions", read_only_hint = true),
        output_schema = schema_for_output::<ShellSessions>()
    )]
    async fn list_sessions(&self, Parameters(Nothing {}): Parameters<Nothing>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let sessions = match workspace.sandbox.sessions().await {
            Ok(sessions) => sessions,
            Err(error) => return Ok(refused(error)),
        };
        let data =
            |one: SessionInfo| ShellSession { session: one.name, busy: one.busy, terminal: one.terminal };
        let sessions: Vec<ShellSession> = sessions.into_iter().map(data).collect();
        let line = |one: &ShellSession| {
            let what = match (one.terminal, one.busy) {
                (true, _) => " (a terminal)",
                (false, true) => " (a command runs)",
                (false, false) => "",
            };
            format!("{}{what}\n", shown(&one.session))
        };
        Ok(answered(sessions.iter().map(line).collect::<String>(), &ShellSessions { sessions }))
    }

    /// Read what a session's jobs wrote since its last answer.
    #[tool(
        annotations(title = "Read a session's output", destructive_hint = false),
        output_schema = schema_for_output::<JobOutput>()
    )]
    async fn session_output(&self, Parameters(asked): Parameters<InSession>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let output = match workspace.sandbox.session_output(&asked.session).await {
            Ok(output) => output,
            Err(error) => return Ok(refused(error)),
        };
        let paged = workspace.paged(String::from_utf8_lossy(&output).into_owned()).await;
        let (text, truncated) = (paged.text(), paged.is_cut());
        Ok(answered(text, &JobOutput { output: paged.shown, truncated, note: paged.note }))
    }

    /// Type into a terminal with an interactive shell, for programs that need one, and return what its screen shows
    /// then.
    #[tool(
        annotations(title = "Use a terminal", open_world_hint = false),
        output_schema = schema_for_output::<Shown>()
    )]
    async fn terminal(
        &self,
        Parameters(asked): Parameters<OnTerminal>,
        context: RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let mut request = TerminalRequest::typed(asked.keys);
        request = match (asked.rows, asked.columns) {
            (Some(rows), Some(columns)) => request.size(rows, columns),
            (None, None) => request,
            _ => return Ok(refused("a size has `rows` and `columns`")),
        };
        if let Some(wait) = asked.wait {
            match Duration::try_from_secs_f64(wait) {
                Ok(wait) => request = request.wait(wait),
                Err(_) => return Ok(refused(format!("{wait} is not a number of seconds"))),
            }
        }
        request.until = asked.until;
        let using = workspace.sandbox.use_terminal(&asked.session, request);
        let screen = tokio::select! {
            screen = using => screen,
            () = context.ct.cancelled() => return Ok(refused("cancelled")),
        };
        let screen = match screen {
            Ok(screen) => screen,
            Err(error) => return Ok(refused(error)),
        };
        let mut notes = Vec::new();
        notes.extend(screen.restarted.iter().map(|why| format!("[{why}]")));
        notes.extend(screen.ended.map(|status| format!("[the shell has ended with status {status}]")));
        let text = format!(
            "{}\n[cursor in row {}, column {}]{}",
            screen.text,
            screen.cursor.0,
            screen.cursor.1,
            notes.concat()
        );
        let data = Shown {
            screen: screen.text,
            rows: screen.size.rows.into(),
            columns: screen.size.columns.into(),
            cursor_row: screen.cursor.0.into(),
            cursor_column: screen.cursor.1.into(),
            settled: screen.settled,
            ended: screen.ended.map(i64::from),
            restarted: screen.restarted,
        };
        Ok(answered(text, &data))
    }

    /// End a session with all that runs in it.
    #[tool(
        annotations(title = "End a session", destructive_hint = true, idempotent_hint = true),
        output_schema = schema_for_output::<SessionEnd>()
    )]
    async fn end_session(&self, Parameters(asked): Parameters<InSession>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let ended = workspace.sandbox.end_session(&asked.session).await;
        Ok(ended.map_or_else(refused, |()| {
            answered(format!("{} has ended", shown(&asked.session)), &SessionEnd { session: asked.session })
        }))
    }
}
