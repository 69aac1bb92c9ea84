//! Checksums of data.

use md5::Digest as _;

/// An algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Algorithm {
    Bsd,
    Sysv,
    Crc,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    /// SHA-512 cut to 224 bits.
    Sha512Of224,
    /// SHA-512 cut to 256 bits.
    Sha512Of256,
    Blake2b,
    Sm3,
}

impl Algorithm {
    /// The name in lines of the tagged format.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Bsd => "BSD",
            Self::Sysv => "SYSV",
            Self::Crc => "CRC",
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            Self::Sha512Of224 => "SHA512/224",
            Self::Sha512Of256 => "SHA512/256",
            Self::Blake2b => "BLAKE2b",
            Self::Sm3 => "SM3",
        }
    }

    /// The length of a checksum in bytes. For BLAKE2b it is the maximum.
    pub(crate) fn length(self) -> usize {
        match self {
            Self::Bsd | Self::Sysv => 2,
            Self::Crc => 4,
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha512Of224 => 28,
            Self::Sha256 | Self::Sha512Of256 | Self::Sm3 => 32,
            Self::Sha384 => 48,
            Self::Sha512 | Self::Blake2b => 64,
        }
    }
}

/// A checksum being computed.
pub(crate) enum State {
    Bsd(u16),
    Sysv(u32),
    Crc(u32, u64),
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha224(sha2::Sha224),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
    Sha512Of224(sha2::Sha512_224),
    Sha512Of256(sha2::Sha512_256),
    Blake2b(Box<blake2b_simd::State>),
    Sm3(sm3::Sm3),
}

impl State {
    /// Starts a checksum. `length` is the length of a BLAKE2b checksum in bytes.
    pub(crate) fn new(algorithm: Algorithm, length: usize) -> Self {
        match algorithm {
            Algorithm::Bsd => Self::Bsd(0),
            Algorithm::Sysv => Self::Sysv(0),
            Algorithm::Crc => Self::Crc(0, 0),
            Algorithm::Md5 => Self::Md5(md5::Md5::new()),
            Algorithm::Sha1 => Self::Sha1(sha1::Sha1::new()),
            Algorithm::Sha224 => Self::Sha224(sha2::Sha224::new()),
            Algorithm::Sha256 => Self::Sha256(sha2::Sha256::new()),
            Algorithm::Sha384 => Self::Sha384(sha2::Sha384::new()),
            Algorithm::Sha512 => Self::Sha512(sha2::Sha512::new()),
            Algorithm::Sha512Of224 => Self::Sha512Of224(sha2::Sha512_224::new()),
            Algorithm::Sha512Of256 => Self::Sha512Of256(sha2::Sha512_256::new()),
            Algorithm::Blake2b => {
                let params = blake2b_simd::Params::new().hash_length(length.clamp(1, 64)).to_state();
                Self::Blake2b(Box::new(params))
            }
            Algorithm::Sm3 => Self::Sm3(sm3::Sm3::new()),
        }
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        match self {
            Self::Bsd(sum) => {
                *sum = data.iter().fold(*sum, |s, b| s.rotate_right(1).wrapping_add(u16::from(*b)));
            }
            Self::Sysv(sum) => *sum = data.iter().fold(*sum, |s, b| s.wrapping_add(u32::from(*b))),
            Self::Crc(crc, length) => {
                *crc = data.iter().fold(*crc, |c, b| crc_step(c, *b));
                *length += data.len() as u64;
            }
            Self::Md5(h) => h.update(data),
            Self::Sha1(h) => h.update(data),
            Self::Sha224(h) => h.update(data),
            Self::Sha256(h) => h.update(data),
            Self::Sha384(h) => h.update(data),
            Self::Sha512(h) => h.update(data),
            Self::Sha512Of224(h) => h.update(data),
            Self::Sha512Of256(h) => h.update(data),
            Self::Blake2b(h) => {
                h.update(data);
            }
            Self::Sm3(h) => h.update(data),
        }
    }

    /// The checksum. For CRC and sums it is the number, most significant byte first.
    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Self::Bsd(sum) => sum.to_be_bytes().to_vec(),
            Self::Sysv(sum) => {
                let once = (sum & 0xffff) + (sum >> 16);
                let twice = (once & 0xffff) + (once >> 16);
                (twice as u16).to_be_bytes().to_vec()
            }
            Self::Crc(crc, length) => {
                let mut crc = crc;
                let mut length = length;
                while length > 0 {
                    crc = crc_step(crc, length as u8);
                    length >>= 8;
                }
                (!crc).to_be_bytes().to_vec()
            }
            Self::Md5(h) => h.finalize().to_vec(),
            Self::Sha1(h) => h.finalize().to_vec(),
            Self::Sha224(h) => h.finalize().to_vec(),
            Self::Sha256(h) => h.finalize().to_vec(),
            Self::Sha384(h) => h.finalize().to_vec(),
            Self::Sha512(h) => h.finalize().to_vec(),
            Self::Sha512Of224(h) => h.finalize().to_vec(),
            Self::Sha512Of256(h) => h.finalize().to_vec(),
            Self::Blake2b(h) => h.finalize().as_bytes().to_vec(),
            Self::Sm3(h) => h.finalize().to_vec(),
        }
    }
}

/// The table for the polynomial of POSIX's `cksum`, most significant bit first.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0u32; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = (i as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000_0000 != 0 { crc << 1 ^ 0x04c1_1db7 } else { crc << 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

fn crc_step(crc: u32, byte: u8) -> u32 {
    crc << 8 ^ CRC_TABLE[((crc >> 24) as u8 ^ byte) as usize]
}
