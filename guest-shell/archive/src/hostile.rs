//! Tests with damaged and malicious files: every reader ends with data or an error, never with a panic, and produces no
//! more data than it is asked for.

use crate::codec::{self, Format};
use crate::tar;
use crate::zip;
use std::io::{Read, Write};

/// A pseudo-random sequence that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Changes some bytes, cuts the data, or repeats a part of it.
    fn damage(&mut self, data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        let size = data.len().max(1) as u64;
        match self.next() % 8 {
            0 => data.truncate((self.next() % size) as usize),
            1 => {
                let at = (self.next() % size) as usize;
                let part = data.get(at..).unwrap_or_default().to_vec();
                data.extend_from_slice(&part);
            }
            _ => {
                for _ in 0..=self.next() % 6 {
                    let at = (self.next() % size) as usize;
                    let value = [0, 0xff, 0x7f, 0x80, b'7', self.next() as u8][(self.next() % 6) as usize];
                    if let Some(byte) = data.get_mut(at) {
                        *byte = value;
                    }
                }
            }
        }
        data
    }
}

fn some_text() -> Vec<u8> {
    (0..2000).flat_map(|i| format!("line {} of text {}\n", i * i, i % 7).into_bytes()).collect()
}

#[test]
fn compressed_files() {
    let text = some_text();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for format in [Format::Gzip, Format::Bzip2, Format::Xz, Format::Lzma, Format::Zstd] {
        let mut packed = Vec::new();
        let mut sink = codec::writer(format, Some(1), &mut packed).unwrap();
        sink.write_all(&text).unwrap();
        sink.finish().unwrap();
        let mut back = Vec::new();
        codec::reader(format, packed.as_slice()).unwrap().read_to_end(&mut back).unwrap();
        assert!(back == text, "{format:?}");
        for _ in 0..400 {
            let damaged = numbers.damage(&packed);
            if let Ok(reader) = codec::reader(format, damaged.as_slice()) {
                let _ = std::io::copy(&mut reader.take(1 << 20), &mut std::io::sink());
            }
        }
    }
}

#[test]
fn tar_archives() {
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    let archive = tar::sample();
    assert!(tar::walk(&archive) >= 4);
    for _ in 0..3000 {
        tar::walk(&numbers.damage(&archive));
    }
}

#[test]
fn zip_records() {
    let mut numbers = Numbers(0xdead_beef_cafe_f00d);
    let record = zip::sample();
    assert!(zip::walk(&record));
    for _ in 0..5000 {
        zip::walk(&numbers.damage(&record));
    }
}
