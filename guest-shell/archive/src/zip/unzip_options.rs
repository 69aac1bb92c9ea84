//! What the command line of `unzip` or `zipinfo` asks for.

/// What to do with the members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Action {
    #[default]
    Extract,
    /// Print to standard output, with names; `Cat` prints without them.
    Print,
    Cat,
    Test,
    List,
    Verbose,
    Comment,
    Info,
    Names,
}

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) action: Action,
    pub(crate) overwrite: bool,
    pub(crate) never: bool,
    pub(crate) update: bool,
    pub(crate) freshen: bool,
    pub(crate) junk: bool,
    pub(crate) quiet: u32,
    pub(crate) fold: bool,
    pub(crate) lower: bool,
    /// What `zipinfo` shows.
    pub(crate) header: bool,
    pub(crate) totals: bool,
    pub(crate) lines: bool,
    /// `zipinfo -T`: times with digits only.
    pub(crate) decimal: bool,
    pub(crate) comment: bool,
    pub(crate) dir: Option<Vec<u8>>,
    pub(crate) only: Vec<Vec<u8>>,
    pub(crate) but: Vec<Vec<u8>>,
}
