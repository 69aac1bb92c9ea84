//! What `help` prints about each topic.

/// A builtin, a keyword or another word that `help` knows.
pub(super) struct Topic {
    pub(super) name: &'static str,
    /// A summary in one line.
    pub(super) summary: &'static str,
    /// The rest: lines, each with its newline.
    pub(super) details: &'static str,
}

const fn topic(name: &'static str, summary: &'static str, details: &'static str) -> Topic {
    Topic { name, summary, details }
}

const SOURCE: &str = "\
The arguments are its positional parameters while it runs. A name without a slash is looked
for in PATH.
";

const TEST: &str = "\
Files: -e there, -f a file, -d a directory, -h or -L a symbolic link, -p a pipe, -S a socket,
-b or -c a device, -s not empty, -r -w -x to be read, written, run, -u -g -k with these bits,
-O -G owned by user, group, -N changed since it was read, -t FD a terminal; A -nt B newer,
A -ot B older, A -ef B the same.
Texts: -n T not empty, -z T empty, A = B, A != B, A < B, A > B.
Numbers: -eq, -ne, -lt, -le, -gt, -ge.
Others: -v NAME has a value, -R NAME stands for another variable, -o OPTION is on.
Together: ! A, A -a B, A -o B, ( A ).
";

const BG: &str = "\
Jobs are %N by number, %NAME by how their command begins, %?TEXT by what is in it, %% or %+
the last one and %- the one before. Without any it is the last one.
";

const CONTINUE: &str = "\
N says how many loops are meant; else it is the innermost.
";

const DECLARE: &str = "\
`+' in place of `-' takes an attribute away.
-a, -A  a list; a table with words as keys
-i      values are arithmetic
-l, -u  values get small, or capital, letters
-n      the variable stands for the one that its value names
-r      it cannot be changed any more
-t      it is traced: functions inherit the traps DEBUG and RETURN
-x      programs get it
-f, -F  functions, or only their names
-g      not in the function, but for all
-I      in a function: with the value that it has outside
-p      show values and attributes
";

const LOGOUT: &str = "\
The status is N, or that of the command before.
";

const READARRAY: &str = "\
The array is MAPFILE if none is named.
-d DELIM     lines end in DELIM
-t           without what ends them
-n COUNT     no more than COUNT
-s COUNT     leave out the first COUNT
-O ORIGIN    from this index on, and keep what is there
-u FD        read from FD
-C CALLBACK  run this with index and line, after every 5000 lines or
-c QUANTUM   after so many
";

const PUSHD: &str = "\
+N and -N are entry N from the left, or from the right, counted from 0.
-n  only change the stack, not the directory
";

