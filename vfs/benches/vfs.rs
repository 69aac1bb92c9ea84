//! Measures the filesystem alone, without a sandbox.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sandshell_vfs::{Context, File, MemoryFs, MountOptions, Namespace, OpenOptions, Opened};
use std::hint::black_box;
use std::sync::Arc;

const CX: &Context = &Context::USER;

fn open(namespace: &Namespace, path: &str, how: &OpenOptions) -> Arc<dyn File> {
    match namespace.open(CX, &namespace.root(), path.as_bytes(), how).unwrap() {
        Opened::File { file, .. } => file,
        _ => panic!("a file"),
    }
}

fn benches(c: &mut Criterion) {
    let write = OpenOptions { mode: 0o644, ..OpenOptions::WRITE };
    c.bench_function("create and write 1,000 files", |b| {
        b.iter(|| {
            let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
            for number in 0..1000 {
                open(&namespace, &format!("/f{number}"), &write).write_at(b"contents\n", 0).unwrap();
            }
        });
    });
    let full = Arc::new(MemoryFs::new());
    let namespace = Namespace::new(full.clone(), MountOptions::default());
    for number in 0..10_000 {
        open(&namespace, &format!("/f{number}"), &write).write_at(&[7; 10_000], 0).unwrap();
    }
    c.bench_function("fork 10,000 files of 100 MB", |b| b.iter(|| black_box(namespace.fork().unwrap())));
    c.bench_function("open and stat", |b| {
        b.iter(|| open(&namespace, "/f5000", &OpenOptions::READ).metadata().unwrap());
    });
    let large = open(&namespace, "/large", &write);
    let mut group = c.benchmark_group("8 MB");
    group.throughput(Throughput::Bytes(8 << 20));
    group.bench_function("append in pieces of 4 KiB", |b| {
        b.iter(|| {
            let file = open(&namespace, "/large", &write);
            for _ in 0..2048 {
                file.append(&[1; 4096]).unwrap();
            }
        });
    });
    let read = open(&namespace, "/large", &OpenOptions::READ);
    group.bench_function("scan in pieces of 64 KiB", |b| {
        let mut buf = vec![0; 65536];
        b.iter(|| (0..128).map(|piece| read.read_at(&mut buf, piece * 65536).unwrap()).sum::<usize>());
    });
    group.finish();
    drop(large);
}

criterion_group!(all, benches);
criterion_main!(all);
