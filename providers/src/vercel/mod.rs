//! [Vercel Sandbox](https://vercel.com/sandbox), the second generation of its API: sandboxes have names and run in
//! sessions, streams are JSON lines, and uploads are compressed tar archives.
//!
//! * Variables: `VERCEL_TOKEN`, `VERCEL_TEAM_ID` and `VERCEL_PROJECT_ID`, or `VERCEL_OIDC_TOKEN`, which names all
//!   three; `VERCEL_SANDBOX_URL` for another address (the vendor's own SDKs read none).
//! * If a session has stopped, it is resumed and the call is retried once, but only if the call was refused before
//!   anything was done. A resumed session has the files of the previous one and none of its processes.
//! * Output is text: bytes that are not UTF-8 become U+FFFD. A command is killed when its time is up or its future is
//!   dropped.
//! * Uploads go to temporary files first. A command then writes their contents to the files' own paths, so that
//!   modes and links stay and each file has an answer of its own. A large file is uploaded as several temporary
//!   files.
//! * When the time to live has passed, the session stops; the files stay until the sandbox is deleted. The time can
//!   be extended but not shortened. Taking a snapshot stops the session, which is then resumed.
//! * A working directory that is not the default is stored in a tag.

mod api;
mod archive;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::VercelOptions;
pub use provider::VercelProvider;
pub use sandbox::VercelSandbox;
