//! What keeping sandboxes costs: commits, snapshots, forks, opening, listing, disk.
//!
//! `cargo bench -p sandshell-store -- [MiB of the large sandbox]`. Beside it, in the same run: copying the same tree
//! with `cp -r`, committing it with git, and a database for each sandbox with files as rows. `SANDSHELL_BENCH_DIR`
//! names the disk to measure.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures and prints")]

use rusqlite::{Connection, params};
use sandshell_store::{NewSandbox, Record, Store};
use sandshell_vfs::{Access, Context, FileSystem, MemoryFs, NewBody, NewNode};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let wanted = std::env::args().filter_map(|arg| arg.parse::<u64>().ok()).next().unwrap_or(1024);
    let directory =
        tempfile::tempdir_in(std::env::var_os("SANDSHELL_BENCH_DIR").unwrap_or_else(|| "/tmp".into()));
    let directory = directory.unwrap();
    let store = Store::open(&directory.path().join("data")).unwrap();
    let root = store.template("bench", || MemoryFs::new().snapshot()).unwrap();

    commits(&store, root, 1);
    commits(&store, root, 8);
    commits(&store, root, 32);

    // What the small commits above keep is not the large sandbox's.
    let others = disk(directory.path());
    let record = store.create(root, NewSandbox::default(), "").unwrap();
    let files = store.files(&record.head).unwrap();
    for number in 0..wanted {
        write(&files, &format!("file {number}"), &noise(number, 1 << 20));
    }
    let begun = Instant::now();
    let record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
    println!("commit of {wanted} MiB: {:?}", begun.elapsed());
    drop(files);
    let before = disk(directory.path());
    println!("disk: {} MiB", before - others);

    each("snapshot", 100, |_| drop(store.snapshot(&record.id, None).unwrap()));
    each("fork", 100, |_| drop(store.fork(&record.id, None).unwrap()));
    println!("disk after 100 forks and 100 snapshots: {} MiB", disk(directory.path()) - others);
    each("open, and read one name", 100, |_| {
        let files = store.files(&store.sandbox(&record.id).unwrap().head).unwrap();
        assert!(files.walk(&Context::ROOT, &files.root(), &[b"file 0"], &[]).is_ok());
    });
    each("open the store and a sandbox anew", 100, |_| {
        let store = Store::open(&directory.path().join("data")).unwrap();
        drop(store.files(&store.sandbox(&record.id).unwrap().head).unwrap());
    });
    let files = store.files(&record.head).unwrap();
    let mut last = record.clone();
    each("commit of one byte in a large file", 20, |number| {
        let node = files.walk(&Context::ROOT, &files.root(), &[b"file 0"], &[]).unwrap().node;
        let file = files.open(&Context::USER, &node, Access { read: true, write: true }).unwrap();
        file.write_at(&[number as u8], number * 1000).unwrap();
        last = store.commit(&last, &files, &files.snapshot(), "").unwrap().unwrap();
    });

    let many = 10_000;
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                (0..many / 16).for_each(|_| drop(store.create(root, NewSandbox::default(), "").unwrap()))
            });
        }
    });
    each("list of 10,000", 10, |_| assert!(store.list(&[], 0, 20_000).unwrap().sandboxes.len() >= many));
    each("collection, nothing to remove", 1, |_| {
        store.collect(true, &mut |_| {}).unwrap();
    });
    beside(directory.path(), wanted);
    sqlite_form(directory.path(), wanted);
}

/// Small commits of this many sandboxes at once.
fn commits(store: &Store, root: sandshell_vfs::BlobId, sandboxes: usize) {
    let each = 400 / sandboxes.min(4);
    let records: Vec<Record> =
        (0..sandboxes).map(|_| store.create(root, NewSandbox::default(), "").unwrap()).collect();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for mut record in records {
            scope.spawn(move || {
                let files = store.files(&record.head).unwrap();
                for number in 0..each {
                    write(&files, &format!("file {}", number % 50), &noise(number as u64, 400));
                    record = store.commit(&record, &files, &files.snapshot(), "").unwrap().unwrap();
                }
            });
        }
    });
    let took = begun.elapsed();
    let rate = (each * sandboxes) as f64 / took.as_secs_f64();
    println!("small commits, {sandboxes} sandboxes at once: {rate:.0} a second");
}

