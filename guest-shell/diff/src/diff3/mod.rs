//! `diff3`: compares three files line by line, and merges.

mod blocks;
mod merge;
mod options;
mod show;

use crate::engine::{self, Compare};
use crate::say;
use crate::text::{Text, is_binary};
use blocks::{Block, Odd};
use options::Options;
use sandshell_cli::input;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Runs `diff3` on its arguments (its own name first) and returns the exit status: 0 for success, 1 for conflicts, 2 on
/// trouble.
pub fn diff3_main(args: Vec<Vec<u8>>) -> i32 {
    say::set_program(&args, "diff3");
    let status = options::read(&args).and_then(|options| run(&options)).unwrap_or_else(|status| status);
    out::flush();
    match out::failure() {
        Some(e) => {
            say::failed(b"standard output", e);
            2
        }
        None => status,
    }
}

/// The three files and where they differ.
struct Three {
    texts: [Text; 3],
    blocks: Vec<Block>,
}

fn run(options: &Options) -> Result<i32, i32> {
    let common = common(options)?;
    for name in options.names.iter().filter(|n| *n != b"-") {
        let found = sys::stat(name, true);
        let problem = found.map(|s| s.is_dir().then_some(sys::Errno::ISDIR)).unwrap_or_else(Some);
        if let Some(e) = problem {
            say::failed(name, e);
            return Err(2);
        }
    }
    // The files are read in the order in which they are compared: two of them may be standard input, which is empty the
    // second time.
    let mut texts = [const { Text::empty() }; 3];
    for f in [3 - common, common, 0] {
        texts[f] = Text::new(read(&options.names[f], options)?);
    }
    let other = compare(options, &texts, [3 - common, common])?;
    let first = compare(options, &texts, [0, common])?;
    if options.scripts {
        // An `ed` script cannot express a line without a newline.
        texts = texts.map(Text::completed);
    } else if options.merges && options.names[0] == b"-" {
        // GNU diff3 opens the first file a second time here, which fails for standard input.
        say::error(
            "failed to reopen \u{2018}-\u{2019} with mode \u{2018}r\u{2019}: No such file or directory",
        );
        return Err(2);
    }
    let blocks = blocks::combine(&texts, common, &first, &other);
    let three = Three { texts, blocks };
    let conflicts = match (options.merges, options.scripts) {
        (true, _) => merge::print(options, &three),
        (_, true) => merge::print_script(options, &three),
        _ => {
            show::print(options, &three);
            false
        }
    };
    Ok(i32::from(conflicts))
}

// Chooses the file that the other two are compared with: the last one, or the older one when merging. If that is
// standard input, another one is chosen.
fn common(options: &Options) -> Result<usize, i32> {
    let is_stdin = |f: usize| options.names[f] == b"-";
    let wanted = if options.merges || options.scripts { 1 } else { 2 };
    if !is_stdin(wanted) {
        return Ok(wanted);
    }
    let common = 3 - wanted;
    if is_stdin(0) || is_stdin(common) {
        say::error("'-' specified for more than one input file");
        return Err(2);
    }
    Ok(common)
}

fn read(name: &[u8], options: &Options) -> Result<Vec<u8>, i32> {
    let data = input::contents(name);
    match data {
        Ok(d) if options.strip_cr => Ok(crate::text::without_cr(d)),
        Ok(d) => Ok(d),
        Err(e) => {
            say::failed(name, e);
            Err(2)
        }
    }
}

// The differences that `diff --horizon-lines=100` finds between two files.
fn compare(options: &Options, texts: &[Text; 3], files: [usize; 2]) -> Result<Vec<engine::Change>, i32> {
    let [a, b] = files.map(|f| &texts[f]);
    if !options.text && (is_binary(a.data()) || is_binary(b.data())) && a.data() != b.data() {
        let [a, b] = files.map(|f| options.names[f].as_slice());
        say::error([b"diff failed: Binary files ", a, b" and ", b, b" differ"].concat());
        return Err(2);
    }
    let how = Compare { horizon: 100, newline_counts: true, ..Compare::default() };
    let script = engine::script(a, b, &how);
    if options.scripts
        && let Some(last) = script.last()
    {
        for (text, end, lines) in [(a, last.end0(), last.deleted), (b, last.end1(), last.inserted)] {
            if text.is_incomplete() && end == text.len() && lines > 0 {
                say::error("No newline at end of file");
            }
        }
    }
    Ok(script)
}

impl Three {
    // The lines of a block in one file.
    fn lines(&self, block: &Block, f: usize) -> impl Iterator<Item = &[u8]> {
        block.lines[f].clone().map(move |i| self.texts[f].line(i))
    }
}

impl Odd {
    // The file that differs from the other two.
    fn file(self) -> Option<usize> {
        match self {
            Self::All => None,
            Self::One(f) => Some(f),
        }
    }
}
