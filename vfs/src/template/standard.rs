//! The root filesystem of a sandbox.

use super::{Builder, SYSTEM};
use crate::{Context, MemoryFs, Result, TimeSource};
use std::sync::Arc;

/// Options of [`standard_tree`].
#[derive(Clone, Debug)]
pub struct StandardTree<'a> {
    /// Commands in `/usr/bin`: the name and the file's contents.
    pub commands: &'a [(String, Vec<u8>)],
    /// The host name, for `/etc/hostname` and `/etc/hosts`.
    pub hostname: &'a str,
}

/// A root filesystem with Debian's layout, without limits.
///
/// * `/`, `/home/user`, `/workspace`, `/opt` and `/usr/local` belong to user 1000; `/tmp` and `/var/tmp` are writable
///   for all (mode 1777). Everything else belongs to user 0, and `/root` is closed to others.
/// * `/bin`, `/sbin` and `/lib` are links into `/usr`. `/usr/bin` has a file for each command.
/// * `/etc` has `passwd`, `group`, `hostname`, `hosts`, `os-release`, `profile` and `shells`.
/// * `/dev` and `/proc` are empty directories for mounts.
///
/// Build it once and [`fork`](MemoryFs::fork) it for each sandbox.
pub fn standard_tree(what: &StandardTree<'_>, time: Arc<dyn TimeSource>) -> Result<MemoryFs> {
    let fs = MemoryFs::builder().time(time).build();
    let tree = Builder::new(&fs);
    for (path, owner, mode) in DIRECTORIES {
        tree.directory(owner, path, *mode)?;
    }
    for name in ["bin", "sbin", "lib"] {
        tree.link(name, &format!("usr/{name}"))?;
    }
    for (name, contents) in what.commands {
        tree.file(&format!("usr/bin/{name}"), 0o755, contents)?;
    }
    for (path, text) in FILES {
        tree.file(path, 0o644, text.as_bytes())?;
    }
    tree.file("etc/hostname", 0o644, format!("{}\n", what.hostname).as_bytes())?;
    let hosts = format!("127.0.0.1\tlocalhost\n127.0.1.1\t{}\n", what.hostname);
    tree.file("etc/hosts", 0o644, hosts.as_bytes())?;
    Ok(fs)
}

const USER: Context = Context::USER;

const DIRECTORIES: &[(&str, &Context, u32)] = &[
    ("dev", &SYSTEM, 0o755),
    ("etc", &SYSTEM, 0o755),
    ("home", &SYSTEM, 0o755),
    ("home/user", &USER, 0o755),
    ("mnt", &SYSTEM, 0o755),
    ("opt", &USER, 0o755),
    ("proc", &SYSTEM, 0o555),
    ("root", &SYSTEM, 0o700),
    ("run", &SYSTEM, 0o755),
    ("tmp", &SYSTEM, 0o1777),
    ("usr", &SYSTEM, 0o755),
    ("usr/bin", &SYSTEM, 0o755),
    ("usr/lib", &SYSTEM, 0o755),
    ("usr/local", &USER, 0o755),
    ("usr/local/bin", &USER, 0o755),
    ("usr/local/lib", &USER, 0o755),
    ("usr/local/sbin", &USER, 0o755),
    ("usr/local/share", &USER, 0o755),
    ("usr/sbin", &SYSTEM, 0o755),
    ("usr/share", &SYSTEM, 0o755),
    ("var", &SYSTEM, 0o755),
    ("var/cache", &SYSTEM, 0o755),
    ("var/lib", &SYSTEM, 0o755),
    ("var/log", &SYSTEM, 0o755),
    ("var/tmp", &SYSTEM, 0o1777),
    ("workspace", &USER, 0o755),
];

const FILES: &[(&str, &str)] = &[
    // Debian's accounts, and the user's.
    ("etc/group", include_str!("group")),
    (
        "etc/os-release",
        concat!(
            "PRETTY_NAME=\"sandshell ",
            env!("CARGO_PKG_VERSION"),
            "\"\nNAME=\"sandshell\"\nVERSION_ID=\"",
            env!("CARGO_PKG_VERSION"),
            "\"\nID=sandshell\n"
        ),
    ),
    // Debian's accounts, and the user's.
    ("etc/passwd", include_str!("passwd")),
    ("etc/profile", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nexport PATH\n"),
    ("etc/shells", "/bin/sh\n/bin/bash\n"),
];

#[cfg(test)]
mod tests {
    use super::{StandardTree, standard_tree};
    use crate::{Context, Errno, FileKind, Follow, HostClock, MountOptions, Namespace};
    use std::sync::Arc;

    #[test]
    fn the_user_may_write_to_the_documented_directories() {
        let what = StandardTree { commands: &[("ls".to_owned(), b"program".to_vec())], hostname: "sandbox" };
        let fs = standard_tree(&what, Arc::new(HostClock)).unwrap();
        let namespace = Namespace::new(Arc::new(fs), MountOptions::default());
        let (root, cx) = (namespace.root(), &Context::USER);
        for path in ["/conversation_history", "/tmp/a", "/workspace/a", "/home/user/a", "/var/tmp/a"] {
            namespace.create_dir(cx, &root, path.as_bytes(), 0o755).unwrap();
        }
        for path in ["/etc/a", "/usr/bin/a", "/root/a"] {
            assert_eq!(namespace.create_dir(cx, &root, path.as_bytes(), 0o755), Err(Errno::Acces), "{path}");
        }
        let program = namespace.metadata(cx, &root, b"/bin/ls", Follow::Yes).unwrap();
        assert_eq!((program.kind, program.mode), (FileKind::Regular, 0o755));
    }
}
