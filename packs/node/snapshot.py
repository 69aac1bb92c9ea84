"""Starts the engine when the pack is built, and makes its memory the program's.

The functions that the program exports as `build_*` (`src/engine.c`) need no kernel: the clock stands still and
everything else is refused, so that the same sources make the same program.
"""

import struct
import sys

import wasmtime

PAGE = 65536
#: A gap of zeros as long as this ends a segment of data.
GAP = 64


def take(program, files):
    """The program as it is after it has loaded `files` (name to text)."""
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, program)
    instance = wasmtime.Instance(store, module, [refusal(store, wanted) for wanted in module.imports])
    exports = instance.exports(store)
    memory = exports["memory"]

    def text(address):
        end = address
        while memory.read(store, end, end + 1) != b"\0":
            end += 1
        return memory.read(store, address, end).decode(errors="replace")

    def call(name, *arguments):
        if exports[name](store, *arguments) != 0:
            sys.exit(f"The library does not start: {name} {arguments}\n{text(exports['build_error'](store))}")

    call("build_begin")
    for name, source in files.items():
        data = name.encode() + b"\0" + wrapped(source).encode() + b"\0"
        memory.write(store, data, exports["build_space"](store, len(data)))
        call("build_load", len(name.encode()), len(wrapped(source).encode()))
    call("build_end")
    return rewrite(program, memory.read(store, 0, memory.data_len(store)))


def wrapped(source):
    """A file of the library is the body of a function."""
    return "(function (native, require, module, exports) {'use strict';\n" + source + "\n})"


def refusal(store, wanted):
    """What stands in for a call of the kernel."""
    kind = wanted.type

    def answer(*arguments):
        if wanted.name == "clock_time_get":
            return 0
        raise RuntimeError(f"The library calls {wanted.name} when it is loaded")

    return wasmtime.Func(store, kind, answer)


def rewrite(program, memory):
    """The program with this memory; functions and globals stay. The stack is empty, so that its pointer is as at the start."""
    position, out, imported = 8, bytearray(program[:8]), 0
    pages = len(memory) // PAGE
    segments = list(data(memory))
    while position < len(program):
        kind = program[position]
        size, start = read_number(program, position + 1)
        body = program[start:start + size]
        position = start + size
        if kind == 5:  # memory: its smallest size; whether it has a largest one stays
            count, at = read_number(body, 0)
            limits = body[at]
            _, at = read_number(body, at + 1)
            body = number(count) + bytes([limits]) + number(pages) + body[at:]
        elif kind == 11:
            body = number(len(segments)) + b"".join(segments)
        elif kind == 12:
            body = number(len(segments))
        out += bytes([kind]) + number(len(body)) + body
    return bytes(out)


def data(memory):
    """What is not zero, as segments."""
    at, end = 0, len(memory)
    while at < end:
        # Zeros first, by pages, as most of the memory is none.
        if memory[at] == 0:
            page = (at // PAGE + 1) * PAGE
            rest = memory[at:page]
            zeros = len(rest) - len(rest.lstrip(b"\0"))
            at += zeros
            if at == page:
                continue
        stop = memory.find(b"\0" * GAP, at)
        stop = end if stop < 0 else stop
        content = bytes(memory[at:stop])
        yield b"\0\x41" + signed(at) + b"\x0b" + number(len(content)) + content
        at = stop


def read_number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    """A number of 32 bits, positive, as the machine writes those with a sign."""
    out = bytearray()
    while True:
        byte = value & 127
        value >>= 7
        if value == 0 and not byte & 64:
            out.append(byte)
            return bytes(out)
        out.append(byte | 128)
