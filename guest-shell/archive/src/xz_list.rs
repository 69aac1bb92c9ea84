//! `xz --list`: shows what the indices of .xz files contain.

use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, Fd, open_flags as o};

/// The size of a stream's header, and of its footer.
const FRAME: u64 = 12;
/// A larger index is refused. A file of 16 GiB in blocks of 1 MiB has a smaller one.
const LARGEST_INDEX: u64 = 1 << 20;

struct Block {
    /// The size including padding.
    packed: u64,
    plain: u64,
}

struct Stream {
    packed: u64,
    padding: u64,
    check: u8,
    blocks: Vec<Block>,
}

impl Stream {
    fn plain(&self) -> u64 {
        self.blocks.iter().fold(0, |sum, block| sum.saturating_add(block.plain))
    }
}

/// Totals over several streams.
#[derive(Default)]
struct Sums {
    streams: u64,
    blocks: u64,
    packed: u64,
    plain: u64,
    padding: u64,
    /// One bit for each kind of integrity check.
    checks: u16,
}

impl Sums {
    fn add(&mut self, stream: &Stream) {
        self.streams += 1;
        self.blocks += stream.blocks.len() as u64;
        self.packed = self.packed.saturating_add(stream.packed).saturating_add(stream.padding);
        self.plain = self.plain.saturating_add(stream.plain());
        self.padding = self.padding.saturating_add(stream.padding);
        self.checks |= 1 << (stream.check & 15);
    }
}

/// Prints about files, and totals at the end.
#[derive(Default)]
pub(crate) struct Lister {
    verbose: bool,
    robot: bool,
    files: u64,
    all: Sums,
}

impl Lister {
    /// With `verbose`, everything is printed. With `robot`, the output is for programs.
    pub(crate) fn new(verbose: bool, robot: bool) -> Self {
        Self { verbose, robot, ..Self::default() }
    }

    /// Prints what precedes a file, the `number`th of `count`.
    pub(crate) fn begin(&self, name: &[u8], number: usize, count: usize) {
        if self.verbose && !self.robot {
            let before = if number > 1 { "\n" } else { "" };
            out::put([before.as_bytes(), name, format!(" ({number}/{count})\n").as_bytes()].concat());
        }
    }

    /// Prints about a file. The error says what is wrong with the file.
    pub(crate) fn file(&mut self, name: &[u8]) -> Result<(), String> {
        let streams = streams(name)?;
        let mut sums = Sums::default();
        streams.iter().for_each(|stream| sums.add(stream));
        match (self.robot, self.verbose) {
            (true, _) => self.robot(name, &streams, &sums),
            (false, true) => verbose(&streams, &sums),
            (false, false) => {
                if self.files == 0 {
                    out::put("Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n");
                }
                out::put([row(&sums).as_bytes(), name, b"\n"].concat());
            }
        }
        self.files += 1;
        streams.iter().for_each(|stream| self.all.add(stream));
        Ok(())
    }

    /// Prints the totals, if there was more than one file.
    pub(crate) fn finish(&self) {
        let all = &self.all;
        if self.robot {
            out::put(format!("totals\t{}\t{}\n", robot_row(all, all.padding), self.files));
        } else if self.files > 1 && self.verbose {
            out::put(format!("\nTotals:\n  Number of files:   {}\n", self.files));
            out::put(paragraph(all));
        } else if self.files > 1 {
            out::put([&[b'-'; 79][..], b"\n"].concat());
            out::put(format!("{}{} files\n", row(all), self.files));
        }
    }

    fn robot(&self, name: &[u8], streams: &[Stream], sums: &Sums) {
        out::put([b"name\t", name, b"\n"].concat());
        out::put(format!("file\t{}\n", robot_row(sums, sums.padding)));
        if !self.verbose {
            return;
        }
        walk(streams, |number, stream, packed, plain| {
            out::put(format!(
                "stream\t{number}\t{}\t{packed}\t{plain}\t{}\t{}\t{}\t{}\t{}\n",
                stream.blocks.len(),
                stream.packed,
                stream.plain(),
                ratio(stream.packed, stream.plain()),
                check(stream.check),
                stream.padding
            ));
        });
        let mut total = 0;
        each_block(streams, |number, inside, block, check, packed, plain| {
            total += 1;
            out::put(format!(
                "block\t{number}\t{inside}\t{total}\t{packed}\t{plain}\t{}\t{}\t{}\t{check}\n",
                block.packed,
                block.plain,
                ratio(block.packed, block.plain)
            ));
        });
    }
}

fn robot_row(sums: &Sums, padding: u64) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}\t{padding}",
        sums.streams,
        sums.blocks,
        sums.packed,
        sums.plain,
        ratio(sums.packed, sums.plain),
        checks(sums.checks, ",")
    )
}

