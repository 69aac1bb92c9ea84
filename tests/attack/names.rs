//! Misleading names: with line breaks, escape sequences, and right-to-left text.

use crate::program::{run, stderr, succeed};
use std::fs;

const MAKE: &str = "echo x > $'a\\nA\\tsafe'; echo x > $'b\\e[2J\\e]0;title\\a'; echo x > $'c\\u202egpj.exe'; echo x > $'d\\xff'";

fn check(text: &str) {
    for c in text.chars().filter(|c| !matches!(c, '\n' | '\t')) {
        assert!(!c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c), "{c:?} in {text:?}");
    }
}

#[test]
fn lists_and_patches_quote_them_as_git_does() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let mount = "tree:/workspace:overlay";
    let list = succeed(home, &["exec", "--mount", mount, "--diff=list", MAKE]);
    check(&list);
    assert_eq!(
        list,
        "A\t\"a\\nA\\tsafe\"\nA\t\"b\\033[2J\\033]0;title\\a\"\nA\t\"c\\342\\200\\256gpj.exe\"\nA\t\"d\\377\"\n"
    );
    check(&succeed(home, &["exec", "--mount", mount, "--diff", MAKE]));
}

#[test]
fn messages_quote_them() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let make = "mkfifo $'p\\nsandshell: all is well\\e[2J\\u202e'";
    let output = run(home, &["exec", "--mount", "tree:/workspace:overlay", "--apply", make]);
    assert_eq!(output.status.code(), Some(2));
    check(&stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
    assert!(stderr(&output).contains(r"p\nsandshell: all is well\033[2J\342\200\256"), "{}", stderr(&output));
    succeed(home, &["exec", "--state", "box.tar", make]);
    let output = run(home, &["cp", "--state", "box.tar", ":/workspace", "out"]);
    assert_eq!(output.status.code(), Some(2));
    check(&stderr(&output));
    let nothing = "no\x1b[31m\u{202e}thing";
    check(&stderr(&run(home, &["exec", "--mount", &format!("{nothing}:/x"), "true"])));
    check(&stderr(&run(home, &["pack", "build", nothing])));
    check(&stderr(&run(home, &["cp", "--state", "box.tar", nothing, ":/workspace/"])));
}
