;; A view of the program's own memory, for `ctypes` (`_sandshell.foreign.memory`). It takes the place of a function
;; that is replaced by one in Python, and so never called. Its argument has the size in the upper 32 bits, and the
;; address in the lower. Of no bytes at the last address, it is where the interpreter's configuration is.
(module
  (import "env" "PyLong_AsUnsignedLongLong" (func $number (param i32) (result i64)))
  (import "env" "PyErr_Occurred" (func $failed (result i32)))
  (import "env" "_Py_GetConfig" (func $configuration (result i32)))
  (import "env" "PyLong_FromUnsignedLong" (func $from_number (param i32) (result i32)))
  (import "env" "PyMemoryView_FromMemory" (func $view (param i32 i32 i32) (result i32)))

  (func (export "os_get_blocking") (param $module i32) (param $where i32) (result i32)
    (local $number i64)
    (local.set $number (call $number (local.get $where)))
    (if (i64.eq (local.get $number) (i64.const -1))
      (then (if (call $failed) (then (return (i32.const 0))))))
    (if (i64.eq (local.get $number) (i64.const 0xffffffff)) (then (return (call $from_number (call $configuration)))))
    ;; `PyBUF_WRITE`.
    (call $view (i32.wrap_i64 (local.get $number)) (i32.wrap_i64 (i64.shr_u (local.get $number) (i64.const 32)))
      (i32.const 0x200))))
