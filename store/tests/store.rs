//! What a store keeps, and what it refuses.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;

use files::{make, node, noise, open, read, write};
use sandshell_store::{Excerpt, NewSandbox, Record, Store, StoreError, User};
use sandshell_vfs::{Context, FileSystem, MemoryFs, NewBody};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

fn store() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("data")).unwrap();
    (directory, store)
}

fn new_sandbox(store: &Store, files: &MemoryFs) -> Record {
    let root = store.template("test", || files.snapshot()).unwrap();
    store.create(root, NewSandbox::default(), "created").unwrap()
}

#[test]
fn everything_is_there_again() {
    let (_directory, store) = store();
    let files = MemoryFs::new();
    let record = new_sandbox(&store, &files);
    let files = store.files(&record.head).unwrap();
    let lock = store.lock(&record).unwrap();
    make(&files, "d", NewBody::Directory);
    write(&files, "d/small", b"small");
    write(&files, "d/middle", &noise(1, 5000));
    write(&files, "large", &noise(2, 300_000));
    let sparse = open(&files, "sparse");
    sparse.write_at(b"end", 1 << 40).unwrap();
    sparse.write_at(&noise(3, 70_000), 1 << 30).unwrap();
    make(&files, "link", NewBody::Symlink(b"d/small"));
    make(&files, "fifo", NewBody::Fifo);
    files.link(&node(&files, "large").unwrap(), &files.root(), b"hard").unwrap();
    for number in 0..1000 {
        write(&files, &format!("d/file number {number}"), number.to_string().as_bytes());
    }
    let usage = files.usage();
    let record = store.commit(&record, &files, &files.snapshot(), "made").unwrap().unwrap();
    assert_eq!(store.commit(&record, &files, &files.snapshot(), "same").unwrap(), None, "nothing changed");
    drop(lock);

    // As another process would see it.
    let other = Store::open(store.path()).unwrap();
    let again = other.sandbox(&record.id).unwrap();
    assert_eq!(again, record);
    for files in [&files, &other.files(&again.head).unwrap()] {
        assert_eq!(files.usage(), usage);
        assert_eq!(read(files, "d/small"), b"small");
        assert_eq!(read(files, "d/middle"), noise(1, 5000));
        assert_eq!(read(files, "hard"), noise(2, 300_000));
        assert_eq!(files.metadata(&node(files, "large").unwrap()).unwrap().nlink, 2);
        assert_eq!(node(files, "large").unwrap().ino(), node(files, "hard").unwrap().ino());
        let sparse = open(files, "sparse");
        let chunk = 1 << 16;
        let first = (1 << 30)..(1 << 30) + 70_000;
        assert_eq!(sparse.next_data(0), Ok(Some(first.clone())));
        let next = sparse.next_data(first.end).unwrap().unwrap();
        assert!(next.start >= (1 << 40) - chunk && next.end == (1 << 40) + 3, "{next:?}");
        let mut bytes = vec![0; 70_000];
        assert_eq!(sparse.read_at(&mut bytes, 1 << 30), Ok(70_000));
        assert_eq!(bytes, noise(3, 70_000));
        let link = node(files, "link").unwrap();
        assert_eq!(files.read_link(&Context::ROOT, &link).unwrap(), b"d/small");
        for number in 0..1000 {
            assert_eq!(read(files, &format!("d/file number {number}")), number.to_string().as_bytes());
        }
    }
    assert_eq!(store.check(&mut |_| {}).unwrap().damage, Vec::<String>::new());
}

#[test]
fn a_small_change_writes_little() {
    let (_directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&record.head).unwrap();
    make(&files, "d", NewBody::Directory);
    for number in 0..5000 {
        write(&files, &format!("d/{number}"), &noise(number, 600));
    }
    write(&files, "large", &noise(9, 40 << 20));
    let record = store.commit(&record, &files, &files.snapshot(), "much").unwrap().unwrap();
    let stored = |store: &Store| {
        let all = store.collect(true, &mut |_| {}).unwrap();
        all.kept_bytes + all.removed_bytes
    };
    let before = stored(&store);
    // In a filesystem that was opened anew, where nothing was read yet.
    let files = store.files(&record.head).unwrap();
    open(&files, "large").write_at(b"x", 20 << 20).unwrap();
    write(&files, "d/77", b"other");
    store.commit(&record, &files, &files.snapshot(), "little").unwrap().unwrap();
    let grown = stored(&store) - before;
    assert!(grown < 100_000, "{grown} bytes for one chunk and one name");
    let mut expected = noise(9, 40 << 20);
    expected[20 << 20] = b'x';
    assert!(read(&files, "large") == expected);
}

