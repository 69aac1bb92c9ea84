;; Looks up a `str` in a `dict`, as CPython's `Objects/dictobject.c` does, for the most common case, in which the
;; key is the same object. The original functions (`before`) handle strings that only have the same hash, other keys
;; and other mappings.
(module
  (import "env" "memory" (memory 0))
  (import "GOT.mem" "PyUnicode_Type" (global $str (mut i32)))
  (import "GOT.mem" "PyDict_Type" (global $dict (mut i32)))
  (import "before" "_Py_dict_lookup" (func $lookup (param i32 i32 i32 i32) (result i32)))
  (import "before" "PyDict_GetItemRef" (func $get (param i32 i32 i32) (result i32)))
  (import "before" "_PyEval_LoadName" (func $load_name (param i32 i32 i32) (result i32)))

  ;; Py_ssize_t _Py_dict_lookup(PyDictObject *dict, PyObject *key, Py_hash_t hash, PyObject **value)
  (func (export "_Py_dict_lookup") (param $dict i32) (param $key i32) (param $hash i32) (param $value i32) (result i32)
    (local $keys i32) (local $index i32)
    (local.set $keys (i32.load offset=24 (local.get $dict)))
    (if (i32.and (i32.eq (i32.load offset=4 (local.get $key)) (global.get $str))
                 (i32.ne (i32.load8_u offset=6 (local.get $keys)) (i32.const 0)))
      (then
        (local.set $index (call $probe (local.get $keys) (local.get $key) (local.get $hash)))
        (if (i32.ne (local.get $index) (i32.const -2))
          (then
            (i32.store (local.get $value) (call $value_at (local.get $dict) (local.get $keys) (local.get $index)))
            (return (local.get $index))))))
    (call $lookup (local.get $dict) (local.get $key) (local.get $hash) (local.get $value)))

  ;; int PyDict_GetItemRef(PyObject *dict, PyObject *key, PyObject **value)
  (func (export "PyDict_GetItemRef") (param $mapping i32) (param $key i32) (param $result i32) (result i32)
    (local $value i32)
    (local.set $value (call $find (local.get $mapping) (local.get $key)))
    (if (i32.eq (local.get $value) (i32.const 1))
      (then (return (call $get (local.get $mapping) (local.get $key) (local.get $result)))))
    (i32.store (local.get $result) (local.get $value))
    (if (i32.eqz (local.get $value)) (then (return (i32.const 0))))
    (call $own (local.get $value))
    (i32.const 1))

  ;; PyObject *_PyEval_LoadName(PyThreadState *thread, _PyInterpreterFrame *frame, PyObject *name)
  (func (export "_PyEval_LoadName") (param $thread i32) (param $frame i32) (param $name i32) (result i32)
    (local $value i32) (local $locals i32) (local $globals i32)
    (block $slow
      (br_if $slow (i32.eqz (local.tee $locals (i32.load offset=20 (local.get $frame)))))
      (local.set $value (call $find (local.get $locals) (local.get $name)))
      (if (i32.eqz (local.get $value))
        (then
          (local.set $globals (i32.load offset=12 (local.get $frame)))
          (if (i32.ne (local.get $globals) (local.get $locals))
            (then (local.set $value (call $find (local.get $globals) (local.get $name)))))
          (if (i32.eqz (local.get $value))
            (then (local.set $value (call $find (i32.load offset=16 (local.get $frame)) (local.get $name)))))))
      (br_if $slow (i32.le_u (local.get $value) (i32.const 1)))
      (call $own (local.get $value))
      (return (local.get $value)))
    (call $load_name (local.get $thread) (local.get $frame) (local.get $name)))

  ;; The value of a key; 0 if there is none, 1 if this function cannot tell.
  (func $find (param $mapping i32) (param $key i32) (result i32)
    (local $keys i32) (local $index i32) (local $hash i32)
    (block $unknown
      (br_if $unknown (i32.ne (i32.load offset=4 (local.get $mapping)) (global.get $dict)))
      (br_if $unknown (i32.ne (i32.load offset=4 (local.get $key)) (global.get $str)))
      (br_if $unknown (i32.eq (local.tee $hash (i32.load offset=12 (local.get $key))) (i32.const -1)))
      (local.set $keys (i32.load offset=24 (local.get $mapping)))
      (br_if $unknown (i32.eqz (i32.load8_u offset=6 (local.get $keys))))
      (local.set $index (call $probe (local.get $keys) (local.get $key) (local.get $hash)))
      (br_if $unknown (i32.eq (local.get $index) (i32.const -2)))
      (return (call $value_at (local.get $mapping) (local.get $keys) (local.get $index))))
    (i32.const 1))

  ;; The index of a key's entry; -1 if there is none, -2 if this function cannot tell because another string has the
  ;; same hash.
  (func $probe (param $keys i32) (param $key i32) (param $hash i32) (result i32)
    (local $size i32) (local $entries i32) (local $slot i32) (local $perturb i32) (local $index i32) (local $other i32)
    (local.set $size (i32.load8_u offset=4 (local.get $keys)))
    (local.set $entries (call $entries (local.get $keys)))
    (local.set $perturb (local.get $hash))
    (local.set $slot (local.get $hash))
    (loop $next
      (local.set $slot (i32.and (local.get $slot)
        (i32.sub (i32.shl (i32.const 1) (local.get $size)) (i32.const 1))))
      (local.set $index
        (if (result i32) (i32.lt_u (local.get $size) (i32.const 8))
          (then (i32.load8_s offset=20 (i32.add (local.get $keys) (local.get $slot))))
          (else
            (if (result i32) (i32.lt_u (local.get $size) (i32.const 16))
              (then (i32.load16_s offset=20 (i32.add (local.get $keys) (i32.shl (local.get $slot) (i32.const 1)))))
              (else (i32.load offset=20 (i32.add (local.get $keys) (i32.shl (local.get $slot) (i32.const 2)))))))))
      (if (i32.ge_s (local.get $index) (i32.const 0))
        (then
          (local.set $other (i32.load (i32.add (local.get $entries) (i32.shl (local.get $index) (i32.const 3)))))
          (if (i32.eq (local.get $other) (local.get $key)) (then (return (local.get $index))))
          (if (i32.eq (i32.load offset=12 (local.get $other)) (local.get $hash)) (then (return (i32.const -2)))))
        (else (if (i32.eq (local.get $index) (i32.const -1)) (then (return (i32.const -1))))))
      (local.set $perturb (i32.shr_u (local.get $perturb) (i32.const 5)))
      (local.set $slot (i32.add (i32.add (i32.mul (local.get $slot) (i32.const 5)) (local.get $perturb)) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; The value at an index; 0 for the index -1. With a shared table of keys (kind 2), values are in the dictionary.
  (func $value_at (param $dict i32) (param $keys i32) (param $index i32) (result i32)
    (if (i32.lt_s (local.get $index) (i32.const 0)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u offset=6 (local.get $keys)) (i32.const 2))
      (then (return (i32.load offset=4
        (i32.add (i32.load offset=28 (local.get $dict)) (i32.shl (local.get $index) (i32.const 2)))))))
    (i32.load offset=4 (i32.add (call $entries (local.get $keys)) (i32.shl (local.get $index) (i32.const 3)))))

  (func $entries (param $keys i32) (result i32)
    (i32.add (i32.add (local.get $keys) (i32.const 20))
      (i32.shl (i32.const 1) (i32.load8_u offset=5 (local.get $keys)))))

  ;; Py_INCREF
  (func $own (param $object i32)
    (local $count i32)
    (local.set $count (i32.load (local.get $object)))
    (if (i32.le_s (local.get $count) (i32.const 0x3fffffff))
      (then (i32.store (local.get $object) (i32.add (local.get $count) (i32.const 1)))))))
