//! `exec --session`: shells that live from one process to the next.

use super::{check, check_refused, home, run, sandshell};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A home with a sandbox. The process that keeps its sessions ends with it.
struct Kept {
    home: TempDir,
    id: String,
}

impl Kept {
    fn new() -> Kept {
        let home = home();
        let made = run(&home, ["create"]);
        let id = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        assert!(!id.is_empty());
        Kept { home, id }
    }

    fn in_session(&self, name: &str, command: &str) -> Output {
        run(&self.home, ["exec", "--sandbox-id", &self.id, "--session", name, command])
    }

    fn exec(&self, command: &str) -> Output {
        run(&self.home, ["exec", "--sandbox-id", &self.id, command])
    }

    fn session(&self, verb: &str, more: &[&str]) -> Output {
        run(&self.home, [&["session", verb, &self.id], more].concat())
    }

    /// The process that keeps the sessions.
    fn keeper(&self) -> Option<u32> {
        let named = |pid: &u32| {
            let words = std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"));
            words.is_ok_and(|words| words.ends_with(format!("keep\0{}\0", self.id).as_bytes()))
        };
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(named)
    }

    fn kill_keeper(&self) {
        let pid = self.keeper().expect("a process").to_string();
        assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
        self.wait_for_the_end();
        // A process that ends gives up its memory, with its arguments, before its sockets.
        let state = || {
            let stat = std::fs::read_to_string(Path::new("/proc").join(&pid).join("stat")).ok()?;
            stat.rsplit_once(") ")?.1.chars().next()
        };
        while state().is_some_and(|state| !matches!(state, 'Z' | 'X')) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait_for_the_end(&self) {
        let begun = Instant::now();
        while self.keeper().is_some() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the process lives on");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.session("end", &[]);
    }
}

#[test]
fn a_shell_lives_from_one_exec_to_the_next() {
    let kept = Kept::new();
    check(&kept.in_session("main", "cd /tmp; x=1; f() { echo f $1; }; sleep 100 & true"), 0, "");
    check(
        &kept.in_session("main", "pwd; echo $x; f a; jobs | cut -c1-13"),
        0,
        "/tmp\n1\nf a\n[1]+  Running\n",
    );
    check(&kept.in_session("other", "pwd; echo [$x]; (exit 3)"), 3, "/workspace\n[]\n");
    check(&kept.in_session("main", "echo file > /workspace/f"), 0, "");
    // Without a session it runs beside them, on the same files.
    check(&kept.exec("cat f; pwd; echo [$x]; exit 5"), 5, "file\n/workspace\n[]\n");
    check(&kept.session("list", &[]), 0, "main   idle\nother  idle\n");
    check(&kept.in_session("other", "exit 7"), 7, "");
    check(&kept.session("list", &["--json"]), 0, "[{\"busy\":false,\"name\":\"main\",\"terminal\":false}]\n");
    check(&kept.session("end", &["main"]), 0, "");
    kept.wait_for_the_end();
    check(&kept.session("list", &[]), 0, "");
    check(&kept.in_session("main", "cat f; echo [$x]"), 0, "file\n[]\n");
}

#[test]
fn the_process_in_the_background_has_no_descriptors_of_its_caller() {
    let kept = Kept::new();
    let mut exec = sandshell(kept.home.path());
    exec.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "echo here"]);
    let lock = kept.home.path().join("lock");
    let mut script = Command::new("sh");
    script
        .args(["-c", "exec 9> \"$0\"; exec \"$@\""])
        .arg(&lock)
        .arg(exec.get_program())
        .args(exec.get_args());
    script.env_clear().envs(exec.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.env("PATH", "/usr/bin:/bin").current_dir(kept.home.path());
    check(&script.output().unwrap(), 0, "here\n");
    let keeper = Path::new("/proc").join(kept.keeper().expect("a process").to_string()).join("fd");
    let open: Vec<_> =
        std::fs::read_dir(keeper).unwrap().flatten().filter_map(|fd| fd.path().read_link().ok()).collect();
    assert!(lock.exists() && !open.is_empty() && !open.contains(&lock), "{open:?}");
}

