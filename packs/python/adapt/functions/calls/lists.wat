;; The bytes that a call of the kernel is given. componentize-py copies them and never frees the copy, so that a program
;; that writes much runs out of memory. Whoever makes the call holds the objects until it returns, so the kernel reads
;; them where they are.
(module
  (import "env" "memory" (memory 0))
  (import "env" "_Py_DecRef" (func $give_up (param i32)))
  (import "GOT.mem" "PyBytes_Type" (global $bytes_type (mut i32)))
  (import "before" "wit_dylib_pop_list" (func $pop_list (param i32 i32 i32) (result i32)))

  ;; Takes the last object of the call's stack (an array with its length). Returns how many elements the list has, and
  ;; where they are if they are bytes.
  (func (export "wit_dylib_pop_list") (param $call i32) (param $type i32) (param $start i32) (result i32)
    (local $left i32) (local $object i32)
    (if (i32.eqz (local.tee $left (i32.load offset=56 (local.get $call))))
      (then (return (call $pop_list (local.get $call) (local.get $type) (local.get $start)))))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (local.set $object
      (i32.load (i32.add (i32.load offset=52 (local.get $call)) (i32.shl (local.get $left) (i32.const 2)))))
    (if (i32.ne (i32.load offset=4 (local.get $object)) (global.get $bytes_type))
      (then (return (call $pop_list (local.get $call) (local.get $type) (local.get $start)))))
    (i32.store offset=56 (local.get $call) (local.get $left))
    (i32.store (local.get $start) (i32.add (local.get $object) (i32.const 16)))
    (local.set $left (i32.load offset=8 (local.get $object)))
    (call $give_up (local.get $object))
    (local.get $left)))