#[test]
fn states_snapshots_and_forks() {
    let (_directory, store) = store();
    let first = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&first.head).unwrap();
    write(&files, "f", b"one");
    let second = store.commit(&first, &files, &files.snapshot(), "echo one").unwrap().unwrap();
    let snapshot = store.snapshot(&first.id, Some("prepared")).unwrap();
    write(&files, "f", b"two");
    let third = store.commit(&second, &files, &files.snapshot(), "echo two").unwrap().unwrap();
    let what: Vec<_> =
        store.log(&first.id).unwrap().into_iter().map(|state| (state.number, state.what)).collect();
    assert_eq!(what, [(3, "echo two".into()), (2, "echo one".into()), (1, "created".into())]);

    let fork = store.fork(&first.id, None).unwrap();
    assert_eq!(fork.head, third.head);
    let of_fork = store.files(&fork.head).unwrap();
    write(&of_fork, "f", b"of the fork");
    store.commit(&fork, &of_fork, &of_fork.snapshot(), "").unwrap();
    assert_eq!(read(&store.files(&store.sandbox(&first.id).unwrap().head).unwrap(), "f"), b"two");

    assert!(matches!(store.snapshot(&first.id, Some("prepared")), Err(StoreError::NameTaken(_))));
    assert!(matches!(store.snapshot(&first.id, Some("")), Err(StoreError::BadName(..))));
    store.delete(&first.id).unwrap();
    store.delete(&first.id).unwrap();
    assert!(matches!(store.sandbox(&first.id), Err(StoreError::NoSandbox(_))));
    assert!(matches!(store.snapshot(&first.id, None), Err(StoreError::NoSandbox(_))));
    let lost = store.commit(
        &third,
        &files,
        &{
            write(&files, "f", b"3");
            files.snapshot()
        },
        "",
    );
    assert!(matches!(lost, Err(StoreError::Deleted(_))), "{lost:?}");

    store.collect(false, &mut |_| {}).unwrap();
    for name in ["prepared", &*snapshot.id] {
        let found = store.find_snapshot(name).unwrap();
        assert_eq!(read(&store.files(&found.root).unwrap(), "f"), b"one");
    }
    store.delete_snapshot("prepared").unwrap();
    assert!(matches!(store.find_snapshot("prepared"), Err(StoreError::NoSnapshot(_))));
    assert_eq!(read(&store.files(&store.sandbox(&fork.id).unwrap().head).unwrap(), "f"), b"of the fork");
}

#[test]
fn garbage_is_removed_and_nothing_else() {
    let (_directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&record.head).unwrap();
    write(&files, "kept", &noise(1, 1 << 20));
    let record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
    let other = store.fork(&record.id, None).unwrap();
    let of_other = store.files(&other.head).unwrap();
    write(&of_other, "garbage", &noise(2, 3 << 20));
    store.commit(&other, &of_other, &of_other.snapshot(), "").unwrap();
    store.delete(&other.id).unwrap();
    let would = store.collect(true, &mut |_| {}).unwrap();
    assert!(would.removed_bytes >= 3 << 20 && would.removed_bytes < 4 << 20, "{would:?}");
    assert_eq!(store.collect(false, &mut |_| {}).unwrap(), would);
    assert_eq!(store.collect(false, &mut |_| {}).unwrap().removed, 0);
    assert_eq!(read(&store.files(&record.head).unwrap(), "kept"), noise(1, 1 << 20));
    assert_eq!(store.check(&mut |_| {}).unwrap().damage, Vec::<String>::new());
}

