//! Python under a virtual clock: its clocks advance with the executed instructions, and each run gives the same
//! bytes.

use super::{check_with, exec};

const VIRTUAL: [&str; 6] = ["--clock", "virtual", "--seed", "5", "--timeout", "300s"];

/// Each prints the same as native CPython, except for the number of iterations of loops.
const ENDS: &[(&str, &str)] = &[
    ("timeout 0.2 python3 -c 'while True: pass'; echo $?", "124\n"),
    ("python3 -c 'import os, time; time.sleep(0.1); os.kill(os.getppid(), 15)' & while :; do :; done", ""),
    (
        "python3 - <<'END'\nimport time\nend = time.monotonic() + 0.2\nwhile time.monotonic() < end: pass\nprint('over')\nEND",
        "over\n",
    ),
    (
        "python3 - <<'END'\nimport signal\ndef ring(*_): raise SystemExit('rang')\nsignal.signal(signal.SIGALRM, ring)\nsignal.alarm(1)\nwhile True: pass\nEND\necho $?",
        "1\n",
    ),
    (
        "python3 - <<'END'\nimport asyncio\nasync def say(n):\n    await asyncio.sleep(n / 10)\n    print(n)\nasync def main():\n    await asyncio.gather(*(say(n) for n in (3, 1, 2)))\nasyncio.run(main())\nEND",
        "1\n2\n3\n",
    ),
    (
        "python3 - <<'END'\nimport subprocess\ntry:\n    subprocess.run(['bash', '-c', 'while :; do :; done'], timeout=0.3)\nexcept subprocess.TimeoutExpired:\n    print('late')\nEND",
        "late\n",
    ),
    (
        "python3 -c 'import time; a = time.time(); time.sleep(3600); print(round(time.time() - a, 1))'",
        "3600.0\n",
    ),
];

/// The output of each depends on timing.
const RACES: &[&str] = &[
    "python3 -c 'import time, random\nt = time.perf_counter_ns()\nwhile time.perf_counter_ns() - t < 30_000_000: n = random.random()\nprint(n, time.time_ns(), time.process_time_ns())'",
    "for i in 1 2 3; do python3 -c 'import sys\nfor k in range(20):\n    print(sys.argv[1], k, file=open(\"log\", \"a\"))' $i & done; wait; cat log; date +%s.%N",
    "python3 - <<'END'\nimport subprocess, selectors\nchosen = selectors.DefaultSelector()\nfor n in range(4):\n    script = f'for ((i = 0; i < {n * 300}; i++)); do :; done; echo {n}; echo again'\n    chosen.register(subprocess.Popen(['bash', '-c', script], stdout=subprocess.PIPE).stdout, selectors.EVENT_READ)\nwhile chosen.get_map():\n    for key, _ in chosen.select():\n        line = key.fileobj.readline()\n        print(line) if line else chosen.unregister(key.fileobj)\nEND",
    "python3 - <<'END'\nimport signal, time\nticks = []\nsignal.signal(signal.SIGALRM, lambda *_: ticks.append(n))\nsignal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)\nfor n in range(100_000): pass\nprint(ticks, time.monotonic())\nEND",
    "python3 -c 'print(hash(\"a\"), {\"a\", \"b\", \"c\", \"d\"}, [object() for _ in range(2)])'",
];

#[test]
fn what_waits_for_time_ends() {
    for (script, stdout) in ENDS {
        let status = if stdout.is_empty() { 143 } else { 0 };
        check_with(&VIRTUAL, script, status, stdout);
    }
}

#[test]
fn races_end_the_same_each_time_also_under_load() {
    for script in RACES {
        let first = exec(VIRTUAL, script);
        assert!(first.status.success(), "{script}: {}", String::from_utf8_lossy(&first.stderr));
        let again = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..6).map(|_| scope.spawn(|| exec(VIRTUAL, script))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect::<Vec<_>>()
        });
        for again in again {
            assert_eq!(again, first, "{script}");
        }
    }
}
