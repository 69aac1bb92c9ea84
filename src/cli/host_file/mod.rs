//! Files of the host: what differs between hosts.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

pub(crate) use system::{
    free_space, is_device, mode, next_data, nobody_reads, read_at, set_file_mode, set_mode, symlink,
    takes_characters_only, write_all_at,
};

use sandshell::vfs::Time;
use std::fs::Metadata;
use std::time::SystemTime;

/// When the contents changed.
pub(crate) fn modified(metadata: &Metadata) -> Time {
    let Ok(time) = metadata.modified() else { return Time::default() };
    let whole = |secs: u64| secs.cast_signed();
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Time { secs: whole(since.as_secs()), nanos: since.subsec_nanos() },
        Err(error) => match (error.duration().as_secs(), error.duration().subsec_nanos()) {
            (secs, 0) => Time { secs: -whole(secs), nanos: 0 },
            (secs, nanos) => Time { secs: -whole(secs) - 1, nanos: 1_000_000_000 - nanos },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::modified;
    use std::time::{Duration, SystemTime};

    #[test]
    fn times_before_1970_have_a_positive_fraction() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let shown = |time: SystemTime| {
            file.as_file().set_modified(time).expect("a time");
            let time = modified(&file.as_file().metadata().expect("attributes"));
            (time.secs, time.nanos)
        };
        let quarter = Duration::from_millis(250);
        assert_eq!(shown(SystemTime::UNIX_EPOCH + quarter), (0, 250_000_000));
        assert_eq!(shown(SystemTime::UNIX_EPOCH - quarter), (-1, 750_000_000));
        assert_eq!(shown(SystemTime::UNIX_EPOCH - Duration::from_secs(2)), (-2, 0));
    }
}
