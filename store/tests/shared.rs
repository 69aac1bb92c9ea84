//! A store in an object store: several hosts, and everything that can go wrong between them and it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the counts are shown with --nocapture")]

mod files;

use bytes::Bytes;
use files::{noise, open, read, write};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use sandshell_store::{NewSandbox, Record, SandboxLock, SharedOptions, Store, StoreError};
use sandshell_vfs::{Errno, MemoryFs, briefly, until};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What happens to the next request that writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// It is not done.
    Fails,
    /// It is done, but the answer is lost.
    AnswerLost,
    /// It is done later, and the answer is an error.
    Late,
    /// It takes some time.
    Slow,
}

/// A host's way to the objects.
#[derive(Debug)]
struct Way {
    objects: Arc<InMemory>,
    /// The faults of the next writes.
    faults: Mutex<Vec<Fault>>,
    /// Whether nothing works.
    cut: Mutex<bool>,
    /// How long every request takes.
    delay: Mutex<Duration>,
    /// How much older all objects are than they say.
    age: Mutex<Duration>,
    puts: AtomicU64,
    gets: AtomicU64,
}

impl Way {
    async fn go(&self) -> Result<()> {
        let delay = *self.delay.lock().unwrap();
        tokio::time::sleep(delay).await;
        if *self.cut.lock().unwrap() { Err(broken()) } else { Ok(()) }
    }

    fn cut(&self, cut: bool) {
        *self.cut.lock().unwrap() = cut;
    }
}

fn broken() -> Error {
    Error::Generic { store: "test", source: "the connection broke".into() }
}

#[async_trait::async_trait]
impl ObjectStore for Way {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.go().await?;
        self.puts.fetch_add(1, Ordering::SeqCst);
        // The record of the host is written at any time. A blob whose answer is lost is written again with the next
        // commit.
        let name = location.as_ref();
        let fault = {
            let mut faults = self.faults.lock().unwrap();
            let spared = name.contains("hosts/")
                || name.contains("blobs/") && faults.last() == Some(&Fault::AnswerLost);
            if spared { None } else { faults.pop() }
        };
        let put = |objects: Arc<InMemory>, location: Path| async move {
            objects.put_opts(&location, payload, options).await
        };
        match fault {
            None => put(self.objects.clone(), location.clone()).await,
            Some(Fault::Fails) => Err(broken()),
            Some(Fault::AnswerLost) => put(self.objects.clone(), location.clone()).await.and(Err(broken())),
            Some(Fault::Late) => {
                let put = put(self.objects.clone(), location.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    let _ = put.await;
                });
                Err(broken())
            }
            Some(Fault::Slow) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                put(self.objects.clone(), location.clone()).await
            }
        }
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.go().await?;
        self.gets.fetch_add(1, Ordering::SeqCst);
        self.objects.get_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        if *self.cut.lock().unwrap() {
            return locations.map(|_| Err(broken())).boxed();
        }
        self.objects.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let age = *self.age.lock().unwrap();
        let list = self.objects.list(prefix);
        list.map(move |found| {
            found.map(|meta| ObjectMeta { last_modified: meta.last_modified - age, ..meta })
        })
        .boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects of a test")
    }
}

/// A machine that uses the objects.
struct Machine {
    way: Arc<Way>,
    store: Store,
    _cache: tempfile::TempDir,
}

/// How long leases last here.
const TERM: Duration = Duration::from_millis(600);

fn machine(objects: &Arc<InMemory>) -> Machine {
    let way = Arc::new(Way {
        objects: objects.clone(),
        faults: Mutex::default(),
        cut: Mutex::default(),
        delay: Mutex::default(),
        age: Mutex::default(),
        puts: AtomicU64::default(),
        gets: AtomicU64::default(),
    });
    let cache = tempfile::tempdir().unwrap();
    let at = cache.path().join("cache");
    let store =
        Store::over(way.clone(), Path::from("some/where"), "test://objects", Some(TERM), &at).unwrap();
    Machine { way, store, _cache: cache }
}

