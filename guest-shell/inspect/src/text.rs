//! Help and version texts as the utilities of util-linux print them.

use sandshell_cli::out;

/// Prints a text and returns the exit status.
pub(crate) fn print(name: &str, text: &str) -> i32 {
    out::put(text);
    out::finish(name, 0, 1)
}

/// Prints the version of util-linux that the program behaves like.
pub(crate) fn version(name: &str) -> i32 {
    print(name, &format!("{name} from util-linux 2.38.1\n"))
}
