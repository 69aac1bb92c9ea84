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
Shows two files beside each other, with a mark where they differ.

  -i, --ignore-case            upper case equals lower case
  -E, --ignore-tab-expansion   a tab equals the spaces that it stands for
  -Z, --ignore-trailing-space  blanks before the end of a line do not count
  -b, --ignore-space-change    any number of blanks equals one
  -W, --ignore-all-space       blanks do not count
  -B, --ignore-blank-lines     empty lines that were added or left out do not count
  -I, --ignore-matching-lines=RE  changes do not count if RE fits each of their lines
      --strip-trailing-cr      a carriage return before the end of a line does not count
  -a, --text                   take any file for text
  -w, --width=NUM              lines of NUM columns (130)
  -l, --left-column            of equal lines only the left
  -s, --suppress-common-lines  no equal lines
  -t, --expand-tabs            write spaces instead of tabs
      --tabsize=NUM            a tab every NUM columns (8)
  -d, --minimal                as few differences as possible, however long that takes
  -H, --speed-large-files      suits long files with few changes here and there
";
