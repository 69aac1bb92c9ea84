//! Lists the files of the packs' recipes and of the C library for them, for the command line to carry them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The interface that components are built against, for each recipe of one.
const KERNEL: &str = "runtime/wit/kernel.wit";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let packs = root.join("packs");
    println!("cargo::rerun-if-changed=packs");
    println!("cargo::rerun-if-changed={KERNEL}");
    let mut text = String::from("&[\n");
    for recipe in sorted(&packs)? {
        if recipe.is_dir() {
            let name = recipe.file_name().unwrap_or_default().to_string_lossy().into_owned();
            list(&name, &recipe, &recipe, &mut text)?;
            if recipe.join("wit").is_dir() {
                entry(&name, "wit/deps/kernel.wit", &root.join(KERNEL), &mut text);
            }
        }
    }
    text.push_str("]\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("recipes.rs"), text)
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
