//! The options.

use super::header::Layout;
use super::log;
use super::names::Pattern;
use super::transform::Transform;
use crate::codec::Format;
use sandshell_cli::out;
use sandshell_posix::mode::ModeExpression;
use sandshell_sys as sys;

/// The operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Op {
    Create,
    Extract,
    #[default]
    List,
    Append,
    Update,
    Delete,
    Diff,
    Concatenate,
    TestLabel,
}

/// What happens to files that already exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Old {
    #[default]
    Replace,
    Keep,
    Skip,
    KeepNewer,
    Overwrite,
    UnlinkFirst,
}

/// How the archive is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Not compressed on writing; detected from the content on reading.
    #[default]
    Detect,
    /// Chosen by the name's suffix on writing.
    BySuffix,
    Fixed(Format),
}

/// An operand, or an option whose position among the operands matters.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Name(Vec<u8>),
    Chdir(Vec<u8>),
    /// Whether the names that follow include what is below them.
    Recursion(bool),
    /// A file of names.
    From(Vec<u8>, List),
}

/// How to read a file of names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    /// Names end with NUL bytes.
    pub(crate) null: bool,
    /// Lines that begin with a dash are names too.
    pub(crate) verbatim: bool,
}

/// The options, named as in the manual.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) op: Op,
    pub(crate) file: Vec<u8>,
    pub(crate) items: Vec<Item>,
    pub(crate) verbose: u32,
    pub(crate) layout: Layout,
    pub(crate) packing: Packing,
    pub(crate) level: Option<u32>,
    pub(crate) record: usize,
    pub(crate) old: Old,
    pub(crate) keep_dirs: bool,
    pub(crate) strip: usize,
    pub(crate) transforms: Vec<Transform>,
    pub(crate) excludes: Vec<Pattern>,
    pub(crate) wildcards: bool,
    pub(crate) no_anchored: bool,
    pub(crate) no_match_slash: bool,
    pub(crate) ignore_case: bool,
    pub(crate) to_stdout: bool,
    pub(crate) owner: Option<(Vec<u8>, Option<u64>)>,
    pub(crate) group: Option<(Vec<u8>, Option<u64>)>,
    pub(crate) mode: Option<ModeExpression>,
    pub(crate) mtime: Option<(i64, u32)>,
    pub(crate) clamp_mtime: bool,
    pub(crate) newer: Option<(i64, u32)>,
    pub(crate) numeric: bool,
    pub(crate) permissions: Option<bool>,
    pub(crate) same_owner: Option<bool>,
    pub(crate) no_mtime: bool,
    pub(crate) remove_files: bool,
    pub(crate) dereference: bool,
    pub(crate) hard_dereference: bool,
    pub(crate) one_top: Option<Vec<u8>>,
    pub(crate) absolute: bool,
    pub(crate) full_time: bool,
    pub(crate) totals: bool,
    pub(crate) utc: bool,
    pub(crate) block_numbers: bool,
    pub(crate) ignore_zeros: bool,
    pub(crate) ignore_failed: bool,
    pub(crate) show_transformed: bool,
    pub(crate) exclude_vcs: bool,
    /// Whether backslashes in files of names are literal.
    pub(crate) no_unquote: bool,
    pub(crate) occurrence: Option<u64>,
    pub(crate) pax_delete: Vec<Vec<u8>>,
    /// The volume label to write, or when reading, a pattern for it.
    pub(crate) label: Option<Vec<u8>>,
    pub(crate) checkpoints: Option<Checkpoints>,
}

/// After how many records a checkpoint occurs, and what it does.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints {
    pub(crate) every: u64,
    pub(crate) actions: Vec<Action>,
}

/// Counts records and runs the checkpoint actions.
#[derive(Default)]
pub(crate) struct Counter {
    checkpoints: Option<Checkpoints>,
    count: u64,
    write: bool,
    /// Whether the archive is written to standard output.
    taken: bool,
}

impl Counter {
    pub(crate) fn new(options: &Options, write: bool) -> Self {
        let taken = write && options.file == b"-";
        Self { checkpoints: options.checkpoints.clone(), count: 0, write, taken }
    }

    /// Counts a record that was read or written.
    pub(crate) fn record(&mut self) {
        let Some(checkpoints) = &self.checkpoints else { return };
        self.count += 1;
        if !self.count.is_multiple_of(checkpoints.every) {
            return;
        }
        out::flush();
        for action in &checkpoints.actions {
            match action {
                Action::Dot => self.put(b"."),
                Action::Bell => self.put(b"\x07"),
                Action::Echo(None) => {
                    let what = if self.write { "Write" } else { "Read" };
                    log::warn(format!("{what} checkpoint {}", self.count));
                }
                Action::Echo(Some(text)) => log::warn(self.message(text)),
            }
        }
    }

    fn put(&self, text: &[u8]) {
        let _ = sys::write_all(if self.taken { 2 } else { 1 }, text);
    }

    fn message(&self, text: &[u8]) -> Vec<u8> {
        let mut parts = text.split(|b| *b == b'%');
        let mut out = parts.next().unwrap_or_default().to_vec();
        for part in parts {
            match part.split_first() {
                Some((b'u', rest)) => {
                    out.extend_from_slice(&[self.count.to_string().as_bytes(), rest].concat())
                }
                Some((b's', rest)) => {
                    let what: &[u8] = if self.write { b"write" } else { b"read" };
                    out.extend_from_slice(&[what, rest].concat());
                }
                _ => out.extend_from_slice(&[b"%", part].concat()),
            }
        }
        out
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Dot,
    Bell,
    /// Prints this message; `None` is the default one.
    Echo(Option<Vec<u8>>),
}