#[test]
fn old_states_are_thinned_out() {
    let (_directory, store) = store();
    let mut record = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&record.head).unwrap();
    for number in 0..300 {
        write(&files, "f", number.to_string().as_bytes());
        record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
    }
    let log = store.log(&record.id).unwrap();
    assert!(log.len() >= 200 && log.len() < 240, "{}", log.len());
    assert_eq!(log[0].number, 301);
    assert!(matches!(store.state(&record.id, 7), Err(StoreError::NoState(..))));
    let old = store.state(&record.id, 250).unwrap();
    assert_eq!(read(&store.files(&old.root).unwrap(), "f"), b"248");
}

#[test]
fn listing_in_pages_and_by_label() {
    let (_directory, store) = store();
    let root = new_sandbox(&store, &MemoryFs::new()).head;
    let label = |number: usize| ("job".to_owned(), (number % 2).to_string());
    let mut ids = Vec::new();
    for number in 0..5 {
        let new =
            NewSandbox { labels: vec![label(number), ("x".into(), "y".into())], ..NewSandbox::default() };
        ids.push(store.create(root, new, "").unwrap().id);
    }
    let listed = |labels: &[(String, String)], limit| {
        let (mut after, mut found) = (0, Vec::new());
        loop {
            let page = store.list(labels, after, limit).unwrap();
            assert!(page.sandboxes.len() <= limit);
            found.extend(page.sandboxes.into_iter().map(|record| record.id));
            match page.next {
                Some(next) => after = next,
                None => return found,
            }
        }
    };
    assert_eq!(listed(&[], 2).len(), 6);
    assert_eq!(listed(&[label(0)], 2), [&*ids[0], &ids[2], &ids[4]]);
    assert_eq!(listed(&[("x".into(), "y".into()), label(1)], 1), [&*ids[1], &ids[3]]);
    assert!(listed(&[("x".into(), "z".into())], 9).is_empty());
}

#[test]
fn times_are_limits() {
    let (_directory, store) = store();
    let root = new_sandbox(&store, &MemoryFs::new()).head;
    let zero = Some(Duration::ZERO);
    let over = store.create(root, NewSandbox { hard_ttl: zero, ..NewSandbox::default() }, "").unwrap();
    assert!(matches!(store.sandbox(&over.id), Err(StoreError::NoSandbox(_))));
    let idle = store.create(root, NewSandbox { ttl: zero, ..NewSandbox::default() }, "").unwrap();
    assert!(store.sandbox(&idle.id).unwrap().is_parked());
    let woken = store.change(&idle.id, |record| record.ttl = Some(Duration::from_secs(3600))).unwrap();
    assert!(!woken.is_parked());
    assert!(store.change(&idle.id, |record| record.paused = true).unwrap().is_parked());
}

