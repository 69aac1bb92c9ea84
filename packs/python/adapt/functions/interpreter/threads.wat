;; Threads. Each has a stack of its own in the memory, and one of the engine's (`adapt.threads`). Only one runs at a
;; time: a thread runs until it waits, ends, or lets the interpreter's lock go; then the next one that is ready goes
;; on. So locks of the C library are never contended, and a semaphore is a number with a list of threads.
;;
;; A thread's block of memory begins with:
;;   0 the next thread in the ring, 4 the previous one, 8 its number for the engine,
;;   12 what it waits for (0: it is ready), 16 until when (nanoseconds of the monotonic clock), 24 its stack pointer,
;;   28 the argument of `thread_run`, 32 four pairs of keys and values (`PyThread_tss`), 64 the stack.
;; The state:
;;   0 the running thread, 4 how many there are, 8 whether to yield at the next chance, 12 the thread that polls
;;   descriptors when nobody else is ready, 16 how many threads wait for descriptors, 20 the thread that ran last
;;   besides the polling one, 24 the block of a thread that has ended, 64 the main thread's block.
(module
  (import "env" "memory" (memory 0))
  (import "env" "__indirect_function_table" (table 0 funcref))
  (import "env" "__stack_pointer" (global $stack (mut i32)))
  (import "told" "threads" (global $state i32))
  (import "told" "new_thread" (global $new_thread i32))
  (import "told" "switch_thread" (global $switch_thread i32))
  (import "told" "later_thread" (global $later_thread i32))
  (import "told" "index_thread" (global $index_thread i32))
  (import "told" "stack_size" (global $stack_size i32))
  (import "told" "most_threads" (global $most i32))
  (import "before" "thread_run" (func $run (param i32)))
  (import "before" "take_gil" (func $take_lock (param i32)))
  (import "before" "PyThread_get_thread_ident" (func $main_ident (result i32)))
  (import "before" "PyThread_tss_get" (func $main_get (param i32) (result i32)))
  (import "before" "PyThread_tss_set" (func $main_set (param i32 i32) (result i32)))
  (import "before" "_Py_InitializeRecursionLimits" (func $main_limits (param i32)))
  (import "env" "malloc" (func $malloc (param i32) (result i32)))
  (import "env" "free" (func $free (param i32)))
  (import "env" "nanosleep" (func $nanosleep (param i32 i32) (result i32)))
  (import "env" "PyTime_MonotonicRaw" (func $clock (param i32) (result i32)))
  (import "env" "PyThreadState_GetUnchecked" (func $thread_state (result i32)))
  (import "env" "PyEval_ReleaseThread" (func $release (param i32)))
  (import "env" "PyEval_AcquireThread" (func $acquire (param i32)))
  (import "env" "PyErr_SetInterruptEx" (func $trip (param i32) (result i32)))
  (import "env" "PyLong_AsLong" (func $as_long (param i32) (result i32)))
  (import "env" "PyLong_FromLongLong" (func $from_long (param i64) (result i32)))

  (func $main (result i32) (i32.add (global.get $state) (i32.const 64)))

  ;; The running thread; the main thread's block is filled when it is needed first.
  (func $me (result i32)
    (local $main i32)
    (if (i32.eqz (i32.load (global.get $state)))
      (then
        (local.set $main (call $main))
        (i32.store (local.get $main) (local.get $main))
        (i32.store offset=4 (local.get $main) (local.get $main))
        (i32.store offset=8 (local.get $main) (call_indirect (result i32) (global.get $index_thread)))
        (i32.store (global.get $state) (local.get $main))
        (i32.store offset=4 (global.get $state) (i32.const 1))
        (i32.store offset=20 (global.get $state) (local.get $main))))
    (i32.load (global.get $state)))

  (func $is_main (result i32)
    (i32.or (i32.eqz (i32.load (global.get $state))) (i32.eq (i32.load (global.get $state)) (call $main))))

  (func $now (result i64)
    (local $now i64)
    (global.set $stack (i32.sub (global.get $stack) (i32.const 16)))
    (drop (call $clock (global.get $stack)))
    (local.set $now (i64.load (global.get $stack)))
    (global.set $stack (i32.add (global.get $stack) (i32.const 16)))
    (local.get $now))

  ;; The moment after this many nanoseconds; a negative number means never.
  (func $moment (param $nanoseconds i64) (result i64)
    (local $now i64)
    (if (i64.lt_s (local.get $nanoseconds) (i64.const 0)) (then (return (i64.const 0x7fffffffffffffff))))
    (local.set $now (call $now))
    (select (i64.add (local.get $now) (local.get $nanoseconds)) (i64.const 0x7fffffffffffffff)
      (i64.gt_s (i64.sub (i64.const 0x7fffffffffffffff) (local.get $nanoseconds)) (local.get $now))))

  ;; The next thread that is ready, in turn; 0 if none is. The polling thread is never the answer.
  (func $next (result i32)
    (local $thread i32) (local $last i32) (local $now i64)
    (local.set $last (i32.load offset=20 (global.get $state)))
    (local.set $thread (local.get $last))
    (loop $look
      (local.set $thread (i32.load (local.get $thread)))
      (if (i32.ne (local.get $thread) (i32.load offset=12 (global.get $state)))
        (then
          (if (i32.eqz (i32.load offset=12 (local.get $thread))) (then (return (local.get $thread))))
          (if (i64.ne (i64.load offset=16 (local.get $thread)) (i64.const 0x7fffffffffffffff))
            (then
              (if (i64.eqz (local.get $now)) (then (local.set $now (call $now))))
              (if (i64.le_s (i64.load offset=16 (local.get $thread)) (local.get $now))
                (then (return (local.get $thread))))))))
      (br_if $look (i32.ne (local.get $thread) (local.get $last))))
    (i32.const 0))

  ;; The first moment at which a thread stops waiting.
  (func $first_moment (result i64)
    (local $thread i32) (local $first i64)
    (local.set $first (i64.const 0x7fffffffffffffff))
    (local.set $thread (call $main))
    (loop $look
      (if (i32.and (i32.ne (i32.load offset=12 (local.get $thread)) (i32.const 0))
                   (i64.lt_s (i64.load offset=16 (local.get $thread)) (local.get $first)))
        (then (local.set $first (i64.load offset=16 (local.get $thread)))))
      (local.set $thread (i32.load (local.get $thread)))
      (br_if $look (i32.ne (local.get $thread) (call $main))))
    (local.get $first))

  ;; Sleeps until a thread stops waiting. Only before there is a polling thread.
  (func $sleep
    (local $first i64)
    (local.set $first (i64.sub (call $first_moment) (call $now)))
    (global.set $stack (i32.sub (global.get $stack) (i32.const 16)))
    (i64.store (global.get $stack) (i64.div_s (local.get $first) (i64.const 1000000000)))
    (i64.store offset=8 (global.get $stack) (i64.rem_s (local.get $first) (i64.const 1000000000)))
    ;; Not longer than a day at once, so that no clock overflows.
    (if (i64.gt_s (i64.load (global.get $stack)) (i64.const 86400))
      (then (i64.store (global.get $stack) (i64.const 86400))))
    (if (i64.gt_s (local.get $first) (i64.const 0))
      (then (drop (call $nanosleep (global.get $stack) (i32.const 0)))))
    (global.set $stack (i32.add (global.get $stack) (i32.const 16))))

  ;; The thread to go on with when the running one cannot: the next ready one, else the polling one.
  (func $successor (result i32)
    (local $thread i32)
    (loop $again
      (local.set $thread (call $next))
      (if (i32.eqz (local.get $thread))
        (then
          (local.set $thread (i32.load offset=12 (global.get $state)))
          (if (i32.or (i32.eqz (local.get $thread)) (i32.eq (local.get $thread) (i32.load (global.get $state))))
            (then (call $sleep) (br $again))))))
    (local.get $thread))

  (func $becomes (param $thread i32)
    (i32.store (global.get $state) (local.get $thread))
    (if (i32.ne (local.get $thread) (i32.load offset=12 (global.get $state)))
      (then (i32.store offset=20 (global.get $state) (local.get $thread)))))

  ;; Frees the block of a thread that has ended: it could not do so while it ran.
  (func $reap
    (if (i32.load offset=24 (global.get $state))
      (then
        (call $free (i32.load offset=24 (global.get $state)))
        (i32.store offset=24 (global.get $state) (i32.const 0)))))

  ;; Goes on with another thread; returns when this one is switched to again.
  (func $switch (param $thread i32)
    (local $me i32)
    (local.set $me (call $me))
    (if (i32.eq (local.get $me) (local.get $thread)) (then (return)))
    (i32.store offset=24 (local.get $me) (global.get $stack))
    (call $becomes (local.get $thread))
    (drop (call_indirect (param i32) (result i32) (i32.load offset=8 (local.get $thread)) (global.get $switch_thread)))
    (global.set $stack (i32.load offset=24 (local.get $me)))
    (call $reap))

  ;; Waits until somebody wakes those who wait for `key`: 0. 1: the time is over.
  (func $wait (param $key i32) (param $until i64) (result i32)
    (local $me i32)
    (local.set $me (call $me))
    (i32.store offset=12 (local.get $me) (local.get $key))
    (i64.store offset=16 (local.get $me) (local.get $until))
    (loop $again
      (call $switch (call $successor))
      (if (i32.eqz (i32.load offset=12 (local.get $me))) (then (return (i32.const 0))))
      (br_if $again (i64.gt_s (local.get $until) (call $now))))
    (i32.store offset=12 (local.get $me) (i32.const 0))
    (i32.const 1))

  ;; Makes the first thread that waits for `key` ready.
  (func $wake (param $key i32)
    (local $thread i32)
    (local.set $thread (call $me))
    (loop $look
      (local.set $thread (i32.load (local.get $thread)))
      (if (i32.eq (i32.load offset=12 (local.get $thread)) (local.get $key))
        (then (i32.store offset=12 (local.get $thread) (i32.const 0)) (return)))
      (br_if $look (i32.ne (local.get $thread) (i32.load (global.get $state))))))

  ;; Lets others run. While some wait for descriptors, the polling thread has its turn as well.
  (func $yield
    (local $thread i32)
    (local.set $thread (call $me))
    (if (i32.and (i32.ne (i32.load offset=16 (global.get $state)) (i32.const 0))
                 (i32.ne (i32.load offset=12 (global.get $state)) (local.get $thread)))
      (then (call $switch (i32.load offset=12 (global.get $state))))
      (else
        (local.set $thread (call $next))
        (if (local.get $thread) (then (call $switch (local.get $thread)))))))

  ;; Starts a thread. -1: there are too many, or there is no memory for it. Only `_thread` calls this, with
  ;; `thread_run`.
  (func (export "PyThread_start_joinable_thread") (param $function i32) (param $argument i32) (param $ident i32) (param $handle i32)
      (result i32)
    (local $thread i32) (local $me i32)
    (local.set $me (call $me))
    (if (i32.ge_u (i32.load offset=4 (global.get $state)) (global.get $most)) (then (return (i32.const -1))))
    (local.set $thread (call $malloc (global.get $stack_size)))
    (if (i32.eqz (local.get $thread)) (then (return (i32.const -1))))
    (memory.fill (local.get $thread) (i32.const 0) (i32.const 64))
    (i32.store offset=28 (local.get $thread) (local.get $argument))
    (i32.store offset=8 (local.get $thread)
      (call_indirect (param i32 i32) (result i32) (local.get $function) (local.get $thread) (global.get $new_thread)))
    ;; Before the running thread in the ring: its turn comes after all others'.
    (i32.store (local.get $thread) (local.get $me))
    (i32.store offset=4 (local.get $thread) (i32.load offset=4 (local.get $me)))
    (i32.store (i32.load offset=4 (local.get $me)) (local.get $thread))
    (i32.store offset=4 (local.get $me) (local.get $thread))
    (i32.store offset=4 (global.get $state) (i32.add (i32.load offset=4 (global.get $state)) (i32.const 1)))
    (i64.store (local.get $ident) (i64.extend_i32_u (local.get $thread)))
    (i32.store (local.get $handle) (local.get $thread))
    (i32.const 0))

  ;; A thread's whole life, on its own stacks.
  (func (export "thread_run") (param $me i32)
    (local $thread i32)
    (global.set $stack (i32.and (i32.add (local.get $me) (global.get $stack_size)) (i32.const -16)))
    (call $reap)
    (call $run (i32.load offset=28 (local.get $me)))
    ;; It waits for nothing that ever happens, so that it is not its own successor.
    (i32.store offset=12 (local.get $me) (local.get $me))
    (i64.store offset=16 (local.get $me) (i64.const 0x7fffffffffffffff))
    (local.set $thread (call $successor))
    (i32.store (i32.load offset=4 (local.get $me)) (i32.load (local.get $me)))
    (i32.store offset=4 (i32.load (local.get $me)) (i32.load offset=4 (local.get $me)))
    (if (i32.eq (i32.load offset=20 (global.get $state)) (local.get $me))
      (then (i32.store offset=20 (global.get $state) (i32.load offset=4 (local.get $me)))))
    (i32.store offset=4 (global.get $state) (i32.sub (i32.load offset=4 (global.get $state)) (i32.const 1)))
    (call $becomes (local.get $thread))
    (i32.store offset=24 (global.get $state) (local.get $me))
    (call_indirect (param i32) (i32.load offset=8 (local.get $thread)) (global.get $later_thread)))

  (func (export "PyThread_join_thread") (param $handle i32) (result i32) (i32.const 0))

  (func (export "PyThread_detach_thread") (param $handle i32) (result i32) (i32.const 0))

  (func $ident (export "PyThread_get_thread_ident") (result i32)
    (if (call $is_main) (then (return (call $main_ident))))
    (i32.load (global.get $state)))

  (func (export "PyThread_get_thread_ident_ex") (result i64) (i64.extend_i32_u (call $ident)))

  ;; Each thread has its own values, of which the interpreter uses two.
  (func $place (param $key i32) (result i32)
    (local $place i32)
    (local.set $place (i32.add (i32.load (global.get $state)) (i32.const 32)))
    (loop $look
      (if (i32.or (i32.eq (i32.load (local.get $place)) (local.get $key)) (i32.eqz (i32.load (local.get $place))))
        (then (return (local.get $place))))
      (local.set $place (i32.add (local.get $place) (i32.const 8)))
      (br_if $look (i32.lt_u (local.get $place) (i32.add (i32.load (global.get $state)) (i32.const 64)))))
    (unreachable))

  (func (export "PyThread_tss_get") (param $key i32) (result i32)
    (if (call $is_main) (then (return (call $main_get (local.get $key)))))
    (i32.load offset=4 (call $place (local.get $key))))

  (func (export "PyThread_tss_set") (param $key i32) (param $value i32) (result i32)
    (local $place i32)
    (if (call $is_main) (then (return (call $main_set (local.get $key) (local.get $value)))))
    (local.set $place (call $place (local.get $key)))
    (i32.store (local.get $place) (local.get $key))
    (i32.store offset=4 (local.get $place) (local.get $value))
    (i32.const 0))

  ;; The limits for recursion of C functions: the same margins as for the main thread.
  (func (export "_Py_InitializeRecursionLimits") (param $thread_state i32)
    (local $end i32)
    (if (call $is_main) (then (call $main_limits (local.get $thread_state)) (return)))
    (local.set $end (i32.add (i32.load (global.get $state)) (i32.const 64)))
    (i32.store offset=712 (local.get $thread_state) (i32.add (local.get $end) (i32.const 16384)))
    (i32.store offset=708 (local.get $thread_state) (i32.add (i32.load (global.get $state)) (global.get $stack_size)))
    (i32.store offset=716 (local.get $thread_state) (i32.add (local.get $end) (i32.const 8192))))

  ;; Waits for a semaphore (its condition variable is at 24, its number at 72): 0, or -2 if the time is over, or -3 for
  ;; a signal's handlers.
  (func (export "_PySemaphore_Wait") (param $semaphore i32) (param $nanoseconds i64) (param $detach i32) (result i32)
    (local $thread_state i32) (local $result i32)
    (if (local.get $detach)
      (then
        (local.set $thread_state (call $thread_state))
        (if (local.get $thread_state)
          (then
            (if (i32.eq (i32.load offset=28 (local.get $thread_state)) (i32.const 1))
              (then (call $release (local.get $thread_state)))
              (else (local.set $thread_state (i32.const 0))))))))
    (if (i32.le_s (i32.load offset=72 (local.get $semaphore)) (i32.const 0))
      (then
        (local.set $result
          (select (i32.const -2) (i32.const -3) (call $wait (i32.add (local.get $semaphore) (i32.const 24)) (call $moment (local.get $nanoseconds)))))))
    (if (i32.gt_s (i32.load offset=72 (local.get $semaphore)) (i32.const 0))
      (then
        (i32.store offset=72 (local.get $semaphore) (i32.sub (i32.load offset=72 (local.get $semaphore)) (i32.const 1)))
        (local.set $result (i32.const 0))))
    (if (local.get $thread_state) (then (call $acquire (local.get $thread_state))))
    (local.get $result))

  ;; While SQLite waits for another's lock, other threads run. It is called with and without the interpreter's lock.
  (func (export "unixSleep") (param $vfs i32) (param $microseconds i32) (result i32)
    (local $thread_state i32)
    (local.set $thread_state (call $thread_state))
    (if (local.get $thread_state) (then (call $release (local.get $thread_state))))
    (drop (call $wait (i32.const 1) (call $moment (i64.mul (i64.extend_i32_u (local.get $microseconds)) (i64.const 1000)))))
    (if (local.get $thread_state) (then (call $acquire (local.get $thread_state))))
    (local.get $microseconds))

  ;; The locks of C modules: the first byte tells whether one is held. 0: not acquired, 1: acquired, 2: interrupted.
  (func (export "PyThread_acquire_lock_timed") (param $lock i32) (param $microseconds i64) (param $interruptible i32) (result i32)
    (local $until i64)
    (if (i32.load8_u (local.get $lock))
      (then
        (if (i64.eqz (local.get $microseconds)) (then (return (i32.const 0))))
        (local.set $until
          (call $moment
            (select (i64.const -1) (i64.mul (local.get $microseconds) (i64.const 1000))
              (i64.gt_u (local.get $microseconds) (i64.const 9000000000000000)))))
        (loop $again
          (if (call $wait (local.get $lock) (local.get $until)) (then (return (i32.const 0))))
          (if (i32.load8_u (local.get $lock))
            (then
              (if (local.get $interruptible) (then (return (i32.const 2))))
              (br $again))))))
    (i32.store8 (local.get $lock) (i32.const 1))
    (i32.const 1))

  (func (export "PyThread_release_lock") (param $lock i32)
    (i32.store8 (local.get $lock) (i32.const 0))
    (call $wake (local.get $lock)))

  ;; The interpreter's lock is always free, because a thread lets it go before others run.
  (func (export "take_gil") (param $thread_state i32)
    (if (i32.load offset=8 (global.get $state))
      (then
        (i32.store offset=8 (global.get $state) (i32.const 0))
        (call $yield)))
    (call $take_lock (local.get $thread_state)))

  ;; Called every few milliseconds while a thread computes (`adapt.signals`), in place of a function that nothing calls:
  ;; makes the interpreter let its lock go, and the main thread look for signals.
  (func (export "PyThread_delete_key") (param $thread_state i32)
    (if (i32.gt_u (i32.load offset=4 (global.get $state)) (i32.const 1))
      (then
        (i32.store offset=8 (global.get $state) (i32.const 1))
        ;; `_PY_GIL_DROP_REQUEST_BIT` of `eval_breaker`.
        (i32.store offset=12 (local.get $thread_state) (i32.or (i32.load offset=12 (local.get $thread_state)) (i32.const 1)))
        (i32.store (i32.add (call $main) (i32.const 12)) (i32.const 0)))))

  ;; What `_sandshell.threads` calls, in place of a function that was replaced:
  ;; 0: lets others run. 1: nanoseconds until a thread is ready, -1 if none will be. 2: this thread is the polling one.
  ;; 3: the main thread looks for signals. 4 and 5: one more, or one less, waits for descriptors. 6: how many threads
  ;; there are.
  (func (export "os_get_inheritable") (param $module i32) (param $what i32) (result i32)
    (local $thread_state i32) (local $first i64)
    (local.set $what (call $as_long (local.get $what)))
    (drop (call $me))
    (if (i32.eqz (local.get $what))
      (then
        (local.set $thread_state (call $thread_state))
        (call $release (local.get $thread_state))
        (call $yield)
        (call $acquire (local.get $thread_state))))
    (if (i32.eq (local.get $what) (i32.const 1))
      (then
        (if (call $next) (then (return (call $from_long (i64.const 0)))))
        (local.set $first (call $first_moment))
        (if (i64.eq (local.get $first) (i64.const 0x7fffffffffffffff)) (then (return (call $from_long (i64.const -1)))))
        (local.set $first (i64.sub (local.get $first) (call $now)))
        (return (call $from_long (select (local.get $first) (i64.const 0) (i64.gt_s (local.get $first) (i64.const 0)))))))
    (if (i32.eq (local.get $what) (i32.const 2))
      (then
        (i32.store offset=12 (global.get $state) (i32.load (global.get $state)))
        (i32.store offset=20 (global.get $state) (call $main))))
    (if (i32.eq (local.get $what) (i32.const 3))
      (then
        (drop (call $trip (i32.const 2)))
        (i32.store (i32.add (call $main) (i32.const 12)) (i32.const 0))))
    (if (i32.eq (local.get $what) (i32.const 4))
      (then (i32.store offset=16 (global.get $state) (i32.add (i32.load offset=16 (global.get $state)) (i32.const 1)))))
    (if (i32.eq (local.get $what) (i32.const 5))
      (then (i32.store offset=16 (global.get $state) (i32.sub (i32.load offset=16 (global.get $state)) (i32.const 1)))))
    (call $from_long (i64.load32_u offset=4 (global.get $state)))))
