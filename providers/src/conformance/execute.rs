//! Running commands.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::{CaseResult, Context};
use crate::posix::quote;
use crate::{ExecuteRequest, OutputChunk, OutputStream};

/// More than the test suites of agent frameworks require.
const HALF_A_MEBIBYTE: usize = 500 * 1024;

pub(super) async fn id_is_not_empty(cx: &Context<'_>) -> CaseResult {
    check!(!cx.sandbox.id().is_empty());
    Ok(())
}

pub(super) async fn echo(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("echo \"hello\"").await?;
    check_eq!(response.exit_code, Some(0));
    check_eq!(response.output.as_ref(), b"hello\n");
    check_eq!(response.stdout.as_ref(), b"hello\n");
    check!(!response.truncated && !response.timed_out && response.limits.is_empty(), "{response:?}");
    Ok(())
}

pub(super) async fn exit_code_is_the_commands(cx: &Context<'_>) -> CaseResult {
    for (command, status) in
        [("true", 0), ("false", 1), ("exit 42", 42), ("(exit 255)", 255), ("sh -c 'exit 7'", 7)]
    {
        check_eq!((command, cx.run(command).await?.exit_code), (command, Some(status)));
    }
    Ok(())
}

pub(super) async fn several_lines(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("echo \"line1\" && echo \"line2\" && echo \"line3\"").await?;
    check_eq!((response.exit_code, response.text().as_ref()), (Some(0), "line1\nline2\nline3\n"));
    Ok(())
}

pub(super) async fn stderr_is_in_the_output(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("echo \"error message\" >&2").await?;
    check_eq!((response.exit_code, response.text().as_ref()), (Some(0), "error message\n"));
    Ok(())
}

pub(super) async fn streams_are_kept_apart(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("echo one; echo two >&2").await?;
    check_eq!((response.stdout.as_ref(), response.stderr.as_ref()), (&b"one\n"[..], &b"two\n"[..]));
    check_eq!(response.output.len(), 8);
    Ok(())
}

pub(super) async fn missing_command_is_127(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("nonexistent_command_12345").await?;
    check_eq!(response.exit_code, Some(127));
    check!(response.text().contains("nonexistent_command_12345"), "{}", response.text());
    Ok(())
}

pub(super) async fn killed_by_a_signal_is_128_and_its_number(cx: &Context<'_>) -> CaseResult {
    check_eq!(cx.run("sh -c 'kill -TERM $$'; exit $?").await?.exit_code, Some(143));
    check_eq!(cx.run("kill -KILL $$").await?.exit_code, Some(137));
    Ok(())
}

pub(super) async fn variables_within_a_command(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("export MY_VAR=\"test_value\" && echo $MY_VAR").await?;
    check_eq!((response.exit_code, response.text().as_ref()), (Some(0), "test_value\n"));
    Ok(())
}

pub(super) async fn nothing_carries_over(cx: &Context<'_>) -> CaseResult {
    let before = cx.run("pwd").await?.text().into_owned();
    cx.run("cd / ; CARRIED=1; export CARRIED; carried() { :; }; umask 077; set -e").await?;
    let response = cx.run("pwd; echo \"[$CARRIED]\"; carried 2>/dev/null; echo $?").await?;
    check_eq!(response.text().as_ref(), format!("{before}[]\n127\n"));
    Ok(())
}

pub(super) async fn compound_commands(cx: &Context<'_>) -> CaseResult {
    let response = cx
        .run("for i in $(seq 1 3); do printf '%03d ' $i; done; [ -f /nonexistent ] && echo exists || echo missing")
        .await?;
    check_eq!(response.text().as_ref(), "001 002 003 missing\n");
    let response = cx.run("printf '%s\\n' b a c | sort | head -n 2 | tr ab xy").await?;
    check_eq!(response.text().as_ref(), "x\ny\n");
    let response = cx.run("cat <<'EOF'\n$HOME `x` \"q\"\nEOF\n").await?;
    check_eq!(response.text().as_ref(), "$HOME `x` \"q\"\n");
    Ok(())
}

