//! A sample of CPython's own tests. `suite/passing.txt` lists all modules that pass, `suite/refused.txt` their
//! tests that count as skipped, and `suite/others.txt` the other modules with reasons. `suite/run.py` produced
//! these lists.

use super::{built, sandshell};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that take little time and together cover most of the pack's own code. `test_hashlib` is not among them: it
/// takes two to five minutes, so it is only run by hand, with `run.py`.
const SAMPLE: &[&str] = &[
    "test_asyncgen",
    "test_bisect",
    "test_collections",
    "test_contextlib",
    "test_copy",
    "test_ctypes.test_byteswap",
    "test_ctypes.test_keeprefs",
    "test_ctypes.test_numbers",
    "test_deque",
    "test_file",
    "test_file_eintr",
    "test_filecmp",
    "test_fileinput",
    "test_genericpath",
    "test_getopt",
    "test_glob",
    "test_grp",
    "test_heapq",
    "test_iter",
    "test_named_expressions",
    "test_operator",
    "test_popen",
    "test_posixpath",
    "test_pwd",
    "test_scope",
    "test_script_helper",
    "test_shelve",
    "test_weakset",
];

#[test]
fn a_sample_of_cpythons_own_tests_passes() {
    built::home();
    let passing = fs::read_to_string(directory().join("passing.txt")).unwrap();
    let pack = pack_with(&library());
    let mount = format!("{}:/run:ro", directory().display());
    for name in SAMPLE {
        // A fourth word means that the tests are those of an older version.
        let listed =
            passing.lines().any(|line| line.starts_with(&format!("{name} ")) && line.split(' ').count() == 3);
        assert!(listed, "{name} is not listed");
        let mut command = sandshell();
        command.args(["exec", "--no-packs", "--mount", &mount, "--pack"]).arg(&pack);
        let output = command.arg(format!("python3 -P -u /run/one.py {name}")).output().unwrap();
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

/// Makes a copy of the pack with the tests in CPython's usual place, because they start interpreters that find them
/// only there.
fn pack_with(library: &Path) -> PathBuf {
    const COPY: &str = r#"rm -rf "$3" && cp -r "$1" "$3" && cp -r "$2/test" "$3/lib/test""#;
    let installed = built::home().join(".local/share/sandshell/packs/python");
    let pack = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-suite-pack");
    let mut command = Command::new("bash");
    let copied =
        command.args(["-ec", COPY, "bash"]).args([installed.as_path(), library, &pack]).status().unwrap();
    assert!(copied.success());
    pack
}

/// CPython's package `test` from Debian, fetched on first use. The rest of Debian's packages is a library of
/// another version, which must not be found.
///
/// The stable distribution does not have 3.14, but the next one does. Its index is kept separately, and nothing is
/// installed from it.
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
