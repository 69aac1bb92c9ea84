# A server that answers byte by byte what is written here, and `up`, which starts it: `. ./up; curl localhost:8765/ok`.
cat > server.py <<'END'
import gzip, select, socket, sys, time, zlib

def ok(body, *head, status="200 OK", length=True):
    lines = [f"HTTP/1.1 {status}", *head] + ([f"Content-Length: {len(body)}"] if length else [])
    return "".join(line + "\r\n" for line in lines).encode() + b"\r\n" + body

def to(place, status="302 Found", body=b"moved\n"):
    return ok(body, f"Location: {place}", status=status)

def chunked(*parts, head=(), trailer=b""):
    text = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n" + trailer + b"\r\n"
    return ok(text, "Transfer-Encoding: chunked", *head, length=False)

TEXT = b"0123456789abcdefghij\n"
DATE = "Last-Modified: Sat, 01 Jan 2022 10:00:00 GMT"
# What a request for a path gets; the connection stays open, unless "close" follows.
ANSWERS = {
    "ok": ok(b"hello\n", "Server: test", "Content-Type: text/plain", DATE),
    "second": ok(b"second\n"),
    "text": ok(TEXT, "Content-Type: text/plain", DATE, "ETag: \"a1\""),
    "dir/": ok(b"<html></html>\n", "Content-Type: text/html"),
    "empty": ok(b""),
    "204": b"HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n",
    "304": b"HTTP/1.1 304 Not Modified\r\nETag: \"a1\"\r\n\r\n",
    "404": ok(b"none\n", status="404 Not Found"),
    "500": ok(b"broken\n", status="500 Internal Server Error"),
    "401": ok(b"who\n", "WWW-Authenticate: Basic realm=\"x\"", status="401 Unauthorized"),
    "noreason": ok(b"x\n", status="200"),
    "chunked": chunked(b"one\n", b"two\n", b"three\n"),
    "trailer": chunked(b"one\n", trailer=b"X-T: 1\r\n"),
    "extension": ok(b"4;a=b;c\r\none\n\r\n0;z\r\n\r\n", "Transfer-Encoding: chunked", length=False),
    "gzip": ok(gzip.compress(TEXT, mtime=0), "Content-Encoding: gzip"),
    "deflate": ok(zlib.compress(TEXT), "Content-Encoding: deflate"),
    "badgzip": ok(b"not gzip at all, not at all", "Content-Encoding: gzip"),
    "unknowncoding": ok(TEXT, "Content-Encoding: foo"),
    "old": b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold text\n", "old close": 1,
    "keep10": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nab\n",
    "closes": ok(b"bye\n", "Connection: close"), "closes close": 1,
    "untilclose": ok(TEXT, length=False), "untilclose close": 1,
    "short": ok(b"short", "Content-Length: 50", length=False), "short close": 1,
    "shortchunk": ok(b"5\r\nhel", "Transfer-Encoding: chunked", length=False), "shortchunk close": 1,
    "badchunk": ok(b"zz\r\nhello\r\n", "Transfer-Encoding: chunked", length=False), "badchunk close": 1,
    "hugechunk": ok(b"ffffffffffffffffff\r\nhello\r\n", "Transfer-Encoding: chunked", length=False), "hugechunk close": 1,
    "longchunk": ok(b"0" * 40 + b"5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked", length=False), "longchunk close": 1,
    "nocrlf": ok(b"5\r\nhelloX\r\n0\r\n\r\n", "Transfer-Encoding: chunked", length=False), "nocrlf close": 1,
    "negative": ok(b"hello\n", "Content-Length: -5", length=False), "negative close": 1,
    "hugelength": ok(b"hello\n", "Content-Length: 99999999999999999999999", length=False), "hugelength close": 1,
    "wronglength": ok(b"hello\n", "Content-Length: abc", length=False), "wronglength close": 1,
    "twolengths": ok(b"hello\n", "Content-Length: 3", "Content-Length: 6", length=False), "twolengths close": 1,
    "both": ok(b"3\r\nabc\r\n0\r\n\r\n", "Content-Length: 3", "Transfer-Encoding: chunked", length=False), "both close": 1,
    "extra": ok(b"hello\n") + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevil\n",
    "nothing": b"", "nothing close": 1,
    "garbage": b"this is no HTTP\n", "garbage close": 1,
    "halfhead": b"HTTP/1.1 200 OK\r\nContent-", "halfhead close": 1,
    "nocolon": b"HTTP/1.1 200 OK\r\nnocolon\r\nContent-Length: 2\r\n\r\na\n", "nocolon close": 1,
    "badstatus": b"HTTP/1.1 abc\r\n\r\n", "badstatus close": 1,
    "http2": b"HTTP/2 200\r\nContent-Length: 2\r\n\r\na\n", "http2 close": 1,
    "http3": b"HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\na\n", "http3 close": 1,
    "nul": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\na\n", "nul close": 1,
    "lf": b"HTTP/1.1 200 OK\nX: a\nContent-Length: 2\n\na\n",
    "folded": b"HTTP/1.1 200 OK\r\nX: a\r\n  b\r\nContent-Length: 2\r\n\r\na\n",
    "spaces": b"HTTP/1.1 200 OK\r\nX:a  \r\nY:   b\r\nContent-Length:2\r\n\r\na\n",
    "longline": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200000 + b"\r\nContent-Length: 2\r\n\r\na\n", "longline close": 1,
    "manylines": b"HTTP/1.1 200 OK\r\n" + b"X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n" * 20000 + b"Content-Length: 2\r\n\r\na\n", "manylines close": 1,
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"after\n"),
    "early": b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + ok(b"after\n"),
    "binary": ok(b"a\0b\xff\n"),
    "big": ok(b"x" * 300000),
    "301": to("/ok", "301 Moved Permanently"), "302": to("/ok"), "303": to("/echo", "303 See Other"),
    "307": to("/echo", "307 Temporary Redirect"), "308": to("/echo", "308 Permanent Redirect"),
    "301echo": to("/echo", "301 Moved Permanently"), "302echo": to("/echo"),
    "relative": to("ok"), "up/relative": to("../ok?x=1#frag"), "query": to("?a=b"), "absolute": to("http://localhost:8765/ok"),
    "otherhost": to("http://127.0.0.1:8765/echo"), "loop": to("/loop"), "away": to("http://x.invalid/"),
    "tofile": to("file:///etc/passwd"), "tofoo": to("foo://x"), "noplace": to(""), "spaceplace": to("/e cho"),
    "toclosed": to("http://localhost:1/"),
    "cookie": ok(b"set\n", "Set-Cookie: a=1; Path=/", "Set-Cookie: b=two; path=/; HttpOnly", "Set-Cookie: c=3; Max-Age=0"),
    "cookies/deep": ok(b"set\n", "Set-Cookie: d=4", "Set-Cookie: e=5; Domain=example.com", "Set-Cookie: f=6; expires=Fri, 01 Jan 2100 00:00:00 GMT; Secure"),
    "cookieto": ok(b"", "Set-Cookie: s=1; Path=/", "Location: /echo", status="302 Found"),
    "name": ok(b"named\n", "Content-Disposition: attachment; filename=\"given.txt\""),
    "badname": ok(b"named\n", "Content-Disposition: attachment; filename=\"../../tmp/evil\""),
    "json": ok(b"{\"a\": 1}\n", "Content-Type: application/json"),
    "retryafter": ok(b"later\n", "Retry-After: 1", status="503 Service Unavailable"),
    "416": ok(b"range\n", "Content-Range: bytes */21", status="416 Range Not Satisfiable"),
}

