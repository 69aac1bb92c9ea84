//! The protocol's side: tools and resources of one session.

use super::execute;
use super::parameters::{Directory, Download, Edit, Execute, Glob, Grep, Read, Restore, Upload, Write};
use super::resources;
use super::workspace::{Workspace, Workspaces};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use sandshell::{
    EditRequest, FileUpload, GlobRequest, GrepRequest, LineRange, Sandbox, SandboxExt, SandboxProvider,
    WriteMode,
};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

const INSTRUCTIONS: &str = "A sandbox with bash, GNU tools and a copy-on-write view of the user's files in /workspace: \
    what is changed there is seen in the sandbox only. `diff` shows the changes as a patch for the user to apply. \
    There is no network. Each `execute` is a new shell; relative paths begin in the workspace.";

/// Lines of a file that are read at once.
const LINES: u64 = 2000;

/// Matches of a search.
const MATCHES: u64 = 1000;

/// One session. Its sandbox is made when it is first needed.
#[derive(Debug, Clone)]
pub(super) struct Server {
    workspaces: Arc<Workspaces>,
    workspace: Arc<OnceLock<Arc<Workspace>>>,
    sessions: Sessions,
}

/// How long a session lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sessions {
    /// As long as the process.
    Process,
    /// As the protocol's own sessions, which its latest version does not have.
    Protocol,
}

type Answer = Result<CallToolResult, ErrorData>;

impl Server {
    /// A session of the protocol's.
    pub(super) fn new(workspaces: Arc<Workspaces>) -> Self {
        Self { workspaces, workspace: Arc::default(), sessions: Sessions::Protocol }
    }

    /// The only session of this process.
    pub(super) fn with(workspaces: Arc<Workspaces>, workspace: Arc<Workspace>) -> Self {
        Self { workspaces, workspace: Arc::new(OnceLock::from(workspace)), sessions: Sessions::Process }
    }

    fn workspace(&self) -> Result<Arc<Workspace>, ErrorData> {
        if let Some(workspace) = self.workspace.get() {
            return Ok(workspace.clone());
        }
        let made =
            self.workspaces.create().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        // Of two that were made at once one is dropped, unused.
        Ok(self.workspace.get_or_init(|| made).clone())
    }
}

#[tool_router]
impl Server {
    /// Run a bash command in the sandbox and return its output, standard error included.
    #[tool(annotations(title = "Run a command", open_world_hint = false))]
    async fn execute(
        &self,
        Parameters(asked): Parameters<Execute>,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        let workspace = self.workspace()?;
        Ok(execute::execute(&workspace, asked, &context).await.unwrap_or_else(refused))
    }

    /// Read lines of a text file.
    #[tool(annotations(title = "Read a file", read_only_hint = true))]
    async fn read_file(&self, Parameters(asked): Parameters<Read>) -> Answer {
        let workspace = self.workspace()?;
        let path = workspace.path(Some(&asked.path));
        let range = LineRange::new(asked.offset, asked.limit.unwrap_or(LINES));
        let read = match workspace.sandbox.read(&path, range).await {
            Ok(read) => read,
            Err(error) => return Ok(refused(error)),
        };
        let Some(content) = read.text() else {
            return Ok(refused(format!("{path} is not text: `download` returns its bytes")));
        };
        let mut text = content.to_owned();
        let mut next = read.page().and_then(|page| page.next_offset);
        if let Some(cut) = super::pages::first(content, workspace.max_output()) {
            text.truncate(cut.end);
            match cut.next_offset {
                Some(lines) => next = Some(asked.offset + lines as u64),
                None => text.push_str("\n[the line goes on: use `cut -c`]"),
            }
        }
        if let Some(next) = next {
            let total = read.page().and_then(|page| page.total_lines);
            let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = write!(text, "\n[lines {} to {next}{of}; offset {next} goes on]", asked.offset + 1);
        }
        Ok(said(text))
    }

    /// Write a whole file.
    #[tool(annotations(title = "Write a file", destructive_hint = true, idempotent_hint = true))]
    async fn write_file(&self, Parameters(asked): Parameters<Write>) -> Answer {
        let workspace = self.workspace()?;
        let path = workspace.path(Some(&asked.path));
        let written = workspace.sandbox.write(&path, asked.content.into(), WriteMode::Overwrite).await;
        Ok(written.map_or_else(refused, |()| said(format!("{path} is written"))))
    }

    /// Replace exact text in a file.
    #[tool(annotations(title = "Edit a file", destructive_hint = true))]
    async fn edit_file(&self, Parameters(asked): Parameters<Edit>) -> Answer {
        let workspace = self.workspace()?;
        let path = workspace.path(Some(&asked.path));
        let edit =
            EditRequest { old: asked.old_string, new: asked.new_string, replace_all: asked.replace_all };
        let edited = workspace.sandbox.edit(&path, &edit).await;
        Ok(edited
            .map_or_else(refused, |outcome| said(format!("{path}: {} replacement(s)", outcome.occurrences))))
    }

