//! Searches by text and by name, and replaces text.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use sandshell_providers::operations::{MAX_RESULT, replace_each};
use sandshell_providers::posix::quote;
use sandshell_providers::{ExecuteRequest, FileError, FileUpload};
use serde_json::{Value, json};

use super::{Daytona, absolute, error, failed};
use crate::http::{HttpAnswer, Query, json, object};

type DaytonaState = State<Arc<Daytona>>;

/// Finds lines that contain a text in all files below a path that are not binary.
pub(super) async fn find(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> HttpAnswer {
    let (machine, path, pattern) = match asked(&daytona, &id, query.as_deref()) {
        Ok(asked) => asked,
        Err(answer) => return answer,
    };
    let script = format!("grep -rnIFHZs -e {} -- {}", quote(&pattern), quote(&path));
    let found = match machine.sandbox.execute(ExecuteRequest::new(script)).await {
        Ok(found) => found,
        Err(error) => return failed(&error),
    };
    if found.truncated {
        return error(507, "FILE_SEARCH_TOO_LARGE", "there are more matches than an answer may hold");
    }
    let text = String::from_utf8_lossy(&found.stdout);
    json(200, &text.lines().filter_map(matched).collect())
}

/// Parses a line of `grep -Z`: the file, NUL, the line number, a colon and the line's text.
fn matched(line: &str) -> Option<Value> {
    let (file, rest) = line.split_once('\0')?;
    let (number, content) = rest.split_once(':')?;
    Some(json!({"file": file, "line": number.parse::<u64>().ok()?, "content": content}))
}

/// Finds files below a path whose relative paths match a pattern.
pub(super) async fn search(
    State(daytona): DaytonaState,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> HttpAnswer {
    let (machine, path, pattern) = match asked(&daytona, &id, query.as_deref()) {
        Ok(asked) => asked,
        Err(answer) => return answer,
    };
    let base = path.trim_end_matches('/');
    let script = format!("cd -- {} && find . ! -type d -print0 | sort -z", quote(&path));
    let found = match machine.sandbox.execute(ExecuteRequest::new(script)).await {
        Ok(found) => found,
        Err(error) => return failed(&error),
    };
    if found.truncated {
        return error(507, "FILE_SEARCH_TOO_LARGE", "there are more files than an answer may hold");
    }
    let base = base.to_owned();
    // Many files and a long pattern take long.
    let work = move || matching(&base, &String::from_utf8_lossy(&found.stdout), &pattern);
    match tokio::task::spawn_blocking(work).await {
        Ok(files) => json(200, &json!({"files": files})),
        Err(_) => error(500, "FILE_SEARCH_FAILED", "the search was given up"),
    }
}

/// The paths below `base`, each with a NUL after it, that match a pattern.
fn matching(base: &str, paths: &str, pattern: &str) -> Vec<String> {
    let alternatives = alternatives(pattern);
    paths
        .split_terminator('\0')
        .filter_map(|name| name.strip_prefix("./"))
        .filter(|name| alternatives.iter().any(|pattern| fits(pattern, name)))
        .map(|name| format!("{base}/{name}"))
        .collect()
}

pub(super) async fn replace(State(daytona): DaytonaState, Path(id): Path<String>, body: Bytes) -> HttpAnswer {
    let machine = match daytona.reach(&id) {
        Ok(machine) => machine,
        Err(answer) => return answer,
    };
    let Some(body) = object(&body) else { return error(400, "FILE_BAD_REQUEST", "the body is not JSON") };
    let (Some(pattern), Some(value)) = (body["pattern"].as_str(), body["newValue"].as_str()) else {
        return error(400, "FILE_BAD_REQUEST", "pattern and newValue are required");
    };
    let mut results = Vec::new();
    for file in body["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let path = absolute(file);
        let read = match machine.download(vec![path.clone()]).await {
            Ok(mut files) => files.pop().map(|file| file.result),
            Err(error) => return failed(&error),
        };
        let written = match read {
            Some(Ok(content)) => {
                let (pattern, value) = (pattern.to_owned(), value.to_owned());
                // A large file takes long.
                let work = move || replace_each(&content, pattern.as_bytes(), value.as_bytes());
                let replaced = tokio::task::spawn_blocking(work).await.unwrap_or_default().ok_or_else(|| {
                    FileError::Other(format!("the file would have more than {MAX_RESULT} bytes"))
                });
                match replaced {
                    Err(why) => Err(why),
                    Ok((changed, _)) => {
                        match machine.sandbox.upload_files(vec![FileUpload::new(path, changed)]).await {
                            Ok(mut done) => done.pop().map_or(Ok(()), |file| file.result),
                            Err(error) => return failed(&error),
                        }
                    }
                }
            }
            Some(Err(why)) => Err(why),
            None => Ok(()),
        };
        results.push(match written {
            Ok(()) => json!({"file": file, "success": true}),
            Err(why) => json!({"file": file, "success": false, "error": why.to_string()}),
        });
    }
    json(200, &Value::Array(results))
}

type Asked = (Arc<crate::world::Machine>, String, String);

fn asked(daytona: &Daytona, id: &str, query: Option<&str>) -> Result<Asked, HttpAnswer> {
    let machine = daytona.reach(id)?;
    let query = Query::new(query);
    match (query.get("path"), query.get("pattern")) {
        (Some(path), Some(pattern)) if !path.is_empty() && !pattern.is_empty() => {
            Ok((machine, absolute(path), pattern.to_owned()))
        }
        _ => Err(error(400, "FILE_BAD_REQUEST", "path and pattern are required")),
    }
}

/// The most patterns that a pattern with braces may expand to.
const MOST_ALTERNATIVES: usize = 1024;

/// Expands the braces of a pattern. If that would give too many patterns, the braces stay.
fn alternatives(pattern: &str) -> Vec<String> {
    let (mut open, mut done) = (vec![pattern.to_owned()], Vec::new());
    while let Some(next) = open.pop() {
        // Expand the innermost braces first.
        let close = next.find('}');
        let begin = close.and_then(|close| next.get(..close)?.rfind('{'));
        let (Some(begin), Some(close)) = (begin, close) else {
            done.push(next);
            continue;
        };
        let (before, inside, after) = (&next[..begin], &next[begin + 1..close], &next[close + 1..]);
        if open.len() + done.len() + inside.matches(',').count() < MOST_ALTERNATIVES {
            let choices: Vec<String> =
                inside.split(',').map(|choice| format!("{before}{choice}{after}")).collect();
            open.extend(choices);
        } else {
            done.push(next);
        }
    }
    done
}

/// Whether a path matches a pattern: `*` and `?` match within a name, `**` any number of directories, `[...]` one
/// of these characters.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    // Which prefixes of the path match the parts of the pattern so far.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            if part == "**" {
                next[at] = reached[at] || (at > 0 && next[at - 1]);
            } else if at > 0 {
                next[at] = reached[at - 1] && part_fits(part, path[at - 1]);
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Whether one name matches one part of a pattern.
fn part_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // The position of the last star, and how much it has matched.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match one(&pattern, p, name[n]) {
            Some(next) => (p, n) = (next, n + 1),
            None if pattern.get(p) == Some(&'*') => {
                star = Some((p, n));
                p += 1;
            }
            None => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, n) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|rest| *rest == '*')
}

