//! Compares the public interface of each crate with the file that describes it, or with `--write` writes these files.
//!
//! `cargo doc` is told to use this program in place of rustdoc. As that, it calls rustdoc, and asks it for JSON instead
//! of pages. Rust's stable releases do so only with `RUSTC_BOOTSTRAP`, which only rustdoc sees: the dependencies are
//! those that `cargo doc` and `cargo clippy` have compiled already.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The crates whose interfaces others use.
const CRATES: [&str; 6] = [
    "sandshell",
    "sandshell-emulator",
    "sandshell-providers",
    "sandshell-runtime",
    "sandshell-store",
    "sandshell-vfs",
];
/// Set where this program is called as rustdoc.
const AS_RUSTDOC: &str = "PUBLIC_API_AS_RUSTDOC";
/// So many differences are shown of a crate.
const SHOWN: usize = 40;

fn main() -> ExitCode {
    if env::var_os(AS_RUSTDOC).is_some() {
        return rustdoc();
    }
    let write = env::args().skip(1).any(|argument| argument == "--write");
    match run(write) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// Calls rustdoc with the same arguments.
fn rustdoc() -> ExitCode {
    let mut command = Command::new("rustdoc");
    command.args(env::args_os().skip(1)).env_remove(AS_RUSTDOC);
    if env::args().any(|argument| argument == "--crate-name") {
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Zunstable-options", "--output-format=json"]);
    }
    match command.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(e) => {
            eprintln!("rustdoc: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is as it is written down.
fn run(write: bool) -> Result<bool> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).ok_or("the repository is two levels above")?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = root.join(target);
    let documented = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["doc", "--workspace", "--no-deps", "--locked", "--quiet"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTDOC", env::current_exe()?)
        .env(AS_RUSTDOC, "1")
        // What the pages warn about is not of interest here; and other flags keep cargo from taking pages for JSON.
        .env("RUSTDOCFLAGS", "--cap-lints=allow")
        .status()?;
    if !documented.success() {
        return Err("cargo doc failed".into());
    }
    let mut same = true;
    for name in CRATES {
        let json = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
        let now = interface(&json)?;
        let file = here.join(format!("{name}.txt"));
        if write {
            fs::write(&file, &now)?;
            continue;
        }
        let before = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        same &= compare(name, &before, &now);
    }
    if !same {
        println!(
            "\nIf this is meant, write the files anew with `cargo run --manifest-path tests/public_api/Cargo.toml -- \
             --write`,\nand say in CHANGELOG.md what users have to change."
        );
    }
    Ok(same)
}

/// The interface in lines, one for each item.
fn interface(json: &Path) -> Result<String> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .build()
        .map_err(|e| format!("{}: {e}", json.display()))?;
    let mut lines: Vec<String> =
        api.items().map(ToString::to_string).filter(|line| !is_usual_auto_trait(line)).collect();
    lines.sort();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

/// Almost every type is `Send`, `Unpin` and so on. Only those that are not are of interest.
fn is_usual_auto_trait(line: &str) -> bool {
    const TRAITS: [&str; 6] = [
        "core::marker::Freeze",
        "core::marker::Send",
        "core::marker::Sync",
        "core::marker::Unpin",
        "core::panic::unwind_safe::RefUnwindSafe",
        "core::panic::unwind_safe::UnwindSafe",
    ];
    let about = |name: &str| line.starts_with("impl") && line.contains(&format!("{name} for "));
    TRAITS.iter().any(|name| about(name) && !line.contains(&format!("!{name}")))
        || ["Freeze", "UnwindSafe", "Unpin"].iter().any(|name| about(name))
}

/// Shows what is missing and what is new. Whether there is nothing of both.
fn compare(name: &str, before: &str, now: &str) -> bool {
    let only = |these: &str, those: &str, sign: char| -> Vec<String> {
        let those: std::collections::HashSet<&str> = those.lines().collect();
        these.lines().filter(|line| !those.contains(line)).map(|line| format!("{sign} {line}")).collect()
    };
    let (gone, new) = (only(before, now, '-'), only(now, before, '+'));
    if gone.is_empty() && new.is_empty() {
        return true;
    }
    println!("{name}: {} lines are gone, {} are new", gone.len(), new.len());
    for line in gone.iter().chain(&new).take(SHOWN) {
        println!("{line}");
    }
    false
}
