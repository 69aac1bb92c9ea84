//! Listings by `find` and `stat`, unambiguous for every name.
//!
//! The search starts at the directory's path followed by two slashes. `find` appends names to that, so two slashes
//! occur once in every entry and nowhere else, because no name can contain them. This marks the boundaries between
//! entries even if names contain newlines.

use std::collections::BTreeMap;

use super::quote;
use super::script::unexpected;
use crate::{FileInfo, Result, operations};

/// Each entry: type and mode in hexadecimal, size, seconds since 1970, and the name, which begins with the start of
/// the search.
const FORMAT: &str = "'%f %s %Y %n'";

#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    /// Something could not be read.
    pub(super) incomplete: bool,
}

/// One file of a listing.
#[derive(Debug)]
pub(super) struct Entry {
    /// The path below the directory.
    pub(super) below: String,
    /// Its attributes; for a link those of its target, if that exists.
    status: Status,
    is_symlink: bool,
}

#[derive(Clone, Copy, Debug)]
struct Status {
    mode: u32,
    size: u64,
    seconds: i64,
}

impl Entry {
    pub(super) fn is_dir(&self) -> bool {
        self.status.mode & 0o170_000 == 0o040_000
    }

    pub(super) fn is_regular(&self) -> bool {
        self.status.mode & 0o170_000 == 0o100_000
    }

    pub(super) fn info(self, clean: &str) -> FileInfo {
        FileInfo {
            path: format!("{clean}/{}", self.below),
            is_dir: self.is_dir(),
            is_symlink: self.is_symlink,
            size: self.status.size,
            modified_at: operations::whole_seconds(self.status.seconds),
        }
    }
}

/// A script that lists everything below a cleaned directory, and then the targets of links.
///
/// `options` come before the expression; `prune` is a part of it, and is empty or ends in `-o`.
pub(super) fn find(clean: &str, options: &str, prune: &str) -> String {
    let root = quote(&format!("{clean}//"));
    format!(
        "find {root} {options} {prune} -exec stat -c {FORMAT} {{}} + 2>/dev/null\n\
         printf '//%s//\\n' \"$?\"\n\
         find {root} {options} {prune} -type l -exec stat -L -c {FORMAT} {{}} + 2>/dev/null\n\
         printf '//end//\\n'\n"
    )
}

/// Reads the output of [`find`].
pub(super) fn parse(clean: &str, output: &str) -> Result<Listing> {
    let garbled = || unexpected("a listing that cannot be read");
    let output = output.strip_suffix("//end//\n").ok_or_else(garbled)?;
    let (everything, links) = split_sections(output).ok_or_else(garbled)?;
    let (everything, status) = everything;
    let targets: BTreeMap<&str, Status> = records(clean, links).ok_or_else(garbled)?.into_iter().collect();
    let entries = records(clean, everything).ok_or_else(garbled)?.into_iter().map(|(below, status)| {
        let is_symlink = status.mode & 0o170_000 == 0o120_000;
        let status = if is_symlink { targets.get(below).copied().unwrap_or(status) } else { status };
        Entry { below: below.to_owned(), status, is_symlink }
    });
    Ok(Listing { entries: entries.collect(), incomplete: status != "0" })
}

/// Splits the output into the first section with the status after it, and the second section. Only the status has
/// two slashes at the start of a line.
fn split_sections(output: &str) -> Option<((&str, &str), &str)> {
    let mark = if output.starts_with("//") { 0 } else { output.find("\n//")? + 1 };
    let (everything, rest) = output.split_at_checked(mark)?;
    let (status, links) = rest.strip_prefix("//")?.split_once("//\n")?;
    Some(((everything, status), links))
}

/// The entries of a section: each one's path below the directory, and its attributes.
fn records<'a>(clean: &str, section: &'a str) -> Option<Vec<(&'a str, Status)>> {
    let mut found = Vec::new();
    let mut marks = section.match_indices("//").map(|(at, _)| at).peekable();
    let mut header_start = 0;
    while let Some(mark) = marks.next() {
        let status = status(section.get(header_start..mark)?.strip_suffix(clean)?)?;
        let name_start = mark + 2;
        // The name ends where the next line's fixed part begins.
        let name_end = match marks.peek() {
            None => section.len().checked_sub(1)?,
            Some(next) => section.get(name_start..*next)?.strip_suffix(clean)?.rfind('\n')? + name_start,
        };
        found.push((section.get(name_start..name_end)?, status));
        header_start = name_end + 1;
    }
    Some(found)
}

fn status(header: &str) -> Option<Status> {
    let mut fields = header.strip_suffix(' ')?.split(' ');
    let mode = u32::from_str_radix(fields.next()?, 16).ok()?;
    let size = fields.next()?.parse().ok()?;
    let seconds = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some(Status { mode, size, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_newlines_and_lookalikes_are_one_entry() {
        let output = "81a4 3 100 /d//a\n41ed 0 5 /d\n81a4 0 -1 /d//b c\na1ff 1 7 /d//l\n//0//\n81a4 9 8 /d//l\n//end//\n";
        let listing = parse("/d", output).expect("readable");
        let names: Vec<&str> = listing.entries.iter().map(|entry| entry.below.as_str()).collect();
        assert_eq!(names, ["a\n41ed 0 5 /d", "b c", "l"]);
        assert!(!listing.incomplete);
        let link = listing.entries.into_iter().next_back().expect("three").info("/d");
        assert_eq!((link.path.as_str(), link.is_symlink, link.is_dir, link.size), ("/d/l", true, false, 9));
    }

    #[test]
    fn the_root_and_nothing() {
        let listing = parse("", "41ed 0 5 //bin\n//1//\n//end//\n").expect("readable");
        assert_eq!(listing.entries.first().map(|entry| entry.below.as_str()), Some("bin"));
        assert!(listing.incomplete);
        assert!(parse("/d", "//0//\n//end//\n").expect("readable").entries.is_empty());
        assert!(parse("/d", "81a4 3 100 /d//a\n").is_err(), "a listing without its end");
    }
}
