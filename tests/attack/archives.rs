//! Archives from somebody else, and directories that happen to exist.

use crate::program::{refused, run};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tar::{Builder, EntryType, Header};

fn add(builder: &mut Builder<Vec<u8>>, kind: EntryType, name: &str, link: &str, content: &[u8]) {
    let mut header = Header::new_gnu();
    // Set directly, because the library refuses such names.
    header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_gnu_mut().unwrap().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

/// A pack's archive with one more member.
fn pack(at: &Path, kind: EntryType, name: &str, link: &str) {
    let mut builder = Builder::new(Vec::new());
    let manifest = b"name = 'evil'\nversion = '1'\ncommands = ['evil']\n[program]\nfile = 'a.wasm'\n";
    add(&mut builder, EntryType::Regular, "pack.toml", "", manifest);
    add(&mut builder, kind, name, link, b"");
    add(&mut builder, EntryType::Regular, "a.wasm", "", b"\0asm\x01\0\0\0");
    fs::write(at, builder.into_inner().unwrap()).unwrap();
}

#[test]
fn a_pack_that_leads_out_of_itself_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::write(home.join("secret"), "secret\n").unwrap();
    let secret = home.join("secret").display().to_string();
    for (kind, name, link, why) in [
        (EntryType::Symlink, "link", secret.as_str(), "symbolic link"),
        (EntryType::Symlink, "link", "../..", "symbolic link"),
        (EntryType::Link, "link", secret.as_str(), "link out of the pack"),
        (EntryType::Link, "link", "../secret", "link out of the pack"),
        (EntryType::Link, "link", "missing", "does not have"),
        (EntryType::Regular, "/absolute", "", "leads out"),
        (EntryType::Regular, "../up", "", "leads out"),
        (EntryType::Directory, "a/../../up", "", "leads out"),
        (EntryType::Char, "device", "", "neither a file nor a directory"),
        (EntryType::Fifo, "pipe", "", "neither a file nor a directory"),
        // Sparse members are refused, because they could be of any size.
        (EntryType::GNUSparse, "sparse", "", "evil.tar"),
    ] {
        pack(&home.join("evil.tar"), kind, name, link);
        refused(&run(home, &["pack", "install", "evil.tar"]), &[why]);
        assert!(!home.join(".local/share/sandshell/packs/evil").exists(), "{kind:?} {name} {link}");
    }
}

#[test]
fn a_pack_of_links_in_a_directory_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("evil")).unwrap();
    fs::write(home.join("evil/pack.toml"), "name = 'evil'\nversion = '1'\n[program]\nfile = 'a.wasm'\n")
        .unwrap();
    fs::write(home.join("evil/a.wasm"), b"\0asm\x01\0\0\0").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", home.join("evil/passwd")).unwrap();
    refused(&run(home, &["pack", "install", "./evil"]), &["neither a file nor a directory"]);
}

/// Somebody puts a link to another directory in the place of one of the pack's, again and again.
#[test]
fn a_pack_that_is_changed_meanwhile_brings_nothing_from_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let (pack, elsewhere) = (home.join("evil"), home.join("elsewhere"));
    fs::create_dir_all(pack.join("tree/files")).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(pack.join("a.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let manifest = "name = 'evil'\nversion = '1'\n[program]\nfile = 'a.wasm'\n";
    fs::write(pack.join("pack.toml"), manifest).unwrap();
    for number in 0..20 {
        fs::write(pack.join(format!("tree/files/{number}")), "public").unwrap();
        fs::write(elsewhere.join(number.to_string()), "secret").unwrap();
    }
    let (files, aside) = (pack.join("tree/files"), pack.join("tree/aside"));
    let (ended, packs) = (AtomicBool::new(false), home.join("packs"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // It ends by itself, too, if the other side panics.
            for _ in 0..1_000_000 {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                fs::rename(&files, &aside).unwrap();
                std::os::unix::fs::symlink(&elsewhere, &files).unwrap();
                fs::remove_file(&files).unwrap();
                fs::rename(&aside, &files).unwrap();
            }
        });
        let copied = || {
            for _ in 0..300 {
                // Most often it is refused, for a link or for what is not there any more.
                drop(sandshell::pack::install(&pack, &packs));
                for number in 0..20 {
                    let copies = ["evil", ".evil.new"].map(|name| packs.join(name).join("tree/files"));
                    for copy in copies {
                        let copy = fs::read(copy.join(number.to_string())).unwrap_or_default();
                        if copy == b"secret" {
                            return true;
                        }
                    }
                }
            }
            false
        };
        let copied = copied();
        ended.store(true, Ordering::Relaxed);
        assert!(!copied, "a file from elsewhere was copied");
    });
    let installed = sandshell::pack::install(&pack, &packs).unwrap();
    assert_eq!(fs::read(installed.directory().join("tree/files/7")).unwrap(), b"public");
}

/// A plain name means one of sandshell's own recipes, even if the current directory has a folder of that name.
#[test]
fn a_recipe_is_not_taken_from_where_one_is() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for name in ["python", "other"] {
        fs::create_dir(home.join(name)).unwrap();
        let manifest = "name = 'evil'\nversion = '1'\n[build]\nscript = 'build.py'\nrequirements = []\n";
        fs::write(home.join(name).join("pack.toml"), manifest).unwrap();
        fs::write(home.join(name).join("build.py"), "open('owned', 'w')\n").unwrap();
    }
    refused(&run(home, &["pack", "build", "other"]), &["no such recipe", "./other"]);
    assert!(!home.join("owned").exists());
}

/// Members with false metadata.
#[test]
fn a_damaged_archive_of_files_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let mut long = Header::new_gnu();
    long.set_entry_type(EntryType::GNULongName);
    long.set_size(1 << 60);
    long.set_cksum();
    let mut builder = Builder::new(Vec::new());
    add(&mut builder, EntryType::Regular, "workspace/../../x", "", b"x");
    let up = builder.into_inner().unwrap();
    let mut truncated = Header::new_gnu();
    truncated.set_path("workspace/f").unwrap();
    truncated.set_size(1 << 50);
    truncated.set_cksum();
    for (name, bytes) in [
        ("long", long.as_bytes().to_vec()),
        ("up", up),
        ("short", [truncated.as_bytes().as_slice(), b"abc"].concat()),
        ("noise", vec![7; 2048]),
    ] {
        fs::write(home.join("box.tar"), &bytes).unwrap();
        let output = run(home, &["exec", "--state", "box.tar", "true"]);
        refused(&output, &["box.tar"]);
        assert!(fs::read(home.join("box.tar")).unwrap() == bytes, "{name}");
    }
}
