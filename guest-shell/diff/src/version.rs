//! What `--version` and `--help` print.

use sandshell_cli::out;

/// Prints the version of diffutils that the program behaves like, and returns the exit status.
pub(crate) fn print(name: &str) -> i32 {
    out::put(format!("{name} (GNU diffutils) 3.8\n"));
    out::put("This is sandshell's own program with the behaviour of that version.\n");
    out::finish(name, 0, 2)
}

/// Prints a help text and returns the exit status.
pub(crate) fn help(text: &str) -> i32 {
    out::put(text);
    out::finish("diff", 0, 2)
}
