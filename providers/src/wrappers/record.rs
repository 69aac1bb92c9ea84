//! Writes cassettes.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Redactor;
use crate::calls::json::{encode_answer, encode_bytes, encode_error};
use crate::calls::{Backend, BackendProvider, Call, Reply, perform};
use crate::{
    Error, ErrorKind, OutputChunk, OutputSender, OutputStream, ProviderMetadata, Result, SandboxProvider,
};

/// The version of the format that is written and read.
pub(super) const VERSION: u64 = 1;

/// Writes every call and its answer to the cassette `file`, which is replaced.
///
/// A cassette is a text file with one JSON object on each line: first the provider, then the calls with their
/// answers, in the order in which the calls began. `secrets` are redacted, and so are the values of variables whose
/// names suggest a secret (`…KEY…`, `…TOKEN…`, `…SECRET…`, `…PASSWORD…`, `…CREDENTIAL…`). Times are not recorded,
/// so that recording again changes only lines that really differ. A call whose future was dropped is recorded as
/// cancelled.
///
/// # Errors
///
/// `InvalidRequest` if the file cannot be written. If a later write fails, the next call fails.
pub fn record(
    provider: Arc<dyn SandboxProvider>,
    file: &Path,
    secrets: Redactor,
) -> Result<Arc<dyn SandboxProvider>> {
    let cannot_write = |error: std::io::Error| {
        Error::invalid_request(format!("the cassette {} cannot be written: {error}", file.display()))
            .with_source(error)
    };
    let mut writer = BufWriter::new(File::create(file).map_err(cannot_write)?);
    writeln!(writer, "{}", head(&provider.metadata())).and_then(|()| writer.flush()).map_err(cannot_write)?;
    let cassette = Cassette { writer, next: 0, begun: 0, finished: BTreeMap::new(), failed: None };
    Ok(Arc::new(BackendProvider::new(Recording { provider, cassette: Mutex::new(cassette), secrets })))
}

fn head(metadata: &ProviderMetadata) -> Value {
    let can: Vec<&str> =
        metadata.capabilities.flags().filter(|(_, has)| *has).map(|(name, _)| name).collect();
    json!({
        "cassette": VERSION,
        "provider": metadata.name,
        "working_dir": metadata.working_dir,
        "capabilities": can,
    })
}

struct Recording {
    provider: Arc<dyn SandboxProvider>,
    cassette: Mutex<Cassette>,
    secrets: Redactor,
}

/// The open file. Calls are written in the order in which they began, as soon as all earlier ones have ended.
struct Cassette {
    writer: BufWriter<File>,
    /// The number of the next call to be written.
    next: u64,
    begun: u64,
    finished: BTreeMap<u64, Value>,
    failed: Option<std::io::Error>,
}

#[async_trait]
impl Backend for Recording {
    fn metadata(&self) -> ProviderMetadata {
        self.provider.metadata()
    }

    async fn call(&self, call: Call, output: Option<OutputSender>) -> Result<Reply> {
        let mut pending = PendingCall::begin(self, &call)?;
        let answer = match output {
            None => perform(&*self.provider, call, None).await,
            Some(output) => {
                let (sender, receiver) = mpsc::channel(1);
                let call = perform(&*self.provider, call, Some(sender));
                tokio::join!(call, listen(receiver, output, &mut pending.chunks)).0
            }
        };
        pending.end(&answer);
        answer
    }
}

/// A call in progress.
struct PendingCall<'a> {
    recording: &'a Recording,
    number: u64,
    line: Value,
    chunks: Vec<OutputChunk>,
}

impl<'a> PendingCall<'a> {
    fn begin(recording: &'a Recording, call: &Call) -> Result<Self> {
        let mut cassette = recording.cassette.lock();
        if let Some(error) = cassette.failed.take() {
            return Err(
                Error::new(ErrorKind::Unexpected, "the cassette cannot be written").with_source(error)
            );
        }
        let number = cassette.begun;
        cassette.begun += 1;
        // This line is written if the call is dropped before its end.
        let line = json!({"call": key(call, &recording.secrets), "cancelled": true});
        Ok(Self { recording, number, line, chunks: Vec::new() })
    }

