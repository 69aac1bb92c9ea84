//! Limits the size of the cache by removing the least recently used entries.

use std::fs::File;
use std::time::{Duration, SystemTime};

use super::Origin;
use super::directory::{Directory, Listed, UNFINISHED};

/// Prefix of the names of packs' code. All other files were brought by guests, or by a version with other names.
pub(super) const PACK: &str = "pack-";

/// An unfinished file of this age was abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Notes that an entry was used.
pub(super) fn touch(file: &File) {
    // In a read-only directory the order stays as it is.
    let _ = file.set_modified(SystemTime::now());
}

/// Removes entries of this origin, the least recently used first, until there is room for `needed` bytes.
pub(super) fn evict(directory: &Directory, origin: Origin, needed: u64) {
    let long_ago = SystemTime::now()
        .checked_sub(ABANDONED)
        .and_then(|then| i64::try_from(then.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs()).ok());
    let mut entries = Vec::new();
    let mut total = needed;
    for Listed { name, size, modified } in directory.list() {
        if name.starts_with(UNFINISHED) {
            if long_ago.is_some_and(|then| modified.0 < then) {
                directory.remove(&name);
            }
            continue;
        }
        if name.starts_with(PACK) != (origin == Origin::Pack) {
            continue;
        }
        total = total.saturating_add(size);
        entries.push((modified, size, name));
    }
    entries.sort();
    for (_, size, name) in entries {
        if total <= origin.quota() {
            return;
        }
        directory.remove(&name);
        total = total.saturating_sub(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_is_evicted_and_packs_stay() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("cache");
        let directory = Directory::open(&path).unwrap();
        let quota = Origin::Guest.quota();
        let sparse = |name: &str, size: u64, age: u64| {
            let file = File::create(path.join(name)).unwrap();
            file.set_len(size).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        sparse("guest-old.code", quota / 2, 300);
        sparse("guest-newer.code", quota / 2, 200);
        sparse("pack-oldest.code", quota, 900);
        sparse(".new-left", 5, 7200);
        sparse(".new-now", 5, 1);
        let names = || {
            let mut names: Vec<String> = std::fs::read_dir(&path)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        evict(&directory, Origin::Guest, 0);
        assert_eq!(names(), [".new-now", "guest-newer.code", "guest-old.code", "pack-oldest.code"]);
        touch(&File::open(path.join("guest-old.code")).unwrap());
        evict(&directory, Origin::Guest, 1);
        assert_eq!(names(), [".new-now", "guest-old.code", "pack-oldest.code"]);
    }
}
