//! `sandshell ui`: who gets in, and what the page is told.

use super::{check, home, run, sandshell};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running server. It ends with the test.
struct Page {
    child: Child,
    address: String,
    token: String,
    path: String,
    cookie: String,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why it is refused, the method, what is asked for, headers.
type Asked<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.head);
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Page {
    fn start(home: &TempDir) -> Self {
        let mut child = sandshell(home.path())
            .args(["ui", "--data-dir", "data"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let (address, token) = url.trim().strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let mut page = Self {
            child,
            address: address.to_owned(),
            token: token.to_owned(),
            path: String::new(),
            cookie: String::new(),
        };
        let entered = page.send("GET", &format!("/?token={token}"), &[], "");
        assert_eq!(entered.status, 303);
        page.path = entered.header("location").unwrap().to_owned();
        let cookie = entered.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        assert!(cookie.contains(&format!("Path={};", page.path)), "{cookie}");
        assert!(!cookie.contains(token) && !page.path.contains(token));
        page.cookie = cookie.split(';').next().unwrap().to_owned();
        page
    }

    fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = if headers.iter().any(|(name, _)| *name == "host") { "" } else { &self.address };
        let mut text = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
        if !host.is_empty() {
            text += &format!("host: {host}\r\n");
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        let mut answer = Vec::new();
        // A server that refuses a body may close the connection while it is sent.
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
        let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Reply { status: 0, head: String::new(), body: answer };
        };
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head, body: answer[end + 4..].to_vec() }
    }

    /// As the page itself asks.
    fn ask(&self, what: &str) -> Reply {
        self.send("GET", &format!("{}api/{what}", self.path), &[("cookie", &self.cookie)], "")
    }

    fn json(&self, what: &str) -> Value {
        let reply = self.ask(what);
        let body = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, 200, "{what}: {body}");
        reply.json()
    }

    fn type_into(&self, body: &Value) -> Reply {
        let origin = format!("http://{}", self.address);
        let headers = [("cookie", &*self.cookie), ("origin", &origin), ("content-type", "application/json")];
        self.send("POST", &format!("{}api/terminal", self.path), &headers, &body.to_string())
    }
}

fn create(home: &TempDir, label: &str) -> String {
    let created = run(home, ["create", "--data-dir", "data", "--label", label]);
    assert_eq!(created.status.code(), Some(0), "{}", String::from_utf8_lossy(&created.stderr));
    String::from_utf8(created.stdout).unwrap().trim().to_owned()
}

fn execute(home: &TempDir, id: &str, command: &str) -> i32 {
    run(home, ["exec", "--data-dir", "data", "--sandbox-id", id, command]).status.code().unwrap()
}

#[test]
fn only_who_has_the_address_gets_in_and_only_from_the_page_itself() {
    let home = home();
    let page = Page::start(&home);
    let own = ("cookie", &*page.cookie);
    let list = format!("{}api/sandboxes", page.path);
    let origin = format!("http://{}", page.address);
    assert_eq!(page.send("GET", &list, &[own], "").status, 200);
    assert_eq!(
        page.send("GET", &list, &[own, ("origin", &origin), ("sec-fetch-site", "same-origin")], "").status,
        200
    );
    // The address may be opened again, in another browser.
    assert_eq!(page.send("GET", &format!("/?token={}", page.token), &[], "").status, 303);
    let port = page.address.split_once(':').unwrap().1;
    let wrong = format!("sandshell-{port}={}", "0".repeat(64));
    let token = format!("sandshell-{port}={}", page.token);
    let rebound = format!("evil.example:{port}");
    let terminal = format!("{}api/terminal", page.path);
    let refused: [Asked<'_>; 17] = [
        ("no cookie", "GET", &list, &[]),
        ("no cookie for the page", "GET", &page.path, &[]),
        ("no cookie for what is not there", "GET", "/none", &[]),
        ("a wrong cookie", "GET", &list, &[("cookie", &wrong)]),
        ("the token as a cookie", "GET", &list, &[("cookie", &token)]),
        ("no token", "GET", "/", &[]),
        ("an empty token", "GET", "/?token=", &[]),
        ("a part of the token", "GET", &format!("/?token={}", &page.token[1..]), &[]),
        ("another host", "GET", &list, &[own, ("host", &rebound)]),
        ("another host with the token", "GET", &format!("/?token={}", page.token), &[("host", &rebound)]),
        ("another origin", "GET", &list, &[own, ("origin", "http://evil.example")]),
        ("another port's origin", "GET", &list, &[own, ("origin", "http://127.0.0.1:1")]),
        ("no origin's name", "GET", &list, &[own, ("origin", "null")]),
        ("a picture on another port's page", "GET", &list, &[own, ("sec-fetch-site", "same-site")]),
        ("typing without an origin", "POST", &terminal, &[own]),
        ("typing from elsewhere", "POST", &terminal, &[own, ("origin", "http://evil.example")]),
        ("ending from elsewhere", "DELETE", &terminal, &[own, ("origin", "https://127.0.0.1")]),
    ];
    for (how, method, target, headers) in refused {
        let reply = page.send(method, target, headers, "");
        assert_eq!(reply.status, 403, "{how}");
        assert!(!String::from_utf8_lossy(&reply.body).contains(&page.path), "{how}");
    }
    // Nobody but this machine can connect.
    assert!(page.address.starts_with("127.0.0.1:"));
}

