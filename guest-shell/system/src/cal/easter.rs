//! Easter.

use sandshell_time::{Local, calendar::utc_seconds, strftime};

/// A line with the date of Easter.
pub(super) fn text(year: i64, orthodox: bool, julian_dates: bool) -> Vec<u8> {
    let seconds = if orthodox {
        // Easter in the Julian calendar, by Meeus' algorithm. The date is then converted to the Gregorian calendar.
        let (a, b, c) = (year % 4, year % 7, year % 19);
        let d = (19 * c + 15) % 30;
        let e = (2 * a + 4 * b - d + 34) % 7;
        let f = d + e + 114;
        let shift = if julian_dates { 0 } else { year / 100 - year / 400 - 2 };
        utc_seconds(year, f / 31, f % 31 + 1 + shift, 0, 0, 0)
    } else {
        let (a, b, c) = (year % 19, year / 100, year % 100);
        let (d, e) = (b / 4, b % 4);
        let g = (8 * b + 13) / 25;
        let h = (19 * a + b - d - g + 15) % 30;
        let (i, k) = (c / 4, c % 4);
        let l = (32 + 2 * e + 2 * i - h - k) % 7;
        let m = (a + 11 * h + 19 * l) / 433;
        let month = (h + l - 7 * m + 90) / 25;
        let day = (h + l - 7 * m + 33 * month + 19) % 32;
        utc_seconds(year, month, day, 0, 0, 0)
    };
    let local = Local::at_offset(seconds, 0, "UTC");
    strftime::format(b"%m/%d/%y\n", &strftime::Moment { local: &local, seconds, nanos: 0 })
}
