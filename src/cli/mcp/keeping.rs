//! Tools for sandboxes that are kept on disk: only with `--keep`.

use super::answers::{Listed, Listing, Sandboxes, Using, answered, refused};
use super::parameters::{Create, Labels, Named, Ttl, Which};
use super::server::{Server, ToolAnswer};
use super::workspace::Workspaces;
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ErrorData, tool, tool_router};
use sandshell::{CreateOptions, ListOptions, Sandbox, SandboxProvider};
use std::sync::Arc;
use std::time::Duration;

/// How many sandboxes a page of a listing has.
const PAGE: usize = 100;

#[tool_router(router = keeping, vis = "pub(super)")]
impl Server {
    /// Create a sandbox that is kept on disk, perhaps from a snapshot, and work in it from now on.
    #[tool(
        annotations(title = "Create a sandbox", destructive_hint = false),
        output_schema = schema_for_output::<Using>()
    )]
    async fn create_sandbox(&self, Parameters(asked): Parameters<Create>) -> ToolAnswer {
        let mut options = CreateOptions::default();
        options.snapshot = asked.snapshot;
        options.labels = asked.labels.into_iter().collect();
        match (asked.ttl.map(seconds).transpose(), asked.hard_ttl.map(seconds).transpose()) {
            (Ok(ttl), Ok(hard_ttl)) => (options.ttl, options.limits.hard_ttl) = (ttl, hard_ttl),
            (Err(why), _) | (_, Err(why)) => return Ok(refused(why)),
        }
        self.turn_to(Workspaces::create(self.workspaces(), options).await).await
    }

    /// Work in this sandbox from now on.
    #[tool(
        annotations(title = "Use a sandbox", destructive_hint = false, idempotent_hint = true),
        output_schema = schema_for_output::<Using>()
    )]
    async fn use_sandbox(&self, Parameters(asked): Parameters<Named>) -> ToolAnswer {
        self.turn_to(Workspaces::existing(self.workspaces(), &asked.id).await).await
    }

    /// List the sandboxes that are kept, oldest first.
    #[tool(
        annotations(title = "List sandboxes", read_only_hint = true),
        output_schema = schema_for_output::<Sandboxes>()
    )]
    async fn list_sandboxes(&self, Parameters(asked): Parameters<Labels>) -> ToolAnswer {
        let mut options = ListOptions::default().limit(PAGE);
        options.labels = asked.labels.into_iter().collect();
        options.cursor = asked.cursor;
        let page = match self.workspaces().provider.list(options).await {
            Ok(page) => page,
            Err(error) => return Ok(refused(error)),
        };
        let listing = |info: sandshell::SandboxInfo| Listing {
            id: info.id,
            state: info.state.name(),
            labels: info.labels.into_iter().collect(),
        };
        let sandboxes: Vec<Listing> = page.sandboxes.into_iter().map(listing).collect();
        let line = |one: &Listing| {
            let labels = one.labels.iter().map(|(name, value)| format!(" {name}={value}"));
            format!("{} {}{}\n", one.id, one.state, labels.collect::<String>())
        };
        let mut text: String = sandboxes.iter().map(line).collect();
        if let Some(cursor) = &page.next_cursor {
            text.push_str(&format!("[more with cursor {cursor}]\n"));
        }
        Ok(answered(text, &Sandboxes { sandboxes, next_cursor: page.next_cursor }))
    }

    /// Copy a sandbox, by default the one in use; returns the copy's id. Later changes to either do not affect the
    /// other.
    #[tool(
        annotations(title = "Fork a sandbox", destructive_hint = false),
        output_schema = schema_for_output::<Listed>()
    )]
    async fn fork_sandbox(&self, Parameters(asked): Parameters<Which>) -> ToolAnswer {
        let id = self.which(asked.id).await?;
        let provider = &self.workspaces().provider;
        let forked = async {
            let fork = provider.fork(&id).await?;
            provider.release(fork.id()).await?;
            Ok::<_, sandshell::Error>(fork.id().to_owned())
        };
        Ok(forked.await.map_or_else(refused, said))
    }

    /// End what runs in a sandbox, by default the one in use, and keep its files. Its next use lets it run again.
    #[tool(
        annotations(title = "Pause a sandbox", destructive_hint = true, idempotent_hint = true),
        output_schema = schema_for_output::<Listed>()
    )]
    async fn pause_sandbox(&self, Parameters(asked): Parameters<Which>) -> ToolAnswer {
        let id = self.which(asked.id).await?;
        let paused = self.workspaces().provider.pause(&id).await;
        Ok(paused.map_or_else(refused, |()| said(id)))
    }

    /// Let a paused sandbox run again.
    #[tool(
        annotations(title = "Resume a sandbox", destructive_hint = false, idempotent_hint = true),
        output_schema = schema_for_output::<Listed>()
    )]
    async fn resume_sandbox(&self, Parameters(asked): Parameters<Named>) -> ToolAnswer {
        let resumed = self.workspaces().provider.resume(&asked.id).await;
        Ok(resumed.map_or_else(refused, |()| said(asked.id)))
    }

    /// Set after how many seconds without use a sandbox is paused.
    #[tool(
        annotations(title = "Set a time limit", destructive_hint = false, idempotent_hint = true),
        output_schema = schema_for_output::<Listed>()
    )]
    async fn set_sandbox_ttl(&self, Parameters(asked): Parameters<Ttl>) -> ToolAnswer {
        let id = self.which(asked.id).await?;
        let ttl = match asked.seconds.map(seconds).transpose() {
            Ok(ttl) => ttl,
            Err(why) => return Ok(refused(why)),
        };
        let set = self.workspaces().provider.set_ttl(&id, ttl).await;
        Ok(set.map_or_else(refused, |()| said(id)))
    }

    /// Delete a sandbox with all its files and states. Snapshots stay.
    #[tool(
        annotations(title = "Delete a sandbox", destructive_hint = true, idempotent_hint = true),
        output_schema = schema_for_output::<Listed>()
    )]
    async fn delete_sandbox(&self, Parameters(asked): Parameters<Named>) -> ToolAnswer {
        let deleted = self.workspaces().provider.delete(&asked.id).await;
        Ok(deleted.map_or_else(refused, |()| said(asked.id)))
    }
}

impl Server {
    async fn turn_to(
        &self,
        workspace: Result<Arc<super::workspace::Workspace>, crate::cli::failure::Failure>,
    ) -> ToolAnswer {
        let workspace = match workspace {
            Ok(workspace) => workspace,
            Err(why) => return Ok(refused(why)),
        };
        let (sandbox, workdir) = (workspace.sandbox.id().to_owned(), workspace.workdir().to_owned());
        self.replace(workspace).await;
        let text = format!("in use: {sandbox}, in {workdir}");
        Ok(answered(text, &Using { sandbox, workdir }))
    }

    /// The sandbox that is asked for, or the one in use.
    async fn which(&self, asked: Option<String>) -> Result<String, ErrorData> {
        match asked {
            Some(id) => Ok(id),
            None => Ok(self.workspace().await?.sandbox.id().to_owned()),
        }
    }
}

fn said(sandbox: String) -> rmcp::model::CallToolResult {
    answered(sandbox.clone(), &Listed { sandbox })
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} is not a number of seconds"))
}
