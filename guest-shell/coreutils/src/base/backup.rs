//! The names of backup files, for `--backup` and `--suffix`.

use sandshell_cli::options::{Spec, choose};
use sandshell_sys as sys;

/// How backups are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Backup {
    /// No backups.
    #[default]
    Off,
    /// `name~`.
    Simple,
    /// `name.~N~` if the file already has such backups, otherwise `name~`.
    Existing,
    /// `name.~N~`.
    Numbered,
}

/// The method for `--backup[=word]`. Without a word, `$VERSION_CONTROL` decides.
pub(crate) fn method(spec: &Spec, word: Option<&[u8]>) -> Result<Backup, i32> {
    const WORDS: [(&str, Backup); 8] = [
        ("none", Backup::Off),
        ("off", Backup::Off),
        ("simple", Backup::Simple),
        ("never", Backup::Simple),
        ("existing", Backup::Existing),
        ("nil", Backup::Existing),
        ("numbered", Backup::Numbered),
        ("t", Backup::Numbered),
    ];
    match word {
        Some(w) => choose(spec, "backup type", w, &WORDS),
        None => match std::env::var_os("VERSION_CONTROL") {
            Some(v) => choose(spec, "$VERSION_CONTROL", v.as_encoded_bytes(), &WORDS),
            None => Ok(Backup::Existing),
        },
    }
}

/// The suffix of simple backups: the one given, or `$SIMPLE_BACKUP_SUFFIX`, or `~`.
pub(crate) fn suffix(given: Option<&[u8]>) -> Vec<u8> {
    let environment = std::env::var_os("SIMPLE_BACKUP_SUFFIX").map(std::ffi::OsString::into_encoded_bytes);
    given
        .map(<[u8]>::to_vec)
        .or(environment)
        .filter(|s| !s.is_empty() && !s.contains(&b'/'))
        .unwrap_or_else(|| b"~".to_vec())
}

/// The name for a backup of the current `path`.
pub(crate) fn backup_name(path: &[u8], how: Backup, suffix: &[u8]) -> Vec<u8> {
    let path = sandshell_posix::path::trim_slashes(path);
    let highest = match how {
        Backup::Numbered | Backup::Existing => highest_number(path),
        Backup::Simple | Backup::Off => None,
    };
    match (how, highest) {
        (Backup::Numbered, n) => numbered(path, n.unwrap_or(0) + 1),
        (Backup::Existing, Some(n)) => numbered(path, n + 1),
        _ => [path, suffix].concat(),
    }
}

fn numbered(path: &[u8], n: u64) -> Vec<u8> {
    sandshell_cli::bytes!(path, ".~", n, "~")
}

fn highest_number(path: &[u8]) -> Option<u64> {
    let dir = sandshell_posix::path::dir_name(path);
    let base = sandshell_posix::path::base_name(path);
    sys::read_dir(dir)
        .ok()?
        .iter()
        .filter_map(|e| {
            let number = e.name.strip_prefix(base)?.strip_prefix(b".~")?.strip_suffix(b"~")?;
            std::str::from_utf8(number).ok()?.parse::<u64>().ok()
        })
        .max()
}
