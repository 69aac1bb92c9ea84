;; The entries of directories. `os.scandir` of the interpreter asks the C library; here it makes objects of the
;; interpreter's own type from what the kernel has answered.
;;
;; An entry has: its name, its path, what `stat` and `lstat` gave (both may be missing), the C library's type, the
;; inode, the directory's descriptor.
(module
  (import "env" "memory" (memory 0))
  (import "env" "PyList_New" (func $new_list (param i32) (result i32)))
  (import "env" "PyType_GenericAlloc" (func $allocated (param i32 i32) (result i32)))
  (import "env" "PyNumber_Add" (func $sum (param i32 i32) (result i32)))
  (import "env" "PyLong_AsLong" (func $value (param i32) (result i32)))
  (import "env" "Py_IncRef" (func $hold (param i32)))
  (import "env" "Py_DecRef" (func $give_up (param i32)))

  ;; The arguments: the type; the list of names; what comes before a name in its path; for each entry a byte with its
  ;; type and eight with its inode; the descriptor of the directory, or the number for none. Returns a list of entries.
  ;; Only `_sandshell.files` calls it.
  (func (export "os_scandir") (param $module i32) (param $arguments i32) (param $count i32) (param $keywords i32) (result i32)
    (local $type i32) (local $names i32) (local $before i32) (local $kinds i32) (local $inodes i32) (local $directory i32)
    (local $made i32) (local $entry i32) (local $name i32) (local $path i32) (local $at i32) (local $end i32)
    (local.set $type (i32.load (local.get $arguments)))
    (local.set $names (i32.load offset=4 (local.get $arguments)))
    (local.set $before (i32.load offset=8 (local.get $arguments)))
    (local.set $kinds (i32.add (i32.load offset=12 (local.get $arguments)) (i32.const 16)))
    (local.set $inodes (i32.add (i32.load offset=16 (local.get $arguments)) (i32.const 16)))
    (local.set $directory (call $value (i32.load offset=20 (local.get $arguments))))
    (local.set $end (i32.load offset=8 (local.get $names)))
    (local.set $made (call $new_list (local.get $end)))
    (if (i32.eqz (local.get $made)) (then (return (i32.const 0))))
    (block $failed
      (block $whole
        (loop $next
          (br_if $whole (i32.ge_u (local.get $at) (local.get $end)))
          (br_if $failed (i32.eqz (local.tee $entry (call $allocated (local.get $type) (i32.const 0)))))
          (call $set_item (local.get $made) (local.get $at) (local.get $entry))
          (local.set $name (call $item (local.get $names) (local.get $at)))
          (call $hold (local.get $name))
          (i32.store offset=8 (local.get $entry) (local.get $name))
          (br_if $failed (i32.eqz (local.tee $path (call $sum (local.get $before) (local.get $name)))))
          (i32.store offset=12 (local.get $entry) (local.get $path))
          (i32.store8 offset=24 (local.get $entry) (i32.load8_u (i32.add (local.get $kinds) (local.get $at))))
          (i64.store offset=32 (local.get $entry)
            (i64.load align=1 (i32.add (local.get $inodes) (i32.shl (local.get $at) (i32.const 3)))))
          (i32.store offset=40 (local.get $entry) (local.get $directory))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (return (local.get $made)))
    (call $give_up (local.get $made))
    (i32.const 0))

  ;; The element of a list, which has a pointer to them.
  (func $item (param $list i32) (param $at i32) (result i32)
    (i32.load (i32.add (i32.load offset=12 (local.get $list)) (i32.shl (local.get $at) (i32.const 2)))))

  (func $set_item (param $list i32) (param $at i32) (param $object i32)
    (i32.store (i32.add (i32.load offset=12 (local.get $list)) (i32.shl (local.get $at) (i32.const 2))) (local.get $object))))
