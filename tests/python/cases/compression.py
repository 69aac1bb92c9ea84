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
---
import lzma
d = {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}
for data in b"", b"a", b"hello world\n" * 1000, bytes(range(256)) * 200, b"\0" * 1000000:
    for options in {}, {"check": lzma.CHECK_SHA256}, {"format": lzma.FORMAT_ALONE}, {"preset": 9 | lzma.PRESET_EXTREME}, \
            {"check": lzma.CHECK_NONE, "filters": [{"id": lzma.FILTER_DELTA, "dist": 4}, d]}, \
            {"check": lzma.CHECK_CRC32, "filters": [{"id": lzma.FILTER_X86}, d]}, {"filters": [{"id": lzma.FILTER_ARM}, d]}:
        packed = lzma.compress(data, **options)
        print(len(data), packed[:8].hex(), len(packed) < 3000, lzma.decompress(packed) == data)
for filters in [d], [{"id": lzma.FILTER_LZMA1}], [{"id": lzma.FILTER_IA64}, {"id": lzma.FILTER_DELTA}, d]:
    packed = lzma.compress(b"raw" * 100, lzma.FORMAT_RAW, filters=filters)
    print(lzma.decompress(packed, lzma.FORMAT_RAW, filters=filters) == b"raw" * 100)
