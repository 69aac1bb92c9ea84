//! The protocol's side: tools and resources of one session.

use super::answers::{
    Changes, Deleted, Downloaded, Edited, Entries, Executed, Files, Lines, Matches, Moved, Snapshot, Written,
    answered, number, refused, with_block,
};
use super::listing::shown;
use super::parameters::{
    Delete, Directory, Download, Edit, Execute, Glob, Grep, Keep, Move, Nothing, Read, ReadFiles, Restore,
    Upload, Write,
};
use super::workspace::{Workspace, Workspaces};
use super::{execute, globs, listing, moving, reading, resources, stdio};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use sandshell::{
    CreateOptions, EditRequest, FileUpload, GlobRequest, GrepRequest, LineRange, Sandbox, SandboxExt,
    SandboxProvider, WriteMode,
};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::Mutex;

const INSTRUCTIONS: &str = "A sandbox with bash, GNU tools and a copy-on-write view of the user's files in /workspace: \
    what is changed there is seen in the sandbox only. `diff` shows the changes as a patch for the user to apply. \
    There is no network. Each `execute` is a new shell, unless it names a session; relative paths begin in the workspace.";

/// What is different if sandboxes are kept on disk.
const KEEPING: &str = "A sandbox with bash and GNU tools that stays when the session ends: `use_sandbox` goes on in one \
    of an earlier session, `list_sandboxes` finds it. There is no network. Each `execute` is a new shell, unless it names \
    a session; relative paths begin in the workspace.";

/// How many lines of a file are read by default.
const LINES: u64 = 2000;

/// How many matches a search returns by default.
const MATCHES: u64 = 1000;

/// One session. Its sandbox is made when it is first needed.
#[derive(Debug, Clone)]
pub(super) struct Server {
    workspaces: Arc<Workspaces>,
    workspace: Arc<Mutex<Option<Arc<Workspace>>>>,
    tools: ToolRouter<Self>,
    sessions: Sessions,
}

/// How long a session lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sessions {
    /// One session, as long as the process.
    Process,
    /// As long as the protocol's own session. The latest version of the protocol has no sessions.
    Protocol,
}

pub(super) type ToolAnswer = Result<CallToolResult, ErrorData>;

impl Server {
    /// A session of the protocol's.
    pub(super) fn new(workspaces: Arc<Workspaces>) -> Self {
        Self::made(workspaces, None, Sessions::Protocol)
    }

    /// The only session of this process.
    pub(super) fn with(workspaces: Arc<Workspaces>, workspace: Arc<Workspace>) -> Self {
        Self::made(workspaces, Some(workspace), Sessions::Process)
    }

    fn made(workspaces: Arc<Workspaces>, workspace: Option<Arc<Workspace>>, sessions: Sessions) -> Self {
        let mut tools = Self::tool_router();
        tools += Self::sessions();
        if workspaces.keeps {
            tools += Self::keeping();
        }
        Self { workspaces, workspace: Arc::new(Mutex::new(workspace)), tools, sessions }
    }

    pub(super) fn workspaces(&self) -> &Arc<Workspaces> {
        &self.workspaces
    }

    pub(super) async fn workspace(&self) -> Result<Arc<Workspace>, ErrorData> {
        let mut workspace = self.workspace.lock().await;
        if let Some(workspace) = &*workspace {
            return Ok(workspace.clone());
        }
        let made = Workspaces::create(&self.workspaces, CreateOptions::default())
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(workspace.insert(made).clone())
    }

    /// Goes on in another sandbox.
    pub(super) async fn replace(&self, with: Arc<Workspace>) {
        *self.workspace.lock().await = Some(with);
    }
}

