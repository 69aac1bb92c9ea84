//! Lines of text as the utilities of util-linux read them.

use sandshell_cli::out;

/// Prints a text and says how that went.
pub(crate) fn print(name: &str, text: &str) -> i32 {
    out::put(text);
    out::finish(name, 0, 1)
}

/// Prints the version of util-linux whose behaviour this is.
pub(crate) fn version(name: &str) -> i32 {
    print(name, &format!("{name} from util-linux 2.38.1\n"))
}
