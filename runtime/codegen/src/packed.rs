//! Code that is used rarely, compressed.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// Compresses code as far as possible.
///
/// # Errors
/// None but of memory.
pub fn pack(code: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(code)?;
    encoder.finish()
}

/// Writes the code that was compressed with [`pack`].
///
/// # Errors
/// Those of `to`, and `InvalidData` or `UnexpectedEof` for bytes that `pack` did not make.
pub fn unpack(packed: &[u8], to: &mut impl Write) -> io::Result<()> {
    let mut decoder = ZlibDecoder::new(packed);
    let mut piece = vec![0; 256 << 10];
    loop {
        match decoder.read(&mut piece)? {
            0 => return Ok(()),
            count => to.write_all(piece.get(..count).unwrap_or_default())?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let code: Vec<u8> = (0..1_000_000_u32).map(|at| (at.wrapping_mul(at) >> 11) as u8).collect();
        let packed = pack(&code).expect("packed");
        let mut back = Vec::new();
        unpack(&packed, &mut back).expect("unpacked");
        assert!(back == code && packed.len() < code.len());
        assert!(unpack(&packed[..packed.len() / 2], &mut Vec::new()).is_err(), "cut off");
        assert!(unpack(b"nonsense", &mut Vec::new()).is_err());
    }
}
