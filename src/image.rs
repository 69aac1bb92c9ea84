//! The guest programs.

use sandshell_runtime::SystemImage;

/// The guest shell and utilities, for [`EngineOptions`](sandshell_runtime::EngineOptions). Every sandbox has these
/// programs.
///
/// The user's own directories of this program (`sandshell` in those for caches, configurations, data and state) are
/// [reserved](sandshell_runtime::SystemImage::reserved): no sandbox of an engine with this image can write to them,
/// whatever is mounted. Their paths are read from the environment during this call.
pub fn image() -> SystemImage {
    SystemImage { reserved: crate::places::reserved(), ..sandshell_guest::image() }
}

/// The SHA-256 of the guest programs' modules together, in hexadecimal: it says which guests this library carries.
pub fn guests_hash() -> &'static str {
    sandshell_guest::HASH
}
