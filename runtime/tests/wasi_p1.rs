//! Every function of WASI preview 1, with its errors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::guest::errno::*;
use common::guest::{Arg, At, Guest, I, L};
use common::{check, command, explain, kernel, read, write};
use sandshell_runtime::{ExitStatus, Kernel};

const READ: i64 = 1 << 1;
const WRITE: i64 = 1 << 6;
const CREAT: i32 = 1;
const DIRECTORY: i32 = 2;
const EXCL: i32 = 4;
const TRUNC: i32 = 8;
const FOLLOW: i32 = 1;
/// The preopened working directory: 3 is `/`.
/// The working directory comes after `/` and the five directories in it.
const CWD: i32 = 9;
/// The first descriptor that is free.
const FREE: i32 = 10;
/// Where results go.
const OUT: i32 = 64;

/// A helper for opening files.
trait Open {
    /// Opens a path relative to the working directory, and stores the descriptor at an address.
    fn open(
        &mut self,
        path: &str,
        oflags: i32,
        rights: i64,
        fdflags: i32,
        at: i32,
        expected: i32,
    ) -> &mut Self;
}

impl Open for Guest {
    fn open(
        &mut self,
        path: &str,
        oflags: i32,
        rights: i64,
        fdflags: i32,
        at: i32,
        expected: i32,
    ) -> &mut Self {
        let (path, len) = self.text(path);
        let (flags, none) = (I(oflags), L(0));
        let args = [I(CWD), I(FOLLOW), I(path), I(len), flags, L(rights), none, I(fdflags), I(at)];
        self.call("path_open", &args, expected)
    }
}

fn set_u64(guest: &mut Guest, at: u32, value: i64) -> &mut Guest {
    guest.raw(&format!("(i64.store (i32.const {at}) (i64.const {value}))"))
}

fn path(guest: &mut Guest, text: &str) -> [Arg; 2] {
    let (at, len) = guest.text(text);
    [I(at), I(len)]
}

async fn passes(guest: &Guest) -> Kernel {
    let kernel = kernel();
    write(kernel.namespace(), "/workspace/file", b"0123456789", 0o644);
    check(&kernel, guest).await;
    kernel
}

#[tokio::test]
async fn args_and_environ() {
    let mut guest = Guest::new();
    guest.call("args_sizes_get", &[I(64), I(68)], OK).word(64, 2).word(68, 8);
    guest
        .call("args_get", &[I(80), I(96)], OK)
        .word(80, 96)
        .word(84, 101)
        .byte(96, b't')
        .byte(101, b'x')
        .byte(103, 0);
    guest.call("environ_sizes_get", &[I(64), I(68)], OK).word(64, 1).word(68, 4);
    guest.call("environ_get", &[I(80), I(96)], OK).byte(96, b'A').byte(98, b'1').byte(99, 0);
    guest.call("args_sizes_get", &[I(-1), I(68)], FAULT).call("args_get", &[I(80), I(-2)], FAULT);
    let mut command = command(&guest.wat());
    command.argv = vec![b"test".to_vec(), b"xy".to_vec()];
    command.env = vec![(b"A".to_vec(), b"1".to_vec())];
    explain(&guest, &kernel().spawn(command).await.unwrap().wait().await);
}

#[tokio::test]
async fn clocks_and_randomness() {
    let mut guest = Guest::new();
    for clock in 0..4 {
        guest.call("clock_res_get", &[I(clock), I(OUT)], OK).word(64, 1);
        guest.call("clock_time_get", &[I(clock), L(0), I(OUT)], OK);
    }
    guest.call("clock_res_get", &[I(4), I(OUT)], INVAL).call("clock_time_get", &[I(9), L(0), I(OUT)], INVAL);
    guest.call("clock_time_get", &[I(0), L(0), I(-4)], FAULT);
    guest.call("random_get", &[I(128), I(32)], OK).call("random_get", &[I(128), I(-1)], FAULT);
    // 256 random bits are not all zero.
    guest.raw(
        "(if (i64.eqz (i64.or (i64.load (i32.const 128)) (i64.load (i32.const 136)))) \
         (then (call $proc_exit (i32.const 249))))",
    );
    guest.call("sched_yield", &[], OK);
    passes(&guest).await;
}