pub(super) async fn quoting_is_the_shells(cx: &Context<'_>) -> CaseResult {
    for text in ["it's", "\"double\"", "$HOME `id` \\ *", "a  b\tc", "日本語 👋", "-n", "line1\nline2"] {
        let response = cx.run(&format!("printf '[%s]' {}", quote(text))).await?;
        check_eq!(response.text().as_ref(), format!("[{text}]"));
    }
    Ok(())
}

pub(super) async fn output_bytes_are_exact(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("printf 'no newline'").await?;
    check_eq!(response.output.as_ref(), b"no newline");
    let response = cx.run("printf '  a\\r\\n\\n\\n'").await?;
    check_eq!(response.output.as_ref(), b"  a\r\n\n\n");
    check_eq!(cx.run(":").await?.output.len(), 0);
    Ok(())
}

pub(super) async fn invalid_utf8_is_kept(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("printf 'a\\377b'").await?;
    check_eq!(response.text().as_ref(), "a\u{fffd}b");
    Ok(())
}

pub(super) async fn half_a_mebibyte_is_not_truncated(cx: &Context<'_>) -> CaseResult {
    large_output(cx).await
}

pub(super) async fn output_limit_is_marked(cx: &Context<'_>) -> CaseResult {
    let command = "i=0; while [ $i -lt 100 ]; do echo 0123456789; i=$((i+1)); done";
    let response = cx.execute(ExecuteRequest::new(command).max_output(50)).await?;
    check!(response.truncated);
    check_eq!(response.output.as_ref(), &b"0123456789\n".repeat(5)[..50]);
    check!(response.text().contains("50 bytes"), "{}", response.text());
    let response = cx.execute(ExecuteRequest::new("printf 12345").max_output(5)).await?;
    check!(!response.truncated, "exactly as much as is kept");
    Ok(())
}

pub(super) async fn timeout_is_124(cx: &Context<'_>) -> CaseResult {
    let started = Instant::now();
    let response = cx.execute(ExecuteRequest::new("sleep 60").timeout(Duration::from_secs(1))).await?;
    check_eq!((response.exit_code, response.timed_out), (Some(124), true));
    check!(response.text().contains("timed out after 1 second"), "{}", response.text());
    check!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let response = cx.execute(ExecuteRequest::new("exit 124").timeout(Duration::from_secs(30))).await?;
    check_eq!((response.exit_code, response.timed_out), (Some(124), false));
    Ok(())
}

pub(super) async fn timeout_keeps_partial_output(cx: &Context<'_>) -> CaseResult {
    let command = "echo begun; sleep 60; echo ended";
    let response = cx.execute(ExecuteRequest::new(command).timeout(Duration::from_secs(1))).await?;
    check_eq!((response.exit_code, response.output.as_ref()), (Some(124), &b"begun\n"[..]));
    check!(response.text().starts_with("begun\n"), "partial output comes first: {}", response.text());
    Ok(())
}

pub(super) async fn sandbox_lives_on_after_a_timeout(cx: &Context<'_>) -> CaseResult {
    for command in ["while :; do :; done", "sleep 60 | cat", "trap '' TERM INT; sleep 60; sleep 60"] {
        let response = cx.execute(ExecuteRequest::new(command).timeout(Duration::from_millis(300))).await?;
        check_eq!((command, response.exit_code, response.timed_out), (command, Some(124), true));
    }
    check_eq!(cx.run("echo alive").await?.text().as_ref(), "alive\n");
    Ok(())
}

