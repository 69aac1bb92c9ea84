from ctypes import *
print(c_int32(-5).value, c_uint8(300).value, c_int8(200).value, c_uint64(-1).value, c_int64(1 << 70).value, c_bool(7).value)
print(c_float(0.1).value, c_double(1e308).value, c_float(1e40).value, c_longdouble(0.1).value, c_char(b"x").value, c_wchar("é").value)
print([sizeof(t) for t in (c_int8, c_int16, c_int32, c_int64, c_float, c_double, c_char, c_bool)], alignment(c_int16))
value = c_int32(7)
value.value += 1
print(value.value, bool(value), bool(c_int32()), bytes(c_uint16(0x1234)), bytes(c_uint16.__ctype_be__(0x1234)))
for wrong in (lambda: c_int32("x"), lambda: c_int32(1.5), lambda: c_double("x"), lambda: c_char_p("x"), lambda: c_void_p("x"),
              lambda: hash(c_int32()), lambda: sizeof(int), lambda: alignment(5), lambda: addressof(5), lambda: POINTER(int),
              lambda: c_int32 * -1):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
---
from ctypes import *
class Point(Structure):
    _fields_ = [("x", c_int16), ("y", c_int32)]
class Line(Structure):
    _fields_ = [("a", Point), ("b", Point), ("name", c_char * 6), ("bits", c_uint16, 3), ("more", c_uint16, 13)]
print(sizeof(Point), sizeof(Line), alignment(Line), Point.y.offset, Line.name.size, Line.b.offset)
line = Line(Point(1, 2), (3, 4), b"abc", 9, more=8191)
print(line.a.x, line.b.y, line.name, line.bits, line.more, bytes(line).hex())
line.a.x = 70000
part = line.b
part.y = -1
print(line.a.x, line.b.y, Line.from_buffer_copy(bytes(line)).b.y)
for wrong in (lambda: Point(1, 2, 3), lambda: Point(1, x=2), lambda: Point("a"), lambda: Line(name="x"), lambda: Line(name=b"1234567"),
              lambda: Line(5), lambda: Structure(), lambda: setattr(Point, "_fields_", [])):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
---
from ctypes import *
class Big(BigEndianStructure):
    _fields_ = [("a", c_uint32), ("b", c_uint16), ("c", c_uint16, 4), ("d", c_uint16, 12), ("e", c_double)]
big = Big(1, 2, 3, 4, 1.5)
print(bytes(big).hex(), big.a, big.b, big.c, big.d, big.e)
class Either(Union):
    _fields_ = [("whole", c_uint32), ("bytes", c_uint8 * 4), ("halves", c_uint16 * 2)]
either = Either(0x01020304)
print(list(either.bytes), [hex(half) for half in either.halves], sizeof(Either))
class Inner(Union):
    _fields_ = [("i", c_int32), ("f", c_float)]
class Outer(Structure):
    _anonymous_ = ["inner"]
    _fields_ = [("kind", c_int8), ("inner", Inner)]
outer = Outer(kind=1, f=1.0)
print(hex(outer.i), Outer.i.offset)
class Packed(Structure):
    _pack_, _layout_ = 1, "ms"
    _fields_ = [("a", c_int8), ("b", c_int32)]
print(sizeof(Packed), bytes(Packed(1, 2)).hex())
class Child(Packed):
    _fields_ = [("c", c_int16)]
print(sizeof(Child), Child(1, 2, 3).c)
---
from ctypes import *
numbers = (c_int32 * 4)(1, 2, 3)
print(list(numbers), len(numbers), numbers[-2], numbers[1:3], numbers[::-1], sizeof(numbers))
numbers[1:3] = [20, 30]
print(list(numbers), bytes(numbers[:2]), 20 in numbers)
grid = (c_uint8 * 3 * 2)((1, 2, 3), (4, 5, 6))
print(grid[1][2], bytes(grid), [list(row) for row in grid])
view = memoryview(grid)
print(view.format, view.shape, view.itemsize, view.tobytes(), memoryview(c_double(1)).format, memoryview(numbers).shape)
view = memoryview(numbers).cast("B")
view[0] = 255
print(numbers[0])
for wrong in (lambda: numbers[4], lambda: numbers["x"], lambda: (c_int32 * 2)(1, 2, 3), lambda: numbers.__delitem__(0),
              lambda: numbers.__setitem__(slice(0, 2), [1]), lambda: type("A", (Array,), {"_type_": c_int8}),
              lambda: type("A", (Array,), {"_length_": -1, "_type_": c_int8})):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
