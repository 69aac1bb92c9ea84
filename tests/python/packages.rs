//! Unmodified packages from the package index on `PYTHONPATH`: their Python code runs without their C extensions.

use super::{built, check_with};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: &[&str] =
    &["pytest==9.0.2", "requests==2.32.5", "jinja2==3.1.6", "pyyaml==6.0.3", "pydantic==1.10.27"];

#[test]
fn pytest_runs_a_file_of_tests() {
    let script = r#"cat > test_it.py <<'END'
import pytest
@pytest.mark.parametrize("number", [1, 2, 3])
def test_number(number, tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("a"); monkeypatch.setenv("NAME", "x"); print("told")
    assert capsys.readouterr().out == "told\n"
    assert number != 3
def test_raises():
    with pytest.raises(ValueError, match="invalid"): int("x")
END
python3 -m pytest -q -p no:cacheprovider > out; echo $?; tail -2 out | sed 's/ in .*//'"#;
    run(script, "1\nFAILED test_it.py::test_number[3] - assert 3 != 3\n1 failed, 3 passed\n");
}

/// Tracebacks have no entries of the pack's own functions, for which pytest finds nothing to show.
#[test]
fn pytest_shows_what_failed_in_a_call_of_the_system() {
    let script = r#"cat > test_it.py <<'END'
import os, signal, time
def test_directory(): os.mkdir("/missing/a")
def test_argument(): time.sleep("x")
def test_handler():
    signal.signal(signal.SIGUSR1, lambda *arguments: 1 / 0)
    os.kill(os.getpid(), signal.SIGUSR1)
END
python3 -m pytest -q -p no:cacheprovider --tb=short > out; echo $?; grep -c _sandshell out
grep -e '^E  ' -e '^test_it.py:' out; tail -1 out | sed 's/ in .*//'"#;
    let stdout = "1\n0\ntest_it.py:2: in test_directory\n\
                  E   FileNotFoundError: [Errno 2] No such file or directory: '/missing/a'\n\
                  test_it.py:3: in test_argument\n\
                  E   TypeError: 'str' object cannot be interpreted as an integer\n\
                  test_it.py:6: in test_handler\ntest_it.py:5: in <lambda>\n\
                  E   ZeroDivisionError: division by zero\n3 failed\n";
    run(script, stdout);
}

/// pytest's option needs a thread that waits while a test runs.
#[test]
fn pytest_writes_tracebacks_of_tests_that_take_long() {
    let script = r#"cat > test_it.py <<'END'
import time
def test_short(): pass
def test_long(): time.sleep(1)
END
python3 -m pytest -q -p no:cacheprovider -o faulthandler_timeout=0.2 > out 2> err; echo $?; tail -1 out | sed 's/ in .*//'
grep -c '^Timeout (0:00:00.200000)!' err; grep -c 'test_it.py", line 3 in test_long' err"#;
    run(script, "0\n2 passed\n1\n1\n");
}

#[test]
fn packages_import_and_work() {
    let script = r#"python3 - <<'END'
import jinja2, pydantic, requests, yaml
print(jinja2.Template("hello {{ name | upper }}").render(name="you"))
print(yaml.safe_load("a: [1, 2.5, x]"), repr(yaml.dump({"b": [1]})))
class Point(pydantic.BaseModel):
    x: int
print(Point(x="3"))
try: requests.get("http://example.org")
except requests.ConnectionError as error: print("this sandbox has no network" in str(error))
END"#;
    run(script, "hello YOU\n{'a': [1, 2.5, 'x']} 'b:\\n- 1\\n'\nx=3\nTrue\n");
}

/// Installs a package from a directory, which is built here, and from the wheel that this gives, into the user's
/// site directory.
#[test]
fn pip_installs_from_directories_and_wheels() {
    let script = r#"mkdir -p made/greet; cd made
cat > pyproject.toml <<'END'
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "greet"
version = "1.5"
[project.scripts]
greet = "greet:main"
END
echo 'def main(): print("hello from", __name__)' > greet/__init__.py
cd ..; pip install -q ./made 2>err || cat err
python3 -c 'import greet, importlib.metadata as m; greet.main(); print(m.version("greet"), "/.local/" in greet.__file__)'
~/.local/bin/greet; pip list 2>/dev/null | grep greet; pip uninstall -q -y greet; python3 -c 'import greet' 2>&1 | tail -1
pip wheel -q --no-deps -w wheels ./made 2>err || cat err; ls wheels
pip install -q wheels/greet-1.5-py3-none-any.whl && python3 -m pip show greet | head -2; greet=$(python3 -c 'import greet; greet.main()'); echo "$greet"
pip install -q --target there wheels/*.whl; ls there; PYTHONPATH=there python3 -s -c 'import greet; greet.main()'
pip install ./nowhere 2>/dev/null; echo $?"#;
    let stdout = "hello from greet\n1.5 True\nhello from greet\ngreet   1.5\n\
                  ModuleNotFoundError: No module named 'greet'\ngreet-1.5-py3-none-any.whl\nName: greet\nVersion: 1.5\n\
                  hello from greet\nbin\ngreet\ngreet-1.5.dist-info\nhello from greet\n1\n";
    check_with(&[], script, 0, stdout);
}

#[test]
fn a_seed_and_a_clock_govern_what_is_random() {
    let script = r#"for i in 1 2; do python3 -c '
import datetime, os, random, secrets, tempfile, time, uuid
print(random.random(), os.urandom(4).hex(), uuid.uuid4(), secrets.token_hex(4), hash("a"), tempfile.mktemp())
random.seed(1); print(random.random())
print(datetime.datetime.now(), time.time(), time.monotonic())
time.sleep(3600); print(datetime.datetime.now())'; done"#;
    let with = |seed: &str, clock: &str| {
        let output = super::exec(["--seed", seed, "--clock", clock], script);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = with("1", "virtual");
    assert_eq!(first, with("1", "virtual"));
    assert!(
        first.contains("0.13436424411240122\n2000-01-01 00:00:0") && first.contains("2000-01-01 01:00:0"),
        "{first}"
    );
    let lines: Vec<&str> = first.lines().collect();
    assert_ne!(lines[0], lines[4], "the second program goes on in the same sequence");
    let other = with("2", "virtual");
    assert_ne!(lines.first(), other.lines().collect::<Vec<_>>().first());
    check_with(
        &["--clock", "2026-01-02T03:04:05Z"],
        "python3 -c 'import datetime; print(datetime.datetime.now())'; python3 -c 'import time; print(time.gmtime()[:6])'",
        0,
        "2026-01-02 03:04:05\n(2026, 1, 2, 3, 4, 5)\n",
    );
}

#[track_caller]
fn run(script: &str, stdout: &str) {
    built::home();
    let mount = format!("{}:/packages:ro", packages().display());
    check_with(&["--mount", &mount, "--env", "PYTHONPATH=/packages"], script, 0, stdout);
}

/// The packages, installed by the host's pip once.
fn packages() -> PathBuf {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-packages");
    ONCE.call_once(|| {
        let stamp = place.join("installed");
        if fs::read_to_string(&stamp).is_ok_and(|text| text == PACKAGES.join("\n")) {
            return;
        }
        let _ = fs::remove_dir_all(&place);
        let mut command = Command::new("python3");
        command.args([
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-compile",
            "--target",
        ]);
        let output = command.arg(&place).args(PACKAGES).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(stamp, PACKAGES.join("\n")).unwrap();
    });
    place
}
