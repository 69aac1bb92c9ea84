//! Written pages, from the kernel's pagemap.

use std::fs::File;

use super::PAGE;

/// The open `/proc/self/pagemap`, if it can be used. It describes the process that opened it, so a forked child must
/// open its own.
pub(crate) struct Pagemap(Option<File>);

/// Bits of a pagemap entry: the page is in memory, in swap, or belongs to a file.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const FILE: u64 = 1 << 61;

impl Pagemap {
    pub(crate) fn open() -> Pagemap {
        let usable = rustix::param::page_size() == PAGE;
        let pages = Pagemap(if usable { File::open("/proc/self/pagemap").ok() } else { None });
        // Some hosts have the file with wrong contents: check that it reports a page that was just written.
        if pages.written(&probe().0) == Some(vec![true]) { pages } else { Pagemap(None) }
    }

    /// For each page of `memory`, a page-aligned linear memory: whether it may have been written to since it was
    /// mapped. Other pages are as in the module's image, or zero beyond it. `None` if that is unknown.
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

/// Memory that fills one page.
#[repr(align(4096))]
struct Page([u8; PAGE]);

/// A page that was written to.
fn probe() -> Box<Page> {
    std::hint::black_box(Box::new(Page([1; PAGE])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pagemap_reports_written_pages() {
        if rustix::param::page_size() != PAGE {
            return;
        }
        assert_eq!(Pagemap::open().written(&probe().0), Some(vec![true]));
        // Constants are mapped from the program's file.
        static CONSTANT: Page = Page([7; PAGE]);
        assert_eq!(std::hint::black_box(&CONSTANT).0[0], 7);
        assert_eq!(Pagemap::open().written(&CONSTANT.0), Some(vec![false]));
    }

    #[test]
    fn a_missing_or_wrong_pagemap_is_not_used() {
        assert_eq!(Pagemap(None).written(&probe().0), None);
        let zeros = tempfile::tempfile().expect("a file");
        assert_eq!(Pagemap(Some(zeros)).written(&probe().0), None);
    }
}
