//! Help, completions, manual pages.

use super::{home, run};

#[test]
fn every_command_has_help_with_examples() {
    let home = home();
    let commands =
        "exec shell run cp create list delete snapshot fork pause resume providers doctor ui completions man";
    for command in std::iter::once("").chain(commands.split(' ')) {
        let output = run(&home, command.split_whitespace().chain(["--help"]));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(text.contains("Usage: sandshell") && text.contains("Examples:"), "{command:?}: {text}");
    }
}

#[test]
fn completions_and_manual_pages_are_made() {
    let home = home();
    for (args, part) in [
        (&["completions", "bash"][..], "complete -F _sandshell"),
        (&["completions", "zsh"], "#compdef sandshell"),
        (&["man"], ".TH sandshell 1"),
        (&["man", "exec"], ".TH sandshell-exec 1"),
    ] {
        let output = run(&home, args);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(text.contains(part), "{args:?}: {text}");
    }
}