/// A sandbox in use.
struct Open {
    record: Record,
    files: MemoryFs,
    _lock: SandboxLock,
}

impl Machine {
    fn create(&self) -> Record {
        let root = self.store.template("test", || MemoryFs::new().snapshot()).unwrap();
        self.store.create(root, NewSandbox::default(), "created").unwrap()
    }

    fn open(&self, id: &str) -> Result<Open, StoreError> {
        let record = self.store.sandbox(id)?;
        let lock = self.store.lock(&record)?;
        let record = self.store.sandbox(id)?;
        let files = self.store.files(&record.head)?;
        Ok(Open { record, files, _lock: lock })
    }

    fn commit(&self, open: &mut Open, what: &str) -> Result<(), StoreError> {
        if let Some(record) = self.store.commit(&open.record, &open.files, &open.files.snapshot(), what)? {
            open.record = record;
        }
        Ok(())
    }

    fn look(&self, id: &str) -> MemoryFs {
        self.store.files(&self.store.sandbox(id).unwrap().head).unwrap()
    }
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

#[test]
fn another_machine_goes_on() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let id = one.create().id;
    let mut open_here = one.open(&id).unwrap();
    write(&open_here.files, "small", b"here");
    write(&open_here.files, "large", &noise(1, 300_000));
    one.commit(&mut open_here, "on one").unwrap();

    // While it is in use there, others can look but not write.
    assert_eq!(read(&other.look(&id), "small"), b"here");
    let refused = other.open(&id).err().unwrap();
    assert!(matches!(refused, StoreError::Leased { .. }), "{refused}");
    assert!(refused.to_string().contains(&std::process::id().to_string()), "{refused}");
    let again = one.store.lock(&open_here.record);
    assert!(matches!(again, Err(StoreError::InUse { by: None, .. })), "{again:?}");
    drop(open_here);

    let mut there = other.open(&id).unwrap();
    assert_eq!(
        (read(&there.files, "small"), read(&there.files, "large")),
        (b"here".to_vec(), noise(1, 300_000))
    );
    write(&there.files, "small", b"there");
    other.commit(&mut there, "on the other").unwrap();
    drop(there);
    assert_eq!(read(&one.look(&id), "small"), b"there");
    let log: Vec<_> = one.store.log(&id).unwrap().into_iter().map(|state| state.what).collect();
    assert_eq!(log, ["on the other", "on one", "created"]);
    assert_eq!(one.store.list(&[], 0, 10).unwrap().sandboxes.len(), 1);
    assert_eq!(one.store.check(&mut |_| {}).unwrap().damage, Vec::<String>::new());
    other.store.delete(&id).unwrap();
    assert!(matches!(one.store.sandbox(&id), Err(StoreError::NoSandbox(_))));
}

#[test]
fn small_commits_are_one_request() {
    let objects = Arc::new(InMemory::new());
    let one = machine(&objects);
    let id = one.create().id;
    let mut open = one.open(&id).unwrap();
    let before = one.way.puts.load(Ordering::SeqCst);
    let started = Instant::now();
    for step in 0..500 {
        write(&open.files, &format!("file {}", step % 20), format!("step {step}").as_bytes());
        one.commit(&mut open, &format!("step {step}")).unwrap();
    }
    let puts = one.way.puts.load(Ordering::SeqCst) - before;
    println!("{puts} requests that write for 500 commits, {:?}", started.elapsed());
    assert!(puts < 4 * 500, "{puts}");
    let log = one.store.log(&id).unwrap();
    let numbers: Vec<_> = log.iter().map(|state| state.number).collect();
    assert!(
        numbers.len() >= 200 && numbers.iter().copied().eq((0..).map(|back| 501 - back).take(numbers.len())),
        "{numbers:?}"
    );
    assert_eq!(log[0].what, "step 499");

    // A machine that has nothing yet sees every state.
    let other = machine(&objects);
    assert_eq!(other.store.log(&id).unwrap(), log);
    for back in [0, 50, 199] {
        let files = other.store.files(&log[back].root).unwrap();
        assert_eq!(
            read(&files, &format!("file {}", (499 - back) % 20)),
            format!("step {}", 499 - back).as_bytes()
        );
    }
}