#[tokio::test]
async fn reading_writing_and_seeking() {
    let mut guest = Guest::new();
    guest.open("file", 0, READ | WRITE, 0, 16, OK);
    // Scattered over buffers of 3 bytes and 2 bytes.
    guest.words(128, &[300, 3, 400, 2]);
    guest.call("fd_read", &[At(16), I(128), I(2), I(OUT)], OK).word(64, 5).byte(302, b'2').byte(401, b'4');
    guest.call("fd_tell", &[At(16), I(OUT)], OK).word(64, 5);
    guest.call("fd_seek", &[At(16), L(-1), I(2), I(OUT)], OK).word(64, 9);
    guest.call("fd_seek", &[At(16), L(-2), I(1), I(OUT)], OK).word(64, 7);
    guest.call("fd_seek", &[At(16), L(-8), I(1), I(OUT)], INVAL);
    guest.call("fd_seek", &[At(16), L(0), I(3), I(OUT)], INVAL);
    guest.call("fd_pread", &[At(16), I(128), I(1), L(6), I(OUT)], OK).word(64, 3).byte(300, b'6');
    guest.call("fd_pread", &[At(16), I(128), I(1), L(100), I(OUT)], OK).word(64, 0);
    guest.call("fd_pread", &[At(16), I(128), I(1), L(-1), I(OUT)], INVAL);
    let (text, _) = guest.text("ABCD");
    guest.words(160, &[text, 2, text + 2, 2]);
    guest.call("fd_write", &[At(16), I(160), I(2), I(OUT)], OK).word(64, 4);
    guest.call("fd_pwrite", &[At(16), I(160), I(1), L(0), I(OUT)], OK).word(64, 2);
    guest.call("fd_tell", &[At(16), I(OUT)], OK).word(64, 11);
    guest.call("fd_sync", &[At(16)], OK).call("fd_datasync", &[At(16)], OK);
    guest.call("fd_read", &[At(16), I(128), I(2000), I(OUT)], INVAL);
    guest.call("fd_read", &[At(16), I(-8), I(2), I(OUT)], FAULT);
    guest.words(176, &[-4, 100]).call("fd_read", &[At(16), I(176), I(1), I(OUT)], FAULT);
    guest.call("fd_close", &[At(16)], OK).call("fd_close", &[At(16)], BADF);
    guest.call("fd_read", &[At(16), I(128), I(1), I(OUT)], BADF);
    // Descriptors that were opened for the other direction.
    guest.open("file", 0, READ, 0, 16, OK).call("fd_write", &[At(16), I(160), I(1), I(OUT)], BADF);
    guest.open("file", 0, WRITE, 0, 20, OK).call("fd_read", &[At(20), I(128), I(1), I(OUT)], BADF);
    guest.call("fd_pwrite", &[At(16), I(160), I(1), L(0), I(OUT)], BADF);
    // Pipes and directories.
    guest.call("fd_seek", &[I(1), L(0), I(0), I(OUT)], SPIPE).call("fd_tell", &[I(2), I(OUT)], SPIPE);
    guest.call("fd_pwrite", &[I(1), I(160), I(1), L(0), I(OUT)], SPIPE);
    guest.call("fd_pread", &[I(0), I(128), I(1), L(0), I(OUT)], OK).word(64, 0);
    guest.call("fd_read", &[I(CWD), I(128), I(1), I(OUT)], ISDIR);
    guest.call("fd_seek", &[I(CWD), L(0), I(0), I(OUT)], BADF);
    let kernel = passes(&guest).await;
    assert_eq!(read(kernel.namespace(), "/workspace/file"), b"AB23456ABCD");
}

#[tokio::test]
async fn appending() {
    let mut guest = Guest::new();
    guest.open("file", 0, READ | WRITE, 1, 16, OK).print(At(16), "+").print(At(16), "-");
    guest.call("fd_tell", &[At(16), I(OUT)], OK).word(64, 12);
    // Without the flag, writes go to the offset.
    guest.call("fd_fdstat_set_flags", &[At(16), I(0)], OK).call("fd_seek", &[At(16), L(0), I(0), I(OUT)], OK);
    guest.print(At(16), "x");
    let kernel = passes(&guest).await;
    assert_eq!(read(kernel.namespace(), "/workspace/file"), b"x123456789+-");
}

