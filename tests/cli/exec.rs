//! `sandshell exec`.

use super::{check, home, run, run_with_input, sandshell};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn output_and_status_are_the_commands() {
    let home = home();
    let output = run(&home, ["exec", "echo out; echo err >&2; exit 7"]);
    check(&output, 7, "out\n");
    assert_eq!(output.stderr, b"err\n");
    check(&run(&home, ["exec", "echo $0-$1-$2", "a", "-b", "c d"]), 0, "a--b-c d\n");
    check(&run(&home, ["exec", "no-such-command"]), 127, "");
}

#[test]
fn the_environment_is_what_was_handed_in() {
    let home = home();
    let script = "echo $HOME $USER $PWD $A ${PATH%%:*} ${SECRET-none}";
    let mut command = sandshell(home.path());
    command.env("SECRET", "x").env("A", "host");
    let output = command.args(["exec", "--env", "A", "--workdir", "/tmp/deep/er", script]).output().unwrap();
    check(&output, 0, "/home/user user /tmp/deep/er host /usr/local/sbin none\n");
}

#[test]
fn standard_input_is_streamed() {
    let home = home();
    let input = "line\n".repeat(100_000);
    check(&run_with_input(&home, &["exec", "cat"], input.as_bytes()), 0, &input);
    check(&run_with_input(&home, &["exec", "wc -l"], b"a\nb\n"), 0, "2\n");
}