fn row(sums: &Sums) -> String {
    format!(
        "{:>5} {:>7}  {:>11}  {:>11}  {:>5}  {:<7} ",
        sums.streams,
        sums.blocks,
        nice(sums.packed),
        nice(sums.plain),
        ratio(sums.packed, sums.plain),
        checks(sums.checks, ",")
    )
}

fn paragraph(sums: &Sums) -> String {
    format!(
        "  Streams:           {}\n  Blocks:            {}\n  Compressed size:   {}\n  Uncompressed size: {}\n  Ratio:             {}\n  Check:             {}\n  Stream Padding:    {}\n",
        sums.streams,
        sums.blocks,
        nice_and_exact(sums.packed),
        nice_and_exact(sums.plain),
        ratio(sums.packed, sums.plain),
        checks(sums.checks, ", "),
        nice_and_exact(sums.padding)
    )
}

fn verbose(streams: &[Stream], sums: &Sums) {
    out::put(paragraph(sums));
    out::put(
        "  Streams:\n    Stream    Blocks      CompOffset    UncompOffset        CompSize      UncompSize  Ratio  Check      Padding\n",
    );
    walk(streams, |number, stream, packed, plain| {
        out::put(format!(
            "    {number:>6} {:>9} {packed:>15} {plain:>15} {:>15} {:>15}  {:>5}  {:<10} {:>7}\n",
            stream.blocks.len(),
            stream.packed,
            stream.plain(),
            ratio(stream.packed, stream.plain()),
            check(stream.check),
            stream.padding
        ));
    });
    if sums.blocks == 0 {
        return;
    }
    out::put(
        "  Blocks:\n    Stream     Block      CompOffset    UncompOffset       TotalSize      UncompSize  Ratio  Check\n",
    );
    each_block(streams, |number, inside, block, check, packed, plain| {
        out::put(format!(
            "    {number:>6} {inside:>9} {packed:>15} {plain:>15} {:>15} {:>15}  {:>5}  {check}\n",
            block.packed,
            block.plain,
            ratio(block.packed, block.plain)
        ));
    });
}

// Calls `f` for each stream with its number, and with its offset in the compressed and in the uncompressed data.
fn walk(streams: &[Stream], mut f: impl FnMut(usize, &Stream, u64, u64)) {
    let (mut packed, mut plain) = (0u64, 0u64);
    for (i, stream) in streams.iter().enumerate() {
        f(i + 1, stream, packed, plain);
        packed = packed.saturating_add(stream.packed).saturating_add(stream.padding);
        plain = plain.saturating_add(stream.plain());
    }
}

// Calls `f` for each block with the number of its stream, its number in the stream, the name of its check, and its two
// offsets.
fn each_block(streams: &[Stream], mut f: impl FnMut(usize, usize, &Block, String, u64, u64)) {
    walk(streams, |number, stream, packed, plain| {
        let (mut packed, mut plain) = (packed.saturating_add(FRAME), plain);
        for (i, block) in stream.blocks.iter().enumerate() {
            f(number, i + 1, block, check(stream.check), packed, plain);
            packed = packed.saturating_add(block.packed);
            plain = plain.saturating_add(block.plain);
        }
    });
}

fn ratio(packed: u64, plain: u64) -> String {
    let ratio = packed as f64 / plain as f64;
    if plain == 0 || ratio > 9.999 { "---".into() } else { format!("{ratio:.3}") }
}

fn check(kind: u8) -> String {
    match kind {
        0 => "None".into(),
        1 => "CRC32".into(),
        4 => "CRC64".into(),
        10 => "SHA-256".into(),
        other => format!("Unknown-{other}"),
    }
}

fn checks(mask: u16, between: &str) -> String {
    let found: Vec<String> = (0..16).filter(|kind| mask & (1 << kind) != 0).map(check).collect();
    if found.is_empty() { check(0) } else { found.join(between) }
}

