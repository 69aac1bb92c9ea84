;; The system calls of SQLite (`aSyscall` in its `os_unix.c`) on the kernel's descriptors. Each takes and returns what the
;; C library's function of that name does.
;;
;; The kernel's answers are written to `room`, which has 128 bytes. After it comes, for each of Linux's error numbers, the
;; C library's. Bytes that the kernel returns are written where `to` says, if there are at most `limit`.
(module
  (import "env" "memory" (memory 0))
  (import "env" "table" (table {size} funcref))
  (import "answers" "to" (global $to (mut i32)))
  (import "answers" "limit" (global $limit (mut i32)))
  (import "kernel" "open" (func $open (param i32 i32 i32 i32 i32 i32)))
  (import "kernel" "close-file" (func $close (param i32) (result i32)))
  (import "kernel" "access" (func $access (param i32 i32 i32 i32 i32 i32)))
  (import "kernel" "getcwd" (func $getcwd (param i32)))
  (import "kernel" "stat" (func $stat (param i32 i32 i32 i32 i32)))
  (import "kernel" "fstat" (func $fstat (param i32 i32)))
  (import "kernel" "ftruncate" (func $ftruncate (param i32 i64 i32)))
  (import "kernel" "lock" (func $lock (param i32 i32 i64 i64 i32 i32)))
  (import "kernel" "find-lock" (func $find_lock (param i32 i32 i64 i64 i32)))
  (import "kernel" "read-file" (func $read (param i32 i32 i32)))
  (import "kernel" "write" (func $write (param i32 i32 i32 i32)))
  (import "kernel" "fchmod" (func $fchmod (param i32 i32 i32)))
  (import "kernel" "unlink" (func $unlink (param i32 i32 i32 i32)))
  (import "kernel" "readlink" (func $readlink (param i32 i32 i32 i32)))
  (import "kernel" "lseek" (func $lseek (param i32 i64 i32 i32)))
  (import "kernel" "fsync" (func $fsync (param i32 i32)))
  (global $room i32 (i32.const {room}))

  (elem $all func $sqlite_open $sqlite_close $sqlite_access $sqlite_getcwd $sqlite_stat $sqlite_fstat $sqlite_ftruncate $sqlite_fcntl
    $sqlite_read $sqlite_write $sqlite_fchmod $sqlite_unlink $sqlite_readlink $sqlite_lstat $sqlite_lseek $sqlite_fsync)
  (func $start
    (drop (table.grow (ref.null func) (i32.const 16)))
    (table.init $all (i32.const {first}) (i32.const 0) (i32.const 16)))
  (start $start)

  ;; Sets the C library's error number for one of Linux's.
  (func $fail (param $code i32) (result i32)
    (if (i32.gt_u (local.get $code) (i32.const 255)) (then (local.set $code (i32.const 5))))
    (i32.store (i32.const {errno}) (i32.load8_u offset=128 (i32.add (global.get $room) (local.get $code))))
    (i32.const -1))

  ;; 0 if the answer is no error; where the number of one is depends on what else the answer could be.
  (func $done (param $at i32) (result i32)
    (if (i32.eqz (i32.load8_u (global.get $room))) (then (return (i32.const 0))))
    (call $fail (i32.load (i32.add (global.get $room) (local.get $at)))))

  (func $length (param $text i32) (result i32)
    (local $end i32)
    (local.set $end (local.get $text))
    (block $found
      (loop $look
        (br_if $found (i32.eqz (i32.load8_u (local.get $end))))
        (local.set $end (i32.add (local.get $end) (i32.const 1)))
        (br $look)))
    (i32.sub (local.get $end) (local.get $text)))

  (func $bits (param $flags i32) (param $which i32) (param $right i32) (result i32)
    (i32.shr_u (i32.and (local.get $flags) (local.get $which)) (local.get $right)))

  ;; The C library has a bit for reading and one for writing. Descriptors are closed when a program is executed.
  (func $sqlite_open (param $path i32) (param $flags i32) (param $mode i32) (result i32)
    (local $linux i32)
    (local.set $linux (i32.shl (call $bits (local.get $flags) (i32.const 0x10000000) (i32.const 28))
                               (call $bits (local.get $flags) (i32.const 0x04000000) (i32.const 26))))
    ;; O_CREAT and O_TRUNC; O_EXCL; O_NOFOLLOW.
    (local.set $linux (i32.or (local.get $linux) (call $bits (local.get $flags) (i32.const 0x9000) (i32.const 6))))
    (local.set $linux (i32.or (local.get $linux) (call $bits (local.get $flags) (i32.const 0x4000) (i32.const 7))))
    (local.set $linux (i32.or (local.get $linux) (call $bits (local.get $flags) (i32.const 0x01000000) (i32.const 7))))
    (call $open (i32.const -100) (local.get $path) (call $length (local.get $path))
      (i32.or (local.get $linux) (i32.const 0x80000)) (local.get $mode) (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const -1))))
    (i32.load offset=4 (global.get $room)))

  (func $sqlite_close (param $fd i32) (result i32)
    (local $code i32)
    (local.set $code (call $close (local.get $fd)))
    (if (local.get $code) (then (return (call $fail (local.get $code)))))
    (i32.const 0))

  (func $sqlite_access (param $path i32) (param $mode i32) (result i32)
    (call $access (i32.const -100) (local.get $path) (call $length (local.get $path)) (local.get $mode) (i32.const 1)
      (global.get $room))
    (call $done (i32.const 4)))

  ;; The directory's name, where it was to be written; 0 if it is too long.
  (func $sqlite_getcwd (param $name i32) (param $size i32) (result i32)
    (call $room_for (local.get $name) (local.get $size))
    (call $getcwd (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const 0))))
    (if (i32.ge_u (i32.load offset=8 (global.get $room)) (local.get $size))
      (then (drop (call $fail (i32.const 34))) (return (i32.const 0))))
    (i32.store8 (i32.add (local.get $name) (i32.load offset=8 (global.get $room))) (i32.const 0))
    (local.get $name))

  (func $room_for (param $to i32) (param $limit i32)
    (global.set $to (local.get $to))
    (global.set $limit (local.get $limit)))

  ;; Converts attributes of a file.
  (func $attributes (param $stat i32) (result i32)
    (if (call $done (i32.const 8)) (then (return (i32.const -1))))
    (memory.fill (local.get $stat) (i32.const 0) (i32.const 120))
    (i64.store (local.get $stat) (i64.load offset=8 (global.get $room)))
    (i64.store offset=8 (local.get $stat) (i64.load offset=16 (global.get $room)))
    (i64.store offset=16 (local.get $stat) (i64.load offset=24 (global.get $room)))
    (i32.store offset=24 (local.get $stat) (i32.load offset=56 (global.get $room)))
    (i32.store offset=28 (local.get $stat) (i32.load offset=60 (global.get $room)))
    (i32.store offset=32 (local.get $stat) (i32.load offset=64 (global.get $room)))
    (i64.store offset=48 (local.get $stat) (i64.load offset=32 (global.get $room)))
    (i64.store offset=72 (local.get $stat) (i64.div_s (i64.load offset=72 (global.get $room)) (i64.const 1000000000)))
    (i64.store offset=88 (local.get $stat) (i64.div_s (i64.load offset=80 (global.get $room)) (i64.const 1000000000)))
    (i32.const 0))

  (func $sqlite_stat (param $path i32) (param $stat i32) (result i32)
    (call $stat (i32.const -100) (local.get $path) (call $length (local.get $path)) (i32.const 1) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $sqlite_lstat (param $path i32) (param $stat i32) (result i32)
    (call $stat (i32.const -100) (local.get $path) (call $length (local.get $path)) (i32.const 0) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $sqlite_fstat (param $fd i32) (param $stat i32) (result i32)
    (call $fstat (local.get $fd) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $sqlite_ftruncate (param $fd i32) (param $size i64) (result i32)
    (call $ftruncate (local.get $fd) (local.get $size) (global.get $room))
    (call $done (i32.const 4)))

  ;; F_GETLK and F_SETLK, whose argument is a `struct flock` from the file's start; SQLite sets no other lock. F_GETFD:
  ;; FD_CLOEXEC. Others do nothing.
  (func $sqlite_fcntl (param $fd i32) (param $command i32) (param $arguments i32) (result i32)
    (local $lock i32) (local $end i64)
    (if (i32.eq (local.get $command) (i32.const 1)) (then (return (i32.const 1))))
    (if (i32.and (i32.ne (local.get $command) (i32.const 12)) (i32.ne (local.get $command) (i32.const 13)))
      (then (return (i32.const 0))))
    (local.set $lock (i32.load (local.get $arguments)))
    (local.set $end (i64.const -1))
    (if (i64.ne (i64.load offset=16 (local.get $lock)) (i64.const 0))
      (then (local.set $end (i64.add (i64.load offset=8 (local.get $lock)) (i64.load offset=16 (local.get $lock))))))
    (if (i32.eq (local.get $command) (i32.const 13))
      (then
        (call $lock (local.get $fd) (i32.load16_u (local.get $lock)) (i64.load offset=8 (local.get $lock)) (local.get $end)
          (i32.const 0) (global.get $room))
        (return (call $done (i32.const 4)))))
    (call $find_lock (local.get $fd) (i32.load16_u (local.get $lock)) (i64.load offset=8 (local.get $lock)) (local.get $end)
      (global.get $room))
    (if (call $done (i32.const 8)) (then (return (i32.const -1))))
    ;; Which lock it is does not matter to SQLite.
    (if (i32.eqz (i32.load8_u offset=8 (global.get $room))) (then (i32.store16 (local.get $lock) (i32.const 2))))
    (i32.const 0))

  (func $sqlite_read (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (call $room_for (local.get $data) (local.get $count))
    (call $read (local.get $fd) (local.get $count) (global.get $room))
    (if (i32.load (global.get $room)) (then (return (call $fail (i32.load (global.get $room))))))
    (i32.load offset=8 (global.get $room)))

  (func $sqlite_write (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (call $write (local.get $fd) (local.get $data) (local.get $count) (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const -1))))
    (i32.load offset=4 (global.get $room)))

  (func $sqlite_fchmod (param $fd i32) (param $mode i32) (result i32)
    (call $fchmod (local.get $fd) (local.get $mode) (global.get $room))
    (call $done (i32.const 4)))

  (func $sqlite_unlink (param $path i32) (result i32)
    (call $unlink (i32.const -100) (local.get $path) (call $length (local.get $path)) (global.get $room))
    (call $done (i32.const 4)))

  ;; How long the target is; a longer one than there is room for is an error.
  (func $sqlite_readlink (param $path i32) (param $target i32) (param $size i32) (result i32)
    (call $room_for (local.get $target) (local.get $size))
    (call $readlink (i32.const -100) (local.get $path) (call $length (local.get $path)) (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const -1))))
    (if (i32.gt_u (i32.load offset=8 (global.get $room)) (local.get $size)) (then (return (call $fail (i32.const 36)))))
    (i32.load offset=8 (global.get $room)))

  (func $sqlite_lseek (param $fd i32) (param $offset i64) (param $whence i32) (result i64)
    (call $lseek (local.get $fd) (local.get $offset) (local.get $whence) (global.get $room))
    (if (call $done (i32.const 8)) (then (return (i64.const -1))))
    (i64.load offset=8 (global.get $room)))

  (func $sqlite_fsync (param $fd i32) (result i32)
    (call $fsync (local.get $fd) (global.get $room))
    (call $done (i32.const 4))))
