//! The table in `docs/exactness.md`: the number of cases in each group, and how many of them have a known gap. README
//! has their sum.

use crate::{case, lines};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- table -->\n";
const END: &str = "<!-- end of table -->\n";

/// Fails unless the document contains the table for the case files, and README their sum. If `SANDSHELL_WRITE` is set,
/// writes the table instead.
pub(crate) fn check(folder: &Path, files: &[PathBuf]) -> Result<(), String> {
    let document = folder.join("../../docs/exactness.md");
    let text = fs::read_to_string(&document).map_err(|e| format!("{}: {e}", document.display()))?;
    let (before, rest) = text.split_once(BEGIN).ok_or("docs/exactness.md lacks the table's beginning")?;
    let (old, after) = rest.split_once(END).ok_or("docs/exactness.md lacks the table's end")?;
    let (new, cases, gaps) = table(folder, files)?;
    if old == new {
        return check_readme(&folder.join("../../README.md"), cases, gaps);
    }
    if std::env::var_os("SANDSHELL_WRITE").is_some() {
        return fs::write(&document, format!("{before}{BEGIN}{new}{END}{after}")).map_err(|e| e.to_string());
    }
    Err("the table of docs/exactness.md is not that of the cases: run\n\
         SANDSHELL_WRITE=1 cargo test --test differential table"
        .to_owned())
}

fn check_readme(readme: &Path, cases: usize, gaps: usize) -> Result<(), String> {
    let text = fs::read_to_string(readme).map_err(|e| format!("{}: {e}", readme.display()))?;
    let thousands = |number: usize| format!("{},{:03}", number / 1000, number % 1000);
    let sum = format!("{} of {} recorded scripts", thousands(cases - gaps), thousands(cases));
    if text.contains(&sum) { Ok(()) } else { Err(format!("README.md does not say that it is {sum}")) }
}

/// The table, and the sums of cases and of gaps.
fn table(folder: &Path, files: &[PathBuf]) -> Result<(String, usize, usize), String> {
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in files {
        let (cases, gaps) = match path.extension().and_then(|e| e.to_str()) {
            Some("lines") => {
                let lines = lines::read(path).map_err(|e| e.to_string())?.lines;
                (lines.len(), lines.iter().filter(|l| l.gap.is_some()).count())
            }
            Some("cases") => {
                let cases = case::parse(&fs::read_to_string(path).map_err(|e| e.to_string())?)?;
                (cases.len(), cases.iter().filter(|c| c.gap.is_some()).count())
            }
            _ => continue,
        };
        let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        let sum = groups.entry(name.to_string_lossy().into_owned()).or_default();
        *sum = (sum.0 + cases, sum.1 + gaps);
    }
    let mut text = String::from("| group | cases | equal | known gaps |\n|---|--:|--:|--:|\n");
    let mut total = (0, 0);
    for (name, (cases, gaps)) in groups {
        let _ = writeln!(text, "| {name} | {cases} | {} | {gaps} |", cases - gaps);
        total = (total.0 + cases, total.1 + gaps);
    }
    let (cases, gaps) = total;
    let _ = writeln!(text, "| **all** | **{cases}** | **{}** | **{gaps}** |", cases - gaps);
    Ok((text, cases, gaps))
}
