//! `sandshell pack`.

mod archive;
mod build;
mod recipe;
mod shipped;

use super::args::PackCommand;
use super::failure::{Failure, printable};
use super::progress::Progress;
use super::{configuration, places};
use sandshell::pack::{self, Manifest, Pack, PackConfig};
use sandshell::runtime::{EngineOptions, compile_pack, engine_config::Metering};
use sandshell::{Engine, Limits};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn pack(command: PackCommand) -> Result<u8, Failure> {
    match command {
        PackCommand::Build { recipe, output } => build::build(&recipe, output.as_deref()),
        PackCommand::Cc { words } => build::cc(&words),
        PackCommand::Compile { pack } => {
            let code = compile_pack(&Pack::open(pack)?.program().wasm)?;
            say(&format!("{}\n", code.display()))
        }
        PackCommand::Install { pack } => install(&pack),
        PackCommand::List => list(),
        PackCommand::Info { name } => info(&name),
        PackCommand::Remove { name } => remove(&name),
    }
}

/// The packs of a run: the installed and configured ones unless `no_packs` is set, and those that are named on the
/// command line, either by the name of an installed pack or by a directory.
pub(crate) fn chosen(named: &[String], no_packs: bool) -> Result<Vec<Pack>, Failure> {
    let installed = places::packs().map(|packs| pack::installed(&packs)).unwrap_or_default();
    let config = if no_packs { PackConfig { installed: false, used: Vec::new() } } else { configured()? };
    let mut packs = if config.installed { installed.clone() } else { Vec::new() };
    for name in config.used.iter().chain(named) {
        let found = if name.contains('/') {
            Pack::open(name)?
        } else {
            let found = installed.iter().find(|pack| pack.manifest().name == *name);
            found.cloned().ok_or_else(|| Failure::about(name, "no such pack is installed"))?
        };
        packs.retain(|pack| pack.manifest().name != found.manifest().name);
        packs.push(found);
    }
    Ok(packs)
}

/// The packs in the user's configuration. A relative path in it is relative to the configuration file's directory.
fn configured() -> Result<PackConfig, Failure> {
    let Some(file) = configuration::read()? else { return Ok(PackConfig::default()) };
    let mut config = PackConfig::parse(&file.text).map_err(|why| Failure::about(file.path.display(), why))?;
    for name in config.used.iter_mut().filter(|name| name.contains('/')) {
        *name = file.path.with_file_name(&*name).display().to_string();
    }
    Ok(config)
}

fn directory() -> Result<PathBuf, Failure> {
    places::packs().ok_or_else(|| Failure::new("there is no home directory to keep packs in"))
}

fn install(from: &Path) -> Result<u8, Failure> {
    let unpacked = archive::unpack(&shipped::find(from)?)?;
    // A program that cannot be run does not replace one that can.
    let pack = pack::install_checked(unpacked.path(), &directory()?, compile)?;
    let Manifest { name, version, .. } = pack.manifest();
    let line = format!("{name} {version} is installed: {}", pack.manifest().commands.join(", "));
    say(&(printable(&line) + "\n"))
}

/// Compiles a pack's program now, so that its first start is as quick as all others. It is compiled both for
/// ordinary sandboxes and for those that count instructions.
fn compile(pack: &Pack) -> Result<(), Failure> {
    let options = EngineOptions {
        cache_dir: places::cache(),
        max_processes: Limits::default().processes,
        ..EngineOptions::new(sandshell::image())
    };
    let engine = Engine::new(options)?;
    for (metering, what) in [(Metering::Plain, ""), (Metering::Metered, ", counting instructions")] {
        let _progress = Progress::logged(format!("compiling {}{what}", pack.manifest().name));
        engine.prepare(pack.program(), metering)?;
    }
    Ok(())
}

fn list() -> Result<u8, Failure> {
    let mut text = String::new();
    for pack in pack::installed(&directory()?) {
        let Manifest { name, version, summary, .. } = pack.manifest();
        text.push_str(&format!("{name}\t{}\t{}\n", printable(version), printable(summary)));
    }
    say(&text)
}

fn info(name: &str) -> Result<u8, Failure> {
    let path = if name.contains('/') { PathBuf::from(name) } else { directory()?.join(name) };
    if !path.exists() {
        return Err(Failure::about(name, "no such pack is installed"));
    }
    say(&Pack::open(path)?.manifest().text()?)
}

fn remove(name: &str) -> Result<u8, Failure> {
    if pack::remove(name, &directory()?)? {
        Ok(0)
    } else {
        Err(Failure::about(name, "no such pack is installed"))
    }
}

fn say(text: &str) -> Result<u8, Failure> {
    let mut stdout = std::io::stdout().lock();
    // It is no failure if the reader has closed the pipe.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    Ok(0)
}
