//! Virtual environments, and where compiled code is kept.

use super::check;

/// Makes a package that can be installed with pip.
const PACKAGE: &str = r#"mkdir -p project/pkg
cat > project/pyproject.toml <<X
[project]
name = "pkg"
version = "1.2"
[project.scripts]
hello = "pkg:main"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
X
echo 'def main(): print("hello from pkg")' > project/pkg/__init__.py
"#;

#[test]
fn an_environment_has_its_own_packages() {
    let script = format!(
        "{PACKAGE}
python3 -m venv v && . v/bin/activate
which python pip | sed \"s:$PWD/::\"
pip install -q ./project 2>&1 | grep -v '^ '; hello
python -c 'import pkg, sys; print(pkg.__file__[-41:], sys.prefix != sys.base_prefix, sys.executable[-12:])'
pip --version | sed 's:.*/v/lib:v/lib:; s/ (.*//'
deactivate; python3 -c 'import pkg' 2>&1 | tail -1
python3 -c 'import sys; print(sys.prefix, sys.executable)'"
    );
    check(
        &script,
        0,
        "v/bin/python\nv/bin/pip\nhello from pkg\n/python3.14/site-packages/pkg/__init__.py True v/bin/python\n\
         v/lib/python3.14/site-packages/pip\nModuleNotFoundError: No module named 'pkg'\n/usr /usr/bin/python3\n",
    );
}

#[test]
fn environments_are_found_by_the_name_that_was_called() {
    check(
        "python3 -m venv --without-pip v; python3 -m venv --without-pip --system-site-packages w
for python in v/bin/python ./v/bin/python3 \"$PWD/v/bin/python3.14\"; do $python -c 'import sys; print(sys.prefix[-2:])'; done
PATH=v/bin:$PATH python3 -c 'import sys; print(sys.prefix[-2:])'
ln -s v/bin/python3 link; ln -s /usr/bin/python3 other; ./other -c 'import sys; print(sys.prefix, sys.executable[-6:])'
v/bin/python -c 'import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"import sys; print(sys.prefix[-2:])\"]))'
for e in v w; do $e/bin/python -c 'import sys; print([p.removeprefix(\"/workspace\") for p in sys.path if \"site-packages\" in p])'; done
v/bin/python -c 'import pip' 2>&1 | tail -1; w/bin/python -c 'import pip'
printf '#!%s\\nimport sys; print(sys.prefix[-2:])\\n' \"$PWD/v/bin/python\" > s; chmod +x s; ./s",
        0,
        "/v\n/v\n/v\n/v\n/usr /other\nb'/v\\n'\n\
         ['/v/lib/python3.14/site-packages']\n\
         ['/w/lib/python3.14/site-packages', '/usr/lib/python3.14/site-packages']\n\
         ModuleNotFoundError: No module named 'pip'\n/v\n",
    );
}

#[test]
fn code_of_modules_that_cannot_be_kept_beside_them_is_kept_in_the_users_cache() {
    check(
        "python3 -c 'import this' >/dev/null
cd ~/.cache/python/usr/lib/python3.14/__pycache__ && ls this.*
python3 -v -c 'import this' 2>&1 >/dev/null | grep -c 'matches /usr/lib/python3.14/this.py'
rm this.*; python3 -B -c 'import this' >/dev/null; ls | grep this
HOME= python3 -c 'import this' >/dev/null; XDG_CACHE_HOME=/tmp/c python3 -c 'import this' >/dev/null; find /tmp/c -name 'this.*'
mkdir /tmp/m; cd /tmp/m; echo 'X = 1' > m.py; python3 -c 'import m'; ls -A __pycache__; rm -r __pycache__
chmod 555 .; python3 -c 'import m'; echo 'X = 22' > m.py; python3 -c 'import m; print(m.X)'; ls -A; ls ~/.cache/python/tmp/m/__pycache__",
        0,
        "this.cpython-314.pyc\n1\n/tmp/c/python/usr/lib/python3.14/__pycache__/this.cpython-314.pyc\nm.cpython-314.pyc\n22\nm.py\n\
         m.cpython-314.pyc\n",
    );
}
