//! `sandshell pack build`: a recipe's script, run by the host's Python in an environment of its own.

use super::{archive, compile, directory, recipe, say};
use crate::cli::failure::{Failure, printable, reason};
use crate::cli::places;
use crate::cli::progress::Progress;
use sandshell::pack::{self, MANIFEST, Manifest};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds a recipe (a name that is known, or a directory) and installs it, or writes it to `output`.
pub(super) fn build(name: &str, output: Option<&Path>) -> Result<u8, Failure> {
    let work = tempfile::tempdir().map_err(|error| Failure::about("temporary directory", reason(&error)))?;
    let source = recipe::find(name, &work.path().join("recipe"))?;
    let manifest = Manifest::read(&source.join(MANIFEST))?;
    let build = manifest
        .build
        .as_ref()
        .ok_or_else(|| Failure::about(name, "its manifest says nothing of a build"))?;
    let python = environment(&manifest.name, &build.requirements)?;

    let built = work.path().join("pack");
    std::fs::create_dir(&built).map_err(|error| Failure::about(built.display(), reason(&error)))?;
    let progress = Progress::new(format!("building {}", manifest.name));
    let modules = work.path().join("modules");
    recipe::write_modules(&modules)?;
    let script = source.join(&build.script);
    let sources = work.path().join("sources");
    let mut command = Command::new(&python);
    command.arg(script).arg(&source).arg(&built);
    command.env("PYTHONPATH", &modules).env("SANDSHELL_SOURCES", &sources);
    // No tree, so no sandbox sees them; they are for those whom the pack is given to.
    command.env("SANDSHELL_LICENCES", built.join("licences"));
    let said = run(&mut command)?;
    drop(progress);
    // What a script says although it succeeded: that it took another version, for example.
    for line in String::from_utf8_lossy(&said).lines() {
        let _ = writeln!(std::io::stderr(), "{}", printable(line));
    }
    let mut plain = Manifest { build: None, ..manifest.clone() };
    took(&mut plain, &std::fs::read_to_string(&sources).unwrap_or_default());
    let path = built.join(MANIFEST);
    std::fs::write(&path, plain.text()?).map_err(|error| Failure::about(path.display(), reason(&error)))?;

    let place = tempfile::tempdir().map_err(|error| Failure::about("temporary directory", reason(&error)))?;
    match output {
        None => {
            let pack = pack::install(&built, &directory()?)?;
            compile(&pack)?;
            let commands = manifest.commands.join(", ");
            let line = format!("{} {} is installed: {commands}", manifest.name, manifest.version);
            say(&(printable(&line) + "\n"))
        }
        Some(output) => {
            let pack = pack::install(&built, place.path())?;
            archive::write(pack.directory(), output)?;
            Ok(0)
        }
    }
}

/// Notes the versions of source packages that a script took (lines of a name and a version): a component is of the
/// package that its source ends with.
fn took(manifest: &mut Manifest, sources: &str) {
    for (package, version) in sources.lines().filter_map(|line| line.split_once(' ')) {
        for component in &mut manifest.components {
            if component.source.rsplit('/').next() == Some(package) {
                version.clone_into(&mut component.version);
            }
        }
    }
}

/// Compiles and links as a C compiler does with these words. The C library is compiled when it is first needed.
pub(super) fn cc(words: &[OsString]) -> Result<u8, Failure> {
    let python = environment("cc", &recipe::compiler())?;
    let work = tempfile::tempdir().map_err(|error| Failure::about("temporary directory", reason(&error)))?;
    let modules = work.path().join("modules");
    recipe::write_modules(&modules)?;
    // Each version of the library has a place of its own.
    let hash =
        pack::tree_hash(&modules).map_err(|error| Failure::about(modules.display(), reason(&error)))?;
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let library = python.parent().and_then(Path::parent).unwrap_or(&python).join(hash);
    let mut command = Command::new(&python);
    command.arg(modules.join("libc/toolchain.py")).arg(library).args(words);
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| Failure::about(name, reason(&error)))?;
    Ok(if status.success() { 0 } else { 1 })
}

/// A virtual environment with the packages that the build needs, in a directory of the cache whose name depends on
/// them.
fn environment(name: &str, requirements: &[String]) -> Result<PathBuf, Failure> {
    let cache = places::builds().ok_or_else(|| Failure::new("there is no home directory to build in"))?;
    let directory = cache.join(name);
    let python = directory.join("bin/python");
    if !python.exists() {
        let _progress = Progress::new("making a Python environment");
        run(Command::new(host_python()?).args([
            OsStr::new("-m"),
            OsStr::new("venv"),
            directory.as_os_str(),
        ]))?;
    }
    if !requirements.is_empty() {
        let _progress = Progress::new(format!("fetching {}", requirements.join(", ")));
        let pip =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"];
        run(Command::new(&python).args(pip).args(requirements))?;
    }
    Ok(python)
}

/// A Python of the host that is new enough.
fn host_python() -> Result<&'static str, Failure> {
    const CHECK: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let works = |name: &&&str| {
        let mut command = Command::new(name);
        command.args(["-c", CHECK]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let names = &["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];
    let found = names.iter().find(works);
    found.copied().ok_or_else(|| {
        Failure::new("building a pack needs a Python of the host, 3.10 or newer with venv and pip")
    })
}

/// Runs a program of the host and waits for it; its output is shown if it fails. Returns what it wrote to standard
/// error.
fn run(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Failure::about(&name, reason(&error)))?;
    if output.status.success() {
        return Ok(output.stderr);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(Failure::about(name, format!("failed\n{}", String::from_utf8_lossy(&said).trim_end())))
}