fn nice(size: u64) -> String {
    if size < 10_000 {
        return format!("{size} B");
    }
    let (mut value, mut unit) = (size as f64 / 1024.0, "KiB");
    for next in ["MiB", "GiB", "TiB"] {
        if value <= 9999.9 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    format!("{value:.1} {unit}")
}

fn nice_and_exact(size: u64) -> String {
    let nice = nice(size);
    if size < 10_000 { nice } else { format!("{nice} ({size} B)") }
}

const CORRUPT: &str = "Compressed data is corrupt";
const FOREIGN: &str = "File format not recognized";

fn streams(name: &[u8]) -> Result<Vec<Stream>, String> {
    let fd = sys::open(name, o::READ | o::CLOEXEC, 0).map_err(|e| e.to_string())?;
    let found = sys::fstat(fd).map_err(|e| e.to_string()).and_then(|st| read_streams(fd, st.size));
    let _ = sys::close(fd);
    found
}

// Reads from the end to the start, because a stream's sizes are at its end.
fn read_streams(fd: Fd, size: u64) -> Result<Vec<Stream>, String> {
    if size == 0 {
        return Err("File is empty".into());
    }
    if size < 2 * FRAME {
        return Err("Too small to be a valid .xz file".into());
    }
    if !read_at(fd, 0, 6)?.starts_with(b"\xfd7zXZ\0") {
        return Err(FOREIGN.into());
    }
    if !size.is_multiple_of(4) {
        return Err(CORRUPT.into());
    }
    let mut streams = Vec::new();
    let mut end = size;
    while end > 0 {
        let mut padding = 0;
        while end > padding && read_at(fd, end - padding - 4, 4)? == [0; 4] {
            padding += 4;
        }
        let stream = read_stream(fd, end - padding, padding)?;
        end = end.checked_sub(stream.packed + padding).ok_or(CORRUPT)?;
        streams.push(stream);
    }
    streams.reverse();
    Ok(streams)
}

fn read_stream(fd: Fd, end: u64, padding: u64) -> Result<Stream, String> {
    let footer = read_at(fd, end.checked_sub(FRAME).ok_or(CORRUPT)?, FRAME)?;
    let (sum, counted) = footer.split_at(4);
    let (size, flags) = counted.split_at(4);
    if !footer.ends_with(b"YZ")
        || number(sum) != u64::from(crc32fast::hash(counted.get(..6).unwrap_or(counted)))
    {
        return Err(CORRUPT.into());
    }
    let index_size = (number(size) + 1) * 4;
    if index_size > LARGEST_INDEX {
        return Err(format!("The index is larger than the limit of {LARGEST_INDEX} bytes"));
    }
    let index_at = end.checked_sub(FRAME + index_size).ok_or(CORRUPT)?;
    let index = read_at(fd, index_at, index_size)?;
    let blocks = read_index(&index).ok_or(CORRUPT)?;
    let packed = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.packed));
    let start = index_at.checked_sub(packed).and_then(|at| at.checked_sub(FRAME)).ok_or(CORRUPT)?;
    let header = read_at(fd, start, FRAME)?;
    if !header.starts_with(b"\xfd7zXZ\0") || header.get(6..8) != flags.get(..2) {
        return Err(CORRUPT.into());
    }
    let check = flags.get(1).copied().unwrap_or(0);
    Ok(Stream { packed: end - start, padding, check, blocks })
}

fn read_index(index: &[u8]) -> Option<Vec<Block>> {
    let (counted, sum) = index.split_at_checked(index.len().checked_sub(4)?)?;
    if number(sum) != u64::from(crc32fast::hash(counted)) {
        return None;
    }
    let mut rest = counted.strip_prefix(b"\0")?;
    let count = variable(&mut rest)?;
    let mut blocks = Vec::new();
    for _ in 0..count {
        let packed = variable(&mut rest)?.checked_next_multiple_of(4)?;
        blocks.push(Block { packed, plain: variable(&mut rest)? });
    }
    (rest.len() < 4 && rest.iter().all(|b| *b == 0)).then_some(blocks)
}

// A number with seven bits per byte, the lowest bits first.
fn variable(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for i in 0..9 {
        let (first, more) = rest.split_first()?;
        *rest = more;
        value |= u64::from(first & 0x7f) << (7 * i);
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(4).rev().fold(0, |value, b| value << 8 | u64::from(*b))
}

fn read_at(fd: Fd, at: u64, len: u64) -> Result<Vec<u8>, String> {
    sys::lseek(fd, i64::try_from(at).map_err(|_| CORRUPT)?, 0).map_err(|e| e.to_string())?;
    let mut bytes = vec![0; usize::try_from(len).map_err(|_| CORRUPT)?];
    let mut have = 0;
    while let Some(rest) = bytes.get_mut(have..).filter(|rest| !rest.is_empty()) {
        match sys::read(fd, rest) {
            Ok(0) => return Err("Unexpected end of input".into()),
            Ok(n) => have += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(format!("Read error: {e}")),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A malicious file can contain any numbers, and a correct checksum over them.
    #[test]
    fn any_index_is_shown_or_refused() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        let mut shown = 0;
        for _ in 0..20_000 {
            let mut index = vec![0, random() % 4];
            for _ in 0..random() % 40 {
                // Bytes that continue a number, and now and then one that ends it.
                index.push(if random() % 8 == 0 { random() & 0x7f } else { random() | 0x80 });
            }
            let sum = crc32fast::hash(&index);
            index.extend_from_slice(&sum.to_le_bytes());
            let Some(blocks) = read_index(&index) else { continue };
            shown += 1;
            let stream = Stream { packed: u64::MAX, padding: u64::MAX, check: random(), blocks };
            let mut sums = Sums::default();
            sums.add(&stream);
            sums.add(&stream);
            assert!(
                !row(&sums).is_empty() && !paragraph(&sums).is_empty() && !robot_row(&sums, 0).is_empty()
            );
            let streams = [stream];
            walk(&streams, |_, _, _, _| ());
            each_block(&streams, |_, _, _, _, _, _| ());
        }
        assert!(shown > 10, "{shown}");
    }
}