#[tokio::test]
async fn opening() {
    let mut guest = Guest::new();
    guest.open("none", 0, READ, 0, 16, NOENT).open("file", CREAT | EXCL, READ, 0, 16, EXIST);
    guest.open("new", CREAT | EXCL, WRITE, 0, 16, OK).open("file/x", 0, READ, 0, 16, NOTDIR);
    guest.open("file", DIRECTORY, READ, 0, 16, NOTDIR).open(".", 0, WRITE, 0, 16, ISDIR);
    guest.open(".", DIRECTORY, READ, 0, 16, OK).open("", 0, READ, 0, 16, NOENT);
    // Opening a directory for writing is refused in every form, but asking for rights that only files have is not.
    guest.open(".", DIRECTORY, READ | WRITE, 0, 16, ISDIR).open(".", DIRECTORY, WRITE, 0, 16, ISDIR);
    guest.open(".", DIRECTORY, READ | 1 << 8 | 1 << 22, 0, 16, OK).open(".", DIRECTORY, 0, 0, 16, OK);
    guest.open("file", TRUNC, WRITE, 0, 20, OK).call("fd_filestat_get", &[At(20), I(128)], OK).word(160, 0);
    guest.open("x", 16, READ, 0, 16, INVAL).open("x", 0, READ, 32, 16, INVAL);
    guest.open(&"n".repeat(256), 0, READ, 0, 16, NAMETOOLONG).open(
        &"p/".repeat(2100),
        0,
        READ,
        0,
        16,
        NAMETOOLONG,
    );
    let nul = path(&mut guest, "a\0b");
    guest.call("path_open", &[I(CWD), I(1), nul[0], nul[1], I(0), L(READ), L(0), I(0), I(16)], INVAL);
    guest.call("path_open", &[I(CWD), I(1), I(-4), I(8), I(0), L(READ), L(0), I(0), I(16)], FAULT);
    let file = path(&mut guest, "file");
    guest.call("path_open", &[I(77), I(1), file[0], file[1], I(0), L(READ), L(0), I(0), I(16)], BADF);
    guest.call("path_open", &[I(1), I(1), file[0], file[1], I(0), L(READ), L(0), I(0), I(16)], NOTDIR);
    // A link in the last component.
    let link = path(&mut guest, "link");
    guest.call("path_symlink", &[file[0], file[1], I(CWD), link[0], link[1]], OK);
    guest.call("path_open", &[I(CWD), I(0), link[0], link[1], I(0), L(READ), L(0), I(0), I(16)], LOOP);
    guest.open("link", 0, READ, 0, 16, OK);
    // A relative path through a directory that was opened here, and out of it again.
    guest.open(".", DIRECTORY, READ, 0, 24, OK);
    let up = path(&mut guest, "../workspace/file");
    guest.call("path_open", &[At(24), I(1), up[0], up[1], I(0), L(READ), L(0), I(0), I(16)], OK);
    passes(&guest).await;
}

#[tokio::test]
async fn fdstat_and_rights() {
    let mut guest = Guest::new();
    guest.open("file", 0, READ, 4, 16, OK);
    guest.call("fd_fdstat_get", &[At(16), I(128)], OK).byte(128, 4).byte(130, 4);
    // FD_READ yes, FD_WRITE no.
    guest.raw("(i32.store (i32.const 200) (i32.and (i32.load (i32.const 136)) (i32.const 66)))").word(200, 2);
    guest.call("fd_fdstat_get", &[I(CWD), I(128)], OK).byte(128, 3);
    guest.call("fd_fdstat_get", &[I(99), I(128)], BADF).call("fd_fdstat_get", &[At(16), I(-8)], FAULT);
    guest.call("fd_fdstat_set_flags", &[At(16), I(64)], INVAL);
    // Dropped rights cannot be regained.
    guest.call("fd_fdstat_set_rights", &[At(16), L(READ | WRITE), L(0)], NOTCAPABLE);
    guest.call("fd_fdstat_set_rights", &[At(16), L(1 << 5), L(0)], OK);
    guest.words(144, &[300, 1]).call("fd_read", &[At(16), I(144), I(1), I(OUT)], NOTCAPABLE);
    guest.call("fd_tell", &[At(16), I(OUT)], OK).call("fd_seek", &[At(16), L(1), I(0), I(OUT)], NOTCAPABLE);
    guest.call("fd_fdstat_set_rights", &[At(16), L(READ), L(0)], NOTCAPABLE);
    // A descriptor that is opened through a directory gets at most the directory's inheriting rights.
    guest.open(".", DIRECTORY, READ, 0, 24, OK);
    guest.call("fd_fdstat_set_rights", &[At(24), L(1 << 13), L(READ)], OK);
    let file = path(&mut guest, "file");
    guest.call("path_open", &[At(24), I(1), file[0], file[1], I(0), L(READ), L(0), I(0), I(16)], OK);
    guest.call("path_open", &[At(24), I(1), file[0], file[1], I(0), L(WRITE), L(0), I(0), I(16)], NOTCAPABLE);
    guest.call("path_unlink_file", &[At(24), file[0], file[1]], NOTCAPABLE);
    passes(&guest).await;
}

