//! diff3's command line.

use crate::say;
use crate::version;
use sandshell_cli::options::{Spec, hidden, listed};

pub(super) struct Options {
    /// Print an `ed` script.
    pub(super) scripts: bool,
    /// Print the merged file.
    pub(super) merges: bool,
    /// If only the older file differs, that is a conflict too. Conflicts show its lines.
    pub(super) shows_older: bool,
    /// Print conflicts in brackets.
    pub(super) brackets: bool,
    pub(super) overlaps_only: bool,
    pub(super) easy_only: bool,
    pub(super) final_write: bool,
    pub(super) initial_tab: bool,
    pub(super) text: bool,
    pub(super) strip_cr: bool,
    pub(super) names: [Vec<u8>; 3],
    pub(super) labels: [Vec<u8>; 3],
}

const SPEC: Spec = Spec {
    name: "diff3",
    options: &[listed(TEXT), hidden("diff-program", "--diff-program=X")],
    ties: &[
        "diff-program",
        "easy-only",
        "ed",
        "help",
        "initial-tab",
        "label",
        "merge",
        "overlap-only",
        "show-all",
        "show-overlap",
        "strip-trailing-cr",
        "text",
        "version",
    ],
    failure: 2,
    ..Spec::DEFAULT
};

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, after a message or the help text was printed.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Options, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut o = Options {
        scripts: false,
        merges: false,
        shows_older: false,
        brackets: false,
        overlaps_only: false,
        easy_only: false,
        final_write: false,
        initial_tab: false,
        text: false,
        strip_cr: false,
        names: Default::default(),
        labels: Default::default(),
    };
    // The options that select changes.
    let mut selections = Vec::new();
    let mut labels = Vec::new();
    for g in parsed.options {
        if matches!(g.id, "A" | "e" | "E" | "x" | "X" | "3") && !selections.contains(&g.id) {
            selections.push(g.id);
        }
        match g.id {
            "a" => o.text = true,
            "A" => (o.shows_older, o.brackets) = (true, true),
            "e" => {}
            "E" => o.brackets = true,
            "x" => o.overlaps_only = true,
            // The manual says that conflicts are bracketed; diff3 3.8 does not do it.
            "X" => o.overlaps_only = true,
            "3" => o.easy_only = true,
            "i" => o.final_write = true,
            "m" => o.merges = true,
            "T" => o.initial_tab = true,
            "L" if labels.len() == 3 => {
                return Err(say::try_help(Some(b"too many file label options")));
            }
            "L" => labels.extend(g.value),
            "v" => return Err(version::print("diff3")),
            "strip-trailing-cr" => o.strip_cr = true,
            "diff-program" => {
                say::error("option '--diff-program' is not supported: files are compared without one");
                return Err(2);
            }
            "?" => return Err(say::try_help(Some(g.text()))),
            _ => return Err(version::help(TEXT)),
        }
    }
    o.scripts = !selections.is_empty() && !o.merges;
    if selections.is_empty() && o.merges {
        (o.shows_older, o.brackets) = (true, true);
    }
    if selections.len() > 1 || o.final_write && o.merges || !labels.is_empty() && !o.brackets {
        return Err(say::try_help(Some(b"incompatible options")));
    }
    o.names = match <[Vec<u8>; 3]>::try_from(parsed.operands) {
        Ok(names) => names,
        Err(operands) => {
            let (what, operand) = match operands.get(3) {
                Some(extra) => ("extra operand", Some(extra)),
                None => ("missing operand after", operands.last().or(args.last())),
            };
            let operand = operand.map_or(b"".as_slice(), Vec::as_slice);
            return Err(say::try_help(Some(&[what.as_bytes(), b" '", operand, b"'"].concat())));
        }
    };
    o.labels = o.names.clone();
    for (place, label) in o.labels.iter_mut().zip(labels) {
        *place = label;
    }
    Ok(o)
}

const TEXT: &str = "\
Usage: diff3 [OPTION]... MYFILE OLDFILE YOURFILE
Shows how two files differ from the one that both come from. `-` is standard input.

Without options all places with differences are listed. These print a script for ed instead, which does to MYFILE what
made YOURFILE of OLDFILE:
  -A, --show-all          all changes, conflicts in brackets
  -e, --ed                what differs between OLDFILE and YOURFILE
  -E, --show-overlap      the same, conflicts in brackets
  -3, --easy-only         the same, but no conflicts
  -x, --overlap-only      the same, but only conflicts
  -X                      the same
  -i                      end the script with `w` and `q`

  -m, --merge             print the merged file; conflicts are shown as with -A unless one of these is given
  -a, --text              all files are text
      --strip-trailing-cr  CR before the end of a line does not count
  -T, --initial-tab       a tab before each line, to keep tabs in line
  -L, --label=LABEL       in place of a file's name; up to three times
      --help              this text
  -v, --version           the version

The status is 0 for success, 1 if there are conflicts, 2 if something went wrong.
";
