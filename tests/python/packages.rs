//! Packages of others, as the package index has them, on `PYTHONPATH`: their Python runs, their C extensions are not needed.

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
