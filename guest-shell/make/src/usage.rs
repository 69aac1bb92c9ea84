//! The text of `--help`.

/// How make is called.
pub(crate) const OPTIONS: &str = "\
Usage: make [options] [target] ...
Brings targets up to date by the rules of a makefile; without targets the first one.

What is read:
  -f, --file, --makefile FILE     FILE instead of GNUmakefile, makefile or Makefile
  -C, --directory DIR             all that in DIR
  -I, --include-dir DIR           DIR has files that are included, too
  -E, --eval TEXT                 lines in front of the makefile
  -e, --environment-overrides     variables of the environment win
  -r, --no-builtin-rules          none of make's own rules
  -R, --no-builtin-variables      nor its own variables

What is done:
  -B, --always-make               everything
  -n, --just-print, --dry-run, --recon   nothing: recipes are only shown
  -q, --question                  nothing: the exit status tells whether there is something to do
  -t, --touch                     nothing: targets only get a new time
  -o, --old-file, --assume-old FILE   nothing for FILE, and nothing because of it
  -W, --what-if, --new-file, --assume-new FILE   what follows if FILE changes now
  -i, --ignore-errors             the rest of a recipe after a failure
  -k, --keep-going                what does not depend on the failure
  -S, --no-keep-going, --stop     nothing after a failure, as usual
  -j[N], --jobs[=N]               N recipes at the same time; without N all that can be

What is shown:
  -s, --silent, --quiet           no recipes
      --no-silent                 recipes, as usual
  -w, --print-directory           the directory, at the start and at the end
      --no-print-directory        not even with -C or in a make of a make
      --trace                     why each target is made
  -d, --debug[=FLAGS]             more of that
  -p, --print-data-base           the variables and rules
      --warn-undefined-variables  variables without a value
  -h, --help                      this text
  -v, --version                   the version

Accepted without effect: -b, -m, -l, --load-average, --max-load[=N], -L, --check-symlink-times,
-O, --output-sync[=TYPE].

Example: make -j4 all
";

/// What `--version` prints.
pub(crate) const VERSION: &str =
    "GNU Make 4.3\nThis is sandshell's own program with the behaviour of that version.\n";