#[tokio::test]
async fn filestat_size_times_and_space() {
    let mut guest = Guest::new();
    guest.open("file", 0, READ | WRITE, 0, 16, OK);
    guest.call("fd_filestat_get", &[At(16), I(128)], OK).byte(144, 4).word(152, 1).word(160, 10);
    guest.call("fd_filestat_set_size", &[At(16), L(4)], OK).call(
        "fd_filestat_set_size",
        &[At(16), L(-1)],
        INVAL,
    );
    guest.call("fd_allocate", &[At(16), L(0), L(100)], OK).call("fd_allocate", &[At(16), L(0), L(0)], INVAL);
    guest.call("fd_filestat_get", &[At(16), I(128)], OK).word(160, 100);
    guest.call("fd_allocate", &[I(1), L(0), L(1)], SPIPE).call("fd_allocate", &[I(CWD), L(0), L(1)], BADF);
    guest.call("fd_advise", &[At(16), L(0), L(10), I(3)], OK).call(
        "fd_advise",
        &[At(16), L(0), L(10), I(6)],
        INVAL,
    );
    guest.call("fd_advise", &[I(1), L(0), L(10), I(0)], SPIPE);
    guest.call("fd_filestat_set_times", &[At(16), L(5_000_000_007), L(6_000_000_008), I(5)], OK);
    guest
        .call("fd_filestat_get", &[At(16), I(128)], OK)
        .word(168, 705_032_711)
        .word(172, 1)
        .word(176, 1_705_032_712);
    guest.call("fd_filestat_set_times", &[At(16), L(0), L(0), I(3)], INVAL);
    let file = path(&mut guest, "file");
    let set = "path_filestat_set_times";
    guest.call(set, &[I(CWD), I(1), file[0], file[1], L(0), L(1), I(4)], OK);
    guest
        .call("path_filestat_get", &[I(CWD), I(1), file[0], file[1], I(128)], OK)
        .word(176, 1)
        .word(160, 100);
    guest.call(set, &[I(CWD), I(1), file[0], file[1], L(0), L(0), I(16)], INVAL);
    let none = path(&mut guest, "none");
    guest.call(set, &[I(CWD), I(1), none[0], none[1], L(0), L(1), I(4)], NOENT);
    guest.call("path_filestat_get", &[I(CWD), I(1), none[0], none[1], I(128)], NOENT);
    guest.call("path_filestat_get", &[I(CWD), I(1), file[0], file[1], I(-8)], FAULT);
    guest.call("fd_filestat_get", &[I(0), I(128)], OK).byte(144, 2).call(
        "fd_filestat_get",
        &[I(50), I(128)],
        BADF,
    );
    guest.call("fd_sync", &[I(1)], INVAL).call("fd_datasync", &[I(60)], BADF);
    passes(&guest).await;
}

