;; Tracebacks, as in CPython's `PyTraceBack_Here` in `Python/traceback.c`. A function of this pack stands for a C
;; function, so tracebacks have no entry for it: `relocate` marks its code with a flag that CPython does not use. The
;; original function (`before`) makes the other entries.
(module
  (import "env" "memory" (memory 0))
  (import "before" "PyTraceBack_Here" (func $here (param i32) (result i32)))

  (func (export "PyTraceBack_Here") (param $frame i32) (result i32)
    ;; Frame object, interpreter's frame, code (a reference with two bits of its own), flags.
    (if (i32.and
          (i32.load offset=24 (i32.and (i32.load (i32.load offset=12 (local.get $frame))) (i32.const -4)))
          (i32.const 0x40000000))
      (then (return (i32.const 0))))
    (call $here (local.get $frame))))
