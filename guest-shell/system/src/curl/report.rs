//! What is known about a transfer when it has ended.

use std::net::SocketAddr;

/// The result of a transfer.
#[derive(Default)]
pub(super) struct Report {
    pub(super) code: i32,
    pub(super) error: Vec<u8>,
    pub(super) url: Vec<u8>,
    pub(super) effective: Vec<u8>,
    pub(super) file: Option<Vec<u8>>,
    /// Whether the file has its name from the URL, so that the server may choose another.
    pub(super) is_named_by_url: bool,
    pub(super) method: Vec<u8>,
    pub(super) scheme: Option<String>,
    pub(super) downloaded: u64,
    /// How much is to be downloaded, if it is known.
    pub(super) expected: Option<u64>,
    pub(super) uploaded: u64,
    pub(super) to_upload: u64,
    pub(super) number: usize,
    pub(super) code_of_answer: u16,
    pub(super) version: (u8, u8),
    /// Names and values of the last answer's headers.
    pub(super) headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) header_bytes: u64,
    pub(super) request_bytes: u64,
    pub(super) kind: Option<Vec<u8>>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) redirects: u32,
    pub(super) redirect_url: Option<Vec<u8>>,
    pub(super) connects: u32,
    /// Interim answers of this transfer.
    pub(super) interim: u32,
    pub(super) own: Option<SocketAddr>,
    pub(super) peer: Option<SocketAddr>,
    pub(super) times: Times,
}

/// Moments of a transfer on the monotonic clock; 0 for what did not happen.
#[derive(Default)]
pub(super) struct Times {
    pub(super) begun: u64,
    pub(super) resolved: u64,
    pub(super) connected: u64,
    pub(super) requested: u64,
    pub(super) first_byte: u64,
    pub(super) redirect: u64,
    pub(super) ended: u64,
}

impl Report {
    /// Forgets a failed attempt.
    pub(super) fn begin_again(&mut self) {
        (self.downloaded, self.uploaded, self.expected, self.code_of_answer) = (0, 0, None, 0);
        (self.redirects, self.redirect_url, self.kind, self.interim) = (0, None, None, 0);
        self.headers.clear();
    }

    /// Microseconds from the beginning to a moment.
    fn time(&self, moment: u64) -> u64 {
        moment.saturating_sub(self.times.begun) / 1000
    }

    /// The value of a variable of `-w` that is a time, in microseconds.
    pub(super) fn time_of(&self, name: &str) -> Option<u64> {
        let moment = match name {
            "time_appconnect" => 0,
            "time_connect" => self.times.connected,
            "time_namelookup" => self.times.resolved,
            "time_pretransfer" => self.times.requested,
            "time_redirect" => self.times.redirect,
            "time_starttransfer" => self.times.first_byte,
            "time_total" => self.times.ended,
            _ => return None,
        };
        Some(self.time(moment))
    }

    /// Bytes per second.
    pub(super) fn speed(&self, bytes: u64) -> u64 {
        let time = self.time(self.times.ended).max(1);
        u64::try_from(u128::from(bytes) * 1_000_000 / u128::from(time)).unwrap_or(u64::MAX)
    }

    /// The values of a header, by its name in any case.
    pub(super) fn values(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        let same = move |h: &&(Vec<u8>, Vec<u8>)| h.0.eq_ignore_ascii_case(name);
        self.headers.iter().filter(same).map(|h| h.1.as_slice())
    }
}
