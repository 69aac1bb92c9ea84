//! Scripts, by their first line.

use super::Description;

/// Describes a script by the interpreter that its first line names.
pub(super) fn describe(data: &[u8]) -> Option<Description> {
    let line = first_line(data);
    let after = line.strip_prefix(b"#!")?;
    let command = after.trim_ascii();
    for (path, exact, about, mime) in INTERPRETERS {
        let Some(rest) = matching(command, path) else { continue };
        // A blank or the end of the line must end the name. Without either it may be incomplete.
        let complete = match rest.first() {
            Some(b) => b.is_ascii_whitespace(),
            None => line.len() < data.len() || after.len() > after.trim_ascii_end().len(),
        };
        if !exact || complete {
            let text = if about.ends_with("executable") {
                (*about).to_owned()
            } else {
                format!("{about} text executable")
            };
            return Some(Description::new(text, mime));
        }
    }
    let shown = match after.strip_prefix(b"/usr/bin/env") {
        Some(rest) if rest.trim_ascii().is_empty() => return Some(Description::new("a", "text/plain")),
        Some(rest) => rest.trim_ascii(),
        None => command,
    };
    Some(Description::bytes([b"a ", shown, b" script text executable"].concat(), "text/plain"))
}

/// Describes a script that has binary data after its first line.
pub(super) fn describe_binary(data: &[u8]) -> Option<Description> {
    let mut answer = describe(data)?;
    if let Some(text) = answer.text.strip_suffix(b" text executable") {
        answer.text = [text, b" executable (binary data)"].concat();
        answer.mime = if answer.mime == "text/plain" { "application/octet-stream" } else { answer.mime };
    }
    Some(answer)
}

/// Whether it is a Perl script. This is tested before the encoding is detected.
pub(super) fn is_perl(data: &[u8]) -> bool {
    let line = first_line(data);
    let Some(after) = line.strip_prefix(b"#!") else { return false };
    if [b"/usr/bin/env perl".as_slice(), b" /usr/bin/env perl"].iter().any(|p| after.starts_with(p)) {
        return true;
    }
    let name = b"/bin/perl";
    memchr::memmem::find_iter(after, name)
        .any(|i| after.get(i + name.len()).is_none_or(|b| b.is_ascii_whitespace()))
}

fn first_line(data: &[u8]) -> &[u8] {
    data.split(|b| *b == b'\n').next().unwrap_or_default()
}

/// The rest of `command` after `path`. A blank in `path` matches one or more blanks.
fn matching<'a>(command: &'a [u8], path: &str) -> Option<&'a [u8]> {
    let mut rest = command;
    for (i, word) in path.split(' ').enumerate() {
        if i > 0 {
            let trimmed = rest.trim_ascii_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
        }
        rest = rest.strip_prefix(word.as_bytes())?;
    }
    Some(rest)
}

const SHELL: &str = "text/x-shellscript";

