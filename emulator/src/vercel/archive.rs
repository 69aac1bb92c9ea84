//! Uploads: compressed tar archives.

use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

/// The largest size of an unpacked upload: a file of 1 GiB with the archive around it.
const LARGEST: u64 = (1 << 30) + (1 << 20);

/// The contents of an archive, in order.
#[derive(Default)]
pub(super) struct Upload {
    /// Paths, contents and modes of files.
    pub(super) files: Vec<(String, Bytes, u32)>,
    pub(super) directories: Vec<String>,
}

/// Unpacks an archive whose names are relative to `base`; the error says what is wrong with it.
pub(super) fn unpack(body: &[u8], base: &str) -> Result<Upload, String> {
    let mut archive = Archive::new(GzDecoder::new(body).take(LARGEST));
    let mut upload = Upload::default();
    let wrong = |error: std::io::Error| format!("the archive is damaged: {error}");
    for entry in archive.entries().map_err(wrong)? {
        let mut entry = entry.map_err(wrong)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'));
        match entry.header().entry_type() {
            EntryType::Directory => upload.directories.push(path.trim_end_matches('/').to_owned()),
            EntryType::Regular | EntryType::Continuous => {
                let mode = entry.header().mode().map_err(wrong)? & 0o7777;
                let mut content = Vec::new();
                entry.read_to_end(&mut content).map_err(wrong)?;
                upload.files.push((path, content.into(), mode));
            }
            kind => return Err(format!("{path}: entries of type {kind:?} are not emulated")),
        }
    }
    Ok(upload)
}
