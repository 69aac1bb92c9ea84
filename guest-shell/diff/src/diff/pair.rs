//! Compares two names: files, directories, or one of each.

use super::file::{self, File, Presence};
use super::hunk::{self, Texts};
use super::options::{Options, Style};
use super::{context, directory, ed, format, normal, side, unified};
use crate::engine::{self, Space};
use crate::say;
use crate::text::{self, Text};
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Compares two operands and returns the exit status.
pub(crate) fn compare_operands(options: &Options, names: &[Vec<u8>; 2]) -> i32 {
    let mut files = [0, 1].map(|f| File::new(&names[f], options.follow));
    if names[0] == names[1] {
        files[1] = files[0].clone();
    }
    let missing = |f: &File| f.presence == Presence::Unreadable(sys::Errno::NOENT);
    let [no0, no1] = [0, 1].map(|f| missing(&files[f]));
    if no0 && !no1 && (options.new_file || options.unidirectional_new_file) {
        files[0] = absent_like(&files[1], &names[0]);
    } else if no1 && !no0 && options.new_file {
        files[1] = absent_like(&files[0], &names[1]);
    }
    let mut failed = false;
    for f in &files {
        if let Presence::Unreadable(e) = f.presence {
            say::failed(&f.name, e);
            failed = true;
        }
    }
    if failed {
        return 2;
    }
    let present = |f: &File| f.presence == Presence::There;
    if files[0].is_dir() != files[1].is_dir() && present(&files[0]) && present(&files[1]) {
        let (dir, plain) = if files[0].is_dir() { (0, 1) } else { (1, 0) };
        if files[plain].name == b"-" {
            say::error("cannot compare '-' to a directory");
            return 2;
        }
        let inside = file::join(&files[dir].name, file::base_name(&files[plain].name));
        files[dir] = File::new(&inside, options.follow);
        if let Presence::Unreadable(e) = files[dir].presence {
            say::failed(&inside, e);
            return 2;
        }
    }
    if files[0].is_dir() && files[1].is_dir() {
        if options.style == Style::Groups {
            say::error("-D option not supported with directories");
            return 2;
        }
        return directory::compare(options, &files, None);
    }
    compare_files(options, &files, false)
}

/// Compares the entries that two directories have under one name. One of the directories may lack it.
pub(crate) fn compare_entries(
    options: &Options,
    dirs: &directory::Level<'_>,
    names: [Option<&[u8]>; 2],
) -> i32 {
    let name = |f: usize| names[f].or(names[1 - f]).unwrap_or_default();
    let counts_as_empty = |f: usize| options.new_file || f == 0 && options.unidirectional_new_file;
    for f in [0, 1] {
        if names[f].is_none() && !counts_as_empty(f) {
            out::put(bytes!("Only in ", dirs.files[1 - f].name, ": ", name(f), "\n"));
            return 1;
        }
    }
    let paths = [0, 1].map(|f| file::join(&dirs.files[f].name, name(f)));
    let mut files = [0, 1].map(|f| match names[f] {
        Some(_) => File::new(&paths[f], options.follow),
        None => File::absent(&paths[f]),
    });
    let mut failed = false;
    for f in &files {
        if let Presence::Unreadable(e) = f.presence {
            say::failed(&f.name, e);
            failed = true;
        }
    }
    if failed {
        return 2;
    }
    for f in [0, 1] {
        if files[f].is_absent() {
            files[f] = absent_like(&files[1 - f], &paths[f]);
        }
    }
    if files[0].is_dir() && files[1].is_dir() {
        if options.recursive {
            return directory::compare(options, &files, Some(dirs));
        }
        out::put(bytes!("Common subdirectories: ", files[0].name, " and ", files[1].name, "\n"));
        return 0;
    }
    compare_files(options, &files, true)
}

// An absent file counts as the same kind of file as the other one.
fn absent_like(other: &File, name: &[u8]) -> File {
    let mut file = File::absent(name);
    file.stat.mode = other.stat.mode;
    file
}

