//! Compares `printf` with that of bash 5.2. If bash 5.2 is not installed, prints so and passes.

#[path = "../src/builtins/printf.rs"]
#[allow(dead_code, reason = "the shell uses more of the file than this test")]
mod printf;

#[path = "../src/text.rs"]
#[allow(dead_code, reason = "the shell uses more of the file than this test")]
mod text;

use std::process::Command;

struct Machine;

impl printf::PrintfHost for Machine {
    fn format_time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        format!("{}@{seconds}", String::from_utf8_lossy(format)).into_bytes()
    }
    fn now(&mut self) -> i64 {
        1
    }
    fn started(&mut self) -> i64 {
        2
    }
    fn set_count(&mut self, _name: &[u8], _count: usize) -> bool {
        true
    }
}

#[test]
fn formats_as_bash_does() {
    let version = Command::new("bash").args(["-c", "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"]).output();
    if !version.is_ok_and(|output| output.stdout == b"5.2\n") {
        eprintln!("formats_as_bash_does: skipped, there is no bash 5.2 here");
        return;
    }
    let mut state = 3u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    let arguments = [
        "abc",
        "12",
        "-7",
        "0",
        "0x1F",
        "010",
        "08",
        "1e3",
        "1.5",
        "-2.25",
        "3.14159265358979",
        "1e-5",
        "1e300",
        "0.1",
        "1e5000",
        "1e-5000",
        "inf",
        "nan",
        "",
        " 5",
        "5 ",
        "'a",
        "\"é",
        "it",
        "a b",
        "a\\tb\\n",
        "\\0101\\x41\\c",
        "é",
        "9223372036854775808",
        "18446744073709551616",
        "-9223372036854775809",
        "99999.99999",
        "123456789.5",
        "2.5",
        "0.5",
        "~x",
        "#a",
        "a=~",
        "{a,b}",
        "$x",
        "\u{1}",
        "\\u00e9\\'\\\"",
        "0x1p-3",
        "-0",
        "+4",
        "1e-4945",
        "65504",
        "1e15",
        ".",
        "-",
    ];
    let letters = "sssbqQcdiuoxXeEfFgGaA";
    let mut cases = Vec::new();
    for _ in 0..6000 {
        let mut format = String::new();
        for _ in 0..1 + next(2) {
            format.push_str(["", "a", "\\n", "\\t|", "%%", "\\x41", "\\101", "\\q"][next(8)]);
            format.push('%');
            for _ in 0..next(3) {
                format.push(['-', '+', ' ', '#', '0'][next(5)]);
            }
            format.push_str(["", "", "5", "12", "1"][next(5)]);
            format.push_str(["", "", ".", ".0", ".3", ".10", ".25"][next(7)]);
            format.push_str(["", "", "", "l", "z"][next(5)]);
            format.push(char::from(letters.as_bytes()[next(letters.len())]));
            format.push('|');
        }
        let count = next(4);
        cases.push((format, (0..count).map(|_| arguments[next(arguments.len())]).collect::<Vec<_>>()));
    }
    let mut script = String::from(
        "exec 2>&1\np() { printf \"$@\" > /dev/stdout; echo \"=$?\"; printf '%s\\n' \"--END--\"; }\n",
    );
    for (format, arguments) in &cases {
        script.push('p');
        for argument in std::iter::once(&format.as_str()).chain(arguments) {
            script.push_str(&format!(" '{}'", argument.replace('\'', "'\\''")));
        }
        script.push('\n');
    }
    let path = std::env::temp_dir().join(format!("sandshell-printf-{}", std::process::id()));
    std::fs::write(&path, &script).expect("the script can be written");
    let output = Command::new("bash").arg(&path).env("LC_ALL", "C.UTF-8").output().expect("bash runs");
    std::fs::remove_file(&path).expect("the script can be removed");
    let mut results = Vec::new();
    let mut rest = &output.stdout[..];
    let end = b"--END--\n";
    while let Some(at) = rest.windows(end.len()).position(|window| window == end) {
        results.push(&rest[..at]);
        rest = &rest[at + end.len()..];
    }
    assert_eq!(results.len(), cases.len());
    let mut wrong = 0;
    for ((format, arguments), theirs) in cases.iter().zip(results) {
        let list: Vec<&[u8]> = arguments.iter().map(|argument| argument.as_bytes()).collect();
        let printed = printf::printf(format.as_bytes(), &list, &mut Machine);
        // bash writes its output line by line.
        let mut ours = Vec::new();
        let mut written = 0;
        for (length, message) in &printed.messages {
            let lines =
                printed.output[..*length].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            ours.extend_from_slice(&printed.output[written.min(lines)..lines]);
            written = written.max(lines);
            ours.extend_from_slice(message);
            ours.push(b'\n');
        }
        ours.extend_from_slice(&printed.output[written..]);
        ours.extend_from_slice(format!("={}\n", printed.status).as_bytes());
        let theirs = String::from_utf8_lossy(theirs).into_owned();
        let theirs: Vec<&str> = theirs
            .split_inclusive('\n')
            .map(|line| match line.split_once(": printf: ") {
                Some((before, message)) if before.starts_with('/') => message,
                _ => line,
            })
            .collect();
        let theirs = theirs.concat();
        let ours = String::from_utf8_lossy(&ours).into_owned();
        if ours != theirs {
            wrong += 1;
            if wrong < 30 {
                println!("{format:?} {arguments:?}\n   bash {theirs:?}\n   ours {ours:?}");
            }
        }
    }
    assert_eq!(wrong, 0, "of {}", cases.len());
}
