//! Calendar and time zones: seconds since the epoch to local time and back.

use jiff::{Timestamp, tz::TimeZone};

/// A moment as clocks and calendars show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Year.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 (Sunday) to 6.
    pub weekday: i64,
    /// 0 to 365.
    pub yearday: i64,
    /// Seconds east of UTC.
    pub offset: i64,
    /// Name of the zone at that time.
    pub abbreviation: String,
}

/// A time zone.
#[derive(Clone)]
pub enum Zone {
    /// UTC under a name.
    Utc(String),
    /// Any other.
    Rules(TimeZone),
}

impl Zone {
    /// UTC.
    pub fn utc() -> Self {
        Self::Utc("UTC".into())
    }

    /// The zone of `$TZ`, else of `/etc/localtime`, else UTC.
    pub fn system() -> Self {
        match std::env::var("TZ") {
            Ok(tz) => Self::named(&tz),
            Err(_) => std::fs::read("/etc/localtime")
                .ok()
                .and_then(|data| TimeZone::tzif("Local", &data).ok())
                .map_or_else(Self::utc, Self::Rules),
        }
    }

    /// The zone that a value of `TZ` means; an unknown one is UTC under its own letters, as in glibc.
    pub fn named(tz: &str) -> Self {
        let tz = tz.strip_prefix(':').unwrap_or(tz);
        if tz.is_empty() || matches!(tz, "UTC" | "Universal" | "Zulu" | "Etc/UTC" | "UTC0") {
            return Self::utc();
        }
        if tz.starts_with('/')
            && let Ok(data) = std::fs::read(tz)
            && let Ok(zone) = TimeZone::tzif("file", &data)
        {
            return Self::Rules(zone);
        }
        if let Ok(zone) = jiff::tz::db().get(tz)
            && zone.iana_name() == Some(tz)
        {
            return Self::Rules(zone);
        }
        if tz.bytes().any(|b| b.is_ascii_digit()) {
            // Summer time without rules has those of the United States.
            let posix = TimeZone::posix(tz).or_else(|_| TimeZone::posix(&format!("{tz},M3.2.0,M11.1.0")));
            if let Ok(zone) = posix {
                return Self::Rules(zone);
            }
        }
        let letters: String = tz.chars().take_while(char::is_ascii_alphabetic).collect();
        Self::Utc(if letters.len() >= 3 { letters } else { "UTC".into() })
    }

    /// Offset in seconds and name at `time`, and whether it is summer time.
    fn info(&self, time: i64) -> (i64, String, bool) {
        match self {
            Self::Utc(name) => (0, name.clone(), false),
            Self::Rules(zone) => {
                let stamp = Timestamp::from_second(time).unwrap_or(if time < 0 {
                    Timestamp::MIN
                } else {
                    Timestamp::MAX
                });
                let info = zone.to_offset_info(stamp);
                (info.offset().seconds().into(), info.abbreviation().to_string(), info.dst().is_dst())
            }
        }
    }

    /// Whether it is summer time at `time`.
    pub fn is_summer(&self, time: i64) -> bool {
        self.info(time).2
    }

    /// `localtime(3)`.
    pub fn local(&self, time: i64) -> Local {
        let (offset, abbreviation, _) = self.info(time);
        at_offset(time, offset, abbreviation)
    }

    /// `mktime(3)`: the fields may lie outside their ranges.
    pub fn seconds(&self, year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
        let wanted = utc_seconds(year, month, day, hour, minute, second);
        let before = self.info(wanted - 86_400).0;
        let after = self.info(wanted + 86_400).0;
        // Where clocks go back, the one of the two that glibc comes to from the same numbers in UTC.
        let near = self.info(wanted).0;
        for offset in [near, after, before] {
            let guess = wanted - offset;
            if self.info(guess).0 == offset {
                return guess;
            }
        }
        // In a gap: keep the offset from before it.
        wanted - before
    }

    /// When the clocks show what they show at `wanted` in UTC, in summer time or not; `None` if they never do.
    pub fn seconds_when(&self, summer: bool, wanted: i64) -> Option<i64> {
        let around = [wanted - 86_400, wanted + 86_400].map(|t| wanted - self.info(t).0);
        around.into_iter().find(|t| {
            let (offset, _, is_summer) = self.info(*t);
            t + offset == wanted && is_summer == summer
        })
    }
}

/// The fields of `time` at a fixed offset.
pub fn at_offset(time: i64, offset: i64, abbreviation: String) -> Local {
    let shown = time + offset;
    let days = shown.div_euclid(86_400);
    let rest = shown.rem_euclid(86_400);
    let (year, month, day) = civil(days);
    Local {
        year,
        month,
        day,
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
        weekday: (days + 4).rem_euclid(7),
        yearday: days - days_before(year, 1, 1),
        offset,
        abbreviation,
    }
}

/// Seconds since the epoch of a UTC calendar time whose fields may be out of range.
pub fn utc_seconds(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    ((days_before(year, month, 1) + day - 1) * 24 + hour) * 3600 + minute * 60 + second
}

/// Days in a month.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    days_before(year + (month / 12), month % 12 + 1, 1) - days_before(year, month, 1)
}

/// Days from 1970-01-01 to the date (proleptic Gregorian calendar).
pub fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}
