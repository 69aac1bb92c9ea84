//! A sample of CPython's own tests. `suite/passing.txt` lists all modules that pass, `suite/others.txt` the others with reasons;
//! both were made with `suite/run.py`.

use super::{built, sandshell};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that take little time and together use most of what the pack does itself.
const SAMPLE: &[&str] = &[
    "test_array",
    "test_binascii",
    "test_bisect",
    "test_buffer",
    "test_copy",
    "test_deque",
    "test_file",
    "test_filecmp",
    "test_getopt",
    "test_glob",
    "test_heapq",
    "test_ipaddress",
    "test_iter",
    "test_memoryio",
    "test_named_expressions",
    "test_operator",
    "test_popen",
    "test_scope",
    "test_set",
    "test_shelve",
    "test_weakset",
    "test_zlib",
];

#[test]
fn a_sample_of_cpythons_own_tests_passes() {
    built::home();
    let passing = fs::read_to_string(directory().join("passing.txt")).unwrap();
    let library = library();
    for name in SAMPLE {
        assert!(passing.lines().any(|line| line.split(' ').next() == Some(*name)), "{name} is not listed");
        let mounts =
            [format!("{}:/suite:overlay", library.display()), format!("{}:/run:ro", directory().display())];
        let mut command = sandshell();
        command.args(["exec", "--env", "PYTHONPATH=/suite", "--mount", &mounts[0], "--mount", &mounts[1]]);
        let output = command.arg(format!("python3 -u /run/one.py {name}")).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let result = stdout.lines().find_map(|line| line.strip_prefix("RESULT ")).unwrap_or("{}");
        let result: serde_json::Value = serde_json::from_str(result).unwrap();
        let fine = result["failed"].as_object().is_some_and(serde_json::Map::is_empty);
        assert!(
            fine && result["ran"].as_u64() > Some(0) && result["error"].is_null(),
            "{name}: {result} {output:?}"
        );
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/suite")
}

/// CPython's package `test` of Debian's packages, fetched when it is needed first. The rest of them is another version's library,
/// which must not be found.
///
/// The stable distribution has no 3.14: the next one does. Its index is kept beside the machine's own and never installed from.
fn library() -> PathBuf {
    const FETCH: &str = r#"mkdir -p lists/partial cache/archives/partial
        archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/$')
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive forky main" > sources.list
        fetch="apt-get -o Acquire::Retries=3 -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=/dev/null
            -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Sandbox::User="
        $fetch update && $fetch download libpython3.14-testsuite libpython3.14-stdlib
        for package in *.deb; do dpkg -x "$package" .; done
        mkdir only && mv usr/lib/python3.14/test only && rm -r -- *.deb usr lists cache"#;
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-suite-3.14");
    let only = place.join("only");
    if !only.exists() {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        let output = Command::new("bash").args(["-ec", FETCH]).current_dir(&place).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    only
}
