//! Time as people write it: calendar, time zones, `strftime`, and the language of `date -d`.

pub mod calendar;
mod parse;
pub mod strftime;
mod zone;

pub use calendar::Local;
pub use parse::parse;
pub use zone::Zone;