/// All topics, in order.
#[rustfmt::skip]
pub(super) const TOPICS: &[Topic] = &[
    topic("%", "Resume a job in the foreground or, with `&', in the background.", "\
Without a job it is the last one that was stopped or put into the background.
"),
    topic("(( ... ))", "Evaluate arithmetic; true unless the result is 0.", ""),
    topic(".", "Run the commands of a file in this shell.", SOURCE),
    topic(":", "Do nothing, successfully.", ""),
    topic("[", "Evaluate a condition, as test does; `]' ends it.", TEST),
    topic("[[ ... ]]", "Evaluate a condition with patterns and regular expressions.", "\
As test, but words are not split. The right side of == and != is a pattern, that of =~ a
regular expression, whose groups BASH_REMATCH gets. && and || stand for -a and -o.
"),
    topic("alias", "Define or show aliases.", "\
Without arguments, and with -p, all aliases are shown, so that they can be read in again.
"),
    topic("bg", "Let stopped jobs go on in the background.", BG),
    topic("bind", "Change key bindings of the line editor.", "\
Each argument is a line of ~/.inputrc: '\"KEYS\": FUNCTION', '\"KEYS\": \"MACRO\"' or
'set VARIABLE VALUE'.
-l      names of functions
-p, -P  functions with their keys, as input or to be read
-s, -S  keys that type macros
-v, -V  variables with their values
-X      keys that run commands
-m MAP  the keys of emacs, emacs-meta, emacs-ctlx, vi-insert or vi-command
-q, -u FUNCTION  show its keys; unbind them
-r KEYS          unbind keys
-x KEYS:COMMAND  run a command that may change READLINE_LINE and READLINE_POINT
-f FILE          read a file of such lines
"),
    topic("break", "Leave enclosing loops.", CONTINUE),
    topic("builtin", "Run a builtin even if a function has its name.", ""),
    topic("caller", "Show where the running function was called.", "\
EXPR says how many calls further out.
"),
    topic("case", "Run the commands after the first pattern that matches a word.", ""),
    topic("cd", "Go to another directory.", "\
Without a directory HOME is meant, and OLDPWD for `-'. Other names than those that begin with
`/' or `.' are looked for in the directories of CDPATH, too.
-L  `..' undoes the last part of the name, as usual
-P  `..' is what the file system has there
-e  with -P: status 1 if the new directory's name cannot be told
"),
    topic("command", "Run a command that is no function, or tell what it is.", "\
-p  look in the directories of the system, not in those of PATH
-v  only show what would be run
-V  say it in a sentence
"),
    topic("compgen", "Show possible completions.", "\
Each result is a line. The word says how they must begin. Options are those of complete.
"),
    topic("complete", "Set how arguments of commands are completed.", "\
They are kept, and used by compgen; there is no line editor.
-o OPTION    one of bashdefault, default, dirnames, filenames, noquote, nosort, nospace
             and plusdirs
-A ACTION    names of a kind, such as function, hostname, signal or stopped
-a -b -c -d -e -f -g -j -k -s -u -v   aliases, builtins, commands, directories, exported
             variables, files, groups, jobs, keywords, services, users, variables
-G PATTERN   files that match
-W WORDS     these words
-F FUNCTION  what the function puts into COMPREPLY
-C COMMAND   what the command prints
-X PATTERN   but not what matches
-P TEXT, -S TEXT   with this before, or after
-D, -E, -I   for commands without a completion of their own, for empty lines, for the
             command's name
-p           show them
-r           forget them
"),
    topic("compopt", "Change options of a completion.", "\
`-o' adds an option, `+o' takes it away. Without names it is for the completion that is being
made.
-D, -E, -I   as for complete
"),
    topic("continue", "Begin the next round of an enclosing loop.", CONTINUE),
    topic("coproc", "Run a command in the background with pipes to and from it.", "\
Its output can be read from ${NAME[0]}, its input be written to ${NAME[1]}; NAME_PID is its
number. NAME is COPROC if there is none.
"),
    topic("declare", "Give variables values and attributes, or show them.", DECLARE),
    topic("dirs", "Show the directory stack.", "\
+N, -N  only entry N from the left, or from the right, counted from 0
-c      forget all
-l      without `~' for HOME
-p, -v  one on a line, -v with numbers
"),
    topic("disown", "Remove jobs from the shell's table.", "\
-a  all jobs
-r  all that run
-h  keep them, but let them live on when the shell ends
"),
    topic("echo", "Write the arguments.", "\
-n  without a newline at the end
-e  `\\n', `\\t', `\\\\', `\\0NNN', `\\xHH' and the like are the characters that they stand for;
    `\\c' ends the output
-E  they are not, as usual
"),
    topic("enable", "Switch builtins on and off.", "\
Without names the builtins that are on are shown.
-n  off; without names: those that are off
-a  all, with what they are
-s  only the special ones of POSIX
-p  show them, whatever else is there
-f, -d  load and forget builtins from files: refused
"),
    topic("eval", "Run the arguments as a command.", ""),
    topic("exec", "Replace the shell by a program, or change its redirections.", "\
-a NAME  the program sees NAME as its own
-c       with an empty environment
-l       as a login shell: its name begins with a dash
"),
    topic("exit", "Leave the shell.", LOGOUT),
    topic("export", "Hand variables on to programs.", "\
-f  functions
-n  do so no more
-p  show all that are
"),
    topic("false", "Do nothing, unsuccessfully.", ""),
    topic("fc", "Show or repeat commands of the history.", "\
First and last are numbers, -1 for the command before, or how a command begins.
-l       show them; -n: without numbers, -r: the last one first
-e NAME  edit them with NAME, else with FCEDIT or EDITOR, and run what comes out
-s       run one again, with PAT replaced by REP
"),
    topic("fg", "Move a job to the foreground.", BG),
    topic("for", "Run commands for every word of a list.", "\
Without `in' the words are the positional parameters.
"),
    topic("for ((", "Run commands while arithmetic holds.", "\
EXP1 is evaluated first, EXP2 before each round, EXP3 after each.
"),
    topic("function", "Define a function.", ""),
    topic("getopts", "Read options from arguments, one per call.", "\
OPTSTRING has the letters, with `:' behind those that have a value. NAME gets the letter,
OPTARG its value, OPTIND is the next argument's place. With `:' in front nothing is said
about mistakes: NAME is `?' then, or `:' if a value is missing.
"),
    topic("hash", "Remember or show where programs are.", "\
-r       forget all
-d       forget these
-l       show them so that they can be read in again
-t       show where these are
-p FILE  FILE is where the name is, whatever PATH says
"),
    topic("help", "Show what builtins do.", "\
Names may be patterns, or how a name begins.
-d  only in one line
-s  only the synopsis
-m  in parts, as a manual has them
"),
    topic("history", "Show or change the list of past commands.", "\
N shows the last N.
-c       forget all
-d N     forget number N; -d FIRST-LAST: several
-a, -w   add the new ones to the file; write all to it
-n, -r   read what is new in the file; read all of it
-p       show what history expansion makes of the arguments
-s       put the arguments onto the list, as one
The file is HISTFILE unless one is named.
"),
    topic("if", "Run commands if a condition holds.", ""),
    topic("jobs", "Show the shell's jobs.", "\
-l  with the numbers of processes
-p  only these numbers
-n  only what changed since the last time
-r, -s  only those that run, or that are stopped
-x  run the command with jobs in its arguments replaced by process groups
"),
    topic("kill", "Signal processes or jobs.", "\
-s NAME, -n NUMBER, -NAME, -NUMBER   this signal instead of TERM
-l, -L  show the names of signals, or name and number of these
"),
    topic("let", "Evaluate arithmetic.", "\
The status is 1 if the last one is 0.
"),
    topic("local", "Define variables of a function.", "\
`-' in place of a name brings shell options back when the function ends. The options are
those of declare.
"),
    topic("logout", "Leave a login shell.", LOGOUT),
    topic("mapfile", "Read lines into an array.", READARRAY),
    topic("popd", "Remove directories from the stack.", PUSHD),
    topic("printf", "Write arguments in a format.", "\
The format is used again for what is left. It is as in C; besides, %b is a text with
backslashes as for echo, %q one with quotes for the shell, and %(FORMAT)T a time.
-v VAR  into this variable, also an element of an array
"),
    topic("pushd", "Add a directory to the stack, or turn the stack.", PUSHD),
    topic("pwd", "Show the working directory.", "\
-L  as it was gone to, as usual
-P  without symbolic links
"),
    topic("read", "Read a line and split it into variables.", "\
What is left of the line goes to the last name; without names all of it to REPLY.
-r          backslashes are themselves
-a ARRAY    the words into this array
-d DELIM    to DELIM instead of a newline
-n N, -N N  no more than N characters; just N, whatever they are
-p PROMPT   show PROMPT on a terminal before
-s          do not show what is typed
-t SECONDS  give up after so long; 0: only tell whether there is something
-u FD       from FD
-e, -i TEXT with a line editor, which there is not
"),
    topic("readarray", "Read lines into an array.", READARRAY),
    topic("readonly", "Keep variables from being changed.", "\
-a, -A, -f  lists, tables, functions
-p          show all that are
"),
    topic("return", "Leave a function or sourced file.", LOGOUT),
    topic("select", "Let the user choose words from a menu.", ""),
    topic("set", "Switch shell options on and off, and set positional parameters.", "\
`-' switches on, `+' off. Arguments, and all after `--', become $1, $2 and so on.
-a  export what gets a value           -b  tell at once of jobs that end
-e  end at the first command that fails
-f  no file names for patterns         -h  remember where programs are
-k  assignments anywhere are for the command
-m  jobs in process groups of their own
-n  read, but do not run               -p  privileged
-t  end after one command              -u  variables without a value are errors
-v  show what is read                  -x  show commands before they run
-B  braces                             -C  `>' does not replace files
-E  functions inherit the trap ERR     -H  history expansion
-P  cd and the like follow no links    -T  functions inherit DEBUG and RETURN
-o  the same by name: -o errexit; -o alone shows them, +o so that they can be read in again
"),
    topic("shift", "Move positional parameters down.", "\
By N places, else by one.
"),
    topic("shopt", "Set or show more shell options.", "\
Without names they are shown; the status tells whether all that are named are on.
-s, -u  switch on, off
-q      show nothing
-p      show them so that they can be read in again
-o      the options of `set -o'
"),
    topic("source", "Run the commands of a file in this shell.", SOURCE),
    topic("suspend", "Stop the shell until it is continued.", "\
-f  a login shell, too
"),
    topic("test", "Evaluate a condition.", TEST),
    topic("time", "Tell how long a pipeline took.", "\
-p  in the form of POSIX
TIMEFORMAT says how else.
"),
    topic("times", "Show the processor time used.", "\
The first line is the shell's, the second that of its children: user and system.
"),
    topic("trap", "Run commands when signals arrive.", "\
The command is run by its text; an empty one ignores the signal, `-' is as it was. Besides
signals there are EXIT, DEBUG, RETURN and ERR.
-l  show the names of signals
-p  show what is set, so that it can be read in again
"),
    topic("true", "Do nothing, successfully.", ""),
    topic("type", "Tell what a command is.", "\
-a  all that there is of the name, not just the first
-f  no functions
-P  only a program's file, even if it is something else
-p  the file, if it is a program
-t  in one word: file, builtin, function, keyword or alias
"),
    topic("typeset", "Give variables values and attributes, or show them.", DECLARE),
    topic("ulimit", "Show or change resource limits.", "\
-S, -H  the limit that holds, the one up to which it can be raised; both are set else
-a      all of them, with their letters
The number may be `unlimited', `soft' or `hard'. Which limits there are shows -a.
"),
    topic("umask", "Show or set the mode bits that new files lack.", "\
-S  by letters
-p  so that it can be read in again
"),
    topic("unalias", "Remove aliases.", "\
-a  all
"),
    topic("unset", "Remove variables and functions.", "\
Without an option a variable is meant, and a function if there is none.
-f  functions
-v  variables
-n  the reference, not what it stands for
"),
    topic("until", "Run commands until a condition holds.", ""),
    topic("variables", "Variables that the shell uses.", "\
BASH_VERSION  the version          CDPATH    where cd looks
HISTFILE, HISTSIZE  the history    HOME      the home directory
HOSTNAME      the host             IFS       what separates words
OPTARG, OPTIND  for getopts        PATH      where programs are
PIPESTATUS    the last pipeline    PPID      the parent's number
PS1, PS4      what prompts are     PWD       the working directory
RANDOM, SRANDOM  random numbers    REPLY     for read and select
SECONDS       since the start      SHELLOPTS the options that are on
TIMEFORMAT    for time             UID, EUID who runs the shell
"),
    topic("wait", "Wait for processes and tell their status.", "\
Without jobs or processes all are meant.
-n      the first that ends
-p VAR  its number into VAR
-f      a job must end, not only change its state
"),
    topic("while", "Run commands while a condition holds.", ""),
    topic("{ ... }", "Run commands as one.", ""),
];

/// Synopses of the topics that are not builtins.
pub(super) const SYNTAX: &[(&str, &str)] = &[
    ("%", "job_spec [&]"),
    ("(( ... ))", "(( expression ))"),
    ("[[ ... ]]", "[[ expression ]]"),
    ("case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac"),
    ("coproc", "coproc [NAME] command [redirections]"),
    ("for", "for NAME [in WORDS ... ] ; do COMMANDS; done"),
    ("for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done"),
    ("function", "function name { COMMANDS ; } or name () { COMMANDS ; }"),
    ("if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi"),
    ("select", "select NAME [in WORDS ... ;] do COMMANDS; done"),
    ("time", "time [-p] pipeline"),
    ("until", "until COMMANDS; do COMMANDS-2; done"),
    ("variables", "variables - What some variables mean to the shell"),
    ("while", "while COMMANDS; do COMMANDS-2; done"),
    ("{ ... }", "{ COMMANDS ; }"),
];
