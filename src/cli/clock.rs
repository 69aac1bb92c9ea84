//! `--clock real|virtual|TIME`.

use sandshell::{Clock, Time};
use std::str::FromStr;
use std::time::UNIX_EPOCH;

/// Where a virtual clock starts: 2000-01-01T00:00:00Z.
const VIRTUAL_START: Time = Time { secs: 946_684_800, nanos: 0 };

/// The sandbox's clock as named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockSpec(pub(crate) Clock);

impl FromStr for ClockSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "real" => return Ok(Self(Clock::Real)),
            "virtual" => return Ok(Self(Clock::Virtual(VIRTUAL_START))),
            _ => {}
        }
        let (fixed, text) = match text.strip_prefix("virtual:") {
            Some(start) => (false, start),
            None => (true, text),
        };
        let time = humantime::parse_rfc3339(text).map_err(|_| {
            "expected real, virtual, a time such as 2026-01-01T00:00:00Z, or virtual:TIME".to_owned()
        })?;
        let since = time.duration_since(UNIX_EPOCH).map_err(|_| "before 1970".to_owned())?;
        // Clocks count nanoseconds in 64 bits; a later time would silently be an earlier one.
        if u64::try_from(since.as_nanos()).is_err() {
            return Err("after 2554-07-21T23:34:33Z".to_owned());
        }
        let secs = i64::try_from(since.as_secs()).map_err(|_| "too far in the future".to_owned())?;
        let time = Time { secs, nanos: since.subsec_nanos() };
        Ok(Self(if fixed { Clock::Fixed(time) } else { Clock::Virtual(time) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let c = |t: &str| t.parse::<ClockSpec>().map(|c| c.0);
        assert_eq!(c("real"), Ok(Clock::Real));
        assert_eq!(c("1970-01-01T00:00:05Z"), Ok(Clock::Fixed(Time { secs: 5, nanos: 0 })));
        assert_eq!(c("virtual:1970-01-01T00:00:05Z"), Ok(Clock::Virtual(Time { secs: 5, nanos: 0 })));
        assert!(
            c("noon").is_err() && c("2554-07-21T23:34:33Z").is_ok() && c("9999-12-31T23:59:59Z").is_err()
        );
    }
}
