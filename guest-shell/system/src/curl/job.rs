//! What the command line asks for.

use super::form::Part;
use std::time::Duration;

/// What to do with a group of URLs: those between two `--next`.
#[derive(Clone, Default)]
pub(super) struct Job {
    /// The groups before it.
    pub(super) earlier: Vec<Job>,
    pub(super) urls: Vec<Vec<u8>>,
    /// The output for each URL: a file, or `None` for the name in the URL.
    pub(super) outputs: Vec<Option<Vec<u8>>>,
    pub(super) all_named: bool,
    /// The server may name the file.
    pub(super) header_names: bool,
    pub(super) uploads: Vec<Vec<u8>>,
    pub(super) output_dir: Option<Vec<u8>>,
    pub(super) create_dirs: bool,
    pub(super) no_clobber: bool,
    pub(super) remove_on_error: bool,
    pub(super) remote_time: bool,
    pub(super) silent: bool,
    pub(super) show_error: bool,
    pub(super) verbose: bool,
    pub(super) head: bool,
    pub(super) include: bool,
    pub(super) dump_header: Option<Vec<u8>>,
    pub(super) write_out: Option<Vec<u8>>,
    pub(super) range: Option<Vec<u8>>,
    pub(super) resume: Option<Resume>,
    pub(super) proxy: Option<Vec<u8>>,
    pub(super) method: Option<Vec<u8>>,
    pub(super) posts: bool,
    pub(super) no_glob: bool,
    pub(super) no_meter: bool,
    pub(super) bar: bool,
    pub(super) no_buffer: bool,
    pub(super) fail_early: bool,
    pub(super) stderr: Option<Vec<u8>>,
    /// Whether a file for a form could not be read.
    pub(super) form_is_bad: bool,
    pub(super) retry: Retry,
    pub(super) request: Request,
    pub(super) limits: Limits,
    /// What is sent as the body, if not a form or a file.
    pub(super) data: Option<Vec<u8>>,
    pub(super) form: Vec<Part>,
    /// What is sent in the query is the body (`-G`).
    pub(super) get: bool,
    pub(super) query: Vec<u8>,
    pub(super) follow: Follow,
    pub(super) fail: bool,
    pub(super) fail_with_body: bool,
    pub(super) cookies: Vec<Vec<u8>>,
    pub(super) cookie_jar: Option<Vec<u8>>,
    pub(super) forget_session: bool,
    pub(super) etag_save: Option<Vec<u8>>,
    pub(super) unix_socket: Option<Vec<u8>>,
    pub(super) resolve: Vec<Vec<u8>>,
    pub(super) connect_to: Vec<Vec<u8>>,
    pub(super) only_ipv4: bool,
    pub(super) only_ipv6: bool,
}

impl Job {
    /// Begins the next group, which has only what holds for all.
    pub(super) fn next(&mut self) {
        let mut done = std::mem::take(self);
        self.silent = done.silent;
        self.show_error = done.show_error;
        self.verbose = done.verbose;
        self.no_meter = done.no_meter;
        self.bar = done.bar;
        self.fail_early = done.fail_early;
        self.stderr.clone_from(&done.stderr);
        self.earlier = std::mem::take(&mut done.earlier);
        self.earlier.push(done);
    }
}

/// Where to go on with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    At(u64),
    /// At the end of what is there.
    Size,
}

/// What goes into the head of a request.
#[derive(Clone, Default)]
pub(super) struct Request {
    pub(super) headers: Vec<Vec<u8>>,
    pub(super) user: Option<Vec<u8>>,
    pub(super) bearer: Option<Vec<u8>>,
    pub(super) agent: Option<Vec<u8>>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) refers_itself: bool,
    pub(super) compressed: bool,
    pub(super) transfer_coding: bool,
    pub(super) is_json: bool,
    pub(super) target: Option<Vec<u8>>,
    /// Seconds since the epoch, and whether older documents are wanted.
    pub(super) since: Option<(i64, bool)>,
    pub(super) http10: bool,
    pub(super) http09: bool,
    pub(super) raw: bool,
    pub(super) any_length: bool,
    pub(super) path_as_is: bool,
}

/// Whether and how redirects are followed.
#[derive(Clone, Default)]
pub(super) struct Follow {
    pub(super) on: bool,
    /// The most redirects: `None` for curl's 50, `Some(None)` for any number.
    pub(super) most: Option<Option<u32>>,
    pub(super) trusted: bool,
    pub(super) keeps_301: bool,
    pub(super) keeps_302: bool,
    pub(super) keeps_303: bool,
}

/// When to give up.
#[derive(Clone, Default)]
pub(super) struct Limits {
    pub(super) total: Option<Duration>,
    pub(super) connect: Option<Duration>,
    pub(super) expect: Option<Duration>,
    pub(super) size: Option<u64>,
}

/// When to try again.
#[derive(Clone, Default)]
pub(super) struct Retry {
    pub(super) times: u32,
    pub(super) delay: Option<Duration>,
    pub(super) most: Option<Duration>,
    pub(super) refused: bool,
    pub(super) all_errors: bool,
}
