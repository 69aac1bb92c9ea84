//! Time zones: convert seconds since the epoch to local time and back.

use crate::calendar::{Local, utc_seconds};
use jiff::{Timestamp, tz::TimeZone};
use sandshell_sys as sys;

/// A time zone.
#[derive(Clone, Debug)]
pub enum Zone {
    /// UTC under another name.
    Utc(String),
    /// Any other zone.
    Rules(TimeZone),
}

impl Zone {
    /// UTC.
    pub fn utc() -> Self {
        Self::Utc("UTC".into())
    }

    /// The zone of `$TZ`, else that of `/etc/localtime`, else UTC.
    pub fn system() -> Self {
        Self::of(std::env::var("TZ").ok().as_deref())
    }

    /// The zone for a value of `TZ`. Without one, that of `/etc/localtime`, else UTC.
    pub fn of(tz: Option<&str>) -> Self {
        match tz {
            Some(tz) => Self::named(tz),
            None => from_file("/etc/localtime").unwrap_or_else(Self::utc),
        }
    }

    /// The zone for a value of `TZ`. As in glibc, an unknown one is UTC under the given name.
    pub fn named(tz: &str) -> Self {
        let tz = tz.strip_prefix(':').unwrap_or(tz);
        if tz.is_empty() || matches!(tz, "UTC" | "Universal" | "Zulu" | "Etc/UTC" | "UTC0") {
            return Self::utc();
        }
        let file = match tz {
            path if path.starts_with('/') => from_file(path),
            name if name.contains("..") => None,
            name => from_file(&format!("/usr/share/zoneinfo/{name}")),
        };
        if let Some(zone) = file {
            return zone;
        }
        if let Ok(zone) = jiff::tz::db().get(tz)
            && zone.iana_name() == Some(tz)
        {
            return Self::Rules(zone);
        }
        if tz.bytes().any(|b| b.is_ascii_digit()) {
            // If the value names summer time without rules, those of the United States apply.
            let posix = TimeZone::posix(tz).or_else(|_| TimeZone::posix(&format!("{tz},M3.2.0,M11.1.0")));
            if let Ok(zone) = posix {
                return Self::Rules(zone);
            }
        }
        // Text after a name and an offset is ignored if it does not describe summer time.
        let letters = tz.bytes().take_while(u8::is_ascii_alphabetic).count();
        let digits =
            tz.bytes().skip(letters).take_while(|b| b.is_ascii_digit() || b"+-:".contains(b)).count();
        match TimeZone::posix(&tz[..letters + digits]) {
            Ok(zone) => Self::Rules(zone),
            Err(_) if letters >= 3 => Self::Utc(tz[..letters].into()),
            Err(_) => Self::Utc(String::new()),
        }
    }

    /// The offset in seconds east of UTC, the zone's abbreviation, and whether it is summer time, at `time`.
    pub fn info(&self, time: i64) -> (i64, String, bool) {
        match self {
            Self::Utc(name) => (0, name.clone(), false),
            Self::Rules(zone) => {
                let stamp = Timestamp::from_second(time).unwrap_or_else(|_| within(time));
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
        Local::at_offset(time, offset, &abbreviation)
    }

    /// `mktime(3)`. The fields may be outside their ranges.
    pub fn seconds(&self, year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
        let wanted = utc_seconds(year, month, day, hour, minute, second);
        let before = self.info(wanted - 86_400).0;
        let after = self.info(wanted + 86_400).0;
        // If the local time occurs twice, this chooses the same of the two as glibc.
        let near = self.info(wanted).0;
        for offset in [near, after, before] {
            let guess = wanted - offset;
            if self.info(guess).0 == offset {
                return guess;
            }
        }
        // The local time does not exist: use the offset from before the gap.
        wanted - before
    }

    /// When the local time is what UTC shows at `wanted`, during summer time or standard time. `None` if that never
    /// happens.
    pub fn seconds_when(&self, summer: bool, wanted: i64) -> Option<i64> {
        let around = [wanted - 86_400, wanted + 86_400].map(|t| wanted - self.info(t).0);
        around.into_iter().find(|t| {
            let (offset, _, is_summer) = self.info(*t);
            t + offset == wanted && is_summer == summer
        })
    }
}

/// Reads a zone from a file (RFC 8536).
fn from_file(path: &str) -> Option<Zone> {
    TimeZone::tzif("file", &sys::read_file(path.as_bytes()).ok()?).ok().map(Zone::Rules)
}

/// Moves a time into the supported range. A past one becomes the earliest supported time. A future one becomes a time
/// with the same calendar, which repeats every 400 years.
fn within(time: i64) -> Timestamp {
    const CYCLE: i64 = 146_097 * 86_400;
    let last = Timestamp::MAX.as_second();
    if time < last {
        return Timestamp::MIN;
    }
    Timestamp::from_second(last - CYCLE + (time - last) % CYCLE).unwrap_or(Timestamp::MAX)
}
