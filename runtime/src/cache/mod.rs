//! Compiled code, kept on disk between runs.
//!
//! Loading compiled code means executing it, and a file does not prove who wrote it. So every entry carries a tag,
//! which is computed from what the code is for, from the code itself, and from a key that only this user can read and
//! no mount shows ([`key`]). The code is loaded from a copy in memory that nobody can change ([`Sealed`]), and the tag
//! is checked on that copy. A file that was swapped, cut off, changed while it is read or put there by somebody else is
//! not executed; its module is compiled again.

mod directory;
mod key;
mod room;

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sandshell_codegen::Metering;

use crate::error::Error;
use crate::sealed::Sealed;
use directory::Directory;
use key::Key;

/// Identifies the compiled code in an entry of the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) origin: Origin,
    pub(crate) metering: Metering,
    /// The SHA-256 of the wasm file.
    pub(crate) hash: &'a [u8; 32],
    /// Hash of everything else that determines the code: the compiler, its settings and the processor.
    pub(crate) compatibility: u64,
}

/// Who brought a module. Each has its own part of the cache, so that guests cannot crowd out packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// The host's user, by adding a pack.
    Pack,
    /// A guest.
    Guest,
}

impl Origin {
    /// The most that it may take on disk, in bytes.
    fn room(self) -> u64 {
        match self {
            Origin::Pack => 2 << 30,
            Origin::Guest => 128 << 20,
        }
    }
}

/// A directory with one file for each [`Subject`], and the key of their tags in a file beside it.
#[derive(Debug)]
pub(crate) struct CompilationCache {
    path: PathBuf,
    key: Key,
}

/// First bytes of an entry. The number changes with the format of entries.
const MAGIC: &[u8; 16] = b"sandshell-code\x00\x02";
const TAG: usize = 32;
/// Larger files are not read.
const MAX_ENTRY: u64 = 2 << 30;
const HEAD: usize = MAGIC.len() + TAG;
/// Bytes that are read, hashed and written at a time: small enough for the processor's cache.
const PIECE: usize = 256 << 10;
/// At most this many threads load one entry, and each must have this many pieces, which take about a millisecond.
const MAX_THREADS: usize = 4;
const PIECES_EACH: u64 = 8;

impl CompilationCache {
    /// Opens or creates the directory and the key.
    ///
    /// # Errors
    /// [`Error::Cache`] if one cannot be created, or others can access it.
    pub(crate) fn open(path: &Path) -> Result<CompilationCache, Error> {
        let fail = |reason: String| Error::Cache { path: path.display().to_string(), reason };
        Directory::open(path).map_err(fail)?;
        let key = key_path(path).ok_or_else(|| fail("it has no name".into()))?;
        let key = Key::at(&key).map_err(|reason| fail(format!("its key {}: {reason}", key.display())))?;
        Ok(CompilationCache { path: path.to_owned(), key })
    }

    /// The stored code of a module; `None` if there is none or it must not be trusted.
    pub(crate) fn load(&self, subject: &Subject<'_>) -> Option<Sealed> {
        let directory = Directory::existing(&self.path).ok()?;
        let (file, length) = directory.read(&subject.name())?;
        let loaded = self.verified(subject, &file, length);
        if loaded.is_some() {
            room::touch(&file);
        } else {
            // It would be refused the next time too.
            directory.remove(&subject.name());
        }
        loaded
    }

