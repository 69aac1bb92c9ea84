//! Files of one-line cases: `NAME.lines` and `NAME.expected`. The `setup.sh` in their folder makes the files on which
//! the lines work.
//!
//! Each line is a script for `bash -c`. `#` begins a comment. `#gap REASON` says why the answer to the next line still
//! differs from that of the real tools. `#needs: TOOL…` names tools that the recording machine must have. `#python`:
//! the sandbox has Python, and runs servers beside the lines. A line of expectations contains the status, the escaped
//! standard output and error, and the script, separated by tabs.

use crate::case::{Case, Output};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// One file of lines with its expectations.
pub(crate) struct Lines {
    pub(crate) setup: Vec<u8>,
    /// Whether the scripts need the pack `python`.
    pub(crate) python: bool,
    pub(crate) lines: Vec<Line>,
}

pub(crate) struct Line {
    pub(crate) script: String,
    /// `STATUS TAB STDOUT TAB STDERR`. `None` if nothing was recorded.
    pub(crate) expected: Option<String>,
    pub(crate) gap: Option<String>,
}

impl Line {
    /// The case without its expectation.
    pub(crate) fn case(&self) -> Case {
        Case { script: self.script.clone(), ..Case::default() }
    }
}

/// Reads `NAME.lines` and its expectations.
pub(crate) fn read(path: &Path) -> std::io::Result<Lines> {
    let text = std::fs::read_to_string(path)?;
    let recorded = match std::fs::read_to_string(path.with_extension("expected")) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut expected: HashMap<&str, &str> = HashMap::new();
    for line in recorded.lines() {
        if let Some((at, _)) = line.match_indices('\t').nth(2) {
            expected.insert(&line[at + 1..], &line[..at]);
        }
    }
    let setup = setup(path)?;
    let mut lines = Vec::new();
    let mut gap = None;
    for line in text.lines().filter(|l| !l.is_empty()) {
        if let Some(reason) = line.strip_prefix("#gap ") {
            gap = Some(reason.to_owned());
        } else if !line.starts_with('#') {
            let expected = expected.get(line).map(|e| (*e).to_owned());
            lines.push(Line { script: line.to_owned(), expected, gap: gap.take() });
        }
    }
    let python = text.lines().any(|line| line == "#python");
    Ok(Lines { setup, python, lines })
}

/// The script that fills the working directory for the cases of a file. Empty if the folder has none.
pub(crate) fn setup(path: &Path) -> std::io::Result<Vec<u8>> {
    let setup = path.with_file_name("setup.sh");
    if setup.exists() { std::fs::read(setup) } else { Ok(Vec::new()) }
}

/// Formats an answer as in the expectations.
pub(crate) fn print(answer: &Output) -> String {
    format!("{}\t{}\t{}", answer.status, escape(&answer.stdout), escape(&answer.stderr))
}

fn escape(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &b in bytes {
        match b {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0x20..=0x7e => out.push(char::from(b)),
            _ => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out
}
