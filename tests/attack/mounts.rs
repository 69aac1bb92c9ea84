//! Read-write mounts that reach the program's own directories: under other names that only the mount table shows,
//! and through every interface that creates sandboxes.

#![allow(clippy::print_stderr, reason = "a test that cannot be made here says so")]

use crate::program::{sandshell, stderr};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The command that gives a shell its own mount table; reports if that is not possible here.
fn private_mounts() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [
        &["unshare", "--mount", "sh", "-ec"],
        &["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"],
    ];
    let works = |way: &&&[&str]| {
        let probe = "mkdir -p a b && mount --bind a b && umount b";
        let directory = tempfile::tempdir().unwrap();
        let probed = Command::new(way[0]).args(&way[1..]).arg(probe).current_dir(directory.path()).output();
        probed.is_ok_and(|output| output.status.success())
    };
    let found = ways.iter().find(works).copied();
    if found.is_none() {
        eprintln!("not tested: this user may not make bind mounts, not even in a namespace of their own");
    }
    found
}

/// Runs `exec` with a read-write mount, after a script has changed the mount table.
fn mounted(home: &Path, way: &[&str], script: &str, directory: &str) -> Output {
    let run =
        format!("{script}\nexec \"$SANDSHELL\" exec --no-packs --mount \"{directory}:/m:rw\" 'echo ran'");
    let program = sandshell(home);
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).arg(run).current_dir(home).env_clear();
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", home)
        .env("SANDSHELL", program.get_program());
    command.output().unwrap()
}

#[test]
fn a_bind_mount_is_no_other_directory() {
    let Some(way) = private_mounts() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for directory in [
        ".cache/sandshell/modules",
        ".local/share/sandshell",
        "project/sub/deep",
        "alias",
        "disk/cache",
        "tmp",
    ] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    let refused = [
        ("the home directory", "mount --bind . alias", "alias"),
        ("what lies above it", "mount --rbind .. alias", "alias"),
        ("the cache", "mount --bind .cache alias", "alias"),
        ("in the cache", "mount --bind .cache/sandshell/modules alias", "alias"),
        ("a bind mount of a bind mount", "mount --bind .cache tmp; mount --bind tmp alias", "alias"),
        ("below a name of it", "mount --bind . alias", "alias/.cache"),
        ("a directory that holds it", "mount --bind .cache project/sub", "project"),
        ("one that holds what holds it", "mount --bind . project/sub/deep", "project"),
        ("the directory that is mounted over the cache's", "mount --bind disk .cache", "disk"),
        ("what is in that", "mkdir -p disk/sandshell; mount --bind disk .cache", "disk/sandshell"),
        (
            "another filesystem over the cache's",
            "mount -t tmpfs none .cache; mount --bind .cache alias",
            "alias",
        ),
        ("a name with a space", "mkdir 'a b'; mount --bind .cache 'a b'", "a b"),
        (
            "moved",
            "mount --bind .cache tmp; mount --move tmp alias 2>/dev/null || mount --bind .cache alias",
            "alias",
        ),
        ("read only at first", "mount --bind -o ro .cache alias", "alias"),
    ];
    for (what, script, directory) in refused {
        let output = mounted(home, way, script, directory);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{what}: {said}");
        assert!(said.contains("sandshell, which this program trusts"), "{what}: {said}");
        assert!(output.stdout.is_empty(), "{what}");
    }
    let allowed = [
        ("another directory", "mount --bind project alias", "alias"),
        ("one below", "mount --bind project/sub/deep alias", "alias"),
        ("a filesystem of its own", "mount -t tmpfs none alias; mkdir alias/x", "alias/x"),
        ("what a mount over it hides", "mount --bind project alias; mount -t tmpfs none project", "alias"),
    ];
    for (what, script, directory) in allowed {
        let output = mounted(home, way, script, directory);
        let seen = String::from_utf8_lossy(&output.stdout);
        assert_eq!((output.status.code(), &*seen), (Some(0), "ran\n"), "{what}: {}", stderr(&output));
    }
}

#[cfg(feature = "mcp")]
#[test]
fn an_agents_server_does_not_get_them() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir_all(home.join("project")).unwrap();
    for above in [".", "..", ".cache"] {
        fs::create_dir_all(home.join(".cache/sandshell")).unwrap();
        let mount = format!("{above}:/workspace:rw");
        let output = sandshell(home).args(["mcp", "--no-packs", "--mount", &mount]).output().unwrap();
        crate::program::refused(&output, &["sandshell, which this program trusts"]);
    }
    // Other mounts are allowed: the server runs until the client goes away, which it does at once.
    for mount in ["project:/workspace:rw", ".:/workspace:ro", ".:/workspace:overlay"] {
        let output = sandshell(home).args(["mcp", "--no-packs", "--mount", mount]).output().unwrap();
        assert!(!stderr(&output).contains("trusts"), "{mount}: {}", stderr(&output));
    }
}

#[cfg(all(feature = "all-providers", feature = "serve"))]
#[tokio::test(flavor = "multi_thread")]
async fn the_emulators_clients_do_not_get_them() {
    use crate::clients::{CLIENTS, serve_with};
    use sandshell::cloud::ClientOptions;
    use sandshell::emulator::{Options, Vendor};
    use sandshell::{CreateOptions, LocalOptions, MountSource};

    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("cache");
    let engine = sandshell::engine(Some(cache.clone())).unwrap();
    for (source, given) in
        [(home.path().to_owned(), false), (cache, false), (home.path().join("project"), true)]
    {
        fs::create_dir_all(home.path().join("project")).unwrap();
        let options = LocalOptions::default().mount("/m", MountSource::HostReadWrite(source.clone()));
        let address = serve_with(engine.clone(), options, [Vendor::E2b], &Options::default()).await;
        let client = CLIENTS.iter().find(|client| client.vendor == Vendor::E2b).unwrap();
        let provider = client.connect(address, "key", ClientOptions::default());
        let made = provider.get_or_create(CreateOptions::default()).await;
        assert_eq!(made.is_ok(), given, "{}: {:?}", source.display(), made.err());
    }
}

/// A guest that may write above another mount puts a link in its place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_of_a_guest_is_no_mount_of_the_next_sandbox() {
    use sandshell::{CreateOptions, LocalOptions, MountSource, SandboxExt as _};

    let home = tempfile::tempdir().unwrap();
    let (data, private) = (home.path().join("work/data"), home.path().join("private"));
    fs::create_dir_all(&data).unwrap();
    fs::create_dir(&private).unwrap();
    fs::write(private.join("key"), "secret").unwrap();
    let options = LocalOptions::default()
        .mount("/p", MountSource::HostReadWrite(home.path().join("work")))
        .mount("/d", MountSource::HostReadWrite(data));
    let provider = sandshell::local(options).unwrap();
    let first = provider.create(CreateOptions::default()).unwrap();
    let script = format!("cd /p; mv data old; ln -s {} data; ls -A /d", private.display());
    assert_eq!(first.run(&script).await.unwrap().exit_code, Some(0));
    let error = provider.create(CreateOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("links lead from there to"), "{error}");
    first.run("cd /p; rm data; mv old data").await.unwrap();
    provider.create(CreateOptions::default()).unwrap();
}
