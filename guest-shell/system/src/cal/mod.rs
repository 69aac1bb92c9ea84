//! `cal` and `ncal` as in Debian's ncal package, without highlighting. The calendar changes from Julian to Gregorian
//! after 2 September 1752.

mod date;
mod easter;
mod layout;

use crate::base::options::{self, Item};
use crate::base::say;
use crate::procps::local_time;
use layout::{Layout, Months};
use sandshell_cli::out;
use sandshell_time::calendar::MONTHS;

/// Runs `cal` on its arguments (its own name first) and returns the exit status: 64 for a usage error.
pub fn cal_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args, true).unwrap_or_else(|code| code);
    ended(code)
}

/// Runs `ncal` in the same way as [`cal_main`].
pub fn ncal_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args, false).unwrap_or_else(|code| code);
    ended(code)
}

/// Errors of writing are ignored.
fn ended(code: i32) -> i32 {
    out::flush();
    code
}

const BAD_USE: i32 = 64;

fn run(args: &[Vec<u8>], classic: bool) -> Result<i32, i32> {
    let parsed = options::letters(args.get(1..).unwrap_or_default(), "A:B:C3Jb1d:ehjm:opwyMSW:H:s:");
    let usage = || {
        say::raw(USAGE);
        BAD_USE
    };
    let fail = |text: String| {
        say::error(args, text);
        BAD_USE
    };
    let mut layout =
        Layout { beside: classic, julian_days: false, weeks: false, monday: false, first_week: 4 };
    let (mut before, mut after, mut three, mut one, mut year_wanted, mut month_text) =
        (0, 0, false, false, false, None);
    let (mut easter, mut orthodox, mut julian) = (false, false, false);
    let now = String::from_utf8_lossy(&local_time(b"%Y %m")).into_owned();
    let (year, month) = now.split_once(' ').unwrap_or(("1970", "1"));
    let mut year: i64 = year.parse().unwrap_or(1970);
    let mut month: i64 = month.parse::<i64>().unwrap_or(1) - 1;
    for item in parsed.items {
        let (id, value) = match item {
            Item::Option(id, value) => (id, value.unwrap_or_default()),
            Item::Wrong(text) => {
                say::raw([say::full_name(args), b": ", &text, b"\n"].concat());
                return Err(usage());
            }
            Item::Operand(_) => continue,
        };
        let letter = char::from_u32(id).unwrap_or_default();
        if classic && "JehopwMSWHsbC".contains(letter) {
            return Err(usage());
        }
        match letter {
            'A' => after = number(&value).clamp(0, 100_000),
            'B' => before = number(&value).clamp(0, 100_000),
            '3' => three = true,
            '1' => one = true,
            'C' | 'b' => layout.beside = true,
            'J' => julian = true,
            'd' => (year, month) = year_month(&value).ok_or_else(usage)?,
            'e' => easter = true,
            'o' => orthodox = true,
            'j' => layout.julian_days = true,
            'm' => month_text = Some(value),
            'w' => layout.weeks = true,
            'M' => layout.monday = true,
            'S' => layout.monday = false,
            'W' => layout.first_week = number(&value).clamp(1, 7),
            'y' => year_wanted = true,
            'p' | 's' => return Err(fail(format!("option -{letter} is not supported"))),
            _ => {}
        }
    }
    let mut operands = parsed.operands.as_slice();
    let mut month_given = month_text.is_some();
    if let [first, rest @ ..] = operands
        && rest.len() == 1
    {
        if month_given {
            return Err(usage());
        }
        month_text = Some(first.clone());
        month_given = true;
        operands = rest;
    }
    let year_given = match operands {
        [] => false,
        [text] => {
            let text = String::from_utf8_lossy(text).into_owned();
            let digits = text.trim_start();
            let plain = digits.strip_prefix(['-', '+']).unwrap_or(digits);
            if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
                return Err(fail(format!("not a valid year {text}")));
            }
            year = digits.parse().unwrap_or(0);
            if !(1..=9999).contains(&year) {
                return Err(fail(format!("year `{text}' not in range 1..9999")));
            }
            true
        }
        _ => return Err(usage()),
    };
    if let Some(text) = month_text {
        let (found, shift) = month_number(&text).ok_or_else(|| {
            let text = String::from_utf8_lossy(&text).into_owned();
            fail(format!("{text} is neither a month number (1..12) nor a name"))
        })?;
        // With a given year, `f` means the month of that year.
        month = found;
        year += if year_given { shift.min(0) } else { shift };
    }
    if easter || orthodox {
        out::put(easter::text(year, orthodox, julian));
        return Ok(0);
    }
    let whole = year_wanted || year_given && !month_given;
    if whole && !year_wanted && (three || one) {
        let sign = if three { 3 } else { 1 };
        return Err(fail(format!("-{sign} together with a given year but no given month is not supported.")));
    }
    if three {
        (before, after) = (1, 1);
    }
    let first = if whole { year * 12 } else { year * 12 + month };
    let last = if whole { first + 11 } else { first };
    layout.print(&Months { first: first - before, last: last + after, julian });
    Ok(0)
}

fn number(text: &[u8]) -> i64 {
    String::from_utf8_lossy(text).trim().parse().unwrap_or(0)
}

/// Parses `YYYY-MM`.
fn year_month(text: &[u8]) -> Option<(i64, i64)> {
    let text = std::str::from_utf8(text).ok()?;
    let (year, month) = text.split_once('-')?;
    let (year, month) = (year.parse().ok()?, month.parse::<i64>().ok()?);
    ((1..=9999).contains(&year) && (1..=12).contains(&month)).then_some((year, month - 1))
}

/// Parses a month: its number, its name, or the name's first three letters. A `p` or `f` after the number means the
/// previous or the following year.
fn month_number(text: &[u8]) -> Option<(i64, i64)> {
    let text = std::str::from_utf8(text).ok()?;
    if text.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        let (digits, shift) = match text.strip_suffix('p') {
            Some(digits) => (digits, -1),
            None => match text.strip_suffix('f') {
                Some(digits) => (digits, 1),
                None => (text, 0),
            },
        };
        let n: i64 = digits.parse().ok()?;
        return (1..=12).contains(&n).then_some((n - 1, shift));
    }
    let found = MONTHS.iter().position(|m| {
        m.eq_ignore_ascii_case(text) || m.get(..3).is_some_and(|short| short.eq_ignore_ascii_case(text))
    })?;
    Some((i64::try_from(found).ok()?, 0))
}

const USAGE: &str = "Usage: cal [general options] [-jy] [[month] year]
       cal [general options] [-j] [-m month] [year]
       ncal -C [general options] [-jy] [[month] year]
       ncal -C [general options] [-j] [-m month] [year]
       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]
       ncal [general options] [-Jeo] [year]
General options: [-31] [-A months] [-B months] [-d yyyy-mm]
";
