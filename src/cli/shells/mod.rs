//! Sessions from one `exec` to the next: a process of its own keeps the sandbox and its shells, and others ask it.

mod descriptors;
mod keeper;
mod message;
mod socket;

use super::args::{Exec, SessionVerb, Sessions};
use super::choice::Choice;
use super::failure::{Failure, note, printable, reason};
use super::interrupt::Signals;
use super::json::Report;
use super::manage::table;
use super::on_disk;
use super::print::print;
use super::remote;
use super::status::TIMED_OUT;
use super::variables;
use keeper::{Started, keep};
use message::{Answer, Command, Done, Hello, Request};
use sandshell::{Clock, ExecuteRequest, LocalOptions};
use serde_json::{Value, json};
pub(crate) use socket::explain;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// How often a process that is just ending is tried again.
const TRIES: u32 = 20;

/// The pause before that.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest pause between two tries to get a sandbox that another process uses.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// `exec --session NAME`, or without one a command beside the sessions. `None`: no process keeps sessions of the
/// sandbox, and none is asked for.
pub(crate) async fn exec(args: &Exec) -> Result<Option<u8>, Failure> {
    let Some(id) = &args.sandbox.provider.id else {
        return match args.session {
            None => Ok(None),
            Some(_) => Err(Failure::new(
                "--session: the shell lives on in a sandbox that is kept; name it with --sandbox-id (`sandshell create` makes one)",
            )),
        };
    };
    if !Choice::new(args.sandbox.provider.sandbox.as_deref())?.is_local() {
        return match args.session {
            None => Ok(None),
            Some(_) => Err(Failure::new("--session: only local sandboxes have sessions")),
        };
    }
    if args.session.is_none() && socket::connect(id).await?.is_none() {
        return Ok(None);
    }
    plain(args)?;
    let mut signals = Signals::catch()?;
    let mut request = ExecuteRequest::new(remote::command(args)?);
    request.env = variables::texts(&args.sandbox.env)?;
    request.cwd.clone_from(&args.sandbox.workdir);
    request.timeout = Some(args.sandbox.timeout.unwrap_or(Duration::ZERO));
    request.max_output = Some(args.max_output.unwrap_or(LocalOptions::default().max_output));
    request.stdin = input().await?.map(Into::into);
    let request = Request::Execute { session: args.session.clone(), command: Command::new(request) };
    let answer = tokio::select! {
        answer = ask(id, &request, args.session.is_some()) => answer?,
        // The connection ends with this, and so does the command.
        signal = signals.next() => return Ok(Some(128 + signal)),
    };
    match answer {
        Some(Answer::Done(done)) => show(done, args.json).map(Some),
        Some(other) => Err(unexpected(&other)),
        // It has ended meanwhile.
        None => Ok(None),
    }
}

/// `sandshell session`.
pub(crate) async fn session(args: Sessions) -> Result<u8, Failure> {
    match args.verb {
        SessionVerb::List { id, json } => {
            let sessions = match ask(&id, &Request::List, false).await? {
                Some(Answer::Sessions(sessions)) => sessions,
                Some(other) => return Err(unexpected(&other)),
                None => on_disk::known(&id).map(|()| Vec::new())?,
            };
            let text = if json {
                let object = |session: &message::Listed| json!({"name": session.name, "busy": session.busy, "terminal": session.terminal});
                format!("{}\n", sessions.iter().map(object).collect::<Value>())
            } else {
                let row = |session: &message::Listed| {
                    vec![printable(&session.name), if session.busy { "busy" } else { "idle" }.to_owned()]
                };
                table(&sessions.iter().map(row).collect::<Vec<_>>())
            };
            print(text.as_bytes()).map(|()| 0)
        }
        SessionVerb::Output { id, name } => {
            match ask(&id, &Request::Output { session: name }, false).await? {
                Some(Answer::Output(bytes)) => {
                    print(&message::decode(bytes).map_err(Failure::new)?).map(|()| 0)
                }
                Some(other) => Err(unexpected(&other)),
                None => on_disk::known(&id).map(|()| 0),
            }
        }
        SessionVerb::Keep { id } => keep(&id).await,
        SessionVerb::End { id, name } => {
            on_disk::known(&id)?;
            end(&id, name).await.map(|()| 0)
        }
    }
}

/// Ends a session, or all of a sandbox and the process that keeps them. It is no error if there are none.
pub(crate) async fn end(id: &str, session: Option<String>) -> Result<(), Failure> {
    match ask(id, &Request::End { session }, false).await? {
        None | Some(Answer::Ended) => Ok(()),
        Some(other) => Err(unexpected(&other)),
    }
}

/// What a command reads.
async fn input() -> Result<Option<Vec<u8>>, Failure> {
    let read = remote::stdin_up_to(message::MOST + 1).await?;
    match read {
        Some(bytes) if bytes.len() as u64 > message::MOST => Err(Failure::new(format!(
            "standard input: a sandbox with sessions takes at most {} MiB; copy a larger file into it with `sandshell cp`",
            message::MOST >> 20
        ))),
        read => Ok(read),
    }
}

