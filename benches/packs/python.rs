//! The rows of python, numpy and pandas. `cargo bench --bench python` has more of Python alone.
//!
//! The pack's numpy has no BLAS. A native one without is compiled in an environment of its own, whose Python is then
//! `PYTHON`:
//!
//!     pip install --no-binary numpy numpy==2.3.5 -Csetup-args=-Dallow-noblas=true \
//!         -Csetup-args=-Dblas=none -Csetup-args=-Dlapack=none
//!
//! With a native BLAS, the rows that use it name it and have no goal. That of `int32` never uses it.

use crate::data::sales;
use crate::measure::{Goal, Row};
use crate::{Context, Group, JOBS, Rows};
use std::process::Command;
use std::time::Duration;

/// python.
pub(crate) const PYTHON: Group = Group { pack: "python", prepare: |c| c.prepare(sales), rows: python };

/// numpy.
pub(crate) const NUMPY: Group = Group { pack: "numpy", prepare: |_| (), rows: numpy };

/// pandas.
pub(crate) const PANDAS: Group = Group { pack: "pandas", prepare: |_| (), rows: pandas };

/// Goals: for Python's own code, for numpy's, for a start.
const TWICE: Goal = Goal::Ratio(2.0);
const THRICE: Goal = Goal::Ratio(3.0);
const AS_LONG: Goal = Goal::Ratio(1.0);

/// The name of numpy's BLAS, or `none`.
const BLAS: &str =
    "import numpy; print(numpy.__config__.CONFIG['Build Dependencies']['blas'].get('name', 'none'))";

/// What numpy's rows measure: how they are named, the job of `arrays.py`, and whether a native BLAS would do it.
const ARRAYS: [(&str, &str, bool); 17] = [
    ("numpy: a table of 20,000 rows", "table", false),
    ("numpy: matrix product, 400", "matmul", true),
    ("numpy: matrix product of int32, 400", "matmul-int32", false),
    ("numpy: linear equations, 400", "solve", true),
    ("numpy: sort, a million", "sort", false),
    ("numpy: sort, a million int32", "sort-int32", false),
    ("numpy: argsort, a million", "argsort", false),
    ("numpy: add", "add", false),
    ("numpy: sum", "sum", false),
    ("numpy: maximum", "maximum", false),
    ("numpy: multiply, each time a new array", "new", false),
    ("numpy: sqrt", "sqrt", false),
    ("numpy: exp", "exp", false),
    ("numpy: sin", "sin", false),
    ("numpy: compare", "compare", false),
    ("numpy: fft, 2^18", "fft", false),
    ("numpy: a million normal numbers", "random", false),
];

fn python(context: &Context, rows: &mut Rows<'_>) {
    rows.add("python: start", |name| script(context, name, 51, &["-c", "pass"], AS_LONG));
    rows.add("python: a report of 20,000 rows", |name| {
        script(context, name, 11, &["JOBS/report.py", "."], TWICE)
    });
    rows.add("python: computing", |name| script(context, name, 3, &["JOBS/heavy.py"], TWICE));
}

fn numpy(context: &Context, rows: &mut Rows<'_>) {
    let Some(blas) = ask(BLAS) else {
        eprintln!("the native Python has no numpy: PYTHON is one that has it");
        return;
    };
    let import = Goal::Time(Duration::from_millis(15));
    rows.add("numpy: import", |name| script(context, name, 31, &["-c", "import numpy"], import));
    for (name, job, by_blas) in ARRAYS {
        // The pack has no BLAS, and the goal is meant without.
        let unequal = by_blas && blas != "none";
        let name = if unequal { format!("{name}; native: {blas}") } else { name.to_owned() };
        let goal = if unequal { Goal::None } else { THRICE };
        rows.add(&name, |name| told(context, name, &["arrays.py", job], goal));
    }
}

fn pandas(context: &Context, rows: &mut Rows<'_>) {
    if ask("import pandas; print()").is_none() {
        eprintln!("the native Python has no pandas: PYTHON is one that has it");
        return;
    }
    let import = Goal::Time(Duration::from_millis(60));
    rows.add("pandas: import", |name| script(context, name, 31, &["-c", "import pandas"], import));
    rows.add("pandas: a table of 20,000 rows", |name| told(context, name, &["frames.py", "typical"], THRICE));
    rows.add("pandas: a table of 300,000 rows", |name| told(context, name, &["frames.py", "heavy"], THRICE));
}

/// A program of Python by the clock, with these arguments.
fn script(context: &Context, name: &str, times: usize, arguments: &[&str], goal: Goal) -> Row {
    let words: Vec<_> = arguments.iter().map(|word| format!("'{}'", word.replace("JOBS", "/jobs"))).collect();
    let command = format!("cd /work; exec python3 {}", words.join(" "));
    let mut native = Command::new(interpreter());
    native.args(arguments.iter().map(|word| word.replace("JOBS", JOBS))).current_dir(context.native_place());
    let native = || assert!(native.status().is_ok_and(|status| status.success()));
    context.compare(name, times, &[], &command, native, goal)
}

/// A job that says how long it took.
fn told(context: &Context, name: &str, arguments: &[&str; 2], goal: Goal) -> Row {
    let [file, job] = arguments;
    let mut native = Command::new(interpreter());
    native.arg(format!("{JOBS}/{file}")).arg(job);
    context.told(name, 5, &format!("exec python3 /jobs/{file} {job}"), native, goal)
}

/// The real program behind the machine's own `python3`, which may be a wrapper script, or `PYTHON`.
fn interpreter() -> String {
    let named = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let asked = Command::new(named).args(["-c", "import sys; print(sys.executable)"]).output();
    String::from_utf8_lossy(&asked.expect("the machine's own CPython").stdout).trim().to_owned()
}

/// What the native Python prints, unless it fails.
fn ask(program: &str) -> Option<String> {
    let answer = Command::new(interpreter()).args(["-c", program]).output().ok()?;
    answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).trim().to_owned())
}
