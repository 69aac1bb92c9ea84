//! Options for creating a sandbox of any provider, as data from any language.

use crate::duration;
use sandshell::{CreateOptions, Error, ExecuteRequest, NetworkPolicy, ResourceLimits, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The options of a sandbox of any provider. Missing options have the provider's default. A provider refuses
/// options that it lacks.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Create {
    /// The existing sandbox with this id, instead of a new one.
    pub id: Option<String>,
    /// The snapshot, template or image to start from.
    pub snapshot: Option<String>,
    /// Names and values to find it by.
    pub labels: BTreeMap<String, String>,
    /// Seconds after which it ends by itself.
    pub ttl: Option<f64>,
    /// Seconds that it exists at most.
    pub hard_ttl: Option<f64>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Absolute working directory.
    pub workdir: Option<String>,
    /// `blocked` or `open`.
    pub network: Option<String>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processors.
    pub cpus: Option<f64>,
    /// Space for files, in bytes.
    pub disk: Option<u64>,
    /// The most processes at a time.
    pub processes: Option<u32>,
    /// The default timeout of a command, in seconds; zero: no limit.
    pub timeout: Option<f64>,
    /// How many bytes of a command's output are kept by default.
    pub max_output: Option<u64>,
}

/// Default limits for a sandbox's commands. They are sent with each command, because few services store them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_output: Option<u64>,
}

impl Defaults {
    pub(crate) fn apply(&self, request: &mut ExecuteRequest) {
        request.timeout = request.timeout.or(self.timeout);
        request.max_output = request.max_output.or(self.max_output);
    }
}

impl Create {
    pub(crate) fn options(self) -> Result<(CreateOptions, Defaults)> {
        let defaults =
            Defaults { timeout: self.timeout.map(duration).transpose()?, max_output: self.max_output };
        let mut limits = ResourceLimits::default();
        limits.memory = self.memory;
        limits.milli_cpus = self.cpus.map(milli_cpus).transpose()?;
        limits.disk = self.disk;
        limits.processes = self.processes;
        limits.hard_ttl = self.hard_ttl.map(duration).transpose()?;
        let mut options = CreateOptions::default();
        options.id = self.id;
        options.snapshot = self.snapshot;
        options.labels = self.labels.into_iter().collect();
        options.ttl = self.ttl.map(duration).transpose()?;
        options.env = self.env.into_iter().collect();
        options.workdir = self.workdir;
        options.limits = limits;
        options.network = self.network.as_deref().map_or(Ok(NetworkPolicy::default()), network)?;
        Ok((options, defaults))
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bounds are checked")]
fn milli_cpus(cpus: f64) -> Result<u32> {
    let thousandths = (cpus * 1000.0).round();
    if (1.0..=f64::from(u32::MAX)).contains(&thousandths) {
        Ok(thousandths as u32)
    } else {
        Err(Error::invalid_request(format!("{cpus} is not a number of processors")))
    }
}

fn network(policy: &str) -> Result<NetworkPolicy> {
    match policy {
        "default" => Ok(NetworkPolicy::ProviderDefault),
        "blocked" => Ok(NetworkPolicy::Blocked),
        "open" => Ok(NetworkPolicy::Open),
        other => Err(Error::invalid_request(format!("the network {other:?} is neither blocked nor open"))),
    }
}
