//! Local time, with the zone of `TZ` or of `/etc/localtime`.

use crate::shell::Shell;
use crate::variables::{Name, attr};
use sandshell_time::{Zone, strftime};
use std::rc::Rc;

/// The time zone of a shell, loaded on first use.
#[derive(Debug, Default)]
pub(crate) struct TimeZone {
    loaded: Option<(Option<Vec<u8>>, Rc<Zone>)>,
}

/// Formats a point in time with `strftime` in the shell's zone.
pub(crate) fn format(shell: &mut Shell, format: &[u8], seconds: i64) -> Vec<u8> {
    let local = in_effect(shell).local(seconds);
    strftime::library(format, &strftime::Moment { local: &local, seconds, nanos: 0 })
}

/// The zone of an exported `TZ`, or else the system's.
fn in_effect(shell: &mut Shell) -> Rc<Zone> {
    let name = Name::new(b"TZ");
    let tz = shell.vars.get(name).filter(|v| v.has(attr::EXPORT)).and_then(|v| v.get()).map(<[u8]>::to_vec);
    if let Some((for_value, zone)) = &shell.time_zone.loaded
        && *for_value == tz
    {
        return Rc::clone(zone);
    }
    let zone = Rc::new(Zone::of(tz.as_deref().map(String::from_utf8_lossy).as_deref()));
    shell.time_zone.loaded = Some((tz, Rc::clone(&zone)));
    zone
}
