;; A process is given the interpreter. Each writes here and there to the interpreter's state (`_PyRuntime`, whose size
;; `debug_offsets` tells) and to what the build put together (`arrange`). The engine keeps only some stretches of written pages for
;; the next process: so each of the two is one stretch.
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