#[test]
fn input_output_and_limits_are_those_of_exec() {
    let kept = Kept::new();
    let mut command = sandshell(kept.home.path());
    command.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "cat; echo err >&2"]);
    let input = kept.home.path().join("input");
    std::fs::write(&input, b"in\0\xff").unwrap();
    let output = command.stdin(std::fs::File::open(input).unwrap()).output().unwrap();
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"in\0\xff"[..], &b"err\n"[..]));
    let exec = |options: &[&str], command: &str| {
        let words = ["exec", "--sandbox-id", &kept.id, "--session", "main"];
        run(&kept.home, [&words[..], options, &[command]].concat())
    };
    let late = exec(&["--timeout", "500ms"], "x=kept; echo before; sleep 100");
    assert_eq!((late.status.code(), &late.stdout[..]), (Some(124), &b"before\n"[..]));
    check(&exec(&[], "echo $x"), 0, "kept\n");
    let cut = exec(&["--max-output", "100"], "yes | head -c 100000");
    assert!(cut.stdout.len() <= 100 && String::from_utf8_lossy(&cut.stderr).contains("100"), "{cut:?}");
    let json = exec(&["--json"], "echo o; echo e >&2; exit 3");
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&report["stdout"], &report["stderr"], &report["status"]),
        (&"o\n".into(), &"e\n".into(), &3.into())
    );
    assert_eq!(report["session"]["ended"], true);
    check(&exec(&[], "(sleep 0.2; echo later) & true"), 0, "");
    std::thread::sleep(Duration::from_millis(700));
    check(&kept.session("output", &["main"]), 0, "later\n");
    check(&kept.session("output", &["main"]), 0, "");
}

#[test]
fn input_has_a_limit() {
    let kept = Kept::new();
    let file = kept.home.path().join("large");
    let exec = |length: u64| {
        let input = std::fs::File::create_new(&file).unwrap();
        input.set_len(length).unwrap();
        let mut command = sandshell(kept.home.path());
        command.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "wc -c"]);
        let output = command.stdin(std::fs::File::open(&file).unwrap()).output().unwrap();
        std::fs::remove_file(&file).unwrap();
        output
    };
    check(&exec(64 << 20), 0, "67108864\n");
    check_refused(&exec((64 << 20) + 1), &["standard input", "64 MiB"]);
}

#[test]
fn the_process_ends_with_the_time_of_its_sandbox() {
    let home = home();
    let made = run(&home, ["create", "--hard-ttl", "3s"]);
    let id = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let kept = Kept { home, id };
    check(&kept.in_session("main", "sleep 1000 & true"), 0, "");
    assert!(kept.keeper().is_some());
    kept.wait_for_the_end();
    check_refused(&kept.in_session("main", "true"), &[&kept.id]);
}

#[test]
fn one_that_waits_for_the_sandbox_leaves_no_processes() {
    let kept = Kept::new();
    let mut other = sandshell(kept.home.path());
    other.args(["exec", "--sandbox-id", &kept.id, "echo begun; sleep 4"]);
    let mut other = other.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut begun = [0; 6];
    std::io::Read::read_exact(other.stdout.as_mut().unwrap(), &mut begun).unwrap();
    let mut waiting = sandshell(kept.home.path());
    waiting.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "echo here"]);
    waiting.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    let children = || {
        let of = Path::new("/proc").join(waiting.id().to_string()).join("task");
        let tasks = std::fs::read_dir(of).into_iter().flatten().flatten();
        let children =
            tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
        children.map(|children| children.split_whitespace().count()).sum::<usize>()
    };
    let mut most = 0;
    while other.try_wait().unwrap().is_none() {
        most = most.max(children());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!((1..=2).contains(&most), "{most} processes");
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(&output.stdout[..], b"here\n", "{output:?}");
}

