import socket
a, b = socket.socketpair()
print(a.family.name, a.type.name, a.proto, a.gettimeout(), a.getblocking(), a.fileno() >= 0, repr(a.getsockname()), repr(a.getpeername()))
print(a.send(b"hello"), b.recv(3), b.recv(100), a.sendall(b"x" * 1000), len(b.recv(4096)))
b.send(b"line one\nline two\n"); f = a.makefile(); print(f.readline(), f.readline()); f.close()
a.shutdown(socket.SHUT_WR); print(b.recv(10)); b.sendall(b"still"); print(a.recv(10)); b.close(); print(a.recv(1)); a.close()
try: a.send(b"x")
except OSError as e: print(e)
print(a.fileno(), a)
---
import select, socket, threading
with socket.socketpair()[0] as alone: pass
a, b = socket.socketpair()
a.settimeout(0.05)
try: a.recv(1)
except TimeoutError as e: print(repr(e), isinstance(e, socket.timeout))
a.setblocking(False)
try: a.recv(1)
except BlockingIOError as e: print(e)
print(select.select([a], [a], [], 0)[1] == [a], select.select([a], [], [], 0)[0]); b.send(b"!"); print(select.select([a], [], [], 1)[0] == [a], a.recv(5))
sent = 0
try:
    while True: sent += a.send(b"y" * 65536)
except BlockingIOError: print(sent > 60000)
a.setblocking(True); got = []
def reader():
    while data := b.recv(100000): got.append(len(data))
t = threading.Thread(target=reader); t.start(); a.sendall(b"z" * 1000000); a.shutdown(socket.SHUT_WR); t.join(); print(sum(got) - sent)
b.close()
try: a.send(b"x")
except OSError as e: print(type(e).__name__)
---
#py
import socket, subprocess, sys, os
a, b = socket.socketpair()
child = subprocess.Popen([sys.executable, "-c", "import socket, sys; s = socket.socket(fileno=int(sys.argv[1])); s.sendall(s.recv(100).upper()); print(s.family.name)", str(b.fileno())], pass_fds=[b.fileno()])
b.close(); a.sendall(b"to the child"); print(a.recv(100), child.wait(), a.recv(1))
c, d = socket.socketpair(); e = c.dup(); c.close(); e.send(b"dup"); print(d.recv(9)); n = e.detach(); print(e.fileno()); s = socket.socket(fileno=n); s.send(b"again"); print(d.recv(9), s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE) == socket.SOCK_STREAM)
buffer = bytearray(10); s.send(b"into"); print(d.recv_into(buffer), bytes(buffer[:4])); print(os.fstat(n).st_mode & 0o170000 == 0o140000)
d.close(); s.close()
for arguments in [(), (socket.AF_INET, socket.SOCK_STREAM, 0, 0)]:
    try: socket.socket(fileno=0) if arguments else None
    except OSError as error: print(error)
---
import fcntl, os, struct, termios
r, w = os.pipe(); os.write(w, b"12345"); print(struct.unpack("i", fcntl.ioctl(r, termios.FIONREAD, b"\0" * 4)))
room = bytearray(4); print(fcntl.ioctl(r, termios.FIONREAD, room), room)
---
import asyncio, socket
async def main():
    a, b = socket.socketpair(); a.setblocking(False); b.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(a, b"over the loop"); print(await loop.sock_recv(b, 100))
    reader, writer = await asyncio.open_connection(sock=a); b.send(b"a line\n"); print(await reader.readline()); writer.write(b"back"); await writer.drain(); print(await loop.sock_recv(b, 10)); writer.close(); await writer.wait_closed(); print(await loop.sock_recv(b, 10)); b.close()
asyncio.run(main())
---
import select, socket
def events(s):
    p = select.poll(); p.register(s, select.POLLIN | select.POLLOUT | select.POLLRDHUP); found = p.poll(0); return hex(found[0][1]) if found else 0
