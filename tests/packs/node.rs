//! Node's interface: `run.expected` is what Node 20 prints. Hostile programs end with an error of their own.

use super::{differences, exec};
use std::fs;
use std::path::Path;

#[test]
fn answers_are_those_of_node_20() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/node");
    let got = exec(["--mount", &format!("{}:/tests:ro", folder.display())], "bash /tests/run.sh");
    let differs = differences(&fs::read(folder.join("run.expected")).unwrap(), &got.stdout);
    assert!(differs.is_empty(), "{differs}\n{}", String::from_utf8_lossy(&got.stderr));
}

/// What a program could do to end the process without a word, or never: it is an exception, or a limit that has a name.
#[test]
fn hostile_programs_end_with_an_error() {
    let script = r#"cd /tmp
        t() { timeout "$@" 2>&1 | tail -c 300 | grep -ao 'RangeError\|SyntaxError\|call stack\|out of memory\|not valid\|end of file' | sort -u | tr '\n' ' '
              echo "status ${PIPESTATUS[0]}"; }
        t 1 node -e 'for (;;);'
        t 20 node -e 'function f() { return f() + f(); } f()'
        t 20 node -e 'const a = []; a[0] = a; let t = "["; JSON.parse(t.repeat(200000))'
        t 20 node -e '"x".repeat(2 ** 31)'
        t 20 node -e 'let r = []; for (let i = 0; i < 1e5; i++) r = [r]; JSON.stringify(r)'
        t 20 node -e 'new Function("(".repeat(100000))'
        t 20 node -e 'new RegExp("(".repeat(100000))'
        t 20 node -e 'require("v8").deserialize(Buffer.from("ff0f" + "41014101".repeat(100000), "hex"))'
        t 20 node -e 'require("zlib").inflateSync(Buffer.from("789c", "hex"))'"#;
    let got = exec::<&str>([], script);
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let expected = "status 124\nRangeError call stack status 1\n";
    assert!(text.starts_with(expected), "{text}\n{}", String::from_utf8_lossy(&got.stderr));
    // Each of the others ended by itself with an exception.
    for line in text.lines().skip(2) {
        assert!(line.ends_with("status 1"), "{text}");
    }
    assert_eq!(text.lines().count(), 9, "{text}");
}
