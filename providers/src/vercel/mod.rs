//! [Vercel Sandbox](https://vercel.com/sandbox), the second generation of its API: sandboxes have names and run in
//! sessions, streams are lines of JSON, uploads are compressed tape archives.
//!
//! * Variables: `VERCEL_TOKEN`, `VERCEL_TEAM_ID` and `VERCEL_PROJECT_ID`, or `VERCEL_OIDC_TOKEN`, which names all
//!   three; `VERCEL_SANDBOX_URL` for another address (the vendor's own SDKs read none).
//! * A session that has stopped is resumed and the call repeated, once and only if it was refused before anything was
//!   done. A resumed session has the files of the last one and none of its processes.
//! * Output is text: bytes that are not UTF-8 become U+FFFD. A command is killed when its time is up or its future is
//!   dropped.
//! * Uploads go to temporary files first, whose contents a command then writes where they belong, so that modes and
//!   links stay and each file has an answer of its own. A large file goes in several.
//! * A time to live stops the session; the files stay until the sandbox is deleted. It can be put off, not brought
//!   forward. Taking a snapshot stops the session, which is then resumed.
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