#[tokio::test]
async fn directories_links_and_renames() {
    let mut guest = Guest::new();
    let [a, b, file, link, missing] =
        ["a", "a/b", "file", "a/link", "no/x"].map(|name| path(&mut guest, name));
    let cwd = I(CWD);
    guest.call("path_create_directory", &[cwd, a[0], a[1]], OK).call(
        "path_create_directory",
        &[cwd, a[0], a[1]],
        EXIST,
    );
    guest.call("path_create_directory", &[cwd, missing[0], missing[1]], NOENT);
    guest.call("path_link", &[cwd, I(0), file[0], file[1], cwd, b[0], b[1]], OK);
    guest.call("path_link", &[cwd, I(0), file[0], file[1], cwd, b[0], b[1]], EXIST);
    guest.call("path_link", &[cwd, I(0), a[0], a[1], cwd, link[0], link[1]], PERM);
    guest.call("path_filestat_get", &[cwd, I(0), b[0], b[1], I(128)], OK).word(152, 2);
    guest.call("path_symlink", &[file[0], file[1], cwd, link[0], link[1]], OK);
    guest.call("path_symlink", &[file[0], file[1], cwd, link[0], link[1]], EXIST);
    guest
        .call("path_readlink", &[cwd, link[0], link[1], I(300), I(2), I(OUT)], OK)
        .word(64, 2)
        .byte(301, b'i');
    guest.call("path_readlink", &[cwd, link[0], link[1], I(300), I(99), I(OUT)], OK).word(64, 4);
    guest.call("path_readlink", &[cwd, file[0], file[1], I(300), I(99), I(OUT)], INVAL);
    guest.call("path_filestat_get", &[cwd, I(0), link[0], link[1], I(128)], OK).byte(144, 7);
    guest.call("path_filestat_get", &[cwd, I(1), link[0], link[1], I(128)], NOENT);
    guest.call("path_remove_directory", &[cwd, a[0], a[1]], NOTEMPTY);
    guest.call("path_remove_directory", &[cwd, file[0], file[1]], NOTDIR);
    guest.call("path_unlink_file", &[cwd, a[0], a[1]], ISDIR);
    guest.call("path_unlink_file", &[cwd, missing[0], missing[1]], NOENT);
    guest.call("path_rename", &[cwd, link[0], link[1], cwd, missing[0], missing[1]], NOENT);
    guest.call("path_rename", &[cwd, a[0], a[1], cwd, file[0], file[1]], NOTDIR);
    guest.call("path_rename", &[cwd, a[0], a[1], cwd, b[0], b[1]], INVAL);
    guest.call("path_unlink_file", &[cwd, link[0], link[1]], OK).call(
        "path_unlink_file",
        &[cwd, b[0], b[1]],
        OK,
    );
    let c = path(&mut guest, "c");
    guest.call("path_rename", &[cwd, a[0], a[1], cwd, c[0], c[1]], OK);
    guest.call("path_remove_directory", &[cwd, c[0], c[1]], OK);
    passes(&guest).await;
}

#[tokio::test]
async fn listing_a_directory() {
    let mut guest = Guest::new();
    let cwd = I(CWD);
    for name in ["b", "a"] {
        let name = path(&mut guest, name);
        guest.call("path_create_directory", &[cwd, name[0], name[1]], OK);
    }
    // ".", "..", "a", "b", "file": 24 bytes each and the names.
    guest.call("fd_readdir", &[cwd, I(1000), I(1000), L(0), I(OUT)], OK).word(64, 5 * 24 + 1 + 2 + 1 + 1 + 4);
    guest.word(1016, 1).byte(1024, b'.').byte(1020, 3);
    guest
        .byte(1049, b'.')
        .byte(1050, b'.')
        .byte(1051 + 24, b'a')
        .byte(1076 + 24, b'b')
        .byte(1101 + 20, 4)
        .byte(1101 + 24, b'f');
    // Cut off in the middle of an entry.
    guest.call("fd_readdir", &[cwd, I(2000), I(30), L(0), I(OUT)], OK).word(64, 30);
    // Continued after "..": the cookie of the second entry, then after "a".
    guest.call("fd_readdir", &[cwd, I(2000), I(1000), L(2), I(OUT)], OK).byte(2024, b'a');
    guest.raw("(i64.store (i32.const 72) (i64.load (i32.const 2000)))");
    guest.raw(
        "(drop (call $fd_readdir (i32.const 9) (i32.const 2000) (i32.const 1000) (i64.load (i32.const 72)) \
         (i32.const 64)))",
    );
    guest.byte(2024, b'b');
    guest.call("fd_readdir", &[cwd, I(2000), I(-1), L(0), I(OUT)], FAULT);
    guest.open("file", 0, READ, 0, 16, OK).call(
        "fd_readdir",
        &[At(16), I(2000), I(10), L(0), I(OUT)],
        NOTDIR,
    );
    guest.call("fd_readdir", &[I(99), I(2000), I(10), L(0), I(OUT)], BADF);
    passes(&guest).await;
}