/// Refuses what only the process that keeps the sessions could have been told.
fn plain(args: &Exec) -> Result<(), Failure> {
    let sandbox = &args.sandbox;
    if args.session.is_some() && !args.args.is_empty() {
        return Err(Failure::new("a session has positional parameters of its own: `set --` changes them"));
    }
    if args.max_output.is_some_and(|most| most > message::MOST) {
        let most = message::MOST >> 20;
        return Err(Failure::new(format!("--max-output: at most {most}M in a sandbox with sessions")));
    }
    let asked = [
        (!sandbox.mounts.is_empty(), "--mount"),
        (sandbox.state.is_some(), "--state"),
        (sandbox.memory.is_some(), "--memory"),
        (sandbox.disk.is_some(), "--disk"),
        (sandbox.inodes.is_some(), "--inodes"),
        (sandbox.host_disk.is_some(), "--host-disk"),
        (sandbox.seed.is_some(), "--seed"),
        (sandbox.clock.0 != Clock::Real, "--clock"),
        (!sandbox.packs.is_empty(), "--pack"),
        (sandbox.no_packs, "--no-packs"),
        (sandbox.provider.setup.script.is_some(), "--sandbox-setup"),
        (args.changes.diff.is_some(), "--diff"),
        (args.changes.apply, "--apply"),
    ];
    match asked.iter().find(|(asked, _)| *asked) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::new(format!(
            "{option}: the sandbox is the one that its sessions run in, with the packs and limits that it has there; `sandshell session end ID` ends them"
        ))),
    }
}

/// Asks the process that keeps the sandbox's sessions, which is started if `start` says so and there is none.
async fn ask(id: &str, request: &Request, start: bool) -> Result<Option<Answer>, Failure> {
    let mut tries = 0;
    loop {
        let connected = match socket::connect(id).await? {
            Some(stream) => greet(stream.into_split()).await?,
            None if !start => return Ok(None),
            None => {
                socket::place(id)?;
                start_keeper(id).await?;
                None
            }
        };
        if let Some((mut from, mut to)) = connected {
            let lost = |error: std::io::Error| Failure::about("the process of the sessions", reason(&error));
            message::write(&mut to, request).await.map_err(lost)?;
            let answer = message::read(&mut from).await.map_err(lost)?;
            if matches!(request, Request::End { session: None }) {
                // Until the process has ended, and with it the right to change the sandbox.
                let _ = message::read::<Answer>(&mut from).await;
            }
            return match answer {
                Some(answer) => Ok(Some(answer)),
                None => Err(Failure::new(
                    "the process that keeps the sessions was ended: the command may have run, or a part of it",
                )),
            };
        }
        // That process was about to end, or is only beginning.
        tries += 1;
        if tries > TRIES {
            return Err(Failure::about(id, "the process that keeps its sessions does not answer"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

type Streams = (BufReader<OwnedReadHalf>, OwnedWriteHalf);

/// Waits until the other side hears. `None`: it does not any more.
async fn greet((from, to): (OwnedReadHalf, OwnedWriteHalf)) -> Result<Option<Streams>, Failure> {
    let mut from = BufReader::new(from);
    match message::read::<Hello>(&mut from).await {
        Ok(Some(hello)) if hello.version == message::VERSION => Ok(Some((from, to))),
        Ok(Some(hello)) => Err(Failure::new(format!(
            "the sessions are kept by process {} of another version of sandshell: end it",
            hello.pid
        ))),
        Ok(None) | Err(_) => Ok(None),
    }
}

/// Starts the process, and waits until it listens. Waits as long as another process uses the sandbox, and says so.
async fn start_keeper(id: &str) -> Result<(), Failure> {
    if socket::is_left(id).await {
        note(&format!("{id}: the process that kept its sessions was killed, and their shells with it"));
    }
    let (mut waited, mut pause) = (0, PAUSE);
    loop {
        match started(id).await? {
            Started::Ready => return Ok(()),
            Started::Failed(why) => return Err(Failure::new(why)),
            Started::Busy(why) => {
                // Another `exec` may have started one at the same time.
                if socket::connect(id).await?.is_some() {
                    return Ok(());
                }
                // One that ends gives the sandbox back soon.
                waited += 1;
                if waited == TRIES {
                    note(&format!("{why}: waiting"));
                }
                tokio::time::sleep(pause).await;
                if waited > TRIES {
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
    }
}

async fn started(id: &str) -> Result<Started, Failure> {
    let failed =
        |error: std::io::Error| Failure::about("cannot start a process for the sessions", reason(&error));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = std::process::Command::new(program);
    command.arg("--data-dir").arg(super::places::sandboxes()?.name());
    command.args(["session", "keep", id]).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    descriptors::keep_from_children();
    let mut child = command.spawn().map_err(failed)?;
    let said = child.stdout.take();
    let started = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        if let Some(said) = said {
            let _ = std::io::BufRead::read_line(&mut std::io::BufReader::new(said), &mut line);
        }
        let started = serde_json::from_str(&line).ok();
        // One that listens lives on, and is the system's to reap once this program has ended.
        if !matches!(started, Some(Started::Ready)) {
            let _ = child.wait();
        }
        started
    });
    let started = started.await.ok().flatten();
    started.ok_or_else(|| Failure::new("the process for the sessions ended before it listened"))
}

/// Prints what a command did; returns its status.
fn show(done: Done, json: bool) -> Result<u8, Failure> {
    let answer = done.response().map_err(Failure::new)?;
    let response = &answer.response;
    let code = response.exit_code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
    let status = if response.timed_out { TIMED_OUT } else { code };
    if json {
        let text = Report::of_session(&answer, status).text().map_err(Failure::new)?;
        return print(text.as_bytes()).map(|()| status);
    }
    if let Some(why) = &answer.restarted {
        note(why);
    }
    print(&answer.background)?;
    print(&response.stdout)?;
    // Without standard error there is nowhere to write it.
    let _ = std::io::stderr().write_all(&response.stderr);
    for limit in &response.limits {
        note(&limit.message);
    }
    Ok(status)
}

fn unexpected(answer: &Answer) -> Failure {
    match answer {
        Answer::Failed(why) => Failure::new(why),
        _ => Failure::new("the process that keeps the sessions gave an answer to something else"),
    }
}
