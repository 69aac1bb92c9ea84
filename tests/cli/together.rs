//! Several servers on one object store that share the work: every home directory is another machine.

use super::check_refused;
use super::shared::Machines;
use super::shared::serving::{Server, ask, signal};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const JOIN: &[&str] = &["--join", "127.0.0.1:0"];

fn start(machines: &Machines) -> Server {
    Server::start_with(machines, "runloop", JOIN)
}

/// The answer to a request, which succeeds.
#[track_caller]
fn answered(address: &str, request: &str, body: &Value) -> Value {
    let answer = ask(address, request, &body.to_string());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{request}: {answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    // It is in one piece, or in several with their lengths.
    let json = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
    serde_json::from_str(json).unwrap()
}

#[track_caller]
fn create(address: &str) -> String {
    answered(address, "POST /v1/devboxes", &json!({}))["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn execute(address: &str, id: &str, command: &str) -> String {
    let request = format!("POST /v1/devboxes/{id}/execute_sync");
    let done = answered(address, &request, &json!({"command": command}));
    assert_eq!(done["exit_status"], 0, "{done}");
    done["stdout"].as_str().unwrap().to_owned()
}

fn number(server: &Server, name: &str) -> u64 {
    let metrics = ask(&server.health, "GET /metrics", "");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("sandshell_{name} "))).unwrap();
    line.parse().unwrap()
}

/// Waits until the server that has the services gives work to so many.
#[track_caller]
fn wait_for_servers(server: &Server, count: u64) {
    let until = Instant::now() + Duration::from_secs(60);
    while number(server, "servers") != count {
        assert!(Instant::now() < until, "there are {}", number(server, "servers"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn clients_use_any_server_and_the_work_is_shared() {
    let machines = Machines::new();
    let first = start(&machines);
    let first_address = first.address();
    let (second, third) = (start(&machines), start(&machines));
    let addresses = [first_address, second.address(), third.address()];
    wait_for_servers(&first, 3);
    let ids: Vec<String> = (0..6).map(|number| create(&addresses[number % 3])).collect();
    for (number, id) in ids.iter().enumerate() {
        execute(&addresses[(number + 1) % 3], id, &format!("echo {number} > note"));
    }
    for server in [&first, &second, &third] {
        assert_eq!(number(server, "sandboxes_open"), 2);
    }
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(execute(&addresses[(number + 2) % 3], id, "cat note"), format!("{number}\n"));
    }
    // Much output, and bytes that are no text, come through another server as well.
    let id = &ids[1];
    assert_eq!(execute(&addresses[2], id, "seq 200000 | tail -n 1; printf '\\377' | wc -c"), "200000\n1\n");
    let copy = answered(&addresses[1], &format!("POST /v1/devboxes/{id}/snapshot_disk"), &json!({}));
    let from = json!({"snapshot_id": copy["id"]});
    let restored = answered(&addresses[2], "POST /v1/devboxes", &from)["id"].as_str().unwrap().to_owned();
    assert_eq!(execute(&addresses[0], &restored, "cat note"), "1\n");
    answered(&addresses[2], &format!("POST /v1/devboxes/{id}/shutdown"), &json!({}));
    assert!(
        ask(&addresses[0], &format!("POST /v1/devboxes/{id}/execute_sync"), "{}")
            .starts_with("HTTP/1.1 400 ")
    );
}

#[test]
fn nothing_acknowledged_is_lost_with_a_server() {
    let machines = Machines::new();
    let mut first = start(&machines);
    let address = first.address();
    let (mut second, third) = (start(&machines), start(&machines));
    let (to_second, to_third) = (second.address(), third.address());
    wait_for_servers(&first, 3);
    let ids: Vec<String> = (0..6).map(|_| create(&address)).collect();
    for id in &ids {
        execute(&to_second, id, "echo kept > note");
    }

    // One that runs sandboxes ends by itself: others go on with them.
    signal(&second, "-TERM");
    assert_eq!(second.process.wait().unwrap().code(), Some(0));
    for id in &ids {
        assert_eq!(execute(&to_third, id, "cat note; echo more >> note"), "kept\n");
    }
    wait_for_servers(&first, 2);

    // The one that has the services is killed: clients of the other one wait for a moment.
    first.process.kill().unwrap();
    first.process.wait().unwrap();
    for id in &ids {
        assert_eq!(execute(&to_third, id, "cat note"), "kept\nmore\n");
    }
    let fourth = start(&machines);
    let address = fourth.address();
    wait_for_servers(&third, 2);
    let ids: Vec<String> = (0..2).map(|_| create(&address)).collect();
    assert!(number(&fourth, "sandboxes_open") > 0);
    for id in ids {
        execute(&address, &id, "true");
    }
}

#[test]
fn a_killed_worker_is_replaced() {
    let machines = Machines::new();
    let first = start(&machines);
    let address = first.address();
    let mut second = start(&machines);
    second.address();
    wait_for_servers(&first, 2);
    let ids: Vec<String> = (0..4).map(|_| create(&address)).collect();
    for id in &ids {
        execute(&address, id, "echo kept > note");
    }
    assert_eq!(number(&second, "sandboxes_open"), 2);
    second.process.kill().unwrap();
    second.process.wait().unwrap();
    for id in &ids {
        assert_eq!(execute(&address, id, "cat note"), "kept\n");
    }
    assert_eq!(number(&first, "servers"), 1);
}

#[test]
fn strangers_are_no_servers() {
    let machines = Machines::new();
    let home = super::home();
    let run = |more: &[&str]| {
        let url = machines.url();
        let mut arguments = vec!["--data-dir", &url, "serve", "--emulate", "runloop", "--port", "0"];
        arguments.extend(more);
        machines.run(&home, &arguments)
    };
    check_refused(&run(&["--join", "0.0.0.0:0"]), &["not a loopback address", "--public"]);
    check_refused(&run(&["--join", "0.0.0.0:0", "--public"]), &["an address of this machine"]);
    let alone = ["serve", "--emulate", "runloop", "--port", "0", "--join", "127.0.0.1:0"];
    check_refused(&machines.run(&home, &alone), &["--data-dir"]);

    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = free.local_addr().unwrap().to_string();
    drop(free);
    let server = Server::start_with(&machines, "runloop", &["--join", &at]);
    server.address();
    let greeting = |purpose: u8| [b"sandpee2".as_slice(), &[purpose, 1], b"x", &[7; 32]].concat();
    let hello = b"{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}\n";
    for said in [
        b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".to_vec(),
        hello.to_vec(),
        [b"sandpee2".as_slice(), &[9, 0], &[7; 32]].concat(),
        [b"sandpee2".as_slice(), &[2, 255], &[0; 300]].concat(),
        // It gets an answer, but does not know what to say to it.
        [greeting(2), vec![0; 32], hello.to_vec()].concat(),
        [greeting(1), vec![0; 32], b"GET /v1/devboxes HTTP/1.1\r\n\r\n".to_vec()].concat(),
    ] {
        let mut stream = TcpStream::connect(&at).unwrap();
        stream.write_all(&said).unwrap();
        let mut answer = Vec::new();
        // The connection may be reset.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.len() == 64, "{}", String::from_utf8_lossy(&answer));
    }
    // Greetings that stop keep no server out for long.
    let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&at).unwrap()).collect();
    let other = start(&machines);
    let id = create(&other.address());
    wait_for_servers(&server, 2);
    assert_eq!(execute(&other.address(), &id, "echo ok"), "ok\n");
    drop(silent);
}

/// An address that nothing has.
fn free() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// What a server says first that calls another one, and 32 bytes.
fn greeting(purpose: u8) -> Vec<u8> {
    [b"sandpee2".as_slice(), &[purpose, 1], b"x", &[7; 32]].concat()
}

#[test]
fn silent_strangers_keep_no_server_out() {
    let machines = Machines::new();
    let at = free();
    let server = Server::start_with(&machines, "runloop", &["--join", &at]);
    server.address();
    let silent: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(&at).unwrap()).collect();
    let mut caller = TcpStream::connect(&at).unwrap();
    caller.write_all(&greeting(2)).unwrap();
    // The first part of the answer, which everybody gets.
    caller.read_exact(&mut [0; 64]).expect("it is answered while the others are silent");
    drop(silent);
}

