//! The scripts. Each is generated from its number; the kinds follow each other in turn.

use std::fmt::Write;

/// A kind of script.
struct Kind {
    make: fn(&mut Dice) -> String,
    /// Whether the times and inode numbers of files are part of the result.
    race: bool,
    /// Whether the result stays the same if programs execute a few more instructions.
    steady: bool,
}

const KINDS: &[Kind] = &[
    Kind { make: races, race: true, steady: false },
    Kind { make: pipelines, race: false, steady: false },
    Kind { make: jobs, race: false, steady: false },
    Kind { make: traps, race: false, steady: true },
    Kind { make: parallel_make, race: true, steady: false },
    Kind { make: parallel_xargs, race: true, steady: false },
    Kind { make: busy_waits, race: false, steady: true },
    Kind { make: timeouts, race: false, steady: true },
    Kind { make: clocks, race: true, steady: false },
    Kind { make: interrupted, race: true, steady: false },
];

fn kind(number: u32) -> &'static Kind {
    &KINDS[number as usize % KINDS.len()]
}

/// Whether the times and inode numbers of files are part of a script's result.
pub(super) fn is_race(number: u32) -> bool {
    kind(number).race
}

/// Whether a script's result stays the same if the programs' code changes without changing their behaviour.
pub(super) fn is_steady(number: u32) -> bool {
    kind(number).steady
}