#[tokio::test]
async fn preopens_and_renumbering() {
    let mut guest = Guest::new();
    guest.call("fd_prestat_get", &[I(3), I(OUT)], OK).word(64, 0).word(68, 1);
    guest.call("fd_prestat_dir_name", &[I(3), I(300), I(1)], OK).byte(300, b'/');
    guest.call("fd_prestat_get", &[I(4), I(OUT)], OK).word(68, 4);
    guest.call("fd_prestat_dir_name", &[I(4), I(300), I(4)], OK).byte(301, b'b').byte(303, b'n');
    guest.call("fd_prestat_get", &[I(CWD), I(OUT)], OK).word(68, 1);
    guest.call("fd_prestat_dir_name", &[I(CWD), I(300), I(1)], OK).byte(300, b'.');
    guest.call("fd_prestat_dir_name", &[I(CWD), I(300), I(0)], NAMETOOLONG);
    guest.call("fd_prestat_get", &[I(FREE), I(OUT)], BADF).call("fd_prestat_get", &[I(0), I(OUT)], BADF);
    guest.open("file", 0, READ, 0, 16, OK).word(16, FREE).open("file", 0, READ, 0, 20, OK).word(20, FREE + 1);
    // An open descriptor that is no preopen does not end the scan.
    guest.call("fd_prestat_get", &[I(FREE), I(OUT)], OK).word(64, 1);
    guest.call("fd_prestat_dir_name", &[I(FREE), I(300), I(9)], NOTDIR);
    guest.call("fd_renumber", &[I(FREE), I(FREE + 1)], OK).call("fd_tell", &[I(FREE), I(OUT)], BADF);
    guest.call("fd_tell", &[I(FREE + 1), I(OUT)], OK).call("fd_renumber", &[I(FREE + 1), I(60)], BADF);
    guest.call("fd_renumber", &[I(FREE + 1), I(FREE + 1)], OK).call(
        "fd_renumber",
        &[I(60), I(FREE + 1)],
        BADF,
    );
    passes(&guest).await;
}

