//! Builds the guests for WASI, or takes the modules that a published crate carries, compiles them to native code for
//! both kinds of metering and for the target, and writes the results where `src/lib.rs` embeds them from.

use anyhow::{Context, Result, bail};
use sandshell_codegen::Metering;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const TARGET: &str = "wasm32-wasip1";

/// The programs. Each names its applets in the custom section `sandshell.applets`, one per line.
const PROGRAMS: [&str; 2] = ["sh", "util"];

fn main() -> Result<()> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return write(&out, "const GUESTS_HASH: &str = \"\";\nconst PROGRAMS: &[Embedded] = &[];\n");
    }
    let modules = modules(&manifest, &out)?;
    let target = env::var("TARGET")?;
    let mut hasher = Sha256::new();
    let mut source = String::from("const PROGRAMS: &[Embedded] = &[\n");
    for name in PROGRAMS {
        let wasm = fs::read(modules.join(format!("{name}.wasm")))?;
        hasher.update(Sha256::digest(&wasm));
        let code = sandshell_codegen::in_pieces(&wasm).with_context(|| format!("{name}.wasm"))?;
        let plain = compile(Metering::Plain, &target, &code)?;
        let metered = sandshell_codegen::pack(&compile(Metering::Metered, &target, &code)?)?;
        fs::write(out.join(format!("{name}.plain")), plain)?;
        fs::write(out.join(format!("{name}.metered")), &metered)?;
        let applets = applets(&wasm).with_context(|| format!("{name}.wasm"))?;
        let hash: [u8; 32] = Sha256::digest(&metered).into();
        writeln!(
            source,
            "    Embedded {{\n        name: {name:?},\n        applets: &{applets:?},\n        \
             plain: &Aligned(*include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.plain\"))),\n        \
             metered: PackedCode {{\n            \
             packed: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.metered\")),\n            \
             hash: {hash:?},\n        }},\n    }},"
        )?;
    }
    source.push_str("];\n");
    writeln!(source, "const GUESTS_HASH: &str = {:?};", hex(&hasher.finalize()))?;
    write(&out, &source)
}

fn write(out: &Path, source: &str) -> Result<()> {
    Ok(fs::write(out.join("programs.rs"), source)?)
}

/// The folder of the modules.
fn modules(manifest: &Path, out: &Path) -> Result<PathBuf> {
    let carried = manifest.join("guests");
    let guests = manifest.parent().context("the image lies inside the guests' workspace")?.to_path_buf();
    // In the repository the guests' sources lie around this crate, and are newer than what was once packaged.
    if guests.join("Cargo.lock").is_file() && guests.join("sh/Cargo.toml").is_file() {
        watch(&guests)?;
        return build(&guests, &guest_target_dir(out)?);
    }
    verify(&carried)?;
    Ok(carried)
}

/// Compares the modules that travel with this crate with their list of hashes.
fn verify(carried: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed={}", carried.display());
    let list = fs::read_to_string(carried.join("SHA256SUMS")).context(
        "neither the guests' sources nor their modules are here: `release/guests` makes the modules",
    )?;
    for name in PROGRAMS {
        let file = format!("{name}.wasm");
        let wasm = fs::read(carried.join(&file)).with_context(|| file.clone())?;
        let line = format!("{}  {file}", hex(&Sha256::digest(&wasm)));
        if !list.lines().any(|known| known == line) {
            bail!("{file} is not the module that was packaged: its hash is not in SHA256SUMS");
        }
    }
    Ok(())
}

/// Compiles a module for every processor of the target's kind.
fn compile(metering: Metering, target: &str, wasm: &[u8]) -> Result<Vec<u8>> {
    let engine = sandshell_codegen::portable_config(metering, target)
        .and_then(|config| wasmtime::Engine::new(&config))
        .map_err(|error| {
            anyhow::anyhow!(
                "compiling the guests for {target}: {error:#} (for another kind of processor than this machine's, \
                 build with the feature `cross`)"
            )
        })?;
    Ok(engine.precompile_module(wasm)?)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Tells cargo which files the guests are built from.
fn watch(guests: &Path) -> Result<()> {
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
    // No path of this machine is part of a module, so that everybody builds the same one.
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).unwrap_or_default();
    let map = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let flags = [map(&home, "/cargo"), map(guests, "/guests")];
    cargo.args(["--config", &format!("target.{TARGET}.rustflags={flags:?}")]);
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
