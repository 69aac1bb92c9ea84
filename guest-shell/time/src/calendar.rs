//! The proleptic Gregorian calendar: converts days and seconds since 1970-01-01 to dates and back.

/// The days of the week, from Sunday.
pub const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The months of a year.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A point in time as date and time of day.
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
    /// Abbreviation of the time zone at that time.
    pub abbreviation: String,
}

impl Local {
    /// The fields of `time` (seconds since the epoch) at a fixed offset from UTC.
    pub fn at_offset(time: i64, offset: i64, abbreviation: &str) -> Self {
        let shown = time.saturating_add(offset);
        let (days, rest) = (shown.div_euclid(86_400), shown.rem_euclid(86_400));
        let (year, month, day) = date_of(days);
        Self {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_before(year, 1, 1),
            offset,
            abbreviation: abbreviation.to_owned(),
        }
    }

    /// Year and number of the week by ISO 8601. Weeks begin on Monday and belong to the year that contains their
    /// Thursday.
    pub fn iso_week(&self) -> (i64, i64) {
        let since_monday = (self.weekday + 6).rem_euclid(7);
        let week = (self.yearday - since_monday + 10).div_euclid(7);
        if week < 1 {
            (self.year - 1, weeks_in(self.year - 1))
        } else if week > weeks_in(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, week)
        }
    }
}

/// Days from 1970-01-01 to a date. The day may be outside of the month.
pub fn days_before(year: i64, month: i64, day: i64) -> i64 {
    // The years begin in March here, so that a leap day is the last day of its year.
    let y = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month (from 1) and day (from 1) for a number of days since 1970-01-01.
pub fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Days in a month.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    days_before(year + month / 12, month % 12 + 1, 1) - days_before(year, month, 1)
}

/// Seconds since the epoch for a UTC time. The fields may be out of their ranges.
pub fn utc_seconds(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    ((days_before(year, month, 1) + day - 1) * 24 + hour) * 3600 + minute * 60 + second
}

/// The weeks of a year: 53 if it begins on a Thursday, or on a Wednesday in a leap year; otherwise 52.
fn weeks_in(year: i64) -> i64 {
    let first = (days_before(year, 1, 1) + 4).rem_euclid(7);
    let leap = days_before(year + 1, 1, 1) - days_before(year, 1, 1) == 366;
    if first == 4 || first == 3 && leap { 53 } else { 52 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_agree() {
        for days in (-800_000..800_000).step_by(97) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_before(year, month, day), days);
            assert!(day <= days_in_month(year, month));
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(19_782), (2024, 2, 29));
    }

    #[test]
    fn weeks_at_the_turn_of_years() {
        let week = |seconds| Local::at_offset(seconds, 0, "UTC").iso_week();
        assert_eq!(week(utc_seconds(2021, 1, 3, 0, 0, 0)), (2020, 53));
        assert_eq!(week(utc_seconds(2021, 1, 4, 0, 0, 0)), (2021, 1));
        assert_eq!(week(utc_seconds(2024, 12, 30, 0, 0, 0)), (2025, 1));
    }
}
