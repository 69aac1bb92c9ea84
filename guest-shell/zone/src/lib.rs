//! The time zone of a process.

use jiff::tz::TimeZone;

/// The zone that `TZ` names: one of the database, which the guests carry; a file, if it begins with a slash; or a rule as in
/// POSIX. Without `TZ` it is the one of `/etc/localtime`. UTC, if there is none.
pub fn local() -> TimeZone {
    let file = |path: &str| std::fs::read(path).ok().and_then(|data| TimeZone::tzif("Local", &data).ok());
    let Ok(tz) = std::env::var("TZ") else { return file("/etc/localtime").unwrap_or(TimeZone::UTC) };
    let name = tz.strip_prefix(':').unwrap_or(&tz);
    if name.is_empty() {
        return TimeZone::UTC;
    }
    let known = if name.starts_with('/') { file(name) } else { jiff::tz::db().get(name).ok() };
    known.or_else(|| TimeZone::posix(name).ok()).unwrap_or(TimeZone::UTC)
}