/// The call of a server that takes the one for alive which this address is of, and what it says first.
#[track_caller]
fn called(listener: &std::net::TcpListener) -> (TcpStream, Vec<u8>) {
    let until = Instant::now() + Duration::from_secs(60);
    listener.set_nonblocking(true).unwrap();
    let mut call = loop {
        match listener.accept() {
            Ok((call, _)) => break call,
            Err(_) => assert!(Instant::now() < until, "nobody calls"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    call.set_nonblocking(false).unwrap();
    call.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut said = vec![0; 10];
    call.read_exact(&mut said).unwrap();
    said.resize(10 + usize::from(said[9]) + 32, 0);
    call.read_exact(&mut said[10..]).unwrap();
    (call, said)
}

/// Another program gets the address of a server that is gone. It does not know the secret, but a server that does.
#[test]
fn a_greeting_is_for_one_server_only() {
    let machines = Machines::new();
    let (gone, there) = (free(), free());
    let first = start(&machines);
    first.address();
    let mut second = Server::start_with(&machines, "runloop", &["--join", &gone]);
    let _third = Server::start_with(&machines, "runloop", &["--join", &there]);
    wait_for_servers(&first, 3);
    second.process.kill().unwrap();
    second.process.wait().unwrap();
    let (mut caller, said) = called(&std::net::TcpListener::bind(&gone).unwrap());
    let mut other = TcpStream::connect(&there).unwrap();
    other.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    other.write_all(&said).unwrap();
    let mut answer = [0; 64];
    other.read_exact(&mut answer).unwrap();
    caller.write_all(&answer).unwrap();
    let mut proof = [0; 32];
    if caller.read_exact(&mut proof).is_ok() {
        other.write_all(&proof).unwrap();
        other.write_all(b"{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}\n").unwrap();
        let mut said = [0; 1];
        assert!(!matches!(other.read(&mut said), Ok(1)), "it takes a stranger for the caller");
    }
}

#[test]
fn servers_that_do_not_answer_do_not_wait_for_each_other() {
    let machines = Machines::new();
    let frozen = [free(), free()];
    let first = start(&machines);
    first.address();
    let mut servers: Vec<Server> =
        frozen.iter().map(|at| Server::start_with(&machines, "runloop", &["--join", at])).collect();
    wait_for_servers(&first, 3);
    for server in &mut servers {
        server.process.kill().unwrap();
        server.process.wait().unwrap();
    }
    let listeners = frozen.map(|at| std::net::TcpListener::bind(at).unwrap());
    // One of them is called first, whichever it is.
    let calls = std::thread::scope(|scope| {
        let calls =
            listeners.each_ref().map(|listener| scope.spawn(move || (called(listener).0, Instant::now())));
        calls.map(|call| call.join().unwrap())
    });
    let (earlier, _) = calls.iter().min_by_key(|(_, at)| *at).unwrap();
    earlier.set_nonblocking(true).unwrap();
    let given_up = (&*earlier).read(&mut [0; 1]).map_err(|error| error.kind());
    assert_eq!(given_up, Err(std::io::ErrorKind::WouldBlock), "the call before was given up first");
}