#[test]
fn a_lost_lease_commits_nothing() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let id = one.create().id;
    let mut lost = one.open(&id).unwrap();
    write(&lost.files, "file", b"acknowledged");
    one.commit(&mut lost, "acknowledged").unwrap();
    write(&lost.files, "file", b"never acknowledged");
    one.way.cut(true);
    let failed = one.commit(&mut lost, "cut").err().unwrap();
    assert!(matches!(failed, StoreError::Unreachable { .. }), "{failed}");

    // The lease lasts for a while, and then another machine takes it.
    let until = Instant::now() + 20 * TERM;
    let mut there = loop {
        match other.open(&id) {
            Err(StoreError::Leased { .. }) if Instant::now() < until => std::thread::sleep(TERM / 10),
            opened => break opened.unwrap(),
        }
    };
    assert_eq!(read(&there.files, "file"), b"acknowledged");
    one.way.cut(false);
    let failed = one.commit(&mut lost, "too late").err().unwrap();
    assert!(matches!(failed, StoreError::LeaseLost { by: Some(_), .. }), "{failed}");
    write(&there.files, "file", b"there");
    other.commit(&mut there, "there").unwrap();
    let failed = one.commit(&mut lost, "too late").err().unwrap();
    assert!(matches!(failed, StoreError::LeaseLost { .. }), "{failed}");
    // Giving back what is not one's own does nothing.
    drop(lost);
    write(&there.files, "file", b"still there");
    other.commit(&mut there, "still there").unwrap();
    drop(there);
    assert_eq!(read(&one.look(&id), "file"), b"still there");
}

#[test]
fn a_lease_that_is_renewed_lasts() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let id = one.create().id;
    let held = one.open(&id).unwrap();
    let until = Instant::now() + 3 * TERM;
    while Instant::now() < until {
        assert!(matches!(other.open(&id), Err(StoreError::Leased { .. })));
        std::thread::sleep(TERM / 5);
    }
    drop(held);
    let Machine { way, store, _cache } = one;
    drop(store);
    // One that goes leaves nothing that others would wait for.
    let hosts = Path::from("some/where/hosts");
    assert_eq!(wait(way.objects.list(Some(&hosts)).count()), 1, "the other one's");
    other.open(&id).unwrap();
}

#[test]
fn answers_may_be_lost() {
    use Fault::{AnswerLost, Fails, Late, Slow};
    let objects = Arc::new(InMemory::new());
    let one = machine(&objects);
    let id = one.create().id;
    let mut open = one.open(&id).unwrap();
    let mut state = 7_u64;
    let (mut acknowledged, mut refused) = (0, 0);
    for step in 0..400_u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let fault = [None, Some(Fails), Some(AnswerLost), Some(Late), Some(Slow)][(state >> 40) as usize % 5];
        let size = [10, 500, 20_000][(state >> 50) as usize % 3];
        write(&open.files, "file", &noise(step, size));
        write(&open.files, &format!("file {}", step % 7), &step.to_le_bytes());
        one.way.faults.lock().unwrap().extend(fault);
        match one.commit(&mut open, "") {
            Ok(()) => {
                acknowledged += 1;
                if step % 10 == 0 {
                    // What was acknowledged is there for a machine that knows nothing.
                    let there = machine(&objects).look(&id);
                    assert_eq!(read(&there, "file"), noise(step, size), "step {step}");
                    assert_eq!(read(&there, &format!("file {}", step % 7)), step.to_le_bytes());
                }
            }
            Err(StoreError::Unreachable { .. }) => {
                assert!(matches!(fault, Some(Fails | Late)), "step {step}: {fault:?}");
                refused += 1;
                if fault == Some(Late) && step % 3 == 0 {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            Err(error) => panic!("step {step}: {error}"),
        }
        one.way.faults.lock().unwrap().clear();
    }
    println!("{acknowledged} acknowledged, {refused} refused");
    assert!(acknowledged > 200 && refused > 50);
    one.commit(&mut open, "the end").unwrap();
    assert_eq!(one.store.check(&mut |_| {}).unwrap().damage, Vec::<String>::new());
}

#[test]
fn nobody_waits_on_a_thread_of_guests() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let id = one.create().id;
    let mut open_here = one.open(&id).unwrap();
    write(&open_here.files, "file", &noise(1, 50_000));
    write(&open_here.files, "another", &noise(2, 50_000));
    one.commit(&mut open_here, "").unwrap();
    let there = other.look(&id);
    let file = open(&there, "file");
    let another = open(&there, "another");
    *other.way.delay.lock().unwrap() = Duration::from_secs(300);
    let mut buffer = [0; 100];
    let started = Instant::now();
    assert_eq!(briefly(|| file.read_at(&mut buffer, 0)), Err(Errno::Restart));
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    let given_up = Arc::new(move || started.elapsed() > Duration::from_millis(100));
    assert_eq!(until(given_up, || file.read_at(&mut buffer, 0)), Err(Errno::Intr));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    *other.way.delay.lock().unwrap() = Duration::ZERO;
    assert_eq!(until(Arc::new(|| false), || file.read_at(&mut buffer, 0)), Ok(100));
    assert_eq!(buffer, noise(1, 50_000)[..100]);
    assert_eq!(briefly(|| file.read_at(&mut buffer, 0)), Ok(100), "it is here now");
    other.way.cut(true);
    assert_eq!(another.read_at(&mut buffer, 0), Err(Errno::Io));
}