pub(super) async fn stdin_is_read(cx: &Context<'_>) -> CaseResult {
    let response = cx.execute(ExecuteRequest::new("cat").stdin(&b"a\nb"[..])).await?;
    check_eq!(response.output.as_ref(), b"a\nb");
    let response =
        cx.execute(ExecuteRequest::new("read x; echo \"$x\"; cat").stdin(&b"1\n2\n3\n"[..])).await?;
    check_eq!(response.text().as_ref(), "1\n2\n3\n");
    let large = Bytes::from(vec![b'x'; 1 << 20]);
    let response = cx.execute(ExecuteRequest::new("wc -c").stdin(large)).await?;
    check_eq!(response.text().trim(), "1048576");
    let response = cx.execute(ExecuteRequest::new("true").stdin(vec![b'x'; 1 << 20])).await?;
    check_eq!(response.exit_code, Some(0));
    Ok(())
}

pub(super) async fn no_stdin_is_end_of_file(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("cat; echo done").await?;
    check_eq!(response.text().as_ref(), "done\n");
    Ok(())
}

pub(super) async fn working_directory(cx: &Context<'_>) -> CaseResult {
    let response = cx.execute(ExecuteRequest::new("pwd; echo x > here").cwd(cx.dir.as_str())).await?;
    check_eq!(response.text().as_ref(), format!("{}\n", cx.dir));
    check_eq!(cx.content(&cx.path("here")).await?.as_ref(), b"x\n");
    check!(cx.sandbox.execute(ExecuteRequest::new("pwd").cwd("relative")).await.is_err());
    Ok(())
}

pub(super) async fn environment(cx: &Context<'_>) -> CaseResult {
    let request =
        ExecuteRequest::new("echo \"$A,$B\"; sh -c 'echo \"$A\"'").env("A", "0").env("B", "").env("A", "1");
    check_eq!(cx.execute(request).await?.text().as_ref(), "1,\n1\n");
    check!(cx.sandbox.execute(ExecuteRequest::new(":").env("A=B", "")).await.is_err());
    Ok(())
}

pub(super) async fn environment_values_are_literal(cx: &Context<'_>) -> CaseResult {
    let value = "it's $HOME `x` \"q\" \\\n two  spaces 👋";
    let response = cx.execute(ExecuteRequest::new("printf '%s' \"$VALUE\"").env("VALUE", value)).await?;
    check_eq!(response.text().as_ref(), value);
    Ok(())
}

pub(super) async fn background_process_does_not_delay_the_answer(cx: &Context<'_>) -> CaseResult {
    let started = Instant::now();
    let response = cx.run("sleep 40 & echo started").await?;
    check_eq!((response.exit_code, response.text().as_ref()), (Some(0), "started\n"));
    check!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    Ok(())
}

