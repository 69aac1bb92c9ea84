//! Options of local sandboxes, as data from any language.

use crate::{duration, engines, places};
use sandshell::apply;
use sandshell::{
    Clock, DataDir, Error, LocalOptions, LocalProvider, Mount as LocalMount, MountSource, Random, Result,
    Time,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// The options of a local sandbox. Missing options have the library's default. An unknown name is an error.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Absolute working directory.
    pub workdir: Option<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Mounted directories of the host, and empty ones.
    pub mounts: Vec<Mount>,
    /// The name of the machine.
    pub hostname: Option<String>,
    /// The default timeout, in seconds, of a command and the processes that it leaves in the background; zero: no
    /// limit.
    pub timeout: Option<f64>,
    /// How many bytes of a command's output are kept.
    pub max_output: Option<u64>,
    /// Bytes of memory of all processes together.
    pub memory: Option<u64>,
    /// Bytes of memory of one process.
    pub process_memory: Option<u64>,
    /// The most processes at a time.
    pub processes: Option<u32>,
    /// The most background processes at a time.
    pub background_processes: Option<u32>,
    /// Seconds of processor time that a command's background processes may use together; zero: no limit.
    pub background_cpu: Option<f64>,
    /// The most open descriptors of one process.
    pub descriptors: Option<u32>,
    /// The most instructions of one command.
    pub fuel: Option<u64>,
    /// Space for files in memory, in bytes.
    pub disk: Option<u64>,
    /// The most files in memory.
    pub inodes: Option<u64>,
    /// Bytes that may be written to host directories.
    pub host_disk: Option<u64>,
    /// Determines random numbers and the order of processes.
    pub seed: Option<u64>,
    /// `real`, `virtual`, `virtual:TIME`, or a fixed TIME such as `2026-01-01T00:00:00Z`.
    pub clock: Option<String>,
    /// Packs by name or directory; by default all that are installed for the user or bundled.
    pub packs: Option<Vec<PathBuf>>,
    /// The directories of the packs that the language's packages bring.
    pub bundled_packs: Vec<PathBuf>,
    /// The directory for compiled code of packs and users' modules; by default the user's.
    pub cache: Option<PathBuf>,
    /// The directory where sandboxes are kept, so that they outlive the process, or the address of an object store.
    pub data_dir: Option<PathBuf>,
}

/// A directory and its path in the sandbox.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mount {
    /// Absolute path in the sandbox.
    pub at: String,
    /// The host's directory; `None` for an empty directory in memory.
    #[serde(default)]
    pub source: Option<PathBuf>,
    /// How the sandbox may use it.
    #[serde(default)]
    pub mode: Mode,
}

/// How a sandbox may use a host directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Read-only.
    Ro,
    /// Read-write: changes are made on the host.
    Rw,
    /// An overlay: changes stay in the sandbox, and the host's directory stays as it is.
    #[default]
    Overlay,
}

impl Options {
    /// A provider whose sandboxes have these options.
    pub(crate) fn provider(&self) -> Result<LocalProvider> {
        self.mounts.iter().for_each(Mount::recover);
        let packs = places::packs(self.packs.as_deref(), &self.bundled_packs)?;
        engines::provider(&packs, places::cache(self.cache.as_deref()), self.local()?)
    }

    /// Whether creating a sandbox opens directories of the user.
    pub fn opens_directories(&self) -> bool {
        self.mounts.iter().any(|mount| mount.source.is_some())
    }

