//! Compiled code, kept on disk between runs.
//!
//! Loading compiled code means executing it, and a file does not prove who wrote it. So every entry carries a tag,
//! which is computed from what the code is for, from the code itself, and from a key that only this user can read and
//! no mount shows ([`key`]). The code is loaded from a copy in memory that nobody can change ([`Sealed`]), and the tag
//! is checked on that copy. A file that was swapped, cut off, changed while it is read or put there by somebody else is
//! not executed; its module is compiled again.

mod directory;
mod eviction;
mod key;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sandshell_codegen::Metering;

use crate::error::Error;
use crate::sealed::{Sealed, Unsealed};
use directory::{Directory, read_exact_at};
use key::Key;

/// Identifies the compiled code in an entry of the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeId<'a> {
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
    fn quota(self) -> u64 {
        match self {
            Origin::Pack => 2 << 30,
            Origin::Guest => 128 << 20,
        }
    }
}

/// A directory with one file for each [`CodeId`], and the key of their tags in a file beside it.
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
const MIN_PIECES_PER_THREAD: u64 = 8;

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
    pub(crate) fn load(&self, id: &CodeId<'_>) -> Option<Sealed> {
        let directory = Directory::existing(&self.path).ok()?;
        let (file, length) = directory.read(&id.file_name())?;
        let loaded = self.load_verified(id, &file, length);
        if loaded.is_some() {
            eviction::touch(&file);
        } else {
            // It would be refused the next time too.
            directory.remove(&id.file_name());
        }
        loaded
    }

    /// An immutable copy of an entry's code, if its tag is right.
    fn load_verified(&self, id: &CodeId<'_>, file: &File, length: u64) -> Option<Sealed> {
        let size = length.checked_sub(HEAD as u64).filter(|_| length <= MAX_ENTRY)?;
        let mut head = [0; HEAD];
        read_exact_at(file, &mut head, 0).ok()?;
        let (magic, tag) = head.split_first_chunk::<{ MAGIC.len() }>()?;
        if magic != MAGIC {
            return None;
        }
        let mut pieces = Vec::new();
        let sealed = Sealed::copy(|to| {
            to.set_len(size)?;
            pieces = self.copy_tagged(file, size, to)?;
            Ok(())
        });
        let made = self.tag(id, size, &pieces);
        // Compared in constant time.
        (made == blake3::Hash::from_bytes(tag.try_into().ok()?)).then_some(sealed.ok()?)
    }

    /// Copies an entry's code, with several threads if it is large. Returns the tags of the pieces that were written.
    fn copy_tagged(&self, file: &File, size: u64, to: &Unsealed) -> io::Result<Vec<blake3::Hash>> {
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
                read_exact_at(file, bytes, HEAD as u64 + start)?;
                done.push((index, self.piece_tag(index, bytes)));
                to.write_all_at(bytes, start)?;
            }
        };
        let helpers =
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MAX_THREADS) - 1;
        let helpers = helpers.min(usize::try_from(count / MIN_PIECES_PER_THREAD).unwrap_or(MAX_THREADS));
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
    pub(crate) fn store(&self, id: &CodeId<'_>, code: &[u8]) {
        // A failure only means that the module is compiled again.
        let _ = self.try_store(id, code);
    }

    fn try_store(&self, id: &CodeId<'_>, code: &[u8]) -> io::Result<()> {
        let length = (HEAD + code.len()) as u64;
        if length > id.origin.quota() {
            return Ok(());
        }
        let directory = Directory::open(&self.path).map_err(io::Error::other)?;
        eviction::evict(&directory, id.origin, length);
        let pieces = code.chunks(PIECE).zip(0..).map(|(piece, index)| self.piece_tag(index, piece));
        let tag = self.tag(id, code.len() as u64, &pieces.collect::<Vec<_>>());
        directory.write(&id.file_name(), |file| {
            file.write_all(MAGIC)?;
            file.write_all(tag.as_bytes())?;
            file.write_all(code)
        })?;
        // Another process may have stored something too.
        eviction::evict(&directory, id.origin, 0);
        Ok(())
    }

    /// The tag of code whose pieces have these tags.
    fn tag(&self, id: &CodeId<'_>, size: u64, pieces: &[blake3::Hash]) -> blake3::Hash {
        let mut hasher = self.key.hasher();
        hasher.update(MAGIC);
        // The name contains everything that the code is for. A NUL separates it from the size.
        hasher.update(id.file_name().as_bytes());
        hasher.update(&[0]);
        hasher.update(&size.to_le_bytes());
        for piece in pieces {
            hasher.update(piece.as_bytes());
        }
        hasher.finalize()
    }

    /// The tag of one piece. Its prefix keeps it distinct from the tags of entries.
    fn piece_tag(&self, index: u64, bytes: &[u8]) -> blake3::Hash {
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

impl CodeId<'_> {
    fn file_name(&self) -> String {
        let origin = match self.origin {
            Origin::Pack => eviction::PACK,
            Origin::Guest => "guest-",
        };
        let metering = if self.metering == Metering::Plain { "plain" } else { "metered" };
        let hash: String = self.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{origin}{hash}-{:016x}-{metering}.code", self.compatibility)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    const ID: CodeId<'_> =
        CodeId { origin: Origin::Guest, metering: Metering::Plain, hash: &[7; 32], compatibility: 1 };

    struct TestCache {
        _directory: tempfile::TempDir,
        path: PathBuf,
    }

    impl TestCache {
        fn new() -> TestCache {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("cache");
            TestCache { _directory: directory, path }
        }

        fn open(&self) -> CompilationCache {
            CompilationCache::open(&self.path).unwrap()
        }

        fn entry(&self) -> PathBuf {
            self.path.join(ID.file_name())
        }
    }

    fn bytes(sealed: Option<Sealed>) -> Option<Vec<u8>> {
        sealed.map(|sealed| sealed.bytes().unwrap())
    }

    #[test]
    fn another_process_of_this_user_loads_a_stored_entry() {
        let test = TestCache::new();
        test.open().store(&ID, b"code");
        assert_eq!(bytes(test.open().load(&ID)).as_deref(), Some(&b"code"[..]));
        assert!(test.open().load(&CodeId { metering: Metering::Metered, ..ID }).is_none());
        let modes = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!(modes(&test.path), 0o700);
        assert_eq!(modes(&test.entry()), 0o600);
        assert_eq!(modes(&key_path(&test.path).unwrap()), 0o600);
    }

    #[test]
    fn a_changed_entry_is_not_loaded() {
        let test = TestCache::new();
        let cache = test.open();
        cache.store(&ID, b"some code");
        let whole = std::fs::read(test.entry()).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(test.entry(), &changed).unwrap();
            assert!(cache.load(&ID).is_none(), "byte {at}");
            std::fs::write(test.entry(), &whole[..at]).unwrap();
            assert!(cache.load(&ID).is_none(), "cut at {at}");
        }
        std::fs::write(test.entry(), [&whole[..], b"x"].concat()).unwrap();
        assert!(cache.load(&ID).is_none(), "longer");
        std::fs::write(test.entry(), &whole).unwrap();
        assert!(cache.load(&ID).is_some());
    }

    #[test]
    fn a_large_entry_is_loaded_by_several_threads() {
        let test = TestCache::new();
        let code: Vec<u8> = (0..40 * PIECE + 7).map(|at| (at % 251) as u8).collect();
        let cache = test.open();
        cache.store(&ID, &code);
        assert!(bytes(cache.load(&ID)).as_deref() == Some(&code[..]));
        // Swapped pieces must be noticed.
        let mut whole = std::fs::read(test.entry()).unwrap();
        let (first, rest) = whole[HEAD..].split_at_mut(PIECE);
        first.swap_with_slice(&mut rest[..PIECE]);
        assert!(whole[HEAD..] != code[..]);
        std::fs::write(test.entry(), &whole).unwrap();
        assert!(cache.load(&ID).is_none());
    }

    #[test]
    fn an_entry_under_another_name_is_not_loaded() {
        let test = TestCache::new();
        let cache = test.open();
        let others = [
            CodeId { hash: &[8; 32], ..ID },
            CodeId { metering: Metering::Metered, ..ID },
            CodeId { origin: Origin::Pack, ..ID },
            CodeId { compatibility: 2, ..ID },
        ];
        cache.store(&ID, b"code");
        for other in others {
            std::fs::copy(test.entry(), test.path.join(other.file_name())).unwrap();
            assert!(cache.load(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn entries_of_another_key_are_not_loaded() {
        let test = TestCache::new();
        test.open().store(&ID, b"code");
        let key = key_path(&test.path).unwrap();
        for damage in [&b""[..], b"short", &[0; 33]] {
            std::fs::write(&key, damage).unwrap();
            assert!(test.open().load(&ID).is_none());
            assert_eq!(std::fs::metadata(&key).unwrap().len(), 32, "a new one was made");
            test.open().store(&ID, b"code");
            assert!(test.open().load(&ID).is_some());
        }
        // A key that others could read may be known to them.
        let before = std::fs::read(&key).unwrap();
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(test.open().load(&ID).is_none());
        assert_ne!(std::fs::read(&key).unwrap(), before);
    }

    #[test]
    fn links_are_not_followed() {
        let test = TestCache::new();
        let cache = test.open();
        cache.store(&ID, b"code");
        let elsewhere = test.path.with_file_name("elsewhere");
        std::fs::rename(test.entry(), &elsewhere).unwrap();
        symlink(&elsewhere, test.entry()).unwrap();
        assert!(cache.load(&ID).is_none());
        let key = key_path(&test.path).unwrap();
        let moved = test.path.with_file_name("moved");
        std::fs::rename(&key, &moved).unwrap();
        symlink(&moved, &key).unwrap();
        test.open();
        assert!(std::fs::symlink_metadata(&key).unwrap().is_file(), "the link was replaced");
        let linked = test.path.with_file_name("linked");
        symlink(&test.path, &linked).unwrap();
        assert!(matches!(CompilationCache::open(&linked), Err(Error::Cache { .. })));
    }

    #[test]
    fn a_directory_open_to_others_is_refused() {
        let test = TestCache::new();
        test.open();
        std::fs::set_permissions(&test.path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(CompilationCache::open(&test.path), Err(Error::Cache { .. })));
    }

    #[test]
    fn a_directory_that_was_removed_meanwhile_is_made_again() {
        let test = TestCache::new();
        let cache = test.open();
        std::fs::remove_dir(&test.path).unwrap();
        assert!(cache.load(&ID).is_none());
        cache.store(&ID, b"code");
        assert!(cache.load(&ID).is_some());
    }

    #[test]
    fn concurrent_opens_agree_on_a_key() {
        let test = TestCache::new();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let test = &test;
                scope.spawn(move || {
                    let hash = [number; 32];
                    let id = CodeId { hash: &hash, ..ID };
                    test.open().store(&id, &[number]);
                });
            }
        });
        for number in 0..8 {
            let hash = [number; 32];
            let loaded = test.open().load(&CodeId { hash: &hash, ..ID });
            assert_eq!(bytes(loaded), Some(vec![number]));
        }
    }
}
