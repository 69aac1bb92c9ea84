//! `sandshell shell --sandbox TYPE`: each line is a command. The directory and the exported variables carry over to
//! the next one.

use super::exec::stream;
use super::feed::stdin;
use super::session::Session;
use crate::cli::args::Shell;
use crate::cli::choice::Choice;
use crate::cli::failure::{Failure, note};
use crate::cli::interrupt::Signals;
use crate::cli::places;
use rustyline::error::ReadlineError;
use std::io::IsTerminal;

pub(crate) async fn shell(choice: Choice, args: Shell) -> Result<u8, Failure> {
    let mut signals = Signals::catch()?;
    let session = Session::open(&choice, &args.sandbox, &args.changes).await?;
    let interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let done = match interactive {
        true => converse(&choice.name, &session, &mut signals).await,
        false => whole(&session, &mut signals).await,
    };
    session.close().await;
    done
}

/// Without a terminal, all of standard input is one script.
async fn whole(session: &Session, signals: &mut Signals) -> Result<u8, Failure> {
    let script = stdin().await?.unwrap_or_default();
    let script = String::from_utf8(script).map_err(|_| Failure::about("standard input", "not UTF-8"))?;
    stream(session, session.request(script), signals).await
}

async fn converse(name: &str, session: &Session, signals: &mut Signals) -> Result<u8, Failure> {
    note(&format!(
        "the sandbox {}: each line is a command, without a terminal of its own; `exit` or Ctrl-D ends",
        session.sandbox().id()
    ));
    let mut editor =
        rustyline::DefaultEditor::new().map_err(|error| Failure::about("the terminal", error))?;
    if let Some(history) = places::history() {
        // There is no history before the first session.
        drop(editor.load_history(&history));
    }
    let kept = format!("/tmp/.sandshell-shell-{}", std::process::id());
    let prompt = format!("{name}$ ");
    let mut status = 0;
    loop {
        // Reading blocks the thread; there is nothing else to do meanwhile.
        match tokio::task::block_in_place(|| editor.readline(&prompt)) {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                drop(editor.add_history_entry(&line));
                if let Some(asked) = exit(&line) {
                    return Ok(asked.unwrap_or(status));
                }
                match stream(session, session.request(with_saved_state(&line, &kept)), signals).await {
                    Ok(ended) => status = ended,
                    Err(failure) => failure.report(),
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(status),
            Err(error) => return Err(Failure::about("the terminal", error)),
        }
    }
}

/// Wraps a line in code that restores the directory and variables after the previous line and saves them for the
/// next.
fn with_saved_state(line: &str, kept: &str) -> String {
    format!(
        "[ -f {kept} ] && . {kept}\ntrap '{{ export -p; printf \"cd -- %q\\n\" \"$PWD\"; }} > {kept}' EXIT\n{line}\n"
    )
}

/// The status that a line of only `exit [N]` asks for; `None` if the line is anything else.
fn exit(line: &str) -> Option<Option<u8>> {
    let mut words = line.split_whitespace();
    let status = match (words.next()?, words.next(), words.next()) {
        ("exit", None, None) => None,
        ("exit", Some(status), None) => Some(status.parse().ok()?),
        _ => return None,
    };
    Some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_ends_the_shell() {
        assert_eq!(exit("exit"), Some(None));
        assert_eq!(exit(" exit 3 "), Some(Some(3)));
        assert_eq!(exit("exit; ls"), None);
        assert_eq!(exit("ls"), None);
    }
}
