//! Errors that the functions of WASI preview 1 have in common: pointers outside of the memory, descriptors that are not
//! open or of the wrong kind, missing rights, unknown flags. A call that fails changes nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::guest::errno::*;
use common::guest::{Arg, At, FUNCTIONS, Guest, I, L};
use common::{check, kernel, write};

/// Addresses of two descriptors: a file that is open for reading and writing, and a directory.
const FILE: Arg = At(16);
const DIR: Arg = At(20);
/// The working directory among the preopened ones.
const CWD: i32 = 9;
const OUT: i32 = 64;
const ALL: i64 = (1 << 30) - 1;

/// A call that succeeds, and the meaning of its arguments.
struct Good {
    name: &'static str,
    args: Vec<Arg>,
    /// Indices of arguments that are pointers.
    pointers: &'static [usize],
    /// Indices of arguments that are descriptors, each with the bit number of the right that it needs, if any.
    fds: &'static [(usize, Option<u32>)],
}

/// The calls. Places the texts and vectors that they use in the guest's memory.
fn calls(guest: &mut Guest) -> Vec<Good> {
    let mut text = |bytes: &str| {
        let (at, len) = guest.text(bytes);
        (I(at), I(len))
    };
    let (file, file_len) = text("file");
    let (new, new_len) = text("new");
    let (link, link_len) = text("link");
    let (empty, empty_len) = text("empty");
    // A vector of ten bytes, and a subscription to a clock for a time in the past.
    guest.words(144, &[300, 10]);
    guest.words(1000, &[7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let (vector, one, out, zero) = (I(144), I(1), I(OUT), I(0));
    let good = |name, args: &[Arg], pointers, fds| Good { name, args: args.to_vec(), pointers, fds };
    vec![
        good("args_get", &[I(80), I(200)], &[0, 1], &[]),
        good("args_sizes_get", &[I(80), out], &[0, 1], &[]),
        good("environ_get", &[I(80), I(200)], &[], &[]),
        good("environ_sizes_get", &[I(80), out], &[0, 1], &[]),
        good("clock_res_get", &[I(1), out], &[1], &[]),
        good("clock_time_get", &[I(1), L(0), out], &[2], &[]),
        good("fd_advise", &[FILE, L(0), L(0), zero], &[], &[(0, Some(7))]),
        good("fd_allocate", &[FILE, L(0), L(20)], &[], &[(0, Some(8))]),
        good("fd_close", &[FILE], &[], &[(0, None)]),
        good("fd_datasync", &[FILE], &[], &[(0, Some(0))]),
        good("fd_fdstat_get", &[FILE, I(128)], &[1], &[(0, None)]),
        good("fd_fdstat_set_flags", &[FILE, zero], &[], &[(0, Some(3))]),
        good("fd_fdstat_set_rights", &[FILE, L(0), L(0)], &[], &[(0, None)]),
        good("fd_filestat_get", &[FILE, I(400)], &[1], &[(0, Some(21))]),
        good("fd_filestat_set_size", &[FILE, L(10)], &[], &[(0, Some(22))]),
        good("fd_filestat_set_times", &[FILE, L(1), L(1), I(5)], &[], &[(0, Some(23))]),
        good("fd_pread", &[FILE, vector, one, L(0), out], &[1, 4], &[(0, Some(1))]),
        good("fd_prestat_get", &[I(CWD), out], &[1], &[(0, None)]),
        good("fd_prestat_dir_name", &[I(CWD), I(300), one], &[1], &[(0, None)]),
        good("fd_pwrite", &[FILE, vector, one, L(0), out], &[1, 4], &[(0, Some(6))]),
        good("fd_read", &[FILE, vector, one, out], &[1, 3], &[(0, Some(1))]),
        good("fd_readdir", &[DIR, I(500), I(100), L(0), out], &[1, 4], &[(0, Some(14))]),
        good("fd_renumber", &[FILE, DIR], &[], &[(0, None), (1, None)]),
        good("fd_seek", &[FILE, L(3), zero, out], &[3], &[(0, Some(2))]),
        good("fd_sync", &[FILE], &[], &[(0, Some(4))]),
        good("fd_tell", &[FILE, out], &[1], &[(0, Some(5))]),
        good("fd_write", &[FILE, vector, one, out], &[1, 3], &[(0, Some(6))]),
        good("path_create_directory", &[DIR, new, new_len], &[1], &[(0, Some(9))]),
        good("path_filestat_get", &[DIR, one, file, file_len, I(400)], &[2, 4], &[(0, Some(18))]),
        good(
            "path_filestat_set_times",
            &[DIR, one, file, file_len, L(1), L(1), I(5)],
            &[2],
            &[(0, Some(20))],
        ),
        good(
            "path_link",
            &[DIR, zero, file, file_len, DIR, new, new_len],
            &[2, 5],
            &[(0, Some(11)), (4, Some(12))],
        ),
        good(
            "path_open",
            &[DIR, one, new, new_len, I(5), L(2), L(0), zero, out],
            &[2, 8],
            &[(0, Some(13)), (0, Some(10))],
        ),
        good("path_readlink", &[DIR, link, link_len, I(300), I(10), out], &[1, 3, 5], &[(0, Some(15))]),
        good("path_remove_directory", &[DIR, empty, empty_len], &[1], &[(0, Some(25))]),
        good(
            "path_rename",
            &[DIR, file, file_len, DIR, new, new_len],
            &[1, 4],
            &[(0, Some(16)), (3, Some(17))],
        ),
        good("path_symlink", &[file, file_len, DIR, new, new_len], &[0, 3], &[(2, Some(24))]),
        good("path_unlink_file", &[DIR, file, file_len], &[1], &[(0, Some(26))]),
        good("poll_oneoff", &[I(1000), I(2000), one, out], &[0, 1, 3], &[]),
        good("random_get", &[I(300), I(10)], &[0], &[]),
        good("sched_yield", &[], &[], &[]),
    ]
}

/// Runs a guest in a sandbox with the files that the calls use.
async fn run(guest: &Guest) {
    let kernel = kernel();
    let namespace = kernel.namespace();
    let (cx, root) = (sandshell_vfs::Context::USER, namespace.root());
    write(namespace, "/workspace/file", b"0123456789", 0o644);
    namespace.create_dir(&cx, &root, b"/workspace/empty", 0o755).unwrap();
    namespace.symlink(&cx, b"file", &root, b"/workspace/link").unwrap();
    check(&kernel, guest).await;
}

fn open(guest: &mut Guest, path: &str, oflags: i32, at: i32) {
    let (path, len) = guest.text(path);
    let rights = [L(ALL), L(ALL)];
    let args = [I(CWD), I(1), I(path), I(len), I(oflags), rights[0], rights[1], I(0), I(at)];
    guest.call("path_open", &args, OK);
}

/// A guest with both descriptors open, and the call of this name.
fn with(name: &str) -> (Guest, Good) {
    let mut guest = Guest::new();
    let good = calls(&mut guest).into_iter().find(|good| good.name == name).unwrap();
    open(&mut guest, "file", 0, 16);
    open(&mut guest, ".", 2, 20);
    (guest, good)
}

impl Good {
    fn replaced(&self, index: usize, arg: Arg) -> Vec<Arg> {
        let mut args = self.args.clone();
        args[index] = arg;
        args
    }
}

#[tokio::test]
async fn every_function_is_covered() {
    let here = calls(&mut Guest::new());
    let known = FUNCTIONS.iter().filter(|known| known.0 == "wasi_snapshot_preview1");
    // Functions that end the process and those of sockets have tests of their own.
    let elsewhere = |name: &str| name.starts_with("proc_") || name.starts_with("sock_");
    for (_, name, ..) in known.filter(|known| !elsewhere(known.1)) {
        assert!(here.iter().any(|good| good.name == *name), "{name}");
    }
}

#[tokio::test]
async fn bad_pointers_and_descriptors_change_nothing() {
    for Good { name, .. } in calls(&mut Guest::new()) {
        let (mut guest, good) = with(name);
        for index in good.pointers {
            // Just before the end of the memory, so that only the first byte is inside, and beyond it.
            let last = if name == "fd_prestat_dir_name" { 262_144 } else { 262_143 };
            for wild in [last, -1, -8, i32::MIN] {
                guest.call(name, &good.replaced(*index, I(wild)), FAULT);
            }
        }
        for (index, _) in good.fds {
            for closed in [77, -1, i32::MAX] {
                guest.call(name, &good.replaced(*index, I(closed)), BADF);
            }
        }
        guest.call(name, &good.args, OK);
        run(&guest).await;
    }
}

#[tokio::test]
async fn calls_fail_without_their_right() {
    for Good { name, .. } in calls(&mut Guest::new()) {
        for (index, right) in with(name).1.fds {
            let Some(right) = right else { continue };
            let (mut guest, good) = with(name);
            let (path, oflags) = if matches!(good.args[*index], At(16)) { ("file", 0) } else { (".", 2) };
            // Another descriptor of the same file, without one of its rights.
            open(&mut guest, path, oflags, 24);
            guest.call("fd_fdstat_get", &[At(24), I(600)], OK);
            guest.call("fd_fdstat_set_rights", &[I(77), L(0), L(0)], BADF);
            let kept = !(1i64 << right);
            guest.raw(&format!(
                "(drop (call $fd_fdstat_set_rights (i32.load (i32.const 24))
                  (i64.and (i64.load (i32.const 608)) (i64.const {kept})) (i64.load (i32.const 616))))"
            ));
            guest.call(name, &good.replaced(*index, At(24)), NOTCAPABLE).call(name, &good.args, OK);
            run(&guest).await;
        }
    }
}