    fn end(&mut self, answer: &Result<Reply>) {
        let secrets = &self.recording.secrets;
        let Some(line) = self.line.as_object_mut() else { return };
        line.remove("cancelled");
        match answer {
            Ok(answer) => {
                let mut answer = encode_answer(&clean(answer, secrets));
                if let Some(fields) = answer.as_object_mut() {
                    fields.remove("duration");
                }
                line.insert("answer".to_owned(), answer);
            }
            Err(error) => {
                let mut encoded = encode_error(error);
                encoded["message"] = Value::from(secrets.text(&error.to_string()));
                line.insert("error".to_owned(), encoded);
            }
        }
        let chunks = std::mem::take(&mut self.chunks);
        if !chunks.is_empty() {
            line.insert("chunks".to_owned(), clean_chunks(&chunks, secrets).into());
        }
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        let mut cassette = self.recording.cassette.lock();
        cassette.finished.insert(self.number, std::mem::take(&mut self.line));
        let written = cassette.write();
        if let Err(error) = written {
            cassette.failed = Some(error);
        }
    }
}

impl Cassette {
    fn write(&mut self) -> std::io::Result<()> {
        while let Some(line) = self.finished.remove(&self.next) {
            self.next += 1;
            writeln!(self.writer, "{line}")?;
        }
        self.writer.flush()
    }
}

impl Drop for Cassette {
    fn drop(&mut self) {
        // No call can be in progress any more.
        for line in std::mem::take(&mut self.finished).into_values() {
            drop(writeln!(self.writer, "{line}"));
        }
    }
}

/// The JSON by which a call is recognised.
pub(super) fn key(call: &Call, secrets: &Redactor) -> Value {
    let mut key = crate::calls::json::params(&clean_call(call, secrets));
    key["method"] = Value::from(call.method());
    key
}

fn clean_call(call: &Call, secrets: &Redactor) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Create(options) => clean_variables(&mut options.env, secrets),
        Call::Execute(_, request) => {
            request.command = secrets.text(&request.command);
            request.stdin = request.stdin.as_ref().map(|stdin| secrets.bytes(stdin));
            clean_variables(&mut request.env, secrets);
        }
        Call::Upload(_, files) => {
            for file in files {
                file.content = secrets.bytes(&file.content);
            }
        }
        _ => {}
    }
    call
}

fn clean_variables(variables: &mut [(String, String)], secrets: &Redactor) {
    const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];
    for (name, value) in variables {
        let name = name.to_ascii_uppercase();
        *value = match SECRET.iter().any(|word| name.contains(word)) {
            true => "[REDACTED]".to_owned(),
            false => secrets.text(value),
        };
    }
}

fn clean(answer: &Reply, secrets: &Redactor) -> Reply {
    let mut answer = answer.clone();
    match &mut answer {
        Reply::Executed(response) => {
            response.output = secrets.bytes(&response.output);
            response.stdout = secrets.bytes(&response.stdout);
            response.stderr = secrets.bytes(&response.stderr);
        }
        Reply::Downloaded(files) => {
            for content in files.iter_mut().filter_map(|file| file.result.as_mut().ok()) {
                *content = secrets.bytes(content);
            }
        }
        _ => {}
    }
    answer
}

/// The chunks as they arrived; if they hold secrets, they may be split at other places.
fn clean_chunks(chunks: &[OutputChunk], secrets: &Redactor) -> Vec<Value> {
    let mut streams = [super::redactor::Stream::new(secrets), super::redactor::Stream::new(secrets)];
    let mut lines = Vec::new();
    let mut add = |name: &str, data: &[u8]| {
        if !data.is_empty() {
            lines.push(json!({name: encode_bytes(data)}));
        }
    };
    let [stdout, stderr] = &mut streams;
    for chunk in chunks {
        match chunk.stream {
            OutputStream::Stdout => add("stdout", &stdout.push(&chunk.data)),
            OutputStream::Stderr => add("stderr", &stderr.push(&chunk.data)),
        }
    }
    add("stdout", &stdout.finish());
    add("stderr", &stderr.finish());
    lines
}

async fn listen(mut from: mpsc::Receiver<OutputChunk>, to: OutputSender, chunks: &mut Vec<OutputChunk>) {
    let mut heard = true;
    while let Some(chunk) = from.recv().await {
        chunks.push(chunk.clone());
        // When the reader goes away, streaming stops but recording goes on.
        heard = heard && to.send(chunk).await.is_ok();
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("provider", &self.provider).finish_non_exhaustive()
    }
}
