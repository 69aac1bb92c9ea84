;; The offset of the local time. In wasi-libc it is always zero. The pack reads time zones (`_sandshell/zones.py`)
;; and fills the `bytearray` at `zones` with a sorted list of all changes of the local time. Each entry has 48
;; bytes: the time from which it applies (64 bits), its offset, whether it is daylight saving time, the offset of
;; the nearest other kind of time, and its name with a trailing NUL. The first entry applies from the beginning;
;; instead of a start, it has the time from which the rules of 400 years earlier repeat.
(module
  (import "env" "memory" (memory 0))
  (import "told" "zones" (global $zones i32))

  ;; void __secs_to_zone(long long t, int local, int *isdst, long *offset, long *oppoff, const char **zonename)
  (func (export "__secs_to_zone")
    (param $time i64) (param $local i32) (param $dst i32) (param $offset i32) (param $opposite i32) (param $name i32)
    (local $entries i32) (local $low i32) (local $high i32) (local $middle i32) (local $entry i32) (local $shift i64)
    (local.set $entries (i32.load offset=20 (global.get $zones)))
    (local.set $high (i32.div_u (i32.load offset=8 (global.get $zones)) (i32.const 48)))
    (if (i64.ge_s (local.get $time) (i64.load (local.get $entries)))
      (then (local.set $time (i64.sub (local.get $time) (i64.mul (i64.const 12622780800)
        (i64.add (i64.const 1) (i64.div_u (i64.sub (local.get $time) (i64.load (local.get $entries)))
          (i64.const 12622780800))))))))
    (loop $search
      (if (i32.gt_u (i32.sub (local.get $high) (local.get $low)) (i32.const 1))
        (then
          (local.set $middle (i32.shr_u (i32.add (local.get $low) (local.get $high)) (i32.const 1)))
          (local.set $entry (i32.add (local.get $entries) (i32.mul (local.get $middle) (i32.const 48))))
          ;; For a local time that does not exist, the earlier offset is used; for one that exists twice, the first.
          (if (local.get $local)
            (then (local.set $shift (call $larger (i32.load offset=8 (i32.sub (local.get $entry) (i32.const 48)))
              (i32.load offset=8 (local.get $entry))))))
          (if (i64.ge_s (i64.sub (local.get $time) (local.get $shift)) (i64.load (local.get $entry)))
            (then (local.set $low (local.get $middle)))
            (else (local.set $high (local.get $middle))))
          (br $search))))
    (local.set $entry (i32.add (local.get $entries) (i32.mul (local.get $low) (i32.const 48))))
    (if (local.get $dst) (then (i32.store (local.get $dst) (i32.load offset=12 (local.get $entry)))))
    (if (local.get $offset) (then (i32.store (local.get $offset) (i32.load offset=8 (local.get $entry)))))
    (if (local.get $opposite) (then (i32.store (local.get $opposite) (i32.load offset=16 (local.get $entry)))))
    (if (local.get $name) (then (i32.store (local.get $name) (i32.add (local.get $entry) (i32.const 20))))))

  (func $larger (param $one i32) (param $other i32) (result i64)
    (i64.extend_i32_s (select (local.get $one) (local.get $other) (i32.gt_s (local.get $one) (local.get $other))))))
