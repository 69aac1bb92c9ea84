//! Proxies: `-x`, and the variables of the environment.

use super::job::Job;
use super::url::{self, Url};

/// The proxy for a URL, if there is one.
pub(super) fn of(job: &Job, target: &Url) -> Option<Url> {
    url::parse(&text_of(job, target)?, true).ok()
}

fn text_of(job: &Job, url: &Url) -> Option<Vec<u8>> {
    if job.proxy.is_some() {
        return job.proxy.clone().filter(|p| !p.is_empty());
    }
    let scheme = String::from_utf8_lossy(&url.scheme).into_owned();
    let upper = if scheme == "http" { String::new() } else { format!("{}_PROXY", scheme.to_uppercase()) };
    let names = [format!("{scheme}_proxy"), upper, "all_proxy".into(), "ALL_PROXY".into()];
    let value = names.iter().filter(|n| !n.is_empty()).find_map(std::env::var_os)?.into_encoded_bytes();
    let exempt =
        ["no_proxy", "NO_PROXY"].iter().find_map(std::env::var_os).unwrap_or_default().into_encoded_bytes();
    let host = url.host.as_slice();
    let exempted = exempt.split(|b| *b == b',').map(<[u8]>::trim_ascii).any(|e| {
        let bare = e.strip_prefix(b".").unwrap_or(e);
        e == b"*" || host == bare || host.ends_with(&[b".", bare].concat()) && !bare.is_empty()
    });
    (!value.is_empty() && !exempted).then_some(value)
}
