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

/// Runs `sdiff` on its arguments (its own name first); the exit status: 0 without differences, 1 with, 2 on trouble.
pub fn sdiff_main(args: Vec<Vec<u8>>) -> i32 {
    say::set_program(&args, "sdiff");
    let parsed = args::parse(args.get(1..).unwrap_or_default(), "abBdEHiI:lo:stvw:WZ", LONG);
    // diff's own options, in which some letters mean something else.
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

const HELP_TEXT: &str = "Usage: sdiff [OPTION]... FILE1 FILE2
Side-by-side comparison of differences between FILE1 and FILE2.

  -i, --ignore-case            consider upper- and lower-case to be the same
  -E, --ignore-tab-expansion   ignore changes due to tab expansion
  -Z, --ignore-trailing-space  ignore white space at line end
  -b, --ignore-space-change    ignore changes in the amount of white space
  -W, --ignore-all-space       ignore all white space
  -B, --ignore-blank-lines     ignore changes whose lines are all blank
  -I, --ignore-matching-lines=RE  ignore changes all whose lines match RE
      --strip-trailing-cr      strip trailing carriage return on input
  -a, --text                   treat all files as text
  -w, --width=NUM              output at most NUM (default 130) print columns
  -l, --left-column            output only the left column of common lines
  -s, --suppress-common-lines  do not output common lines
  -t, --expand-tabs            expand tabs to spaces in output
      --tabsize=NUM            tab stops at every NUM (default 8) print columns
  -d, --minimal                try hard to find a smaller set of changes
  -H, --speed-large-files      assume large files, many scattered small changes
";
