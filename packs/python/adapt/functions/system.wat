;; System calls on the kernel's descriptors (`adapt/system.py`). Each takes and returns what the C library's function of
;; that name does; `sqlite_open` is the one in SQLite's table (`aSyscall` in its `os_unix.c`).
;;
;; The kernel's answers are written to `room`, which has 128 bytes. After it come (`_sandshell/system.py`) the C
;; library's number for each of Linux's error numbers, Linux's for each of the C library's, and where the text of each
;; of Linux's is. Bytes that the kernel returns are written where `to` says, if there are at most `limit`.
(module
  (import "env" "memory" (memory 0))
  (import "env" "table" (table {size} funcref))
  (import "answers" "to" (global $to (mut i32)))
  (import "answers" "limit" (global $limit (mut i32)))
  (import "kernel" "open" (func $kernel_open (param i32 i32 i32 i32 i32 i32)))
  (import "kernel" "open-file" (func $kernel_open_file (param i32 i32 i32 i32 i32 i32)))
  (import "kernel" "isatty" (func $kernel_isatty (param i32) (result i32)))
  (import "kernel" "get-cloexec" (func $kernel_get_cloexec (param i32 i32)))
  (import "kernel" "set-cloexec" (func $kernel_set_cloexec (param i32 i32 i32)))
  (import "kernel" "close-file" (func $kernel_close (param i32) (result i32)))
  (import "kernel" "access" (func $kernel_access (param i32 i32 i32 i32 i32 i32)))
  (import "kernel" "getcwd" (func $kernel_getcwd (param i32)))
  (import "kernel" "stat" (func $kernel_stat (param i32 i32 i32 i32 i32)))
  (import "kernel" "fstat" (func $kernel_fstat (param i32 i32)))
  (import "kernel" "ftruncate" (func $kernel_ftruncate (param i32 i64 i32)))
  (import "kernel" "lock" (func $kernel_lock (param i32 i32 i64 i64 i32 i32)))
  (import "kernel" "find-lock" (func $kernel_find_lock (param i32 i32 i64 i64 i32)))
  (import "kernel" "read-file" (func $kernel_read (param i32 i32 i32)))
  (import "kernel" "write" (func $kernel_write (param i32 i32 i32 i32)))
  (import "kernel" "fchmod" (func $kernel_fchmod (param i32 i32 i32)))
  (import "kernel" "unlink" (func $kernel_unlink (param i32 i32 i32 i32)))
  (import "kernel" "readlink" (func $kernel_readlink (param i32 i32 i32 i32)))
  (import "kernel" "lseek" (func $kernel_lseek (param i32 i64 i32 i32)))
  (import "kernel" "fsync" (func $kernel_fsync (param i32 i32)))
  (global $room i32 (i32.const {room}))
  ;; The descriptor that was opened last, if nobody has asked for its attributes yet; the type's bits of its mode, and
  ;; its size.
  (global $opened (mut i32) (i32.const -1))
  (global $opened_type (mut i32) (i32.const 0))
  (global $opened_size (mut i64) (i64.const 0))

  (elem $all func {all})
  {exports}
  (func $start
    (drop (table.grow (ref.null func) (i32.const {count})))
    (table.init $all (i32.const {first}) (i32.const 0) (i32.const {count})))
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
    (call $kernel_open (i32.const -100) (local.get $path) (call $length (local.get $path))
      (i32.or (local.get $linux) (i32.const 0x80000)) (local.get $mode) (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const -1))))
    (i32.load offset=4 (global.get $room)))

  (func $close (param $fd i32) (result i32)
    (local $code i32)
    (local.set $code (call $kernel_close (local.get $fd)))
    (if (local.get $code) (then (return (call $fail (local.get $code)))))
    (i32.const 0))

  (func $access (param $path i32) (param $mode i32) (result i32)
    (call $kernel_access (i32.const -100) (local.get $path) (call $length (local.get $path)) (local.get $mode) (i32.const 1)
      (global.get $room))
    (call $done (i32.const 4)))

  ;; The directory's name, where it was to be written; 0 if it is too long.
  (func $getcwd (param $name i32) (param $size i32) (result i32)
    (call $room_for (local.get $name) (local.get $size))
    (call $kernel_getcwd (global.get $room))
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
    (i64.store offset=40 (local.get $stat) (i64.load offset=48 (global.get $room)))
    (i64.store offset=48 (local.get $stat) (i64.load offset=32 (global.get $room)))
    (i32.store offset=56 (local.get $stat) (i32.const 4096))
    (i64.store offset=64 (local.get $stat) (i64.load offset=40 (global.get $room)))
    (call $time (i32.add (local.get $stat) (i32.const 72)) (i64.load offset=72 (global.get $room)))
    (call $time (i32.add (local.get $stat) (i32.const 88)) (i64.load offset=80 (global.get $room)))
    (call $time (i32.add (local.get $stat) (i32.const 104)) (i64.load offset=88 (global.get $room)))
    (i32.const 0))

  ;; Seconds and the nanoseconds after them.
  (func $time (param $at i32) (param $nanoseconds i64)
    (local $rest i64)
    (local.set $rest (i64.rem_s (local.get $nanoseconds) (i64.const 1000000000)))
    (if (i64.lt_s (local.get $rest) (i64.const 0))
      (then (local.set $rest (i64.add (local.get $rest) (i64.const 1000000000)))))
    (i64.store (local.get $at) (i64.div_s (i64.sub (local.get $nanoseconds) (local.get $rest)) (i64.const 1000000000)))
    (i32.store offset=8 (local.get $at) (i32.wrap_i64 (local.get $rest))))

  (func $stat (param $path i32) (param $stat i32) (result i32)
    (call $kernel_stat (i32.const -100) (local.get $path) (call $length (local.get $path)) (i32.const 1) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $lstat (param $path i32) (param $stat i32) (result i32)
    (call $kernel_stat (i32.const -100) (local.get $path) (call $length (local.get $path)) (i32.const 0) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $fstat (param $fd i32) (param $stat i32) (result i32)
    (call $kernel_fstat (local.get $fd) (global.get $room))
    (call $attributes (local.get $stat)))

  ;; For who only needs the type, the size and the size of blocks.
  (func $fstat_opened (param $fd i32) (param $stat i32) (result i32)
    (if (i32.ne (local.get $fd) (global.get $opened)) (then (return (call $fstat (local.get $fd) (local.get $stat)))))
    (global.set $opened (i32.const -1))
    (memory.fill (local.get $stat) (i32.const 0) (i32.const 120))
    (i32.store offset=24 (local.get $stat) (global.get $opened_type))
    (i64.store offset=48 (local.get $stat) (global.get $opened_size))
    (i32.store offset=56 (local.get $stat) (i32.const 4096))
    (i32.const 0))

  ;; AT_FDCWD is -2, AT_SYMLINK_NOFOLLOW 1.
  (func $fstatat (param $directory i32) (param $path i32) (param $stat i32) (param $flags i32) (result i32)
    (call $kernel_stat (select (i32.const -100) (local.get $directory) (i32.eq (local.get $directory) (i32.const -2)))
      (local.get $path) (call $length (local.get $path)) (i32.eqz (i32.and (local.get $flags) (i32.const 1))) (global.get $room))
    (call $attributes (local.get $stat)))

  (func $ftruncate (param $fd i32) (param $size i64) (result i32)
    (call $kernel_ftruncate (local.get $fd) (local.get $size) (global.get $room))
    (call $done (i32.const 4)))

  ;; F_GETLK and F_SETLK, whose argument is a `struct flock` from the file's start; SQLite sets no other lock. F_GETFD
  ;; and F_SETFD. Others do nothing.
  (func $fcntl (param $fd i32) (param $command i32) (param $arguments i32) (result i32)
    (local $lock i32) (local $end i64)
    (if (i32.eq (local.get $command) (i32.const 1))
      (then
        (call $kernel_get_cloexec (local.get $fd) (global.get $room))
        (if (call $done (i32.const 4)) (then (return (i32.const -1))))
        (return (i32.load8_u offset=4 (global.get $room)))))
    (if (i32.eq (local.get $command) (i32.const 2))
      (then
        (call $kernel_set_cloexec (local.get $fd) (i32.and (i32.load (local.get $arguments)) (i32.const 1)) (global.get $room))
        (return (call $done (i32.const 4)))))
    (if (i32.and (i32.ne (local.get $command) (i32.const 12)) (i32.ne (local.get $command) (i32.const 13)))
      (then (return (i32.const 0))))
    (local.set $lock (i32.load (local.get $arguments)))
    (local.set $end (i64.const -1))
    (if (i64.ne (i64.load offset=16 (local.get $lock)) (i64.const 0))
      (then (local.set $end (i64.add (i64.load offset=8 (local.get $lock)) (i64.load offset=16 (local.get $lock))))))
    (if (i32.eq (local.get $command) (i32.const 13))
      (then
        (call $kernel_lock (local.get $fd) (i32.load16_u (local.get $lock)) (i64.load offset=8 (local.get $lock)) (local.get $end)
          (i32.const 0) (global.get $room))
        (return (call $done (i32.const 4)))))
    (call $kernel_find_lock (local.get $fd) (i32.load16_u (local.get $lock)) (i64.load offset=8 (local.get $lock)) (local.get $end)
      (global.get $room))
    (if (call $done (i32.const 8)) (then (return (i32.const -1))))
    ;; Which lock it is does not matter to SQLite.
    (if (i32.eqz (i32.load8_u offset=8 (global.get $room))) (then (i32.store16 (local.get $lock) (i32.const 2))))
    (i32.const 0))

  (func $read (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (local $done i32) (local $piece i32)
    (loop $next
      (local.set $piece (call $piece (i32.sub (local.get $count) (local.get $done))))
      (call $room_for (i32.add (local.get $data) (local.get $done)) (local.get $piece))
      (call $kernel_read (local.get $fd) (local.get $piece) (global.get $room))
      (if (i32.load (global.get $room))
        (then
          (if (local.get $done) (then (return (local.get $done))))
          (return (call $fail (i32.load (global.get $room))))))
      (local.set $done (i32.add (local.get $done) (i32.load offset=8 (global.get $room))))
      (br_if $next (i32.and (i32.eq (i32.load offset=8 (global.get $room)) (i32.const 0x1000000))
                            (i32.lt_u (local.get $done) (local.get $count)))))
    (local.get $done))

  (func $write (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (local $done i32) (local $piece i32)
    (loop $next
      (local.set $piece (call $piece (i32.sub (local.get $count) (local.get $done))))
      (call $kernel_write (local.get $fd) (i32.add (local.get $data) (local.get $done)) (local.get $piece) (global.get $room))
      (if (i32.load8_u (global.get $room))
        (then
          (if (local.get $done) (then (return (local.get $done))))
          (return (call $fail (i32.load offset=4 (global.get $room))))))
      (local.set $done (i32.add (local.get $done) (i32.load offset=4 (global.get $room))))
      (br_if $next (i32.and (i32.eq (i32.load offset=4 (global.get $room)) (i32.const 0x1000000))
                            (i32.lt_u (local.get $done) (local.get $count)))))
    (local.get $done))

  ;; As much of this as the kernel transfers at once: 16 MiB.
  (func $piece (param $count i32) (result i32)
    (select (local.get $count) (i32.const 0x1000000) (i32.lt_u (local.get $count) (i32.const 0x1000000))))

  (func $fchmod (param $fd i32) (param $mode i32) (result i32)
    (call $kernel_fchmod (local.get $fd) (local.get $mode) (global.get $room))
    (call $done (i32.const 4)))

  (func $unlink (param $path i32) (result i32)
    (call $kernel_unlink (i32.const -100) (local.get $path) (call $length (local.get $path)) (global.get $room))
    (call $done (i32.const 4)))

  ;; How long the target is; a longer one than there is room for is an error.
  (func $readlink (param $path i32) (param $target i32) (param $size i32) (result i32)
    (call $room_for (local.get $target) (local.get $size))
    (call $kernel_readlink (i32.const -100) (local.get $path) (call $length (local.get $path)) (global.get $room))
    (if (call $done (i32.const 4)) (then (return (i32.const -1))))
    (if (i32.gt_u (i32.load offset=8 (global.get $room)) (local.get $size)) (then (return (call $fail (i32.const 36)))))
    (i32.load offset=8 (global.get $room)))

  ;; All of a file is data (`SEEK_DATA` is 3, `SEEK_HOLE` 4): the kernel does not tell where holes are.
  (func $lseek (param $fd i32) (param $offset i64) (param $whence i32) (result i64)
    (local $size i64)
    (if (i32.gt_u (local.get $whence) (i32.const 4)) (then (return (i64.extend_i32_s (call $fail (i32.const 22))))))
    (if (i32.gt_u (local.get $whence) (i32.const 2))
      (then
        (call $kernel_fstat (local.get $fd) (global.get $room))
        (if (call $done (i32.const 8)) (then (return (i64.const -1))))
        (local.set $size (i64.load offset=32 (global.get $room)))
        (if (i64.ge_u (local.get $offset) (local.get $size)) (then (return (i64.extend_i32_s (call $fail (i32.const 6))))))
        (if (i32.eq (local.get $whence) (i32.const 4)) (then (local.set $offset (local.get $size))))
        (local.set $whence (i32.const 0))))
    (call $kernel_lseek (local.get $fd) (local.get $offset) (local.get $whence) (global.get $room))
    (if (call $done (i32.const 8)) (then (return (i64.const -1))))
    (i64.load offset=8 (global.get $room)))

  (func $fsync (param $fd i32) (result i32)
    (call $kernel_fsync (local.get $fd) (global.get $room))
    (call $done (i32.const 4)))

  ;; With Linux's flags. The type and the size are kept for `fstat_opened`, which comes next.
  (func $open (param $path i32) (param $flags i32) (param $arguments i32) (result i32)
    (call $kernel_open_file (i32.const -100) (local.get $path) (call $length (local.get $path)) (local.get $flags)
      (i32.load (local.get $arguments)) (global.get $room))
    (global.set $opened (i32.load (global.get $room)))
    (if (i32.lt_s (global.get $opened) (i32.const 0))
      (then (return (call $fail (i32.sub (i32.const 0) (global.get $opened))))))
    (global.set $opened_type (i32.load offset=4 (global.get $room)))
    (global.set $opened_size (i64.load offset=8 (global.get $room)))
    (global.get $opened))

  (func $isatty (param $fd i32) (result i32)
    (call $kernel_isatty (local.get $fd)))

  (func $__wasilibc_tell (param $fd i32) (result i64)
    (call $lseek (local.get $fd) (i64.const 0) (i32.const 1)))

  ;; The text of one of Linux's error numbers.
  (func $strerror (param $code i32) (result i32)
    (i32.add (global.get $room)
      (i32.load16_u offset=640 (i32.add (global.get $room) (i32.shl (i32.and (local.get $code) (i32.const 255)) (i32.const 1)))))))
