import asyncio, os, socket, threading
srv = socket.create_server(("127.0.0.1", 0)); port = srv.getsockname()[1]; print(srv.getsockname()[0], port > 1023)
def serve():
    c, a = srv.accept(); print("from", a[0]); c.sendall(c.recv(100).upper()); c.close()
t = threading.Thread(target=serve); t.start()
c = socket.create_connection(("localhost", port)); c.send(b"hello"); print(c.recv(100), c.recv(10), c.getpeername() == srv.getsockname(), c.getsockname()[0]); t.join()
print(c.getsockopt(6, 1), c.setsockopt(6, 1, 1), c.getsockopt(6, 1), c.type, c.proto, c.family)
srv.close()
try: socket.create_connection(("127.0.0.1", port))
except OSError as e: print(repr(e))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0)); v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(v.sendto(b"ping", u.getsockname()), u.recvfrom(100)[0], v.getsockname()[0]); v.connect(u.getsockname()); v.send(b"abcdef"); print(u.recvmsg(3)[::2], v.getpeername() == u.getsockname()); u.sendto(b"", v.getsockname()); print(v.recv(10))
u.close()
for _ in range(2):
    try: print(v.send(b"lost"))
    except OSError as e: print(e)
s = socket.socket(socket.AF_UNIX); s.bind("sock"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect("sock"); d, a = s.accept(); print(repr(a), d.send(b"x"), c.recv(3), c.getpeername(), d.getsockname(), oct(os.stat("sock").st_mode))
for f in lambda: socket.socket(socket.AF_UNIX).bind("sock"), lambda: open("sock"), lambda: s.close() or socket.socket(socket.AF_UNIX).connect("sock"):
    try: f()
    except OSError as e: print(e)
n = socket.socket(socket.AF_UNIX); n.bind("\0name"); n.listen(); c = socket.socket(socket.AF_UNIX); c.connect("\0name"); print(n.getsockname(), n.accept()[1])
async def main():
    async def h(r, w): w.write((await r.readline()).upper()); await w.drain(); w.close()
    s = await asyncio.start_server(h, "localhost", 0)
    r, w = await asyncio.open_connection(*s.sockets[0].getsockname()[:2]); w.write(b"line\n"); print(await r.read())
    s.close()
    s = await asyncio.start_unix_server(h, "usock"); r, w = await asyncio.open_unix_connection("usock"); w.write(b"unix\n"); print(await r.read()); s.close()
    class P(asyncio.DatagramProtocol):
        def connection_made(self, t): self.t = t
        def datagram_received(self, d, a): self.t.sendto(d.upper(), a)
    t, _ = await asyncio.get_running_loop().create_datagram_endpoint(P, ("127.0.0.1", 0)); got = asyncio.get_running_loop().create_future()
    class C(asyncio.DatagramProtocol):
        def connection_made(self, t): t.sendto(b"udp")
        def datagram_received(self, d, a): got.set_result(d)
    k, _ = await asyncio.get_running_loop().create_datagram_endpoint(C, remote_addr=t.get_extra_info("sockname")); print(await got); t.close(); k.close()
asyncio.run(main())
---
import http.client, http.server, os, socket, socketserver, threading, urllib.error, urllib.request, xmlrpc.client, xmlrpc.server
from multiprocessing.connection import Client, Listener
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"])); self.send_response(201); self.send_header("Content-Length", str(len(data))); self.end_headers(); self.wfile.write(data[::-1])
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("", 0), H); port = s.server_address[1]
threading.Thread(target=s.serve_forever, daemon=True).start()
r = urllib.request.urlopen(f"http://localhost:{port}/x", data=b"abc" * 100000); d = r.read(); print(r.status, len(d), d[:6])
c = http.client.HTTPConnection("127.0.0.1", port)
for i in range(3): c.request("POST", "/", b"%d" % i * 5); print(c.getresponse().read())
try: urllib.request.urlopen(f"http://localhost:{port}/x")
except urllib.error.HTTPError as e: print(e)
s.shutdown(); s.server_close()
try: urllib.request.urlopen(f"http://localhost:{port}/x")
except urllib.error.URLError as e: print(e)
x = xmlrpc.server.SimpleXMLRPCServer(("localhost", 0), logRequests=False); x.register_function(pow); threading.Thread(target=x.handle_request).start()
print(xmlrpc.client.ServerProxy("http://localhost:%d" % x.server_address[1]).pow(2, 30))
class Echo(socketserver.StreamRequestHandler):
    def handle(self): self.wfile.write(self.rfile.readline().upper())
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as t:
    threading.Thread(target=t.serve_forever).start()
    for _ in range(3):
        with socket.create_connection(t.server_address) as k: k.sendall(b"line\n"); print(k.makefile().read())
    t.shutdown()