def attempt(f, *arguments):
    try: return f(*arguments)
    except OSError as e: return type(e).__name__, e.errno
a, b = socket.socketpair(); print(events(a), events(b)); a.send(b"x"); print(events(a), events(b))
b.shutdown(socket.SHUT_RD); b.shutdown(socket.SHUT_RD); print(events(a), events(b), attempt(a.send, b"y"), b.recv(9), b.recv(9), b.send(b"back"), a.recv(9))
a, b = socket.socketpair(); a.shutdown(socket.SHUT_WR); print(events(a), events(b)); a.shutdown(socket.SHUT_WR); b.shutdown(socket.SHUT_WR); print(events(a), events(b), a.shutdown(socket.SHUT_RDWR), attempt(a.shutdown, 3))
a, b = socket.socketpair(); a.send(b"x"); b.send(b"y"); b.close(); print(events(a), a.recv(9), events(a), attempt(a.recv, 9), a.recv(9), events(a), attempt(a.send, b"z"), attempt(a.shutdown, 1))
a, b = socket.socketpair(); b.close(); print(events(a), attempt(a.shutdown, 0), a.recv(1))
a, b = socket.socketpair(); a.close(); print(attempt(a.recv, 1), a.fileno(), attempt(a.settimeout, 1), attempt(a.shutdown, 1), attempt(a.getsockopt, 1, 3))
for arguments in [(socket.AF_INET,), (99,)]: print(arguments, attempt(socket.socketpair, *arguments))
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK); print(a.gettimeout(), a.type.name, attempt(a.recv, 1))
---
import fcntl, os, socket, struct, termios
def attempt(f, *arguments):
    try: return f(*arguments)
    except OSError as e: return type(e).__name__, e.errno
a, b = socket.socketpair(); n = a.fileno(); print(oct(os.fstat(n).st_mode), os.readlink(f"/proc/self/fd/{n}")[:8], attempt(os.open, f"/proc/self/fd/{n}", 0), attempt(os.lseek, n, 0, 0), attempt(os.pread, n, 1, 0), attempt(os.ftruncate, n, 0), os.isatty(n))
def available(fd): return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0]
for name in "/", "/dev/null", "/dev/zero": print(attempt(available, os.open(name, 0)))
r, w = os.pipe(); os.write(w, b"123"); b.send(b"12345"); open("f", "w").write("x" * 10); f = os.open("f", 0); os.read(f, 4); print(available(r), available(w), available(a), available(b), available(f))
a.send(b"from"); print(b.recvfrom(5), a.send(b""), a.sendmsg([b"ab", b"cd"]), b.recvmsg(10), b.family.name, b.proto)
for f, x in [(a.recv, -1), (a.settimeout, -1), (a.settimeout, "x"), (a.send, "x"), (a.recv_into, b"x"), (socket.socket, 1.5)]:
    try: f(x)
    except Exception as e: print(type(e).__name__)
os.write(a.fileno(), b"written"); print(os.read(b.fileno(), 20)); print(len(a.recv(100)), a.gettimeout()); a.settimeout(5); a.setblocking(True); a.send(b"x" * 60000); print(len(b.recv(60000, socket.MSG_WAITALL)))
---
import select, socket
a, b = socket.socketpair(); b.send(b"abcdefg"); p, q = bytearray(3), bytearray(10); print(a.recvmsg_into([p, q]), p, q)
b.send(b"xyz"); print(a.recvmsg_into([memoryview(p)[1:], bytearray(0)], 0), p, a.recv(9))
try: a.recvmsg_into([b"x"])
except TypeError as e: print("TypeError")
print(socket.INADDR_BROADCAST, socket.SO_REUSEPORT.real, socket.SO_RCVTIMEO, socket.AF_NETLINK.name, socket.IPPROTO_ICMPV6, socket.NI_MAXHOST, socket.SOMAXCONN, socket.MSG_OOB.real)
---
import os, select, selectors, socket
def attempt(f, *a, **k):
    try: return f(*a, **k)
    except Exception as x: return type(x).__name__, str(x)