    /// An immutable copy of an entry's code, if its tag is right.
    fn verified(&self, subject: &Subject<'_>, file: &File, length: u64) -> Option<Sealed> {
        let size = length.checked_sub(HEAD as u64).filter(|_| length <= MAX_ENTRY)?;
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, 0).ok()?;
        let (magic, tag) = head.split_first_chunk::<{ MAGIC.len() }>()?;
        if magic != MAGIC {
            return None;
        }
        let mut pieces = Vec::new();
        let sealed = Sealed::copy(|to| {
            to.set_len(size)?;
            pieces = self.copied(file, size, to)?;
            Ok(())
        });
        let made = self.tag(subject, size, &pieces);
        // Compared in constant time.
        (made == blake3::Hash::from_bytes(tag.try_into().ok()?)).then_some(sealed.ok()?)
    }

    /// Copies an entry's code, with several threads if it is large. Returns the tags of the pieces that were written.
    fn copied(&self, file: &File, size: u64, to: &File) -> io::Result<Vec<blake3::Hash>> {
        let count = size.div_ceil(PIECE as u64);
        let next = AtomicU64::new(0);
        let work = || -> io::Result<Vec<(u64, blake3::Hash)>> {
            let mut buffer = vec![0; PIECE];
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(done);
                }
                let start = index * PIECE as u64;
                let length = usize::try_from(size - start).unwrap_or(PIECE).min(PIECE);
                let bytes = buffer.get_mut(..length).unwrap_or_default();
                file.read_exact_at(bytes, HEAD as u64 + start)?;
                done.push((index, self.piece(index, bytes)));
                to.write_all_at(bytes, start)?;
            }
        };
        let helpers =
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MAX_THREADS) - 1;
        let helpers = helpers.min(usize::try_from(count / PIECES_EACH).unwrap_or(MAX_THREADS));
        let mut all = std::thread::scope(|scope| {
            let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (0..helpers).filter_map(spawn).collect();
            let mut all = work()?;
            for other in others {
                all.extend(other.join().map_err(|_| io::Error::other("a thread has panicked"))??);
            }
            Ok::<_, io::Error>(all)
        })?;
        all.sort_unstable_by_key(|(index, _)| *index);
        Ok(all.into_iter().map(|(_, hash)| hash).collect())
    }

    /// Stores compiled code.
    pub(crate) fn store(&self, subject: &Subject<'_>, code: &[u8]) {
        // A failure only means that the module is compiled again.
        let _ = self.try_store(subject, code);
    }

    fn try_store(&self, subject: &Subject<'_>, code: &[u8]) -> io::Result<()> {
        let length = (HEAD + code.len()) as u64;
        if length > subject.origin.room() {
            return Ok(());
        }
        let directory = Directory::open(&self.path).map_err(io::Error::other)?;
        room::make(&directory, subject.origin, length);
        let pieces = code.chunks(PIECE).zip(0..).map(|(piece, index)| self.piece(index, piece));
        let tag = self.tag(subject, code.len() as u64, &pieces.collect::<Vec<_>>());
        directory.write(&subject.name(), |file| {
            file.write_all(MAGIC)?;
            file.write_all(tag.as_bytes())?;
            file.write_all(code)
        })?;
        // Another process may have stored something too.
        room::make(&directory, subject.origin, 0);
        Ok(())
    }

    /// The tag of code whose pieces have these tags.
    fn tag(&self, subject: &Subject<'_>, size: u64, pieces: &[blake3::Hash]) -> blake3::Hash {
        let mut hasher = self.key.hasher();
        hasher.update(MAGIC);
        // The name contains everything that the code is for. A NUL separates it from the size.
        hasher.update(subject.name().as_bytes());
        hasher.update(&[0]);
        hasher.update(&size.to_le_bytes());
        for piece in pieces {
            hasher.update(piece.as_bytes());
        }
        hasher.finalize()
    }

    /// The tag of one piece. Its prefix keeps it distinct from the tags of entries.
    fn piece(&self, index: u64, bytes: &[u8]) -> blake3::Hash {
        let mut hasher = self.key.hasher();
        hasher.update(b"piece");
        hasher.update(&index.to_le_bytes());
        hasher.update(bytes);
        hasher.finalize()
    }
}

/// The file of a cache's key. It is outside of the directory, so that access to the directory does not include the key.
pub(crate) fn key_path(directory: &Path) -> Option<PathBuf> {
    let mut name = directory.file_name()?.to_owned();
    name.push(".key");
    Some(directory.with_file_name(name))
}