class U(socketserver.BaseRequestHandler):
    def handle(self): self.request[1].sendto(self.request[0].upper(), self.client_address)
with socketserver.UDPServer(("127.0.0.1", 0), U) as u:
    threading.Thread(target=u.handle_request).start(); k = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); k.sendto(b"data", u.server_address); print(k.recv(10))
with socketserver.UnixStreamServer("us", Echo) as u:
    threading.Thread(target=u.handle_request).start(); k = socket.socket(socket.AF_UNIX); k.connect("us"); k.sendall(b"unix\n"); print(k.recv(10))
with Listener(authkey=b"k") as l:
    def go():
        with Client(l.address, authkey=b"k") as c: c.send([1, 2, {"a": 3}])
    threading.Thread(target=go).start(); print(l.accept().recv())
with open("big", "wb") as f: f.write(os.urandom(1) * 3000000)
a, b = socket.create_server(("127.0.0.1", 0)), socket.socket(); b.connect(a.getsockname()); k, _ = a.accept(); k.settimeout(5)
def take():
    n = 0
    while d := b.recv(100000): n += len(d)
    print(n)
t = threading.Thread(target=take); t.start()
with open("big", "rb") as f: print(k.sendfile(f, 5, 2000000), f.tell())
k.close(); t.join()
---
import select, socket
v6 = socket.create_server(("::1", 0), family=socket.AF_INET6); k = socket.create_connection(v6.getsockname()[:2]); print(v6.accept()[1][0], len(k.getpeername()))
ds = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True); port = ds.getsockname()[1]; k = socket.create_connection(("127.0.0.1", port)); print(ds.accept()[1][0], socket.has_dualstack_ipv6())
n = socket.socket(); n.setblocking(False); print(n.connect_ex(("127.0.0.1", port)), select.select([], [n], [], 1)[1] == [n], n.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), n.connect_ex(("127.0.0.1", port)), n.connect_ex(("127.0.0.1", port)))
def events(s):
    p = select.poll(); p.register(s, select.POLLIN | select.POLLOUT | select.POLLRDHUP); found = p.poll(100); return hex(found[0][1]) if found else 0
