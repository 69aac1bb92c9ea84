//! With a virtual clock and a seed, a script gives the same bytes each time: alone, next to others that keep the
//! machine busy, in another process, and on another machine (the hashes in `hashes`).
//!
//! `cargo test --test determinism` runs a sample; with `-- --ignored` all scripts. `SANDSHELL_WRITE=FILE` then
//! writes the hashes to a file. Do this after a change of the guests, because the number of executed instructions
//! decides how races between processes end. `SANDSHELL_SHOW=7 cargo test --test determinism show -- --nocapture`
//! shows script 7 and its result.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and shows what it is asked for"
)]

mod run;
mod scripts;

use run::{elsewhere, hashes, here};
use std::collections::BTreeMap;
use std::path::Path;

/// How many scripts there are.
const SCRIPTS: u32 = 2000;

fn recorded() -> BTreeMap<u32, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/determinism/hashes");
    let text = std::fs::read_to_string(file).unwrap();
    let line = |line: &str| {
        let (number, hash) = line.split_once(' ').unwrap();
        (number.parse().unwrap(), hash.to_owned())
    };
    text.lines().map(line).collect()
}

/// Runs these scripts one after another, then all at once next to endless loops, then in another process.
fn thrice(numbers: &[u32]) -> BTreeMap<u32, String> {
    let alone = here(numbers, 1, 0);
    let crowded = here(numbers, 8, 4);
    let other = elsewhere(numbers);
    for number in numbers {
        let (alone, crowded, other) = (&alone[number], &crowded[number], &other[number]);
        assert_eq!(alone, crowded, "under load, script {number}:\n{}", scripts::script(*number));
        assert_eq!(
            alone.hash(),
            *other,
            "in another process, script {number}:\n{}",
            scripts::script(*number)
        );
    }
    hashes(alone)
}

#[test]
fn a_sample_gives_the_same_bytes_each_time() {
    // A prime, so that every kind of script is included.
    let numbers: Vec<u32> = (0..SCRIPTS).step_by(41).collect();
    let again = thrice(&numbers);
    let recorded = recorded();
    for (number, hash) in &again {
        // The result of a race may change when the programs in it change.
        if scripts::is_steady(*number) {
            assert_eq!(*hash, recorded[number], "script {number}:\n{}", scripts::script(*number));
        }
    }
}

#[test]
#[ignore = "takes some minutes"]
fn all_scripts_give_the_same_bytes_each_time() {
    let numbers: Vec<u32> = (0..SCRIPTS).collect();
    let again = thrice(&numbers);
    if let Some(file) = std::env::var_os("SANDSHELL_WRITE") {
        let lines: String = again.iter().map(|(number, hash)| format!("{number} {hash}\n")).collect();
        std::fs::write(file, lines).unwrap();
        return;
    }
    assert_eq!(again, recorded());
}

/// Not a test: shows a script to a person.
#[test]
fn show() {
    let Ok(number) = std::env::var("SANDSHELL_SHOW") else { return };
    let number: u32 = number.parse().unwrap();
    println!("{}", scripts::script(number));
    println!("{:#?}", here(&[number], 1, 0));
}

/// Not a test: [`elsewhere`] runs this in another process.
#[test]
fn another_process() {
    run::serve();
}
