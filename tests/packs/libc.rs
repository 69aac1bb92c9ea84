//! Small programs that use the C library for packs, in a sandbox and natively: what they print must be the same.

use super::{differences, exec};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs every program in a directory of its own and keeps what it printed.
const RUN: &str = "
for name in $(ls /usr/share/libc-cases); do
  mkdir -p /tmp/w/$name; cd /tmp/w/$name
  timeout 60 /usr/share/libc-cases/$name </dev/null >/out/$name 2>&1; echo \"status $?\" >>/out/$name
done
";

#[test]
fn programs_print_what_they_do_natively() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/libc/cases");
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("out");
    fs::create_dir(&out).unwrap();
    let ran = exec(["--mount", &format!("{}:/out:rw", out.display())], RUN);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let mut wrong = String::new();
    let mut names: Vec<_> = fs::read_dir(&cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    names.sort();
    for source in names {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let differs =
            differences(&native(&source, &work.path().join(name)), &fs::read(out.join(name)).unwrap());
        if !differs.is_empty() {
            wrong += &format!("{name}, {differs}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What a case prints on this machine.
fn native(source: &Path, directory: &Path) -> Vec<u8> {
    fs::create_dir(directory).unwrap();
    let program = directory.with_extension("native");
    let flags = ["-std=gnu17", "-w", "-D_GNU_SOURCE", "-o"];
    let compiled = Command::new("cc").args(flags).arg(&program).arg(source).status().unwrap();
    assert!(compiled.success());
    let script = "timeout 60 \"$0\" 2>&1; echo \"status $?\"";
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .arg(&program)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command.output().unwrap().stdout
}