#[test]
fn output_comes_while_the_command_runs() {
    let home = home();
    let mut child = sandshell(home.path())
        .args(["exec", "echo first; read line; echo got $line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "first\n");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"it\n").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "got it\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_timeout_is_124_with_what_was_written_until_then() {
    let home = home();
    for script in ["echo partial; sleep inf", "echo partial; while :; do :; done"] {
        let output = run(&home, ["exec", "--timeout", "300ms", script]);
        check(&output, 124, "partial\n");
        assert_eq!(output.stderr, b"sandshell: wall time limit of 300ms exceeded\n");
    }
}

#[test]
fn a_reader_that_stops_does_not_hold_up_the_deadline() {
    let home = home();
    let mut child = sandshell(home.path())
        .args(["exec", "--timeout", "300ms", "while :; do echo full; done"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(124));
}

#[test]
fn a_reader_that_goes_away_ends_the_command() {
    let home = home();
    let mut child = sandshell(home.path())
        .args(["exec", "while :; do echo full; done"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(wait(&mut child), Some(141));
}

#[test]
fn json_has_everything() {
    let home = home();
    let output = run(&home, ["exec", "--json", "echo out; echo err >&2; printf '\\377'; exit 3"]);
    assert_eq!(output.status.code(), Some(3));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["status"], 3);
    assert_eq!(json["signal"], Value::Null);
    assert_eq!(json["stdout"], "out\n\u{fffd}");
    assert_eq!(json["stdout_base64"], "b3V0Cv8=");
    assert_eq!(json["stderr"], "err\n");
    assert_eq!(json.get("stderr_base64"), None);
    assert_eq!(json["output"], "out\nerr\n\u{fffd}");
    assert_eq!((&json["truncated"], &json["timed_out"]), (&Value::Bool(false), &Value::Bool(false)));
    assert_eq!(json["limit"], Value::Null);
    assert!(json["duration_ms"].as_f64().unwrap() > 0.0 && json["cpu_ms"].is_number());

    let output = run(&home, ["exec", "--json", "--timeout", "200ms", "echo partial; sleep 100"]);
    assert_eq!(output.status.code(), Some(124));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["status"], &json["timed_out"]), (&124.into(), &true.into()));
    assert_eq!((&json["stdout"], &json["limit"]["kind"]), (&"partial\n".into(), &"wall_time".into()));
}

#[test]
fn a_seed_and_a_clock_repeat_the_run() {
    let home = home();
    let args =
        ["exec", "--seed", "7", "--clock", "2026-01-01T00:00:00Z", "date -u +%F; echo $RANDOM $RANDOM"];
    let first = run(&home, args);
    check(&run(&home, args), 0, &String::from_utf8_lossy(&first.stdout));
    assert!(first.stdout.starts_with(b"2026-01-01\n"));
}

#[test]
fn ctrl_c_interrupts_and_the_second_kills() {
    let home = home();
    let mut child = start(&home, "echo ready; sleep 100");
    signal(&child, "INT");
    assert_eq!(wait(&mut child), Some(130));

    let mut child = start(&home, "trap 'echo caught' INT; echo ready; while :; do sleep 0.01; done");
    signal(&child, "INT");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "caught\n");
    signal(&child, "INT");
    assert_eq!(wait(&mut child), Some(137));
}

#[test]
fn sigterm_is_forwarded() {
    let home = home();
    let mut child = start(&home, "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done");
    signal(&child, "TERM");
    assert_eq!(wait(&mut child), Some(5));
}

/// A command that has printed `ready`.
fn start(home: &tempfile::TempDir, script: &str) -> Child {
    let mut child = sandshell(home.path()).args(["exec", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    assert_eq!(&ready, b"ready\n");
    child
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The status, within some seconds.
fn wait(child: &mut Child) -> Option<i32> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("the command does not end");
}

#[test]
fn json_holds_a_bounded_part_of_the_output() {
    let home = home();
    let flood = "head -c 12M /dev/zero | tr '\\0' x";
    let report = |args: &[&str]| {
        let output = run(&home, [&["exec", "--json"], args, &[flood]].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["stdout"].as_str().unwrap().len(), report["truncated"] == true)
    };
    // The last line of truncated output says so.
    let (kept, truncated) = report(&[]);
    assert!(truncated && (10 << 20..11 << 20).contains(&kept), "{kept}");
    let (kept, truncated) = report(&["--max-output", "1K"]);
    assert!(truncated && (1024..2048).contains(&kept), "{kept}");
    assert_eq!(report(&["--max-output", "100M"]), (12 << 20, false));
    let shown = run(&home, ["exec", "--max-output", "3", "echo abcdef"]);
    assert!(shown.stdout.starts_with(b"abc") && !shown.stdout.starts_with(b"abcd"), "{shown:?}");
}

#[test]
fn names_of_files_and_bytes_on_the_host_have_limits() {
    let home = home();
    let script = "i=0; while : > f$i; do i=$((i+1)); done 2> /tmp/why; echo $((i > 0 && i < 10000)); tail -c 24 /tmp/why";
    let output = run(&home, ["exec", "--inodes", "10000", script]);
    check(&output, 0, "1\nNo space left on device\n");
    let host = home.path().join("shared");
    std::fs::create_dir(&host).unwrap();
    let mount = format!("{}:/mnt:rw", host.display());
    let write = "head -c 2M /dev/zero > /mnt/f; echo $?";
    let output = run(&home, ["exec", "--mount", &mount, "--host-disk", "1M", write]);
    check(&output, 0, "1\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Disk quota exceeded"), "{output:?}");
    assert!(std::fs::metadata(host.join("f")).unwrap().len() <= 1 << 20);
}

#[test]
fn a_field_that_is_too_wide_is_an_error() {
    let home = home();
    let script = "printf 'a%1000000000d' 1; echo \" $?\"; printf '%3000000000d|\\n' 1; echo $?";
    let output = run(&home, ["exec", script]);
    check(&output, 0, "a 1\n|\n0\n");
    let expected = "bash: line 1: printf: 1000000000: field too wide: at most 268435456 bytes are possible\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    let awk = run(&home, ["exec", "awk 'BEGIN { printf \"%1000000000d\", 1 }'"]);
    check(&awk, 2, "");
    assert!(String::from_utf8_lossy(&awk.stderr).contains("too wide"), "{awk:?}");
}

#[test]
fn output_that_is_still_to_come_is_waited_for() {
    let home = home();
    for (script, expected) in [
        ("(sleep 0.3; echo bg) & echo fg", "fg\nbg\n"),
        ("setsid bash -c 'sleep 0.2; echo session' & disown; echo fg", "fg\nsession\n"),
        ("(sleep 0.1; (sleep 0.1; echo b) & echo a) & exit 0", "a\nb\n"),
        ("seq 3 > >(sleep 0.1; wc -l)", "3\n"),
        ("sleep 0.2 | { cat; echo late; } & exec echo now", "now\nlate\n"),
        // Processes that no longer have the output open are not waited for.
        ("sleep inf > /dev/null 2>&1 & echo fg", "fg\n"),
        ("(exec > log 2>&1; while :; do :; done) & sleep 0.2; echo fg", "fg\n"),
    ] {
        check(&run(&home, ["exec", "--timeout", "60s", script]), 0, expected);
        let output = run(&home, ["exec", "--json", "--timeout", "60s", script]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&json["status"], &json["stdout"]), (&0.into(), &expected.into()), "{script}");
    }
    check(&run_with_input(&home, &["shell"], b"(sleep 0.2; echo bg) & echo fg; exit 3"), 3, "fg\nbg\n");
    check(&run(&home, ["exec", "(sleep 0.2; echo bg) & exit 5"]), 5, "bg\n");
}

#[test]
fn waiting_for_the_background_ends_with_the_time_or_at_once_with_ctrl_c() {
    let home = home();
    let output = run(&home, ["exec", "--timeout", "500ms", "sleep inf & echo fg"]);
    check(&output, 124, "fg\n");
    assert_eq!(output.stderr, b"sandshell: wall time limit of 500ms exceeded\n");
    for (name, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let script = "(trap '' INT TERM HUP; while kill -0 $$; do sleep 0.02; done 2>/dev/null; echo ready; sleep inf) &";
        let mut child = start(&home, script);
        signal(&child, name);
        assert_eq!(wait(&mut child), Some(status), "{name}");
    }
}

#[test]
fn what_a_setup_script_starts_is_there_for_the_command() {
    let home = home();
    std::fs::write(
        home.path().join("setup.sh"),
        "(while sleep 0.1; do echo tick >> /tmp/ticks; done) > /dev/null 2>&1 &\n",
    )
    .unwrap();
    let script = "sleep 1.2; rm /tmp/ticks; sleep 0.3; cat /tmp/ticks > /dev/null && echo there";
    let args = ["exec", "--timeout", "2s", "--sandbox-setup", "setup.sh", script];
    check(&run(&home, args), 0, "there\n");
    std::fs::write(home.path().join("setup.sh"), "while :; do :; done\n").unwrap();
    let output = run(&home, args);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stderr, b"sandshell: the setup script: wall time limit of 2s exceeded\n");
}
