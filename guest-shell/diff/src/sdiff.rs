//! `sdiff`: two files side by side, which is what `diff -y` prints. Merging (`-o`) is refused.

use crate::{diff_main, say, version};
use sandshell_cli::options::{Spec, hidden, listed};

const SPEC: Spec = Spec {
    name: "sdiff",
    options: &[
        listed(HELP_TEXT),
        hidden("diff-program", "--diff-program=X"),
        hidden("o", "-o FILE, --output=FILE"),
    ],
    ties: &[
        "diff-program",
        "expand-tabs",
        "help",
        "ignore-all-space",
        "ignore-blank-lines",
        "ignore-case",
        "ignore-matching-lines",
        "ignore-space-change",
        "ignore-tab-expansion",
        "ignore-trailing-space",
        "left-column",
        "minimal",
        "output",
        "speed-large-files",
        "strip-trailing-cr",
        "suppress-common-lines",
        "tabsize",
        "text",
        "version",
        "width",
    ],
    failure: 2,
    ..Spec::DEFAULT
};

/// Runs `sdiff` on its arguments (its own name first) and returns the exit status: 0 without differences, 1 with
/// differences, 2 on trouble.
pub fn sdiff_main(args: Vec<Vec<u8>>) -> i32 {
    say::set_program(&args, "sdiff");
    let parsed = match SPEC.parse_all(args.get(1..).unwrap_or_default()) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    // Some letters mean something else to diff, so its own long options are used.
    let mut given: Vec<Vec<u8>> = vec![b"diff".to_vec(), b"-y".to_vec()];
    for g in &parsed.options {
        match g.id {
            "help" => return version::help(HELP_TEXT),
            "v" => return version::print("sdiff"),
            "strip-trailing-cr" => given.push(b"--strip-trailing-cr".to_vec()),
            "tabsize" => given.push([b"--tabsize=".as_slice(), g.text()].concat()),
            "diff-program" => {
                say::error("option --diff-program is not supported");
                return 2;
            }
            "o" => {
                say::error("merging (-o) is not supported");
                return 2;
            }
            "W" => given.push(b"-w".to_vec()),
            "w" => given.extend([b"-W".to_vec(), g.text().to_vec()]),
            "l" => given.push(b"--left-column".to_vec()),
            "s" => given.push(b"--suppress-common-lines".to_vec()),
            "H" => given.push(b"--speed-large-files".to_vec()),
            "I" => given.extend([b"-I".to_vec(), g.text().to_vec()]),
            "?" => return say::try_help(Some(g.text())),
            letter => given.push(format!("-{letter}").into_bytes()),
        }
    }
    if parsed.operands.len() != 2 {
        let wrong = match parsed.operands.get(2) {
            Some(extra) => [b"extra operand '", extra.as_slice(), b"'"].concat(),
            None => [b"missing operand after '", args.last().map(Vec::as_slice).unwrap_or_default(), b"'"]
                .concat(),
        };
        return say::try_help(Some(&wrong));
    }
    given.push(b"--".to_vec());
    given.extend(parsed.operands);
    diff_main(given)
}

const HELP_TEXT: &str = "\
Usage: sdiff [OPTION]... FILE1 FILE2
Shows two files side by side. Between the columns `<` means that only FILE1 has the line, `>` that only FILE2 has it,
`|` that it differs.

  -w, --width=NUM                 NUM (130) columns for all
  -l, --left-column               lines that are in both files only on the left
  -s, --suppress-common-lines     not at all
  -t, --expand-tabs               tabs as spaces
      --tabsize=NUM               tab stops every NUM (8) columns
  -i, --ignore-case               upper and lower case are the same
  -E, --ignore-tab-expansion      tabs are the spaces that they stand for
  -Z, --ignore-trailing-space     white space at the end of a line does not count
  -b, --ignore-space-change       nor does its amount elsewhere
  -W, --ignore-all-space          nor does any
  -B, --ignore-blank-lines        changes of blank lines alone are none
  -I, --ignore-matching-lines=RE  nor are those of lines matching RE
      --strip-trailing-cr         CR before the end of a line does not count
  -a, --text                      all files are text
  -d, --minimal                   look for the smallest set of changes
  -H, --speed-large-files         for large files with many small changes
      --help                      this text
  -v, --version                   the version

The status is 0 if there are no differences, 1 if there are, 2 if something went wrong.
";
