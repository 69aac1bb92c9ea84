//! `sandshell shell`, on a terminal that `script` (util-linux) makes and without one.

use super::{check, home, run_with_input, sandshell};
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
    // As in a container, the history belongs to the sandbox: what was typed in one is not shown to another.
    session.type_keys("exit\r");
    session.end();
    assert!(!home.path().join(".local/state").exists());
}

#[test]
fn ctrl_r_finds_a_line_of_the_history() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("echo first-$A\r");
    session.expect("\nfirst-forty-two");
    session.type_keys("echo second-$A\r");
    session.expect("\nsecond-forty-two");
    session.type_keys("\x12firs");
    session.expect("(reverse-i-search)`firs': echo first-$A");
    session.type_keys("\x05-again\r");
    session.expect("\nfirst-forty-two-again");
    session.type_keys("exit\r");
    session.end();
}

#[test]
fn tab_completes_commands_files_variables_and_what_is_defined() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("ech\tcommand-$A\r");
    session.expect("\ncommand-forty-two");
    session.type_keys("mkdir '/tmp/some dir'; echo file-$A > '/tmp/some dir/one.txt'\r");
    session.type_keys("cat /tmp/so\to\t\r");
    session.expect("\nfile-forty-two");
    session.type_keys("LONG_NAME=variable-$A\r");
    session.type_keys("echo $LONG_\t\r");
    session.expect("\nvariable-forty-two");
    session.type_keys("f() { COMPREPLY=($(compgen -W 'alpha beta' -- \"$2\")); }; complete -F f frob\r");
    session.type_keys("frob() { echo $1-$A; }\r");
    session.type_keys("frob al\t\r");
    session.expect("\nalpha-forty-two");
    // Twice, it shows the ways to go on.
    session.type_keys("frob \t\t");
    session.expect("\nalpha  beta\n");
    session.type_keys("\x15exit\r");
    session.end();
}

#[test]
fn jobs_are_stopped_and_continued() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("sleep 1000 | cat\r");
    std::thread::sleep(Duration::from_millis(500));
    session.type_keys("\x1a");
    session.expect("[1]+  Stopped                 sleep 1000 | cat");
    session.type_keys("bg\r");
    session.expect("[1]+ sleep 1000 | cat &");
    session.type_keys("jobs; echo one-$A\r");
    session.expect("Running                 sleep 1000 | cat");
    session.expect("\none-forty-two");
    session.type_keys("fg\r");
    session.expect("\nsleep 1000 | cat\n");
    std::thread::sleep(Duration::from_millis(300));
    session.type_keys("\x03");
    session.type_keys("echo status-$?-$A\r");
    session.expect("\nstatus-130-forty-two");
    // A stopped reader takes no keys.
    session.type_keys("cat\r");
    std::thread::sleep(Duration::from_millis(300));
    session.type_keys("\x1a");
    session.expect("[1]+  Stopped                 cat");
    session.type_keys("echo two-$A\r");
    session.expect("\ntwo-forty-two");
    // A reader in the background is stopped, as the terminal is not for it.
    session.type_keys("bg; sleep 0.2; jobs\r");
    session.expect("[1]+ cat &");
    session.expect("[1]+  Stopped                 cat\nready>");
    session.type_keys("fg\r");
    session.expect("\ncat\n");
    session.type_keys("line\r");
    session.expect("line\nline\n");
    session.type_keys("\x04exit 4\r");
    assert_eq!(session.end(), Some(4));
}

#[test]
fn programs_choose_how_keys_are_read() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("stty rows 30 cols 100; stty size; echo $LINES-$COLUMNS-$A\r");
    session.expect("\n30 100\n30-100-forty-two");
    session.type_keys("read -s -n1 key; echo \"<$key>\"-$A\r");
    std::thread::sleep(Duration::from_millis(300));
    session.type_keys("K");
    session.expect("\n<K>-forty-two");
    session.type_keys(
        "old=$(stty -g); stty raw -echo; dd bs=1 count=3 status=none | od -c; stty $old; echo $A\r",
    );
    std::thread::sleep(Duration::from_millis(500));
    session.type_keys("\x03\x1ax");
    session.expect("003 032   x");
    session.expect("\nforty-two");
    // Erasing is done by the terminal itself while a program reads lines.
    session.type_keys("read line; echo \"[$line]\"-$A\r");
    std::thread::sleep(Duration::from_millis(300));
    session.type_keys("wrong word\x17right\x7f\x7fX\r");
    session.expect("\n[wrong rigX]-forty-two");
    session.type_keys("exit\r");
    session.end();
}

