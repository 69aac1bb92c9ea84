//! What answers say about retrying a call.

use std::time::Duration;

use reqwest::header::HeaderMap;

use super::bounded;

/// How long a service asks to wait: `Retry-After` in seconds, or the milliseconds that some services send.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let (value, unit) = match number("retry-after-ms") {
        Some(milliseconds) => (milliseconds, 0.001),
        None => (number("retry-after")?, 1.0),
    };
    Duration::try_from_secs_f64(value * unit).ok().map(bounded)
}

/// Whether this status is temporary, so that a retry may succeed.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn services_say_how_long() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers), None);
        headers.insert("retry-after", "1.5".parse().expect("a value"));
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(1500)));
        headers.insert("retry-after-ms", "20".parse().expect("a value"));
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(20)));
        headers.clear();
        headers.insert("retry-after", "1e19".parse().expect("a value"));
        assert!(Instant::now().checked_add(retry_after(&headers).expect("a time")).is_some());
        for bad in ["-1", "soon", "1e400"] {
            headers.insert("retry-after", bad.parse().expect("a value"));
            assert_eq!(retry_after(&headers), None, "{bad}");
        }
    }
}
