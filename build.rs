//! Lists the files of the packs' recipes and of the C library for them, for the command line to carry them, and finds
//! the commit that the program is built from.

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

/// The commit: what a release says in `SANDSHELL_COMMIT`, what cargo wrote into a published crate, or where a clone
/// stands. A development build of a clone says nothing, so that a commit alone rebuilds nothing.
fn commit(root: &Path) -> String {
    println!("cargo::rerun-if-env-changed=SANDSHELL_COMMIT");
    if let Ok(commit) = env::var("SANDSHELL_COMMIT") {
        return commit;
    }
    let packed = root.join(".cargo_vcs_info.json");
    if let Ok(info) = fs::read_to_string(&packed) {
        println!("cargo::rerun-if-changed={}", packed.display());
        return info.split('"').find(|part| is_hash(part)).unwrap_or_default().to_owned();
    }
    match env::var("PROFILE").as_deref() {
        Ok("release") => head(&root.join(".git")).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The commit of a clone or of a worktree; `None` if it is neither.
fn head(git: &Path) -> Option<String> {
    // In a worktree, a file says where its directory is, and that says where the clone's is.
    let own = match fs::read_to_string(git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir: ")?.trim_end()),
        Err(_) => git.to_owned(),
    };
    let common =
        fs::read_to_string(own.join("commondir")).map_or(own.clone(), |text| own.join(text.trim_end()));
    let head = read_watched(&own.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head).filter(|hash| is_hash(hash)) };
    let loose = read_watched(&common.join(name));
    let packed = || {
        let all = read_watched(&common.join("packed-refs"))?;
        all.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
    };
    loose.or_else(packed).filter(|hash| is_hash(hash))
}

/// A file without its last end of line. The program is built again when it changes.
fn read_watched(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text.trim_end().to_owned())
}

fn is_hash(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn list(name: &str, recipe: &Path, directory: &Path, text: &mut String) -> io::Result<()> {
    for path in sorted(directory)? {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "__pycache__" && name != "tests") {
                list(name, recipe, &path, text)?;
            }
        } else {
            let below = path.strip_prefix(recipe).unwrap_or(&path).display().to_string();
            entry(name, &below, text);
        }
    }
    Ok(())
}

fn entry(name: &str, file: &str, text: &mut String) {
    // A clone that was moved is not listed again, so the compiler says where it is. Writing to a string does not fail.
    let place = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})", format!("/packs/{name}/{file}"));
    let _ = writeln!(text, "    ({name:?}, {file:?}, include_bytes!({place})),");
}

fn sorted(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}