#[test]
fn pasted_lines_are_edited_together() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("\x1b[200~echo one-$A\necho two-$A\x1b[201~-end\r");
    session.expect("\none-forty-two\n");
    session.expect("two-forty-two-end\n");
    session.type_keys("exit\r");
    session.end();
}

#[test]
fn keys_are_those_of_vi_or_are_bound() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("set -o vi\r");
    session.expect("ready> set -o vi\nready> ");
    session.type_keys("echo one two-$A\x1b");
    session.type_keys("0wcwthree\x1bA-end\r");
    session.expect("\nthree two-forty-two-end");
    // The line before, with two words less and a change that is repeated.
    session.type_keys("\x1bk0wdwxx.ix-\x1b.\r");
    session.expect("\nxx---forty-two-end");
    session.type_keys("set -o emacs\r");
    session.type_keys("bind '\"\\C-xg\": \"echo macro-$A\\C-m\"'\r");
    session.type_keys("\x18g");
    session.expect("\nmacro-forty-two");
    session.type_keys("bind -x '\"\\C-xh\": READLINE_LINE=\"echo <$READLINE_LINE>-\\$A\"'\r");
    session.type_keys("text\x18h\x05\r");
    session.expect("\nbash: text: No such file or directory");
    session.expect("\nready> ");
    // While no line is edited, the terminal itself would take Ctrl-R: it shows the line again.
    session.type_keys("printf 'set completion-ignore-case on\\n' > ~/.inputrc; echo written-$A\r");
    session.expect("\nwritten-forty-two\nready> ");
    session.type_keys("\x18\x12touch /tmp/CaSe-$A\r");
    session.type_keys("echo /tmp/case\t\r");
    session.expect("\n/tmp/CaSe-forty-two");
    session.type_keys("read -e -i start line; echo \"[$line]\"\r");
    std::thread::sleep(Duration::from_millis(300));
    session.type_keys("ed\x01re\r");
    session.expect("\n[restarted]");
    session.type_keys("exit\r");
    session.end();
}

#[test]
fn the_shell_outlives_interrupted_documents_and_warns_of_stopped_jobs() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("cat <<X\r");
    session.type_keys("dropped\r");
    session.expect("> dropped\n> ");
    session.type_keys("\x03");
    session.expect("^C\nready> ");
    session.type_keys("cat <<X\r");
    session.type_keys("ended-$A\r");
    session.expect("> ended-$A\n> ");
    session.type_keys("\x04");
    session.expect("\nended-forty-two\nready> ");
    session.type_keys("sleep 1000\r");
    std::thread::sleep(Duration::from_millis(500));
    session.type_keys("\x1a");
    session.expect("Stopped                 sleep 1000");
    session.type_keys("exit\r");
    session.expect("\nThere are stopped jobs.\nready> ");
    session.type_keys("exit 6\r");
    assert_eq!(session.end(), Some(6));
}

#[test]
fn pagers_and_an_editor_have_the_screen() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("seq 1000 | less\r");
    session.expect("22");
    session.type_keys("/77.\r");
    session.expect("777");
    session.type_keys("q");
    session.type_keys("top -d 60\r");
    session.expect("COMMAND");
    session.type_keys("q");
    session.type_keys("vi /tmp/text\r");
    session.expect("[New]");
    session.type_keys("ione two three\x1b0wcwTWO-$A\x1byypx:wq\r");
    session.type_keys("cat /tmp/text\r");
    session.expect("\none TWO-$A three\nne TWO-$A three\n");
    session.type_keys("echo done-$A\r");
    session.expect("\ndone-forty-two");
    session.type_keys("exit\r");
    session.end();
}

#[test]
fn ctrl_c_stops_the_command_and_not_the_shell() {
    let home = home();
    let mut session = Session::start(home.path());
    session.type_keys("sleep inf\r");
    std::thread::sleep(Duration::from_millis(500));
    session.type_keys("\x03");
    session.expect("^C\nready> ");
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

    /// What was shown, without the sequences that move the cursor.
    fn output(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.lock().unwrap()).replace('\r', "");
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("\x1b[") {
            plain.push_str(before);
            let end = after.find(|letter: char| ('@'..='~').contains(&letter));
            rest = end.map_or("", |end| &after[end + 1..]);
        }
        plain + rest
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