#[tokio::test]
async fn polling() {
    let mut guest = Guest::new();
    // A millisecond by the monotonic clock, and standard output.
    guest.words(1000, &[7, 0, 0, 0, 1, 0]);
    set_u64(&mut guest, 1024, 1_000_000);
    guest.call("poll_oneoff", &[I(1000), I(2000), I(1), I(OUT)], OK).word(64, 1).word(2000, 7).word(2008, 0);
    guest.words(1048, &[8, 0, 2, 0, 1, 0]);
    guest.call("poll_oneoff", &[I(1048), I(2000), I(1), I(OUT)], OK).word(64, 1).word(2000, 8).byte(2010, 2);
    // A descriptor that is readable is reported before the timeout.
    set_u64(&mut guest, 1024, 60_000_000_000);
    guest.words(1096, &[9, 0, 1, 0, 0, 0]);
    guest.call("poll_oneoff", &[I(1000), I(2000), I(3), I(OUT)], OK).word(64, 2).word(2000, 8).word(2032, 9);
    // Standard input is /dev/null: readable, without a hangup.
    guest.byte(2032 + 24, 0);
    // An absolute time in the past.
    guest.words(1144, &[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    guest.call("poll_oneoff", &[I(1144), I(2000), I(1), I(OUT)], OK).word(2000, 10);
    // A descriptor that is not open is reported as the event's error.
    guest.words(1192, &[11, 0, 1, 0, 99, 0]);
    guest.call("poll_oneoff", &[I(1192), I(2000), I(1), I(OUT)], OK).word(64, 1).byte(2008, 8);
    guest.call("poll_oneoff", &[I(1000), I(2000), I(0), I(OUT)], INVAL);
    guest.call("poll_oneoff", &[I(-8), I(2000), I(1), I(OUT)], FAULT).call(
        "poll_oneoff",
        &[I(1000), I(-8), I(1), I(OUT)],
        FAULT,
    );
    guest.words(1240, &[12, 0, 3]).call("poll_oneoff", &[I(1240), I(2000), I(1), I(OUT)], INVAL);
    passes(&guest).await;
}

#[tokio::test]
async fn sockets_do_not_exist() {
    let mut guest = Guest::new();
    guest.call("sock_accept", &[I(0), I(0), I(OUT)], NOTSOCK).call("sock_shutdown", &[I(0), I(0)], NOTSOCK);
    guest.call("sock_recv", &[I(0), I(0), I(0), I(0), I(OUT), I(OUT)], NOTSOCK);
    guest.call("sock_send", &[I(0), I(0), I(0), I(0), I(OUT)], NOTSOCK).call(
        "sock_shutdown",
        &[I(99), I(0)],
        BADF,
    );
    passes(&guest).await;
}

#[tokio::test]
async fn raising_and_exiting() {
    let kernel = kernel();
    let mut guest = Guest::new();
    guest.call("proc_raise", &[I(31)], INVAL).call("proc_raise", &[I(0)], INVAL);
    // SIGCHLD is ignored by default; WASI's number 16 is Linux's 17.
    guest.call("proc_raise", &[I(16)], OK).ignore("proc_raise", &[I(15)]);
    guest.raw("(call $proc_exit (i32.const 240))");
    let outcome = kernel.spawn(command(&guest.wat())).await.unwrap().wait().await;
    assert_eq!(outcome.status, ExitStatus::Signaled(15));
}

#[tokio::test]
async fn proc_and_devices_describe_the_sandbox() {
    let kernel = kernel();
    let mut guest = Guest::new();
    for (name, content) in [
        ("/proc/self/comm", &b"test"[..]),
        ("/proc/sys/kernel/hostname", b"sandbox"),
        ("/proc/sys/kernel/ostype", b"Linux"),
        ("/proc/self/cmdline", b"test\0"),
        ("/proc/2/comm", b"test"),
    ] {
        let name = path(&mut guest, name);
        guest.call("path_open", &[I(3), I(1), name[0], name[1], I(0), L(READ), L(0), I(0), I(16)], OK);
        guest.raw("(i32.store (i32.const 144) (i32.const 300)) (i32.store (i32.const 148) (i32.const 99))");
        guest.call("fd_read", &[At(16), I(144), I(1), I(OUT)], OK);
        for (offset, byte) in content.iter().enumerate() {
            guest.byte(300 + u32::try_from(offset).unwrap(), *byte);
        }
        guest.call("fd_close", &[At(16)], OK);
    }
    for name in [
        "/proc/self/status",
        "/proc/self/stat",
        "/proc/meminfo",
        "/proc/cpuinfo",
        "/proc/uptime",
        "/proc/mounts",
        "/proc/loadavg",
        "/proc/version",
        "/proc/stat",
        "/proc/filesystems",
        "/proc/sys/kernel/random/uuid",
    ] {
        let name = path(&mut guest, name);
        guest.call("path_open", &[I(3), I(1), name[0], name[1], I(0), L(READ), L(0), I(0), I(16)], OK);
        guest.call("fd_read", &[At(16), I(144), I(1), I(OUT)], OK).call("fd_close", &[At(16)], OK);
    }
    let none = path(&mut guest, "/proc/99");
    guest.call("path_filestat_get", &[I(3), I(1), none[0], none[1], I(128)], NOENT);
    // Standard output by its name in /dev, and a device that is always full.
    let out = path(&mut guest, "/dev/fd/1");
    guest
        .call("path_open", &[I(3), I(1), out[0], out[1], I(0), L(WRITE), L(0), I(0), I(16)], OK)
        .print(At(16), "again");
    let full = path(&mut guest, "/dev/full");
    guest.call("path_open", &[I(3), I(1), full[0], full[1], I(0), L(WRITE | READ), L(0), I(0), I(16)], OK);
    guest
        .call("fd_write", &[At(16), I(144), I(1), I(OUT)], 51)
        .call("fd_read", &[At(16), I(144), I(1), I(OUT)], OK)
        .byte(300, 0);
    assert_eq!(check(&kernel, &guest).await.stdout, b"again");
}

#[tokio::test]
async fn a_fifo_connects_two_commands() {
    let kernel = kernel();
    let root = kernel.namespace().root();
    let cx = sandshell_vfs::Context::USER;
    kernel
        .namespace()
        .make_node(&cx, &root, b"/workspace/fifo", sandshell_vfs::FileKind::Fifo, 0o600)
        .unwrap();
    let mut reader = Guest::new();
    reader.open("fifo", 0, READ, 0, 16, OK).words(144, &[300, 10]);
    reader.call("fd_read", &[At(16), I(144), I(1), I(OUT)], OK).word(64, 5).byte(300, b'h');
    reader.call("fd_read", &[At(16), I(144), I(1), I(OUT)], OK).word(64, 0);
    let mut writer = Guest::new();
    writer.open("fifo", 0, WRITE, 4, 16, 60).open("fifo", 0, WRITE, 0, 16, OK).print(At(16), "hello");
    // Opening a FIFO for non-blocking writing without a reader is ENXIO (60). The reader comes later.
    let writing = kernel.spawn(command(&writer.wat())).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let reading = kernel.spawn(command(&reader.wat())).await.unwrap();
    explain(&reader, &reading.wait().await);
    explain(&writer, &writing.wait().await);
}