---
import base64, lzma, zlib
# What liblzma made: small and large, text and code, with a known size.
for packed in (
    "/Td6WFoAAArh+wyhAgAhARwAAAAQz1jM4AI+AYxdABgOgCcT8UzM4E2l7S2ND+2cK3Py4zjqnAzXRKpwAH0DEIrQkymdkxYaJYBKrSG9F2lbDJBVxdinAA9MKz1kMqhx3eb6rQbvyqzxC2Rj5X9FGkWpujZuPwcJHzPNGkZrhyfT6R79Ci+Dsy4DzT8CpkXEnkDcql2g+dcwEBBUT6fXvKv2dtafGOckyrRY4a6m+jLH8KUKOVCdoE0ABis9KuE8u9y2QyqkmpRVOE2JD60kYazN7K+aJpdeX3j4XprnCD7qS0NTwd0FyqD4ZwAiAllEYnxouQEDd+Y3VxyZI4J/U/2SHM1zoD4S9u6lwqpA2+OAKyOCf/4FNiBbQGPClsWioodzcZYuMGFr5glpNHfufsqUe1KUqIvIM2hBjiYJJ+BuViSlALMYYzLUA2noJJXrOM9mpjw44P7WbyrkLLQDuga6rsAbgF08No/QoWAJyh8IXTpJcHoOSUp6KAmBqgzztsdkumXG6glqBs65B5VbaHkPEaLVLm5ZyM2T8Y1n1+bho2VCxVurwJhSOgDdY5sykC5cTH5zNE9u3hSeGult9u7+P3jqLAN9hp0QYAABwAO/BAAAqUYF17bp3xwCAAAAAApZWg==",
    "EgAAgAD//////////wAYDvRpfjvpibjRIR1q4877oaUJ9lRy9gea7pgSvTGApqOfHO0aoQuQAn+m+DCZ8MlNbGd/Vcb02jXGb+i+3QBj536XKkqQTd4UQgP3rZG6S37EoHMeR+rWku0YN/X81514s3LgZB+0Sy0kiqDqSgvPq9pXYuDq+1Gg6wPa/Hjci82BFdp1u2XFFR50fIx1FsKaXn86Mx4NvDvbxfRl+YieVbf2LBd7535NkvM6cWG4lXWr/4uohHuru2lUR+JOMzhosXKIulsWaynNnb6Zxbu+ZhVIuIKIOP8/svmDnGaJk4adM44jx8vHB9kW7QBlto3EtNXolONB19mexluYHFmsOcGcfgnL60oZCM5pJsyGsnbSSt6J1FBnN6gMqaLq5MbYVXnrMfXi0u5Nzch8Z8Brt53ALuwkpHuLJGFV98CQmViGM0o9wuR5f7SWjX8K3XtWRO4c6206/r8k6M2OQcL6gHywIOYCeor/RIp2OHPJiqnCW2rg4M0uSsDKBpsKH0cxKVgP7h+Zv6ZMwNwx7w7+0HLK62xEF3MSsqp3//BceUA=",
    "XQAAgAA/AgAAAAAAAAAYDoAnE/FMzOBNpe0tjQ/tnCtz8uM46pwM10SqcAB9AxCK0JMpnZMWGiWASq0hvRdpWwyQVcXYpwAPTCs9ZDKocd3m+q0G78qs8QtkY+V/RRpFqbo2bj8HCR8zzRpGa4cn0+ke/Qovg7MuA80/AqZFxJ5A3KpdoPnXMBAQVE+n17yr9nbWnxjnJMq0WOGupvoyx/ClCjlQnaBNAAYrPSrhPLvctkMqpJqUVThNiQ+tJGGszeyvmiaXXl94+F6a5wg+6ktDU8HdBcqg+GcAIgJZRGJ8aLkBA3fmN1ccmSOCf1P9khzNc6A+EvbupcKqQNvjgCsjgn/+BTYgW0BjwpbFoqKHc3GWLjBha+YJaTR37n7KlHtSlKiLyDNoQY4mCSfgblYkpQCzGGMy1ANp6CSV6zjPZqY8OOD+1m8q5Cy0A7oGuq7AG4BdPDaP0KFgCcofCF06SXB6DklKeigJgaoM87bHZLplxuoJagbOuQeVW2h5DxGi1S5uWcjNk/GNZ9fm4aNlQsVbq9MzjuD/90FK1Q==",
    "/Td6WFoAAATm1rRGAgEEACEBFgANhjUf4AFnAIgBAHQHdhwuXSABeYDlEOl+SPy7Y58WpTgBo4FAzqBhTmtgZWcSPAzOVsTxRL4zwlBGe5DXJS3zhOea2GMe25jRuqZXMHgMawa0DM942mxooqtBcfxcf3JAXYIvAx164bXS6WazuFJnAHyMA0MWMXkQYjcsNQYhGi7ZkS0FHZIktCUhCmLeGLqTpQAAH264ri2XzNYAAaQB6AIAACwT92yxxGf7AgAAAAAEWVo=",
    "/Td6WFoAAAFpIt42AgEDAQAhARZ5IMTu4HjWArhdABgCmN7+jmQVaQvRnFgwvheZNRxl3Nmy3GKrPEvZViN5JbNmPP1B/fyVKl7uhxVbXp/jL438Lic/ycX4s8Z0JmxHqf45zHW46+jriK/0+stoFvkoHIICaHV5qxhmD2/sQOgmJUgRj+CuLsd2a8pG7o4nWoE/RC/Fjv+zW3lmtlG30CHO4M59sH+ZO18Nc2pV21JZAhXOe/FIKozdxW3WWWIA2aPtbsJLBcgLFmohVBcPRd/qk1E/tsOeYGlODSsBB3U5U4nF4ybsXPrtAsBLUbnK72Ecq/fqu0sRxSLE4VYXwhMLcZo56C1mwbgZlT4Q01luX/Cqhf/LNjUFFLw8aVkWWLz08Wm2jBQ43ecIZOVFG2oTaoNAbNoTQ7kp7rWjzau04X5RAxDSDN8zb6/jCjGBjWtck6KidY3qAKC6n8nRn+g9r+qeaIzHPhq+OjhF0JoveE7oCXJqYj7FPremF9l03pv3rmAmByG9wuIImIfG+5w2mdk2bdut7Wqk0KqzjXOIM86fylQqsj5KYlxlh85IU5RvvTotl8mr4+reYc1/v+su4ANwxB8ff0vSIWSUnH0gEUGF+GpqQYUJvqYgbNRc/K5Hh7XEXx8Nek59kFC3lnITZIhxFZpzyJgm/iphI8VN4XxiutSwVgllLsSBkzU1jM9925Fo+fIX/sxutQfnyWqIZNunwtjqx9kU2rfE7gE3aS2rMrwryM+fBG4YKhVAZGMheKq0A4zJBUqTVU6jzXNyTazZf1yVPyfHXCaYfddcVdjBPwv+8ztp/NcBXcHKk++HY317ADQBQ2Lm5+SDXjJhpsNtLMIMsfSBmGOgwj68MUNQLLLwU11BpVwEu9fx08nEz1dPWNJM/BR/y1dMW2Zhp6I+B0InE/RCK/0JohRVbm/COZw8nSd/HtsMzMefrn76mygTdABBKtI1AAHQBdfxAQAE7hUPPjANiwIAAAAAAVla",
    "/Td6WFoAAAD/EtlBAgAhARYAAAB0L+WjAQAFMTIxMjEyAAAAAAEWBsmlfdUGcp56AQAAAAAAWVo=",
):
    data = lzma.decompress(base64.b64decode(packed))
    print(len(data), zlib.crc32(data), data[:20])
