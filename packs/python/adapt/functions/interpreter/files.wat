;; What the interpreter's C code does around system calls (`adapt/system.py`): reading and writing, interrupted calls,
;; and exceptions with Linux's error numbers.
(module
  (import "env" "memory" (memory 0))
  (import "env" "__indirect_function_table" (table 0 funcref))
  (import "env" "PyErr_CheckSignals" (func $check_signals (result i32)))
  (import "env" "PyErr_SetInterruptEx" (func $trip (param i32) (result i32)))
  (import "env" "PyErr_SetFromErrno" (func $raise (param i32) (result i32)))
  (import "env" "PyTuple_New" (func $new_tuple (param i32) (result i32)))
  (import "env" "PyTuple_SetItem" (func $put (param i32 i32 i32) (result i32)))
  (import "env" "PyLong_FromLong" (func $number (param i32) (result i32)))
  (import "env" "PyLong_AsLong" (func $value (param i32) (result i32)))
  (import "env" "PyObject_Call" (func $call (param i32 i32 i32) (result i32)))
  (import "env" "Py_DecRef" (func $give_up (param i32)))
  (import "GOT.mem" "errno" (global $errno (mut i32)))
  (import "GOT.mem" "PyExc_OSError" (global $os_error (mut i32)))
  (import "told" "threads" (global $threads i32))
  (import "told" "linux" (global $linux i32))
  (import "told" "ready" (global $ready i32))
  (import "told" "read" (global $read i32))
  (import "told" "write" (global $write i32))
  (import "before" "PyErr_SetFromErrnoWithFilenameObjects" (func $raise_with (param i32 i32 i32) (result i32)))
  (import "before" "_bufferedwriter_raw_write" (func $write_raw (param i32 i32 i32) (result i32)))

  ;; Py_ssize_t _Py_read(int fd, void *buf, size_t count), and so for writing.
  (func (export "_Py_read") (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (call $transfer (local.get $fd) (local.get $data) (local.get $count) (i32.const 1) (global.get $read)))
  (func (export "_Py_write") (param $fd i32) (param $data i32) (param $count i32) (result i32)
    (call $transfer (local.get $fd) (local.get $data) (local.get $count) (i32.const 4) (global.get $write)))

  ;; Transfers bytes, again after a signal's handlers. The kernel stops all threads of the process while it waits. So if
  ;; there are some, Python code waits first (`_sandshell.threads.ready`) and tells how many bytes can be transferred;
  ;; the others follow, as the kernel itself writes all.
  (func $transfer (param $fd i32) (param $data i32) (param $left i32) (param $events i32) (param $function i32) (result i32)
    (local $piece i32) (local $done i32) (local $all i32)
    (if (i32.lt_s (local.get $left) (i32.const 0)) (then (local.set $left (i32.const 0x7fffffff))))
    (block $interrupted
      (loop $again
        (local.set $piece (local.get $left))
        (if (i32.load offset=12 (global.get $threads))
          (then
            (local.set $piece (call $possible (local.get $fd) (local.get $events) (local.get $left)))
            (br_if $interrupted (i32.lt_s (local.get $piece) (i32.const 0)))))
        (local.set $done
          (call_indirect (param i32 i32 i32) (result i32) (local.get $fd) (local.get $data) (local.get $piece) (local.get $function)))
        (if (i32.ge_s (local.get $done) (i32.const 0))
          (then
            (local.set $all (i32.add (local.get $all) (local.get $done)))
            (local.set $data (i32.add (local.get $data) (local.get $done)))
            (local.set $left (i32.sub (local.get $left) (local.get $done)))
            ;; Only writing is divided.
            (br_if $again (i32.and (i32.eq (local.get $done) (local.get $piece))
                                   (i32.and (i32.ne (local.get $left) (i32.const 0)) (i32.eq (local.get $events) (i32.const 4)))))
            (return (local.get $all))))
        (if (i32.ne (i32.load (global.get $errno)) (i32.const 27))
          (then
            ;; The error comes again if there was some success before it.
            (if (local.get $all) (then (return (local.get $all))))
            (local.set $done (i32.load (global.get $errno)))
            (drop (call $raise (i32.load (global.get $os_error))))
            (i32.store (global.get $errno) (local.get $done))
            (return (i32.const -1))))
        (br_if $again (i32.eqz (call $handled)))))
    ;; An exception of a handler: callers look at the number, too.
    (i32.store (global.get $errno) (i32.const 27))
    (i32.const -1))

  ;; -1 if there is an exception.
  (func $possible (param $fd i32) (param $events i32) (param $count i32) (result i32)
    (local $arguments i32) (local $answer i32)
    (if (i32.eqz (local.tee $arguments (call $new_tuple (i32.const 3)))) (then (return (i32.const -1))))
    (drop (call $put (local.get $arguments) (i32.const 0) (call $number (local.get $fd))))
    (drop (call $put (local.get $arguments) (i32.const 1) (call $number (local.get $events))))
    (drop (call $put (local.get $arguments) (i32.const 2) (call $number (local.get $count))))
    (if (i32.load offset=24 (local.get $arguments))
      (then (local.set $answer (call $call (global.get $ready) (local.get $arguments) (i32.const 0)))))
    (call $give_up (local.get $arguments))
    (if (i32.eqz (local.get $answer)) (then (return (i32.const -1))))
    (local.set $count (call $value (local.get $answer)))
    (call $give_up (local.get $answer))
    (local.get $count))

  ;; Runs the handlers of signals that have arrived; -1 if one has raised an exception. `FileIO` calls this when opening
  ;; was interrupted, and nothing else of this program calls it. Only the main thread runs handlers: another one lets it
  ;; run.
  (func $handled (export "PyOS_InterruptOccurred") (result i32)
    (if (i32.load offset=12 (global.get $threads))
      (then (if (i32.lt_s (call $possible (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0)) (then (return (i32.const -1))))))
    (drop (call $trip (i32.const 2)))
    (call $check_signals))

  ;; The number is the C library's, the exceptions have Linux's.
  (func (export "PyErr_SetFromErrnoWithFilenameObjects") (param $exception i32) (param $one i32) (param $other i32) (result i32)
    (local $code i32)
    (local.set $code (call $as_linux))
    (drop (call $raise_with (local.get $exception) (local.get $one) (local.get $other)))
    (i32.store (global.get $errno) (local.get $code))
    (i32.const 0))
  ;; -2 if nothing could be written without waiting: then a `BlockingIOError` gets the number.
  (func (export "_bufferedwriter_raw_write") (param $self i32) (param $data i32) (param $count i32) (result i32)
    (local $done i32)
    (local.set $done (call $write_raw (local.get $self) (local.get $data) (local.get $count)))
    (if (i32.eq (local.get $done) (i32.const -2)) (then (drop (call $as_linux))))
    (local.get $done))

  ;; Puts Linux's error number in the place of the C library's, which it returns.
  (func $as_linux (result i32)
    (local $code i32)
    (local.set $code (i32.load (global.get $errno)))
    (i32.store (global.get $errno) (i32.load8_u (i32.add (global.get $linux) (i32.and (local.get $code) (i32.const 255)))))
    (local.get $code)))
