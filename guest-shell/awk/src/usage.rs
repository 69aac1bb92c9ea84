//! Texts about the program.

/// What `--help` prints, and what follows a mistake on the command line.
pub(crate) const USAGE: &str = "\
Usage: awk [POSIX or GNU style options] -f progfile [--] file ...
Usage: awk [POSIX or GNU style options] [--] 'program' file ...
POSIX options:		GNU long options: (standard)
	-f progfile		--file=progfile
	-F fs			--field-separator=fs
	-v var=val		--assign=var=val
Short options:		GNU long options: (extensions)
	-b			--characters-as-bytes
	-c			--traditional
	-C			--copyright
	-d[file]		--dump-variables[=file]
	-D[file]		--debug[=file]
	-e 'program-text'	--source='program-text'
	-E file			--exec=file
	-g			--gen-pot
	-h			--help
	-i includefile		--include=includefile
	-I			--trace
	-l library		--load=library
	-L[fatal|invalid|no-ext]	--lint[=fatal|invalid|no-ext]
	-M			--bignum
	-N			--use-lc-numeric
	-n			--non-decimal-data
	-o[file]		--pretty-print[=file]
	-O			--optimize
	-p[file]		--profile[=file]
	-P			--posix
	-r			--re-interval
	-s			--no-optimize
	-S			--sandbox
	-t			--lint-old
	-V			--version

A pattern selects records of the input, its action says what to do with them.

Examples:
	awk -F, '$3 > 100 { print $1 }' table.csv
	awk '{ words += NF } END { print words, NR }' text
";

/// What `--version` prints: the version whose behaviour this is.
pub(crate) const VERSION: &str = "\
GNU Awk 5.2.1, API 3.2
This is sandshell's own awk, which behaves as that version of gawk.
Licensed under MIT or Apache-2.0, at your choice.
";

/// What `--copyright` prints.
pub(crate) const COPYRIGHT: &str = "sandshell's own awk, licensed under MIT or Apache-2.0, at your choice.\n";