/// If the pattern at this position matches one character `letter`, returns the position after it.
fn one(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    match pattern.get(at)? {
        '*' => None,
        '?' => Some(at + 1),
        '\\' => (pattern.get(at + 1) == Some(&letter)).then_some(at + 2),
        '[' => {
            let close = (at + 2..pattern.len()).find(|end| pattern[*end] == ']')?;
            let not = matches!(pattern[at + 1], '!' | '^');
            let set = &pattern[at + 1 + usize::from(not)..close];
            let mut found = set.contains(&letter);
            for range in set.windows(3).filter(|range| range[1] == '-') {
                found |= (range[0]..=range[2]).contains(&letter);
            }
            (found != not).then_some(close + 1)
        }
        other => (*other == letter).then_some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let yes = |pattern: &str, path: &str| alternatives(pattern).iter().any(|pattern| fits(pattern, path));
        for (pattern, path) in [
            ("*.txt", "a.txt"),
            ("**/*.go", "a/b/c.go"),
            ("**/*.go", "c.go"),
            ("src/**/*.{ts,js}", "src/a/b.js"),
            ("src/**", "src/a/b"),
            ("a?c", "abc"),
            ("[a-c]*", "bxy"),
            ("[!a-c]*", "dxy"),
            ("{a,b{c,d}}", "bd"),
            ("a**c", "abbc"),
            ("\\*", "*"),
        ] {
            assert!(yes(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.txt", "a/b.txt"),
            ("*.txt", "a.txt2"),
            ("src/*.ts", "src/a/b.ts"),
            ("[a-c]", "d"),
            ("a?c", "a/c"),
            ("", "a"),
            ("\\*", "x"),
            ("[", "["),
        ] {
            assert!(!yes(pattern, path), "{pattern} {path}");
        }
        assert!(!fits(&"*a".repeat(50), &"a".repeat(200).replace("aa", "ab")));
        assert!(alternatives(&"{a,b}".repeat(40)).len() <= 2 * MOST_ALTERNATIVES);
    }

    #[test]
    fn replacing() {
        let replaced = |content: &[u8], pattern: &[u8], value: &[u8]| {
            replace_each(content, pattern, value).map(|(changed, _)| changed)
        };
        assert_eq!(replaced(b"a.b.c", b".", b"--").as_deref(), Some(&b"a--b--c"[..]));
        assert_eq!(replaced(b"abc", b"", b"x").as_deref(), Some(&b"abc"[..]));
        assert_eq!(replaced(b"\xff\xffx", b"\xff", b"").as_deref(), Some(&b"x"[..]));
        // A file of 30 MB would be one of 30 GB.
        assert_eq!(replaced(&[b'a'; 2 << 20], b"a", &[b'b'; 1000]), None);
    }
}
