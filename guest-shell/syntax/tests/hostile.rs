//! Hostile input: extremely deep nesting, and noise. Nothing may panic, overflow a small stack, or take much more than
//! linear time.

use std::time::{Duration, Instant};

use sandshell_syntax::parser::fuzz_parse;
use sandshell_syntax::pattern::{Pattern, PatternOptions};

/// The time after which a test counts as hanging. The time of such a case grows with the square of its length, or
/// worse.
const HANGS: Duration = Duration::from_secs(60);

/// Runs on a stack as small as a guest's.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(work)
        .expect("a thread starts")
        .join()
        .expect("no panic");
}

#[test]
fn nesting_without_end_is_an_error_in_time() {
    on_small_stack(|| {
        for open in [
            "(",
            "{ ",
            "((",
            "$(",
            "$((",
            "${x:-",
            "\"$(",
            "`",
            "[[ ( ",
            "[[ ! ",
            "if ",
            "while ",
            "a[",
            "${a[",
            "$[",
            "<(",
            "a=(",
            "a() ",
            "case x in x) ",
            "! ",
            "time ",
            "coproc ",
            "function f ",
            "\"${x:-",
            "$((a[",
            "{a,",
            "@(",
            "x=$((1?",
            "a=$((-",
            "a=$((a=",
            "$(($(",
            "a|",
            "a&&",
            "a;",
            "[[ a && ",
            "${a[$((",
            "cat <<A\n",
            "(( (",
            "a[a[",
            "\\",
            "${!",
            "${#",
            "if a; then b; elif ",
            "$( (",
            "((a) ",
            "$((a) ",
            "for ((a;b;c)) { ",
            "select a do ",
        ] {
            let started = Instant::now();
            fuzz_parse(open.repeat(20_000).as_bytes());
            let took = started.elapsed();
            assert!(took < HANGS, "{open}: {took:?}");
        }
    });
}

#[test]
fn noise_is_survived() {
    on_small_stack(|| {
        let pieces: Vec<&[u8]> = vec![
            b"a",
            b" ",
            b"\n",
            b"(",
            b")",
            b"{",
            b"}",
            b"[",
            b"]",
            b"[[",
            b"]]",
            b"((",
            b"))",
            b"$",
            b"$(",
            b"${",
            b"$((",
            b"`",
            b"'",
            b"\"",
            b"\\",
            b"<",
            b"<<",
            b"<<<",
            b">",
            b"&",
            b"|",
            b";",
            b";;",
            b"if",
            b"then",
            b"fi",
            b"do",
            b"done",
            b"case",
            b"esac",
            b"in",
            b"for",
            b"while",
            b"!",
            b"=",
            b"+=",
            b"@",
            b"*",
            b"?",
            b"#",
            b"%",
            b"/",
            b":",
            b"-",
            b"~",
            b"^",
            b",",
            b"..",
            b"1",
            b"\xff",
            b"\xc3\xa9",
            b"\0",
            b"E",
            b"<<E\n",
            b"\nE\n",
            b"=~",
            b"==",
        ];
        let mut state = 7u64;
        for _ in 0..30_000 {
            let mut text = Vec::new();
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            for _ in 0..(state >> 40) % 24 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
            }
            fuzz_parse(&text);
            let options = PatternOptions { extglob: true, nocase: state & 1 == 1 };
            let pattern = Pattern::new(&text, options);
            let _ = (pattern.matches(&text), pattern.find(&text, 0), pattern.match_suffix(&text, true));
        }
    });
}

#[test]
fn patterns_take_no_exponential_time() {
    let options = PatternOptions { extglob: true, nocase: false };
    let text = vec![b'a'; 2000];
    for source in ["*a*a*a*a*a*a*a*a*a*b", "*(*(a))b", "+(+(+(a|aa)))b", "!(!(!(a*)))b", "*([ab]*a*)*b"] {
        let started = Instant::now();
        let pattern = Pattern::new(source.as_bytes(), options);
        assert!(!pattern.matches(&text), "{source}");
        let took = started.elapsed();
        assert!(took < HANGS, "{source}: {took:?}");
    }
}
