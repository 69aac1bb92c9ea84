//! What a sandbox that is kept on disk was created with, beside its files.

use std::time::Duration;

use sandshell_store::Record;
use serde::{Deserialize, Serialize};

use super::options::LocalOptions;
use super::stored::Own;
use crate::{CreateOptions, Result};

/// What a sandbox that is kept on disk was created with, beside its files: its labels, variables, working directory,
/// limits, and how long it stays without being used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Description {
    #[serde(default)]
    labels: Vec<(String, String)>,
    #[serde(default)]
    ttl: Option<Duration>,
    #[serde(default)]
    own: Own,
}

impl Description {
    /// That of a sandbox of the [store](super::LocalProvider::store).
    ///
    /// # Errors
    ///
    /// `Unexpected` if what is stored cannot be read.
    pub fn of(record: &Record) -> Result<Self> {
        let own = Own { mounts: Vec::new(), ..Own::read(&record.options)? };
        Ok(Self { labels: record.labels.clone(), ttl: record.ttl, own })
    }

    /// Options to create a sandbox like it. A limit is never wider than that of `most`: the description may be
    /// anybody's.
    pub fn create_options(self, most: &LocalOptions) -> CreateOptions {
        let mut options = CreateOptions::default();
        // Directories of the host are given by whoever has them, not by a file.
        let Own { env, workdir, memory, processes, disk, timeout, max_output, mounts: _ } = self.own;
        (options.labels, options.ttl, options.env, options.workdir) = (self.labels, self.ttl, env, workdir);
        let limits = &mut options.limits;
        limits.memory = memory.map(|memory| memory.min(most.limits.sandbox_memory));
        limits.processes = processes.map(|processes| processes.min(most.limits.processes));
        limits.disk = disk.map(|disk| most.disk.bytes.map_or(disk, |most| disk.min(most)));
        limits.timeout = timeout.map(|timeout| most.timeout.map_or(timeout, |most| timeout.min(most)));
        limits.max_output = max_output.map(|output| output.min(most.max_output));
        options
    }
}
