//! Compressed tar archives.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// An archive with these files: names and contents.
pub(super) fn pack<'a>(files: impl IntoIterator<Item = (String, &'a [u8])>) -> io::Result<Bytes> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, content) in files {
        let mut header = Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, name, content)?;
    }
    let mut gzip = archive.into_inner()?;
    gzip.flush()?;
    Ok(gzip.finish()?.into())
}