#[test]
fn many_begin_at_once() {
    let kept = Kept::new();
    let begun: Vec<_> = (0..6)
        .map(|number| {
            let mut command = sandshell(kept.home.path());
            let name = format!("s{}", number % 3);
            command.args(["exec", "--sandbox-id", &kept.id, "--session", &name, "n=$((n + 1)); echo $n"]);
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut counts: Vec<_> = begun
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    counts.sort();
    assert_eq!(counts, ["1\n", "1\n", "1\n", "2\n", "2\n", "2\n"]);
}

#[test]
fn a_killed_process_loses_shells_and_no_files() {
    let kept = Kept::new();
    check(&kept.in_session("main", "x=1; echo file > f"), 0, "");
    kept.kill_keeper();
    let again = kept.in_session("main", "echo [$x]; cat f");
    assert_eq!(&again.stdout[..], b"[]\nfile\n", "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("was killed") && said.lines().count() == 1, "{said}");
    // One that waits for an answer is told.
    let mut waiting = sandshell(kept.home.path());
    waiting.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "sleep 1000"]);
    let waiting = waiting.stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    kept.kill_keeper();
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("may have run"), "{output:?}");
    // Without sessions, the sandbox is used as ever.
    check(&kept.exec("cat f"), 0, "file\n");
}

#[test]
fn whoever_goes_away_interrupts_the_command() {
    let kept = Kept::new();
    check(&kept.in_session("main", "x=1"), 0, "");
    let mut running = sandshell(kept.home.path());
    running.args(["exec", "--sandbox-id", &kept.id, "--session", "main", "sleep 1000"]);
    let mut running = running.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    check(&kept.session("list", &[]), 0, "main  busy\n");
    running.kill().unwrap();
    running.wait().unwrap();
    check(&kept.in_session("main", "echo $x $?"), 0, "1 130\n");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let kept = Kept::new();
    check_refused(&run(&kept.home, ["exec", "--session", "main", "true"]), &["--sandbox-id"]);
    let other = ["exec", "--sandbox-id", "no-such-one", "--session", "main", "true"];
    check_refused(&run(&kept.home, other), &["no-such-one"]);
    let outside = ["exec", "--sandbox-id", "../../x", "--session", "main", "true"];
    check_refused(&run(&kept.home, outside), &["../../x", "no sandbox"]);
    check_refused(&kept.in_session("a\nb", "true"), &["control character"]);
    let mounted = ["exec", "--sandbox-id", &kept.id, "--session", "m", "--mount", ".:/m", "true"];
    check_refused(&run(&kept.home, mounted), &["--mount", "session end"]);
    let parameters = ["exec", "--sandbox-id", &kept.id, "--session", "m", "echo $1", "a", "b"];
    check_refused(&run(&kept.home, parameters), &["set --"]);
    let clock = ["exec", "--sandbox-id", &kept.id, "--session", "m", "--clock", "virtual", "date"];
    check_refused(&run(&kept.home, clock), &["--clock", "session end"]);
    let output = ["exec", "--sandbox-id", &kept.id, "--session", "m", "--max-output", "65M", "true"];
    check_refused(&run(&kept.home, output), &["--max-output", "64M"]);
    for verb in [&["list"][..], &["output", "main"], &["end"]] {
        let words = [&["session", verb[0], "no-such-one"], &verb[1..]].concat();
        check_refused(&run(&kept.home, words), &["no-such-one"]);
    }
    let cloud = ["exec", "--sandbox", "e2b", "--sandbox-id", "x", "--session", "m", "true"];
    check_refused(&run(&kept.home, cloud), &["--session", "local"]);
}

#[test]
fn a_path_too_long_for_a_socket_has_no_sessions() {
    let home = home();
    let long = home.path().join("x".repeat(100)).display().to_string();
    let id = String::from_utf8(run(&home, ["create", "--data-dir", &long]).stdout).unwrap();
    let exec = |session: &[&str]| {
        let words = ["exec", "--data-dir", &long, "--sandbox-id", id.trim()];
        run(&home, [&words[..], session, &["echo here"]].concat())
    };
    check(&exec(&[]), 0, "here\n");
    check_refused(&exec(&["--session", "main"]), &["103 bytes", "--data-dir"]);
}

#[test]
fn a_sandbox_that_is_paused_or_deleted_has_no_sessions() {
    let kept = Kept::new();
    check(&kept.in_session("main", "x=1; echo file > f"), 0, "");
    check(&run(&kept.home, ["pause", &kept.id]), 0, "");
    kept.wait_for_the_end();
    check(&kept.in_session("main", "echo [$x]; cat f"), 0, "[]\nfile\n");
    check(&run(&kept.home, ["delete", &kept.id]), 0, "");
    kept.wait_for_the_end();
    check_refused(&kept.in_session("main", "true"), &[&kept.id]);
}