    /// List a directory; directories end in a slash.
    #[tool(annotations(title = "List a directory", read_only_hint = true))]
    async fn ls(&self, Parameters(asked): Parameters<Directory>) -> Answer {
        let workspace = self.workspace()?;
        let entries = match workspace.sandbox.ls(&workspace.path(asked.path.as_deref())).await {
            Ok(entries) => entries,
            Err(error) => return Ok(refused(error)),
        };
        let mut text = String::new();
        for entry in entries {
            let _ = writeln!(text, "{}{}", entry.path, if entry.is_dir { "/" } else { "" });
        }
        Ok(said(workspace.paged(text).await))
    }

    /// Find files by name.
    #[tool(annotations(title = "Find files", read_only_hint = true))]
    async fn glob(&self, Parameters(asked): Parameters<Glob>) -> Answer {
        let workspace = self.workspace()?;
        let request = GlobRequest::new(asked.pattern, workspace.path(asked.path.as_deref()));
        let found = match workspace.sandbox.glob(&request).await {
            Ok(found) => found,
            Err(error) => return Ok(refused(error)),
        };
        let mut text = String::new();
        for file in &found.matches {
            let _ = writeln!(text, "{}", file.path);
        }
        if found.truncation.is_some() {
            text.push_str("[there are more: narrow the search]\n");
        }
        Ok(said(workspace.paged(text).await))
    }

    /// Find literal text in files.
    #[tool(annotations(title = "Search in files", read_only_hint = true))]
    async fn grep(&self, Parameters(asked): Parameters<Grep>) -> Answer {
        let workspace = self.workspace()?;
        let mut request = GrepRequest::new(asked.pattern, workspace.path(asked.path.as_deref()));
        request.glob = asked.glob;
        request.max_count = Some(asked.max_count.unwrap_or(MATCHES));
        let found = match workspace.sandbox.grep(&request).await {
            Ok(found) => found,
            Err(error) => return Ok(refused(error)),
        };
        let mut text = String::new();
        for line in &found.matches {
            let _ = writeln!(text, "{}:{}:{}", line.path, line.line, line.text);
        }
        if found.truncated {
            text.push_str("[there are more: narrow the search]\n");
        }
        Ok(said(workspace.paged(text).await))
    }

    /// Put a file of any bytes into the sandbox.
    #[tool(annotations(title = "Upload a file", destructive_hint = true, idempotent_hint = true))]
    async fn upload(&self, Parameters(asked): Parameters<Upload>) -> Answer {
        let workspace = self.workspace()?;
        let path = workspace.path(Some(&asked.path));
        let Ok(content) = STANDARD.decode(asked.content.as_bytes()) else {
            return Ok(refused("the content is not base64"));
        };
        let size = content.len();
        let answers = workspace.sandbox.upload_files(vec![FileUpload::new(&path, content)]).await;
        let answer = match answers {
            Ok(answers) => answers.into_iter().next().map(|answer| answer.result),
            Err(error) => return Ok(refused(error)),
        };
        Ok(match answer {
            Some(Err(error)) => refused(format!("{path}: {error}")),
            _ => said(format!("{path}: {size} bytes")),
        })
    }

    /// Get a whole file: text, or its bytes in base64.
    #[tool(annotations(title = "Download a file", read_only_hint = true))]
    async fn download(&self, Parameters(asked): Parameters<Download>) -> Answer {
        let workspace = self.workspace()?;
        let contents = resources::contents(&workspace, &workspace.path(Some(&asked.path))).await;
        Ok(contents
            .map_or_else(refused, |contents| CallToolResult::success(vec![ContentBlock::resource(contents)])))
    }

    /// Keep the sandbox's files as they are now; returns a name for `restore`.
    #[tool(annotations(title = "Take a snapshot", destructive_hint = false))]
    async fn snapshot(&self) -> Answer {
        let workspace = self.workspace()?;
        let kept = workspace.provider().snapshot(workspace.sandbox.id(), None).await;
        Ok(kept.map_or_else(refused, |info| said(info.id)))
    }

    /// Put the files back as they were when a snapshot was taken; ends what runs.
    #[tool(annotations(title = "Restore a snapshot", destructive_hint = true))]
    async fn restore(&self, Parameters(asked): Parameters<Restore>) -> Answer {
        let workspace = self.workspace()?;
        let restored = workspace.provider().restore(workspace.sandbox.id(), &asked.snapshot).await;
        Ok(restored.map_or_else(refused, |()| said(format!("the files are those of {}", asked.snapshot))))
    }

    /// Show what was changed in the user's files, as a patch that `git apply` takes.
    #[tool(annotations(title = "Show the changes", read_only_hint = true))]
    async fn diff(&self) -> Answer {
        let workspace = self.workspace()?;
        let patch = match workspace.diff() {
            Ok(patch) => String::from_utf8_lossy(&patch).into_owned(),
            Err(error) => return Ok(refused(error)),
        };
        Ok(said(if patch.is_empty() {
            "nothing is changed".to_owned()
        } else {
            workspace.paged(patch).await
        }))
    }
}

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sandshell", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(match self.sessions {
            Sessions::Process => ProtocolVersion::KNOWN_VERSIONS,
            Sessions::Protocol => ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25),
        })
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&*self.workspace()?, request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&*self.workspace()?, &request.uri).await.map(Into::into)
    }
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// What the model is told when a tool could not do it.
fn refused(why: impl std::fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.to_string())])
}