#[test]
fn damage_is_one_line() {
    let objects = Arc::new(InMemory::new());
    let one = machine(&objects);
    let id = one.create().id;
    let mut open_here = one.open(&id).unwrap();
    write(&open_here.files, "file", &noise(1, 50_000));
    write(&open_here.files, "gone", &noise(2, 50_000));
    one.commit(&mut open_here, "").unwrap();
    drop(open_here);
    let named = |bytes: &[u8]| Path::from(format!("some/where/blobs/{}", blake3::hash(bytes).to_hex()));
    let put = |at: &Path, bytes: Vec<u8>| wait(objects.put(at, Bytes::from(bytes).into())).unwrap();
    let mut wrong = noise(1, 50_000);
    wrong[77] ^= 1;
    put(&named(&noise(1, 50_000)), wrong);
    wait(objects.delete(&named(&noise(2, 50_000)))).unwrap();
    let other = machine(&objects);
    let there = other.look(&id);
    for name in ["file", "gone"] {
        assert_eq!(open(&there, name).read_at(&mut [0; 9], 0), Err(Errno::Io), "{name}");
    }
    let damage = other.store.check(&mut |_| {}).unwrap().damage;
    assert_eq!(
        damage.iter().filter(|line| line.starts_with(&format!("the sandbox {id}: blob "))).count(),
        2,
        "{damage:?}"
    );

    let at = Path::from(format!("some/where/sandboxes/{id}"));
    let whole = wait(async { objects.get(&at).await.unwrap().bytes().await.unwrap() });
    let mut one_bit = whole.to_vec();
    *one_bit.last_mut().unwrap() ^= 1;
    let mut newer = whole.to_vec();
    newer[8] = 9;
    for (bytes, expected) in [
        (one_bit, "the store is damaged: the object sandboxes/"),
        (whole[..whole.len() - 1].to_vec(), "the store is damaged: the object sandboxes/"),
        (Vec::new(), "the store is damaged: the object sandboxes/"),
        (newer, "the store has format 9, and this program knows formats up to 1: use a newer sandshell"),
    ] {
        put(&at, bytes);
        let error = other.store.sandbox(&id).err().unwrap().to_string();
        assert!(
            error.contains(expected) && error.starts_with("test://objects: ") && !error.contains('\n'),
            "{error}"
        );
    }
    put(&Path::from("some/where/store"), b"something else".to_vec());
    let cache = tempfile::tempdir().unwrap();
    let refused =
        Store::over(objects, Path::from("some/where"), "test://objects", None, &cache.path().join("cache"));
    assert_eq!(refused.err().unwrap().to_string(), "test://objects: it is not a store of sandshell");
}

