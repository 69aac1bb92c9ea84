//! The packs, built when the first test needs them and kept in the target directory until a recipe changes.

use super::{Command, Stdio};
use sandshell::pack::tree_hash;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A home directory in which the packs are installed.
///
/// Building needs the host's Python with venv and pip, the Python package index, Debian's sources by apt, and a C compiler, make,
/// patch and tclsh: without them all tests here fail.
pub(crate) fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let recipes = ["packs/libc", "packs/git", "packs/sqlite", "tests/packs/libc"];
        let hashes = recipes.map(|recipe| tree_hash(&root.join(recipe)).unwrap());
        let name: String =
            hashes.iter().flat_map(|hash| &hash[..4]).map(|byte| format!("{byte:02x}")).collect();
        let homes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packs");
        let home = homes.join(&name);
        if !home.join("built").exists() {
            // Of other recipes, or a build that was interrupted.
            let _ = fs::remove_dir_all(&homes);
            fs::create_dir_all(&home).unwrap();
            for recipe in ["git", "sqlite", &format!("{}/", root.join("tests/packs/libc").display())] {
                build(&home, recipe);
            }
            fs::write(home.join("built"), "").unwrap();
        }
        home
    })
}

fn build(home: &Path, recipe: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.args(["pack", "build", recipe]).stdin(Stdio::null());
    // wasi-libc is compiled once for all of them.
    command.env("HOME", home).env("ZIG_GLOBAL_CACHE_DIR", home.join("zig"));
    command.env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
