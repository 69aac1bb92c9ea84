//! What the clouds' clients share: HTTP with retries and deadlines, credentials, output, files.
//!
//! Each vendor's module holds only what is specific to the vendor: `options` (credentials, addresses), `api` (the
//! calls and their JSON), `provider`, `sandbox`, `execute` and `files`.

mod bounded_list;
mod check;
mod equal_pieces;
mod exchange;
mod files;
mod http;
mod json;
mod multipart;
mod object;
mod options;
mod output;
mod pieces;
mod poll;
mod ready;
mod reason;
mod redirect;
mod retry;
mod sandbox;
mod secret;
mod segment;
mod staging;
mod target;
mod time;
#[cfg(feature = "langsmith")]
mod websocket;
mod workdir;
mod wrap;

pub(crate) use options::required;
pub use options::{ClientOptions, Variables};
pub use secret::Secret;

pub(crate) use crate::backoff::backoff;
pub(crate) use bounded_list::bounded_list;
pub(crate) use check::{check_command, check_path, time_limit};
pub(crate) use equal_pieces::EqualPieces;
pub(crate) use exchange::HttpResponse;
pub(crate) use files::Files;
pub(crate) use files::gathered;
pub(crate) use files::too_long;
pub(crate) use http::{Call, Http, Vendor, encode, query};
pub(crate) use json::parse as parse_json;
pub(crate) use multipart::Multipart;
pub(crate) use object::object;
pub(crate) use output::OutputBuffer;
pub(crate) use pieces::Pieces;
pub(crate) use poll::Poll;
pub(crate) use ready::{ready_or_ended, wait_until_ready};
pub(crate) use reason::{download_failure, upload_failure};
pub(crate) use sandbox::CloudSandbox;
pub(crate) use segment::Id;
pub(crate) use segment::existing;
pub(crate) use segment::segment_of_parts;
pub(crate) use staging::{Staging, upload_in_pieces};
pub(crate) use target::address;
pub(crate) use time::{bounded, parse_time};
#[cfg(feature = "langsmith")]
pub(crate) use websocket::Socket;
pub(crate) use workdir::make_workdir;
pub(crate) use wrap::{argv, place_stdin, unique, wrap};
