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
        t() { timeout "$@" 2>&1 | tail -c 2000 | grep -ao 'RangeError\|SyntaxError\|CompileError\|call stack\|out of memory\|not valid\|end of file' | sort -u | tr '\n' ' '
              echo "status ${PIPESTATUS[0]}"; }
        t 1 node -e 'for (;;);'
        t 20 node -e 'function f() { return f() + f(); } f()'
        t 20 node -e 'const a = []; a[0] = a; let t = "["; JSON.parse(t.repeat(200000))'
        t 20 node -e '"x".repeat(2 ** 31)'
        t 20 node -e 'let r = []; for (let i = 0; i < 1e5; i++) r = [r]; JSON.stringify(r)'
        t 20 node -e 'new Function("(".repeat(100000))'
        t 20 node -e 'new RegExp("(".repeat(100000))'
        t 20 node -e 'require("v8").deserialize(Buffer.from("ff0f" + "41014101".repeat(100000), "hex"))'
        t 20 node -e 'require("zlib").inflateSync(Buffer.from("789c", "hex"))'
        cat > wasm.js <<'END'
const compile = (body) => new WebAssembly.Module(new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x61, 0, 0,
  10, ...leb(body.length + 6), 1, ...leb(body.length + 1), 0, ...body]));
const leb = (n) => [n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21];
const start = (body) => new WebAssembly.Instance(compile(body)).exports.a;
({
  calls: () => start([0x20, 0, 0x10, 0, 0x0b])(1),
  values() {
    const a = start([0x20, 0, 0x0b]), loop = {};
    loop.valueOf = a.bind(null, loop);
    a(loop);
  },
  blocks: () => start([...Array(200000).fill([2, 0x40]).flat(), ...Array(200001).fill(0x0b)])(1),
  stack: () => start(Array(200000).fill([0x41, 0]).flat())(1),
  memory: () => new WebAssembly.Memory({ initial: 65536 }),
  text: () => new WebAssembly.Module(Buffer.from('0061736d0100000001ffffffff0f60', 'hex')),
})[process.argv[2]]();
END
        for case in calls values blocks stack memory text; do t 20 node wasm.js $case; done"#;
    let got = exec::<&str>([], script);
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let expected = "status 124\nRangeError call stack status 1\n";
    assert!(text.starts_with(expected), "{text}\n{}", String::from_utf8_lossy(&got.stderr));
    // Each of the others ended by itself with an exception.
    for line in text.lines().skip(2) {
        assert!(line.ends_with("status 1"), "{text}");
    }
    assert_eq!(text.lines().count(), 15, "{text}");
}

/// What is not there is an error that says so, not a wrong answer.
#[test]
fn what_is_missing_is_refused() {
    let script = r#"cd "$(mktemp -d)"
        echo '{"name":"r","workspaces":["a"],"scripts":{"x":"echo root"}}' > package.json
        npm run x -w a; npm run x --workspaces; npm install; npm run -s x
        node -p '"ij".toLocaleUpperCase("lt")'; node -p 'new URL("http://\u0628\u200c\u0721/")'"#;
    let got = exec::<&str>([], &format!("{{ {script}\n}} 2>&1 | grep -a 'available in\\|^root'"));
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let refused = text.lines().filter(|line| line.contains("not available in this sandbox")).count();
    assert_eq!((refused, text.lines().filter(|line| *line == "root").count()), (5, 1), "{text}");
}
