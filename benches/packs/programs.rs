//! The rows of sqlite, node and perl.

use crate::data::{log, sales};
use crate::measure::Goal;
use crate::{Context, Group, Rows};
use std::time::Duration;

const fn within(milliseconds: u64) -> Goal {
    Goal::Time(Duration::from_millis(milliseconds))
}

/// sqlite.
pub(crate) const SQLITE: Group = Group { pack: "sqlite", prepare: |c| c.prepare(sales), rows: sqlite };

/// node.
pub(crate) const NODE: Group = Group { pack: "node", prepare: |c| c.prepare(sales), rows: node };

/// perl.
pub(crate) const PERL: Group = Group { pack: "perl", prepare: |c| c.prepare(log), rows: perl };

fn sqlite(context: &Context, rows: &mut Rows<'_>) {
    let start = "sqlite3 :memory: 'select 1'";
    let typical = "rm -f report.db; sqlite3 report.db < JOBS/report.sql";
    let heavy = "rm -f heavy.db; sqlite3 heavy.db < JOBS/heavy.sql";
    rows.add("sqlite: start", |name| context.row(name, 101, start, within(1)));
    rows.add("sqlite: a report of 20,000 rows", |name| context.row(name, 11, typical, Goal::None));
    rows.add("sqlite: half a million rows", |name| context.row(name, 3, heavy, Goal::None));
    let memory = "sqlite3 :memory: < JOBS/heavy.sql";
    rows.add("sqlite: half a million rows, in memory", |name| context.row(name, 3, memory, Goal::None));
}

fn node(context: &Context, rows: &mut Rows<'_>) {
    rows.add("node: start", |name| context.row(name, 51, "node -e 0", within(3)));
    rows.add("node: a report of 20,000 rows", |name| {
        context.row(name, 11, "node JOBS/report.js .", Goal::None)
    });
    rows.add("node: computing", |name| context.row(name, 3, "node JOBS/heavy.js", Goal::None));
}

fn perl(context: &Context, rows: &mut Rows<'_>) {
    rows.add("perl: start", |name| context.row(name, 101, "perl -e 0", within(5)));
    rows.add("perl: a log of 100,000 lines", |name| context.row(name, 5, "perl JOBS/report.pl", Goal::None));
    rows.add("perl: computing", |name| context.row(name, 3, "perl JOBS/heavy.pl", Goal::None));
}
