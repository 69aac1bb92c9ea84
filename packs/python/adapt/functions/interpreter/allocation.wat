;; Allocation of objects. On WASI, CPython's `Objects/obmalloc.c` calls the C library's allocator through a table of
;; functions, which `tracemalloc` can replace. These functions call the allocator directly if the table was not
;; replaced, and otherwise the original function (`before`).
(module
  (import "env" "memory" (memory 0))
  (import "GOT.mem" "_PyRuntime" (global $runtime (mut i32)))
  (import "before" "PyObject_Malloc" (func $object_malloc (param i32) (result i32)))
  (import "before" "PyObject_Free" (func $object_free (param i32)))
  (import "before" "PyMem_Malloc" (func $mem_malloc (param i32) (result i32)))
  (import "before" "PyMem_Free" (func $mem_free (param i32)))
  (import "env" "malloc" (func $malloc (param i32) (result i32)))
  (import "env" "free" (func $free (param i32)))

  ;; The tables' entries for `malloc` and `free` are at 848 and 860 for raw memory, at 868 and 880 for memory, and
  ;; at 888 and 900 for objects. A replacement function is only ever in one table.
  (func (export "PyObject_Malloc") (param $size i32) (result i32)
    (if (i32.ne (i32.load offset=888 (global.get $runtime)) (i32.load offset=848 (global.get $runtime)))
      (then (return (call $object_malloc (local.get $size)))))
    (call $allocated (local.get $size)))

  (func (export "PyMem_Malloc") (param $size i32) (result i32)
    (if (i32.ne (i32.load offset=868 (global.get $runtime)) (i32.load offset=848 (global.get $runtime)))
      (then (return (call $mem_malloc (local.get $size)))))
    (call $allocated (local.get $size)))

  (func (export "PyObject_Free") (param $place i32)
    (if (i32.ne (i32.load offset=900 (global.get $runtime)) (i32.load offset=860 (global.get $runtime)))
      (then (return (call $object_free (local.get $place)))))
    (call $free (local.get $place)))

  (func (export "PyMem_Free") (param $place i32)
    (if (i32.ne (i32.load offset=880 (global.get $runtime)) (i32.load offset=860 (global.get $runtime)))
      (then (return (call $mem_free (local.get $place)))))
    (call $free (local.get $place)))

  (func $allocated (param $size i32) (result i32)
    (if (i32.lt_s (local.get $size) (i32.const 0)) (then (return (i32.const 0))))
    (call $malloc (select (local.get $size) (i32.const 1) (local.get $size)))))
