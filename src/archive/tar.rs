//! Tar archives of a sandbox's files. Holes stay holes, and all sizes in an archive are checked against limits.

mod reader;
mod writer;

pub(crate) use reader::{Member, Reader};
pub(crate) use writer::write_sparse;

use std::ops::Range;

/// The ranges of a sparse file that are stored, in order.
pub(crate) type Map = Vec<Range<u64>>;

/// The size of a block in bytes.
const BLOCK: u64 = 512;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::io::Read;

    fn sparse(path: &[u8], size: u64, map: &Map, data: &[u8]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o640);
        header.set_mtime(7);
        header.set_uid(1000);
        header.set_gid(1000);
        write_sparse(&mut builder, &header, path, size, map, data).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let long = vec![b'n'; 300];
        let tib = 1 << 40;
        let data = [vec![1; 1000], vec![2; 512]].concat();
        for (path, size, map) in [
            (&b"f"[..], tib, vec![4096..5096, tib - 512..tib]),
            (&long, tib + 5, vec![0..1000, 70_000..70_512]),
            (b"x\ny", tib, vec![]),
        ] {
            let length: u64 = map.iter().map(|stretch| stretch.end - stretch.start).sum();
            let data = &data[..length as usize];
            let archive = sparse(path, size, &map, data);
            let mut reader = Reader::new(archive.as_slice());
            let member = reader.next().unwrap().unwrap();
            assert_eq!((member.path.as_slice(), member.size, member.map.as_ref()), (path, size, Some(&map)));
            assert_eq!((member.mode, member.mtime, member.uid), (0o640, 7, 1000));
            let mut read = Vec::new();
            reader.read_to_end(&mut read).unwrap();
            assert_eq!(read, data);
            assert!(reader.next().unwrap().is_none());
        }
    }

    #[test]
    fn a_map_that_cannot_be_is_refused() {
        for map in [vec![8..8192, 4096..8000], vec![0..10, 20..1 << 41]] {
            let archive = sparse(b"f", 1 << 40, &map, &[0; 1024]);
            assert!(Reader::new(archive.as_slice()).next().is_err(), "{map:?}");
        }
    }

    #[test]
    fn a_long_name_takes_no_memory() {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(1 << 40);
        header.set_cksum();
        let archive = [header.as_bytes().as_slice(), &[b'a'; 4096]].concat();
        assert!(Reader::new(archive.as_slice()).next().is_err_and(|why| why.contains("longer than")));
    }
}
