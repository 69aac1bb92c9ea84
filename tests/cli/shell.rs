//! `sandshell shell`, on a terminal that `script` (util-linux) makes and without one.

use super::{check, home, run_with_input, sandshell};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[test]
fn without_a_terminal_it_runs_what_it_reads() {
    let home = home();
    check(&run_with_input(&home, &["shell", "--env", "A=forty-two"], b"echo $A\nexit 5\n"), 5, "forty-two\n");
    assert!(!home.path().join(".local").exists());
}

#[test]
fn lines_are_edited_and_remembered() {
    let home = home();
    let mut session = Session::start(home.path());
    // One extra character, which is deleted; then one is inserted before the last two.
    session.type_keys("echo $Ax\x7f\x1b[D\x1b[Dx\r");
    session.expect("\nxforty-two");
    // The same line again, longer.
    session.type_keys("\x1b[A-y\r");
    session.expect("\nxforty-two-y");
    session.type_keys("\x04");
    session.end();
    let history = fs::read_to_string(home.path().join(".local/state/sandshell/history")).unwrap();
    assert!(history.lines().any(|line| line == "echo x$A"), "{history}");
}

#[test]
fn ctrl_c_stops_the_command_and_not_the_shell() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("sleep inf\r");
    std::thread::sleep(Duration::from_millis(500));
    session.type_keys("\x03");
    session.type_keys("echo after-$A\r");
    session.expect("\nafter-forty-two");
    // While a line is being typed, Ctrl-C only drops the line.
    session.type_keys("echo dropped-$A\x03");
    session.expect("^C\nready> ");
    session.type_keys("echo kept-$A\r");
    session.expect("\nkept-forty-two");
    assert!(!session.output().contains("dropped-forty-two"));
    session.type_keys("exit 3\r");
    assert_eq!(session.end(), Some(3));
}

/// A shell on a terminal of its own.
struct Session {
    child: Child,
    keys: Option<ChildStdin>,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    fn start(home: &Path) -> Session {
        let program = env!("CARGO_BIN_EXE_sandshell");
        let mut command = std::process::Command::new("script");
        let shell = format!("exec {program} shell --env A=forty-two --env PS1='ready> '");
        command.args(["--quiet", "--return", "--command", &shell, "/dev/null"]);
        command.env_clear().envs(sandshell(home).get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").env("SHELL", "/bin/sh").current_dir(home);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let output = Arc::new(Mutex::new(Vec::new()));
        let collected = output.clone();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut piece) {
                collected.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        let keys = child.stdin.take();
        let session = Session { child, keys, output };
        session.expect("ready> ");
        session
    }

    fn type_keys(&mut self, keys: &str) {
        self.keys.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap()).replace('\r', "")
    }

    #[track_caller]
    fn expect(&self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.output().contains(text) {
            assert!(Instant::now() < deadline, "{text:?} does not come:\n{}", self.output());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The status, within some seconds.
    fn end(mut self) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the shell does not end:\n{}", self.output());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The process has ended unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
