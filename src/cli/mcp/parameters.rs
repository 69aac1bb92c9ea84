//! The tools' parameters. Models read these doc comments. An unknown argument is an error, so that a model learns
//! that it made it up.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Execute {
    /// A bash command line.
    pub(super) command: String,
    /// Seconds after which it is stopped with status 124.
    pub(super) timeout: Option<f64>,
    /// The directory to run it in; by default the workspace.
    pub(super) cwd: Option<String>,
    /// Start it and return at once: its output goes to a file.
    #[serde(default)]
    pub(super) background: bool,
    /// Run it in a shell that lives, by a name of your choice: the next call with this name finds its variables,
    /// functions, directory, history and jobs (`command &`).
    pub(super) session: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnTerminal {
    /// The terminal, by a name of your choice; its shell is started by the first call.
    pub(super) session: String,
    /// What to type. `\r` is Enter, `\u0003` Ctrl-C, `\u001b` Escape, `\u001b[A` the up arrow.
    #[serde(default)]
    pub(super) keys: String,
    /// Seconds to wait at most; 5 by default.
    pub(super) wait: Option<f64>,
    /// Wait until the screen shows this text; otherwise until nothing was written for a moment.
    pub(super) until: Option<String>,
    /// A new number of rows, with `columns`; 24 at first.
    pub(super) rows: Option<u16>,
    /// A new number of columns, with `rows`; 80 at first.
    pub(super) columns: Option<u16>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InSession {
    /// The name that `execute` was given.
    pub(super) session: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    /// The file.
    pub(super) path: String,
    /// Lines to skip.
    #[serde(default)]
    pub(super) offset: u64,
    /// Lines to return at most; 2000 by default.
    pub(super) limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadFiles {
    /// The files.
    pub(super) paths: Vec<String>,
    /// Lines to return at most of each; 2000 by default.
    pub(super) limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    /// The file; missing directories are created.
    pub(super) path: String,
    /// The whole new content.
    pub(super) content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// The file.
    pub(super) path: String,
    /// The exact text to replace.
    pub(super) old_string: String,
    /// What to put there.
    pub(super) new_string: String,
    /// Replace every occurrence instead of the only one.
    #[serde(default)]
    pub(super) replace_all: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Directory {
    /// The directory; by default the workspace.
    pub(super) path: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Glob {
    /// For example `*.py` (at any depth) or `src/**/*.rs`.
    pub(super) pattern: String,
    /// The directory to search; by default the workspace.
    pub(super) path: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Grep {
    /// Literal text, not a regular expression.
    pub(super) pattern: String,
    /// The directory or file to search; by default the workspace.
    pub(super) path: Option<String>,
    /// Only files that match this pattern, for example `*.py`.
    pub(super) glob: Option<String>,
    /// Matches to return at most; 1000 by default.
    pub(super) max_count: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delete {
    /// The file, symbolic link or directory; a directory goes with everything in it.
    pub(super) path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    /// The file or directory.
    pub(super) from: String,
    /// Its new path; missing directories are created.
    pub(super) to: String,
    /// Replace a file that is there already.
    #[serde(default)]
    pub(super) overwrite: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Upload {
    /// Where to put the file; missing directories are created.
    pub(super) path: String,
    /// Its bytes in base64.
    pub(super) content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Download {
    /// The file.
    pub(super) path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Restore {
    /// What `snapshot` answered.
    pub(super) snapshot: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Keep {
    /// A name for it, if sandboxes are kept on disk.
    pub(super) name: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    /// The id or name of a snapshot to start from.
    pub(super) snapshot: Option<String>,
    /// Names and values to find it by.
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    /// Seconds without use after which it is paused; an hour by default.
    pub(super) ttl: Option<f64>,
    /// Seconds after which it is deleted; 30 days by default.
    pub(super) hard_ttl: Option<f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Labels {
    /// Only sandboxes that have all of these labels.
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    /// The `next_cursor` of an earlier answer, to go on after it.
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    /// The sandbox.
    pub(super) id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// The sandbox; by default the one in use.
    pub(super) id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ttl {
    /// The sandbox; by default the one in use.
    pub(super) id: Option<String>,
    /// The seconds; without, it is never paused.
    pub(super) seconds: Option<f64>,
}

/// The arguments of a tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}