/// The interpreter's path, whether only a blank may follow it, the description, and the MIME type.
const INTERPRETERS: &[(&str, bool, &str, &str)] = &[
    ("/bin/sh", true, "POSIX shell script", SHELL),
    ("/bin/csh", true, "C shell script", SHELL),
    ("/bin/ksh", true, "Korn shell script", SHELL),
    ("/bin/tcsh", true, "Tenex C shell script", SHELL),
    ("/usr/bin/tcsh", true, "Tenex C shell script", SHELL),
    ("/usr/local/tcsh", true, "Tenex C shell script", SHELL),
    ("/usr/local/bin/tcsh", true, "Tenex C shell script", SHELL),
    ("/bin/zsh", true, "Paul Falstad's zsh script", SHELL),
    ("/usr/bin/zsh", true, "Paul Falstad's zsh script", SHELL),
    ("/usr/local/bin/zsh", true, "Paul Falstad's zsh script", SHELL),
    ("/usr/bin/env zsh", true, "Paul Falstad's zsh script", SHELL),
    ("/bin/ash", true, "Neil Brown's ash script", SHELL),
    ("/usr/bin/ash", true, "Neil Brown's ash script", SHELL),
    ("/usr/local/bin/ash", true, "Neil Brown's ash script", SHELL),
    ("/bin/bash", true, "Bourne-Again shell script", SHELL),
    ("/usr/bin/bash", true, "Bourne-Again shell script", SHELL),
    ("/usr/local/bash", true, "Bourne-Again shell script", SHELL),
    ("/usr/local/bin/bash", true, "Bourne-Again shell script", SHELL),
    ("/usr/bin/env bash", true, "Bourne-Again shell script", SHELL),
    ("/usr/bin/fish", true, "fish shell script", SHELL),
    ("/usr/local/bin/fish", true, "fish shell script", SHELL),
    ("/usr/bin/env fish", true, "fish shell script", SHELL),
    ("/bin/rc", true, "Plan 9 rc shell script", "text/plain"),
    ("/bin/nawk", true, "new awk script", "text/x-nawk"),
    ("/usr/bin/nawk", true, "new awk script", "text/x-nawk"),
    ("/usr/local/bin/nawk", true, "new awk script", "text/x-nawk"),
    ("/bin/gawk", true, "GNU awk script", "text/x-gawk"),
    ("/usr/bin/gawk", true, "GNU awk script", "text/x-gawk"),
    ("/usr/local/bin/gawk", true, "GNU awk script", "text/x-gawk"),
    ("/bin/awk", true, "awk script", "text/x-awk"),
    ("/usr/bin/awk", true, "awk script", "text/x-awk"),
    ("/bin/node", true, "Node.js script executable", "application/javascript"),
    ("/usr/bin/node", true, "Node.js script executable", "application/javascript"),
    ("/bin/nodejs", true, "Node.js script executable", "application/javascript"),
    ("/usr/bin/nodejs", true, "Node.js script executable", "application/javascript"),
    ("/usr/bin/env node", true, "Node.js script executable", "application/javascript"),
    ("/usr/bin/env nodejs", true, "Node.js script executable", "application/javascript"),
    ("/usr/bin/env julia", true, "Julia script executable", "text/plain"),
    ("/usr/bin/env runghc", true, "GHC script executable", "text/plain"),
    ("/usr/bin/env runhaskell", true, "Haskell script executable", "text/plain"),
    ("/usr/bin/python", false, "Python script", PYTHON),
    ("/usr/local/bin/python", false, "Python script", PYTHON),
    ("/usr/bin/env python", false, "Python script", PYTHON),
    ("/usr/bin/ruby", false, "Ruby script", "text/x-ruby"),
    ("/usr/local/bin/ruby", false, "Ruby script", "text/x-ruby"),
    ("/usr/bin/env ruby", false, "Ruby script", "text/x-ruby"),
    ("/usr/local/bin/php", false, "PHP script", "text/x-php"),
    ("/usr/bin/php", false, "PHP script", "text/x-php"),
    ("/usr/bin/lua", false, "Lua script", "text/x-lua"),
    ("/usr/local/bin/lua", false, "Lua script", "text/x-lua"),
    ("/usr/bin/env lua", false, "Lua script", "text/x-lua"),
    ("/usr/local/bin/tcl", false, "Tcl script", "text/x-tcl"),
    ("/usr/bin/env tcl", false, "Tcl script", "text/x-tcl"),
    ("/usr/bin/tcl", false, "Tcl/Tk script", "text/x-tcl"),
    ("/usr/bin/wish", false, "Tcl/Tk script", "text/x-tcl"),
    ("/usr/local/bin/wish", false, "Tcl/Tk script", "text/x-tcl"),
    ("/usr/bin/env wish", false, "Tcl/Tk script", "text/x-tcl"),
];

const PYTHON: &str = "text/x-script.python";
