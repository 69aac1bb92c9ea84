//! Builds the guests for WASI, compiles them to native code for both kinds of metering, and writes the results where
//! `src/lib.rs` embeds them from.

use anyhow::{Context, Result, bail};
use sandshell_codegen::Metering;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const TARGET: &str = "wasm32-wasip1";

/// The programs. Each names its applets in the custom section `sandshell.applets`, one per line.
const PROGRAMS: [&str; 2] = ["sh", "util"];

fn main() -> Result<()> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let guests = manifest.parent().context("the image lies inside the guests' workspace")?.to_path_buf();
    let out = PathBuf::from(env::var("OUT_DIR")?);

    watch(&guests)?;
    let built = build(&guests, &guest_target_dir(&out)?)?;

    let mut source = String::from("const PROGRAMS: &[Embedded] = &[\n");
    for name in PROGRAMS {
        let wasm = fs::read(built.join(format!("{name}.wasm")))?;
        let code = sandshell_codegen::in_pieces(&wasm).with_context(|| format!("{name}.wasm"))?;
        for (metering, kind) in [(Metering::Plain, "plain"), (Metering::Metered, "metered")] {
            let code =
                wasmtime::Engine::new(&sandshell_codegen::config(metering))?.precompile_module(&code)?;
            fs::write(out.join(format!("{name}.{kind}")), code)?;
        }
        let applets = applets(&wasm).with_context(|| format!("{name}.wasm"))?;
        writeln!(
            source,
            "    Embedded {{\n        name: {name:?},\n        applets: &{applets:?},\n        \
             plain: &Aligned(*include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.plain\"))),\n        \
             metered: &Aligned(*include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.metered\"))),\n    }},"
        )?;
    }
    source.push_str("];\n");
    fs::write(out.join("programs.rs"), source)?;
    Ok(())
}

/// Tells cargo which files the guests are built from.
fn watch(guests: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    for file in ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"] {
        println!("cargo::rerun-if-changed={}", guests.join(file).display());
    }
    for entry in fs::read_dir(guests)? {
        let dir = entry?.path();
        if dir.join("Cargo.toml").is_file() && dir.file_name() != Some("image".as_ref()) {
            println!("cargo::rerun-if-changed={}", dir.join("Cargo.toml").display());
            println!("cargo::rerun-if-changed={}", dir.join("src").display());
        }
    }
    Ok(())
}

/// Returns `target/guest`, shared by all profiles of the host: guests are always built with optimisation.
fn guest_target_dir(out: &Path) -> Result<PathBuf> {
    // OUT_DIR is target/[triple/]PROFILE/build/PACKAGE-HASH/out.
    let profile = out.ancestors().nth(3).context("OUT_DIR has cargo's shape")?;
    Ok(profile.parent().context("OUT_DIR has cargo's shape")?.join("guest"))
}

/// Runs cargo in the guests' workspace and returns the folder of the modules.
fn build(guests: &Path, target_dir: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .current_dir(guests)
        .args(["build", "--release", "--locked", "--target", TARGET])
        .arg("--target-dir");
    cargo.arg(target_dir);
    for name in PROGRAMS {
        cargo.args(["--package", name]);
    }
    // The guests must not inherit the outer build's flags, wrappers (such as clippy's) and target.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let outer = [
            "CARGO_ENCODED",
            "CARGO_BUILD_",
            "CARGO_PROFILE_",
            "CARGO_TARGET_",
            "CARGO_CFG_",
            "CARGO_FEATURE_",
            "CARGO_PKG_",
        ];
        if outer.iter().any(|p| text.starts_with(p))
            || text.contains("RUSTFLAGS")
            || text.ends_with("_WRAPPER")
        {
            cargo.env_remove(&name);
        }
    }
    let output = cargo.output().context("cannot run cargo for the guests")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains("target may not be installed") || text.contains("can't find crate for `core`") {
            bail!("the guests need the WASI target: run `rustup target add {TARGET}` and build again");
        }
        bail!("building the guests failed:\n{text}");
    }
    Ok(target_dir.join(TARGET).join("release"))
}

/// The commands that a module offers.
fn applets(wasm: &[u8]) -> Result<Vec<String>> {
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        if let wasmparser::Payload::CustomSection(section) = payload?
            && section.name() == "sandshell.applets"
        {
            let text = std::str::from_utf8(section.data())?;
            return Ok(text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect());
        }
    }
    bail!("no section `sandshell.applets`")
}
