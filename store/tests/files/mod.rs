//! Files of a filesystem by their paths.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "not every test needs all of them")]

use sandshell_vfs::{Access, Context, File, FileSystem, MemoryFs, NewBody, NewNode, Node, SetAttributes};
use std::sync::Arc;

pub fn node(files: &MemoryFs, path: &str) -> Option<Node> {
    let names: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
    files.walk(&Context::ROOT, &files.root(), &names, &[]).ok().map(|walk| walk.node)
}

pub fn directory(files: &MemoryFs, path: &str) -> (Node, String) {
    match path.rsplit_once('/') {
        Some((above, name)) => (node(files, above).unwrap(), name.to_owned()),
        None => (files.root(), path.to_owned()),
    }
}

pub fn make(files: &MemoryFs, path: &str, body: NewBody<'_>) -> Node {
    let (above, name) = directory(files, path);
    files.create(&above, name.as_bytes(), &NewNode { body, mode: 0o644, uid: 1000, gid: 1000 }).unwrap()
}

pub fn open(files: &MemoryFs, path: &str) -> Arc<dyn File> {
    let node = node(files, path).unwrap_or_else(|| make(files, path, NewBody::File));
    files.open(&Context::USER, &node, Access { read: true, write: true }).unwrap()
}

pub fn write(files: &MemoryFs, path: &str, bytes: &[u8]) {
    let file = open(files, path);
    file.set_attributes(&Context::USER, &SetAttributes { size: Some(0), ..SetAttributes::default() })
        .unwrap();
    assert_eq!(file.write_at(bytes, 0), Ok(bytes.len()));
}

pub fn read(files: &MemoryFs, path: &str) -> Vec<u8> {
    let file = open(files, path);
    let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().size).unwrap()];
    assert_eq!(file.read_at(&mut bytes, 0), Ok(bytes.len()));
    bytes
}

pub fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(byte).take(size).collect()
}