#[tokio::test]
async fn each_kind_of_file_has_its_errors() {
    // (function, on /dev/null for reading, on standard output, on a directory)
    let expected = [
        ("fd_advise", OK, SPIPE, BADF),
        ("fd_allocate", BADF, SPIPE, BADF),
        ("fd_datasync", INVAL, INVAL, OK),
        ("fd_filestat_set_size", INVAL, INVAL, BADF),
        ("fd_pread", OK, SPIPE, ISDIR),
        ("fd_pwrite", BADF, SPIPE, BADF),
        ("fd_read", OK, BADF, ISDIR),
        ("fd_seek", OK, SPIPE, BADF),
        ("fd_sync", INVAL, INVAL, OK),
        ("fd_tell", OK, SPIPE, BADF),
        ("fd_write", BADF, OK, BADF),
        ("fd_readdir", NOTDIR, NOTDIR, OK),
    ];
    for (name, device, pipe, directory) in expected {
        let (mut guest, good) = with(name);
        guest.call(name, &good.replaced(0, I(0)), device);
        guest.call(name, &good.replaced(0, I(1)), pipe);
        guest.call(name, &good.replaced(0, DIR), directory);
        run(&guest).await;
    }
    for Good { name, .. } in calls(&mut Guest::new()) {
        if !name.starts_with("path_") {
            continue;
        }
        let (mut guest, good) = with(name);
        for (index, _) in good.fds {
            for other in [I(0), I(1), FILE] {
                guest.call(name, &good.replaced(*index, other), NOTDIR);
            }
        }
        guest.call(name, &good.args, OK);
        run(&guest).await;
    }
}

