//! `sdiff`: two files side by side, which is what `diff -y` prints. Merging (`-o`) is refused.

use crate::args::{self, Long, Value};
use crate::{diff_main, say, version};

const HELP: u32 = 256;
const VERSION: u32 = 257;
const STRIP_CR: u32 = 258;
const TABSIZE: u32 = 259;
const DIFF_PROGRAM: u32 = 260;

const LONG: &[Long] = &[
    ("diff-program", Value::Required, DIFF_PROGRAM),
    ("expand-tabs", Value::None, b't' as u32),
    ("help", Value::None, HELP),
    ("ignore-all-space", Value::None, b'W' as u32),
    ("ignore-blank-lines", Value::None, b'B' as u32),
    ("ignore-case", Value::None, b'i' as u32),
    ("ignore-matching-lines", Value::Required, b'I' as u32),
    ("ignore-space-change", Value::None, b'b' as u32),
    ("ignore-tab-expansion", Value::None, b'E' as u32),
    ("ignore-trailing-space", Value::None, b'Z' as u32),
    ("left-column", Value::None, b'l' as u32),
    ("minimal", Value::None, b'd' as u32),
    ("output", Value::Required, b'o' as u32),
    ("speed-large-files", Value::None, b'H' as u32),
    ("strip-trailing-cr", Value::None, STRIP_CR),
    ("suppress-common-lines", Value::None, b's' as u32),
    ("tabsize", Value::Required, TABSIZE),
    ("text", Value::None, b'a' as u32),
    ("version", Value::None, VERSION),
    ("width", Value::Required, b'w' as u32),
];

/// Runs `sdiff` on its arguments (its own name first) and returns the exit status: 0 without differences, 1 with
/// differences, 2 on trouble.
pub fn sdiff_main(args: Vec<Vec<u8>>) -> i32 {
    say::set_program(&args, "sdiff");
    let parsed = args::parse(args.get(1..).unwrap_or_default(), "abBdEHiI:lo:stvw:WZ", LONG);
    // Some letters mean something else to diff, so its own long options are used.
    let mut given: Vec<Vec<u8>> = vec![b"diff".to_vec(), b"-y".to_vec()];
    for (id, value) in &parsed.options {
        let value = value.clone().unwrap_or_default();
        match *id {
            HELP => return version::help(HELP_TEXT),
            VERSION => return version::print("sdiff"),
            STRIP_CR => given.push(b"--strip-trailing-cr".to_vec()),
            TABSIZE => given.push([b"--tabsize=".as_slice(), &value].concat()),
            DIFF_PROGRAM => {
                say::error("option --diff-program is not supported");
                return 2;
            }
            id => match u8::try_from(id).unwrap_or_default() {
                b'W' => given.push(b"-w".to_vec()),
                b'w' => given.extend([b"-W".to_vec(), value]),
                b'l' => given.push(b"--left-column".to_vec()),
                b's' => given.push(b"--suppress-common-lines".to_vec()),
                b'H' => given.push(b"--speed-large-files".to_vec()),
                b'I' => given.extend([b"-I".to_vec(), value]),
                b'v' => return version::print("sdiff"),
                b'o' => {
                    say::error("merging (-o) is not supported");
                    return 2;
                }
                letter => given.push(vec![b'-', letter]),
            },
        }
    }
    if let Some(error) = &parsed.error {
        return say::try_help(Some(error));
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