fn each(what: &str, times: u64, mut work: impl FnMut(u64)) {
    let mut took: Vec<Duration> = (0..times)
        .map(|number| {
            let begun = Instant::now();
            work(number);
            begun.elapsed()
        })
        .collect();
    took.sort();
    println!("{what}: {:?} (middle of {times})", took[took.len() / 2]);
}

fn beside(directory: &Path, wanted: u64) {
    let tree = directory.join("tree");
    std::fs::create_dir(&tree).unwrap();
    for number in 0..wanted {
        std::fs::write(tree.join(format!("file {number}")), noise(number, 1 << 20)).unwrap();
    }
    let run = |program: &str, args: &[&str]| {
        let begun = Instant::now();
        let done = Command::new(program).args(args).current_dir(&tree).stdout(Stdio::null()).status();
        if done.is_ok_and(|status| status.success()) {
            println!("beside: {program} {}: {:?}", args.join(" "), begun.elapsed());
        } else {
            println!("beside: {program} {}: failed", args.join(" "));
        }
    };
    run("cp", &["-r", ".", "../copy"]);
    run("git", &["init", "-q"]);
    run("git", &["add", "."]);
    run("git", &["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "x"]);
}

/// The same with a filesystem whose files are rows of one database for each sandbox, in pieces of 4 KiB: the form that
/// other stores of agents' files have.
fn sqlite_form(directory: &Path, wanted: u64) {
    const PIECE: usize = 4096;
    let at = directory.join("form.db");
    let open = || {
        let connection = Connection::open(&at).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;").unwrap();
        connection
    };
    let mut connection = open();
    connection
        .execute_batch(
            "CREATE TABLE names(name TEXT PRIMARY KEY, file INTEGER NOT NULL);
             CREATE TABLE pieces(file INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY(file, number));",
        )
        .unwrap();
    let put = |connection: &Connection, file: u64, bytes: &[u8]| {
        let mut name = connection.prepare_cached("INSERT OR REPLACE INTO names VALUES(?1, ?2)").unwrap();
        name.execute(params![format!("file {file}"), file as i64]).unwrap();
        let mut piece =
            connection.prepare_cached("INSERT OR REPLACE INTO pieces VALUES(?1, ?2, ?3)").unwrap();
        for (number, bytes) in bytes.chunks(PIECE).enumerate() {
            piece.execute(params![file as i64, number as i64, bytes]).unwrap();
        }
    };
    let (times, begun) = (400, Instant::now());
    for number in 0..times {
        let transaction = connection.transaction().unwrap();
        put(&transaction, number % 50, &noise(number, 400));
        transaction.commit().unwrap();
    }
    println!(
        "beside: files as rows, small commits: {:.0} a second",
        times as f64 / begun.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    let transaction = connection.transaction().unwrap();
    (0..wanted).for_each(|number| put(&transaction, number, &noise(number, 1 << 20)));
    transaction.commit().unwrap();
    println!("beside: files as rows, commit of {wanted} MiB: {:?}", begun.elapsed());
    let begun = Instant::now();
    connection.execute("VACUUM INTO ?1", [directory.join("form copy.db").to_string_lossy()]).unwrap();
    let copy = directory.join("form copy.db").metadata().unwrap().len() >> 20;
    println!("beside: files as rows, one fork: {:?}, {copy} MiB more", begun.elapsed());
    drop(connection);
    each("beside: files as rows, open and read one name", 100, |_| {
        let found: i64 =
            open().query_row("SELECT file FROM names WHERE name = 'file 0'", [], |row| row.get(0)).unwrap();
        assert_eq!(found, 0);
    });
}

fn disk(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory.join("data")).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap())
        .filter(|file| file.is_file())
        .map(|file| file.len())
        .sum::<u64>()
        >> 20
}

fn write(files: &MemoryFs, name: &str, bytes: &[u8]) {
    let new = NewNode { body: NewBody::File, mode: 0o644, uid: 1000, gid: 1000 };
    let node = match files.walk(&Context::ROOT, &files.root(), &[name.as_bytes()], &[]) {
        Ok(walk) => walk.node,
        Err(_) => files.create(&files.root(), name.as_bytes(), &new).unwrap(),
    };
    let file = files.open(&Context::USER, &node, Access { read: true, write: true }).unwrap();
    assert_eq!(file.write_at(bytes, 0), Ok(bytes.len()));
}

fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}
