//! The text of `--help`.

/// How make is called.
pub(crate) const OPTIONS: &str = "Usage: make [options] [target] ...
Options:
  -b, -m                      accepted and ignored
  -B, --always-make           remake every target, whatever its time
  -C DIRECTORY, --directory=DIRECTORY
                              work in DIRECTORY
  -d                          tell all that debugging can tell
  --debug[=FLAGS]             tell what FLAGS ask for
  -e, --environment-overrides
                              variables of the environment win
  -E STRING, --eval=STRING    take STRING as a line of a makefile
  -f FILE, --file=FILE, --makefile=FILE
                              the makefile is FILE
  -h, --help                  show this
  -i, --ignore-errors         go on after recipes that fail
  -I DIRECTORY, --include-dir=DIRECTORY
                              look in DIRECTORY for what is included
  -j [N], --jobs[=N]          run up to N recipes at once; without N, any number
  -k, --keep-going            after an error, make what does not need its target
  -l [N], --load-average[=N], --max-load[=N]
                              begin no further recipe while the load is N or more
  -L, --check-symlink-times   a link is as new as the newer of itself and its target
  -n, --just-print, --dry-run, --recon
                              show recipes instead of running them
  -o FILE, --old-file=FILE, --assume-old=FILE
                              FILE is older than everything and stays as it is
  -O[TYPE], --output-sync[=TYPE]
                              keep together what each target (or as TYPE says) prints
  -p, --print-data-base       show all rules and variables
  -q, --question              run nothing; the exit status says if there is anything to do
  -r, --no-builtin-rules      without the rules that make knows itself
  -R, --no-builtin-variables  without the variables that make knows itself
  -s, --silent, --quiet       run recipes without showing them
  --no-silent                 show recipes after all
  -S, --no-keep-going, --stop
                              stop at the first error after all
  -t, --touch                 set the targets' times instead of making them
  --trace                     say why each recipe runs
  -v, --version               show the version
  -w, --print-directory       name directories when entering and leaving them
  --no-print-directory        do not, also where that is the default
  -W FILE, --what-if=FILE, --new-file=FILE, --assume-new=FILE
                              FILE has just changed
  --warn-undefined-variables  warn of variables without a value

This program built for x86_64-pc-linux-gnu
This is sandshell's own make.
";

/// What `--version` prints.
pub(crate) const VERSION: &str = "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n";
