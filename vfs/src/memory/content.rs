//! The contents of a file: shared chunks with copy-on-write.

use super::chunk::{CHUNK, Chunk};
use super::reaper;
use super::tree::Tree;
use crate::{Errno, Result};
use std::ops::Range;
use std::sync::Arc;

/// A write into a hole stores at least this many bytes.
const SPARSE_PAGE: u64 = 4096;

/// Contents of a file. Clones share all chunks.
#[derive(Clone)]
pub(crate) enum Content {
    /// Up to one chunk, stored completely.
    Small(Chunk),
    /// Chunks by number. Missing chunks, and bytes beyond a chunk's end, are zeros that take no space.
    Large { len: u64, stored: u64, chunks: Tree<Chunk> },
}

impl Drop for Content {
    fn drop(&mut self) {
        match self {
            Self::Small(Chunk::Memory(bytes)) if Arc::strong_count(bytes) == 1 => {
                reaper::freed(bytes.capacity() as u64);
            }
            Self::Large { stored, chunks, .. } if chunks.is_unshared() => {
                reaper::free(*stored, std::mem::take(chunks));
            }
            _ => {}
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Small(Chunk::new(Vec::new()))
    }
}

impl Content {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Small(bytes) => bytes.len() as u64,
            Self::Large { len, .. } => *len,
        }
    }

    /// Bytes that take space.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::Small(bytes) => bytes.len() as u64,
            Self::Large { stored, .. } => *stored,
        }
    }

    pub(crate) fn read(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let count = (buf.len() as u64).min(self.len().saturating_sub(offset)) as usize;
        let buf = &mut buf[..count];
        match self {
            Self::Small(_) if count == 0 => {}
            Self::Small(chunk) => chunk.read(buf, offset as usize)?,
            Self::Large { chunks, .. } => {
                let mut done = 0;
                while done < count {
                    let (key, start) = locate(offset + done as u64);
                    let piece = &mut buf[done..count.min(done + CHUNK - start)];
                    match chunks.get(key)? {
                        Some(chunk) => chunk.read(piece, start)?,
                        None => piece.fill(0),
                    }
                    done += piece.len();
                }
            }
        }
        Ok(count)
    }

    /// Whether some pieces may be stored. It is cheap to ask.
    pub(crate) fn may_be_away(&self) -> bool {
        match self {
            Self::Small(chunk) => !chunk.is_here(),
            Self::Large { .. } => true,
        }
    }

    /// Offsets in the first and last piece of a write, where it replaces only a part. `offset`: `None` at the end.
    pub(crate) fn partly_written(&self, offset: Option<u64>, size: usize) -> [Option<u64>; 2] {
        let chunk = CHUNK as u64;
        let start = offset.unwrap_or_else(|| self.len());
        let end = start.saturating_add(size as u64);
        let first = (!start.is_multiple_of(chunk)).then(|| start.min(self.len()).saturating_sub(1));
        let last = (!end.is_multiple_of(chunk) && end < self.len()).then_some(end);
        [first, last]
    }

    /// Whether reading this range may have to wait for what the file is stored in.
    pub(crate) fn is_away(&self, offset: u64, size: usize) -> bool {
        match self {
            Self::Small(chunk) => !chunk.is_here(),
            Self::Large { len, chunks, .. } => {
                let end = offset.saturating_add(size as u64).min(*len);
                let (first, last) = (locate(offset).0, locate(end.saturating_sub(1)).0);
                (first..=last).any(|key| chunks.is_away(key, Chunk::is_here))
            }
        }
    }

    /// The first range of stored bytes from `offset` on, as [`File::next_data`](crate::File::next_data).
    pub(crate) fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        let Self::Large { len, chunks, .. } = self else {
            return Ok((offset < self.len()).then_some(offset..self.len()));
        };
        let mut at = offset;
        while at < *len {
            let (key, start) = locate(at);
            let Some((found, chunk)) = chunks.first_from(key)? else { break };
            let begin = found * CHUNK as u64 + if found == key { start as u64 } else { 0 };
            let mut end = (found * CHUNK as u64 + chunk.len() as u64).min(*len);
            if begin < end {
                // If this chunk is full, the range continues in the next one.
                while end.is_multiple_of(CHUNK as u64)
                    && let Some(more) = chunks.get(end / CHUNK as u64)?.filter(|more| more.len() > 0)
                {
                    end += more.len() as u64;
                }
                return Ok(Some(begin..end.min(*len)));
            }
            at = (found + 1) * CHUNK as u64;
        }
        Ok(None)
    }

    /// All bytes, copied to `buffer` unless they are contiguous in memory. `EFBIG` if they are too many for the address
    /// space.
    pub(crate) fn whole<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        match self {
            Self::Small(Chunk::Memory(bytes)) => Ok(bytes),
            content => {
                let len = usize::try_from(content.len()).map_err(|_| Errno::FBig)?;
                if buffer.len() < len {
                    buffer.resize(len, 0);
                }
                let count = self.read(buffer.get_mut(..len).unwrap_or_default(), 0)?;
                Ok(buffer.get(..count).unwrap_or_default())
            }
        }
    }

    /// Writes as much of `buf`, from its start, as the budget of new stored bytes allows. Returns how much. An error
    /// only if nothing was written.
    pub(crate) fn write(&mut self, buf: &[u8], offset: u64, budget: u64) -> Result<usize> {
        let end = offset.saturating_add(buf.len() as u64);
        if let Self::Small(bytes) = self {
            if end <= CHUNK as u64 {
                return Ok(write_chunk(bytes, buf, offset as usize, budget)?.0);
            }
            self.enlarge()?;
        }
        let Self::Large { len, stored, chunks } = self else {
            return Ok(0);
        };
        let mut budget = budget;
        let mut done = 0;
        while done < buf.len() {
            let (key, start) = locate(offset + done as u64);
            let piece = &buf[done..buf.len().min(done + CHUNK - start)];
            match piece_at(chunks, key, piece, start, &mut budget, offset + done as u64 == *len, stored) {
                Ok(count) => {
                    done += count;
                    if count > 0 {
                        *len = (*len).max(offset + done as u64);
                    }
                    if count < piece.len() {
                        break;
                    }
                }
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        Ok(done)
    }

    /// Changes the length; an extension takes no space.
    pub(crate) fn resize(&mut self, size: u64) -> Result<()> {
        if size == self.len() {
            return Ok(());
        }
        if size == 0 {
            *self = Self::default();
            return Ok(());
        }
        if size > self.len() {
            self.enlarge()?;
            if let Self::Large { len, .. } = self {
                *len = size;
            }
            return Ok(());
        }
        match self {
            Self::Small(bytes) => shorten(bytes.bytes_mut()?, size as usize),
            Self::Large { len, stored, chunks } => {
                let (last, kept) = locate(size);
                let first_gone = if kept == 0 { last } else { last + 1 };
                let before = *stored;
                let mut gone = Vec::new();
                // First what may have to be read.
                if kept > 0
                    && chunks.get(last)?.is_some_and(|chunk| chunk.len() > kept)
                    && let Some(chunk) = chunks.get_mut(last)?
                {
                    let bytes = chunk.bytes_mut()?;
                    *stored -= (bytes.len() - kept) as u64;
                    shorten(bytes, kept);
                }
                let cut = chunks.cut(first_gone, &mut |chunk| {
                    *stored -= chunk.len() as u64;
                    gone.push(chunk);
                });
                reaper::free(before - *stored, gone);
                cut?;
                *len = size;
                // It becomes a small file again, unless it ends with a hole.
                let whole = chunks.get(0)?.filter(|chunk| chunk.len() as u64 == size).cloned();
                if let Some(whole) = whole {
                    *self = Self::Small(whole);
                }
            }
        }
        Ok(())
    }

    /// Bytes that [`allocate`](Self::allocate) would store for the range. If they are more than `enough`, any larger
    /// number.
    pub(crate) fn missing(&self, offset: u64, size: u64, enough: u64) -> Result<u64> {
        if enough == u64::MAX {
            return Ok(0);
        }
        let end = offset.saturating_add(size);
        // The stored bytes cannot cover more than their own number.
        let least = size.saturating_sub(self.stored());
        if least > enough {
            return Ok(least);
        }
        let (mut at, mut missing) = (offset, 0);
        while at < end && missing <= enough {
            let (key, start) = locate(at);
            let upto = (start as u64 + (end - at)).min(CHUNK as u64) as usize;
            let held = match self {
                Self::Small(bytes) if key == 0 => bytes.len(),
                Self::Small(_) => 0,
                Self::Large { chunks, .. } => chunks.get(key)?.map_or(0, Chunk::len),
            };
            missing += upto.saturating_sub(held) as u64;
            at += (upto - start) as u64;
        }
        Ok(missing)
    }

    /// Fills holes in the range with stored zeros, as far as the budget allows. Returns whether all fit.
    pub(crate) fn allocate(&mut self, offset: u64, size: u64, budget: u64) -> Result<bool> {
        let end = offset.saturating_add(size);
        if end > self.len() {
            self.resize(end)?;
        }
        self.enlarge()?;
        let Self::Large { stored, chunks, .. } = self else {
            return Ok(false);
        };
        let mut budget = budget;
        let mut at = offset;
        while at < end {
            let (key, start) = locate(at);
            let upto = (start as u64 + (end - at)).min(CHUNK as u64) as usize;
            let held = chunks.get(key)?.map_or(0, Chunk::len);
            if held < upto {
                let grown = (upto - held) as u64;
                if grown > budget {
                    return Ok(false);
                }
                budget -= grown;
                *stored += grown;
                if held == 0 {
                    chunks.insert(key, Chunk::new(vec![0; upto]))?;
                } else if let Some(chunk) = chunks.get_mut(key)? {
                    Arc::make_mut(chunk.bytes_mut()?).resize(upto, 0);
                }
            }
            at += (upto - start) as u64;
        }
        Ok(true)
    }

    fn enlarge(&mut self) -> Result<()> {
        if let Self::Small(bytes) = self {
            let len = bytes.len() as u64;
            let mut chunks = Tree::default();
            if len > 0 {
                chunks.insert(0, bytes.clone())?;
            }
            *self = Self::Large { len, stored: len, chunks };
        }
        Ok(())
    }
}

/// The number of the chunk that holds an offset, and the offset in it.
fn locate(offset: u64) -> (u64, usize) {
    (offset / CHUNK as u64, (offset % CHUNK as u64) as usize)
}

fn shorten(chunk: &mut Arc<Vec<u8>>, size: usize) {
    match Arc::get_mut(chunk) {
        Some(bytes) => {
            bytes.truncate(size);
            bytes.shrink_to_fit();
        }
        None => *chunk = Arc::new(chunk.get(..size).unwrap_or_default().to_vec()),
    }
}

/// Writes into the chunk `key`, which is made if it is missing. Returns how many bytes were written, and counts what it
/// grew by. `at_end`: the write continues the file without a gap.
fn piece_at(
    chunks: &mut Tree<Chunk>,
    key: u64,
    piece: &[u8],
    start: usize,
    budget: &mut u64,
    at_end: bool,
    stored: &mut u64,
) -> Result<usize> {
    if chunks.get(key)?.is_none() {
        // Sparse writes store at least a page, so that the bookkeeping takes no more memory than the limits count.
        let page = if at_end { 0 } else { SPARSE_PAGE };
        if *budget < page.max(1) {
            return Ok(0);
        }
        chunks.insert(key, Chunk::new(vec![0; page as usize]))?;
        *budget -= page;
        *stored += page;
    }
    let Some(chunk) = chunks.get_mut(key)? else { return Ok(0) };
    let (count, grown) = write_chunk(chunk, piece, start, *budget)?;
    *budget -= grown;
    *stored += grown;
    Ok(count)
}

/// Writes into one chunk, which grows by at most `budget`. Returns the written bytes and the growth.
fn write_chunk(chunk: &mut Chunk, buf: &[u8], start: usize, budget: u64) -> Result<(usize, u64)> {
    let limit = chunk.len().saturating_add(usize::try_from(budget).unwrap_or(usize::MAX));
    let end = (start + buf.len()).min(limit);
    let Some(count) = end.checked_sub(start).filter(|count| *count > 0) else {
        return Ok((0, 0));
    };
    let buf = &buf[..count];
    let grown = end.saturating_sub(chunk.len());
    if start == 0 && end >= chunk.len() && chunk.is_best_replaced(end) {
        // The whole chunk is replaced: shared bytes are not copied, and a small file that is written at once gets its
        // exact size.
        *chunk = Chunk::new(buf.to_vec());
        return Ok((count, grown as u64));
    }
    let bytes = Arc::make_mut(chunk.bytes_mut()?);
    if end > bytes.capacity() {
        // Double the capacity for appending, but at most to a chunk.
        let room = end.max(bytes.len().saturating_mul(2).min(CHUNK));
        bytes.reserve_exact(room - bytes.len());
    }
    if start >= bytes.len() {
        bytes.resize(start, 0);
        bytes.extend_from_slice(buf);
    } else {
        let inside = (bytes.len() - start).min(count);
        bytes[start..start + inside].copy_from_slice(&buf[..inside]);
        bytes.extend_from_slice(&buf[inside..]);
    }
    Ok((count, grown as u64))
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Chunk, Content, SPARSE_PAGE};

    fn bytes(content: &Content) -> Vec<u8> {
        let mut all = vec![0xaa; content.len() as usize + 3];
        let count = content.read(&mut all, 0).unwrap();
        all.truncate(count);
        all
    }

    #[test]
    fn behaves_as_a_vector() {
        let mut content = Content::default();
        let mut kept = Vec::new();
        let mut model: Vec<u8> = Vec::new();
        let mut state = 3_u64;
        for step in 0..3000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let offset = (state >> 33) as usize % (3 * CHUNK);
            let size = (state >> 20) as usize % [10, 300, 2 * CHUNK][(state >> 62) as usize % 3] + 1;
            match state >> 58 & 7 {
                0 => {
                    content.resize(offset as u64).unwrap();
                    model.resize(offset, 0);
                }
                1 => kept.push((content.clone(), model.clone())),
                2 => {
                    assert!(content.allocate(offset as u64, size as u64, u64::MAX).unwrap());
                    model.resize(model.len().max(offset + size), 0);
                }
                choice => {
                    let offset = if choice < 5 { model.len() } else { offset };
                    let data = vec![step as u8; size];
                    assert_eq!(content.write(&data, offset as u64, u64::MAX).unwrap(), size);
                    model.resize(model.len().max(offset + size), 0);
                    model[offset..offset + size].copy_from_slice(&data);
                    if model.len() > 4 * CHUNK {
                        content.resize(0).unwrap();
                        model.clear();
                    }
                }
            }
            assert_eq!(content.len(), model.len() as u64);
            if step % 16 == 0 {
                assert!(bytes(&content) == model, "step {step}");
            }
            if kept.len() > 20 {
                kept.clear();
            }
        }
        for (content, model) in kept {
            assert!(bytes(&content) == model, "a clone keeps what it had");
        }
    }

    #[test]
    fn stored_bytes_are_within_the_budget() {
        let mut content = Content::default();
        assert_eq!(content.write(b"abcdef", 0, 4).unwrap(), 4);
        assert_eq!(bytes(&content), b"abcd");
        assert_eq!(content.write(b"xyz", 2, 0).unwrap(), 2, "overwriting needs no new space");
        assert_eq!(bytes(&content), b"abxy");
        assert_eq!(content.write(b"q", 1 << 40, 0).unwrap(), 0);
        assert_eq!(content.len(), 4, "a write that does not fit changes nothing");
        assert_eq!(content.write(b"q", 1 << 40, 4096).unwrap(), 1);
        assert_eq!((content.len(), content.stored()), ((1 << 40) + 1, 4 + 4096));
        content.resize(2).unwrap();
        assert_eq!((bytes(&content).as_slice(), content.stored()), (b"ab".as_slice(), 2));
    }

    #[test]
    fn holes_are_distinguished_from_stored_bytes() {
        let mut content = Content::default();
        content.resize(1 << 40).unwrap();
        assert_eq!(content.next_data(0).unwrap(), None);
        let (far, chunk) = ((1 << 39) + 5, CHUNK as u64);
        content.write(&vec![1; 3 * CHUNK], far, u64::MAX).unwrap();
        let data = content.next_data(0).unwrap().unwrap();
        // Writing into a hole stores whole pages.
        let written = far + 3 * chunk;
        assert!(data.start <= far && (written..written + SPARSE_PAGE).contains(&data.end), "{data:?}");
        assert_eq!(content.next_data(far + chunk).unwrap(), Some(far + chunk..data.end));
        assert_eq!(content.next_data(data.end).unwrap(), None);
        let mut small = Content::default();
        small.write(b"abc", 0, u64::MAX).unwrap();
        assert_eq!((small.next_data(1), small.next_data(3)), (Ok(Some(1..3)), Ok(None)));
    }

    #[test]
    fn a_small_file_takes_its_exact_size() {
        let mut content = Content::default();
        content.write(&[1; 1000], 0, u64::MAX).unwrap();
        let Content::Small(Chunk::Memory(bytes)) = &content else { panic!("small") };
        assert_eq!(bytes.capacity(), 1000);
    }
}
