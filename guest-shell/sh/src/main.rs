//! The shell: bash 5.2 for sandshell.

mod args;
mod builtins;
mod editor;
mod error;
mod exec;
mod expand;
mod field;
mod history;
mod history_expansion;
mod jobs;
mod options;
mod own_path;
mod path;
mod print_only;
mod prompt;
mod random;
mod regex;
mod restricted;
mod session;
mod shell;
mod terminal;
mod text;
mod traps;
mod variables;

use sandshell_sys as sys;

sandshell_sys::applets!("bash", "rbash", "sh");

fn main() {
    sys::init();
    let mut shell = shell::Shell::new();
    let code = args::start(&mut shell);
    sys::exit(code);
}
