//! Dates. A broken-down time is an array `[year, month from 0, day, hours, minutes, seconds, weekday, day of the
//! year]`.
//!
//! As in jq 1.6, the name of a zone is that of its standard time, and the offset from UTC is not included.

mod scan;

use crate::builtins::take;
use crate::value::Val;
use sandshell_sys as sys;
use sandshell_time::calendar::{date_of, days_before, utc_seconds};
use sandshell_time::{Local, Zone, strftime};

type ValResult = Result<Val, Val>;

/// A broken-down time.
#[derive(Clone, Copy, Default)]
struct Time {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: i64,
    yearday: i64,
}

pub(crate) fn now(_: Val) -> ValResult {
    Ok(Val::Num((sys::realtime() / 1000) as f64 / 1e6))
}

pub(crate) fn gmtime(v: Val) -> ValResult {
    broken_down(&v, "gmtime() requires numeric inputs")
}

pub(crate) fn localtime(v: Val) -> ValResult {
    let refusal = "localtime() requires numeric inputs";
    let Some(n) = v.num() else { return Err(Val::str(refusal)) };
    let (offset, ..) = Zone::system().info(n.floor() as i64);
    broken_down(&Val::Num(n + offset as f64), refusal)
}

/// The abbreviation of the local zone's standard time, and its offset in seconds east of UTC.
fn standard_time() -> (String, i64) {
    let zone = Zone::system();
    let standard = |month| {
        let (offset, name, summer) = zone.info(utc_seconds(2000, month, 1, 0, 0, 0));
        (!summer).then_some((name, offset))
    };
    standard(1).or_else(|| standard(7)).unwrap_or_else(|| ("UTC".into(), 0))
}

fn broken_down(v: &Val, refusal: &str) -> ValResult {
    let Some(n) = v.num() else { return Err(Val::str(refusal)) };
    let time =
        Time::of(n).ok_or_else(|| Val::str("error converting number of seconds since epoch to datetime"))?;
    let mut fields = time.fields();
    fields[5] = time.second as f64 + (n - n.floor());
    Ok(Val::arr(fields.into_iter().map(Val::Num).collect()))
}

pub(crate) fn mktime(v: Val) -> ValResult {
    let Val::Arr(list) = &v else { return Err(Val::str("mktime requires array inputs")) };
    if list.0.len() < 6 {
        return Err(Val::str("mktime requires parsed datetime inputs"));
    }
    let time =
        Time::from_fields(&list.0).ok_or_else(|| Val::str("mktime requires parsed datetime inputs"))?;
    match time.seconds() {
        -1 => Err(Val::str("invalid gmtime representation")),
        seconds => Ok(Val::Num(seconds as f64)),
    }
}

pub(crate) fn strftime(args: &mut [Val]) -> ValResult {
    format(&take(args, 0), &take(args, 1), "strftime/1", gmtime)
}

pub(crate) fn strflocaltime(args: &mut [Val]) -> ValResult {
    format(&take(args, 0), &take(args, 1), "strflocaltime/1", localtime)
}

/// The ISO 8601 format of a UTC time, without fractions of a second.
const ISO: &str = "%Y-%m-%dT%H:%M:%SZ";

pub(crate) fn to_iso(v: Val) -> ValResult {
    strftime(&mut [v, Val::str(ISO)])
}

pub(crate) fn from_iso(v: Val) -> ValResult {
    mktime(strptime(&mut [v, Val::str(ISO)])?)
}

fn format(v: &Val, format: &Val, name: &str, broken_down: fn(Val) -> ValResult) -> ValResult {
    let parsed = || Val::from_string(format!("{name} requires parsed datetime inputs"));
    let broken;
    let v = match v {
        Val::Arr(_) => v,
        Val::Num(_) | Val::Literal(_) => {
            broken = broken_down(v.clone())?;
            &broken
        }
        _ => return Err(parsed()),
    };
    let Val::Str(format) = format else {
        return Err(Val::from_string(format!("{name} requires a string format")));
    };
    let Val::Arr(list) = v else { return Err(parsed()) };
    let time = Time::from_fields(&list.0).ok_or_else(parsed)?;
    match time.show(format.str()) {
        text if text.is_empty() => Err(Val::from_string(format!("{name}: unknown system failure"))),
        text => Ok(Val::from_string(text)),
    }
}

pub(crate) fn strptime(args: &mut [Val]) -> ValResult {
    let (Val::Str(text), Val::Str(format)) = (take(args, 0), take(args, 1)) else {
        return Err(Val::str("strptime/1 requires string inputs and arguments"));
    };
    let refusal =
        || Val::from_string(format!("date \"{}\" does not match format \"{}\"", text.str(), format.str()));
    let (time, rest) = scan::scan(text.str(), format.str()).ok_or_else(refusal)?;
    if rest.starts_with(|c: char| !c.is_ascii_whitespace() && c != '\u{b}') {
        return Err(refusal());
    }
    let mut fields: Vec<Val> = time.fields().into_iter().map(Val::Num).collect();
    if !rest.is_empty() {
        fields.push(Val::str(rest));
    }
    Ok(Val::arr(fields))
}

impl Time {
    /// The time `n` seconds after 1970.
    fn of(n: f64) -> Option<Self> {
        // Limits the value to years that C's functions can represent.
        if n.is_nan() || n.abs() >= 6e16 {
            return None;
        }
        let seconds = n as i64;
        let (days, rest) = (seconds.div_euclid(86400), seconds.rem_euclid(86400));
        let (year, month, day) = date_of(days);
        Some(Self {
            year,
            month: month - 1,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_before(year, 1, 1),
        })
    }

    /// Formats the time as C does. `%s` treats the fields as local standard time, and `%z` as UTC.
    fn show(&self, pattern: &str) -> String {
        let (zone, offset) = standard_time();
        let local = Local {
            year: self.year,
            month: self.month.saturating_add(1),
            day: self.day,
            hour: self.hour,
            minute: self.minute,
            second: self.second,
            weekday: self.weekday,
            yearday: self.yearday,
            offset: 0,
            abbreviation: zone,
        };
        let moment = strftime::Moment { local: &local, seconds: self.seconds() - offset, nanos: 0 };
        String::from_utf8_lossy(&strftime::library(pattern.as_bytes(), &moment)).into_owned()
    }

    fn fields(&self) -> [f64; 8] {
        let t = self;
        [t.year, t.month, t.day, t.hour, t.minute, t.second, t.weekday, t.yearday].map(|n| n as f64)
    }

    fn from_fields(list: &[Val]) -> Option<Self> {
        let field = |i: usize| list.get(i).and_then(Val::num).map(|n| n.clamp(-1e12, 1e12) as i64);
        Some(Self {
            year: field(0)?,
            month: field(1)?,
            day: field(2)?,
            hour: field(3)?,
            minute: field(4)?,
            second: field(5)?,
            weekday: field(6)?,
            yearday: field(7)?,
        })
    }

    /// Seconds since 1970. The fields may be out of their ranges.
    fn seconds(&self) -> i64 {
        let year = self.year + self.month.div_euclid(12);
        let days = days_before(year, self.month.rem_euclid(12) + 1, 1) + self.day - 1;
        days * 86400 + self.hour * 3600 + self.minute * 60 + self.second
    }
}
