//! Compares `test` with that of bash 5.2. If bash 5.2 is not installed, prints so and passes.

#[path = "../../sh/src/builtins/test.rs"]
#[allow(dead_code, reason = "the shell uses more of the file than this test")]
mod test;

use std::process::Command;

struct Machine;

impl test::TestHost for Machine {
    fn file(&mut self, letter: u8, path: &[u8]) -> bool {
        let Ok(path) = std::str::from_utf8(path) else { return false };
        match letter {
            b'd' => std::path::Path::new(path).is_dir(),
            b'f' => std::path::Path::new(path).is_file(),
            _ => std::path::Path::new(path).exists(),
        }
    }
    fn compare_files(&mut self, _test: u8, _left: &[u8], _right: &[u8]) -> bool {
        false
    }
    fn is_terminal(&mut self, _descriptor: i64) -> bool {
        false
    }
    fn is_set(&mut self, _name: &[u8]) -> bool {
        false
    }
    fn is_reference(&mut self, _name: &[u8]) -> bool {
        false
    }
    fn is_option_on(&mut self, _name: &[u8]) -> bool {
        false
    }
}

#[test]
fn any_arguments_give_what_bash_gives() {
    let version = Command::new("bash").args(["-c", "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"]).output();
    if !version.is_ok_and(|output| output.stdout == b"5.2\n") {
        eprintln!("any_arguments_give_what_bash_gives: skipped, there is no bash 5.2 here");
        return;
    }
    let pieces = [
        "a",
        "b",
        "",
        "1",
        "2",
        " 3 ",
        "x1",
        "!",
        "(",
        ")",
        "-a",
        "-o",
        "=",
        "!=",
        "<",
        "-eq",
        "-lt",
        "-z",
        "-n",
        "-e",
        "-d",
        "/",
        "/nowhere",
        "-x1",
        "+5",
        "-5",
        "99999999999999999999",
        "-R",
        "==",
        "-ef",
    ];
    let mut state = 11u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    let cases: Vec<Vec<&str>> = (0..6000)
        .map(|_| {
            let count = next(7);
            (0..count).map(|_| pieces[next(pieces.len())]).collect()
        })
        .collect();
    let mut script = String::from("t() { test \"$@\"; echo \"=$?\"; }\nexec 2>&1\n");
    for case in &cases {
        script.push('t');
        for argument in case {
            script.push_str(&format!(" '{argument}'"));
        }
        script.push('\n');
    }
    let output = Command::new("bash").arg("-c").arg(&script).output().expect("bash runs");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = output.lines();
    let mut wrong = 0;
    for case in &cases {
        let mut theirs = String::new();
        for line in lines.by_ref() {
            match line.strip_prefix('=') {
                Some(status) => {
                    theirs.push_str(status);
                    break;
                }
                None => theirs.push_str(line.split_once(": test: ").map_or(line, |(_, message)| message)),
            }
        }
        let arguments: Vec<&[u8]> = case.iter().map(|argument| argument.as_bytes()).collect();
        let ours = match test::evaluate(&arguments, &mut Machine) {
            Ok(true) => "0".to_string(),
            Ok(false) => "1".to_string(),
            Err(message) => format!("{}2", String::from_utf8_lossy(&message)),
        };
        if ours != theirs {
            wrong += 1;
            if wrong < 30 {
                println!("{case:?}\n   bash {theirs}\n   ours {ours}");
            }
        }
    }
    assert_eq!(wrong, 0, "of {}", cases.len());
}
