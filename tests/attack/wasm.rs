//! Builds WebAssembly modules byte by byte.

/// A section of a module.
pub(crate) fn section(id: u8, body: &[u8], out: &mut Vec<u8>) {
    out.push(id);
    number(body.len(), out);
    out.extend_from_slice(body);
}

fn number(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A program that exits with this status.
pub(crate) fn exits(status: u8) -> Vec<u8> {
    large(0, status)
}

/// A program that exits with this status and has about `code` bytes of other code. Compiling takes at least a
/// second for each megabyte.
pub(crate) fn large(code: usize, status: u8) -> Vec<u8> {
    assert!(status < 64, "one byte");
    // proc_exit(status)
    module(code, &[0, 0x41, status, 0x10, 0, 0x0b])
}

/// Like [`large`], but it computes for ever.
pub(crate) fn waits(code: usize) -> Vec<u8> {
    // loop br 0 end
    module(code, &[0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b])
}

fn module(code: usize, start: &[u8]) -> Vec<u8> {
    let mut wasm = b"\0asm\x01\0\0\0".to_vec();
    // (i32) and ().
    section(1, &[2, 0x60, 1, 0x7f, 0, 0x60, 0, 0], &mut wasm);
    let import = b"\x16wasi_snapshot_preview1\x09proc_exit\x00\x00";
    section(2, &[&[1], &import[..]].concat(), &mut wasm);
    // Each multiplication depends on the value that was loaded before.
    let step = [0x20, 0, 0x28, 2, 0, 0x41, 3, 0x6c, 0x20, 0, 0x6a, 0x21, 0];
    let mut body = vec![0];
    body.extend(step.repeat(160));
    body.push(0x0b);
    let functions = code.div_ceil(body.len());
    let mut kinds = Vec::new();
    number(functions + 1, &mut kinds);
    kinds.push(1);
    kinds.extend(vec![0; functions]);
    section(3, &kinds, &mut wasm);
    section(5, &[1, 0, 1], &mut wasm);
    section(7, b"\x02\x06memory\x02\x00\x06_start\x00\x01", &mut wasm);
    let mut bodies = Vec::new();
    number(functions + 1, &mut bodies);
    number(start.len(), &mut bodies);
    bodies.extend_from_slice(start);
    for _ in 0..functions {
        number(body.len(), &mut bodies);
        bodies.extend_from_slice(&body);
    }
    section(10, &bodies, &mut wasm);
    wasm
}