impl Subject<'_> {
    fn name(&self) -> String {
        let origin = match self.origin {
            Origin::Pack => room::PACK,
            Origin::Guest => "guest-",
        };
        let metering = if self.metering == Metering::Plain { "plain" } else { "metered" };
        let hash: String = self.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{origin}{hash}-{:016x}-{metering}.code", self.compatibility)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    const SUBJECT: Subject<'_> =
        Subject { origin: Origin::Guest, metering: Metering::Plain, hash: &[7; 32], compatibility: 1 };

    struct Place {
        _directory: tempfile::TempDir,
        path: PathBuf,
    }

    impl Place {
        fn new() -> Place {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("cache");
            Place { _directory: directory, path }
        }

        fn open(&self) -> CompilationCache {
            CompilationCache::open(&self.path).unwrap()
        }

        fn entry(&self) -> PathBuf {
            self.path.join(SUBJECT.name())
        }
    }

    fn bytes(sealed: Option<Sealed>) -> Option<Vec<u8>> {
        sealed.map(|sealed| sealed.bytes().unwrap())
    }

    #[test]
    fn what_was_stored_is_loaded_by_another_process_of_this_user() {
        let place = Place::new();
        place.open().store(&SUBJECT, b"code");
        assert_eq!(bytes(place.open().load(&SUBJECT)).as_deref(), Some(&b"code"[..]));
        assert!(place.open().load(&Subject { metering: Metering::Metered, ..SUBJECT }).is_none());
        let modes = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!(modes(&place.path), 0o700);
        assert_eq!(modes(&place.entry()), 0o600);
        assert_eq!(modes(&key_path(&place.path).unwrap()), 0o600);
    }

    #[test]
    fn a_changed_entry_is_not_loaded() {
        let place = Place::new();
        let cache = place.open();
        cache.store(&SUBJECT, b"some code");
        let whole = std::fs::read(place.entry()).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(place.entry(), &changed).unwrap();
            assert!(cache.load(&SUBJECT).is_none(), "byte {at}");
            std::fs::write(place.entry(), &whole[..at]).unwrap();
            assert!(cache.load(&SUBJECT).is_none(), "cut at {at}");
        }
        std::fs::write(place.entry(), [&whole[..], b"x"].concat()).unwrap();
        assert!(cache.load(&SUBJECT).is_none(), "longer");
        std::fs::write(place.entry(), &whole).unwrap();
        assert!(cache.load(&SUBJECT).is_some());
    }

    #[test]
    fn a_large_entry_is_loaded_by_several_threads() {
        let place = Place::new();
        let code: Vec<u8> = (0..40 * PIECE + 7).map(|at| (at % 251) as u8).collect();
        let cache = place.open();
        cache.store(&SUBJECT, &code);
        assert!(bytes(cache.load(&SUBJECT)).as_deref() == Some(&code[..]));
        // Swapped pieces must be noticed.
        let mut whole = std::fs::read(place.entry()).unwrap();
        let (first, rest) = whole[HEAD..].split_at_mut(PIECE);
        first.swap_with_slice(&mut rest[..PIECE]);
        assert!(whole[HEAD..] != code[..]);
        std::fs::write(place.entry(), &whole).unwrap();
        assert!(cache.load(&SUBJECT).is_none());
    }

    #[test]
    fn an_entry_under_another_name_is_not_loaded() {
        let place = Place::new();
        let cache = place.open();
        let others = [
            Subject { hash: &[8; 32], ..SUBJECT },
            Subject { metering: Metering::Metered, ..SUBJECT },
            Subject { origin: Origin::Pack, ..SUBJECT },
            Subject { compatibility: 2, ..SUBJECT },
        ];
        cache.store(&SUBJECT, b"code");
        for other in others {
            std::fs::copy(place.entry(), place.path.join(other.name())).unwrap();
            assert!(cache.load(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn entries_of_another_key_are_not_loaded() {
        let place = Place::new();
        place.open().store(&SUBJECT, b"code");
        let key = key_path(&place.path).unwrap();
        for damage in [&b""[..], b"short", &[0; 33]] {
            std::fs::write(&key, damage).unwrap();
            assert!(place.open().load(&SUBJECT).is_none());
            assert_eq!(std::fs::metadata(&key).unwrap().len(), 32, "a new one was made");
            place.open().store(&SUBJECT, b"code");
            assert!(place.open().load(&SUBJECT).is_some());
        }
        // A key that others could read may be known to them.
        let before = std::fs::read(&key).unwrap();
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(place.open().load(&SUBJECT).is_none());
        assert_ne!(std::fs::read(&key).unwrap(), before);
    }

    #[test]
    fn links_are_not_followed() {
        let place = Place::new();
        let cache = place.open();
        cache.store(&SUBJECT, b"code");
        let elsewhere = place.path.with_file_name("elsewhere");
        std::fs::rename(place.entry(), &elsewhere).unwrap();
        symlink(&elsewhere, place.entry()).unwrap();
        assert!(cache.load(&SUBJECT).is_none());
        let key = key_path(&place.path).unwrap();
        let moved = place.path.with_file_name("moved");
        std::fs::rename(&key, &moved).unwrap();
        symlink(&moved, &key).unwrap();
        place.open();
        assert!(std::fs::symlink_metadata(&key).unwrap().is_file(), "the link was replaced");
        let linked = place.path.with_file_name("linked");
        symlink(&place.path, &linked).unwrap();
        assert!(matches!(CompilationCache::open(&linked), Err(Error::Cache { .. })));
    }

    #[test]
    fn a_directory_open_to_others_is_refused() {
        let place = Place::new();
        place.open();
        std::fs::set_permissions(&place.path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(CompilationCache::open(&place.path), Err(Error::Cache { .. })));
    }

    #[test]
    fn a_directory_that_was_removed_meanwhile_is_made_again() {
        let place = Place::new();
        let cache = place.open();
        std::fs::remove_dir(&place.path).unwrap();
        assert!(cache.load(&SUBJECT).is_none());
        cache.store(&SUBJECT, b"code");
        assert!(cache.load(&SUBJECT).is_some());
    }

    #[test]
    fn many_at_once_agree_on_a_key() {
        let place = Place::new();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let place = &place;
                scope.spawn(move || {
                    let hash = [number; 32];
                    let subject = Subject { hash: &hash, ..SUBJECT };
                    place.open().store(&subject, &[number]);
                });
            }
        });
        for number in 0..8 {
            let hash = [number; 32];
            let loaded = place.open().load(&Subject { hash: &hash, ..SUBJECT });
            assert_eq!(bytes(loaded), Some(vec![number]));
        }
    }
}
