//! Lists the files of the packs' recipes and of the C library for them, for the command line to carry them, and finds the
//! commit that the program is built from.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let packs = root.join("packs");
    println!("cargo::rerun-if-changed=packs");
    println!("cargo::rustc-env=SANDSHELL_COMMIT={}", commit(&root));
    let mut text = String::from("&[\n");
    for recipe in sorted(&packs)? {
        if recipe.is_dir() {
            let name = recipe.file_name().unwrap_or_default().to_string_lossy().into_owned();
            list(&name, &recipe, &recipe, &mut text)?;
            if recipe.join("wit").is_dir() {
                // The interface that components are built against. Writing to a string does not fail.
                let interface = "sandshell::runtime::KERNEL_WIT.as_bytes()";
                let _ = writeln!(text, "    ({name:?}, \"wit/deps/kernel.wit\", {interface}),");
            }
        }
    }
    text.push_str("]\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("recipes.rs"), text)
}

/// The commit: what a release says in `SANDSHELL_COMMIT`, or what cargo wrote into a published crate; otherwise nothing,
/// so that a commit alone rebuilds nothing.
fn commit(root: &Path) -> String {
    println!("cargo::rerun-if-env-changed=SANDSHELL_COMMIT");
    println!("cargo::rerun-if-changed=.cargo_vcs_info.json");
    if let Ok(commit) = env::var("SANDSHELL_COMMIT") {
        return commit;
    }
    let info = fs::read_to_string(root.join(".cargo_vcs_info.json")).unwrap_or_default();
    let hash =
        info.split('"').find(|part| part.len() == 40 && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hash.unwrap_or_default().to_owned()
}

fn list(name: &str, recipe: &Path, directory: &Path, text: &mut String) -> io::Result<()> {
    for path in sorted(directory)? {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "__pycache__" && name != "tests") {
                list(name, recipe, &path, text)?;
            }
        } else {
            let below = path.strip_prefix(recipe).unwrap_or(&path).display().to_string();
            entry(name, &below, &path, text);
        }
    }
    Ok(())
}

fn entry(name: &str, file: &str, path: &Path, text: &mut String) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "    ({name:?}, {file:?}, include_bytes!({:?})),", path.display().to_string());
}

fn sorted(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}