#[tool_router]
impl Server {
    /// Run a bash command in the sandbox and return its output, standard error included.
    #[tool(
        annotations(title = "Run a command", open_world_hint = false),
        output_schema = schema_for_output::<Executed>()
    )]
    async fn execute(
        &self,
        Parameters(asked): Parameters<Execute>,
        context: RequestContext<RoleServer>,
    ) -> ToolAnswer {
        let workspace = self.workspace().await?;
        Ok(execute::execute(&workspace, asked, &context).await.unwrap_or_else(refused))
    }

    /// Read lines of a text file.
    #[tool(annotations(title = "Read a file", read_only_hint = true), output_schema = schema_for_output::<Lines>())]
    async fn read_file(&self, Parameters(asked): Parameters<Read>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(Some(&asked.path));
        let range = LineRange::new(asked.offset, asked.limit.unwrap_or(LINES));
        Ok(match reading::lines(&workspace, path, range, workspace.max_output()).await {
            Ok(lines) => answered(reading::text(&lines, asked.offset), &lines),
            Err(why) => refused(why),
        })
    }

    /// Read the first lines of several text files.
    #[tool(annotations(title = "Read files", read_only_hint = true), output_schema = schema_for_output::<Files>())]
    async fn read_files(&self, Parameters(asked): Parameters<ReadFiles>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let files = reading::files(&workspace, &asked.paths, asked.limit.unwrap_or(LINES)).await;
        Ok(answered(reading::all(&files), &files))
    }

    /// Write a whole file.
    #[tool(
        annotations(title = "Write a file", destructive_hint = true, idempotent_hint = true),
        output_schema = schema_for_output::<Written>()
    )]
    async fn write_file(&self, Parameters(asked): Parameters<Write>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(Some(&asked.path));
        let size = number(asked.content.len() as u64);
        let written = workspace.sandbox.write(&path, asked.content.into(), WriteMode::Overwrite).await;
        Ok(written.map_or_else(refused, |()| {
            answered(format!("{} is written", shown(&path)), &Written { path, size })
        }))
    }

    /// Replace exact text in a file.
    #[tool(annotations(title = "Edit a file", destructive_hint = true), output_schema = schema_for_output::<Edited>())]
    async fn edit_file(&self, Parameters(asked): Parameters<Edit>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(Some(&asked.path));
        let edit =
            EditRequest { old: asked.old_string, new: asked.new_string, replace_all: asked.replace_all };
        let edited = workspace.sandbox.edit(&path, &edit).await;
        Ok(edited.map_or_else(refused, |outcome| {
            let text = format!("{}: {} replacement(s)", shown(&path), outcome.occurrences);
            answered(text, &Edited { path, replacements: number(outcome.occurrences) })
        }))
    }

    /// List a directory; directories end in a slash. `.git` is left out unless it is named.
    #[tool(annotations(title = "List a directory", read_only_hint = true), output_schema = schema_for_output::<Entries>())]
    async fn ls(&self, Parameters(asked): Parameters<Directory>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(asked.path.as_deref());
        let mut entries = match workspace.sandbox.ls(&path).await {
            Ok(entries) => entries,
            Err(error) => return Ok(refused(error)),
        };
        entries.retain(|entry| !globs::is_internal(&entry.path, &path, ""));
        Ok(listing::entries(&workspace, entries, false).await)
    }

    /// Find files by name. `.git` is left out unless the pattern or the path names it.
    #[tool(annotations(title = "Find files", read_only_hint = true), output_schema = schema_for_output::<Entries>())]
    async fn glob(&self, Parameters(asked): Parameters<Glob>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        if let Err(why) = globs::check(&asked.pattern) {
            return Ok(refused(why));
        }
        let path = workspace.path(asked.path.as_deref());
        let found = match workspace.sandbox.glob(&GlobRequest::new(&asked.pattern, &path)).await {
            Ok(found) => found,
            Err(error) => return Ok(refused(error)),
        };
        let mut entries = found.matches;
        entries.retain(|file| !globs::is_internal(&file.path, &path, &asked.pattern));
        Ok(listing::entries(&workspace, entries, found.truncation.is_some()).await)
    }

    /// Find literal text in files.
    #[tool(annotations(title = "Search in files", read_only_hint = true), output_schema = schema_for_output::<Matches>())]
    async fn grep(&self, Parameters(asked): Parameters<Grep>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        if let Some(Err(why)) = asked.glob.as_deref().map(globs::check) {
            return Ok(refused(why));
        }
        let mut request = GrepRequest::new(asked.pattern, workspace.path(asked.path.as_deref()));
        request.glob = asked.glob;
        request.max_count = Some(asked.max_count.unwrap_or(MATCHES));
        Ok(match workspace.sandbox.grep(&request).await {
            Ok(found) => listing::matches(&workspace, found).await,
            Err(error) => refused(error),
        })
    }

    /// Delete a file, or a directory with everything in it.
    #[tool(annotations(title = "Delete", destructive_hint = true), output_schema = schema_for_output::<Deleted>())]
    async fn delete(&self, Parameters(asked): Parameters<Delete>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(Some(&asked.path));
        let deleted = workspace.sandbox.delete(&path).await;
        Ok(deleted.map_or_else(
            |error| refused(format!("{}: {error}", shown(&path))),
            |()| answered(format!("{} is deleted", shown(&path)), &Deleted { path: path.clone() }),
        ))
    }

    /// Move or rename a file or directory.
    #[tool(
        name = "move",
        annotations(title = "Move", destructive_hint = true),
        output_schema = schema_for_output::<Moved>()
    )]
    async fn move_path(&self, Parameters(asked): Parameters<Move>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let from = workspace.path(Some(&asked.from));
        let to = workspace.path(Some(&asked.to));
        Ok(match moving::rename(&workspace, &from, &to, asked.overwrite).await {
            Ok(()) => answered(format!("{} is now {}", shown(&from), shown(&to)), &Moved { from, to }),
            Err(why) => refused(why),
        })
    }

    /// Put a file of any bytes into the sandbox.
    #[tool(
        annotations(title = "Upload a file", destructive_hint = true, idempotent_hint = true),
        output_schema = schema_for_output::<Written>()
    )]
    async fn upload(&self, Parameters(asked): Parameters<Upload>) -> ToolAnswer {
        let workspace = self.workspace().await?;
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
            Some(Err(error)) => refused(format!("{}: {error}", shown(&path))),
            _ => answered(
                format!("{}: {size} bytes", shown(&path)),
                &Written { path, size: number(size as u64) },
            ),
        })
    }

    /// Get a whole file: text, or its bytes in base64.
    #[tool(
        annotations(title = "Download a file", read_only_hint = true),
        output_schema = schema_for_output::<Downloaded>()
    )]
    async fn download(&self, Parameters(asked): Parameters<Download>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let path = workspace.path(Some(&asked.path));
        Ok(match resources::contents(&workspace, &path).await {
            Ok((contents, size)) => {
                let (text, base64) = match &contents {
                    ResourceContents::TextResourceContents { text, .. } => (Some(text.clone()), None),
                    ResourceContents::BlobResourceContents { blob, .. } => (None, Some(blob.clone())),
                    _ => (None, None),
                };
                let data = Downloaded { path, size: number(size as u64), text, base64 };
                with_block(ContentBlock::resource(contents), &data)
            }
            Err(why) => refused(why),
        })
    }

    /// Keep the sandbox's files as they are now; returns a name for `restore`.
    #[tool(annotations(title = "Take a snapshot", destructive_hint = false), output_schema = schema_for_output::<Snapshot>())]
    async fn snapshot(&self, Parameters(asked): Parameters<Keep>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let kept = workspace.provider().snapshot(workspace.sandbox.id(), asked.name.as_deref()).await;
        Ok(kept.map_or_else(refused, |info| answered(info.id.clone(), &Snapshot { snapshot: info.id })))
    }

    /// Put the files back as they were when a snapshot was taken; ends what runs.
    #[tool(annotations(title = "Restore a snapshot", destructive_hint = true), output_schema = schema_for_output::<Snapshot>())]
    async fn restore(&self, Parameters(asked): Parameters<Restore>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        let restored = workspace.provider().restore(workspace.sandbox.id(), &asked.snapshot).await;
        Ok(restored.map_or_else(refused, |()| {
            let text = format!("the files are those of {}", asked.snapshot);
            answered(text, &Snapshot { snapshot: asked.snapshot })
        }))
    }

    /// Show what was changed in the user's files, as a patch that `git apply` takes.
    #[tool(annotations(title = "Show the changes", read_only_hint = true), output_schema = schema_for_output::<Changes>())]
    async fn diff(&self, Parameters(Nothing {}): Parameters<Nothing>) -> ToolAnswer {
        let workspace = self.workspace().await?;
        // Comparing large files takes long and must not hold up calls of other sessions.
        let changed = workspace.clone();
        let patch = match tokio::task::spawn_blocking(move || changed.diff()).await {
            Ok(Ok(patch)) => String::from_utf8_lossy(&patch).into_owned(),
            Ok(Err(error)) => return Ok(refused(error)),
            Err(error) => return Ok(refused(error)),
        };
        let paged = workspace.paged(patch).await;
        let text = if paged.shown.is_empty() { "nothing is changed".to_owned() } else { paged.text() };
        let truncated = paged.is_cut();
        Ok(answered(text, &Changes { patch: paged.shown, truncated, note: paged.note }))
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sandshell", env!("CARGO_PKG_VERSION")))
            .with_instructions(if self.workspaces.keeps { KEEPING } else { INSTRUCTIONS })
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(match self.sessions {
            Sessions::Process => ProtocolVersion::KNOWN_VERSIONS,
            Sessions::Protocol => ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25),
        })
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        Err(stdio::unread(&request).unwrap_or_else(unknown))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&*self.workspace().await?, request.and_then(|request| request.cursor)).await
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
        resources::read(&*self.workspace().await?, &request.uri).await.map(Into::into)
    }
}
