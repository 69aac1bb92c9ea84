//! Arranges months in lines.

use super::date;
use sandshell_cli::out;
use sandshell_time::calendar::MONTHS;

const DAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

/// A range of months, counted from the year 0.
pub(super) struct Months {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) julian: bool,
}

/// The options about the layout.
pub(super) struct Layout {
    /// Weeks are lines (`cal`) instead of columns (`ncal`).
    pub(super) beside: bool,
    /// Days are numbered from the start of the year.
    pub(super) julian_days: bool,
    /// Weeks are numbered.
    pub(super) weeks: bool,
    /// Weeks begin on Monday.
    pub(super) monday: bool,
    /// The least number of days in the first week of a year.
    pub(super) first_week: i64,
}

/// The number of weeks that a month can touch.
const WEEKS: usize = 6;

struct Month {
    year: i64,
    name: &'static str,
    /// The number shown for each day, by week, then by day of the week.
    days: [[Option<i64>; 7]; WEEKS],
    numbers: [Option<i64>; WEEKS],
}

impl Layout {
    /// Prints the months.
    pub(super) fn print(&self, months: &Months) {
        let (per_line, width) = match (self.beside, self.julian_days) {
            (true, false) => (3, 20),
            (true, true) => (2, 27),
            (false, false) => (4, 18),
            (false, true) => (3, 24),
        };
        // If every line has the same number of whole months of one year, the year is printed once above all. Otherwise
        // it is printed beside each month.
        let count = months.last - months.first + 1;
        let year_above = count >= per_line && months.first.rem_euclid(12) % per_line == 0;
        let mut at = months.first;
        let mut year_shown = None;
        while at <= months.last && out::failure().is_none() {
            let year = at.div_euclid(12);
            let extra = if self.beside && self.weeks { 5 } else { 0 };
            if year_above && year_shown != Some(year) {
                let text = year.to_string();
                let pad = (per_line * (width + extra) - text.len() as i64) / 2;
                out::put(format!("{}{text}\n", " ".repeat(usize::try_from(pad).unwrap_or(0))));
                year_shown = Some(year);
            }
            let row: Vec<Month> =
                (at..=months.last.min(at + per_line - 1)).map(|m| self.month(m, months.julian)).collect();
            let width = usize::try_from(width).unwrap_or(0);
            if self.beside {
                self.lines(&row, width, !year_above)
            } else {
                self.columns(&row, width, !year_above)
            }
            at += per_line;
            if at <= months.last {
                out::put("\n");
            }
        }
    }

    fn month(&self, index: i64, julian: bool) -> Month {
        let (year, month) = (index.div_euclid(12), index.rem_euclid(12));
        let new_year = date::number(year, 0, 1, julian);
        let mut found = Month {
            year,
            name: usize::try_from(month).ok().and_then(|m| MONTHS.get(m)).copied().unwrap_or_default(),
            days: [[None; 7]; WEEKS],
            numbers: [None; WEEKS],
        };
        let days = date::month(year, month, julian);
        let Some((_, first)) = days.first().copied() else { return found };
        let weekday = |n: i64| (n + if self.monday { 0 } else { 1 }).rem_euclid(7);
        let begin = first - weekday(first);
        for (day, n) in days {
            let week = usize::try_from((n - begin) / 7).unwrap_or(0);
            let column = usize::try_from(weekday(n)).unwrap_or(0);
            let shown = if self.julian_days { n - new_year + 1 } else { day };
            if let Some(slot) = found.days.get_mut(week).and_then(|w| w.get_mut(column)) {
                *slot = Some(shown);
            }
            if let Some(number) = found.numbers.get_mut(week) {
                *number = Some(self.week_number(year, begin + 7 * (n - begin).div_euclid(7), julian));
            }
        }
        found
    }

    /// The number of the week that begins on this day.
    fn week_number(&self, year: i64, begin: i64, julian: bool) -> i64 {
        let first_week = |y: i64| {
            let new_year = date::number(y, 0, 1, julian);
            let into = (new_year + if self.monday { 0 } else { 1 }).rem_euclid(7);
            if 7 - into >= self.first_week { new_year - into } else { new_year - into + 7 }
        };
        let of = if begin < first_week(year) {
            year - 1
        } else if begin >= first_week(year + 1) {
            year + 1
        } else {
            year
        };
        (begin - first_week(of)) / 7 + 1
    }

    fn day_names(&self) -> [&'static str; 7] {
        let mut names = DAYS;
        if !self.monday {
            names.rotate_right(1);
        }
        names
    }

    /// Prints months with weeks as lines.
    fn lines(&self, row: &[Month], width: usize, with_year: bool) {
        let wide = if self.julian_days { 3 } else { 2 };
        // Week numbers take columns of their own, with one of them after the days.
        let (lead, trail) = if self.weeks { (5, "   ") } else { (0, "  ") };
        let mut line = String::new();
        for m in row {
            let title = if with_year { format!("{} {}", m.name, m.year) } else { m.name.to_owned() };
            let room = (width + lead).saturating_sub(title.len());
            line += &format!("{}{title}{}  ", " ".repeat(room / 2), " ".repeat(room - room / 2));
        }
        out::put(line + "\n");
        let names = self.day_names();
        let mut line = String::new();
        for _ in row {
            if self.weeks {
                line += " w| ";
            }
            line += &names.map(|n| format!("{n:>wide$}")).join(" ");
            line += trail;
        }
        out::put(line + "\n");
        for week in 0..WEEKS {
            let mut line = String::new();
            for m in row {
                if self.weeks {
                    line += &match m.numbers.get(week).copied().flatten() {
                        Some(n) => format!("{n:2}| "),
                        None => "    ".to_owned(),
                    };
                }
                let days = m.days.get(week).copied().unwrap_or_default();
                line += &days.map(|d| cell(d, wide)).join(" ");
                line += trail;
            }
            out::put(line + "\n");
        }
    }

    /// Prints months with weeks as columns.
    fn columns(&self, row: &[Month], width: usize, with_year: bool) {
        let wide = if self.julian_days { 4 } else { 3 };
        let mut line = String::from("    ");
        for m in row {
            let title = if with_year { format!("{} {}", m.name, m.year) } else { m.name.to_owned() };
            line += &format!("{title:<width$}");
        }
        out::put(line + "\n");
        for (i, name) in self.day_names().iter().enumerate() {
            let mut line = (*name).to_owned();
            for m in row {
                for week in &m.days {
                    line += &cell(week.get(i).copied().flatten(), wide);
                }
            }
            out::put(line + "\n");
        }
        if self.weeks {
            let mut line = String::from("  ");
            for m in row {
                for number in m.numbers {
                    line += &cell(number, wide);
                }
            }
            out::put(line + "\n");
        }
    }
}

fn cell(number: Option<i64>, wide: usize) -> String {
    number.map_or_else(|| " ".repeat(wide), |n| format!("{n:>wide$}"))
}