def head_of(peer):
    data = b""
    while b"\r\n\r\n" not in data:
        more = peer.recv(65536)
        if not more:
            return None
        data += more
    head, rest = data.split(b"\r\n\r\n", 1)
    return head, rest

def field(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip()

def body_of(peer, head, rest):
    if field(head, b"expect") and b"refuse" not in head:
        peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    length = int(field(head, b"content-length") or 0)
    while len(rest) < length:
        more = peer.recv(65536)
        if not more:
            break
        rest += more
    if field(head, b"transfer-encoding"):
        while not rest.endswith(b"0\r\n\r\n"):
            rest += peer.recv(65536)
    return rest

flaky = 0

def serve(peer):
    """Answers one request. True if the connection stays open."""
    global flaky
    got = head_of(peer)
    if got is None:
        return False
    head, rest = got
    name = head.split(b" ")[1].split(b"?")[0].decode().lstrip("/")
    method = head.split(b" ")[0]
    if name == "refuse" and field(head, b"expect"):
        peer.sendall(ok(b"no\n", status="417 Expectation Failed"))
        return False
    body = body_of(peer, head, rest)
    with open("log", "ab") as log:
        log.write(head + b"\r\n\r\n" + body + b"\n")
    if name == "hang":
        time.sleep(30)
    if name == "slow":
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
        time.sleep(30)
    if name == "flaky":
        flaky += 1
        answer = ok(b"busy\n", status="503 Service Unavailable") if flaky < 3 else ok(b"well\n")
    elif name == "range":
        asked = field(head, b"range")
        begin = int(asked.split(b"=")[1].split(b"-")[0]) if asked else 0
        if asked:
            answer = ok(TEXT[begin:], f"Content-Range: bytes {begin}-20/21", DATE, status="206 Partial Content")
        else:
            answer = ok(TEXT, DATE)
    elif name == "since" and field(head, b"if-modified-since"):
        answer = ANSWERS["304"]
    elif name == "private" and not field(head, b"authorization"):
        answer = ANSWERS["401"]
    else:
        answer = ANSWERS.get(name) if name != "echo" else None
        if answer is None:
            answer = ok(head + b"\r\n\r\n" + body, "Content-Type: text/plain")
    if method == b"HEAD":
        answer = answer.split(b"\r\n\r\n")[0] + b"\r\n\r\n"
    peer.sendall(answer)
    return f"{name} close" not in ANSWERS

where = sys.argv[1] if len(sys.argv) > 1 else "8765"
if where.isdigit():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(where)))
else:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(where)
listener.listen(5)
open("is_up", "w").close()
peers = []
while True:
    for ready in select.select([listener, *peers], [], [])[0]:
        if ready is listener:
            peers.append(listener.accept()[0])
            continue
        try:
            if serve(ready):
                continue
            ready.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        peers.remove(ready)
        ready.close()
END
cat > up <<'END'
python3 -I -S server.py $1 2> /dev/null &
until [ -e is_up ]; do sleep .01; done
trap "kill $! 2> /dev/null" EXIT
# What differs from run to run.
plain() { sed -e 's/after [0-9]* ms/after N ms/g' -e 's/ in [0-9.]*s/ in Ns/' -e 's/\([0-9][0-9.]* [KMG]*B\/s\)/SPEED/' -e 's/-------*[0-9a-f]\{16\}/BOUNDARY/' -e 's/--[0-9]\{4\}-[-0-9: ]*--/--T--/' -e 's/^[0-9]\{4\}-[-0-9]* [0-9:]* /T /' -e 's/......=[0-9.]*s$/ RATE/' -e 's/clock time: .*/clock time/' -e 's/%.* [0-9]*s$/%/'; }
END