#[tokio::test]
async fn paths_are_checked() {
    for Good { name, .. } in calls(&mut Guest::new()) {
        if !name.starts_with("path_") {
            continue;
        }
        // The index of each pointer to a path; its length is the next argument.
        let names: &[usize] = match name {
            "path_link" => &[2, 5],
            "path_rename" => &[1, 4],
            "path_symlink" => &[3],
            "path_filestat_get" | "path_filestat_set_times" | "path_open" => &[2],
            _ => &[1],
        };
        let (mut guest, good) = with(name);
        for index in names {
            for (path, expected) in [
                (vec![], NOENT),
                (b"a\0b".to_vec(), INVAL),
                (vec![b'x'; 256], NAMETOOLONG),
                (b"x/".repeat(2048), NAMETOOLONG),
                (b"missing/x".to_vec(), NOENT),
                (b"file/x".to_vec(), NOTDIR),
                (b"\xff\xfe".to_vec(), ILSEQ),
            ] {
                let (at, len) = guest.text(&path);
                let mut args = good.replaced(*index, I(at));
                args[index + 1] = I(len);
                guest.call(name, &args, expected);
            }
        }
        guest.call(name, &good.args, OK);
        run(&guest).await;
    }
}

#[tokio::test]
async fn flags_that_do_not_exist_are_refused() {
    for (name, index, value) in [
        ("clock_res_get", 0, I(4)),
        ("clock_time_get", 0, I(-1)),
        ("fd_advise", 3, I(6)),
        ("fd_advise", 1, L(-1)),
        ("fd_allocate", 2, L(0)),
        ("fd_fdstat_set_flags", 1, I(32)),
        ("fd_filestat_set_size", 1, L(-1)),
        ("fd_filestat_set_times", 3, I(16)),
        ("fd_filestat_set_times", 3, I(3)),
        ("fd_pread", 3, L(-1)),
        ("fd_pwrite", 3, L(-1)),
        ("fd_read", 2, I(1025)),
        ("fd_seek", 1, L(-1)),
        ("fd_seek", 2, I(3)),
        ("path_filestat_get", 1, I(2)),
        ("path_filestat_set_times", 1, I(2)),
        ("path_filestat_set_times", 6, I(12)),
        ("path_link", 1, I(2)),
        ("path_open", 1, I(2)),
        ("path_open", 4, I(16)),
        ("path_open", 7, I(32)),
        ("poll_oneoff", 2, I(0)),
    ] {
        let (mut guest, good) = with(name);
        guest.call(name, &good.replaced(index, value), INVAL).call(name, &good.args, OK);
        run(&guest).await;
    }
}
