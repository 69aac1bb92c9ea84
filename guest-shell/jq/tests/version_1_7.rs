//! Answers that differ between jq 1.7 and 1.6, recorded from jq 1.7.1.

use std::io::Write;
use std::process::{Command, Stdio};

/// Arguments, standard input, standard output, standard error, exit status.
type Case = (&'static [&'static str], &'static str, &'static str, &'static str, i32);

fn main() {
    if std::env::var_os("AS_JQ").is_some() {
        sandshell_sys::init();
        let args = std::env::args_os().skip(1).map(|a| a.into_encoded_bytes());
        let args = std::iter::once(b"jq".to_vec()).chain(args).collect();
        sandshell_sys::exit(sandshell_jq::jq_main(args) as u8);
    }
    let different: Vec<String> = CASES.iter().filter_map(difference).collect();
    for text in &different {
        println!("{text}");
    }
    println!("{} passed, {} failed", CASES.len() - different.len(), different.len());
    std::process::exit(i32::from(!different.is_empty()));
}

/// Runs a case. This test program also serves as jq.
fn difference((args, input, stdout, stderr, status): &Case) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().expect("a path"))
        .args(*args)
        .env_remove("HOME")
        .env("AS_JQ", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jq starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("jq ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let answer = (text(&output.stdout), text(&output.stderr), output.status.code());
    let expected = ((*stdout).to_owned(), (*stderr).to_owned(), Some(*status));
    (answer != expected).then(|| format!("{args:?} < {input:?}: {answer:?}, not {expected:?}"))
}

const CASES: &[Case] = &[
    (
        &["-nc", ".a b"],
        "",
        "",
        "jq: error: syntax error, unexpected IDENT, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a b   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".["],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.[ \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "{"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n{\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "{a"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting '}' (Unix shell quoting issues?) at <top-level>, line 1:\n{a \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "}"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n}\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a @"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a @   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "1 +"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n1 +  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ". as x"],
        "",
        "",
        "jq: error: syntax error, unexpected IDENT, expecting BINDING or '[' or '{' (Unix shell quoting issues?) at <top-level>, line 1:\n. as x     \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "if . then 1"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\nif . then 1          \njq: error: Possibly unterminated 'if' statement at <top-level>, line 1:\nif . then 1\njq: 2 compile errors\n",
        3,
    ),
    (
        &["-nc", r#""abc"#],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END (Unix shell quoting issues?) at <top-level>, line 1:\n\"abc \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "f(1"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting ';' or ')' (Unix shell quoting issues?) at <top-level>, line 1:\nf(1  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "{a:1"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting '}' (Unix shell quoting issues?) at <top-level>, line 1:\n{a:1   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a.["],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a.[   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "[1,2"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n[1,2   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a |"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a |   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "| .a"],
        "",
        "",
        "jq: error: syntax error, unexpected '|', expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n| .a\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "reduce . as $x"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting '(' (Unix shell quoting issues?) at <top-level>, line 1:\nreduce . as $x            \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "break"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting BINDING (Unix shell quoting issues?) at <top-level>, line 1:\nbreak\njq: error: break requires a label to break to at <top-level>, line 1:\nbreak\njq: 2 compile errors\n",
        3,
    ),
    (
        &["-nc", ".. a"],
        "",
        "",
        "jq: error: syntax error, unexpected IDENT, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.. a   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "'a'"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n'a'\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", r#".a""#],
        "",
        "",
        "jq: error: syntax error, unexpected QQSTRING_START, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a\"  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "and"],
        "",
        "",
        "jq: error: syntax error, unexpected and, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\nand\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "if"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\nif\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a.b."],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting FORMAT or QQSTRING_START or '[' (Unix shell quoting issues?) at <top-level>, line 1:\n.a.b.    \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "foo bar"],
        "",
        "",
        "jq: error: syntax error, unexpected IDENT, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\nfoo bar    \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "def f: 1"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\ndef f: 1       \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ")"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n)\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "]"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n]\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "%"],
        "",
        "",
        "jq: error: syntax error, unexpected '%', expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n%\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ". as [$a"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting ',' or ']' (Unix shell quoting issues?) at <top-level>, line 1:\n. as [$a      \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "try"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\ntry\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "1 as $x"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file, expecting '|' (Unix shell quoting issues?) at <top-level>, line 1:\n1 as $x     \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a = "],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a =     \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "(1"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n(1 \njq: 1 compile error\n",
        3,
    ),
    (&["-nc", "#x"], "", "", "jq: error: Top-level program not given (try \".\")\njq: 1 compile error\n", 3),
    (
        &["-nc", "1;2"],
        "",
        "",
        "jq: error: syntax error, unexpected ';', expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n1;2 \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a;"],
        "",
        "",
        "jq: error: syntax error, unexpected ';', expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a;  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "&"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n&\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a && .b"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a && .b   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "!.a"],
        "",
        "",
        "jq: error: syntax error, unexpected INVALID_CHARACTER, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n!.a\njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a ? .b : .c"],
        "",
        "",
        "jq: error: syntax error, unexpected ':', expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a ? .b : .c        \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", r#".["a""#],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.[\"a\"    \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a["],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a[  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", ".a.1"],
        "",
        "",
        "jq: error: syntax error, unexpected LITERAL, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.a.1  \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", "..a"],
        "",
        "",
        "jq: error: syntax error, unexpected IDENT, expecting end of file (Unix shell quoting issues?) at <top-level>, line 1:\n..a  \njq: 1 compile error\n",
        3,
    ),
    (&["-nc", "{$__loc__}"], "", "{\"__loc__\":{\"file\":\"<top-level>\",\"line\":1}}\n", "", 0),
    (
        &["-nc", "{$x:1}"],
        "",
        "",
        "jq: error: $x is not defined at <top-level>, line 1:\n{$x:1} \njq: 1 compile error\n",
        3,
    ),
    (&["-nc", "try error catch ."], "", "null\n", "", 0),
    (&["-nc", "error"], "", "", "jq: error (at <unknown>) (not a string): null\n", 5),
    (&["-nc", "error(null)"], "", "", "jq: error (at <unknown>) (not a string): null\n", 5),
    (&["-nc", "try error(null) catch ."], "", "null\n", "", 0),
    (&["-nc", "[limit(0;1,2)]"], "", "[]\n", "", 0),
    (&["-nc", r#""nan"|tonumber"#], "", "null\n", "", 0),
    (&["-nc", r#""nan"|fromjson"#], "", "null\n", "", 0),
    (&["-nc", "1.0|tojson"], "", "\"1.0\"\n", "", 0),
    (&["-nc", "[1,1.0,1e2,1e1000,0.00001]|tojson"], "", "\"[1,1.0,1E+2,1E+1000,0.00001]\"\n", "", 0),
    (&["-nc", r#""a" * 0"#], "", "\"\"\n", "", 0),
    (&["-nc", r#""a" * 0.5"#], "", "\"\"\n", "", 0),
    (
        &["-nc", "1 / 0"],
        "",
        "",
        "jq: error (at <unknown>): number (1) and number (0) cannot be divided because the divisor is zero\n",
        5,
    ),
    (&["-nc", "1e300 % 7"], "", "0\n", "", 0),
    (&["-nc", "nan % 2"], "", "null\n", "", 0),
    (&["-nc", "if true then 1 end"], "", "1\n", "", 0),
    (&["-nc", "if false then 1 end"], "", "null\n", "", 0),
    (
        &["-nc", "[]|.[{}] = 1"],
        "",
        "",
        "jq: error (at <unknown>): Array/string slice indices must be integers\n",
        5,
    ),
    (
        &["-nc", "[1,2,3]|.[nan] = 1"],
        "",
        "",
        "jq: error (at <unknown>): Cannot set array element at NaN index\n",
        5,
    ),
    (&["-nc", "[1,2,3,4]|(.[]|select(.>2)) |= empty"], "", "[1,2]\n", "", 0),
    (&["-nc", "[1,2,3]|map_values(empty)"], "", "[]\n", "", 0),
    (&["-nc", "{a:{b:2}}|pick(.a.b)"], "", "{\"a\":{\"b\":2}}\n", "", 0),
    (&["-nc", "[1,2,3]|pick(.[1])"], "", "[null,2]\n", "", 0),
    (&["-nc", "[1,2,3]|pick(first)"], "", "[1]\n", "", 0),
    (
        &["-nc", "isempty(empty),isempty(1),isempty(error)"],
        "",
        "true\nfalse\n",
        "jq: error (at <unknown>) (not a string): null\n",
        5,
    ),
    (
        &["-nc", r#"["a"]|implode"#],
        "",
        "",
        "jq: error (at <unknown>): string (\"a\") can't be imploded, unicode codepoint needs to be numeric\n",
        5,
    ),
    (&["-nc", r#"1|debug("x \(.)")"#], "", "1\n", "[\"DEBUG:\",\"x 1\"]\n", 0),
    (&["-nc", "debug(1,2)"], "", "null\n", "[\"DEBUG:\",1]\n[\"DEBUG:\",2]\n", 0),
    (&["-nc", r#""x"|stderr"#], "", "\"x\"\n", "x", 0),
    (
        &["-nc", ". as [] | 1"],
        "",
        "",
        "jq: error: syntax error, unexpected ']', expecting BINDING or '[' or '{' (Unix shell quoting issues?) at <top-level>, line 1:\n. as [] | 1      \njq: 1 compile error\n",
        3,
    ),
    (&["-nc", "100000000000000000000"], "", "100000000000000000000\n", "", 0),
    (&["-nc", "[100000000000000000000,1.000,1e3]"], "", "[100000000000000000000,1.000,1E+3]\n", "", 0),
    (&["-nc", "[1.10]|.[0]"], "", "1.10\n", "", 0),
    (&["-nc", "[1.0,1]|unique"], "", "[1.0]\n", "", 0),
    (&["-nc", "1e1000"], "", "1E+1000\n", "", 0),
    (&["-nc", "5e-324"], "", "5E-324\n", "", 0),
    (&["-nc", "1.7976931348623157e308"], "", "1.7976931348623157E+308\n", "", 0),
    (&["-nc", "3.141592653589793238"], "", "3.141592653589793238\n", "", 0),
    (
        &["-nc", ".[1:"],
        "",
        "",
        "jq: error: syntax error, unexpected end of file (Unix shell quoting issues?) at <top-level>, line 1:\n.[1:   \njq: 1 compile error\n",
        3,
    ),
    (
        &["-nc", r#""ab"|[match("(z)?";"g")]"#],
        "",
        "[{\"offset\":0,\"length\":0,\"string\":\"\",\"captures\":[{\"offset\":0,\"string\":\"\",\"length\":0,\"name\":null}]},{\"offset\":1,\"length\":0,\"string\":\"\",\"captures\":[{\"offset\":1,\"string\":\"\",\"length\":0,\"name\":null}]},{\"offset\":2,\"length\":0,\"string\":\"\",\"captures\":[{\"offset\":2,\"string\":\"\",\"length\":0,\"name\":null}]}]\n",
        "",
        0,
    ),
    (&["-nc", r#""xyz"|[gsub("[xz]";"1","2")]"#], "", "[\"1y1\",\"2y2\"]\n", "", 0),
    (&["-c", "."], "100000000000000000000", "100000000000000000000\n", "", 0),
    (
        &["-c", "."],
        "[1.000,1e2,-0,0.00001,12345678901234567890,1E-10]",
        "[1.000,1E+2,-0,0.00001,12345678901234567890,1E-10]\n",
        "",
        0,
    ),
    (&["."], "[1,2", "", "jq: parse error: Unfinished JSON term at EOF at line 1, column 4\n", 5),
    (&["."], "{a:1}", "", "jq: parse error: Invalid numeric literal at line 1, column 3\n", 5),
    (
        &["."],
        "\"a\tb\"",
        "",
        "jq: parse error: Invalid string: control characters from U+0000 through U+001F must be escaped at line 1, column 5\n",
        5,
    ),
    (
        &["-c", "--stream", "."],
        "[1,2",
        "[[0],1]\n",
        "jq: parse error: Unfinished JSON term at EOF at line 1, column 4\n",
        5,
    ),
    (&["-e", "."], "", "", "", 4),
    (
        &["-C", "-c", "."],
        r#"[null,{"a":"b"}]"#,
        "\x1b[1;39m[\x1b[0;90mnull\x1b[0m\x1b[1;39m,\x1b[1;39m{\x1b[0m\x1b[1;34m\"a\"\x1b[0m\x1b[1;39m:\x1b[0m\x1b[0;32m\"b\"\x1b[0m\x1b[1;39m\x1b[1;39m}\x1b[0m\x1b[1;39m\x1b[1;39m]\x1b[0m\n",
        "",
        0,
    ),
    (&["--raw-output0", "."], r#""a" 1"#, "a\x001\0", "", 0),
    (
        &["-c", "."],
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "",
        "jq: parse error: Exceeds depth limit for parsing at line 1, column 257\n",
        5,
    ),
    (&["-c", ".[0] == .[1]"], "[100000000000000000001,100000000000000000000]", "false\n", "", 0),
    (&["-c", ".[0] + 0"], "[100000000000000000001]", "1e+20\n", "", 0),
    (
        &["map(bar) | baz"],
        "1",
        "",
        "jq: error: baz/0 is not defined at <top-level>, line 1:\nmap(bar) | baz           \njq: 1 compile error\n",
        3,
    ),
    (&["-c", "del(.[1:])"], "[1,2,3]", "[1]\n", "", 0),
    (&["-c", ". as [$a] ?// $a | [$a]"], "3", "[3]\n", "", 0),
    (&["-ac", "."], r#""é😀""#, "\"\\u00e9\\ud83d\\ude00\"\n", "", 0),
    (&["-c", r#"ltrimstr("a"), splits(", ")"#], r#""a, b""#, "\", b\"\n\"a\"\n\"b\"\n", "", 0),
    (&["-c", "@html"], r#""<'>""#, "\"&lt;&apos;&gt;\"\n", "", 0),
    (&["-V"], "", "jq-1.7.1\n", "", 0),
    (&["."], "nope", "", "jq: parse error: Invalid numeric literal at EOF at line 1, column 4\n", 5),
    (&["."], "{'a':1}", "", "jq: parse error: Invalid numeric literal at line 1, column 5\n", 5),
    (&["."], "[1,]", "", "jq: parse error: Expected another array element at line 1, column 4\n", 5),
    (&["."], r#"{"a" 1}"#, "", "jq: parse error: Expected separator between values at line 1, column 7\n", 5),
    (&["."], "1 }", "1\n", "jq: parse error: Unmatched '}' at line 1, column 3\n", 5),
    (&["."], r#""\x""#, "", "jq: parse error: Invalid escape at line 1, column 4\n", 5),
    (&["."], r#""abc"#, "", "jq: parse error: Unfinished string at EOF at line 1, column 4\n", 5),
    (&["."], "tru", "", "jq: parse error: Invalid literal at EOF at line 1, column 3\n", 5),
];
