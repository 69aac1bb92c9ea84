//! `sandshell run`, on modules made here.

use super::{check, home, run, run_with_input};
use std::fs;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const IMPORTS: &str = r#"
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_get" (func $environ_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_prestat_dir_name" (func $prestat_name (param i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat_get (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "path_open"
      (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (func $print (param $fd i32) (param $at i32) (param $len i32)
      (i32.store (i32.const 0) (local.get $at))
      (i32.store (i32.const 4) (local.get $len))
      (if (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable)))
"#;

/// A module whose `_start` has this body, with these further items.
fn module(home: &TempDir, items: &str, body: &str) {
    let text = format!("(module {IMPORTS} {items} (func (export \"_start\") {body}))");
    fs::write(home.path().join("m.wasm"), wat::parse_str(text).unwrap()).unwrap();
}

#[test]
fn arguments_and_variables_are_exactly_those_given() {
    let home = home();
    let print_all = r#"
        (drop (call $args_sizes_get (i32.const 16) (i32.const 20)))
        (drop (call $args_get (i32.const 1024) (i32.const 2048)))
        (call $print (i32.const 1) (i32.const 2048) (i32.load (i32.const 20)))
        (drop (call $environ_sizes_get (i32.const 16) (i32.const 20)))
        (drop (call $environ_get (i32.const 1024) (i32.const 2048)))
        (call $print (i32.const 2) (i32.const 2048) (i32.load (i32.const 20)))"#;
    module(&home, "", print_all);
    let output = run(
        &home,
        ["run", "--env", "A=1", "--env", "HOME", "--env", "NOT_SET", "m.wasm", "-x", "--help", ""],
    );
    check(&output, 0, "m.wasm\0-x\0--help\0\0");
    let expected = format!("A=1\0HOME={}\0", home.path().display());
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    let output = run(&home, ["run", "./m.wasm"]);
    check(&output, 0, "m.wasm\0");
    assert_eq!(output.stderr, b"");
}

#[test]
fn directories_are_exactly_those_given() {
    let home = home();
    fs::create_dir_all(home.path().join("data")).unwrap();
    fs::write(home.path().join("data/in"), "hello").unwrap();
    fs::write(home.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(home.path().join("secret"), home.path().join("data/link")).unwrap();
    // Prints the name of the first preopened directory and the file `in` in it; fails to leave the directory;
    // writes `out`.
    let body = r#"
        (if (call $prestat_get (i32.const 3) (i32.const 16)) (then (call $exit (i32.const 40))))
        (drop (call $prestat_name (i32.const 3) (i32.const 1024) (i32.load (i32.const 20))))
        (call $print (i32.const 1) (i32.const 1024) (i32.load (i32.const 20)))
        (if (i32.ne (call $prestat_get (i32.const 4) (i32.const 16)) (i32.const 8)) (then (call $exit (i32.const 41))))
        (if (call $open (i32.const 200) (i32.const 2) (i32.const 0)) (then (call $exit (i32.const 42))))
        (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 99))
        (drop (call $fd_read (i32.load (i32.const 32)) (i32.const 0) (i32.const 1) (i32.const 8)))
        (call $print (i32.const 1) (i32.const 1024) (i32.load (i32.const 8)))
        (if (i32.eqz (call $open (i32.const 210) (i32.const 9) (i32.const 0))) (then (call $exit (i32.const 43))))
        (if (i32.eqz (call $open (i32.const 220) (i32.const 4) (i32.const 0))) (then (call $exit (i32.const 44))))
        (if (call $open (i32.const 230) (i32.const 3) (i32.const 1)) (then (call $exit (i32.const 45))))
        (call $print (i32.load (i32.const 32)) (i32.const 1024) (i32.const 2))"#;
    let items = r#"
        (data (i32.const 200) "in") (data (i32.const 210) "../secret") (data (i32.const 220) "link")
        (data (i32.const 230) "out")
        (func $open (param $at i32) (param $len i32) (param $flags i32) (result i32)
          (call $path_open (i32.const 3) (i32.const 1) (local.get $at) (local.get $len) (local.get $flags)
            (i64.const 0x42) (i64.const 0) (i32.const 0) (i32.const 32)))"#;
    module(&home, items, body);
    check(&run(&home, ["run", "--dir", "data::/guest", "m.wasm"]), 0, "/guesthello");
    assert_eq!(fs::read(home.path().join("data/out")).unwrap(), b"he");
    check(&run(&home, ["run", "--dir", "data", "m.wasm"]), 0, "datahello");
    check(&run(&home, ["run", "m.wasm"]), 40, "");
}

#[test]
fn the_exit_status_is_the_modules() {
    let home = home();
    module(&home, "", "(call $exit (i32.const 7))");
    check(&run(&home, ["run", "m.wasm"]), 7, "");
    module(&home, "", "");
    check(&run(&home, ["run", "m.wasm"]), 0, "");
}

#[test]
fn a_component_runs_too() {
    let home = home();
    for (result, status) in [(0, 0), (1, 1)] {
        let text = format!(
            r#"(component
                (core module $m (func (export "run") (result i32) (i32.const {result})))
                (core instance $i (instantiate $m))
                (func $run (result (result)) (canon lift (core func $i "run")))
                (instance $exports (export "run" (func $run)))
                (export "wasi:cli/run@0.2.0" (instance $exports)))"#
        );
        fs::write(home.path().join("c.wasm"), wat::parse_str(text).unwrap()).unwrap();
        check(&run(&home, ["run", "c.wasm"]), status, "");
    }
}

#[test]
fn a_trap_is_134_and_says_what_it_was() {
    let home = home();
    for (body, word) in [
        ("unreachable", "unreachable"),
        ("(drop (i32.load (i32.const -1)))", "out of bounds"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "division by zero"),
    ] {
        module(&home, "", body);
        let output = run(&home, ["run", "m.wasm"]);
        check(&output, 134, "");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(word) && text.matches('\n').count() == 1, "{text}");
    }
}

#[test]
fn standard_input_reaches_the_module() {
    let home = home();
    let body = r#"
        (loop $more
          (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 4096))
          (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
          (if (i32.load (i32.const 8)) (then
            (call $print (i32.const 1) (i32.const 1024) (i32.load (i32.const 8)))
            (br $more))))"#;
    module(&home, "", body);
    let input = "0123456789abcdef".repeat(20_000);
    check(&run_with_input(&home, &["run", "m.wasm"], input.as_bytes()), 0, &input);
}

#[test]
fn a_module_that_does_not_end_is_stopped() {
    let home = home();
    module(&home, "", "(loop $for_ever (br $for_ever))");
    let start = Instant::now();
    let output = run(&home, ["run", "--timeout", "200ms", "m.wasm"]);
    check(&output, 124, "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("200ms"));
    assert!(start.elapsed() >= Duration::from_millis(200));
}

#[test]
fn memory_is_limited() {
    let home = home();
    let grow =
        "(if (i32.eq (memory.grow (i32.const 1024)) (i32.const -1)) (then (call $exit (i32.const 9))))";
    module(&home, "", grow);
    check(&run(&home, ["run", "m.wasm"]), 0, "");
    let output = run(&home, ["run", "--memory", "16M", "m.wasm"]);
    check(&output, 9, "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("16777216"));
}

#[test]
fn what_is_not_read_stays_for_the_next_program() {
    let home = home();
    module(&home, "", "");
    let script = format!("{} run m.wasm; cat", env!("CARGO_BIN_EXE_sandshell"));
    fs::write(home.path().join("input"), "left alone").unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(script).current_dir(home.path()).env("HOME", home.path());
    let output = shell.stdin(fs::File::open(home.path().join("input")).unwrap()).output().unwrap();
    check(&output, 0, "left alone");
}
