//! Lines of text as the utilities of util-linux read them.

use sandshell_cli::options::{Long, Value::No};
use sandshell_cli::out;

/// The options that all of them have; their `--version` is not the one of coreutils.
pub(crate) const HELP: Long = ("help", No, "h");
/// See [`HELP`].
pub(crate) const VERSION: Long = ("version", No, "V");

/// Prints a text and says how that went.
pub(crate) fn print(name: &str, text: &str) -> i32 {
    out::put(text);
    out::finish(name, 0, 1)
}

/// Prints the version of util-linux whose behaviour this is.
pub(crate) fn version(name: &str) -> i32 {
    print(name, &format!("{name} from util-linux 2.38.1\n"))
}