---
from ctypes import *
buffer = create_string_buffer(b"hello", 10)
print(sizeof(buffer), buffer.value, buffer.raw, buffer[1], buffer[1:3])
buffer.value = b"bye"
print(buffer.raw, string_at(buffer), string_at(addressof(buffer), 4), string_at(b"abc\0def"))
memset(buffer, ord("x"), 2)
memmove(byref(buffer, 4), b"YZ", 2)
print(buffer.raw)
wide = create_unicode_buffer("aé😀", 5)
print(len(wide), wide.value, wide[:3], wstring_at(wide, 2))
for wrong in (lambda: setattr(buffer, "value", "text"), lambda: setattr(buffer, "value", b"x" * 11), lambda: create_string_buffer("x"),
              lambda: setattr(wide, "value", b"x"), lambda: setattr(wide, "value", "123456")):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
---
from ctypes import *
number = c_int32(5)
point = pointer(number)
print(point.contents.value, point[0], bool(point), bool(POINTER(c_int32)()), POINTER(c_int32) is POINTER(c_int32))
point[0] = 6
point.contents = c_int32(9)
print(number.value, point[0])
numbers = (c_int16 * 4)(10, 20, 30, 40)
point = cast(numbers, POINTER(c_int16))
point[2] = 33
print(point[0:4], numbers[2], addressof(numbers) == cast(point, c_void_p).value)
class Node(Structure):
    pass
Node._fields_ = [("value", c_int32), ("next", POINTER(Node))]
nodes = [Node(value) for value in range(3)]
for first, second in zip(nodes, nodes[1:]):
    first.next = pointer(second)
print(nodes[0].next.contents.next.contents.value, bool(nodes[2].next))
data = bytearray(b"\1\0\2\0")
shared = (c_uint16 * 2).from_buffer(data)
shared[0] = 0x4142
print(data, c_uint16.from_address(addressof(shared) + 2).value)
thing = object()
print(cast(id(thing), py_object).value is thing, py_object(thing).value is thing)
text = c_char_p(b"text")
print(text.value, cast(text, POINTER(c_char))[1:3], c_char_p().value, c_wchar_p("é").value, c_void_p(None).value)
for wrong in (lambda: POINTER(c_int32)().contents, lambda: POINTER(c_int32)()[0], lambda: pointer(5), lambda: c_int32.from_buffer(b"1234"),
              lambda: c_int32.from_buffer(bytearray(2)), lambda: c_int32.from_buffer(bytearray(8), -1), lambda: byref(5) and 1):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
---
from ctypes import *
import pickle
print(CFUNCTYPE(c_int32, c_int32, c_int32)(lambda a, b: a * b)(6, 7), CFUNCTYPE(c_double, c_double)(lambda a: a / 4)(6))
print(CFUNCTYPE(c_char_p, c_char_p)(lambda text: text.upper())(b"abc"))
print(CFUNCTYPE(None, py_object)(lambda thing: print(thing))([1]))
print(CFUNCTYPE(c_int32, POINTER(c_int32))(lambda point: point[0])(byref(c_int32(9))))
class Point(Structure):
    _fields_ = [("x", c_int16), ("y", c_int32)]
copy = pickle.loads(pickle.dumps(Point(1, 2)))
print(copy.x, copy.y, type(copy) is Point)
resizable = (c_int8 * 2)(1, 2)
resize(resizable, 8)
print(sizeof(resizable), sizeof(type(resizable)))
print(set_errno(5), get_errno(), set_errno(0))
---
import ctypes, ctypes.util, ctypes.wintypes
print(ctypes.util.find_library("there-is-no-such-library"), ctypes.sizeof(ctypes.wintypes.WORD), ctypes.wintypes.RECT(1, 2, 3, 4).right)
for library in ("libnothing.so.1", "/usr/lib/libnothing.so"):
    try:
        ctypes.CDLL(library)
    except OSError as error:
        print(str(error).split(":")[:2])
print(ctypes.pythonapi is not None)
