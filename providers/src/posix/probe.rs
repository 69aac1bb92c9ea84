//! Finds out what a path is with `[`.

use super::quote;
use super::script::{run, unexpected};
use crate::{Result, Sandbox};

/// What is at a path, symbolic links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing, or a dangling link.
    Missing,
    /// Unknown: the user may not search a directory above it.
    Denied,
    /// A regular file.
    File,
    /// A directory that the user may read and search.
    Directory,
    /// A directory that the user may not both read and search.
    ClosedDirectory,
    /// A device, pipe or socket.
    Special,
}

impl Kind {
    pub(super) fn exists(self) -> bool {
        !matches!(self, Self::Missing | Self::Denied)
    }
}

/// Examines a cleaned path.
pub(super) async fn probe<S: Sandbox + ?Sized>(sandbox: &S, clean: &str) -> Result<Kind> {
    let output = run(sandbox, script(clean)).await?;
    Ok(split(&output)?.0)
}

/// A script that sets `p` to a cleaned path (`/` for the root) and prints a word for what is there.
///
/// `[ -e` fails for missing paths and for inaccessible ones. To tell them apart, the script looks at the nearest
/// parent that it can see: paths are inaccessible only below a directory that the user may not search.
pub(super) fn script(clean: &str) -> String {
    format!(
        "p={}\n{}",
        quote(if clean.is_empty() { "/" } else { clean }),
        r#"if [ -d "$p" ]; then
if [ -r "$p" ] && [ -x "$p" ]; then echo directory; else echo closed; fi
elif [ -f "$p" ]; then echo file
elif [ -e "$p" ]; then echo special
else
a=$p
while a=${a%/*}; [ -n "$a" ] && [ ! -e "$a" ]; do :; done
if [ -d "${a:-/}" ] && [ ! -x "${a:-/}" ]; then echo denied; else echo missing; fi
fi
"#
    )
}

/// The word that [`script`] printed, and what followed it.
pub(super) fn split(output: &str) -> Result<(Kind, &str)> {
    let (word, rest) = output.split_once('\n').ok_or_else(|| unexpected("no answer to a probe"))?;
    let kind = match word {
        "directory" => Kind::Directory,
        "closed" => Kind::ClosedDirectory,
        "file" => Kind::File,
        "special" => Kind::Special,
        "missing" => Kind::Missing,
        "denied" => Kind::Denied,
        _ => return Err(unexpected(&format!("{word:?} as the answer to a probe"))),
    };
    Ok((kind, rest))
}
