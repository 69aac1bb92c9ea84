;; Deallocation of objects, as in CPython's `_Py_Dealloc` in `Objects/object.c`. Numbers and strings contain no
;; other objects, so freeing them cannot recurse and needs no check of the recursion depth. The original function
;; (`before`) frees all other objects.
(module
  (import "env" "memory" (memory 0))
  (import "GOT.mem" "PyLong_Type" (global $int (mut i32)))
  (import "GOT.mem" "PyFloat_Type" (global $float (mut i32)))
  (import "GOT.mem" "PyUnicode_Type" (global $str (mut i32)))
  (import "before" "_Py_Dealloc" (func $dealloc (param i32)))
  (import "env" "long_dealloc" (func $int_dealloc (param i32)))
  (import "env" "float_dealloc" (func $float_dealloc (param i32)))
  (import "env" "unicode_dealloc" (func $str_dealloc (param i32)))

  (func (export "_Py_Dealloc") (param $object i32)
    (local $type i32)
    (local.set $type (i32.load offset=4 (local.get $object)))
    (if (i32.eq (local.get $type) (global.get $int)) (then (return (call $int_dealloc (local.get $object)))))
    (if (i32.eq (local.get $type) (global.get $str)) (then (return (call $str_dealloc (local.get $object)))))
    (if (i32.eq (local.get $type) (global.get $float)) (then (return (call $float_dealloc (local.get $object)))))
    (call $dealloc (local.get $object))))
