//! Completions and manual pages, both made from the grammar.

use super::args::Cli;
use super::failure::{Failure, reason};
use super::host_file::nobody_reads;
use clap::CommandFactory;
use std::io::Write;

/// Prints the completion script for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sandshell", &mut text);
    print(&text)
}

/// Prints the manual page of sandshell or of one of its commands.
pub(crate) fn man(command: Option<&str>) -> Result<u8, Failure> {
    let mut whole = Cli::command();
    whole.build();
    match command {
        None => print_page(clap_mangen::Man::new(whole)),
        Some(name) => {
            let found = whole.find_subcommand(name).ok_or_else(|| Failure::about(name, "no such command"))?;
            // The page has the name of the whole command, such as `sandshell-exec`.
            let title = found.get_display_name().unwrap_or(name).to_owned();
            print_page(clap_mangen::Man::new(found.clone()).title(title))
        }
    }
}

fn print_page(page: clap_mangen::Man) -> Result<u8, Failure> {
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Failure::new(reason(&error)))?;
    print(&text)
}

fn print(text: &[u8]) -> Result<u8, Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if !nobody_reads(&error) => Err(Failure::about("standard output", reason(&error))),
        _ => Ok(0),
    }
}
