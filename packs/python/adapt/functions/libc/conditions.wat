;; The interpreter wakes the thread that waits for a semaphore by a condition variable's signal, which the compiler put
;; into the functions that do so. See `functions/interpreter/threads.wat` for the scheduler's memory.
(module
  (import "env" "memory" (memory 0))
  (import "told" "threads" (global $state i32))

  ;; Makes the first thread that waits for it ready.
  (func (export "pthread_cond_signal") (param $condition i32) (result i32)
    (local $thread i32) (local $running i32)
    (local.set $running (i32.load (global.get $state)))
    (local.set $thread (local.get $running))
    (block $none
      (br_if $none (i32.eqz (local.get $running)))
      (loop $look
        (local.set $thread (i32.load (local.get $thread)))
        (if (i32.eq (i32.load offset=12 (local.get $thread)) (local.get $condition))
          (then (i32.store offset=12 (local.get $thread) (i32.const 0)) (br $none)))
        (br_if $look (i32.ne (local.get $thread) (local.get $running)))))
    (i32.const 0))

  ;; The only caller that is left waits for another thread to have taken the interpreter's lock. It then lets others
  ;; run, so that there is nothing to wait for here.
  (func (export "pthread_cond_wait") (param $condition i32) (param $mutex i32) (result i32) (i32.const 0)))
