//! Servers of the host, which no guest reaches: not through a mounted directory, and not by their addresses.

use crate::program::sandshell;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

#[test]
fn servers_of_the_host_are_out_of_reach() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("project");
    std::fs::create_dir(&directory).unwrap();
    let unix = UnixListener::bind(directory.join("docker.sock")).unwrap();
    unix.set_nonblocking(true).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let port = tcp.local_addr().unwrap().port();
    // Whoever connects would be waiting now, so each listener works and nobody may be there.
    drop(std::os::unix::net::UnixStream::connect(directory.join("docker.sock")).unwrap());
    unix.accept().unwrap();

    let script = format!(
        "echo x | nc -w 1 -U /m/docker.sock; echo nc $?
         curl -sS --unix-socket /m/docker.sock http://localhost/; echo curl $?
         (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; echo bash $?
         curl -sS http://localhost:{port}/; echo curl $?
         curl -sS http://192.0.2.1/; echo curl $?
         echo x > /m/docker.sock; echo write $?"
    );
    for access in ["rw", "ro", "overlay"] {
        let mount = format!("{}:/m:{access}", directory.display());
        let output =
            sandshell(home.path()).args(["exec", "--no-packs", "--mount", &mount, &script]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let (refused, wrote) = text.rsplit_once("write ").unwrap();
        assert_eq!(refused, "nc 1\ncurl 7\nbash 1\ncurl 7\ncurl 7\n", "{access}: {output:?}");
        assert_eq!(wrote, "1\n", "{access}: {output:?}");
        assert_eq!(unix.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{access}");
        assert_eq!(tcp.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{access}");
    }
    // Nothing was put in the socket's place.
    let mut client = std::os::unix::net::UnixStream::connect(directory.join("docker.sock")).unwrap();
    client.write_all(b"hello").unwrap();
    drop(client);
    let mut heard = String::new();
    unix.accept().unwrap().0.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "hello");
}
