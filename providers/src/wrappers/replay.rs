//! Answers from cassettes.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;

use super::Redactor;
use super::record::{VERSION, key};
use crate::calls::json::{answer, bytes, error, provider_capabilities};
use crate::calls::{Backend, BackendProvider, Call, Reply};
use crate::{
    Capabilities, Error, ErrorKind, OutputChunk, OutputSender, OutputStream, ProviderMetadata, Result,
    SandboxProvider,
};

/// How many characters of a call an error shows.
const SHOWN: usize = 300;

/// How a cassette is replayed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// If true, calls must come exactly in the recorded order. If false (the default), each call is answered with
    /// the first unused recording of it, which programs need that make concurrent calls.
    pub in_order: bool,
    /// The secrets that were redacted while recording, so that calls with them are recognised.
    pub secrets: Redactor,
}

impl ReplayOptions {
    /// Requires the recorded order.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Redacts these in calls before they are looked up.
    #[must_use]
    pub fn secrets(mut self, secrets: Redactor) -> Self {
        self.secrets = secrets;
        self
    }
}

/// Answers from a cassette that [`record`](super::record) wrote, without any other provider: offline, and the same
/// each time.
///
/// Each recorded call is answered once. A call that was not recorded is refused
/// ([`InvalidRequest`](ErrorKind::InvalidRequest)); the message names the call and the one that was expected next.
/// A call that was recorded as cancelled never ends.
///
/// # Errors
///
/// `InvalidRequest` if the file cannot be read or is not a cassette.
pub fn replay(file: &Path, options: ReplayOptions) -> Result<Arc<dyn SandboxProvider>> {
    let wrong = |why: &dyn std::fmt::Display| {
        Error::invalid_request(format!("the cassette {} cannot be played: {why}", file.display()))
    };
    let reader = BufReader::new(File::open(file).map_err(|error| wrong(&error))?);
    let mut values = Vec::new();
    for line in reader.lines() {
        let line = line.map_err(|error| wrong(&error))?;
        if !line.trim().is_empty() {
            values.push(serde_json::from_str::<Value>(&line).map_err(|error| wrong(&error))?);
        }
    }
    let mut values = values.into_iter();
    let head = values.next().filter(|head| head["cassette"] == VERSION);
    let head = head.ok_or_else(|| wrong(&"it is not one, or of another version"))?;
    let text = |name: &str| head[name].as_str().ok_or_else(|| wrong(&format!("it has no {name}")));
    let capabilities = provider_capabilities(&head["capabilities"])?;
    let metadata = ProviderMetadata::new(text("provider")?, text("working_dir")?, capabilities);
    let takes = values.map(Some).collect();
    Ok(Arc::new(BackendProvider::new(Replaying {
        metadata,
        file: file.to_owned(),
        takes: Mutex::new(takes),
        options,
    })))
}

#[derive(Debug)]
struct Replaying {
    metadata: ProviderMetadata,
    file: PathBuf,
    /// The recorded calls; `None` for used ones.
    takes: Mutex<Vec<Option<Value>>>,
    options: ReplayOptions,
}

#[async_trait]
impl Backend for Replaying {
    fn metadata(&self) -> ProviderMetadata {
        self.metadata.clone()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let mut take = self.take(&call)?;
        if let Some(output) = output {
            play(&take, output).await?;
        }
        if take["cancelled"] == true {
            // The recorded call was cancelled, so this one never ends.
            return std::future::pending().await;
        }
        if !take["error"].is_null() {
            return Err(error(&take["error"]));
        }
        answer(&call, take["answer"].take(), Capabilities::default())
    }
}

impl Replaying {
    /// The first recording of this call.
    fn take(&self, call: &Call) -> Result<Value> {
        let key = key(call, &self.options.secrets);
        let mut takes = self.takes.lock();
        let next = takes.iter().position(Option::is_some);
        let is_it = |take: &Option<Value>| take.as_ref().is_some_and(|take| take["call"] == key);
        let found = match (self.options.in_order, next) {
            (true, Some(next)) => takes.get(next).is_some_and(is_it).then_some(next),
            _ => takes.iter().position(is_it),
        };
        if let Some(take) = found.and_then(|at| takes.get_mut(at)).and_then(Option::take) {
            return Ok(take);
        }
        let expected = match next.and_then(|at| takes.get(at)?.as_ref().map(|take| (at, take))) {
            // The first line is the head.
            Some((at, take)) => format!("expected next (line {}): {}", at + 2, shown(&take["call"])),
            None => "nothing more was recorded".to_owned(),
        };
        let file = self.file.display();
        Err(Error::new(
            ErrorKind::InvalidRequest,
            format!("not in the cassette {file}: {}; {expected}", shown(&key)),
        ))
    }
}

/// Sends output in the recorded chunks, or all at once if it was not streamed while recording.
async fn play(take: &Value, output: OutputSender) -> Result<()> {
    let whole = [&take["answer"]];
    let chunks: Vec<&Value> = match take["chunks"].as_array() {
        Some(chunks) => chunks.iter().collect(),
        None => whole.to_vec(),
    };
    for chunk in chunks {
        for (name, stream) in [("stdout", OutputStream::Stdout), ("stderr", OutputStream::Stderr)] {
            if chunk[name].is_null() {
                continue;
            }
            let data = bytes(&chunk[name])?;
            if !data.is_empty() && output.send(OutputChunk { stream, data }).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn shown(call: &Value) -> String {
    let text = call.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
