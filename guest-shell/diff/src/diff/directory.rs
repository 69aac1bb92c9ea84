//! Compares directories entry by entry, in order of names.

use super::file::File;
use super::options::Options;
use super::pair;
use crate::say;
use sandshell_posix::pattern::Matching;
use sandshell_sys as sys;
use std::cell::Cell;
use std::cmp::Ordering;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Whether the files being compared are in directories, so that the output must name them.
pub(crate) fn is_inside() -> bool {
    DEPTH.get() > 0
}

/// A pair of directories being compared, and the pair that contains it.
pub(crate) struct Level<'a> {
    pub(crate) files: &'a [File; 2],
    above: Option<&'a Level<'a>>,
}

/// Compares two directories and returns the exit status.
pub(crate) fn compare(options: &Options, files: &[File; 2], above: Option<&Level<'_>>) -> i32 {
    let level = Level { files, above };
    for f in [0, 1] {
        if is_loop(&level, f) {
            say::error([&files[f].name, b": recursive directory loop".as_slice()].concat());
            return 2;
        }
    }
    let mut names = [Vec::new(), Vec::new()];
    let mut status = 0;
    for f in [0, 1] {
        match entries(options, &files[f], above.is_none()) {
            Ok(list) => names[f] = list,
            Err(e) => {
                say::failed(&files[f].name, e);
                status = 2;
            }
        }
    }
    if status != 0 {
        return status;
    }
    if options.ignore_name_case {
        pair_exact_names_first(&mut names);
    }
    DEPTH.set(DEPTH.get() + 1);
    let [mut left, mut right] = names.each_ref().map(|n| n.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => order_of(options, a, b),
        };
        let a = if order == Ordering::Greater { None } else { left.next() };
        let b = if order == Ordering::Less { None } else { right.next() };
        let pair = [a.map(Vec::as_slice), b.map(Vec::as_slice)];
        status = status.max(pair::compare_entries(options, &level, pair));
    }
    DEPTH.set(DEPTH.get() - 1);
    status
}

fn is_loop(level: &Level<'_>, f: usize) -> bool {
    let id = |l: &Level<'_>| (l.files[f].stat.dev, l.files[f].stat.ino);
    let mut above = level.above;
    while let Some(l) = above {
        if !level.files[f].is_absent() && id(l) == id(level) {
            return true;
        }
        above = l.above;
    }
    false
}

fn entries(options: &Options, dir: &File, is_top: bool) -> sys::Result<Vec<Vec<u8>>> {
    if dir.is_absent() {
        return Ok(Vec::new());
    }
    let matching = Matching { ignore_case: options.ignore_name_case, ..Matching::default() };
    let mut names: Vec<Vec<u8>> = sys::read_dir(&dir.name)?.into_iter().map(|e| e.name).collect();
    names.retain(|n| n != b"." && n != b".." && !options.exclude.iter().any(|p| matching.matches(p, n)));
    names.sort_by(|a, b| order_of(options, a, b).then_with(|| a.cmp(b)));
    if let Some(first) = options.starting_file.as_ref().filter(|_| is_top) {
        names.retain(|n| order_of(options, n, first) != Ordering::Less);
    }
    Ok(names)
}

fn order_of(options: &Options, a: &[u8], b: &[u8]) -> Ordering {
    if options.ignore_name_case { a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase()) } else { a.cmp(b) }
}

// Among names that differ only in case, puts those first that are spelled the same on both sides.
fn pair_exact_names_first(names: &mut [Vec<Vec<u8>>; 2]) {
    let [left, right] = names;
    let has = |list: &[Vec<u8>], name: &Vec<u8>| list.contains(name);
    let (l, r) = (left.clone(), right.clone());
    left.sort_by_key(|n| (n.to_ascii_lowercase(), !has(&r, n)));
    right.sort_by_key(|n| (n.to_ascii_lowercase(), !has(&l, n)));
}
