//! Native code that is executed must have been compiled here from the module that was asked for.

use crate::wasm;
use sandshell::pack::{self, Pack};
use sandshell::runtime::{Announce, CarriedCode, EngineOptions};
use sandshell::{
    Clock, CreateOptions, Engine, ErrorKind, ExecuteRequest, LimitKind, Limits, LocalOptions, LocalProvider,
    LocalSandbox, Mount, MountSource, Sandbox, Time,
};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The program with an empty home directory.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
        command.env_clear().env("HOME", self.0.path()).current_dir(self.0.path()).stdin(Stdio::null());
        command.args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The names of the files in the cache.
    /// The compiled code of modules and packs. The program's own code that it has unpacked depends on nothing else, so
    /// its names have zeros where others have what they depend on.
    fn entries(&self) -> Vec<PathBuf> {
        let Ok(listing) = fs::read_dir(self.path(".cache/sandshell/modules")) else { return Vec::new() };
        let own = |path: &PathBuf| path.to_string_lossy().contains("-0000000000000000-");
        let mut entries: Vec<PathBuf> =
            listing.map(|entry| entry.unwrap().path()).filter(|path| !own(path)).collect();
        entries.sort();
        entries
    }
}

#[track_caller]
fn gives(output: &Output, status: i32, stdout: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!((output.status.code(), &*text), (Some(status), stdout), "{said}");
}

