//! How long to wait before a retry.

use std::time::{Duration, SystemTime};

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// The time to wait before retry number `attempt` (from 0). It doubles each time; a random part of up to one half
/// is subtracted, so that many clients do not retry at the same moment.
pub(crate) fn backoff(attempt: u32) -> Duration {
    let whole = FIRST.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST);
    whole.mul_f64(0.5 + 0.5 * chance())
}

/// A random number between 0 and 1.
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
}
