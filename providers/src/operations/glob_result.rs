//! Builds the answer of a search by name.

use crate::{FileInfo, GlobResult, GlobTruncation};

/// Sorts the matches, cuts them to the limit, and says why there may be more.
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
