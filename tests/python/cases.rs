//! Runs snippets in a sandbox and compares their output and status with what `record.py` recorded from native
//! CPython.

use super::{built, exec};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Runs each script in a directory of its own and records its output.
const RUN: &str = r"
for script in $(ls /cases | sort -n); do
  mkdir -p /tmp/w/$script; cd /tmp/w/$script
  timeout 60 bash /cases/$script </dev/null >/out/$script 2>/out/$script.err; echo $? >/out/$script.status
done
";

#[test]
fn asyncio() {
    replay("asyncio.py");
}

#[test]
fn ctypes() {
    replay("ctypes.py");
}

#[test]
fn directories() {
    replay("directories.py");
}

#[test]
fn files() {
    replay("files.py");
}

#[test]
fn library() {
    replay("library.py");
}

#[test]
fn locks() {
    replay("locks.sh");
}

#[test]
fn loopback() {
    replay("loopback.py");
}

#[test]
fn multiprocessing() {
    replay("multiprocessing.sh");
}

#[test]
fn options() {
    replay("options.sh");
}

#[test]
fn processes() {
    replay("processes.sh");
}

#[test]
fn sockets() {
    replay("sockets.py");
}

#[test]
fn ssl() {
    replay("ssl.py");
}

#[test]
fn standard_library() {
    replay("stdlib.py");
}

#[test]
fn system() {
    replay("system.py");
}

#[test]
fn threads() {
    replay("threads.py");
}

#[test]
fn tools() {
    replay("tools.sh");
}

/// Runs a file's snippets in one sandbox, and fails with a list of all differences.
#[track_caller]
fn replay(name: &str) {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/cases");
    let text = fs::read_to_string(files.join(name)).unwrap();
    let expected = expectations(&fs::read(files.join(format!("{name}.expected"))).unwrap());
    let snippets: Vec<&str> = text.split("\n---\n").collect();
    assert_eq!(snippets.len(), expected.len(), "record.py was not run");

    built::home();
    let work = tempfile::tempdir().unwrap();
    let (cases, out) = (work.path().join("cases"), work.path().join("out"));
    fs::create_dir(&cases).unwrap();
    fs::create_dir(&out).unwrap();
    for (number, snippet) in snippets.iter().enumerate() {
        fs::write(cases.join(number.to_string()), script(snippet, name)).unwrap();
    }
    let mounts = [format!("{}:/cases:ro", cases.display()), format!("{}:/out:rw", out.display())];
    let ran = exec(["--env", "TZ=UTC", "--mount", &mounts[0], "--mount", &mounts[1]], RUN);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let mut differences = String::new();
    for (number, (snippet, expected)) in snippets.iter().zip(expected).enumerate() {
        let read = |suffix: &str| fs::read(out.join(format!("{number}{suffix}"))).unwrap();
        let status = String::from_utf8(read(".status")).unwrap().trim().parse().unwrap();
        let place = format!("/tmp/w/{number}");
        let stdout = String::from_utf8_lossy(&read("")).replace(&place, "HERE");
        if (status, stdout.as_str()) != (expected.0, expected.1.as_str()) {
            let stderr = String::from_utf8_lossy(&read(".err")).into_owned();
            let (wanted, text) = expected;
            writeln!(
                differences,
                "===== {snippet}\n----- native: {wanted}\n{text}----- sandbox: {status}\n{stdout}{stderr}"
            )
            .unwrap();
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// The bash script that runs a snippet, the same as in `record.py`.
fn script(snippet: &str, file: &str) -> String {
    if snippet.starts_with("#sh") || file.ends_with(".sh") && !snippet.starts_with("#py") {
        snippet.to_owned()
    } else if snippet.starts_with("#py") {
        format!("cat > t.py <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\npython3 t.py a1 'a 2'\n")
    } else {
        format!("python3 - a1 'a 2' <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\n")
    }
}

/// (status, standard output) of each snippet.
fn expectations(mut text: &[u8]) -> Vec<(i32, String)> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let end = text.iter().position(|byte| *byte == b'\n').unwrap();
        let header = std::str::from_utf8(&text[..end]).unwrap();
        let mut numbers = header.strip_prefix("=== ").unwrap().split(' ');
        let status = numbers.next().unwrap().parse().unwrap();
        let length: usize = numbers.next().unwrap().parse().unwrap();
        let start = end + 1;
        found.push((status, String::from_utf8_lossy(&text[start..start + length]).into_owned()));
        text = &text[start + length + 1..];
    }
    found
}
