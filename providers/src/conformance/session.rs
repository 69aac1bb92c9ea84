//! Shells that live.

use std::time::Duration;

use super::{CaseResult, Context};
use crate::posix::quote;
use crate::{
    ErrorKind, ExecuteRequest, ExecuteResponse, Sandbox, SandboxExt, Session, TerminalRequest, TerminalScreen,
};

pub(super) async fn state_is_kept(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("state").await?;
    session
        .out("x=1; export Y='two words'; f() { echo \"f $1\"; }; a=(p q); false || mkdir -p sub; cd sub")
        .await?;
    check_eq!(
        session.out("f arg; echo $x ${a[1]}; printenv Y; pwd").await?,
        format!("f arg\n1 q\ntwo words\n{}\n", cx.path("sub"))
    );
    check_eq!(session.run("(exit 3)").await?.exit_code, Some(3));
    check_eq!(session.out("echo $?; true").await?, "3\n");
    session.end().await
}

pub(super) async fn streams_and_bytes_are_exact(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("streams").await?;
    let done = session.run("printf 'a\\0\\377'; echo wrong >&2").await?;
    check_eq!(done.stdout.as_ref(), b"a\0\xff");
    check_eq!(done.stderr.as_ref(), b"wrong\n");
    session.end().await
}

pub(super) async fn sessions_are_apart(cx: &Context<'_>) -> CaseResult {
    let (one, other) = (cx.session("one").await?, cx.session("other").await?);
    one.out("x=one; echo file > shared").await?;
    check_eq!(other.out("echo [$x]; cat shared").await?, "[]\nfile\n");
    check_eq!(cx.sh("echo [$x]; cat shared").await?, "[]\nfile\n");
    one.end().await?;
    other.end().await
}

pub(super) async fn one_command_runs_at_a_time(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("queue").await?;
    let slow = session.out("n=1; sleep 0.3; n=$((n * 10))");
    let next = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        session.out("n=$((n + 1)); echo $n").await
    };
    let (slow, next) = tokio::join!(slow, next);
    slow?;
    check_eq!(next?, "11\n");
    session.end().await
}

pub(super) async fn errors_give_up_the_command_alone(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("errors").await?;
    session.out("x=kept").await?;
    for (command, status) in [("echo 'unfinished", 2), ("no-such-command", 127), ("echo ${y?unset}", 1)] {
        let done = session.run(command).await?;
        check!(!done.stderr.is_empty(), "{command}: no message");
        check_eq!((command, done.exit_code), (command, Some(status)));
    }
    check_eq!(session.out("echo $x").await?, "kept\n");
    session.end().await
}

pub(super) async fn input_is_for_one_command(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("input").await?;
    let request = ExecuteRequest::new("read line; echo got $line").stdin("first\nsecond\n");
    check_eq!(session.session.execute(request).await?.response.text(), "got first\n");
    check_eq!(session.out("read line || echo none").await?, "none\n");
    session.end().await
}

pub(super) async fn jobs_go_on_and_their_output_is_kept(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("jobs").await?;
    let begun = session.run("(sleep 0.3; echo from the job) & disown").await?;
    check_eq!(begun.exit_code, Some(0));
    let mut written = Vec::new();
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        written.extend_from_slice(&session.session.output().await?);
        if written.ends_with(b"job\n") {
            break;
        }
    }
    check_eq!(String::from_utf8_lossy(&written), "from the job\n");
    session.end().await
}

pub(super) async fn timeout_interrupts_the_command_alone(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("timeout").await?;
    session.out("x=kept").await?;
    let request = ExecuteRequest::new("echo before; sleep 1000").timeout(Duration::from_secs(1));
    let done = session.session.execute(request).await?;
    check_eq!((done.response.timed_out, done.response.exit_code, done.ended), (true, Some(124), false));
    check_eq!(done.response.stdout.as_ref(), b"before\n");
    check_eq!(session.out("echo $x").await?, "kept\n");
    session.end().await
}

pub(super) async fn a_shell_that_ended_is_started_anew(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("ended").await?;
    let done = session.session.execute(ExecuteRequest::new("x=1; exit 7")).await?;
    check_eq!((done.response.exit_code, done.ended), (Some(7), true));
    check_eq!(session.out("echo [$x]").await?, "[]\n");
    let pid = session.out("echo $$").await?;
    cx.run(&format!("kill -9 {pid}")).await?;
    cx.gone(&pid).await?;
    let done = session.session.execute(ExecuteRequest::new("echo new")).await?;
    check!(done.restarted.is_some_and(|why| !why.contains('\n')), "it does not say that it was started anew");
    check_eq!(done.response.text(), "new\n");
    session.session.close().await?;
    Ok(())
}

