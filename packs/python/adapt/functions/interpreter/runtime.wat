;; Runs at the start of a process. Each process writes to many places in the interpreter's state (`_PyRuntime`;
;; `debug_offsets` has its size) and in the objects that the build gathered (`arrange`). The engine keeps only a
;; limited number of written ranges of pages for the next process, so this makes each of the two a single range.
(module
  (import "env" "memory" (memory 0))
  (import "GOT.mem" "_PyRuntime" (global $runtime (mut i32)))
  (import "told" "together" (global $together i32))
  (import "told" "together_end" (global $together_end i32))
  (import "before" "PyGILState_Ensure" (func $ensure (result i32)))

  (func (export "PyGILState_Ensure") (result i32)
    (call $write (global.get $runtime)
      (i32.add (global.get $runtime) (i32.wrap_i64 (i64.load offset=24 (global.get $runtime)))))
    (call $write (global.get $together) (global.get $together_end))
    (call $ensure))

  (func $write (param $page i32) (param $end i32)
    (loop $next
      (i32.store8 (local.get $page) (i32.load8_u (local.get $page)))
      (local.set $page (i32.add (local.get $page) (i32.const 4096)))
      (br_if $next (i32.lt_u (local.get $page) (local.get $end))))))
