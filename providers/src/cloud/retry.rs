//! When a call is repeated, and after how long.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// The time before repetition number `attempt` (from 0): doubling, and between a half and the whole of it by chance,
/// so that many clients do not come back together.
pub(crate) fn backoff(attempt: u32) -> Duration {
    let whole = FIRST.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST);
    whole.mul_f64(0.5 + 0.5 * chance())
}

/// The time a service asks to wait for: `Retry-After` in seconds, or the milliseconds that some send.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let (value, unit) = match number("retry-after-ms") {
        Some(milliseconds) => (milliseconds, 0.001),
        None => (number("retry-after")?, 1.0),
    };
    Duration::try_from_secs_f64(value * unit).ok()
}

/// Whether an answer with this status may be different next time.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// Between 0 and 1.
fn chance() -> f64 {
    let number = getrandom::u32().unwrap_or_else(|_| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.subsec_nanos())
    });
    f64::from(number) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_doubles_and_ends() {
        for (attempt, whole) in [(0, 100), (1, 200), (3, 800), (40, 10_000)] {
            let (wait, whole) = (backoff(attempt), Duration::from_millis(whole));
            assert!(wait >= whole / 2 && wait <= whole, "{attempt}: {wait:?}");
        }
    }

    #[test]
    fn services_say_how_long() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers), None);
        headers.insert("retry-after", "1.5".parse().expect("a value"));
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(1500)));
        headers.insert("retry-after-ms", "20".parse().expect("a value"));
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(20)));
        headers.clear();
        for bad in ["-1", "soon", "1e400"] {
            headers.insert("retry-after", bad.parse().expect("a value"));
            assert_eq!(retry_after(&headers), None, "{bad}");
        }
    }
}