r, w = os.pipe(); r2, w2 = os.pipe(); e = select.epoll(); e.register(r, select.EPOLLIN); e.register(w, select.EPOLLOUT)
print([(f == w, events) for f, events in e.poll(0)]); os.write(w, b"x"); print(len(e.poll(1)), len({e.poll(1, 1)[0][0] for _ in range(2)}))
e.modify(r, select.EPOLLIN | select.EPOLLONESHOT); e.unregister(w); print(e.poll(0) == [(r, 1)], e.poll(0.01)); e.modify(r, select.EPOLLIN); print(e.poll() == [(r, 1)], e.poll(5, maxevents=1) == [(r, 1)])
print(attempt(e.register, r), attempt(e.unregister, r2), attempt(e.modify, w2, 1), attempt(e.register, 99), attempt(e.register, os.open("/etc/passwd", 0)), attempt(e.register, -1), attempt(e.register, "x"))
print(attempt(e.poll, 0, 0), attempt(select.epoll, -2), attempt(select.epoll, flags=3), attempt(e.poll, "x"))
os.close(w); print([events for f, events in e.poll(0)]); os.read(r, 9); print([events for f, events in e.poll(0)]); os.close(r); print(e.poll(0.01)); r, w = os.pipe(); print(e.register(r), e.poll(0.01))
with e: print(e.closed)
print(e.closed, attempt(e.poll), attempt(e.register, 0), e.close(), selectors.DefaultSelector.__name__)
a, b = socket.socketpair()
with selectors.EpollSelector() as s: s.register(a, 1, "data"); b.send(b"x"); print([(key.data, events) for key, events in s.select(1)]); s.unregister(a); print(s.select(0))
---
import asyncio, socket
def t(f, *a, **k):
    try: print(a, k, f(*a, **k))
    except Exception as e: print(a, k, type(e).__name__, str(e) if isinstance(e, OSError) else "")
g = socket.getaddrinfo
t(g, "127.0.0.1", 80); t(g, "::1", 80, type=socket.SOCK_STREAM); t(g, "localhost", "http", socket.AF_INET, 1); t(g, "example.org", 1, flags=socket.AI_NUMERICHOST); t(g, "127.0.0.1", "nope"); t(g, "127.0.0.1", 80, socket.AF_INET6); t(g, "::1", 80, socket.AF_INET)
t(g, None, None); t(g, "", 80, 0, 1); t(g, "fe80::1%1", 0, 0, 1); t(g, "127.1", 80, 0, 1); t(g, b"127.0.0.1", "80", 0, 2); t(g, "127.0.0.1", 70000, 0, 1); t(g, "::1", 80, 0, 99); t(g, "1.2.3.4", None, proto=socket.IPPROTO_UDP); t(g, "1.2.3.4", 1, 99); t(g, 5, 1); t(g, "1.2.3.4", 1.5); t(g, "1.2.3.4", "http", 0, 1, 0, socket.AI_NUMERICSERV); t(g, "1.2.3.4", 5, 0, 1, 0, socket.AI_CANONNAME); t(g, "0:0::0:1", b"5", 0, 1); t(g, None, 5, socket.AF_INET, 1); t(g, None, 5, socket.AF_INET, 1, flags=socket.AI_PASSIVE)
n = socket.getnameinfo; numeric = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
t(n, ("127.0.0.1", 80), numeric); t(n, ("::1", 80), numeric); t(n, ("127.0.0.1", 80), socket.NI_NUMERICHOST); t(n, ("127.0.0.1", 5), socket.NI_NUMERICSERV); t(n, ["127.0.0.1", 5], 0)
for name in "127.0.0.1", "localhost", "127.1", b"1.2.3.4", 5: t(socket.gethostbyname, name)
async def main(): return await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 443, type=socket.SOCK_STREAM)
print(asyncio.run(main()))
