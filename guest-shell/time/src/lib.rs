//! Time in human-readable form: calendar, time zones, `strftime`, and the dates that `date -d` accepts.

pub mod calendar;
mod parse;
pub mod strftime;
mod zone;

pub use calendar::Local;
pub use parse::parse;
pub use zone::Zone;
