//! Local time.

use sandshell_time::{Local, Zone, strftime};

/// Seconds and nanoseconds since the epoch.
pub(crate) type Time = (i64, u32);

/// Formats the fields of a local time as text.
pub(crate) struct Clock {
    seconds: i64,
    local: Local,
}

impl Clock {
    pub(crate) fn new(t: Time, zone: &Zone) -> Self {
        Self { seconds: t.0, local: zone.local(t.0) }
    }

    /// Formats one conversion of `strftime`. An unknown one stays as it is.
    pub(crate) fn field(&self, letter: u8) -> String {
        let moment = strftime::Moment { local: &self.local, seconds: self.seconds, nanos: 0 };
        String::from_utf8_lossy(&strftime::library(&[b'%', letter], &moment)).into_owned()
    }

    /// Seconds since midnight.
    pub(crate) fn of_day(&self) -> i64 {
        self.local.hour * 3600 + self.local.minute * 60 + self.local.second
    }
}