#[test]
fn a_cache_is_only_a_cache() {
    let objects = Arc::new(InMemory::new());
    let one = machine(&objects);
    let id = one.create().id;
    let mut open_here = one.open(&id).unwrap();
    write(&open_here.files, "file", &noise(1, 50_000));
    one.commit(&mut open_here, "").unwrap();
    drop(open_here);
    let Machine { way, store, _cache: cache } = one;
    drop(store);
    std::fs::write(cache.path().join("cache/store.db"), noise(3, 100_000)).unwrap();
    let at = cache.path().join("cache");
    let store = Store::over(way.clone(), Path::from("some/where"), "test://objects", None, &at).unwrap();
    let files = store.files(&store.sandbox(&id).unwrap().head).unwrap();
    assert_eq!(read(&files, "file"), noise(1, 50_000));
    drop((files, store));
    // Now it is in the cache.
    let gets = || way.gets.load(Ordering::SeqCst);
    let store = Store::over(way.clone(), Path::from("some/where"), "test://objects", None, &at).unwrap();
    let files = store.files(&store.sandbox(&id).unwrap().head).unwrap();
    let before = gets();
    assert_eq!(read(&files, "file"), noise(1, 50_000));
    assert_eq!(gets(), before);
}

#[test]
fn snapshots_and_forks() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let id = one.create().id;
    let mut open_here = one.open(&id).unwrap();
    write(&open_here.files, "file", b"first");
    one.commit(&mut open_here, "first").unwrap();
    // Neither needs the lease.
    let snapshot = other.store.snapshot(&id, Some("a name/with: signs")).unwrap();
    let taken = other.store.snapshot(&id, Some("a name/with: signs"));
    assert!(matches!(taken, Err(StoreError::NameTaken(_))), "{taken:?}");
    let fork = other.store.fork(&id, None).unwrap();
    write(&open_here.files, "file", b"second");
    one.commit(&mut open_here, "second").unwrap();
    assert_eq!(read(&other.look(&fork.id), "file"), b"first");
    for asked in ["a name/with: signs", &snapshot.id, "2"] {
        let root = other.store.root(&id, asked).unwrap();
        assert_eq!(read(&other.store.files(&root).unwrap(), "file"), b"first", "{asked}");
    }
    assert_eq!(other.store.snapshots().unwrap(), std::slice::from_ref(&snapshot));
    open_here.record = one.store.put_back(&id, snapshot.root, "restored").unwrap();
    assert_eq!(read(&other.look(&id), "file"), b"first");
    other.store.delete_snapshot("a name/with: signs").unwrap();
    other.store.delete_snapshot(&snapshot.id).unwrap();
    assert!(matches!(one.store.find_snapshot(&snapshot.id), Err(StoreError::NoSnapshot(_))));
    one.store.snapshot(&id, Some("a name/with: signs")).unwrap();
    for strange in ["..", "../store", "sandbox-../../store", "sandbox-"] {
        assert!(matches!(one.store.sandbox(strange), Err(StoreError::NoSandbox(_))), "{strange}");
        one.store.delete(strange).unwrap();
    }
    // Many at once have numbers in the order in which they were made.
    let ids: Vec<String> = (0..30).map(|_| one.create().id).collect();
    let mut after = 0;
    let mut listed = Vec::new();
    loop {
        let page = other.store.list(&[], after, 7).unwrap();
        listed.extend(page.sandboxes.into_iter().map(|record| record.id));
        match page.next {
            Some(next) => after = next,
            None => break,
        }
    }
    listed.retain(|id| ids.contains(id));
    listed.sort();
    let mut sorted = ids;
    sorted.sort();
    assert_eq!(listed, sorted);
}