#[test]
fn one_writer_at_a_time() {
    let (_directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let lock = store.lock(&record).unwrap();
    let again = Store::open(store.path()).unwrap().lock(&record);
    assert!(matches!(again, Err(StoreError::InUse { by: None, .. })), "{again:?}");
    drop(lock);
    store.lock(&record).unwrap();
}

#[test]
fn a_large_commit_leaves_no_large_log() {
    let (_directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&record.head).unwrap();
    for number in 0..48 {
        write(&files, &format!("file {number}"), &noise(2 * number, 1 << 20));
    }
    let record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
    // What is asked for next comes after the log was shortened.
    store.snapshot(&record.id, None).unwrap();
    let size = |name: &str| std::fs::metadata(store.path().join(name)).unwrap().len();
    assert!(size("store.db-wal") < 9 << 20, "{}", size("store.db-wal"));
    assert!(size("store.db") > 48 << 20, "the bytes are there");
    // Another process reads all of it, as it is.
    let other = Store::open(store.path()).unwrap();
    let again = other.files(&other.sandbox(&record.id).unwrap().head).unwrap();
    assert_eq!(read(&again, "file 47"), noise(2 * 47, 1 << 20));
}

#[test]
fn damage_is_found_and_never_read() {
    let (_directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let files = store.files(&record.head).unwrap();
    write(&files, "good", &noise(1, 5000));
    write(&files, "bad", &noise(2, 5000));
    let record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
    let at = store.path().to_owned();
    drop((files, store));

    // Somebody flips one bit of a file's bytes.
    let database = at.join("store.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let wal = at.join("store.db-wal");
    let (path, place) = match find(&bytes, &noise(2, 5000)[..32]) {
        Some(place) => (&database, place),
        None => {
            bytes = std::fs::read(&wal).unwrap();
            (&wal, find(&bytes, &noise(2, 5000)[..32]).unwrap())
        }
    };
    assert_eq!(path, &database, "the last connection moved everything there");
    bytes[place + 3] ^= 4;
    std::fs::write(path, &bytes).unwrap();

    let store = Store::open(&at).unwrap();
    let files = store.files(&record.head).unwrap();
    assert_eq!(read(&files, "good"), noise(1, 5000));
    let mut buffer = vec![0; 10];
    assert_eq!(open(&files, "bad").read_at(&mut buffer, 0), Err(sandshell_vfs::Errno::Io));
    let damage = store.check(&mut |_| {}).unwrap().damage;
    assert!(damage.iter().any(|line| line.contains(&record.id)), "{damage:?}");
    // What is needed for knowing what is garbage is not damaged.
    store.collect(false, &mut |_| {}).unwrap();
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// A directory that was made before often lets everybody read.
#[test]
fn only_its_user_reads_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755)).unwrap();
    let modes = |store: &Store| {
        store.calls("none", 1).ok();
        let mut modes = Vec::new();
        for entry in std::fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            modes.push((entry.file_name(), entry.metadata().unwrap().permissions().mode() & 0o077));
        }
        assert!(modes.len() > 2, "{modes:?}");
        modes.into_iter().filter(|(_, others)| *others != 0).collect::<Vec<_>>()
    };
    let store = Store::open(at).unwrap();
    let record = new_sandbox(&store, &MemoryFs::new());
    store.begin_call(&record, None, "echo secret").end(Some(0), &Excerpt::of(b"secret"), None);
    store.settle_journal();
    assert_eq!(modes(&store), []);
    // Also those of a version that left this to the mask.
    for file in ["store.db", "store.db-wal", "store.db-shm"] {
        std::fs::set_permissions(at.join(file), std::fs::Permissions::from_mode(0o644)).ok();
    }
    drop(store);
    assert_eq!(modes(&Store::open(at).unwrap()), []);
}

#[test]
fn what_is_not_a_store_of_ours_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |at: &Path, why: &str| {
        let error = Store::open(at).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    let at = directory.path().join("link");
    symlink("/tmp", &at).unwrap();
    refused(&at, "a link is not followed");

    let at = directory.path().join("open");
    std::fs::create_dir(&at).unwrap();
    std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o777)).unwrap();
    refused(&at, "other users may write to it");

    let at = directory.path().join("file");
    std::fs::write(&at, "x").unwrap();
    refused(&at, "not a directory");

    let at = directory.path().join("text");
    drop(Store::open(&at).unwrap());
    std::fs::remove_file(at.join("store.db-wal")).ok();
    std::fs::write(at.join("store.db"), "something else entirely, and long enough").unwrap();
    refused(&at, "");

    // Only the superuser can give files away.
    let at = directory.path().join("theirs");
    std::fs::create_dir(&at).unwrap();
    if std::os::unix::fs::chown(&at, Some(12345), None).is_ok() {
        refused(&at, "it belongs to another user");
    }
    assert!(Store::existing(&directory.path().join("none")).unwrap().is_none());
}

#[test]
fn a_newer_format_is_refused() {
    let (_directory, store) = store();
    let at = store.path().to_owned();
    drop(store);
    let database = at.join("store.db");
    let mut bytes = std::fs::read(&database).unwrap();
    // The user version, in the header of every SQLite database.
    bytes[60..64].copy_from_slice(&9_u32.to_be_bytes());
    std::fs::write(&database, bytes).unwrap();
    let error = Store::open(&at).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 9, known: 1, .. }), "{error}");
}

