//! `sandshell pack cc`: a C program for the sandbox in one command.

use super::{exec, sandshell};
use std::fs;

const HELLO: &str = r#"#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
#include "greeting.h"
static jmp_buf out;
int main(int count, char **words)
{
    int status;
    if (setjmp(out) == 0)
        longjmp(out, 1);
    printf("%s %s\n", GREETING, count > 1 ? words[1] : "world");
    fflush(stdout);
    return system("exit 3") >> 8;
}
"#;

#[test]
fn a_program_is_compiled_and_runs() {
    let work = tempfile::tempdir().unwrap();
    fs::write(work.path().join("hello.c"), HELLO.replace("<stdio.h>", "<stdio.h>\n#include <stdlib.h>"))
        .unwrap();
    fs::write(work.path().join("greeting.h"), "#define GREETING \"Hello,\"\n").unwrap();
    let compile = |words: &[&str]| {
        let mut command = sandshell();
        command.args(["pack", "cc"]).args(words).current_dir(work.path());
        command.env("ZIG_GLOBAL_CACHE_DIR", super::built::home().join("zig"));
        command.output().unwrap()
    };
    let compiled = compile(&["-O2", "-Wall", "-I", ".", "hello.c", "-o", "hello"]);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let in_parts = compile(&["-c", "-I.", "hello.c", "-o", "hello.o"]);
    assert!(in_parts.status.success(), "{}", String::from_utf8_lossy(&in_parts.stderr));
    let linked = compile(&["hello.o", "-o", "again", "-lm"]);
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));

    let mount = format!("{}:/work:ro", work.path().display());
    let ran = exec(["--mount", &mount], "cd /work; ./hello; echo $?; ./again there; echo $?");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "Hello, world\n3\nHello, there\n3\n");

    let wrong = compile(&["missing.c", "-o", "wrong"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("missing.c"));
}