    fn local(&self) -> Result<LocalOptions> {
        let mut local = LocalOptions {
            mounts: self.mounts.iter().map(Mount::local).collect(),
            env: self.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            ..LocalOptions::default()
        };
        local.workdir = self.workdir.clone().unwrap_or(local.workdir);
        local.hostname = self.hostname.clone().unwrap_or(local.hostname);
        local.timeout = self.timeout.map(duration).transpose()?.filter(|timeout| !timeout.is_zero());
        local.max_output = self.max_output.unwrap_or(local.max_output);
        local.disk.bytes = self.disk.or(local.disk.bytes);
        local.disk.inodes = self.inodes.or(local.disk.inodes);
        local.host_disk = self.host_disk.or(local.host_disk);
        let limits = &mut local.limits;
        limits.sandbox_memory = self.memory.unwrap_or(limits.sandbox_memory);
        limits.process_memory =
            self.process_memory.unwrap_or(limits.process_memory).min(limits.sandbox_memory);
        limits.processes = self.processes.unwrap_or(limits.processes);
        limits.background_processes = self.background_processes.unwrap_or(limits.background_processes);
        if let Some(cpu) = self.background_cpu.map(duration).transpose()? {
            limits.background_cpu = Some(cpu).filter(|cpu| !cpu.is_zero());
        }
        limits.descriptors = self.descriptors.unwrap_or(limits.descriptors);
        limits.fuel = self.fuel.or(limits.fuel);
        if let Some(data_dir) = &self.data_dir {
            let DataDir { directory, shared } = DataDir::new(data_dir.as_os_str())?;
            // Another directory may have been made by somebody else.
            local.trust_mounts = sandshell::user_sandboxes().as_ref() == Some(&directory);
            (local.data_dir, local.shared) = (Some(directory), shared);
        }
        local.random = self.seed.map_or(local.random, Random::Seeded);
        local.clock = self.clock.as_deref().map_or(Ok(local.clock), clock)?;
        Ok(local)
    }
}

impl Mount {
    /// Undoes what a process that was killed had begun to apply in the directory. If that fails, the next attempt
    /// to apply something there reports it.
    pub(crate) fn recover(&self) {
        if let Some(host) = &self.source {
            drop(apply::recover(std::slice::from_ref(host), apply::user_journals().as_deref()));
        }
    }

    pub(crate) fn local(&self) -> LocalMount {
        let source = match (&self.source, self.mode) {
            (None, _) => MountSource::Memory,
            (Some(host), Mode::Ro) => MountSource::HostReadOnly(host.clone()),
            (Some(host), Mode::Rw) => MountSource::HostReadWrite(host.clone()),
            (Some(host), Mode::Overlay) => MountSource::Overlay(host.clone()),
        };
        LocalMount { at: self.at.clone(), source }
    }
}

/// The default start of a virtual clock: 2000-01-01T00:00:00Z.
const VIRTUAL_START: Time = Time { secs: 946_684_800, nanos: 0 };

fn clock(text: &str) -> Result<Clock> {
    match text {
        "real" => return Ok(Clock::Real),
        "virtual" => return Ok(Clock::Virtual(VIRTUAL_START)),
        _ => {}
    }
    let (start, is_virtual) = match text.strip_prefix("virtual:") {
        Some(start) => (start, true),
        None => (text, false),
    };
    let wrong = || {
        let forms = "real, virtual, a time such as 2026-01-01T00:00:00Z, or virtual:TIME";
        Error::invalid_request(format!("the clock {text:?} is none of {forms}"))
    };
    let time = humantime::parse_rfc3339(start).map_err(|_| wrong())?;
    let since = time.duration_since(UNIX_EPOCH).map_err(|_| wrong())?;
    let secs = i64::try_from(since.as_secs()).map_err(|_| wrong())?;
    let time = Time { secs, nanos: since.subsec_nanos() };
    Ok(if is_virtual { Clock::Virtual(time) } else { Clock::Fixed(time) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks() {
        assert_eq!(clock("1970-01-01T00:00:05Z").ok(), Some(Clock::Fixed(Time { secs: 5, nanos: 0 })));
        assert_eq!(clock("virtual").ok(), Some(Clock::Virtual(VIRTUAL_START)));
        assert!(clock("noon").is_err());
    }

    #[test]
    fn unknown_options_are_errors() {
        assert!(serde_json::from_str::<Options>(r#"{"seed": 1, "env": {"A": "b"}}"#).is_ok());
        let error = serde_json::from_str::<Options>(r#"{"sead": 1}"#).expect_err("unknown");
        assert!(error.to_string().contains("sead"), "{error}");
    }
}