/// The script with this number.
pub(super) fn script(number: u32) -> String {
    (kind(number).make)(&mut Dice(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
}

/// A random number generator (xorshift64*).
struct Dice(u64);

impl Dice {
    /// A number from `low` to `high`.
    fn roll(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        low + (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % (high - low + 1)
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.roll(0, choices.len() as u64 - 1)).unwrap()]
    }
}

/// Unordered writers to one file and one pipe.
fn races(dice: &mut Dice) -> String {
    let mut script = String::new();
    for writer in 0..dice.roll(2, 6) {
        let (rounds, spin) = (dice.roll(2, 8), dice.roll(0, 400));
        let pause =
            dice.pick(&["", "; sleep 0.001", "; sleep 0", "; kill -0 $$", "; echo $RANDOM >> random"]);
        let target = dice.pick(&[">> log", "| tee -a log", "> last", ">&2"]);
        writeln!(
            script,
            "(for ((r = 0; r < {rounds}; r++)); do for ((i = 0; i < {spin}; i++)); do :; done; echo {writer} $r {target}{pause}; done) &"
        )
        .unwrap();
    }
    script + "wait; cat log last random 2>/dev/null; echo $BASHPID $$ $!"
}

fn pipelines(dice: &mut Dice) -> String {
    let mut script = format!("seq {}", dice.roll(1, 3000));
    for _ in 0..dice.roll(1, 6) {
        script += " | ";
        script += dice.pick(&[
            "cat",
            "sort -R --random-source=/bin/sh",
            "sort -n",
            "while read -r l; do echo \"<$l>\"; done",
            "tee >(wc -l > count)",
            "awk '{ print $0, NR % 7 }'",
            "sed 's/1/one/g'",
            "head -n 700",
            "tail -n 500",
            "(sleep 0.01; cat)",
            "tr 0-9 a-j",
            "xargs -n 40 echo",
            "grep -v 3",
            "uniq -c",
        ]);
    }
    script + " | md5sum; echo \"${PIPESTATUS[@]}\"; wait; cat count 2>/dev/null"
}

fn jobs(dice: &mut Dice) -> String {
    let mut script = String::new();
    let count = dice.roll(2, 5);
    for job in 1..=count {
        let body = match dice.roll(0, 4) {
            0 => format!("sleep 0.{job}; exit {job}"),
            1 => format!("sleep 1{job}; echo never"),
            2 => format!("sleep 0.0{job}; echo job {job}"),
            3 => format!("echo at once {job} > file{job}; sleep 0.{job}5; cat file{job}"),
            _ => format!("kill -STOP $BASHPID; echo continued {job}; exit 2{job}"),
        };
        writeln!(script, "({body}) & pids+=($!)").unwrap();
    }
    for _ in 0..dice.roll(1, 4) {
        script += dice.pick(&[
            "wait -n -p which \"${pids[@]}\"; echo $? $((which > 0))\n",
            "sleep 0.5; jobs\n",
            "sleep 0.3; jobs -r | wc -l\n",
            "sleep 0.3; kill -CONT \"${pids[@]}\" 2>/dev/null; echo $?\n",
            "disown %1; echo $?\n",
            "kill %2 2>/dev/null; wait %2; echo $?\n",
        ]);
    }
    script
        + "sleep 1; kill -CONT \"${pids[@]}\" 2>/dev/null; sleep 1; kill \"${pids[@]}\" 2>/dev/null\nfor pid in \"${pids[@]}\"; do wait $pid 2>/dev/null; echo $?; done"
}

fn traps(dice: &mut Dice) -> String {
    let signal = dice.pick(&["USR1", "USR2", "TERM", "HUP", "ALRM", "WINCH", "CHLD"]);
    let wait =
        dice.pick(&["sleep 2", "wait", "read line <> <(sleep 3)", "while [ $n -lt 2 ]; do sleep 0.05; done"]);
    let first = dice.roll(1, 9);
    format!(
        "n=0; trap 'echo got {signal} $((++n)); [ $n -ge 3 ] && exit 7' {signal}; trap 'echo leaving $n' EXIT
(sleep 0.{first}; for k in 1 2 3 4; do kill -{signal} $$ 2>/dev/null; sleep 0.2; done; echo sender done >&2) &
sleep 0.05
{wait}
echo after $?
for k in 1 2 3; do sleep 0.3; echo $k; done"
    )
}

fn parallel_make(dice: &mut Dice) -> String {
    let (count, jobs) = (dice.roll(3, 9), dice.roll(2, 5));
    let mut makefile = String::from("all:");
    for target in 1..=count {
        write!(makefile, " t{target}").unwrap();
    }
    makefile += "\\n\\t@cat t* | md5sum\\n";
    for target in 1..=count {
        let (nap, spin) = (dice.roll(0, 4), dice.roll(0, 900));
        let needs = if target > 2 && dice.roll(0, 1) == 1 {
            format!("t{}", dice.roll(1, target - 1))
        } else {
            String::new()
        };
        write!(
            makefile,
            "t{target}: {needs}\\n\\t@sleep 0.0{nap}; i=0; while [ $$i -lt {spin} ]; do i=$$((i + 1)); done; echo made $@ | tee $@\\n"
        )
        .unwrap();
    }
    let output = dice.pick(&["", "-O", "-k", "--trace"]);
    format!("printf '{makefile}' > Makefile\nmake -j{jobs} {output}; echo $?; make -j{jobs}")
}

fn parallel_xargs(dice: &mut Dice) -> String {
    let (count, at_once, batch) = (dice.roll(4, 24), dice.roll(2, 6), dice.roll(1, 3));
    let spin = dice.roll(0, 40);
    let tail = dice.pick(&["", "| sort", "| tee log | tail -n 3"]);
    format!(
        "seq {count} | xargs -P {at_once} -n {batch} bash -c 'for ((i = 0; i < $1 * {spin}; i++)); do :; done; echo \"$@\" >> order; echo $1 done' _ {tail}
echo \"${{PIPESTATUS[@]}}\"; cat order"
    )
}

/// Busy loops that poll for an event, next to the process that causes it.
fn busy_waits(dice: &mut Dice) -> String {
    let nap = dice.roll(1, 8);
    let (until, act) = match dice.roll(0, 6) {
        0 => ("[ -e flag ]", "> flag"),
        1 => ("! kill -0 $! 2>/dev/null", "exit 3"),
        2 => ("[ \"$got\" = yes ]", "kill -USR1 $$"),
        3 => ("(( SECONDS >= 2 ))", "true"),
        4 => ("read -t 0 <&3 && read -r line <&3", "echo line >&3"),
        5 => ("[ -s flag ] && grep -q done flag", "echo done > flag"),
        _ => ("(( ${EPOCHREALTIME/./} > start + 150000 ))", "true"),
    };
    format!(
        "trap 'got=yes' USR1; start=${{EPOCHREALTIME/./}}; mkfifo fifo; exec 3<> fifo
(sleep 0.{nap}; {act}) &
until {until}; do :; done
echo seen; wait $!; echo $? $(( SECONDS < 4 ))"
    )
}

/// Endless processes that are stopped.
fn timeouts(dice: &mut Dice) -> String {
    let work = dice.pick(&[
        "while :; do :; done",
        "yes > /dev/null",
        "trap \"\" TERM; while :; do :; done",
        "trap \"echo ended; exit 9\" TERM; while :; do :; done",
        "cat /dev/zero | tr a b > /dev/null",
        "sleep 1000",
        "exec bash -c \"until false; do :; done\"",
        "while sleep 0.001; do :; done",
        "(while :; do :; done) & (sleep 1000) & wait",
    ]);
    let how = dice.pick(&["", "-k 0.1", "-s INT", "--preserve-status", "-s KILL", "--foreground -k 0.05"]);
    let time = dice.pick(&["0.05", "0.2", "0.01"]);
    let kill = dice.pick(&["KILL", "TERM", "INT"]);
    format!(
        "timeout {how} -k 1 {time} bash -c '{work}' 2>/dev/null; echo $?
(sleep 0.1; kill -{kill} $$; sleep 0.1; kill -9 $$) & while :; do :; done"
    )
}

/// The time, from every source that shows it.
fn clocks(dice: &mut Dice) -> String {
    let spin = dice.roll(10, 5000);
    let mut script = format!("spin() {{ for ((i = 0; i < {spin}; i++)); do :; done; }}\n");
    for _ in 0..dice.roll(2, 6) {
        script += dice.pick(&[
            "spin; echo $EPOCHREALTIME\n",
            "TIMEFORMAT='%R %U %S'; time spin\n",
            "date +%s.%N; date -d 'next monday' +%F\n",
            "sleep 1.5; echo $SECONDS $EPOCHSECONDS\n",
            "touch f; stat -c '%.9Y %.9Z' f\n",
            "time -p sleep 0.25\n",
            "read -t 0.3 line < <(sleep 5); echo $? $EPOCHREALTIME\n",
            "times; spin; times\n",
            "cat /proc/uptime; ps -o pid,time,etime,comm\n",
            "awk 'BEGIN { srand(); print srand(), systime() }'\n",
        ]);
    }
    script
}

/// Signals that interrupt a computation at some instruction.
fn interrupted(dice: &mut Dice) -> String {
    let every = dice.roll(1, 30);
    let work = dice.pick(&[
        "for ((i = 0; i < 20000; i++)); do x=$((x + i)); done",
        "for i in {1..40}; do x+=$(echo $i); done; x=${#x}",
        "x=$(seq 20000 | sort -rn | head -n 100 | md5sum)",
        "for i in {1..300}; do printf -v x %s \"$i$x\"; x=${x:0:50}; done",
        "while read -r line; do x=$((x + line)); done < <(seq 3000)",
    ]);
    format!(
        "trap 'echo at $i $x $LINENO' USR1; trap 'echo $?; cat trace' EXIT
(while sleep 0.00{every}; do kill -USR1 $$ 2>/dev/null || break; done) & sender=$!
{work} 2> trace
kill $sender; wait $sender; echo $? $x"
    )
}