// Compares two files of which at most one is a directory.
fn compare_files(options: &Options, files: &[File; 2], in_directories: bool) -> i32 {
    let [a, b] = files;
    let same_file = a.presence == b.presence
        && (a.stat.dev, a.stat.ino) == (b.stat.dev, b.stat.ino)
        && a.stat.ino != 0
        && (a.name == b.name || a.stat.is_file());
    let silent = same_file && no_news_is_silence(options);
    let odd = in_directories && !(a.stat.is_file() && b.stat.is_file()) && !silent;
    if odd || a.is_dir() != b.is_dir() || a.stat.is_symlink() != b.stat.is_symlink() {
        if a.stat.is_symlink() && b.stat.is_symlink() {
            return report(options, files, compare_links(files));
        }
        let (name_a, name_b) = (options.label(files, 0), options.label(files, 1));
        out::put(bytes!(
            "File ",
            name_a,
            " is a ",
            a.kind(),
            " while file ",
            name_b,
            " is a ",
            b.kind(),
            "\n"
        ));
        return 1;
    }
    if a.stat.is_symlink() && b.stat.is_symlink() {
        return report(options, files, compare_links(files));
    }
    if silent {
        return report(options, files, 0);
    }
    let bytes_decide = options.brief && !ignores_anything(options);
    let sizes_differ = a.stat.is_file() && b.stat.is_file() && a.stat.size != b.stat.size;
    if bytes_decide && sizes_differ && a.name != b"-" && b.name != b"-" {
        say_that_they_differ(options, files, "Files ");
        return 1;
    }
    let data = match read_both(files) {
        Ok(data) => data,
        Err(status) => return status,
    };
    let status = compare_contents(options, files, data, bytes_decide);
    report(options, files, status)
}

// Whether files that differ in some bytes may still count as the same.
fn ignores_anything(options: &Options) -> bool {
    let same = &options.compare.same;
    options.ignore_blank_lines
        || options.ignore_matching.is_some()
        || options.strip_cr
        || same.ignore_case
        || same.space != Space::Counts
}

fn say_that_they_differ(options: &Options, files: &[File; 2], what: &str) {
    let names = [0, 1].map(|f| options.label(files, f));
    out::put(bytes!(what, names[0], " and ", names[1], " differ\n"));
}

fn report(options: &Options, files: &[File; 2], status: i32) -> i32 {
    if status == 0 && options.report_identical {
        let names = [0, 1].map(|f| options.label(files, f));
        out::put(bytes!("Files ", names[0], " and ", names[1], " are identical\n"));
    }
    status
}

fn read_both(files: &[File; 2]) -> Result<[Vec<u8>; 2], i32> {
    let first = files[0].read();
    let second = match &first {
        Ok(data) if files[0].name == files[1].name => Ok(data.clone()),
        _ => files[1].read(),
    };
    match (first, second) {
        (Ok(a), Ok(b)) => Ok([a, b]),
        (a, b) => {
            for (read, file) in [a, b].into_iter().zip(files) {
                if let Err(e) = read {
                    say::failed(&file.name, e);
                }
            }
            Err(2)
        }
    }
}

/// Whether nothing is printed for files without differences.
fn no_news_is_silence(options: &Options) -> bool {
    match options.style {
        Style::Groups => options.formats.hides_unchanged(),
        Style::SideBySide => options.suppress_common,
        _ => true,
    }
}

fn compare_contents(options: &Options, files: &[File; 2], data: [Vec<u8>; 2], bytes_decide: bool) -> i32 {
    if bytes_decide || !options.text && data.iter().any(|d| text::is_binary(d)) {
        if data[0] == data[1] {
            return 0;
        }
        say_that_they_differ(options, files, if options.brief { "Files " } else { "Binary files " });
        return 1;
    }
    let texts = data.map(|d| Text::new(if options.strip_cr { text::without_cr(d) } else { d }));
    let mut script = engine::script(&texts[0], &texts[1], &options.compare);
    let changes = hunk::mark_ignorable(options, &texts, &mut script);
    if options.brief {
        if changes {
            say_that_they_differ(options, files, "Files ");
        }
        return i32::from(changes);
    }
    let mut status = i32::from(changes);
    if changes || !no_news_is_silence(options) {
        let work = Texts { options, files, texts: &texts, in_directories: directory::is_inside() };
        match options.style {
            Style::Normal => normal::print(&work, &script),
            Style::Unified => unified::print(&work, &script),
            Style::Context => context::print(&work, &script),
            Style::Ed => ed::print_ed(&work, &script),
            Style::ForwardEd => ed::print_forward(&work, &script),
            Style::Rcs => ed::print_rcs(&work, &script),
            Style::Groups => format::print(&work, &script),
            Style::SideBySide => side::print(&work, &script),
        }
    }
    if !options.compare.newline_counts {
        for (f, text) in texts.iter().enumerate() {
            if text.is_incomplete() {
                say::error(bytes!(options.label(files, f), ": No newline at end of file\n"));
                status = 2;
            }
        }
    }
    status
}

fn compare_links(files: &[File; 2]) -> i32 {
    let mut targets = Vec::new();
    for file in files {
        match sys::readlink(&file.name) {
            Ok(t) => targets.push(t),
            Err(e) => {
                say::failed(&file.name, e);
                return 2;
            }
        }
    }
    if targets.first() == targets.get(1) {
        return 0;
    }
    out::put(bytes!("Symbolic links ", files[0].name, " and ", files[1].name, " differ\n"));
    1
}
