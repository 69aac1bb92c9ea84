//! `/dev`.

use super::Builder;
use crate::{Limits, MemoryFs, Result, TimeSource};
use std::sync::Arc;

/// A filesystem for `/dev`: the devices `null`, `zero`, `full`, `random`, `urandom` and `tty` with Linux's numbers, and
/// `fd`, `stdin`, `stdout` and `stderr` as links into `/proc/self/fd`. It belongs to user 0, and nothing can be added
/// to it (`ENOSPC`).
pub fn device_tree(time: Arc<dyn TimeSource>) -> Result<MemoryFs> {
    let fs = MemoryFs::builder().time(time).root(0o755, 0, 0).build();
    let tree = Builder::new(&fs);
    for (name, major, minor) in
        [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0)]
    {
        tree.device(name, major, minor)?;
    }
    tree.link("fd", "/proc/self/fd")?;
    for (number, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
        tree.link(name, &format!("/proc/self/fd/{number}"))?;
    }
    let inodes = Some(fs.usage().inodes);
    fs.set_limits(Limits { bytes: Some(0), inodes, ..Limits::default() });
    Ok(fs)
}
