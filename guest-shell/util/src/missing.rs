//! What runs in the place of a pack's command when the pack is not there.

use std::ffi::OsString;
use std::io::Write;

/// What the kernel's applet name begins with in this case; the pack's name follows.
const PREFIX: &[u8] = b"missing-pack ";

/// Says how to get the pack. The status is that of a command which is not found.
pub(crate) fn pack(applet: &[u8], args: &[OsString]) -> Option<u8> {
    let pack = String::from_utf8_lossy(applet.strip_prefix(PREFIX)?);
    let command = args.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    // Without standard error nobody is told.
    let _ = writeln!(
        std::io::stderr(),
        "{command}: not installed in this sandbox; on the host, `sandshell pack build {pack}` installs it"
    );
    Some(127)
}
