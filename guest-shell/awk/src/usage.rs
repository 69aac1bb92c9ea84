//! Options, usage and version texts.

use sandshell_cli::options::{Opt, Spec, hidden, listed};

/// The options. Their names in the code are their letters.
pub(crate) const SPEC: Spec = Spec { name: "awk", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    listed(USAGE),
    hidden("N", "-N, --use-lc-numeric"),
    hidden("O", "-O, --optimize"),
    hidden("r", "-r, --re-interval"),
    hidden("s", "-s, --no-optimize"),
    // These are refused.
    hidden("D", "-D[FILE], --debug[=FILE]"),
    hidden("I", "-I, --trace"),
    hidden("M", "-M, --bignum"),
    hidden("g", "-g, --gen-pot"),
    hidden("l", "-l, --load=NAME"),
    hidden("o", "-o[FILE], --pretty-print[=FILE]"),
    hidden("p", "-p[FILE], --profile[=FILE]"),
    // A long option follows.
    hidden("W", "-W NAME"),
];

/// The text of `--help`, also printed after a usage error.
const USAGE: &str = "\
Usage: awk [POSIX or GNU style options] -f progfile [--] file ...
Usage: awk [POSIX or GNU style options] [--] 'program' file ...
Runs the program for each record of the files, or of standard input.

The program:
  -f, --file=FILE              is in FILE; several are one program
  -e, --source=TEXT            is TEXT, or that is a part of it
  -i, --include=FILE           has the functions of FILE, once; `inplace` changes the files that are read
  -E, --exec=FILE              is in FILE; operands are never assignments, and no option follows

What it begins with:
  -F, --field-separator=FS     what stands between fields
  -v, --assign=NAME=VALUE      the value of a variable

What it means:
  -P, --posix                  only what POSIX describes
  -c, --traditional            only what Brian Kernighan's awk knows
  -b, --characters-as-bytes    every byte is a character
  -n, --non-decimal-data       numbers of the input may be octal or hexadecimal
  -S, --sandbox                no commands, and no files but the operands

What is said about it:
  -L[HOW], --lint[=HOW]        what may be a mistake; HOW is fatal, invalid or no-ext
  -t, --lint-old               what old awks would not understand
  -d[FILE], --dump-variables[=FILE]
                               all variables at the end, in FILE or awkvars.out
  -h, --help                   this text
  -V, --version                the version
  -C, --copyright              the licence

`-W NAME` stands for `--NAME`. Accepted without effect: -N, --use-lc-numeric, -O, --optimize, -r, --re-interval,
-s, --no-optimize.

Examples:
	awk 'NF > 2 { print $NF }' notes.txt
	awk -F, -v min=10 '$2 >= min' prices.csv
";

/// The text of `--version`: the version of gawk whose behaviour this program has.
pub(crate) const VERSION: &str = "\
GNU Awk 5.2.1, API 3.2
This is sandshell's own awk, which behaves as that version of gawk.
Licensed under MIT or Apache-2.0, at your choice.
";

/// The text of `--copyright`.
pub(crate) const COPYRIGHT: &str = "sandshell's own awk, licensed under MIT or Apache-2.0, at your choice.\n";
