//! Runs in place of a pack's command when the pack is not installed.

use std::ffi::OsString;
use std::io::Write;

/// In this case the kernel's applet name is this prefix and the pack's name.
const PREFIX: &[u8] = b"missing-pack ";

/// Tells how to get the pack. Returns the exit status of a command that is not found.
pub(crate) fn pack(applet: &[u8], args: &[OsString]) -> Option<u8> {
    let pack = String::from_utf8_lossy(applet.strip_prefix(PREFIX)?);
    let command = args.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    // If standard error is closed, nobody can be told.
    let _ = writeln!(
        std::io::stderr(),
        "{command}: not installed in this sandbox; on the host, `sandshell pack build {pack}` installs it"
    );
    Some(127)
}