pub(super) async fn background_process_outlives_its_command(cx: &Context<'_>) -> CaseResult {
    let file = cx.path("late");
    cx.run(&format!("{{ sleep 1; echo late > {}; }} > /dev/null 2>&1 &", quote(&file))).await?;
    for _ in 0..100 {
        if cx.run(&format!("cat {} 2>/dev/null", quote(&file))).await?.text() == "late\n" {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    check!(false, "the process never wrote its file");
    Ok(())
}

pub(super) async fn streaming_delivers_everything(cx: &Context<'_>) -> CaseResult {
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<OutputChunk>(4);
    let command = "i=0; while [ $i -lt 200 ]; do echo out $i; i=$((i+1)); done; echo err >&2";
    let collect = async {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        while let Some(chunk) = receiver.recv().await {
            match chunk.stream {
                OutputStream::Stdout => stdout.extend_from_slice(&chunk.data),
                OutputStream::Stderr => stderr.extend_from_slice(&chunk.data),
            }
        }
        (stdout, stderr)
    };
    let (response, (stdout, stderr)) =
        tokio::join!(cx.sandbox.execute_streaming(ExecuteRequest::new(command), sender), collect);
    let response = response?;
    check_eq!(response.exit_code, Some(0));
    check_eq!((stdout.as_slice(), stderr.as_slice()), (response.stdout.as_ref(), response.stderr.as_ref()));
    check_eq!(stdout.len() + stderr.len(), 10 * 6 + 90 * 7 + 100 * 8 + 4);
    Ok(())
}

pub(super) async fn streaming_delivers_early(cx: &Context<'_>) -> CaseResult {
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<OutputChunk>(4);
    let fifos = Fifos::new(cx, "fifo").await?;
    let request = ExecuteRequest::new("echo first; read x < fifo; echo \"$x\"").cwd(fifos.dir.as_str());
    let unblock = async {
        let first = receiver.recv().await;
        // The command goes on only after the reader has seen the first line.
        let unblocked = fifos.sh("echo second > fifo").await;
        while receiver.recv().await.is_some() {}
        unblocked.map(|_| first)
    };
    let (response, first) = tokio::join!(cx.sandbox.execute_streaming(request, sender), unblock);
    check_eq!(response?.text().as_ref(), "first\nsecond\n");
    check_eq!(first?.map(|chunk| chunk.data), Some(Bytes::from_static(b"first\n")));
    fifos.remove().await
}

pub(super) async fn commands_run_at_the_same_time(cx: &Context<'_>) -> CaseResult {
    // Each command waits for the other, so they would never end if they ran one after the other.
    let fifos = Fifos::new(cx, "there back").await?;
    let (one, two) = tokio::join!(
        fifos.sh("echo ping > there; cat back"),
        fifos.sh("read x < there; echo \"$x pong\" > back; echo served"),
    );
    check_eq!((one?, two?), ("ping pong\n".to_owned(), "served\n".to_owned()));
    fifos.remove().await
}

/// FIFOs in a temporary directory: the filesystem of the case's own directory may not support them.
struct Fifos<'a> {
    cx: &'a Context<'a>,
    dir: String,
}

impl<'a> Fifos<'a> {
    async fn new(cx: &'a Context<'a>, names: &str) -> CaseResult<Self> {
        let made = cx.sh(&format!("d=$(mktemp -d) && cd \"$d\" && mkfifo {names} && pwd")).await?;
        Ok(Self { cx, dir: made.trim_end().to_owned() })
    }

    /// Runs a command in the directory of the FIFOs.
    async fn sh(&self, command: &str) -> CaseResult<String> {
        self.cx.sh(&format!("cd {} && {{ {command}\n}}", quote(&self.dir))).await
    }

    async fn remove(&self) -> CaseResult {
        self.cx.sh(&format!("rm -r {}", quote(&self.dir))).await.map(|_| ())
    }
}

pub(super) async fn five_large_outputs_at_once(cx: &Context<'_>) -> CaseResult {
    let (a, b, c, d, e) = tokio::join!(
        large_output(cx),
        large_output(cx),
        large_output(cx),
        large_output(cx),
        large_output(cx)
    );
    a.and(b).and(c).and(d).and(e)
}

pub(super) async fn dev_null_exists(cx: &Context<'_>) -> CaseResult {
    let response = cx.run("[ -c /dev/null ] && echo x > /dev/null && cat /dev/null && echo ok").await?;
    check_eq!(response.text().as_ref(), "ok\n");
    Ok(())
}

pub(super) async fn script_file(cx: &Context<'_>) -> CaseResult {
    let path = cx.file("script.sh", &b"#!/bin/sh\necho \"Hello from $1\"\n"[..]).await?;
    let path = quote(&path);
    check_eq!(cx.run(&format!("sh {path} sh")).await?.text().as_ref(), "Hello from sh\n");
    check_eq!(
        cx.run(&format!("chmod +x {path} && {path} itself")).await?.text().as_ref(),
        "Hello from itself\n"
    );
    Ok(())
}

async fn large_output(cx: &Context<'_>) -> CaseResult {
    let response = cx.run(&format!("head -c {HALF_A_MEBIBYTE} /dev/zero | tr '\\0' x")).await?;
    check_eq!((response.exit_code, response.truncated), (Some(0), false));
    check_eq!(response.output.len(), HALF_A_MEBIBYTE);
    check!(response.output.iter().all(|byte| *byte == b'x'));
    Ok(())
}