q = socket.socket(); q.setblocking(False); print(q.connect_ex(("127.0.0.1", 1)), events(q), q.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), q.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
l = socket.create_server(("127.0.0.1", 0)); print(events(socket.socket()), events(l)); l.settimeout(0.05)
try: l.accept()
except TimeoutError as e: print(repr(e))
k = socket.create_connection(l.getsockname()); print(events(l), events(k)); b, _ = l.accept(); print(events(b)); k.send(b"x"); print(events(b)); k.shutdown(1); print(events(b), events(k)); b.close()
def attempt(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
T, U = (lambda: socket.socket()), (lambda: socket.socket(socket.AF_UNIX))
for f in (lambda: T().recv(1), lambda: T().send(b"x"), lambda: T().getpeername(), lambda: T().listen(), lambda: T().accept(), lambda: l.bind(("127.0.0.1", 0)), lambda: l.connect(("127.0.0.1", 1)), lambda: T().shutdown(0), lambda: socket.socket(2, 2).send(b"x"), lambda: socket.socket(2, 2).listen(1),
          lambda: T().bind(("127.0.0.1", 80000)), lambda: T().bind("x"), lambda: T().bind((1, 2, 3)), lambda: T().bind(("127.0.0.1", "x")), lambda: T().bind((None, 1)), lambda: T().bind(("8.8.8.8", 5000)), lambda: T().bind(l.getsockname()), lambda: T().bind(("", l.getsockname()[1])), lambda: T().connect(("", 1)), lambda: T().connect(("127.0.0.1", -1)),
          lambda: U().connect("/nowhere"), lambda: U().connect(open("plain", "w").name), lambda: U().connect("x" * 200), lambda: U().bind("/nowhere/sock"), lambda: U().recv(1), lambda: U().send(b"x"), lambda: U().listen(1), lambda: socket.socket(77), lambda: socket.socket(2, 9), lambda: socket.socket(2, 1, 17), lambda: socket.socket(socket.AF_INET6).bind(("::1", 0, 1, 2, 3)),
          lambda: T().setsockopt(1, 9999, 1), lambda: T().getsockopt(6, 77), lambda: T().setsockopt(99, 1, 1), lambda: T().sendto(b"x", ("127.0.0.1", 1)), lambda: T().sendto(b"x"), lambda: socket.socket(2, 2).sendto(b"x" * 70000, ("127.0.0.1", 1)), lambda: T().recvmsg(5, -1), lambda: T().recvmsg(-1), lambda: T().recv(-1), lambda: socket.socket(2, 2).recvfrom(-1)): attempt(f)
s = T(); s.setsockopt(1, 13, b"\1\0\0\0\5\0\0\0"); print(s.getsockopt(1, 13, 8), s.getsockopt(1, 13), s.getsockopt(1, 2), s.getsockopt(1, 30), l.getsockopt(1, 30))
a = socket.create_server(("127.0.0.1", 0))
def pair():
    k = socket.create_connection(a.getsockname()); return k, a.accept()[0]
k, b = pair(); k.send(b"peekaboo"); print(b.recv(4, socket.MSG_PEEK), b.recv(20)); k.close(); print(b.recv(1), b.send(b"lost")); import time; time.sleep(0.05); attempt(lambda: b.send(b"x")); print(b.recv(1))
k, b = pair(); k.send(b"x"); b.close(); attempt(lambda: k.recv(1)); print(k.recv(1)); attempt(lambda: k.send(b"x"))
k, b = pair(); k.send(b"x"); b.close(); attempt(lambda: k.send(b"x")); attempt(lambda: k.send(b"x"))
k, b = pair(); k.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0"); k.close(); attempt(lambda: b.recv(1))
k, b = pair(); k.shutdown(socket.SHUT_RD); print(k.recv(1), b.send(b"still"), k.recv(10)); k.shutdown(socket.SHUT_WR); attempt(lambda: k.send(b"x")); print(b.recv(1))
k = socket.create_connection(a.getsockname()); a.close(); attempt(lambda: k.recv(1))
print(socket.gethostbyname_ex("localhost"), socket.gethostbyaddr("127.0.0.1")[0], socket.if_nameindex()[0], socket.getfqdn("127.0.0.1"), socket.if_nametoindex("lo"), socket.if_indextoname(1))
---
import socket
class S(socket.socket):
    def recv(self, *a): return b"own " + super().recv(*a)
    def recvfrom(self, *a): return self.recv(*a), "own"
    def send(self, *a): return super().send(*a) + 100
    def settimeout(self, t): raise ValueError
    def detach(self): raise ValueError
a = socket.create_server(("127.0.0.1", 0)); s = S(); s.connect(a.getsockname()); b, _ = a.accept(); b.send(b"abcdef"); room = bytearray(3)
print(s.recv_into(room), room, s.recvmsg(1), s.recvfrom_into(room, 1), s.recvfrom(1), s.sendall(b"x"), s.sendmsg([b"y"]), s.send(b"z"), b.recv(9), s.setblocking(True), s.close(), s.fileno())
---
import os, socket
os.mkdir("d"); l = socket.socket(socket.AF_UNIX); l.bind("d/sock"); l.listen(); os.chdir("d"); c = socket.socket(socket.AF_UNIX); c.connect("../d/sock"); a, _ = l.accept(); print(c.getpeername(), a.getsockname(), l.getsockname(), repr(c.getsockname()), repr(a.getpeername()))
u = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); u.bind("u"); v = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); v.bind("v"); v.sendto(b"x", "./u"); print(u.recvfrom(9), u.sendto(b"y", "v")); v.connect("./u"); print(v.getpeername(), v.recv(3)); u.close()
for f in lambda: v.send(b"z"), lambda: v.sendto(b"z", "u"), lambda: v.sendto(b"z", "nowhere"):
    try: f()
    except OSError as e: print(e)
try: socket.socket().bind(("8.8.8.8", 80))
except OSError as e: print(e)
---
import os, select, socket, threading, time
def attempt(f):
    try: return f()
    except OSError as e: return type(e).__name__, e.errno
def events(s):
    p = select.poll(); p.register(s, select.POLLIN | select.POLLOUT | select.POLLRDHUP); found = p.poll(100); return hex(found[0][1]) if found else 0
for family, address in (socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, "\0own"):
    l = socket.socket(family); l.bind(address); l.listen(); c = socket.socket(family); c.connect(l.getsockname()); got = []
    t = threading.Thread(target=lambda: (l.accept(), got.append(attempt(l.accept)))); t.start(); time.sleep(0.1); print(l.shutdown(0)); t.join(); print(got, events(l), l.getsockopt(1, 30))
    print(attempt(lambda: socket.socket(family).connect(l.getsockname())), l.listen(), l.getsockopt(1, 30)); l.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", 0)); print(attempt(lambda: u.shutdown(2)))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); v.connect(u.getsockname()); w = []
t = threading.Thread(target=lambda: w.append(v.recv(9))); t.start(); time.sleep(0.1); print(v.shutdown(0)); t.join(); print(w, events(v), v.recv(1), v.send(b"x"))