#[test]
fn browsers_are_told_to_trust_nothing() {
    let home = home();
    let page = Page::start(&home);
    let files = ["", "main.js", "style.css", "icon.svg", "api/sandboxes", "api/none", "none"];
    for file in files {
        let reply = page.send("GET", &format!("{}{file}", page.path), &[("cookie", &page.cookie)], "");
        assert_eq!(reply.status, if file.ends_with("none") { 404 } else { 200 }, "{file}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        for part in ["script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{file}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{file}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{file}");
    }
}

#[test]
fn what_happened_is_told_with_its_output() {
    let home = home();
    let id = &create(&home, "job=<b>7</b>");
    assert_eq!(execute(&home, id, "printf 'one\\ntwo\\n' > f; echo out; echo err >&2; exit 3"), 3);
    assert_eq!(execute(&home, id, "printf 'one\\n2\\n' > f; rm -f none; seq 20000"), 0);
    assert_eq!(execute(&home, id, "true"), 0);
    let page = Page::start(&home);
    let list = page.json("sandboxes");
    let one = &list["sandboxes"][0];
    assert_eq!(one["id"], **id);
    assert_eq!(one["labels"][0][1], "<b>7</b>");
    assert!(one["user"].is_null() && one["bytes"].as_u64() > Some(0), "{one}");

    let timeline = page.json(&format!("timeline?id={id}"));
    let calls = timeline["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 3);
    assert_eq!((&calls[2]["end"]["status"], &calls[2]["end"]["state"]), (&3.into(), &2.into()));
    // What changed nothing has no state.
    assert_eq!((&calls[0]["end"]["status"], &calls[0]["end"]["state"]), (&0.into(), &Value::Null));
    assert_eq!(timeline["states"].as_array().unwrap().len(), 3);
    let output = |call: usize| page.json(&format!("output?id={id}&call={}", calls[call]["number"]));
    assert_eq!((&output(2)["head"], &output(2)["missing"]), (&"out\nerr\n".into(), &0.into()));
    let long = output(1);
    assert!(long["missing"].as_u64() > Some(50_000), "{long}");
    assert!(long["head"].as_str().unwrap().starts_with("1\n2\n"));
    assert!(long["tail"].as_str().unwrap().ends_with("19999\n20000\n"));

    let changes = page.json(&format!("changes?id={id}&from=2&to=3"));
    assert_eq!((&changes["total"], &changes["changes"][0]["path"]), (&1.into(), &"/workspace/f".into()));
    let diff = page.json(&format!("diff?id={id}&from=2&to=3&path=/workspace/f"));
    assert_eq!(diff["diff"], "@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    let limits = page.json(&format!("sandbox?id={id}"));
    assert!(limits["limits"]["bytes"].as_u64() >= limits["bytes"].as_u64() && limits["live"].is_null());

    for (what, status) in [
        ("timeline?id=none", 404),
        ("timeline", 400),
        (&*format!("files?id={id}&path=/none"), 404),
        (&*format!("files?id={id}&path=none"), 400),
        (&*format!("files?id={id}&path=/&at=99"), 404),
        (&*format!("file?id={id}&path=/dev/null"), 404),
        (&*format!("file?id={id}&path=/workspace"), 400),
        (&*format!("download?id={id}&path=/workspace"), 400),
        (&*format!("output?id={id}&call=999"), 404),
        (&*format!("output?id={id}&call=x"), 400),
    ] {
        let reply = page.ask(what);
        assert_eq!(reply.status, status, "{what}: {}", String::from_utf8_lossy(&reply.body));
        assert!(reply.json()["error"].is_string(), "{what}");
    }
}

#[test]
fn large_things_are_shown_in_parts() {
    let home = home();
    let id = &create(&home, "a=b");
    let made = "truncate -s 10G huge; mkdir many; cd many; for i in {1..1300}; do : > $i; done; cd ..; \
        d=$(printf 'd/%.0s' {1..1500}); mkdir -p $d; yes | head -c 3000000 > big; cp big more; echo x >> more";
    assert_eq!(execute(&home, id, made), 0);
    let page = Page::start(&home);
    let (mut after, mut names) = (0, 0);
    loop {
        let part = page.json(&format!("files?id={id}&path=/workspace/many&after={after}"));
        let entries = part["entries"].as_array().unwrap().len();
        assert!(entries <= 500);
        names += entries;
        match part["next"].as_u64() {
            Some(next) => after = next,
            None => break,
        }
    }
    assert_eq!(names, 1300);
    let begun = Instant::now();
    let part = page.json(&format!("file?id={id}&path=/workspace/huge&offset=9000000000"));
    assert!(part["next"].as_u64() < Some(9_000_200_000) && begun.elapsed() < Duration::from_secs(5));
    let deep = format!("/workspace/{}", "d/".repeat(1500));
    assert_eq!(page.json(&format!("files?id={id}&path={deep}"))["entries"].as_array().unwrap().len(), 0);
    let big = page.json(&format!("diff?id={id}&from=1&to=2&path=/workspace/big"));
    assert!(big["why"].is_string() && big.get("diff").is_none(), "{big}");
    let changes = page.json(&format!("changes?id={id}&from=1&to=2"));
    assert_eq!(changes["changes"].as_array().unwrap().len(), 500);
    assert!(changes["total"].as_u64() > Some(2800), "{}", changes["total"]);

    let small = page.ask(&format!("download?id={id}&path=/workspace/more"));
    assert_eq!((small.status, small.body.len()), (200, 3_000_002));
    assert_eq!(small.header("content-type"), Some("application/octet-stream"));
    assert!(small.header("content-disposition").unwrap().starts_with("attachment;"));
    // Who stops in the middle of a large one ends it.
    let mut stream = TcpStream::connect(&page.address).unwrap();
    let target = format!("{}api/download?id={id}&path=/workspace/huge", page.path);
    write!(stream, "GET {target} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", page.address, page.cookie)
        .unwrap();
    let mut begin = vec![0; 1 << 20];
    stream.read_exact(&mut begin).unwrap();
    assert!(String::from_utf8_lossy(&begin).contains("content-length: 10737418240"));
    drop(stream);
    page.json("sandboxes");
}

#[test]
fn the_terminal_works_in_the_sandbox_and_gives_it_back() {
    let home = home();
    let id = &create(&home, "a=b");
    let page = Page::start(&home);
    let typed = |input: &str| {
        let asked = serde_json::json!({"id": id, "input": input, "rows": 20, "columns": 60});
        page.type_into(&asked)
    };
    let until = |text: &str| {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = typed("").json()["text"].as_str().unwrap().to_owned();
            if screen.contains(text) {
                return;
            }
            assert!(Instant::now() < end, "{screen}");
        }
    };
    assert_eq!(typed("echo $((6 * 7)) > note; cat note\r").status, 200);
    until("\n42");
    let state = page.json(&format!("sandbox?id={id}"));
    assert_eq!(state["user"]["here"], true);
    assert_eq!(state["live"]["processes"][0]["command"], "bash -i");
    // Bad requests change nothing.
    for bad in ["", "{}", "[]", &format!("{{\"id\":\"{id}\",\"rows\":0,\"columns\":9999}}")] {
        let origin = format!("http://{}", page.address);
        let headers = [("cookie", &*page.cookie), ("origin", &origin)];
        let reply = page.send("POST", &format!("{}api/terminal", page.path), &headers, bad);
        assert_eq!(reply.status, 400, "{bad}");
    }
    assert!([413, 0].contains(&typed(&"x".repeat(300_000)).status));
    let origin = format!("http://{}", page.address);
    let headers = [("cookie", &*page.cookie), ("origin", &*origin)];
    let ended = page.send("DELETE", &format!("{}api/terminal?id={id}", page.path), &headers, "");
    assert_eq!(ended.status, 200);
    check(&run(&home, ["exec", "--data-dir", "data", "--sandbox-id", id, "cat note"]), 0, "42\n");
    assert!(page.json(&format!("sandbox?id={id}"))["user"].is_null());
}

#[test]
fn a_sandbox_that_another_process_uses_is_left_to_it() {
    let home = home();
    let id = &create(&home, "a=b");
    let page = Page::start(&home);
    let mut other = sandshell(home.path());
    other.args(["exec", "--data-dir", "data", "--sandbox-id", id, "sleep 60"]).stdout(Stdio::null());
    let mut other = other.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while page.json(&format!("sandbox?id={id}"))["user"]["process"] != other.id() {
        assert!(Instant::now() < end);
    }
    while page.json(&format!("timeline?id={id}"))["calls"][0]["running"] != true {
        assert!(Instant::now() < end);
    }
    let asked = serde_json::json!({"id": id, "input": "ls\r", "rows": 20, "columns": 60});
    let refused = page.type_into(&asked);
    assert_eq!(refused.status, 409);
    assert!(refused.json()["error"].as_str().unwrap().contains(&other.id().to_string()));
    other.kill().unwrap();
    other.wait().unwrap();
    let killed = page.json(&format!("timeline?id={id}"));
    assert_eq!((&killed["calls"][0]["running"], &killed["calls"][0]["end"]), (&false.into(), &Value::Null));
}
