//! Which pages of a process's memory were written to, as the host knows without looking at what is in them.

use std::fs::File;

/// Where the host tells of this process's pages, if it does. It is of no use to a forked child, which has an engine of its own.
pub(crate) struct Pages(Option<File>);

/// The size of the pages that are told of; with others nothing is.
pub(crate) const PAGE: usize = 4096;

/// Linux's entry of a page: whether it is in memory, in swap, and a file's own.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const FILE: u64 = 1 << 61;

impl Pages {
    pub(crate) fn open() -> Pages {
        let usable = cfg!(target_os = "linux") && rustix::param::page_size() == PAGE;
        let pages = Pages(if usable { File::open("/proc/self/pagemap").ok() } else { None });
        // A host that has the file and does not tell the truth in it, as of a page that is just being written, is not believed.
        if pages.written(&probe().0) == Some(vec![true]) { pages } else { Pages(None) }
    }

    /// For each page of linear memory, which begins at a page, whether it may have been written to since it was mapped. Others
    /// are as the module's image has them, or zero beyond it. `None` if the host does not tell.
    pub(crate) fn written(&self, memory: &[u8]) -> Option<Vec<bool>> {
        use std::os::unix::fs::FileExt;

        let file = self.0.as_ref()?;
        let start = memory.as_ptr().addr();
        if !start.is_multiple_of(PAGE) {
            return None;
        }
        let mut entries = vec![0; memory.len().div_ceil(PAGE) * 8];
        file.read_exact_at(&mut entries, (start / PAGE * 8) as u64).ok()?;
        let written = |entry: &[u8]| {
            let entry = entry.try_into().map_or(u64::MAX, u64::from_ne_bytes);
            entry & SWAPPED != 0 || entry & (PRESENT | FILE) == PRESENT
        };
        Some(entries.chunks_exact(8).map(written).collect())
    }
}

/// A page of its own.
#[repr(align(4096))]
struct Page([u8; PAGE]);

/// A page that was written to.
fn probe() -> Box<Page> {
    std::hint::black_box(Box::new(Page([1; PAGE])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_host_tells_what_was_written() {
        if rustix::param::page_size() != PAGE {
            return;
        }
        assert_eq!(Pages::open().written(&probe().0), Some(vec![true]));
        // Constants are the program's file itself.
        static CONSTANT: Page = Page([7; PAGE]);
        assert_eq!(std::hint::black_box(&CONSTANT).0[0], 7);
        assert_eq!(Pages::open().written(&CONSTANT.0), Some(vec![false]));
    }

    #[test]
    fn a_host_that_tells_nothing_is_not_asked() {
        assert_eq!(Pages(None).written(&probe().0), None);
        let zeros = tempfile::tempfile().expect("a file");
        assert_eq!(Pages(Some(zeros)).written(&probe().0), None);
    }
}
