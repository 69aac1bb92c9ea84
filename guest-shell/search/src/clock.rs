//! Local time.

use jiff::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;

/// Seconds and nanoseconds since the epoch.
pub(crate) type Time = (i64, u32);

/// The local time of a point in time; `None` outside of the years that can be told.
pub(crate) fn local(t: Time, zone: &TimeZone) -> Option<Zoned> {
    let stamp = Timestamp::new(t.0, t.1.cast_signed()).ok()?;
    Some(stamp.to_zoned(zone.clone()))
}

/// Reads a date as GNU `date -d` does.
pub(crate) fn parse(text: &[u8], now: Time, zone: &TimeZone) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?;
    let now = local(now, zone)?;
    let parsed = parse_datetime::parse_datetime_at_date(now, text).ok()?.into_zoned()?;
    let stamp = parsed.timestamp();
    let (mut secs, mut nanos) = (stamp.as_second(), stamp.subsec_nanosecond());
    if nanos < 0 {
        secs -= 1;
        nanos += 1_000_000_000;
    }
    Some((secs, nanos.cast_unsigned()))
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
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

fn day_name(z: &Zoned) -> &'static str {
    DAYS.get(usize::from(z.weekday().to_sunday_zero_offset().unsigned_abs())).copied().unwrap_or_default()
}

fn month_name(z: &Zoned) -> &'static str {
    MONTHS.get(usize::from(z.month().unsigned_abs()).wrapping_sub(1)).copied().unwrap_or_default()
}

fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// One conversion of `strftime` in the locale `C`; `None` if there is no such conversion.
pub(crate) fn field(z: &Zoned, letter: u8) -> Option<String> {
    let hour12 = match z.hour() % 12 {
        0 => 12,
        h => h,
    };
    let sunday = i32::from(z.weekday().to_sunday_zero_offset());
    let monday = i32::from(z.weekday().to_monday_zero_offset());
    let yday = i32::from(z.day_of_year()) - 1;
    let iso = z.date().iso_week_date();
    Some(match letter {
        b'a' => short(day_name(z)).into(),
        b'A' => day_name(z).into(),
        b'b' | b'h' => short(month_name(z)).into(),
        b'B' => month_name(z).into(),
        b'c' => format!(
            "{} {} {:2} {:02}:{:02}:{:02} {}",
            short(day_name(z)),
            short(month_name(z)),
            z.day(),
            z.hour(),
            z.minute(),
            z.second(),
            z.year()
        ),
        b'C' => format!("{:02}", z.year() / 100),
        b'd' => format!("{:02}", z.day()),
        b'D' | b'x' => format!("{:02}/{:02}/{:02}", z.month(), z.day(), z.year().rem_euclid(100)),
        b'e' => format!("{:2}", z.day()),
        b'F' => format!("{}-{:02}-{:02}", z.year(), z.month(), z.day()),
        b'g' => format!("{:02}", iso.year().rem_euclid(100)),
        b'G' => iso.year().to_string(),
        b'H' => format!("{:02}", z.hour()),
        b'I' => format!("{hour12:02}"),
        b'j' => format!("{:03}", yday + 1),
        b'k' => format!("{:2}", z.hour()),
        b'l' => format!("{hour12:2}"),
        b'm' => format!("{:02}", z.month()),
        b'M' => format!("{:02}", z.minute()),
        b'n' => "\n".into(),
        b'p' => if z.hour() < 12 { "AM" } else { "PM" }.into(),
        b'P' => if z.hour() < 12 { "am" } else { "pm" }.into(),
        b'r' => format!(
            "{hour12:02}:{:02}:{:02} {}",
            z.minute(),
            z.second(),
            if z.hour() < 12 { "AM" } else { "PM" }
        ),
        b'R' => format!("{:02}:{:02}", z.hour(), z.minute()),
        b's' => z.timestamp().as_second().to_string(),
        b'S' => format!("{:02}", z.second()),
        b't' => "\t".into(),
        b'T' | b'X' => format!("{:02}:{:02}:{:02}", z.hour(), z.minute(), z.second()),
        b'u' => (monday + 1).to_string(),
        b'U' => format!("{:02}", (yday + 7 - sunday) / 7),
        b'V' => format!("{:02}", iso.week()),
        b'w' => sunday.to_string(),
        b'W' => format!("{:02}", (yday + 7 - monday) / 7),
        b'y' => format!("{:02}", z.year().rem_euclid(100)),
        b'Y' => z.year().to_string(),
        b'z' => {
            let s = z.offset().seconds();
            format!("{}{:02}{:02}", if s < 0 { '-' } else { '+' }, s.abs() / 3600, s.abs() / 60 % 60)
        }
        b'Z' => z.time_zone().to_offset_info(z.timestamp()).abbreviation().to_string(),
        _ => return None,
    })
}