---
import lzma
packed = lzma.compress(b"first") + lzma.compress(b"second", lzma.FORMAT_ALONE)
print(lzma.decompress(packed), lzma.decompress(lzma.compress(b"x") + b"trailing"))
d = lzma.LZMADecompressor()
print(d.decompress(packed[:10]), d.eof, d.needs_input, d.unused_data, d.check)
print(d.decompress(packed[10:]), d.eof, d.needs_input, len(d.unused_data), d.check)
try: d.decompress(b"more")
except EOFError as e: print(e)
d = lzma.LZMADecompressor()
packed = lzma.compress(b"0123456789" * 100)
print(len(d.decompress(packed, max_length=7)), d.needs_input, len(d.decompress(b"", 13)), len(d.decompress(b"")), d.eof)
d, given = lzma.LZMADecompressor(lzma.FORMAT_XZ), b""
for byte in packed: given += d.decompress(bytes([byte]))
print(given == b"0123456789" * 100, d.eof)
d = lzma.LZMADecompressor()
packed = lzma.compress(b"0123456789" * 100000)
print(len(d.decompress(packed, 500000)), len(d.decompress(b"", 10)), len(d.decompress(b"")), d.decompress(b"")if not d.eof else b"", d.eof)
---
import lzma
L = lzma.FILTER_LZMA2
packed = lzma.compress(b"x" * 5000 + bytes(range(256)) * 20)
broken = bytearray(packed); broken[60] ^= 1
check = bytearray(packed); check[-40] ^= 1
for data, options in ((b"no archive at all", {}), (b"", {}), (b"\xfd7zXZ\0\0\1", {}), (packed[:-3], {}), (packed[:60], {}), (broken, {}),
                      (check, {}), (packed, {"memlimit": 1000}), (packed, {"format": lzma.FORMAT_ALONE}), (packed, {"format": 7}),
                      (packed, {"format": lzma.FORMAT_RAW}), (packed, {"format": lzma.FORMAT_RAW, "filters": []}),
                      (packed, {"format": lzma.FORMAT_RAW, "filters": [{"id": L, "lc": 4, "lp": 1}]}),
                      (b"\x5d" + bytes(3) + b"\xff" * 9 + bytes(30), {"format": lzma.FORMAT_ALONE, "memlimit": 1 << 20}),
                      (b"\x5d" + bytes(3) + b"\x01" * 30, {}), (packed, {"filters": [{"id": L}]})):
    try: print(len(lzma.decompress(data, **options)))
    except (lzma.LZMAError, ValueError, EOFError) as e: print(type(e).__name__, e)
for options in ({"preset": 10}, {"preset": 10, "format": lzma.FORMAT_ALONE}, {"check": 2}, {"check": 77}, {"format": lzma.FORMAT_RAW},
                {"check": lzma.CHECK_CRC32, "format": lzma.FORMAT_ALONE}, {"preset": 1, "filters": []}, {"filters": [{"id": 5}]},
                {"filters": [{"id": 99}]}, {"filters": [{}]}, {"filters": [{"id": L, "x": 1}]}, {"filters": [{"id": L, "dict_size": 1}]},
                {"filters": [{"id": lzma.FILTER_DELTA, "dist": 257}, {"id": L}]}, {"filters": [{"id": L}] * 5}, {"filters": [3]},
                {"filters": [{"id": lzma.FILTER_ARM, "start_offset": 2}, {"id": L}]}, {"filters": [{"id": L}, {"id": lzma.FILTER_X86}]}):
    try: lzma.compress(b"", **options)
    except (lzma.LZMAError, ValueError, TypeError) as e: print(type(e).__name__, e)
d = lzma.LZMADecompressor()
for data in b"\xfd" * 30, packed:
    try: d.decompress(data)
    except lzma.LZMAError as e: print(e)
c = lzma.LZMACompressor(); c.compress(b"x"); c.flush()
for call in lambda: c.compress(b"y"), c.flush:
    try: call()
    except ValueError as e: print(e)
print([check for check in range(17) if lzma.is_check_supported(check)], lzma.LZMAError.__mro__[1])
for spec in {"id": lzma.FILTER_LZMA1}, {"id": L, "preset": 9}, {"id": lzma.FILTER_DELTA, "dist": 7}, {"id": 4, "start_offset": 3}:
    encoded = lzma._encode_filter_properties(spec)
    print(encoded, lzma._decode_filter_properties(spec["id"], encoded))
---
import lzma, shutil, tarfile, zipfile, os
with lzma.open("t.xz", "wt", encoding="utf-8") as f: f.writelines(f"line {n}\n" for n in range(5000))
with lzma.open("t.xz", "rt", encoding="utf-8") as f: print(sum(len(line) for line in f))
with lzma.LZMAFile("t.xz") as f: f.seek(1000); print(f.read(20), f.tell(), f.peek(3)[:3])
os.mkdir("d"); open("d/a", "w").write("content"); shutil.make_archive("d", "xztar", ".", "d")
with tarfile.open("d.tar.xz") as t: print(t.getnames(), t.extractfile("d/a").read())
with tarfile.open("s.tar.xz", "w|xz") as t: t.add("d")
with tarfile.open("s.tar.xz", "r|xz") as t: print([m.name for m in t])
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_LZMA) as z: z.writestr("n", b"zipped" * 50)
with zipfile.ZipFile("z.zip") as z: print(z.getinfo("n").compress_type, z.read("n")[:12])
os.system("xz -t t.xz && tar tf d.tar.xz && xz -dc t.xz | tail -1; seq 1 100000 | xz -9 > n.xz; seq 1 9999 | xz --format=lzma > n.lzma")
print(len(lzma.open("n.xz").read()), len(lzma.open("n.lzma").read()))
