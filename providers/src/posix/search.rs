//! `glob` and `grep` made of commands.

use super::probe::{self, Kind};
use super::script::run;
use super::{listing, quote};
use crate::operations::{self, Dots, Glob, Matches, Needle};
use crate::{
    FailureReason, FileOperation, FileOperationError, FileResult, GlobRequest, GlobResult, GrepRequest,
    GrepResult, Result, Sandbox,
};

/// How many files are downloaded together.
const BATCH: usize = 64;

/// [`FileOperations::glob`](crate::FileOperations::glob), with one command.
pub async fn glob<S: Sandbox + ?Sized>(sandbox: &S, request: &GlobRequest) -> FileResult<GlobResult> {
    let failed = |reason| FileOperationError::failed(FileOperation::Glob, &request.path, reason);
    let clean = operations::clean_path(&request.path).map_err(failed)?;
    let pattern = Glob::new(&request.pattern, Dots::Explicit).map_err(failed)?;
    let mut options = "-mindepth 1".to_owned();
    if let Some(depth) = pattern.max_depth() {
        options.push_str(&format!(" -maxdepth {}", depth.max(1)));
    }
    let mut prune = String::new();
    if clean.is_empty() {
        prune.push_str(r"\( -path //proc -o -path //sys -o -path //dev \) -prune -o ");
    }
    if !pattern.enters_hidden() {
        prune.push_str(r"-type d -name '.*' -prune -o ");
    }
    let script = format!("{}{}", probe::script(&clean), listing::find(&clean, &options, &prune));
    let output = run(sandbox, script).await?;
    let (kind, output) = probe::split(&output)?;
    match kind {
        Kind::Directory => {}
        Kind::Missing => return Err(failed(FailureReason::FileNotFound)),
        Kind::Denied | Kind::ClosedDirectory => return Err(failed(FailureReason::PermissionDenied)),
        Kind::File | Kind::Special => return Err(failed(FailureReason::NotADirectory)),
    }
    let listing = listing::parse(&clean, output)?;
    let wanted = |entry: &listing::Entry| {
        (entry.is_regular() || (request.directories && entry.is_dir()))
            && pattern.matches(&entry.below, entry.is_dir())
    };
    let matches = listing.entries.into_iter().filter(wanted).map(|entry| entry.info(&clean)).collect();
    Ok(operations::finish_glob(matches, listing.incomplete))
}

/// [`FileOperations::grep`](crate::FileOperations::grep): a command finds the files, which are then downloaded
/// in batches until there are enough matches.
pub async fn grep<S: Sandbox + ?Sized>(sandbox: &S, request: &GrepRequest) -> FileResult<GrepResult> {
    let failed = |reason| FileOperationError::failed(FileOperation::Grep, &request.path, reason);
    let clean = operations::clean_path(&request.path).map_err(failed)?;
    let needle = Needle::new(&request.pattern).map_err(failed)?;
    let filter =
        request.glob.as_deref().map(|glob| Glob::new(glob, Dots::Any)).transpose().map_err(failed)?;
    let script =
        format!("{}if [ -d \"$p\" ]; then\n{}fi\n", probe::script(&clean), find_containing(&clean, request));
    let output = run(sandbox, script).await?;
    let (kind, output) = probe::split(&output)?;
    let paths = match kind {
        Kind::File => vec![clean.clone()],
        Kind::Special => Vec::new(),
        Kind::Missing => return Err(failed(FailureReason::FileNotFound)),
        Kind::Denied | Kind::ClosedDirectory => return Err(failed(FailureReason::PermissionDenied)),
        Kind::Directory => {
            let mut paths: Vec<String> = names(&clean, output)
                .into_iter()
                .filter(|below| filter.as_ref().is_none_or(|filter| filter.matches(below, false)))
                .map(|below| format!("{clean}/{below}"))
                .collect();
            paths.sort();
            paths
        }
    };
    Ok(search_files(sandbox, &needle, paths, request.max_count).await?)
}

async fn search_files<S: Sandbox + ?Sized>(
    sandbox: &S,
    needle: &Needle,
    paths: Vec<String>,
    max_count: Option<u64>,
) -> Result<GrepResult> {
    let mut matches = Matches::up_to(max_count);
    for batch in paths.chunks(BATCH) {
        if matches.are_enough() {
            break;
        }
        for response in sandbox.download_files(batch.to_vec()).await? {
            // A file that cannot be read or no longer exists is skipped.
            if let Ok(content) = response.result {
                needle.search(&response.path, &content, &mut matches);
            }
        }
    }
    Ok(matches.result())
}

/// A script that prints the regular files below a cleaned directory that contain the pattern.
fn find_containing(clean: &str, request: &GrepRequest) -> String {
    format!(
        "find {} -mindepth 1 -type d -name .git -prune -o -type f \
         -exec grep -lF -e {} /dev/null {{}} + 2>/dev/null\n",
        quote(&format!("{clean}//")),
        quote(request.pattern.strip_suffix('\n').unwrap_or(&request.pattern)),
    )
}

/// Extracts the paths below the directory from lines that begin with the directory and two slashes.
fn names<'a>(clean: &str, output: &'a str) -> Vec<&'a str> {
    let start = format!("{clean}//");
    let mut marks: Vec<usize> = output.match_indices("//").map(|(at, _)| at - clean.len().min(at)).collect();
    marks.push(output.len());
    let mut found = Vec::new();
    for pair in marks.windows(2) {
        if let [from, to] = pair
            && let Some(name) = output.get(*from..*to).and_then(|line| line.strip_prefix(&start))
        {
            found.push(name.strip_suffix('\n').unwrap_or(name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn paths_with_newlines_are_one() {
        assert_eq!(names("/d", "/d//a\n/d//b\nc\n/d//e/f\n"), ["a", "b\nc", "e/f"]);
        assert_eq!(names("", "//a\n//b/c\n"), ["a", "b/c"]);
        assert_eq!(names("/d", ""), [""; 0]);
    }
}
