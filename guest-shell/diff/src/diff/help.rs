//! The text of `diff --help`.

pub(crate) const TEXT: &str = "\
Usage: diff [OPTION]... FILES
Shows how files differ, line by line. FILES are two files, two directories, or a file and a directory; with
--from-file or --to-file any number. `-` is standard input.

Formats
      --normal                  the default
  -u, -U N, --unified[=N]       unified, with N (3) lines of context; also -N
  -c, -C N, --context[=N]       copied context of N (3) lines
  -e, --ed                      a script for ed
  -f, --forward-ed              the same in the order of the files
  -n, --rcs                     RCS
  -y, --side-by-side            two columns
  -q, --brief                   only whether files differ
  -s, --report-identical-files  also say when they do not
  -D, --ifdef=NAME              both files in one, with #ifdef NAME
      --old-group-format=GFMT   groups of old lines by a format
      --new-group-format=GFMT   of new ones
      --unchanged-group-format=GFMT  of those in both files
      --changed-group-format=GFMT  of those that differ
      --old-line-format=LFMT    old lines by a format
      --new-line-format=LFMT    new ones
      --unchanged-line-format=LFMT  those in both files
      --line-format=LFMT        all of them
  -p, --show-c-function         name the C function of each hunk
  -F, --show-function-line=RE   name the last line matching RE
  -L, --label LABEL             in place of a file's name and time; twice for both files
  -t, --expand-tabs             tabs as spaces
  -T, --initial-tab             a tab before each line, to keep tabs in line
      --tabsize=N               tab stops every N (8) columns
      --suppress-blank-empty    no space before empty lines
  -W, --width=N                 with -y: N (130) columns
      --left-column             with -y: common lines only in the left one
      --suppress-common-lines   with -y: no common lines
      --color[=WHEN]            never, always or auto
      --palette=LIST            which colours: rs, hd, ad, de and ln

Lines
  -i, --ignore-case             upper and lower case are the same
  -E, --ignore-tab-expansion    tabs are the spaces that they stand for
  -Z, --ignore-trailing-space   white space at the end of a line does not count
  -b, --ignore-space-change     nor does its amount elsewhere
  -w, --ignore-all-space        nor does any
  -B, --ignore-blank-lines      changes of blank lines alone are none
  -I, --ignore-matching-lines=RE  nor are those of lines matching RE
  -a, --text                    all files are text
      --strip-trailing-cr       CR before the end of a line does not count

Directories
  -r, --recursive               with all that is in them
      --no-dereference          links are compared as such
  -N, --new-file                files that are not there are empty
  -P, --unidirectional-new-file  only first ones
      --ignore-file-name-case   names match in any case; --no-ignore-file-name-case: as usual
  -x, --exclude=PATTERN         leave names out
  -X, --exclude-from=FILE       patterns from a file
  -S, --starting-file=FILE      begin with FILE

      --from-file=FILE          compare FILE with all operands
      --to-file=FILE            compare all operands with FILE
  -d, --minimal                 look for the smallest set of changes
      --horizon-lines=N         keep N lines of common beginnings and ends
  -H, --speed-large-files       for large files with many small changes
      --help                    this text
  -v, --version                 the version

Accepted without effect: -h, --binary.

The status is 0 if there are no differences, 1 if there are, 2 if something went wrong.
";
