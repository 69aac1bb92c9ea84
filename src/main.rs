//! The program `sandshell`; see `sandshell --help`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
