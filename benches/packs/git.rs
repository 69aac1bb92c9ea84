//! The rows of git, in repositories on a mount and in memory.

use crate::data::Random;
use crate::measure::{Goal, Row};
use crate::{Context, Group, Rows, native};
use std::path::Path;
use std::time::Duration;

/// A repository with 4,000 files and 300 commits that change twenty of them each. `fast-import` reads this.
fn history() -> Vec<u8> {
    let mut stream = Vec::new();
    let mut random = Random(1);
    for commit in 0..300_u32 {
        let time = 1_700_000_000 + commit * 60;
        stream.extend(
            format!("commit refs/heads/main\ncommitter C <c@example.com> {time} +0000\ndata 9\nA change\n\n")
                .bytes(),
        );
        for change in 0..if commit == 0 { 4_000 } else { 20 } {
            let file = if commit == 0 { change } else { random.below(4_000) };
            let text: String = (0..60)
                .map(|line| {
                    format!(
                        "let value_{line} = call({}, {file});\n",
                        random.below(if line % 9 == 0 { 999 } else { 2 })
                    )
                })
                .collect();
            stream.extend(
                format!("M 644 inline d{}/f{}.rs\ndata {}\n{text}\n", file % 40, file / 40, text.len())
                    .bytes(),
            );
        }
    }
    stream
}

/// Fifty files of a megabyte that cannot be compressed.
fn large() -> Vec<u8> {
    let mut stream =
        b"commit refs/heads/main\ncommitter C <c@example.com> 1700000000 +0000\ndata 6\nLarge\n\n".to_vec();
    let mut random = Random(2);
    for file in 0..50 {
        stream.extend(format!("M 644 inline f{file}\ndata {}\n", 1 << 20).bytes());
        stream.extend((0..1 << 18).flat_map(|_| random.next().to_le_bytes()));
        stream.push(b'\n');
    }
    stream
}

const START: Goal = Goal::Time(Duration::from_millis(1));

/// Name, times, what to run, goal. `REPO` and `LARGE` are repositories.
const BENCHES: &[(&str, usize, &str, Goal)] = &[
    ("git --version", 101, "git --version", START),
    ("git status, 4,000 files", 21, "cd REPO; git status", Goal::Ratio(1.0)),
    ("git add, 4,000 files that are known", 11, "cd REPO; rm .git/index; git add .", Goal::Ratio(1.0)),
    (
        "git add, 4,000 new files",
        5,
        "cd REPO; rm -rf ../new; mkdir ../new; git --git-dir ../new/.git init -q; git --git-dir ../new/.git --work-tree . add .",
        Goal::Ratio(1.0),
    ),
    (
        "git diff, 40 changed files",
        11,
        "cd REPO; for d in d*; do echo >> $d/f1.rs; done; git diff; git checkout -q .",
        Goal::Ratio(1.5),
    ),
    ("git log --oneline", 21, "cd REPO; git log --oneline", Goal::Ratio(1.5)),
    ("git log --stat", 5, "cd REPO; git log --stat", Goal::Ratio(1.5)),
    ("git grep", 11, "cd REPO; git grep -c 'value_[0-9]* = call.99'", Goal::Ratio(1.5)),
    ("git gc", 3, "cd REPO; git gc -q", Goal::Ratio(1.5)),
    ("git repack -adf", 3, "cd REPO; git repack -adfq", Goal::Ratio(1.5)),
    (
        "git checkout of 200 commits back",
        5,
        "cd REPO; git checkout -q HEAD~200; git checkout -q main",
        Goal::Ratio(1.5),
    ),
    ("git clone of 50 MB", 5, "rm -rf LARGE.copy; git clone -q file://LARGE LARGE.copy", Goal::Ratio(1.5)),
    ("git fsck", 3, "cd REPO; git fsck --no-dangling", Goal::Ratio(1.5)),
];

/// git.
pub(crate) const GROUP: Group = Group {
    pack: "git",
    prepare: |context| {
        let (history, large) = (history(), large());
        context.prepare(|place| {
            make(&place.join("repo"), &history);
            make(&place.join("large"), &large);
        });
    },
    rows,
};

fn rows(context: &Context, rows: &mut Rows<'_>) {
    for (name, times, command, goal) in BENCHES {
        let places: &[_] = if command.contains("REPO") || command.contains("LARGE") {
            &[("", "/work"), (", in memory", "/tmp/work")]
        } else {
            &[("", "/work")]
        };
        for (place, folder) in places {
            rows.add(&format!("{name}{place}"), |name| row(context, name, *times, command, folder, *goal));
        }
    }
}

/// A command in repositories in `folder`, which are copied there unless it is the mount, and natively.
fn row(context: &Context, name: &str, times: usize, command: &str, folder: &str, goal: Goal) -> Row {
    let copying = format!("cp -r /work {folder}; sleep 1.1; cd {folder}/repo; git status");
    let before = if folder == "/work" { Vec::new() } else { vec![copying.as_str()] };
    let within = |place: &str| {
        command.replace("REPO", &format!("{place}/repo")).replace("LARGE", &format!("{place}/large"))
    };
    let place = context.native_place();
    let theirs = within(place.to_str().expect("a name in UTF-8"));
    let ours = format!("{{ {}; }} > /dev/null", within(folder));
    context.compare(name, times, &before, &ours, || native(&theirs, &place), goal)
}

/// A repository in `place` from a stream of `git fast-import`. Its index is a second younger than its files: git reads
/// those that are not older.
fn make(place: &Path, stream: &[u8]) {
    let file = place.with_extension("stream");
    std::fs::create_dir_all(place).expect("a directory");
    std::fs::write(&file, stream).expect("a file");
    native(
        "git init -q -b main; git fast-import --quiet < \"$PWD.stream\"; git checkout -q; git repack -adq; \
         sleep 1.1; rm .git/index; git reset -q",
        place,
    );
    std::fs::remove_file(file).expect("the stream goes");
}
