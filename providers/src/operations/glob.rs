//! Matches paths against a pattern.

mod braces;
mod segment;

pub use segment::Dots;
use segment::Segment;

use crate::FailureReason;

/// Longer patterns are refused; paths are never longer either.
const MAX_PATTERN_BYTES: usize = 4096;

/// A pattern of [`FileOperations::glob`](crate::FileOperations::glob), prepared for many paths.
#[derive(Debug)]
pub struct Glob {
    alternatives: Vec<Alternative>,
    dots: Dots,
}

#[derive(Debug)]
enum Alternative {
    Name(Segment),
    Path { segments: Vec<Segment>, directory_only: bool },
}

impl Glob {
    /// Prepares a pattern.
    ///
    /// # Errors
    ///
    /// `InvalidPattern` for an empty pattern, NUL, a `..` segment and more than 4,096 bytes;
    /// `PatternTooBroad` for more than 1,000 alternatives.
    pub fn new(pattern: &str, dots: Dots) -> Result<Self, FailureReason> {
        let outside = pattern.split('/').any(|segment| segment == "..");
        if pattern.is_empty() || pattern.contains('\0') || outside || pattern.len() > MAX_PATTERN_BYTES {
            return Err(FailureReason::InvalidPattern);
        }
        let expanded = braces::expand(pattern).ok_or(FailureReason::PatternTooBroad)?;
        let whole_path = pattern.contains('/');
        let alternatives = expanded
            .iter()
            .map(
                |alternative| {
                    if whole_path { Alternative::path(alternative) } else { Alternative::name(alternative) }
                },
            )
            .collect();
        Ok(Self { alternatives, dots })
    }

    /// Whether the pattern matches `below`, a path relative to the root of the search.
    pub fn matches(&self, below: &str, is_dir: bool) -> bool {
        self.alternatives.iter().any(|alternative| match alternative {
            Alternative::Name(segment) => {
                segment.matches(below.rsplit('/').next().unwrap_or(below), self.dots)
            }
            Alternative::Path { directory_only: true, .. } if !is_dir => false,
            Alternative::Path { segments, .. } => matches_path(segments, below, self.dots),
        })
    }

    /// Whether anything below a directory whose name begins with a dot can match. If not, a search can skip such
    /// directories.
    pub fn enters_hidden(&self) -> bool {
        self.dots == Dots::Any
            || self.alternatives.iter().any(|alternative| match alternative {
                Alternative::Name(_) => true,
                Alternative::Path { segments, .. } => segments.iter().any(Segment::begins_with_dot),
            })
    }

    /// The most components that a matching path can have; `None` if there is no limit.
    pub fn max_depth(&self) -> Option<usize> {
        self.alternatives.iter().try_fold(0, |deepest, alternative| match alternative {
            Alternative::Name(_) => None,
            Alternative::Path { segments, .. } if segments.iter().any(Segment::is_recursive) => None,
            Alternative::Path { segments, .. } => Some(deepest.max(segments.len())),
        })
    }
}

impl Alternative {
    fn name(pattern: &str) -> Self {
        Self::Name(Segment::name(pattern))
    }

    fn path(pattern: &str) -> Self {
        let segments: Vec<Segment> =
            pattern.split('/').filter(|text| !text.is_empty()).map(Segment::path).collect();
        // A trailing `**` includes the slash after it.
        let directory_only = pattern.ends_with('/') && !segments.last().is_some_and(Segment::is_recursive);
        Self::Path { segments, directory_only }
    }
}

