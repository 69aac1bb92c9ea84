//! The pack, built when the first test needs it and kept in the target directory until its recipe changes.

use sandshell::pack::tree_hash;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A home directory in which the pack is installed.
///
/// Building needs the host's Python with venv and pip, and the Python package index: without them all tests here fail.
pub(crate) fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let recipe = tree_hash(&root.join("packs/python")).unwrap();
        let kernel = tree_hash(&root.join("runtime/wit")).unwrap();
        let name: String = recipe[..6].iter().chain(&kernel[..6]).map(|byte| format!("{byte:02x}")).collect();
        let homes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
        let home = homes.join(&name);
        if !home.join("built").exists() {
            // Remove builds of other recipes, and interrupted ones.
            let _ = fs::remove_dir_all(&homes);
            fs::create_dir_all(&home).unwrap();
            build(&home);
            fs::write(home.join("built"), "").unwrap();
        }
        home
    })
}

fn build(home: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandshell"));
    command.args(["pack", "build", "python"]).stdin(Stdio::null());
    command.env("HOME", home).env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