#[test]
fn calls_are_noted_beside_the_states() {
    let (directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    assert!(store.calls(&record.id, 10).unwrap().is_empty());
    assert!(!directory.path().join("data/journal.db").exists());

    store.begin_call(&record, None, "echo hi").end(Some(3), &Excerpt::of(b"hi\n"), Some(2));
    drop(store.begin_call(&record, Some("main"), "given up"));
    let open = store.begin_call(&record, None, &"ü".repeat(5000));
    store.settle_journal();
    // Another process sees them at once.
    let other = Store::open(&directory.path().join("data")).unwrap();
    let calls = other.calls(&record.id, 10).unwrap();
    assert_eq!(calls.len(), 3);
    assert_eq!((calls[0].command.len(), &calls[0].end), (4096, &None));
    assert_eq!((calls[1].session.as_deref(), calls[1].end.as_ref().unwrap().status), (Some("main"), None));
    let end = calls[2].end.as_ref().unwrap();
    assert_eq!((&*calls[2].command, end.status, end.written, end.state), ("echo hi", Some(3), 3, Some(2)));
    assert_eq!(calls[2].process, std::process::id());
    let output = other.call_output(&record.id, calls[2].number).unwrap().unwrap();
    assert_eq!((output.head(), output.missing()), (&b"hi\n"[..], 0));
    assert_eq!(other.call_output(&record.id, 99).unwrap(), None);

    // Those of another sandbox are its own, and go with it.
    let second = new_sandbox(&store, &MemoryFs::new());
    store.begin_call(&second, None, "ls").end(Some(0), &Excerpt::default(), None);
    store.settle_journal();
    assert_eq!(other.call_output(&second.id, calls[2].number).unwrap(), None);
    assert_eq!(store.calls(&second.id, 10).unwrap().len(), 1);
    open.end(None, &Excerpt::default(), None);
    store.delete(&record.id).unwrap();
    store.settle_journal();
    assert!(matches!(store.calls(&record.id, 10), Err(StoreError::NoSandbox(_))));
    let bytes = rusqlite::Connection::open(directory.path().join("data/journal.db")).unwrap();
    let left: i64 = bytes.query_row("SELECT count(*) FROM calls", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1);
}

#[test]
fn the_journal_is_bounded_and_never_in_the_way() {
    let (directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    for number in 0..400 {
        store.begin_call(&record, None, &number.to_string()).end(Some(0), &Excerpt::default(), None);
    }
    store.settle_journal();
    let calls = store.calls(&record.id, 1000).unwrap();
    assert!((200..216).contains(&calls.len()), "{}", calls.len());
    assert_eq!(calls[0].command, "399");
    drop(store);

    // A journal that cannot be used costs the journal alone.
    for bytes in [&b"no database at all, and long enough to be told from one"[..], b""] {
        let at = directory.path().join("data/journal.db");
        for file in ["journal.db-wal", "journal.db-shm"] {
            let _ = std::fs::remove_file(directory.path().join("data").join(file));
        }
        std::fs::write(&at, bytes).unwrap();
        let store = Store::open(&directory.path().join("data")).unwrap();
        store.begin_call(&record, None, "ls").end(Some(0), &Excerpt::default(), None);
        store.settle_journal();
        assert_eq!(store.calls(&record.id, 9).is_ok(), bytes.is_empty());
        assert_eq!(store.log(&record.id).unwrap().len(), 1);
        store.collect(false, &mut |_| {}).unwrap();
    }
}

#[test]
fn who_uses_a_sandbox_and_what_changes_can_be_asked() {
    let (directory, store) = store();
    let record = new_sandbox(&store, &MemoryFs::new());
    let other = Store::open(&directory.path().join("data")).unwrap();
    let mut watch = other.watch().unwrap();
    assert!(!watch.changed().unwrap());
    assert_eq!(store.user(&record).unwrap(), User::Nobody);
    let lock = store.lock(&record).unwrap();
    assert_eq!(other.user(&record).unwrap(), User::ThisProcess);
    // Asking took nothing.
    assert!(matches!(other.lock(&record), Err(StoreError::InUse { .. })));
    drop(lock);
    assert_eq!(store.user(&record).unwrap(), User::Nobody);
    store.change(&record.id, |record| record.paused = true).unwrap();
    assert!(watch.changed().unwrap());
    assert!(!watch.changed().unwrap());
    store.begin_call(&record, None, "ls").end(Some(0), &Excerpt::default(), None);
    store.settle_journal();
    assert!(watch.changed().unwrap());
    assert!(!watch.changed().unwrap());
    store.begin_call(&record, None, "ls").end(Some(0), &Excerpt::default(), None);
    store.settle_journal();
    assert!(watch.changed().unwrap());
}