/// Goes through the pattern once and keeps all positions in the path that it can have reached, so that no pattern
/// takes more than names x segments steps.
fn matches_path(segments: &[Segment], below: &str, dots: Dots) -> bool {
    // A last segment other than `**` must match the last name. This check alone excludes most paths.
    let last_name = below.rsplit('/').find(|name| !name.is_empty());
    if let (Some(last), Some(name)) = (segments.last(), last_name)
        && !last.is_recursive()
        && !last.matches(name, dots)
    {
        return false;
    }
    let passable = |name: &str| dots == Dots::Any || !name.starts_with('.');
    let mut names = below.split('/').filter(|name| !name.is_empty());
    if let ([Segment::Recursive, last], Some(_)) = (segments, last_name)
        && !last.is_recursive()
    {
        // In the most common patterns the last name was already checked.
        names.next_back();
        return names.all(passable);
    }
    let names: Vec<&str> = names.collect();
    let mut reached = vec![false; names.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for (index, segment) in segments.iter().enumerate() {
        let mut next = vec![false; names.len() + 1];
        if segment.is_recursive() {
            // At the end, `**` must match at least one name: `a/**` does not match `a`.
            let last = index + 1 == segments.len();
            let mut open = false;
            for (at, slot) in next.iter_mut().enumerate() {
                let here = reached.get(at).copied().unwrap_or_default();
                let carried =
                    open && at.checked_sub(1).and_then(|at| names.get(at)).is_some_and(|name| passable(name));
                *slot = carried || (here && !last);
                open = carried || here;
            }
        } else {
            for (at, name) in names.iter().enumerate() {
                if reached.get(at).copied().unwrap_or_default()
                    && segment.matches(name, dots)
                    && let Some(slot) = next.get_mut(at + 1)
                {
                    *slot = true;
                }
            }
        }
        reached = next;
    }
    !segments.is_empty() && reached.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching<'a>(pattern: &str, paths: &[&'a str]) -> Vec<&'a str> {
        let glob = Glob::new(pattern, Dots::Explicit).expect("valid pattern");
        paths.iter().copied().filter(|path| glob.matches(path, false)).collect()
    }

    #[test]
    fn a_bare_pattern_is_a_name_at_any_depth() {
        let paths = ["a.py", "src/app/main.py", ".github/x.py", "src/.h.py", "a.txt"];
        assert_eq!(matching("*.py", &paths), ["a.py", "src/app/main.py", ".github/x.py"]);
        assert_eq!(matching("main.py", &paths), ["src/app/main.py"]);
        assert_eq!(matching(".h*", &paths), ["src/.h.py"]);
        assert_eq!(matching("**", &paths), ["a.py", "src/app/main.py", ".github/x.py", "a.txt"]);
    }

    #[test]
    fn a_pattern_with_a_slash_is_a_path_below_the_root() {
        let paths = ["a.py", "src/a.py", "src/app/main.py", "x/src/a.py"];
        assert_eq!(matching("src/*.py", &paths), ["src/a.py"]);
        assert_eq!(matching("/*.py", &paths), ["a.py"]);
        assert_eq!(matching("src/**/*.py", &paths), ["src/a.py", "src/app/main.py"]);
        assert_eq!(matching("**/*.py", &paths), paths);
        assert_eq!(matching("**/src/*", &paths), ["src/a.py", "x/src/a.py"]);
        assert_eq!(matching("src//a.py", &paths), ["src/a.py"]);
        assert_eq!(matching("src/**", &paths), ["src/a.py", "src/app/main.py"]);
        assert_eq!(matching("a.py/**", &paths), [""; 0], "a trailing ** needs something below");
        assert_eq!(matching("src/**/", &paths), ["src/a.py", "src/app/main.py"]);
        assert_eq!(matching("src/**/**/a.py", &paths), ["src/a.py"]);
        assert_eq!(matching("src/", &paths), [""; 0]);
    }

    #[test]
    fn hidden_names_need_a_dot_in_the_pattern() {
        let paths = [".env", ".github/workflows/ci.yml", "a/.b/c.yml", "c.yml"];
        assert_eq!(matching("**/*.yml", &paths), ["c.yml"]);
        assert_eq!(matching("*.yml", &paths), [".github/workflows/ci.yml", "a/.b/c.yml", "c.yml"]);
        assert_eq!(matching("*", &paths), [".github/workflows/ci.yml", "a/.b/c.yml", "c.yml"]);
        assert_eq!(matching(".github/**", &paths), [".github/workflows/ci.yml"]);
        assert_eq!(matching("**/.b/*", &paths), ["a/.b/c.yml"]);
        assert_eq!(matching("[.]env", &paths), [""; 0]);
        assert_eq!(matching("?env", &paths), [""; 0]);
    }

    #[test]
    fn hidden_names_count_when_any_dot_does() {
        let glob = Glob::new("*.py", Dots::Any).expect("valid pattern");
        assert!(glob.matches("a/.b.py", false));
        let glob = Glob::new("**/*.py", Dots::Any).expect("valid pattern");
        assert!(glob.matches(".a/.b.py", false));
    }

    #[test]
    fn classes_and_single_characters() {
        let paths = ["f1", "f2", "f3", "f10", "f-", "f]", "fé", "F1"];
        assert_eq!(matching("f[12]", &paths), ["f1", "f2"]);
        assert_eq!(matching("f[1-3]", &paths), ["f1", "f2", "f3"]);
        assert_eq!(matching("f[!1-3]", &paths), ["f-", "f]", "fé"]);
        assert_eq!(matching("f[^1-3]", &paths), ["f-", "f]", "fé"]);
        assert_eq!(matching("f?", &paths), ["f1", "f2", "f3", "f-", "f]", "fé"]);
        assert_eq!(matching("f[]1]", &paths), ["f1", "f]"]);
        assert_eq!(matching("f[1-]", &paths), ["f1", "f-"]);
        assert_eq!(matching("f[1", &paths), [""; 0], "an open bracket is itself");
        assert_eq!(matching("f[3-1]", &paths), [""; 0], "an empty range matches nothing");
    }

    #[test]
    fn braces_are_alternatives() {
        let paths = ["a.ts", "a.tsx", "b.js", "src/a.ts", "{x}"];
        assert_eq!(matching("*.{ts,js}", &paths), ["a.ts", "b.js", "src/a.ts"]);
        assert_eq!(matching("*.{t{s,sx},js}", &paths), ["a.ts", "a.tsx", "b.js", "src/a.ts"]);
        assert_eq!(matching("{src/,}a.ts", &paths), ["a.ts", "src/a.ts"]);
        assert_eq!(matching("{x}", &paths), ["{x}"], "one alternative is none");
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for pattern in ["", "..", "../a", "a/../b", "a\0", &"x".repeat(5000)] {
            assert_eq!(
                Glob::new(pattern, Dots::Explicit).err(),
                Some(FailureReason::InvalidPattern),
                "{pattern:?}"
            );
        }
        let broad = "{a,b}".repeat(10);
        assert_eq!(Glob::new(&broad, Dots::Explicit).err(), Some(FailureReason::PatternTooBroad));
        let nested = "{a,b}".repeat(800);
        assert_eq!(Glob::new(&nested, Dots::Explicit).err(), Some(FailureReason::PatternTooBroad));
        assert!(Glob::new("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", Dots::Explicit).is_ok());
        assert!(Glob::new("a..b", Dots::Explicit).is_ok());
    }

    #[test]
    fn patterns_made_to_backtrack_do_not() {
        let path = vec!["a"; 400].join("/");
        let pattern = format!("{}b", "**/*/".repeat(100));
        assert!(!Glob::new(&pattern, Dots::Explicit).expect("valid").matches(&path, false));
        let name = "a".repeat(255);
        assert!(
            !Glob::new(&format!("{}b", "*a".repeat(120)), Dots::Explicit)
                .expect("valid")
                .matches(&name, false)
        );
    }

    #[test]
    fn what_a_search_may_leave_out() {
        let hint = |pattern: &str| {
            let glob = Glob::new(pattern, Dots::Explicit).expect("valid");
            (glob.enters_hidden(), glob.max_depth())
        };
        assert_eq!(hint("*.py"), (true, None));
        assert_eq!(hint("src/*.py"), (false, Some(2)));
        assert_eq!(hint("/*.py"), (false, Some(1)));
        assert_eq!(hint("**/*.py"), (false, None));
        assert_eq!(hint("{a,.b}/*/x"), (true, Some(3)));
    }

    #[test]
    fn only_directories_match_a_trailing_slash() {
        let glob = Glob::new("src/", Dots::Explicit).expect("valid");
        assert!(glob.matches("src", true));
        assert!(!glob.matches("src", false));
    }
}
