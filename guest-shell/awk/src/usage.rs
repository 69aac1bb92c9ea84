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
	-e 'program-text'	--source='program-text'
	-E file			--exec=file
	-h			--help
	-i includefile		--include=includefile
	-L[fatal|invalid|no-ext]	--lint[=fatal|invalid|no-ext]
	-n			--non-decimal-data
	-N			--use-lc-numeric
	-O			--optimize
	-P			--posix
	-r			--re-interval
	-s			--no-optimize
	-S			--sandbox
	-t			--lint-old
	-V			--version
Not supported: -d, -D, -g, -I, -l, -M, -o, -p.

Examples:
	awk '{ sum += $1 }; END { print sum }' file
	awk -F: '{ print $1 }' /etc/passwd
";

/// What `--version` prints: the version whose behaviour this is.
pub(crate) const VERSION: &str = "\
GNU Awk 5.2.1, API 3.2
This is sandshell's own awk, which behaves as that version of gawk.
Licensed under MIT or Apache-2.0, at your choice.
";

/// What `--copyright` prints.
pub(crate) const COPYRIGHT: &str = "sandshell's own awk, licensed under MIT or Apache-2.0, at your choice.\n";
