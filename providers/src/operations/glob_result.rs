//! Putting the answer of a search by name in its form.

use crate::{FileInfo, GlobResult, GlobTruncation};

/// Sorts the matches, keeps as many as are returned, and says why that may not be all.
pub fn finish_glob(mut matches: Vec<FileInfo>, unreadable: bool) -> GlobResult {
    matches.sort_by(|a, b| a.path.cmp(&b.path));
    let truncation = if matches.len() > GlobResult::MAX_MATCHES {
        Some(GlobTruncation::Budget)
    } else {
        unreadable.then_some(GlobTruncation::Unreadable)
    };
    matches.truncate(GlobResult::MAX_MATCHES);
    GlobResult { matches, truncation }
}
