;; Whether a raw file is closed. The interpreter's own streams ask this for each line. The pack's `FileIO` stores it
;; in its first slot (`_is_closed`).
(module
  (import "env" "memory" (memory 0))
  (import "GOT.mem" "_Py_FalseStruct" (global $false (mut i32)))

  (func (export "_PyFileIO_closed") (param $file i32) (result i32)
    (i32.ne (i32.load offset=16 (local.get $file)) (global.get $false))))
