//! Sessions: shells that live.

use sandshell::{
    CreateOptions, ErrorKind, ExecuteRequest, LocalOptions, Sandbox, SandboxExt, SandboxProvider, Session,
    SessionResponse, TerminalRequest, TerminalScreen,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn sandbox() -> Arc<dyn Sandbox> {
    let provider = sandshell::local(LocalOptions::default()).expect("a provider");
    provider.get_or_create(CreateOptions::default()).await.expect("a sandbox")
}

async fn ran(session: &Session<'_, dyn Sandbox>, command: &str) -> SessionResponse {
    session.execute(ExecuteRequest::new(command).timeout(Duration::from_secs(20))).await.expect("an answer")
}

/// Standard output, standard error and the status of a command whose shell lives before and after it.
async fn said(session: &Session<'_, dyn Sandbox>, command: &str) -> (String, String, i32) {
    let done = ran(session, command).await;
    assert!(done.restarted.is_none() && !done.ended && !done.response.timed_out, "{command}: {done:?}");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&done.response.stdout), text(&done.response.stderr), done.response.exit_code.expect("a status"))
}

async fn out(session: &Session<'_, dyn Sandbox>, command: &str) -> String {
    let (stdout, stderr, status) = said(session, command).await;
    assert_eq!((&*stderr, status), ("", 0), "{command}");
    stdout
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_of_a_shell_is_there_for_the_next_command() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    out(&session, "x=1; export Y='two words'; declare -A map=([k]=v); mkdir -p /tmp/d; cd /tmp/d").await;
    out(&session, "f() { echo \"f $1 $x\"; }; alias hi='echo hello'; set -f; trap 'echo bye' EXIT").await;
    assert_eq!(
        out(&session, "pwd; f arg; hi; printenv Y; echo ${map[k]} *").await,
        "/tmp/d\nf arg 1\nhello\ntwo words\nv *\n"
    );
    assert_eq!(said(&session, "(exit 3)").await.2, 3);
    assert_eq!(out(&session, "echo $?; true").await, "3\n");
    assert_eq!(out(&session, "echo a b; : last").await, "a b\n");
    assert_eq!(out(&session, "echo $_").await, "last\n");
    let pid = out(&session, "echo $$").await;
    assert_eq!(out(&session, "echo $$; echo $0").await, format!("{pid}bash\n"));
    // What belongs to the session itself is not seen.
    assert_eq!(out(&session, "compgen -e SANDSHELL; ls /proc/self/fd | tr '\\n' ' '").await, "0 1 2 3 ");
    let history = out(&session, "history | tail -n 2 | sed 's/^ *[0-9]* *//'").await;
    assert!(history.starts_with("compgen -e"), "{history}");
    assert_eq!(
        said(&session, "echo one; echo two >&2; exec 3>file; echo three >&3; cat file").await,
        ("one\nthree\n".into(), "two\n".into(), 0)
    );
    assert_eq!(out(&session, "echo four >&3; cat file").await, "three\nfour\n");
    // Another one is apart, and so is `execute`.
    assert_eq!(out(&sandbox.session("other"), "pwd; echo [$x]").await, "/workspace\n[]\n");
    let apart = sandbox.run("pwd; echo [$x]").await.expect("an answer");
    assert_eq!(apart.text(), "/workspace\n[]\n");
    session.close().await.expect("it ends");
    assert_eq!(out(&sandbox.session("main"), "echo [$x]").await, "[]\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn errors_give_up_the_command_and_not_the_shell() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    out(&session, "x=kept").await;
    for (command, status) in [
        ("echo 'unfinished", 2),
        ("if true; then", 2),
        ("echo ${y?is not set}", 1),
        ("no-such-command", 127),
        ("readonly r=1; r=2", 1),
        ("echo $((1/0))", 1),
        ("exec /no/such/program", 127),
        ("break; return; false", 1),
    ] {
        let (_, stderr, found) = said(&session, command).await;
        assert!(found == status && !stderr.is_empty(), "{command}: {found} {stderr}");
    }
    assert_eq!(
        out(&session, "echo $x\n# a comment\necho 'two\nlines'; cat <<E\ndoc\nE").await,
        "kept\ntwo\nlines\ndoc\n"
    );
    assert_eq!(out(&session, "").await, "");
    let (stdout, _, _) = said(&session, "printf 'a\\0b\\377'; printf '%s' !! '!x'").await;
    assert!(stdout.ends_with("!!!x"), "{stdout:?}");
    // 200 KB of a command.
    let long = format!("printf %s '{}' | wc -c", "x".repeat(200_000));
    assert_eq!(out(&session, &long).await, "200000\n");
    let nul = session.execute(ExecuteRequest::new("a\0b")).await.expect_err("no text");
    assert_eq!(nul.kind(), ErrorKind::InvalidRequest);
    let place = session.execute(ExecuteRequest::new("pwd").cwd("/tmp")).await.expect_err("it has one");
    assert!(place.to_string().contains("directory"), "{place}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn input_is_for_one_command() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let asked = ExecuteRequest::new("read line; echo got $line; cat").stdin("first\nsecond\n");
    let done = session.execute(asked).await.expect("an answer");
    assert_eq!(done.response.text(), "got first\nsecond\n");
    // What is not read is gone, and there is no input by default.
    session.execute(ExecuteRequest::new("true").stdin("left over\n")).await.expect("an answer");
    assert_eq!(out(&session, "cat; read x || echo none").await, "none\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn jobs_go_on_and_what_they_write_is_read_later() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let begun = ran(&session, "(sleep 0.3; echo from the job; echo and errors >&2; sleep 1000) &").await;
    assert_eq!(begun.response.exit_code, Some(0));
    assert!(begun.response.duration < Duration::from_secs(5));
    let mut output = Vec::new();
    let until = Instant::now() + Duration::from_secs(20);
    while output.len() < 24 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(50)).await;
        output.extend_from_slice(&session.output().await.expect("output"));
    }
    assert_eq!(String::from_utf8_lossy(&output), "from the job\nand errors\n");
    assert!(out(&session, "jobs").await.contains("Running"));
    ran(&session, "(sleep 0.2; echo later) & sleep 0.01").await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    let next = ran(&session, "echo now").await;
    assert!(String::from_utf8_lossy(&next.background).contains("later\n"), "{next:?}");
    assert_eq!(&next.response.stdout[..], b"now\n");
    assert_eq!(said(&session, "kill %1; wait %1").await.2, 143);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_command_whose_time_is_up_is_interrupted() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    out(&session, "x=kept").await;
    for command in
        ["echo before; sleep 1000", "echo before; while :; do :; done", "echo before; yes | cat > /dev/null"]
    {
        let asked = ExecuteRequest::new(command).timeout(Duration::from_millis(400));
        let done = session.execute(asked).await.expect("an answer");
        assert!(done.response.timed_out && !done.ended, "{command}: {done:?}");
        assert_eq!(
            (done.response.exit_code, &done.response.stdout[..]),
            (Some(124), &b"before\n"[..]),
            "{command}"
        );
        assert_eq!(out(&session, "echo $x").await, "kept\n", "{command}");
    }
    // One that does not let itself be interrupted ends with its shell.
    let asked = ExecuteRequest::new("trap '' INT; sleep 1000").timeout(Duration::from_millis(300));
    let done = session.execute(asked).await.expect("an answer");
    assert!(done.response.timed_out && done.ended, "{done:?}");
    assert_eq!(out(&session, "echo [$x]").await, "[]\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dropped_call_is_interrupted() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    out(&session, "x=kept").await;
    let running = session.execute(ExecuteRequest::new("sleep 1000"));
    assert!(tokio::time::timeout(Duration::from_millis(200), running).await.is_err());
    assert_eq!(out(&session, "echo $x").await, "kept\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_shell_that_ended_is_started_again_and_that_is_said() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let ended = ran(&session, "x=1; trap 'echo bye' EXIT; exit 7").await;
    assert_eq!((ended.ended, ended.response.exit_code), (true, Some(7)));
    assert!(ended.response.text().contains("bye\n"), "{ended:?}");
    assert_eq!(out(&session, "echo [$x]").await, "[]\n");
    let killed = ran(&session, "kill -9 $$").await;
    assert_eq!((killed.ended, killed.response.exit_code), (true, Some(137)));
    let pid = out(&session, "x=2; echo $$").await;
    sandbox.run(&format!("kill -9 {pid}")).await.expect("an answer");
    let again = ran(&session, "echo [$x]").await;
    let why = again.restarted.expect("it says so");
    assert!(why.contains("killed by signal 9") && !why.contains('\n'), "{why}");
    assert_eq!(&again.response.stdout[..], b"[]\n");
    let replaced = ran(&session, "exec echo instead").await;
    assert_eq!((replaced.ended, &replaced.response.stdout[..]), (true, &b"instead\n"[..]));
    let strict = ran(&session, "set -e; false; echo not reached").await;
    assert_eq!((strict.ended, strict.response.exit_code), (true, Some(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_at_once_and_one_after_another() {
    let sandbox = sandbox().await;
    let mut running = Vec::new();
    for number in 0..8 {
        let sandbox = sandbox.clone();
        running.push(tokio::spawn(async move {
            let session = sandbox.session(format!("s{}", number % 4));
            for _ in 0..5 {
                out(&session, "n=$((n + 1))").await;
            }
        }));
    }
    for one in running {
        one.await.expect("it ran");
    }
    for number in 0..4 {
        assert_eq!(out(&sandbox.session(format!("s{number}")), "echo $n").await, "10\n");
    }
    for number in 4..16 {
        out(&sandbox.session(format!("s{number}")), "true").await;
    }
    let refused =
        sandbox.session("one too many").execute(ExecuteRequest::new("true")).await.expect_err("a limit");
    assert!(refused.kind() == ErrorKind::QuotaExceeded && refused.to_string().contains("16"), "{refused}");
    sandbox.session("s4").close().await.expect("it ends");
    out(&sandbox.session("one more"), "true").await;
    for name in ["", "a\nb", &"x".repeat(129)] {
        let refused = sandbox.session(name).execute(ExecuteRequest::new("true")).await.expect_err("a name");
        assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn output_has_a_limit_and_hostile_answers_harm_nobody() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let flood = ExecuteRequest::new("yes | head -c 5000000; echo end >&2").max_output(1000);
    let done = session.execute(flood).await.expect("an answer");
    assert!(done.response.truncated && done.response.output.len() <= 1000, "{}", done.response.output.len());
    assert!(done.response.stderr.ends_with(b"end\n"));
    assert_eq!(out(&session, "echo fine").await, "fine\n");
    // What the shell is told and answers goes through no descriptor.
    let (_, stderr, status) = said(&session, "for fd in {3..1023}; do : >&$fd && echo $fd; done").await;
    assert!(status == 1 && stderr.lines().all(|line| line.ends_with("Bad file descriptor")), "{stderr}");
    assert_eq!(said(&session, "exec 0<&- 1>&- 2>&-; true").await.2, 0);
    assert_eq!(said(&session, "exec 2>/dev/null; echo x").await, (String::new(), String::new(), 1));
    assert_eq!(said(&session, "(exit 7)").await.2, 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_gives_up_a_command_gives_up_the_rest_of_its_text() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let asked =
        ExecuteRequest::new("echo before; sleep 1000\necho after").timeout(Duration::from_millis(300));
    let done = session.execute(asked).await.expect("an answer");
    assert_eq!((&done.response.stdout[..], done.ended), (&b"before\n"[..], false));
    for (text, printed, status) in [
        ("echo one\nif ;\necho three", "one\n", 2),
        ("echo one\n: ${nothing?}\necho three", "one\n", 1),
        ("echo one\ncat <<E\nunfinished", "one\nunfinished\n", 0),
        ("for i in 1 2; do\nbreak\ndone\nfalse\necho $?\n", "1\n", 0),
    ] {
        let (stdout, _, found) = said(&session, text).await;
        assert_eq!((&*stdout, found), (printed, status), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_command_that_was_given_up_and_goes_on_is_ended_before_the_next_one() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let running = session.execute(ExecuteRequest::new("x=1; trap '' INT; sleep 1000"));
    assert!(tokio::time::timeout(Duration::from_millis(300), running).await.is_err());
    let next = ran(&session, "echo [$x]").await;
    assert_eq!((&next.response.stdout[..], next.ended), (&b"[]\n"[..], false));
    assert!(next.restarted.expect("it says so").contains("signal 9"));
    // A stopped shell does not answer, either.
    let asked = ExecuteRequest::new("kill -STOP $$").timeout(Duration::from_millis(300));
    let done = session.execute(asked).await.expect("an answer");
    assert!(done.response.timed_out && done.ended, "{done:?}");
    assert_eq!(out(&session, "echo fine").await, "fine\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_is_ended_in_the_middle_of_a_command() {
    let sandbox = sandbox().await;
    let begin = |command: &'static str| {
        let sandbox = sandbox.clone();
        tokio::spawn(async move { ran(&sandbox.session("main"), command).await })
    };
    let running = begin("trap '' INT TERM; sleep 1000");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let waiting = begin("echo [$x]");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let listed = sandbox.sessions().await.expect("a list");
    assert_eq!(listed.iter().map(|one| (&*one.name, one.busy)).collect::<Vec<_>>(), [("main", true)]);
    assert_eq!(&sandbox.session("main").output().await.expect("it does not wait")[..], b"");
    let begun = Instant::now();
    sandbox.session("main").close().await.expect("it ends");
    let ended = running.await.expect("an answer");
    assert!(ended.ended && ended.response.exit_code == Some(137), "{ended:?}");
    // Who waited gets a new shell.
    let next = waiting.await.expect("an answer");
    assert_eq!(&next.response.stdout[..], b"[]\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_that_a_shell_leaves_behind_keeps_anybody_waiting() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let begun = Instant::now();
    let ended = ran(&session, "sleep 1000 & disown; (sleep 1000 &); exit 4").await;
    assert_eq!((ended.ended, ended.response.exit_code), (true, Some(4)));
    ran(&session, "exec > >(trap '' TERM HUP; sleep 1000)").await;
    let pid = ran(&session, "echo $$ >&2").await.response.stderr;
    let pid = String::from_utf8_lossy(&pid).into_owned();
    sandbox.run(&format!("kill -9 {pid}")).await.expect("an answer");
    let next = ran(&session, "echo here").await;
    assert!(next.restarted.is_some() && &next.response.stdout[..] == b"here\n", "{next:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    // Its last output arrives.
    let piped = ran(&session, "exec > >(sleep 0.1; cat); echo late; exit 0").await;
    assert_eq!((piped.ended, &piped.response.stdout[..]), (true, &b"late\n"[..]));
    session.close().await.expect("it ends");
    assert_eq!(sandbox.run("ps -e | grep -c sleep").await.expect("an answer").text(), "0\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn between_commands_traps_run_and_jobs_are_in_the_background() {
    let mut options = LocalOptions::default();
    options.limits.background_cpu = Some(Duration::from_millis(500));
    let provider = sandshell::local(options).expect("a provider");
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let session = sandbox.session("main");
    ran(&session, "trap 'echo got it' USR1; (sleep 0.3; kill -USR1 $$) & (exit 5)").await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!(&session.output().await.expect("output")[..], b"got it\n");
    assert_eq!(ran(&session, "echo $?").await.response.stdout, "5\n");
    // A command may compute as long as it may run, but not what it leaves.
    ran(&session, "timeout 1 yes >/dev/null").await;
    ran(&session, "while :; do :; done & true").await;
    let until = Instant::now() + Duration::from_secs(20);
    let next = loop {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let next = ran(&session, "true").await;
        if next.restarted.is_some() || Instant::now() > until {
            break next;
        }
    };
    assert!(next.restarted.as_ref().is_some_and(|why| why.contains("processor time")), "{next:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_sandbox_that_is_deleted_or_restored_takes_its_sessions_with_it() {
    let provider = sandshell::local(LocalOptions::default()).expect("a provider");
    let sandbox = provider.get_or_create(CreateOptions::default()).await.expect("a sandbox");
    let session = sandbox.session("main");
    out(&session, "x=1; echo old > file").await;
    let snapshot = provider.snapshot(sandbox.id(), None).await.expect("a snapshot");
    provider.restore(sandbox.id(), &snapshot.id).await.expect("it is restored");
    let next = ran(&session, "echo [$x]; cat file").await;
    assert_eq!(&next.response.stdout[..], b"[]\nold\n");
    assert!(next.restarted.expect("it says so").contains("got other files"));
    let running = {
        let sandbox = sandbox.clone();
        tokio::spawn(async move { sandbox.session("main").execute(ExecuteRequest::new("sleep 1000")).await })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    provider.delete(sandbox.id()).await.expect("it is deleted");
    assert!(running.await.expect("an answer").map_or(true, |done| done.ended));
    let gone = session.execute(ExecuteRequest::new("true")).await.expect_err("it is gone");
    assert_eq!(gone.kind(), ErrorKind::SandboxEnded, "{gone}");
}

async fn typed(session: &Session<'_, dyn Sandbox>, keys: &str) -> TerminalScreen {
    let request = TerminalRequest::typed(keys.to_owned()).wait(Duration::from_secs(20));
    session.terminal(request).await.expect("a screen")
}

async fn shows(session: &Session<'_, dyn Sandbox>, keys: &str, text: &str) -> TerminalScreen {
    let request = TerminalRequest::typed(keys.to_owned()).wait(Duration::from_secs(20)).until(text);
    let screen = session.terminal(request).await.expect("a screen");
    assert!(screen.settled, "{keys:?} until {text:?}: {screen:?}");
    screen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_terminal_has_keys_a_size_and_a_screen() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let first = TerminalRequest::default().size(8, 30).wait(Duration::from_secs(20)).until("$");
    let screen = session.terminal(first).await.expect("a screen");
    assert!(screen.settled && screen.text.ends_with('$') && screen.restarted.is_none(), "{screen:?}");
    typed(&session, "PS1='> '; x=1; clear() { printf '\\e[H\\e[2J'; }\r").await;
    let screen = shows(&session, "clear; echo [$x] $TERM; stty size; tty\r", "/dev/").await;
    assert!(screen.text.starts_with("[1] xterm-256color\n8 30\n/dev/"), "{screen:?}");
    // What is typed is edited as lines are: this deletes the last letter.
    assert!(shows(&session, "clear; echo onx\x7fe\r", "one\n>").await.text.starts_with("one\n"));
    // A program that reads keys is told of another size, and Ctrl-C and Ctrl-Z reach it.
    // It waits for no program in the foreground: if that ended at this moment, Ctrl-C would be lost, as natively.
    let told = "clear; bash -c 'trap \"stty size\" WINCH; sleep 1000 & while :; do wait; done'\r";
    typed(&session, told).await;
    session.terminal(TerminalRequest::default().size(12, 40)).await.expect("a screen");
    shows(&session, "", "12 40").await;
    typed(&session, "\x03").await;
    shows(&session, "clear; echo $((6 * 7)); sleep 1000\r", "42").await;
    shows(&session, "\x1a", "Stopped").await;
    // Not what is on the screen already.
    shows(&session, "clear; echo $((40 + 3)); fg\r", "43\nsleep").await;
    let screen = shows(&session, "\x03", "^C\n>").await;
    assert!(screen.text.ends_with('>'), "{screen:?}");
    assert_eq!(typed(&session, "clear; printf '\\e]2;named\\a'\r").await.title, "named");
    // A full-screen program, and what was there before.
    typed(&session, "seq 100 > n; clear; echo before\r").await;
    let screen = shows(&session, "less n\r", "11").await;
    assert!(screen.text.starts_with("1\n2\n3\n") && !screen.text.contains("before"), "{screen:?}");
    shows(&session, "q", "before").await;
    let ended = typed(&session, "exit 3\r").await;
    assert_eq!(ended.ended, Some(3), "{ended:?}");
    shows(&session, "clear; echo [$x]\r", "[]").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_typed_ahead_reaches_the_program_that_reads_it() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    typed(&session, "").await;
    let keys = "read -p 'Name? ' name; read other\rAda\rEva\recho \"<$name> <$other>\"\r";
    shows(&session, keys, "<Ada> <Eva>").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn terminals_are_sessions() {
    let sandbox = sandbox().await;
    let (terminal, commands) = (sandbox.session("terminal"), sandbox.session("commands"));
    typed(&terminal, "").await;
    out(&commands, "true").await;
    let listed = sandbox.sessions().await.expect("a list");
    let listed: Vec<_> = listed.iter().map(|one| (&*one.name, one.busy, one.terminal)).collect();
    assert_eq!(listed, [("commands", false, false), ("terminal", false, true)]);
    let refused = terminal.execute(ExecuteRequest::new("true")).await.expect_err("a terminal");
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    let refused = commands.terminal(TerminalRequest::default()).await.expect_err("no terminal");
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    for (rows, columns) in [(0, 80), (24, 0), (201, 80), (24, 401)] {
        let request = TerminalRequest::default().size(rows, columns);
        let refused = sandbox.session("other").terminal(request).await.expect_err("a size");
        assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
    }
    // Ended while somebody waits, and by others.
    let waiting = {
        let sandbox = sandbox.clone();
        tokio::spawn(async move { shows(&sandbox.session("long"), "sleep 1000\r", "sleep").await })
    };
    waiting.await.expect("a screen");
    let waiting = {
        let sandbox = sandbox.clone();
        let request = TerminalRequest::default().wait(Duration::from_secs(60)).until("never");
        tokio::spawn(async move { sandbox.session("long").terminal(request).await })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    sandbox.session("long").close().await.expect("it ends");
    let ended = waiting.await.expect("an answer").expect("a screen");
    assert_eq!((ended.ended, ended.settled), (Some(137), false));
    let pid = shows(&terminal, "echo pid $$.\r", ".\n").await.text;
    let pid = pid.split(['.', ' ']).find(|word| word.parse::<u32>().is_ok()).expect("a pid").to_owned();
    sandbox.run(&format!("kill -9 {pid}")).await.expect("an answer");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let again = typed(&terminal, "\r").await;
    assert!(again.restarted.is_some_and(|why| why.contains("signal 9")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_hostile_program_shows_holds_up_nobody() {
    let sandbox = sandbox().await;
    let session = sandbox.session("main");
    let floods = [
        "yes",
        "while :; do printf '\\e[99999b\\e[2Jx\\e[99999L\\e[99999S\\e[99999@'; done",
        "while :; do printf '\\e]2;%s' {1..1000}; done",
        "cat /dev/urandom",
    ];
    for flood in floods {
        let request =
            TerminalRequest::typed(format!("{flood}\r")).size(200, 400).wait(Duration::from_millis(500));
        let begun = Instant::now();
        let screen = session.terminal(request).await.expect("a screen");
        assert!(screen.title.len() <= 1000 && begun.elapsed() < Duration::from_secs(10), "{flood}");
        assert_eq!(out(&sandbox.session("other"), "echo fine").await, "fine\n");
        session.terminal(TerminalRequest::typed("\x03")).await.expect("a screen");
        sandbox.session("main").close().await.expect("it ends");
        assert!(begun.elapsed() < Duration::from_secs(20), "{flood}");
    }
    // Typing what nobody reads has a limit.
    shows(&session, "echo $((6 * 7)); sleep 1000\r", "42").await;
    let request = TerminalRequest::typed("x".repeat((1 << 20) + 1)).wait(Duration::ZERO);
    let refused = session.terminal(request).await.expect_err("a limit");
    assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
}
