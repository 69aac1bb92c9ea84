//! The packs, built when the first test needs them and kept in the target directory until a recipe changes.

use super::{Command, Stdio};
use sandshell::pack::tree_hash;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `pack build` is told, and the folder of the recipe.
const RECIPES: [(&str, &str); 5] = [
    ("git", "packs/git"),
    ("sqlite", "packs/sqlite"),
    ("perl", "packs/perl"),
    ("node", "packs/node"),
    ("./tests/packs/libc/", "tests/packs/libc"),
];

/// A home directory in which the packs are installed.
///
/// Building needs the host's Python with venv and pip, the Python package index, Debian's sources by apt, and a C
/// compiler, make, patch and tclsh: without them all tests here fail.
pub(crate) fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packs");
        fs::create_dir_all(&home).unwrap();
        // Two at a time: each has parts that use one processor, such as downloads and its own scripts.
        let next = AtomicUsize::new(0);
        let builder = || {
            while let Some((recipe, folder)) = RECIPES.get(next.fetch_add(1, Ordering::Relaxed)) {
                keep_built(&home, recipe, folder);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(builder);
            builder();
        });
        home
    })
}

/// Builds a pack, unless it is built. It is built again if its recipe or the library that it is linked with has
/// changed.
fn keep_built(home: &Path, recipe: &str, folder: &str) {
    let key: String = ["packs/libc", folder].map(hash).concat();
    let built = home.join(format!("{}.built", folder.replace('/', "-")));
    if fs::read_to_string(&built).is_ok_and(|before| before == key) {
        return;
    }
    // An interrupted build must not look like one.
    let _ = fs::remove_file(&built);
    build(home, recipe);
    fs::write(&built, key).unwrap();
}

fn hash(folder: &str) -> String {
    let hash = tree_hash(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn build(home: &Path, recipe: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.args(["pack", "build", recipe]).stdin(Stdio::null()).current_dir(env!("CARGO_MANIFEST_DIR"));
    // wasi-libc is compiled once for all of them.
    command.env("HOME", home).env("ZIG_GLOBAL_CACHE_DIR", home.join("zig"));
    command.env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Who gives a pack to others gives its licences, and says what it was built from.
#[test]
fn packs_have_the_licences_and_hashes_of_their_sources() {
    for (pack, package, word) in [
        ("git", "git", "GNU General Public License"),
        ("perl", "perl", "Artistic"),
        ("sqlite", "sqlite3", "public-domain"),
        ("node", "mbedtls", "Apache"),
        ("node", "quickjs-ng", "Permission is hereby granted"),
        ("node", "readable-stream", "Permission is hereby granted"),
    ] {
        let file = home().join(format!(".local/share/sandshell/packs/{pack}/licences/{package}.txt"));
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let has_hash = |line: &str| {
            let hash = line.split_once("  ").map(|(hash, _)| hash);
            hash.is_some_and(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        assert!(text.lines().any(has_hash), "{}: no hash", file.display());
        assert!(text.to_lowercase().contains(&word.to_lowercase()), "{}: no {word:?}", file.display());
    }
}
