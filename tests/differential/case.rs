//! Case files: scripts with their inputs, and with the recorded answers of the real tools.
//!
//! ```text
//! === name of the case
//! the script, given to `bash -c`
//! --- file path/below/the/working/directory
//! content of an input file
//! --- stdin
//! bytes on standard input
//! --- stdout
//! what bash printed
//! --- stderr
//! --- status 3
//! --- gap why sandshell does not answer so yet; the case is reported as ignored
//! ```
//!
//! Missing sections are empty; a missing status is 0. The text of a section ends with a newline, unless its header
//! contains `(no newline)`. `(escaped)` means that `\\` and `\xNN` stand for bytes. If a line of text begins with
//! `===`, `---` or a backslash, it is written with an additional backslash at its start.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) expected: Output,
    /// Why sandshell's answer still differs from the recorded one.
    pub(crate) gap: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) status: i32,
}

/// Parses a case file.
pub(crate) fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut section: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            finish(&mut cases, section.take())?;
            cases.push(Case { name: name.to_owned(), ..Case::default() });
            section = Some(("script".to_owned(), Vec::new()));
        } else if let Some(header) = line.strip_prefix("--- ") {
            finish(&mut cases, section.take())?;
            section = Some((header.to_owned(), Vec::new()));
        } else if let Some((_, lines)) = &mut section {
            lines.push(line.strip_prefix('\\').unwrap_or(line).to_owned());
        } else if !line.is_empty() && !line.starts_with('#') {
            return Err(format!("text before the first case: {line}"));
        }
    }
    finish(&mut cases, section)?;
    Ok(cases)
}

fn finish(cases: &mut [Case], section: Option<(String, Vec<String>)>) -> Result<(), String> {
    let Some((header, lines)) = section else { return Ok(()) };
    let case = cases.last_mut().ok_or("a section before the first case")?;
    if header == "script" {
        case.script = lines.join("\n").trim_end_matches('\n').to_owned();
        return Ok(());
    }
    let mut words = header.as_str();
    let mut take = |suffix: &str| match words.strip_suffix(suffix) {
        Some(rest) => {
            words = rest;
            true
        }
        None => false,
    };
    let escaped = take(" (escaped)");
    let bare = take(" (no newline)");
    let mut content = lines.join("\n");
    if !lines.is_empty() && !bare {
        content.push('\n');
    }
    let content = if escaped { unescape(&content)? } else { content.into_bytes() };
    match words.split_once(' ').unwrap_or((words, "")) {
        ("file", path) => case.files.push((path.to_owned(), content)),
        ("stdin", _) => case.stdin = content,
        ("stdout", _) => case.expected.stdout = content,
        ("stderr", _) => case.expected.stderr = content,
        ("gap", why) => case.gap = Some(why.to_owned()),
        ("status", n) => {
            case.expected.status = n.parse().map_err(|_| format!("{}: bad status {n}", case.name))?
        }
        _ => return Err(format!("{}: unknown section {header}", case.name)),
    }
    Ok(())
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b != b'\\' {
            out.push(b);
        } else if let Some(tail) = rest.strip_prefix(b"\\") {
            out.push(b'\\');
            rest = tail;
        } else {
            let hex =
                rest.strip_prefix(b"x").and_then(|t| t.get(..2)).and_then(|h| std::str::from_utf8(h).ok());
            let byte = hex.and_then(|h| u8::from_str_radix(h, 16).ok()).ok_or("bad escape")?;
            out.push(byte);
            rest = &rest[3..];
        }
    }
    Ok(out)
}