#[track_caller]
fn refused(output: &Output, about: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(about) && said.contains("mount"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn no_sandbox_gets_the_programs_own_directories_for_writing() {
    let home = Home::new();
    fs::create_dir_all(home.path("project/deep")).unwrap();
    let mount = |from: &str, mode: &str| {
        home.run(&["exec", "--no-packs", "--mount", &format!("{from}:/m:{mode}"), "echo ran"])
    };
    for round in ["before they exist", "with a cache"] {
        for above in [".", "..", "/"] {
            refused(&mount(above, "rw"), "sandshell");
        }
        gives(&mount("project", "rw"), 0, "ran\n");
        gives(&mount(".", "ro"), 0, "ran\n");
        gives(&mount(".", "overlay"), 0, "ran\n");
        if round == "before they exist" {
            fs::write(home.path("m.wasm"), wasm::exits(0)).unwrap();
            gives(&home.run(&["run", "m.wasm"]), 0, "");
            assert_eq!(home.entries().len(), 1);
        }
    }
    for own in [".cache", ".cache/sandshell", ".cache/sandshell/modules"] {
        refused(&mount(own, "rw"), ".cache/sandshell");
    }
    symlink(home.path(".cache"), home.path("project/innocent")).unwrap();
    refused(&mount("project/innocent", "rw"), ".cache/sandshell");
    for own in [".config/sandshell", ".local/share/sandshell/packs", ".local/state/sandshell"] {
        fs::create_dir_all(home.path(own)).unwrap();
        refused(&mount(own, "rw"), "sandshell");
        refused(&mount(Path::new(own).parent().unwrap().to_str().unwrap(), "rw"), "sandshell");
    }
    refused(&home.run(&["run", "--dir", ".::/h", "m.wasm"]), "sandshell");
    gives(&home.run(&["run", "--dir", "project::/h", "m.wasm"]), 0, "");
    // Applying changes cannot reach it either; this is reported before anything is done.
    let apply =
        home.run(&["exec", "--no-packs", "--mount", ".:/m:overlay", "--apply", "touch /m/x; echo ran"]);
    refused(&apply, "sandshell");
    gives(
        &home.run(&["exec", "--no-packs", "--mount", "project:/m:overlay", "--apply", "touch /m/x"]),
        0,
        "",
    );
    assert!(home.path("project/x").exists());
}

#[test]
fn directories_that_variables_name_count_as_well() {
    let home = Home::new();
    fs::create_dir_all(home.path("project/sub")).unwrap();
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        let mut command = home.command(&["exec", "--mount", "project:/m:rw", "echo ran"]);
        refused(&command.env(variable, home.path("project/own")).output().unwrap(), "project/own/sandshell");
    }
    fs::write(home.path("project/sub/config.toml"), "").unwrap();
    let mut command = home.command(&["exec", "--mount", "project:/m:rw", "echo ran"]);
    refused(&command.env("SANDSHELL_CONFIG", "project/sub/config.toml").output().unwrap(), "config.toml");
    // A link in the path of the cache could be changed to point elsewhere.
    let home = Home::new();
    fs::create_dir(home.path("project")).unwrap();
    fs::create_dir(home.path("disk")).unwrap();
    symlink("project/link", home.path(".cache")).unwrap();
    symlink(home.path("disk"), home.path("project/link")).unwrap();
    for on_the_way in ["project", "disk"] {
        let mount = format!("{on_the_way}:/m:rw");
        refused(&home.run(&["exec", "--mount", &mount, "echo ran"]), ".cache/sandshell");
    }
}

#[test]
fn no_sandbox_reads_the_key() {
    let home = Home::new();
    fs::write(home.path("m.wasm"), wasm::exits(0)).unwrap();
    gives(&home.run(&["run", "m.wasm"]), 0, "");
    let key = fs::metadata(home.path(".cache/sandshell/modules.key")).unwrap();
    assert_eq!((key.len(), key.permissions().mode() & 0o777), (32, 0o600));
    for mode in ["ro", "overlay"] {
        let script = "cd /m/.cache/sandshell; wc -c < modules.key; echo x 2>/dev/null >> modules.key; cp modules.key /tmp/k; \
                      mv modules.key n 2>/dev/null && cat n; find . -name '*.code' | wc -l";
        let output = home.run(&["exec", "--no-packs", "--mount", &format!(".:/m:{mode}"), script]);
        gives(&output, 0, "1\n");
    }
}

#[test]
fn what_others_put_into_the_cache_is_not_executed() {
    let (home, other) = (Home::new(), Home::new());
    let module = |home: &Home, name: &str, status| fs::write(home.path(name), wasm::exits(status)).unwrap();
    for home in [&home, &other] {
        module(home, "three.wasm", 3);
        gives(&home.run(&["run", "three.wasm"]), 3, "");
    }
    let three = home.entries();
    module(&home, "four.wasm", 4);
    gives(&home.run(&["run", "four.wasm"]), 4, "");
    let four: Vec<PathBuf> = home.entries().into_iter().filter(|entry| !three.contains(entry)).collect();
    let ([three], [four]) = (&three[..], &four[..]) else { panic!("an entry for each module") };
    let authentic = fs::read(four).unwrap();
    let forged: [(&str, Vec<u8>); 5] = [
        ("another module's", authentic.clone()),
        ("torn", fs::read(three).unwrap()[..2000].to_vec()),
        ("another key's", fs::read(&other.entries()[0]).unwrap()),
        ("without a tag", authentic[48..].to_vec()),
        ("nothing", Vec::new()),
    ];
    for (what, bytes) in forged {
        fs::write(three, bytes).unwrap();
        gives(&home.run(&["run", "three.wasm"]), 3, "");
        assert_ne!(fs::read(three).unwrap(), authentic, "{what}");
        gives(&home.run(&["run", "three.wasm"]), 3, "");
    }
    // A directory that others can write to is not used.
    fs::set_permissions(home.path(".cache/sandshell/modules"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(three, authentic).unwrap();
    gives(&home.run(&["run", "three.wasm"]), 3, "");
}

fn engine(home: &Home, adjust: impl FnOnce(&mut EngineOptions)) -> Engine {
    let mut options = EngineOptions::new(sandshell::image());
    options.cache_dir = Some(home.path("cache"));
    adjust(&mut options);
    Engine::new(options).unwrap()
}

fn sandbox(engine: Engine, options: LocalOptions) -> Arc<LocalSandbox> {
    LocalProvider::new(engine, options).unwrap().create(CreateOptions::default()).unwrap()
}

#[test]
fn the_library_refuses_such_mounts_too() {
    let home = Home::new();
    fs::create_dir_all(home.path("project")).unwrap();
    let source = |name: &str| MountSource::HostReadWrite(home.path(name));
    for above in ["", "cache"] {
        let options = LocalOptions::default().mount("/m", source(above));
        let provider = LocalProvider::new(engine(&home, |_| {}), options).unwrap();
        let error = provider.create(CreateOptions::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.to_string().contains("cache"), "{error}");
    }
    let sandbox = sandbox(engine(&home, |_| {}), LocalOptions::default().mount("/p", source("project")));
    assert!(sandbox.mount(&Mount { at: "/m".into(), source: source("") }).is_err());
    assert!(
        sandbox.mount(&Mount { at: "/n".into(), source: MountSource::HostReadOnly(home.path("")) }).is_ok()
    );
}

/// Installs a pack `slow`. Its program takes some time to compile and exits with status 7.
fn slow_pack(home: &Home, code: usize) -> Pack {
    let made = home.path("made");
    fs::create_dir_all(&made).unwrap();
    fs::write(made.join("slow.wasm"), wasm::large(code, 7)).unwrap();
    let manifest = "name = 'slow'\nversion = '1'\ncommands = ['slow']\n[program]\nfile = 'slow.wasm'\n";
    fs::write(made.join("pack.toml"), manifest).unwrap();
    pack::install(&made, &home.path("packs")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pack_is_compiled_once_and_no_time_limit_counts_it() {
    let home = Home::new();
    let pack = slow_pack(&home, 2_000_000);
    let begun = Arc::new(AtomicUsize::new(0));
    let engine = engine(&home, |options| {
        options.packs = vec![pack.program().clone()];
        let begun = begun.clone();
        options.announce = Some(Announce::new(move |name| {
            assert_eq!(name, "slow");
            begun.fetch_add(1, Ordering::Relaxed);
            Box::new(())
        }));
    });
    let mut running = Vec::new();
    for _ in 0..6 {
        let options = pack::add(LocalOptions::default(), std::slice::from_ref(&pack));
        let sandbox = sandbox(engine.clone(), options);
        running.push(tokio::spawn(async move {
            sandbox.execute(ExecuteRequest::new("slow").timeout(Duration::from_millis(1500))).await
        }));
    }
    for one in running {
        let answer = one.await.unwrap().unwrap();
        assert_eq!((answer.exit_code, answer.timed_out), (Some(7), false), "{}", answer.text());
    }
    assert_eq!(begun.load(Ordering::Relaxed), 1);
}

/// An engine with this pack and these hashes of bundled code, and a count of its compilations.
fn carrying(home: &Home, pack: &Pack, carried: Vec<CarriedCode>) -> (Engine, Arc<AtomicUsize>) {
    let compiled = Arc::new(AtomicUsize::new(0));
    let counter = compiled.clone();
    let engine = engine(home, |options| {
        options.cache_dir = None;
        options.packs = vec![pack.program().clone()];
        options.carried = carried;
        options.announce = Some(Announce::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Box::new(())
        }));
    });
    (engine, compiled)
}

/// A package contains its packs' compiled code, and executes no other.
#[tokio::test]
async fn carried_code_is_executed_only_if_it_is_the_programs_own() {
    let home = Home::new();
    let pack = slow_pack(&home, 1000);
    let file = sandshell::runtime::compile_pack(&pack.program().wasm).unwrap();
    assert_eq!(file, sandshell::runtime::compiled_file(&pack.program().wasm));
    let authentic = fs::read(&file).unwrap();
    let known = CarriedCode { module: pack.program().hash, code: pack::file_hash(&file).unwrap() };
    // The compiled code of another module, which a pack could contain: its hash differs from the known one.
    let other = home.path("other.wasm");
    fs::write(&other, wasm::exits(3)).unwrap();
    let foreign = fs::read(sandshell::runtime::compile_pack(&other).unwrap()).unwrap();
    let mut changed = authentic.clone();
    *changed.last_mut().unwrap() ^= 1;
    let nothing = b"not code at all".to_vec();
    let hash_of = |bytes: &[u8]| {
        fs::write(home.path("hashed"), bytes).unwrap();
        pack::file_hash(&home.path("hashed")).unwrap()
    };
    let cases = [
        ("its own", &authentic, vec![known], 0),
        ("nobody vouches for it", &authentic, Vec::new(), 1),
        ("of another module", &authentic, vec![CarriedCode { module: [7; 32], ..known }], 1),
        ("foreign", &foreign, vec![known], 1),
        ("changed", &changed, vec![known], 1),
        ("of another version", &nothing, vec![CarriedCode { code: hash_of(&nothing), ..known }], 1),
    ];
    for (what, bytes, carried, compiled) in cases {
        fs::write(&file, bytes).unwrap();
        let (engine, count) = carrying(&home, &pack, carried);
        let options = pack::add(LocalOptions::default(), std::slice::from_ref(&pack));
        let answer = sandbox(engine, options).execute(ExecuteRequest::new("slow")).await.unwrap();
        assert_eq!(answer.exit_code, Some(7), "{what}: {}", answer.text());
        assert_eq!(count.load(Ordering::Relaxed), compiled, "{what}");
    }
}

/// Sandboxes that count instructions need different code, whose compilation does not count against a command's
/// timeout either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_is_a_pack_compiled_in_the_time_of_a_sandbox_that_counts() {
    let home = Home::new();
    let pack = slow_pack(&home, 2_000_000);
    let (engine, compiled) = carrying(&home, &pack, Vec::new());
    let options = LocalOptions { clock: Clock::Virtual(Time::default()), ..LocalOptions::default() };
    let sandbox = sandbox(engine, pack::add(options, std::slice::from_ref(&pack)));
    let answer =
        sandbox.execute(ExecuteRequest::new("slow").timeout(Duration::from_millis(1500))).await.unwrap();
    assert_eq!((answer.exit_code, answer.timed_out), (Some(7), false), "{}", answer.text());
    assert_eq!(compiled.load(Ordering::Relaxed), 1);
}

#[test]
fn an_installed_pack_is_never_compiled_in_a_command() {
    let home = Home::new();
    slow_pack(&home, 1000);
    gives(&home.run(&["pack", "install", "made"]), 0, "slow 1 is installed: slow\n");
    let before = home.entries();
    assert_eq!(before.len(), 2, "for either kind of sandbox: {before:?}");
    let stamps = || home.entries().iter().map(|entry| fs::metadata(entry).unwrap().ino()).collect::<Vec<_>>();
    let made = stamps();
    gives(&home.run(&["exec", "slow"]), 7, "");
    gives(&home.run(&["exec", "--clock", "virtual", "--timeout", "1s", "slow"]), 7, "");
    assert_eq!((home.entries(), stamps()), (before, made), "nothing was compiled, or stored again");
}

#[test]
fn a_pack_that_is_not_what_its_manifest_says_does_not_run() {
    let home = Home::new();
    slow_pack(&home, 1000);
    gives(&home.run(&["pack", "install", "made"]), 0, "slow 1 is installed: slow\n");
    gives(&home.run(&["exec", "slow"]), 7, "");
    let installed = home.path(".local/share/sandshell/packs/slow/slow.wasm");
    fs::write(&installed, wasm::exits(0)).unwrap();
    fs::remove_dir_all(home.path(".cache")).unwrap();
    let output = home.run(&["exec", "slow"]);
    assert_eq!(output.status.code(), Some(126), "{}", String::from_utf8_lossy(&output.stderr));
    // A sandbox cannot get write access to it either, wherever it is.
    fs::rename(home.path(".local/share/sandshell/packs/slow"), home.path("moved")).unwrap();
    let mount = home.run(&["exec", "--pack", "./moved", "--mount", "moved:/m:rw", "echo ran"]);
    refused(&mount, "moved");
}

#[test]
fn compiling_a_module_ends_at_the_time_limit() {
    let home = Home::new();
    fs::write(home.path("large.wasm"), wasm::large(16_000_000, 0)).unwrap();
    let output = home.run(&["run", "--timeout", "300ms", "large.wasm"]);
    gives(&output, 124, "");
    let in_a_shell = [
        "exec",
        "--no-packs",
        "--timeout",
        "1s",
        "--mount",
        ".:/m:ro",
        "cp /m/large.wasm x; chmod +x x; ./x",
    ];
    gives(&home.run(&in_a_shell), 124, "");
    let metered = [
        "exec",
        "--no-packs",
        "--seed",
        "1",
        "--timeout",
        "1s",
        "--mount",
        ".:/m:ro",
        "cp /m/large.wasm x; chmod +x x; ./x",
    ];
    assert_eq!(home.run(&metered).status.code(), Some(124));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_pays_for_what_it_has_compiled() {
    let home = Home::new();
    fs::write(home.path("m.wasm"), wasm::exits(0)).unwrap();
    let limits = |modules, compile_time| Limits { modules, compile_time, ..Limits::default() };
    let many = "for i in 1 2 3 4 5; do { cat /m/m.wasm; printf '\\0\\2\\1%d' $i; } > $i; chmod +x $i; ./$i; echo $?; done 2>/dev/null";
    for (limits, expected, kind, name) in [
        (limits(3, Duration::from_secs(60)), "0\n0\n0\n126\n126\n", LimitKind::Other, "3 compiled modules"),
        (limits(100, Duration::ZERO), "126\n126\n126\n126\n126\n", LimitKind::CpuTime, "compile time"),
    ] {
        let options = LocalOptions { limits, ..LocalOptions::default() };
        // Without a cache, because code in the cache costs nothing.
        let engine = engine(&home, |options| options.cache_dir = None);
        let sandbox = sandbox(engine, options.mount("/m", MountSource::HostReadOnly(home.path(""))));
        let answer = sandbox.execute(ExecuteRequest::new(many)).await.unwrap();
        // The limit's name comes next.
        assert!(answer.text().starts_with(expected), "{answer:?}");
        assert!(
            answer.limits.iter().any(|limit| limit.kind == kind && limit.message.contains(name)),
            "{answer:?}"
        );
    }
    let memory = Limits { sandbox_memory: 64 << 20, process_memory: 64 << 20, ..Limits::default() };
    fs::write(home.path("large.wasm"), wasm::large(2_000_000, 0)).unwrap();
    let options = LocalOptions { limits: memory, ..LocalOptions::default() };
    let sandbox =
        sandbox(engine(&home, |_| {}), options.mount("/m", MountSource::HostReadOnly(home.path(""))));
    let answer = sandbox.execute(ExecuteRequest::new("cp /m/large.wasm x; chmod +x x; ./x")).await.unwrap();
    assert_eq!(answer.exit_code, Some(126));
    assert!(answer.limits.iter().any(|limit| limit.kind == LimitKind::Memory), "{answer:?}");
}

/// Running code counts as memory of the sandbox that runs it, even if it was compiled for another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_pays_for_the_code_that_it_runs() {
    let home = Home::new();
    fs::write(home.path("large.wasm"), wasm::waits(16_000_000)).unwrap();
    let engine = engine(&home, |_| {});
    let mount = |limits: Limits| {
        let options = LocalOptions { limits, ..LocalOptions::default() };
        sandbox(engine.clone(), options.mount("/m", MountSource::HostReadOnly(home.path(""))))
    };
    let rich = mount(Limits::default());
    let script = "cp /m/large.wasm x; chmod +x x; cp x y; for p in x x y; do ./$p & done; \
                  until [ \"$(pgrep -c '^[xy]$')\" = 3 ]; do sleep 0.05; done";
    let memory = |sandbox: &LocalSandbox| sandbox.kernel().usage().memory;
    assert_eq!(rich.execute(ExecuteRequest::new(script)).await.unwrap().exit_code, Some(0));
    // The module is in memory only once, whatever its file names are.
    let with = memory(&rich);
    assert!((16_000_000..400_000_000).contains(&with), "{with}");
    assert_eq!(
        rich.execute(ExecuteRequest::new("pkill x; while pgrep x; do :; done > /dev/null; pgrep -c y"))
            .await
            .unwrap()
            .text(),
        "1\n"
    );
    assert!(memory(&rich) > with / 2, "one is left");
    assert_eq!(
        rich.execute(ExecuteRequest::new("pkill y; while pgrep y; do :; done > /dev/null"))
            .await
            .unwrap()
            .exit_code,
        Some(0)
    );
    while memory(&rich) > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Code that is already in memory is charged too. The shell and cp need less than this.
    let limit = with / 4 * 3;
    let poor = mount(Limits { sandbox_memory: limit, process_memory: limit, ..Limits::default() });
    let answer = poor.execute(ExecuteRequest::new("cp /m/large.wasm x; chmod +x x; ./x")).await.unwrap();
    assert_eq!(answer.exit_code, Some(126), "{answer:?}");
    assert!(
        answer.limits.iter().any(|limit| limit.message.starts_with("sandbox memory limit")),
        "{answer:?}"
    );
}

#[test]
fn modules_that_parsers_cannot_follow_are_refused() {
    let home = Home::new();
    let mut nested = b"\0asm\x0d\0\x01\0".to_vec();
    let mut types = vec![1];
    types.extend([0x41, 1, 1].repeat(2_000_000));
    types.extend([0x41, 0]);
    wasm::section(7, &types, &mut nested);
    fs::write(home.path("nested.wasm"), nested).unwrap();
    let output = home.run(&["run", "nested.wasm"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let script = "cp /m/nested.wasm x; chmod +x x; ./x 2>/dev/null; echo $?";
    gives(&home.run(&["exec", "--no-packs", "--mount", ".:/m:ro", script]), 0, "126\n");
}