#[test]
fn garbage_is_collected_while_nobody_writes() {
    let objects = Arc::new(InMemory::new());
    let (one, other) = (machine(&objects), machine(&objects));
    let (kept, gone) = (one.create().id, one.create().id);
    for (seed, id) in [(1, &kept), (2, &gone)] {
        let mut open = one.open(id).unwrap();
        write(&open.files, "file", &noise(seed, 200_000));
        one.commit(&mut open, "").unwrap();
    }
    one.store.delete(&gone).unwrap();
    let young = other.store.collect(false, &mut |_| {}).unwrap();
    assert_eq!(young.removed, 0, "it may be needed by what is not written yet");
    *other.way.age.lock().unwrap() = Duration::from_secs(7200);
    let in_use = one.open(&kept).unwrap();
    let refused = other.store.collect(false, &mut |_| {}).err().unwrap();
    assert!(matches!(refused, StoreError::Leased { .. }), "{refused}");
    drop(in_use);
    let dry = other.store.collect(true, &mut |_| {}).unwrap();
    let done = other.store.collect(false, &mut |_| {}).unwrap();
    assert_eq!(dry, done);
    assert!(done.removed >= 3 && done.removed_bytes >= 190_000, "{done:?}");
    assert_eq!(other.store.collect(true, &mut |_| {}).unwrap().removed, 0);
    assert_eq!(other.store.check(&mut |_| {}).unwrap().damage, Vec::<String>::new());
    assert_eq!(read(&machine(&objects).look(&kept), "file"), noise(1, 200_000));
}

#[test]
fn a_directory_is_an_object_store() {
    let at = tempfile::tempdir().unwrap();
    let options =
        SharedOptions { url: format!("file://{}/shared", at.path().display()), ..SharedOptions::default() };
    let stores: Vec<Store> = (0..4)
        .map(|number| Store::shared(&options, &at.path().join(format!("cache {number}"))).unwrap())
        .collect();
    let root = stores[0].template("test", || MemoryFs::new().snapshot()).unwrap();
    let id = stores[0].create(root, NewSandbox::default(), "").unwrap().id;
    // Changes at the same time are all made.
    std::thread::scope(|scope| {
        for (number, store) in stores.iter().enumerate() {
            let id = &id;
            scope.spawn(move || {
                for step in 0..25 {
                    let label = (number.to_string(), step.to_string());
                    store.change(id, move |record| record.labels.push(label.clone())).unwrap();
                }
            });
        }
    });
    assert_eq!(stores[1].sandbox(&id).unwrap().labels.len(), 100);
    let record = stores[0].sandbox(&id).unwrap();
    let lock = stores[0].lock(&record).unwrap();
    let files = stores[0].files(&record.head).unwrap();
    write(&files, "file", &noise(1, 100_000));
    stores[0].commit(&record, &files, &files.snapshot(), "").unwrap();
    assert!(matches!(stores[1].lock(&record), Err(StoreError::Leased { .. })));
    drop(lock);
    let lock = stores[1].lock(&record).unwrap();
    let there = stores[1].files(&stores[1].sandbox(&id).unwrap().head).unwrap();
    assert_eq!(read(&there, "file"), noise(1, 100_000));
    drop(lock);
}

#[test]
fn wrong_addresses_are_one_line() {
    let at = tempfile::tempdir().unwrap();
    let refused = |url: &str| {
        let options = SharedOptions { url: url.to_owned(), ..SharedOptions::default() };
        Store::shared(&options, &at.path().join("cache")).err().unwrap().to_string()
    };
    assert_eq!(refused("s3://"), "s3://: it names no bucket");
    assert_eq!(refused("ftp://a/b"), "ftp://a/b: it begins with none of s3://, gs://, az:// and file://");
    assert_eq!(
        refused("file://a"),
        "file://a: the address of a directory has its absolute path: file:///DIR"
    );
    assert_eq!(refused("here"), "here: it is not an address");
    let options = SharedOptions {
        url: "s3://bucket/prefix".to_owned(),
        variables: [
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
            ("AWS_ACCESS_KEY_ID", "a"),
            ("AWS_SECRET_ACCESS_KEY", "b"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        lease: None,
    };
    let started = Instant::now();
    let error = Store::shared(&options, &at.path().join("cache")).err().unwrap().to_string();
    assert!(
        error.starts_with("s3://bucket/prefix: the object store cannot be reached: ")
            && !error.contains('\n'),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