pub(super) async fn closing_ends_all_that_it_started(cx: &Context<'_>) -> CaseResult {
    let session = cx.session("closed").await?;
    session.run("x=1; sleep 1000 &").await?;
    let pid = session.out("echo $!").await?;
    check!(cx.listed("closed").await?, "it is not listed");
    session.end().await?;
    check!(!cx.listed("closed").await?, "it is still listed");
    cx.gone(&pid).await?;
    let session = cx.session("closed").await?;
    check_eq!(session.out("echo [$x]").await?, "[]\n");
    session.end().await?;
    // It is no error that there is none.
    cx.sandbox.session("closed").close().await?;
    Ok(())
}

pub(super) async fn impossible_requests_are_refused(cx: &Context<'_>) -> CaseResult {
    for (name, request) in [
        ("", ExecuteRequest::new("true")),
        ("a\nb", ExecuteRequest::new("true")),
        ("nul", ExecuteRequest::new("a\0b")),
        ("place", ExecuteRequest::new("pwd").cwd("/tmp")),
    ] {
        match cx.sandbox.session(name).execute(request).await {
            Err(error) => check_eq!((name, error.kind()), (name, ErrorKind::InvalidRequest)),
            Ok(done) => check!(false, "{name:?} was run: {done:?}"),
        }
    }
    Ok(())
}

pub(super) async fn a_terminal_has_keys_a_size_and_a_screen(cx: &Context<'_>) -> CaseResult {
    let session = cx.sandbox.session("terminal");
    let typed = async |request: TerminalRequest, text: &str| -> CaseResult<TerminalScreen> {
        let screen = session.terminal(request.until(text).wait(Duration::from_secs(20))).await?;
        check!(screen.settled, "{text:?} does not come: {}", screen.text);
        Ok(screen)
    };
    let size = TerminalRequest::typed("echo $((6 * 7)); stty size\r").size(10, 40);
    let screen = typed(size, "42\n10 40").await?;
    check_eq!((screen.size.rows, screen.size.columns), (10, 40));
    typed(TerminalRequest::typed("stty size\r").size(12, 50), "12 50").await?;
    // What is typed is on the screen as well, so that the shell's answer must be another text.
    typed(TerminalRequest::typed("echo $((1 + 1))x; sleep 1000\r"), "2x").await?;
    typed(TerminalRequest::typed("\u{3}echo $((100 + $?))\r"), "230").await?;
    match session.execute(ExecuteRequest::new("true")).await {
        Err(error) => check_eq!(error.kind(), ErrorKind::Conflict),
        Ok(done) => check!(false, "a command went to a terminal: {done:?}"),
    }
    session.close().await?;
    Ok(())
}

/// A session for commands that its shell must survive.
struct Living<'a> {
    session: Session<'a, dyn Sandbox>,
}

impl<'a> Context<'a> {
    /// A new session, in the directory of the case.
    async fn session(&self, name: &str) -> CaseResult<Living<'a>> {
        self.sandbox.session(name).close().await?;
        let living = Living { session: self.sandbox.session(name) };
        living.out(&format!("cd {}", quote(&self.dir))).await?;
        Ok(living)
    }

    /// Waits for the end of a process that was killed, which takes a moment.
    async fn gone(&self, pid: &str) -> CaseResult {
        let pid = pid.trim();
        let wait = format!("for i in {{1..100}}; do kill -0 {pid} || exit 0; sleep 0.05; done; exit 1");
        check!(self.run(&wait).await?.success(), "process {pid} lives on");
        Ok(())
    }

    async fn listed(&self, name: &str) -> CaseResult<bool> {
        Ok(self.sandbox.sessions().await?.iter().any(|session| session.name == name))
    }
}

impl Living<'_> {
    async fn run(&self, command: &str) -> CaseResult<ExecuteResponse> {
        let request = ExecuteRequest::new(command).timeout(Duration::from_secs(60));
        let done = self.session.execute(request).await?;
        check!(!done.ended && !done.response.timed_out, "{command}: {done:?}");
        Ok(done.response)
    }

    /// What a command writes. It must succeed, without a message.
    async fn out(&self, command: &str) -> CaseResult<String> {
        let done = self.run(command).await?;
        check_eq!((done.exit_code, done.stderr.as_ref()), (Some(0), &b""[..]));
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }

    async fn end(self) -> CaseResult {
        Ok(self.session.close().await?)
    }
}
