import bz2
for data in b"", b"a", b"a" * 4, b"a" * 259, b"hello world\n" * 1000, bytes(range(256)) * 2000, b"\0" * 1000000:
    for level in 1, 9:
        packed = bz2.compress(data, level)
        print(len(data), level, len(packed), packed[:20].hex(), bz2.decompress(packed) == data)
---
import bz2
packed = bz2.compress(b"first") + bz2.compress(b"second")
print(bz2.decompress(packed), bz2.decompress(packed + b"trailing"))
d = bz2.BZ2Decompressor()
print(d.decompress(packed[:10]), d.eof, d.needs_input, d.unused_data)
print(d.decompress(packed[10:]), d.eof, d.needs_input, len(d.unused_data))
try: d.decompress(b"more")
except EOFError as e: print(e)
d = bz2.BZ2Decompressor()
packed = bz2.compress(b"0123456789" * 100)
print(len(d.decompress(packed, max_length=7)), d.needs_input, len(d.decompress(b"", 13)), len(d.decompress(b"")), d.eof)
---
import bz2
for data in b"no archive at all", b"BZh9", b"BZhx1AY&SY", bz2.compress(b"x" * 50)[:-3], b"BZh91AY&SY" + b"\xff" * 40:
    try: print(bz2.decompress(data))
    except (OSError, ValueError, EOFError) as e: print(type(e).__name__, e)
for level in 0, 10:
    try: bz2.BZ2Compressor(level)
    except ValueError as e: print(e)
c = bz2.BZ2Compressor(); c.compress(b"x"); c.flush()
for call in lambda: c.compress(b"y"), c.flush:
    try: call()
    except ValueError as e: print(e)
---
import bz2, shutil, tarfile, zipfile, os
with bz2.open("t.bz2", "wt", encoding="utf-8") as f: f.writelines(f"line {n}\n" for n in range(5000))
with bz2.open("t.bz2", "rt", encoding="utf-8") as f: print(sum(len(line) for line in f))
with bz2.BZ2File("t.bz2") as f: f.seek(1000); print(f.read(20), f.tell(), f.peek(3)[:3])
os.mkdir("d"); open("d/a", "w").write("content"); shutil.make_archive("d", "bztar", ".", "d")
with tarfile.open("d.tar.bz2") as t: print(t.getnames(), t.extractfile("d/a").read())
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_BZIP2) as z: z.writestr("n", b"zipped" * 50)
with zipfile.ZipFile("z.zip") as z: print(z.getinfo("n").compress_type, z.read("n")[:12])
os.system("bzip2 -t t.bz2 && tar tf d.tar.bz2 && bzip2 -dc t.bz2 | tail -1")
